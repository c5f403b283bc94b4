//! The events of a trace by their kinds, so that a rule goes through those that it may be about and not through all.

use super::schema::{EventSelector, Find};
use crate::program::trace::{Event, EventId, EventKind};
use std::borrow::Cow;

#[derive(Clone, Copy)]
enum Kind {
    Import,
    Call,
    /// What may take a GPU, or start somebody who does.
    Use,
    Write,
    Refuse,
    Spawn,
    Select,
    Observed,
}

const KINDS: usize = Kind::Observed as usize + 1;

#[derive(Default)]
pub(super) struct EventsByKind([Vec<EventId>; KINDS]);

impl EventsByKind {
    pub fn of(events: &[Event]) -> Self {
        let mut by_kind = EventsByKind::default();
        for (id, event) in events.iter().enumerate() {
            for &kind in kinds_of(&event.what) {
                by_kind.0[kind as usize].push(id as EventId);
            }
        }
        by_kind
    }

    /// The events that a rule may be about, in order.
    pub fn for_rule(&self, find: &Find) -> Cow<'_, [EventId]> {
        let Some(kind) = find.event.and_then(kind_looked_for) else { return Cow::Borrowed(&[]) };
        let own = &self.0[kind as usize];
        let observed = &self.0[Kind::Observed as usize];
        if find.or_observed.is_empty() || observed.is_empty() {
            return Cow::Borrowed(own);
        }
        let mut both = [own.as_slice(), observed].concat();
        both.sort_unstable();
        Cow::Owned(both)
    }
}

fn kinds_of(what: &EventKind) -> &'static [Kind] {
    match what {
        EventKind::Import { .. } => &[Kind::Import, Kind::Use],
        EventKind::Call { .. } => &[Kind::Call, Kind::Use],
        EventKind::Launch { .. } | EventKind::End => &[Kind::Use],
        EventKind::Write { .. } => &[Kind::Write],
        EventKind::Refuse { .. } => &[Kind::Refuse],
        EventKind::Spawn { .. } => &[Kind::Spawn],
        EventKind::Select { .. } => &[Kind::Select],
        EventKind::Observed { .. } => &[Kind::Observed],
        EventKind::Validate { .. }
        | EventKind::Remove { .. }
        | EventKind::Restore { .. }
        | EventKind::Release { .. } => &[],
    }
}

fn kind_looked_for(wanted: EventSelector) -> Option<Kind> {
    match wanted {
        EventSelector::GpuUse | EventSelector::GpuChoice => Some(Kind::Use),
        EventSelector::Write => Some(Kind::Write),
        EventSelector::RefusedWrite => Some(Kind::Refuse),
        EventSelector::SelectDevice | EventSelector::SpreadOverDevices => Some(Kind::Select),
        EventSelector::ForbiddenImport | EventSelector::ReachedImport | EventSelector::InitialisingImport => {
            Some(Kind::Import)
        }
        EventSelector::GpuLoad
        | EventSelector::LoadBeforeOwnGpu
        | EventSelector::TestLoad
        | EventSelector::QueryAtImport
        | EventSelector::ObjectAtImport
        | EventSelector::CallAtDefinition => Some(Kind::Call),
        EventSelector::Spawn => Some(Kind::Spawn),
        EventSelector::Observed => Some(Kind::Observed),
        EventSelector::Suppression => None,
    }
}
