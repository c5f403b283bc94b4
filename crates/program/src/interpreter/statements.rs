//! Statements.

use super::lazy::replaces_package;
use super::{Flow, Interpreter};
use crate::code::{Expr, ExprKind, Operator, Statement, StatementKind, Target};
use crate::facts::Span;
use crate::program::heap::floats::as_float;
use crate::program::heap::values::{Value, agreed};
use std::rc::Rc;

impl<'p> Interpreter<'p> {
    pub(super) fn block(&mut self, block: &'p [Statement<'p>]) {
        for step in block {
            if self.flow != Flow::Next || !self.spend() {
                return;
            }
            self.step(step);
        }
    }

    fn step(&mut self, step: &'p Statement<'p>) {
        self.here.statement = step.span;
        self.asked_count = false;
        match &step.kind {
            StatementKind::Import(import) => self.import(import, step.span),
            StatementKind::Module { bound, path } => self.bring_in(bound, path, step.span),
            StatementKind::Evaluate(expr) => {
                self.eval(expr);
            }
            StatementKind::Assign { targets, value, .. } => {
                let Some(value) = value else { return };
                let result = self.eval(value);
                if matches!(result, Value::None) {
                    self.let_go("None", targets, step.span);
                    self.end_objects(targets, step.span);
                }
                self.assigns_literal = targets.len() == 1
                    && matches!(value.kind, ExprKind::Sequence(_) | ExprKind::Comprehension(_));
                let replaced = match &result {
                    Value::None => Vec::new(),
                    result => self.replaced(targets, result),
                };
                for target in targets {
                    self.assign(target, result.clone());
                }
                self.assigns_literal = false;
                self.end_replaced(replaced, step.span);
                if replaces_package(targets, value) {
                    self.bind_parts(step.span);
                }
            }
            StatementKind::Update { target, operator, value } => self.update(target, *operator, value),
            StatementKind::Delete(targets) => {
                self.let_go("del", targets, step.span);
                self.end_objects(targets, step.span);
                targets.iter().for_each(|target| self.delete(target));
            }
            StatementKind::Define { function, decorators } => {
                let value = self.define(*function, decorators);
                let name = self.code().functions[*function].name;
                self.bind_if_made(name, value);
            }
            StatementKind::DefineClass { class, decorators } => {
                let value = self.define_class(*class, decorators);
                let name = self.code().classes[*class].name;
                self.bind_if_made(name, value);
            }
            StatementKind::Branch { test, then, otherwise } => {
                self.here.statement = header(step.span, test.span);
                self.branch(test, |run| run.block(then), |run| run.block(otherwise));
            }
            StatementKind::Match { subject, arms } => {
                self.here.statement = header(step.span, subject.span);
                let subject = self.eval(subject);
                self.choose(&subject, arms);
            }
            StatementKind::For { target, iterable, body, otherwise } => {
                self.here.statement = header(step.span, iterable.span);
                self.for_each(target, iterable, body, otherwise);
            }
            StatementKind::While { test, body, otherwise } => {
                self.here.statement = header(step.span, test.span);
                self.while_true(test, body, otherwise);
            }
            StatementKind::Try { body, handlers, otherwise, finally } => {
                let attempt = |run: &mut Self| run.attempt(body, handlers, otherwise);
                match finally.is_empty() {
                    true => attempt(self),
                    false => self.attempt_and_clean(attempt, finally),
                }
            }
            StatementKind::With { items, body } => {
                let end = items.last().map_or(step.span, |(item, _)| item.span);
                self.here.statement = header(step.span, end);
                self.with(items, body);
            }
            StatementKind::Return(value) => {
                let value = value.as_ref().map_or(Value::None, |value| self.eval(value));
                if self.flow == Flow::Next {
                    self.here.returns.push(value);
                    self.flow = Flow::Return;
                }
            }
            StatementKind::Raise { exception, cause } => {
                let raised = exception.as_ref().map(|exception| self.eval(exception));
                cause.iter().for_each(|cause| drop(self.eval(cause)));
                if self.flow == Flow::Next {
                    self.exits = raised.map_or(self.exits, |raised| self.ends_programs(&raised));
                    self.flow = Flow::Raise;
                }
            }
            StatementKind::Assert { test, message } => {
                let fails = |run: &mut Self| {
                    if let Some(message) = message {
                        run.eval(message);
                    }
                    run.flow = Flow::Raise;
                };
                self.branch(test, |_| {}, fails);
            }
            StatementKind::Share(names) => self.here.shared.extend(names),
            StatementKind::Break => self.flow = Flow::Break,
            StatementKind::Continue => self.flow = Flow::Continue,
            StatementKind::SetVariable(set) => self.set_variable(set),
            StatementKind::UnsetVariable(name) => self.unset_variable(name, step.span),
            StatementKind::Command(command) => self.command(command, step.span),
            StatementKind::Apart(block) => self.apart(block),
            StatementKind::WithoutGpu(block) => self.without_gpu(block),
            StatementKind::Child(block) => self.child(block),
            StatementKind::Source(path) => self.source_file(path, step.span),
            StatementKind::Extend(extended) => self.extend(extended),
            StatementKind::Image(image) => self.run_image(image, step.span),
            StatementKind::ExportAll(all) => self.export_all(*all),
            StatementKind::Setting(setting) => self.setting(setting),
            StatementKind::Observe(observed) => self.observe(observed, step.span),
        }
    }

    /// Whether raising this ends the program as `sys.exit()` does, and is no error.
    fn ends_programs(&self, raised: &Value<'p>) -> bool {
        let Value::Outside(path) = raised else { return false };
        self.paths.text(*path).trim_end_matches("()") == "builtins.SystemExit"
    }

    /// Binds a name of the running function, class body or module.
    pub(super) fn bind(&mut self, name: &'p str, value: Value<'p>) {
        let scope = if self.here.shared.contains(&name) {
            let mut scope = self.heap.parent(self.here.scope);
            let mut outermost = self.here.scope;
            while let Some(id) = scope {
                outermost = id;
                if !self.heap.is_class(id) && self.heap.get(id, name).is_some() {
                    break;
                }
                scope = self.heap.parent(id);
            }
            outermost
        } else {
            self.here.scope
        };
        self.bind_in(scope, name, value);
    }

    /// Binds what a statement made, unless an exception left it first.
    fn bind_if_made(&mut self, name: &'p str, value: Value<'p>) {
        if self.flow == Flow::Next {
            self.bind(name, value);
        }
    }

    /// Assigns a value, unless evaluating it or the target raised.
    pub(super) fn assign(&mut self, target: &'p Target<'p>, value: Value<'p>) {
        if self.flow != Flow::Next {
            return;
        }
        match target {
            Target::Name(name, _) => {
                if self.heap.is_class(self.here.scope) {
                    self.chosen_by_default(name, &value);
                } else {
                    self.chosen_by_name(name, &value);
                }
                self.bind(name, value);
            }
            Target::Attribute(object, name) => {
                let object = self.eval(object);
                let object = self.force(object);
                if self.flow != Flow::Next {
                    return;
                }
                self.chosen_by_name(name, &value);
                self.apply_assignment_effects(&object, name, &value, self.here.statement);
                self.set_attribute(&object, name, value);
            }
            Target::Item(item) => {
                let container = self.eval(&item.0);
                let container = self.force(container);
                let key = self.eval(&item.1);
                if self.flow != Flow::Next {
                    return;
                }
                if self.is_environ(&container) {
                    self.write_variable(&key, &value, self.here.statement, false);
                } else if let Some((object, name)) = self.attribute_behind(&item.0, &container, &key) {
                    self.bind_attribute(&object, name, value);
                } else if self.is_environ_copy(&container) {
                    self.keep_for_started(&key, &value, self.here.statement);
                } else {
                    let is_slice = matches!(item.1.kind, ExprKind::Unknown(_));
                    if is_slice && let Value::Paused(_) | Value::Stream(_) | Value::Instance(_) = value {
                        self.iterate(value.clone(), self.here.statement);
                    }
                    self.chosen_by_key(&key, &value);
                    self.lose_items(&container, &item.0);
                    // `session.env["X"] = "1"` of nox
                    let is_other = matches!(container, Value::Unknown | Value::Outside(_));
                    if is_other && matches!(item.0.kind, ExprKind::Attribute(_, "env" | "environment")) {
                        _ = self.handed_over(&key, &value, self.here.statement);
                    }
                    let arguments = vec![key.clone(), value.clone()];
                    if self.special(&container, "__setitem__", arguments, self.here.statement).is_none() {
                        self.set_item(&container, &key, &value);
                    }
                }
            }
            Target::Sequence(targets) => {
                if let Some(parts) = parts_of_each(&value, targets) {
                    return targets.iter().zip(parts).for_each(|(target, part)| self.assign(target, part));
                }
                let value = self.iterate_all(value, self.here.statement);
                // Of a dictionary these are the keys.
                let value = match &value {
                    Value::Mapping(items) if !items.is_empty() => {
                        Value::sequence(items.iter().map(|(key, _)| key.clone()).collect())
                    }
                    _ => value,
                };
                let parts = match &value {
                    Value::Sequence(values)
                        if values.len() == targets.len()
                            && !targets.iter().any(|target| matches!(target, Target::Rest(_))) =>
                    {
                        Some(values.to_vec())
                    }
                    Value::Sequence(values)
                        if !values.is_empty()
                            && !targets.iter().any(|target| matches!(target, Target::Rest(_))) =>
                    {
                        self.seems_to_raise();
                        None
                    }
                    _ => None,
                };
                let parts = parts.or_else(|| self.parts_with_rest(&value, targets));
                for (index, target) in targets.iter().enumerate() {
                    let part = parts.as_ref().map_or(Value::Unknown, |parts| parts[index].clone());
                    self.assign(target, part);
                }
            }
            Target::Rest(target) => self.assign(target, value),
        }
    }

    /// `first, *others, last = values`: the rest is a list of its own.
    fn parts_with_rest(&mut self, value: &Value<'p>, targets: &[Target<'p>]) -> Option<Vec<Value<'p>>> {
        let rest = targets.iter().position(|target| matches!(target, Target::Rest(_)))?;
        let Value::Sequence(values) = value else { return None };
        let behind = targets.len() - rest - 1;
        let end = values.len().checked_sub(behind).filter(|end| *end >= rest)?;
        let others = self.collection(Value::sequence(values[rest..end].to_vec()));
        let (before, after) = (values[..rest].iter(), values[end..].iter());
        Some(before.cloned().chain([others]).chain(after.cloned()).collect())
    }

    /// What `globals()["name"]`, `vars(object)["name"]` and `object.__dict__["name"]` are another way to write.
    fn attribute_behind(
        &mut self,
        container: &'p Expr<'p>,
        value: &Value<'p>,
        key: &Value<'p>,
    ) -> Option<(Value<'p>, &'p str)> {
        let object = self.object_behind(container, value)?;
        let Value::Text(name) = key else { return None };
        let name = self.name_in(&object, name)?;
        Some((object, name))
    }

    fn update(&mut self, target: &'p Target<'p>, operator: Operator, value: &'p Expr<'p>) {
        let added = self.eval(value);
        match target {
            Target::Name(name, _) => {
                let old = self.look_up(self.here.scope, name).cloned().unwrap_or(Value::Unknown);
                self.update_value(&old, operator, added, value.span, |run, new| run.bind(name, new));
            }
            Target::Attribute(object, name) => {
                let object = self.eval(object);
                let object = self.force(object);
                let old = self.attribute(&object, name, value.span);
                self.update_value(&old, operator, added, value.span, |run, new| {
                    // Each pass of a loop makes another one of it.
                    let new = if run.is_repeated_for(&object) { Value::Unknown } else { new };
                    run.set_attribute(&object, name, new);
                });
            }
            Target::Item(item) => {
                let container = self.eval(&item.0);
                let container = self.force(container);
                let key = self.eval(&item.1);
                if self.is_environ(&container) {
                    let old = self.item(&container, &key, value.span);
                    let new = match self.force(old) {
                        old @ (Value::Text(_) | Value::OneOf(_)) => {
                            self.binary(operator, old, added, value.span)
                        }
                        _ => Value::Unknown,
                    };
                    if self.flow == Flow::Next {
                        self.write_variable(&key, &new, value.span, false);
                    }
                } else {
                    self.lose_items(&container, &item.0);
                    let old = self.item(&container, &key, value.span);
                    self.update_value(&old, operator, added, value.span, |run, new| {
                        run.set_item(&container, &key, &new);
                    });
                }
            }
            Target::Sequence(_) | Target::Rest(_) => {}
        }
    }

    fn update_value(
        &mut self,
        old: &Value<'p>,
        operator: Operator,
        added: Value<'p>,
        span: Span,
        store: impl FnOnce(&mut Self, Value<'p>),
    ) {
        if self.flow != Flow::Next {
            return;
        }
        if operator == Operator::BitOr && self.is_environ(old) {
            return self.write_mapping(&added, span, false);
        }
        if let Some(new) = self.changed_in_place(old, operator, &added, span) {
            if self.flow == Flow::Next {
                store(self, new);
            }
            return;
        }
        let grows = matches!(operator, Operator::Add | Operator::BitOr);
        if grows && self.extend_in_place(old, &added, span) {
            return;
        }
        let new = self.binary(operator, old.clone(), added, span);
        if self.flow == Flow::Next {
            store(self, new);
        }
    }

    fn delete(&mut self, target: &'p Target<'p>) {
        match target {
            Target::Name(name, _) => self.unbind_in(self.here.scope, name),
            Target::Item(item) => {
                let container = self.eval(&item.0);
                let container = self.force(container);
                let key = self.eval(&item.1);
                if self.is_environ(&container) {
                    self.remove_present_variable(&key, item.0.span);
                } else {
                    // What is not there cannot be deleted: that raises as reading it does.
                    self.item(&container, &key, item.0.span);
                    if self.flow == Flow::Next {
                        self.delete_item(&container, &key);
                    }
                }
            }
            Target::Sequence(targets) => targets.iter().for_each(|target| self.delete(target)),
            Target::Attribute(object, name) => {
                let object = self.eval(object);
                self.delete_attribute(&object, name);
            }
            Target::Rest(_) => {}
        }
    }
}

