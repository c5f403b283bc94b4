//! Functions that a call runs, at once or in another process, and what it gives to their parameters.

use super::own_calls::module_and_name;
use crate::code::{Call, Expr, ExprKind, Function};
use crate::rules::uses::argument;

/// A function that a call runs, itself or in another process, and what it is given.
pub(super) struct Handed<'c> {
    pub module: Option<&'c str>,
    pub name: &'c str,
    in_order: Vec<&'c Expr<'c>>,
    by_name: Vec<(&'c str, &'c Expr<'c>)>,
}

impl<'c> Handed<'c> {
    /// `worker(gpu)`, `Process(target=worker, args=(gpu,))`, `pool.apply_async(worker, (gpu,))`, `executor.submit(worker, gpu)`
    pub fn by(call: &'c Call<'c>) -> Option<Handed<'c>> {
        let last: &str = match call.callee.kind {
            ExprKind::Name(name) | ExprKind::Attribute(_, name) => name,
            _ => return None,
        };
        let at = |at: usize| call.arguments.get(at).filter(|one| one.name.is_none()).map(|one| &one.value);
        let (function, in_order) = match last {
            "Process" | "Thread" => (
                argument(&call.arguments, None, Some("target"))?,
                all(argument(&call.arguments, None, Some("args"))),
            ),
            "apply_async" | "apply" => (at(0)?, all(at(1))),
            "submit" => (at(0)?, (1..).map_while(at).collect()),
            _ => (&call.callee, (0..).map_while(at).collect()),
        };
        let (module, name) = module_and_name(function)?;
        let named = call.arguments.iter().filter_map(|one| Some((one.name?, &one.value)));
        Some(Handed { module, name, in_order, by_name: named.collect() })
    }

    /// The parameters of the function with what each is given.
    pub fn to<'f>(&self, function: &Function<'f>) -> Vec<(&'f str, &'c Expr<'c>)> {
        let names: Vec<&'f str> = function.parameters.iter().map(|one| one.name).collect();
        let in_order = names.iter().copied().zip(self.in_order.iter().copied());
        let by_name = self
            .by_name
            .iter()
            .filter_map(|(name, value)| Some((*names.iter().find(|known| *known == name)?, *value)));
        in_order.chain(by_name).collect()
    }
}

fn all<'c>(value: Option<&'c Expr<'c>>) -> Vec<&'c Expr<'c>> {
    match value.map(|value| &value.kind) {
        Some(ExprKind::Sequence(values)) => values.iter().collect(),
        _ => Vec::new(),
    }
}
