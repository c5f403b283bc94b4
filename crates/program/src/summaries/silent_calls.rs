//! What functions cost in one program that noted nothing so far: where one is called with something new again and again, the
//! rest of its calls is not followed.

use super::FunctionId;
use crate::program::heap::values::ScopeId;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::rc::Rc;

/// A program that takes fewer steps is followed whole. In one that takes more it may depend on what was followed before how far a
/// function is.
pub(super) const MUCH: usize = 30_000;
/// So many steps are followed in the bodies of one function, without those that they call, until it notes something.
const MOST_STEPS: usize = 10_000;
/// So many of its calls are followed whatever they take.
const LEAST_CALLS: usize = 64;
/// What writes more names elsewhere than in what it is given is always followed.
const MOST_WRITTEN: usize = 64;

/// What the calls of functions took in the program that is running.
#[derive(Default)]
pub(crate) struct SilentCalls<'p> {
    functions: FxHashMap<FunctionId, CallCost<'p>>,
    /// The steps that were spent inside each call that is being followed, in those that it called.
    inside: Vec<usize>,
}

#[derive(Default)]
struct CallCost<'p> {
    calls: usize,
    steps: usize,
    /// It noted something, or left something for later.
    is_heard: bool,
    may_raise: bool,
    /// What the later half of its calls wrote.
    written: Rc<Written<'p>>,
}

/// What calls wrote that were there before.
#[derive(Clone, Default)]
pub(crate) struct Written<'p> {
    /// In what they were given.
    pub given: FxHashSet<&'p str>,
    pub elsewhere: FxHashSet<(ScopeId, &'p str)>,
}

/// What a call came to that was followed.
pub(crate) struct FollowedCall {
    /// With those inside it.
    pub steps: usize,
    pub is_silent: bool,
    pub may_raise: bool,
    /// The objects that it was given, by their scopes.
    pub given: SmallVec<[ScopeId; 4]>,
}

impl<'p> SilentCalls<'p> {
    /// Whether a function took so much for nothing that no more of its calls are followed.
    pub fn is_spent(&self, function: FunctionId) -> bool {
        self.functions
            .get(&function)
            .is_some_and(|cost| cost.steps >= MOST_STEPS && cost.calls >= LEAST_CALLS && !cost.is_heard)
    }

    pub fn begin(&mut self) {
        self.inside.push(0);
    }

    /// Notes what a call came to. `written` says what it wrote, and is asked where that may be needed.
    pub fn end(
        &mut self,
        function: FunctionId,
        call: &FollowedCall,
        written: impl FnOnce() -> Vec<(ScopeId, &'p str)>,
    ) {
        let inside = self.inside.pop().unwrap_or_default();
        if let Some(outer) = self.inside.last_mut() {
            *outer += call.steps;
        }
        let cost = self.functions.entry(function).or_default();
        cost.calls += 1;
        cost.steps += call.steps.saturating_sub(inside);
        cost.is_heard |= !call.is_silent;
        cost.may_raise |= call.may_raise;
        if !cost.is_heard && cost.steps >= MOST_STEPS / 2 {
            let known = Rc::make_mut(&mut cost.written);
            for (scope, name) in written() {
                match call.given.contains(&scope) {
                    true => _ = known.given.insert(name),
                    false => _ = known.elsewhere.insert((scope, name)),
                }
            }
            cost.is_heard = known.elsewhere.len() > MOST_WRITTEN;
        }
    }

    /// Whether calls of a function may raise, as far as they were followed, and what they wrote.
    pub fn left_by(&self, function: FunctionId) -> (bool, Rc<Written<'p>>) {
        let cost = self.functions.get(&function);
        cost.map(|cost| (cost.may_raise, cost.written.clone())).unwrap_or_default()
    }

    pub fn end_program(&mut self) {
        *self = SilentCalls::default();
    }
}

#[cfg(test)]
mod tests {
    use super::{FollowedCall, LEAST_CALLS, MOST_STEPS, SilentCalls};
    use crate::facts::FileId;

    fn silent(steps: usize) -> FollowedCall {
        FollowedCall { steps, is_silent: true, may_raise: false, given: [3].into_iter().collect() }
    }

    fn follow(calls: &mut SilentCalls<'static>, number: usize, call: FollowedCall) {
        calls.begin();
        calls.end((FileId(0), number), &call, || vec![(7, "seen"), (3, "size")]);
    }

    #[test]
    fn the_steps_of_silent_calls_are_bounded() {
        let mut calls = SilentCalls::default();
        let each = MOST_STEPS / LEAST_CALLS + 1;
        for _ in 1..LEAST_CALLS {
            follow(&mut calls, 1, silent(each));
        }
        assert!(!calls.is_spent((FileId(0), 1)));
        follow(&mut calls, 1, FollowedCall { may_raise: true, ..silent(each) });
        assert!(calls.is_spent((FileId(0), 1)));
        let (may_raise, written) = calls.left_by((FileId(0), 1));
        assert!(may_raise);
        assert_eq!(written.given, ["size"].into_iter().collect());
        assert_eq!(written.elsewhere, [(7, "seen")].into_iter().collect());
        assert!(!calls.is_spent((FileId(0), 2)));
        calls.end_program();
        assert!(!calls.is_spent((FileId(0), 1)));
    }

    #[test]
    fn few_calls_are_followed_whatever_they_take() {
        let mut calls = SilentCalls::default();
        follow(&mut calls, 1, silent(10 * MOST_STEPS));
        assert!(!calls.is_spent((FileId(0), 1)));
    }

    #[test]
    fn a_function_that_writes_all_around_is_always_followed() {
        let mut calls = SilentCalls::default();
        for scope in 0..200 {
            calls.begin();
            calls.end((FileId(0), 1), &silent(MOST_STEPS), || vec![(scope, "seen")]);
        }
        assert!(!calls.is_spent((FileId(0), 1)));
    }

    #[test]
    fn a_function_that_noted_something_once_is_always_followed() {
        let mut calls = SilentCalls::default();
        follow(&mut calls, 1, FollowedCall { is_silent: false, ..silent(1) });
        for _ in 0..LEAST_CALLS {
            follow(&mut calls, 1, silent(MOST_STEPS));
        }
        assert!(!calls.is_spent((FileId(0), 1)));
    }

    #[test]
    fn what_an_inner_call_takes_is_its_own() {
        let mut calls = SilentCalls::default();
        for _ in 0..LEAST_CALLS {
            calls.begin();
            follow(&mut calls, 2, silent(MOST_STEPS));
            calls.end((FileId(0), 1), &silent(MOST_STEPS + 3), Vec::new);
        }
        assert!(calls.is_spent((FileId(0), 2)));
        assert!(!calls.is_spent((FileId(0), 1)));
    }
}
