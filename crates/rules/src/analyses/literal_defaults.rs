//! What a value is unless somebody says otherwise: the default of a field of settings, of an option of the command line, of a variable of
//! the environment.

use super::memory::{function_named, path};
use super::own_calls::{imported, module_and_name};
use super::settings_values;
use crate::code::walk::{CodeNode, walk};
use crate::code::{Block, Call, Class, Expr, ExprKind, Function, StatementKind, Target};
use crate::commands::attribute_of_option;
use crate::rules::files::FileScope;
use crate::rules::uses::argument;
use crate::sources::Language;

/// So many steps are followed.
const MOST_STEPS: usize = 6;

/// A value that stands in the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Literal {
    Int(i64),
    Bool(bool),
    Text(String),
}

impl Literal {
    /// As a number, also where it stands in quotes.
    pub fn number(&self) -> Option<i64> {
        match self {
            Literal::Int(number) => Some(*number),
            Literal::Text(text) => text.trim().parse().ok(),
            Literal::Bool(_) => None,
        }
    }
}

/// The value of an expression where nobody sets another: `cfg.layers` of `class Settings: layers: int = -1`, `args.layers` of
/// `add_argument("--layers", default=-1)`, `int(os.getenv("LAYERS", "-1"))`.
pub(super) fn default_of(scope: &FileScope<'_>, expr: &Expr<'_>) -> Option<Literal> {
    followed(scope, scope.names.meant(expr), 0)
}

fn followed(scope: &FileScope<'_>, expr: &Expr<'_>, steps: usize) -> Option<Literal> {
    if steps > MOST_STEPS {
        return None;
    }
    match &expr.kind {
        ExprKind::Int(number) => Some(Literal::Int(*number)),
        ExprKind::Bool(value) => Some(Literal::Bool(*value)),
        ExprKind::Text(text) => Some(Literal::Text(text.to_string())),
        ExprKind::Negate(inner) => match followed(scope, inner, steps + 1)? {
            Literal::Int(number) => Some(Literal::Int(-number)),
            _ => None,
        },
        ExprKind::Name(name) => {
            of_parameter(scope, name, expr, steps).or_else(|| of_import(scope, name, steps))
        }
        ExprKind::Call(call) => followed(scope, default_in(scope, call)?, steps + 1),
        ExprKind::Attribute(object, field) => {
            of_field(scope, object, field, steps).or_else(|| settings_values::of(scope, expr))
        }
        ExprKind::Item(_) => settings_values::of(scope, expr),
        _ => None,
    }
}

/// The default among the arguments of a call that hands a value on: `int(…)`, `os.getenv("X", …)`, `Field(default=…)`.
fn default_in<'c>(scope: &FileScope<'_>, call: &'c Call<'c>) -> Option<&'c Expr<'c>> {
    match path(scope, &call.callee) {
        "builtins.int" | "builtins.str" | "int" | "str" => argument(&call.arguments, Some(0), None),
        "os.getenv" | "os.environ.get" => argument(&call.arguments, Some(1), Some("default")),
        "pydantic.Field" => argument(&call.arguments, Some(0), Some("default")),
        "dataclasses.field" => argument(&call.arguments, None, Some("default")),
        "typer.Option" | "typer.Argument" => argument(&call.arguments, Some(0), Some("default")),
        _ => None,
    }
}

/// What becomes of an expression that stands in some file.
type Look<'l, T> = &'l dyn Fn(&FileScope<'_>, &Expr<'_>) -> Option<T>;

fn of_parameter(scope: &FileScope<'_>, name: &str, used: &Expr<'_>, steps: usize) -> Option<Literal> {
    given_to(scope, name, used, &|scope, given| followed(scope, given, steps + 1))
}

/// What the only call of a function in its file gives a parameter, or its default where that call gives nothing; and what the
/// command line gives where click, Typer or Fire make it from the function.
pub(super) fn given_to<T>(
    scope: &FileScope<'_>,
    name: &str,
    used: &Expr<'_>,
    look: Look<'_, T>,
) -> Option<T> {
    let function = scope.innermost_function(used.span)?;
    let at = function.parameters.iter().position(|one| one.name == name)?;
    let mut calls = Vec::new();
    scope.each_call(&mut |_, call, _| {
        if matches!(call.callee.kind, ExprKind::Name(called) if called == function.name) {
            calls.push(call);
        }
    });
    let given = match &calls[..] {
        [call] => argument(&call.arguments, Some(at), Some(name)),
        [] => None,
        _ => return None,
    };
    if let Some(given) = given {
        return look(scope, scope.names.meant(given));
    }
    if calls.iter().any(|call| call.arguments.iter().any(|one| one.unpacked)) {
        return None;
    }
    if let Some(told) = by_command_line(scope, function, name) {
        return look(scope, told);
    }
    match calls.is_empty() {
        true => of_caller_elsewhere(scope, function, (at, name), look),
        false => look(scope, function.parameters[at].default.as_ref()?),
    }
}

