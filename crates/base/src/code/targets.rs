//! What assignments, loops and imports bind.

use super::Expr;
use crate::facts::Span;

/// What an assignment binds.
#[derive(Debug)]
pub enum Target<'s> {
    Name(&'s str, Span),
    Attribute(Box<Expr<'s>>, &'s str),
    Item(Box<(Expr<'s>, Expr<'s>)>),
    Sequence(Vec<Target<'s>>),
    Rest(Box<Target<'s>>),
}

impl<'s> Target<'s> {
    /// The names that it binds, not those of what holds an attribute or an item.
    pub fn names(&self) -> Vec<&'s str> {
        match self {
            Target::Name(name, _) => vec![name],
            Target::Sequence(parts) => parts.iter().flat_map(Target::names).collect(),
            Target::Rest(part) => part.names(),
            Target::Attribute(..) | Target::Item(_) => Vec::new(),
        }
    }
}
