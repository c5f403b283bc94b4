//! Imports: project modules run once, in Python's order; other modules are noted.

use super::Interpreter;
use super::expressions::borrow;
use crate::code::{Code, CratePath, ExprKind, Function, Import, ImportNames, StatementKind, Target};
use crate::facts::{FileId, Place, Span};
use crate::program::heap::values::{Closure, ScopeId, Value};
use crate::program::knowledge::{ContactIn, DriverContact};
use crate::program::modules::{FolderId, ImportTarget};
use crate::program::state::Definition;
use crate::program::summaries::Dependency;
use crate::program::trace::{EventKind, NOT_NOTED};
use smallvec::{SmallVec, smallvec};
use std::rc::Rc;

/// What a module path leads to.
pub(super) enum Imported {
    /// The first and the last module of the path.
    Project(Option<ImportTarget>, Option<ImportTarget>),
    Outside,
}

impl<'p> Interpreter<'p> {
    pub(super) fn code(&self) -> &'p Code<'p> {
        self.code_of(self.here.file)
    }

    /// Who looks at a function that does not run says so in [`Program::code`], or in [`super::super::file_digests`].
    pub(super) fn code_of(&self, file: FileId) -> &'p Code<'p> {
        self.program.code_in_pieces(file)
    }

    pub(super) fn function_of(&self, closure: &Closure<'p>) -> &'p Function<'p> {
        &self.code_of(closure.file).functions[closure.function]
    }

    pub(super) fn import(&mut self, import: &'p Import<'p>, span: Span) {
        if import.lazy || self.is_declared_lazy(import.module) {
            return self.bind_lazy(import, span);
        }
        match &import.names {
            ImportNames::Module(bound) => {
                let value = match (self.import_path(import.level, import.module, None, span), bound) {
                    (Imported::Outside, _) => {
                        self.import_outside(import.module, None, span);
                        let path = match bound {
                            Some(_) => import.module,
                            None => import.module.split('.').next().unwrap_or_default(),
                        };
                        Value::Outside(self.paths.id(path))
                    }
                    (Imported::Project(_, last), Some(_)) => self.found_value(last, span),
                    (Imported::Project(first, _), None) => self.found_value(first, span),
                };
                let name = bound.unwrap_or_else(|| import.module.split('.').next().unwrap_or_default());
                self.bind(name, value);
            }
            ImportNames::Names(names) => {
                let wanted = names.first().map(|name| name.name);
                match self.import_path(import.level, import.module, wanted, span) {
                    Imported::Outside => {
                        self.import_outside(import.module, None, span);
                        for name in names {
                            self.import_outside(import.module, Some(name.name), span);
                            let module = self.paths.id(import.module);
                            let outside = Value::Outside(self.paths.child(module, name.name));
                            // `typing.TYPE_CHECKING` is False whenever code runs.
                            let value =
                                if name.name == "TYPE_CHECKING" { Value::Bool(false) } else { outside };
                            self.bind(name.bound, value);
                        }
                    }
                    Imported::Project(_, last) => {
                        for name in names {
                            let value = self.name_from(last, name.name, span);
                            self.bind(name.bound, value);
                        }
                    }
                }
            }
            ImportNames::Star => match self.import_path(import.level, import.module, None, span) {
                Imported::Outside => self.import_outside(import.module, None, span),
                Imported::Project(_, last) => self.import_star(last),
            },
        }
    }

    /// Binds a module of the crate; its items are there before anything of it runs.
    pub(super) fn bring_in(&mut self, bound: &'p str, path: &CratePath<'p>, span: Span) {
        let name = self.program.name_of(self.here.file);
        let Some(file) = self.program.modules.crates.file(name, path) else { return };
        if file != self.here.file {
            self.enter_module(file, span);
            self.bind(bound, Value::Module(file));
        }
    }

