//! A context of PyCUDA beside that of a library which uses CUDA's runtime.

use crate::code::walk::{CodeNode, walk};
use crate::code::{ImportNames, Statement, StatementKind};
use crate::facts::{FileId, Place, Span, lines_in};
use crate::rules::files::{FileScope, RawFinding};
use crate::sources::Language;

/// Libraries that work in the primary context.
const LIBRARIES: &[&str] = &["torch", "tensorflow", "cupy"];

/// `import pycuda.autoinit` in a program that uses torch too.
pub(super) fn beside_runtime(scope: &FileScope<'_>) -> Vec<RawFinding> {
    // Somebody switches between the two.
    if scope.program.has_any(&["autoprimaryctx", "retain_primary_context", "ontext.pop()", "ctx.pop()"]) {
        return Vec::new();
    }
    let mut made: Option<Span> = None;
    walk(scope.code, &mut |part, _| {
        let CodeNode::Statement(step @ Statement { kind: StatementKind::Import(import), .. }) = part else {
            return;
        };
        let is_it = import.module == "pycuda.autoinit"
            || import.module == "pycuda"
                && matches!(&import.names, ImportNames::Names(names) if names.iter().any(|one| one.name == "autoinit"));
        if is_it {
            made = made.or(Some(step.span));
        }
    });
    let Some(made) = made else { return Vec::new() };
    let Some((place, library)) = runtime_beside(scope) else { return Vec::new() };
    let raw_finding = RawFinding::at(scope.place(made)).word("library", library);
    vec![raw_finding.beside(place, "the other library is imported here")]
}

/// Where this file, or one that imports it, imports such a library.
fn runtime_beside(scope: &FileScope<'_>) -> Option<(Place, &'static str)> {
    let own = import_in(scope.whole_text());
    if let Some((span, library)) = own {
        return Some((scope.place(span), library));
    }
    let dotted = scope.program.dotted(scope.file);
    let parts: Vec<&str> = dotted.split('.').collect();
    let names_it = |text: &str| {
        text.lines().any(|line| {
            let line = line.trim_start();
            (line.starts_with("import ") || line.starts_with("from "))
                && parts.iter().rev().take(2).any(|part| {
                    line.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
                        .any(|word| word == *part)
                })
        })
    };
    let others = scope.program.every_file().filter(|(file, source)| {
        *file != scope.file && matches!(source.language, Language::Python | Language::Notebook)
    });
    let found = others.filter(|(_, source)| names_it(&source.text)).find_map(|(file, source)| {
        import_in(&source.text).map(|(span, library)| (Place { file, span }, library))
    });
    found.filter(|(place, _)| is_source(scope, place.file))
}

fn is_source(scope: &FileScope<'_>, file: FileId) -> bool {
    scope.program.sources.file(file).language != Language::Notebook
}

/// The line that imports such a library.
fn import_in(text: &str) -> Option<(Span, &'static str)> {
    lines_in(text).find_map(|(span, line)| {
        let line = line.trim_start();
        let module = line.strip_prefix("import ").or_else(|| line.strip_prefix("from "))?;
        let root = module.split(['.', ' ', ',']).next()?.trim();
        LIBRARIES.iter().find(|library| **library == root).map(|library| (span, *library))
    })
}
