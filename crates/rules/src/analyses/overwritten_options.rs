//! Options that another file overwrites: `init_device(args)` sets `args.device` without a look at it.

use super::memory::path;
use super::own_calls::{imported, module_and_name};
use super::unused_choices::{OPTIONS, WHICH, is_parse, names_of_options};
use crate::code::walk::{CodeNode, walk};
use crate::code::{Argument, Call, Expr, ExprKind, Function, StatementKind, Target};
use crate::commands::attribute_of_option;
use crate::facts::{FileId, Place, Span};
use crate::rules::files::{FileScope, RawFinding};

/// What becomes of such an option.
const FATE: &str = "another value takes its place before anything reads it";

/// Options for a device that a function of another file overwrites, and those of another file that this one does.
pub(super) fn in_other_files(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = by_functions(scope);
    found.extend(parsed_elsewhere(scope));
    found
}

/// `args = parse()` of another module, and `args.device = "cuda:3"` behind it.
fn parsed_elsewhere(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut parsed: Vec<(Span, &str, FileId)> = Vec::new();
    let mut set: Vec<(Span, &str, &str)> = Vec::new();
    let mut read: Vec<(Span, &str)> = Vec::new();
    for step in &scope.code.body {
        let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { continue };
        match &targets[..] {
            [Target::Name(name, _)] => {
                let ExprKind::Call(call) = &value.kind else { continue };
                if let Some(file) = parser_of(scope, call) {
                    parsed.push((step.span, name, file));
                }
            }
            [Target::Attribute(object, option)]
                if matches!(value.kind, ExprKind::Text(_) | ExprKind::Int(_)) =>
            {
                if let ExprKind::Name(object) = object.kind {
                    set.push((step.span, object, option));
                }
            }
            _ => {}
        }
    }
    walk(scope.code, &mut |part, _| match part {
        CodeNode::Expr(Expr { kind: ExprKind::Attribute(_, name), span }) => read.push((*span, name)),
        // Handed on whole.
        CodeNode::Expr(Expr { kind: ExprKind::Call(call), span }) => {
            for one in &call.arguments {
                if let ExprKind::Name(name) = one.value.kind {
                    read.push((*span, name));
                }
            }
        }
        _ => {}
    });
    let mut found = Vec::new();
    for (span, object, option) in set.iter().filter(|(_, _, option)| OPTIONS.contains(option)) {
        let Some((start, _, file)) =
            parsed.iter().find(|(at, name, _)| name == object && at.end <= span.start)
        else {
            continue;
        };
        let between = Span { start: start.end, end: span.start };
        let is_read = read.iter().any(|(at, name)| (name == option || name == object) && between.holds(*at));
        let Some(defined) = option_in(scope, *file, option).filter(|_| !is_read) else { continue };
        found.push(said(scope, *span, option).beside(defined, "the option"));
    }
    found
}

fn said(scope: &FileScope<'_>, span: Span, option: &str) -> RawFinding {
    let raw_finding = RawFinding::at(scope.place(span)).word("what", format!("the option `--{option}`"));
    raw_finding.word("says", WHICH).word("fate", FATE)
}

/// The file of a function that returns what a parser makes of the command line.
fn parser_of(scope: &FileScope<'_>, call: &Call<'_>) -> Option<FileId> {
    let (module, name) = module_and_name(&call.callee)?;
    let (file, name) = imported(scope, module, name)?;
    let mut gives = false;
    scope.in_other(file, |other| {
        let function = other.code.functions.iter().find(|function| function.name == name)?;
        walk(other.code, &mut |part, _| {
            if let CodeNode::Statement(step) = part
                && function.span.holds(step.span)
                && let StatementKind::Return(Some(value)) = &step.kind
            {
                gives |= is_parse(other.names.meant(value));
            }
        });
        Some(())
    });
    gives.then_some(file)
}

/// Where a file defines an option.
fn option_in(scope: &FileScope<'_>, file: FileId, option: &str) -> Option<Place> {
    scope.in_other(file, |other| {
        let mut found = None;
        other.each_call(&mut |expr, call, _| {
            if names_option(call, option) {
                found = Some(Place { file, span: expr.span });
            }
        });
        found
    })
}

