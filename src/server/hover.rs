//! What an editor shows about a finding under the pointer: the rule's reason, what to do, and where it comes from.

use crate::findings::Finding;
use crate::report::page_of;
use crate::rules::{Rule, RuleSet};
use std::ops::Range;

/// The page of a finding in Markdown. A finding about suppressions may belong to no rule file.
pub fn page(rule: Option<&Rule>, finding: &Finding) -> String {
    let mut page = format!("**gpulint: {}**\n\n{}\n", linked(&finding.rule), sentence(&finding.message));
    if let Some(advice) = &finding.advice {
        page.push_str(&format!("\n**What to do:** {}\n", sentence(advice)));
    }
    if let Some(rule) = rule {
        page.push_str(&format!("\n{}\n", rule.why.trim_end()));
        if !rule.sources.is_empty() {
            let sources: Vec<String> = rule.sources.iter().map(|source| format!("- <{source}>")).collect();
            page.push_str(&format!("\nSources:\n{}\n", sources.join("\n")));
        }
    }
    page
}

/// The id of a rule, with its page where it has one.
fn linked(id: &str) -> String {
    page_of(id).map_or_else(|| id.to_owned(), |page| format!("[{id}]({page})"))
}

/// What there is to say about the word at a byte of a line, and which bytes it takes: an id of a rule in a policy or in a comment of
/// gpulint, and the words that such a comment begins with.
pub fn about_word(line: &str, at: usize, is_policy: bool) -> Option<(String, Range<usize>)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let before = line.get(..at)?;
    let start = before.len() - before.chars().rev().take_while(|c| is_part(*c)).count();
    let end = at + line[at..].chars().take_while(|c| is_part(*c)).count();
    let word = &line[start..end];
    let in_comment = line.find("gpulint:").is_some_and(|mark| mark <= start);
    if in_comment && let Some((_, meaning)) = WORDS.iter().find(|(known, _)| *known == word) {
        return Some((format!("**gpulint: {word}**\n\n{meaning}\n"), start..end));
    }
    let rule = RuleSet::embedded().find(word).filter(|_| in_comment || is_policy)?;
    let mut page = format!("**gpulint: {}**\n\n{}\n", linked(word), sentence(&rule.summary));
    page.push_str(&format!("\n{}\n", rule.why.trim_end()));
    Some((page, start..end))
}

/// What the words of a comment do.
const WORDS: &[(&str, &str)] = &[
    (
        "ignore",
        "The rules in brackets are silent on this line, or on the statement below when the comment stands alone. A comment that \
                silences nothing is reported itself.",
    ),
    (
        "ignore-file",
        "The rules in brackets are silent in the whole file. A comment that silences nothing is reported itself.",
    ),
];

/// A few sentences about a rule in plain text, for clients that cannot open its page.
pub fn in_short(id: &str) -> String {
    match RuleSet::embedded().find(id) {
        Some(rule) => format!("{id}: {}.\n\n{}", rule.summary.trim_end(), rule.why.trim_end()),
        // Rules of a project are known in its folder alone.
        None => format!(
            "no rule of gpulint is called `{id}`; `gpulint rule {id}` in the folder of the project explains its own"
        ),
    }
}

fn sentence(text: &str) -> String {
    let text = text.trim_end();
    let mut letters = text.chars();
    // A sentence may begin with code, whose letters stay as they are.
    let begins_with_word =
        text.split_whitespace().next().is_some_and(|word| word.chars().all(char::is_alphabetic));
    let text = match letters.next() {
        Some(first) if begins_with_word => first.to_uppercase().chain(letters).collect(),
        _ => text.to_owned(),
    };
    if text.ends_with(['.', '?', '!']) { text } else { format!("{text}.") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_begin_and_end() {
        assert_eq!(sentence("the mask is late"), "The mask is late.");
        assert_eq!(sentence("os.environ is rebound"), "os.environ is rebound.");
        assert_eq!(sentence("Did you mean `x`?"), "Did you mean `x`?");
        assert_eq!(sentence(""), ".");
    }

    #[test]
    fn words_of_our_own_are_known_where_they_mean_something() {
        let comment = "x = 1  # gpulint: ignore[missing-device-order] why";
        let at = |line: &str, word: &str, is_policy| {
            let found = about_word(line, line.find(word).unwrap() + 2, is_policy);
            found.map(|(page, range)| (page.lines().next().unwrap().to_owned(), line[range].to_owned()))
        };
        let rule = at(comment, "missing", false).unwrap();
        // With a link once the page of the rule has an address.
        assert_eq!(rule.0, format!("**gpulint: {}**", linked("missing-device-order")));
        assert_eq!(rule.1, "missing-device-order");
        assert_eq!(
            at(comment, "ignore", false),
            Some(("**gpulint: ignore**".to_owned(), "ignore".to_owned()))
        );
        for (line, word, is_policy) in [
            (comment, "why", false),
            ("missing-device-order", "missing", false),
            ("ignore: x", "ignore", true),
        ] {
            assert_eq!(at(line, word, is_policy), None, "{line}");
        }
        assert!(at("  ignore: [missing-device-order]", "missing", true).is_some());
        assert_eq!(about_word("é", 1, true), None);
        assert_eq!(about_word("", 0, true), None);
    }

    #[test]
    fn rules_are_told_in_short() {
        assert!(in_short("missing-device-order").starts_with("missing-device-order: CUDA_VISIBLE_DEVICES"));
        assert!(in_short("of-this-project").contains("gpulint rule of-this-project"));
    }
}
