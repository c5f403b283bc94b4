//! What calls depend on beside names of the heap: variables of the environment, imports, and who is running.

use super::{Effects, SummaryBody};
use crate::facts::FileId;
use crate::program::heap::values::ScopeId;
use crate::program::interpreter::ExpectedError;
use crate::program::modules::ImportTarget;
use crate::program::state::{MASK, ORDER, Reaching, TouchedVariables};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A function of the project: its file, and its number there.
pub(crate) type FunctionId = (FileId, usize);

/// Something that was so when a call asked.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Dependency<'p> {
    /// What a variable of the environment may hold.
    Variable(Rc<str>, Reaching),
    /// A variable of the environment was set or removed.
    Written(Rc<str>),
    /// Whether the mask hides all GPUs.
    HidesAllGpus(bool),
    /// All variables were asked about, or written.
    WholeEnvironment,
    /// Whether a library was imported.
    Imported(&'p str, bool),
    /// The same, where an import statement names it.
    Named(Rc<str>, bool),
    /// Where the first part of a dotted name leads to, from a file.
    Resolved(FileId, Rc<str>, Option<ImportTarget>),
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
    /// It ran in a child process.
    InChild(bool),
    /// A test was running.
    InTest(bool),
    /// No GPU library was surely imported.
    FirstLibrary(bool),
    /// The number of devices was checked on the way here.
    Counted(bool),
    /// Nothing had used a GPU.
    Untouched(bool),
    /// Torch had surely not initialised its CUDA state.
    BeforeTorch(bool),
    /// How many options parsers were given.
    Options(usize),
    /// Whether Python was handed something of this kind, to be called later.
    Kept(&'static str, bool),
    /// The top level of an imported module led here.
    ByImport(bool),
    /// It ran in a loop with passes that are not followed.
    Repeated(bool),
    /// It ran in such a loop that lies around it alone, and not around what made the object.
    RepeatedSince(ScopeId, bool),
    /// What ran was expected to raise.
    ExpectsFailure(bool),
    /// A `try` around it expected such an error.
    ExpectsError(ExpectedError, bool),
    /// A command of the project starts the program, on a machine.
    OnMachine(bool),
    /// A function was followed.
    Followed(NestedCall),
    /// It was not, because it was running already.
    Refused(NestedCall),
}

/// A call of a function, where it matters whether the function is running already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NestedCall {
    pub function: FunctionId,
    /// How many calls of the function lay around it: all of them, or those inside the call that was summed up.
    pub around: usize,
    /// What it was given says that it is another call, whoever is running; or, of one that was not followed, would say so if
    /// fewer lay around it.
    pub by_arguments: bool,
    /// Another function made the call.
    pub is_indirect: bool,
    /// No condition that nobody knows decides whether it is made in the first call of the function.
    pub is_certain: bool,
}

/// So many calls of one function in each other are followed.
pub(crate) const MOST_NESTED: usize = 3;

impl NestedCall {
    /// Whether it would be followed where `around` more calls of the function lay around it. What several functions do in
    /// turn is followed once less: the ways through them multiply.
    pub fn may_be_followed(&self, around: usize) -> bool {
        self.weight() + around < MOST_NESTED
    }

    /// How much it counts towards [`MOST_NESTED`].
    pub fn weight(&self) -> usize {
        self.around + usize::from(self.is_indirect)
    }
}

/// What surrounds a call when it begins.
#[derive(Clone, Copy)]
pub(crate) struct CallContext {
    /// How many loops with passes that are not followed.
    pub repeats: usize,
    /// What runs is expected to raise.
    pub expects_failure: bool,
    /// Whether a `try` expects errors of each kind.
    pub expected_errors: [bool; 3],
}

/// What a fact is about.
#[derive(Clone, PartialEq, Eq, Hash)]
enum DependencyKey<'p> {
    Variable(Rc<str>),
    Written(Rc<str>),
    HidesAllGpus,
    WholeEnvironment,
    Imported(&'p str),
    Named(Rc<str>),
    Resolved(FileId, Rc<str>),
    IsMain(FileId),
    IsEntry(FileId),
    Installed(&'p str, FileId),
    Entered(FileId),
    CleansUp,
    InChild,
    InTest,
    FirstLibrary,
    Counted,
    Untouched,
    BeforeTorch,
    Options,
    Kept(&'static str),
    ByImport,
    Repeated(bool),
    RepeatedSince(ScopeId, bool),
    ExpectsFailure(bool),
    ExpectsError(ExpectedError, bool),
    OnMachine,
    Nested(NestedCall, bool),
}

impl<'p> Dependency<'p> {
    fn subject(&self) -> DependencyKey<'p> {
        match self {
            Dependency::Variable(name, _) => DependencyKey::Variable(name.clone()),
            Dependency::Written(name) => DependencyKey::Written(name.clone()),
            Dependency::HidesAllGpus(_) => DependencyKey::HidesAllGpus,
            Dependency::WholeEnvironment => DependencyKey::WholeEnvironment,
            Dependency::Imported(library, _) => DependencyKey::Imported(library),
            Dependency::Named(library, _) => DependencyKey::Named(library.clone()),
            Dependency::Resolved(file, name, _) => DependencyKey::Resolved(*file, name.clone()),
            Dependency::IsMain(file, _) => DependencyKey::IsMain(*file),
            Dependency::IsEntry(file, _) => DependencyKey::IsEntry(*file),
            Dependency::Installed(package, file, _) => DependencyKey::Installed(package, *file),
            Dependency::Entered(file, _) => DependencyKey::Entered(*file),
            Dependency::CleansUp(_) => DependencyKey::CleansUp,
            Dependency::InChild(_) => DependencyKey::InChild,
            Dependency::InTest(_) => DependencyKey::InTest,
            Dependency::FirstLibrary(_) => DependencyKey::FirstLibrary,
            Dependency::Counted(_) => DependencyKey::Counted,
            Dependency::Untouched(_) => DependencyKey::Untouched,
            Dependency::BeforeTorch(_) => DependencyKey::BeforeTorch,
            Dependency::Options(_) => DependencyKey::Options,
            Dependency::Kept(name, _) => DependencyKey::Kept(name),
            Dependency::ByImport(_) => DependencyKey::ByImport,
            Dependency::Repeated(was) => DependencyKey::Repeated(*was),
            Dependency::RepeatedSince(object, was) => DependencyKey::RepeatedSince(*object, *was),
            Dependency::ExpectsFailure(was) => DependencyKey::ExpectsFailure(*was),
            Dependency::ExpectsError(error, was) => DependencyKey::ExpectsError(*error, *was),
            Dependency::OnMachine(_) => DependencyKey::OnMachine,
            Dependency::Followed(call) => DependencyKey::Nested(*call, true),
            Dependency::Refused(call) => DependencyKey::Nested(*call, false),
        }
    }
}

/// One log for all calls that are being followed: what a call depends on, its callers depend on too.
#[derive(Default)]
pub struct Facts<'p> {
    log: Vec<Dependency<'p>>,
    /// The number of the last record about each subject.
    noted: FxHashMap<DependencyKey<'p>, u64>,
    /// For each call that is being followed: the first number that belongs to it.
    calls: Vec<u64>,
    last: u64,
    /// What the whole program asked about or wrote, where somebody wants to know.
    of_program: Option<TouchedVariables>,
}

