//! What a call made, to be made again where the call is not followed again: each call returns objects of its own.

use super::values::{ClassValue, Closure, Instance, Paused, ScopeId, Source, Stream, Text, Value};
use super::{BACKDATED, Heap, Recording, Relation, Scope};
use rustc_hash::FxHashSet;
use std::cell::RefCell;
use std::rc::Rc;

/// Scopes as they were, the oldest first.
type Scopes<'p> = Vec<(ScopeId, Scope<'p>)>;

/// Scopes that a call made and left to others, as they were at its end.
#[derive(Default)]
pub(crate) struct MadeObjects<'p> {
    /// Of a module: what those made that it imported, as they left it.
    parts: Vec<Rc<MadeObjects<'p>>>,
    /// All others, and those of the parts that were changed since.
    scopes: RefCell<Scopes<'p>>,
    /// Which of them are classes whose bodies were left for later.
    waiting: RefCell<Vec<usize>>,
    /// Of a module: the scopes made before it that its own refer to.
    older: Vec<ScopeId>,
}

/// A call that leaves more objects than this is followed again: they are made anew each time.
const FEW_MADE: usize = 64;
/// What a part of a module leaves is only put back.
const MANY_MADE: usize = 1 << 18;

impl<'p> Heap<'p> {
    /// The scopes that a call made and that are reached from these values; `None` when they are too many.
    pub fn made_by_call<'v>(
        &self,
        recording: &Recording,
        roots: impl Iterator<Item = &'v Value<'p>>,
        scopes: impl Iterator<Item = ScopeId>,
    ) -> Option<MadeObjects<'p>>
    where
        'p: 'v,
    {
        let mut pending: Vec<ScopeId> = scopes.collect();
        roots.for_each(|root| each_scope(root, &mut |scope| pending.push(scope)));
        let (made, _) = self.reached(pending, FEW_MADE, |scope| scope.born > recording.clock)?;
        Some(MadeObjects::of(made))
    }

    /// The same for a module or a part of one. What is in it is not looked through again for those that import it, unless it
    /// changes.
    pub fn made_by_module<'v>(
        &mut self,
        recording: &Recording,
        roots: impl Iterator<Item = &'v Value<'p>>,
        scopes: impl Iterator<Item = ScopeId>,
    ) -> Option<Rc<MadeObjects<'p>>>
    where
        'p: 'v,
    {
        let mut pending: Vec<ScopeId> = scopes.collect();
        roots.for_each(|root| each_scope(root, &mut |scope| pending.push(scope)));
        let parts = self.parts[recording.parts..].to_vec();
        pending.extend(&self.changed[recording.changed..]);
        pending.extend(parts.iter().flat_map(|part| &part.older));
        let is_own = |scope: &Scope<'p>| scope.born > recording.clock && !scope.is_in_part(recording);
        let (made, left) = self.reached(pending, MANY_MADE, is_own)?;
        let is_older = |scope: &ScopeId| self.is_older(*scope, recording.clock);
        let older = left.into_iter().filter(is_older).collect();
        let made = Rc::new(MadeObjects { parts, older, ..MadeObjects::of(made) });
        self.parts.truncate(recording.parts);
        self.add_part(&made);
        Some(made)
    }

    /// Scopes of which something is true that are reached from these through others of which it is; with the first on each
    /// way of which it is not.
    fn reached(
        &self,
        mut pending: Vec<ScopeId>,
        most: usize,
        is_own: impl Fn(&Scope<'p>) -> bool,
    ) -> Option<(Scopes<'p>, Vec<ScopeId>)> {
        let mut steps = 0;
        let (mut own, mut others) = (Vec::new(), Vec::new());
        let mut seen = FxHashSet::default();
        while let Some(id) = pending.pop() {
            if !seen.insert(id) {
                continue;
            }
            let scope = &self.scopes[id as usize];
            if !is_own(scope) {
                others.push(id);
                continue;
            }
            steps += scope.slots.len() + 1;
            if own.len() == most || steps > 16 * most {
                return None;
            }
            pending.extend(scope.parent);
            let values = scope.slots.values();
            values.for_each(|value| each_scope(value, &mut |scope| pending.push(scope)));
            own.push((id, scope.clone()));
        }
        own.sort_by_key(|(_, scope)| scope.born);
        Some((own, others))
    }

    /// Takes what a module made for one part of those that imported it.
    fn add_part(&mut self, made: &Rc<MadeObjects<'p>>) {
        self.clock += 1;
        for (id, _) in made.scopes.borrow().iter() {
            self.scopes[*id as usize].summed = self.clock;
        }
        self.parts.push(made.clone());
    }

    /// Lets what a module made keep its numbers when the program is over.
    pub fn keep_made(&mut self, made: &MadeObjects<'p>) {
        made.scopes.borrow().iter().for_each(|(id, _)| self.keep(*id));
    }

    /// Takes over what came to be known later and was so before: the names of classes that were left waiting, where none was
    /// bound anew since.
    pub fn refresh(&self, made: &MadeObjects<'p>) {
        made.parts.iter().for_each(|part| self.refresh(part));
        let mut scopes = made.scopes.borrow_mut();
        made.waiting.borrow_mut().retain(|index| {
            let (id, scope) = &mut scopes[*index];
            let now = &self.scopes[*id as usize];
            let is_as_it_began = now.slots.iter().all(|(_, slot)| slot.version == BACKDATED);
            if !now.waits && now.born == scope.born && is_as_it_began {
                scope.waits = false;
                now.slots.iter().for_each(|(name, slot)| _ = scope.slots.insert(name, slot.clone()));
            }
            scope.waits
        });
    }

    /// The same for all that modules made in the running program.
    pub fn refresh_parts(&self) {
        self.parts.iter().for_each(|part| self.refresh(part));
    }

    /// Whether this program made one of these objects: what a module made that ran in an arm of a branch is still there when
    /// it runs again behind the branch, and is not to be made over.
    pub fn has_made(&self, made: &MadeObjects<'p>) -> bool {
        made.scopes.borrow().iter().any(|(id, _)| self.scopes[*id as usize].born > 0)
            || made.parts.iter().any(|part| self.has_made(part))
    }

    /// Makes what a module or a part of one made in another program, with the same numbers and versions.
    pub fn make_as_before(&mut self, made: &Rc<MadeObjects<'p>>, relation: &Relation) {
        let is_same = relation.is_identity();
        self.put_back(made, (!is_same).then_some(relation));
        if is_same {
            self.parts.push(made.clone());
        }
    }

    fn put_back(&mut self, made: &MadeObjects<'p>, relation: Option<&Relation>) {
        made.parts.iter().for_each(|part| self.put_back(part, relation));
        for (id, scope) in made.scopes.borrow_mut().iter_mut() {
            self.renew(*id, scope.loops);
            let born = self.clock;
            scope.born = born;
            let mut again = Scope { is_kept: true, summed: born, ..scope.clone() };
            if let Some(relation) = relation {
                again.summed = 0;
                again.parent = scope.parent.map(|parent| relation.scope(parent));
                for slot in again.slots.values_mut() {
                    slot.value = slot.value.as_ref().map(|value| relation.apply(value));
                    slot.version = born;
                }
            }
            self.scopes[*id as usize] = again;
        }
    }

    /// Makes what a call made once more, with so many more loops around it.
    pub fn make_again(&mut self, made: &MadeObjects<'p>, relation: &mut Relation, loops: isize) {
        let scopes = made.scopes.borrow();
        for (id, scope) in scopes.iter() {
            let copy = self.make(None, scope.is_class, scope.loops.saturating_add_signed(loops));
            self.scopes[copy as usize].is_captured = scope.is_captured;
            self.scopes[copy as usize].waits = scope.waits;
            relation.add_made(*id, copy);
        }
        for (id, scope) in scopes.iter() {
            let copy = relation.scope(*id);
            self.scopes[copy as usize].parent = scope.parent.map(|parent| relation.scope(parent));
            for (name, slot) in scope.slots.iter() {
                if let Some(value) = slot.held() {
                    self.bind(copy, name, relation.apply(&value));
                }
            }
        }
    }
}

