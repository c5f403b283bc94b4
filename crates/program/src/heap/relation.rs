//! Two calls that differ in which objects they are given and not in what these hold: which object of the one stands for which
//! of the other.

use super::Heap;
use super::copies::each_scope;
use super::values::{ClassValue, Closure, ScopeId, Source, Value};
use crate::facts::Place;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;

/// Which scope, and which place of a literal, of the first call stands for which of the second.
#[derive(Clone, Debug, Default)]
pub(crate) struct Relation {
    scopes: Pairs,
    /// How many of them were asked for what they lie in.
    placed: usize,
    places: SmallVec<[(Place, Place); 4]>,
    /// Scopes that the first call made, with their copies.
    made: Pairs,
    /// Classes that are defined by different statements.
    classes: SmallVec<[(ScopeId, ScopeId); 2]>,
}

/// What scopes lay in when their program ended: their numbers mean others since.
#[derive(Debug, Default)]
pub(crate) struct Parents(Box<[(ScopeId, Option<ScopeId>)]>);

impl Parents {
    fn of(&self, scope: ScopeId) -> Option<ScopeId> {
        let found = self.0.binary_search_by_key(&scope, |(known, _)| *known);
        found.ok().and_then(|at| self.0[at].1)
    }
}

impl<'p> Heap<'p> {
    /// What the scopes lie in that these values refer to by themselves, and the scopes around them.
    pub fn parents_of<'v>(&self, scopes: &[ScopeId], values: impl Iterator<Item = &'v Value<'p>>) -> Parents
    where
        'p: 'v,
    {
        let mut pending = scopes.to_vec();
        values.for_each(|value| each_scope(value, &mut |scope| pending.push(scope)));
        let mut parents: FxHashMap<ScopeId, Option<ScopeId>> = FxHashMap::default();
        while let Some(scope) = pending.pop() {
            let parent = self.parent(scope);
            if parents.insert(scope, parent).is_none() {
                pending.extend(parent);
            }
        }
        let mut parents: Vec<_> = parents.into_iter().collect();
        parents.sort_unstable();
        Parents(parents.into_boxed_slice())
    }
}

/// Scopes, each with the one that stands for it.
#[derive(Clone, Debug, Default)]
struct Pairs {
    few: SmallVec<[(ScopeId, ScopeId); 8]>,
    /// All of them, and the other way round, where they are many.
    many: Option<Box<[FxHashMap<ScopeId, ScopeId>; 2]>>,
}

impl Pairs {
    const FEW: usize = 16;

    fn add(&mut self, first: ScopeId, second: ScopeId) {
        self.few.push((first, second));
        if self.few.len() == Self::FEW {
            let there = self.few.iter().copied().collect();
            let back = self.few.iter().map(|(first, second)| (*second, *first)).collect();
            self.many = Some(Box::new([there, back]));
        } else if let Some(many) = &mut self.many {
            many[0].insert(first, second);
            many[1].insert(second, first);
        }
    }

    /// What stands for a scope.
    fn second(&self, first: ScopeId) -> Option<ScopeId> {
        match &self.many {
            Some(many) => many[0].get(&first).copied(),
            None => self.few.iter().find(|(known, _)| *known == first).map(|(_, second)| *second),
        }
    }

    /// What a scope stands for.
    fn first(&self, second: ScopeId) -> Option<ScopeId> {
        match &self.many {
            Some(many) => many[1].get(&second).copied(),
            None => self.few.iter().find(|(_, known)| *known == second).map(|(first, _)| *first),
        }
    }
}

