//! Numbers that count the processes of all machines, used as the number of a GPU of this one.

use super::device_indices::index_in;
use super::given_arguments::any_given_to;
use super::returned_parts::returned_part;
use crate::code::walk::{Ancestor, CodeNode, walk, within_function};
use crate::code::{Expr, ExprKind, Statement, StatementKind, Target};
use crate::commands::{Machines, directives, machines, nodes};
use crate::facts::Span;
use crate::findings::Severity;
use crate::program::RunCommand;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// So many other uses of one number are shown.
const SHOWN: usize = 3;

/// Indices that are RANK, or what `torch.distributed.get_rank()` returns.
pub(super) fn used_as_indices(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    walk(scope.code, &mut |part, around| {
        let CodeNode::Expr(expr) = part else {
            found.extend(device_returned(scope, part, around));
            found.extend(device_assigned(scope, part));
            found.extend(device_named(scope, part));
            return;
        };
        found.extend(device_mapped(scope, expr));
        found.extend(device_listed(scope, expr));
        found.extend(device_given(scope, expr));
        let index = index_in(scope, expr);
        let Some(index) = index.filter(|index| is_global(scope, index, 0)) else { return };
        found.push((expr.span, scope.text(index.span)));
    });
    if found.is_empty() {
        return Vec::new();
    }
    let several = starts_several_machines(scope);
    found.sort_by_key(|(span, _)| *span);
    found.dedup_by_key(|(span, _)| *span);
    // A name stands for one number, which is wrong once, however often it is used.
    let mut by_index: Vec<(&str, Vec<Span>)> = Vec::new();
    for (span, index) in found {
        // Calls are corrected one by one.
        let is_name = !index.contains('(');
        match by_index.iter_mut().find(|(known, _)| is_name && *known == index) {
            Some((_, places)) => places.push(span),
            None => by_index.push((index, vec![span])),
        }
    }
    let raw_finding = |(index, places): (&str, Vec<Span>)| {
        let raw_finding =
            RawFinding::at(scope.place(places[0])).word("text", scope.text(places[0])).word("index", index);
        let raw_finding = places[1..].iter().take(SHOWN).fold(raw_finding, |raw_finding, place| {
            raw_finding.beside(scope.place(*place), "it is used here too")
        });
        if several { raw_finding.at_least(Severity::Warning) } else { raw_finding }
    };
    by_index.into_iter().map(raw_finding).collect()
}

/// `n` of `f"{device}:{n}"`, where the kind of device is written elsewhere.
fn index_behind_device<'c>(scope: &FileScope<'_>, expr: &'c Expr<'c>) -> Option<&'c Expr<'c>> {
    let ExprKind::Join(parts) = &expr.kind else { return None };
    let [kind, Expr { kind: ExprKind::Text(colon), .. }, index] = &parts[..] else { return None };
    let name = match kind.kind {
        ExprKind::Name(name) | ExprKind::Attribute(_, name) => name.to_ascii_lowercase(),
        _ => return None,
    };
    let is_kind = ["device", "device_type", "device_name"].iter().any(|end| name.ends_with(end));
    let is_text = matches!(&scope.names.meant(kind).kind, ExprKind::Text(text) if text != "cuda");
    (colon == ":" && is_kind && !is_text).then_some(index)
}

/// `model.to(f"{device}:{rank}")`: a text that is used as a device. Elsewhere it may be a label.
fn device_given<'s>(scope: &FileScope<'s>, expr: &Expr<'_>) -> Option<(Span, &'s str)> {
    let ExprKind::Call(call) = &expr.kind else { return None };
    let takes_device = match scope.names.path(&call.callee) {
        Some("torch.device" | "torch.cuda.set_device" | "torch.cuda.device") => true,
        _ => matches!(call.callee.kind, ExprKind::Attribute(_, "to")),
    };
    let first = argument(&call.arguments, Some(0), None).filter(|_| takes_device);
    let by_name = || {
        let names = ["device", "map_location"];
        names.iter().find_map(|name| argument(&call.arguments, None, Some(name)))
    };
    let device = scope.names.meant(first.or_else(by_name)?);
    let index = index_behind_device(scope, device).filter(|index| is_global(scope, index, 0))?;
    Some((device.span, scope.text(index.span)))
}

/// `self.device = f"{kind}:{rank}"`
fn device_named<'s>(scope: &FileScope<'s>, part: CodeNode<'_, '_>) -> Option<(Span, &'s str)> {
    let CodeNode::Statement(step) = part else { return None };
    let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return None };
    let is_device = |target: &Target<'_>| match target {
        Target::Name(name, _) | Target::Attribute(_, name) => name.ends_with("device"),
        _ => false,
    };
    let index = index_behind_device(scope, value).filter(|_| targets.iter().any(is_device))?;
    is_global(scope, index, 0).then(|| (value.span, scope.text(index.span)))
}

