//! Programs that may start others are followed before these. What they come to holds as long as they are started in the
//! same way.

use super::budget::{files_of, starts_again};
use super::interpreter::{Interpreter, Worker};
use super::launches::{Launch, Launched};
use super::result_cache::{ProgramFinding, ProgramResult, ResultCache};
use super::trace::Trace;
use super::{Coverage, Program, Start};
use crate::sources::Digest;
use rustc_hash::FxHashMap;
use std::sync::{Mutex, PoisonError};

/// What a program came to.
pub(super) struct First<T> {
    pub judged: Vec<T>,
    pub ran: Coverage,
    pub steps: usize,
    pub is_cut: bool,
}

/// What all of them came to.
pub(super) struct LaunchingPrograms<T> {
    pub launches: Vec<Launch>,
    /// By the digests of the programs; those that an earlier check knows are not among them.
    pub came: FxHashMap<Digest, First<T>>,
}

impl<T> Default for LaunchingPrograms<T> {
    fn default() -> Self {
        LaunchingPrograms { launches: Vec::new(), came: FxHashMap::default() }
    }
}

impl<T> LaunchingPrograms<T> {
    pub fn add(&mut self, more: LaunchingPrograms<T>) {
        self.launches.extend(more.launches);
        self.came.extend(more.came);
    }
}

impl Program<'_> {
    /// Follows and judges programs, unless an earlier check says what they start.
    pub(super) fn follow_first<T: ProgramFinding>(
        &mut self,
        programs: &[Launched<'_>],
        judge: &(impl Fn(&Program<'_>, &Trace, Start) -> Vec<T> + Sync),
        memory: Option<&ResultCache<T>>,
    ) -> LaunchingPrograms<T> {
        let most = self.budget.one;
        let earlier = |launched| memory?.of(self, launched).filter(|came| came.is_reached_by(most));
        let earlier: Vec<Option<&ProgramResult>> = programs.iter().map(earlier).collect();
        let unknown = programs.iter().zip(&earlier).filter(|(_, earlier)| earlier.is_none());
        self.load_for(unknown.map(|((file, ..), _)| *file).collect());
        self.follow_loaded(programs, &earlier, judge, memory)
    }

    fn follow_loaded<'p, T: ProgramFinding>(
        &'p self,
        programs: &'p [Launched<'p>],
        earlier: &[Option<&ProgramResult>],
        judge: &(impl Fn(&Program<'_>, &Trace, Start) -> Vec<T> + Sync),
        memory: Option<&ResultCache<T>>,
    ) -> LaunchingPrograms<T> {
        let came = Mutex::new(FxHashMap::default());
        let follow = |worker: &mut Worker<'p>, index: usize| {
            if let Some(came) = earlier[index] {
                return came.launches().to_vec();
            }
            let launched = &programs[index];
            let (file, start, launch) = *launched;
            let run = Interpreter::new(self, file, start).launched_by(launch);
            let follow = || worker.follow(run, starts_again(programs, index));
            let (trace, judged) = self.kept(memory, launched, follow, |trace| judge(self, trace, start));
            self.work.add(&trace);
            let mut ran = Coverage::default();
            ran.note_trace(&trace, self);
            let first = First { judged, ran, steps: trace.steps, is_cut: trace.cut };
            came.lock().unwrap_or_else(PoisonError::into_inner).insert(Digest::of(launched), first);
            let launches = trace.launches.clone();
            worker.take_back(trace);
            launches
        };
        let launches = self.by_workers(&files_of(programs), &follow, &|_| {});
        LaunchingPrograms { launches, came: came.into_inner().unwrap_or_else(PoisonError::into_inner) }
    }
}
