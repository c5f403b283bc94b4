//! Events of a call, kept for other programs than the one in which it was followed.

use super::Effects;
use super::copies::{Copies, Shared};
use crate::program::state::{Definition, Reaching, State};
use crate::program::trace::{Event, EventId, Frame, NOT_NOTED, Trace};

/// What a call noted in a trace.
#[derive(Default)]
pub struct Record {
    pub events: Shared<Event>,
    pub frames: Shared<Frame>,
    /// Arms of branches in it that end the program.
    pub ended: Vec<(u32, u32)>,
    /// Some of its events say where something else happened before.
    pub names_places: bool,
}

/// A call that noted more is followed again in another program: each call around it has these events too.
const MOST_EVENTS: usize = 10_000;

/// A trace that is over, with what was copied of it.
pub(crate) struct Past<'t> {
    pub trace: &'t Trace,
    pub ended: &'t [(u32, u32)],
    events: Copies<Event>,
    frames: Copies<Frame>,
}

impl<'t> Past<'t> {
    pub fn new(trace: &'t Trace, ended: &'t [(u32, u32)]) -> Self {
        Past { trace, ended, events: Copies::default(), frames: Copies::default() }
    }
}

impl Record {
    /// Copies what a call noted; `None` where it cannot be understood without the rest of the trace.
    pub fn of<'d>(
        effects: &Effects,
        past: &mut Past<'_>,
        mut states: impl Iterator<Item = &'d State>,
    ) -> Option<Record> {
        let (noted, trace) = (&effects.noted, past.trace);
        let (first, frames) = (noted.events.start, noted.frames.start as usize..noted.frames.end as usize);
        if noted.events.len() > MOST_EVENTS || frames.end > trace.frames.len() {
            return None;
        }
        let events = trace.events.get(first as usize..noted.events.end as usize)?;
        let frames = &trace.frames[frames];
        let ended = past.ended.get(noted.ended.clone())?;
        let is_inner = |(branch, _): &(u32, u32)| *branch > noted.branches.start;
        let before = ids_of(&effects.entry);
        let is_known = |id: EventId| id == NOT_NOTED || id >= first || before.contains(&id);
        let stands_alone = |event: &Event| {
            let is_inside = event.frame >= noted.frames.start || event.frame == noted.caller;
            let arms = event.arms.get(effects.path.len()..);
            is_inside && arms.is_some_and(|arms| arms.iter().all(is_inner)) && ids_in(event).all(is_known)
        };
        let is_hung = |frame: &Frame| {
            frame.parent.is_some_and(|parent| parent >= noted.frames.start || parent == noted.caller)
        };
        let is_complete = events.iter().all(stands_alone)
            && frames.iter().all(is_hung)
            && ended.iter().all(is_inner)
            && ids_of(&effects.exit).into_iter().all(is_known)
            && states.all(|state| ids_of(state).into_iter().all(is_known));
        is_complete.then(|| Record {
            events: past.events.share(&trace.events, noted.events.clone()),
            frames: past.frames.share(&trace.frames, noted.frames.clone()),
            ended: ended.to_vec(),
            names_places: events.iter().any(|event| !event.before.late.is_empty()),
        })
    }
}

/// The events that a state names.
fn ids_of(state: &State) -> Vec<EventId> {
    let variables = state.variables().flat_map(|(_, reaching)| ids(reaching));
    let milestones = state.milestones.all().flat_map(|passed| passed.then.iter().flat_map(ids));
    let happened = state.cuda.into_iter().chain(state.library).map(|happened| happened.event);
    variables.chain(milestones).chain(happened).collect()
}

/// The earlier events that an event names.
fn ids_in(event: &Event) -> impl Iterator<Item = EventId> {
    let before = &event.before;
    let variables = [&before.mask, &before.order, &before.written].into_iter().flat_map(ids);
    let happened = before.cuda.into_iter().chain(before.library).map(|happened| happened.event);
    variables.chain(happened).chain(before.rival.as_ref().map(|(event, _)| *event))
}

fn ids(reaching: &Reaching) -> impl Iterator<Item = EventId> {
    reaching.iter().filter_map(|definition| match definition {
        Definition::Set(event, _) | Definition::Removed(event) => Some(*event),
        Definition::Unset | Definition::Elsewhere => None,
    })
}