/// `def current_device(): return Accelerator().process_index`
fn device_returned<'s>(
    scope: &FileScope<'s>,
    part: CodeNode<'_, '_>,
    around: &[Ancestor<'_, '_>],
) -> Option<(Span, &'s str)> {
    let CodeNode::Statement(Statement { kind: StatementKind::Return(Some(value)), .. }) = part else {
        return None;
    };
    let (Some(number), _) = within_function(around) else { return None };
    let is_device = scope.code.functions[number].name.contains("device");
    let index = index_behind_device(scope, value).unwrap_or(value);
    (is_device && is_global(scope, index, 0)).then(|| (value.span, scope.text(index.span)))
}

/// `from_pretrained("m", device_map={"": rank})`
fn device_mapped<'s>(scope: &FileScope<'s>, expr: &Expr<'_>) -> Option<(Span, &'s str)> {
    let ExprKind::Call(call) = &expr.kind else { return None };
    let map = scope.names.meant(argument(&call.arguments, None, Some("device_map"))?);
    let ExprKind::Mapping(entries) = &map.kind else { return None };
    let (_, index) = entries.iter().find(|(_, index)| is_global(scope, index, 0))?;
    Some((index.span, scope.text(index.span)))
}

/// `tf.config.set_visible_devices(gpus[hvd.rank()], "GPU")`, and `tf.GPUOptions(visible_device_list=str(hvd.rank()))`.
fn device_listed<'s>(scope: &FileScope<'s>, expr: &Expr<'_>) -> Option<(Span, &'s str)> {
    let ExprKind::Call(call) = &expr.kind else { return None };
    let index = match scope.names.path(&call.callee)? {
        "tensorflow.config.set_visible_devices" | "tensorflow.config.experimental.set_visible_devices" => {
            let given = scope.names.may_mean(argument(&call.arguments, Some(0), Some("devices"))?);
            let picked = given.into_iter().filter_map(|given| {
                let one = match &given.kind {
                    ExprKind::Sequence(listed) if listed.len() == 1 => scope.names.meant(&listed[0]),
                    _ => given,
                };
                match &one.kind {
                    ExprKind::Item(pair) => Some(&pair.1),
                    _ => None,
                }
            });
            // One of several branches is enough.
            let mut picked = picked.filter(|index| is_global(scope, index, 0));
            return picked.next().map(|index| (expr.span, scope.text(index.span)));
        }
        "tensorflow.GPUOptions" | "tensorflow.compat.v1.GPUOptions" => {
            let listed = argument(&call.arguments, None, Some("visible_device_list"))?;
            number_in(scope, listed)
        }
        _ => return None,
    };
    is_global(scope, index, 0).then(|| (expr.span, scope.text(index.span)))
}

/// `config.gpu_options.visible_device_list = str(hvd.rank())`
fn device_assigned<'s>(scope: &FileScope<'s>, part: CodeNode<'_, '_>) -> Option<(Span, &'s str)> {
    let CodeNode::Statement(step) = part else { return None };
    let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return None };
    let [Target::Attribute(_, "visible_device_list")] = &targets[..] else { return None };
    let index = number_in(scope, value);
    is_global(scope, index, 0).then(|| (value.span, scope.text(index.span)))
}

/// `n` of `str(n)`.
fn number_in<'e>(scope: &FileScope<'_>, expr: &'e Expr<'e>) -> &'e Expr<'e> {
    match &expr.kind {
        ExprKind::Call(call) if scope.names.path(&call.callee) == Some("builtins.str") => {
            call.arguments.first().map_or(expr, |one| &one.value)
        }
        _ => expr,
    }
}

/// Attributes that count all processes; `local_process_index` of accelerate counts those of the machine.
const COUNTED: &[&str] = &[
    "accelerate.Accelerator().process_index",
    "accelerate.Accelerator().state.process_index",
    "accelerate.PartialState().process_index",
    "accelerate.state.PartialState().process_index",
    "mpi4py.MPI.COMM_WORLD.rank",
];

/// Conversions and names that stand for names: further ones are not followed.
const MOST_HOPS: usize = 4;

