//! Where a block of assignments belongs in a file of Python: behind what has to come first, and before everything that may
//! reach a GPU.

use crate::facts::Span;
use crate::findings::Edit;
use crate::fixes::Refusal;
use crate::fixes::bound_modules::{Imported, first_part, is_import, parts};
use crate::fixes::site::{Site, blanks_before, line_behind};
use crate::fixes::standard_modules::is_standard;
use crate::languages::{NodeId, Tree, TreeKind};
use crate::sources::folder_of;

/// A place for a block.
pub(super) struct InsertionPoint {
    /// The byte before which it stands.
    at: u32,
    /// It stands on one line with what follows.
    inline: bool,
    /// How the environment is called there: `os.environ`. `None` when nothing has imported it.
    pub environ: Option<String>,
    /// What comes before, or after, belongs to the same block.
    joins: (bool, bool),
    /// What comes before is an import.
    follows_import: bool,
}

impl InsertionPoint {
    /// Before everything that may reach a GPU, and at the latest before the statement that holds a place. An empty place is the
    /// start of the file: its package reached the GPU before it, and no statement of the file is the latest one.
    pub(super) fn before(site: &Site<'_>, tree: &Tree, place: Span) -> Result<InsertionPoint, Refusal> {
        let holder = tree.top_statement_at(place).ok_or("the statement could not be found")?;
        let suite = tree.suite_of(holder);
        let docstring = suite.first().copied().filter(|&first| tree.is_text_alone(first));
        let last_of_suite = suite.last().copied().unwrap_or(holder);
        let latest = if place.range().is_empty() { last_of_suite } else { holder };
        let mut environ = earlier_cells(site, tree, latest);
        let mut last: Option<NodeId> = None;
        let mut next = latest;
        for statement in suite.into_iter().take_while(|&statement| statement <= latest) {
            if docstring != Some(statement) && !is_quiet(site, tree, statement) {
                next = statement;
                break;
            }
            environ = environ_bound_by(site, tree, statement).or(environ);
            if statement != latest || docstring == Some(statement) {
                last = Some(statement);
            }
        }
        let text = site.text();
        let start = tree.node(next).span.start;
        let is_setting = |id: NodeId| sets_variable(site, tree, id);
        let before = last.is_some_and(&is_setting);
        let joins = (before, is_setting(next));
        let follows_import = last.is_some_and(|last| is_import(tree.node(last).kind));
        if blanks_before(text, start).is_none() {
            return Ok(InsertionPoint { at: start, inline: true, environ, joins, follows_import });
        }
        let at = match last {
            Some(last) => line_behind(text, tree.node(last).span.end),
            None => above_comments(text, start),
        };
        Ok(InsertionPoint { at, inline: false, environ, joins, follows_import })
    }

    /// The lines, with blank lines around them where there are none.
    pub(super) fn insertion(&self, site: &Site<'_>, lines: &[String]) -> Edit {
        if self.inline {
            let all = lines.iter().filter(|line| !line.is_empty());
            return site.insertion(self.at, all.map(|line| format!("{line}; ")).collect::<String>());
        }
        let text = site.text();
        let newline = site.newline();
        let above = text[..self.at as usize].trim_start_matches('\u{feff}');
        let is_blank = |line: &str| line.trim().is_empty();
        let cells = site.source().cells.iter().flatten().flat_map(|cells| cells.iter());
        let starts_file =
            above.is_empty() || cells.into_iter().any(|cell| cell.range.start == self.at as usize);
        let line_above = above.strip_suffix('\n').unwrap_or(above).rsplit('\n').next().unwrap_or_default();
        let line_below = text[self.at as usize..].lines().next().unwrap_or_default();
        let mut block = String::new();
        if !starts_file && !above.ends_with('\n') {
            block.push_str(newline);
        }
        let continues_imports = self.follows_import && lines.first().is_some_and(|line| line == "import os");
        if !starts_file && !is_blank(line_above) && !self.joins.0 && !continues_imports {
            block.push_str(newline);
        }
        for line in lines {
            block.push_str(line);
            block.push_str(newline);
        }
        if !is_blank(line_below) && !self.joins.1 {
            block.push_str(newline);
        }
        site.insertion(self.at, block)
    }
}

/// The start of the file's first statement, or of comments above it that speak to gpulint: they are about it.
fn above_comments(text: &str, start: u32) -> u32 {
    let mut at = start - blanks_before(text, start).map_or(0, str::len) as u32;
    loop {
        let above = text[..at as usize].strip_suffix('\n').unwrap_or_default();
        let line = above.rsplit('\n').next().unwrap_or_default();
        if !line.trim_start().starts_with('#') || !line.contains("gpulint:") {
            return at;
        }
        at = (above.len() - line.len()) as u32;
    }
}

/// Whether a statement can come before the block: an import of Python itself, or an assignment of the same sort.
fn is_quiet(site: &Site<'_>, tree: &Tree, statement: NodeId) -> bool {
    let is_python = |module: &str| {
        let top = module.split('.').next().unwrap_or_default();
        let folder = folder_of(&site.source().name);
        let own = [format!("{folder}/{top}.py"), format!("{folder}/{top}/__init__.py")];
        let own = own.map(|name| name.trim_start_matches('/').to_owned());
        (top == "__future__" || is_standard(top))
            && !site.program.sources.files.iter().any(|source| own.contains(&source.name))
    };
    match is_import(tree.node(statement).kind) {
        true => parts(site, tree, statement).all(|part| is_python(part.module())),
        false => sets_variable(site, tree, statement),
    }
}

/// `os.environ["…"] = "…"`
fn sets_variable(site: &Site<'_>, tree: &Tree, statement: NodeId) -> bool {
    let node = tree.node(statement);
    let sides = site.slice(node.span).split_once('=');
    node.kind == TreeKind::Assign
        && sides.is_some_and(|(target, value)| target.contains("environ[") && !value.contains(['(', '[']))
}

/// What a statement calls the environment: `import os` → `os.environ`.
fn environ_bound_by(site: &Site<'_>, tree: &Tree, statement: NodeId) -> Option<String> {
    if !is_import(tree.node(statement).kind) {
        return None;
    }
    parts(site, tree, statement).find_map(|part| match part {
        Imported::Module { name, bound: None } if first_part(name) == "os" => Some("os.environ".to_owned()),
        Imported::Module { name: "os", bound: Some(bound) } => Some(format!("{bound}.environ")),
        Imported::Name { from: "os", name: "environ", bound } => Some(bound.to_owned()),
        _ => None,
    })
}

/// What earlier cells of a notebook call the environment.
fn earlier_cells(site: &Site<'_>, tree: &Tree, latest: NodeId) -> Option<String> {
    let module = tree.node(latest).parent;
    let earlier = tree.top().filter(|(id, node)| *id < latest && node.parent != module);
    earlier.filter_map(|(id, _)| environ_bound_by(site, tree, id)).next_back()
}
