//! Steps that run apart: what a subshell, or a step of a workflow, does to variables ends with it.

use super::super::{Flow, Run};
use crate::code::Block;
use crate::program::state::{Definition, MASK, Reaching};
use crate::program::trace::What;

impl<'p> Run<'p> {
    /// Runs steps whose changes to variables end with them.
    pub(in crate::program::run) fn apart(&mut self, block: &'p Block<'p>) {
        self.apart_from(|run| run.block(block));
    }

    pub(super) fn apart_from(&mut self, steps: impl FnOnce(&mut Self)) {
        let environment = self.state.clone();
        let shell = (self.shell.folder.clone(), self.shell.export_all);
        let variables = self.scopes[self.shell_scope() as usize].values.clone();
        self.catches.push(Vec::new());
        steps(self);
        // `exit` in a subshell ends the subshell.
        self.catches.pop();
        if matches!(self.flow, Flow::Raise | Flow::Gone) {
            self.flow = Flow::Next;
        }
        let mask = self.state.reaching(MASK);
        let chosen =
            |mask: &Reaching| mask.iter().any(|definition| matches!(definition, Definition::Set(..)));
        if chosen(&mask) && mask != environment.reaching(MASK) {
            // It is for whatever ran here, followed or not.
            self.note(What::End, self.here.statement);
        }
        self.state.restore_environment(&environment);
        (self.shell.folder, self.shell.export_all) = shell;
        let scope = self.shell_scope();
        let changed: Vec<&'p str> = self.scopes[scope as usize].values.keys().copied().collect();
        for name in changed {
            if !variables.contains_key(name) {
                self.unbind_in(scope, name);
            }
        }
        for (name, value) in variables {
            self.bind_in(scope, name, value);
        }
    }
}
