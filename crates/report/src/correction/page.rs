//! The correction report for people, in Markdown that holds any text.

use super::{Entry, Left, Proof, entries, left, proofs};
use crate::corrections::{Corrections, FixedFinding};
use crate::findings::{Safety, Severity};
use crate::report::markdown::{code, prose, rule_link};
use crate::report::{Report, summary, word};
use crate::sources::Language;
use std::io::Write;

pub fn render(report: &Report, out: &mut dyn Write) -> std::io::Result<()> {
    let (entries, left) = (entries(report), left(report));
    writeln!(out, "# {}\n", title(report))?;
    if let Some(corrections) = report.corrections {
        for remark in remarks(corrections) {
            writeln!(out, "**{remark}**\n")?;
        }
    }
    let is_dry = report.corrections.is_none_or(|corrections| corrections.is_dry);
    let (corrected, mended) = match is_dry {
        true => ("files that would be corrected", "findings that would be mended"),
        false => ("files corrected", "findings mended"),
    };
    writeln!(out, "| what | count |\n|---|---|")?;
    if let Some(corrections) = report.corrections {
        writeln!(out, "| {corrected} | {} |\n| {mended} | {} |", entries.len(), corrections.mended)?;
    }
    let kind = if is_dry { "findings in the files as they are" } else { "findings left for people" };
    writeln!(out, "| {kind} | {} |\n", left.len())?;
    if !entries.is_empty() {
        writeln!(
            out,
            "| file | {} | changes |\n|---|---|---|",
            if is_dry { "would be mended" } else { "mended" }
        )?;
        for entry in &entries {
            writeln!(out, "| {} | {} | {} |", code(entry.path), entry.mended.len(), changes(entry))?;
        }
        writeln!(out)?;
    }
    let numbers = report.corrections.into_iter().flat_map(|corrections| &corrections.files);
    for (entry, file) in entries.iter().zip(numbers) {
        file_section(entry, report.sources.file(file.file).language, proofs(file.file, report), report, out)?;
    }
    left_section(&left, report, out)?;
    writeln!(out, "{}", prose(&summary::summary_line(report)))
}

fn title(report: &Report) -> &'static str {
    match report.corrections {
        None => "What gpulint could correct",
        Some(corrections) if corrections.is_dry => "What gpulint would correct",
        Some(_) => "What gpulint corrected",
    }
}

fn remarks(corrections: &Corrections) -> Vec<&'static str> {
    let mut remarks = Vec::new();
    if corrections.is_dry {
        remarks.push("Nothing was written: the files are as they were.");
    }
    if corrections.is_partial {
        remarks.push("Not every file could be written; those that could not are as they were.");
    }
    if !corrections.is_final {
        remarks.push("The same fixes on the result would change more: run gpulint again.");
    }
    remarks
}

/// How many lines go and come: `+1 −1`.
fn changes(entry: &Entry) -> String {
    let lines = || entry.diff.lines().filter(|line| !line.starts_with("--- ") && !line.starts_with("+++ "));
    let count = |mark: char| lines().filter(|line| line.starts_with(mark)).count();
    format!("+{} −{}", count('+'), count('-'))
}

fn file_section(
    entry: &Entry,
    language: Language,
    proofs: &[Proof],
    report: &Report,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    writeln!(out, "## {}\n", code(entry.path))?;
    writeln!(out, "| line | what was wrong | rule | what mends it |\n|---|---|---|---|")?;
    for mended in entry.mended {
        let (place, message) = (place_of(mended, entry), prose(&mended.message));
        let done = format!("{} ({})", prose(&mended.title), safety_word(mended.safety));
        writeln!(
            out,
            "| {place} | {} {message} | {} | {done} |",
            severity_word(mended.severity),
            rule_link(&mended.rule)
        )?;
    }
    let fence = fence_for(&entry.diff);
    writeln!(out, "\n{fence}diff\n{}{fence}\n", entry.diff)?;
    writeln!(out, "What is known of the result:\n")?;
    let final_sentence = "The same fixes on the result change nothing more.";
    let is_final = report.corrections.is_some_and(|corrections| corrections.is_final);
    let sentences = proofs.iter().map(|proof| sentence_of(*proof, language));
    for sentence in sentences.chain(is_final.then(|| final_sentence.to_owned())) {
        writeln!(out, "- {sentence}")?;
    }
    if !matches!(language, Language::Python | Language::Notebook) {
        let language = language_word(language);
        writeln!(
            out,
            "- Not proven, since it is {language} and not Python: that the lines around mean the same. Read the diff."
        )?;
    }
    writeln!(out)
}