    /// Imports each module of a dotted path in turn, packages before what they hold.
    pub(super) fn import_path(
        &mut self,
        level: u32,
        module: &str,
        wanted: Option<&str>,
        span: Span,
    ) -> Imported {
        let mut parts = module.split('.').filter(|part| !part.is_empty());
        let mut chain: SmallVec<[ImportTarget; 4]> = SmallVec::new();
        if level > 0 {
            match self.program.modules.relative(self.here.file, level) {
                Some(found) => chain.push(found),
                None => return Imported::Project(None, None),
            }
        } else {
            let Some(first) = parts.next() else { return Imported::Outside };
            let found = self.resolve(self.here.file, first);
            self.summaries.note(Dependency::Resolved(self.here.file, first.into(), found));
            match found {
                // A script does not import itself by the name of a library.
                Some(ImportTarget::File(file))
                    if file == self.here.file && !self.program.modules.in_package(file) =>
                {
                    return Imported::Outside;
                }
                Some(found) => chain.push(found),
                None => return Imported::Outside,
            }
        }
        let first = chain[0];
        let mut complete = true;
        for part in parts {
            let last = chain.last().copied().unwrap_or(first);
            match self.program.modules.child(last, part) {
                Some(found) => chain.push(found),
                None => {
                    complete = false;
                    break;
                }
            }
        }
        let last = chain.last().copied().unwrap_or(first);
        // A folder of the same name does not hide a library: Python prefers a real package anywhere on
        // its path, so the folder counts only when it holds what is asked for.
        let only_folders = chain.iter().all(|found| matches!(found, ImportTarget::Folder(_)));
        if level == 0 && only_folders {
            let holds = wanted.is_some_and(|name| self.program.modules.child(last, name).is_some());
            if !complete || !holds {
                return Imported::Outside;
            }
        }
        for found in &chain {
            if let ImportTarget::File(file) = found {
                self.note_gpu_module(*file, span);
                self.enter_module(*file, span);
            }
        }
        Imported::Project(Some(first), complete.then_some(last))
    }

    /// Where the first part of a dotted name leads to, from a file.
    fn resolve(&self, file: FileId, name: &str) -> Option<ImportTarget> {
        self.resolve_with(&[], file, name)
    }

    /// The same where more folders are on `sys.path`.
    pub(super) fn resolve_with(&self, added: &[FolderId], file: FileId, name: &str) -> Option<ImportTarget> {
        let script = self.start.script(self.entry);
        let known = self.state.search_paths();
        let all: SmallVec<[FolderId; 4]> = known.iter().chain(added).copied().collect();
        self.program.modules.absolute(script, &all, file, name)
    }