/// `add_argument("--device")`
fn names_option(call: &Call<'_>, option: &str) -> bool {
    let is_it = |one: &Argument<'_>| match &one.value.kind {
        ExprKind::Text(text) if one.name.is_none() => {
            text.starts_with('-') && attribute_of_option(text) == option
        }
        _ => false,
    };
    matches!(&call.callee.kind, ExprKind::Attribute(_, "add_argument")) && call.arguments.iter().any(is_it)
}

/// `init_device(args)`, of a function that sets `args.device` whatever it holds.
fn by_functions(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let names = names_of_options(scope);
    if names.is_empty() {
        return Vec::new();
    }
    let mut options: Vec<(Span, &str)> = Vec::new();
    let mut read: Vec<(Span, &str)> = Vec::new();
    let mut handed: Vec<(Span, &Call<'_>, usize)> = Vec::new();
    walk(scope.code, &mut |part, _| match part {
        CodeNode::Expr(Expr { kind: ExprKind::Attribute(_, name), span }) => read.push((*span, name)),
        CodeNode::Expr(Expr { kind: ExprKind::Call(call), span }) => {
            options.extend(
                OPTIONS.iter().filter(|option| names_option(call, option)).map(|option| (*span, *option)),
            );
            let at = call.arguments.iter().position(|one| match one.value.kind {
                ExprKind::Name(name) => one.name.is_none() && names.contains(name),
                _ => false,
            });
            if let Some(at) = at {
                handed.push((*span, call, at));
            }
        }
        _ => {}
    });
    let mut found = Vec::new();
    for (defined, option) in options {
        // The first function that is handed all options: others may have looked before.
        let own = |call: &Call<'_>| {
            let is_parser =
                matches!(&call.callee.kind, ExprKind::Attribute(_, name) if name.starts_with("parse_"));
            is_parser || path(scope, &call.callee).starts_with("builtins.")
        };
        let Some((span, call, at)) = handed.iter().filter(|(_, call, _)| !own(call)).min_by_key(|one| one.0)
        else {
            continue;
        };
        let before = Span { start: 0, end: span.start };
        if read.iter().any(|(at, name)| *name == option && before.holds(*at)) {
            continue;
        }
        let ExprKind::Name(called) = call.callee.kind else { continue };
        let Some((file, name)) = imported(scope, None, called) else { continue };
        let place = scope.in_other(file, |other| {
            let function = other.code.functions.iter().find(|function| function.name == name)?;
            let span = overwritten_by(other, function, *at, option)?;
            Some(Place { file, span })
        });
        if let Some(place) = place {
            let set = "it is set here, whatever the option says";
            found.push(said(scope, defined, option).beside(place, set));
        }
    }
    found
}

/// Where a function sets an option of its parameter in every run, and never reads it.
fn overwritten_by(scope: &FileScope<'_>, function: &Function<'_>, at: usize, option: &str) -> Option<Span> {
    let parameter = function.parameters.get(at)?.name;
    let is_own = |object: &Expr<'_>| matches!(object.kind, ExprKind::Name(name) if name == parameter);
    let set = function.body.iter().find_map(|step| match &step.kind {
        StatementKind::Assign { targets, value: Some(_), .. } => {
            targets.iter().find_map(|target| match target {
                Target::Attribute(object, name) if *name == option && is_own(object) => Some(step.span),
                _ => None,
            })
        }
        _ => None,
    })?;
    let mut is_read = false;
    walk(scope.code, &mut |part, _| match part {
        CodeNode::Expr(Expr { kind: ExprKind::Attribute(object, name), span }) => {
            is_read |= function.span.holds(*span) && *name == option && is_own(object);
        }
        // `vars(args)`, `getattr(args, "device")`, `choose(args)`
        CodeNode::Expr(Expr { kind: ExprKind::Call(call), span }) => {
            is_read |= function.span.holds(*span) && call.arguments.iter().any(|one| is_own(&one.value));
        }
        _ => {}
    });
    (!is_read).then_some(set)
}
