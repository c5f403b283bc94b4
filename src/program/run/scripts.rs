//! Scripts inside scripts: shells that a program or a shell starts, and files that run in the place of the one
//! that names them.

use super::{Flow, Here, Run};
use crate::code::{Block, Expr};
use crate::facts::{FileId, Span};
use crate::program::Start;
use crate::program::launches::{Launch, inherited};

/// Scripts that start each other are followed this deep.
const MOST_SCRIPTS: usize = 8;

impl<'p> Run<'p> {
    /// Runs steps whose changes to variables end with them.
    pub(super) fn apart(&mut self, block: &'p Block<'p>) {
        self.apart_from(|run| run.block(block));
    }

    /// Runs the steps of a shell that is started here.
    pub(super) fn child(&mut self, block: &'p Block<'p>) {
        self.apart_from(|run| {
            let scope = run.new_scope(None, false);
            let outer = std::mem::replace(&mut run.here.scope, scope);
            run.block(block);
            run.here.scope = outer;
        });
    }

    pub(super) fn apart_from(&mut self, steps: impl FnOnce(&mut Self)) {
        let environment = self.state.clone();
        let shell = (self.shell.folder.clone(), self.shell.export_all);
        let variables = self.scopes[self.shell_scope() as usize].values.clone();
        // A shell that a program starts is another process, which has not touched the GPU yet.
        let touched = (self.state.cuda.take(), self.state.library.take());
        let is_child = usize::from(!matches!(self.start, Start::Unit(_)));
        self.in_child += is_child;
        self.catches.push(Vec::new());
        steps(self);
        self.in_child -= is_child;
        // `exit` in a subshell ends the subshell.
        self.catches.pop();
        if matches!(self.flow, Flow::Raise | Flow::Gone) {
            self.flow = Flow::Next;
        }
        self.state.restore_environment(&environment);
        (self.state.cuda, self.state.library) = touched;
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

    /// `source env.sh`: the steps of another file, in this shell.
    pub(super) fn source_file(&mut self, path: &'p Expr<'p>, span: Span) {
        let Some(file) = self.file_named_by(path) else {
            // Anything may be set in it.
            return self.state.fill_gaps(false);
        };
        if !self.program.code(file).units.is_empty() {
            return self.run_script(file, span, true);
        }
        let environment = inherited(&self.state, &self.trace);
        let (site, host) = (self.place(span), self.shell.host);
        self.trace.launches.push(Launch { file, start: Start::Script, environment, site, host });
        self.run_in_place(file, span);
    }

    /// `%run train.py`: the file runs as a script in this process, and its names are there afterwards.
    fn run_in_place(&mut self, file: FileId, span: Span) {
        if self.shell.scripts.contains(&file) || self.shell.scripts.len() >= MOST_SCRIPTS {
            return;
        }
        let frame = self.push_frame(file, None, span);
        self.trace.entered.push(file);
        let scope = self.new_scope(None, false);
        self.modules.insert(file, scope);
        let outer = std::mem::replace(&mut self.here, Here::in_module(file, scope, frame));
        self.callers.push(outer);
        self.shell.scripts.push(file);
        self.catches.push(Vec::new());
        self.block(&self.code_of(file).body);
        self.catches.pop();
        self.flow = Flow::Next;
        self.shell.scripts.pop();
        if let Some(outer) = self.callers.pop() {
            self.here = outer;
        }
        let names: Vec<_> =
            self.scopes[scope as usize].values.iter().map(|(name, value)| (*name, value.clone())).collect();
        for (name, value) in names {
            self.bind(name, value);
        }
    }

    /// Whether a file is being run as a script by another.
    pub(super) fn is_run_as_script(&self, file: FileId) -> bool {
        self.shell.scripts.contains(&file)
    }

    /// The units of another script: in this shell, or in one of its own.
    pub(super) fn run_script(&mut self, file: FileId, span: Span, in_this_shell: bool) {
        if self.shell.scripts.contains(&file) || self.shell.scripts.len() >= MOST_SCRIPTS {
            return;
        }
        let code = self.program.code(file);
        let frame = self.push_frame(file, None, span);
        self.trace.entered.push(file);
        let scope = if in_this_shell { self.here.scope } else { self.new_scope(None, false) };
        let outer = std::mem::replace(&mut self.here, Here::in_module(file, scope, frame));
        self.shell.scripts.push(file);
        for unit in &code.units {
            self.block(&unit.body);
        }
        self.flow = Flow::Next;
        self.shell.scripts.pop();
        self.here = outer;
    }
}
