//! `functools.singledispatch`: which function runs depends on the type of the first argument.

use super::Interpreter;
use super::calls::Args;
use crate::code::{Expr, ExprKind};
use crate::facts::{Place, Span};
use crate::program::heap::values::{Closure, ScopeId, Value};
use std::rc::Rc;

impl<'p> Interpreter<'p> {
    /// The function that calls one of those that will be registered for the types of arguments.
    pub(super) fn dispatching(&mut self, function: Value<'p>) -> Value<'p> {
        let table = self.collection(Value::mapping(Vec::new()));
        let (Value::Function(closure), Value::Collection(table)) = (&function, table) else {
            return function;
        };
        Value::Function(Rc::new(Closure { dispatch: Some(table), ..Closure::clone(closure) }))
    }

    /// `@choose.register` and `@choose.register(int)` above a function, which stays what it is.
    pub(super) fn registered(&mut self, decorator: &'p Expr<'p>, function: &Value<'p>) -> Option<Value<'p>> {
        let (register, kind) = match &decorator.kind {
            ExprKind::Call(call) => match &call.arguments[..] {
                [kind] => (&call.callee, Some(&kind.value)),
                _ => return None,
            },
            _ => (decorator, None),
        };
        let ExprKind::Attribute(dispatcher, "register") = &register.kind else { return None };
        let Value::Function(dispatcher) = self.eval(dispatcher) else { return None };
        let table = dispatcher.dispatch?;
        let kind = match kind {
            Some(kind) => self.eval(kind),
            None => self.annotated_type(function),
        };
        self.register(table, kind, function.clone());
        Some(function.clone())
    }

    /// `choose.register(int, function)`
    pub(super) fn register_called(&mut self, table: ScopeId, args: &Args<'p>) -> Value<'p> {
        let [kind, function] = &args.items[..] else { return Value::Unknown };
        self.register(table, kind.value.clone(), function.value.clone());
        function.value.clone()
    }

    fn register(&mut self, table: ScopeId, kind: Value<'p>, function: Value<'p>) {
        let kind = self.force(kind);
        match self.contents(&Value::Collection(table)) {
            Value::Mapping(known) => {
                let all = known.iter().cloned().chain([(kind, function)]).collect();
                self.set_contents(table, Value::mapping(all));
            }
            _ => self.set_contents(table, Value::Unknown),
        }
    }

    /// The type that the annotation of the first parameter names, behind `self`.
    fn annotated_type(&mut self, function: &Value<'p>) -> Value<'p> {
        let Value::Function(closure) = function else { return Value::Unknown };
        let parameters = &self.function_of(closure).parameters;
        let of_method = usize::from(closure.class.is_some() && parameters.len() > 1);
        let Some(first) = parameters.get(of_method) else { return Value::Unknown };
        // As far as an annotation may reach that is one name.
        let place = Place { file: closure.file, span: first.span };
        let rest = self.program.sources.file(closure.file).text.get(place.span.end as usize..);
        let Some(annotation) = rest.and_then(|rest| rest.trim_start().strip_prefix(':')) else {
            return Value::Unknown;
        };
        let annotation = annotation.trim_start();
        let is_part = |one: char| one.is_alphanumeric() || one == '_';
        let name = &annotation[..annotation.find(|one| !is_part(one)).unwrap_or(annotation.len())];
        let behind = annotation[name.len()..].trim_start();
        match !name.is_empty() && behind.starts_with([',', ')', '=']) {
            true => self.name(name, place.span),
            false => Value::Unknown,
        }
    }

    /// Calls the function that is registered for the type of the first argument; where that is not known, one of them.
    pub(super) fn dispatch(
        &mut self,
        table: ScopeId,
        otherwise: Rc<Closure<'p>>,
        args: Args<'p>,
        site: Span,
    ) -> Value<'p> {
        let known = self.contents(&Value::Collection(table));
        let first = args.at(0).map(|argument| argument.value.clone()).unwrap_or(Value::Unknown);
        let bound = otherwise.bound.clone();
        let otherwise = Value::Function(otherwise);
        let Value::Mapping(known) = known else { return self.call(Value::Unknown, args, site) };
        let chosen = match self.types_of(&first) {
            Some(types) if known.iter().all(|(kind, _)| self.is_plain_type(kind)) => {
                let object = Value::Outside(self.paths.id("builtins.object"));
                let mut registered = types.iter().chain([&object]).filter_map(|wanted| {
                    known.iter().rev().find(|(kind, _)| kind.same(wanted)).map(|(_, function)| function)
                });
                registered.next().unwrap_or(&otherwise).clone()
            }
            _ => Value::one_of(known.iter().map(|(_, function)| function.clone()).chain([otherwise])),
        };
        let chosen = match bound {
            Some(object) => Value::one_of(chosen.alternatives().iter().map(|function| match function {
                Value::Function(closure) => Value::Function(closure.bound_to(object.clone())),
                other => other.clone(),
            })),
            None => chosen,
        };
        self.call(chosen, args, site)
    }

    /// The type of a value and those that it builds on, in the order in which Python looks; `None` when it is not known.
    fn types_of(&mut self, value: &Value<'p>) -> Option<Vec<Value<'p>>> {
        let value = self.force(value.clone());
        let names: &[&str] = match &self.contents(&value) {
            Value::Instance(instance) => return Some(self.resolution_order(&instance.class)),
            Value::Int(..) => &["builtins.int"],
            Value::Bool(_) => &["builtins.bool", "builtins.int"],
            Value::Text(_) if self.is_python_here() => &["builtins.str"],
            Value::Mapping(_) => &["builtins.dict"],
            Value::Function(_) | Value::None => &[],
            _ => return None,
        };
        Some(names.iter().map(|name| Value::Outside(self.paths.id(name))).collect())
    }

    /// Whether a type has no others below it than those that build on it.
    fn is_plain_type(&self, kind: &Value<'p>) -> bool {
        const PLAIN: &[&str] =
            &["int", "str", "bool", "float", "bytes", "list", "dict", "set", "tuple", "object"];
        match kind {
            Value::Class(_) => true,
            Value::Outside(path) => {
                self.paths.text(*path).strip_prefix("builtins.").is_some_and(|name| PLAIN.contains(&name))
            }
            _ => false,
        }
    }
}
