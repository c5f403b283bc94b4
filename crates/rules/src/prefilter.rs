//! Which rules about written code have something to look for in a file, judged by the words that it holds: one look at the
//! text answers it for all of them, and most files hold what few of them need.

use super::uses;
use crate::code::Code;
use crate::code::walk::{CodeNode, walk};
use crate::sources::Language;
use aho_corasick::automaton::Automaton;
use aho_corasick::nfa::contiguous::NFA;
use aho_corasick::{Anchored, StartKind, dfa::DFA};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// What a file must hold for a rule to look at it.
#[derive(Default)]
pub(super) struct RequiredWords<'r> {
    /// One of these texts, wherever they stand. Without any the rule looks at every file.
    pub texts: Vec<&'r str>,
    /// In Python: all parts of one of these dotted names, each as a word of its own. No file can speak of
    /// `torch.cuda.sync` without saying `torch`, `cuda` and `sync` somewhere.
    pub names: Vec<&'r str>,
    /// In Python: one of these texts as well.
    pub beside: Vec<&'r str>,
    /// Where the words are too common: what some part of the code must be, unless one of `sure` is named.
    pub node_predicate: Option<NodePredicate>,
    pub sure: Vec<&'r str>,
}

/// Whether a part of a file is what a rule may speak of, as far as it tells by itself.
pub(super) type NodePredicate = fn(CodeNode<'_, '_>) -> bool;

/// The needs of all rules of a run, with the words numbered.
pub(super) struct Prefilter {
    words: Arc<Search>,
    needs: Vec<Numbered>,
}

/// Finds all words of a list in one pass, also those inside others.
enum Search {
    /// Soon made, for little text.
    Small(NFA),
    /// Three times as fast.
    Fast(DFA),
}

impl Search {
    /// Finds these words in about so many bytes of text. A process that checks again and again, as the language server does,
    /// makes it once.
    fn of(words: &[&str], amount: usize) -> Arc<Search> {
        /// Below that it takes longer to make the faster search than it saves.
        const MUCH: usize = 1_500_000;
        /// How many are kept: of usual projects and large ones, with and without rules of their own.
        const KEPT: usize = 4;
        /// Each with its words.
        static MADE: Mutex<Vec<(Vec<String>, Arc<Search>)>> = Mutex::new(Vec::new());
        let is_fast = amount > MUCH;
        let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        let same = made
            .iter()
            .find(|(known, search)| matches!(**search, Search::Fast(_)) == is_fast && *known == *words);
        if let Some((_, search)) = same {
            return search.clone();
        }
        let search = Arc::new(Search::new(words, is_fast));
        if made.len() == KEPT {
            made.remove(0);
        }
        made.push((words.iter().map(|word| (*word).to_owned()).collect(), search.clone()));
        search
    }

    fn new(words: &[&str], is_fast: bool) -> Search {
        const FEW: &str = "a few hundred words";
        match is_fast {
            true => Search::Fast(
                DFA::builder().start_kind(StartKind::Unanchored).prefilter(false).build(words).expect(FEW),
            ),
            false => Search::Small(NFA::builder().prefilter(false).build(words).expect(FEW)),
        }
    }
}

struct Numbered {
    always: bool,
    texts: Vec<usize>,
    names: Vec<Vec<usize>>,
    beside: Vec<usize>,
    node_predicate: Option<NodePredicate>,
    sure: Vec<Vec<usize>>,
}

/// The words that a text holds: anywhere, and as words of their own.
struct TextWords {
    anywhere: Vec<bool>,
    alone: Vec<bool>,
}

impl Prefilter {
    /// `amount`: how much text is going to be searched, in bytes.
    pub fn of<'r>(needs: &[RequiredWords<'r>], amount: usize) -> Prefilter {
        let mut words: Vec<&'r str> = Vec::new();
        let mut numbers: FxHashMap<&'r str, usize> = FxHashMap::default();
        let mut number = |word: &'r str| {
            *numbers.entry(word).or_insert_with(|| {
                words.push(word);
                words.len() - 1
            })
        };
        let mut numbered = Vec::new();
        for need in needs {
            let mut parts = |names: &[&'r str]| -> Vec<Vec<usize>> {
                names.iter().map(|name| uses::parts(name).map(&mut number).collect()).collect()
            };
            let (names, sure) = (parts(&need.names), parts(&need.sure));
            numbered.push(Numbered {
                always: need.texts.is_empty(),
                texts: need.texts.iter().map(|text| number(text)).collect(),
                names,
                beside: need.beside.iter().map(|text| number(text)).collect(),
                node_predicate: need.node_predicate,
                sure,
            });
        }
        Prefilter { words: Search::of(&words, amount), needs: numbered }
    }

    /// For each rule whether it looks at a file, among those that `may` read it at all.
    pub fn enabled(
        &self,
        code: &Code<'_>,
        text: &str,
        language: Language,
        may: impl Fn(usize) -> bool,
    ) -> Vec<bool> {
        let mut enabled: Vec<bool> = (0..self.needs.len()).map(may).collect();
        if self.needs.iter().zip(&enabled).all(|(need, enabled)| need.always || !enabled) {
            return enabled;
        }
        let held = self.held(text);
        let in_python = matches!(language, Language::Python | Language::Notebook);
        let mut doubtful: Vec<(usize, NodePredicate)> = Vec::new();
        for (index, (need, enabled)) in self.needs.iter().zip(&mut enabled).enumerate() {
            *enabled = *enabled
                && (need.always
                    || need.texts.iter().any(|&word| held.anywhere[word])
                        && (!in_python || held.all_of(need)));
            if let Some(node_predicate) =
                need.node_predicate.filter(|_| *enabled && in_python && !held.surely(need))
            {
                *enabled = false;
                doubtful.push((index, node_predicate));
            }
        }
        if !doubtful.is_empty() {
            walk(code, &mut |part, _| {
                doubtful.iter().for_each(|(index, node_predicate)| {
                    enabled[*index] = enabled[*index] || node_predicate(part)
                });
            });
        }
        enabled
    }

    fn held(&self, text: &str) -> TextWords {
        match &*self.words {
            Search::Small(words) => TextWords::of(text.as_bytes(), words),
            Search::Fast(words) => TextWords::of(text.as_bytes(), words),
        }
    }
}

