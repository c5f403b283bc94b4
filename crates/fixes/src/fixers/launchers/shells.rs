//! Command lines: `export X=1`, `X=1 command`, `docker run -e X=1`, in scripts and in the texts that hold them.

use super::assignment;
use super::layout::{self, is_blank};
use crate::findings::Edit;
use crate::fixes::Refusal;
use crate::fixes::site::Site;
use crate::sources::Language;
use regex::Regex;
use std::sync::LazyLock;

/// The order before the mask of a command line.
pub fn shell(site: &Site<'_>) -> Result<Edit, Refusal> {
    let before = layout::before(site);
    let start = site.span().start;
    let quote = quote_of(site);
    let assignment = assignment(site);
    let inserted = |at: u32, text: String| site.edit_inside(crate::facts::Span { start: at, end: at }, &text);
    // A quoted word of a command, `"--export=ALL,X=1"`, is one place; a word before it would be the program.
    let written = site.slice(site.span());
    if written.trim_start_matches(['"', '\'']).starts_with("--") {
        let at = written.find("CUDA_VISIBLE_DEVICES");
        let at = at.filter(|_| written.contains("--export="));
        let at = at.ok_or("the variable stands inside of an option")?;
        return inserted(start + at as u32, format!("{assignment},"));
    }
    let declaration = declaration_before(before);
    if let Some(option) = option_before(before).filter(|_| declaration.is_none()) {
        // The option with its quote, once more: `-e "X=1"`.
        let outer = option.chars().next_back().filter(|last| matches!(last, '"' | '\''));
        let close = outer.map(String::from).unwrap_or_default();
        return inserted(start - option.len() as u32, format!("{option}{quote}{assignment}{quote}{close} "));
    }
    // An item of a list may begin its line.
    let opens = site.text()[..start as usize].trim_end().ends_with([',', '[']);
    let is_item = layout::behind(site).trim_start().starts_with([',', ']']) || !is_blank(before);
    if opens && is_item && !quote.is_empty() {
        return inserted(start, format!("{quote}{assignment}{quote}, {}", option_in_list(site)));
    }
    if before.ends_with(',') || before.ends_with("--export=") || before.ends_with("--env=") {
        return inserted(start, format!("{assignment},"));
    }
    if let Some(command) = printing(before) {
        return for_later_steps(site, command);
    }
    if let Some(declaration) = declaration {
        let at = start - declaration.len() as u32;
        let exports = declaration.starts_with("export")
            || declaration.split_whitespace().any(|flag| flag.starts_with('-') && flag.contains('x'));
        if exports
            && has_lines(site)
            && is_blank(layout::line_before(site.text(), at))
            && !layout::is_continued(site.text(), at)
        {
            return inserted(at, above(site, &assignment));
        }
        return inserted(start, format!("{assignment} "));
    }
    let rest = layout::behind(site);
    let is_prefix = rest.starts_with([' ', '\t'])
        && !rest.trim_start().starts_with(['#', ';', '&', '|', '\r', ')'])
        && !rest.trim().is_empty();
    // A command may begin on the next line, and a word of a list is a word of its command.
    if is_prefix || rest.trim_end() == " \\" || before.trim_end().ends_with("env") {
        return inserted(start, format!("{quote}{assignment}{quote} "));
    }
    match has_lines(site) && is_blank(before) && !layout::is_continued(site.text(), start) {
        true => inserted(start, above(site, &assignment)),
        false => Err("there is no line of its own for another variable".to_owned()),
    }
}

/// The quote that the place of the finding begins with.
pub fn quote_of(site: &Site<'_>) -> String {
    let first = site.slice(site.span()).chars().next();
    first.filter(|first| matches!(first, '"' | '\'')).map(String::from).unwrap_or_default()
}

/// `"-e", ` when that stands before an item of a list: what is put in before it takes the old one.
pub fn option_in_list(site: &Site<'_>) -> String {
    static OPTION: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r#"["']?(?:-e|--env|-x)["']?\s*,\s*$"#).ok());
    let before = &site.text()[..site.span().start as usize];
    let found = OPTION.as_ref().and_then(|option| option.find(before));
    found.map(|found| found.as_str().to_owned()).unwrap_or_default()
}

/// `-e ` with what parts it from its value.
fn option_before(before: &str) -> Option<&str> {
    static OPTION: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r#"(?:^|[\s"'(])((?:-e\s*|-x\s+|--env[\s=]\s*)["']?)$"#).ok());
    Some(OPTION.as_ref()?.captures(before)?.get(1)?.as_str())
}

/// `export A=1 `, `declare -x `
fn declaration_before(before: &str) -> Option<&str> {
    static DECLARATION: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r#"(?:^|[\s;&|({"'`])((?:export|declare|typeset)\s+(?:-\w+\s+)*(?:\w+=\S*\s+)*["']?)$"#)
            .ok()
    });
    Some(DECLARATION.as_ref()?.captures(before)?.get(1)?.as_str())
}

/// `echo ` with what stands before the variable on its way to later steps.
fn printing(before: &str) -> Option<&str> {
    let head = before.strip_suffix(['"', '\'']).unwrap_or(before);
    let start = head.trim_end().strip_suffix("echo")?.len();
    Some(&before[start..])
}

/// `echo "X=1" >> "$GITHUB_ENV"`, once more.
fn for_later_steps(site: &Site<'_>, command: &str) -> Result<Edit, Refusal> {
    let at = site.span().start - command.len() as u32;
    // A comment would take what is put before it into itself.
    let line = layout::behind(site);
    let line = line.find(" #").map_or(line, |comment| &line[..comment]);
    let target = line.find(">>").filter(|_| !line.contains(['|', ';', '&']));
    let target = target.ok_or("what is printed does not go to one file on this line")?;
    let quote = quote_of(site);
    let text = format!(
        "{command}{quote}{}{quote}{}{}",
        assignment(site),
        &line[..target],
        line[target..].trim_end()
    );
    match is_blank(layout::line_before(site.text(), at)) {
        true => {
            Ok(site
                .insertion(at, format!("{text}{}{}", site.newline(), layout::line_before(site.text(), at))))
        }
        false => Ok(site.insertion(at, format!("{text} && "))),
    }
}

/// `export X=1` on a line of its own above.
fn above(site: &Site<'_>, assignment: &str) -> String {
    let before = layout::before(site);
    let blanks = &before[..before.len() - before.trim_start().len()];
    format!("export {assignment}{}{blanks}", site.newline())
}

/// Whether the text of the shell has the lines of the file.
fn has_lines(site: &Site<'_>) -> bool {
    match site.source().language {
        Language::Shell | Language::Markdown => true,
        Language::Yaml => is_in_block(site.text(), site.span().start),
        _ => false,
    }
}

/// Whether a byte of a YAML file lies in the lines behind a `|`.
fn is_in_block(text: &str, at: u32) -> bool {
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let before = layout::line_before(text, at);
    let depth = indent(before);
    let lines = text[..at as usize - before.len()].lines().rev();
    let head = lines.filter(|line| !is_blank(line)).find(|line| indent(line) < depth);
    head.is_some_and(|head| {
        let head =
            head.trim_end().trim_end_matches(|one: char| one.is_ascii_digit() || matches!(one, '-' | '+'));
        head.ends_with('|') && [": |", "- |"].iter().any(|sign| head.ends_with(sign))
    })
}
