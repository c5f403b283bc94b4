//! Steps that run apart: what a subshell, or a step of a workflow, does to variables ends with it.

use super::super::{Flow, Interpreter};
use crate::code::{Block, Host};
use crate::program::Start;
use crate::program::state::{Definition, MASK, Reaching};
use crate::program::trace::EventKind;
use crate::sources::Language;

impl<'p> Interpreter<'p> {
    /// Runs steps whose changes to variables end with them.
    pub(in crate::interpreter) fn apart(&mut self, block: &'p Block<'p>) {
        self.apart_from(|run| run.block(block));
    }

    /// Runs the steps of a shell that is started here.
    pub(in crate::interpreter) fn child(&mut self, block: &'p Block<'p>) {
        self.apart_from(|run| {
            let scope = run.new_scope(None, false);
            let outer = std::mem::replace(&mut run.here.scope, scope);
            run.block(block);
            run.here.scope = outer;
        });
    }

    pub(in crate::interpreter) fn apart_from(&mut self, steps: impl FnOnce(&mut Self)) {
        let environment = self.state.clone();
        let shell = (self.shell.folder.clone(), self.shell.export_all, self.shell.host);
        let to_export = self.shell.to_export.len();
        let commands = self.shell.commands;
        let mark = self.begin_arm();
        // A shell that a program starts is another process, which has not touched the GPU yet.
        let milestones = std::mem::take(&mut self.state.milestones);
        let touched = (self.state.cuda.take(), self.state.library.take());
        let is_child = !matches!(self.start, Start::Unit(_));
        self.in_child += usize::from(is_child);
        let caught = self.new_landing();
        self.catches.push(caught);
        steps(self);
        self.in_child -= usize::from(is_child);
        // `exit` in a subshell ends the subshell.
        self.catches.pop();
        self.landing(caught);
        if matches!(self.flow, Flow::Raise | Flow::Unreachable) {
            self.flow = Flow::Next;
        }
        let mask = self.reaching(MASK);
        let chosen =
            |mask: &Reaching| mask.iter().any(|definition| matches!(definition, Definition::Set(..)));
        // In a script all that runs is there to see; a step of a workflow may use an action.
        let is_script = matches!(
            self.program.language_of(self.here.file),
            Language::Batch | Language::PowerShell | Language::Shell
        );
        let ran = !is_script || self.shell.commands > commands;
        // What a build sets ends with its line, and the build uses no GPU.
        let is_build = self.shell.host == Host::NoGpu
            && self.program.language_of(self.here.file) == Language::Dockerfile;
        if !is_child && !is_build && ran && chosen(&mask) && mask != environment.reaching(MASK) {
            // It is for whatever ran here, followed or not.
            self.note(EventKind::End, self.here.statement);
        }
        self.whole_environment().restore_environment(&environment);
        (self.state.cuda, self.state.library) = touched;
        self.state.milestones = milestones;
        (self.shell.folder, self.shell.export_all, self.shell.host) = shell;
        self.shell.to_export.truncate(to_export);
        self.end_arm(mark);
    }
}
