//! Containers and functions of Python's standard library that values are followed through.

use super::Interpreter;
use super::calls::{Arg, Args};
use super::kept::asks_for_result;
use super::loops::MOST_ELEMENTS;
use crate::facts::Span;
use crate::program::heap::values::{Closure, PathId, Role, ScopeId, StreamOutput, Value};
use std::rc::Rc;

/// Where a dictionary keeps what makes the items that it does not have.
pub(super) const DEFAULT_FACTORY: &str = "what makes items that are missing";

impl<'p> Interpreter<'p> {
    /// What a call of the standard library gives; `None` where it is none of those that are followed.
    pub(super) fn call_standard(
        &mut self,
        name: &str,
        path: PathId,
        args: &Args<'p>,
        span: Span,
    ) -> Option<Value<'p>> {
        let value = |at: usize| args.at(at).map(|argument| argument.value.clone());
        if name.starts_with("logging.") {
            self.call_logging(name, args, span);
        }
        match name {
            "queue.Queue" | "queue.SimpleQueue" => {
                Some(self.collection_but_no_list(Value::sequence(Vec::new())))
            }
            "heapq.heappush" | "heapq.heappop" | "heapq.heapify" | "heapq.heappushpop"
            | "heapq.heapreplace" => self.call_heapq(&name["heapq.".len()..], args),
            "signal.signal" | "signal.raise_signal" | "signal.alarm" | "signal.pause" | "os.kill" => {
                self.call_signal(name, args, span);
                None
            }
            "warnings.warn" | "warnings.warn_explicit" => {
                self.warn(span);
                None
            }
            "weakref.ref" | "weakref.finalize" | "weakref.finalize()" => {
                self.call_weakref(name, args, span);
                None
            }
            "pickle.dumps" | "cloudpickle.dumps" | "dill.dumps" => self.pickled(args, span),
            "pickle.loads" | "cloudpickle.loads" | "dill.loads" => self.unpickled(args, span),
            "builtins.globals().items"
            | "builtins.globals().keys"
            | "builtins.globals().values"
            | "builtins.globals().copy" => {
                let names = self.own_names(&Value::Module(self.here.file), span)?;
                Some(self.constant_method(&names, name.rsplit('.').next()?, args, span))
            }
            "inspect.isclass" | "inspect.isfunction" | "inspect.ismethod" | "inspect.isroutine"
            | "inspect.ismodule" => {
                let value = self.force(value(0)?);
                self.is_kind(name, &value).map(Value::Bool)
            }
            "inspect.getmembers" => self.members_of(args, span),
            "functools.partialmethod" => self.partial(args),
            _ if name.ends_with("().join") => {
                self.wake_waiting(span);
                None
            }
            _ if asks_for_result(name) => {
                self.ask_for_result();
                None
            }
            // It is written in another way than a dictionary.
            "collections.OrderedDict" => {
                let held = self.call_builtin("dict", args, span)?;
                self.mark_no_list(&held);
                Some(held)
            }
            "collections.defaultdict" => self.dict_with_factory(args, span),
            "collections.Counter" if let Some(counted @ Value::Instance(_)) = value(0) => {
                self.iterate(counted, span);
                None
            }
            // One with a length loses what came first.
            "collections.deque"
                if !args.open
                    && args.items.len() < 2
                    && args.items.iter().all(|item| item.name.is_none()) =>
            {
                let held = self.call_builtin("list", args, span)?;
                self.mark_no_list(&held);
                Some(held)
            }
            "builtins.property" if args.items.len() == 1 => match value(0)? {
                Value::Function(function) => Some(Value::Function(Rc::new(Closure {
                    role: Role::Property,
                    ..Closure::clone(&function)
                }))),
                _ => None,
            },
            "pkgutil.iter_modules" | "pkgutil.walk_packages" => {
                self.found_modules(name.ends_with("walk_packages"), args, span)
            }
            "types.MappingProxyType" => value(0),
            "types.MethodType" => match (value(0)?, value(1)?) {
                (Value::Function(function), object) => Some(Value::Function(function.bound_to(object))),
                _ => None,
            },
            "functools.cache" | "functools.lru_cache" => match value(0)? {
                function @ Value::Function(_) => Some(self.keeping_results(function)),
                _ => None,
            },
            "operator.attrgetter()" | "operator.itemgetter()" | "operator.methodcaller()" => {
                let made_with = self.made_with(path)?.clone();
                self.call_getter(name, &made_with, value(0)?, span)
            }
            "random.choice" => {
                let elements = self.few_elements(value(0)?, span)?;
                Some(Value::one_of(elements))
            }
            "random.sample" | "random.choices" => {
                let elements = self.few_elements(value(0)?, span)?;
                let count = match args.get(Some(1), Some("k")).map(|argument| &argument.value) {
                    Some(Value::Int(count, _)) => usize::try_from(*count).ok()?,
                    None => 1,
                    Some(_) => return None,
                };
                let taken = vec![Value::one_of(elements); count.min(MOST_ELEMENTS)];
                Some(self.collection(Value::sequence(taken)))
            }
            "random.shuffle" => {
                let Value::Collection(list) = value(0)? else { return None };
                let elements = self.few_elements(value(0)?, span)?;
                let any = Value::one_of(elements.clone());
                self.set_contents(list, Value::sequence(vec![any; elements.len()]));
                Some(Value::None)
            }
            "re.sub" | "re.subn" => {
                if let function @ Value::Function(_) = args.get(Some(1), Some("repl"))?.value.clone() {
                    self.call_often(&function, span);
                }
                None
            }
            _ => None,
        }
    }

    fn few_elements(&mut self, values: Value<'p>, span: Span) -> Option<Vec<Value<'p>>> {
        let values = self.iterate_all(values, span);
        self.elements(&values).filter(|elements| elements.len() <= MOST_ELEMENTS)
    }

    /// `defaultdict(list)`
    fn dict_with_factory(&mut self, args: &Args<'p>, span: Span) -> Option<Value<'p>> {
        let (factory, others) = match args.items.split_first() {
            Some((Arg { name: None, value, .. }, others)) => (value.clone(), others.to_vec()),
            _ => return None,
        };
        let made = self.call_builtin("dict", &Args { items: others, open: args.open }, span)?;
        // It is written in another way than a dictionary.
        self.mark_no_list(&made);
        if let Value::Collection(scope) = made {
            self.bind_in(scope, DEFAULT_FACTORY, factory);
        }
        Some(made)
    }

    /// What a dictionary makes for a key that it does not have, if it makes anything.
    pub(super) fn missing_item(
        &mut self,
        dictionary: ScopeId,
        key: &Value<'p>,
        span: Span,
    ) -> Option<Value<'p>> {
        let made = match self.heap.get(dictionary, DEFAULT_FACTORY).cloned()? {
            Value::None => return None,
            factory => self.call(factory, Args::default(), span),
        };
        self.set_item(&Value::Collection(dictionary), key, &made);
        Some(made)
    }

    /// What `itemgetter("a")`, `attrgetter("a")` and `methodcaller("a")` give for an object.
    fn call_getter(
        &mut self,
        getter: &str,
        made_with: &Args<'p>,
        object: Value<'p>,
        span: Span,
    ) -> Option<Value<'p>> {
        let object = self.force(object);
        if getter == "operator.methodcaller()" {
            let Value::Text(name) = made_with.at(0)?.value.clone() else { return None };
            let name = self.name_in(&object, &name)?;
            let rest = Args { items: made_with.items[1..].to_vec(), open: made_with.open };
            return Some(self.call_method(&object, name, rest, span));
        }
        let mut found = Vec::new();
        for key in &made_with.items {
            found.push(match &key.value {
                key if getter == "operator.itemgetter()" => self.item(&object, key, span),
                Value::Text(name) => self.attribute_by_text(&object, name, None, span),
                _ => return None,
            });
        }
        match <[Value<'p>; 1]>::try_from(found) {
            Ok([only]) => Some(only),
            Err(several) => Some(Value::sequence(several)),
        }
    }

    /// `iter(function, end)`: the function is called until it gives the end.
    pub(super) fn called_until(&mut self, function: Value<'p>) -> Value<'p> {
        self.mapped(function, &[Value::Unknown], StreamOutput::Some)
    }
}

/// What keeps the arguments that it was made with.
pub(super) fn is_getter(path: &str) -> bool {
    matches!(path, "operator.attrgetter" | "operator.itemgetter" | "operator.methodcaller")
}
