//! Arguments → parameters: what each parameter of a function holds in one call.

use super::calls::Args;
use crate::code::{Function, Parameter, ParameterKind};
use crate::facts::Place;
use crate::program::heap::values::{Closure, Value};

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
