//! Classes, instances and attributes.

use super::Run;
use super::calls::Args;
use crate::code::{Expr, StepKind, Target};
use crate::facts::Span;
use crate::program::modules::Found;
use crate::program::value::{ClassValue, Closure, Instance, Marks, Role, Value};
use std::rc::Rc;

impl<'p> Run<'p> {
    pub(super) fn define_class(&mut self, index: usize, decorators: &'p [Expr<'p>]) -> Value<'p> {
        let class = &self.code().classes[index];
        let asked = std::mem::replace(&mut self.asked_count, false);
        let mut marks = Marks::default();
        let mut wrappers = Vec::with_capacity(decorators.len());
        for decorator in decorators {
            let wrapper = self.eval_decorator(decorator);
            self.read_marks(&wrapper, &mut marks);
            marks.cleanup = marks.cleanup.or_else(|| self.cleanup_in(decorator));
            wrappers.push(wrapper);
        }
        let counts_devices = std::mem::replace(&mut self.asked_count, asked);
        let dataclass = wrappers.iter().any(|wrapper| match wrapper {
            Value::Outside(path) => self.paths.text(*path).contains("dataclass"),
            _ => false,
        });
        let bases: Vec<_> = class.bases.iter().map(|base| self.eval(base)).collect();
        class.keywords.iter().for_each(|keyword| drop(self.eval(keyword)));
        let scope = self.new_scope(Some(self.here.scope), true);
        let value = Rc::new(ClassValue {
            file: self.here.file,
            class: index,
            scope,
            bases,
            dataclass,
            counts_devices,
            marks: Rc::new(marks),
        });
        let outer_scope = std::mem::replace(&mut self.here.scope, scope);
        let outer_class = self.here.class.replace(value.clone());
        self.block(&class.body);
        self.here.scope = outer_scope;
        self.here.class = outer_class;
        let mut value = Value::Class(value);
        for (wrapper, decorator) in wrappers.into_iter().zip(decorators).rev() {
            value = self.decorate(wrapper, value, decorator.span);
        }
        value
    }

    /// `object.name`
    pub(super) fn attribute(&mut self, object: &Value<'p>, name: &'p str, span: Span) -> Value<'p> {
        match object {
            _ if name == "TYPE_CHECKING" => Value::Bool(false),
            Value::Outside(path) => Value::Outside(self.paths.child(*path, name)),
            Value::Module(file) => self.module_attribute(*file, name, span),
            Value::Folder(folder) => {
                let found = self.program.modules.child(&Found::Folder(folder.to_string()), name);
                self.found_value(found, span)
            }
            Value::Instance(instance) => self.instance_attribute(instance, name, span),
            Value::Class(class) => {
                let found = self.class_attribute(class, name, 0);
                self.bind_method(found, object, Some(object), span)
            }
            Value::Text(text) => self.path_attribute(&text.text, name, span),
            Value::Deferred(..) => {
                let settled = self.settle(object.clone());
                if matches!(settled, Value::Deferred(..)) {
                    Value::Unknown
                } else {
                    self.attribute(&settled, name, span)
                }
            }
            Value::Lazy(_) => {
                let forced = self.force_lazy(object.clone());
                self.attribute(&forced, name, span)
            }
            Value::OneOf(values) => {
                // A name that is None on one path is the module on the other, or its use fails.
                let results: Vec<_> = values
                    .iter()
                    .filter(|value| !matches!(value, Value::None))
                    .map(|value| self.attribute(value, name, span))
                    .collect();
                Value::one_of(results)
            }
            _ => Value::Unknown,
        }
    }

    fn instance_attribute(&mut self, instance: &Rc<Instance<'p>>, name: &'p str, span: Span) -> Value<'p> {
        if let Some(value) = self.in_scope(instance.scope, name) {
            return value.clone();
        }
        let found = self.class_attribute(&instance.class, name, 0);
        let class = Value::Class(instance.class.clone());
        self.bind_method(found, &Value::Instance(instance.clone()), Some(&class), span)
    }

    /// Finds a name in a class and its bases, nearest first.
    pub(super) fn class_attribute(
        &mut self,
        class: &Rc<ClassValue<'p>>,
        name: &'p str,
        depth: usize,
    ) -> Value<'p> {
        if let Some(value) = self.in_scope(class.scope, name) {
            return value.clone();
        }
        self.base_attribute(class, name, depth + 1)
    }

    /// Finds a name in the bases of a class only.
    fn base_attribute(&mut self, class: &Rc<ClassValue<'p>>, name: &'p str, depth: usize) -> Value<'p> {
        /// A class that is its own base would be looked through without end.
        const DEEPEST: usize = 16;
        if depth > DEEPEST {
            return Value::Unknown;
        }
        for base in class.bases.clone() {
            let found = match self.settle(base) {
                Value::Class(base) => self.class_attribute(&base, name, depth),
                Value::Outside(path) => {
                    let result = self.paths.result(path);
                    Value::Outside(self.paths.child(result, name))
                }
                _ => Value::Unknown,
            };
            if !matches!(found, Value::Unknown) {
                return found;
            }
        }
        Value::Unknown
    }

    fn bind_method(
        &mut self,
        found: Value<'p>,
        object: &Value<'p>,
        class: Option<&Value<'p>>,
        span: Span,
    ) -> Value<'p> {
        let Value::Function(closure) = &found else { return found };
        let from_class = matches!(object, Value::Class(_));
        let bound = match closure.role {
            Role::Static => return found,
            Role::ClassMethod => class.cloned(),
            Role::Plain | Role::Property if from_class => return found,
            Role::Plain | Role::Property => Some(object.clone()),
        };
        let method = Rc::new(Closure { bound, ..Closure::clone(closure) });
        if closure.role == Role::Property && !from_class {
            return self.run_function(&method, Args::default(), span);
        }
        Value::Function(method)
    }

    pub(super) fn set_attribute(&mut self, object: &Value<'p>, name: &'p str, value: Value<'p>) {
        let scope = match object {
            Value::Instance(instance) => instance.scope,
            Value::Class(class) => class.scope,
            Value::Module(file) => match self.modules.get(file) {
                Some(&scope) => scope,
                None => return,
            },
            _ => return,
        };
        self.changes += 1;
        self.bind_in(scope, name, value);
    }

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
        let scope = self.new_scope(None, false);
        let instance = Value::Instance(Rc::new(Instance { class: class.clone(), scope }));
        if let Value::Function(maker) = self.class_attribute(class, "__new__", 0) {
            let method =
                Rc::new(Closure { bound: Some(Value::Class(class.clone())), ..Closure::clone(&maker) });
            self.run_function(&method, args.clone(), site);
        }
        match self.class_attribute(class, "__init__", 0) {
            Value::Function(constructor) => {
                let method =
                    Rc::new(Closure { bound: Some(instance.clone()), ..Closure::clone(&constructor) });
                self.run_function(&method, args, site);
            }
            Value::Outside(path) => {
                let path = self.paths.text(path).clone();
                // The class itself is what effects are known about: `class Mine(DataParallel)`.
                let class_path = path.trim_end_matches(".__init__").trim_end_matches("()").to_owned();
                self.apply_call_effects(&class_path, &args, site);
            }
            _ if class.dataclass => {
                self.fill_fields(class, scope, &args);
                if let Value::Function(after) = self.class_attribute(class, "__post_init__", 0) {
                    let method = Rc::new(Closure { bound: Some(instance.clone()), ..Closure::clone(&after) });
                    self.run_function(&method, Args::default(), site);
                }
            }
            _ => {}
        }
        instance
    }

    /// Sets the fields of a dataclass from the arguments; the others keep the defaults of the class.
    fn fill_fields(&mut self, class: &Rc<ClassValue<'p>>, scope: u32, args: &Args<'p>) {
        let body = &self.code_of(class.file).classes[class.class].body;
        let fields = body.iter().filter_map(|step| match &step.kind {
            StepKind::Assign { targets, annotated: true, .. } => match targets.first() {
                Some(Target::Name(name, _)) => Some(*name),
                _ => None,
            },
            _ => None,
        });
        for (position, field) in fields.enumerate() {
            if let Some(argument) = args.get(Some(position), Some(field)) {
                self.bind_in(scope, field, argument.value.clone());
            } else if args.open {
                self.bind_in(scope, field, Value::Unknown);
            }
        }
    }

    /// `super()`: attributes are looked up in the bases of the class that holds the method.
    pub(super) fn super_attribute(&mut self, name: &'p str, span: Span) -> Value<'p> {
        let Some(class) = self.here.class.clone() else { return Value::Unknown };
        let object = self.here.bound.clone().unwrap_or(Value::Unknown);
        let found = self.base_attribute(&class, name, 1);
        self.bind_method(found, &object, None, span)
    }
}
