//! Code that takes CUDA for granted: `.cuda()` and `"cuda"` without a question.

use super::device_texts::texts_of;
use crate::code::walk::{Ancestor, CodeNode, functions_around, innermost_class, walk};
use crate::code::{Block, Call, Expr, ExprKind, Statement, StatementKind, Target};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;
use rustc_hash::FxHashSet;

/// Words in a test that ask what there is to compute on.
const QUESTIONS: &[&str] =
    &["is_available", "device", "cuda", "gpu", "backend", "accelerator", "hip", "mps", "cpu"];

/// Words in a test that end a program, or a test of pytest, where there is no GPU.
const SKIPS: &[&str] = &["skipif", "skipIf", "skipUnless", "requires_", "require_", "mark.gpu", "mark.cuda"];

/// Uses of CUDA that a machine without it reaches.
pub(super) fn without_question(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let skips = skips_of(scope);
    let mut places: Vec<Span> = Vec::new();
    scope.each_call(&mut |expr, call, around| {
        let found: Vec<Span> = match hard_use(call, scope) {
            Some(HardCodedDevice::Call) => vec![expr.span],
            Some(HardCodedDevice::Texts(spans)) => spans,
            None => return,
        };
        if !is_asked(around, expr.span, scope) && !skips.iter().any(|skip| skip.covers(around)) {
            places.extend(found);
        }
    });
    places.sort_unstable();
    places.dedup();
    places.iter().map(|span| RawFinding::at(scope.place(*span)).word("text", shown(*span, scope))).collect()
}

/// `.cuda()` beside a variable that holds the chosen device.
pub(super) fn beside_a_device(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut devices = Devices::default();
    walk(scope.code, &mut |part, around| devices.note(part, around, scope));
    let mut found = Vec::new();
    scope.each_call(&mut |expr, call, around| {
        let is_bare =
            matches!(&call.callee.kind, ExprKind::Attribute(_, "cuda")) && call.arguments.is_empty();
        let is_method = scope.names.path(&call.callee).is_none_or(|path| path != "torch.cuda");
        if is_bare && is_method && !asks_around(around, scope) && devices.are_seen(around) {
            found.push(RawFinding::at(scope.place(expr.span)).word("text", shown(expr.span, scope)));
        }
    });
    found
}

/// What a message shows of a call: of a long one the method alone.
pub(super) fn shown<'a>(span: Span, scope: &FileScope<'a>) -> &'a str {
    const MOST: usize = 40;
    let text = scope.text(span);
    match text.rfind(".cuda(") {
        Some(at) if text.len() > MOST || text.contains('\n') => &text[at..],
        _ => text,
    }
}

enum HardCodedDevice {
    Call,
    Texts(Vec<Span>),
}

/// Whether a call needs CUDA, whatever there is: by itself, or by a device that is made of a text.
pub fn needs_cuda(call: &Call<'_>, scope: &FileScope<'_>) -> bool {
    let path = scope.names.path(&call.callee);
    if path.is_some_and(|path| matches!(path, "torch.device" | "torch.set_default_device")) {
        return false;
    }
    hard_use(call, scope).is_some()
}

/// What in a call needs CUDA, whatever there is.
fn hard_use(call: &Call<'_>, scope: &FileScope<'_>) -> Option<HardCodedDevice> {
    let path = scope.names.path(&call.callee);
    let is_torch = path.is_some_and(|path| path.starts_with("torch."));
    let device = match (&call.callee.kind, path) {
        (ExprKind::Attribute(..), Some("torch.cuda.set_device")) => return Some(HardCodedDevice::Call),
        (_, Some("torch.device" | "torch.set_default_device")) => {
            argument(&call.arguments, Some(0), Some("device"))
        }
        (ExprKind::Attribute(_, "cuda"), path) if path.is_none_or(|path| path.contains('(')) => {
            return Some(HardCodedDevice::Call);
        }
        (ExprKind::Attribute(_, "to"), path) if path.is_none_or(|path| path.contains('(')) => {
            argument(&call.arguments, Some(0), Some("device"))
        }
        _ if is_torch => argument(&call.arguments, None, Some("device")),
        _ => None,
    }?;
    // Of two, the other is the way out.
    let meant = match scope.names.meant(device) {
        // `device = torch.device("cuda")`
        Expr { kind: ExprKind::Call(made), .. } if scope.names.path(&made.callee) == Some("torch.device") => {
            argument(&made.arguments, Some(0), Some("type"))?
        }
        meant => meant,
    };
    let is_one = matches!(meant.kind, ExprKind::Text(_) | ExprKind::Join(_) | ExprKind::Binary(..));
    let texts = texts_of(meant, scope, false);
    let is_cuda = |text: &str| text == "cuda" || text.starts_with("cuda:");
    (is_one && texts.iter().all(|one| is_cuda(&one.text)) && !texts.is_empty())
        .then(|| HardCodedDevice::Texts(texts.iter().map(|one| one.span).collect()))
}

