//! Patterns of `match` as Python has them.

use super::Expr;

/// What a `case` wants of its subject.
#[derive(Debug)]
pub enum Pattern<'s> {
    /// Everything, which is bound to the name: `name`, `_`.
    Any(Option<&'s str>),
    /// What equals a value: `"cuda"`, `Mode.GPU`.
    Value(Expr<'s>),
    /// None, True or False itself.
    Singleton(Expr<'s>),
    Or(Vec<Pattern<'s>>),
    /// `pattern as name`
    As(Box<Pattern<'s>>, &'s str),
    /// `[first, *rest]`
    Sequence(Vec<Pattern<'s>>),
    /// `*rest` within a sequence.
    Star(Option<&'s str>),
    /// `{"gpu": card, **rest}`
    Mapping {
        items: Vec<(Expr<'s>, Pattern<'s>)>,
        rest: Option<&'s str>,
    },
    /// `Device("cuda", index=number)`
    Class {
        class: Expr<'s>,
        parts: Vec<Pattern<'s>>,
        attributes: Vec<(&'s str, Pattern<'s>)>,
    },
}

impl<'s> Pattern<'s> {
    /// The expressions that stand in it.
    pub fn expressions<'a>(&'a self, found: &mut Vec<&'a Expr<'s>>) {
        match self {
            Pattern::Any(_) | Pattern::Star(_) => {}
            Pattern::Value(value) | Pattern::Singleton(value) => found.push(value),
            Pattern::Or(parts) | Pattern::Sequence(parts) => {
                parts.iter().for_each(|part| part.expressions(found));
            }
            Pattern::As(inner, _) => inner.expressions(found),
            Pattern::Mapping { items, .. } => items.iter().for_each(|(key, part)| {
                found.push(key);
                part.expressions(found);
            }),
            Pattern::Class { class, parts, attributes } => {
                found.push(class);
                parts.iter().for_each(|part| part.expressions(found));
                attributes.iter().for_each(|(_, part)| part.expressions(found));
            }
        }
    }
}
