//! Files that run in the place of the one that names them: scripts that a shell sources or starts, and those that a
//! notebook runs.

use super::super::calls::{Arg, Args};
use super::super::{CodePosition, Flow, Interpreter};
use crate::code::{Expr, Extended, Host, StatementKind};
use crate::facts::{FileId, Span};
use crate::program::Start;
use crate::program::heap::values::{ScopeId, Value};
use crate::program::launches::{Launch, inherited};
use crate::sources::Language;

/// Scripts that start each other are followed this deep.
const MOST_SCRIPTS: usize = 8;

impl<'p> Interpreter<'p> {
    /// `source env.sh`: the steps of another file, in this shell.
    pub(in crate::interpreter) fn source_file(&mut self, path: &'p Expr<'p>, span: Span) {
        let Some(file) = self.file_named_by(path).or_else(|| self.program.action_in(self.here.file, path))
        else {
            // Anything may be set in it.
            return self.whole_environment().fill_gaps(false);
        };
        if !self.program.code_in_pieces(file).units.is_empty() {
            return self.run_script(file, span, true);
        }
        let environment = inherited(&self.state, &self.trace);
        let (site, host) = (self.place(span), self.shell.host);
        self.trace.launches.push(Launch {
            file,
            start: Start::Script,
            environment,
            arguments: Vec::new(),
            site,
            host,
        });
        if let Some(scope) = self.run_in_place(file, span) {
            for (name, value) in self.heap.names(scope) {
                self.bind(name, value);
            }
        }
    }

    /// `runpy.run_path("fit.py", run_name="__main__")`: the file runs as a script in this process, and as a module under
    /// another name.
    pub(in crate::interpreter) fn run_by_runpy(&mut self, path: &str, args: &Args<'p>, span: Span) {
        let text = |argument: Option<&Arg<'p>>| match argument.map(|argument| &argument.value) {
            Some(Value::Text(text)) => Some(text.text.to_string()),
            _ => None,
        };
        let named = text(args.get(Some(0), None).or_else(|| args.keyword("mod_name")));
        let run_name = text(args.get(Some(2), Some("run_name")));
        let Some(named) = named else { return };
        let file = if path == "runpy.run_path" {
            self.program.launched_file(self.here.file, None, &named)
        } else {
            let module = named.replace('.', "/");
            let of = |name: String| self.program.launched_file(self.here.file, None, &name);
            of(format!("{module}.py")).or_else(|| of(format!("{module}/__main__.py")))
        };
        let Some(file) = file else { return };
        // The packages around a module are imported first.
        if let Some((package, _)) = named.rsplit_once('.').filter(|_| path != "runpy.run_path") {
            self.import_by_name(package, false, span);
        }
        if run_name.as_deref() != Some("__main__") {
            return self.run_as_module(file, span);
        }
        let environment = inherited(&self.state, &self.trace);
        let (start, arguments, site, host) = (Start::Script, Vec::new(), self.place(span), self.shell.host);
        self.trace.launches.push(Launch { file, start, environment, arguments, site, host });
        self.run_in_place(file, span);
    }

    /// The file of `spec_from_file_location("kernels", "kernels.py")`.
    pub(in crate::interpreter) fn file_of_spec(&self, spec: &Value<'p>) -> Option<FileId> {
        let Value::Outside(spec) = spec else { return None };
        match &self.made_with(*spec)?.get(Some(1), Some("location"))?.value {
            Value::Text(path) => self.program.launched_file(self.here.file, None, &path.text),
            _ => None,
        }
    }

    /// Runs the body of a file as that of a module, also where it ran before.
    pub(in crate::interpreter) fn run_as_module(&mut self, file: FileId, span: Span) {
        match self.entered(file) {
            Some(_) => self.reload(file, span),
            None => self.enter_module(file, span),
        }
    }

    /// The variables that a unit of another file sets; what it starts is another matter.
    pub(in crate::interpreter) fn extend(&mut self, extended: &'p Extended<'p>) {
        let file = self.program.launched_file(self.here.file, None, &extended.file);
        let unit = file.and_then(|file| {
            let units = self.program.code_in_pieces(file).units.iter();
            units.filter(|unit| unit.name == extended.unit).map(move |unit| (file, unit)).next()
        });
        let Some((file, unit)) = unit.filter(|(file, _)| *file != self.here.file) else {
            if !extended.optional {
                // Anything may be set in it.
                self.whole_environment().fill_gaps(false);
            }
            return;
        };
        let outer = self.here.file;
        let statement = self.here.statement;
        self.here.file = file;
        for step in &unit.body {
            if let StatementKind::SetVariable(set) = &step.kind {
                self.here.statement = step.span;
                self.set_variable(set);
            }
        }
        (self.here.file, self.here.statement) = (outer, statement);
    }

    /// `%run train.py`: the file runs as a script in this process, with the names of a scope of its own.
    fn run_in_place(&mut self, file: FileId, span: Span) -> Option<ScopeId> {
        if self.shell.scripts.contains(&file) || self.shell.scripts.len() >= MOST_SCRIPTS {
            return None;
        }
        let frame = self.push_frame(file, None, span);
        self.trace.entered.push(file);
        let scope = self.new_scope(None, false);
        self.modules.insert(file, scope);
        let outer = std::mem::replace(&mut self.here, CodePosition::in_module(file, scope, frame));
        self.callers.push(outer);
        self.shell.scripts.push(file);
        let caught = self.new_landing();
        self.catches.push(caught);
        self.block(&self.code_of(file).body);
        self.catches.pop();
        self.landing(caught);
        self.flow = Flow::Next;
        self.shell.scripts.pop();
        if let Some(outer) = self.callers.pop() {
            self.here = outer;
        }
        Some(scope)
    }

    pub(super) fn enter_script(&mut self, file: FileId) {
        self.shell.scripts.push(file);
    }

    pub(super) fn leave_script(&mut self) {
        self.flow = Flow::Next;
        self.shell.scripts.pop();
    }

    /// Whether a file is being run as a script by another.
    pub(in crate::interpreter) fn is_run_as_script(&self, file: FileId) -> bool {
        self.shell.scripts.contains(&file)
    }

    /// The units of another script: in this shell, or in one of its own.
    pub(in crate::interpreter) fn run_script(&mut self, file: FileId, span: Span, in_this_shell: bool) {
        if self.shell.scripts.contains(&file) || self.shell.scripts.len() >= MOST_SCRIPTS {
            return;
        }
        let code = self.program.code_in_pieces(file);
        let frame = self.push_frame(file, None, span);
        self.trace.entered.push(file);
        let scope = if in_this_shell { self.here.scope } else { self.new_scope(None, false) };
        let outer = std::mem::replace(&mut self.here, CodePosition::in_module(file, scope, frame));
        self.shell.scripts.push(file);
        let export_all = self.shell.export_all;
        self.shell.export_all |= !in_this_shell && self.program.language_of(file) == Language::Dotenv;
        for unit in &code.units {
            if !in_this_shell && unit.host != Host::Machine {
                self.enter_host(unit.host);
            }
            self.block(&unit.body);
            self.join_exits();
        }
        self.shell.export_all = if in_this_shell { self.shell.export_all } else { export_all };
        self.flow = Flow::Next;
        self.shell.scripts.pop();
        self.here = outer;
    }
}
