//! Variables that a program is told to set for what it starts: `gunicorn --env X=1`, `conda env config vars set X=1`.

use super::{Word, assignment};
use crate::code::{ExprKind, SetVariable};
use crate::commands::{is_variable_name, program_name};

/// Takes them out of the words of a command.
pub(super) fn take<'s>(words: &mut Vec<Word<'s>>) -> Vec<SetVariable<'s>> {
    let text = |word: &Word<'s>| match &word.expr.kind {
        ExprKind::Text(text) => text.to_string(),
        _ => String::new(),
    };
    let told: Vec<String> = words.iter().take(8).map(text).collect();
    let is_program =
        |names: &[&str]| told.iter().take(3).position(|word| names.contains(&program_name(word)));
    let mut taken = Vec::new();
    if let Some(start) = is_program(&["gunicorn"]) {
        let mut at = start + 1;
        while at + 1 < words.len() {
            let is_option = matches!(&*text(&words[at]), "--env" | "-e");
            if is_option && is_assignment(&words[at + 1]) {
                words.remove(at);
                taken.extend(assignment(words.remove(at).expr));
            } else {
                at += 1;
            }
        }
    }
    if let Some(start) = is_program(&["conda", "mamba", "micromamba"])
        && told[start + 1..].starts_with(&["env", "config", "vars", "set"].map(str::to_owned))
    {
        let mut at = start + 5;
        while at < words.len() {
            match is_assignment(&words[at]) {
                true => taken.extend(assignment(words.remove(at).expr)),
                false => at += 1,
            }
        }
    }
    taken
}

fn is_assignment(word: &Word<'_>) -> bool {
    let starts = |text: &str| text.split_once('=').is_some_and(|(name, _)| is_variable_name(name));
    match &word.expr.kind {
        ExprKind::Text(text) => starts(text),
        ExprKind::Join(parts) => {
            matches!(parts.first().map(|part| &part.kind), Some(ExprKind::Text(text)) if starts(text))
        }
        _ => false,
    }
}
