//! Functions that say whether a GPU is there, asked for without being called: a function is always true.

use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::code::{Comparison, Expr, ExprKind, StatementKind, Target};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;
use rustc_hash::FxHashSet;

/// Functions without arguments of their own whose answer is meant to be tested.
pub(super) const CHECKS: &[&str] = &[
    "accelerate.utils.is_cuda_available",
    "cupy.cuda.is_available",
    "cupy.is_available",
    "numba.cuda.is_available",
    "paddle.device.is_compiled_with_cuda",
    "paddle.is_compiled_with_cuda",
    "tensorflow.test.is_built_with_cuda",
    "tensorflow.test.is_gpu_available",
    "torch.accelerator.is_available",
    "torch.backends.cuda.is_built",
    "torch.backends.cudnn.is_available",
    "torch.backends.mps.is_available",
    "torch.backends.mps.is_built",
    "torch.cuda.device_count",
    "torch.cuda.is_available",
    "torch.cuda.is_bf16_supported",
    "torch.cuda.is_initialized",
    "torch.distributed.is_available",
    "torch.distributed.is_initialized",
    "torch.distributed.is_nccl_available",
    "torch.mps.is_available",
    "torch.xpu.is_available",
];

/// Calls that test their first argument.
const TESTING_CALLS: &[&str] =
    &["builtins.bool", "pytest.mark.skipif", "unittest.skipIf", "unittest.skipUnless", "builtins.print"];

/// Keywords that take `True` or `False`, of whatever call.
const SWITCHES: &[&str] = &["bf16", "enabled", "fp16", "pin_memory", "use_amp"];

/// Beginnings of the names of functions whose answer is tested.
const QUESTIONS: &[&str] = &["is_", "has_", "can_", "use_", "should_", "supports_"];

/// Checks that are tested, and not called.
pub(super) fn that_are_tested(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut tested = Tested { scope, found: Vec::new(), called: FxHashSet::default() };
    // A name that is called somewhere stands for the function on purpose.
    walk(scope.code, &mut |part, _| {
        if let CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) = part
            && let ExprKind::Name(name) = &call.callee.kind
        {
            tested.called.insert(name);
        }
    });
    walk(scope.code, &mut |part, around| match part {
        CodeNode::Statement(step) => match &step.kind {
            StatementKind::Branch { test, .. }
            | StatementKind::While { test, .. }
            | StatementKind::Assert { test, .. } => {
                tested.condition(test);
            }
            StatementKind::Return(Some(value)) => {
                let inside = around.iter().rev().find_map(|one| match one {
                    Ancestor::Function(number) => Some(scope.code.functions[*number].name),
                    _ => None,
                });
                if inside.is_some_and(|name| QUESTIONS.iter().any(|start| name.starts_with(start))) {
                    tested.condition(value);
                }
            }
            _ => {}
        },
        CodeNode::Expr(expr) => tested.expr(expr),
        CodeNode::Target(_) => {}
    });
    let mut places: Vec<Span> = tested.found.iter().map(|one| tested.lacking(one)).collect();
    places.sort_unstable();
    places.dedup();
    places.iter().map(|span| RawFinding::at(scope.place(*span)).word("name", scope.text(*span))).collect()
}

struct Tested<'v, 'a> {
    scope: &'v FileScope<'a>,
    found: Vec<Found<'a>>,
    called: FxHashSet<&'a str>,
}

struct Found<'a> {
    span: Span,
    path: &'a str,
    /// The name that stands for the function, when it is not written out.
    through: Option<&'a str>,
}

impl<'a> Tested<'_, 'a> {
    /// Where the parentheses are missing: what is assigned and tested later lacks them where it is assigned.
    fn lacking(&self, found: &Found<'a>) -> Span {
        let Some(name) = found.through.filter(|name| !self.called.contains(name)) else { return found.span };
        let mut span = found.span;
        walk(self.scope.code, &mut |part, _| {
            if let CodeNode::Statement(step) = part
                && let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind
                && matches!(targets[..], [Target::Name(target, _)] if target == name)
                && self.scope.names.path(value) == Some(found.path)
            {
                span = value.span;
            }
        });
        span
    }

    /// The parts of an expression that are tested whatever becomes of it.
    fn expr(&mut self, expr: &'a Expr<'a>) {
        match &expr.kind {
            ExprKind::Not(inner) => self.condition(inner),
            ExprKind::Choice(parts) => self.condition(&parts.0),
            ExprKind::All(operands) => {
                for operand in operands {
                    if !self.is_asked_for_beside(operand, operands) {
                        self.condition(operand);
                    }
                }
            }
            // The last may be the function that takes the place of one that is missing.
            ExprKind::Any(operands) => {
                operands.iter().rev().skip(1).for_each(|operand| self.condition(operand));
            }
            ExprKind::Comprehension(comprehension) => {
                let conditions = comprehension.generators.iter().flat_map(|one| &one.conditions);
                conditions.for_each(|condition| self.condition(condition));
            }
            ExprKind::Join(parts) => parts.iter().for_each(|part| self.condition(part)),
            ExprKind::Compare(comparison, pair) => {
                let (left, right) = &**pair;
                let with_literal = |other: &Expr<'_>| match comparison {
                    Comparison::Equal | Comparison::NotEqual | Comparison::Is | Comparison::IsNot => {
                        matches!(other.kind, ExprKind::Bool(_) | ExprKind::Int(_))
                    }
                    Comparison::In | Comparison::NotIn => false,
                    _ => matches!(other.kind, ExprKind::Int(_)),
                };
                if with_literal(right) {
                    self.condition(left);
                }
                if with_literal(left) {
                    self.condition(right);
                }
            }
            ExprKind::Call(call) => {
                for one in call.arguments.iter().filter(|one| one.name.is_some_and(is_switch)) {
                    self.condition(&one.value);
                }
                let Some(callee) = self.scope.names.path(&call.callee) else { return };
                if TESTING_CALLS.contains(&callee) {
                    let tested = call.arguments.iter().filter(|one| one.name.is_none());
                    tested.for_each(|one| self.condition(&one.value));
                }
                let first = argument(&call.arguments, Some(0), None).map(|first| &first.kind);
                if let ("builtins.all" | "builtins.any", Some(ExprKind::Sequence(items))) = (callee, first) {
                    items.iter().for_each(|item| self.condition(item));
                }
            }
            _ => {}
        }
    }

    /// An expression of which only the truth counts.
    fn condition(&mut self, expr: &'a Expr<'a>) {
        match &expr.kind {
            ExprKind::Any(operands) => operands.last().into_iter().for_each(|last| self.condition(last)),
            ExprKind::Bind(_, inner) => self.condition(inner),
            ExprKind::Name(_) | ExprKind::Attribute(..) => {
                let Some(path) = self.scope.names.path(expr).filter(|path| CHECKS.contains(path)) else {
                    return;
                };
                let through = match expr.kind {
                    ExprKind::Name(name) if !path.ends_with(&format!(".{name}")) => Some(name),
                    _ => None,
                };
                self.found.push(Found { span: expr.span, path, through });
            }
            _ => {}
        }
    }

    /// `f and f()`: whether there is such a function, and then what it says.
    fn is_asked_for_beside(&self, operand: &Expr<'_>, operands: &[Expr<'_>]) -> bool {
        let Some(path) = self.scope.names.path(operand) else { return false };
        operands.iter().any(|other| match &other.kind {
            ExprKind::Call(call) => self.scope.names.path(&call.callee) == Some(path),
            _ => false,
        })
    }
}

fn is_switch(name: &str) -> bool {
    SWITCHES.contains(&name)
}
