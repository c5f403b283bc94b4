//! The events of a trace by their kinds, so that a rule goes through those that it may be about and not through all.

use super::schema::{EventKind, Find};
use crate::program::trace::{Event, EventId, What};
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

fn kinds_of(what: &What) -> &'static [Kind] {
    match what {
        What::Import { .. } => &[Kind::Import, Kind::Use],
        What::Call { .. } => &[Kind::Call, Kind::Use],
        What::Launch { .. } | What::End => &[Kind::Use],
        What::Write { .. } => &[Kind::Write],
        What::Refuse { .. } => &[Kind::Refuse],
        What::Spawn { .. } => &[Kind::Spawn],
        What::Select { .. } => &[Kind::Select],
        What::Observed { .. } => &[Kind::Observed],
        What::Validate { .. } | What::Remove { .. } | What::Restore { .. } | What::Release { .. } => &[],
    }
}

fn kind_looked_for(wanted: EventKind) -> Option<Kind> {
    match wanted {
        EventKind::GpuUse | EventKind::GpuChoice => Some(Kind::Use),
        EventKind::Write => Some(Kind::Write),
        EventKind::RefusedWrite => Some(Kind::Refuse),
        EventKind::SelectDevice | EventKind::SpreadOverDevices => Some(Kind::Select),
        EventKind::ForbiddenImport | EventKind::ReachedImport | EventKind::InitialisingImport => {
            Some(Kind::Import)
        }
        EventKind::GpuLoad
        | EventKind::TestLoad
        | EventKind::QueryAtImport
        | EventKind::ObjectAtImport
        | EventKind::CallAtDefinition => Some(Kind::Call),
        EventKind::Spawn => Some(Kind::Spawn),
        EventKind::Observed => Some(Kind::Observed),
        EventKind::Suppression => None,
    }
}
