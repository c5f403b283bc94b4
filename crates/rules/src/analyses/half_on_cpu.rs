//! Models in float16 on a device that is the CPU where there is no GPU.

use super::memory::method_of;
use crate::code::walk::{Ancestor, CodeNode, functions_around, walk};
use crate::code::{Call, Expr, ExprKind, StatementKind, Target};
use crate::facts::Span;
use crate::findings::Severity;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::gpu_questions::surely_needs_gpu;
use crate::rules::uses::argument;
use crate::versions::Range;

/// A name that was moved to a device which is chosen, in a function or outside of all.
struct Moved<'c> {
    name: &'c str,
    function: Option<usize>,
    place: Span,
}

/// `model.to(device)` and `model.half()`, where the device is the CPU without a GPU and nothing asks.
pub(super) fn of_chosen_device(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let file = scope.program.name_of(scope.file);
    let old = Range::read("<2.2").and_then(|old| scope.program.versions().satisfies(file, "torch", &old));
    let mut found = Vec::new();
    if old == Some(false) || scope.program.is_of_tests(scope.file) {
        return found;
    }
    let mut moved: Vec<Moved<'_>> = Vec::new();
    let mut halved: Vec<(&str, Option<usize>, Span)> = Vec::new();
    let mut loaded: Vec<(Option<usize>, Span, [Span; 2])> = Vec::new();
    walk(scope.code, &mut |part, around| {
        let function = functions_around(around).next_back();
        match part {
            CodeNode::Statement(step) => {
                let (name, value) = match &step.kind {
                    StatementKind::Assign { targets, value: Some(value), .. } => match &targets[..] {
                        [Target::Name(name, _)] => (Some(*name), value),
                        [Target::Attribute(object, name)]
                            if matches!(object.kind, ExprKind::Name("self")) =>
                        {
                            (Some(*name), value)
                        }
                        _ => return,
                    },
                    StatementKind::Evaluate(value) => (None, value),
                    _ => return,
                };
                let (begin, chain) = chain_of(value);
                let is_moved = chain.iter().any(|(name, call, _)| moves_to_choice(scope, name, call));
                let object = match &begin.kind {
                    _ if chain.is_empty() => None,
                    ExprKind::Name(object) => Some(*object),
                    ExprKind::Attribute(owner, object) if matches!(owner.kind, ExprKind::Name("self")) => {
                        Some(*object)
                    }
                    _ => None,
                };
                if let Some(name) = name.or(object).filter(|_| is_moved) {
                    moved.push(Moved { name, function, place: value.span });
                }
                let is_half = chain.iter().any(|(name, call, _)| makes_half(scope, name, call))
                    || !is_moved
                        && chain.iter().any(|(name, call, _)| loads_half(scope, name, call).is_some());
                // `model = AutoModel.from_pretrained(…)` names the model, `model.half()` begins with it.
                if is_half && !is_asked(scope, around) {
                    halved.extend(name.or(object).map(|name| (name, function, value.span)));
                }
            }
            CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(_), .. }) => {
                let (_, chain) = chain_of(expr);
                let load =
                    chain.iter().find_map(|(name, call, span)| Some((loads_half(scope, name, call)?, *span)));
                let is_moved =
                    chain.first().is_some_and(|(name, call, _)| moves_to_choice(scope, name, call));
                if let Some((format, load)) = load.filter(|_| is_moved && !is_asked(scope, around)) {
                    loaded.push((function, format, [load, expr.span]));
                }
            }
            CodeNode::Expr(_) | CodeNode::Target(_) => {}
        }
    });
    let mut report = |function: Option<usize>, span: Span, told: Span, beside: Span| {
        if surely_needs_gpu(scope, function) {
            return;
        }
        let raw_finding = RawFinding::at(scope.place(span)).word("text", scope.text(told));
        let raw_finding = match beside.holds(span) {
            true => raw_finding,
            false => raw_finding.beside(scope.place(beside), "it goes to the device that is chosen here"),
        };
        found.push(if old.is_none() { raw_finding.at_most(Severity::Note) } else { raw_finding });
    };
    for (name, function, span) in halved {
        let same = moved.iter().find(|one| one.name == name && one.function == function);
        if let Some(same) = same {
            report(function, span, span, same.place);
        }
    }
    for (function, format, [load, whole]) in loaded {
        report(function, format, load, whole);
    }
    found
}

