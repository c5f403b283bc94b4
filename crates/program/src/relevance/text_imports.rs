//! Imports and words as they are written, found without parsing. What stands in a text or a comment counts too.

use crate::code::{Import, ImportNames, ImportedName};
use crate::sources::quoted_names;
use std::ops::Range;

/// An import, and whether only type checkers follow it.
pub(super) struct TextImport<'t> {
    pub import: Import<'t>,
    pub for_types: bool,
}

/// The imports of a file in Python.
pub(super) fn imports_in(text: &str) -> Vec<TextImport<'_>> {
    // A package that loads its parts lazily names them there, and its own names are asked for when it runs.
    let is_lazy = memchr::memmem::find(text.as_bytes(), b"LazyModule(").is_some();
    let blocks = if is_lazy { Vec::new() } else { blocks_for_types(text) };
    let mut found = Vec::new();
    for at in memchr::memmem::find_iter(text.as_bytes(), b"import") {
        let behind = &text[at + "import".len()..];
        if !behind.starts_with([' ', '\t', '(', '*', '\\']) || text[..at].ends_with(is_name_part) {
            continue;
        }
        let head = head_of(&text[..at]);
        let for_types = blocks.iter().any(|block| block.contains(&at));
        let written = |import| TextImport { import, for_types };
        match head.strip_prefix("from").map(str::trim) {
            Some(module) => found.extend(from(module, behind).map(written)),
            None => found.extend(listed(behind).map(module_alone).map(written)),
        }
    }
    found
}

/// The blocks below `if TYPE_CHECKING:`.
fn blocks_for_types(text: &str) -> Vec<Range<usize>> {
    let condition = memchr::memmem::find_iter(text.as_bytes(), b"TYPE_CHECKING:");
    let blocks = condition.filter_map(|at| {
        let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let line = &text[start..at];
        let indent = line.len() - line.trim_start().len();
        if !line.trim_start().starts_with("if ") || line.contains(" not ") || line.contains(" or ") {
            return None;
        }
        let first = at + "TYPE_CHECKING:".len();
        let mut end = first;
        for (number, line) in text[first..].split_inclusive('\n').enumerate() {
            let own = line.len() - line.trim_start().len();
            if number > 0 && own <= indent && !line.trim().is_empty() {
                break;
            }
            end += line.len();
        }
        Some(first..end)
    });
    blocks.collect()
}

/// `import module`
pub(crate) fn module_alone(module: &str) -> Import<'_> {
    Import { level: 0, module, names: ImportNames::Module(None), lazy: false }
}

/// The words of a text that may name a file, a module or a command.
pub(super) fn words_in(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| is_name_part(c) || matches!(c, '.' | '/' | '-' | ':');
    let words = text.split(move |c| !is_part(c)).map(|word| word.trim_end_matches([':', '.', '/']));
    words.filter(|word| !word.is_empty())
}

/// Texts that may be the dotted name of a module, seen from the top.
pub(crate) fn quoted_in(text: &str) -> impl Iterator<Item = &str> {
    quoted_names(text).map(|name| name.trim_end_matches('.')).filter(|name| name.starts_with(is_name_part))
}

/// The statement as far as it is written before `import`.
fn head_of(before: &str) -> &str {
    let mut start = before.rfind('\n').map_or(0, |newline| newline + 1);
    // A line that goes on from the one above.
    while let Some(above) = before[..start].trim_end_matches(['\r', '\n']).strip_suffix('\\') {
        start = above.rfind('\n').map_or(0, |newline| newline + 1);
    }
    let statement = before[start..].rsplit([';', ':']).next().unwrap_or_default().trim();
    statement.strip_prefix("lazy ").unwrap_or(statement).trim_start()
}

/// `from module import names`
fn from<'t>(module: &'t str, behind: &'t str) -> Option<Import<'t>> {
    let dotted = module.trim_start_matches(['.', ' ']);
    let level = module[..module.len() - dotted.len()].matches('.').count();
    let module = dotted.trim_end_matches(['\\', '\n', '\r', ' ', '\t']);
    if !module.chars().all(|c| is_name_part(c) || c == '.') {
        return None;
    }
    let names = match listed(behind).next() {
        Some("*") => ImportNames::Star,
        _ => ImportNames::Names(listed(behind).map(|name| ImportedName { name, bound: name }).collect()),
    };
    Some(Import { level: level as u32, module, names, lazy: false })
}

/// The first word of each part between commas: of a list in parentheses, or of what is left of the line.
fn listed(behind: &str) -> impl Iterator<Item = &str> {
    let trimmed = behind.trim_start();
    let lines = match trimmed.strip_prefix('(') {
        Some(inner) => &inner[..memchr::memchr(b')', inner.as_bytes()).unwrap_or(inner.len())],
        None => {
            let mut end = 0;
            loop {
                let rest = &trimmed[end..];
                let line = memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
                let goes_on = rest[..line].trim_end_matches('\r').ends_with('\\') && line < rest.len();
                end += line + usize::from(goes_on);
                if !goes_on {
                    break &trimmed[..end];
                }
            }
        }
    };
    let code = lines
        .split('\n')
        .map(|line| &line[..memchr::memchr2(b'#', b';', line.as_bytes()).unwrap_or(line.len())]);
    let parts = code.flat_map(|line| line.split(','));
    // All that stands between words of Python's is ASCII.
    parts.filter_map(|part| {
        part.split(|c: char| c.is_ascii_whitespace() || c == '\\').find(|word| !word.is_empty())
    })
}

fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let imports = imports_in(text).into_iter().map(|TextImport { import, for_types }| {
            let names = match import.names {
                ImportNames::Module(_) => String::new(),
                ImportNames::Star => " *".to_owned(),
                ImportNames::Names(names) => names.iter().map(|name| format!(" {}", name.name)).collect(),
            };
            let types = if for_types { "types: " } else { "" };
            format!("{types}{}{}{names}", ".".repeat(import.level as usize), import.module)
        });
        imports.collect()
    }

    #[test]
    fn imports_are_found_in_every_form() {
        let text = "import a.b as c, d\nfrom .. import e\nfrom .f.g import (\n    h as i,  # first, of two\n    j,\n)\n\
                    if x: from k import *\nlazy import l; import m\nfrom n \\\n    import o, \\\n    p\n";
        let expected = ["a.b", "d", ".. e", ".f.g h j", "k *", "l", "m", "n o p"];
        assert_eq!(shown(text), expected);
    }

    #[test]
    fn imports_for_type_checkers_are_told_apart() {
        let text = "if t.TYPE_CHECKING:\n    import a\n\n    from b import c\nelse:\n    import d\nif not TYPE_CHECKING:\n    import e\n";
        assert_eq!(shown(text), ["types: a", "types: b c", "d", "e"]);
    }

    #[test]
    fn words_that_only_hold_import_are_none() {
        assert_eq!(shown("important = reimport\nimport_module('x')\n"), Vec::<String>::new());
    }

    #[test]
    fn words_are_paths_modules_and_commands() {
        let text = "run: python -m pkg.train --x=scripts/go.sh uvicorn app.main:app.";
        let expected =
            ["run", "python", "-m", "pkg.train", "--x", "scripts/go.sh", "uvicorn", "app.main:app"];
        assert_eq!(words_in(text).collect::<Vec<_>>(), expected);
    }
}
