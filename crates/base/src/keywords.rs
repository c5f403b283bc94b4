//! Looks for any of a few fixed words at once.

use aho_corasick::{AhoCorasick, MatchKind, packed};

/// A few words that are looked for together. Where several begin at one place, the first of the list counts.
#[derive(Debug)]
pub enum Keywords {
    /// By instructions that look at many bytes at once.
    Packed(packed::Searcher),
    /// Where a processor, or a browser, has no such instructions.
    Automaton(AhoCorasick),
}

impl Keywords {
    /// # Panics
    /// Without words, and with more of them than any source lists.
    pub fn new(words: &[&str]) -> Keywords {
        match packed::Searcher::new(words) {
            Some(searcher) => Keywords::Packed(searcher),
            None => Keywords::automaton(words),
        }
    }

    fn automaton(words: &[&str]) -> Keywords {
        let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(words);
        Keywords::Automaton(automaton.expect("a few words"))
    }

    /// Whether one of them stands in a text.
    pub fn are_in(&self, text: &str) -> bool {
        match self {
            Keywords::Packed(searcher) => searcher.find(text).is_some(),
            Keywords::Automaton(automaton) => automaton.is_match(text),
        }
    }

    /// Where each stands in a text, from its start to its end.
    pub fn places(&self, text: &str) -> Vec<(usize, usize)> {
        match self {
            Keywords::Packed(searcher) => {
                searcher.find_iter(text).map(|found| (found.start(), found.end())).collect()
            }
            Keywords::Automaton(automaton) => {
                automaton.find_iter(text).map(|found| (found.start(), found.end())).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Keywords;

    #[test]
    fn both_ways_find_the_same() {
        let words = ["gpu(", "gpu", "device", "environ["];
        let both = [Keywords::new(&words), Keywords::automaton(&words)];
        let long = format!("{}gpu(0) or a device: os.environ[\"gpu\"]", "nothing here ".repeat(20));
        for text in ["", "g", "gpu", "a gpu(1)", long.as_str()] {
            let [one, other] = both.each_ref().map(|words| (words.are_in(text), words.places(text)));
            assert_eq!(one, other, "{text}");
        }
        assert_eq!(both[1].places("gpu(").len(), 1);
        assert_eq!(both[1].places(&long).len(), 4);
    }
}
