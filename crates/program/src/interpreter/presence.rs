//! Conditions that say whether an environment variable is set: in each arm it is then, or is not.

use super::Interpreter;
use crate::code::{Comparison, Expr, ExprKind};
use crate::program::heap::values::Value;
use crate::program::launches::OF_RANKS;
use crate::program::state::{Definition, Reaching};

/// What a condition says about an environment variable when it holds.
pub(super) struct VariablePresence {
    pub variable: String,
    pub when_true: bool,
    /// Only this outcome of the condition says anything: `"X" in os.environ and ready`, `get("X") == "0"`.
    pub says_when: Option<bool>,
    /// The variable was read before, and a name holds what it gave.
    pub earlier: bool,
}

/// What the parts of a test came to when it was evaluated.
#[derive(Clone, Default)]
pub(super) struct TestedParts<'p>(Vec<(&'p Expr<'p>, Value<'p>)>);

impl<'p> TestedParts<'p> {
    /// Whether the parts came to the same in another evaluation.
    pub fn is_same(&self, other: &Self, run: &Interpreter<'p>) -> bool {
        let same = |((one, value), (other, known)): (&(&Expr<'p>, Value<'p>), &(&Expr<'p>, Value<'p>))| {
            std::ptr::eq(*one, *other) && run.whole_contents(value).same(known)
        };
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(same)
    }

    /// The values as they are now, whatever becomes of collections.
    pub fn at_this_moment(mut self, run: &Interpreter<'p>) -> Self {
        self.0.iter_mut().for_each(|(_, value)| *value = run.whole_contents(value));
        self
    }

    pub fn note(&mut self, part: &'p Expr<'p>, value: &Value<'p>) {
        self.0.push((part, value.clone()));
    }

    /// The last value of a part; unknown where it was not evaluated, or reads nothing.
    fn value(&self, part: &'p Expr<'p>) -> Value<'p> {
        if !may_read(part) {
            return Value::Unknown;
        }
        let found = self.0.iter().rev().find(|(known, _)| std::ptr::eq(*known, part));
        found.map_or(Value::Unknown, |(_, value)| value.clone())
    }
}

impl<'p> Interpreter<'p> {
    /// Evaluates a test, with what its parts came to.
    pub(super) fn eval_test(&mut self, test: &'p Expr<'p>) -> (Value<'p>, TestedParts<'p>) {
        let outer = self.here.tested.replace(TestedParts::default());
        let value = self.eval(test);
        let tested = std::mem::replace(&mut self.here.tested, outer).unwrap_or_default();
        if let Some(outer) = &mut self.here.tested {
            outer.0.extend(tested.0.iter().cloned());
        }
        (value, tested)
    }

    /// Whether a condition holds because of what reaches here.
    pub(super) fn known_presence(&mut self, presence: &VariablePresence) -> Option<bool> {
        let reaching = self.reaching(&presence.variable);
        // A launcher of several processes sets these in each of them.
        let of_ranks = OF_RANKS.contains(&presence.variable.as_str());
        let is_set = |definition: &Definition| {
            matches!(definition, Definition::Set(..))
                || of_ranks && matches!(definition, Definition::Elsewhere)
        };
        let set = reaching.iter().all(is_set);
        // "Unset" means only that the program did not set it; the caller may have.
        (set && presence.says_when.is_none()).then_some(presence.when_true)
    }

    /// Whether a launcher of several processes has set the variable in this one.
    pub(super) fn is_set_by_launcher(&mut self, variable: &str) -> bool {
        OF_RANKS.contains(&variable)
            && self.reaching(variable).iter().all(|definition| *definition == Definition::Elsewhere)
    }

