//! Keeps text of other people's files from being taken for a command by the service that runs the job.
//!
//! The runner of GitHub looks for commands in each line that a step prints: `::name …::` where the line begins with it, blanks
//! aside, and `##[name …]` anywhere in a line (`src/Runner.Common/ActionCommand.cs` of <https://github.com/actions/runner>).
//! The agent of Azure does so with `##vso[`. Formats that do not speak to them say the same in other characters.

use super::Format;
use std::borrow::Cow;

/// In which form text stands in a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// For people: a character that looks alike.
    Plain,
    /// Inside of strings of JSON.
    Json,
    /// XML and HTML, and Markdown, which knows their entities.
    Markup,
}

impl Form {
    /// `None` for a format that is made of such commands, and escapes what it puts into them.
    pub fn of(format: Format) -> Option<Form> {
        match format {
            Format::Github | Format::Azure => None,
            Format::Text | Format::Concise | Format::Compact => Some(Form::Plain),
            Format::Json
            | Format::Jsonl
            | Format::Sarif
            | Format::Gitlab
            | Format::Rdjson
            | Format::CorrectionJson => Some(Form::Json),
            Format::Junit | Format::Checkstyle | Format::Html | Format::Markdown | Format::Correction => {
                Some(Form::Markup)
            }
        }
    }

    fn colon(self) -> &'static str {
        match self {
            // The ratio sign.
            Form::Plain => "\u{2236}",
            Form::Json => "\\u003a",
            Form::Markup => "&#58;",
        }
    }

    fn sign(self) -> &'static str {
        match self {
            // The full-width number sign.
            Form::Plain => "\u{ff03}",
            Form::Json => "\\u0023",
            Form::Markup => "&#35;",
        }
    }
}

/// The text without what would be a command.
pub fn harmless(text: &str, form: Form) -> Cow<'_, str> {
    if !text.contains("##") && !text.contains("::") {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for line in text.split_inclusive(['\n', '\r']) {
        let begin = line.len() - line.trim_start().len();
        let (blanks, mut rest) = line.split_at(begin);
        safe.push_str(blanks);
        // No name of a command begins with a third one, as the arrows in excerpts do.
        if let Some(behind) = rest.strip_prefix("::").filter(|behind| !behind.starts_with(':')) {
            safe.push_str(form.colon());
            safe.push(':');
            rest = behind;
        }
        while let Some(at) = rest.find("##") {
            let behind = &rest[at + 2..];
            safe.push_str(&rest[..=at]);
            let is_command = behind.starts_with('[') || behind.starts_with("vso[");
            match is_command {
                true => safe.push_str(form.sign()),
                // The second may be the first of the next pair.
                false => {
                    rest = &rest[at + 1..];
                    continue;
                }
            }
            rest = behind;
        }
        safe.push_str(rest);
    }
    Cow::Owned(safe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_become_other_characters_and_the_rest_stays() {
        let plain = |text| harmless(text, Form::Plain).into_owned();
        assert_eq!(plain("a\n  ::set-output name=x::y\r::b::"), "a\n  ∶:set-output name=x::y\r∶:b::");
        assert_eq!(plain("x ##[add-mask]y ###[z ##vso[w ## a"), "x #＃[add-mask]y ##＃[z #＃vso[w ## a");
        assert_eq!(plain(" ::: a.py:1:2\n:::b::"), " ::: a.py:1:2\n:::b::");
        assert!(matches!(harmless("a::b # [x]", Form::Plain), Cow::Owned(same) if same == "a::b # [x]"));
        assert!(matches!(harmless("nothing", Form::Json), Cow::Borrowed(_)));
        let json = harmless("{\"a\": \"##[b] ::c\"}", Form::Json).into_owned();
        let read: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!((json.contains("##["), &read["a"]), (false, &"##[b] ::c".into()));
        assert_eq!(harmless("\n::a##[b", Form::Markup), "\n&#58;:a#&#35;[b");
    }
}
