//! Branches: each arm is followed from the same state, and the states join afterwards.

use super::{Flow, Run};
use crate::code::{Comparison, Expr, ExprKind};
use crate::program::heap::Change;
use crate::program::heap::values::{ScopeId, Value};
use crate::program::state::{Definition, Reaching, State};

/// How one arm ended: the state, and the variables that it changed.
#[derive(Clone)]
pub(super) struct Outcome<'p> {
    pub state: State,
    pub changes: Vec<Change<'p>>,
}

impl<'p> Outcome<'p> {
    /// What the arm made of a variable; `None` when it left it alone.
    fn changed(&self, scope: ScopeId, name: &str) -> Option<&Option<Value<'p>>> {
        let same = |(known, known_name, _): &&(ScopeId, &'p str, _)| *known == scope && *known_name == name;
        self.changes.iter().find(same).map(|(_, _, value)| value)
    }
}

/// What a condition says about an environment variable when it holds.
pub(super) struct Presence {
    pub variable: String,
    pub when_true: bool,
    /// Only this outcome of the condition says anything: `"X" in os.environ and ready`, `get("X") == "0"`.
    pub says_when: Option<bool>,
}

/// One arm of a branch.
pub(super) type ArmRun<'a, 'p> = Box<dyn FnOnce(&mut Run<'p>) + 'a>;

impl<'p> Run<'p> {
    /// Follows each arm from the state as it is now, none of them certainly, and joins what comes out.
    pub(super) fn alternatives(&mut self, arms: Vec<ArmRun<'_, 'p>>) {
        let before = self.state.clone();
        let (mut outcomes, outer) = (Vec::new(), self.ways_out);
        let mut ways_out = outer;
        self.branches += 1;
        let branch = self.branches;
        for (number, arm) in arms.into_iter().enumerate() {
            self.state = before.clone();
            let mark = self.heap.begin_arm();
            self.uncertain += 1;
            let way = self.path.len();
            self.path.push((branch, number as u32));
            arm(self);
            self.path.truncate(way);
            self.uncertain -= 1;
            let changes = self.heap.end_arm(mark);
            let outcome = Outcome { state: std::mem::take(&mut self.state), changes };
            if self.ends_program() {
                self.trace.ended.insert((branch, number as u32));
                self.ended.push((branch, number as u32));
            }
            let inner = std::mem::replace(&mut self.ways_out, outer);
            ways_out.of_function |= inner.of_function || self.flow == Flow::Return;
            ways_out.of_loop |= inner.of_loop || matches!(self.flow, Flow::Break | Flow::Continue);
            let exits = std::mem::take(&mut self.exits) && self.flow == Flow::Raise;
            self.summaries.exited += usize::from(exits);
            ways_out.of_program |= inner.of_program || exits;
            match std::mem::replace(&mut self.flow, Flow::Next) {
                Flow::Next => outcomes.push(outcome),
                Flow::Return => self.here.exits.push(outcome),
                Flow::Break => self.loops.last_mut().into_iter().for_each(|it| it.left.push(outcome.clone())),
                Flow::Continue => {
                    self.loops.last_mut().into_iter().for_each(|it| it.continued.push(outcome.clone()));
                }
                Flow::Raise => {
                    self.summaries.raised += 1;
                    self.catches.last_mut().into_iter().for_each(|exits| exits.push(outcome.clone()))
                }
                Flow::Gone => {}
            }
        }
        self.state = before;
        if outcomes.is_empty() {
            self.flow = Flow::Gone;
        } else {
            self.ways_out = ways_out;
            self.join(outcomes);
        }
    }

    /// Whether nothing more runs: an exception that nobody catches, or `return` outside of functions.
    fn ends_program(&self) -> bool {
        let is_script = self.active.is_empty() && self.callers.is_empty() && self.runs_one_script();
        self.flow == Flow::Raise && self.catches.is_empty() || self.flow == Flow::Return && is_script
    }

    /// Continues from several ways at once.
    pub(super) fn join(&mut self, outcomes: Vec<Outcome<'p>>) {
        let mut joined_values = Vec::new();
        self.parted.clear();
        for (index, outcome) in outcomes.iter().enumerate() {
            for (scope, name, _) in &outcome.changes {
                // Seen with the first outcome that changes it.
                if outcomes[..index].iter().any(|earlier| earlier.changed(*scope, name).is_some()) {
                    continue;
                }
                let before = self.in_scope(*scope, name);
                // A name bound on some paths only is what it is bound to there: elsewhere its use fails.
                let bound = outcomes.iter().filter_map(|outcome| match outcome.changed(*scope, name) {
                    Some(value) => value.as_ref(),
                    None => before,
                });
                let joined = Value::one_of_refs(bound);
                if let ([one, other], Some(joined @ Value::OneOf(_))) = (&outcomes[..], &joined) {
                    let in_arm = |outcome: &Outcome<'p>| match outcome.changed(*scope, name) {
                        Some(value) => value.clone(),
                        None => before.cloned(),
                    };
                    if let (Some(one), Some(other)) = (in_arm(one), in_arm(other)) {
                        self.parted.push([joined.clone(), one, other]);
                    }
                }
                joined_values.push((*scope, *name, joined));
            }
        }
        self.bind_all(joined_values);
        let joined = outcomes.into_iter().map(|outcome| outcome.state).reduce(State::join);
        self.state = joined.unwrap_or_default();
    }

    /// Binds names to what they have come to elsewhere, and unbinds those that have come to nothing.
    pub(super) fn bind_all(&mut self, changes: Vec<Change<'p>>) {
        for (scope, name, value) in changes {
            match value {
                Some(value) => self.bind_in(scope, name, value),
                None => self.unbind_in(scope, name),
            }
        }
    }

    /// Follows `then` or `otherwise`, or both when the test is not understood.
    pub(super) fn branch(
        &mut self,
        test: &'p Expr<'p>,
        then: impl FnOnce(&mut Run<'p>),
        otherwise: impl FnOnce(&mut Run<'p>),
    ) {
        let asked_before = std::mem::replace(&mut self.asked_count, false);
        let value = self.eval(test);
        let counts = std::mem::replace(&mut self.asked_count, asked_before);
        if self.flow != Flow::Next {
            return;
        }
        let value = self.settle(value);
        let presence = self.presence(test);
        let truth = self
            .truth(&value)
            .or_else(|| presence.as_ref().and_then(|presence| self.known_presence(presence)));
        if let Some(truth) = truth {
            return if truth { then(self) } else { otherwise(self) };
        }
        let counted_before = self.state.counted;
        let read = presence.as_ref().map(|presence| self.reaching(&presence.variable)).unwrap_or_default();
        self.state.counted |= counts;
        let condition = self.condition(test);
        let depth = self.path.len();
        let recall = |run: &mut Run<'p>, holds: bool| {
            if let Some((condition, when_true)) = &condition {
                run.recall(condition, holds == *when_true);
            }
        };
        let events = self.trace.events.len();
        let mut branch = 0;
        let mut ends = [None, None];
        let [first, second] = &mut ends;
        let refine = |run: &mut Run<'p>, holds: bool| {
            if let Some(presence) = &presence {
                run.assume(presence, holds);
            }
        };
        self.alternatives(vec![
            Box::new(|run| {
                recall(run, true);
                refine(run, true);
                then(run);
                branch = run.path.get(depth).map_or(0, |(branch, _)| *branch);
                *first = (run.flow == Flow::Next).then(|| run.state.clone());
            }),
            Box::new(|run| {
                recall(run, false);
                refine(run, false);
                otherwise(run);
                *second = (run.flow == Flow::Next).then(|| run.state.clone());
            }),
        ]);
        if let [Some(held), Some(failed)] = ends {
            self.state.counted = counted_before;
            if let Some(presence) = &presence {
                self.forget_assumption(presence, read);
            }
            self.decide(test, branch, [held, failed], self.trace.events.len() > events);
        }
    }

    fn known_presence(&mut self, presence: &Presence) -> Option<bool> {
        let reaching = self.reaching(&presence.variable);
        let set = reaching.iter().all(|definition| matches!(definition, Definition::Set(..)));
        // "Unset" means only that the program did not set it; the caller may have.
        (set && presence.says_when.is_none()).then_some(presence.when_true)
    }

    /// In this arm the variable is present, or absent.
    pub(super) fn assume(&mut self, presence: &Presence, holds: bool) {
        if presence.says_when.is_some_and(|outcome| outcome != holds) {
            return;
        }
        let present = holds == presence.when_true;
        let mut reaching = self.reaching(&presence.variable);
        reaching.retain(|definition| definition.is_absent() != present);
        if reaching.is_empty() {
            reaching.push(if present { Definition::Elsewhere } else { Definition::Unset });
        }
        self.set_reaching(&presence.variable, reaching);
    }

    /// A condition that both its arms leave behind says nothing of a variable that neither of them set.
    pub(super) fn forget_assumption(&mut self, presence: &Presence, before: Reaching) {
        let now = self.reaching(&presence.variable);
        let rest: Reaching = now.iter().filter(|it| **it != Definition::Elsewhere).cloned().collect();
        if rest == before {
            self.set_reaching(&presence.variable, before);
        }
    }

    /// Recognises `"X" in os.environ`, `os.environ.get("X") is None`, `not os.getenv("X")` and the like.
    pub(super) fn presence(&mut self, test: &'p Expr<'p>) -> Option<Presence> {
        match &test.kind {
            ExprKind::Not(inner) => {
                let inner = self.presence(inner)?;
                let says_when = inner.says_when.map(|holds| !holds);
                Some(Presence { when_true: !inner.when_true, says_when, ..inner })
            }
            ExprKind::Compare(operator, sides) => {
                let (left, right) = &**sides;
                let when_true = matches!(operator, Comparison::In | Comparison::IsNot | Comparison::NotEqual);
                match operator {
                    Comparison::In | Comparison::NotIn => {
                        let environ = self.eval_quietly(right);
                        if !self.is_environ(&environ) {
                            return None;
                        }
                        let variable = match &left.kind {
                            ExprKind::Text(variable) => variable.to_string(),
                            _ => match self.eval_quietly(left) {
                                Value::Text(text) => text.text.to_string(),
                                _ => return None,
                            },
                        };
                        Some(Presence { variable, when_true, says_when: None })
                    }
                    Comparison::Is | Comparison::IsNot | Comparison::Equal | Comparison::NotEqual => {
                        let empty = matches!(right.kind, ExprKind::None | ExprKind::Int(0))
                            || matches!(&right.kind, ExprKind::Text(text) if text.is_empty());
                        let literal = matches!(&right.kind, ExprKind::Text(_));
                        let read = self.eval_quietly(measured(left));
                        let variable = self.presence_read(&read).filter(|_| empty || literal)?;
                        let when_true = when_true == empty;
                        Some(Presence { variable, when_true, says_when: (!empty).then_some(when_true) })
                    }
                    // `len(read) > 0`
                    Comparison::Greater | Comparison::GreaterOrEqual => {
                        let least = i64::from(*operator == Comparison::GreaterOrEqual);
                        let any = matches!(right.kind, ExprKind::Int(bound) if bound == least);
                        let read = self.eval_quietly(measured(left));
                        let variable = self.presence_read(&read).filter(|_| any)?;
                        Some(Presence { variable, when_true: true, says_when: None })
                    }
                    _ => None,
                }
            }
            ExprKind::All(parts) => {
                let found = parts.iter().find_map(|part| self.presence(part))?;
                let speaks = found.says_when.is_none_or(|holds| holds);
                speaks.then_some(Presence { says_when: Some(true), ..found })
            }
            ExprKind::Name(_) | ExprKind::Call(_) | ExprKind::Item(_) | ExprKind::Variable(_) => {
                let read = self.eval_quietly(measured(test));
                let variable = self.presence_read(&read)?;
                Some(Presence { variable, when_true: true, says_when: None })
            }
            _ => None,
        }
    }

    /// The variable that was read with nothing, or an empty text, for the case that it is not set.
    fn presence_read(&self, read: &Value<'p>) -> Option<String> {
        let other = |value: &Value<'p>| matches!(value, Value::Outside(_)) || value.truth() == Some(false);
        if read.alternatives().iter().all(other) { self.variable_read(read) } else { None }
    }

    /// Evaluates again an expression that was already evaluated, without noting anything.
    fn eval_quietly(&mut self, expr: &'p Expr<'p>) -> Value<'p> {
        match &expr.kind {
            ExprKind::Name(_) | ExprKind::Attribute(..) | ExprKind::Variable(_) => {}
            // Only the reading calls are worth it, and they do nothing else.
            ExprKind::Call(call) if self.reads_environment(call) => {}
            ExprKind::Item(item) if matches!(item.1.kind, ExprKind::Text(_)) => {}
            _ => return Value::Unknown,
        }
        self.quiet += 1;
        let value = self.eval(expr);
        self.quiet -= 1;
        value
    }
}

/// What `len(…)` measures and `….strip()` begins with; anything else is itself.
fn measured<'e, 's>(expr: &'e Expr<'s>) -> &'e Expr<'s> {
    match &expr.kind {
        ExprKind::Call(call) => match (&call.callee.kind, &call.arguments[..]) {
            (ExprKind::Name("len"), [argument]) => measured(&argument.value),
            (ExprKind::Attribute(text, "strip"), []) => text,
            _ => expr,
        },
        _ => expr,
    }
}
