//! A trace: what one program does to the environment and the GPU, in the order in which it happens.

use super::state::StateSnapshot;
use crate::code::{Host, Observation};
use crate::facts::{FileId, Place};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet};

/// The effects of one program, in order.
#[derive(Debug, Default)]
pub struct Trace {
    /// The file that was started, or that is looked at alone; of the CPU part its first module.
    pub entry: Option<FileId>,
    /// What happens, in order.
    pub events: Vec<Event>,
    /// The events that set a variable: few of many, and what rules look for again and again.
    pub writes: Vec<EventId>,
    /// The events by where they stand, as far as somebody wanted to know.
    pub(super) index: EventIndex,
    /// How many events there were behind the last one whose meaning depends on what comes after it: a write may be for a
    /// child, and a child may use a GPU.
    pub pending: EventId,
    /// The same for the last one that says what earlier events were for.
    pub settled: EventId,
    /// The calls and imports that events lie in; the first is the entry file itself.
    pub frames: Vec<Frame>,
    /// Functions that ran, by file and number.
    pub ran: FxHashSet<(FileId, usize)>,
    /// Files whose top level ran.
    pub entered: Vec<FileId>,
    /// Targets of Makefiles that ran, by file and number of the unit.
    pub units: Vec<(FileId, usize)>,
    /// Units of files of settings that it loaded into its own environment.
    pub loaded: Vec<(FileId, usize)>,
    /// Arms of branches that end the program.
    pub ended: FxHashSet<(u32, u32)>,
    /// Programs of the project that it starts.
    pub launches: Vec<super::launches::Launch>,
    /// The commands that run, where somebody asks for them.
    pub(super) commands: Vec<super::run_commands::RunCommand>,
    /// Where it runs.
    pub host: Host,
    /// Events before this one are what its launcher did to the environment.
    pub inherited: EventId,
    /// The words that its launcher told it, as far as they may choose a GPU.
    pub told: Vec<Place>,
    /// Only what the file does itself counts, not what it leads to.
    pub own_uses_only: bool,
    /// The program was too large to be followed to its end.
    pub cut: bool,
    /// How many steps it was followed for.
    pub steps: usize,
    pub cost: super::work::Cost,
}

/// Branches and the arm taken in each, outermost first.
pub type Arms = SmallVec<[(u32, u32); 4]>;

/// An event, by its position in the trace.
pub type EventId = u32;

/// What happened without an event: nobody can look at it.
pub const NOT_NOTED: EventId = EventId::MAX;

/// Something that happens.
#[derive(Clone, Debug)]
pub struct Event {
    pub what: EventKind,
    /// The expression that does it.
    pub place: Place,
    /// The statement that holds the expression, up to its colon for a compound statement.
    pub statement: Place,
    /// The calls and imports that led here.
    pub frame: FrameId,
    /// Happens on every path, as far as the conditions are understood.
    pub certain: bool,
    /// An earlier `return`, `break` or exception, on some path, led past it.
    pub may_be_passed: bool,
    /// How many conditions that are not understood it rests on.
    pub doubts: usize,
    /// The arms of branches that it lies in, as (branch, arm).
    pub arms: Arms,
    /// Runs only if somebody calls the function; nobody was seen to.
    pub only_if_called: bool,
    /// Happens in a child process.
    pub in_child: bool,
    /// The number that its process was handed, one of several that run one function.
    pub process: Option<i64>,
    /// Who gets the variable that is written.
    pub recipient: Recipient,
    /// Happens whatever is raised before, as far as this says.
    pub assured: Option<Assurance>,
    /// What was true just before.
    pub before: StateSnapshot,
}

/// Who gets a variable that is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recipient {
    /// The process itself, and all that it starts.
    #[default]
    Process,
    /// A test or a block that puts the old value back: `monkeypatch.setenv`, `patch.dict`.
    Test,
    /// A program that is started with an environment of its own: `env={**os.environ, …}`.
    Program,
}

/// What code cleans up after that runs whatever is raised: a `finally`, the end of a `with`, a `tearDown`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assurance {
    /// Everything from this event on.
    pub since: EventId,
    /// And everything that this frame, or what it called, did earlier.
    pub frame: Option<FrameId>,
}

/// Which GPU a call takes where no mask says which there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// That which comes first.
    First,
    /// That whose number it is given, which is not 0.
    Numbered,
    /// What it is given is not known, and may be a number.
    PerhapsNumbered,
    /// Several, if there are several: a model is spread over them, or each has a copy.
    Several,
    /// That with the number of this process, which a launcher gave it.
    OwnNumber,
}

