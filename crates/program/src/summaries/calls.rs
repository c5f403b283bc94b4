//! What a call that was followed came to, and what that depended on.

use super::Dependency;
use crate::facts::FileId;
use crate::program::Start;
use crate::program::heap::values::{Closure, ScopeId, Value};
use crate::program::interpreter::{AtExit, Decision, Landings};
use crate::program::state::{Definition, SetUp, State};
use crate::program::trace::{Arms, EventId, FrameId, NOT_NOTED, Recipient};
use smallvec::SmallVec;
use std::mem::Discriminant;
use std::ops::Range;
use std::rc::Rc;

/// What a call came to.
pub struct Call<'p> {
    /// Who was called, with `self` and what a partial holds; `None` for a module.
    pub closure: Option<Rc<Closure<'p>>>,
    /// What each parameter held; `None` for one that nobody asked for.
    pub arguments: Vec<Option<Value<'p>>>,
    pub context: Context,
    /// How many loops with passes that are not followed were around it.
    pub repeats: usize,
    pub result: Value<'p>,
    /// It asked how many devices there are.
    pub asks: bool,
    /// An exception leaves it; whether that is the end of the program.
    pub raised: Option<bool>,
    /// An exception may leave it.
    pub may_raise: bool,
    /// The program may end in it.
    pub may_exit: bool,
    /// What in it gave memory of the GPU back: that counts each time anew, since more may be held.
    pub releases: Option<Rc<str>>,
    /// The libraries that it was the first to import.
    pub imports: Vec<Rc<str>>,
    /// The modules that it entered, with their namespaces.
    pub modules: Vec<(FileId, ScopeId)>,
    /// What it left for the end of the program.
    pub at_exit: Vec<AtExit<'p>>,
    /// What it handed to Python, each with its kind, where nothing of that kind was there before.
    pub kept: Vec<(&'static str, Value<'p>)>,
    pub tasks: TaskQueue<'p>,
    /// Branches of modules whose conditions may be asked again.
    pub decisions: Vec<Decision<'p>>,
    /// What it did beside; `None` when it noted no event and left the state as it was.
    pub effects: Option<Effects>,
    /// A summary says all that it did, so that it holds in other programs too.
    pub is_portable: bool,
}

/// The tasks that wait until somebody awaits something.
#[derive(Default)]
pub struct TaskQueue<'p> {
    /// Those that waited when the call began, where it let them run or asked whether there are any.
    pub before: Option<Vec<Value<'p>>>,
    /// Those that wait behind it, or that it added where it did not ask.
    pub left: Vec<Value<'p>>,
}

/// What surrounds a call and decides what it does, beside what it reads.
pub struct Context {
    /// How the program was started, where that decides what a module does.
    pub start: Option<Discriminant<Start>>,
    /// No events are noted.
    pub is_quiet: bool,
    /// What the program arranged for what it does later.
    pub arranged: Rc<SetUp>,
}

impl Context {
    /// Whether what a call did in this context is what it would do in another: who is not heard may say what it likes.
    pub(super) fn serves(&self, other: &Context) -> bool {
        self.start == other.start
            && (!self.is_quiet || other.is_quiet)
            && (Rc::ptr_eq(&self.arranged, &other.arranged) || self.arranged == other.arranged)
    }
}

/// What the events of a call depend on, and what becomes of them.
pub(crate) struct Effects {
    pub entry: State,
    pub exit: State,
    /// What was done in one arm of a branch is not done in the other.
    pub path: Arms,
    pub uncertain: usize,
    pub in_child: usize,
    pub process: Option<i64>,
    pub only_if_called: bool,
    /// It was part of what cleans up.
    pub assured: bool,
    /// An exception that left it would have been caught.
    pub is_caught: bool,
    /// The states with which exceptions may leave it, where something around it catches them; `None` where they are not
    /// known.
    pub left_with: Option<SmallVec<[State; 1]>>,
    /// Where the jumps lead that may have passed it.
    pub passed_to: Landings,
    /// So all its events may be passed.
    pub may_be_passed: bool,
    pub recipient: Recipient,
    /// What it noted in the trace.
    pub noted: NotedEvents,
    /// It only asked about GPUs that the program had used before.
    pub only_asks: bool,
    /// It puts memory on a GPU. Each test answers for what it puts there.
    pub loads: bool,
    /// The first event before it that a call in it relied on which loads: that one is not noted with it.
    pub relied_on: Option<EventId>,
    /// What one of its events means depends on what comes after it.
    pub is_pending: bool,
    /// One of its events says what earlier ones were for.
    pub settles: bool,
}

impl Effects {
    /// Whether it only asked, about GPUs that the program had used before, and changed nothing.
    pub fn says_nothing_new(&self) -> bool {
        self.only_asks && self.relied_on.is_none() && self.entry == self.exit
    }
}

/// The part of a trace that a call noted.
#[derive(Clone)]
pub(crate) struct NotedEvents {
    pub events: Range<EventId>,
    pub frames: Range<FrameId>,
    /// The frame that called.
    pub caller: FrameId,
    /// The numbers of the branches in it.
    pub branches: Range<u32>,
    /// Of the arms of branches that end the program: those in it.
    pub ended: Range<usize>,
}

/// A call whose events were noted, since an earlier call noted the same.
pub(crate) struct ReplayedEvents {
    pub entry: State,
    pub exit: State,
    pub path: Arms,
    pub uncertain: usize,
    pub passed_to: Landings,
    /// So all its events may be passed.
    pub may_be_passed: bool,
    pub left_with: SmallVec<[State; 1]>,
    /// Its first event.
    pub start: EventId,
    /// The first event after it.
    pub end: EventId,
}

impl<'p> Call<'p> {
    /// Whether a module depends on a fact that it noted: what it changed itself before it asked does not count.
    pub(super) fn depends_on(&self, fact: &Dependency<'p>) -> bool {
        let imports = |library: &str| self.imports.iter().any(|known| **known == *library);
        match fact {
            Dependency::ByImport(_) => false,
            Dependency::Entered(file, Some(_)) => !self.modules.iter().any(|(entered, _)| entered == file),
            Dependency::Imported(library, true) | Dependency::Installed(library, _, true) => {
                !imports(library)
            }
            Dependency::Named(library, true) => !imports(library),
            Dependency::FirstLibrary(false) => self
                .effects
                .as_ref()
                .is_none_or(|effects| effects.entry.library.is_some_and(|library| library.certain)),
            Dependency::Untouched(false) => {
                self.effects.as_ref().is_none_or(|effects| effects.entry.cuda.is_some() || effects.entry.open)
            }
            Dependency::Variable(_, reaching) => self.effects.as_ref().is_none_or(|effects| {
                let first = effects.noted.events.start;
                let is_own = |definition: &Definition| match definition {
                    Definition::Set(event, _) | Definition::Removed(event) => {
                        *event != NOT_NOTED && *event >= first
                    }
                    Definition::Unset | Definition::Elsewhere => false,
                };
                !reaching.iter().all(is_own)
            }),
            _ => true,
        }
    }
}
