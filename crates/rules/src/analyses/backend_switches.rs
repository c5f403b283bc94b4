//! What decides between CPU and GPU: environment variables and constants.

use crate::code::walk::{CodeNode, walk};
use crate::code::{Comparison, Expr, ExprKind, Statement, StatementKind, Target};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};
use rustc_hash::FxHashSet;

/// Switches beside the one that the policy names, each where it is read or set first.
pub(super) fn rivals(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let Some(switch) = scope.cpu.and_then(|cpu| cpu.switch.as_deref()) else { return Vec::new() };
    if scope.program.is_of_tests(scope.file) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut told: FxHashSet<String> = FxHashSet::default();
    let mut tell = |name: &str, span: Span, kind: &str| {
        if name != switch && told.insert(name.to_owned()) {
            let raw_finding = RawFinding::at(scope.place(span));
            found.push(raw_finding.word("name", name).word("kind", kind).word("switch", switch));
        }
    };
    walk(scope.code, &mut |part, around| match part {
        CodeNode::Expr(expr) => {
            if let Some((name, values)) = read_variable(expr, scope) {
                let compared = around_values(expr, scope);
                if decides(&name, &[values, compared].concat()) && !belongs_to_a_library(&name, scope) {
                    tell(&name, expr.span, "variable");
                }
            }
        }
        CodeNode::Statement(step) if around.is_empty() => {
            if let Some(name) = constant_in(step, scope) {
                tell(name, step.span, "constant");
            }
        }
        _ => {}
    });
    found
}

/// A place that asks something which decides about GPUs.
pub struct AskedPlace {
    pub name: String,
    pub span: Span,
    /// A constant of the module, and no variable of the environment.
    pub is_constant: bool,
    /// It decides between CPU and GPU.
    pub is_switch: bool,
}

/// Variables of the environment that a file reads, and constants by which it decides between CPU and GPU.
pub fn asked_in(scope: &FileScope<'_>) -> Vec<AskedPlace> {
    let mut asked = Vec::new();
    walk(scope.code, &mut |part, around| match part {
        CodeNode::Expr(expr) => {
            if let Some((name, values)) = read_variable(expr, scope) {
                let compared = around_values(expr, scope);
                let is_switch =
                    decides(&name, &[values, compared].concat()) && !belongs_to_a_library(&name, scope);
                asked.push(AskedPlace { name, span: expr.span, is_constant: false, is_switch });
            } else if let ExprKind::Variable(name) | ExprKind::VariableOr(name, _) = &expr.kind {
                let is_switch = decides(name, &[]) && !belongs_to_a_library(name, scope);
                asked.push(AskedPlace {
                    name: name.to_string(),
                    span: expr.span,
                    is_constant: false,
                    is_switch,
                });
            }
        }
        CodeNode::Statement(step) if around.is_empty() => {
            if let Some(name) = constant_in(step, scope) {
                let name = name.to_owned();
                asked.push(AskedPlace { name, span: step.span, is_constant: true, is_switch: true });
            }
        }
        _ => {}
    });
    asked
}

/// The constant of a module that a step sets, where it decides between CPU and GPU.
fn constant_in<'c>(step: &'c Statement<'_>, scope: &FileScope<'_>) -> Option<&'c str> {
    let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return None };
    let [Target::Name(name, _)] = &targets[..] else { return None };
    let values = match &value.kind {
        ExprKind::Bool(_) | ExprKind::Int(_) => Vec::new(),
        ExprKind::Text(text) => vec![text.to_string()],
        _ => return None,
    };
    let is_constant = name.chars().all(|one| !one.is_lowercase());
    (is_constant && decides(name, &values) && is_asked(name, scope)).then_some(*name)
}

