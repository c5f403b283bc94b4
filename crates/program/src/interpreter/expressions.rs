//! Expressions: what they do, and the value they have when it is known.

use super::builtin_names::is_builtin;
use super::compound::ExpectedError;
use super::dictionaries::merged;
use super::lazy::is_type_checking;
use super::{Flow, Interpreter};
use crate::code::{Argument, Expr, ExprKind};
use crate::facts::{FileId, Place, Span};
use crate::program::heap::values::Value;
use crate::program::summaries::Dependency;
use std::borrow::Cow;

impl<'p> Interpreter<'p> {
    pub(super) fn eval(&mut self, expr: &'p Expr<'p>) -> Value<'p> {
        if self.flow != Flow::Next {
            return Value::Unknown;
        }
        let value = stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || self.eval_here(expr));
        if let Some(tested) = &mut self.here.tested {
            tested.note(expr, &value);
        }
        value
    }

    fn eval_here(&mut self, expr: &'p Expr<'p>) -> Value<'p> {
        match &expr.kind {
            ExprKind::Unknown(parts) => {
                parts.iter().for_each(|part| drop(self.eval(part)));
                Value::Unknown
            }
            ExprKind::None => Value::None,
            ExprKind::Bool(value) => Value::Bool(*value),
            ExprKind::Int(value) => Value::Int(*value, self.literal_place(expr.span)),
            ExprKind::Text(text) => Value::text(borrow(text), self.literal_place(expr.span)),
            ExprKind::Name(name) => self.name(name, expr.span),
            ExprKind::Outside(path) if path == "builtins.float()" => self.float_literal(expr.span),
            ExprKind::Outside(path) => Value::Outside(self.paths.id(path)),
            ExprKind::Attribute(object, name) => {
                let owner = self.eval(object);
                match self.attribute(&owner, name, expr.span) {
                    Value::Unknown if *name == "device" && is_first_parameter(object) => {
                        Value::Outside(self.paths.id("torch.device()"))
                    }
                    value => value,
                }
            }
            ExprKind::Call(call) => self.eval_call(call, expr.span),
            ExprKind::Item(item) => {
                if let (ExprKind::Attribute(path, "parents"), ExprKind::Int(index)) =
                    (&item.0.kind, &item.1.kind)
                    && let Value::Text(path) = self.eval(path)
                {
                    return self.parent_number(&path.text, *index, expr.span);
                }
                let container = self.eval(&item.0);
                if let ExprKind::Unknown(_) = item.1.kind
                    && let Some(part) = self.slice(&container, &item.1, expr.span)
                {
                    return part;
                }
                let key = self.eval(&item.1);
                self.item(&container, &key, expr.span)
            }
            ExprKind::Sequence(values) => {
                let known = self.sequence(values);
                if !self.makes_collection(expr) {
                    return known;
                }
                if !self.is_in_braces(expr) {
                    return self.collection(known);
                }
                match known {
                    Value::Sequence(values) => self.new_set(Some(values.to_vec())),
                    known => known,
                }
            }
            ExprKind::Mapping(items) => {
                let known = self.mapping(items);
                self.collection(known)
            }
            ExprKind::Join(parts) => self.join_text(parts, expr.span),
            ExprKind::Binary(operator, sides) => {
                let left = self.eval(&sides.0);
                let right = self.eval(&sides.1);
                self.binary(*operator, left, right, expr.span)
            }
            ExprKind::Compare(operator, sides) => {
                let left = self.eval(&sides.0);
                let right = self.eval(&sides.1);
                self.compare(*operator, left, right)
            }
            ExprKind::Not(inner) => {
                let value = self.eval(inner);
                let value = self.force(value);
                self.asked_truth(&value, expr.span).map_or(Value::Unknown, |truth| Value::Bool(!truth))
            }
            ExprKind::Negate(inner) => match self.eval(inner) {
                Value::Int(value, _) => Value::Int(value.wrapping_neg(), self.place(expr.span)),
                Value::Float(value) => Value::Float(-value),
                object => self.special(&object, "__neg__", Vec::new(), expr.span).unwrap_or(Value::Unknown),
            },
            ExprKind::All(values) => self.short_circuit(values, false),
            ExprKind::Any(values) => self.short_circuit(values, true),
            ExprKind::Choice(choice) => self.choice(choice),
            ExprKind::Lambda(function) => self.closure(*function, false),
            ExprKind::Await(inner) => {
                let value = self.eval(inner);
                if let Value::Instance(_) = value
                    && let Some(waiting) = self.special(&value, "__await__", Vec::new(), expr.span)
                {
                    return self.run_paused(&waiting, expr.span);
                }
                if !matches!(value, Value::Paused(_)) {
                    self.run_tasks(expr.span);
                }
                self.run_paused(&value, expr.span)
            }
            ExprKind::Yield(value) => {
                let value = value.as_ref().map_or(Value::None, |value| self.eval(value));
                self.resume_with(value)
            }
            ExprKind::YieldFrom(values) => {
                let value = self.eval(values);
                self.yield_each(value, values.span)
            }
            ExprKind::Starred(inner) => {
                self.eval(inner);
                Value::Unknown
            }
            ExprKind::Comprehension(comprehension) if comprehension.lazy => {
                self.generator_expression(comprehension, expr.span)
            }
            ExprKind::Comprehension(comprehension) => {
                let made = self.comprehension(comprehension);
                let is_set = comprehension.elements.len() == 1 && self.is_in_braces(expr);
                match made {
                    Value::Sequence(values) if is_set => self.new_set(Some(values.to_vec())),
                    made if is_set => made,
                    made => self.collection(made),
                }
            }
            ExprKind::Bind(name, value) => {
                let value = self.eval(value);
                match self.here.around_comprehension {
                    Some(around) => {
                        let inside = std::mem::replace(&mut self.here.scope, around);
                        self.bind(name, value.clone());
                        self.here.scope = inside;
                    }
                    None => self.bind(name, value.clone()),
                }
                value
            }
            ExprKind::Variable(name) => self.shell_variable(name, None, expr.span),
            ExprKind::VariableOr(name, default) => {
                let default = self.eval(default);
                self.shell_variable(name, Some(default), expr.span)
            }
        }
    }

    /// Whether a file runs as a script, so that its `__name__` is `"__main__"`.
    pub(super) fn is_main(&self, file: FileId) -> bool {
        file == self.entry && self.start.is_main() || self.is_run_as_script(file)
    }

    /// The place of a literal, or of a device that is made of literals, with whether the devices were counted there.
    pub(super) fn literal_place(&mut self, span: Span) -> Place {
        let place = self.place(span);
        if self.has_counted() {
            self.counted_places.insert(place);
        }
        place
    }

    pub(super) fn name(&mut self, name: &'p str, span: Span) -> Value<'p> {
        if !self.state.set_up().mocked.is_empty() {
            let qualified = format!("{}.{name}", self.program.dotted(self.here.file));
            if self.state.set_up().mocked.contains(&qualified) {
                return Value::Unknown;
            }
        }
        if let Some((scope, value)) = self.heap.look_up(self.here.scope, name) {
            let value = value.clone();
            self.expect_bound(scope, name);
            // On some ways it is the number of something else: who asks whether it is above one, asks for this one.
            self.asked_count |= value.alternatives().iter().any(|value| self.counts_devices(value));
            return self.force_lazy(value);
        }
        match name {
            "TYPE_CHECKING" => Value::Bool(false),
            "__name__" => {
                let is_main = self.is_main(self.here.file);
                self.summaries.note(Dependency::IsMain(self.here.file, is_main));
                let dotted = self.program.dotted(self.here.file);
                let text = if is_main { Cow::Borrowed("__main__") } else { Cow::Owned(dotted) };
                Value::text(text, self.place(span))
            }
            "__doc__" => Value::Unknown,
            "__file__" | "__path__" | "__package__"
                if let Some(value) = self.set_by_import(self.here.file, name, span) =>
            {
                value
            }
            "__debug__" => Value::Bool(true),
            // Python 3 has none of these: `try: unicode`, `except NameError: unicode = str`.
            "basestring" | "execfile" | "long" | "raw_input" | "unichr" | "unicode" | "xrange"
                if !self.catches.is_empty() && self.is_python_here() =>
            {
                self.raises()
            }
            _ => {
                // Somebody else may have bound it: `try: profile`, `except NameError`.
                if self.is_python_here() && !is_builtin(name) && self.expects(ExpectedError::Name) {
                    self.seems_to_raise();
                }
                let builtins = self.paths.id("builtins");
                Value::Outside(self.paths.child(builtins, name))
            }
        }
    }

    fn sequence(&mut self, values: &'p [Expr<'p>]) -> Value<'p> {
        let mut known = Vec::with_capacity(values.len());
        for value in values {
            match &value.kind {
                ExprKind::Starred(inner) => {
                    let inner = self.eval(inner);
                    let inner = self.iterate_all(inner, value.span);
                    match self.elements(&inner) {
                        Some(elements) => known.extend(elements),
                        None => return self.rest_unknown(values),
                    }
                }
                _ => known.push(self.eval(value)),
            }
        }
        Value::sequence(known)
    }

    fn rest_unknown(&mut self, values: &'p [Expr<'p>]) -> Value<'p> {
        for value in values.iter().filter(|value| !matches!(value.kind, ExprKind::Starred(_))) {
            self.eval(value);
        }
        Value::Unknown
    }

    fn mapping(&mut self, items: &'p [(Option<Expr<'p>>, Expr<'p>)]) -> Value<'p> {
        let mut known = Vec::with_capacity(items.len());
        let mut complete = true;
        for (key, value) in items {
            let Some(key) = key else {
                let other = self.eval(value);
                if self.is_environ(&other) || self.is_environ_copy(&other) {
                    let environ = self.paths.id("os.environ");
                    let copy = self.paths.child(environ, "copy");
                    let result = self.paths.result(copy);
                    known.push((Value::None, Value::Outside(result)));
                    continue;
                }
                let other = self.force(other);
                match self.contents(&other) {
                    Value::Mapping(items) => known = merged(known, &items),
                    _ => complete = false,
                }
                continue;
            };
            let key_value = self.eval(key);
            let item = self.eval(value);
            self.chosen_by_key(&key_value, &item);
            known = merged(known, &[(key_value, item)]);
        }
        if complete { Value::mapping(known) } else { Value::Unknown }
    }

    /// `and` / `or`: a later part runs only when the earlier ones did not decide.
    fn short_circuit(&mut self, values: &'p [Expr<'p>], decides: bool) -> Value<'p> {
        let Some((first, rest)) = values.split_first() else { return Value::Unknown };
        if rest.is_empty() {
            return self.eval(first);
        }
        let (value, tested) = self.eval_test(first);
        let value = self.force(value);
        match self.asked_truth(&value, first.span) {
            _ if self.flow != Flow::Next => Value::Unknown,
            Some(truth) if truth == decides => value,
            Some(_) => {
                let later = self.short_circuit(rest, decides);
                // `TYPE_CHECKING or SLOW_IMPORT`: a switch against lazy loading, which is off unless it is known to be on.
                let is_switch = decides && is_type_checking(first) && self.truth(&later).is_none();
                if is_switch { Value::Bool(false) } else { later }
            }
            None => {
                let mut later = Value::Unknown;
                let presence = self.presence(first, &tested);
                let refine = |run: &mut Self, holds: bool| {
                    if let Some(presence) = &presence {
                        run.assume(presence, holds);
                    }
                };
                let before = presence.as_ref().map(|presence| self.reaching(&presence.variable));
                self.exec_branches(vec![
                    Box::new(|run| {
                        refine(run, !decides);
                        later = run.short_circuit(rest, decides);
                    }),
                    Box::new(|run| refine(run, decides)),
                ]);
                if let (Some(presence), Some(before)) = (&presence, before) {
                    self.forget_assumption(presence, before);
                }
                // `a and b` with `b` known false is falsy whatever `a` is, and the reverse for `or`.
                let is_certain = !decides || !matches!(value, Value::OneOf(_));
                if self.truth(&later) == Some(decides) && is_certain {
                    return match (decides, &later) {
                        (false, _) => self.falsy_of(&value, later),
                        (true, Value::Text(_) | Value::Collection(_) | Value::Sequence(_)) => {
                            Value::one_of([value, later])
                        }
                        (true, _) => later,
                    };
                }
                if decides {
                    let kept =
                        value.alternatives().iter().filter(|value| self.truth(value) != Some(false)).cloned();
                    return Value::one_of(kept.chain([later]));
                }
                Value::Unknown
            }
        }
    }

    /// What `a and b` is with `b` known false: `b`, or one of what `a` may be that is no truth.
    fn falsy_of(&self, value: &Value<'p>, later: Value<'p>) -> Value<'p> {
        let is_falsy = |one: &&Value<'p>| self.truth(one) != Some(true);
        let left: Vec<Value<'p>> = value.alternatives().iter().filter(is_falsy).cloned().collect();
        match left.iter().all(|one| self.truth(one) == Some(false)) {
            true => Value::one_of(left.into_iter().chain([later])),
            false => Value::Bool(false),
        }
    }

    fn choice(&mut self, choice: &'p (Expr<'p>, Expr<'p>, Expr<'p>)) -> Value<'p> {
        let (test, then, otherwise) = choice;
        let mut results = Vec::new();
        let chosen = std::cell::RefCell::new(&mut results);
        self.branch(
            test,
            |run| {
                let value = run.eval(then);
                chosen.borrow_mut().push(value);
            },
            |run| {
                let value = run.eval(otherwise);
                chosen.borrow_mut().push(value);
            },
        );
        let chosen = Value::one_of(results.iter().cloned());
        if let ([one, other], Value::OneOf(_)) = (&results[..], &chosen) {
            self.part(test, [chosen.clone(), one.clone(), other.clone()]);
        }
        chosen
    }
}

pub(super) fn borrow<'p>(text: &'p Cow<'p, str>) -> Cow<'p, str> {
    Cow::Borrowed(&**text)
}

/// `next(model.parameters())`: a tensor, whatever the model is.
fn is_first_parameter(expr: &Expr<'_>) -> bool {
    let ExprKind::Call(call) = &expr.kind else { return false };
    let is_list = |argument: &Argument<'_>| match &argument.value.kind {
        ExprKind::Call(list) => matches!(list.callee.kind, ExprKind::Attribute(_, "parameters")),
        _ => false,
    };
    matches!(call.callee.kind, ExprKind::Name("next")) && call.arguments.first().is_some_and(is_list)
}
