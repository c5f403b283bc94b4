//! What calls depend on beside names of the heap: variables of the environment, imports, and who is running.

use super::{Body, Effects};
use crate::facts::FileId;
use crate::program::heap::values::ScopeId;
use crate::program::modules::Found;
use crate::program::state::{MASK, ORDER, Reaching, Touched};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A function of the project: its file, and its number there.
pub(crate) type FunctionId = (FileId, usize);

/// Something that was so when a call asked.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fact<'p> {
    /// What a variable of the environment may hold.
    Variable(Rc<str>, Reaching),
    /// A variable of the environment was set or removed.
    Written(Rc<str>),
    /// All variables were asked about, or written.
    WholeEnvironment,
    /// Whether a library was imported.
    Imported(&'p str, bool),
    /// The same, where an import statement names it.
    Named(Rc<str>, bool),
    /// Where the first part of a dotted name leads to, from a file.
    Resolved(FileId, Rc<str>, Option<Found>),
    /// A file is the one that was started, as a script.
    IsMain(FileId, bool),
    /// A file is the one that was started.
    IsEntry(FileId, bool),
    /// A package is surely installed.
    Installed(&'p str, FileId, bool),
    /// A module of the project, with its namespace if it was entered.
    Entered(FileId, Option<ScopeId>),
    /// The code that ran cleans up, whatever was raised before.
    CleansUp(bool),
    /// A test was running.
    InTest(bool),
    /// No GPU library was surely imported.
    FirstLibrary(bool),
    /// The number of devices was checked on the way here.
    Counted(bool),
    /// Nothing had used a GPU.
    Untouched(bool),
    /// How many options parsers were given.
    Options(usize),
    /// The top level of an imported module led here.
    ByImport(bool),
    /// It ran in a loop with passes that are not followed.
    Repeated(bool),
    /// What ran was expected to raise.
    ExpectsFailure(bool),
    /// A function was followed.
    Followed(Nested),
    /// It was not, because it was running already.
    Refused(Nested),
}

/// A call of a function, where it matters whether the function is running already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Nested {
    pub function: FunctionId,
    /// How many calls of the function lay around it: all of them, or those inside the call that was summed up.
    pub around: usize,
    /// What it was given says that it is another call, whoever is running; or, of one that was not followed, would say so if
    /// fewer lay around it.
    pub by_arguments: bool,
}

/// What surrounds a call when it begins.
#[derive(Clone, Copy)]
pub(crate) struct Around {
    /// How many loops with passes that are not followed.
    pub repeats: usize,
    /// What runs is expected to raise.
    pub expects_failure: bool,
}

/// What a fact is about.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Subject<'p> {
    Variable(Rc<str>),
    Written(Rc<str>),
    WholeEnvironment,
    Imported(&'p str),
    Named(Rc<str>),
    Resolved(FileId, Rc<str>),
    IsMain(FileId),
    IsEntry(FileId),
    Installed(&'p str, FileId),
    Entered(FileId),
    CleansUp,
    InTest,
    FirstLibrary,
    Counted,
    Untouched,
    Options,
    ByImport,
    Repeated(bool),
    ExpectsFailure(bool),
    Nested(Nested, bool),
}

impl<'p> Fact<'p> {
    fn subject(&self) -> Subject<'p> {
        match self {
            Fact::Variable(name, _) => Subject::Variable(name.clone()),
            Fact::Written(name) => Subject::Written(name.clone()),
            Fact::WholeEnvironment => Subject::WholeEnvironment,
            Fact::Imported(library, _) => Subject::Imported(library),
            Fact::Named(library, _) => Subject::Named(library.clone()),
            Fact::Resolved(file, name, _) => Subject::Resolved(*file, name.clone()),
            Fact::IsMain(file, _) => Subject::IsMain(*file),
            Fact::IsEntry(file, _) => Subject::IsEntry(*file),
            Fact::Installed(package, file, _) => Subject::Installed(package, *file),
            Fact::Entered(file, _) => Subject::Entered(*file),
            Fact::CleansUp(_) => Subject::CleansUp,
            Fact::InTest(_) => Subject::InTest,
            Fact::FirstLibrary(_) => Subject::FirstLibrary,
            Fact::Counted(_) => Subject::Counted,
            Fact::Untouched(_) => Subject::Untouched,
            Fact::Options(_) => Subject::Options,
            Fact::ByImport(_) => Subject::ByImport,
            Fact::Repeated(was) => Subject::Repeated(*was),
            Fact::ExpectsFailure(was) => Subject::ExpectsFailure(*was),
            Fact::Followed(call) => Subject::Nested(*call, true),
            Fact::Refused(call) => Subject::Nested(*call, false),
        }
    }
}

