//! What the imports of a file in Python bind, and imports that are put in.

use super::Refusal;
use super::site::Site;
use crate::code::walk::{CodeNode, walk, walk_top};
use crate::code::{Code, ImportNames, StatementKind, Target};
use crate::facts::{FileId, Span};
use crate::findings::Edit;
use crate::languages::{NodeId, Tree, TreeKind};

/// Whether the file imports a module by its own name, for all of its functions.
pub fn is_imported(code: &Code<'_>, module: &str) -> bool {
    let mut found = false;
    walk_top(code, &mut |part, _| {
        if let CodeNode::Statement(step) = part
            && let StatementKind::Import(import) = &step.kind
        {
            let first = import.module.split('.').next().unwrap_or_default();
            found |= import.level == 0
                && match import.names {
                    ImportNames::Module(None) => first == module,
                    ImportNames::Module(Some(bound)) => import.module == module && bound == module,
                    _ => false,
                };
        }
    });
    found
}

/// `import module` above the first import of something of `beside`; nothing where it is imported already.
pub fn import_beside(site: &Site<'_>, tree: &Tree, module: &str, beside: &str) -> Result<Vec<Edit>, Refusal> {
    if is_imported(site.code(), module) {
        return Ok(Vec::new());
    }
    let imports_it = |text: &str| {
        let words = text.trim_start_matches("from ").trim_start_matches("import ").trim_start();
        !text.contains("__future__")
            && words.strip_prefix(beside).is_some_and(|rest| !rest.starts_with(is_part))
    };
    let statement = tree.top().find(|(_, node)| {
        matches!(node.kind, TreeKind::Import | TreeKind::ImportFrom) && imports_it(site.slice(node.span))
    });
    let (statement, _) = statement.ok_or_else(|| format!("the file does not import `{module}`"))?;
    Ok(vec![site.statements_above(tree, statement, &[format!("import {module}")])])
}

/// A name that one import of a file binds, and where it is used.
pub struct Imported {
    /// The import.
    pub statement: NodeId,
    /// `name` or `name as bound` in it.
    pub alias: NodeId,
    /// The names that stand for it in expressions.
    pub uses: Vec<NodeId>,
}

impl Imported {
    /// The import that binds a name, when nothing else does and no other file may take it from here.
    pub fn by(site: &Site<'_>, tree: &Tree, bound: &str) -> Result<Imported, Refusal> {
        let is_it = |span: Span| bound_by(site.slice(span)) == bound;
        let mut aliases =
            tree.numbered().filter(|(_, node)| node.kind == TreeKind::Alias && is_it(node.span));
        let (Some((alias, node)), None) = (aliases.next(), aliases.next()) else {
            return Err(format!("`{bound}` is not bound by one import alone"));
        };
        if binds_otherwise(site.code(), bound) {
            return Err(format!("`{bound}` is bound in other ways too"));
        }
        let name = site.program.dotted(site.file());
        let stem = name.rsplit('.').next().unwrap_or(&name);
        let others =
            (0..site.program.sources.files.len() as u32).map(FileId).filter(|file| *file != site.file());
        let takes = |file: FileId| site.program.has_word(file, bound) && site.program.has_word(file, stem);
        if site.program.is_imported(site.file()) && others.into_iter().any(takes) {
            return Err(format!("other files may import `{bound}` from here"));
        }
        let is_use = |(_, node): &(NodeId, &_)| node_is_name(node, site, bound);
        let uses = tree.numbered().filter(is_use).map(|(id, _)| id).collect();
        let statement = node.parent.ok_or("the import is not understood")?;
        Ok(Imported { statement, alias, uses })
    }
}

/// What `name as bound` binds.
pub fn bound_by(alias: &str) -> &str {
    alias.rsplit(|one: char| one.is_whitespace()).next().unwrap_or(alias)
}

fn node_is_name(node: &crate::languages::TreeNode, site: &Site<'_>, name: &str) -> bool {
    node.kind == TreeKind::Name && site.slice(node.span) == name
}

fn binds_otherwise(code: &Code<'_>, name: &str) -> bool {
    let mut found = code
        .functions
        .iter()
        .any(|one| one.name == name || one.parameters.iter().any(|parameter| parameter.name == name));
    found |= code.classes.iter().any(|one| one.name == name);
    walk(code, &mut |part, _| {
        found |= matches!(part, CodeNode::Target(Target::Name(bound, _)) if *bound == name);
    });
    found
}

fn is_part(one: char) -> bool {
    one.is_alphanumeric() || one == '_'
}
