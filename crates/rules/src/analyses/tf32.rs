//! How precise products of float32 matrices are: the switches of before and of today.

use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::code::{Expr, ExprKind, StatementKind, Target};
use crate::facts::Span;
use crate::findings::Severity;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::{argument, guards};
use crate::versions::Range;

const OLD: &[(&str, &str)] = &[
    ("torch.backends.cuda.matmul.allow_tf32", "torch.backends.cuda.matmul.fp32_precision"),
    ("torch.backends.cudnn.allow_tf32", "torch.backends.cudnn.conv.fp32_precision"),
];

/// It asks for the old switch.
const OLD_GETTER: &str = "torch.get_float32_matmul_precision";

const NEW: &[&str] = &[
    "torch.backends.fp32_precision",
    "torch.backends.cuda.matmul.fp32_precision",
    "torch.backends.cudnn.fp32_precision",
    "torch.backends.cudnn.conv.fp32_precision",
    "torch.backends.cudnn.rnn.fp32_precision",
];

/// Words that the setter knows.
const PRECISIONS: &[&str] = &["highest", "high", "medium"];

/// Words that the switches of today know.
const NEW_PRECISIONS: &[&str] = &["ieee", "tf32", "bf16", "none"];

/// Words that torch does not know where they stand.
pub(super) fn unknown_precisions(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    let mut judge = |value: &Expr<'_>, name: &str, known: &[&str]| {
        if let ExprKind::Text(text) = &scope.names.meant(value).kind
            && !known.contains(&&**text)
        {
            let words = known.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
            found.push(
                RawFinding::at(scope.place(value.span))
                    .word("name", name)
                    .word("value", text.to_string())
                    .word("known", words),
            );
        }
    };
    walk(scope.code, &mut |part, around| {
        if around.iter().any(|one| guards(one, scope)) {
            return;
        }
        match part {
            CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) => {
                let name = "torch.set_float32_matmul_precision";
                if scope.names.path(&call.callee) == Some(name)
                    && let Some(value) = argument(&call.arguments, Some(0), Some("precision"))
                {
                    judge(value, name, PRECISIONS);
                }
            }
            CodeNode::Statement(step) => {
                if let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind {
                    let set = targets.iter().filter_map(|target| switch_of(target, scope));
                    if let Some(name) = set.into_iter().find(|name| NEW.contains(&name.as_str())) {
                        judge(value, &name, NEW_PRECISIONS);
                    }
                }
            }
            _ => {}
        }
    });
    found
}

/// The old switches; worse beside the new ones, and worst where one is read behind a new one.
pub(super) fn legacy_switches(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut old: Vec<Switch> = Vec::new();
    let mut new: Vec<Switch> = Vec::new();
    // Calls of functions of the file, for new switches that lie in them.
    let mut calls: Vec<(&str, Switch)> = Vec::new();
    walk(scope.code, &mut |part, around| {
        if around.iter().any(|one| guards(one, scope)) {
            return;
        }
        let mut note = |name: &str, span: Span, read: bool| {
            let list = match name {
                OLD_GETTER => &mut old,
                name if OLD.iter().any(|(old, _)| *old == name) => &mut old,
                name if NEW.contains(&name) && !read => &mut new,
                _ => return,
            };
            list.push(Switch::at(name, span, read, around));
        };
        match part {
            CodeNode::Target(target) => {
                if let (Some(name), Target::Attribute(object, last)) = (switch_of(target, scope), target) {
                    let end = object.span.end + last.len() as u32 + 1;
                    note(&name, Span { start: object.span.start, end }, false);
                }
            }
            CodeNode::Expr(expr) => match &expr.kind {
                ExprKind::Call(call) => {
                    if let Some(OLD_GETTER) = scope.names.path(&call.callee) {
                        note(OLD_GETTER, expr.span, true);
                    }
                    if let ExprKind::Name(name) = &call.callee.kind {
                        calls.push((name, Switch::at(name, expr.span, false, around)));
                    }
                }
                ExprKind::Attribute(..) | ExprKind::Name(_) => {
                    if let Some(path) = scope.names.path(expr).filter(|path| *path != OLD_GETTER) {
                        note(path, expr.span, true);
                    }
                }
                _ => {}
            },
            CodeNode::Statement(_) => {}
        }
    });
    let set_in = |number: usize| scope.code.functions[number].name;
    let called: Vec<Switch> = new
        .iter()
        .filter_map(|one| one.function.map(set_in))
        .flat_map(|name| calls.iter().filter(move |(called, _)| *called == name))
        .map(|(_, call)| call.clone())
        .collect();
    // There the old switch is the right one.
    let runs_with_older = || {
        let file = scope.program.name_of(scope.file);
        Range::read("<2.9").is_some_and(|older| scope.program.versions().supports(file, "torch", &older))
    };
    let mut found = Vec::new();
    for one in &old {
        let earlier = new.iter().chain(&called).find(|set| one.read && set.is_before(one));
        let beside = new.iter().find(|set| !set.excludes(one));
        let today = OLD.iter().find(|(name, _)| *name == one.name).map(|(_, today)| *today);
        let raw_finding = RawFinding::at(scope.place(one.span)).word("name", one.name.clone());
        let (raw_finding, what) = match (earlier, beside, today) {
            (Some(set), ..) => (
                raw_finding
                    .at_least(Severity::Error)
                    .beside(scope.place(set.span), "sets the new switch"),
                "is read after `fp32_precision` was set, which raises a RuntimeError".to_owned(),
            ),
            (_, Some(set), Some(_)) => (
                raw_finding
                    .at_least(Severity::Warning)
                    .beside(scope.place(set.span), "sets the new switch"),
                "is the old switch, and this file sets the new one too; reading it then raises a RuntimeError"
                    .to_owned(),
            ),
            (_, None, Some(_)) if runs_with_older() => continue,
            (_, None, Some(today)) => (raw_finding, format!("is the old switch; the one of today is `{today}`")),
            (.., None) => continue,
        };
        found.push(raw_finding.word("what", what));
    }
    found
}

/// A switch that is set or read.
#[derive(Clone)]
struct Switch {
    name: String,
    span: Span,
    read: bool,
    /// The function that it stands in.
    function: Option<usize>,
    /// The tests that it stands behind, and whether they hold.
    arms: Vec<(Span, bool)>,
}

impl Switch {
    fn at(name: &str, span: Span, read: bool, around: &[Ancestor<'_, '_>]) -> Switch {
        let mut function = None;
        let mut arms = Vec::new();
        for one in around {
            match one {
                Ancestor::Function(number) => function = Some(*number),
                Ancestor::Then(test) => arms.push((test.span, true)),
                Ancestor::Otherwise(test) => arms.push((test.span, false)),
                _ => {}
            }
        }
        Switch { name: name.to_owned(), span, read, function, arms }
    }

    /// Whether no run reaches both.
    fn excludes(&self, other: &Switch) -> bool {
        self.arms.iter().any(|(test, holds)| other.arms.contains(&(*test, !holds)))
    }

    /// Whether this one is set when the other is read, on some path through both.
    fn is_before(&self, other: &Switch) -> bool {
        let before = match (self.function, other.function) {
            (mine, theirs) if mine == theirs => self.span < other.span,
            // What a module sets is set when its functions are called.
            (None, Some(_)) => true,
            _ => false,
        };
        before && !self.excludes(other)
    }
}

/// The dotted name of an attribute that is set.
fn switch_of(target: &Target<'_>, scope: &FileScope<'_>) -> Option<String> {
    let Target::Attribute(object, name) = target else { return None };
    Some(format!("{}.{name}", scope.names.path(object)?))
}
