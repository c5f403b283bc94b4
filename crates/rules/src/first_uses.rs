//! Where a program first uses a GPU: what counts for the choice of a card, and what for the order of things.

use super::evaluate::Scope;
use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::facts::{FileId, Place, Span};
use crate::program::trace::{Event, EventId, EventKind};
use crate::program::{FirstOccurrence, MASK, ORDER, Program};
use rustc_hash::FxHashSet;

impl Scope<'_> {
    /// Whether the event may be the first on some path for which it matters which GPU the process gets. Queries and what
    /// reaches `cuInit` in passing take none.
    pub(super) fn is_first_use(&self, id: EventId, event: &Event) -> bool {
        let imports_count = self.policy.gpu.is_some();
        if self.is_first_import(event) {
            return true;
        }
        event.what.takes_gpu()
            && (!imports_count || is_fresh(event.before.library))
            && self.first_uses().binary_search(&id).is_ok()
            && !self.is_chosen_late(id, event)
            && self.is_looked_at(event)
            && !self.waits_for_group(event)
    }

    /// Whether an event happens in a group of processes alone, `if dist.is_initialized():`, and lies in a test whose modules
    /// make none.
    fn waits_for_group(&self, event: &Event) -> bool {
        if event.certain || self.trace.test_of(event).is_none() || self.makes_group() {
            return false;
        }
        let sites = self.trace.outwards(event.frame).filter_map(|frame| frame.site);
        std::iter::once(event.place).chain(sites).any(|place| self.is_for_group(place))
    }

    /// Whether a module of the program makes a group of processes, by itself or on its way.
    fn makes_group(&self) -> bool {
        const MAKING: &[&str] =
            &["init_process_group", "init_distributed", "Accelerator(", "PartialState(", "Trainer("];
        let makes = |file: &FileId| {
            let text = &self.program.sources.file(*file).text;
            MAKING.iter().any(|word| text.contains(word))
        };
        *self.makes_group.get_or_init(|| self.trace.entered.iter().any(makes))
    }

    /// Whether an expression lies in a branch that a process enters as a member of a group.
    fn is_for_group(&self, place: Place) -> bool {
        let mut known = self.for_group.borrow_mut();
        let for_group =
            known.entry(place.file).or_insert_with(|| expressions_for_group(self.program, place.file));
        for_group.contains(&place.span)
    }

    /// Whether the event is an import that counts as the first use, under a policy.
    pub(super) fn is_first_import(&self, event: &Event) -> bool {
        self.policy.gpu.is_some()
            && event.what.imports_gpu_library()
            && is_fresh(event.before.cuda)
            && is_fresh(event.before.library)
            && self.is_looked_at(event)
    }

    /// Whether the event may be the one at which CUDA reads the mask.
    pub(super) fn reads_mask(&self, event: &Event) -> bool {
        event.what.initialises_cuda() && is_fresh(event.before.cuda) && self.is_looked_at(event)
    }

    /// Whether the event is the first to take a GPU behind a mask that was set too late: what it says is wrong for itself.
    pub(super) fn takes_late_choice(&self, id: EventId, event: &Event) -> bool {
        event.what.takes_gpu()
            && self.last_late_choice(id, event).is_some_and(|write| {
                !self.trace.events[write as usize + 1..id as usize].iter().any(|other| other.what.takes_gpu())
            })
            && self.is_looked_at(event)
    }

    fn is_looked_at(&self, event: &Event) -> bool {
        !self.trace.own_uses_only || Some(event.place.file) == self.trace.entry
    }

    /// Whether the mask or the order was set between `cuInit` and the event: that comes too late, and is told there.
    fn is_chosen_late(&self, id: EventId, event: &Event) -> bool {
        self.last_late_choice(id, event).is_some()
    }

    fn last_late_choice(&self, id: EventId, event: &Event) -> Option<EventId> {
        let cuda = event.before.cuda?;
        let writes = self.trace.writes.iter().rev().copied();
        writes.filter(|&write| cuda.event < write && write < id).find(|&write| {
            let late = self.trace.event(write);
            let chooses = |variable: &str| variable == MASK || variable == ORDER;
            matches!(&late.what, EventKind::Write { variable, .. } if chooses(variable))
                && late.in_child == event.in_child
                && !self.trace.excludes(late, event)
                && !self.is_for_child(write)
        })
    }

    fn first_uses(&self) -> &[EventId] {
        self.first_uses.get_or_init(|| {
            let (mut first, mut certain): (Vec<EventId>, Vec<&Event>) = (Vec::new(), Vec::new());
            for (id, event) in
                self.trace.events.iter().enumerate().filter(|(_, event)| event.what.takes_gpu())
            {
                let is_before = |earlier: &&Event| {
                    earlier.in_child == event.in_child && !self.trace.excludes(earlier, event)
                };
                if certain.iter().rev().any(is_before) {
                    continue;
                }
                first.push(id as EventId);
                certain.extend(event.certain.then_some(event));
            }
            first
        })
    }
}

/// The expressions of a file in branches that ask whether the process is a member of a group.
fn expressions_for_group(program: &Program, file: FileId) -> FxHashSet<Span> {
    const ASKS: &[&str] = &["dist.is_initialized()", "distributed.is_initialized()"];
    let asks = |text: &str| ASKS.iter().any(|word| text.contains(word));
    let mut found = FxHashSet::default();
    if !asks(&program.sources.file(file).text) {
        return found;
    }
    walk(program.code(file), &mut |part, around| {
        let CodeNode::Expr(expr) = part else { return };
        let is_asked = around.iter().any(|one| match one {
            Ancestor::Then(test) => {
                let text = program.text(Place { file, span: test.span });
                !["not ", " or "].iter().any(|word| text.contains(word)) && asks(text)
            }
            _ => false,
        });
        if is_asked {
            found.insert(expr.span);
        }
    });
    found
}

/// Whether something did not happen yet on some path.
fn is_fresh(happened: Option<FirstOccurrence>) -> bool {
    happened.is_none_or(|happened| !happened.certain)
}
