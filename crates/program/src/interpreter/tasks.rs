//! What is left for later: tasks of asyncio run when the one that made them waits, what a server calls runs behind the top level of
//! the program, and what `atexit` is given when the program ends.

use super::Interpreter;
use super::calls::Args;
use crate::code::{Expr, ExprKind, Parameter, ParameterKind};
use crate::facts::{FileId, Place, Span};
use crate::program::Start;
use crate::program::heap::Relation;
use crate::program::heap::values::{Closure, Paused, Value};
use crate::program::summaries::TaskQueue;
use rustc_hash::FxHashMap;

/// Coroutines that run when somebody waits.
#[derive(Default)]
pub(super) struct Tasks<'p> {
    /// Those that have not run, in their order.
    pub waiting: Vec<Value<'p>>,
    /// What tasks have made, while tasks run.
    made: Option<MadeByTasks>,
    /// How often it was asked whether some wait.
    pub asked: usize,
}

/// Counts of what tasks have made.
#[derive(Default)]
struct MadeByTasks {
    /// How many of each function.
    times: FxHashMap<(FileId, usize), u32>,
    /// How many were not followed, since there were so many.
    passed_over: usize,
}

/// When a function that was left for later is called, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Moment {
    /// A server starts.
    Startup,
    /// A server answers.
    Request,
    /// The program ends: the last first.
    Exit,
}

/// A function that is called behind the top level of the program.
#[derive(Clone)]
pub(crate) struct AtExit<'p> {
    function: Value<'p>,
    args: Args<'p>,
    /// Where that was said.
    span: Span,
    moment: Moment,
}

impl<'p> AtExit<'p> {
    pub fn function(&self) -> &Value<'p> {
        &self.function
    }

    pub(super) fn is_at(&self, moment: Moment) -> bool {
        self.moment == moment
    }

    /// The function and its arguments.
    pub fn values(&self) -> impl Iterator<Item = &Value<'p>> {
        [&self.function].into_iter().chain(self.args.items.iter().map(|argument| &argument.value))
    }

    /// The same, where other objects stand for these.
    pub fn related(&self, relation: &Relation) -> Self {
        let mut related = self.clone();
        related.function = relation.apply(&self.function);
        for argument in &mut related.args.items {
            argument.value = relation.apply(&argument.value);
        }
        related
    }
}

impl<'p> Interpreter<'p> {
    /// `asyncio.create_task(coroutine())`: it does not run yet. `false` when it is given something else.
    pub(super) fn leave_task(&mut self, args: &Args<'p>) -> bool {
        let Some(coroutine @ Value::Paused(paused)) = args.at(0).map(|argument| &argument.value) else {
            return false;
        };
        if self.function_of(&paused.closure).is_generator {
            return false;
        }
        self.tasks.waiting.push(coroutine.clone());
        true
    }

    /// `atexit.register(function, …)`: called when the program ends. `false` when that is no function of the project.
    pub(super) fn leave_for_exit(&mut self, args: &Args<'p>, span: Span) -> bool {
        let Some(function @ Value::Function(_)) = args.at(0).map(|argument| argument.value.clone()) else {
            return false;
        };
        let args = Args { items: args.items[1..].to_vec(), open: args.open };
        self.leave(function, args, span, Moment::Exit);
        true
    }

    /// `FastAPI(lifespan=function)`: a server calls it before it answers anything, behind the top level of the program.
    pub(super) fn leave_lifespan(&mut self, args: &Args<'p>, span: Span) {
        let lifespan = args.keyword("lifespan").map(|argument| self.force(argument.value.clone()));
        if let Some(function @ Value::Function(_)) = lifespan {
            let args = Args::positional(vec![Value::Unknown], span);
            self.leave(function, args, span, Moment::Startup);
        }
    }

    /// `@app.on_event("startup")`: the same.
    pub(super) fn leave_for_startup(&mut self, decorator: &Expr<'p>, function: &Value<'p>) {
        if let ExprKind::Call(call) = &decorator.kind
            && let ExprKind::Attribute(_, "on_event") = call.callee.kind
            && let [first] = &call.arguments[..]
            && matches!(&first.value.kind, ExprKind::Text(event) if event == "startup")
        {
            self.leave(function.clone(), Args::default(), decorator.span, Moment::Startup);
        }
    }

    pub(super) fn leave(&mut self, function: Value<'p>, args: Args<'p>, span: Span, moment: Moment) {
        self.at_exit.push(AtExit { function, args, span, moment });
    }

