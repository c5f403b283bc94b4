//! The summaries that are kept of one function, module or part of a module.

use super::Summary;
use crate::program::heap::values::Value;
use rustc_hash::FxHasher;
use smallvec::SmallVec;
use std::cell::Cell;
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// So many are kept of a function.
pub(super) const MOST: usize = 24;
/// So many that read little and change nothing.
const MOST_SMALL: usize = 512;
/// So much at most is read in one of these.
const LITTLE: usize = 16;
/// So many of them are looked at closely, and so many are kept of a module.
pub(super) const CANDIDATES: usize = 8;

/// What is kept of the calls of one function.
#[derive(Default)]
pub(super) struct FunctionSummaries<'p> {
    /// The first call of a function is not kept: most are seen once.
    pub calls: usize,
    /// How often in a row none of them held.
    missed: Cell<usize>,
    /// The last one that held first.
    summaries: VecDeque<KeptSummary<'p>>,
}

struct KeptSummary<'p> {
    /// The first argument that can be told from others at one look, and what it is.
    mark: Option<(usize, u64)>,
    /// The member of an enumeration whose method it is.
    member: Option<u64>,
    summary: Rc<Summary<'p>>,
}

impl<'p> FunctionSummaries<'p> {
    /// Whether nothing is expected of a summary now.
    pub fn is_passed_over(&self) -> bool {
        const IN_A_ROW: usize = 2 * MOST;
        const EACH: usize = 8;
        self.missed.get() > IN_A_ROW && !self.missed.get().is_multiple_of(EACH)
    }

    pub fn is_empty(&self) -> bool {
        self.summaries.is_empty()
    }

    pub fn is_full_of_modules(&self) -> bool {
        self.summaries.len() == CANDIDATES
    }

    /// The summaries that may hold for a call, the last one that held first. Of a function that is called with something
    /// new each time they are looked at now and then only.
    pub fn candidates(
        &self,
        bound: Option<&Value<'p>>,
        arguments: &[Value<'p>],
        fits: impl Fn(&Summary<'p>) -> bool,
    ) -> SmallVec<[Rc<Summary<'p>>; CANDIDATES]> {
        let member = bound.and_then(member);
        // Of an enumeration there are so many members, each to be known by itself.
        if member.is_some() && !self.summaries.iter().any(|kept| kept.member == member) {
            return SmallVec::new();
        }
        self.missed.set(self.missed.get() + usize::from(member.is_none()));
        if member.is_none() && self.is_passed_over() {
            return SmallVec::new();
        }
        let marks: SmallVec<[Option<u64>; 8]> = arguments.iter().map(mark).collect();
        let is_marked = |kept: &&KeptSummary<'p>| match kept.mark {
            Some((index, mark)) => marks.get(index).is_none_or(|now| *now == Some(mark)),
            None => true,
        };
        let of_member = self.summaries.iter().filter(|kept| kept.member == member);
        let marked = of_member.filter(is_marked).map(|kept| &kept.summary);
        marked.filter(|summary| fits(summary)).take(CANDIDATES).cloned().collect()
    }

    /// A summary held: it is looked at first the next time.
    pub fn prefer(&mut self, summary: &Rc<Summary<'p>>) {
        self.missed.set(0);
        let position = self.summaries.iter().position(|kept| Rc::ptr_eq(&kept.summary, summary));
        if let Some(kept) = position.filter(|at| *at > 0).and_then(|at| self.summaries.remove(at)) {
            self.summaries.push_front(kept);
        }
    }

    pub fn add(&mut self, summary: Summary<'p>) {
        let most = if is_small(&summary) { MOST_SMALL } else { MOST };
        if self.summaries.len() >= most {
            self.summaries.pop_back();
        }
        let bound = summary.call.closure.as_ref().and_then(|closure| closure.bound.as_ref());
        let member = bound.and_then(member);
        let mut arguments = summary.call.arguments.iter().enumerate();
        let mark = arguments.find_map(|(index, value)| Some((index, mark(value.as_ref()?)?)));
        self.summaries.push_front(KeptSummary { mark, member, summary: Rc::new(summary) });
    }

    /// Keeps the summaries of which this is true.
    pub fn retain(&mut self, mut is_kept: impl FnMut(&Summary<'p>) -> bool) {
        self.summaries.retain(|kept| is_kept(&kept.summary));
        if self.summaries.is_empty() {
            // Nothing is left that could be missed.
            self.missed.set(0);
        }
    }
}

/// Whether it costs little to keep.
fn is_small(summary: &Summary<'_>) -> bool {
    summary.call.effects.is_none() && summary.writes.is_empty() && summary.reads.len() <= LITTLE
}

/// What tells a member of an enumeration from others.
fn member(value: &Value<'_>) -> Option<u64> {
    matches!(value, Value::Instance(one) if one.class.fields.members).then(|| mark(value))?
}

/// What tells a constant from others at one look; `None` for what is no constant.
fn mark(value: &Value<'_>) -> Option<u64> {
    let mut hasher = FxHasher::default();
    match value {
        Value::Text(text) => text.text.hash(&mut hasher),
        Value::Int(value, _) => value.hash(&mut hasher),
        Value::Bool(value) => value.hash(&mut hasher),
        Value::Instance(one) if one.class.fields.members => one.scope.hash(&mut hasher),
        _ => return None,
    }
    Some(hasher.finish())
}