    /// In this arm the variable is present, or absent.
    pub(super) fn assume(&mut self, presence: &VariablePresence, holds: bool) {
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
    pub(super) fn forget_assumption(&mut self, presence: &VariablePresence, before: Reaching) {
        let now = self.reaching(&presence.variable);
        let rest: Reaching = now.iter().filter(|it| **it != Definition::Elsewhere).cloned().collect();
        if rest == before {
            self.set_reaching(&presence.variable, before);
        }
    }

    /// What a condition says about a variable of the environment as it is now.
    pub(super) fn presence(
        &mut self,
        test: &'p Expr<'p>,
        tested: &TestedParts<'p>,
    ) -> Option<VariablePresence> {
        let mut presence = self.condition_on_variable(test, tested)?;
        presence.variable = self.state.as_shown(&presence.variable);
        // What is known now is not what was read then: `old = os.environ.get("X")`, then `os.environ["X"] = "1"`.
        let is_changed =
            |definition: &Definition| matches!(definition, Definition::Set(..) | Definition::Removed(_));
        let is_stale = presence.earlier && self.reaching(&presence.variable).iter().all(is_changed);
        (!is_stale).then_some(presence)
    }

    /// Recognises `"X" in os.environ`, `os.environ.get("X") is None`, `not os.getenv("X")` and the like.
    fn condition_on_variable(
        &self,
        test: &'p Expr<'p>,
        tested: &TestedParts<'p>,
    ) -> Option<VariablePresence> {
        match &test.kind {
            ExprKind::Not(inner) => {
                let inner = self.condition_on_variable(inner, tested)?;
                let says_when = inner.says_when.map(|holds| !holds);
                Some(VariablePresence { when_true: !inner.when_true, says_when, ..inner })
            }
            ExprKind::Compare(operator, sides) => {
                let (left, right) = &**sides;
                let when_true = matches!(operator, Comparison::In | Comparison::IsNot | Comparison::NotEqual);
                match operator {
                    Comparison::In | Comparison::NotIn => {
                        let environ = tested.value(right);
                        if !self.is_environ(&environ) {
                            return None;
                        }
                        let variable = match &left.kind {
                            ExprKind::Text(variable) => variable.to_string(),
                            _ => match tested.value(left) {
                                Value::Text(text) => text.text.to_string(),
                                _ => return None,
                            },
                        };
                        Some(VariablePresence { variable, when_true, says_when: None, earlier: false })
                    }
                    Comparison::Is | Comparison::IsNot | Comparison::Equal | Comparison::NotEqual => {
                        let empty = matches!(right.kind, ExprKind::None | ExprKind::Int(0))
                            || matches!(&right.kind, ExprKind::Text(text) if text.is_empty());
                        let literal = matches!(&right.kind, ExprKind::Text(_));
                        let read = tested.value(measured(left));
                        let variable = self.presence_read(&read).filter(|_| empty || literal)?;
                        let when_true = when_true == empty;
                        let says_when = (!empty).then_some(when_true);
                        Some(VariablePresence {
                            variable,
                            when_true,
                            says_when,
                            earlier: is_kept(measured(left)),
                        })
                    }
                    // `len(read) > 0`
                    Comparison::Greater | Comparison::GreaterOrEqual => {
                        let least = i64::from(*operator == Comparison::GreaterOrEqual);
                        let any = matches!(right.kind, ExprKind::Int(bound) if bound == least);
                        let read = tested.value(measured(left));
                        let variable = self.presence_read(&read).filter(|_| any)?;
                        let earlier = is_kept(measured(left));
                        Some(VariablePresence { variable, when_true: true, says_when: None, earlier })
                    }
                    _ => None,
                }
            }
            ExprKind::All(parts) => {
                let found = parts.iter().find_map(|part| self.condition_on_variable(part, tested))?;
                let speaks = found.says_when.is_none_or(|holds| holds);
                speaks.then_some(VariablePresence { says_when: Some(true), ..found })
            }
            ExprKind::Name(_) | ExprKind::Call(_) | ExprKind::Item(_) | ExprKind::Variable(_) => {
                let read = tested.value(measured(test));
                let variable = self.presence_read(&read)?;
                let earlier = is_kept(measured(test));
                Some(VariablePresence { variable, when_true: true, says_when: None, earlier })
            }
            _ => None,
        }
    }

    /// The variable that was read with nothing, or an empty text, for the case that it is not set.
    fn presence_read(&self, read: &Value<'p>) -> Option<String> {
        let other = |value: &Value<'p>| matches!(value, Value::Outside(_)) || value.truth() == Some(false);
        if read.alternatives().iter().all(other) { self.variable_read(read) } else { None }
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

/// Whether an expression gives what a name holds: it was read before.
fn is_kept(expr: &Expr<'_>) -> bool {
    matches!(expr.kind, ExprKind::Name(_) | ExprKind::Attribute(..))
}

/// Whether an expression may be what the environment holds, judged by its text.
fn may_read(expr: &Expr<'_>) -> bool {
    match &expr.kind {
        ExprKind::Name(_) | ExprKind::Attribute(..) | ExprKind::Variable(_) => true,
        ExprKind::Item(item) => matches!(item.1.kind, ExprKind::Text(_)),
        ExprKind::Call(call) => match &call.callee.kind {
            ExprKind::Name(name) => *name == "getenv",
            ExprKind::Outside(path) => matches!(&**path, "std.env.var" | "std.env.var_os"),
            ExprKind::Attribute(_, "getenv") => true,
            ExprKind::Attribute(object, "get") => {
                matches!(&object.kind, ExprKind::Name("environ") | ExprKind::Attribute(_, "environ"))
            }
            _ => false,
        },
        _ => false,
    }
}
