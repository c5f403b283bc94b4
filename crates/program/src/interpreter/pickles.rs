//! What becomes of objects that are written as bytes and read again, and of copies: `__reduce__`, `__getstate__` and `__setstate__`
//! are called.

use super::Interpreter;
use super::calls::Args;
use crate::facts::Span;
use crate::program::heap::values::{Instance, Value};
use std::rc::Rc;

/// What `pickle.dumps` gives.
const PICKLED: &str = "pickle.dumps()";

impl<'p> Interpreter<'p> {
    /// `pickle.dumps(value)`
    pub(super) fn pickled(&mut self, args: &Args<'p>, span: Span) -> Option<Value<'p>> {
        let value = self.force(args.at(0)?.value.clone());
        let packed = match &value {
            Value::Instance(instance) => {
                let packed = self.packed(instance, span);
                self.deeply_copied(&packed, span)
            }
            _ => self.deeply_copied(&value, span),
        };
        let path = self.paths.id(PICKLED);
        let made = self.paths.object(path);
        self.keep_arguments(made, Args::positional(vec![value, packed], span));
        Some(Value::Outside(made))
    }

    /// `pickle.loads(data)`, where the data was made in this program.
    pub(super) fn unpickled(&mut self, args: &Args<'p>, span: Span) -> Option<Value<'p>> {
        let Value::Outside(path) = args.at(0)?.value else { return None };
        if &**self.paths.text(path) != PICKLED {
            return None;
        }
        let kept = self.made_with(path)?;
        let (value, packed) = (kept.at(0)?.value.clone(), kept.at(1)?.value.clone());
        Some(match value {
            Value::Instance(instance) => self.unpacked(&instance, packed, span),
            _ => self.deeply_copied(&packed, span),
        })
    }

    /// A copy of an object that is made through its state, where its class says how.
    pub(super) fn copied_by_state(&mut self, object: &Rc<Instance<'p>>, span: Span) -> Option<Value<'p>> {
        let value = Value::Instance(object.clone());
        let has_own = ["__reduce_ex__", "__reduce__", "__getstate__", "__setstate__"]
            .into_iter()
            .any(|name| self.method_of(&value, name).is_some());
        if !has_own {
            return None;
        }
        let packed = self.packed(object, span);
        Some(self.unpacked(object, packed, span))
    }

    /// What an object says that it is made of: whether that is a recipe, which says what is to be called with which arguments, or
    /// its state; and the recipe or state.
    fn packed(&mut self, object: &Rc<Instance<'p>>, span: Span) -> Value<'p> {
        let value = Value::Instance(object.clone());
        let protocol = Value::Int(4, self.place(span));
        let recipe = self.special(&value, "__reduce_ex__", vec![protocol], span);
        let recipe = recipe.or_else(|| self.special(&value, "__reduce__", Vec::new(), span));
        if let Some(recipe) = recipe {
            return Value::sequence(vec![Value::Bool(true), self.force(recipe)]);
        }
        let state = self.special(&value, "__getstate__", Vec::new(), span);
        let state = state.or_else(|| self.own_names(&value, span)).unwrap_or(Value::Unknown);
        Value::sequence(vec![Value::Bool(false), state])
    }

    /// The object that this makes.
    fn unpacked(&mut self, object: &Rc<Instance<'p>>, packed: Value<'p>, span: Span) -> Value<'p> {
        let Value::Sequence(packed) = packed else { return Value::Unknown };
        let [Value::Bool(is_recipe), packed] = &packed[..] else { return Value::Unknown };
        if *is_recipe {
            let Value::Sequence(recipe) = packed else { return Value::Unknown };
            let [function, args, rest @ ..] = &recipe[..] else { return Value::Unknown };
            let args = self.elements(args).unwrap_or_default();
            let made = self.call(function.clone(), Args::positional(args, span), span);
            let state = rest.first().filter(|state| !matches!(state, Value::None));
            if let Some(state) = state {
                self.special(&made, "__setstate__", vec![state.clone()], span);
            }
            return made;
        }
        let (made, scope) = self.new_instance(&object.class);
        if self.special(&made, "__setstate__", vec![packed.clone()], span).is_none()
            && let Value::Mapping(names) = self.contents(packed)
        {
            for (name, value) in names.iter() {
                if let Value::Text(name) = name
                    && let std::borrow::Cow::Borrowed(name) = name.text
                {
                    self.bind_in(scope, name, value.clone());
                }
            }
        }
        made
    }
}
