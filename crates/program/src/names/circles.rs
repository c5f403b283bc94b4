//! Names that are written with each other in a circle: `a = not b` beside `b = not a`. What such a name stands for has no end.

use super::Names;
use crate::code::walk::{CodeNode, walk_expr};
use crate::code::{Expr, ExprKind};
use crate::facts::Span;
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// Of each value that was looked at how many names lie behind each other in it, where there is an end to them.
#[derive(Default)]
pub(super) struct Ends(RefCell<FxHashMap<Span, Option<usize>>>);

/// Values with more names behind each other are not followed: who asks for each in turn would run out of stack.
const MOST: usize = 200;

impl<'c, 's> Names<'c, 's> {
    /// Whether one comes to an end when one asks what the names in a value stand for, and the names in that.
    pub(super) fn ends(&self, value: &'c Expr<'s>) -> bool {
        let mut known = self.ends.0.borrow_mut();
        // The values that are open lie on one way; `None` stands for them until they are done.
        let mut way: Vec<(&'c Expr<'s>, Vec<&'c Expr<'s>>, usize)> = Vec::new();
        let mut next = Some(value);
        loop {
            if let Some(value) = next.take()
                && !known.contains_key(&value.span)
            {
                known.insert(value.span, None);
                way.push((value, self.values_in(value), 0));
            }
            let Some((_, inner, done)) = way.last_mut() else { break };
            next = inner.get(*done).copied();
            *done += 1;
            if next.is_none()
                && let Some((value, inner, _)) = way.pop()
            {
                let depths = inner.iter().map(|inner| known.get(&inner.span).copied().flatten());
                let depth =
                    depths.map(|depth| Some(depth? + 1)).try_fold(0, |most, one| Some(most.max(one?)));
                known.insert(value.span, depth.filter(|depth| *depth <= MOST));
            }
        }
        known.get(&value.span).is_some_and(Option::is_some)
    }

    /// What the names in a value stand for, without those that stand for the value itself.
    fn values_in(&self, value: &'c Expr<'s>) -> Vec<&'c Expr<'s>> {
        let mut found = Vec::new();
        walk_expr(self.program.code(self.file), value, &mut |part, _| {
            if let CodeNode::Expr(part) = part
                && matches!(part.kind, ExprKind::Name(_) | ExprKind::Attribute(..))
                && let Some(inner) = self.assigned_once(part)
                && inner.span != value.span
            {
                found.push(inner);
            }
        });
        found
    }
}
