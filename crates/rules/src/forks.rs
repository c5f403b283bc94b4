//! Children that are copies of a parent which had initialised CUDA, and use CUDA themselves.

use super::evaluate::Scope;
use crate::code::walk::{CodeNode, walk};
use crate::code::{Block, Comparison, Expr, ExprKind, StatementKind};
use crate::facts::{Place, Span};
use crate::program::knowledge::Does;
use crate::program::launches::is_notebook_launcher;
use crate::program::trace::{Event, EventId, EventKind};

impl Scope<'_> {
    /// What the child does with CUDA that a fork starts, when the parent had initialised CUDA before; and whether all of
    /// it happens on every path.
    pub(super) fn forked_use(&self, id: EventId, event: &Event) -> Option<(EventId, bool)> {
        let EventKind::Spawn { callee, forks: true } = &event.what else { return None };
        let (earlier, later) = self.trace.events.split_at(id as usize);
        let armed =
            |one: &&Event| !one.in_child && one.what.initialises_cuda() && !self.trace.excludes(one, event);
        let parent = earlier
            .iter()
            .rev()
            .find(|one| armed(one) && one.certain)
            .or(earlier.iter().rev().find(armed))?;
        // accelerate asks whether torch has begun with CUDA, and starts nothing then.
        if is_notebook_launcher(callee)
            && let Some(begun) = earlier.iter().rev().find(|one| armed(one) && begins_with_torch(&one.what))
        {
            return Some((id, begun.certain && event.certain));
        }
        let blocks =
            if callee.starts_with("multiprocessing") { Vec::new() } else { self.blocks_of_child(event) };
        let mut last = callee.as_str();
        for (offset, one) in later.iter().enumerate() {
            if let EventKind::Spawn { callee: next, .. } = &one.what {
                // The workers of a dataset's `map` are there for this call alone.
                if callee.starts_with("datasets.") && offset > 0 {
                    return None;
                }
                last = next;
            }
            if !uses(&one.what) {
                continue;
            }
            let runs_there = one.in_child && (last == callee || is_task_of(last, callee));
            let in_child = runs_there || (!one.in_child && self.lies_in(one, &blocks));
            if in_child && !self.trace.excludes(event, one) {
                let certain = parent.certain && event.certain && one.certain;
                return Some((id + offset as EventId, certain));
            }
        }
        None
    }

    /// The blocks that only the child of an `os.fork()` runs: `if pid == 0:` behind `pid = os.fork()` or `pid: int = os.fork()`.
    fn blocks_of_child(&self, fork: &Event) -> Vec<Place> {
        let file = fork.place.file;
        let text = |span: Span| self.program.text(Place { file, span });
        let bound = text(fork.statement.span).split(['=', ':']).next().unwrap_or_default().trim();
        let is_pid = |expr: &Expr<'_>| {
            let written = text(expr.span);
            written == bound || written.contains(text(fork.place.span))
        };
        let mut blocks = Vec::new();
        walk(self.program.code(file), &mut |part, _| {
            let CodeNode::Statement(step) = part else { return };
            let StatementKind::Branch { test, then, otherwise } = &step.kind else { return };
            let child = match &test.kind {
                ExprKind::Compare(Comparison::Equal, pair) if is_pid(&pair.0) && is_zero(&pair.1) => then,
                ExprKind::Compare(Comparison::NotEqual | Comparison::Greater, pair)
                    if is_pid(&pair.0) && is_zero(&pair.1) =>
                {
                    otherwise
                }
                ExprKind::Not(inner) if is_pid(inner) => then,
                _ if is_pid(test) => otherwise,
                _ => return,
            };
            blocks.extend(span_of(child).map(|span| Place { file, span }));
        });
        blocks
    }

    /// Whether an event, or a call that leads to it, lies in one of these blocks.
    fn lies_in(&self, event: &Event, blocks: &[Place]) -> bool {
        let within = |place: Place| {
            blocks.iter().any(|block| {
                block.file == place.file
                    && block.span.start <= place.span.start
                    && place.span.end <= block.span.end
            })
        };
        !blocks.is_empty()
            && (within(event.place)
                || self.trace.outwards(event.frame).filter_map(|frame| frame.site).any(within))
    }
}

fn is_zero(expr: &Expr<'_>) -> bool {
    matches!(expr.kind, ExprKind::Int(0))
}

/// From the first statement of a block to its last; `None` of one that is empty.
pub(super) fn span_of(block: &Block<'_>) -> Option<Span> {
    Some(Span { start: block.first()?.span.start, end: block.last()?.span.end })
}

/// `multiprocessing.Pool().map` runs in the workers that `multiprocessing.Pool` started.
fn is_task_of(task: &str, pool: &str) -> bool {
    task.strip_prefix(pool).is_some_and(|rest| rest.starts_with("()."))
}

/// Whether torch's own state of CUDA is there from a call on.
fn begins_with_torch(what: &EventKind) -> bool {
    matches!(what, EventKind::Call { does, .. } if does.contains(&Does::TorchInit))
}

/// Whether a call needs CUDA, beyond asking whether it is there.
fn uses(what: &EventKind) -> bool {
    let EventKind::Call { callee, does, .. } = what else { return false };
    let is_torch = callee.starts_with("torch.") || !callee.contains('.');
    does.iter().any(|one| matches!(one, Does::TorchInit | Does::Allocate))
        || (!is_torch && does.contains(&Does::CudaInit) && !does.contains(&Does::Query))
}
