//! Parameters for a device that a function never looks at, while it puts something on the device of another name.

use super::cuda_calls::names_gpu;
use super::unused_choices::{UNREAD, WHICH, is_choice, trains};
use crate::code::walk::{CodeNode, walk, walk_block};
use crate::code::{
    Argument, Call, Comparison, Expr, ExprKind, Function, Parameter, ParameterKind, Statement, StatementKind,
    Target,
};
use crate::facts::Span;
use crate::findings::Severity;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// What parameters are called by which callers choose a device.
const NAMES: &[&str] = &["cuda_device", "device", "device_id", "device_name", "gpu_id", "gpu_index"];

/// `def train(data, device=DEVICE): net.train(data, device=DEVICE)`
pub(super) fn for_devices(scope: &FileScope<'_>) -> Vec<RawFinding> {
    // What helps tests has no other callers than these, and they see what they give.
    if scope.program.is_of_tests(scope.file) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for function in &scope.code.functions {
        let Some(parameter) = function.parameters.iter().find(|one| NAMES.contains(&one.name)) else {
            continue;
        };
        // A test is handed what its fixtures say, and may want no more than that they ran.
        let chooses = ["set_device", "VISIBLE_DEVICES", "cuda.device("];
        let text = scope.text(function.span);
        if function.name.starts_with("test") || chooses.iter().any(|word| text.contains(word)) {
            continue;
        }
        if let Some(replaced) = cpu_replaced(function, parameter) {
            found.push(said(scope, function, parameter, NO_CPU).beside(scope.place(replaced), "here"));
        }
        if !is_unused(scope, function, parameter) {
            continue;
        }
        let Some(placed) = placed_in(scope, function, parameter.name) else {
            found.extend(of_command(scope, function, parameter));
            continue;
        };
        found.push(
            said(scope, function, parameter, UNREAD)
                .beside(scope.place(placed), "here the device is another one, whatever the caller says"),
        );
    }
    found
}

/// What becomes of a choice of the CPU that a function does not want.
const NO_CPU: &str = "where it is the CPU, a GPU takes its place";

fn said(scope: &FileScope<'_>, function: &Function<'_>, parameter: &Parameter<'_>, fate: &str) -> RawFinding {
    let what = format!("the parameter `{}` of `{}`", parameter.name, function.name);
    let raw_finding = RawFinding::at(scope.place(parameter.span)).word("what", what).word("says", WHICH);
    raw_finding.word("fate", fate)
}

/// `if device == "cpu": device = "cuda"`, of a parameter that is not the CPU where nobody says anything.
fn cpu_replaced(function: &Function<'_>, parameter: &Parameter<'_>) -> Option<Span> {
    let is_cpu = |expr: &Expr<'_>| matches!(&expr.kind, ExprKind::Text(text) if text == "cpu");
    if parameter.default.as_ref().is_some_and(is_cpu) {
        return None;
    }
    function.body.iter().find_map(|step| {
        let StatementKind::Branch { test, then, otherwise } = &step.kind else { return None };
        let ExprKind::Compare(Comparison::Equal, pair) = &test.kind else { return None };
        let is_asked =
            matches!(pair.0.kind, ExprKind::Name(name) if name == parameter.name) && is_cpu(&pair.1);
        let [given] = &then[..] else { return None };
        let StatementKind::Assign { value: Some(value), .. } = &given.kind else { return None };
        let is_gpu = matches!(&value.kind, ExprKind::Text(text) if text.starts_with("cuda"));
        (is_asked && is_gpu && otherwise.is_empty() && gives(given, parameter.name)).then_some(given.span)
    })
}

/// Whether nothing in the body looks up a parameter for a device: it is not named there, or given another value first.
fn is_unused(scope: &FileScope<'_>, function: &Function<'_>, parameter: &Parameter<'_>) -> bool {
    let name = parameter.name;
    let is_given = matches!(parameter.kind, ParameterKind::Plain | ParameterKind::KeywordOnly);
    if !is_given || scope.text(function.span).contains(&format!("del {name}")) {
        return false;
    }
    let mut read = None;
    walk_block(scope.code, &function.body, &mut |part, _| {
        let CodeNode::Expr(Expr { kind: ExprKind::Name(known), span }) = part else { return };
        if *known == name {
            read = read.map_or(Some(*span), |first: Span| {
                Some(if span.start < first.start { *span } else { first })
            });
        }
    });
    let Some(read) = read else { return true };
    // `device = torch.device("cuda")` as a step of its own, above every other word of it.
    function.body.iter().any(|step| gives(step, name) && step.span.end <= read.start)
}

