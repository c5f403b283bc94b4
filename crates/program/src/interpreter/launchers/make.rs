//! `make train` in a script, a workflow or a container: what the Makefile says of the target runs there, with the
//! environment of whoever calls.

use super::super::{CodePosition, Interpreter};
use crate::code::{StatementKind, Unit};
use crate::facts::{FileId, Place, Span};
use crate::program::heap::values::{ScopeId, Value};
use crate::program::is_gpu_variable;

/// What `make` is told on its command line.
pub(in crate::interpreter) struct MakeInvocation<'i> {
    pub folder: Option<&'i str>,
    pub file: Option<&'i str>,
    pub targets: &'i [String],
}

impl<'p> Interpreter<'p> {
    /// Runs targets of a Makefile; `set` are the variables of the command line.
    pub(in crate::interpreter) fn run_make(
        &mut self,
        make: &MakeInvocation<'_>,
        set: &[(String, String)],
        folder: Option<&str>,
        span: Span,
    ) {
        let Some(file) = self.makefile(make, folder) else { return };
        let code = self.program.code_in_pieces(file);
        let default: Vec<&str> = code.targets.first().map(|target| target.name).into_iter().collect();
        let asked = make.targets.iter().map(String::as_str);
        let names: Vec<&str> = if make.targets.is_empty() { default } else { asked.collect() };
        let mut units: Vec<usize> = Vec::new();
        for target in code.targets.iter().filter(|target| names.contains(&target.name)) {
            units.extend(target.units.iter().filter(|unit| !units.contains(unit)).collect::<Vec<_>>());
        }
        for unit in units {
            self.trace.units.push((file, unit));
            self.apart_from(|run| run.run_target(file, unit, set, span));
        }
    }

    fn makefile(&self, make: &MakeInvocation<'_>, folder: Option<&str>) -> Option<FileId> {
        const NAMES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];
        let below = make.folder.map_or(String::new(), |folder| format!("{}/", folder.trim_end_matches('/')));
        let named =
            |name: &str| self.program.launched_file(self.here.file, folder, &format!("{below}{name}"));
        match make.file {
            Some(file) => named(file),
            None => NAMES.iter().find_map(|name| named(name)),
        }
    }

    fn run_target(&mut self, file: FileId, unit: usize, set: &[(String, String)], span: Span) {
        if self.is_run_as_script(file) {
            return;
        }
        let code = self.program.code_in_pieces(file);
        let site = self.place(span);
        for (name, value) in set.iter().filter(|(name, _)| is_gpu_variable(name)) {
            // Recipes find it in their environment.
            let (key, value) = (Value::text(name.clone(), site), Value::text(value.clone(), site));
            self.write_variable(&key, &value, span, false);
        }
        let frame = self.push_frame(file, None, span);
        let scope = self.new_scope(None, false);
        let outer = std::mem::replace(&mut self.here, CodePosition::in_module(file, scope, frame));
        self.give(&code.units[unit], set, site, scope);
        self.enter_script(file);
        self.block(&code.units[unit].body);
        self.leave_script();
        self.here = outer;
    }

    /// Variables of the command line win over the defaults of the Makefile.
    fn give(&mut self, unit: &'p Unit<'p>, set: &[(String, String)], site: Place, scope: ScopeId) {
        for step in &unit.body {
            if let StatementKind::SetVariable(own) = &step.kind
                && let Some((_, value)) = set.iter().find(|(name, _)| *name == own.name)
            {
                self.bind_in(scope, &own.name, Value::text(value.clone(), site));
            }
        }
    }
}
