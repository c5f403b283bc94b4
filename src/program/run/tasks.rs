//! What is left for later: tasks of asyncio run when the one that made them waits, and what `atexit` is given when the
//! program ends.

use super::Run;
use super::calls::Args;
use crate::facts::Span;
use crate::program::heap::values::{Closure, Value};
use std::rc::Rc;

/// A function that is called when the program ends, its arguments, and where that was said.
pub(super) type AtExit<'p> = (Rc<Closure<'p>>, Args<'p>, Span);

impl<'p> Run<'p> {
    /// `asyncio.create_task(coroutine())`: it does not run yet. `false` when it is given something else.
    pub(super) fn leave_task(&mut self, args: &Args<'p>) -> bool {
        let Some(coroutine @ Value::Paused(paused)) = args.at(0).map(|argument| &argument.value) else {
            return false;
        };
        if self.function_of(&paused.closure).is_generator {
            return false;
        }
        // What waits is no part of what a call is known by.
        self.summaries.left_out += 1;
        self.tasks.push(coroutine.clone());
        true
    }

    /// `atexit.register(function, …)`: called when the program ends. `false` when that is no function of the project.
    pub(super) fn leave_for_exit(&mut self, args: &Args<'p>, span: Span) -> bool {
        let Some(Value::Function(function)) = args.at(0).map(|argument| argument.value.clone()) else {
            return false;
        };
        self.summaries.left_out += 1;
        let given = Args { items: args.items[1..].to_vec(), open: args.open };
        self.at_exit.push((function, given, span));
        true
    }

    /// The program ends: what was left for that is called, the last first. Whether it comes to its end is not known.
    pub(super) fn run_at_exit(&mut self) {
        while let Some((function, args, span)) = self.at_exit.pop() {
            self.flow = super::Flow::Next;
            self.in_an_arm(|run| drop(run.run_function(&function, args, span)));
        }
    }

    /// Something waits that is no coroutine of the project: the tasks that were made run, in their order.
    pub(super) fn run_tasks(&mut self, span: Span) {
        while !self.tasks.is_empty() {
            self.summaries.left_out += 1;
            for task in std::mem::take(&mut self.tasks) {
                self.run_paused(&task, span);
                // What a task raises is told to who waits for it.
                self.flow = super::Flow::Next;
            }
        }
    }

    /// The tasks that nobody waited for: whether they run is not known.
    pub(super) fn run_tasks_left(&mut self, span: Span) {
        if !self.tasks.is_empty() {
            self.in_an_arm(|run| run.run_tasks(span));
        }
    }
}

/// Whether a call makes a task of a coroutine.
pub(super) fn makes_task(path: &str) -> bool {
    let last = path.rsplit('.').next().unwrap_or(path);
    matches!(last, "create_task" | "ensure_future")
}
