//! Arguments → parameters: what each parameter of a function holds in one call.

use super::calls::Args;
use crate::code::{Function, ParameterKind};
use crate::facts::Place;
use crate::program::value::{Closure, Value};

/// The value of each parameter, in order.
pub(super) fn bind_arguments<'p>(
    function: &Function<'p>,
    closure: &Closure<'p>,
    args: Args<'p>,
    site: Place,
) -> Vec<Value<'p>> {
    let open = args.open;
    let mut positional = closure.bound.iter().cloned().chain(
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
            ParameterKind::Keywords => other_keywords(function, &args, site),
        });
    }
    if open && let (Some(bound), Some(first)) = (&closure.bound, values.first_mut()) {
        *first = bound.clone();
    }
    values
}

/// What `**kwargs` holds: the keywords that no parameter takes.
fn other_keywords<'p>(function: &Function<'p>, args: &Args<'p>, site: Place) -> Value<'p> {
    let is_parameter = |name: &str| function.parameters.iter().any(|parameter| parameter.name == name);
    let mut items = Vec::new();
    for argument in &args.items {
        if let Some(name) = argument.name.as_deref().filter(|name| !is_parameter(name)) {
            items.push((Value::text(name.to_owned(), site), argument.value.clone()));
        }
    }
    if args.open {
        items.push((Value::Unknown, Value::Unknown));
    }
    Value::mapping(items)
}