/// What a chain of methods begins with, and its methods, the last one first, each with the code until its end: `net`, and `to` and
/// `half` of `net.half().to(device)`.
fn chain_of<'c, 's>(expr: &'c Expr<'s>) -> (&'c Expr<'s>, Vec<(&'c str, &'c Call<'s>, Span)>) {
    let mut chain = Vec::new();
    let mut begin = expr;
    while let Some((object, name, call)) = method_of(begin) {
        chain.push((name, call, begin.span));
        begin = object;
    }
    (begin, chain)
}

/// `.to(device)`, where the device is the CPU or a GPU by what there is.
fn moves_to_choice(scope: &FileScope<'_>, name: &str, call: &Call<'_>) -> bool {
    let device = argument(&call.arguments, Some(0), Some("device")).filter(|_| name == "to");
    let Some(device) = device else { return false };
    let meant = scope.names.meant(device);
    let text = scope.text(meant.span);
    let chooses = text.contains("is_available") && text.contains("cpu") && text.contains("cuda");
    // `if torch.cuda.is_available(): device = "cuda"` and an `else`
    let by_branches = || {
        let all = scope.whole_text();
        let is_set = |to: &str| {
            all.lines()
                .filter_map(|line| line.trim_start().strip_prefix(text))
                .any(|rest| ['"', '\''].iter().any(|quote| rest.contains(&format!("= {quote}{to}"))))
        };
        matches!(device.kind, ExprKind::Name(_))
            && all.contains("is_available()")
            && is_set("cuda")
            && is_set("cpu")
    };
    chooses || by_branches()
}

/// The format of `from_pretrained(path, torch_dtype=torch.float16)`, where nothing spreads the model.
fn loads_half(scope: &FileScope<'_>, name: &str, call: &Call<'_>) -> Option<Span> {
    let given = argument(&call.arguments, None, Some("torch_dtype"))
        .or_else(|| argument(&call.arguments, None, Some("dtype")))?;
    let is_placed = argument(&call.arguments, None, Some("device_map")).is_some();
    (name == "from_pretrained" && is_float16(scope, given) && !is_placed).then_some(given.span)
}

/// `.half()`, `.to(torch.float16)`
fn makes_half(scope: &FileScope<'_>, name: &str, call: &Call<'_>) -> bool {
    match name {
        "half" => call.arguments.is_empty(),
        "to" => call.arguments.iter().any(|one| is_float16(scope, &one.value)),
        _ => false,
    }
}

fn is_float16(scope: &FileScope<'_>, given: &Expr<'_>) -> bool {
    let path = scope.names.path(scope.names.meant(given));
    matches!(path, Some("torch.float16" | "torch.half"))
}

/// Whether a branch around asks for the device: `if device.type == "cuda":`, `if half:` where that is an answer.
fn is_asked(scope: &FileScope<'_>, around: &[Ancestor<'_, '_>]) -> bool {
    around.iter().any(|one| {
        let (Ancestor::Then(test) | Ancestor::Otherwise(test)) = one else { return false };
        let texts = [scope.text(test.span), scope.text(scope.names.meant(test).span)];
        let words = ["cuda", "cpu", "device", "gpu", "GPU", "is_available"];
        texts.iter().any(|text| words.iter().any(|word| text.contains(word)))
            || matches!(test.kind, ExprKind::Name("half" | "is_half" | "use_half"))
    })
}
