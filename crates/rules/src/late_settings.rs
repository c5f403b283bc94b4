//! Variables that are set too late, and who minds: tests that import a program, and libraries that are told in another way too.

use super::evaluate::Scope;
use crate::facts::Place;
use crate::program::trace::{Event, EventKind};

impl Scope<'_> {
    /// Whether a test leads to an event that lies in code which is no test.
    pub(super) fn is_led_by_test(&self, event: &Event) -> bool {
        self.trace.entry.is_some_and(|entry| self.program.is_of_tests(entry))
            && !self.program.is_of_tests(event.place.file)
    }

    /// Whether a test hands over the value that code which is no test writes: what it says of GPUs is made up, as is the object that it stands in.
    pub(super) fn is_made_up_by_test(&self, event: &Event) -> bool {
        let EventKind::Write { value: Some(value), .. } = &event.what else { return false };
        let is_of_file = || self.program.sources.file(event.place.file).text.contains(&**value);
        self.is_led_by_test(event) && !is_of_file()
    }

    /// Whether the function of a write also takes functions away from the process, `os.kill = None`: what it sets is meant for the
    /// code that it does not trust. Or it has processes start anew behind it, and is meant for these.
    pub(super) fn is_disarming(&self, event: &Event) -> bool {
        let file = event.place.file;
        let at = event.place.span.start as usize;
        let Some(span) = self.program.innermost_function(file, at) else { return false };
        let taken = [".kill = None", ".system = None", ".fork = None", ".putenv = None"];
        let takes_away = |line: &str| taken.iter().any(|end| line.trim_end().ends_with(end));
        let text = self.program.text(Place { file, span });
        // `set_start_method("spawn")` behind it: the processes that start anew take it from the environment.
        let later = &text[(at - span.start as usize).min(text.len())..];
        let starts_anew = ["spawn", "forkserver"].iter().any(|method| {
            [format!("set_start_method(\"{method}\""), format!("set_start_method('{method}'")]
                .iter()
                .any(|call| later.contains(call.as_str()))
        });
        starts_anew || text.lines().any(takes_away)
    }

    /// Whether the file of a write sets the same by `jax.config.update("jax_platforms", …)`: a value that is written there is the
    /// one of the variable.
    pub(super) fn is_told_by_call(&self, event: &Event) -> bool {
        let EventKind::Write { variable, value, .. } = &event.what else { return false };
        let text = &self.program.sources.file(event.place.file).text;
        let name = variable.to_lowercase();
        ["\"", "'"].iter().any(|quote| {
            let call = format!("config.update({quote}{name}{quote}");
            let mut behind = text.match_indices(&call).map(|(at, _)| &text[at + call.len()..]);
            behind.any(|rest| {
                value.as_deref().is_none_or(|value| literal_behind(rest).is_none_or(|told| told == value))
            })
        })
    }
}

/// The text that is the next argument of a call: of `, "cpu")` it is `cpu`.
fn literal_behind(rest: &str) -> Option<&str> {
    let rest = rest.trim_start().strip_prefix(',')?.trim_start();
    let quote = rest.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    rest[1..].split_once(quote).map(|(text, _)| text)
}
