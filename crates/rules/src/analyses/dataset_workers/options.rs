//! What a DataLoader is given: by arguments, by a dictionary that is unpacked, and by options of the command line.

use crate::code::walk::{CodeNode, walk};
use crate::code::{Call, Expr, ExprKind, Statement, StatementKind, Target};
use crate::rules::analyses::given_arguments::{any_given_to, parameter_behind};
use crate::rules::analyses::literal_defaults::default_of;
use crate::rules::files::FileScope;
use crate::rules::uses::argument;

/// What a call is given by position, by keyword, or under this key of what is unpacked: `DataLoader(data, **options)`.
pub fn given<'c>(
    scope: &FileScope<'c>,
    call: &'c Call<'c>,
    position: Option<usize>,
    name: &'static str,
) -> Option<&'c Expr<'c>> {
    argument(&call.arguments, position, Some(name)).or_else(|| {
        let mut unpacked = call.arguments.iter().filter(|one| one.unpacked).map(|one| &one.value);
        unpacked.find_map(|options| kept_under(scope, options, name))
    })
}

/// What a dictionary holds under a key, as far as the file says: what is put in later counts.
fn kept_under<'c>(scope: &FileScope<'c>, options: &'c Expr<'c>, key: &str) -> Option<&'c Expr<'c>> {
    let later = match options.kind {
        ExprKind::Name(name) => put_into(scope, name, key),
        _ => None,
    };
    // What is joined to it later leaves what it began with.
    let begun = || match options.kind {
        ExprKind::Name(name) => mapping_assigned_to(scope, name),
        _ => None,
    };
    let meant = scope.names.meant(options);
    let meant = if matches!(meant.kind, ExprKind::Name(_)) { begun().unwrap_or(meant) } else { meant };
    later.or_else(|| match &meant.kind {
        ExprKind::Mapping(entries) => entries.iter().find_map(|(known, value)| {
            let is_it = matches!(known, Some(Expr { kind: ExprKind::Text(known), .. }) if known == key);
            is_it.then_some(value)
        }),
        ExprKind::Call(call) => call.arguments.iter().find(|one| one.name == Some(key)).map(|one| &one.value),
        _ => None,
    })
}

/// The dictionary that a file assigns to a name, where it assigns to it once.
fn mapping_assigned_to<'c>(scope: &FileScope<'c>, name: &str) -> Option<&'c Expr<'c>> {
    let mut values = Vec::new();
    walk(scope.code, &mut |part, _| {
        if let CodeNode::Statement(Statement {
            kind: StatementKind::Assign { targets, value: Some(value), .. },
            ..
        }) = part
            && matches!(&targets[..], [Target::Name(target, _)] if *target == name)
        {
            values.push(value);
        }
    });
    match values[..] {
        [value] => Some(value),
        _ => None,
    }
}

/// `options["num_workers"] = 2`, `options.update(num_workers=2)`
fn put_into<'c>(scope: &FileScope<'c>, dictionary: &str, key: &str) -> Option<&'c Expr<'c>> {
    let is_it = |expr: &Expr<'_>| matches!(expr.kind, ExprKind::Name(name) if name == dictionary);
    let mut found = None;
    walk(scope.code, &mut |part, _| match part {
        CodeNode::Statement(Statement {
            kind: StatementKind::Assign { targets, value: Some(value), .. },
            ..
        }) => {
            let puts = |target: &Target<'_>| match target {
                Target::Item(item) => {
                    is_it(&item.0) && matches!(&item.1.kind, ExprKind::Text(text) if text == key)
                }
                _ => false,
            };
            if targets.iter().any(puts) {
                found = Some(value);
            }
        }
        CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) => {
            if let ExprKind::Attribute(object, "update") = &call.callee.kind
                && is_it(object)
                && let Some(given) = call.arguments.iter().find(|one| one.name == Some(key))
            {
                found = Some(&given.value);
            }
        }
        _ => {}
    });
    found
}

/// Whether a loader has workers: `num_workers` is surely not 0, unless the command line says so.
pub(super) fn has_workers<'c>(scope: &FileScope<'c>, call: &'c Call<'c>) -> bool {
    given(scope, call, Some(5), "num_workers").is_some_and(|count| is_some(scope, count, 0))
}

/// So many callers are asked for what they give.
const MOST_CALLERS: usize = 2;

fn is_some(scope: &FileScope<'_>, count: &Expr<'_>, callers: usize) -> bool {
    let by_default = || default_of(scope, count).and_then(|count| count.number());
    is_some_here(scope, count, callers) || by_default().is_some_and(|count| count > 0)
}

fn is_some_here(scope: &FileScope<'_>, count: &Expr<'_>, callers: usize) -> bool {
    let meant = scope.names.meant(count);
    match &meant.kind {
        ExprKind::Int(number) => *number > 0,
        ExprKind::Call(call) => {
            match scope.names.path(&call.callee) {
                Some("os.cpu_count" | "multiprocessing.cpu_count") => true,
                // `min(8, os.cpu_count())`
                Some("builtins.min" | "builtins.max") => {
                    let mut values = call.arguments.iter().map(|one| &one.value);
                    call.arguments.len() > 1 && values.all(|value| is_some(scope, value, callers))
                }
                _ => false,
            }
        }
        ExprKind::Name(name) => {
            let default = parameter_behind(scope, name, meant.span).and_then(|(_, one)| one.default.as_ref());
            let gives = |caller: &FileScope<'_>, given: &Expr<'_>| is_some(caller, given, callers + 1);
            matches!(default, Some(Expr { kind: ExprKind::Int(1..), .. }))
                || default.is_none() && callers < MOST_CALLERS && any_given_to(scope, meant, &gives)
        }
        ExprKind::Attribute(_, name) => default_of_option(scope, name).is_some_and(|count| count > 0),
        _ => false,
    }
}

/// The default of an option of the command line, where the project has one option of this name alone.
fn default_of_option(scope: &FileScope<'_>, name: &str) -> Option<i64> {
    let mut defaults: Vec<Option<i64>> = Vec::new();
    let dashed = name.replace('_', "-");
    let forms = [format!("--{name}"), format!("--{dashed}"), format!("\"{name}\""), format!("'{name}'")];
    for &file in scope.program.files_with("add_argument").iter() {
        // Few files have the option, and many loaders ask for it.
        let text = scope.program.text_of(file);
        if !forms.iter().any(|form| text.contains(form.as_str())) {
            continue;
        }
        walk(scope.program.code(file), &mut |part, _| {
            let CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) = part else { return };
            let is_option = matches!(call.callee.kind, ExprKind::Attribute(_, "add_argument"));
            let is_it = call.arguments.iter().any(|one| {
                let ExprKind::Text(text) = &one.value.kind else { return false };
                match one.name {
                    None => text.strip_prefix("--").is_some_and(|text| text.replace('-', "_") == name),
                    Some(word) => word == "dest" && text == name,
                }
            });
            if is_option && is_it {
                defaults.push(match argument(&call.arguments, None, Some("default")) {
                    Some(Expr { kind: ExprKind::Int(number), .. }) => Some(*number),
                    _ => None,
                });
            }
        });
    }
    let (first, rest) = defaults.split_first()?;
    rest.iter().all(|other| other.is_some_and(|other| other > 0)).then_some(*first)?
}