    /// The next function that was left for later.
    fn next_left(&mut self) -> Option<AtExit<'p>> {
        // Nothing serves in a test, or where code is only imported.
        if self.start == Start::Tests || !self.start.is_program() {
            self.at_exit.retain(|left| left.moment != Moment::Request);
        }
        let moment = self.at_exit.iter().map(|left| left.moment).min()?;
        let mut of_moment = (0..self.at_exit.len()).filter(|at| self.at_exit[*at].moment == moment);
        let at = if moment == Moment::Exit { of_moment.next_back() } else { of_moment.next() };
        at.map(|at| self.at_exit.remove(at))
    }

    /// What was left for later is called behind the top level of the program. Whether it comes to its end is not known.
    pub(super) fn run_at_exit(&mut self) {
        self.wake_waiting(Span::default());
        while let Some(AtExit { function, args, span, .. }) = self.next_left() {
            let Value::Function(function) = function else { continue };
            self.flow = super::Flow::Next;
            self.in_an_arm(|run| {
                let result = run.run_function(&function, args, span);
                run.run_paused(&result, span);
            });
        }
        self.end_all_objects();
    }

    /// Something waits that is no coroutine of the project: the tasks that were made run, in their order.
    pub(super) fn run_tasks(&mut self, span: Span) {
        self.tasks.asked += 1;
        let outermost = self.tasks.made.is_none();
        while !self.tasks.waiting.is_empty() {
            for task in std::mem::take(&mut self.tasks.waiting) {
                if self.is_made_again(&task) {
                    // How many were made before is no part of what a call is known by.
                    self.summaries.left_out += 1;
                    continue;
                }
                self.run_paused(&task, span);
                // What a task raises is told to who waits for it.
                self.flow = super::Flow::Next;
            }
            self.tasks.made.get_or_insert_default();
        }
        // It is of one that runs them all.
        if outermost && let Some(made) = self.tasks.made.take() {
            self.summaries.left_out -= made.passed_over;
        }
    }

    /// Whether tasks have made so many of this function that one more says nothing new: two that make each other would never end.
    fn is_made_again(&mut self, task: &Value<'p>) -> bool {
        /// Enough for a task that makes one for each GPU of a machine.
        const MOST: u32 = 8;
        let (Some(made), Value::Paused(paused)) = (&mut self.tasks.made, task) else { return false };
        let times = made.times.entry((paused.closure.file, paused.closure.function)).or_insert(0);
        *times += 1;
        made.passed_over += usize::from(*times > MOST);
        *times > MOST
    }

    /// What became of the tasks in a body that began when these waited.
    pub(super) fn tasks_since(&self, before: Vec<Value<'p>>, asked: usize) -> TaskQueue<'p> {
        match self.tasks.asked == asked {
            true => TaskQueue { before: None, left: self.tasks.waiting[before.len()..].to_vec() },
            false => TaskQueue { before: Some(before), left: self.tasks.waiting.clone() },
        }
    }

    /// The tasks wait that a call left which is not followed again.
    pub(super) fn leave_tasks_again(&mut self, queue: &TaskQueue<'p>, relation: &Relation) {
        if queue.before.is_some() {
            self.tasks.asked += 1;
            self.tasks.waiting.clear();
        }
        self.tasks.waiting.extend(queue.left.iter().map(|task| relation.apply(task)));
    }

    /// Runs a coroutine that was called before, unless a summary says what that does.
    pub(super) fn run_coroutine(&mut self, paused: &Paused<'p>, site: Span) -> Value<'p> {
        if self.flow != super::Flow::Next {
            return Value::Unknown;
        }
        let closure = &paused.closure;
        if self.state.shows_any_apart() {
            return self.run_to_end(closure, paused.scope, site);
        }
        let given = |parameter: &Parameter<'p>| {
            let value = self.in_scope(paused.scope, parameter.name).cloned().unwrap_or(Value::Unknown);
            match parameter.kind {
                // The dictionary is made when the body begins.
                ParameterKind::Keywords => self.contents(&value),
                _ => value,
            }
        };
        let arguments: Vec<Value<'p>> = self.function_of(closure).parameters.iter().map(given).collect();
        match self.known_call(closure, &arguments, site) {
            Some(result) => result,
            None => self.follow_call(closure, arguments, site),
        }
    }

    /// `asyncio.gather(first(), second())`: where they wait for something, the others go on, and how far is not known.
    /// `None` when these are no coroutines of the project.
    pub(super) fn gather(&mut self, args: &Args<'p>, span: Span) -> Option<Value<'p>> {
        let waiting: Vec<_> = args.items.iter().map(|argument| self.force(argument.value.clone())).collect();
        let is_coroutine = |value: &Value<'p>| match value {
            Value::Paused(paused) => !self.function_of(&paused.closure).is_generator,
            _ => false,
        };
        if waiting.len() < 2 || args.open || !waiting.iter().all(is_coroutine) {
            return None;
        }
        let waits = |value: &Value<'p>| match value {
            Value::Paused(paused) => self.may_wait(&paused.closure),
            _ => true,
        };
        if !waiting.iter().any(waits) {
            let results = waiting.iter().map(|task| self.run_paused(task, span)).collect();
            return Some(self.collection(Value::sequence(results)));
        }
        // Each runs where the others have not, and where they have.
        for _ in 0..2 {
            for task in &waiting {
                self.on_some_ways(|run| drop(run.run_paused(task, span)));
            }
        }
        Some(Value::Unknown)
    }

    /// Whether the body of a coroutine waits somewhere, judged by its text.
    fn may_wait(&self, closure: &Closure<'p>) -> bool {
        let function = self.function_of(closure);
        let (Some(first), Some(last)) = (function.body.first(), function.body.last()) else { return false };
        let span = Span { start: first.span.start, end: last.span.end };
        let text = self.program.sources.text(Place { file: closure.file, span });
        text.contains("await ") || text.contains("async ")
    }

    /// The tasks that nobody waited for: whether they run is not known.
    pub(super) fn run_tasks_left(&mut self, span: Span) {
        if !self.tasks.waiting.is_empty() {
            self.in_an_arm(|run| run.run_tasks(span));
        }
    }
}

/// Whether a call makes a task of a coroutine.
pub(super) fn makes_task(path: &str) -> bool {
    let last = path.rsplit('.').next().unwrap_or(path);
    matches!(last, "create_task" | "ensure_future")
}