impl<'p> Facts<'p> {
    pub fn note(&mut self, fact: Dependency<'p>) {
        if let Some(touched) = &mut self.of_program {
            add_touched(touched, &fact);
        }
        let Some(first) = self.calls.last() else { return };
        self.last += 1;
        let known = self.noted.insert(fact.subject(), self.last);
        if known.is_none_or(|known| known < *first) {
            self.log.push(fact);
        }
    }

    /// From here on it is noted what the whole program asks about or writes.
    pub fn begin_program(&mut self) {
        self.of_program = Some(TouchedVariables::default());
    }

    pub fn touched_by_program(&mut self) -> TouchedVariables {
        let mut touched = self.of_program.take().unwrap_or_default();
        add_beside(&mut touched);
        touched
    }

    /// Begins a call; returns where its part of the log begins.
    pub fn begin(&mut self) -> usize {
        self.calls.push(self.last + 1);
        self.log.len()
    }

    /// Ends a call, whose part of the log begins at `start`: that it called itself, what it arranged around its own calls and
    /// the objects that it made concern nobody else, and of each subject the first fact counts, which was so at its beginning.
    pub fn end(
        &mut self,
        start: usize,
        body: SummaryBody,
        around: CallContext,
        is_made: impl Fn(ScopeId) -> bool,
    ) {
        self.calls.pop();
        let is_own = |fact: &Dependency<'p>| match fact {
            Dependency::Refused(call) => !call.by_arguments && body == SummaryBody::Function(call.function),
            // The body of a module runs once, whatever loops lie around the import.
            Dependency::Repeated(_) if matches!(body, SummaryBody::Module(_)) => true,
            Dependency::RepeatedSince(object, _) if is_made(*object) => true,
            Dependency::Repeated(true) | Dependency::RepeatedSince(_, true) => around.repeats == 0,
            Dependency::ExpectsFailure(true) => !around.expects_failure,
            Dependency::ExpectsError(error, true) => !around.expected_errors[*error as usize],
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
    pub fn keep_since(&mut self, start: usize, counts: impl Fn(&Dependency<'p>) -> bool) {
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
    pub fn since(&self, start: usize) -> Vec<Dependency<'p>> {
        self.log[start..].to_vec()
    }
}

/// The variables that a call asked about or wrote, by what it noted.
pub(super) fn touched(facts: &[Dependency<'_>], effects: &Effects) -> TouchedVariables {
    let mut touched = TouchedVariables::default();
    facts.iter().for_each(|fact| add_touched(&mut touched, fact));
    let writes =
        facts.iter().any(|fact| matches!(fact, Dependency::Written(_) | Dependency::WholeEnvironment));
    touched.at_milestones = writes || effects.entry.milestones != effects.exit.milestones;
    if !effects.noted.events.is_empty() {
        add_beside(&mut touched);
    }
    touched
}

fn add_touched(touched: &mut TouchedVariables, fact: &Dependency<'_>) {
    match fact {
        Dependency::Variable(name, _) | Dependency::Written(name) if !touched.names.contains(name) => {
            touched.names.push(name.clone());
        }
        Dependency::WholeEnvironment => touched.all = true,
        Dependency::HidesAllGpus(_) => touched.asks_hidden = true,
        Dependency::OnMachine(_) => touched.asks_machine = true,
        _ => {}
    }
}

/// Each event says what the mask and the order were.
fn add_beside(touched: &mut TouchedVariables) {
    let mut beside = vec![MASK, ORDER];
    beside.retain(|variable| !touched.names.iter().any(|name| **name == **variable));
    match touched.all {
        true => touched.names.extend(beside.into_iter().map(Rc::from)),
        false => touched.beside = beside,
    }
}