/// One log for all calls that are being followed: what a call depends on, its callers depend on too.
#[derive(Default)]
pub(crate) struct Facts<'p> {
    log: Vec<Fact<'p>>,
    /// The number of the last record about each subject.
    noted: FxHashMap<Subject<'p>, u64>,
    /// For each call that is being followed: the first number that belongs to it.
    calls: Vec<u64>,
    last: u64,
}

impl<'p> Facts<'p> {
    pub fn note(&mut self, fact: Fact<'p>) {
        let Some(first) = self.calls.last() else { return };
        self.last += 1;
        let known = self.noted.insert(fact.subject(), self.last);
        if known.is_none_or(|known| known < *first) {
            self.log.push(fact);
        }
    }

    /// Begins a call; returns where its part of the log begins.
    pub fn begin(&mut self) -> usize {
        self.calls.push(self.last + 1);
        self.log.len()
    }

    /// Ends a call, whose part of the log begins at `start`: that it called itself and what it arranged around its own
    /// calls concerns nobody else, and of each subject the first fact counts, which was so at its beginning.
    pub fn end(&mut self, start: usize, body: Body, around: Around) {
        self.calls.pop();
        let is_own = |fact: &Fact<'p>| match fact {
            Fact::Refused(call) => !call.by_arguments && body == Body::Function(call.function),
            Fact::Repeated(true) => around.repeats == 0,
            Fact::ExpectsFailure(true) => !around.expects_failure,
            _ => false,
        };
        let mut kept = start;
        let mut seen = rustc_hash::FxHashSet::default();
        for index in start..self.log.len() {
            let fact = &self.log[index];
            if !is_own(fact) && seen.insert(fact.subject()) {
                self.log.swap(kept, index);
                kept += 1;
            }
        }
        self.log.truncate(kept);
    }

    /// Of what was noted from `start` on, keeps what counts.
    pub fn keep_since(&mut self, start: usize, counts: impl Fn(&Fact<'p>) -> bool) {
        let mut index = 0;
        self.log.retain(|fact| {
            index += 1;
            index <= start || counts(fact)
        });
    }

    /// Forgets what was noted in the program that is over.
    pub fn end_program(&mut self) {
        self.log.clear();
        self.calls.clear();
        self.noted.clear();
    }

    /// What was noted from `start` on.
    pub fn since(&self, start: usize) -> Vec<Fact<'p>> {
        self.log[start..].to_vec()
    }
}

/// The variables that a call asked about or wrote, by what it noted. Each event says what the mask and the order were.
pub(super) fn touched(facts: &[Fact<'_>], effects: &Effects) -> Touched {
    let mut names: Vec<Rc<str>> = Vec::new();
    for fact in facts {
        if let Fact::Variable(name, _) | Fact::Written(name) = fact
            && !names.contains(name)
        {
            names.push(name.clone());
        }
    }
    let all = facts.contains(&Fact::WholeEnvironment);
    let mut beside = if effects.noted.events.is_empty() { Vec::new() } else { vec![MASK, ORDER] };
    beside.retain(|variable| !names.iter().any(|name| **name == **variable));
    if all {
        names.extend(beside.drain(..).map(Rc::from));
    }
    let writes = facts.iter().any(|fact| matches!(fact, Fact::Written(_) | Fact::WholeEnvironment));
    let at_milestones = writes || effects.entry.milestones != effects.exit.milestones;
    Touched { names, all, beside, at_milestones }
}
