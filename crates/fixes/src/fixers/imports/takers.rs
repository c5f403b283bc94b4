//! Other files that take a name from a module, by an import or in another way.

use crate::code::walk::{CodeNode, walk};
use crate::code::{Expr, ExprKind, ImportNames};
use crate::facts::FileId;
use crate::fixes::Refusal;
use crate::fixes::site::Site;
use crate::program::Importer;
use crate::sources::Language;
use std::cell::OnceCell;

/// The other files that import the module of the finding.
pub struct ModuleUsers<'a> {
    site: &'a Site<'a>,
    importers: OnceCell<Vec<Importer<'a>>>,
    /// What others call the module.
    dotted: String,
}

impl<'a> ModuleUsers<'a> {
    pub fn of(site: &'a Site<'a>) -> ModuleUsers<'a> {
        ModuleUsers { site, importers: OnceCell::new(), dotted: site.program.dotted(site.file()) }
    }

    fn importers(&self) -> &[Importer<'a>] {
        self.importers.get_or_init(|| self.site.program.importers(self.site.file()))
    }

    /// Who takes the name from the module, in words.
    pub fn taker(&self, name: &str) -> Option<Refusal> {
        let file =
            self.importer_of(name, false).or_else(|| self.reader_of(name)).or_else(|| self.text_of(name))?;
        Some(format!("`{}` takes `{name}` from this module", self.site.program.name_of(file)))
    }

    /// A file that imports the name from the module, as soon as it is imported itself.
    pub fn early_importer_of(&self, name: &str) -> Option<FileId> {
        self.importer_of(name, true)
    }

    fn importer_of(&self, name: &str, at_top: bool) -> Option<FileId> {
        let takes = |importer: &&Importer<'_>| match &importer.import.names {
            ImportNames::Names(names) => {
                let is_early = importer.at_top || !at_top;
                is_early && importer.takes_names && names.iter().any(|one| one.name == name)
            }
            _ => false,
        };
        self.importers().iter().find(takes).map(|importer| importer.file)
    }

    /// A file that takes all names of the module at once.
    pub fn of_all(&self) -> Option<FileId> {
        let takes = |importer: &&Importer<'_>| matches!(importer.import.names, ImportNames::Star);
        self.importers().iter().find(takes).map(|importer| importer.file)
    }

    /// A file that reads the name as an attribute of the module, or sets it: `gpu.torch`, `setattr(gpu, "torch", fake)`.
    fn reader_of(&self, name: &str) -> Option<FileId> {
        let reads = |importer: &&Importer<'_>| {
            let (program, file) = (self.site.program, importer.file);
            let text_of = |expr: &Expr<'_>| program.text(crate::facts::Place { file, span: expr.span });
            let is_module = |expr: &Expr<'_>| importer.called.iter().any(|called| called == text_of(expr));
            let mut found = false;
            walk(program.code(file), &mut |part, _| {
                let CodeNode::Expr(expr) = part else { return };
                found |= match &expr.kind {
                    ExprKind::Attribute(object, attribute) => *attribute == name && is_module(object),
                    ExprKind::Call(call) => match &call.arguments[..] {
                        [object, attribute, ..] => {
                            is_module(&object.value)
                                && matches!(&attribute.value.kind, ExprKind::Text(text) if text == name)
                        }
                        _ => false,
                    },
                    _ => false,
                };
            });
            found
        };
        self.importers().iter().find(reads).map(|importer| importer.file)
    }

    /// A file that names `app.gpu.torch`, in a text too.
    fn text_of(&self, name: &str) -> Option<FileId> {
        let whole = format!("{}.{name}", self.dotted);
        let is_part = |character: Option<char>| character.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let mut files = (0u32..).map(FileId).zip(&self.site.program.sources.files);
        let finder = memchr::memmem::Finder::new(&whole);
        let names = |text: &str| {
            finder.find_iter(text.as_bytes()).any(|at| {
                let before = text[..at].chars().next_back();
                let is_longer = is_part(before) || before == Some('.');
                !is_longer && !is_part(text[at + whole.len()..].chars().next())
            })
        };
        let found = files.find(|(file, source)| {
            let is_python = matches!(source.language, Language::Python | Language::Notebook);
            is_python && *file != self.site.file() && !self.dotted.is_empty() && names(&source.text)
        });
        found.map(|(file, _)| file)
    }
}
