//! Where a block of assignments belongs in a file of Python: behind what has to come first, and before everything that may
//! reach a GPU.

use crate::facts::Span;
use crate::findings::Edit;
use crate::fixes::Refusal;
use crate::fixes::site::{Site, blanks_before, line_behind};
use crate::languages::{NodeId, Tree, TreeKind};
use crate::sources::folder_of;

/// Modules of Python itself that people import first, and that import nothing that could reach a GPU.
const QUIET: &[&str] = &[
    "abc",
    "argparse",
    "array",
    "ast",
    "asyncio",
    "atexit",
    "base64",
    "bisect",
    "builtins",
    "bz2",
    "calendar",
    "cmath",
    "codecs",
    "collections",
    "concurrent",
    "configparser",
    "contextlib",
    "contextvars",
    "copy",
    "csv",
    "ctypes",
    "dataclasses",
    "datetime",
    "decimal",
    "difflib",
    "dis",
    "email",
    "enum",
    "errno",
    "faulthandler",
    "fcntl",
    "filecmp",
    "fileinput",
    "fnmatch",
    "fractions",
    "functools",
    "gc",
    "getpass",
    "glob",
    "gzip",
    "hashlib",
    "heapq",
    "hmac",
    "html",
    "http",
    "importlib",
    "inspect",
    "io",
    "ipaddress",
    "itertools",
    "json",
    "keyword",
    "linecache",
    "locale",
    "logging",
    "lzma",
    "math",
    "mimetypes",
    "mmap",
    "multiprocessing",
    "numbers",
    "operator",
    "os",
    "pathlib",
    "pickle",
    "platform",
    "pprint",
    "queue",
    "random",
    "re",
    "resource",
    "sched",
    "secrets",
    "select",
    "selectors",
    "shlex",
    "shutil",
    "signal",
    "site",
    "socket",
    "sqlite3",
    "ssl",
    "stat",
    "statistics",
    "string",
    "struct",
    "subprocess",
    "sys",
    "sysconfig",
    "tarfile",
    "tempfile",
    "textwrap",
    "threading",
    "time",
    "timeit",
    "token",
    "tomllib",
    "traceback",
    "tracemalloc",
    "types",
    "typing",
    "unicodedata",
    "unittest",
    "urllib",
    "uuid",
    "warnings",
    "wave",
    "weakref",
    "xml",
    "zipfile",
    "zipimport",
    "zlib",
    "zoneinfo",
];

/// A place for a block.
pub(super) struct Spot {
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

impl Spot {
    /// Before everything that may reach a GPU, and at the latest before the statement that holds a place.
    pub(super) fn before(site: &Site<'_>, tree: &Tree, place: Span) -> Result<Spot, Refusal> {
        let latest = tree.top_statement_at(place).ok_or("the statement could not be found")?;
        let module = tree.node(latest).parent;
        let is_near = |id: NodeId| tree.node(id).parent == module && id <= latest;
        let statements: Vec<NodeId> = tree.top().map(|(id, _)| id).filter(|&id| is_near(id)).collect();
        let mut environ = earlier_cells(site, tree, latest);
        let mut last: Option<NodeId> = None;
        let mut next = latest;
        for (at, &statement) in statements.iter().enumerate() {
            let is_first = at == 0 && is_docstring(tree, statement);
            if !is_first && !is_quiet(site, tree, statement) {
                next = statement;
                break;
            }
            environ = environ_bound_by(site, tree, statement).or(environ);
            if statement != latest {
                last = Some(statement);
            }
        }
        let text = site.text();
        let start = tree.node(next).span.start;
        let is_setting = |id: NodeId| sets_variable(site, tree, id);
        let before = last.is_some_and(|last| is_setting(last));
        let joins = (before, is_setting(next));
        let is_import = |id: NodeId| matches!(tree.node(id).kind, TreeKind::Import | TreeKind::ImportFrom);
        let follows_import = last.is_some_and(is_import);
        if blanks_before(text, start).is_none() {
            return Ok(Spot { at: start, inline: true, environ, joins, follows_import });
        }
        let at = match last {
            Some(last) => line_behind(text, tree.node(last).span.end),
            None => above_comments(text, start),
        };
        // A statement that shares the line of the one before it does not begin behind that line.
        let at = if at > start { start } else { at };
        Ok(Spot {
            at,
            inline: at == start && blanks_before(text, start).is_none(),
            environ,
            joins,
            follows_import,
        })
    }

