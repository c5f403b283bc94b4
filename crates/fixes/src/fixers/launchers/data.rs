//! Trees of data: YAML, JSON and TOML, with maps of variables, lists of them, and commands in texts.

use super::layout::{self, is_blank, put_before};
use super::order_of;
use super::{assignment, respelt, scripts, shells};
use crate::facts::Span;
use crate::findings::Edit;
use crate::fixes::Refusal;
use crate::fixes::site::Site;
use crate::fixes::writes::Write;
use crate::program::ORDER;

/// What stands between the name and its value.
fn between<'a>(site: &Site<'a>, write: &Write) -> &'a str {
    let end = write.value.map_or(site.span().end, |value| value.start);
    &site.text()[write.name.end as usize..end.max(write.name.end) as usize]
}

/// `X: 1`, `- X=1`, `- name: X` with its value, and commands.
pub fn yaml(site: &Site<'_>, write: &Write) -> Result<Edit, Refusal> {
    let between = between(site, write).trim_start_matches(['"', '\'']);
    let before = layout::before(site);
    let start = site.span().start;
    if site.slice(site.span()).starts_with(['$', '[']) && !between.trim_start().starts_with(':') {
        return Ok(scripts::powershell(site, write));
    }
    if before.trim_end_matches(['"', ' ']).to_ascii_lowercase().ends_with("set") {
        return scripts::batch(site, write);
    }
    if between.trim_start().starts_with(':') {
        let quoted = |part: Span| {
            site.text()[..part.start as usize].chars().next_back().filter(|mark| matches!(mark, '"' | '\''))
        };
        let key = quoted(write.name).map_or(String::new(), |quote| quote.to_string());
        let value = write.value.map(|value| site.slice(value)).and_then(|value| value.chars().next());
        let value = value
            .filter(|first| matches!(first, '"' | '\''))
            .map_or(String::new(), |quote| quote.to_string());
        let element = format!("{key}{ORDER}{key}: {value}{}{value}", order_of(site));
        return match before.trim_end().chars().next_back() {
            Some('{' | ',') => Ok(site.insertion(start, format!("{element}, "))),
            // `- X: 1`: the map goes on below its first key.
            None | Some('-') if is_blank(&before.replace('-', " ")) => {
                let blanks = before.replace('-', " ");
                Ok(site.insertion(start, format!("{element}{}{blanks}", site.newline())))
            }
            _ => Err("there is no line of its own for another variable".to_owned()),
        };
    }
    if write.value.is_some() && between.contains("value") {
        return named_entry(site, write);
    }
    if is_item(site, between) { list_item(site) } else { shells::shell(site) }
}

/// Whether `X=1` is an item of a list, and not a part of a command.
fn is_item(site: &Site<'_>, between: &str) -> bool {
    let before = layout::before(site).trim_end();
    let behind = layout::behind(site).trim();
    let ends = behind.is_empty() || behind.starts_with([',', ']', '#']);
    let opens = before.trim_start() == "-" || before.ends_with(['[', ',']);
    between.starts_with('=') && ends && opens
}

/// `- X=1`, `[X=1]`; behind `-e` with one of its own.
fn list_item(site: &Site<'_>) -> Result<Edit, Refusal> {
    let before = layout::before(site);
    let start = site.span().start;
    let quote = shells::quote_of(site);
    let element = format!("{quote}{}{quote}", assignment(site));
    if !is_blank(&before.replace('-', " ")) {
        return Ok(site.insertion(start, format!("{element}, {}", shells::option_in_list(site))));
    }
    let newline = site.newline();
    let above = layout::line_above(site.text(), start).trim();
    let option = above
        .strip_prefix('-')
        .map(str::trim)
        .filter(|item| matches!(item.trim_matches(['"', '\'']), "-e" | "--env" | "-x"));
    let option = option.map(|option| format!("{before}{option}{newline}")).unwrap_or_default();
    Ok(site.insertion(start, format!("{element}{newline}{option}{before}")))
}

/// `- name: X` and `value: 1` below it, or both in braces.
fn named_entry(site: &Site<'_>, write: &Write) -> Result<Edit, Refusal> {
    let unclear = || "the variable shares its entry with something else".to_owned();
    let before = layout::before(site);
    let head = before.trim_end_matches(['"', '\'']).trim_end();
    let head = head.strip_suffix(':').ok_or_else(unclear)?.trim_end();
    let key = ["name", "key"].into_iter().find(|key| head.ends_with(key)).ok_or_else(unclear)?;
    let opening = head[..head.len() - key.len()].trim_end_matches(['"', '\'']).trim_end();
    if !opening.ends_with(['-', '{']) {
        return Err(unclear());
    }
    let start = site.span().start - (before.len() - opening.len() + 1) as u32;
    let value = write.value.ok_or_else(unclear)?;
    let from = |start: u32| &site.text()[start as usize..site.span().start as usize];
    let entry = format!("{}{}", from(start), respelt(site, write, ""));
    let at = |text: String| Ok(site.insertion(start, text));
    if is_blank(opening.strip_suffix('-').unwrap_or("x")) {
        let blanks = &opening[..opening.len() - 1];
        return at(format!("{entry}{}{blanks}", site.newline()));
    }
    let closes = site.text()[value.end as usize..].trim_start_matches([' ', '"', '\'']).starts_with('}');
    match opening.ends_with('{') && closes {
        true => at(format!("{entry}}}, ")),
        false => Err(unclear()),
    }
}

/// `"X": "1"`, `{"name": "X", "value": "1"}`, lists and commands.
pub fn json(site: &Site<'_>, write: &Write) -> Result<Edit, Refusal> {
    let slice = site.slice(site.span());
    let between = between(site, write).trim_start_matches('"');
    if slice.starts_with('{') || between.trim_start().starts_with(':') {
        let element = respelt(site, write, "\"");
        return Ok(put_before(site, site.span().start, &element, ",", ", "));
    }
    shells::shell(site)
}

/// `X = "1"`, `{X = "1"}`, lists and commands.
pub fn toml(site: &Site<'_>, write: &Write) -> Result<Edit, Refusal> {
    let slice = site.slice(site.span());
    let is_quoted_key = slice.starts_with(['"', '\'']) && between(site, write).starts_with(['"', '\'']);
    let is_text = site.text()[..site.span().start as usize].ends_with(['"', '\'']);
    if (slice.starts_with(['"', '\'']) && !is_quoted_key) || is_text {
        return shells::shell(site);
    }
    let before = layout::before(site);
    let element = match write.value.filter(|value| site.slice(*value).starts_with('{')) {
        None => respelt(site, write, "\""),
        Some(_) => format!("{ORDER} = \"{}\"", order_of(site)),
    };
    match before.trim_end().ends_with(['{', ',']) {
        true => Ok(site.insertion(site.span().start, format!("{element}, "))),
        false if is_blank(before) => Ok(put_before(site, site.span().start, &element, "", "")),
        false => shells::shell(site),
    }
}
