//! Who takes what from a module: the imports of the other files that lead to it.

use super::imports::{each_import, module_from, module_of, targets_from};
use super::knowledge::{Does, DriverContact};
use super::modules::ImportTarget;
use super::{Program, Start};
use crate::code::walk::{CodeNode, walk};
use crate::code::{Import, ImportNames, StatementKind};
use crate::facts::FileId;

/// An import of another file that leads to a module.
pub struct Importer<'p> {
    pub file: FileId,
    pub import: &'p Import<'p>,
    /// The names of the import are names of the module.
    pub takes_names: bool,
    /// It runs when its file is imported, as far as can be seen.
    pub at_top: bool,
    /// What the file calls the module afterwards: `app.gpu`, or `gpu`.
    pub called: Vec<String>,
}

impl<'s> Program<'s> {
    /// The imports of other files that name this module.
    pub fn importers(&self, of: FileId) -> Vec<Importer<'_>> {
        let mut found = Vec::new();
        for file in self.imports.importers_of(of) {
            let code = self.code(file);
            let mut look = |at_top: bool, block| {
                each_import(block, &mut |import| found.extend(self.importer(file, import, of, at_top)));
            };
            look(true, &code.body);
            code.functions.iter().for_each(|function| look(false, &function.body));
            code.classes.iter().for_each(|class| look(true, &class.body));
        }
        found
    }

    fn importer<'p>(
        &'p self,
        file: FileId,
        import: &'p Import<'p>,
        of: FileId,
        at_top: bool,
    ) -> Option<Importer<'p>> {
        let (_, module) = module_of(import, file, &self.modules);
        let module = module?;
        let is_it = |found: &ImportTarget| *found == ImportTarget::File(of);
        let mut called = Vec::new();
        match &import.names {
            ImportNames::Module(bound) if is_it(&module) => {
                called.push(bound.unwrap_or(import.module).to_owned())
            }
            ImportNames::Names(names) => {
                let children = names
                    .iter()
                    .filter(|name| self.modules.child(module, name.name).as_ref().is_some_and(is_it));
                called.extend(children.map(|name| name.bound.to_owned()));
            }
            _ => {}
        }
        let takes_names = is_it(&module) && !matches!(import.names, ImportNames::Module(_));
        (takes_names || !called.is_empty()).then_some(Importer { file, import, takes_names, at_top, called })
    }

    /// The file of the project that a name of an import is, or that it is taken from.
    pub fn module_behind(&self, file: FileId, import: &Import<'_>, name: Option<&str>) -> Option<FileId> {
        let (_, module) = module_of(import, file, &self.modules);
        let found = match name {
            Some(name) => self.modules.child(module?, name)?,
            None => module?,
        };
        found.file()
    }

    /// The files of the project that an import may run, packages on the way included.
    pub fn import_targets(&self, file: FileId, import: &Import<'_>) -> Vec<FileId> {
        targets_from(self.script_of(file), import, file, &self.modules)
    }

    /// The files of the project that the imports of a file may run, wherever they stand in it.
    pub fn files_imported(&self, file: FileId) -> Vec<FileId> {
        let mut found = Vec::new();
        walk(self.code(file), &mut |part, _| {
            if let CodeNode::Statement(step) = part
                && let StatementKind::Import(import) = &step.kind
            {
                found.extend(self.import_targets(file, import));
            }
        });
        found
    }

    /// The file itself where it is started as a script: then its folder is the first in which Python looks.
    fn script_of(&self, file: FileId) -> Option<FileId> {
        (self.start_of(file) == Some(Start::Script) || self.is_loose_script(file)).then_some(file)
    }

    /// A file in a package that nobody imports, that does something and imports nothing relatively, can only be started: where it
    /// names modules of its folder, these are meant.
    fn is_loose_script(&self, file: FileId) -> bool {
        let look = self.facts_of(file);
        let is_alone = !self.is_imported(file) && !self.imports.is_relative(file);
        self.modules.in_package(file)
            && look.is_read
            && look.has_effect
            && is_alone
            && self.start_of(file).is_none()
    }

    /// The `__init__` files that run before a file when it is imported, outermost first.
    pub fn parents(&self, file: FileId) -> Vec<FileId> {
        self.modules.parents(file)
    }

    /// The file of the project that a dotted name means in a file.
    pub fn module_named(&self, file: FileId, dotted: &str) -> Option<FileId> {
        let import = Import { level: 0, module: dotted, names: ImportNames::Module(None), lazy: false };
        module_from(self.script_of(file), &import, file, &self.modules).1?.file()
    }

    /// Whether a module outside of the project is one for GPUs, or loads one: also by what is said of a package above it.
    pub fn is_gpu_module(&self, file: FileId, module: &str) -> bool {
        let row = self.knowledge.package(module);
        let by_row = row.map(|row| row.is_for_gpus() || row.contact != DriverContact::None);
        self.asked_of(file).is_forbidden(module)
            || by_row.unwrap_or_else(|| self.knowledge.does(module, Does::CudaInit))
            || self.knowledge.does(module, Does::Nvml)
    }

    /// The same by what is said of the module alone.
    pub fn is_gpu_module_by_itself(&self, file: FileId, module: &str) -> bool {
        let has_row = self.knowledge.package(module).is_some_and(|row| row.module == module);
        let is_named = self.asked_of(file).forbidden.iter().any(|forbidden| forbidden == module);
        (has_row || is_named) && self.is_gpu_module(file, module)
    }

    /// Whether a package has a submodule of this name.
    pub fn has_submodule(&self, package: FileId, name: &str) -> bool {
        self.modules.child(ImportTarget::File(package), name).is_some()
    }
}
