//! Names that hold the number of a process: a launcher of several processes counts them on each machine.

use super::Program;
use crate::facts::{FileId, Span};
use aho_corasick::AhoCorasick;
use std::sync::LazyLock;

/// How programs call the number of a process among those of its machine.
const NUMBERS: &[&str] = &[
    "local_rank",
    "slurm_localid",
    "local_process_index",
    "local_process_id",
    // The rest of a division is the number on this machine as well.
    "% torch.cuda.device_count()",
];

static SAYS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let words = AhoCorasick::builder().ascii_case_insensitive(true).build(NUMBERS);
    words.expect("a few words")
});

/// A name that is given the number of a process.
#[derive(Debug, PartialEq, Eq)]
pub struct RankName {
    pub name: Box<str>,
    /// The innermost function around the assignment.
    pub function: Option<Span>,
}

/// Whether a text speaks of the number of a process.
pub fn speaks_of_rank(text: &str) -> bool {
    SAYS.is_match(text)
}

impl Program<'_> {
    /// The names of a file that are given the number of a process, each time that one is.
    pub fn rank_names(&self, file: FileId) -> &[RankName] {
        // Whose code is looked at is noted whether the answer is known or not.
        _ = self.code_in_pieces(file);
        self.rank_names[file.0 as usize].get_or_init(|| {
            let text = &self.sources.file(file).text;
            let mut names = Vec::new();
            let mut behind = 0;
            for found in SAYS.find_iter(text.as_str()) {
                if found.start() < behind {
                    continue;
                }
                let start = text[..found.start()].rfind('\n').map_or(0, |before| before + 1);
                behind = text[found.end()..].find('\n').map_or(text.len(), |end| found.end() + end);
                let line = &text[start..behind];
                let Some(name) = assigned(line) else { continue };
                let at = start + line.len() - line.trim_start().len();
                names.push(RankName { name: name.into(), function: self.innermost_function(file, at) });
            }
            names
        })
    }

    /// The innermost function around a place of a file.
    pub fn innermost_function(&self, file: FileId, at: usize) -> Option<Span> {
        let functions = &self.code_in_pieces(file).functions;
        let around = functions.iter().filter(|function| function.span.range().contains(&at));
        around.map(|function| function.span).min_by_key(|span| span.end - span.start)
    }
}

/// The name that a line gives a value which speaks of the number of a process.
fn assigned(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let end = line.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(line.len());
    let (name, rest) = line.split_at(end);
    let value = rest.trim_start().strip_prefix('=').filter(|value| !value.starts_with('='))?;
    (!name.is_empty() && speaks_of_rank(value)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::assigned;

    #[test]
    fn names_are_read_from_assignments() {
        assert_eq!(assigned("    rank = int(os.environ['LOCAL_RANK'])"), Some("rank"));
        assert_eq!(assigned("rank == local_rank"), None);
        assert_eq!(assigned("local_rank = 3"), None);
        assert_eq!(assigned("self.rank = local_rank"), None);
    }
}
