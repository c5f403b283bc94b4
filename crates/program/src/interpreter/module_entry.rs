//! Entering modules of the project: each runs once, when it is first imported, and only where that can change anything.

use super::{CodePosition, EarlyExits, Flow, Interpreter};
use crate::code::{Statement, StatementKind};
use crate::facts::{FileId, Span};
use crate::program::file_facts::surely_raises;
use crate::program::heap::values::{Closure, ScopeId, Value};
use crate::program::state::State;
use crate::program::summaries::Dependency;
use std::rc::Rc;

/// A module that does more steps has most of its names bound by some of them.
const MOST_EXPECTED: usize = 64;

/// Of a module that runs on two ways so many objects are joined.
const MOST_JOINED: usize = 64;

/// A module that was entered in arms of branches only.
#[derive(Clone, Copy)]
pub(super) struct EnteredInArm {
    /// The last of these arms, with its branch.
    arm: (u32, u32),
    /// It ran in more arms than one: another one brings nothing new, only a way that surely imports it.
    again: bool,
}

impl EnteredInArm {
    pub(super) fn first(arm: (u32, u32)) -> Self {
        EnteredInArm { arm, again: false }
    }
}

impl<'p> Interpreter<'p> {
    /// Imports modules, one after the other.
    pub(super) fn run_imports(&mut self, files: &[FileId]) {
        let each = self.most_steps;
        for &file in files {
            self.most_steps = (self.steps + each).min(self.program.budget.all);
            for parent in self.program.modules.parents(file) {
                self.enter_module(parent, Span::default());
            }
            self.enter_module(file, Span::default());
            self.flow = Flow::Next;
        }
    }

    /// Runs a project module, unless it ran before.
    pub(super) fn enter_module(&mut self, file: FileId, span: Span) {
        if self.flow != Flow::Next {
            return;
        }
        if let Some(scope) = self.entered(file) {
            return self.enter_on_other_ways(file, scope, span);
        }
        if !self.worth_running(file) {
            return;
        }
        if self.passes_over(file) {
            return;
        }
        // What the file that was started does is seldom the same, and what is imported on the way is a part of that.
        if file == self.entry {
            return self.follow_module(file, span);
        }
        if !self.known_module(file, span) {
            let began = self.begin_body();
            self.follow_module(file, span);
            self.end_module(file, began);
        }
    }

    /// A module that ran in one arm of a branch runs where another arm imports it, and behind the branch on the ways that lead
    /// through the others.
    fn enter_on_other_ways(&mut self, file: FileId, scope: ScopeId, span: Span) {
        if self.entered_in_arm.is_empty() || self.is_running_module(scope) {
            return;
        }
        let Some(&EnteredInArm { arm, again }) = self.entered_in_arm.get(&file) else { return };
        let around = self.path.last().copied();
        // Where the same condition is asked again, this is the way on which it ran.
        if again && around.is_some() || self.path.contains(&arm) {
            return;
        }
        self.entered_in_arm.remove(&file);
        if self.path.iter().any(|(around, _)| *around == arm.0) {
            return self.run_module(file, scope, span);
        }
        if let Some(arm) = around {
            self.entered_in_arm.insert(file, EnteredInArm { arm, again: true });
        }
        // What it defines is there already, from the arm, which may have changed it.
        let (before, ways_out, mark) = (self.state.clone(), self.ways_out, self.begin_arm());
        self.in_an_arm(|run| run.run_module(file, scope, span));
        let defined = self.end_arm(mark);
        let mut joined = Vec::new();
        for (of, name, value) in defined {
            if let Some(value) = value {
                self.join_name(of, name, &value, &mut joined);
            }
        }
        self.ways_out = ways_out;
        self.exits = false;
        let after = std::mem::take(&mut self.state);
        self.state = match std::mem::replace(&mut self.flow, Flow::Next) {
            Flow::Next => State::join(before, after),
            _ => before,
        };
    }

