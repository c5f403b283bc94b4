//! What one worker keeps from program to program: what importing a module does, and what functions do, need not be followed
//! again in each of them.

use super::calls::Args;
use super::repeated_runs::PastRun;
use super::{CallModel, Interpreter};
use crate::code::{Statement, StatementKind};
use crate::facts::{FileId, Span};
use crate::program::Program;
use crate::program::heap::Heap;
use crate::program::heap::values::{PathId, ScopeId};
use crate::program::paths::Paths;
use crate::program::summaries::Summaries;
use crate::program::trace::Trace;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// The memory of one worker. What is in it of the last program is of no meaning for the next one, but for summaries, and
/// for the numbers and versions that these name.
pub struct Worker<'p> {
    heap: Heap<'p>,
    paths: Paths,
    summaries: Summaries<'p>,
    call_models: Vec<Option<CallModel<'p>>>,
    namespaces: FxHashMap<FileId, ScopeId>,
    partials: FxHashMap<PathId, Args<'p>>,
    setters: FxHashSet<&'p str>,
    made_with: FxHashMap<PathId, Args<'p>>,
    /// Those of them that one call made, by its file, the place of its first argument and its name.
    made_by: FxHashMap<(FileId, Span, PathId), Vec<PathId>>,
    is_off: bool,
    /// The file that the last program started with.
    last: Option<FileId>,
    /// What its starts came to, where there is another.
    past: Vec<PastRun>,
    /// The last start was followed: its trace is wanted.
    wants_trace: bool,
}

impl<'p> Worker<'p> {
    pub fn new(program: &'p Program<'p>) -> Self {
        let is_off = program.options.no_summaries;
        Worker {
            heap: Heap::default(),
            paths: Paths::default(),
            summaries: Summaries::new(is_off),
            call_models: Vec::new(),
            namespaces: FxHashMap::default(),
            partials: FxHashMap::default(),
            setters: FxHashSet::default(),
            made_with: FxHashMap::default(),
            made_by: FxHashMap::default(),
            is_off,
            last: None,
            past: Vec::new(),
            wants_trace: false,
        }
    }

    /// Follows a program to its end. One that `starts_again` does much the same in another environment.
    pub fn follow(&mut self, mut run: Interpreter<'p>, starts_again: bool) -> Trace {
        if self.is_off {
            return run.trace();
        }
        let program = run.program;
        let is_again = self.last == Some(run.entry);
        if !is_again {
            self.past.clear();
        }
        // What functions do rests on what the policy says of them.
        let is_otherwise = self.last.is_some_and(|last| !program.options.are_alike(last, run.entry));
        if is_otherwise || !is_again && self.summaries.are_too_many() {
            *self = Worker::new(program);
        }
        self.last = Some(run.entry);
        self.summaries.keeps_first = starts_again;
        self.lend(&mut run);
        let past = run.follow_or_repeat(&self.past, starts_again);
        self.wants_trace = past.is_some();
        self.past.extend(past);
        self.lend(&mut run);
        self.summaries.end_program(&self.heap, &run.trace, &run.ended);
        self.heap.end_program();
        run.trace
    }

    /// Gives back the trace of the last program, once it was judged.
    pub fn take_back(&mut self, trace: Trace) {
        if self.wants_trace
            && let Some(past) = self.past.last_mut()
        {
            past.keep(trace);
        }
        self.wants_trace = false;
    }

    /// Gives a run what is kept, or takes it back.
    fn lend(&mut self, run: &mut Interpreter<'p>) {
        std::mem::swap(&mut self.heap, &mut run.heap);
        std::mem::swap(&mut self.paths, &mut run.paths);
        std::mem::swap(&mut self.summaries, &mut run.summaries);
        std::mem::swap(&mut self.call_models, &mut run.call_models);
        std::mem::swap(&mut self.namespaces, &mut run.namespaces);
        std::mem::swap(&mut self.partials, &mut run.partials);
        std::mem::swap(&mut self.setters, &mut run.setters);
        std::mem::swap(&mut self.made_with, &mut run.made_with);
        std::mem::swap(&mut self.made_by, &mut run.made_by);
    }
}

impl<'p> Interpreter<'p> {
    /// The namespace of a module that is entered now: the same in all programs of a worker.
    pub(super) fn namespace(&mut self, file: FileId) -> ScopeId {
        if let Some(&scope) = self.namespaces.get(&file) {
            self.heap.renew(scope, self.repeats);
            return scope;
        }
        let scope = self.new_scope(None, false);
        self.heap.keep(scope);
        self.namespaces.insert(file, scope);
        scope
    }

    /// Runs the top level of an imported module, part by part; what a part did in another program is not followed again.
    pub(super) fn module_body(&mut self, file: FileId, steps: &'p [Statement<'p>]) {
        let mut next = 0;
        while next < steps.len() && self.flow == super::Flow::Next {
            let part = self.part_at(file, steps, next);
            next = part.end.max(next + 1);
            if part.is_empty() {
                self.block(&steps[next - 1..next]);
            } else if !self.known_part(file, part.start) {
                self.follow_part(file, part.start, &steps[part]);
            }
        }
    }

    /// The part that begins with this step; empty where there is none.
    fn part_at(&self, file: FileId, steps: &'p [Statement<'p>], first: usize) -> Range<usize> {
        /// Parts that do less are followed as soon as they are looked up.
        const LEAST: usize = 3;
        let mut weight = 0;
        let mut end = first;
        for step in &steps[first..] {
            let Some(more) = self.weight(file, step) else { break };
            // Branches may be remembered, and then are no part.
            if is_compound(step) {
                if end == first {
                    return first..first + 1;
                }
                break;
            }
            (weight, end) = (weight + more, end + 1);
        }
        if weight < LEAST { first..first } else { first..end }
    }

    /// How much a step does, about; `None` for one that imports modules of the project.
    fn weight(&self, file: FileId, step: &'p Statement<'p>) -> Option<usize> {
        match &step.kind {
            StatementKind::Import(import) => self.program.imports_outside(file, import).then_some(1),
            StatementKind::Module { .. } => None,
            StatementKind::DefineClass { .. } => Some(2),
            _ if is_compound(step) => Some(3),
            // Long literals are many values.
            _ => Some(1 + (step.span.end - step.span.start) as usize / 200),
        }
    }
}

/// Whether steps lie in a step, other than those of a class or function.
fn is_compound(step: &Statement<'_>) -> bool {
    !matches!(
        step.kind,
        StatementKind::Import(_)
            | StatementKind::Module { .. }
            | StatementKind::Evaluate(_)
            | StatementKind::Assign { .. }
            | StatementKind::Update { .. }
            | StatementKind::Delete(_)
            | StatementKind::Define { .. }
            | StatementKind::DefineClass { .. }
            | StatementKind::Share(_)
    )
}
