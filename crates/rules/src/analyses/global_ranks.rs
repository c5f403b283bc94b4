//! Numbers that count the processes of all machines, used as the number of a GPU of this one.

use super::mask_numbers::index_in;
use crate::code::walk::{CodeNode, walk};
use crate::code::{Expr, ExprKind};
use crate::commands::{Machines, directives, machines, nodes};
use crate::findings::Severity;
use crate::program::RunCommand;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// Indices that are RANK, or what `torch.distributed.get_rank()` returns.
pub(super) fn used_as_indices(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    walk(scope.code, &mut |part, _| {
        let CodeNode::Expr(expr) = part else { return };
        let Some(index) = index_in(scope, expr).filter(|index| is_global(scope, index)) else { return };
        found.push((expr.span, scope.text(index.span)));
    });
    if found.is_empty() {
        return Vec::new();
    }
    let several = starts_several_machines(scope);
    found.dedup_by_key(|(span, _)| *span);
    let raw_finding = |(span, index): (_, &str)| {
        let raw_finding =
            RawFinding::at(scope.place(span)).word("text", scope.text(span)).word("index", index);
        if several { raw_finding.at_least(Severity::Warning) } else { raw_finding }
    };
    found.into_iter().map(raw_finding).collect()
}

fn is_global(scope: &FileScope<'_>, index: &Expr<'_>) -> bool {
    let meant = scope.names.meant(index);
    match &meant.kind {
        ExprKind::Call(call) => match scope.names.path(&call.callee) {
            // Of a group it may be one of this machine.
            Some("torch.distributed.get_rank") => call.arguments.is_empty(),
            Some("horovod.torch.rank" | "horovod.tensorflow.rank" | "horovod.tensorflow.keras.rank") => true,
            Some("builtins.int") => {
                call.arguments.first().is_some_and(|argument| is_global(scope, &argument.value))
            }
            Some("os.environ.get" | "os.getenv") => {
                argument(&call.arguments, Some(0), None).is_some_and(|name| is_rank(name))
            }
            _ => false,
        },
        ExprKind::Item(item) => scope.names.path(&item.0) == Some("os.environ") && is_rank(&item.1),
        _ => false,
    }
}

fn is_rank(name: &Expr<'_>) -> bool {
    matches!(&name.kind, ExprKind::Text(name) if name == "RANK")
}

/// Whether a command of the project starts this file, or what it is a part of, on several machines.
fn starts_several_machines(scope: &FileScope<'_>) -> bool {
    let is_library = scope.is_library();
    let mut commands = scope.program.run_commands().flatten();
    commands.any(|command| {
        let own = command.starts == Some(scope.file) || is_library && command.starts.is_some();
        own && is_on_several(scope, command)
    })
}

fn is_on_several(scope: &FileScope<'_>, command: &RunCommand) -> bool {
    match machines(&command.words()) {
        Some(Machines::Known(count)) => count > 1,
        // `--nnodes=$SLURM_NNODES`: what the job asks for.
        Some(Machines::Unknown) => {
            let script = &scope.program.sources.file(command.site.file).text;
            let words: Vec<Option<&str>> =
                directives(script).into_iter().map(|(_, word)| Some(word)).collect();
            matches!(nodes(&words), Some(Machines::Known(count)) if count > 1)
        }
        None => false,
    }
}
