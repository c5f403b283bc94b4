//! How far programs are followed. One program may need many steps, and in a large project thousands may each
//! reach nearly all of it: what is spent on all of them grows with the number of files, not with its square.
//! A program that is not followed to its end is named in the report.

use super::interpreter::Worker;
use super::launches::Launched;
use super::launching_programs::First;
use super::result_cache::{ProgramFinding, ProgramResult, ResultCache};
use super::{Coverage, Interpreter, Program, Start};
use crate::facts::FileId;
use crate::program::trace::Trace;
use crate::sources::Digest;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Steps that may be spent: statements that are run and functions that are called.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// On one program. Real ones need far fewer.
    pub one: usize,
    /// On all programs together.
    pub all: usize,
}

/// What was found in several programs.
pub struct FollowedPrograms<T> {
    pub judged: Vec<T>,
    /// Programs that were not followed to their end, by file.
    pub unfinished: Vec<FileId>,
    /// How many more starts of a program there are, each in an environment that was not followed.
    pub starts_left_out: BTreeMap<FileId, usize>,
}

/// A program that was not followed to its end, with what was found on the way.
struct UnfinishedProgram<T> {
    /// Its position among the programs.
    index: usize,
    judged: Vec<T>,
    /// It was followed as far as one program may go.
    is_known: bool,
    is_finished: bool,
}

/// What is known of programs already, and where it is noted what they come to.
pub(super) struct EarlierResults<'a, T> {
    /// By the digests of the programs.
    pub first: &'a FxHashMap<Digest, First<T>>,
    pub memory: Option<&'a ResultCache<T>>,
    pub ran: Mutex<Coverage>,
}

/// What is known of one program.
#[derive(Clone, Copy)]
enum Answer<'a, T> {
    /// By an earlier check.
    Earlier(&'a ProgramResult, &'a ResultCache<T>),
    First(&'a First<T>),
    /// Another shard follows it.
    Elsewhere,
    None,
}

impl Budget {
    /// Of a project of so many files: fifty times what the published projects that were looked at spent.
    pub fn of(files: usize) -> Budget {
        Budget { one: 1_000_000, all: 50_000_000 + 1_000 * files }
    }

    /// What each of so many programs may spend at first.
    fn share(self, programs: usize) -> usize {
        /// Enough for what a program says itself, and the first that it imports.
        const LEAST: usize = 2_000;
        (self.all / programs.max(1)).max(LEAST).min(self.one)
    }

    /// What is there for programs that need more than their share: what the others left, and a little.
    fn rest(self, spent: usize) -> usize {
        (self.all + self.all / 8).saturating_sub(spent)
    }
}

