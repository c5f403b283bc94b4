//! Who takes what from a module: the imports of the other files that lead to it.

use super::Program;
use super::imports::{each_import, module_of};
use super::modules::Found;
use crate::code::{Import, ImportNames};
use crate::facts::FileId;

/// An import of another file that leads to a module.
pub(crate) struct Importer<'p> {
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
    pub(crate) fn importers(&self, of: FileId) -> Vec<Importer<'_>> {
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
        let is_it = |found: &Found| *found == Found::File(of);
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
    pub(crate) fn module_behind(
        &self,
        file: FileId,
        import: &Import<'_>,
        name: Option<&str>,
    ) -> Option<FileId> {
        let (_, module) = module_of(import, file, &self.modules);
        let found = match name {
            Some(name) => self.modules.child(module?, name)?,
            None => module?,
        };
        found.file()
    }

    /// Whether a package has a submodule of this name.
    pub(crate) fn has_submodule(&self, package: FileId, name: &str) -> bool {
        self.modules.child(Found::File(package), name).is_some()
    }
}
