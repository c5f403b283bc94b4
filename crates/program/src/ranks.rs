//! Names that hold the number of a process: a launcher of several processes counts them on each machine.

use super::{Names, Program};
use crate::code::walk::{CodeNode, walk};
use crate::code::{Expr, ExprKind, Operator};
use crate::facts::{FileId, Place, Span};
use aho_corasick::AhoCorasick;
use std::sync::LazyLock;

/// How programs call the number of a process among those of its machine, or of all.
const NUMBERS: &[&str] = &[
    "local_rank",
    "slurm_localid",
    "local_process_index",
    "local_process_id",
    "args.rank",
    "\"rank\"",
    "'rank'",
    "get_rank(",
];

/// The rest of a division by their number is the number on this machine as well.
const COUNTS: &[&str] = &["torch.cuda.device_count", "torch.accelerator.device_count"];

static SAYS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let words = AhoCorasick::builder().ascii_case_insensitive(true).build(NUMBERS);
    words.expect("a few words")
});

/// A name that is given the number of a process.
#[derive(Debug, PartialEq, Eq)]
struct RankName {
    name: Box<str>,
    /// The innermost function around the assignment.
    function: Option<Span>,
}

/// What a file says of the number of a process.
#[derive(Debug, Default)]
pub(super) struct OfRanks {
    names: Vec<RankName>,
    /// `rank % torch.cuda.device_count()`
    rests: Vec<Span>,
}

/// Whether a text speaks of the number of a process.
fn speaks_of_rank(text: &str) -> bool {
    SAYS.is_match(text)
}

impl Program<'_> {
    /// Whether something that is written speaks of the number of a process among those of its machine.
    pub fn speaks_of_rank(&self, place: Place) -> bool {
        let lies_there = |rest: &Span| place.span.start <= rest.start && rest.end <= place.span.end;
        speaks_of_rank(self.text(place)) || self.of_ranks(place.file).rests.iter().any(lies_there)
    }

    /// Whether a name that is read in a function, or outside of all, was given the number there, or outside of all functions.
    pub fn is_rank_name(&self, file: FileId, name: &str, function: Option<Span>) -> bool {
        let is_given =
            |held: &RankName| *held.name == *name && (held.function.is_none() || held.function == function);
        self.of_ranks(file).names.iter().any(is_given)
    }

    fn of_ranks(&self, file: FileId) -> &OfRanks {
        // Whose code is looked at is noted whether the answer is known or not.
        _ = self.code_in_pieces(file);
        self.of_ranks[file.0 as usize].get_or_init(|| {
            let text = &self.sources.file(file).text;
            let rests = self.rests_of_divisions(file);
            let places = SAYS.find_iter(text.as_str()).map(|found| found.start());
            let mut names: Vec<RankName> = Vec::new();
            for place in places.chain(rests.iter().map(|rest| rest.start as usize)) {
                let start = text[..place].rfind('\n').map_or(0, |before| before + 1);
                let end = text[place..].find('\n').map_or(text.len(), |end| place + end);
                let line = &text[start..end];
                let Some(name) = assigned(line, place - start) else { continue };
                let at = start + line.len() - line.trim_start().len();
                let named = RankName { name: name.into(), function: self.innermost_function(file, at) };
                if !names.contains(&named) {
                    names.push(named);
                }
            }
            OfRanks { names, rests }
        })
    }

    fn rests_of_divisions(&self, file: FileId) -> Vec<Span> {
        let text = &self.sources.file(file).text;
        let mut rests = Vec::new();
        if !text.contains("device_count") || !text.contains('%') {
            return rests;
        }
        let names = Names::of(self, file);
        walk(self.code(file), &mut |part, _| {
            let CodeNode::Expr(expr @ Expr { kind: ExprKind::Binary(Operator::Remainder, pair), .. }) = part
            else {
                return;
            };
            let ExprKind::Call(call) = &names.meant(&pair.1).kind else { return };
            if names.path(&call.callee).is_some_and(|path| COUNTS.contains(&path)) {
                rests.push(expr.span);
            }
        });
        rests
    }

    /// The innermost function around a place of a file.
    pub fn innermost_function(&self, file: FileId, at: usize) -> Option<Span> {
        let functions = &self.code_in_pieces(file).functions;
        let around = functions.iter().filter(|function| function.span.range().contains(&at));
        around.map(|function| function.span).min_by_key(|span| span.end - span.start)
    }
}

/// The name that a line gives the value in which a place of it lies.
fn assigned(line: &str, place: usize) -> Option<&str> {
    let blanks = line.len() - line.trim_start().len();
    let line = &line[blanks..];
    let end = line.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(line.len());
    let (mut name, mut rest) = line.split_at(end);
    // `args.gpu = …`; what an object keeps itself is read elsewhere.
    while let Some(field) = rest.strip_prefix('.').filter(|_| !line.starts_with("self.")) {
        let end = field.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(field.len());
        (name, rest) = field.split_at(end);
    }
    // `rank: int = …`
    let rest = match rest.trim_start().strip_prefix(':') {
        Some(annotated) => &annotated[annotated.find('=')?..],
        None => rest.trim_start(),
    };
    let value = rest.strip_prefix('=').filter(|value| !value.starts_with('='))?;
    (!name.is_empty() && place >= blanks + line.len() - value.len()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::assigned;

    #[test]
    fn names_are_read_from_assignments() {
        let name = |line: &'static str| {
            line.rfind("ocal_rank").or(line.rfind("OCAL_RANK")).and_then(|at| assigned(line, at))
        };
        assert_eq!(name("    rank = int(os.environ['LOCAL_RANK'])"), Some("rank"));
        assert_eq!(name("rank: int = int(os.environ['LOCAL_RANK'])"), Some("rank"));
        assert_eq!(name("rank == local_rank"), None);
        assert_eq!(name("if rank: use(local_rank)"), None);
        assert_eq!(name("local_rank = 3"), None);
        assert_eq!(name("self.rank = local_rank"), None);
        assert_eq!(name("    args.gpu = int(os.environ['LOCAL_RANK'])"), Some("gpu"));
    }
}
