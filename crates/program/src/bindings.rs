//! Statements at the top level of a module that bind a name and do nothing else: plain constants, and functions without
//! decorators. Who does not mention the name comes to the same with and without them, so that one more helper in a module
//! costs only the programs that speak of it.

use super::Program;
use super::words::places_of;
use crate::code::{Code, Expr, ExprKind, Parameter, Statement, StatementKind, Target};
use crate::facts::FileId;
use crate::sources::{Digest, Source, Sources};
use memchr::memmem::Finder;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// A statement that binds a name and does nothing else.
pub(super) struct Binding<'s> {
    pub name: &'s str,
    /// The lines on which it stands, with the end of the last one.
    pub lines: Range<usize>,
    /// The number of the function that it defines.
    pub function: Option<usize>,
    /// How many statements of other kinds run before it.
    pub after: usize,
}

/// What all such statements of a module bind.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Bindings {
    /// Of all names with the digests of their statements, if there are any.
    digest: Option<Digest>,
    names: Names,
    /// The lines of each statement.
    lines: Vec<(u32, u32)>,
}

/// A name with the digest of the statement that binds it.
pub(super) type Bound = (Box<str>, Digest);

/// All names in the order in which they are bound.
pub(super) type Names = Vec<Bound>;

/// Where the statements stand makes no difference.
impl PartialEq for Bindings {
    fn eq(&self, other: &Self) -> bool {
        self.names == other.names
    }
}

impl Eq for Bindings {}

impl Bindings {
    pub fn new(all: impl Iterator<Item = (Box<str>, Digest, Range<usize>)>) -> Bindings {
        let mut bindings = Bindings::default();
        for (name, digest, lines) in all {
            bindings.names.push((name, digest));
            bindings.lines.push((lines.start as u32, lines.end as u32));
        }
        bindings.digest = (!bindings.names.is_empty()).then(|| Digest::of(&bindings.names));
        bindings
    }

    pub fn digest(&self) -> Option<Digest> {
        self.digest
    }

    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Whether a place in the text belongs to a statement that binds one of these names.
    fn binds_at(&self, names: &FxHashSet<&str>, place: usize) -> bool {
        let holds = |&(start, end): &(u32, u32)| (start as usize..end as usize).contains(&place);
        self.names.iter().zip(&self.lines).any(|((name, _), lines)| names.contains(&**name) && holds(lines))
    }
}

/// The bindings of a Python module. Where a test runner looks for names there are none.
pub(super) fn bindings_of<'s>(source: &Source, code: &Code<'s>) -> Vec<Binding<'s>> {
    let is_conftest = source.name.rsplit('/').next() == Some("conftest.py");
    if is_conftest || !code.tests.is_empty() {
        return Vec::new();
    }
    let mut all = Vec::new();
    let mut after = 0;
    for step in &code.body {
        let bound = bound_by(step, code).filter(|(name, _)| !is_looked_for(name));
        match bound.and_then(|bound| Some((bound, lines_of(&source.text, step)?))) {
            Some(((name, function), lines)) => all.push(Binding { name, lines, function, after }),
            None => after += 1,
        }
    }
    all
}

/// The name that a statement binds if it does nothing else, and the function that it is bound to.
fn bound_by<'s>(step: &Statement<'s>, code: &Code<'s>) -> Option<(&'s str, Option<usize>)> {
    match &step.kind {
        StatementKind::Assign { targets, value: Some(value), .. } => match &targets[..] {
            [Target::Name(name, _)] if is_plain(value) && !may_choose(name) => Some((name, None)),
            _ => None,
        },
        StatementKind::Define { function, decorators } if decorators.is_empty() => {
            let defined = code.functions.get(*function)?;
            let is_plain = |parameter: &Parameter<'_>| {
                parameter.default.as_ref().is_none_or(|value| is_plain(value) && !may_choose(parameter.name))
            };
            defined.parameters.iter().all(is_plain).then_some((defined.name, Some(*function)))
        }
        _ => None,
    }
}