/// The span of a compound statement up to the end of its header.
fn header(step: Span, last: Span) -> Span {
    Span { start: step.start, end: last.end.max(step.start) }
}

/// What targets get of one of several tuples that have as many parts each.
fn parts_of_each<'p>(value: &Value<'p>, targets: &[Target<'p>]) -> Option<Vec<Value<'p>>> {
    let Value::OneOf(values) = value else { return None };
    let tuples: Option<Vec<&[Value<'p>]>> = values
        .iter()
        .map(|value| match value {
            Value::Sequence(parts) if parts.len() == targets.len() => Some(&parts[..]),
            _ => None,
        })
        .collect();
    let tuples = tuples.filter(|_| !targets.iter().any(|target| matches!(target, Target::Rest(_))))?;
    let part = |index: usize| Value::one_of_refs(tuples.iter().map(|parts| &parts[index]));
    (0..targets.len()).map(part).collect()
}

/// Whether two constants are equal in Python, when that is known.
pub(super) fn equal(one: &Value<'_>, other: &Value<'_>) -> Option<bool> {
    match (one, other) {
        (Value::Text(a), Value::Text(b)) => Some(a.text == b.text),
        (Value::Int(a, _), Value::Int(b, _)) => Some(a == b),
        (Value::Bool(a), Value::Bool(b)) => Some(a == b),
        (
            Value::Float(_) | Value::Int(..) | Value::Bool(_),
            Value::Float(_) | Value::Int(..) | Value::Bool(_),
        ) => Some(as_float(one)? == as_float(other)?),
        (Value::None, Value::None) => Some(true),
        (Value::Class(a), Value::Class(b)) if a.metaclass.is_none() || a.scope == b.scope => {
            Some(a.scope == b.scope)
        }
        // What one `def` made twice may be the same one or not.
        (Value::Function(a), Value::Function(b)) if (a.file, a.function) != (b.file, b.function) => {
            Some(false)
        }
        (Value::Function(a), Value::Function(b)) if Rc::ptr_eq(a, b) => Some(true),
        (
            Value::None | Value::Text(_) | Value::Int(..) | Value::Float(_),
            Value::None | Value::Text(_) | Value::Int(..) | Value::Float(_),
        ) => Some(false),
        (Value::OneOf(values), single) | (single, Value::OneOf(values)) => {
            agreed(values, |value| equal(value, single))
        }
        // An empty one stands for what somebody fills who is not followed.
        (Value::Sequence(a), Value::Sequence(b)) if !a.is_empty() && !b.is_empty() => {
            let mut parts = a.iter().zip(b.iter()).map(|(a, b)| equal(a, b));
            match a.len() == b.len() && !parts.clone().any(|same| same == Some(false)) {
                true => parts.all(|same| same.is_some()).then_some(true),
                false => Some(false),
            }
        }
        _ => None,
    }
}
