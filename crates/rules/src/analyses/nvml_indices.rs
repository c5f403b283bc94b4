//! Indices of NVML and of CUDA, taken for each other: NVML counts the cards of the machine in the order of their slots and
//! knows no mask, CUDA counts what the mask leaves, the fastest first.

use super::given_arguments::given_to;
use super::parsed_masks::mask_in;
use super::written_variables::writes_mask_alone;
use crate::code::walk::{CodeNode, functions_around, walk};
use crate::code::{Call, Expr, ExprKind, StatementKind, Target};
use crate::facts::Span;
use crate::findings::Severity;
use crate::program::{MASK, ORDER};
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;
use crate::sources::Language;

/// Calls of torch that take an index first.
const TAKERS: &[&str] = &[
    "get_device_name",
    "get_device_properties",
    "max_memory_allocated",
    "mem_get_info",
    "memory_allocated",
    "memory_reserved",
    "set_device",
    "synchronize",
];

/// What is used as an index in one function, or in the module.
type Used<'a> = Vec<(Option<usize>, &'a str, Span)>;

/// Indices that cross from one to the other, in a file that sets a mask and no order.
pub(super) fn that_cross(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let (mut by_nvml, mut by_cuda): (Used<'_>, Used<'_>) = (Vec::new(), Vec::new());
    let mut counted: Vec<(Option<usize>, &str)> = Vec::new();
    let (mut found, mut of_mask): (Vec<Span>, Vec<Span>) = (Vec::new(), Vec::new());
    walk(scope.code, &mut |part, around| {
        let home = functions_around(around).next_back();
        match part {
            CodeNode::Statement(step) => {
                if let StatementKind::For { target: Target::Name(name, _), iterable, .. } = &step.kind
                    && scope.text(iterable.span).contains("cuda.device_count()")
                {
                    counted.push((home, name));
                }
            }
            CodeNode::Expr(expr) => match &expr.kind {
                ExprKind::Call(call) => {
                    let taken = nvml_index(scope, call);
                    if let Some(index) = taken {
                        match scope.names.meant(index).kind {
                            _ if is_mask_number(scope, index) => of_mask.push(expr.span),
                            _ if scope
                                .names
                                .may_mean(index)
                                .into_iter()
                                .any(|one| is_cuda_index(scope, one)) =>
                            {
                                found.push(expr.span)
                            }
                            ExprKind::Name(name) => by_nvml.push((home, name, expr.span)),
                            _ => {}
                        }
                    }
                    if let Some(ExprKind::Name(name)) = cuda_index(scope, call).map(|index| &index.kind) {
                        by_cuda.push((home, name, expr.span));
                    }
                }
                // `f"cuda:{index}"`
                ExprKind::Join(parts) => {
                    if let [Expr { kind: ExprKind::Text(kind), .. }, Expr { kind: ExprKind::Name(name), .. }] =
                        &parts[..]
                        && kind == "cuda:"
                    {
                        by_cuda.push((home, name, expr.span));
                    }
                }
                _ => {}
            },
            CodeNode::Target(_) => {}
        }
    });
    let filled = super::filled_masks::by_nvml(scope);
    if !writes_mask_alone(scope) && !is_started_with_mask(scope) {
        by_nvml.clear();
        // Whatever the order is: NVML does not know the mask.
        if !found.is_empty() && !is_renumbered(scope) {
            found.clear();
        }
    }
    found.extend(filled);
    for (home, name, span) in &by_nvml {
        let crosses = |(other, known, _): &&(Option<usize>, &str, Span)| (other, known) == (home, name);
        // The later of the two takes what the other has given.
        match by_cuda.iter().find(crosses) {
            Some((_, _, cuda)) => found.push(if cuda.start > span.start { *cuda } else { *span }),
            None if counted.contains(&(*home, *name)) => found.push(*span),
            None => {}
        }
    }
    found.sort();
    found.dedup();
    let raw_finding = |span: Span| RawFinding::at(scope.place(span)).unsure();
    let found: Vec<RawFinding> = found.into_iter().map(raw_finding).collect();
    // Cards of one kind count alike in both.
    let chosen = super::filled_masks::chosen_indices(scope);
    // Below a mask that gives cards other numbers the order does not help.
    let is_lost = !chosen.is_empty() && is_renumbered(scope);
    of_mask.extend(chosen.iter().copied());
    of_mask.sort();
    of_mask.dedup();
    let of_mask = of_mask.into_iter().filter(|span| !is_order_set(scope) || is_lost && chosen.contains(span));
    found.into_iter().chain(of_mask.map(|span| raw_finding(span).at_most(Severity::Note))).collect()
}

