//! What the programs of a project do each time: where most of them do it, the others are not meant to be exceptions.

use super::state::{Definition, Reaching};
use super::trace::{Event, EventId, Trace};
use crate::facts::FileId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What one program does about the choice of a GPU, and its tests about memory.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Habits {
    uses_gpu: bool,
    /// CUDA_VISIBLE_DEVICES is surely set where a GPU is first used.
    sets_mask: bool,
    /// CUDA_DEVICE_ORDER is.
    sets_order: bool,
    /// Tests that put memory on the GPU, and those of them after which something that several share cleans up.
    tests: u32,
    cleaned: u32,
}

/// What most programs of a project may do alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Convention {
    /// They set CUDA_VISIBLE_DEVICES before they use a GPU, or their launchers do.
    SetMask,
    /// The same of CUDA_DEVICE_ORDER.
    SetOrder,
    /// Their tests clean up by something that is not the test itself.
    CleanUp,
}

impl Habits {
    /// `for_tests`: a file lies among tests. The card that a test gives to what it starts says nothing of how that is started else.
    pub fn of(trace: &Trace, for_tests: impl Fn(FileId) -> bool) -> Habits {
        let uses = trace.events.iter().filter(|event| event.what.initialises_cuda());
        let first: Vec<&Event> = uses.filter(|event| !event.before.is_after_cuda()).collect();
        let is_test = trace.entry.is_some_and(&for_tests);
        let is_own = |&id: &EventId| {
            let given = trace.events.get(id as usize).filter(|_| id < trace.inherited && !is_test);
            given.is_none_or(|write| !for_tests(write.place.file))
        };
        let is_set = |reaching: &Reaching| {
            reaching.iter().all(|one| matches!(one, Definition::Set(write, _) if is_own(write)))
        };
        // One that hides every GPU from itself chooses none.
        let is_hidden = !first.is_empty() && first.iter().all(|event| hides_all(&event.before.mask));
        let uses_gpu = !is_hidden && trace.events.iter().any(|event| event.what.takes_gpu());
        let (tests, cleaned) = tests_of(trace);
        Habits {
            uses_gpu,
            sets_mask: uses_gpu && first.iter().all(|event| is_set(&event.before.mask)),
            sets_order: uses_gpu && first.iter().all(|event| is_set(&event.before.order)),
            tests,
            cleaned,
        }
    }

    /// Of a program that is started in another way too.
    pub fn join(&mut self, other: Habits) {
        self.sets_mask = (self.sets_mask || !self.uses_gpu) && (other.sets_mask || !other.uses_gpu);
        self.sets_order = (self.sets_order || !self.uses_gpu) && (other.sets_order || !other.uses_gpu);
        self.uses_gpu |= other.uses_gpu;
        self.tests = self.tests.max(other.tests);
        self.cleaned = self.cleaned.max(other.cleaned);
    }
}

impl Convention {
    /// Whether at least half of all keep to it, and some do. Many tests that do not clean up are no exceptions, unless nine
    /// in ten do.
    pub(super) fn is_kept<'h>(self, all: impl Iterator<Item = &'h Habits>) -> bool {
        const SOME: u32 = 3;
        const FEW: u32 = 10;
        let (mut could, mut do_so) = (0, 0);
        for habits in all {
            let (can, does) = match self {
                Convention::SetMask => (habits.uses_gpu.into(), (habits.uses_gpu && habits.sets_mask).into()),
                Convention::SetOrder => {
                    (habits.uses_gpu.into(), (habits.uses_gpu && habits.sets_order).into())
                }
                Convention::CleanUp => (habits.tests, habits.cleaned),
            };
            could += can;
            do_so += does;
        }
        let is_usual = match self {
            Convention::CleanUp => could - do_so <= FEW || 10 * do_so >= 9 * could,
            Convention::SetMask | Convention::SetOrder => true,
        };
        do_so >= SOME && 2 * do_so >= could && is_usual
    }
}

/// Whether a mask leaves no GPU, on every path.
fn hides_all(mask: &Reaching) -> bool {
    mask.iter().all(|one| matches!(one, Definition::Set(_, Some(value)) if matches!(value.trim(), "" | "-1")))
}

/// How many tests put memory on the GPU, and behind how many of them shared code gives it back whatever is raised.
fn tests_of(trace: &Trace) -> (u32, u32) {
    let mut tests: BTreeMap<_, bool> = BTreeMap::new();
    let releases: Vec<(usize, &Event)> = trace
        .events
        .iter()
        .enumerate()
        .filter(|(_, event)| event.assured.is_some() && event.what.releases())
        .collect();
    for (id, event) in trace.events.iter().enumerate() {
        let Some(test) = trace.test_of(event).filter(|_| event.what.loads() && !event.in_child) else {
            continue;
        };
        let is_shared = |release: &Event| {
            let frame = &trace.frames[release.frame as usize];
            (frame.file, frame.number) != (test.file, test.number)
        };
        let behind = &releases[releases.partition_point(|(at, _)| *at <= id)..];
        let is_cleaned =
            behind.iter().any(|(_, release)| is_shared(release) && trace.assures(release, id as u32));
        *tests.entry((test.file, test.number)).or_insert(true) &= is_cleaned;
    }
    let cleaned = tests.values().filter(|cleaned| **cleaned).count();
    (tests.len() as u32, cleaned as u32)
}
