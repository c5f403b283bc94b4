//! Bodies of classes. Most do no more than bind names that no program asks for, and run when one does.

use super::devices::may_choose;
use super::{CodePosition, Flow, Interpreter};
use crate::code::{Code, Expr, ExprKind, Statement, StatementKind, Target};
use crate::program::heap::Heap;
use crate::program::heap::values::{ClassValue, Value};
use crate::program::summaries::Dependency;
use std::rc::Rc;

impl<'p> Interpreter<'p> {
    /// Runs the body of a class now, or leaves it for the moment when somebody asks for a name in it.
    pub(super) fn begin_class(&mut self, class: &Rc<ClassValue<'p>>) {
        self.note_setters(self.body_of(class));
        // What is a test and what runs alone is found among all that the file holds that was started. Where somebody
        // counted the devices or cleans up, that is said of literals too.
        let is_entry = class.file == self.entry;
        self.summaries.note(Dependency::IsEntry(class.file, is_entry));
        let counts_now =
            is_entry || self.is_enumeration(class) || self.has_counted() || self.assured.is_some();
        let is_list = |value: &Expr<'p>| self.makes_collection(value);
        if !counts_now && self.body_of(class).iter().all(|step| only_binds(self.code(), step, &is_list)) {
            self.heap.set_waiting(class.scope, true);
        } else {
            self.run_class_body(class);
        }
    }

    /// A name in the namespace of the class itself.
    pub(super) fn own_attribute(&mut self, class: &Rc<ClassValue<'p>>, name: &'p str) -> Option<Value<'p>> {
        if self.heap.waits(class.scope) {
            let code = self.code_of(class.file);
            if !self.body_of(class).iter().any(|step| binds(code, step, name)) {
                return self.in_scope(class.scope, name).cloned();
            }
            self.wake(class);
        }
        self.in_scope(class.scope, name).cloned()
    }

    /// Runs the body of a class that was left for later, as if it had run then.
    pub(super) fn wake(&mut self, class: &Rc<ClassValue<'p>>) {
        if !self.heap.waits(class.scope) {
            return;
        }
        self.heap.set_waiting(class.scope, false);
        let here = CodePosition::in_module(class.file, class.scope, self.here.frame);
        let outer = std::mem::replace(&mut self.here, here);
        let (flow, asked) = (std::mem::replace(&mut self.flow, Flow::Next), self.asked_count);
        let counted = self.state.counted && self.has_counted();
        self.state.counted = false;
        let assured = self.assured.take();
        // The names were there before the branch that is being followed.
        Heap::outside_arms(|run: &mut Self| &mut run.heap, self, |run| run.run_class_body(class));
        self.assured = assured;
        self.state.counted = counted;
        (self.flow, self.asked_count) = (flow, asked);
        self.here = outer;
    }

    fn run_class_body(&mut self, class: &Rc<ClassValue<'p>>) {
        let outer_scope = std::mem::replace(&mut self.here.scope, class.scope);
        let outer_class = self.here.class.replace(class.clone());
        // `nonlocal` of the function around it says nothing about the names of the class.
        let outer_shared = std::mem::take(&mut self.here.shared);
        self.block(self.body_of(class));
        self.here.shared = outer_shared;
        self.here.scope = outer_scope;
        self.here.class = outer_class;
    }

    fn body_of(&self, class: &ClassValue<'p>) -> &'p [Statement<'p>] {
        &self.class_code(class).body
    }
}

/// Whether a step does nothing but bind a name to something that is the same whenever it runs.
fn only_binds<'p>(code: &Code<'p>, step: &Statement<'p>, is_list: &dyn Fn(&Expr<'p>) -> bool) -> bool {
    let says_nothing = |name: &str, value: &Expr<'p>| says_nothing(name, value, is_list);
    match &step.kind {
        StatementKind::Define { function, decorators } => {
            let mut parameters = code.functions[*function].parameters.iter();
            decorators.iter().all(makes_method)
                && parameters
                    .all(|one| one.default.as_ref().is_none_or(|value| says_nothing(one.name, value)))
        }
        StatementKind::Assign { targets, value, .. } => targets.iter().all(|target| match target {
            Target::Name(name, _) => value.as_ref().is_none_or(|value| says_nothing(name, value)),
            _ => false,
        }),
        StatementKind::Evaluate(value) => says_nothing("", value),
        _ => false,
    }
}

/// Whether such a step binds this name.
fn binds(code: &Code<'_>, step: &Statement<'_>, wanted: &str) -> bool {
    match &step.kind {
        StatementKind::Define { function, .. } => code.functions[*function].name == wanted,
        StatementKind::Assign { targets, .. } => {
            targets.iter().any(|target| matches!(target, Target::Name(name, _) if *name == wanted))
        }
        _ => false,
    }
}

/// A literal, for a name that chooses no device.
fn says_nothing<'p>(name: &str, value: &Expr<'p>, is_list: &dyn Fn(&Expr<'p>) -> bool) -> bool {
    match &value.kind {
        ExprKind::None | ExprKind::Bool(_) => true,
        ExprKind::Int(_) | ExprKind::Text(_) => !may_choose(name),
        ExprKind::Unknown(parts) | ExprKind::Sequence(parts) => {
            // A list is an object that somebody may change.
            !is_list(value) && parts.iter().all(|part| says_nothing(name, part, is_list))
        }
        ExprKind::Negate(value) => says_nothing(name, value, is_list),
        _ => false,
    }
}

/// Decorators that change nothing but how the function is called.
fn makes_method(decorator: &Expr<'_>) -> bool {
    match &decorator.kind {
        ExprKind::Name(name) => matches!(*name, "property" | "staticmethod" | "classmethod"),
        ExprKind::Attribute(object, name) => {
            matches!(object.kind, ExprKind::Name(_)) && matches!(*name, "setter" | "getter" | "deleter")
        }
        _ => false,
    }
}