    /// `importlib.import_module("a.b")`
    pub(super) fn import_by_name(&mut self, module: &str, binds_top: bool, span: Span) -> Value<'p> {
        match self.import_path(0, module, None, span) {
            Imported::Outside => {
                self.import_outside(module, None, span);
                let top = module.split('.').next().unwrap_or_default();
                Value::Outside(self.paths.id(if binds_top { top } else { module }))
            }
            Imported::Project(first, last) => self.found_value(if binds_top { first } else { last }, span),
        }
    }

    pub(super) fn found_value(&mut self, found: Option<ImportTarget>, span: Span) -> Value<'p> {
        match found {
            Some(ImportTarget::File(file)) => {
                self.note_gpu_module(file, span);
                self.enter_module(file, span);
                Value::Module(file)
            }
            Some(ImportTarget::Folder(folder)) => Value::Folder(folder),
            None => Value::Unknown,
        }
    }

    /// Whether the policy counts a module of the project as GPU code.
    fn is_gpu_module(&self, file: FileId) -> bool {
        self.asked.cpu_part.as_ref().is_some_and(|cpu| cpu.is_gpu_module(&self.program.dotted(file)))
    }

    /// Notes that the CPU part imports a module of the project that counts as GPU code.
    fn note_gpu_module(&mut self, file: FileId, span: Span) {
        if self.start == super::Start::CpuPart && file != self.here.file && self.is_gpu_module(file) {
            let module = self.program.dotted(file);
            let brings = vec!["GPU code of the project".to_owned()];
            self.note(outside(module, false, false, brings, None), span);
        }
    }

    /// `from module import name`
    pub(super) fn name_from(&mut self, module: Option<ImportTarget>, name: &'p str, span: Span) -> Value<'p> {
        match module {
            Some(ImportTarget::File(file)) => {
                if let Some(scope) = self.entered(file)
                    && let Some(value) = self.in_scope(scope, name)
                {
                    // What a module binds lazily is imported when another one takes it from there.
                    return self.force_lazy(value.clone());
                }
                if let Some(child) = self.program.modules.child(ImportTarget::File(file), name) {
                    return self.found_value(Some(child), span);
                }
                if self.entered(file).is_some() {
                    self.getattr_of(file, name, span)
                } else {
                    Value::Deferred(file, name)
                }
            }
            Some(folder) => {
                let child = self.program.modules.child(folder, name);
                self.found_value(child, span)
            }
            None => Value::Unknown,
        }
    }

    /// PEP 562: a module's own `__getattr__` is asked for names that it does not have.
    fn getattr_of(&mut self, file: FileId, name: &'p str, span: Span) -> Value<'p> {
        let asked = self.entered(file).and_then(|scope| self.in_scope(scope, "__getattr__")).cloned();
        let Some(Value::Function(getattr)) = asked else { return Value::Unknown };
        let name = Value::text(name, self.place(span));
        self.run_function(&getattr, super::calls::Args::positional(vec![name], span), span)
    }

    pub(super) fn module_attribute(&mut self, file: FileId, name: &'p str, span: Span) -> Value<'p> {
        match self.entered(file) {
            Some(scope) => {
                if let Some(value) = self.in_scope(scope, name).cloned() {
                    self.expect_bound(scope, name);
                    return value;
                }
                if let Some(value) = self.set_by_import(file, name, span) {
                    return value;
                }
                // A submodule is an attribute once somebody imported it.
                match self.program.modules.child(ImportTarget::File(file), name) {
                    Some(ImportTarget::File(child))
                        if self.entered(child).is_some() || !self.program.may_affect_gpu(child) =>
                    {
                        Value::Module(child)
                    }
                    Some(ImportTarget::Folder(folder)) => Value::Folder(folder),
                    _ => self.getattr_of(file, name, span),
                }
            }
            None if let Some(value) = self.set_by_import(file, name, span) => value,
            None => match self.program.modules.child(ImportTarget::File(file), name) {
                Some(child) => self.found_value(Some(child), span),
                None => Value::Deferred(file, name),
            },
        }
    }

    /// The value behind a deferred name: its module runs now, without being noted.
    pub(super) fn force(&mut self, value: Value<'p>) -> Value<'p> {
        let Value::Deferred(file, name) = value else { return value };
        // A file that is looked at alone needs no more of the others than their constants.
        if self.start == super::Start::Library {
            return self.constant(file, name);
        }
        let Some(scope) = self.names_of(file) else { return Value::Unknown };
        match self.in_scope(scope, name).cloned() {
            Some(Value::Deferred(next, next_name)) if (next, next_name) != (file, name) => {
                self.force(Value::Deferred(next, next_name))
            }
            Some(Value::Lazy(_) | Value::Deferred(..)) => Value::Unknown,
            Some(value) => value,
            None => {
                let statement = self.here.statement;
                self.getattr_of(file, name, statement)
            }
        }
    }

    /// The namespace of a module. One that was not worth running runs now, without being noted.
    pub(super) fn names_of(&mut self, file: FileId) -> Option<ScopeId> {
        if let Some(scope) = self.entered(file) {
            return Some(scope);
        }
        // A file that is looked at alone runs no other.
        if self.start == super::Start::Library {
            return None;
        }
        if self.callers.len() >= super::functions::MOST_CALLS {
            self.summaries.left_out += 1;
            return None;
        }
        if !self.spend() {
            return None;
        }
        let state = self.state.clone();
        let flow = self.flow;
        let importing_for = self.importing_for.replace(file);
        self.quiet += 1;
        self.enter_module(file, Span::default());
        self.quiet -= 1;
        self.importing_for = importing_for;
        self.flow = flow;
        let settled = std::mem::replace(&mut self.state, state);
        self.state.keep_set_up(&settled);
        self.entered(file)
    }

    /// The constant that the top level of a file binds a name to, read without running the file.
    fn constant(&mut self, file: FileId, name: &str) -> Value<'p> {
        let mut bound = self.code_of(file).body.iter().filter_map(|step| match &step.kind {
            StatementKind::Assign { targets, value: Some(value), .. } => {
                let named =
                    targets.iter().any(|target| matches!(target, Target::Name(known, _) if *known == name));
                named.then_some(value)
            }
            _ => None,
        });
        let (Some(value), None) = (bound.next(), bound.next()) else { return Value::Unknown };
        let place = Place { file, span: value.span };
        match &value.kind {
            ExprKind::Text(text) => Value::text(borrow(text), place),
            ExprKind::Int(number) => Value::Int(*number, place),
            ExprKind::Bool(truth) => Value::Bool(*truth),
            _ => Value::Unknown,
        }
    }

    /// Whether a package is surely installed.
    fn is_installed(&mut self, package: &'p str) -> bool {
        let installed = self.is_installed_for(package, self.here.file);
        self.summaries.note(Dependency::Installed(package, self.here.file, installed));
        installed
    }

    /// Whether this program imported a package, or a file or that of the entry does somewhere.
    pub(super) fn is_installed_for(&self, package: &str, file: FileId) -> bool {
        self.imported.contains(package)
            || [file, self.entry].iter().any(|file| self.program.needs(*file, package))
            || self.program.asks_for(package)
    }

    /// Notes that a library was imported; whether it is the first time.
    pub(super) fn note_imported(&mut self, library: Rc<str>) -> bool {
        let is_new = self.imported.insert(library.clone());
        if is_new {
            self.imports.push(library);
        }
        is_new
    }

    /// Notes the import of a module outside the project, and what the import does.
    pub(super) fn import_outside(&mut self, module: &str, name: Option<&str>, span: Span) {
        let full = name.map_or_else(|| module.to_owned(), |name| format!("{module}.{name}"));
        let row = self.program.knowledge.package(&full);
        // A name that is not a module of its own says nothing that the module did not say.
        let own = row.is_some_and(|row| row.module == full);
        let forbidden = self.asked.is_forbidden(&full);
        let forbidden_by_name = forbidden && !self.asked.is_forbidden(module);
        if name.is_some() && !own && !forbidden_by_name {
            return;
        }
        self.pass_import(&full, &full, span);
        let library: Rc<str> = full.as_str().into();
        let new = self.note_imported(library.clone());
        let in_version = row.and_then(|row| {
            let holds = |one: &&ContactIn| self.requirements_hold(&one.requires);
            row.contact_in.iter().find(holds)
        });
        if row.is_some_and(|row| {
            row.contact == DriverContact::CudaInit
                || !row.contact_if_installed.is_empty()
                || in_version.is_some()
        }) {
            self.summaries.note(Dependency::Named(library, !new));
        }
        let Some(row) = row else {
            if forbidden {
                self.note(outside(full, false, false, Vec::new(), None), span);
            }
            return;
        };
        let mut brought: Vec<&'p str> = row.imports.iter().map(String::as_str).collect();
        for (package, more) in &row.imports_if_installed {
            if self.is_installed(package) {
                brought.extend(more.iter().map(String::as_str));
            }
        }
        for library in std::iter::once(row.module.as_str()).chain(brought.iter().copied()) {
            self.note_imported(library.into());
        }
        brought.iter().for_each(|brought| self.pass_import(brought, &full, span));
        let excused = row.unless_env.iter().any(|(variable, value)| self.variable_is(variable, value));
        let meant = row.if_env.iter().all(|(variable, value)| self.variable_is(variable, value));
        // What the program imported itself is surely installed.
        let if_installed = row.contact_if_installed.iter();
        let by_itself = in_version.map_or(row.contact, |one| one.contact);
        let contacts = by_itself == DriverContact::CudaInit
            || if_installed
                .clone()
                .any(|(package, contact)| *contact == DriverContact::CudaInit && self.is_installed(package));
        let touches = new && contacts && meant && !excused;
        let brings = brought.iter().filter(|module| self.asked.is_forbidden(module));
        let brings: Vec<String> = brings.map(|module| (*module).to_owned()).collect();
        let worth_it = row.gpu_library || touches || forbidden || !brings.is_empty();
        let note = match (&row.note, &row.version) {
            _ if touches && in_version.is_some_and(|one| one.contact == DriverContact::CudaInit) => {
                in_version.map(|one| one.note.clone())
            }
            (Some(note), Some(version)) if touches => Some(format!("{note} (seen with version {version})")),
            (note, _) => note.clone(),
        };
        let what = outside(full, row.gpu_library, touches, brings, note);
        if worth_it {
            self.note(what, span);
        }
        for (variable, value) in &row.sets {
            self.set_reaching(variable, smallvec![Definition::Set(NOT_NOTED, Some(value.as_str().into()))]);
        }
    }
}

fn outside(
    module: String,
    gpu_library: bool,
    touches_cuda: bool,
    brings: Vec<String>,
    note: Option<String>,
) -> EventKind {
    EventKind::Import { module, gpu_library, touches_cuda, brings, note }
}