fn asks(test: &Expr<'_>, scope: &FileScope<'_>) -> bool {
    let text = scope.text(test.span).to_ascii_lowercase();
    QUESTIONS.iter().any(|word| text.contains(word))
}

fn asks_around(around: &[Ancestor<'_, '_>], scope: &FileScope<'_>) -> bool {
    around.iter().any(|one| match one {
        Ancestor::Then(test) | Ancestor::Otherwise(test) => asks(test, scope),
        Ancestor::Try(Statement { kind: StatementKind::Try { handlers, .. }, .. }) => {
            handlers.iter().any(|handler| !handler.import_errors)
        }
        _ => false,
    })
}

/// Whether code is reached only where CUDA was asked for.
pub fn is_asked(around: &[Ancestor<'_, '_>], span: Span, scope: &FileScope<'_>) -> bool {
    let inside = around.iter().rev().find_map(|one| match one {
        Ancestor::Function(number) => Some(&scope.code.functions[*number]),
        _ => None,
    });
    let by_name = inside.is_some_and(|function| {
        let name = function.name.to_ascii_lowercase();
        name.contains("cuda") || name.contains("gpu")
    });
    let blocks = [Some(&scope.code.body), inside.map(|function| &function.body)];
    by_name
        || asks_around(around, scope)
        || blocks
            .into_iter()
            .flatten()
            .any(|block| leaves_before(block, span, scope, &|test| asks(test, scope)))
}

/// `if not torch.cuda.is_available(): sys.exit()`, before a place, or what else a test asks there.
pub fn leaves_before(
    block: &Block<'_>,
    span: Span,
    scope: &FileScope<'_>,
    asks: &dyn Fn(&Expr<'_>) -> bool,
) -> bool {
    block.iter().take_while(|step| step.span.end <= span.start).any(|step| match &step.kind {
        StatementKind::Branch { test, then, .. } => {
            asks(test)
                && then.last().is_some_and(|last| match &last.kind {
                    StatementKind::Return(_) | StatementKind::Raise { .. } | StatementKind::Continue => true,
                    StatementKind::Evaluate(expr) => {
                        let text = scope.text(expr.span);
                        ["exit(", "skip(", "fail("].iter().any(|word| text.contains(word))
                    }
                    _ => false,
                })
        }
        StatementKind::Assert { test, .. } => asks(test),
        _ => false,
    })
}

/// Whether a file ends its program where there is no GPU: in its body, or in one of its functions.
pub fn ends_without(scope: &FileScope<'_>) -> bool {
    let ends = |block: &Block<'_>| {
        block.iter().any(|step| match &step.kind {
            StatementKind::Branch { test, then, .. } => {
                let is_end = |last: &Statement<'_>| {
                    matches!(last.kind, StatementKind::Raise { .. })
                        || scope.text(last.span).contains("exit(")
                };
                asks(test, scope) && then.last().is_some_and(is_end)
            }
            StatementKind::Assert { test, .. } => asks(test, scope),
            _ => false,
        })
    };
    ends(&scope.code.body) || scope.code.functions.iter().any(|function| ends(&function.body))
}

/// What a marker of a test framework keeps from machines without a GPU.
pub(super) enum Skip {
    File,
    Function(usize),
    Class(usize),
}

