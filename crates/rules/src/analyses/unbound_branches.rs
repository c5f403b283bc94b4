//! Names that a file binds where there is a GPU and where a library is missing, and forgets where there is the library and no GPU.

use super::names_in_text::mentions;
use crate::code::walk::{CodeNode, walk};
use crate::code::{Block, Expr, ExprKind, Handler, ImportNames, Statement, StatementKind, Target};
use crate::facts::{FileId, Span};
use crate::findings::Severity;
use crate::rules::files::{FileScope, RawFinding};
use rustc_hash::FxHashSet;

/// Questions about a GPU.
const ASKS: &[&str] = &["is_available", "device_count", "getDeviceCount"];

/// `try: import cupy` with `if not cupy.is_available(): cupy = None`, `else: xp = cupy` and a handler that binds `xp` too.
pub(super) fn in_try(
    step: &Statement<'_>,
    body: &Block<'_>,
    handlers: &[Handler<'_>],
    scope: &FileScope<'_>,
) -> Option<RawFinding> {
    let in_handlers: FxHashSet<&str> = handlers.iter().flat_map(|one| names_of(&one.body)).collect();
    body.iter().find_map(|part| {
        let StatementKind::Branch { test, then, otherwise } = &part.kind else { return None };
        let text = scope.text(test.span);
        if otherwise.is_empty() || !ASKS.iter().any(|word| text.contains(word)) {
            return None;
        }
        let (left, right) = (names_of(then), names_of(otherwise));
        let lacking = |side: &Block<'_>, bound: &FxHashSet<&str>, other: &FxHashSet<&'_ str>| {
            let ends = ["raise", "exit(", "return"]
                .iter()
                .any(|word| side.iter().any(|step| scope.text(step.span).contains(word)));
            let mut names: Vec<&str> = other.difference(bound).copied().collect();
            names.sort_unstable();
            (!ends)
                .then(|| names.into_iter().find(|name| in_handlers.contains(name)).map(str::to_owned))
                .flatten()
        };
        let name = lacking(then, &left, &right).or_else(|| lacking(otherwise, &right, &left))?;
        if is_bound_elsewhere(&name, step, body, part, scope) {
            return None;
        }
        let used = used_outside(&name, step, scope)?;
        let problem = format!("`{name}` gets no value on one side of `{text}`, and is still used");
        let raw_finding = RawFinding::at(scope.place(test.span)).word("problem", problem);
        let raw_finding = match used {
            Use::Here(span) => raw_finding.beside(scope.place(span), format!("`{name}` is used here")),
            Use::Elsewhere => raw_finding,
        };
        Some(raw_finding.at_least(Severity::Warning))
    })
}

/// The names that the statements of a block bind, also those within.
fn names_of<'a>(block: &Block<'a>) -> FxHashSet<&'a str> {
    let mut names = FxHashSet::default();
    for step in block {
        match &step.kind {
            StatementKind::Assign { targets, .. } => names.extend(targets.iter().flat_map(Target::names)),
            StatementKind::Import(import) => match &import.names {
                ImportNames::Names(imported) => names.extend(imported.iter().map(|one| one.bound)),
                ImportNames::Module(bound) => names.extend(bound.or(import.module.split('.').next())),
                ImportNames::Star => {}
            },
            kind => names.extend(kind.blocks().into_iter().flat_map(names_of)),
        }
    }
    names
}

/// Whether anything but the branch and the handlers binds the name.
fn is_bound_elsewhere(
    name: &str,
    step: &Statement<'_>,
    body: &Block<'_>,
    branch: &Statement<'_>,
    scope: &FileScope<'_>,
) -> bool {
    // What stands in the handlers runs on other ways.
    let counts = |span: Span| {
        !step.span.holds(span) || body.iter().any(|part| part.span.holds(span) && !std::ptr::eq(part, branch))
    };
    let mut bound = false;
    walk(scope.code, &mut |part, _| match part {
        CodeNode::Target(Target::Name(known, span)) => bound |= *known == name && counts(*span),
        CodeNode::Statement(Statement { kind: StatementKind::Import(import), span }) if counts(*span) => {
            bound |= match &import.names {
                ImportNames::Module(one) => one.or(import.module.split('.').next()) == Some(name),
                ImportNames::Names(names) => names.iter().any(|one| one.bound == name),
                ImportNames::Star => true,
            };
        }
        CodeNode::Statement(Statement { kind: StatementKind::Define { function, .. }, .. }) => {
            bound |= scope.code.functions[*function].name == name;
        }
        _ => {}
    });
    bound
}

enum Use {
    Here(Span),
    Elsewhere,
}

/// Where the name is used outside of the statement, or that another file of the project imports it.
fn used_outside(name: &str, step: &Statement<'_>, scope: &FileScope<'_>) -> Option<Use> {
    let mut used = None;
    walk(scope.code, &mut |part, _| {
        let CodeNode::Expr(Expr { kind: ExprKind::Name(known), span }) = part else { return };
        if *known == name && !step.span.holds(*span) {
            used = used.or(Some(*span));
        }
    });
    if used.is_some() {
        return used.map(Use::Here);
    }
    let wanted = FxHashSet::from_iter([name]);
    let imports = |file: FileId| {
        let mut found = false;
        scope.in_other(file, |other| {
            other.each_import(&mut |import| {
                if let ImportNames::Names(names) = &import.names {
                    found |= names.iter().any(|one| one.name == name)
                        && scope.program.module_behind(file, import, None) == Some(scope.file);
                }
            });
        });
        found
    };
    let mut files = scope.program.every_file().filter(|(file, one)| {
        *file != scope.file && one.language == scope.language() && mentions(&one.text, &wanted)
    });
    files.any(|(file, _)| imports(file)).then_some(Use::Elsewhere)
}
