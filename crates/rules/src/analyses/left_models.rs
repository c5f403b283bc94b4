//! Models that nothing moves to the GPU, and that are called with what lies there.

use super::gpu_values::{SET_DEFAULT, is_on_gpu_in};
use super::unmoved_tensors::makes_layer;
use crate::code::walk::{CodeNode, functions_around, walk};
use crate::code::{Call, Expr, ExprKind, StatementKind, Target};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};

/// Attributes of a model that say nothing of where it lies, and show that it is one.
const KEEPS: &[&str] = &[
    ".eval()",
    ".train(",
    ".parameters()",
    ".zero_grad()",
    ".state_dict()",
    ".load_state_dict(",
    ".named_parameters()",
];

/// `model = Net()` and `model(x.to(device))`, in a file that does nothing else with the model.
pub(super) fn called_with_gpu_values(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut made: Vec<(&str, Span, Option<usize>)> = Vec::new();
    let mut called: Vec<(&str, Span, &Call<'_>, Option<usize>)> = Vec::new();
    walk(scope.code, &mut |part, around| {
        let home = functions_around(around).next_back();
        match part {
            CodeNode::Statement(step) => {
                let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return };
                if let [Target::Name(name, _)] = targets.as_slice()
                    && makes_model(scope, value)
                {
                    made.push((name, step.span, home));
                }
            }
            CodeNode::Expr(expr) => {
                let ExprKind::Call(call) = &expr.kind else { return };
                let ExprKind::Name(name) = call.callee.kind else { return };
                called.push((name, expr.span, call, home));
            }
            CodeNode::Target(_) => {}
        }
    });
    let mut found = Vec::new();
    for (name, span, home) in &made {
        let is_again = made.iter().filter(|(other, ..)| other == name).count() > 1;
        if is_again || !stays_alone(scope.whole_text(), name) {
            continue;
        }
        let of_it =
            called.iter().filter(|(called, _, _, at)| called == name && (home.is_none() || home == at));
        let moved = |(_, span, call, at): &(&str, Span, &Call<'_>, Option<usize>)| {
            let there = call.arguments.iter().find(|one| is_on_gpu_in(scope, *at, &one.value))?;
            Some((*span, there.value.span))
        };
        if let Some((call, given)) = of_it.filter_map(moved).next() {
            let raw_finding = RawFinding::at(scope.place(call)).word("name", *name);
            let raw_finding = raw_finding.word("given", scope.text(given));
            found.push(raw_finding.beside(scope.place(*span), "the model is made here, on the CPU"));
        }
    }
    // A model may move itself, or be made on the GPU.
    let is_elsewhere = || {
        scope.program.has_any(SET_DEFAULT)
            || scope.program.has_any(&["self.to(", "self.cuda(", "with torch.device("])
    };
    if found.is_empty() || is_elsewhere() { Vec::new() } else { found }
}

/// `torch.nn.Linear(8, 8)`, `torchvision.models.resnet18()`, and what has the name of a class.
fn makes_model(scope: &FileScope<'_>, value: &Expr<'_>) -> bool {
    let ExprKind::Call(call) = &value.kind else { return false };
    let path = scope.names.path(&call.callee);
    let is_class = || match call.callee.kind {
        ExprKind::Name(name) => {
            path.is_none() && name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase)
        }
        _ => false,
    };
    makes_layer(scope, value)
        // `torchvision.models.resnet18().cuda()` is a move of one.
        || path.is_some_and(|path| path.starts_with("torchvision.models.") && !path.contains('('))
        || is_class()
}

/// Whether a file does with a name what says that it is a model, and nothing that may move it.
fn stays_alone(text: &str, name: &str) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let bytes = text.as_bytes();
    let mut is_model = false;
    for (at, _) in text.match_indices(name) {
        let end = at + name.len();
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        if before.is_some_and(is_part) || bytes.get(end).is_some_and(is_part) {
            continue;
        }
        let (start, rest) = (text[..at].trim_end_matches(' '), &text[end..]);
        if KEEPS.iter().any(|attribute| rest.starts_with(attribute)) {
            is_model = true;
            continue;
        }
        let line = &text[text[..at].rfind('\n').map_or(0, |line| line + 1)..];
        let line = &line[..line.find('\n').unwrap_or(line.len())];
        let is_annotated = rest.starts_with(':') && start.ends_with(['\n', ';']);
        let is_harmless = rest.starts_with('(')
            || is_annotated
            || rest.trim_start().starts_with('=')
                && !rest.trim_start().starts_with("==")
                && start.ends_with(['\n', ';'])
            || line.trim_start().starts_with('#')
            || line.trim_start().starts_with("print(");
        let is_attribute = rest.starts_with('.')
            && ![".to(", ".cuda(", ".half(", ".apply("].iter().any(|moves| rest.starts_with(moves));
        if !is_harmless && !is_attribute {
            return false;
        }
    }
    is_model
}
