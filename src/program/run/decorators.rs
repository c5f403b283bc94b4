//! Decorators: what they make of a function, what they say about it, and what they do around it.

use super::Run;
use super::calls::Args;
use super::generators::{Body, Rest};
use crate::code::Expr;
use crate::facts::Span;
use crate::program::value::{Closure, Marks, Role, Value};
use std::cell::RefCell;
use std::rc::Rc;

impl<'p> Run<'p> {
    pub(super) fn define(&mut self, function: usize, decorators: &'p [Expr<'p>]) -> Value<'p> {
        let asked = std::mem::replace(&mut self.asked_count, false);
        let mut marks = Marks::default();
        let mut wrappers = Vec::with_capacity(decorators.len());
        for decorator in decorators {
            let wrapper = self.eval_decorator(decorator);
            self.read_marks(&wrapper, &mut marks);
            marks.cleanup = marks.cleanup.or_else(|| self.cleanup_in(decorator));
            if self.surrounds(&wrapper) {
                marks.around.push(wrapper.clone());
            }
            wrappers.push(wrapper);
        }
        let counts = std::mem::replace(&mut self.asked_count, asked);
        let mut value = self.closure(function, counts);
        if decorators.is_empty() {
            return value;
        }
        let marks = Rc::new(marks);
        value = with_marks(value, &marks);
        for (wrapper, decorator) in wrappers.into_iter().zip(decorators).rev() {
            value = self.decorate(wrapper, value, decorator.span);
        }
        // Marks stay on what a decorator makes of a function; what is done around it is done once.
        match &value {
            Value::Function(closure) if !Rc::ptr_eq(&closure.marks, &marks) => {
                with_marks(value, &Rc::new(Marks { around: Vec::new(), ..Marks::clone(&marks) }))
            }
            _ => value,
        }
    }

    /// Evaluates a decorator; one that is named after several GPUs counts the devices.
    pub(super) fn eval_decorator(&mut self, decorator: &'p Expr<'p>) -> Value<'p> {
        let text = self.program.text(self.place(decorator.span));
        if ["multi_gpu", "multigpu", "multi_accelerator", "MultiGPU", "MultiGpu"]
            .iter()
            .any(|name| text.contains(name))
        {
            self.asked_count = true;
        }
        self.eval(decorator)
    }

    /// What a decorator makes of a function: a project decorator is called, any other is taken to leave
    /// the function what it is.
    pub(super) fn decorate(&mut self, wrapper: Value<'p>, value: Value<'p>, span: Span) -> Value<'p> {
        let wrapper = self.settle(wrapper);
        match &wrapper {
            Value::Function(_) | Value::Class(_) | Value::Instance(_) if !self.surrounds(&wrapper) => {
                let args = Args::positional(vec![value.clone()], span);
                match self.call(wrapper, args, span) {
                    Value::Unknown | Value::None | Value::Outside(_) => value,
                    wrapped => wrapped,
                }
            }
            Value::Outside(path) => {
                let path = self.paths.text(*path).clone();
                let role = match &*path {
                    "builtins.staticmethod" => Role::Static,
                    "builtins.classmethod" => Role::ClassMethod,
                    "builtins.property" | "functools.cached_property" => Role::Property,
                    _ => return value,
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

    /// Runs the body of a function, in the context managers that decorate it and before what the policy
    /// knows as cleaning up.
    pub(super) fn run_around(&mut self, closure: &Rc<Closure<'p>>, scope: u32, site: Span) -> Value<'p> {
        if closure.marks.around.is_empty() && closure.marks.cleanup.is_none() {
            return self.run_body(closure, scope, site);
        }
        let since = self.next_event();
        let result = Rc::new(RefCell::new(Value::Unknown));
        let (inner, outcome) = (closure.clone(), result.clone());
        let rest = move |run: &mut Run<'p>, _| {
            let value = run.run_body(&inner, scope, site);
            outcome.replace(value);
        };
        self.run_in_managers(&closure.marks.around, site, Box::new(rest));
        if let Some(by) = closure.marks.cleanup {
            self.assured(since, None, |run| run.note_release(by, site));
        }
        result.replace(Value::Unknown)
    }

    /// Whether a decorator is a context manager: it is entered around each call of the function.
    pub(super) fn surrounds(&mut self, decorator: &Value<'p>) -> bool {
        match decorator {
            Value::Paused(_) => true,
            Value::Instance(instance) => {
                let is_method = |run: &mut Self, name| {
                    matches!(run.class_attribute(&instance.class, name, 0), Value::Function(_))
                };
                is_method(self, "__enter__") && !is_method(self, "__call__")
            }
            _ => false,
        }
    }

    /// Runs the rest in context managers, the first of which is the outermost.
    pub(super) fn run_in_managers(&mut self, managers: &[Value<'p>], span: Span, rest: Rest<'p>) {
        let Some((manager, inner)) = managers.split_first() else { return rest(self, Value::Unknown) };
        if !matches!(manager, Value::Paused(_)) {
            let leave = self.enter_context(manager, None, span);
            self.run_in_managers(inner, span, rest);
            return self.leave_context(leave, span);
        }
        let inner = inner.to_vec();
        let rest: Rest<'p> = Box::new(move |run, _| run.run_in_managers(&inner, span, rest));
        self.wait_for(manager, Body::Rest(rest), span);
    }
}

fn with_marks<'p>(function: Value<'p>, marks: &Rc<Marks<'p>>) -> Value<'p> {
    match function {
        Value::Function(closure) => {
            Value::Function(Rc::new(Closure { marks: marks.clone(), ..Closure::clone(&closure) }))
        }
        other => other,
    }
}
