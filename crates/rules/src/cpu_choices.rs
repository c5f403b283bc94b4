//! Programs that choose the CPU where there is no GPU, and calls in them that need one all the same.

use super::analyses::hard_cuda;
use super::evaluate::Scope;
use super::files::FileScope;
use super::gpu_questions;
use crate::code::walk::{Ancestor, CodeNode, walk, within_function};
use crate::facts::FileId;
use crate::program::Names;
use crate::program::trace::{Event, EventKind};
use crate::sources::folder_of;

/// What asks for a GPU.
const QUESTION: &str = "torch.cuda.is_available";

impl Scope<'_> {
    /// Whether a call that surely happens says CUDA, whatever there is, in a program that moves other things to a device which
    /// is the CPU where there is no GPU.
    pub(super) fn needs_gpu_despite_choice(&self, event: &Event) -> bool {
        let EventKind::Call { callee, .. } = &event.what else { return false };
        let is_of_torch = callee.starts_with("torch.") || matches!(callee.as_str(), "to" | "cuda");
        is_of_torch
            && !event.may_be_passed
            && !event.only_if_called
            && !event.in_child
            && self.trace.test_of(event).is_none()
            && self.promises_cpu(event)
            && self.in_file(event.place.file, |scope| is_hard(scope, event))
            && (event.certain || self.is_in_loops_only(event))
    }

    /// Whether nothing but loops stands around an event and around the calls that led to it: it happens with the first turn.
    fn is_in_loops_only(&self, event: &Event) -> bool {
        let sites = self.trace.outwards(event.frame).filter_map(|frame| frame.site);
        std::iter::once(event.place).chain(sites).all(|place| {
            self.in_file(place.file, |scope| {
                let mut straight = true;
                walk(scope.code, &mut |part, around| {
                    if matches!(part, CodeNode::Expr(expr) if expr.span == place.span) {
                        straight &= !within_function(around).1.iter().any(|one| may_skip(scope, one));
                    }
                });
                straight
            })
        })
    }

    /// Whether a file of the program chooses the CPU where there is no GPU. What a library beside it chooses promises nothing for the
    /// file that is started.
    fn promises_cpu(&self, event: &Event) -> bool {
        let name_of = |file: FileId| self.program.name_of(file);
        let beside = self
            .trace
            .entry
            .filter(|entry| *entry == event.place.file)
            .map(|entry| folder_of(name_of(entry)));
        let choosing = self.cpu_choice.get_or_init(|| self.choosing_cpu());
        choosing.iter().any(|file| beside.is_none_or(|folder| lies_in(name_of(*file), folder)))
    }

    /// The files in which the program asks for a GPU and has the CPU for an answer; none where it moves nothing to what it chose.
    fn choosing_cpu(&self) -> Vec<FileId> {
        let events = || self.trace.events.iter().filter(|event| !event.in_child);
        let mut asking: Vec<FileId> = Vec::new();
        for event in events() {
            let asks = matches!(&event.what, EventKind::Call { callee, .. } if callee == QUESTION);
            if asks && event.surely_happens() && !asking.contains(&event.place.file) {
                asking.push(event.place.file);
            }
        }
        let is_move = |event: &Event| {
            let is_it = matches!(&event.what, EventKind::Call { callee, .. } if callee == "to" || callee.starts_with("torch."));
            is_it
                && event.what.takes_gpu()
                && !event.certain
                && self.program.text(event.place).contains("device")
        };
        if asking.is_empty() || !events().any(is_move) {
            return Vec::new();
        }
        asking.retain(|file| self.in_file(*file, gpu_questions::choose_cpu));
        asking
    }

    pub(super) fn in_file<R>(&self, file: FileId, look: impl FnOnce(&FileScope<'_>) -> R) -> R {
        let names = Names::of(self.program, file);
        look(&FileScope::of(self.program, self.policy, file, &names))
    }
}

/// Whether a file lies in a folder or below it.
fn lies_in(name: &str, folder: &str) -> bool {
    folder.is_empty() || folder == "." || name.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// Whether code may leave out, or survive, what stands there; `if __name__ == "__main__":` does not.
fn may_skip(scope: &FileScope<'_>, around: &Ancestor<'_, '_>) -> bool {
    match around {
        Ancestor::Then(test) | Ancestor::Otherwise(test) => !scope.text(test.span).contains("__name__"),
        Ancestor::Try(_) | Ancestor::Handler(..) | Ancestor::TryElse(_) => true,
        _ => false,
    }
}

/// Whether the call is written for CUDA, and nothing around it asks.
fn is_hard(scope: &FileScope<'_>, event: &Event) -> bool {
    let mut hard = false;
    scope.each_call(&mut |expr, call, around| {
        hard |= expr.span == event.place.span
            && hard_cuda::needs_cuda(call, scope)
            && !hard_cuda::is_asked(around, expr.span, scope);
    });
    hard && !hard_cuda::ends_without(scope)
}