    /// Lets a name hold what another run of its module made of it beside what it holds. An object is the same in both, and its
    /// attributes hold either.
    fn join_name(
        &mut self,
        scope: ScopeId,
        name: &'p str,
        other: &Value<'p>,
        joined: &mut Vec<(ScopeId, ScopeId)>,
    ) {
        let held = self.in_scope(scope, name).cloned();
        if let Some(either) = held.and_then(|held| self.join_values(&held, other, joined)) {
            self.bind_in(scope, name, either);
        }
    }

    /// What is held where either value is; `None` where that is the first one.
    fn join_values(
        &mut self,
        held: &Value<'p>,
        other: &Value<'p>,
        joined: &mut Vec<(ScopeId, ScopeId)>,
    ) -> Option<Value<'p>> {
        match (held, other) {
            (_, other) if is_constant(other) => {
                let is_absent = |one: &Value<'p>| matches!(one, Value::Absent);
                let known = held.alternatives();
                if known.iter().any(|one| one.same(other)) && !known.iter().any(is_absent) {
                    return None;
                }
                let known = known.iter().filter(|one| !is_absent(one)).cloned();
                Some(Value::one_of(known.chain([other.clone()])))
            }
            (Value::Function(one), Value::Function(other))
                if (one.file, one.function) == (other.file, other.function) =>
            {
                let mut defaults = one.defaults.clone();
                let mut is_other = false;
                for (default, other) in defaults.iter_mut().zip(&other.defaults) {
                    let (Some(held), Some(other)) = (default.clone(), other) else { continue };
                    if let Some(either) = self.join_values(&held, other, joined) {
                        (*default, is_other) = (Some(either), true);
                    }
                }
                is_other.then(|| Value::Function(Rc::new(Closure { defaults, ..(**one).clone() })))
            }
            (Value::Instance(one), Value::Instance(other))
                if (one.class.file, one.class.class) == (other.class.file, other.class.class) =>
            {
                self.join_scopes(one.scope, other.scope, joined);
                None
            }
            (Value::Class(one), Value::Class(other))
                if (one.file, one.class) == (other.file, other.class) =>
            {
                self.join_scopes(one.scope, other.scope, joined);
                None
            }
            _ => None,
        }
    }

    fn join_scopes(&mut self, one: ScopeId, other: ScopeId, joined: &mut Vec<(ScopeId, ScopeId)>) {
        let waits = self.heap.waits(one) || self.heap.waits(other);
        if one == other || waits || joined.len() == MOST_JOINED || joined.contains(&(one, other)) {
            return;
        }
        joined.push((one, other));
        for (name, value) in self.heap.names(other) {
            self.join_name(one, name, &value, joined);
        }
    }

    /// Whether the top level of a module is being followed.
    fn is_running_module(&self, scope: ScopeId) -> bool {
        let is_running = |here: &CodePosition<'p>| here.scope == scope;
        is_running(&self.here) || self.callers.iter().any(is_running)
    }

    fn follow_module(&mut self, file: FileId, span: Span) {
        // Its body runs once, however often a loop around the import does.
        let repeats = std::mem::take(&mut self.repeats);
        let scope = self.namespace(file);
        self.modules.insert(file, scope);
        self.in_order.push((file, scope));
        self.run_module(file, scope, span);
        self.repeats = repeats;
        // What raised is no module: whoever imports it next runs it again.
        if self.flow == Flow::Raise {
            self.modules.remove(&file);
        }
    }

    /// `importlib.reload(module)`: its body runs again in the namespace that it has.
    pub(super) fn reload(&mut self, file: FileId, span: Span) {
        let Some(scope) = self.entered(file) else { return };
        if self.flow == Flow::Next && !self.is_running_module(scope) {
            self.run_module(file, scope, span);
        }
    }

    fn run_module(&mut self, file: FileId, scope: ScopeId, span: Span) {
        self.trace.cost.modules += 1;
        let code = self.code_of(file);
        self.heap.reserve(scope, code.body.len().min(MOST_EXPECTED));
        let events = self.trace.events.len();
        let frame = if file == self.entry { 0 } else { self.push_frame(file, None, span) };
        if self.quiet == 0 {
            self.trace.entered.push(file);
        }
        let outer = std::mem::replace(&mut self.here, CodePosition::in_module(file, scope, frame));
        self.callers.push(outer);
        let ways_out = self.ways_out;
        stacker::maybe_grow(256 * 1024, 8 * 1024 * 1024, || match frame {
            0 => self.block(&code.body),
            _ => {
                self.importing += 1;
                self.module_body(file, &code.body);
                self.importing -= 1;
            }
        });
        self.ways_out = EarlyExits { of_program: self.ways_out.of_program, ..ways_out };
        let last = self.here.statement;
        if let Some(outer) = self.callers.pop() {
            self.here = outer;
        }
        if frame > 0 {
            self.pop_frames(frame, events);
        }
        // A module that raises is caught by a `try` around the import, or ends the program. Conditions
        // that decide it are rarely understood, so only a `try` is believed, and what raises without one.
        let ends = |step: &Statement<'p>| {
            // Or what it imports does.
            step.span == last && (matches!(step.kind, StatementKind::Import(_)) || surely_raises(step))
        };
        let is_told = || frame > 0 && code.body.iter().any(ends);
        let is_believed = self.flow == Flow::Raise && (!self.catches.is_empty() || is_told());
        if self.flow != Flow::Next && !is_believed {
            self.flow = Flow::Next;
        }
    }

    /// Notes that a module was entered, where it need not run again.
    pub(super) fn enter_again(&mut self, file: FileId, scope: ScopeId) {
        self.modules.insert(file, scope);
        self.in_order.push((file, scope));
        if self.quiet == 0 {
            self.trace.entered.push(file);
        }
    }

    /// The namespace of a module of the project, if it was entered.
    pub(super) fn entered(&mut self, file: FileId) -> Option<ScopeId> {
        let scope = self.modules.get(&file).copied();
        self.summaries.note(Dependency::Entered(file, scope));
        scope
    }

    /// `sys.modules["package.module"]`, where that is a module of the project that ran.
    pub(super) fn module_entered(&mut self, name: &Value<'p>) -> Value<'p> {
        let Value::Text(name) = name else { return Value::Unknown };
        if name.text == "__main__" && self.start.is_main() && self.entered(self.entry).is_some() {
            return Value::Module(self.entry);
        }
        let file =
            self.in_order.iter().map(|(file, _)| *file).find(|file| self.program.dotted(*file) == name.text);
        match file {
            Some(file) if self.entered(file).is_some() => Value::Module(file),
            _ => Value::Unknown,
        }
    }

    /// Whether no GPU library was surely imported so far.
    pub(super) fn is_first_library(&self) -> bool {
        self.state.library.is_none_or(|library| !library.certain)
    }

    /// Whether running a module can change anything. A module that cannot reach an effect is left for
    /// the moment when one of its values is asked for.
    fn worth_running(&mut self, file: FileId) -> bool {
        let first_library = self.is_first_library();
        self.summaries.note(Dependency::FirstLibrary(first_library));
        let each = self.start == super::Start::Modules;
        if let Some(asked) = self.importing_for.filter(|_| self.quiet > 0) {
            return asked == file || !each;
        }
        if each {
            // Of what it imports runs what no program ran; the rest does when it is asked for.
            return self.program.left_alone().binary_search(&file).is_ok();
        }
        file == self.entry
            || self.start != super::Start::Library
                && (self.program.may_affect_gpu(file) || (first_library && self.program.loads_library(file)))
    }
}

/// Whether a value is written down: it is the same however often its module runs.
fn is_constant(value: &Value<'_>) -> bool {
    matches!(value, Value::Text(_) | Value::Int(..) | Value::Bool(_) | Value::None)
}