/// `int(os.environ["CUDA_VISIBLE_DEVICES"].split(",")[0])`
fn is_mask_number(scope: &FileScope<'_>, index: &Expr<'_>) -> bool {
    let ExprKind::Call(call) = &scope.names.meant(index).kind else { return false };
    let number = argument(&call.arguments, Some(0), None);
    scope.names.path(&call.callee) == Some("builtins.int")
        && number.is_some_and(|number| mask_in(scope, number) == Some(MASK))
}

/// Whether any file of the project speaks of the order, beside documents.
fn is_order_set(scope: &FileScope<'_>) -> bool {
    let files = scope.program.files_with(ORDER);
    files.iter().any(|file| scope.program.sources.file(*file).language != Language::Markdown)
}

/// Whether a command of the project starts this program with a mask, and nothing speaks of the order.
fn is_started_with_mask(scope: &FileScope<'_>) -> bool {
    let mut commands = scope.program.run_commands().flatten();
    commands.any(|command| command.starts == Some(scope.file) && command.has_mask_alone)
        && !is_order_set(scope)
}

/// Whether a command of the project starts this program, or one that imports it, with a mask that gives cards other numbers.
fn is_renumbered(scope: &FileScope<'_>) -> bool {
    let mut leading = vec![scope.file];
    let mut at = 0;
    while let Some(file) = leading.get(at).copied() {
        let importers = scope.program.importers(file);
        let fresh: Vec<_> =
            importers.iter().map(|one| one.file).filter(|file| !leading.contains(file)).collect();
        leading.extend(fresh);
        at += 1;
    }
    let mut commands = scope.program.run_commands().flatten();
    commands
        .any(|command| command.is_renumbered && command.starts.is_some_and(|file| leading.contains(&file)))
}

/// The index that a call hands to NVML or to `nvidia-smi`.
fn nvml_index<'c>(scope: &FileScope<'_>, call: &'c Call<'c>) -> Option<&'c Expr<'c>> {
    let path = scope.names.path(&call.callee)?;
    let takes = path.ends_with(".nvmlDeviceGetHandleByIndex") || path == "nvitop.Device";
    if takes { argument(&call.arguments, Some(0), Some("index")) } else { None }
}

/// The index that a call hands to CUDA.
fn cuda_index<'c>(scope: &FileScope<'_>, call: &'c Call<'c>) -> Option<&'c Expr<'c>> {
    let path = scope.names.path(&call.callee)?;
    let takes = path.strip_prefix("torch.cuda.").is_some_and(|name| TAKERS.contains(&name))
        || path == "torch.cuda.device";
    match path {
        "torch.device" => argument(&call.arguments, Some(1), Some("index")),
        _ if takes => argument(&call.arguments, Some(0), Some("device")),
        _ => None,
    }
}

/// `torch.cuda.current_device()`, `tensor.device.index`, `device.index or 0`, and a parameter that calls of the file give one.
fn is_cuda_index(scope: &FileScope<'_>, index: &Expr<'_>) -> bool {
    let meant = scope.names.meant(index);
    match &meant.kind {
        ExprKind::Any(values) => values.first().is_some_and(|first| is_cuda_index(scope, first)),
        // What a call gives that is a parameter in turn is left aside: a function may call itself.
        ExprKind::Name(_) => {
            given_to(scope, meant).into_iter().any(|given| is_plain_cuda_index(scope, given))
        }
        _ => is_plain_cuda_index(scope, meant),
    }
}

/// The same, without parameters.
fn is_plain_cuda_index(scope: &FileScope<'_>, index: &Expr<'_>) -> bool {
    match &scope.names.meant(index).kind {
        ExprKind::Call(call) => scope.names.path(&call.callee) == Some("torch.cuda.current_device"),
        ExprKind::Attribute(object, "index") => {
            let is_device = |one: &Expr<'_>| scope.names.path(one) == Some("torch.device()");
            scope.text(object.span).ends_with("device")
                || scope.names.may_mean(object).into_iter().any(is_device)
        }
        ExprKind::Any(values) => values.first().is_some_and(|first| is_plain_cuda_index(scope, first)),
        _ => false,
    }
}
