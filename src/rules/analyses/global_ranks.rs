//! Numbers that count the processes of all machines, used as the number of a GPU of this one.

use super::mask_numbers::index_in;
use crate::code::walk::{Part, walk};
use crate::code::{Expr, ExprKind};
use crate::findings::Severity;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;
use crate::sources::Language;

/// Indices that are RANK, or what `torch.distributed.get_rank()` returns.
pub(super) fn used_as_indices(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    walk(scope.code, &mut |part, _| {
        let Part::Expr(expr) = part else { return };
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

/// Whether a launcher of the project is told to use several machines.
fn starts_several_machines(scope: &FileScope<'_>) -> bool {
    let launchers = scope.program.sources.files.iter().filter(|file| file.language != Language::Python);
    // `horovodrun -H one:4,two:4`
    let lists_hosts = |text: &str| {
        text.lines().any(|line| {
            let mut words = line.split_whitespace();
            line.contains("horovodrun")
                && words.any(|word| word == "-H")
                && words.next().is_some_and(|hosts| hosts.contains(','))
        })
    };
    let says = |text: &str| {
        text.match_indices("--nnodes").any(|(at, option)| {
            let value = text[at + option.len()..].trim_start_matches(['=', ' ', '"', '\'']);
            !value.starts_with("1 ")
                && !value.starts_with("1\n")
                && value.starts_with(|c: char| c.is_ascii_digit())
        })
    };
    launchers.into_iter().any(|file| says(&file.text) || lists_hosts(&file.text))
}