/// The environment variable that an expression reads, with what it may be when it is not set.
fn read_variable(expr: &Expr<'_>, scope: &FileScope<'_>) -> Option<(String, Vec<String>)> {
    let text = |expr: &Expr<'_>| match &scope.names.meant(expr).kind {
        ExprKind::Text(text) => Some(text.to_string()),
        _ => None,
    };
    match &expr.kind {
        ExprKind::Call(call) => {
            let reads = matches!(scope.names.path(&call.callee)?, "os.environ.get" | "os.getenv");
            let default = call.arguments.get(1).and_then(|argument| text(&argument.value));
            let name = call.arguments.first().filter(|_| reads).and_then(|argument| text(&argument.value));
            name.map(|name| (name, default.into_iter().collect()))
        }
        ExprKind::Item(pair) if scope.names.path(&pair.0) == Some("os.environ") => {
            text(&pair.1).map(|name| (name, Vec::new()))
        }
        ExprKind::Compare(Comparison::In | Comparison::NotIn, pair)
            if scope.names.path(&pair.1) == Some("os.environ") =>
        {
            text(&pair.0).map(|name| (name, Vec::new()))
        }
        _ => None,
    }
}

/// The texts that a value is compared with where it stands.
fn around_values(expr: &Expr<'_>, scope: &FileScope<'_>) -> Vec<String> {
    let mut values = Vec::new();
    walk(scope.code, &mut |part, _| {
        if let CodeNode::Expr(Expr { kind: ExprKind::Compare(_, pair), span }) = part
            && span.start <= expr.span.start
            && expr.span.end <= span.end
        {
            let mut add = |one: &Expr<'_>| {
                if let ExprKind::Text(text) = &one.kind {
                    values.push(text.to_string());
                }
            };
            match &pair.1.kind {
                ExprKind::Sequence(parts) => parts.iter().for_each(&mut add),
                _ => add(&pair.1),
            }
            add(&pair.0);
        }
    });
    values
}

/// Whether a name says that it decides between CPU and GPU, or its values do.
fn decides(name: &str, values: &[String]) -> bool {
    const GPU: [&str; 3] = ["GPU", "CUDA", "CUPY"];
    const VERBS: [&str; 16] = [
        "ALLOW", "DISABLE", "DISABLED", "ENABLE", "ENABLED", "FORCE", "MODE", "NO", "OFF", "ON", "ONLY",
        "PREFER", "USE", "USES", "WITH", "WITHOUT",
    ];
    const CHOICES: [&str; 7] = ["BACKEND", "COMPUTE", "DEVICE", "ENGINE", "MODE", "PROCESSOR", "TARGET"];
    let upper = name.to_uppercase();
    let words: Vec<&str> = upper.split('_').collect();
    let has = |list: &[&str]| words.iter().any(|word| list.contains(word));
    let about_tests = has(&["TEST", "TESTS"]);
    let by_name = (has(&GPU) && has(&VERBS)) || (has(&["CPU"]) && has(&["FORCE", "ONLY", "USE"]));
    let names_backend =
        |value: &String| matches!(value.to_lowercase().as_str(), "gpu" | "cuda" | "cupy" | "cpu" | "numpy");
    !about_tests && (by_name || (has(&CHOICES) && values.iter().any(names_backend)))
}

fn belongs_to_a_library(name: &str, scope: &FileScope<'_>) -> bool {
    const OWNERS: [&str; 19] = [
        "ACCELERATE_",
        "CUPY_",
        "DS_",
        "GITHUB_",
        "HF_",
        "JAX_",
        "KERAS_",
        "MPL",
        "NCCL_",
        "NUMBA_",
        "NVIDIA_",
        "OLLAMA_",
        "PYTORCH_",
        "RAY_",
        "SLURM_",
        "TF_",
        "TORCH_",
        "VLLM_",
        "XLA_",
    ];
    scope.program.knowledge.variables.get(name).is_some()
        || OWNERS.iter().any(|owner| name.starts_with(owner))
}

/// Whether a condition of this file asks the constant, or another file has its name.
fn is_asked(name: &str, scope: &FileScope<'_>) -> bool {
    let mut asked = false;
    walk(scope.code, &mut |part, _| {
        let test = match part {
            CodeNode::Statement(Statement {
                kind: StatementKind::Branch { test, .. } | StatementKind::While { test, .. },
                ..
            }) => test,
            CodeNode::Expr(Expr { kind: ExprKind::Choice(parts), .. }) => &parts.0,
            _ => return,
        };
        let text = scope.text(test.span);
        asked |= text.split(|one: char| !one.is_alphanumeric() && one != '_').any(|word| word == name);
    });
    asked || scope.is_named_elsewhere(name)
}
