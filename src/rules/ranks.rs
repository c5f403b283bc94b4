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
        let mut names = words(arguments).filter(|word| !word.is_empty());
        names.any(|name| self.holds_rank(event, name))
    }

    /// Whether a name is given the number in the same file.
    fn holds_rank(&self, event: &Event, name: &str) -> bool {
        let text = &self.program.sources.file(event.place.file).text;
        text.lines().any(|line| {
            let rest = line.trim_start().strip_prefix(name).map(str::trim_start);
            let value = rest.and_then(|rest| rest.strip_prefix('=')).filter(|value| !value.starts_with('='));
            value.is_some_and(speaks_of_rank)
        })
    }
}

fn speaks_of_rank(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    NUMBERS.iter().any(|number| text.contains(number))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.starts_with(char::is_numeric))
}