impl Program<'_> {
    /// Follows programs and judges each trace, unless it is known what it comes to. Each has its share of the budget;
    /// those for which it is not enough are followed again, as many as the rest allows, from all over the project. What
    /// a program spends depends on which ones its worker followed before it: with another number of threads another one
    /// may be cut off where the budget is tight.
    pub(super) fn follow_all<T: ProgramFinding>(
        &mut self,
        programs: &[Launched<'_>],
        judge: &(impl Fn(&Program<'_>, &Trace, Start) -> Vec<T> + Sync),
        distinct: &(impl Fn(&mut Vec<T>) + Sync),
        known: Option<&EarlierResults<'_, T>>,
    ) -> FollowedPrograms<T> {
        let answers: Vec<Answer<'_, T>> =
            programs.iter().map(|launched| self.answer(known, launched)).collect();
        let unknown = programs.iter().zip(&answers).filter(|(_, answer)| matches!(answer, Answer::None));
        // A file that is looked at alone runs nothing that it imports, unless somebody asks for a value from there.
        let (alone, running): (Vec<_>, Vec<_>) = unknown
            .map(|((file, start, _), _)| (*file, *start))
            .partition(|(_, start)| *start == Start::Library);
        self.load(alone.into_iter().map(|(file, _)| file).collect());
        self.load_for(running.into_iter().map(|(file, _)| file).collect());
        self.follow_unknown(programs, &answers, judge, distinct, known)
    }

    /// What is known of one program.
    fn answer<'a, T: ProgramFinding>(
        &self,
        known: Option<&EarlierResults<'a, T>>,
        launched: &Launched<'_>,
    ) -> Answer<'a, T> {
        let Some(known) = known else { return Answer::None };
        if known.memory.is_some_and(|memory| memory.leaves(launched.0)) {
            return Answer::Elsewhere;
        }
        if let Some(memory) = known.memory
            && let Some(came) = memory.of(self, launched)
            && came.is_reached_by(self.budget.one)
        {
            return Answer::Earlier(came, memory);
        }
        known.first.get(&Digest::of(launched)).map_or(Answer::None, Answer::First)
    }

    fn follow_unknown<'p, T: ProgramFinding>(
        &'p self,
        programs: &'p [Launched<'p>],
        answers: &[Answer<'_, T>],
        judge: &(impl Fn(&Program<'_>, &Trace, Start) -> Vec<T> + Sync),
        distinct: &(impl Fn(&mut Vec<T>) + Sync),
        known: Option<&EarlierResults<'_, T>>,
    ) -> FollowedPrograms<T> {
        let share = self.budget.share(programs.len());
        let memory = known.and_then(|known| known.memory);
        let spent = AtomicUsize::new(0);
        let parts = Mutex::new(Vec::new());
        let ran = || known.map(|known| known.ran.lock().unwrap_or_else(PoisonError::into_inner));
        let judge = |trace: &Trace, start| {
            if let Some(mut ran) = ran() {
                ran.note_trace(trace, self);
            }
            judge(self, trace, start)
        };
        let add_part =
            |part: UnfinishedProgram<T>| parts.lock().unwrap_or_else(PoisonError::into_inner).push(part);
        let follow = |worker: &mut Worker<'p>, index: usize| {
            let (file, start, launch) = programs[index];
            let (judged, steps, is_cut) = match answers[index] {
                Answer::Earlier(came, memory) => {
                    if let Some(mut ran) = ran() {
                        ran.note(came, memory, file);
                    }
                    (memory.judged_of(came, Some(file)), came.steps(), came.is_cut())
                }
                Answer::First(first) => {
                    if let Some(mut ran) = ran() {
                        ran.add(&first.ran);
                    }
                    (first.judged.clone(), first.steps, first.is_cut)
                }
                Answer::Elsewhere => return Vec::new(),
                Answer::None => {
                    // A share is for where all that is asked for is too much.
                    let is_tight = spent.load(Ordering::Relaxed) > self.budget.all / 2;
                    let most = if is_tight { share } else { self.budget.one };
                    let follow = || {
                        let run = Interpreter::new(self, file, start).launched_by(launch).within(most);
                        worker.follow(run, starts_again(programs, index))
                    };
                    let (trace, mut judged) =
                        self.kept(memory, &programs[index], follow, |trace| judge(trace, start));
                    spent.fetch_add(trace.steps, Ordering::Relaxed);
                    self.work.add(&trace);
                    if trace.cut {
                        // Kept apart only when there may be a better judgement later.
                        let kept =
                            if most < self.budget.one { std::mem::take(&mut judged) } else { Vec::new() };
                        add_part(UnfinishedProgram {
                            index,
                            judged: kept,
                            is_known: most == self.budget.one,
                            is_finished: false,
                        });
                    }
                    worker.take_back(trace);
                    return judged;
                }
            };
            spent.fetch_add(steps, Ordering::Relaxed);
            if !is_cut {
                return judged;
            }
            add_part(UnfinishedProgram { index, judged, is_known: true, is_finished: false });
            Vec::new()
        };
        let follow = |worker: &mut Worker<'p>, index: usize| shown(follow(worker, index), &programs[index]);
        let mut judged = self.by_workers(&files_of(programs), &follow, distinct);
        let mut parts = parts.into_inner().unwrap_or_else(PoisonError::into_inner);
        parts.sort_by_key(|part| part.index);
        // What is left of the budget is known when all shards are.
        if share < self.budget.one && !memory.is_some_and(ResultCache::is_shard) {
            let rest = self.budget.rest(spent.into_inner());
            self.follow_again(programs, &mut parts, rest, &judge, memory);
        }
        let unfinished = parts.iter().filter(|part| !part.is_finished);
        let unfinished = unfinished.map(|part| programs[part.index].0).collect();
        judged.extend(parts.into_iter().flat_map(|part| shown(part.judged, &programs[part.index])));
        distinct(&mut judged);
        FollowedPrograms { judged, unfinished, starts_left_out: BTreeMap::new() }
    }

    /// Follows and judges a program, and keeps what it came to for later checks where that is wanted.
    pub(super) fn kept<T: ProgramFinding>(
        &self,
        memory: Option<&ResultCache<T>>,
        launched: &Launched<'_>,
        follow: impl FnOnce() -> Trace,
        judge: impl FnOnce(&Trace) -> Vec<T>,
    ) -> (Trace, Vec<T>) {
        if let Some(memory) = memory {
            return memory.keeping(self, launched, follow, judge);
        }
        let trace = follow();
        let judged = judge(&trace);
        (trace, judged)
    }

    /// Replaces what was found in parts of programs by what there is in the whole of them, for as many as the
    /// budget allows.
    fn follow_again<'p, T: ProgramFinding>(
        &'p self,
        programs: &'p [Launched<'p>],
        parts: &mut [UnfinishedProgram<T>],
        rest: usize,
        judge: &(impl Fn(&Trace, Start) -> Vec<T> + Sync),
        memory: Option<&ResultCache<T>>,
    ) {
        /// Neighbours import much the same.
        const NEIGHBOURS: usize = 16;
        let mut order: Vec<&mut UnfinishedProgram<T>> =
            parts.iter_mut().filter(|part| !part.is_known).collect();
        // Any first few blocks of this order lie far apart, so that a budget that ends says something of all the project.
        order.sort_by_key(|part| {
            let block = (part.index / NEIGHBOURS) as u32;
            (block.wrapping_mul(0x9E37_79B9), part.index)
        });
        let most = rest.saturating_sub(self.budget.one * rayon::current_num_threads());
        let spent = AtomicUsize::new(0);
        let files: Vec<FileId> = order.iter().map(|part| programs[part.index].0).collect();
        let order: Vec<Mutex<&mut UnfinishedProgram<T>>> = order.into_iter().map(Mutex::new).collect();
        let follow = |worker: &mut Worker<'p>, number: usize| {
            if spent.load(Ordering::Relaxed) < most {
                let mut part = order[number].lock().unwrap_or_else(PoisonError::into_inner);
                let launched = &programs[part.index];
                let (file, start, launch) = *launched;
                let run = Interpreter::new(self, file, start).launched_by(launch);
                let follow = || worker.follow(run, starts_again(programs, part.index));
                let (trace, judged) = self.kept(memory, launched, follow, |trace| judge(trace, start));
                spent.fetch_add(trace.steps, Ordering::Relaxed);
                self.work.add(&trace);
                part.judged = judged;
                part.is_finished = !trace.cut;
                worker.take_back(trace);
            }
            Vec::<T>::new()
        };
        self.by_workers(&files, &follow, &|_| {});
    }
}

