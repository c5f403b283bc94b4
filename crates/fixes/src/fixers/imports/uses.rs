//! When the names that an import binds are used, as far as the import can follow.

use super::statement::ImportStatement;
use crate::facts::Span;
use crate::fixes::Refusal;
use crate::fixes::site::Site;
use crate::languages::{Mention, MentionSort, ScopeId, ScopeSort, Scopes, TreeKind, When};
use std::collections::{BTreeMap, BTreeSet};

/// Decorators that do not look at the annotations of a function.
const BLIND: &[&str] = &[
    "abstractmethod",
    "asynccontextmanager",
    "cache",
    "cached_property",
    "classmethod",
    "contextmanager",
    "dataclass",
    "final",
    "fixture",
    "lru_cache",
    "override",
    "property",
    "staticmethod",
    "wraps",
];

/// Decorators that compile a function, in which nothing can be imported.
const COMPILING: &[&str] =
    &["cfunc", "guvectorize", "jit", "njit", "script", "stencil", "vectorize", "kernel", "function"];

/// Where names are used.
#[derive(Default)]
pub struct Uses {
    /// The innermost functions with the names that they use; none lies in another one that uses the same name.
    pub functions: BTreeMap<ScopeId, BTreeSet<String>>,
    /// Blocks that run when the file is started itself.
    pub started: BTreeMap<Span, BTreeSet<String>>,
    /// In annotations that nothing evaluates when the file is imported.
    pub annotated: BTreeSet<String>,
}

impl Uses {
    /// Whether code uses some name, and not only annotations.
    pub fn are_in_code(&self) -> bool {
        !self.functions.is_empty() || !self.started.is_empty()
    }

    pub fn have(&self, name: &str) -> bool {
        let mut all = self.functions.values().chain(self.started.values()).chain([&self.annotated]);
        all.any(|names| names.contains(name))
    }
}

/// The uses of what is meant in some statements.
///
/// # Errors
/// When one of them comes as soon as the file is imported, or cannot be told.
pub fn uses_of(site: &Site<'_>, statements: &[ImportStatement]) -> Result<Uses, Refusal> {
    let scopes = site.scopes()?;
    let mut uses = Uses::default();
    let own: Vec<Span> = statements.iter().flat_map(ImportStatement::meant).map(|one| one.span).collect();
    let names: BTreeSet<&str> =
        statements.iter().flat_map(ImportStatement::meant).map(|one| &*one.bound).collect();
    for name in names {
        let mut called = BTreeSet::new();
        for mention in scopes.of_module(name) {
            let line = site.line(mention.span.start);
            let refuse = |what: &str| Err(format!("`{name}` is {what}, on line {line}"));
            match mention.what {
                MentionSort::Bound if own.contains(&mention.span) => {}
                MentionSort::Bound => return refuse("bound again"),
                MentionSort::Deleted => return refuse("deleted"),
                MentionSort::Shared => return refuse("bound by a function"),
                MentionSort::Unevaluated => _ = uses.annotated.insert(name.to_owned()),
                MentionSort::Annotation => {
                    check_annotation(site, scopes, mention)?;
                    uses.annotated.insert(name.to_owned());
                }
                MentionSort::Read => match scopes.when(mention) {
                    When::AtImport => return refuse("used when the module is imported"),
                    When::InLambda => return refuse("used in a lambda at the top level"),
                    When::Started(block) => {
                        _ = uses.started.entry(block).or_default().insert(name.to_owned())
                    }
                    When::Called(function) => _ = called.insert(function),
                },
            }
        }
        // What the function around it imports is there for an inner one too.
        let is_outermost =
            |&&one: &&ScopeId| !scopes.outwards(one).skip(1).any(|outer| called.contains(&outer));
        for &function in called.iter().filter(is_outermost) {
            check_decorators(site, scopes, function)?;
            uses.functions.entry(function).or_default().insert(name.to_owned());
        }
    }
    Ok(uses)
}

/// Refuses an annotation that somebody may evaluate when the file is imported.
fn check_annotation(site: &Site<'_>, scopes: &Scopes, mention: &Mention) -> Result<(), Refusal> {
    let line = site.line(mention.span.start);
    let name = &mention.name;
    if !scopes.later_annotations && !site.program.puts_annotations_off(site.file()) {
        return Err(format!("`{name}` is used when the module is imported, in an annotation on line {line}"));
    }
    let tree = site.tree()?;
    let Some(around) =
        tree.innermost(mention.span, |kind| matches!(kind, TreeKind::Function | TreeKind::Class))
    else {
        return Ok(());
    };
    let is_class = tree.node(around).kind == TreeKind::Class;
    let derived = tree.children(around).any(|(_, child)| is_class && child.kind == TreeKind::Arguments);
    let decorators = tree.children(around).filter(|(_, child)| child.kind == TreeKind::Decorator);
    let mut texts = decorators.map(|(_, decorator)| site.slice(decorator.span));
    if derived || texts.any(|text| !BLIND.contains(&last_name(text))) {
        return Err(format!(
            "the annotation with `{name}` on line {line} may be evaluated by its class or decorator"
        ));
    }
    Ok(())
}

/// Refuses a function that is compiled, or that lies in one.
fn check_decorators(site: &Site<'_>, scopes: &Scopes, function: ScopeId) -> Result<(), Refusal> {
    for id in scopes.outwards(function) {
        let scope = scopes.scope(id);
        let compiles = |span: &&Span| COMPILING.contains(&last_name(site.slice(**span)));
        if scope.sort == ScopeSort::Function
            && let Some(decorator) = scope.decorators.iter().find(compiles)
        {
            let line = site.line(decorator.start);
            return Err(format!("the function on line {line} is compiled, and cannot import anything"));
        }
    }
    Ok(())
}

/// `jit` of `@numba.jit(nopython=True)`.
fn last_name(decorator: &str) -> &str {
    let path = decorator.trim_start_matches('@').split('(').next().unwrap_or_default().trim();
    path.rsplit('.').next().unwrap_or(path).trim()
}
