//! What is only tried: code that goes on with something else where a call fails.

use super::evaluate::Scope;
use crate::code::walk::{CodeNode, walk};
use crate::code::{Block, Expr, Handler, StatementKind};
use crate::facts::Place;
use crate::program::trace::Event;

/// Errors that a call raises whose device is not there.
const CAUGHT: &[&str] = &["AcceleratorError", "BaseException", "Exception", "IndexError", "RuntimeError"];

impl Scope<'_> {
    /// Whether the error of a call for a device that is not there is caught, and not raised again: where the call stands, or
    /// around one of the calls that lead to it.
    pub(super) fn is_tried(&self, event: &Event) -> bool {
        let calls = self.trace.outwards(event.frame).filter_map(|frame| frame.statement);
        std::iter::once(event.statement).chain(calls).any(|call| self.is_caught(call))
    }

    fn is_caught(&self, call: Place) -> bool {
        let inside = |block: &Block<'_>| {
            block.iter().any(|step| step.span.start <= call.span.start && call.span.end <= step.span.end)
        };
        let catches = |handler: &Handler<'_>| {
            let fits = |caught: &Expr<'_>| {
                let text = self.program.text(Place { file: call.file, span: caught.span });
                CAUGHT.contains(&text.rsplit('.').next().unwrap_or(text))
            };
            (handler.types.is_empty() || handler.types.iter().any(fits)) && !self.ends(call, &handler.body)
        };
        let mut tried = false;
        walk(self.program.code(call.file), &mut |part, _| {
            let CodeNode::Statement(step) = part else { return };
            if let StatementKind::Try { body, handlers, .. } = &step.kind {
                tried |= inside(body) && handlers.iter().any(catches);
            }
        });
        tried
    }

    /// Whether a handler raises or leaves the program somewhere.
    fn ends(&self, call: Place, block: &Block<'_>) -> bool {
        block.iter().any(|step| {
            let exits = || {
                let text = self.program.text(Place { file: call.file, span: step.span });
                ["exit(", "_exit(", "fail(", "skip("].iter().any(|word| text.contains(word))
            };
            matches!(step.kind, StatementKind::Raise { .. })
                || matches!(step.kind, StatementKind::Evaluate(_)) && exits()
                || step.kind.blocks().into_iter().any(|block| self.ends(call, block))
        })
    }
}
