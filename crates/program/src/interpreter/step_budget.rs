//! What happens when a program needs more steps than it may: the rest is passed over, and the trace says so.

use super::Interpreter;
use crate::facts::FileId;

impl Interpreter<'_> {
    /// The same, for so many steps.
    pub fn within(mut self, most_steps: usize) -> Self {
        self.most_steps = most_steps;
        self
    }

    /// Spends one step of the budget; `false` when it is used up. The file that was started may go on for a
    /// while, without what it imports and calls: what it does itself comes after that, and matters most.
    pub(super) fn spend(&mut self) -> bool {
        if self.steps < self.most_steps {
            self.steps += 1;
            return true;
        }
        self.trace.cut = true;
        if self.here.file == self.entry && self.steps < self.most_steps + self.most_steps / 4 {
            self.steps += 1;
            return true;
        }
        // What is passed over may set anything.
        self.whole_environment().havoc();
        false
    }

    /// Whether the code of a file is passed over, because the budget is used up; it may set anything.
    pub(super) fn passes_over(&mut self, file: FileId) -> bool {
        let passes = file != self.entry && self.steps >= self.most_steps;
        if passes {
            // What is around it is not whole either, also where nothing comes behind it.
            self.trace.cut = true;
            self.whole_environment().havoc();
        }
        passes
    }
}