/// What was judged, with the program that shows it. Code that is looked at alone is none.
fn shown<T: ProgramFinding>(mut judged: Vec<T>, &(file, start, _): &Launched<'_>) -> Vec<T> {
    if start.is_program() {
        judged.iter_mut().for_each(|one| one.shown_by(file));
    }
    judged
}

impl Program<'_> {
    /// Lets a worker on each core follow programs, by the files that they start with, a few neighbours at a time: they
    /// import much the same. Returns what was judged in the order of the programs.
    pub(super) fn by_workers<'p, T: Send>(
        &'p self,
        programs: &[FileId],
        follow: &(impl Fn(&mut Worker<'p>, usize) -> Vec<T> + Sync),
        distinct: &(impl Fn(&mut Vec<T>) + Sync),
    ) -> Vec<T> {
        let blocks = blocks_of(programs);
        let next = AtomicUsize::new(0);
        let gathered = Mutex::new(Gathered { all: Vec::new(), kept: 0, waiting: BTreeMap::new(), next: 0 });
        let work = |_| {
            let mut worker = Worker::new(self);
            loop {
                let block = next.fetch_add(1, Ordering::Relaxed);
                let Some(indices) = blocks.get(block) else { break };
                let judged = indices.clone().flat_map(|index| follow(&mut worker, index)).collect();
                gathered.lock().unwrap_or_else(PoisonError::into_inner).add(block, judged, distinct);
            }
        };
        (0..rayon::current_num_threads().min(blocks.len())).into_par_iter().for_each(work);
        gathered.into_inner().unwrap_or_else(PoisonError::into_inner).all
    }
}

