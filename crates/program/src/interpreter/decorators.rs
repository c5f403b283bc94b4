//! Decorators: what they make of a function, what they say about it, and what they do around it.

use super::Interpreter;
use super::calls::Args;
use crate::code::{Expr, ExprKind};
use crate::facts::Span;
use crate::program::heap::values::{ClassValue, Closure, DecoratorMarks, PathId, Role, Value};
use std::rc::Rc;

/// What the decorators of a function or class come to.
pub(super) struct Decorated<'p> {
    /// The value of each, in the order in which they stand.
    pub wrappers: Vec<Value<'p>>,
    pub marks: Rc<DecoratorMarks<'p>>,
    /// One of them asks how many GPUs there are.
    pub counts_devices: bool,
}

/// A mark that skips a test unless there are several GPUs.
pub(super) const SKIPS_BY_COUNT: &str = "pytest.mark.skipif().device_count()";

impl<'p> Interpreter<'p> {
    pub(super) fn define(&mut self, function: usize, decorators: &'p [Expr<'p>]) -> Value<'p> {
        // `if torch.cuda.device_count() > 1:` around a definition holds whenever the function runs.
        let has_counted = self.has_counted();
        if decorators.is_empty() {
            return self.closure(function, has_counted);
        }
        let Decorated { wrappers, marks, counts_devices } = self.eval_decorators(decorators);
        let counts_devices = counts_devices || has_counted;
        let mut value = self.closure(function, counts_devices);
        value = with_marks(value, &marks);
        for (wrapper, decorator) in wrappers.into_iter().zip(decorators).rev() {
            self.leave_for_startup(decorator, &value);
            let known = self.with_part(decorator, &value).or_else(|| self.registered(decorator, &value));
            value = match known {
                Some(known) => known,
                None => self.decorate(wrapper, value, decorator.span),
            };
        }
        // Marks stay on what a decorator makes of a function.
        with_marks(value, &marks)
    }

    /// Evaluates all decorators of a function or class, from the first to the last.
    pub(super) fn eval_decorators(&mut self, decorators: &'p [Expr<'p>]) -> Decorated<'p> {
        if decorators.is_empty() {
            return Decorated { wrappers: Vec::new(), marks: self.unmarked.clone(), counts_devices: false };
        }
        let asked = std::mem::replace(&mut self.asked_count, false);
        let mut marks = DecoratorMarks::default();
        let mut wrappers = Vec::with_capacity(decorators.len());
        for decorator in decorators {
            let wrapper = self.eval_decorator(decorator);
            self.read_marks(&wrapper, &mut marks);
            marks.threads |= self.runs_on_threads(&wrapper, decorator);
            marks.name = self.name_taken_over(&wrapper, decorator).or(marks.name);
            marks.cleanup = marks.cleanup.or_else(|| self.cleanup_in(decorator));
            wrappers.push(wrapper);
        }
        let counts_devices = std::mem::replace(&mut self.asked_count, asked);
        Decorated { wrappers, marks: Rc::new(marks), counts_devices }
    }

    /// `@functools.wraps(function)`
    fn name_taken_over(&mut self, wrapper: &Value<'p>, decorator: &'p Expr<'p>) -> Option<&'p str> {
        let Value::Outside(path) = wrapper else { return None };
        if &**self.paths.text(*path) != "functools.wraps()" {
            return None;
        }
        let ExprKind::Call(call) = &decorator.kind else { return None };
        let function = match call.arguments.first().map(|argument| &argument.value) {
            Some(function) if matches!(function.kind, ExprKind::Name(_)) => self.eval(function),
            _ => return None,
        };
        match self.force(function) {
            Value::Function(function) => Some(self.shown_name(&function)),
            _ => None,
        }
    }

    /// What `__name__` of a function is.
    pub(super) fn shown_name(&self, function: &Closure<'p>) -> &'p str {
        function.marks.name.unwrap_or(self.function_of(function).name)
    }

    /// `function.__name__`, where nobody gives functions other names.
    pub(super) fn name_of_function(&self, function: &Closure<'p>, span: Span) -> Value<'p> {
        match self.setters.contains("__name__") {
            true => Value::Unknown,
            false => Value::text(self.shown_name(function), self.place(span)),
        }
    }

    /// `@njit(parallel=True)`, `@vectorize(target="parallel")`
    fn runs_on_threads(&self, wrapper: &Value<'p>, decorator: &Expr<'p>) -> bool {
        let Value::Outside(path) = wrapper else { return false };
        let text = || self.program.sources.text(self.place(decorator.span)).replace(' ', "");
        self.paths.text(*path).starts_with("numba.")
            && ["parallel=True", "target=\"parallel\"", "target='parallel'"]
                .iter()
                .any(|way| text().contains(way))
    }

    /// Evaluates a decorator; one that is named after several GPUs counts the devices.
    fn eval_decorator(&mut self, decorator: &'p Expr<'p>) -> Value<'p> {
        let text = self.program.sources.text(self.place(decorator.span));
        if ["multi_gpu", "multigpu", "multi_device", "multi_accelerator", "MultiGPU", "MultiGpu"]
            .iter()
            .any(|name| text.contains(name))
        {
            self.asked_count = true;
        }
        self.eval(decorator)
    }

    /// What a decorator makes of a function: a project decorator is called, a context manager is entered
    /// around each call, any other is taken to leave the function what it is.
    pub(super) fn decorate(&mut self, wrapper: Value<'p>, value: Value<'p>, span: Span) -> Value<'p> {
        let wrapper = self.force(wrapper);
        match &wrapper {
            _ if self.surrounds(&wrapper) => inside(value, wrapper),
            wrappers if wrappers.alternatives().iter().any(is_of_project) => {
                let args = Args::positional(vec![value.clone()], span);
                let wrapped = self.call(wrapper, args, span);
                let kept = wrapped.alternatives().iter().map(|wrapped| match wrapped {
                    Value::Outside(path) if self.paths.text(*path).starts_with(SKIPS_BY_COUNT) => {
                        counting(value.clone())
                    }
                    Value::Unknown | Value::None | Value::Outside(_) => value.clone(),
                    wrapped => wrapped.clone(),
                });
                Value::one_of(kept)
            }
            Value::Outside(path) => {
                let wrapper_path = *path;
                let path = self.paths.text(wrapper_path).clone();
                let role = match &*path {
                    "builtins.staticmethod" => Role::Static,
                    "builtins.classmethod" => Role::ClassMethod,
                    "builtins.property" => Role::Property,
                    "functools.cached_property" => Role::CachedProperty,
                    "functools.singledispatch" | "functools.singledispatchmethod" => {
                        return self.dispatching(value);
                    }
                    "functools.cache" | "functools.lru_cache" | "functools.lru_cache()" => {
                        return self.keeping_results(value);
                    }
                    _ => {
                        self.decorated_by_experiment(&path, &value, span);
                        self.decorated_by_server(&path, &value, span);
                        return self.launchable(wrapper_path).map_or(value, Value::Outside);
                    }
                };
                match &value {
                    Value::Function(closure) => {
                        Value::Function(Rc::new(Closure { role, ..Closure::clone(closure) }))
                    }
                    _ => value,
                }
            }
            _ => value,
        }
    }

    /// A function that keeps what it gave for each of its arguments.
    pub(super) fn keeping_results(&mut self, function: Value<'p>) -> Value<'p> {
        let Value::Function(closure) = &function else { return function };
        let Value::Collection(results) = self.collection(Value::mapping(Vec::new())) else { return function };
        Value::Function(Rc::new(Closure { results: Some(results), ..Closure::clone(closure) }))
    }

    /// What a decorator makes of a function that runs on the GPU: `kernel[blocks, threads](…)` launches it. The
    /// decorator may stand bare or with arguments.
    fn launchable(&mut self, wrapper: PathId) -> Option<PathId> {
        let result = self.paths.result(wrapper);
        [result, wrapper].into_iter().find(|&kernel| {
            let item = self.paths.item(kernel);
            !self.program.knowledge.of_call(self.paths.text(item)).is_empty()
        })
    }

    /// Whether a decorator is a context manager: it is entered around each call of the function.
    fn surrounds(&mut self, decorator: &Value<'p>) -> bool {
        match decorator {
            Value::Paused(_) => true,
            Value::Outside(path) => self.paths.text(*path).ends_with("patch.dict()"),
            Value::Instance(instance) => {
                let is_method = |run: &mut Self, name| {
                    matches!(run.class_attribute(&instance.class, name), Value::Function(_))
                };
                is_method(self, "__enter__") && !is_method(self, "__call__")
            }
            _ => false,
        }
    }
}

/// Whether the project says what a value does when it is called.
fn is_of_project(value: &Value<'_>) -> bool {
    matches!(value, Value::Function(_) | Value::Class(_) | Value::Instance(_))
}

fn with_marks<'p>(function: Value<'p>, marks: &Rc<DecoratorMarks<'p>>) -> Value<'p> {
    match function {
        Value::Function(closure) => {
            let marks = match closure.marks.name {
                Some(name) if marks.name.is_none() => {
                    Rc::new(DecoratorMarks { name: Some(name), ..DecoratorMarks::clone(marks) })
                }
                _ => marks.clone(),
            };
            Value::Function(Rc::new(Closure { marks, ..Closure::clone(&closure) }))
        }
        other => other,
    }
}

/// A function that a context manager decorates.
fn inside<'p>(function: Value<'p>, manager: Value<'p>) -> Value<'p> {
    let Value::Function(closure) = &function else { return function };
    let mut closure = Closure::clone(closure);
    closure.inside.push(manager);
    Value::Function(Rc::new(closure))
}

/// A function or class that runs only where there are several GPUs.
fn counting(value: Value<'_>) -> Value<'_> {
    match value {
        Value::Function(closure) => {
            Value::Function(Rc::new(Closure { counts_devices: true, ..Closure::clone(&closure) }))
        }
        Value::Class(class) => {
            Value::Class(Rc::new(ClassValue { counts_devices: true, ..ClassValue::clone(&class) }))
        }
        other => other,
    }
}