/// The line in the file as it was; with its path where the finding stood in another file.
fn place_of(mended: &FixedFinding, entry: &Entry) -> String {
    let line = match mended.cell {
        Some(cell) => format!("cell {cell}, line {}", mended.line),
        None => mended.line.to_string(),
    };
    if mended.path == entry.path { line } else { format!("{line} of {}", code(&mended.path)) }
}

fn severity_word(severity: Severity) -> String {
    format!("{}:", word(severity))
}

fn safety_word(safety: Safety) -> &'static str {
    match safety {
        Safety::Safe => "safe",
        Safety::Unsafe => "may change what the program does",
    }
}

fn sentence_of(proof: Proof, language: Language) -> String {
    match proof {
        Proof::Parses => "It was parsed again after each change alone and after all changes of a pass: it is Python.".to_owned(),
        Proof::SyntaxKept => "Every word and every part of the syntax tree that no change touches is there, in the same order and inside \
                              of the same parts."
            .to_owned(),
        Proof::CommentsKept => "Every comment is there, unless a change is about the comment alone.".to_owned(),
        Proof::Readable => format!(
            "It was read again as {}: nothing that could be read before cannot be read now.",
            language_word(language)
        ),
        Proof::FindingsGone => "The whole project was checked again with all changes: what is listed above is no longer found, and nothing \
                                new is found here that is as serious as what was mended."
            .to_owned(),
    }
}

/// As people call it.
fn language_word(language: Language) -> &'static str {
    match language {
        Language::Python => "Python",
        Language::Notebook => "a notebook",
        Language::Markdown => "Markdown",
        Language::Rust => "Rust",
        Language::Shell => "a shell script",
        Language::PowerShell => "PowerShell",
        Language::Batch => "a batch file",
        Language::Dotenv => "a list of variables",
        Language::Dockerfile => "a Dockerfile",
        Language::Makefile => "a Makefile",
        Language::Yaml => "YAML",
        Language::Toml => "TOML",
        Language::Json => "JSON",
        Language::Ini => "an INI file",
        Language::Requirements => "a list of packages",
        Language::Launcher => "a list of commands",
        Language::Unread => "a script",
        Language::Cache => "a cache",
    }
}

/// More backticks than stand anywhere in the text.
fn fence_for(text: &str) -> String {
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    "`".repeat(longest.max(2) + 1)
}

fn left_section(left: &[Left], report: &Report, out: &mut dyn Write) -> std::io::Result<()> {
    if left.is_empty() {
        return Ok(());
    }
    let is_dry = report.corrections.is_none_or(|corrections| corrections.is_dry);
    writeln!(
        out,
        "## {}\n",
        if is_dry { "What is found, and what mends it" } else { "What is left for people" }
    )?;
    writeln!(
        out,
        "| severity | place | what is wrong | rule | why it stays, or what mends it |\n|---|---|---|---|---|"
    )?;
    for left in left {
        let place = match left.cell {
            Some(cell) => format!("{}:cell {cell}:{}", left.path, left.line),
            None => format!("{}:{}", left.path, left.line),
        };
        let (severity, place, message) = (word(left.severity), code(&place), prose(left.message));
        writeln!(
            out,
            "| {severity} | {place} | {message} | {} | {} |",
            rule_link(left.rule),
            prose(&left.why)
        )?;
    }
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_are_longer_than_what_they_hold() {
        assert_eq!(fence_for("a"), "```");
        assert_eq!(fence_for("-x = '```` `'"), "`````");
    }
}
