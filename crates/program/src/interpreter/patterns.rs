//! `match`: which `case` takes its subject, and what its pattern binds.

use super::Interpreter;
use super::branches::ArmRun;
use super::statements::equal;
use crate::code::{Arm, Comparison, Pattern};
use crate::program::heap::values::{Instance, Value};
use std::rc::Rc;

/// What a pattern binds, in its order.
type Bound<'p> = Vec<(&'p str, Value<'p>)>;

/// Types of which `str(whole)` takes the object itself.
const TAKING_THEMSELVES: [&str; 11] = [
    "builtins.bool",
    "builtins.bytearray",
    "builtins.bytes",
    "builtins.dict",
    "builtins.float",
    "builtins.frozenset",
    "builtins.int",
    "builtins.list",
    "builtins.set",
    "builtins.str",
    "builtins.tuple",
];

impl<'p> Interpreter<'p> {
    pub(super) fn choose(&mut self, subject: &Value<'p>, arms: &'p [Arm<'p>]) {
        let Some((arm, rest)) = arms.split_first() else { return };
        let (accepts, bound) = self.accepts(arm, subject);
        match (accepts, &arm.guard) {
            (Some(true), guard) => {
                self.bind_all_names(bound);
                match guard {
                    None => self.block(&arm.body),
                    Some(guard) => {
                        self.branch(guard, |run| run.block(&arm.body), |run| run.choose(subject, rest));
                    }
                }
            }
            (Some(false), _) => self.choose(subject, rest),
            (None, guard) => {
                // Where the guard says no, the names stay bound.
                if guard.is_some() && !bound.is_empty() {
                    self.on_some_ways(|run| run.bind_all_names(bound.clone()));
                }
                let follow: ArmRun<'_, 'p> = Box::new(move |run| {
                    run.bind_all_names(bound);
                    // Where the guard says no, the arms behind it are followed, as where this one does not fit.
                    let asked = guard.as_ref().map(|guard| run.eval(guard));
                    if asked.and_then(|asked| run.truth(&asked)) != Some(false) {
                        run.block(&arm.body);
                    }
                });
                self.exec_branches(vec![follow, Box::new(|run| run.choose(subject, rest))]);
            }
        }
    }

    fn bind_all_names(&mut self, bound: Bound<'p>) {
        for (name, value) in bound {
            self.bind(name, value);
        }
    }

    /// Whether an arm takes a subject, and what its names are then.
    fn accepts(&mut self, arm: &'p Arm<'p>, subject: &Value<'p>) -> (Option<bool>, Bound<'p>) {
        let Some(pattern) = &arm.pattern else {
            let value = |_: &&'p str| if arm.always { subject.clone() } else { Value::Unknown };
            let bound = arm.binds.iter().map(|name| (*name, value(name))).collect();
            let literals: Vec<_> = arm.literals.iter().map(|literal| self.eval(literal)).collect();
            let verdicts: Vec<_> = literals.iter().map(|literal| equal(literal, subject)).collect();
            let is_other = !verdicts.is_empty() && verdicts.iter().all(|verdict| *verdict == Some(false));
            let is_one = arm.always || verdicts.contains(&Some(true));
            return ((is_one || is_other).then_some(is_one), bound);
        };
        let subject = self.force(subject.clone());
        let mut each: Vec<(Option<bool>, Bound<'p>)> = Vec::new();
        for one in subject.alternatives() {
            let mut bound = Vec::new();
            let verdict = self.fits(pattern, one, &mut bound);
            each.push((verdict, bound));
        }
        let verdict = each.first().and_then(|(first, _)| *first);
        let verdict = verdict.filter(|_| each.iter().all(|(other, _)| *other == verdict));
        // A name that a part binds which was not reached is not known.
        let value_of = |bound: &Bound<'p>, name: &str| {
            let found = bound.iter().rev().find(|(known, _)| *known == name);
            found.map_or(Value::Unknown, |(_, value)| value.clone())
        };
        let taking = || each.iter().filter(|(verdict, _)| *verdict != Some(false));
        let bound = arm.binds.iter().map(|name| {
            (*name, Value::one_of(taking().map(|(_, bound)| value_of(bound, name)).collect::<Vec<_>>()))
        });
        (verdict, bound.collect())
    }

    /// Whether a value is as a pattern wants it.
    fn fits(&mut self, pattern: &'p Pattern<'p>, value: &Value<'p>, bound: &mut Bound<'p>) -> Option<bool> {
        match pattern {
            Pattern::Any(name) | Pattern::Star(name) => {
                bound.extend(name.map(|name| (name, value.clone())));
                Some(true)
            }
            Pattern::As(inner, name) => {
                let verdict = self.fits(inner, value, bound);
                bound.push((name, value.clone()));
                verdict
            }
            Pattern::Value(wanted) => {
                let wanted = self.eval(wanted);
                let same = self.compare(Comparison::Equal, value.clone(), wanted);
                self.truth(&same)
            }
            Pattern::Singleton(wanted) => {
                let wanted = self.eval(wanted);
                let same = self.compare(Comparison::Is, value.clone(), wanted);
                self.truth(&same)
            }
            Pattern::Or(patterns) => {
                let mut is_none = true;
                for pattern in patterns {
                    let before = bound.len();
                    match self.fits(pattern, value, bound) {
                        Some(true) if is_none => return Some(true),
                        Some(false) => bound.truncate(before),
                        verdict => {
                            // Which of them binds the names is not known.
                            bound[before..].iter_mut().for_each(|(_, value)| *value = Value::Unknown);
                            if verdict == Some(true) {
                                return verdict;
                            }
                            is_none = false;
                        }
                    }
                }
                is_none.then_some(false)
            }
            Pattern::Sequence(patterns) => self.fits_sequence(patterns, value, bound),
            Pattern::Mapping { items, rest } => self.fits_mapping(items, *rest, value, bound),
            Pattern::Class { class, parts, attributes } => {
                let class = self.eval(class);
                let class = self.force(class);
                match self.is_instance(value, &class) {
                    Some(true) => self.fits_parts(&class, parts, attributes, value, bound),
                    Some(false) => Some(false),
                    None => {
                        let verdict = self.fits_parts(&class, parts, attributes, value, bound);
                        verdict.filter(|fits| !fits)
                    }
                }
            }
        }
    }

    /// All of these have to hold, from the first to the last.
    fn all_fit(
        &mut self,
        parts: impl Iterator<Item = (&'p Pattern<'p>, Value<'p>)>,
        bound: &mut Bound<'p>,
    ) -> Option<bool> {
        let mut verdict = Some(true);
        for (pattern, value) in parts {
            let value = self.force(value);
            let fits = match &value {
                Value::OneOf(values) => {
                    let mut each: Vec<_> = Vec::new();
                    for value in values.iter() {
                        each.push(self.fits(pattern, value, &mut Vec::new()));
                    }
                    // What it binds is not told apart.
                    self.fits(pattern, &Value::Unknown, bound);
                    each[0].filter(|_| each.iter().all(|other| *other == each[0]))
                }
                value => self.fits(pattern, value, bound),
            };
            match fits {
                Some(true) => {}
                Some(false) => return Some(false),
                None => verdict = None,
            }
        }
        verdict
    }

    fn fits_sequence(
        &mut self,
        patterns: &'p [Pattern<'p>],
        value: &Value<'p>,
        bound: &mut Bound<'p>,
    ) -> Option<bool> {
        let contents = match value {
            Value::Collection(scope) if self.is_no_list(*scope) => return None,
            Value::Instance(object) => match self.parts_of_tuple(object) {
                Some(parts) => Value::sequence(parts),
                None => return None,
            },
            value => self.contents(value),
        };
        let values = match contents {
            // An empty one stands for what somebody fills who is not followed.
            Value::Sequence(values) if !values.is_empty() => values,
            Value::Text(_) | Value::Int(..) | Value::Bool(_) | Value::None | Value::Mapping(_) => {
                return Some(false);
            }
            _ => return None,
        };
        let Some(star) = patterns.iter().position(|pattern| matches!(pattern, Pattern::Star(_))) else {
            if values.len() != patterns.len() {
                return Some(false);
            }
            return self.all_fit(patterns.iter().zip(values.iter().cloned()), bound);
        };
        let behind = patterns.len() - star - 1;
        if values.len() < star + behind {
            return Some(false);
        }
        let end = values.len() - behind;
        let rest = self.collection(Value::sequence(values[star..end].to_vec()));
        let parts = values[..star].iter().cloned().chain([rest]).chain(values[end..].iter().cloned());
        self.all_fit(patterns.iter().zip(parts.collect::<Vec<_>>()), bound)
    }

    fn fits_mapping(
        &mut self,
        wanted: &'p [(crate::code::Expr<'p>, Pattern<'p>)],
        rest: Option<&'p str>,
        value: &Value<'p>,
        bound: &mut Bound<'p>,
    ) -> Option<bool> {
        let items = match self.contents(value) {
            Value::Mapping(items) if !items.is_empty() => items,
            Value::Text(_) | Value::Int(..) | Value::Bool(_) | Value::None | Value::Sequence(_) => {
                return Some(false);
            }
            _ => return None,
        };
        let (mut found, mut keys) = (Vec::new(), Vec::new());
        for (key, pattern) in wanted {
            let key = self.eval(key);
            let Some(item) = self.mapping_item(&items, &key) else { return Some(false) };
            found.push((pattern, item));
            keys.push(key);
        }
        if found.iter().any(|(_, value)| matches!(value, Value::Unknown)) {
            return None;
        }
        if let Some(rest) = rest {
            let is_other = |known: &Value<'p>| keys.iter().all(|key| equal(known, key) == Some(false));
            let others = items.iter().filter(|(known, _)| is_other(known)).cloned().collect();
            let others = self.collection(Value::mapping(others));
            bound.push((rest, others));
        }
        self.all_fit(found.into_iter(), bound)
    }

    /// What stands in the brackets of `Device("cuda", index=number)`.
    fn fits_parts(
        &mut self,
        class: &Value<'p>,
        parts: &'p [Pattern<'p>],
        attributes: &'p [(&'p str, Pattern<'p>)],
        value: &Value<'p>,
        bound: &mut Bound<'p>,
    ) -> Option<bool> {
        if let (Value::Outside(path), [only], []) = (class, parts, attributes)
            && TAKING_THEMSELVES.contains(&&**self.paths.text(*path))
        {
            return self.fits(only, value, bound);
        }
        if parts.is_empty() && attributes.is_empty() {
            return Some(true);
        }
        let (Value::Instance(object), Value::Class(class)) = (value, class) else { return None };
        let named = match parts.is_empty() {
            true => Vec::new(),
            false => match self.class_attribute(class, "__match_args__") {
                Value::Unknown if class.dataclass => self.fields(class),
                names => self.names_told(&names)?,
            },
        };
        if named.len() < parts.len() {
            return None;
        }
        let wanted = named.into_iter().zip(parts);
        let wanted: Vec<_> = wanted.chain(attributes.iter().map(|(name, part)| (*name, part))).collect();
        let mut found = Vec::new();
        for (name, part) in wanted {
            if !self.has_own(object, name) {
                return None;
            }
            let value = self.attribute(value, name, self.here.statement);
            found.push((part, value));
        }
        self.all_fit(found.into_iter(), bound)
    }

    /// The names that texts in a tuple are.
    fn names_told(&mut self, names: &Value<'p>) -> Option<Vec<&'p str>> {
        let Value::Sequence(names) = self.contents(names) else { return None };
        let name = |name: &Value<'p>| match name {
            Value::Text(text) => match text.text {
                std::borrow::Cow::Borrowed(name) => Some(name),
                std::borrow::Cow::Owned(_) => None,
            },
            _ => None,
        };
        names.iter().map(name).collect()
    }

    fn has_own(&mut self, object: &Rc<Instance<'p>>, name: &'p str) -> bool {
        self.in_scope(object.scope, name).is_some() || self.holds(&object.class, name)
    }
}
