//! Tests that clean up by what the policy names under `tests.cleanup`: a decorator, a context manager or a fixture of the
//! project.

use crate::code::{Block, Expr, ExprKind, Function, ImportNames, ParameterKind, Statement, StatementKind};
use crate::facts::{FileId, Span};
use crate::findings::Edit;
use crate::fixes::Refusal;
use crate::fixes::bound_modules::{binding, name_import_edit};
use crate::fixes::site::{Draft, Site, blanks_before};
use crate::fixes::texts::quoted;
use crate::languages::{NodeId, Tree, TreeKind as Kind};
use crate::program::Names;
use crate::sources::{Language, folder_of};

/// Puts what the policy names on the test.
pub fn by_policy(site: &Site<'_>) -> Result<Draft, Refusal> {
    let tree = site.tree()?;
    if site.policy.tests.cleanup.is_empty() {
        return Err("the policy names nothing under `tests.cleanup`".to_owned());
    }
    let found = means(site);
    if found.is_empty() {
        return Err("no module of the project defines what `tests.cleanup` names".to_owned());
    }
    let function = tree.innermost(site.span(), |kind| kind == Kind::Function).ok_or("it is no function")?;
    let mut reason = None;
    for means in &found {
        match applied(site, tree, means, function) {
            Ok(draft) => return Ok(draft),
            Err(refusal) => reason = reason.or(Some(refusal)),
        }
    }
    Err(reason.unwrap_or_default())
}

/// Something that the policy names, where the project defines it.
struct CleanUpHelper<'p> {
    name: &'p str,
    file: FileId,
    how: How,
    /// How many arguments it needs, and the name of the first.
    needs: (usize, &'p str),
}

/// How it is put on a test.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    /// `@name`
    Decorator,
    /// `@name()`: also what `contextlib.contextmanager` makes.
    Called,
    /// `@pytest.mark.usefixtures("name")`
    Fixture,
}

/// All of them, those of the file itself first.
fn means<'p>(site: &Site<'p>) -> Vec<CleanUpHelper<'p>> {
    let program = site.program;
    let files = (0..program.sources.files.len() as u32).map(FileId);
    let python = files.filter(|file| program.sources.file(*file).language == Language::Python);
    let mut found: Vec<CleanUpHelper<'p>> = python.flat_map(|file| means_in(site, file)).collect();
    found.sort_by_key(|means| means.file != site.file());
    found
}

fn means_in<'p>(site: &Site<'p>, file: FileId) -> Vec<CleanUpHelper<'p>> {
    let code = site.program.code(file);
    let defined = code.body.iter().filter_map(|step| match &step.kind {
        StatementKind::Define { function, decorators } => Some((code.functions.get(*function)?, decorators)),
        _ => None,
    });
    let named: Vec<(&Function<'p>, &Vec<Expr<'p>>)> =
        defined.filter(|(function, _)| site.policy.tests.is_cleanup(function.name)).collect();
    if named.is_empty() {
        return Vec::new();
    }
    let names = Names::of(site.program, file);
    let path = |decorator: &Expr<'_>| match &decorator.kind {
        ExprKind::Call(call) => names.path(&call.callee).unwrap_or_default().to_owned(),
        _ => names.path(decorator).unwrap_or_default().to_owned(),
    };
    let how = |function: &Function<'p>, decorators: &[Expr<'p>]| {
        let inner = inner_function(site, file, &function.body);
        match (decorators.first().map(path).as_deref(), inner) {
            (Some("contextlib.contextmanager"), _) => Some(How::Called),
            (Some("pytest.fixture" | "pytest.yield_fixture"), _) => Some(How::Fixture),
            (None, Some(inner)) if inner_function(site, file, &inner.body).is_some() => Some(How::Called),
            (None, Some(_)) => Some(How::Decorator),
            _ => None,
        }
    };
    let needs = |function: &Function<'p>| {
        let plain = |kind| matches!(kind, ParameterKind::Plain | ParameterKind::KeywordOnly);
        let needed: Vec<&str> = function
            .parameters
            .iter()
            .filter(|one| plain(one.kind) && one.default.is_none())
            .map(|one| one.name)
            .collect();
        (needed.len(), needed.first().copied().unwrap_or_default())
    };
    let means = |(function, decorators): (&Function<'p>, &Vec<Expr<'p>>)| {
        let how = how(function, decorators)?;
        Some(CleanUpHelper { name: function.name, file, how, needs: needs(function) })
    };
    named.into_iter().filter_map(means).collect()
}

/// The function that a function defines in itself.
fn inner_function<'p>(site: &Site<'p>, file: FileId, body: &Block<'p>) -> Option<&'p Function<'p>> {
    let code = site.program.code(file);
    body.iter().find_map(|step: &Statement<'_>| match step.kind {
        StatementKind::Define { function, .. } => code.functions.get(function),
        _ => None,
    })
}

