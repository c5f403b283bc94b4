//! GPUs that have the number of a process: a launcher of several processes counts them on each machine.

use super::evaluate::Scope;
use crate::program::trace::Event;

/// How programs call the number of a process among those of its machine.
const NUMBERS: &[&str] = &["local_rank", "slurm_localid", "local_process_index", "local_process_id"];

impl Scope<'_> {
    /// Whether a call takes the GPU with the number of this process: `torch.cuda.set_device(local_rank)`. Which card that
    /// is, the launcher decides; it is not whichever comes first.
    pub(super) fn is_by_rank(&self, event: &Event) -> bool {
        let text = self.program.text(event.place);
        if speaks_of_rank(text) {
            return true;
        }
        let arguments = text.rsplit_once('(').map_or("", |(_, arguments)| arguments);
        // Of `device=chosen` it is the value that counts.
        let values = arguments.split(',').map(|argument| argument.rsplit('=').next().unwrap_or(argument));
        values.flat_map(words).any(|name| self.holds_rank(event, name))
    }

    /// The same, or one of several processes that the program starts itself takes a GPU by a number that it is handed.
    pub(super) fn has_number_of_process(&self, event: &Event) -> bool {
        let is_named = || self.program.text(event.place).contains("cuda:");
        (event.in_child && !is_named()) || self.is_by_rank(event)
    }

    /// Whether a name is given the number in the function of the event, or outside of all functions.
    fn holds_rank(&self, event: &Event, name: &str) -> bool {
        let file = event.place.file;
        let functions = &self.program.code_in_pieces(file).functions;
        let innermost = |at: usize| {
            let around = functions.iter().filter(|function| function.span.range().contains(&at));
            around.map(|function| function.span).min_by_key(|span| span.end - span.start)
        };
        let own = innermost(event.place.span.start as usize);
        let text = &self.program.sources.file(file).text;
        let mut at = 0;
        text.split_inclusive('\n').any(|line| {
            let start = at + (line.len() - line.trim_start().len());
            at += line.len();
            let rest = line.trim_start().strip_prefix(name).map(str::trim_start);
            let value = rest.and_then(|rest| rest.strip_prefix('=')).filter(|value| !value.starts_with('='));
            value.is_some_and(speaks_of_rank) && innermost(start).is_none_or(|around| Some(around) == own)
        })
    }
}

fn speaks_of_rank(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    NUMBERS.iter().any(|number| text.contains(number))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty() && !word.starts_with(char::is_numeric))
}
