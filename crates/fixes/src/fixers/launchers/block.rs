//! Lines that set all variables that are missing where a program is started: above a command of a script, or above an
//! instruction of a Dockerfile.

use super::layout;
use super::lines::is_keyword;
use super::order_of;
use crate::code::StatementKind;
use crate::code::walk::{CodeNode, walk};
use crate::facts::Span;
use crate::findings::{Confidence, Finding, Status};
use crate::fixes::Refusal;
use crate::fixes::site::{Draft, Site, line_behind};
use crate::fixes::writes::words;
use crate::program::{ALLOCATOR, MASK, ORDER};
use crate::sources::Language;

/// One block for all variables that are missing at this place.
pub fn block(site: &Site<'_>) -> Result<Draft, Refusal> {
    let language = site.source().language;
    if !matches!(language, Language::Shell | Language::PowerShell | Language::Batch | Language::Dockerfile) {
        return Err("lines are added to Python, shells, batch files and Dockerfiles only".to_owned());
    }
    let set = missing(site)?;
    // What some ways to this place set is not set anew on all of them.
    let is_set = |name: &str| words(site.text()).any(|(_, word)| word == name);
    if let Some((name, _)) =
        set.iter().find(|(name, _)| site.finding.confidence < Confidence::High && is_set(name))
    {
        return Err(format!("the file sets {name} on some ways to this place"));
    }
    let at = place(site, language)?;
    let start = at - layout::line_before(site.text(), at).len() as u32;
    let line = &site.text()[start as usize..];
    let blanks = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
    let mut lines = String::new();
    for (name, value) in set {
        let line = line_of(language, name, &value)?;
        lines.push_str(&format!("{blanks}{line}{}", site.newline()));
    }
    Ok(vec![site.insertion(start, lines)].into())
}

/// As it is said of Python.
const NO_POLICY: &str = "no policy says which GPU is right; `gpulint init` writes one";

/// The variables that findings at this place miss, with their values, in the order in which they are set.
fn missing(site: &Site<'_>) -> Result<Vec<(&'static str, String)>, Refusal> {
    let gpu = site.policy.gpu.as_ref();
    let mask = gpu.and_then(|gpu| gpu.accepted_masks().first());
    let is_here =
        |finding: &&Finding| finding.place == site.finding.place && finding.status != Status::Suppressed;
    let mut misses: Vec<&str> =
        site.findings.iter().filter(is_here).map(|finding| finding.rule.as_str()).collect();
    misses.push(&site.finding.rule);
    let is_missing = |rule: &str| misses.contains(&rule);
    let mut set = Vec::new();
    if is_missing("missing-device-order") {
        set.push((ORDER, order_of(site).to_owned()));
    }
    if is_missing("missing-visible-devices") {
        set.push((MASK, mask.ok_or(NO_POLICY)?.clone()));
    }
    if let Some(settings) =
        gpu.and_then(|gpu| gpu.alloc_conf.as_ref()).filter(|_| is_missing("missing-alloc-conf"))
    {
        if words(site.text()).any(|(_, word)| ALLOCATOR.contains(&word)) {
            return Err("the file has other settings for the allocator".to_owned());
        }
        set.push((ALLOCATOR[0], settings.clone()));
    }
    match set.is_empty() {
        true => Err("the file does not say what is missing".to_owned()),
        false => Ok(set),
    }
}

/// The byte before whose line the block stands.
fn place(site: &Site<'_>, language: Language) -> Result<u32, Refusal> {
    let text = site.text();
    let mut at = command_around(site).map_or(site.span().start, |command| command.start);
    let line = |at: u32| {
        let start = at - layout::line_before(text, at).len() as u32;
        (start, text[start as usize..].lines().next().unwrap_or_default())
    };
    if language == Language::Dockerfile && is_keyword(line(at).1, "FROM") {
        at = line_behind(text, at);
        return match text[..at as usize].ends_with('\n') {
            true => Ok(at),
            false => Err("nothing follows this line".to_owned()),
        };
    }
    let continues = |at: u32| match language {
        Language::PowerShell => layout::line_above(text, at).ends_with(['`', '|']),
        Language::Batch => layout::line_above(text, at).ends_with('^'),
        _ => layout::is_continued(text, at) || is_comment_between(text, at, language),
    };
    let (mut start, _) = line(at);
    while start > 0 && continues(start) {
        start = line(start - 1).0;
    }
    if text[start as usize..].starts_with("#!") {
        return Err("the first line belongs to the system".to_owned());
    }
    Ok(start)
}

/// Whether a comment stands above a byte in the middle of an instruction of a Dockerfile.
fn is_comment_between(text: &str, at: u32, language: Language) -> bool {
    let is_comment = |line: &&str| line.trim_start().starts_with('#');
    let above = text[..at as usize].lines().rev().map(str::trim_end);
    let mut above = above.filter(|line| !line.is_empty()).peekable();
    language == Language::Dockerfile
        && above.peek().is_some_and(is_comment)
        && above.find(|line| !is_comment(line)).is_some_and(|line| line.ends_with(['\\', '`']))
}

/// The command that a place in a script of another language belongs to: `python -c "import torch"`.
fn command_around(site: &Site<'_>) -> Option<Span> {
    let code = site.code();
    let place = site.span();
    let holds = |span: Span| span.start <= place.start && place.end <= span.end;
    let snippet = code.snippets.iter().position(|snippet| holds(snippet.span))?;
    let mut found = None;
    walk(code, &mut |part, _| {
        if let CodeNode::Statement(step) = part
            && matches!(&step.kind, StatementKind::Command(command) if command.snippet == Some(snippet))
        {
            found = Some(step.span);
        }
    });
    found
}

/// The line that sets a variable.
fn line_of(language: Language, name: &str, value: &str) -> Result<String, Refusal> {
    if value.contains(['"', '\'', '$', '%', '`', '\\', '!', '\n']) {
        return Err(format!("`{value}` has signs that a shell reads"));
    }
    let is_word = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b",:._-/".contains(&byte));
    let quoted = if is_word { value.to_owned() } else { format!("\"{value}\"") };
    Ok(match language {
        Language::PowerShell => format!("$env:{name} = \"{value}\""),
        Language::Batch => format!("set \"{name}={value}\""),
        Language::Dockerfile => format!("ENV {name}={quoted}"),
        _ => format!("export {name}={quoted}"),
    })
}