impl Skip {
    pub fn covers(&self, around: &[Ancestor<'_, '_>]) -> bool {
        around.iter().any(|one| match (self, one) {
            (Skip::Function(marked), Ancestor::Function(number)) => marked == number,
            (Skip::Class(marked), Ancestor::Class(number)) => marked == number,
            _ => false,
        }) || matches!(self, Skip::File)
    }
}

pub(super) fn skips_of(scope: &FileScope<'_>) -> Vec<Skip> {
    let mut skips = Vec::new();
    if !SKIPS.iter().any(|word| scope.whole_text().contains(word)) {
        return skips;
    }
    let marks = |expr: &Expr<'_>| SKIPS.iter().any(|word| scope.text(expr.span).contains(word));
    scope.each_statement(&mut |step, _| match &step.kind {
        StatementKind::Define { function, decorators } if decorators.iter().any(marks) => {
            skips.push(Skip::Function(*function));
        }
        StatementKind::DefineClass { class, decorators } if decorators.iter().any(marks) => {
            skips.push(Skip::Class(*class));
        }
        StatementKind::Assign { targets, value: Some(value), .. }
            if marks(value) && matches!(targets[..], [Target::Name("pytestmark", _)]) =>
        {
            skips.push(Skip::File);
        }
        _ => {}
    });
    skips
}

/// Where a variable `device` holds a device, and where it is used.
#[derive(Default)]
struct Devices {
    /// Functions, or the module, that have one; and classes whose `self` has one.
    held: FxHashSet<Option<usize>>,
    held_by: FxHashSet<usize>,
    used: FxHashSet<Option<usize>>,
    used_by: FxHashSet<usize>,
    /// Functions and classes in which the device is the current GPU: it was asked for, or made so.
    current: FxHashSet<Option<usize>>,
    current_by: FxHashSet<usize>,
}

impl Devices {
    fn note(&mut self, part: CodeNode<'_, '_>, around: &[Ancestor<'_, '_>], scope: &FileScope<'_>) {
        let (function, class) = inside(around);
        match part {
            CodeNode::Statement(Statement {
                kind: StatementKind::Assign { value: Some(value), .. }, ..
            }) if scope.text(value.span).contains("current_device") => {
                self.current.insert(function);
            }
            CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. })
                if scope.names.path(&call.callee) == Some("torch.cuda.set_device") =>
            {
                self.current.insert(function);
                self.current_by.extend(class);
            }
            CodeNode::Target(Target::Name("device", _)) => {
                self.held.insert(function);
            }
            CodeNode::Target(Target::Attribute(object, "device")) => {
                if let (ExprKind::Name("self"), Some(class)) = (&object.kind, class) {
                    self.held_by.insert(class);
                }
            }
            CodeNode::Statement(Statement { kind: StatementKind::Define { function, .. }, .. }) => {
                let takes = scope.code.functions[*function].parameters.iter().any(|one| one.name == "device");
                if takes {
                    self.held.insert(Some(*function));
                }
            }
            CodeNode::Expr(Expr { kind: ExprKind::Name("device"), .. }) => {
                self.used.insert(function);
                if !self.held.contains(&function) {
                    self.used.insert(None);
                }
            }
            CodeNode::Expr(Expr { kind: ExprKind::Attribute(object, "device"), .. }) => {
                if let (ExprKind::Name("self"), Some(class)) = (&object.kind, class) {
                    self.used_by.insert(class);
                }
            }
            _ => {}
        }
    }

    /// Whether code sees a device that something else uses.
    fn are_seen(&self, around: &[Ancestor<'_, '_>]) -> bool {
        let (function, class) = inside(around);
        let of_function = |one: Option<usize>| self.held.contains(&one) && self.used.contains(&one);
        let is_current =
            self.current.contains(&function) || class.is_some_and(|class| self.current_by.contains(&class));
        if is_current {
            return false;
        }
        of_function(function)
            || of_function(None)
            || class.is_some_and(|class| self.held_by.contains(&class) && self.used_by.contains(&class))
    }
}

/// The innermost function and class around code.
fn inside(around: &[Ancestor<'_, '_>]) -> (Option<usize>, Option<usize>) {
    let function = functions_around(around).next_back();
    (function, innermost_class(around))
}
