//! Crontabs: variables for all lines below, and a command on each other line, behind the times at which it is started.

use super::super::command_lines::Literal;
use super::super::embedded::Origin;
use super::{Block, Code, Source, Span, add, commands, lines, variable};
use crate::commands::is_variable_name;

pub fn lower<'s>(source: &'s Source, code: &mut Code<'s>) {
    // Those of the system name the user who runs the command.
    let of_system = source.name.contains("cron.d/") || source.name.ends_with("etc/crontab");
    let mut set: Vec<(&str, usize, &str, usize)> = Vec::new();
    for (line, at) in lines(&source.text) {
        let trimmed = line.trim_start();
        let start = at + line.len() - trimmed.len();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        if let Some((name, value)) = trimmed.split_once('=')
            && is_variable_name(name.trim())
        {
            set.push((name.trim(), start, value, start + name.len() + 1));
            continue;
        }
        let times = if trimmed.starts_with('@') { 1 } else { 5 };
        let Some(skipped) = behind_words(trimmed, times + usize::from(of_system)) else { continue };
        let text = &trimmed[skipped..];
        let mut body: Block<'s> = set
            .iter()
            .filter_map(|&(name, at, value, value_at)| variable(name, at, value, value_at))
            .collect();
        let started = commands(&Literal { text, origin: Origin::from(start + skipped) }, source, code);
        if !started.is_empty() {
            body.extend(started);
            add(Span::new(start, at + line.len()), "line of a crontab".to_owned(), body, code);
        }
    }
}

/// Where the words behind the first so many begin.
fn behind_words(text: &str, count: usize) -> Option<usize> {
    let mut at = 0;
    for _ in 0..count {
        at += text[at..].find(char::is_whitespace)?;
        at += text[at..].find(|letter: char| !letter.is_whitespace())?;
    }
    Some(at)
}
