//! `os.putenv` and `os.unsetenv`: they change the environment that the driver and child processes see, and not what
//! `os.environ` shows.

use super::Interpreter;
use crate::facts::Span;
use crate::program::heap::values::Value;
use crate::program::state::{Definition, Reaching, name_of_shown};

impl<'p> Interpreter<'p> {
    /// `os.putenv(name, value)`, and `os.unsetenv(name)` without a value.
    pub(super) fn change_process_alone(&mut self, key: &Value<'p>, value: Option<&Value<'p>>, span: Span) {
        let variable = self.variable_name(key);
        let shown = variable.map(|variable| {
            let shown = self.shown_of(&variable);
            if self.state.shows_apart(&variable) {
                let held = self.reaching(&variable);
                self.set_reaching(&name_of_shown(&variable), held);
            }
            (name_of_shown(&variable), shown)
        });
        match value {
            Some(value) => self.write_variable(key, value, span, false),
            None => self.remove_variable(key, span),
        }
        if let Some((name, shown)) = shown {
            self.set_reaching(&name, shown);
        }
    }

    /// What `os.environ` shows of a variable.
    pub(super) fn shown_of(&mut self, variable: &str) -> Reaching {
        let name = self.state.as_shown(variable);
        self.reaching(&name)
    }

    /// A write through `os.environ`. `only_if_unset`: where it shows none; `always` there and wherever it shows one that may
    /// have been read before.
    pub(super) fn set_in_environ(
        &mut self,
        variable: &str,
        mut new: Reaching,
        only_if_unset: bool,
        always: bool,
    ) {
        if !only_if_unset {
            return self.set_shown_and_held(variable, new);
        }
        let before = self.shown_of(variable);
        // What was not known when it was read is no longer there.
        if always && before.iter().all(|definition| matches!(definition, Definition::Set(..))) {
            new.push(Definition::Elsewhere);
            return self.set_shown_and_held(variable, new);
        }
        let fills = always || before.iter().any(Definition::is_absent);
        let kept = before.iter().filter(|definition| !definition.is_absent());
        let now: Reaching = kept.clone().chain(new.iter().filter(|_| fills)).cloned().collect();
        if !self.state.shows_apart(variable) {
            return self.set_reaching(variable, now);
        }
        if fills {
            let held = if kept.count() > 0 { self.reaching(variable) } else { Reaching::new() };
            self.set_reaching(variable, held.into_iter().chain(new).collect());
            self.set_reaching(&name_of_shown(variable), now);
        }
    }

    /// A removal through `os.environ`: what it does not show stays in the process.
    pub(super) fn unset_in_environ(&mut self, variable: &str, after: Definition) {
        if !self.state.shows_apart(variable) {
            return self.set_reaching(variable, Reaching::from_iter([after]));
        }
        let shown = self.shown_of(variable);
        let stays = shown.iter().any(Definition::is_absent);
        let held = if stays { self.reaching(variable) } else { Reaching::new() };
        if !shown.iter().all(Definition::is_absent) {
            self.set_reaching(variable, held.into_iter().chain([after.clone()]).collect());
            self.set_reaching(&name_of_shown(variable), Reaching::from_iter([after]));
        }
    }

    fn set_shown_and_held(&mut self, variable: &str, reaching: Reaching) {
        if self.state.shows_apart(variable) {
            self.set_reaching(&name_of_shown(variable), reaching.clone());
        }
        self.set_reaching(variable, reaching);
    }
}
