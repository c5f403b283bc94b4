//! Expressions: what they do, and the value they have when it is known.

use super::compound::MOST_ELEMENTS;
use super::steps::equal;
use super::{Flow, Run};
use crate::code::{Comparison, Comprehension, Expr, ExprKind, Operator};
use crate::facts::{Place, Span};
use crate::program::value::{LONGEST, Text, Value};
use std::borrow::Cow;

impl<'p> Run<'p> {
    pub(super) fn eval(&mut self, expr: &'p Expr<'p>) -> Value<'p> {
        if self.flow != Flow::Next {
            return Value::Unknown;
        }
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || self.eval_here(expr))
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
            ExprKind::Attribute(object, name) => {
                let object = self.eval(object);
                self.attribute(&object, name, expr.span)
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
                let key = self.eval(&item.1);
                self.item(&container, &key, expr.span)
            }
            ExprKind::Sequence(values) => self.sequence(values),
            ExprKind::Mapping(items) => self.mapping(items),
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
                let value = self.settle(value);
                value.truth().map_or(Value::Unknown, |truth| Value::Bool(!truth))
            }
            ExprKind::Negate(inner) => match self.eval(inner) {
                Value::Int(value, _) => Value::Int(value.wrapping_neg(), self.place(expr.span)),
                _ => Value::Unknown,
            },
            ExprKind::All(values) => self.short_circuit(values, false),
            ExprKind::Any(values) => self.short_circuit(values, true),
            ExprKind::Choice(choice) => self.choice(choice),
            ExprKind::Lambda(function) => self.closure(*function, false),
            ExprKind::Await(inner) => {
                let value = self.eval(inner);
                self.run_paused(&value, expr.span)
            }
            ExprKind::Yield(value) => {
                let value = value.as_ref().map_or(Value::None, |value| self.eval(value));
                self.resume_with(value)
            }
            ExprKind::Starred(inner) => {
                self.eval(inner);
                Value::Unknown
            }
            ExprKind::Comprehension(comprehension) => self.comprehension(comprehension),
            ExprKind::Bind(name, value) => {
                let value = self.eval(value);
                self.bind(name, value.clone());
                value
            }
            ExprKind::Variable(name) => self.shell_variable(name, None, expr.span),
            ExprKind::VariableOr(name, default) => {
                let default = self.eval(default);
                self.shell_variable(name, Some(default), expr.span)
            }
        }
    }

    fn literal_place(&mut self, span: Span) -> Place {
        let place = self.place(span);
        if self.state.counted {
            self.counted_places.insert(place);
        }
        place
    }

    fn name(&mut self, name: &'p str, span: Span) -> Value<'p> {
        if !self.mocked.is_empty() {
            let qualified = format!("{}.{name}", self.program.dotted(self.here.file));
            if self.mocked.contains(&qualified) {
                return Value::Unknown;
            }
        }
        if let Some(value) = self.look_up(self.here.scope, name) {
            let value = value.clone();
            if let Value::Outside(path) = &value
                && self.paths.text(*path).ends_with("device_count()")
            {
                self.asked_count = true;
            }
            return self.force_lazy(value);
        }
        match name {
            "TYPE_CHECKING" => Value::Bool(false),
            "__name__" => {
                let is_main = self.here.file == self.entry && self.start.is_main();
                let dotted = self.program.dotted(self.here.file);
                let text = if is_main { Cow::Borrowed("__main__") } else { Cow::Owned(dotted) };
                Value::text(text, self.place(span))
            }
            "__file__" => Value::text(self.program.name_of(self.here.file), self.place(span)),
            "__doc__" => Value::Unknown,
            "__debug__" => Value::Bool(true),
            _ => {
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
                match self.settle(other) {
                    Value::Mapping(items) => known.extend(items.iter().cloned()),
                    _ => complete = false,
                }
                continue;
            };
            let key_value = self.eval(key);
            let item = self.eval(value);
            self.chosen_by_key(&key_value, &item);
            known.push((key_value, item));
        }
        if complete { Value::mapping(known) } else { Value::Unknown }
    }

    fn join_text(&mut self, parts: &'p [Expr<'p>], span: Span) -> Value<'p> {
        let values: Vec<_> = parts.iter().map(|part| self.eval(part)).collect();
        self.concatenation(values, span)
    }

    /// The text that constants make when they are joined, for each combination of a few alternatives.
    fn concatenation(&mut self, values: Vec<Value<'p>>, span: Span) -> Value<'p> {
        /// More combinations than this say nothing.
        const MOST: usize = 8;
        let mut texts = vec![String::new()];
        for value in values {
            let value = self.settle(value);
            if texts == ["cuda:"] && matches!(value, Value::Unknown | Value::Outside(_)) {
                return Value::text("cuda:…", self.place(span));
            }
            let mut next = Vec::new();
            for alternative in value.alternatives() {
                let Some(text) = alternative.as_text() else { return Value::Unknown };
                next.extend(texts.iter().map(|start| format!("{start}{text}")));
            }
            if next.len() > MOST || next.iter().any(|text| text.len() > LONGEST) {
                return Value::Unknown;
            }
            texts = next;
        }
        let place = self.place(span);
        Value::one_of(texts.into_iter().map(|text| Value::text(text, place)))
    }

    pub(super) fn binary(
        &mut self,
        operator: Operator,
        left: Value<'p>,
        right: Value<'p>,
        span: Span,
    ) -> Value<'p> {
        let (left, right) = (self.settle(left), self.settle(right));
        match (operator, &left, &right) {
            (Operator::Add, Value::Text(_), _) | (Operator::Add, _, Value::Text(_)) => {
                self.concatenation(vec![left, right], span)
            }
            (Operator::Add, Value::Sequence(a), Value::Sequence(b)) => {
                Value::sequence(a.iter().chain(b.iter()).cloned().collect())
            }
            (Operator::Divide, Value::Text(path), Value::Text(part)) => {
                self.divided(&path.text, &part.text, span)
            }
            (Operator::Remainder, Value::Text(format), _) => self.percent_format(format, &right, span),
            (Operator::BitOr, Value::Mapping(a), Value::Mapping(b)) => {
                Value::mapping(a.iter().chain(b.iter()).cloned().collect())
            }
            (Operator::BitOr, _, Value::Mapping(items))
                if self.is_environ(&left) || self.is_environ_copy(&left) =>
            {
                let mut all = vec![(Value::None, left.clone())];
                all.extend(items.iter().cloned());
                Value::mapping(all)
            }
            (_, Value::Int(a, _), Value::Int(b, _)) => {
                let result = match operator {
                    Operator::Add => a.checked_add(*b),
                    Operator::Subtract => a.checked_sub(*b),
                    Operator::Multiply => a.checked_mul(*b),
                    // Below zero Python rounds another way; nobody counts GPUs there.
                    Operator::FloorDivide if *b > 0 => a.checked_div_euclid(*b),
                    Operator::Remainder if *b > 0 => a.checked_rem_euclid(*b),
                    _ => None,
                };
                result.map_or(Value::Unknown, |result| Value::Int(result, self.place(span)))
            }
            _ => Value::Unknown,
        }
    }

    fn percent_format(&mut self, format: &Text<'p>, right: &Value<'p>, span: Span) -> Value<'p> {
        let arguments: Vec<Value<'p>> = match right {
            Value::Sequence(values) => values.to_vec(),
            value => vec![value.clone()],
        };
        let mut pieces = Vec::new();
        let mut rest: &str = &format.text;
        for argument in arguments {
            let Some((before, after)) = rest.split_once('%') else { return Value::Unknown };
            let Some(after) = after.strip_prefix(['s', 'd']) else { return Value::Unknown };
            pieces.push(Value::text(before.to_owned(), format.place));
            pieces.push(argument);
            rest = after;
        }
        if rest.contains('%') {
            return Value::Unknown;
        }
        pieces.push(Value::text(rest.to_owned(), format.place));
        self.concatenation(pieces, span)
    }

    fn compare(&mut self, operator: Comparison, left: Value<'p>, right: Value<'p>) -> Value<'p> {
        let (left, right) = (self.settle(left), self.settle(right));
        let known = match operator {
            Comparison::Equal => equal(&left, &right),
            Comparison::NotEqual => equal(&left, &right).map(|same| !same),
            Comparison::Is => is_none(&left, &right),
            Comparison::IsNot => is_none(&left, &right).map(|same| !same),
            Comparison::In | Comparison::NotIn => {
                let contained = match &right {
                    Value::Sequence(values) => contains(values, &left),
                    Value::Text(text) => left.as_text().map(|part| text.text.contains(&*part)),
                    _ => None,
                };
                contained.map(|contained| contained == (operator == Comparison::In))
            }
            _ => match (&left, &right) {
                (Value::Int(a, _), Value::Int(b, _)) => Some(match operator {
                    Comparison::Less => a < b,
                    Comparison::LessOrEqual => a <= b,
                    Comparison::Greater => a > b,
                    _ => a >= b,
                }),
                _ => None,
            },
        };
        known.map_or(Value::Unknown, Value::Bool)
    }

    /// `and` / `or`: a later part runs only when the earlier ones did not decide.
    fn short_circuit(&mut self, values: &'p [Expr<'p>], decides: bool) -> Value<'p> {
        let Some((first, rest)) = values.split_first() else { return Value::Unknown };
        if rest.is_empty() {
            return self.eval(first);
        }
        let value = self.eval(first);
        let value = self.settle(value);
        match value.truth() {
            Some(truth) if truth == decides => value,
            Some(_) => self.short_circuit(rest, decides),
            None => {
                let mut later = Value::Unknown;
                let presence = self.presence(first);
                let refine = |run: &mut Self, holds: bool| {
                    if let Some(presence) = &presence {
                        run.assume(presence, holds);
                    }
                };
                self.alternatives(vec![
                    Box::new(|run| {
                        refine(run, !decides);
                        later = run.short_circuit(rest, decides);
                    }),
                    Box::new(|run| refine(run, decides)),
                ]);
                // `a and b` with `b` known false is falsy whatever `a` is, and the reverse for `or`.
                if later.truth() == Some(decides) && !matches!(value, Value::OneOf(_)) {
                    return if decides { later } else { Value::Bool(false) };
                }
                if decides {
                    let kept =
                        value.alternatives().iter().filter(|value| value.truth() != Some(false)).cloned();
                    return Value::one_of(kept.chain([later]));
                }
                Value::Unknown
            }
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
        Value::one_of(results)
    }

    fn comprehension(&mut self, comprehension: &'p Comprehension<'p>) -> Value<'p> {
        let scope = self.new_scope(Some(self.here.scope), false);
        let outer = std::mem::replace(&mut self.here.scope, scope);
        let mut results = Vec::new();
        let complete = self.comprehend(comprehension, 0, &mut results);
        self.here.scope = outer;
        let single = comprehension.elements.len() == 1;
        if complete && single { Value::sequence(results) } else { Value::Unknown }
    }

    /// Runs the generators from `depth` on; `true` when every element is known.
    fn comprehend(
        &mut self,
        comprehension: &'p Comprehension<'p>,
        depth: usize,
        results: &mut Vec<Value<'p>>,
    ) -> bool {
        if !self.spend() {
            return false;
        }
        let Some(generator) = comprehension.generators.get(depth) else {
            let mut value = Value::Unknown;
            for element in &comprehension.elements {
                value = self.eval(element);
            }
            results.push(value);
            return true;
        };
        let iterable = self.eval(&generator.iterable);
        let iterable = self.iterate(iterable, generator.iterable.span);
        match self.elements(&iterable) {
            Some(elements) if elements.len() <= MOST_ELEMENTS && generator.conditions.is_empty() => {
                let mut complete = true;
                for element in elements {
                    self.assign(&generator.target, element);
                    complete &= self.comprehend(comprehension, depth + 1, results);
                }
                complete
            }
            _ => {
                self.alternatives(vec![
                    Box::new(|run| {
                        run.assign(&generator.target, Value::Unknown);
                        generator.conditions.iter().for_each(|condition| drop(run.eval(condition)));
                        run.comprehend(comprehension, depth + 1, &mut Vec::new());
                    }),
                    Box::new(|_| {}),
                ]);
                false
            }
        }
    }
}

fn is_none(left: &Value<'_>, right: &Value<'_>) -> Option<bool> {
    match (left, right) {
        (Value::None, Value::None) => Some(true),
        (Value::Unknown | Value::OneOf(_) | Value::Outside(_) | Value::Deferred(..), _) => None,
        (_, Value::None) => Some(false),
        (Value::Bool(a), Value::Bool(b)) => Some(a == b),
        _ => None,
    }
}

fn contains(values: &[Value<'_>], wanted: &Value<'_>) -> Option<bool> {
    let verdicts: Vec<_> = values.iter().map(|value| equal(value, wanted)).collect();
    if verdicts.contains(&Some(true)) {
        Some(true)
    } else if verdicts.iter().all(|verdict| *verdict == Some(false)) {
        Some(false)
    } else {
        None
    }
}

pub(super) fn borrow<'p>(text: &'p Cow<'p, str>) -> Cow<'p, str> {
    Cow::Borrowed(&**text)
}
