//! What was changed since a moment, by the age of the namespace: what came into being later was known to nobody then.

use crate::program::value::ScopeId;

/// The changes so far, numbered.
#[derive(Debug, Default)]
pub(super) struct Changes {
    last: usize,
    /// Some of them, ascending, with the namespaces that they changed, ascending: those behind which none changed an
    /// older one.
    oldest: Vec<(usize, ScopeId)>,
}

impl Changes {
    /// The number of the last one, which stands for a moment.
    pub(super) fn last(&self) -> usize {
        self.last
    }

    /// What a namespace holds was changed, and others may know it.
    pub(super) fn note(&mut self, scope: ScopeId) {
        self.last += 1;
        while self.oldest.last().is_some_and(|(_, newer)| *newer >= scope) {
            self.oldest.pop();
        }
        self.oldest.push((self.last, scope));
    }

    /// Something was changed that everybody may know: the environment, or the answer to a question.
    pub(super) fn note_everywhere(&mut self) {
        self.note(0);
    }

    /// Whether, behind a moment, one of the first `scopes` namespaces was changed.
    pub(super) fn reach(&self, scopes: ScopeId, moment: usize) -> bool {
        let first = self.oldest.partition_point(|(number, _)| *number <= moment);
        self.oldest.get(first).is_some_and(|(_, oldest)| *oldest < scopes)
    }
}

#[cfg(test)]
mod tests {
    use super::Changes;

    /// Against a list of all changes that is looked through.
    #[test]
    fn the_oldest_namespace_behind_each_moment_is_known() {
        let (mut changes, mut all) = (Changes::default(), Vec::new());
        let mut state = 3_u32;
        for _ in 0..300 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let scope = (state >> 24) % 40;
            changes.note(scope);
            all.push(scope);
            assert_eq!(changes.last(), all.len());
            for moment in 0..=all.len() {
                for scopes in [0, 1, 7, 20, 40] {
                    let expected = all[moment..].iter().any(|scope| *scope < scopes);
                    assert_eq!(changes.reach(scopes, moment), expected);
                }
            }
        }
    }
}
