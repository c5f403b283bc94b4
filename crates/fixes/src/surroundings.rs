//! What stands around a place in the code of a file: the expressions that hold it, and whose default or body it is in.

use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::code::{Call, Code, Expr, ExprKind, Statement};
use crate::facts::Span;

/// The surroundings of one place.
#[derive(Debug, Default)]
pub struct Surroundings<'c, 's> {
    /// The expressions that hold the place, the innermost first.
    pub exprs: Vec<&'c Expr<'s>>,
    /// The innermost statement that holds it.
    pub step: Option<&'c Statement<'s>>,
    /// The innermost function around it, by its number.
    pub function: Option<usize>,
    /// The function whose parameter has it for a default.
    pub default_of: Option<usize>,
}

impl<'c, 's> Surroundings<'c, 's> {
    /// Looks at the whole file; code in Python that stands in another file counts too.
    pub fn of(code: &'c Code<'s>, place: Span) -> Surroundings<'c, 's> {
        let mut found = Surroundings::default();
        walk(code, &mut |part, around| {
            let span = match part {
                CodeNode::Statement(step) => step.span,
                CodeNode::Expr(expr) => expr.span,
                CodeNode::Target(_) => return,
            };
            if !span.holds(place) {
                return;
            }
            found.function = function_in(around).or(found.function);
            match part {
                CodeNode::Statement(step) => found.step = Some(step),
                CodeNode::Expr(expr) => {
                    found.default_of = around.iter().rev().find_map(|one| match one {
                        Ancestor::Default(number) => Some(*number),
                        _ => None,
                    });
                    found.exprs.insert(0, expr);
                }
                CodeNode::Target(_) => {}
            }
        });
        found
    }

    /// The expression that stands exactly there.
    pub fn exactly(&self, place: Span) -> Option<&'c Expr<'s>> {
        self.exprs.iter().rev().find(|expr| expr.span == place).copied()
    }

    /// The innermost call that has the place in one of its arguments, with the number of that argument.
    pub fn call(&self, place: Span) -> Option<(&'c Call<'s>, usize)> {
        self.exprs.iter().find_map(|expr| call_with(expr, place))
    }
}

/// The call that an expression is, when one of its arguments holds a place, with the number of the argument.
pub fn call_with<'c, 's>(expr: &'c Expr<'s>, place: Span) -> Option<(&'c Call<'s>, usize)> {
    let ExprKind::Call(call) = &expr.kind else { return None };
    let at = call.arguments.iter().position(|argument| argument.value.span.holds(place))?;
    Some((call, at))
}

/// The innermost function around code.
pub fn function_in(around: &[Ancestor<'_, '_>]) -> Option<usize> {
    around.iter().rev().find_map(|one| match one {
        Ancestor::Function(number) => Some(*number),
        _ => None,
    })
}