/// What happens in an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A module outside the project is imported, by its full name (`numba.cuda`).
    Import {
        module: String,
        gpu_library: bool,
        touches_cuda: bool,
        /// What the policy forbids, or counts as GPU code, that the import brings along.
        brings: Vec<String>,
        /// Why the import does what it does, in one clause.
        note: Option<String>,
    },
    /// A known call.
    Call {
        /// The dotted name, or that of the method alone when it is called on something unknown.
        callee: String,
        does: Vec<super::knowledge::Does>,
        takes: Takes,
        note: Option<String>,
    },
    /// An environment variable of the GPU is set; `None` when the value is not known.
    Write {
        variable: String,
        value: Option<String>,
        /// `setdefault` and its like.
        only_if_unset: bool,
        /// A value that is not known names GPUs by index all the same: `str(args.gpu)` of an option that is a number.
        by_index: bool,
    },
    /// An environment variable is given something that is not a string, which raises a TypeError.
    Refuse {
        variable: String,
        /// What it is given, in words.
        given: &'static str,
    },
    /// One of the policy's validators is called.
    Validate { by: String },
    /// An environment variable of the GPU is removed.
    Remove { variable: String },
    /// An environment variable of the GPU is given the value that was read from it before.
    Restore { variable: String },
    /// Memory of the GPU is given back.
    Release { by: String },
    /// A process is started: it inherits the environment as it is now.
    Spawn {
        callee: String,
        /// It is a copy of this one.
        forks: bool,
    },
    /// A launcher starts a program, with the environment as it is now.
    Launch {
        callee: String,
        /// The files of the project that run.
        targets: Vec<FileId>,
        /// Where it runs.
        host: Host,
    },
    /// Something is written down, and does nothing.
    Observed { what: Observation, about_gpu: bool, text: String },
    /// The end of a launcher: what it exports is there for whoever reads it.
    End,
    /// A GPU is chosen by index; `None` is the current one.
    Select {
        index: Option<i64>,
        /// As written or followed: `cuda:1`, `1`.
        text: String,
        /// The call, parameter or key that takes it.
        by: String,
        choice: Choice,
    },
}

/// Whether a GPU that code names is used there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// A call outside the project takes it, or a configuration file sets it for whoever reads that.
    Taken,
    /// A call outside the project writes it into CUDA_VISIBLE_DEVICES, and takes the first card that is left.
    Masked,
    /// A parameter, a key, a field or a value bears its name: what becomes of that is another question.
    Named,
}

/// A frame, by its position in the trace; 0 is the entry file itself.
pub type FrameId = u32;

/// One hop on the way to an event: a call of a project function, or the import of a project module.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The frame around it; `None` for the entry file.
    pub parent: Option<FrameId>,
    /// The call or import that entered the frame.
    pub site: Option<Place>,
    /// The statement that the site lies in.
    pub statement: Option<Place>,
    /// The file whose code runs in the frame.
    pub file: FileId,
    /// Name of the function; `None` for a module.
    pub function: Option<String>,
    /// Number of the function in the code of its file.
    pub number: Option<usize>,
    /// The function is a test, or reads like one.
    pub is_test: bool,
}

/// The events of a trace by where they stand.
#[derive(Debug, Default)]
pub struct EventIndex {
    by_place: FxHashMap<Place, SmallVec<[EventId; 2]>>,
    /// How many events are in it.
    events: usize,
}

impl EventIndex {
    /// The events at a place, in order.
    pub(super) fn at(&self, place: Place) -> &[EventId] {
        self.by_place.get(&place).map(SmallVec::as_slice).unwrap_or_default()
    }

    /// Takes in those of a trace that came since.
    pub(super) fn extend(&mut self, events: &[Event]) {
        for (number, event) in events.iter().enumerate().skip(self.events) {
            self.by_place.entry(event.place).or_default().push(number as EventId);
        }
        self.events = events.len();
    }
}

impl Event {
    /// Whether it surely happens in every run that comes to its end.
    pub fn surely_happens(&self) -> bool {
        self.certain && !self.may_be_passed
    }

    /// Whether it takes the GPU with the number that its process was handed.
    fn names_own_number(&self) -> bool {
        let EventKind::Select { index: Some(index), .. } = self.what else { return false };
        self.process == Some(index)
    }
}

impl Trace {
    /// The event at a position.
    pub fn event(&self, id: EventId) -> &Event {
        &self.events[id as usize]
    }

    /// The variables that the program sets itself.
    pub fn own_writes(&self) -> impl Iterator<Item = &str> {
        let own = self.writes.iter().filter(|&&write| write >= self.inherited);
        own.filter_map(|&write| match &self.event(write).what {
            EventKind::Write { variable, .. } => Some(variable.as_str()),
            _ => None,
        })
    }

    /// Whether a process takes the GPU with the number that it was handed: where another takes one at the same place, that
    /// is the one with the number of the other.
    pub fn takes_own_number(&self, event: &Event) -> bool {
        let is_other = |other: &Event| other.process != event.process && other.statement == event.statement;
        event.names_own_number()
            && self.events.iter().any(|other| is_other(other) && other.names_own_number())
    }