fn gives(step: &Statement<'_>, name: &str) -> bool {
    match &step.kind {
        StatementKind::Assign { targets, value: Some(_), .. } => {
            matches!(&targets[..], [Target::Name(known, _)] if *known == name)
        }
        _ => false,
    }
}

/// The first place in a function that puts something on a GPU which the function chose itself.
fn placed_in(scope: &FileScope<'_>, function: &Function<'_>, parameter: &str) -> Option<Span> {
    let mut placed = None;
    walk_block(scope.code, &function.body, &mut |part, _| {
        if placed.is_some() {
            return;
        }
        match part {
            CodeNode::Statement(step) if gives(step, parameter) => {
                let StatementKind::Assign { value: Some(value), .. } = &step.kind else { return };
                placed = names_gpu(value, scope, 0).then_some(step.span);
            }
            CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) => {
                let on_gpu = |one: &Expr<'_>| names_gpu(one, scope, 0);
                let is_placed = match &call.callee.kind {
                    ExprKind::Attribute(_, "cuda") => {
                        call.arguments.is_empty() && scope.whole_text().contains("torch")
                    }
                    ExprKind::Attribute(_, "to") => {
                        argument(&call.arguments, Some(0), Some("device")).is_some_and(on_gpu)
                    }
                    _ => argument(&call.arguments, None, Some("device")).is_some_and(on_gpu),
                };
                placed = is_placed.then_some(expr.span);
            }
            _ => {}
        }
    });
    placed
}

/// `whisper.load_model(name)`, `AutoModel.from_pretrained(name)`: a model, and no word about where.
fn loads_model(scope: &FileScope<'_>, call: &Call<'_>) -> bool {
    let (ExprKind::Name(name) | ExprKind::Attribute(_, name)) = call.callee.kind else { return false };
    let is_model = match name {
        "load_model" | "pipeline" => true,
        // `AutoTokenizer.from_pretrained(name)` needs no device.
        "from_pretrained" => scope.text(call.callee.span).contains("Model"),
        _ => false,
    };
    let is_outside = scope.names.path(&call.callee).is_some();
    let is_told = |one: &Argument<'_>| {
        one.unpacked || one.name.is_some_and(|name| name.starts_with("device")) || {
            let text = scope.text(one.value.span);
            ["cpu", "cuda", "device"].iter().any(|word| text.contains(word))
        }
    };
    is_model && is_outside && !call.arguments.iter().any(is_told)
}

/// `--device` of click, typer and fire, in a command that makes a model and leaves it where it is.
fn of_command(
    scope: &FileScope<'_>,
    function: &Function<'_>,
    parameter: &Parameter<'_>,
) -> Option<RawFinding> {
    let mut is_command = false;
    walk(scope.code, &mut |part, _| match part {
        CodeNode::Statement(Statement {
            kind: StatementKind::Define { function: number, decorators },
            ..
        }) => {
            let names_command = |decorator: &Expr<'_>| {
                let callee = match &decorator.kind {
                    ExprKind::Call(call) => &call.callee,
                    _ => decorator,
                };
                matches!(callee.kind, ExprKind::Attribute(_, "command"))
            };
            is_command |= std::ptr::eq(&scope.code.functions[*number], function)
                && decorators.iter().any(names_command);
        }
        CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) => {
            let runs = matches!(scope.names.path(&call.callee), Some("fire.Fire" | "typer.run"));
            let first = call.arguments.first().map(|one| &one.value.kind);
            is_command |= runs && matches!(first, Some(ExprKind::Name(name)) if *name == function.name);
        }
        _ => {}
    });
    let mut made = None;
    walk_block(scope.code, &function.body, &mut |part, _| {
        let CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        if made.is_none() && trains(scope, call) {
            made = Some(expr.span);
        }
    });
    // `device="cuda" if torch.cuda.is_available() else "cpu"`: who writes that means that it is taken.
    let is_chosen = parameter.default.as_ref().is_some_and(|default| is_choice(scope, default));
    let loaded = || {
        let mut loaded = None;
        walk_block(scope.code, &function.body, &mut |part, _| {
            let CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) = part else { return };
            if loaded.is_none() && loads_model(scope, call) {
                loaded = Some(expr.span);
            }
        });
        loaded
    };
    let made = made.filter(|_| is_command).or_else(|| loaded().filter(|_| is_chosen))?;
    let raw_finding = said(scope, function, parameter, UNREAD).at_most(Severity::Note);
    Some(
        raw_finding
            .beside(scope.place(made), "what is made here stays where it is, whatever the caller says"),
    )
}