fn applied(
    site: &Site<'_>,
    tree: &Tree,
    means: &CleanUpHelper<'_>,
    function: NodeId,
) -> Result<Draft, Refusal> {
    let span = tree.node(function).span;
    let head = head_of(site, tree, function);
    let blanks = blanks_before(site.text(), head).ok_or("it shares its line with other statements")?;
    let is_async = site.slice(Span { start: head, end: span.end }).starts_with("async");
    if is_async && means.how != How::Fixture {
        return Err("the test is asynchronous".to_owned());
    }
    let mut edits: Vec<Edit> = Vec::new();
    let line = match means.how {
        How::Fixture => {
            let pytest = binding(site, tree, "pytest", span).ok_or("pytest is not imported here")?;
            if !is_seen(site, means.file) {
                return Err(format!("the fixture `{}` is not seen here", means.name));
            }
            format!("@{pytest}.mark.usefixtures({})", quoted(site, tree, means.name, span))
        }
        How::Decorator => format!("@{}", means.name),
        How::Called => {
            const NAMES: &[&str] = &["context", "description", "label", "name", "tag", "test_name", "title"];
            let test = quoted(site, tree, site.slice(site.span()), span);
            match means.needs {
                (0, _) => format!("@{}()", means.name),
                (1, first) if NAMES.contains(&first) => format!("@{}({test})", means.name),
                _ => return Err(format!("what `{}` is to be given is not known", means.name)),
            }
        }
    };
    if means.how != How::Fixture && !is_bound(site, tree, means, span) {
        let module = module_of(site, means)
            .ok_or_else(|| format!("how `{}` is imported here is not known", means.name))?;
        edits.push(name_import_edit(site, tree, (&module, means.name), span)?);
    }
    edits.push(site.insertion(head, format!("{line}{}{blanks}", site.newline())));
    let title = Some(format!("clean up by `{}`", means.name));
    Ok(Draft { title, ..edits.into() })
}

/// Where the `def` of a function stands, behind its decorators.
fn head_of(site: &Site<'_>, tree: &Tree, function: NodeId) -> u32 {
    let node = tree.node(function);
    let mut decorators = tree.children(function).filter(|(_, node)| node.kind == Kind::Decorator);
    let behind = decorators.next_back().map_or(node.span.start, |(_, last)| last.span.end);
    let words = tree.tokens.iter().filter(|token| token.is_word() && token.span.start >= behind);
    let mut words = words.filter(|token| matches!(site.slice(token.span), "def" | "async"));
    words.next().map_or(node.span.start, |token| token.span.start)
}

/// Whether a name is defined in the file, or imported at its top.
fn is_bound(site: &Site<'_>, tree: &Tree, means: &CleanUpHelper<'_>, before: Span) -> bool {
    let imported =
        tree.top().filter(|(_, node)| node.kind == Kind::ImportFrom && node.span.end <= before.start);
    let mut aliases = imported.flat_map(|(id, _)| tree.children(id));
    means.file == site.file()
        || aliases.any(|(_, node)| node.kind == Kind::Alias && site.slice(node.span) == means.name)
}

/// Whether a fixture of a file is there for the tests of the file of the finding.
fn is_seen(site: &Site<'_>, file: FileId) -> bool {
    let (name, own) = (&site.program.sources.file(file).name, &site.source().name);
    let folder = name.strip_suffix("conftest.py");
    file == site.file() || folder.is_some_and(|folder| own.starts_with(folder))
}

/// The module that a file is imported as: as others of the project do, or because it lies beside.
fn module_of(site: &Site<'_>, means: &CleanUpHelper<'_>) -> Option<String> {
    let sources = site.program.sources;
    let name = &sources.file(means.file).name;
    if name.ends_with("conftest.py") {
        return None;
    }
    let mut elsewhere = (0..sources.files.len() as u32).map(FileId).filter_map(|file| {
        let code = site.program.code(file);
        code.body.iter().find_map(|step| match &step.kind {
            StatementKind::Import(import) if import.level == 0 => match &import.names {
                ImportNames::Names(names) => {
                    names.iter().any(|one| one.name == means.name).then(|| import.module.to_owned())
                }
                _ => None,
            },
            _ => None,
        })
    });
    if let Some(module) = elsewhere.next() {
        return Some(module);
    }
    let dotted = site.program.modules.dotted(means.file, name);
    let lies_beside = folder_of(name) == folder_of(&site.source().name);
    match (site.program.modules.in_package(means.file), lies_beside) {
        (true, _) => Some(dotted),
        (false, true) => dotted.rsplit('.').next().map(str::to_owned),
        _ => None,
    }
}