    /// The lines, with blank lines around them where there are none.
    pub(super) fn insertion(&self, site: &Site<'_>, lines: &[String]) -> Result<Edit, Refusal> {
        if self.inline {
            let all = lines.iter().filter(|line| !line.is_empty());
            return Ok(site.insertion(self.at, all.map(|line| format!("{line}; ")).collect::<String>()));
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
        Ok(site.insertion(self.at, block))
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

fn is_docstring(tree: &Tree, statement: NodeId) -> bool {
    tree.node(statement).kind == TreeKind::Evaluate
        && tree.children(statement).next().is_some_and(|(_, node)| node.kind == TreeKind::Text)
}

/// Whether a statement can come before the block: an import of Python itself, or an assignment of the same sort.
fn is_quiet(site: &Site<'_>, tree: &Tree, statement: NodeId) -> bool {
    let is_python = |module: &str| {
        let top = module.trim().split('.').next().unwrap_or_default();
        let folder = folder_of(&site.source().name);
        let own = [format!("{folder}/{top}.py"), format!("{folder}/{top}/__init__.py")];
        let own = own.map(|name| name.trim_start_matches('/').to_owned());
        (top == "__future__" || QUIET.contains(&top))
            && !site.program.sources.files.iter().any(|source| own.contains(&source.name))
    };
    match tree.node(statement).kind {
        TreeKind::Import => aliases(site, tree, statement).iter().all(|(module, _)| is_python(module)),
        TreeKind::ImportFrom => module_of(site, tree, statement).is_some_and(is_python),
        _ => sets_variable(site, tree, statement),
    }
}

/// `os.environ["…"] = "…"`
fn sets_variable(site: &Site<'_>, tree: &Tree, statement: NodeId) -> bool {
    let node = tree.node(statement);
    let sides = site.slice(node.span).split_once('=');
    node.kind == TreeKind::Assign
        && sides.is_some_and(|(target, value)| target.contains("environ[") && !value.contains(['(', '[']))
}

/// `import a.b as c` → `a.b` and `c`.
fn aliases<'a>(site: &Site<'a>, tree: &Tree, statement: NodeId) -> Vec<(&'a str, &'a str)> {
    let aliases = tree.children(statement).filter(|(_, node)| node.kind == TreeKind::Alias);
    let pair = |text: &'a str| {
        text.split_once(" as ").map_or((text, text), |(name, bound)| (name.trim(), bound.trim()))
    };
    aliases.map(|(_, node)| pair(site.slice(node.span))).collect()
}

/// The module of `from module import …`; `None` for a relative one.
fn module_of<'a>(site: &Site<'a>, tree: &Tree, statement: NodeId) -> Option<&'a str> {
    let text = site.slice(tree.node(statement).span);
    let module = text.trim_start_matches("lazy ").strip_prefix("from")?.split("import").next()?.trim();
    (!module.starts_with('.')).then_some(module)
}

/// What a statement calls the environment: `import os` → `os.environ`.
fn environ_bound_by(site: &Site<'_>, tree: &Tree, statement: NodeId) -> Option<String> {
    let names = aliases(site, tree, statement);
    match tree.node(statement).kind {
        TreeKind::Import => {
            let bound = names
                .iter()
                .find(|(module, bound)| *module == "os" || (module.starts_with("os.") && module == bound));
            bound.map(
                |(module, bound)| {
                    if module == bound { "os.environ".to_owned() } else { format!("{bound}.environ") }
                },
            )
        }
        TreeKind::ImportFrom if module_of(site, tree, statement) == Some("os") => {
            let bound = names.iter().find(|(name, _)| *name == "environ");
            bound.map(|(_, bound)| (*bound).to_owned())
        }
        _ => None,
    }
}

/// What earlier cells of a notebook call the environment.
fn earlier_cells(site: &Site<'_>, tree: &Tree, latest: NodeId) -> Option<String> {
    let module = tree.node(latest).parent;
    let earlier = tree.top().filter(|(id, node)| *id < latest && node.parent != module);
    earlier.filter_map(|(id, _)| environ_bound_by(site, tree, id)).last()
}
