//! Which names a text may hold, by the words in it. To read a text for all that it may name takes long, and most texts
//! name nothing.

use crate::architectures::{Product, architectures, features, products, series};
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Kinds of names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kinds(u8);

impl Kinds {
    pub const ARCHITECTURE: Kinds = Kinds(1);
    pub const PRODUCT: Kinds = Kinds(2);
    pub const SERIES: Kinds = Kinds(4);
    pub const FEATURE: Kinds = Kinds(8);
    /// Written as documents write it, so that a passage is worth reading.
    pub const IN_PROSE: Kinds = Kinds(16);
    /// Words that make a number a compute capability.
    pub const CAPABILITY: Kinds = Kinds(32);
    /// Architectures, products and features.
    pub const HARDWARE: Kinds = Kinds(1 | 2 | 4 | 8);

    /// The kinds of the names that a text may hold: it holds none of any other.
    pub fn of(text: &str) -> Kinds {
        /// So much text, in bytes, is searched before the faster search is worth making.
        const MUCH: usize = 1_000_000;
        static SEARCHED: AtomicUsize = AtomicUsize::new(0);
        let searched = SEARCHED.fetch_add(text.len(), Ordering::Relaxed);
        let (words, kinds) = &*WORDS;
        let words = if searched > MUCH { &*FASTER } else { words };
        let found = words.find_overlapping_iter(text);
        found.fold(Kinds::default(), |all, word| all.and(kinds[word.pattern().as_usize()]))
    }

    pub fn and(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    /// Whether one of these kinds is among them.
    pub fn have(self, some: Kinds) -> bool {
        self.0 & some.0 != 0
    }
}

/// One word of each name, and the kinds of names that have it.
static WORDS: LazyLock<(AhoCorasick, Vec<Kinds>)> = LazyLock::new(|| {
    let words = words();
    let search = search_for(&words, AhoCorasickKind::ContiguousNFA);
    (search, words.into_iter().map(|(_, kinds)| kinds).collect())
});

/// The same search as a table of all its states, which takes longer to make.
static FASTER: LazyLock<AhoCorasick> = LazyLock::new(|| search_for(&words(), AhoCorasickKind::DFA));

fn search_for(words: &[(&str, Kinds)], kind: AhoCorasickKind) -> AhoCorasick {
    let mut builder = AhoCorasick::builder();
    let builder = builder.ascii_case_insensitive(true).kind(Some(kind));
    builder.build(words.iter().map(|(word, _)| word)).expect("the words of tables")
}

fn words() -> Vec<(&'static str, Kinds)> {
    let capability = ["capab", "capac", "compute", "cc", "sm_", "sm-"];
    let targets = ["sm0", "sm1", "sm2", "sm3", "sm4", "sm5", "sm6", "sm7", "sm8", "sm9"];
    let apart = ["sm 0", "sm 1", "sm 2", "sm 3", "sm 4", "sm 5", "sm 6", "sm 7", "sm 8", "sm 9"];
    let of_capability = capability.into_iter().chain(targets).chain(apart);
    let mut words: Vec<_> = of_capability.map(|word| (word, Kinds::CAPABILITY)).collect();
    let architectures = architectures().iter().flat_map(|one| &one.words);
    words.extend(architectures.map(|word| (in_ascii(word), Kinds::ARCHITECTURE)));
    words.extend(features().iter().flat_map(|one| &one.words).map(|word| (in_ascii(word), Kinds::FEATURE)));
    words.extend(products().iter().map(|one| (needed_of(one), Kinds::PRODUCT)));
    words.extend(series().iter().map(|one| (first_of(one), Kinds::SERIES)));
    // Features may be written with other signs between their letters and numbers.
    let others = [
        "tf-32",
        "tf 32",
        "tensorfloat",
        "fp-8",
        "fp 8",
        "fp4",
        "bf-16",
        "bf 16",
        "float 8",
        "flash",
        "mantis",
        "20xx",
        "30xx",
        "40xx",
        "50xx",
    ];
    let tables = self::architectures_and_features().chain(others);
    let in_prose = tables.chain(products().iter().chain(series()).map(first_of));
    words.extend(in_prose.map(|word| (word, Kinds::IN_PROSE)));
    words
}

fn architectures_and_features() -> impl Iterator<Item = &'static str> {
    let architectures = architectures().iter().flat_map(|one| &one.words);
    architectures.chain(features().iter().flat_map(|one| &one.words)).map(String::as_str)
}

/// What is the same in either case of a word: the search knows the two cases of letters of ASCII only.
fn in_ascii(word: &'static str) -> &'static str {
    word.split(|one: char| !one.is_ascii()).max_by_key(|part| part.len()).unwrap_or(word)
}

fn first_of(product: &'static Product) -> &'static str {
    product.name.split(' ').next().unwrap_or(&product.name)
}

/// The longest word of a name that is never left out: of `Tesla K80` that is `K80`.
fn needed_of(product: &'static Product) -> &'static str {
    let words = match product.name.split_once(' ') {
        Some(("Tesla" | "RTX", rest)) => rest,
        _ => &product.name,
    };
    words.split(' ').max_by_key(|word| word.len()).unwrap_or(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_known_by_a_word_of_it() {
        for product in products() {
            assert!(Kinds::of(&product.name).have(Kinds::PRODUCT), "{}", product.name);
        }
        for word in architectures().iter().flat_map(|one| &one.words) {
            assert!(Kinds::of(&word.to_uppercase()).have(Kinds::ARCHITECTURE), "{word}");
        }
        assert!(Kinds::of("an rtx_3090 or an A6000").have(Kinds::PRODUCT));
        assert!(Kinds::of("GTX 10xx").have(Kinds::SERIES));
        assert_eq!(Kinds::of("nothing of all that"), Kinds::default());
    }
}
