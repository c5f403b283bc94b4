//! Examples of what not to do: blocks that the document itself calls wrong, before they begin or in their first line.

/// Marks that say it in any language.
const MARKS: &[char] = &['❌', '✗', '✘', '🚫', '⛔'];

/// First words of a sentence or a heading that say it.
const WORDS: &[&str] = &[
    "wrong",
    "incorrect",
    "bad",
    "broken",
    "anti-pattern",
    "antipattern",
    "faux",
    "incorrecto",
    "mauvais",
    "falsch",
    "mal",
];

/// These say it only when little follows: "Don't avoid the cache" is advice.
const SHORT_WORDS: &[&str] = &["don't", "don’t", "never", "before", "avant", "antes", "vorher", "not"];

/// The most words of a line that begins with one of the short ones.
const SHORT: usize = 3;

/// Whether what stands before a block says that the block is wrong.
pub(super) fn announced(said: &str) -> bool {
    let said =
        said.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_' | '#' | '>' | '-'));
    if said.starts_with(MARKS) {
        return true;
    }
    let word = said.split(|c: char| c.is_whitespace() || matches!(c, ':' | ',' | '.' | '(' | '*')).next();
    let word = word.unwrap_or_default().to_lowercase();
    WORDS.contains(&word.as_str())
        || (SHORT_WORDS.contains(&word.as_str()) && said.split_whitespace().count() <= SHORT)
}

/// Whether the first line of a block is a comment that says so.
pub(super) fn in_first_line(block: &str) -> bool {
    let first = block.trim_start().lines().next().unwrap_or_default();
    first.strip_prefix('#').is_some_and(announced)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_called_wrong_is() {
        for said in
            ["Wrong:", "❌ No order", "**Bad**, found on line 3:", "Don't do this:", "Before:", "AVANT"]
        {
            assert!(announced(said), "{said}");
        }
        for said in [
            "",
            "Before importing torch, set the mask:",
            "Never mind the order of the cards:",
            "Badge",
            "✅ Right",
        ] {
            assert!(!announced(said), "{said}");
        }
        assert!(in_first_line("# ❌ too late\nimport torch\n"));
        assert!(!in_first_line("import torch\n# wrong\n"));
    }
}