    /// The events that are so, in order. Who asks of many events asks here.
    pub fn own_numbers(&self) -> Vec<EventId> {
        let own = || (0..).zip(&self.events).filter(|(_, event)| event.names_own_number());
        let mut processes: BTreeMap<Place, BTreeSet<Option<i64>>> = BTreeMap::new();
        for (_, event) in own() {
            processes.entry(event.statement).or_default().insert(event.process);
        }
        let has_other = |event: &Event| processes.get(&event.statement).is_some_and(|all| all.len() > 1);
        own().filter(|(_, event)| has_other(event)).map(|(id, _)| id).collect()
    }

    /// Whether ordinals count the GPUs that a container or a scheduler handed out, and not those of the machine.
    pub fn counts_from_zero(&self, event: &Event) -> bool {
        let host = match event.what {
            EventKind::Launch { host, .. } => host,
            _ => self.host,
        };
        matches!(host, Host::Container | Host::Scheduler)
    }

    /// Whether no path leads from one event to a later one: they lie in different arms of one branch, or
    /// the arm of the first ended the program.
    pub fn excludes(&self, first: &Event, later: &Event) -> bool {
        let differs = |(branch, arm): &(u32, u32)| {
            later.arms.iter().any(|(other, other_arm)| branch == other && arm != other_arm)
        };
        first.arms.iter().any(differs)
            || first.arms.iter().any(|arm| self.ended.contains(arm) && !later.arms.contains(arm))
    }

    /// The frames from `frame` outwards to the entry file.
    pub fn outwards(&self, frame: FrameId) -> impl Iterator<Item = &Frame> {
        std::iter::successors(Some(&self.frames[frame as usize]), |frame| {
            frame.parent.map(|parent| &self.frames[parent as usize])
        })
    }

    /// The test that an event lies in.
    pub fn test_of(&self, event: &Event) -> Option<&Frame> {
        self.outwards(event.frame).filter(|frame| frame.is_test).last()
    }

    /// Whether the later event gives back what the earlier one took, whatever is raised between them.
    pub fn assures(&self, release: &Event, earlier: EventId) -> bool {
        let event = self.event(earlier);
        let covers = |assurance: Assurance| {
            let frames = || std::iter::successors(Some(event.frame), |&id| self.frames[id as usize].parent);
            earlier >= assurance.since || assurance.frame.is_some_and(|frame| frames().any(|id| id == frame))
        };
        release.assured.is_some_and(covers) && !self.excludes(event, release)
    }

    /// The innermost statement of `file` on the way to the event.
    pub fn statement_in(&self, event: &Event, file: FileId) -> Option<Place> {
        if event.statement.file == file {
            return Some(event.statement);
        }
        self.outwards(event.frame)
            .filter_map(|frame| frame.statement)
            .find(|statement| statement.file == file)
    }
}

impl EventKind {
    /// Reaches `cuInit`.
    pub fn initialises_cuda(&self) -> bool {
        match self {
            EventKind::Import { touches_cuda, .. } => *touches_cuda,
            EventKind::Call { does, .. } => does.contains(&super::knowledge::Does::CudaInit),
            _ => false,
        }
    }

    /// A call that reaches the driver on its way, such as autograd on the CPU.
    pub fn only_passes(&self) -> bool {
        matches!(self, EventKind::Call { does, .. } if does.contains(&super::knowledge::Does::Passing))
    }

    /// Takes a GPU: more than asking which there are, or reaching `cuInit` in passing.
    pub fn takes_gpu(&self) -> bool {
        use super::knowledge::Does;
        match self {
            EventKind::Call { does, .. } => {
                let asks = does.iter().any(|does| matches!(does, Does::Query | Does::Passing));
                does.contains(&Does::CudaInit) && (!asks || does.contains(&Does::Allocate))
            }
            _ => false,
        }
    }

    /// Puts memory on the GPU.
    pub fn loads(&self) -> bool {
        matches!(self, EventKind::Call { does, .. } if does.contains(&super::knowledge::Does::Allocate))
    }

    /// Gives memory of the GPU back.
    pub fn releases(&self) -> bool {
        matches!(self, EventKind::Release { .. })
    }

    /// What comes after it says what it was for.
    pub(super) fn is_pending(&self) -> bool {
        matches!(self, EventKind::Write { .. } | EventKind::Spawn { .. })
    }

    /// Says what earlier events were for.
    pub(super) fn settles(&self) -> bool {
        matches!(self, EventKind::Launch { .. } | EventKind::Spawn { .. }) || self.initialises_cuda()
    }

    /// Imports something that people import in order to use a GPU.
    pub fn imports_gpu_library(&self) -> bool {
        matches!(self, EventKind::Import { gpu_library: true, .. })
    }
}
