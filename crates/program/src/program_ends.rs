//! Whether code may end the program: by an exception, an assertion or an exit.

use super::Program;
use super::trace::{Event, Frame, Trace};
use crate::code::{Block, Expr, ExprKind, Statement, StatementKind, Target};
use crate::facts::Span;

impl Program<'_> {
    /// Whether the caller of a frame stops because of what the call told it: it asserts that, or stops in a
    /// branch that depends on it.
    pub fn caller_may_stop(&self, trace: &Trace, frame: &Frame) -> bool {
        let (Some(parent), Some(site)) = (frame.parent, frame.site) else { return false };
        let caller = &trace.frames[parent as usize];
        frame.function.is_some() && stops_by(self.block_of(caller), site.span, &mut Vec::new())
    }

    /// What runs in a frame: the body of its function, or of its module.
    pub fn block_of(&self, frame: &Frame) -> &Block<'_> {
        // What has a frame ran.
        let code = self.code_in_pieces(frame.file);
        frame.number.map_or(&code.body, |number| &code.functions[number].body)
    }

    /// Whether the program stops because of what the call of an event told it, in the function that calls or in the one
    /// that called this.
    pub fn stops_by_answer(&self, trace: &Trace, event: &Event) -> bool {
        let frame = &trace.frames[event.frame as usize];
        // What a constructor makes is an object, and not the answer: `trainer = Trainer()`, `assert trainer.steps == 2`.
        let constructs = frame.function.as_deref() == Some("__init__");
        stops_by(self.block_of(frame), event.place.span, &mut Vec::new())
            || !constructs && self.caller_may_stop(trace, frame)
    }

    /// Whether the function or module of a frame raises, asserts or exits somewhere.
    pub fn may_stop(&self, frame: &Frame) -> bool {
        stops(self.block_of(frame), true)
    }
}

/// Whether a block stops the program; `after_failures`: also where something in it has failed.
fn stops(block: &Block<'_>, after_failures: bool) -> bool {
    let stops = |block: &Block<'_>| stops(block, after_failures);
    block.iter().any(|step: &Statement<'_>| match &step.kind {
        StatementKind::Raise { .. } | StatementKind::Assert { .. } => true,
        StatementKind::Evaluate(value) => match &value.kind {
            ExprKind::Call(call) => match &call.callee.kind {
                ExprKind::Name(name) | ExprKind::Attribute(_, name) => {
                    ["exit", "_exit", "quit", "abort"].contains(name)
                }
                _ => false,
            },
            _ => false,
        },
        StatementKind::Branch { then, otherwise, .. } => stops(then) || stops(otherwise),
        StatementKind::For { body, otherwise, .. } | StatementKind::While { body, otherwise, .. } => {
            stops(body) || stops(otherwise)
        }
        StatementKind::Try { body, handlers, otherwise, finally } => {
            stops(body)
                || stops(otherwise)
                || stops(finally)
                || after_failures && handlers.iter().any(|handler| stops(&handler.body))
        }
        StatementKind::With { body, .. } => stops(body),
        StatementKind::Match { arms, .. } => arms.iter().any(|arm| stops(&arm.body)),
        _ => false,
    })
}

/// Whether a block stops by the value of the call at `site`. `names` are bound to it.
fn stops_by<'c>(block: &'c Block<'_>, site: Span, names: &mut Vec<&'c str>) -> bool {
    block.iter().any(|step: &Statement<'_>| {
        let holds = |span: Span| span.start <= site.start && site.end <= span.end;
        match &step.kind {
            StatementKind::Assign { targets, value: Some(value), .. } if holds(value.span) => {
                names.extend(targets.iter().filter_map(|target| match target {
                    Target::Name(name, _) => Some(*name),
                    _ => None,
                }));
                false
            }
            StatementKind::Assert { test, .. } => holds(test.span) || mentions(test, names),
            StatementKind::Branch { test, then, otherwise } => {
                let depends = holds(test.span) || mentions(test, names);
                // That a table has no entry for a card, as a handler says, is no wish for another one.
                (depends && (stops(then, false) || stops(otherwise, false)))
                    || stops_by(then, site, names)
                    || stops_by(otherwise, site, names)
            }
            StatementKind::For { body, .. }
            | StatementKind::While { body, .. }
            | StatementKind::With { body, .. } => stops_by(body, site, names),
            StatementKind::Try { body, otherwise, finally, .. } => {
                [body, otherwise, finally].into_iter().any(|block| stops_by(block, site, names))
            }
            _ => false,
        }
    })
}

/// Whether a condition is about one of the names.
fn mentions(test: &Expr<'_>, names: &[&str]) -> bool {
    match &test.kind {
        ExprKind::Name(name) => names.contains(name),
        ExprKind::Not(inner) => mentions(inner, names),
        ExprKind::All(parts) | ExprKind::Any(parts) => parts.iter().any(|part| mentions(part, names)),
        ExprKind::Compare(_, sides) => mentions(&sides.0, names) || mentions(&sides.1, names),
        ExprKind::Attribute(object, _) => mentions(object, names),
        ExprKind::Call(call) => {
            mentions(&call.callee, names)
                || call.arguments.iter().any(|argument| mentions(&argument.value, names))
        }
        _ => false,
    }
}
