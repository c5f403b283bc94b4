//! `#SBATCH` lines: a script that has some is a job, and they may set variables for it.

use super::super::command_lines::step_of;
use crate::code::{Block, Export, Expr, ExprKind, SetVariable};
use crate::commands::{directives, is_variable_name};
use crate::facts::Span;

/// The variables that the directives set; `None` for a script without directives.
pub(super) fn variables(text: &str) -> Option<Block<'_>> {
    let words = directives(text);
    if words.is_empty() {
        return None;
    }
    let mut steps = Block::new();
    for (at, word) in words {
        if let Some(list) = word.strip_prefix("--export=") {
            exported(list, at + "--export=".len(), &mut steps);
        }
    }
    Some(steps)
}

/// `ALL,X=1,Y=2`
fn exported<'s>(list: &'s str, offset: usize, steps: &mut Block<'s>) {
    let mut start = offset;
    for item in list.split(',') {
        if let Some((name, value)) = item.split_once('=').filter(|(name, _)| is_variable_name(name)) {
            let at = Span::new(start + name.len() + 1, start + item.len());
            let value = Some(Expr { span: at, kind: ExprKind::Text(value.into()) });
            let span = Span::new(start, start + item.len());
            let export = Export::Yes;
            steps.push(step_of(SetVariable { name: name.into(), span, value, export, only_if_unset: false }));
        }
        start += item.len() + 1;
    }
}
