//! Statements: PowerShell, batch files, Rust, and Python inside of other files.

use super::layout::{self, is_blank, put_before};
use super::{order_of, respelt};
use crate::findings::Edit;
use crate::fixes::Refusal;
use crate::fixes::site::Site;
use crate::fixes::writes::Write;
use crate::program::ORDER;

/// `$env:X = "1"`, `[Environment]::SetEnvironmentVariable("X", "1")`, `Set-Item Env:X 1`, `@{ X = "1" }`
pub fn powershell(site: &Site<'_>, write: &Write) -> Edit {
    let slice = site.slice(site.span());
    let is_word = slice
        .get(..4)
        .is_some_and(|word| word.eq_ignore_ascii_case("set-") || word.eq_ignore_ascii_case("new-"));
    let element = respelt(site, write, if is_word { "" } else { "\"" });
    put_before(site, site.span().start, &element, "", "; ")
}

/// `set X=1`, `set "X=1"`
pub fn batch(site: &Site<'_>, write: &Write) -> Result<Edit, Refusal> {
    let before = layout::before(site);
    let head = before.strip_suffix('"').unwrap_or(before);
    let lower = head.to_ascii_lowercase();
    let set = lower.trim_end().strip_suffix("set").ok_or("only `set` is followed")?;
    if set.ends_with(|last: char| last.is_ascii_alphanumeric()) || write.value.is_none() {
        return Err("only `set` is followed".to_owned());
    }
    let set = set.strip_suffix('@').unwrap_or(set);
    let start = site.span().start - (before.len() - set.len()) as u32;
    let word = head[set.len()..].trim_end();
    let (text, continued) = (site.text(), layout::is_continued(site.text(), start));
    let line = is_blank(layout::line_before(text, start)) && !continued;
    // Behind the value of a `set` without quotes every blank belongs to it.
    let element = match before.ends_with('"') || !line {
        true => format!("{word} \"{ORDER}={}\"", order_of(site)),
        false => format!("{word} {ORDER}={}", order_of(site)),
    };
    Ok(put_before(site, start, &element, "", " && "))
}

/// `set_var("X", "1")`, `.env("X", "1")`
pub fn rust(site: &Site<'_>, write: &Write) -> Result<Edit, Refusal> {
    let start = site.span().start;
    let text = site.text();
    if write.value.is_none() {
        return Err("the value is not spelt out here".to_owned());
    }
    let element = respelt(site, write, "\"");
    if !site.slice(site.span()).ends_with(')') || site.slice(site.span()).starts_with('"') {
        // `.env(` stands before its arguments.
        let before = text[..start as usize].trim_end();
        let head = before.strip_suffix(".env(").ok_or("only `.env(…)` and `set_var(…)` are followed")?;
        let at = head.len() as u32;
        return Ok(put_before(site, at, &format!(".env({element})"), "", ""));
    }
    let is_statement = text[..start as usize].trim_end().ends_with(['{', ';', '}']);
    match is_statement {
        true => Ok(put_before(site, start, &element, ";", "; ")),
        false => Err("the call is a part of an expression".to_owned()),
    }
}

/// `os.environ["X"] = "1"` in a script that another file holds.
pub fn python(site: &Site<'_>, write: &Write) -> Result<Edit, Refusal> {
    let start = site.span().start;
    let slice = site.slice(site.span());
    let quote = site.text()[..write.name.start as usize].chars().next_back();
    let quote = quote.filter(|quote| matches!(quote, '"' | '\'')).ok_or("the name is not spelt out here")?;
    if write.value.is_none() {
        return Err("the value is not spelt out here".to_owned());
    }
    let element = respelt(site, write, &quote.to_string());
    if slice.starts_with(quote) {
        return Ok(put_before(site, start, &element, ",", ", "));
    }
    let before = layout::before(site).trim_end();
    match is_blank(before) || before.ends_with([';', ':', '"', '\'', '{']) {
        true => Ok(put_before(site, start, &element, "", "; ")),
        false => Err("the statement is a part of an expression".to_owned()),
    }
}