/// The default of a parameter that the command line fills: `@click.option("--layers", default=-1)`, `typer.run(main)`.
fn by_command_line<'c>(
    scope: &FileScope<'c>,
    function: &'c Function<'c>,
    name: &str,
) -> Option<&'c Expr<'c>> {
    let (mut by_click, mut is_command) = (None, false);
    walk(scope.code, &mut |part, _| match part {
        CodeNode::Statement(step) => {
            let StatementKind::Define { function: number, decorators } = &step.kind else { return };
            if !std::ptr::eq(&scope.code.functions[*number], function) {
                return;
            }
            for decorator in decorators {
                let ExprKind::Call(call) = &decorator.kind else { continue };
                let path = path(scope, &call.callee);
                let is_option = |text: &str| attribute_of_option(text) == name;
                let names_it = call.arguments.iter().any(|one| match &one.value.kind {
                    ExprKind::Text(text) => one.name.is_none() && is_option(text),
                    _ => false,
                });
                if path == "click.option" && names_it {
                    by_click = argument(&call.arguments, None, Some("default"));
                }
                is_command |= path.ends_with(".command") && !path.starts_with("click.");
            }
        }
        CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) => {
            let is_it = |one: &crate::code::Argument<'_>| matches!(one.value.kind, ExprKind::Name(it) if it == function.name);
            is_command |= matches!(path(scope, &call.callee), "fire.Fire" | "typer.run")
                && call.arguments.first().is_some_and(is_it);
        }
        CodeNode::Expr(_) | CodeNode::Target(_) => {}
    });
    let own = function.parameters.iter().find(|one| one.name == name).filter(|_| is_command);
    by_click.or_else(|| own?.default.as_ref())
}

/// What the only call of a function gives a parameter, where that call stands in another file of the project.
fn of_caller_elsewhere<T>(
    scope: &FileScope<'_>,
    function: &Function<'_>,
    (at, name): (usize, &str),
    look: Look<'_, T>,
) -> Option<T> {
    let called = format!("{}(", function.name);
    let is_python = |language| matches!(language, Language::Python | Language::Notebook);
    let mut callers = scope.program.every_file().filter(|(file, source)| {
        *file != scope.file && is_python(source.language) && source.text.contains(&called)
    });
    let (file, _) = callers.next().filter(|_| callers.next().is_none())?;
    scope.in_other(file, |other| {
        let is_it = |call: &Call<'_>| {
            let named = module_and_name(&call.callee);
            named
                .and_then(|(module, called)| imported(other, module, called))
                .is_some_and(|it| it == (scope.file, function.name))
        };
        let mut calls = Vec::new();
        other.each_call(&mut |_, call, _| {
            if is_it(call) {
                calls.push(call);
            }
        });
        let [call] = &calls[..] else { return None };
        look(other, other.names.meant(argument(&call.arguments, Some(at), Some(name))?))
    })
}

/// A constant of another module: `from settings import LAYERS`.
fn of_import(scope: &FileScope<'_>, name: &str, steps: usize) -> Option<Literal> {
    let (file, name) = imported(scope, None, name)?;
    scope.in_other(file, |other| followed(other, assigned_once(&other.code.body, name)?, steps + 1))
}

/// The value that a block assigns to a name, where it does so once.
fn assigned_once<'c, 's>(block: &'c Block<'s>, name: &str) -> Option<&'c Expr<'s>> {
    let mut values = block.iter().filter_map(|step| match &step.kind {
        StatementKind::Assign { targets, value: Some(value), .. } => {
            let is_it = matches!(&targets[..], [Target::Name(target, _)] if *target == name);
            is_it.then_some(value)
        }
        _ => None,
    });
    values.next().filter(|_| values.next().is_none())
}