impl TextWords {
    fn of(text: &[u8], words: &impl Automaton) -> TextWords {
        let count = words.patterns_len();
        let mut held = TextWords { anywhere: vec![false; count], alone: vec![false; count] };
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii();
        let mut state = words.start_state(Anchored::No).expect("it starts anywhere");
        for (at, byte) in text.iter().enumerate() {
            state = words.next_state(Anchored::No, state, *byte);
            if !words.is_special(state) || !words.is_match(state) {
                continue;
            }
            let ends = text.get(at + 1).is_none_or(|behind| !is_part(*behind));
            for index in 0..words.match_len(state) {
                let word = words.match_pattern(state, index);
                held.anywhere[word] = true;
                let before = (at + 1 - words.pattern_len(word)).checked_sub(1);
                held.alone[word] |= ends && before.is_none_or(|before| !is_part(text[before]));
            }
        }
        held
    }

    /// What a file in Python must hold beside one of the texts.
    fn all_of(&self, need: &Numbered) -> bool {
        let named = |parts: &Vec<usize>| parts.iter().all(|&part| self.alone[part]);
        (need.names.is_empty() || need.names.iter().any(named))
            && (need.beside.is_empty() || need.beside.iter().any(|&word| self.anywhere[word]))
    }

    fn surely(&self, need: &Numbered) -> bool {
        need.sure.iter().any(|parts| parts.iter().all(|&part| self.alone[part]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::StatementKind;
    use crate::languages::{self, Choices};
    use crate::sources::Source;

    #[test]
    fn a_name_needs_all_its_parts() {
        let need =
            RequiredWords { texts: vec!["sync"], names: vec!["torch.cuda.sync"], ..RequiredWords::default() };
        let prefilter = Prefilter::of(&[need], 0);
        let wakes = |text, language| prefilter.enabled(&Code::default(), text, language, |_| true)[0];
        assert!(wakes("from torch import cuda\ncuda.sync()", Language::Python));
        assert!(!wakes("from torch import cuda\ncuda.synchronize()", Language::Python));
        assert!(!wakes("from torch_cuda import cuda\ncuda.sync()", Language::Python));
        assert!(wakes("cuda.synchronize()", Language::Markdown));
        assert!(!prefilter.enabled(&Code::default(), "torch.cuda.sync", Language::Python, |_| false)[0]);
    }

    #[test]
    fn a_glance_at_the_code_wakes_where_words_do_not() {
        let node_predicate: NodePredicate =
            |part| matches!(part, CodeNode::Statement(step) if matches!(step.kind, StatementKind::Break));
        let need = RequiredWords {
            texts: vec!["device"],
            node_predicate: Some(node_predicate),
            sure: vec!["sure"],
            ..RequiredWords::default()
        };
        let prefilter = Prefilter::of(&[need], 0);
        let wakes = |text: &str| {
            let source = Source::new(None, "a.py".to_owned(), Language::Python, text.to_owned());
            let code = languages::lower(&source, Choices::default()).expect("Python");
            prefilter.enabled(&code, text, Language::Python, |_| true)[0]
        };
        assert!(!wakes("device = 1"));
        assert!(wakes("while device: break"));
        assert!(wakes("device = sure"));
    }

    #[test]
    fn what_stands_beside_is_asked_of_python_alone() {
        let need =
            RequiredWords { texts: vec!["bf16"], beside: vec!["sm_", "major"], ..RequiredWords::default() };
        let prefilter = Prefilter::of(&[need, RequiredWords::default()], 0);
        let enabled = |text, language| prefilter.enabled(&Code::default(), text, language, |_| true);
        assert_eq!(enabled("bf16", Language::Python), [false, true]);
        assert_eq!(enabled("bf16 sm_80", Language::Python), [true, true]);
        assert_eq!(enabled("bf16", Language::Shell), [true, true]);
    }
}