impl Relation {
    /// Whether a value of the first call can stand for one of the second, and goes with all that is known of them so far.
    pub fn unify<'p>(&mut self, first: &Value<'p>, second: &Value<'p>) -> bool {
        match (first, second) {
            (Value::Unknown, Value::Unknown)
            | (Value::None, Value::None)
            | (Value::Absent, Value::Absent) => true,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Int(a, at), Value::Int(b, bt)) => a == b && self.relate_places(*at, *bt),
            (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
            (Value::Text(a), Value::Text(b)) => {
                Rc::ptr_eq(a, b) || (a.text == b.text && self.relate_places(a.place, b.place))
            }
            (Value::Sequence(a), Value::Sequence(b)) => self.unify_each(a, b),
            (Value::OneOf(a), Value::OneOf(b)) => self.unify_alternatives(a, b),
            (Value::Mapping(a), Value::Mapping(b)) => {
                a.len() == b.len()
                    && a.iter().zip(b.iter()).all(|(a, b)| self.unify(&a.0, &b.0) && self.unify(&a.1, &b.1))
            }
            (Value::Function(a), Value::Function(b)) => self.unify_closures(a, b),
            (Value::Class(a), Value::Class(b)) => self.unify_classes(a, b),
            (Value::Instance(a), Value::Instance(b)) => {
                // Which member of an enumeration it is is asked by what it is.
                (a.scope == b.scope || !a.class.fields.members)
                    && self.unify_classes(&a.class, &b.class)
                    && self.relate(a.scope, b.scope)
            }
            (Value::Collection(a), Value::Collection(b)) => self.relate(*a, *b),
            (Value::View(a, one), Value::View(b, other)) => one == other && self.relate(*a, *b),
            (Value::Module(a), Value::Module(b)) => a == b,
            (Value::Folder(a), Value::Folder(b)) => a == b,
            (Value::Deferred(a, n), Value::Deferred(b, m)) => a == b && n == m,
            (Value::Outside(a), Value::Outside(b)) => a == b,
            (Value::Lazy(a), Value::Lazy(b)) => Rc::ptr_eq(a, b),
            // How far they have come is read in their scopes.
            (Value::Paused(a), Value::Paused(b)) => {
                self.relate(a.scope, b.scope) && self.unify_closures(&a.closure, &b.closure)
            }
            (Value::Stream(a), Value::Stream(b)) => {
                self.relate(a.state, b.state) && self.unify_sources(&a.source, &b.source)
            }
            _ => false,
        }
    }

    fn unify_sources<'p>(&mut self, first: &Source<'p>, second: &Source<'p>) -> bool {
        match (first, second) {
            (
                Source::Expression { comprehension: a, scope, first, span, .. },
                Source::Expression { comprehension: b, scope: other_scope, first: other, span: at, .. },
            ) => {
                std::ptr::eq(*a, *b)
                    && span == at
                    && self.unify(first, other)
                    && self.relate(*scope, *other_scope)
            }
            (Source::Factory(a), Source::Factory(b)) | (Source::Elements(a), Source::Elements(b)) => {
                self.unify(a, b)
            }
            (Source::Numbered(a, from), Source::Numbered(b, other)) => from == other && self.unify(a, b),
            (Source::First(a, count), Source::First(b, other)) => count == other && self.unify(a, b),
            (Source::Zip(a), Source::Zip(b)) | (Source::Chain(a), Source::Chain(b)) => self.unify_each(a, b),
            (
                Source::Calls { function, columns, keeps },
                Source::Calls { function: other, columns: other_columns, keeps: other_keeps },
            ) => {
                keeps == other_keeps && self.unify(function, other) && self.unify_each(columns, other_columns)
            }
            _ => false,
        }
    }

    pub fn unify_each<'p>(&mut self, first: &[Value<'p>], second: &[Value<'p>]) -> bool {
        first.len() == second.len() && first.iter().zip(second).all(|(a, b)| self.unify(a, b))
    }

    /// The same for alternatives, which have no order: which comes first depends on the way that was followed first.
    fn unify_alternatives<'p>(&mut self, first: &[Value<'p>], second: &[Value<'p>]) -> bool {
        let mut left: SmallVec<[&Value<'p>; 8]> = second.iter().collect();
        first.len() == second.len()
            && first.iter().all(|one| {
                let other = left.iter().position(|other| may_pair(one, other)).map(|at| left.remove(at));
                other.is_some_and(|other| self.unify(one, other))
            })
    }

    /// The same for what is called: its defaults are among the arguments already.
    pub fn unify_closures<'p>(&mut self, a: &Rc<Closure<'p>>, b: &Rc<Closure<'p>>) -> bool {
        if a.file != b.file || a.function != b.function || a.role != b.role {
            return false;
        }
        let defaults = Rc::ptr_eq(a, b)
            || a.defaults.iter().zip(&b.defaults).all(|(a, b)| alike(a, b, |a, b| self.unify(a, b)));
        alike(&a.results, &b.results, |a, b| self.relate(*a, *b))
            && alike(&a.dispatch, &b.dispatch, |a, b| self.relate(*a, *b))
            && alike(&a.bound, &b.bound, |a, b| self.unify(a, b))
            && alike(&a.setter, &b.setter, |a, b| self.unify_closures(a, b))
            && alike(&a.deleter, &b.deleter, |a, b| self.unify_closures(a, b))
            && alike(&a.class, &b.class, |a, b| self.unify_classes(a, b))
            && defaults
            && a.counts_devices == b.counts_devices
            && (Rc::ptr_eq(&a.marks, &b.marks) || a.marks.same_around(&b.marks))
            && self.unify_each(&a.held, &b.held)
            && self.unify_each(&a.inside, &b.inside)
            && self.relate(a.scope, b.scope)
    }

    fn unify_classes<'p>(&mut self, a: &Rc<ClassValue<'p>>, b: &Rc<ClassValue<'p>>) -> bool {
        // A class that a module made as it did before has the scope that it had, also where its bases were made anew.
        if Rc::ptr_eq(a, b) {
            return self.relate(a.scope, b.scope);
        }
        if (a.file, a.class) != (b.file, b.class) {
            // What is asked of a class is looked up in it by name, but for what its statement says.
            if a.dataclass || b.dataclass || a.counts_devices != b.counts_devices || !a.marks.same(&b.marks) {
                return false;
            }
            if !self.classes.contains(&(a.scope, b.scope)) {
                self.classes.push((a.scope, b.scope));
            }
        }
        self.relate(a.scope, b.scope)
            && self.unify_each(&a.bases, &b.bases)
            && match (&a.metaclass, &b.metaclass) {
                (None, None) => true,
                (Some(a), Some(b)) => self.unify_classes(a, b),
                _ => false,
            }
    }

    /// Whether one scope can stand for another: no two scopes stand for the same.
    pub fn relate(&mut self, first: ScopeId, second: ScopeId) -> bool {
        match (self.scopes.second(first), self.scopes.first(second)) {
            (None, None) => self.scopes.add(first, second),
            (there, back) => return there == Some(second) && back == Some(first),
        }
        true
    }

    /// Whether what scopes lie in stands for each other where they do: a name that is not there is looked up in it. `known`
    /// says it of the first call, where that is one of another program.
    pub fn relate_parents(&mut self, heap: &Heap<'_>, known: Option<&Parents>) -> bool {
        while let Some(&(first, second)) = self.scopes.few.get(self.placed) {
            self.placed += 1;
            let outer = known.map_or_else(|| heap.parent(first), |known| known.of(first));
            let alike = match (outer, heap.parent(second)) {
                (Some(first), Some(second)) => self.relate(first, second),
                (first, second) => first == second,
            };
            if !alike {
                return false;
            }
        }
        true
    }

    fn relate_places(&mut self, first: Place, second: Place) -> bool {
        if first == second && self.places.is_empty() {
            return true;
        }
        match self.places.iter().find(|(known, _)| *known == first) {
            Some((_, other)) => *other == second,
            None => {
                self.places.push((first, second));
                true
            }
        }
    }

    /// Whether a literal of the first call stands elsewhere in the second.
    pub fn moves_places(&self) -> bool {
        self.places.iter().any(|(first, second)| first != second)
    }

    /// Whether a literal that stands here in the first call stands elsewhere in the second.
    pub fn moves(&self, place: Place) -> bool {
        self.places.iter().any(|(first, second)| *first == place && first != second)
    }

    /// Classes that stand for each other and are defined by different statements.
    pub fn other_classes(&self) -> &[(ScopeId, ScopeId)] {
        &self.classes
    }

    /// Notes that a scope which the first call made has a copy.
    pub fn add_made(&mut self, first: ScopeId, copy: ScopeId) {
        self.made.add(first, copy);
    }

    /// The scope of the second call for one of the first.
    pub fn scope(&self, first: ScopeId) -> ScopeId {
        self.made.second(first).or_else(|| self.scopes.second(first)).unwrap_or(first)
    }

    pub fn place(&self, first: Place) -> Place {
        self.places.iter().find(|(known, _)| *known == first).map_or(first, |(_, second)| *second)
    }

    /// Whether everything stands for itself.
    pub fn is_identity(&self) -> bool {
        self.made.few.is_empty()
            && !self.moves_places()
            && self.scopes.few.iter().all(|(first, second)| first == second)
    }
}