/// Neighbours that one worker follows one after the other. A file that is started several times does much the same each time.
fn blocks_of(programs: &[FileId]) -> Vec<Range<usize>> {
    const NEIGHBOURS: usize = 4;
    let mut blocks: Vec<Range<usize>> = Vec::new();
    for (index, file) in programs.iter().enumerate() {
        match blocks.last_mut() {
            Some(block) if block.len() < NEIGHBOURS || programs[index - 1] == *file => block.end = index + 1,
            _ => blocks.push(index..index + 1),
        }
    }
    blocks
}

/// The files that programs start with.
pub(super) fn files_of(programs: &[Launched<'_>]) -> Vec<FileId> {
    programs.iter().map(|(file, ..)| *file).collect()
}

/// Whether a program starts with the file that another one starts with, which is followed next to it.
pub(super) fn starts_again(programs: &[Launched<'_>], index: usize) -> bool {
    let file = |index: usize| programs.get(index).map(|(file, ..)| *file);
    [index.wrapping_sub(1), index + 1].into_iter().any(|other| file(other) == file(index))
}

/// All judgements in the order of their programs. Many say the same, so they are thinned out on the way: each time they
/// have doubled, which costs no more than one sort of them all.
struct Gathered<T> {
    all: Vec<T>,
    /// How many were kept when they were thinned out last.
    kept: usize,
    /// What came before its turn.
    waiting: BTreeMap<usize, Vec<T>>,
    next: usize,
}

impl<T> Gathered<T> {
    fn add(&mut self, block: usize, judged: Vec<T>, distinct: &impl Fn(&mut Vec<T>)) {
        const FEW: usize = 1000;
        self.waiting.insert(block, judged);
        while let Some(judged) = self.waiting.remove(&self.next) {
            self.all.extend(judged);
            self.next += 1;
        }
        if self.all.len() > FEW + 2 * self.kept {
            distinct(&mut self.all);
            self.kept = self.all.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Budget;

    #[test]
    fn programs_share_the_budget_and_what_is_left_of_it() {
        assert_eq!(Budget { one: 400_000, all: 50_000_000 }.share(100), 400_000);
        assert_eq!(Budget { one: 400_000, all: 50_000_000 }.share(1000), 50_000);
        assert_eq!(Budget { one: 400_000, all: 50_000_000 }.share(1_000_000), 2_000);
        assert_eq!(Budget { one: 400_000, all: 8_000 }.rest(9_500), 0);
        assert_eq!(Budget { one: 400_000, all: 8_000 }.rest(6_000), 3_000);
    }
}
