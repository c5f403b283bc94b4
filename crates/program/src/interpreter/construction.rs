//! Objects: what calling a class of the project makes.

use super::Interpreter;
use super::calls::Args;
use super::classes::brings_nothing;
use crate::code::{Class, Code, Expr, ExprKind, StatementKind};
use crate::facts::{Place, Span};
use crate::program::heap::values::{ClassValue, Instance, ScopeId, Value};
use std::rc::Rc;

/// Stands among the names that classes set in ways of their own, where some class has an abstract method.
pub(super) const ABSTRACT: &str = "@abstractmethod";

impl<'p> Interpreter<'p> {
    /// Calls a class of the project: a new instance, with its constructor run.
    pub(super) fn instantiate(
        &mut self,
        class: &Rc<ClassValue<'p>>,
        args: Args<'p>,
        site: Span,
    ) -> Value<'p> {
        if !self.spend() {
            return Value::Unknown;
        }
        if let Some(member) = self.member_holding(class, &args, site) {
            return member;
        }
        if self.is_abstract(class) {
            return self.raises();
        }
        let made = match self.class_attribute(class, "__new__") {
            Value::Function(maker) => {
                let made =
                    self.run_function(&maker.bound_to(Value::Class(class.clone())), args.clone(), site);
                Some(made)
            }
            _ => None,
        };
        let (instance, scope) = match made {
            // What `__new__` gives is the object: a new one, or one that was made before.
            Some(Value::Instance(made)) if made.class.scope == class.scope => {
                let scope = made.scope;
                (Value::Instance(made), scope)
            }
            Some(other @ (Value::None | Value::Text(_) | Value::Int(..))) => return other,
            _ => self.new_instance(class),
        };
        match self.class_attribute(class, "__init__") {
            Value::Function(constructor) => {
                let constructor = constructor.bound_to(instance.clone());
                if self.refuses(&constructor, &args) {
                    return self.raises();
                }
                self.run_function(&constructor, args, site);
            }
            Value::Outside(path) if !class.dataclass => {
                let path = self.paths.text(path).clone();
                // The class itself is what effects are known about: `class Mine(DataParallel)`.
                let class_path = path.trim_end_matches(".__init__").trim_end_matches("()");
                self.apply_call_effects(class_path, &args, site);
                self.fill_container(&instance, &args, site);
            }
            _ if class.dataclass => {
                let told = self.fill_fields(class, scope, &args, site);
                match self.class_attribute(class, "__post_init__") {
                    Value::Function(after) => {
                        self.run_function(&after.bound_to(instance.clone()), told, site);
                    }
                    // It is made of a known one: `class Mine(TrainingArguments)`.
                    Value::Outside(path) => {
                        let path = self.paths.text(path).clone();
                        let class_path = path.trim_end_matches(".__post_init__").trim_end_matches("()");
                        self.apply_call_effects(class_path, &args, site);
                    }
                    _ => {}
                }
            }
            _ => {}
        }
        instance
    }

    /// Whether a class has an abstract method that no class before the one that says so replaces: calling it raises. What a
    /// class outside of the project replaces is not known.
    fn is_abstract(&mut self, class: &Rc<ClassValue<'p>>) -> bool {
        if !self.setters.contains(ABSTRACT) || !self.knows_all() {
            return false;
        }
        let order = self.resolution_order(class);
        let makes_abstract = |run: &mut Self, class: &Value<'p>| match class {
            Value::Class(class) => run.class_code(class).keywords.iter().any(|keyword| {
                let written = run.program.sources.text(Place { file: class.file, span: keyword.value.span });
                written.ends_with("ABCMeta")
            }),
            Value::Outside(path) => &**run.paths.text(*path) == "abc.ABC",
            _ => false,
        };
        if !order.iter().any(|class| makes_abstract(self, class)) {
            return false;
        }
        for (at, base) in order.iter().enumerate() {
            let Value::Class(base) = base else {
                if matches!(base, Value::Outside(path) if brings_nothing(self.paths.text(*path))) {
                    continue;
                }
                return false;
            };
            for name in abstract_methods(self.code_of(base.file), self.class_code(base)) {
                let is_replaced = order[..at].iter().any(|class| match class {
                    Value::Class(class) => self.own_attribute(class, name).is_some(),
                    _ => false,
                });
                if !is_replaced {
                    return true;
                }
            }
        }
        false
    }

    /// An object of a class of which no method has run.
    pub(super) fn new_instance(&mut self, class: &Rc<ClassValue<'p>>) -> (Value<'p>, ScopeId) {
        let scope = self.new_scope(None, false);
        (Value::Instance(Rc::new(Instance { class: class.clone(), scope })), scope)
    }

    /// `super().__new__(cls)` and `object.__new__(cls)`, where no class of the project makes the object.
    pub(super) fn bare_object(&mut self, method: &Value<'p>, args: &Args<'p>) -> Option<Value<'p>> {
        let is_bare = match method {
            Value::Unknown => true,
            Value::Outside(path) => {
                let path = self.paths.text(*path);
                let of_type = ["builtins.type().__new__", "builtins.type.__new__", "abc.ABCMeta().__new__"];
                if of_type.contains(&&**path) {
                    // Which class that is is no part of what a call is known by.
                    self.summaries.left_out += 1;
                    let names = args.at(3).map(|names| names.value.clone());
                    if let (Some(class), Some(names)) = (self.handed.being_made.last().cloned(), names) {
                        self.take_names(&class, &names);
                    }
                    return self.handed.being_made.last().map(|class| Value::Class(class.clone()));
                }
                &**path == "builtins.object.__new__"
            }
            _ => false,
        };
        match &args.at(0)?.value {
            Value::Class(class) if is_bare => Some(self.new_instance(class).0),
            _ => None,
        }
    }
}

/// The methods that a class says are abstract.
fn abstract_methods<'p>(code: &'p Code<'p>, class: &'p Class<'p>) -> impl Iterator<Item = &'p str> {
    class.body.iter().filter_map(|step| match &step.kind {
        StatementKind::Define { function, decorators } => {
            decorators.iter().any(is_abstract_mark).then(|| code.functions[*function].name)
        }
        _ => None,
    })
}

/// `@abstractmethod` and its like.
pub(super) fn is_abstract_mark(decorator: &Expr<'_>) -> bool {
    let (ExprKind::Name(name) | ExprKind::Attribute(_, name)) = &decorator.kind else { return false };
    matches!(*name, "abstractmethod" | "abstractproperty" | "abstractclassmethod" | "abstractstaticmethod")
}
