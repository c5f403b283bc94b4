//! `while`: turn by turn, as long as it is known that there is another one.

use super::{MOST_PASSES, otherwise_inside};
use crate::code::walk::{CodeNode, walk_block};
use crate::code::{Block, Expr, ExprKind};
use crate::interpreter::branches::EvaluatedTest;
use crate::interpreter::builtin_names::is_builtin;
use crate::interpreter::classes::CHANGING;
use crate::interpreter::{Flow, Interpreter};

/// So many turns of a `while` are followed one by one: the more, the less each does.
const LEAST_TURNS: usize = 16;
const MOST_TURNS: usize = 128;
/// What the turns of one `while` may come to: a statement counts one, and a call of the project 128.
const TURNS_WEIGH: usize = 2_048;

impl<'p> Interpreter<'p> {
    pub(in crate::interpreter) fn while_true(
        &mut self,
        test: &'p Expr<'p>,
        body: &'p Block<'p>,
        otherwise: &'p Block<'p>,
    ) {
        if let ExprKind::Bool(true) | ExprKind::Int(1) = test.kind {
            return self.endless_turns(body);
        }
        let Some(asked) = self.ask(test) else { return };
        match asked.truth {
            Some(false) => return self.block(otherwise),
            Some(true) => return self.turns(test, asked, body, otherwise),
            None => {}
        }
        let behind = otherwise_inside(body, otherwise);
        self.branch_on(
            test,
            asked,
            |run| run.looping(1, behind, |run| run.passes(body, |run| run.turn_of(test, body))),
            |run| behind.into_iter().for_each(|otherwise| run.block(otherwise)),
        );
        if behind.is_none() && self.flow == Flow::Next {
            self.block(otherwise);
        }
    }

    /// A `while` whose test holds: turn by turn, as long as it is known that it does, and what it asks for changes.
    fn turns(
        &mut self,
        test: &'p Expr<'p>,
        mut asked: EvaluatedTest<'p>,
        body: &'p Block<'p>,
        otherwise: &'p Block<'p>,
    ) {
        let most = self.most_turns(body);
        self.looping(most, Some(otherwise), |run| {
            for _ in 0..most {
                let before = asked.tested.at_this_moment(run);
                let goes_on = run.turn_finds_more(body);
                if run.flow != Flow::Next {
                    return;
                }
                let Some(again) = run.ask(test) else { return };
                match again.truth {
                    Some(false) => return,
                    Some(true) if !goes_on && again.tested.is_same(&before, run) => {
                        return run.passes(body, |run| run.turn_of(test, body));
                    }
                    Some(true) => asked = again,
                    None => {
                        return run.branch_on(
                            test,
                            again,
                            |run| run.passes(body, |run| run.turn_of(test, body)),
                            |_| {},
                        );
                    }
                }
            }
            run.more_passes(body, |run| run.turn_of(test, body));
        });
    }

    /// A `while True`: turn by turn, as long as each finds something else and nothing in it is left open.
    fn endless_turns(&mut self, body: &'p Block<'p>) {
        let most = self.most_turns(body);
        self.looping(most, None, |run| {
            for _ in 0..most {
                let goes_on = run.turn_finds_more(body);
                if run.flow != Flow::Next {
                    return;
                }
                if !goes_on {
                    return run.passes(body, |run| run.block(body));
                }
            }
            run.more_passes(body, |run| run.block(body));
        });
    }

    /// Follows a turn: whether the next one finds something else, and nothing in this one is left open.
    fn turn_finds_more(&mut self, body: &'p Block<'p>) -> bool {
        self.heap.begin_watch();
        let undecided = std::mem::take(&mut self.here.undecided);
        self.pass(|run| run.block(body), true);
        let is_open = std::mem::replace(&mut self.here.undecided, undecided) > 0;
        self.here.undecided += usize::from(is_open);
        let has_changed = self.heap.end_watch_changed();
        has_changed && !is_open
    }

    /// How many turns of a `while` are followed one by one.
    fn most_turns(&self, body: &'p Block<'p>) -> usize {
        let turns = (TURNS_WEIGH / self.weight_of(body)).clamp(LEAST_TURNS, MOST_TURNS);
        turns.min(MOST_PASSES / self.passes_around()).max(1)
    }

    /// A pass of a `while`, and what its test does behind that: `while (card := cards.pop()) != last`.
    fn turn_of(&mut self, test: &'p Expr<'p>, body: &'p Block<'p>) {
        self.block(body);
        if self.flow == Flow::Next && binds(test) {
            self.eval(test);
        }
    }

    /// How much a pass of a loop may do, with the loops inside it once.
    pub(super) fn weight_of(&self, body: &'p Block<'p>) -> usize {
        let mut weight = 1;
        walk_block(self.code_of(self.here.file), body, &mut |part, _| match part {
            CodeNode::Statement(_) => weight += 1,
            CodeNode::Expr(expr) => weight += weight_of_call(expr),
            _ => {}
        });
        weight
    }
}

/// How much a call may do: one of a function of the project as much as a page of statements.
pub(in crate::interpreter) fn weight_of_call(expr: &Expr<'_>) -> usize {
    const LIGHT: usize = 2;
    const HEAVY: usize = 128;
    let ExprKind::Call(call) = &expr.kind else { return 0 };
    match &call.callee.kind {
        ExprKind::Name(name) if is_builtin(name) => LIGHT,
        ExprKind::Attribute(_, name) if CHANGING.contains(name) || *name == "get" => LIGHT,
        _ => HEAVY,
    }
}

/// Whether a test binds a name.
fn binds(test: &Expr<'_>) -> bool {
    match &test.kind {
        ExprKind::Bind(..) => true,
        ExprKind::All(parts) | ExprKind::Any(parts) => parts.iter().any(binds),
        ExprKind::Compare(_, sides) => binds(&sides.0) || binds(&sides.1),
        ExprKind::Not(inner) => binds(inner),
        _ => false,
    }
}
