//! Lists, sets and dictionaries: objects that hold something, under whatever names they are known.

mod sets;

use super::Interpreter;
use super::calls::Args;
use super::dictionaries::{merged, without_key};
use super::statements::equal;
use crate::code::{Expr, ExprKind};
use crate::facts::Span;
use crate::program::Start;
use crate::program::heap::CONTENTS;
use crate::program::heap::values::{ScopeId, Value};
use crate::sources::Language;

/// What a collection holds that grew beyond this is not followed: a registry of a thousand models.
const LARGEST: usize = 128;

pub(super) use sets::NO_LIST;

impl<'p> Interpreter<'p> {
    /// A new list, set or dictionary that holds this.
    pub(super) fn collection(&mut self, contents: Value<'p>) -> Value<'p> {
        match contents {
            Value::Sequence(_) | Value::Mapping(_) => {
                let scope = self.new_scope(None, false);
                self.bind_in(scope, CONTENTS, contents);
                Value::Collection(scope)
            }
            other => other,
        }
    }

    /// What a collection holds at this moment; any other value is itself.
    pub(super) fn contents(&self, value: &Value<'p>) -> Value<'p> {
        match value {
            Value::Collection(scope) => self.heap.get(*scope, CONTENTS).cloned().unwrap_or(Value::Unknown),
            Value::View(scope, part) => self.shown(*scope, *part),
            value => value.clone(),
        }
    }

    /// The same for what it holds in turn.
    pub(super) fn whole_contents(&self, value: &Value<'p>) -> Value<'p> {
        self.contents_to(value, 4)
    }

    fn contents_to(&self, value: &Value<'p>, depth: usize) -> Value<'p> {
        let holds = |value: &Value<'p>| {
            matches!(value, Value::Collection(_) | Value::Sequence(_) | Value::Mapping(_) | Value::OneOf(_))
        };
        if depth == 0 {
            return value.clone();
        }
        match self.contents(value) {
            Value::Sequence(values) if values.iter().any(holds) => {
                Value::sequence(values.iter().map(|value| self.contents_to(value, depth - 1)).collect())
            }
            Value::Mapping(items) if items.iter().any(|(_, value)| holds(value)) => {
                let each = items.iter().map(|(key, value)| (key.clone(), self.contents_to(value, depth - 1)));
                Value::mapping(each.collect())
            }
            Value::OneOf(values) if values.iter().any(holds) => {
                Value::one_of(values.iter().map(|value| self.contents_to(value, depth - 1)))
            }
            other => other,
        }
    }

    /// Truth as Python sees it, when it is known.
    pub(super) fn truth(&self, value: &Value<'p>) -> Option<bool> {
        match value {
            Value::Collection(scope) | Value::View(scope, _) => {
                self.heap.ask_contents(*scope);
                self.contents(value).truth().filter(|truth| *truth || self.knows_all())
            }
            Value::OneOf(values) => {
                let first = self.truth(values.first()?)?;
                values.iter().all(|value| self.truth(value) == Some(first)).then_some(first)
            }
            value => value.truth(),
        }
    }

    /// Whether a collection surely holds nothing.
    pub(super) fn is_empty(&self, value: &Value<'p>) -> bool {
        let is_collection =
            matches!(value, Value::Collection(_) | Value::View(..) | Value::Sequence(_) | Value::Mapping(_));
        is_collection && self.truth(value) == Some(false)
    }

    /// Whether the program is followed from its start: what it did not put into a collection is not there.
    pub(super) fn knows_all(&self) -> bool {
        !self.only_if_called && self.start != Start::Library
    }

    /// Whether an expression in Python makes a list, set or dictionary, and not a tuple.
    pub(super) fn makes_collection(&self, expr: &Expr<'p>) -> bool {
        let text = self.program.sources.text(self.place(expr.span));
        let is_python = || {
            matches!(self.program.language_at(self.place(expr.span)), Language::Python | Language::Notebook)
        };
        text.starts_with(['[', '{']) && is_python()
    }

    /// A collection holds something else from now on. In a loop whose passes are not all followed, nobody knows how often
    /// that happens.
    pub(super) fn set_contents(&mut self, scope: ScopeId, contents: Value<'p>) {
        let repeated = self.is_repeated_since(scope);
        let is_large = match &contents {
            Value::Sequence(values) => values.len() > LARGEST,
            Value::Mapping(items) => items.len() > LARGEST,
            _ => false,
        };
        self.bind_in(scope, CONTENTS, if repeated || is_large { Value::Unknown } else { contents });
    }

    /// Somebody who is not followed has these collections and may change them.
    pub(super) fn hand_out(&mut self, value: &Value<'p>) {
        self.hand_out_to(value, 3);
    }

    fn hand_out_to(&mut self, value: &Value<'p>, depth: usize) {
        if depth == 0 {
            return;
        }
        match value {
            Value::Collection(scope) => {
                let contents = self.contents(value);
                self.hand_out_to(&contents, depth - 1);
                if !matches!(contents, Value::Unknown) {
                    self.bind_in(*scope, CONTENTS, Value::Unknown);
                }
            }
            Value::View(..) => self.hand_out_to(&self.contents(value), depth),
            Value::Sequence(values) | Value::OneOf(values) => {
                values.iter().for_each(|value| self.hand_out_to(value, depth - 1));
            }
            Value::Mapping(items) => {
                items.iter().for_each(|(_, value)| self.hand_out_to(value, depth - 1));
            }
            _ => {}
        }
    }

    /// Calls a method that changes a collection; `None` when it is no such method. `place` is where it was found: what no
    /// object holds is bound anew there.
    pub(super) fn change(
        &mut self,
        place: &'p Expr<'p>,
        collection: &Value<'p>,
        name: &str,
        args: &Args<'p>,
        span: Span,
    ) -> Option<Value<'p>> {
        if let Value::Collection(_) = collection {
            return self.change_collection(collection, name, args, span);
        }
        let (changed, result) = self.changed(collection, name, args, span)?;
        let changed = if self.is_repeated() { Value::Unknown } else { changed };
        match &place.kind {
            ExprKind::Name(name) => self.rebind(name, changed),
            ExprKind::Attribute(object, name) => {
                let object = self.eval(object);
                self.set_attribute(&object, name, changed);
            }
            _ => {}
        }
        Some(result)
    }

    /// The same for an object of which nobody needs to know where it was found.
    pub(super) fn change_collection(
        &mut self,
        collection: &Value<'p>,
        name: &str,
        args: &Args<'p>,
        span: Span,
    ) -> Option<Value<'p>> {
        let Value::Collection(scope) = collection else { return None };
        if let Some(result) = self.queue_method(*scope, name, args, span) {
            return Some(result);
        }
        let (changed, result) = self.changed(collection, name, args, span)?;
        self.set_contents(*scope, changed);
        Some(result)
    }

    /// What a collection holds after a method that changes it, and what that method gives.
    fn changed(
        &mut self,
        collection: &Value<'p>,
        name: &str,
        args: &Args<'p>,
        span: Span,
    ) -> Option<(Value<'p>, Value<'p>)> {
        let contents = self.contents(collection);
        let is_set = matches!(collection, Value::Collection(scope) if self.is_set(*scope));
        let (mut changed, mut results) = (Vec::new(), Vec::new());
        for held in contents.alternatives() {
            let (after, result) = match held {
                Value::Sequence(values) if is_set => self.changed_set(values, name, args, span)?,
                Value::Sequence(values) => self.changed_sequence(values.to_vec(), name, args, span)?,
                Value::Mapping(items) => self.changed_mapping(items.to_vec(), name, args, span)?,
                _ => return None,
            };
            changed.push(after);
            results.push(result);
        }
        Some((Value::one_of(changed), Value::one_of(results)))
    }

    /// Binds a name where it is bound already: the object has changed, not the name.
    fn rebind(&mut self, name: &'p str, value: Value<'p>) {
        if let Some((scope, _)) = self.heap.look_up(self.here.scope, name) {
            self.bind_in(scope, name, value);
        }
    }

    /// What is changed through an item that nobody knows is an item of this: `rows[at][0] = 1`, `rows[at].append(1)`. What the
    /// items hold is not known any more.
    pub(super) fn lose_items(&mut self, changed: &Value<'p>, place: &'p Expr<'p>) {
        let (Value::Unknown, ExprKind::Item(item)) = (changed, &place.kind) else { return };
        if !matches!(item.0.kind, ExprKind::Name(_) | ExprKind::Attribute(..)) {
            return;
        }
        let around = self.eval(&item.0);
        for one in around.alternatives() {
            let Value::Collection(scope) = one else { continue };
            let is_row = |value: &Value<'p>| matches!(value, Value::Collection(_));
            let holds_rows = match self.contents(one) {
                Value::Sequence(values) => values.iter().any(is_row),
                Value::Mapping(items) => items.iter().any(|(_, value)| is_row(value)),
                _ => false,
            };
            if holds_rows {
                self.set_contents(*scope, Value::Unknown);
            }
        }
    }

    /// `container[key] = value`
    pub(super) fn set_item(&mut self, container: &Value<'p>, key: &Value<'p>, value: &Value<'p>) {
        self.ask_hash(container, key, self.here.statement);
        if let Value::Instance(instance) = container
            && let Some(items) = self.items_to_change(instance)
        {
            return self.set_item(&items, key, value);
        }
        self.edit(container, key, &|run, contents| run.contents_with(contents, key, value));
    }

    /// `del container[key]`
    pub(super) fn delete_item(&mut self, container: &Value<'p>, key: &Value<'p>) {
        if let Value::Instance(_) = container {
            self.special(container, "__delitem__", vec![key.clone()], self.here.statement);
        }
        self.edit(container, key, &|run, contents| run.contents_without(contents, key));
    }

    /// Changes what a collection holds; where it is one of several, perhaps.
    fn edit(
        &mut self,
        container: &Value<'p>,
        key: &Value<'p>,
        change: &dyn Fn(&Self, &Value<'p>) -> Value<'p>,
    ) {
        let all = container.alternatives();
        for one in all {
            let Value::Collection(scope) = one else {
                let is_constant =
                    matches!(one, Value::Sequence(_) | Value::Text(_) | Value::Int(..) | Value::None);
                if is_constant && self.knows_all() && self.is_python_here() {
                    self.seems_to_raise();
                }
                continue;
            };
            let contents = self.contents(one);
            if self.lies_outside(&contents, key) {
                self.lacks_item();
            }
            let changed = Value::one_of(contents.alternatives().iter().map(|held| change(self, held)));
            let kept = (all.len() > 1).then_some(contents);
            self.set_contents(*scope, Value::one_of(kept.into_iter().chain([changed])));
        }
    }

    /// Whether a list has no element of this number.
    fn lies_outside(&self, contents: &Value<'p>, key: &Value<'p>) -> bool {
        let (Value::Sequence(values), Value::Int(index, _)) = (contents, key) else { return false };
        self.knows_all() && position(*index, values.len()).is_none_or(|at| at >= values.len())
    }

    fn contents_with(&self, contents: &Value<'p>, key: &Value<'p>, value: &Value<'p>) -> Value<'p> {
        match (contents, key) {
            (Value::Mapping(items), _) => {
                let mut items = items.to_vec();
                if !items.iter().any(|(known, _)| equal(known, key) == Some(true)) {
                    // It may be any of those that nobody can tell apart from it.
                    for (_, old) in items.iter_mut().filter(|(known, _)| equal(known, key).is_none()) {
                        *old = Value::one_of([old.clone(), value.clone()]);
                    }
                }
                match items.iter_mut().rev().find(|(known, _)| equal(known, key) == Some(true)) {
                    Some((_, old)) => *old = value.clone(),
                    None => items.push((key.clone(), value.clone())),
                }
                Value::mapping(items)
            }
            (Value::Sequence(values), Value::Int(index, _)) => {
                let mut values = values.to_vec();
                let at = position(*index, values.len());
                match at.and_then(|at| values.get_mut(at)) {
                    Some(old) => *old = value.clone(),
                    None => return Value::Unknown,
                }
                Value::sequence(values)
            }
            _ => Value::Unknown,
        }
    }

    fn contents_without(&self, contents: &Value<'p>, key: &Value<'p>) -> Value<'p> {
        match (contents, key) {
            (Value::Mapping(items), _) => without_key(items, key).map_or(Value::Unknown, Value::mapping),
            (Value::Sequence(values), Value::Int(index, _)) => {
                let mut values = values.to_vec();
                match position(*index, values.len()) {
                    Some(at) if at < values.len() => drop(values.remove(at)),
                    _ => return Value::Unknown,
                }
                Value::sequence(values)
            }
            _ => Value::Unknown,
        }
    }

    /// `container += more`: the same object, which holds more. `false` when it is no object that can.
    pub(super) fn extend_in_place(&mut self, container: &Value<'p>, more: &Value<'p>, span: Span) -> bool {
        let Value::Collection(scope) = container else { return false };
        let more = self.iterate_all(more.clone(), span);
        let extended = match (self.contents(container), self.elements(&more), &more) {
            (Value::Mapping(items), _, Value::Mapping(others)) => {
                Value::mapping(merged(items.to_vec(), others))
            }
            (Value::Sequence(values), Some(others), _) if self.is_set(*scope) => {
                let all = values.iter().cloned().chain(others).collect();
                let all = self.new_set(Some(all));
                self.contents(&all)
            }
            (Value::Sequence(values), Some(others), _) => {
                Value::sequence(values.iter().cloned().chain(others).collect())
            }
            _ => Value::Unknown,
        };
        self.set_contents(*scope, extended);
        true
    }

    fn changed_sequence(
        &mut self,
        mut values: Vec<Value<'p>>,
        name: &str,
        args: &Args<'p>,
        span: Span,
    ) -> Option<(Value<'p>, Value<'p>)> {
        let first = args.at(0).map(|argument| argument.value.clone());
        match (name, first) {
            ("append", Some(value)) => values.push(value),
            ("extend", Some(more)) => {
                let more = self.iterate_all(more, span);
                match self.elements(&more) {
                    Some(more) => values.extend(more),
                    None => return Some((Value::Unknown, Value::None)),
                }
            }
            ("insert", Some(Value::Int(index, _))) => {
                // Beyond either end Python inserts at the end.
                let length = values.len() as i64;
                let at = if index < 0 { index + length } else { index }.clamp(0, length);
                values.insert(at as usize, args.at(1)?.value.clone());
            }
            ("appendleft", Some(value)) => values.insert(0, value),
            ("popleft", None) => {
                if values.is_empty() {
                    self.seems_to_raise();
                    return Some((Value::Unknown, Value::Unknown));
                }
                let first = values.remove(0);
                return Some((Value::sequence(values), first));
            }
            ("extendleft" | "rotate", Some(_)) => return Some((Value::Unknown, Value::None)),
            ("clear", None) => values.clear(),
            ("reverse", None) => values.reverse(),
            ("sort", None) => {
                let mut listed = Args::positional(vec![Value::sequence(values)], span);
                listed.items.extend(args.items.iter().cloned());
                let sorted = self.call_builtin("sorted", &listed, span);
                let sorted = sorted.map_or(Value::Unknown, |sorted| self.contents(&sorted));
                return Some((sorted, Value::None));
            }
            ("pop", None) => {
                if values.is_empty() {
                    self.seems_to_raise();
                }
                let last = values.pop().unwrap_or(Value::Unknown);
                return Some((Value::sequence(values), last));
            }
            ("pop", Some(Value::Int(index, _))) => match position(index, values.len()) {
                Some(at) if at < values.len() => {
                    let taken = values.remove(at);
                    return Some((Value::sequence(values), taken));
                }
                _ => return Some((Value::Unknown, Value::Unknown)),
            },
            ("remove", Some(value)) => match self.place_in(&values, &value) {
                Some(Some(at)) => drop(values.remove(at)),
                Some(None) => self.seems_to_raise(),
                None => return Some((Value::Unknown, Value::Unknown)),
            },
            ("insert" | "pop" | "sort", _) => {
                return Some((Value::Unknown, Value::Unknown));
            }
            _ => return None,
        }
        Some((Value::sequence(values), Value::None))
    }
}

/// The position that an index means in a list of this length.
pub(super) fn position(index: i64, length: usize) -> Option<usize> {
    usize::try_from(if index < 0 { index + length as i64 } else { index }).ok()
}