impl<'p> MadeObjects<'p> {
    fn of(scopes: Scopes<'p>) -> Self {
        let waiting = scopes.iter().enumerate().filter(|(_, (_, scope))| scope.waits);
        let waiting = RefCell::new(waiting.map(|(index, _)| index).collect());
        MadeObjects { waiting, scopes: RefCell::new(scopes), ..MadeObjects::default() }
    }

    pub fn is_empty(&self) -> bool {
        self.parts.is_empty() && self.scopes.borrow().is_empty()
    }
}

impl Scope<'_> {
    /// Whether it was summed up with what a module made that was imported since, and is as it was then.
    fn is_in_part(&self, recording: &Recording) -> bool {
        self.summed > recording.clock && self.version <= self.summed
    }
}

/// Whether a value refers to a scope by itself.
pub(crate) fn refers_to_scopes(value: &Value<'_>) -> bool {
    let mut refers = false;
    each_scope(value, &mut |_| refers = true);
    refers
}

/// The scopes that a value refers to by itself.
pub(super) fn each_scope<'p>(value: &Value<'p>, visit: &mut dyn FnMut(ScopeId)) {
    match value {
        Value::Sequence(values) | Value::OneOf(values) => {
            values.iter().for_each(|value| each_scope(value, visit));
        }
        Value::Mapping(items) => items.iter().for_each(|(key, value)| {
            each_scope(key, visit);
            each_scope(value, visit);
        }),
        Value::Function(closure) => each_of_closure(closure, visit),
        Value::Class(class) => each_of_class(class, visit),
        Value::Instance(instance) => {
            visit(instance.scope);
            each_of_class(&instance.class, visit);
        }
        Value::Collection(scope) | Value::View(scope, _) => visit(*scope),
        Value::Paused(paused) => {
            visit(paused.scope);
            each_of_closure(&paused.closure, visit);
        }
        Value::Stream(stream) => {
            visit(stream.state);
            match &stream.source {
                Source::Expression { scope, first, .. } => {
                    visit(*scope);
                    each_scope(first, visit);
                }
                Source::Factory(inner)
                | Source::Elements(inner)
                | Source::Numbered(inner, _)
                | Source::First(inner, _) => each_scope(inner, visit),
                Source::Calls { function, columns, .. } => {
                    each_scope(function, visit);
                    columns.iter().for_each(|column| each_scope(column, visit));
                }
                Source::Zip(parts) | Source::Chain(parts) => {
                    parts.iter().for_each(|part| each_scope(part, visit));
                }
            }
        }
        _ => {}
    }
}

