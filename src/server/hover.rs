//! What an editor shows about a finding under the pointer: the rule's reason, what to do, and where it comes from.

use crate::findings::Finding;
use crate::rules::{Rule, RuleSet};

/// The page of a finding in Markdown. A finding about suppressions may belong to no rule file.
pub fn page(rule: Option<&Rule>, finding: &Finding, href: &str) -> String {
    let mut page = format!("**gpulint: [{}]({href})**\n\n{}\n", finding.rule, sentence(&finding.message));
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

/// Whether the reference of rules has the rule; a rule of the project's own it has not.
pub fn is_on_the_page(id: &str) -> bool {
    RuleSet::embedded().find(id).is_some()
}

/// A few sentences about a rule in plain text, for clients that cannot open its page.
pub fn in_short(id: &str) -> String {
    match RuleSet::embedded().find(id) {
        Some(rule) => format!("{id}: {}.\n\n{}", rule.summary.trim_end(), rule.why.trim_end()),
        None => format!("`gpulint rule {id}` in the folder of the project explains this rule"),
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
    fn rules_are_told_in_short() {
        assert!(in_short("missing-device-order").starts_with("missing-device-order: CUDA_VISIBLE_DEVICES"));
        assert!(in_short("of-this-project").contains("gpulint rule of-this-project"));
    }
}