/// Whether evaluating it has no effect and chooses no device.
fn is_plain(value: &Expr<'_>) -> bool {
    match &value.kind {
        ExprKind::None | ExprKind::Bool(_) | ExprKind::Int(_) => true,
        ExprKind::Text(text) => !may_choose(text),
        ExprKind::Unknown(parts) | ExprKind::Sequence(parts) => parts.iter().all(is_plain),
        ExprKind::Mapping(entries) => {
            entries.iter().all(|(key, value)| key.as_ref().is_some_and(is_plain) && is_plain(value))
        }
        ExprKind::Negate(value) => is_plain(value),
        _ => false,
    }
}

/// Whether a name or a text is one of those that choose a device where they are bound.
fn may_choose(text: &str) -> bool {
    const WORDS: [&str; 8] = ["device", "cuda", "gpu", "hip", "rocm", "xpu", "mps", "nvidia"];
    let text = text.to_ascii_lowercase();
    WORDS.iter().any(|word| text.contains(word))
}

/// Names that Python and test runners look for without anybody mentioning them.
fn is_looked_for(name: &str) -> bool {
    name.starts_with("__") || name.starts_with("pytest_") || name.to_ascii_lowercase().starts_with("test")
}

/// The lines of a statement, if nothing else stands on them.
fn lines_of(text: &str, step: &Statement<'_>) -> Option<Range<usize>> {
    let (start, end) = (step.span.start as usize, step.span.end as usize);
    let begins_line = start == 0 || text.get(..start)?.ends_with('\n');
    let rest = text.get(end..)?;
    let line = rest.find('\n').map_or(rest.len(), |newline| newline + 1);
    let beside = rest[..line].trim();
    (begins_line && (beside.is_empty() || beside.starts_with('#'))).then(|| start..end + line)
}

/// Whether anybody can tell that modules bound other names before than they bind now, as far as it was asked.
#[derive(Default)]
pub(super) struct Differences {
    known: Mutex<FxHashMap<(FileId, Option<Digest>), bool>>,
}

impl Differences {
    /// What a module bound is given with its digest.
    pub fn show(
        &self,
        file: FileId,
        (digest, then): (Option<Digest>, &[Bound]),
        now: &Bindings,
        program: &Program<'_>,
    ) -> bool {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        *known.entry((file, digest)).or_insert_with(|| {
            let names = differing(then, &now.names);
            let is_elsewhere = |holder: FileId, at: usize| holder != file || !now.binds_at(&names, at);
            // Settings may lie outside of what is checked.
            let starts = |name: &str| {
                program
                    .options
                    .console_scripts
                    .iter()
                    .any(|(_, function)| function.split('.').any(|part| part == name))
            };
            names.iter().any(|name| starts(name) || is_mentioned(name, &is_elsewhere, program.sources))
        })
    }
}

/// Whether a word stands at one of the places that count.
fn is_mentioned(word: &str, counts: &dyn Fn(FileId, usize) -> bool, sources: &Sources) -> bool {
    let finder = Finder::new(word);
    let mut files = (0..).map(FileId).zip(&sources.files);
    files.any(|(file, source)| places_of(&source.text, &finder).any(|at| counts(file, at)))
}

/// The names that are not bound by the same statements.
fn differing<'a>(one: &'a [Bound], other: &'a [Bound]) -> FxHashSet<&'a str> {
    let by_name = |names: &'a [Bound]| {
        let mut all: FxHashMap<&'a str, Vec<Digest>> = FxHashMap::default();
        names.iter().for_each(|(name, digest)| all.entry(name).or_default().push(*digest));
        all
    };
    let (one, other) = (by_name(one), by_name(other));
    let names = one.keys().chain(other.keys()).copied();
    names.filter(|name| one.get(name) != other.get(name)).collect()
}
