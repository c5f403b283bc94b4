//! Files that each of several processes writes under one name.

use super::common_paths::all_come_to;
use super::ranks::is_launched_in_several;
use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::code::{Expr, ExprKind, Statement, StatementKind, Target};
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// Words of a path, or of what it is made of, that may differ from process to process.
const OWN: &[&str] =
    &["rank", "gpu", "device", "worker", "proc", "pid", "uuid", "tmp", "temp", "time", "host", "node", "id"];

/// `torch.save(model.state_dict(), "last.pth")`, where a launcher starts the program several times.
pub(super) fn by_every_rank(scope: &FileScope<'_>) -> Vec<RawFinding> {
    if !is_launched_in_several(scope) || !scope.whole_text().contains("init_process_group") {
        return Vec::new();
    }
    let mut saved: Vec<&Expr<'_>> = Vec::new();
    let mut given: Vec<(&str, &Expr<'_>)> = Vec::new();
    let mut found = Vec::new();
    walk(scope.code, &mut |part, around| match part {
        CodeNode::Statement(Statement {
            kind: StatementKind::Assign { targets, value: Some(value), .. },
            ..
        }) => {
            for target in targets {
                if let Target::Name(name, _) | Target::Attribute(_, name) = target {
                    given.push((name, value));
                }
            }
        }
        CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) => {
            if scope.names.path(&call.callee) != Some("torch.save") {
                return;
            }
            let Some(path) = argument(&call.arguments, Some(1), Some("f")) else { return };
            let may_fail = around.iter().any(|one| matches!(one, Ancestor::Handler(..)));
            if !may_fail && all_come_to(scope, scope.file, expr.span, around) {
                saved.push(path);
                found.push((expr.span, path.span));
            }
        }
        _ => {}
    });
    let differs = |path: &Expr<'_>| {
        let text = scope.text(path.span).to_ascii_lowercase();
        let names = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        let words = |text: &str| {
            let text = text.to_ascii_lowercase();
            let mut parts = text.split(|letter: char| !letter.is_alphabetic());
            parts.any(|part| OWN.contains(&part))
        };
        words(&text)
            || names.filter(|name| !name.is_empty()).any(|name| {
                let of_it = |known: &&str| known.to_ascii_lowercase() == name;
                given.iter().any(|(known, value)| of_it(known) && words(scope.text(value.span)))
            })
    };
    let is_shared: Vec<bool> = saved.iter().map(|path| !differs(path)).collect();
    let kept = found.into_iter().zip(is_shared).filter(|(_, is_shared)| *is_shared).map(|(one, _)| one);
    kept.map(|(span, path)| RawFinding::at(scope.place(span)).word("path", scope.text(path))).collect()
}
