//! Programs that are started several times, in environments that differ in nothing that they ask for: they do the same each
//! time, so only the first is followed.

use super::{Interpreter, Start};
use crate::facts::FileId;
use crate::program::dependency_log::{self, FilesRead};
use crate::program::state::{MASK, ORDER, Reaching, State, TouchedVariables};
use crate::program::trace::{Assurance, EventId, EventKind, FrameId, NOT_NOTED, Recipient, Trace};

/// A program that was followed, and all that this depended on.
pub(super) struct PastRun {
    file: FileId,
    start: Start,
    began: RunStart,
    touched: TouchedVariables,
    /// Whose code was looked at, where somebody asks.
    read: Option<FilesRead>,
    /// It is there once it was judged.
    trace: Option<Trace>,
}

/// How a program begins.
struct RunStart {
    state: State,
    /// How much its launcher noted.
    events: EventId,
    frames: FrameId,
    is_on_machine: bool,
    /// It is told words.
    is_told: bool,
}

impl PastRun {
    /// Gives back the trace of the run, once it was judged.
    pub fn keep(&mut self, trace: Trace) {
        self.trace = Some(trace);
    }
}

impl<'p> Interpreter<'p> {
    /// Follows the program to its end, or takes over what an earlier start of it came to. Returns what is to be known of this
    /// run where the program `starts_again`.
    pub(super) fn follow_or_repeat(&mut self, past: &[PastRun], starts_again: bool) -> Option<PastRun> {
        self.begin();
        if past.iter().any(|past| self.repeat(past)) {
            return None;
        }
        if !starts_again {
            self.follow_begun();
            return None;
        }
        let began = self.run_start();
        self.summaries.begin_program();
        let files = self.program.sources.files.len();
        let read = match dependency_log::is_asked() {
            true => Some(dependency_log::during(files, || self.follow_begun()).1),
            false => {
                self.follow_begun();
                None
            }
        };
        let touched = self.summaries.touched_by_program();
        // What it starts finds all of its environment.
        let is_alone = self.trace.launches.is_empty() && self.trace.commands.is_empty();
        is_alone.then(|| PastRun { file: self.entry, start: self.start, began, touched, read, trace: None })
    }

    fn run_start(&self) -> RunStart {
        RunStart {
            state: self.state.clone(),
            events: self.trace.events.len() as EventId,
            frames: self.trace.frames.len() as FrameId,
            is_on_machine: self.is_on_machine(),
            is_told: self.launch.is_some_and(|launch| !launch.arguments.is_empty()),
        }
    }

    /// Takes over what an earlier run of the program came to, where this one would come to the same; whether it would. Both
    /// have begun.
    fn repeat(&mut self, past: &PastRun) -> bool {
        let Some(trace) = &past.trace else { return false };
        let (began, now) = (&past.began, self.run_start());
        if (past.file, past.start) != (self.entry, self.start)
            || began.is_told != now.is_told
            || past.touched.asks_hidden && began.state.hides_all_gpus() != now.state.hides_all_gpus()
            || past.touched.asks_machine && began.is_on_machine != now.is_on_machine
        {
            return false;
        }
        let Some(earlier) = began.state.unify(&now.state, &past.touched, false) else { return false };
        let event_of = |id: EventId| match id {
            NOT_NOTED => id,
            _ if id >= began.events => id - began.events + now.events,
            _ => earlier.of(id),
        };
        let frame_of = |id: FrameId| if id >= began.frames { id - began.frames + now.frames } else { id };
        let frames = trace.frames[began.frames as usize..].iter().cloned();
        self.trace.frames.extend(frames.map(|mut frame| {
            frame.parent = frame.parent.map(frame_of);
            frame
        }));
        let beside = |variable: &'static str| {
            let is_beside = past.touched.beside.contains(&variable);
            is_beside.then(|| (began.state.reaching(variable), now.state.reaching(variable)))
        };
        let (mask, order) = (beside(MASK), beside(ORDER));
        for event in &trace.events[began.events as usize..] {
            let mut event = event.clone();
            event.frame = frame_of(event.frame);
            event.assured = event.assured.map(|assurance| Assurance {
                since: event_of(assurance.since),
                frame: assurance.frame.map(frame_of),
            });
            let stands = |known: &&(Reaching, Reaching), was: &Reaching| known.0 == *was;
            let mask = mask.as_ref().filter(|known| stands(known, &event.before.mask));
            let order = order.as_ref().filter(|known| stands(known, &event.before.order));
            event.before.renumber(&event_of);
            mask.into_iter().for_each(|(_, now)| event.before.mask.clone_from(now));
            order.into_iter().for_each(|(_, now)| event.before.order.clone_from(now));
            let id = self.trace.events.len() as EventId;
            if matches!(event.what, EventKind::Write { .. }) && event.recipient != Recipient::Program {
                self.trace.writes.push(id);
            }
            self.trace.events.push(event);
            self.note_order(id);
        }
        self.trace.ran.clone_from(&trace.ran);
        self.trace.entered.clone_from(&trace.entered);
        self.trace.units.clone_from(&trace.units);
        self.trace.loaded.clone_from(&trace.loaded);
        self.trace.ended.clone_from(&trace.ended);
        self.trace.cut = trace.cut;
        self.trace.steps = self.trace.events.len();
        if let Some(read) = &past.read {
            dependency_log::note_read(read);
        }
        true
    }
}
