//! Where the bodies of functions and classes stand: the namespaces of what lies in them.

use super::Key;
use crate::code::{Statement, StatementKind};
use crate::facts::Span;

#[derive(Debug)]
pub(super) struct Regions(Vec<Region>);

#[derive(Debug)]
pub(super) struct Region {
    span: Span,
    namespace: Key,
    /// The region around this one.
    outer: Option<usize>,
}

impl Regions {
    pub fn of(mut found: Vec<(Span, Key)>) -> Regions {
        found.sort_by_key(|(span, _)| (span.start, std::cmp::Reverse(span.end)));
        let mut regions: Vec<Region> = Vec::with_capacity(found.len());
        for (span, namespace) in found {
            let mut outer = regions.len().checked_sub(1);
            while let Some(index) = outer
                && regions[index].span.end < span.end
            {
                outer = regions[index].outer;
            }
            regions.push(Region { span, namespace, outer });
        }
        Regions(regions)
    }

    /// The namespace that something belongs to which stands there.
    pub fn holding(&self, span: Span) -> Key {
        let mut inner = self.0.partition_point(|region| region.span.start <= span.start).checked_sub(1);
        while let Some(index) = inner {
            if span.end <= self.0[index].span.end {
                return self.0[index].namespace;
            }
            inner = self.0[index].outer;
        }
        Key::Module
    }
}

/// Where a body stands, with the decorators of what it defines first.
pub(super) fn region(body: &[Statement<'_>], namespace: Key) -> Option<(Span, Key)> {
    let (first, last) = (body.first()?, body.last()?);
    let decorator = match &first.kind {
        StatementKind::Define { decorators, .. } | StatementKind::DefineClass { decorators, .. } => {
            decorators.first()
        }
        _ => None,
    };
    let start = decorator.map_or(first.span.start, |one| one.span.start.min(first.span.start));
    Some((Span { start, end: last.span.end }, namespace))
}