fn of_field(scope: &FileScope<'_>, object: &Expr<'_>, field: &str, steps: usize) -> Option<Literal> {
    if steps > MOST_STEPS {
        return None;
    }
    // `FLAGS.layers` of absl
    if path(scope, object) == "absl.flags.FLAGS" {
        return of_flag(scope, field, steps);
    }
    let made = scope.names.meant(object);
    // `def load(args): … args.layers`
    if let ExprKind::Name(name) = made.kind {
        let by_caller = |scope: &FileScope<'_>, given: &Expr<'_>| of_field(scope, given, field, steps + 1);
        if let Some(value) = given_to(scope, name, object, &by_caller) {
            return Some(value);
        }
    }
    match &made.kind {
        ExprKind::Call(call) => of_call(scope, call, field, steps),
        // `import settings`, `from settings import cfg`
        ExprKind::Name(name) => {
            if let Some((file, field)) = imported(scope, Some(*name), field) {
                return scope.in_other(file, |other| {
                    followed(other, assigned_once(&other.code.body, field)?, steps + 1)
                });
            }
            if let Some(class) = class_named(scope, name) {
                return followed(scope, assigned_once(&class.body, field)?, steps + 1);
            }
            let (file, name) = imported(scope, None, name)?;
            scope.in_other(file, |other| {
                if let Some(class) = class_named(other, name) {
                    return followed(other, assigned_once(&class.body, field)?, steps + 1);
                }
                match &assigned_once(&other.code.body, name)?.kind {
                    ExprKind::Call(call) => of_call(other, call, field, steps + 1),
                    _ => None,
                }
            })
        }
        _ => None,
    }
}

/// A field of what a call makes: an object of a class of the project, or the options of the command line.
fn of_call(scope: &FileScope<'_>, call: &Call<'_>, field: &str, steps: usize) -> Option<Literal> {
    if matches!(&call.callee.kind, ExprKind::Attribute(_, "parse_args")) {
        return of_option(scope, field, steps);
    }
    if let Some(value) = of_parsing_function(scope, call, field, steps) {
        return Some(value);
    }
    // What is given in order, or unpacked, may be this field.
    if call.arguments.iter().any(|one| one.unpacked || one.name.is_none()) {
        return None;
    }
    if let Some(given) = argument(&call.arguments, None, Some(field)) {
        return followed(scope, scope.names.meant(given), steps + 1);
    }
    let ExprKind::Name(name) = call.callee.kind else { return None };
    if let Some(class) = class_named(scope, name) {
        return followed(scope, assigned_once(&class.body, field)?, steps + 1);
    }
    let (file, name) = imported(scope, None, name)?;
    scope.in_other(file, |other| {
        followed(other, assigned_once(&class_named(other, name)?.body, field)?, steps + 1)
    })
}

/// The default of an option that a function of the project reads: `args = get_args()`.
fn of_parsing_function(scope: &FileScope<'_>, call: &Call<'_>, field: &str, steps: usize) -> Option<Literal> {
    let (module, name) = module_and_name(&call.callee)?;
    let parses = |scope: &FileScope<'_>, name: &str| {
        let function = function_named(scope, name)?;
        let text = scope.text(function.span);
        let parses = ["parse_args(", "parse_known_args("].iter().any(|word| text.contains(word));
        of_option(scope, field, steps + 1).filter(|_| parses)
    };
    match imported(scope, module, name) {
        Some((file, name)) => scope.in_other(file, |other| parses(other, name)),
        None => parses(scope, name).filter(|_| module.is_none()),
    }
}

fn class_named<'a>(scope: &FileScope<'a>, name: &str) -> Option<&'a Class<'a>> {
    let mut named = scope.code.classes.iter().filter(|class| class.name == name);
    named.next().filter(|_| named.next().is_none())
}

/// The default of the option that fills an attribute: `add_argument("--n-workers", default=4)`.
fn of_option(scope: &FileScope<'_>, field: &str, steps: usize) -> Option<Literal> {
    let mut found = None;
    scope.each_call(&mut |_, call, _| {
        if !matches!(&call.callee.kind, ExprKind::Attribute(_, "add_argument")) {
            return;
        }
        let is_option = |one: &&crate::code::Argument<'_>| match &one.value.kind {
            ExprKind::Text(text) => match one.name {
                None => attribute_of_option(text) == field,
                Some(name) => name == "dest" && text == field,
            },
            _ => false,
        };
        if call.arguments.iter().any(|one| is_option(&one)) {
            let default = argument(&call.arguments, None, Some("default"));
            found = found.take().or_else(|| followed(scope, scope.names.meant(default?), steps + 1));
        }
    });
    found
}

/// The default of a flag of absl: `flags.DEFINE_integer("layers", -1, "…")`.
fn of_flag(scope: &FileScope<'_>, field: &str, steps: usize) -> Option<Literal> {
    let mut found = None;
    scope.each_call(&mut |_, call, _| {
        if !path(scope, &call.callee).starts_with("absl.flags.DEFINE_") {
            return;
        }
        let name = argument(&call.arguments, Some(0), Some("name"));
        if matches!(name, Some(Expr { kind: ExprKind::Text(text), .. }) if text == field) {
            let default = argument(&call.arguments, Some(1), Some("default"));
            found = found.take().or_else(|| followed(scope, scope.names.meant(default?), steps + 1));
        }
    });
    found
}