fn each_of_closure<'p>(closure: &Closure<'p>, visit: &mut dyn FnMut(ScopeId)) {
    visit(closure.scope);
    let values = closure.bound.iter().chain(&closure.held).chain(&closure.inside);
    values.chain(closure.defaults.iter().flatten()).for_each(|value| each_scope(value, visit));
    closure.class.iter().for_each(|class| each_of_class(class, visit));
    closure.setter.iter().chain(&closure.deleter).for_each(|part| each_of_closure(part, visit));
    closure.results.iter().chain(&closure.dispatch).for_each(|kept| visit(*kept));
}

fn each_of_class<'p>(class: &ClassValue<'p>, visit: &mut dyn FnMut(ScopeId)) {
    visit(class.scope);
    class.bases.iter().for_each(|base| each_scope(base, visit));
    class.metaclass.iter().for_each(|metaclass| each_of_class(metaclass, visit));
}

impl Relation {
    /// A value of the first call, as the second has it.
    pub fn apply<'p>(&self, value: &Value<'p>) -> Value<'p> {
        if self.is_identity() {
            return value.clone();
        }
        let each = |values: &[Value<'p>]| values.iter().map(|value| self.apply(value)).collect::<Vec<_>>();
        match value {
            Value::Int(number, place) => Value::Int(*number, self.place(*place)),
            Value::Text(text) if self.place(text.place) != text.place => Value::Text(Rc::new(Text {
                text: text.text.clone(),
                place: self.place(text.place),
                ..**text
            })),
            Value::Sequence(values) => Value::Sequence(Rc::new(each(values))),
            Value::OneOf(values) => Value::OneOf(Rc::new(each(values))),
            Value::Mapping(items) => {
                let items = items.iter().map(|(key, value)| (self.apply(key), self.apply(value)));
                Value::Mapping(Rc::new(items.collect()))
            }
            Value::Function(closure) => Value::Function(self.closure(closure)),
            Value::Class(class) => Value::Class(self.class(class)),
            Value::Instance(instance) => {
                let (class, scope) = (self.class(&instance.class), self.scope(instance.scope));
                Value::Instance(Rc::new(Instance { class, scope }))
            }
            Value::Collection(scope) => Value::Collection(self.scope(*scope)),
            Value::View(scope, part) => Value::View(self.scope(*scope), *part),
            Value::Paused(paused) => {
                let (closure, scope) = (self.closure(&paused.closure), self.scope(paused.scope));
                Value::Paused(Rc::new(Paused { closure, scope }))
            }
            Value::Stream(stream) => Value::Stream(Rc::new(Stream {
                source: self.source(&stream.source),
                state: self.scope(stream.state),
            })),
            value => value.clone(),
        }
    }

    fn closure<'p>(&self, closure: &Rc<Closure<'p>>) -> Rc<Closure<'p>> {
        let each = |values: &[Value<'p>]| values.iter().map(|value| self.apply(value)).collect::<Vec<_>>();
        let defaults = closure.defaults.iter().map(|value| value.as_ref().map(|value| self.apply(value)));
        Rc::new(Closure {
            scope: self.scope(closure.scope),
            defaults: defaults.collect(),
            bound: closure.bound.as_ref().map(|bound| self.apply(bound)),
            held: each(&closure.held),
            class: closure.class.as_ref().map(|class| self.class(class)),
            inside: each(&closure.inside),
            setter: closure.setter.as_ref().map(|setter| self.closure(setter)),
            deleter: closure.deleter.as_ref().map(|deleter| self.closure(deleter)),
            results: closure.results.map(|results| self.scope(results)),
            dispatch: closure.dispatch.map(|table| self.scope(table)),
            ..Closure::clone(closure)
        })
    }

    fn class<'p>(&self, class: &Rc<ClassValue<'p>>) -> Rc<ClassValue<'p>> {
        if !self.moves_class(class) {
            return class.clone();
        }
        Rc::new(ClassValue {
            scope: self.scope(class.scope),
            bases: class.bases.iter().map(|base| self.apply(base)).collect(),
            metaclass: class.metaclass.as_ref().map(|metaclass| self.class(metaclass)),
            marks: class.marks.clone(),
            ..**class
        })
    }

    /// Whether the second call has another class, or one with other bases.
    fn moves_class(&self, class: &ClassValue<'_>) -> bool {
        let moves = |base: &Value<'_>| match base {
            Value::Class(base) => self.moves_class(base),
            _ => false,
        };
        self.scope(class.scope) != class.scope
            || class.bases.iter().any(moves)
            || class.metaclass.as_ref().is_some_and(|metaclass| self.moves_class(metaclass))
    }

    fn source<'p>(&self, source: &Source<'p>) -> Source<'p> {
        let each = |values: &[Value<'p>]| values.iter().map(|value| self.apply(value)).collect::<Vec<_>>();
        match source {
            Source::Expression { comprehension, file, scope, first, span } => Source::Expression {
                comprehension,
                file: *file,
                scope: self.scope(*scope),
                first: self.apply(first),
                span: *span,
            },
            Source::Factory(function) => Source::Factory(self.apply(function)),
            Source::Calls { function, columns, keeps } => {
                Source::Calls { function: self.apply(function), columns: each(columns), keeps: *keeps }
            }
            Source::Elements(held) => Source::Elements(self.apply(held)),
            Source::Zip(columns) => Source::Zip(each(columns)),
            Source::Numbered(inner, first) => Source::Numbered(self.apply(inner), *first),
            Source::Chain(parts) => Source::Chain(each(parts)),
            Source::First(inner, count) => Source::First(self.apply(inner), *count),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Relation;
    use crate::facts::FileId;
    use crate::program::heap::values::{ClassValue, ScopeId, Value};
    use std::rc::Rc;

    fn class<'p>(scope: ScopeId, bases: Vec<Value<'p>>) -> Rc<ClassValue<'p>> {
        let (file, marks) = (FileId(0), Rc::default());
        let (dataclass, counts_devices) = (false, false);
        Rc::new(ClassValue {
            file,
            class: Some(0),
            scope,
            bases,
            metaclass: None,
            dataclass,
            fields: Default::default(),
            counts_devices,
            marks,
        })
    }

    #[test]
    fn a_class_that_stays_gets_the_bases_of_the_second_call() {
        let mut relation = Relation::default();
        relation.add_made(1, 7);
        let related = |value: Value<'static>| match relation.apply(&value) {
            Value::Class(class) => class,
            other => panic!("{other:?} is no class"),
        };
        let middle = class(2, vec![Value::Class(class(1, Vec::new()))]);
        let last = related(Value::Class(class(3, vec![Value::Class(middle)])));
        let Value::Class(middle) = &last.bases[0] else { panic!("it has a base") };
        let Value::Class(first) = &middle.bases[0] else { panic!("it has a base") };
        assert_eq!([last.scope, middle.scope, first.scope], [3, 2, 7]);
        let other = class(4, vec![Value::Class(class(5, Vec::new()))]);
        assert!(Rc::ptr_eq(&related(Value::Class(other.clone())), &other));
    }
}
