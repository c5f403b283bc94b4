//! Markdown for the summary of a job or a comment on a pull request: the worst findings first, and as many as fit.

use super::printable::sentence;
use super::{Report, page_of, summary, word};
use crate::findings::{Finding, Related};
use std::io::Write;

/// GitHub takes 1024 KiB for the summary of a step, and shows nothing of a longer one. What is left of it is room for
/// the head, the end, and what other commands of the step write.
pub const MOST_BYTES: usize = 1000 << 10;
/// Of a longer list the rest is counted.
const MOST_LISTED: usize = 20;
/// Nobody reads a longer text in a table.
const MOST_LETTERS: usize = 1000;

/// Returns what did not fit.
pub fn render(report: &Report, out: &mut dyn Write) -> std::io::Result<Option<String>> {
    let findings = report.worst_first();
    let mut rows = String::new();
    let mut written = 0;
    for finding in &findings {
        let row = row_of(finding, report);
        if rows.len() + row.len() > MOST_BYTES {
            break;
        }
        rows.push_str(&row);
        written += 1;
    }
    writeln!(out, "## gpulint: {}\n", summary::found(report))?;
    if !rows.is_empty() {
        writeln!(out, "| severity | place | what is wrong | rule |\n|---|---|---|---|\n{rows}")?;
    }
    let left_out = (written < findings.len()).then(|| {
        let (more, all) = (findings.len() - written, findings.len());
        format!("{more} of {all} findings are left out, none worse than those that are listed: GitHub shows no summary above 1024 KiB")
    });
    if let Some(left_out) = &left_out {
        writeln!(out, "**{left_out}.**\n")?;
    }
    if !report.skipped.is_empty() {
        let count = summary::counted(report.skipped.len(), "file");
        writeln!(out, "<details><summary>{count} could not be checked</summary>\n")?;
        for skipped in report.skipped.iter().take(MOST_LISTED) {
            writeln!(out, "- {}: {}", code(&skipped.path), prose(&skipped.reason))?;
        }
        if let more @ 1.. = report.skipped.len().saturating_sub(MOST_LISTED) {
            writeln!(out, "- and {more} more")?;
        }
        writeln!(out, "\n</details>\n")?;
    }
    if let Some(line) = summary::unfinished_line(report) {
        writeln!(out, "{}\n", prose(&line))?;
    }
    writeln!(out, "{}", prose(&summary::summary_line(report)))?;
    Ok(left_out)
}

fn row_of(finding: &Finding, report: &Report) -> String {
    let place = code(&report.locate(finding.place).label());
    let mut text = prose(&finding.message);
    if let Some(advice) = &finding.advice {
        text.push_str(&format!("<br>help: {}", prose(advice)));
    }
    if let Some(cause) = report.cause_elsewhere(finding) {
        text.push_str(&format!("<br>{}", prose(&report.brought_by(cause))));
    }
    if !finding.related.is_empty() {
        text.push_str(&related_of(&finding.related, report));
    }
    format!("| {} | {place} | {text} | {} |\n", word(finding.severity), rule_link(&finding.rule))
}

/// The id of a rule with the page that explains it.
pub fn rule_link(rule: &str) -> String {
    match page_of(rule) {
        Some(page) => format!("[{}]({page})", code(rule)),
        None => code(rule),
    }
}

fn related_of(related: &[Related], report: &Report) -> String {
    let line = |related: &Related| {
        format!("<br>{}: {}", code(&report.locate(related.place).label()), prose(&related.message))
    };
    let lines: String = related.iter().take(MOST_LISTED).map(line).collect();
    let more = match related.len().saturating_sub(MOST_LISTED) {
        0 => String::new(),
        more => format!("<br>and {more} more"),
    };
    let places = if related.len() == 1 { "place explains" } else { "places explain" };
    format!("<details><summary>{} {places} this</summary>{lines}{more}</details>", related.len())
}

/// One line in which only what stands between backticks is more than plain text.
pub fn prose(text: &str) -> String {
    let text = shortened(&sentence(text));
    let mut parts = text.split('`');
    let mut prose = escaped(parts.next().unwrap_or_default());
    let mut rest: Vec<&str> = parts.collect();
    // A backtick without a partner stands for itself.
    let alone = if rest.len() % 2 == 1 { rest.pop() } else { None };
    for pair in rest.chunks_exact(2) {
        prose.push_str(&format!("{}{}", code(pair[0]), escaped(pair[1])));
    }
    if let Some(text) = alone {
        prose.push_str(&format!("&#96;{}", escaped(text)));
    }
    prose
}

/// In backticks a bar would still end the cell of the table.
pub fn code(text: &str) -> String {
    format!("<code>{}</code>", escaped(&shortened(&sentence(text))))
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MOST_LETTERS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// Text in which nothing is a mark of Markdown or HTML, or a link.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let (before, after) = (&text[..at], &text[at + c.len_utf8()..]);
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '|' => escaped.push_str("&#124;"),
            '`' => escaped.push_str("&#96;"),
            // Whoever has the name behind it would be told about the comment.
            '@' => escaped.push_str("@&#8203;"),
            ',' | ';' | '(' | ')' | '/' | '?' | '"' | '\'' | '%' | '-' | '=' | '+' => escaped.push(c),
            // Addresses become links without any mark.
            '.' if !before.ends_with(['w', 'W']) => escaped.push(c),
            ':' if !after.starts_with('/') => escaped.push(c),
            c if c.is_ascii_punctuation() => escaped.extend(['\\', c]),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use pulldown_cmark::{Event, Options, Parser, Tag};

    /// What a reader sees of a cell with this text: words, code, and whether there is anything else.
    fn seen(markdown: &str) -> (String, bool) {
        let table = format!("| a | b |\n|---|---|\n| {markdown} | end |\n");
        let mut text = String::new();
        let (mut cells, mut else_) = (0, false);
        for event in Parser::new_ext(&table, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::TableCell) => cells += 1,
                Event::Text(part) if cells == 3 => text.push_str(&part),
                Event::InlineHtml(tag) => else_ |= !matches!(&*tag, "<code>" | "</code>"),
                Event::Start(Tag::Link { .. } | Tag::Image { .. } | Tag::Emphasis | Tag::Strong)
                | Event::Html(_)
                | Event::Code(_) => else_ = true,
                _ => {}
            }
        }
        (text, else_ || cells != 4)
    }

    #[test]
    fn text_of_others_is_only_text() {
        for text in [
            "a | b || c",
            "<script>alert(1)</script> <img src=x>",
            "[x](https://example.com) ![y](z) <https://example.com>",
            "*a* _b_ ~~c~~ **d** \\* # e",
            "a ` b",
            "&lt; &amp; $x$ :tada: #12",
        ] {
            assert_eq!(seen(&prose(text)), (text.to_owned(), false), "{}", prose(text));
            assert_eq!(seen(&code(text)), (text.to_owned(), false), "{}", code(text));
        }
        assert_eq!(prose("`a|b` is `c`"), "<code>a&#124;b</code> is <code>c</code>");
        assert_eq!(prose("see `x`, `y"), "see <code>x</code>, &#96;y");
        assert_eq!(prose("www.a.b http://c"), "www\\.a.b http\\://c");
        assert_eq!(seen(&prose("ask @someone")).0, "ask @\u{200b}someone");
    }
}
