//! Conditions that a program asks twice: what was done where the first held is done where the second holds.
//!
//! `if gpu: pin()` and, further down, `if gpu: use()` are two branches, and no path leads through one arm of the
//! first and the other of the second.

use super::Interpreter;
use super::branches::ArmEnd;
use crate::code::{Expr, ExprKind};
use crate::program::heap::Relation;
use crate::program::heap::values::{ScopeId, Value};
use crate::program::state::State;
use crate::program::summaries::Dependency;
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;

/// More decisions than this are not remembered.
const MOST: usize = 16;

/// A condition: its text without `not`, and what its names stand for.
#[derive(Clone, PartialEq, Eq)]
pub struct Condition<'p> {
    text: &'p str,
    roots: Vec<Root>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Root {
    Bound(ScopeId),
    Object(ScopeId),
    Outside(u32),
}

/// A branch that was followed, with what was true where its condition held, where not, and behind it.
#[derive(Clone)]
pub(crate) struct Decision<'p> {
    /// Its number, and that of the arm in which the condition held.
    branch: (u32, u32),
    condition: Condition<'p>,
    /// What it asked: a name, or an object with all that it holds.
    names: Vec<(ScopeId, Option<&'p str>)>,
    /// The variables of the environment that it may have asked for.
    variables: Vec<Rc<str>>,
    held: State,
    failed: State,
    behind: State,
    /// Something was noted in one of its arms.
    noted: bool,
    /// Values that differ between the arms: behind them, where the condition held, and where not.
    values: Vec<[Value<'p>; 3]>,
}

/// The branches that are remembered, the last one last.
#[derive(Default)]
pub(super) struct Decisions<'p> {
    all: VecDeque<Decision<'p>>,
    /// What any of them asked, and some names that only forgotten ones did: most names that are bound are others.
    asked: FxHashSet<(ScopeId, Option<&'p str>)>,
}

impl<'p> Decisions<'p> {
    fn add(&mut self, decision: Decision<'p>) {
        if self.all.len() == MOST {
            self.all.pop_front();
        }
        self.asked.extend(&decision.names);
        self.all.push_back(decision);
    }

    /// Forgets those that asked this name, or the object with all that it holds.
    fn forget(&mut self, scope: ScopeId, name: &'p str) {
        if !self.asked.contains(&(scope, None)) && !self.asked.contains(&(scope, Some(name))) {
            return;
        }
        let concerns =
            |known: &(ScopeId, Option<&str>)| known.0 == scope && known.1.is_none_or(|known| known == name);
        self.all.retain(|decision| !decision.names.iter().any(concerns));
        if self.all.is_empty() {
            self.asked.clear();
        }
    }

    /// Several arms join, each with the branches inside it and the number of its end: of what was decided in one of them
    /// nothing is known on the ways through the others.
    pub(super) fn join_arms(&mut self, arms: &[(Range<u32>, Option<usize>)], ends: &[ArmEnd<'p>]) {
        for decision in &mut self.all {
            let own = |(branches, _): &&(Range<u32>, _)| branches.contains(&decision.branch.0);
            let Some((_, own)) = arms.iter().find(own) else { continue };
            let others = ends.iter().enumerate().filter(|(end, _)| Some(*end) != *own);
            others.for_each(|(_, end)| decision.join_way(&end.state));
        }
    }

    /// A way joins that left before the branches behind this one.
    pub(super) fn join_jump(&mut self, branch: u32, state: &State) {
        let passed = self.all.iter_mut().filter(|decision| decision.branch.0 > branch);
        passed.for_each(|decision| decision.join_way(state));
    }

    fn last_first(&self) -> impl Iterator<Item = &Decision<'p>> {
        self.all.iter().rev()
    }
}

impl<'p> Decision<'p> {
    pub fn states(&self) -> impl Iterator<Item = &State> {
        [&self.held, &self.failed, &self.behind].into_iter()
    }

    /// A way leads past it, to what follows.
    fn join_way(&mut self, way: &State) {
        for state in [&mut self.held, &mut self.failed, &mut self.behind] {
            *state = std::mem::take(state).join(way.clone());
        }
    }

    /// Whether it says more than which values there are.
    pub(super) fn has_effects(&self) -> bool {
        self.noted || self.held != self.behind || self.failed != self.behind
    }

    /// The same, where other objects stand for those that it asked.
    pub(super) fn related(&self, relation: &mut Relation) -> Self {
        let mut decision = self.clone();
        for root in &mut decision.condition.roots {
            if let Root::Bound(scope) | Root::Object(scope) = root {
                *scope = relation.scope(*scope);
            }
        }
        decision.names.iter_mut().for_each(|(scope, _)| *scope = relation.scope(*scope));
        decision.values.iter_mut().flatten().for_each(|value| *value = relation.apply(value));
        decision
    }

    /// The same in another program.
    pub(super) fn carried(
        &self,
        branch: impl Fn((u32, u32)) -> (u32, u32),
        state: impl Fn(&State) -> State,
    ) -> Self {
        Decision {
            branch: branch(self.branch),
            held: state(&self.held),
            failed: state(&self.failed),
            behind: state(&self.behind),
            ..self.clone()
        }
    }
}

impl<'p> Interpreter<'p> {
    /// The condition of a test that gives the same answer when it is asked again, and whether it holds when the
    /// test is true.
    pub(super) fn condition(&self, test: &'p Expr<'p>) -> Option<(Condition<'p>, bool)> {
        if let ExprKind::Not(inner) = &test.kind {
            return self.condition(inner).map(|(condition, holds)| (condition, !holds));
        }
        let mut asks = Questions::default();
        if !is_steady(test, &mut asks) {
            return None;
        }
        let roots = asks.names.iter().map(|name| self.root(name)).collect();
        Some((Condition { text: self.program.sources.text(self.place(test.span)), roots }, true))
    }

    fn root(&self, name: &'p str) -> Root {
        match self.look_up(self.here.scope, name) {
            Some(Value::Instance(instance)) => Root::Object(instance.scope),
            Some(Value::Outside(path)) => Root::Outside(*path),
            _ => Root::Bound(self.scope_of(name).unwrap_or(ScopeId::MAX)),
        }
    }

    /// The namespace in which a name is bound, as seen from here.
    fn scope_of(&self, name: &'p str) -> Option<ScopeId> {
        let mut scope = Some(self.here.scope);
        while let Some(id) = scope {
            if self.in_scope(id, name).is_some() {
                return Some(id);
            }
            scope = self.heap.parent(id);
        }
        None
    }

    /// Remembers what a branch came to.
    pub(super) fn decide(
        &mut self,
        test: &'p Expr<'p>,
        branch: u32,
        before: &State,
        [held, failed]: [State; 2],
        noted: bool,
    ) {
        let Some((condition, holds)) = self.condition(test) else { return };
        let mut asks = Questions::default();
        is_steady(test, &mut asks);
        let variables = self.variables_in(&asks);
        let changes = |arm: &State| variables.iter().any(|variable| arm.is_written_since(before, variable));
        if changes(&held) || changes(&failed) {
            return;
        }
        let names = asks.names;
        let objects = names.iter().filter_map(|name| self.object_named(name)).map(|object| (object, None));
        let objects: Vec<_> = objects.chain(self.objects_in(test)).collect();
        let names = names.into_iter().filter_map(|name| Some((self.scope_of(name)?, Some(name))));
        let names = names.chain(objects).collect();
        let (held, failed) = if holds { (held, failed) } else { (failed, held) };
        let mut values = std::mem::take(&mut self.parted);
        if !holds {
            values.iter_mut().for_each(|value| value.swap(1, 2));
        }
        let branch = (branch, u32::from(!holds));
        let behind = self.state.clone();
        self.remember(Decision { branch, condition, names, variables, held, failed, behind, noted, values });
    }

    /// The texts in a test that may be variables of the environment.
    fn variables_in(&self, asks: &Questions<'p>) -> Vec<Rc<str>> {
        let named = asks.names.iter().filter_map(|name| match self.look_up(self.here.scope, name) {
            Some(Value::Text(text)) => Some(Rc::from(&*text.text)),
            _ => None,
        });
        asks.texts.iter().map(|text| Rc::from(*text)).chain(named).collect()
    }

    /// Those of the branches from this one on that were made.
    pub(super) fn decisions_since(&self, branches: u32) -> Vec<Decision<'p>> {
        self.decisions.all.iter().filter(|decision| decision.branch.0 > branches).cloned().collect()
    }

    pub(super) fn remember(&mut self, decision: Decision<'p>) {
        self.decisions.add(decision);
    }

    /// The object that a name stands for.
    fn object_named(&self, name: &'p str) -> Option<ScopeId> {
        object_of(self.look_up(self.here.scope, name)?)
    }

    /// The objects that a test asks beside those that its names stand for: `config` of `self.config.gpu`.
    fn objects_in(&self, test: &'p Expr<'p>) -> Vec<(ScopeId, Option<&'p str>)> {
        let inside = |part: &'p Expr<'p>| self.objects_in(part);
        match &test.kind {
            ExprKind::Attribute(object, name) => {
                let own = match &object.kind {
                    ExprKind::Name(root) => self
                        .object_named(root)
                        .and_then(|scope| object_of(self.heap.get(scope, name)?))
                        .map(|scope| (scope, None)),
                    _ => None,
                };
                inside(object).into_iter().chain(own).collect()
            }
            ExprKind::Not(part) | ExprKind::Negate(part) => inside(part),
            ExprKind::Compare(_, sides) => [inside(&sides.0), inside(&sides.1)].concat(),
            ExprKind::Item(item) => [inside(&item.0), inside(&item.1)].concat(),
            ExprKind::All(parts) | ExprKind::Any(parts) => parts.iter().flat_map(inside).collect(),
            ExprKind::Call(call) => {
                let arguments = call.arguments.iter().flat_map(|argument| inside(&argument.value));
                inside(&call.callee).into_iter().chain(arguments).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The test, which was just decided, chose between two values.
    pub(super) fn part(&mut self, test: &'p Expr<'p>, mut values: [Value<'p>; 3]) {
        let Some((condition, holds)) = self.condition(test) else { return };
        if let Some(decision) = self.decisions.all.back_mut().filter(|last| last.condition == condition) {
            if !holds {
                values.swap(1, 2);
            }
            decision.values.push(values);
        }
    }

    /// Binds a name in a namespace: what was decided by its old value is asked again.
    pub(super) fn bind_in(&mut self, scope: ScopeId, name: &'p str, value: Value<'p>) {
        self.forget_decisions(scope, name);
        self.heap.bind(scope, name, value);
    }

    pub(super) fn unbind_in(&mut self, scope: ScopeId, name: &'p str) {
        self.forget_decisions(scope, name);
        self.heap.unbind(scope, name);
    }

    /// A name is bound anew: what was decided by it is no longer known.
    pub(super) fn forget_decisions(&mut self, scope: ScopeId, name: &'p str) {
        self.decisions.forget(scope, name);
    }

    /// The condition holds here, or does not, as it did before: what only the other arm did then did not happen.
    pub(super) fn recall(&mut self, condition: &Condition<'p>, holds: bool) {
        let Some(decision) = self.decisions.last_first().find(|known| known.condition == *condition) else {
            return;
        };
        let is_as_it_was = |variable: &Rc<str>| {
            let now = self.state.reaching(variable);
            self.summaries.note(Dependency::Variable(variable.clone(), now.clone()));
            *now == *decision.behind.reaching_in_place(variable)
        };
        if !decision.variables.iter().all(is_as_it_was) {
            return;
        }
        let arm = if holds { &decision.held } else { &decision.failed };
        let (branch, arm_of_held) = decision.branch;
        for name in State::narrowed(arm, &decision.behind) {
            self.summaries.note(Dependency::Variable(name.clone(), self.state.reaching(&name)));
            self.summaries.note(Dependency::Written(name));
        }
        self.state.refine(arm, &decision.behind);
        self.path.push((branch, if holds { arm_of_held } else { 1 - arm_of_held }));
    }

    /// A value that is one thing in one arm of an earlier branch and another in the other: what is true where
    /// `fits` says yes.
    pub(super) fn where_value(
        &mut self,
        value: &Value<'p>,
        fits: impl Fn(&mut Self, &Value<'p>) -> bool,
    ) -> Option<State> {
        let Value::OneOf(wanted) = value else { return None };
        let is_it =
            |parted: &&[Value<'p>; 3]| matches!(&parted[0], Value::OneOf(known) if Rc::ptr_eq(known, wanted));
        let (arms, [_, held, failed]) = self.decisions.last_first().find_map(|decision| {
            let parted = decision.values.iter().find(is_it)?;
            Some(([&decision.held, &decision.failed, &decision.behind].map(State::clone), parted.clone()))
        })?;
        let arm = match (fits(self, &held), fits(self, &failed)) {
            (true, false) => &arms[0],
            (false, true) => &arms[1],
            _ => return None,
        };
        let mut state = self.state.clone();
        state.refine(arm, &arms[2]);
        Some(state)
    }
}

/// The scope of an object that can change.
fn object_of(value: &Value<'_>) -> Option<ScopeId> {
    match value {
        Value::Instance(instance) => Some(instance.scope),
        Value::Class(class) => Some(class.scope),
        Value::Collection(scope) | Value::View(scope, _) => Some(*scope),
        _ => None,
    }
}

/// What a test asks.
#[derive(Default)]
struct Questions<'p> {
    names: Vec<&'p str>,
    /// Any of them may be a variable of the environment.
    texts: Vec<&'p str>,
}

/// Whether an expression gives the same value again as long as its names stay bound to the same, and the variables keep what
/// they hold; collects them.
fn is_steady<'p>(expr: &'p Expr<'p>, asks: &mut Questions<'p>) -> bool {
    const ASKING: &[&str] = &[
        "isinstance",
        "hasattr",
        "len",
        "bool",
        "startswith",
        "endswith",
        "lower",
        "strip",
        "int",
        "is_file",
        "exists",
        "get",
    ];
    match &expr.kind {
        ExprKind::Name(name) => {
            asks.names.push(name);
            true
        }
        ExprKind::Text(text) => {
            asks.texts.push(text);
            true
        }
        ExprKind::Attribute(object, _) => is_steady(object, asks),
        ExprKind::None | ExprKind::Bool(_) | ExprKind::Int(_) => true,
        ExprKind::Not(inner) | ExprKind::Negate(inner) => is_steady(inner, asks),
        ExprKind::Compare(_, sides) => is_steady(&sides.0, asks) && is_steady(&sides.1, asks),
        ExprKind::Item(item) => is_steady(&item.0, asks) && is_steady(&item.1, asks),
        ExprKind::All(parts) | ExprKind::Any(parts) => parts.iter().all(|part| is_steady(part, asks)),
        ExprKind::Call(call) => {
            let is_question = matches!(&call.callee.kind,
                ExprKind::Name(name) | ExprKind::Attribute(_, name) if ASKING.contains(name));
            let steady = match &call.callee.kind {
                ExprKind::Attribute(object, _) => is_steady(object, asks),
                _ => true,
            };
            is_question && steady && call.arguments.iter().all(|argument| is_steady(&argument.value, asks))
        }
        _ => false,
    }
}