/// Whether an index counts the processes of all machines; also where it is a number without them, `rank = 0` above
/// `if is_initialized(): rank = get_rank()`.
fn is_global(scope: &FileScope<'_>, index: &Expr<'_>, hops: usize) -> bool {
    // `args.rank = int(args.rank)` has no end.
    if hops > MOST_HOPS {
        return false;
    }
    let may_be = scope.names.may_mean(index);
    let is_number = |one: &Expr<'_>| matches!(one.kind, ExprKind::Int(_) | ExprKind::Negate(_));
    let (numbers, others): (Vec<&Expr<'_>>, Vec<&Expr<'_>>) =
        may_be.into_iter().partition(|one| is_number(one));
    match others.as_slice() {
        [only] if !numbers.is_empty() => is_global_itself(scope, only, hops),
        [Expr { kind: ExprKind::Attribute(..), .. }] if numbers.is_empty() => {
            is_global_itself(scope, index, hops)
                || kept_in_attribute(scope, index).is_some_and(|value| is_global_itself(scope, value, hops))
        }
        _ => is_global_itself(scope, index, hops),
    }
}

/// What the file assigns to the attribute of an object, where that happens once: `settings.rank = comm.Get_rank()`.
fn kept_in_attribute<'c>(scope: &FileScope<'c>, index: &Expr<'_>) -> Option<&'c Expr<'c>> {
    let written = scope.text(index.span);
    let mut values: Vec<&Expr<'_>> = Vec::new();
    walk(scope.code, &mut |part, _| {
        let CodeNode::Statement(Statement {
            kind: StatementKind::Assign { targets, value: Some(value), .. },
            ..
        }) = part
        else {
            return;
        };
        let is_it = |target: &Target<'_>| match target {
            Target::Attribute(object, name) => {
                written.strip_suffix(name).and_then(|rest| rest.strip_suffix('.'))
                    == Some(scope.text(object.span))
            }
            _ => false,
        };
        if targets.iter().any(is_it) {
            values.push(value);
        }
    });
    match values[..] {
        [only] => Some(only),
        _ => None,
    }
}

fn is_global_itself(scope: &FileScope<'_>, index: &Expr<'_>, hops: usize) -> bool {
    let meant = returned_part(scope, index).unwrap_or(scope.names.meant(index));
    match &meant.kind {
        ExprKind::Call(call) => match scope.names.path(&call.callee) {
            // Of a group it may be one of this machine.
            Some("torch.distributed.get_rank") => call.arguments.is_empty(),
            Some("horovod.torch.rank" | "horovod.tensorflow.rank" | "horovod.tensorflow.keras.rank") => true,
            Some("mpi4py.MPI.COMM_WORLD.Get_rank" | "torchcomms.new_comm().get_rank") => true,
            Some("builtins.int") => {
                call.arguments.first().is_some_and(|argument| is_global(scope, &argument.value, hops + 1))
            }
            Some("os.environ.get" | "os.getenv") => {
                argument(&call.arguments, Some(0), None).is_some_and(|name| is_rank(name))
            }
            _ => false,
        },
        ExprKind::Item(item) => scope.names.path(&item.0) == Some("os.environ") && is_rank(&item.1),
        ExprKind::Attribute(_, "global_rank") | ExprKind::Name("global_rank") => true,
        ExprKind::Attribute(..) => scope.names.path(meant).is_some_and(|path| COUNTED.contains(&path)),
        ExprKind::Name(name) => {
            (name.contains("rank") || of_horovod(scope)) && is_given_one(scope, meant, hops)
        }
        _ => false,
    }
}

/// Whether a process of the project asks Horovod for its number, and may hand it on under any name.
fn of_horovod(scope: &FileScope<'_>) -> bool {
    scope.program.has_any(&["hvd.rank()"])
}

/// Whether a call gives the number of all machines to the parameter that a name stands for: `Reader(hvd.rank())`.
fn is_given_one(scope: &FileScope<'_>, name: &Expr<'_>, hops: usize) -> bool {
    any_given_to(scope, name, &|caller, given| {
        // What the caller is given itself is not followed further.
        let meant = caller.names.meant(given);
        !matches!(meant.kind, ExprKind::Name(_)) && is_global_itself(caller, meant, hops + 1)
    })
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

/// Whether the script in which a command stands asks Slurm for several machines.
fn job_is_on_several(scope: &FileScope<'_>, command: &RunCommand) -> bool {
    let script = &scope.program.sources.file(command.site.file).text;
    let words: Vec<Option<&str>> = directives(script).into_iter().map(|(_, word)| Some(word)).collect();
    matches!(nodes(&words), Some(Machines::Known(count)) if count > 1)
}

fn is_on_several(scope: &FileScope<'_>, command: &RunCommand) -> bool {
    match machines(&command.words()) {
        Some(Machines::Known(count)) => count > 1,
        // `--nnodes=$SLURM_NNODES`: what the job asks for.
        Some(Machines::Unknown) => job_is_on_several(scope, command),
        // `mpiexec -n 16` starts them on all machines of the job.
        None => {
            ["mpiexec", "mpirun", "srun"].iter().any(|name| command.options_of(name).is_some())
                && job_is_on_several(scope, command)
        }
    }
}
