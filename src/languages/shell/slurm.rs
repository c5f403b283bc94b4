//! `#SBATCH` lines: a script that has some is a job, and they may set variables for it.

use super::super::command_lines::step_of;
use crate::code::{Block, Export, Expr, ExprKind, SetVariable};
use crate::commands::is_variable_name;
use crate::facts::Span;

/// The variables that the directives set; `None` for a script without directives.
pub(super) fn directives(text: &str) -> Option<Block<'_>> {
    let mut steps = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if let Some(options) = line.strip_prefix("#SBATCH") {
            let steps = steps.get_or_insert_with(Block::new);
            if let Some(at) = options.find("--export=") {
                let offset = start + "#SBATCH".len() + at + "--export=".len();
                let list = options[at + "--export=".len()..].split_whitespace().next().unwrap_or_default();
                exported(list, offset, steps);
            }
        }
        start += line.len();
    }
    steps
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