/// Whether two alternatives are alike at one look.
fn may_pair(first: &Value<'_>, second: &Value<'_>) -> bool {
    match (first, second) {
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(a, _), Value::Int(b, _)) => a == b,
        (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
        (Value::Text(a), Value::Text(b)) => a.text == b.text,
        (Value::Outside(a), Value::Outside(b)) => a == b,
        (Value::Module(a), Value::Module(b)) => a == b,
        (Value::Folder(a), Value::Folder(b)) => a == b,
        (Value::Function(a), Value::Function(b)) => (a.file, a.function) == (b.file, b.function),
        (Value::Class(a), Value::Class(b)) => (a.file, a.class) == (b.file, b.class),
        (Value::Instance(a), Value::Instance(b)) => {
            (a.class.file, a.class.class) == (b.class.file, b.class.class)
        }
        (Value::Lazy(a), Value::Lazy(b)) => Rc::ptr_eq(a, b),
        (Value::Paused(a), Value::Paused(b)) => {
            (a.closure.file, a.closure.function) == (b.closure.file, b.closure.function)
        }
        (first, second) => std::mem::discriminant(first) == std::mem::discriminant(second),
    }
}

/// Whether neither is there, or both are and correspond.
fn alike<T>(a: &Option<T>, b: &Option<T>, correspond: impl FnOnce(&T, &T) -> bool) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => correspond(a, b),
        _ => false,
    }
}
