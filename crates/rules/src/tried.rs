//! What is only tried: code that goes on with something else where a call fails.

use super::evaluate::Scope;
use crate::code::{Block, Expr, Handler, StatementKind};
use crate::facts::{Place, Span};
use crate::program::trace::{Event, EventKind, FrameId};

/// Errors that a call raises whose device is not there.
const CAUGHT: &[&str] = &["AcceleratorError", "BaseException", "Exception", "IndexError", "RuntimeError"];

/// Calls by which one GPU reaches the memory of another.
const PEERS: &[&str] =
    &["enable_peer_access(", "can_access_peer(", "memcpy_peer", "memcpyPeer", "deviceEnablePeerAccess("];

impl Scope<'_> {
    /// Whether a file of settings among the tests says so: they read it, and most put their own values in the place of its.
    pub(super) fn is_test_data(&self, event: &Event) -> bool {
        let mut folders = self.program.name_of(event.place.file).rsplit('/').skip(1);
        let words =
            |name: &str| name.split(['_', '-']).any(|word| matches!(word, "test" | "tests" | "testdata"));
        !self.program.language_at(event.place).has_programs() && folders.any(words)
    }

    /// Whether the error of a call for a device that is not there is caught, and not raised again: where the call stands, or
    /// around one of the calls that lead to it.
    pub(super) fn is_tried(&self, event: &Event) -> bool {
        let frame_of = |id: FrameId| &self.trace.frames[id as usize];
        let calls = self.trace.outwards(event.frame);
        let calls = calls.filter_map(|frame| Some((frame_of(frame.parent?), frame.statement?)));
        std::iter::once((frame_of(event.frame), event.statement))
            .chain(calls)
            .any(|(frame, call)| self.is_caught(self.program.block_of(frame), call))
    }

    /// Whether TensorFlow takes another device where there is none with this number: so does version 2, and a session that
    /// is told to.
    pub(super) fn is_placed_softly(&self, event: &Event) -> bool {
        if !matches!(&event.what, EventKind::Select { by, .. } if by == "tensorflow.device()") {
            return false;
        }
        let text = self.program.text_of(event.place.file);
        let says = |words: &str| text.contains(words);
        let is_told = || says("allow_soft_placement=True") || says("allow_soft_placement = True");
        !says("set_soft_device_placement(False)") && (!says("Session(") || is_told())
    }

    /// Whether the path of the file says that it is for several GPUs, or it copies from one to another, or the statement takes
    /// the first one as well, as where the layers of a model are spread.
    pub(super) fn is_named_for_several(&self, event: &Event) -> bool {
        let name = self.program.name_of(event.place.file).to_ascii_lowercase().replace(['_', '-', ' '], "");
        let takes_first = |other: &Event| {
            other.place == event.place && matches!(other.what, EventKind::Select { index: Some(0), .. })
        };
        ["multigpu", "mgpu", "modelparallel", "pipelineparallel"].iter().any(|words| name.contains(words))
            || PEERS.iter().any(|words| self.program.files_with(words).contains(&event.place.file))
            || self.trace.events.iter().any(takes_first)
    }

    /// Whether a `try` of this block, or of one in it, catches what a call raises.
    fn is_caught(&self, block: &Block<'_>, call: Place) -> bool {
        let catches = |handler: &Handler<'_>| {
            let fits = |caught: &Expr<'_>| {
                let text = self.program.text(Place { file: call.file, span: caught.span });
                CAUGHT.contains(&text.rsplit('.').next().unwrap_or(text))
            };
            (handler.types.is_empty() || handler.types.iter().any(fits)) && !self.ends(call, &handler.body)
        };
        block.iter().any(|step| {
            let tries = match &step.kind {
                StatementKind::Try { body, handlers, .. } => {
                    holds(body, call.span) && handlers.iter().any(catches)
                }
                _ => false,
            };
            tries || step.kind.blocks().into_iter().any(|block| self.is_caught(block, call))
        })
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

/// Whether a call stands in a block, or in one of those in it.
fn holds(block: &Block<'_>, call: Span) -> bool {
    block
        .iter()
        .any(|step| step.span.holds(call) || step.kind.blocks().into_iter().any(|block| holds(block, call)))
}
