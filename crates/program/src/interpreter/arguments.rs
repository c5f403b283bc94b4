//! Arguments → parameters: what each parameter of a function holds in one call.

use super::calls::Args;
use crate::code::{Function, Parameter, ParameterKind};
use crate::facts::Place;
use crate::program::heap::values::{Closure, Value};

/// Whether the parameters of a function take what a call gives.
pub(super) fn takes<'p>(function: &Function<'p>, closure: &Closure<'p>, args: &Args<'p>) -> bool {
    if args.open {
        return true;
    }
    let positional = args.items.iter().filter(|argument| argument.name.is_none()).count();
    let given = usize::from(closure.bound.is_some()) + closure.held.len() + positional;
    let has = |kind| function.parameters.iter().any(|parameter| parameter.kind == kind);
    let (mut plain, mut names) = (0, Vec::new());
    for (index, parameter) in function.parameters.iter().enumerate() {
        let is_plain = parameter.kind == ParameterKind::Plain;
        if !is_plain && parameter.kind != ParameterKind::KeywordOnly {
            continue;
        }
        let is_filled = is_plain && plain < given;
        let has_default = closure.defaults.get(index).is_none_or(Option::is_some);
        match args.keyword(parameter.name) {
            // With `**kwargs` it may be the name of another.
            Some(_) if is_filled && !has(ParameterKind::Keywords) => return false,
            None if !is_filled && !has_default => return false,
            _ => {}
        }
        plain += usize::from(is_plain);
        names.push(parameter.name);
    }
    let is_known = |name: &str| has(ParameterKind::Keywords) || names.contains(&name);
    (given <= plain || has(ParameterKind::Rest))
        && args.items.iter().filter_map(|argument| argument.name.as_deref()).all(is_known)
}

/// The value of each parameter, in order.
pub(super) fn bind_arguments<'p>(
    function: &Function<'p>,
    closure: &Closure<'p>,
    args: Args<'p>,
) -> Vec<Value<'p>> {
    let open = args.open;
    let function_place = Place { file: closure.file, span: function.name_span };
    let mut positional = closure.bound.iter().chain(&closure.held).cloned().chain(
        args.items.iter().filter(|argument| argument.name.is_none()).map(|argument| argument.value.clone()),
    );
    let mut values = Vec::with_capacity(function.parameters.len());
    for (index, parameter) in function.parameters.iter().enumerate() {
        let by_name = || args.keyword(parameter.name).map(|argument| argument.value.clone());
        let default = || {
            let default = closure.defaults.get(index).cloned().flatten();
            // `f(*args)` may fill any parameter.
            default.filter(|_| !open).unwrap_or(Value::Unknown)
        };
        values.push(match parameter.kind {
            ParameterKind::Plain => {
                if open {
                    by_name().unwrap_or(Value::Unknown)
                } else {
                    positional.next().or_else(by_name).unwrap_or_else(default)
                }
            }
            ParameterKind::KeywordOnly => by_name().unwrap_or_else(default),
            ParameterKind::Rest if open => Value::Unknown,
            ParameterKind::Rest => Value::sequence(positional.by_ref().collect()),
            ParameterKind::Keywords if open => Value::Unknown,
            ParameterKind::Keywords => {
                let taken = |name: &str| {
                    let takes = |parameter: &Parameter<'_>| {
                        parameter.name == name
                            && matches!(parameter.kind, ParameterKind::Plain | ParameterKind::KeywordOnly)
                    };
                    function.parameters.iter().any(takes)
                };
                let rest = args.items.iter().filter_map(|argument| {
                    let name = argument.name.as_ref().filter(|name| !taken(name))?;
                    let place = argument.value.place().unwrap_or(function_place);
                    Some((Value::text(name.clone(), place), argument.value.clone()))
                });
                Value::mapping(rest.collect())
            }
        });
    }
    if open && let (Some(bound), Some(first)) = (&closure.bound, values.first_mut()) {
        *first = bound.clone();
    }
    values
}
