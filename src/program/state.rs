//! What is true at one point of a program: which values environment variables may have, and whether CUDA
//! was already initialised. States of different branches join.

use super::milestones::{Late, Milestones};
use super::modules::FolderId;
use super::trace::{EventId, NOT_NOTED};
use std::rc::Rc;
use std::sync::Arc;

/// What has happened so far on the paths that lead here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct State {
    environment: Rc<Vec<(Rc<str>, Reaching)>>,
    /// First event that reached `cuInit`.
    pub cuda: Option<Happened>,
    /// First import of a GPU library.
    pub library: Option<Happened>,
    /// What is behind, after which variables are no longer read.
    pub milestones: Milestones,
    /// The number of devices was checked on the way here.
    pub counted: bool,
    /// The environment at the start is not known, because the code is not followed from its start.
    pub open: bool,
    set_up: Rc<SetUp>,
}

/// What a program arranged for what it does later.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SetUp {
    /// Names that tests replaced.
    pub mocked: Vec<String>,
    /// Folders of the project that the program put on `sys.path`.
    pub search_paths: Vec<FolderId>,
    /// What the initializer of a process pool made of the environment of its workers.
    pub worker: Option<State>,
    /// `torch.set_default_device("cuda")` was called.
    pub default_is_gpu: bool,
    /// How child processes are started, when the program says so: whether they are copies of this one.
    pub forks: Option<bool>,
}

/// The state as far as rules ask about it, kept with each event.
#[derive(Clone, Debug, Default)]
pub struct Before {
    /// What [`MASK`] may hold.
    pub mask: Reaching,
    /// What [`ORDER`] may hold.
    pub order: Reaching,
    /// For a write: what the written variable may hold before it.
    pub written: Reaching,
    /// The first event that reached `cuInit`.
    pub cuda: Option<Happened>,
    /// The first import of a GPU library.
    pub library: Option<Happened>,
    /// The number of devices was checked on the way here.
    pub counted: bool,
    /// For a write: what had read the variable already.
    pub late: Vec<Late>,
    /// For a write: what another name of the same setting holds.
    pub rival: Option<(EventId, Arc<str>)>,
}

/// Something that happened, on every path or on some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Happened {
    /// The first that did it.
    pub event: EventId,
    /// On every path.
    pub certain: bool,
}

/// The definitions of a variable that may be in force, one for each kind of path.
pub type Reaching = smallvec::SmallVec<[Definition; 2]>;

/// How a variable may have come to what it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Definition {
    /// The program never set it on this path.
    Unset,
    /// It is set, but not by something that was followed: by the caller, or by an unknown update.
    Elsewhere,
    /// Set by this event; `None` when the value is not known.
    Set(EventId, Option<Arc<str>>),
    /// Removed by this event after it was set.
    Removed(EventId),
}

/// The variable that says which GPUs a process sees.
pub const MASK: &str = "CUDA_VISIBLE_DEVICES";
/// The names that configure the allocator of torch.
pub const ALLOCATOR: [&str; 3] = ["PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF", "PYTORCH_ALLOC_CONF"];
/// The variable that says in which order they are counted.
pub const ORDER: &str = "CUDA_DEVICE_ORDER";

impl Definition {
    /// The variable is not set, as far as the program decides that.
    pub fn is_absent(&self) -> bool {
        matches!(self, Definition::Unset | Definition::Removed(_))
    }

    /// Whether it names an event that gets another number.
    fn moves(&self, number: &impl Fn(EventId) -> EventId) -> bool {
        match self {
            Definition::Set(event, _) | Definition::Removed(event) => number(*event) != *event,
            Definition::Unset | Definition::Elsewhere => false,
        }
    }

    /// The same value, wherever it was set.
    fn says_the_same(&self, other: &Definition) -> bool {
        match (self, other) {
            // What an import sets has no place, so rules pass over it.
            (Definition::Set(one, known), Definition::Set(other, value)) => {
                known == value && (*one == NOT_NOTED) == (*other == NOT_NOTED)
            }
            (Definition::Removed(_), Definition::Removed(_)) => true,
            _ => self == other,
        }
    }
}

/// Gives the events that set or removed a variable other numbers.
pub(crate) fn renumber(reaching: &mut Reaching, number: &impl Fn(EventId) -> EventId) {
    for definition in reaching {
        if let Definition::Set(event, _) | Definition::Removed(event) = definition {
            *event = number(*event);
        }
    }
}

impl Before {
    /// The same, where events have other numbers.
    pub(crate) fn renumber(&mut self, number: &impl Fn(EventId) -> EventId) {
        for reaching in [&mut self.mask, &mut self.order, &mut self.written] {
            renumber(reaching, number);
        }
        for happened in [&mut self.cuda, &mut self.library].into_iter().flatten() {
            happened.event = number(happened.event);
        }
        if let Some((event, _)) = &mut self.rival {
            *event = number(*event);
        }
    }
}

impl State {
    /// `open`: the environment at the start is not known.
    pub fn at_start(open: bool) -> State {
        State { open, ..State::default() }
    }

    /// What `variable` may hold.
    pub fn reaching(&self, variable: &str) -> Reaching {
        match self.environment.iter().find(|(name, _)| &**name == variable) {
            Some((_, reaching)) => reaching.clone(),
            None if self.open => smallvec::smallvec![Definition::Elsewhere],
            None => smallvec::smallvec![Definition::Unset],
        }
    }

    /// What another name of the same setting as `variable` holds.
    pub fn rival(&self, variable: &str) -> Option<(EventId, Arc<str>)> {
        if !ALLOCATOR.contains(&variable) {
            return None;
        }
        let others = ALLOCATOR.iter().filter(|other| **other != variable);
        others.flat_map(|other| self.reaching(other)).find_map(|definition| match definition {
            Definition::Set(write, Some(value)) if write != NOT_NOTED => Some((write, value)),
            _ => None,
        })
    }

    fn knows(&self, variable: &str) -> bool {
        self.environment.iter().any(|(name, _)| &**name == variable)
    }

    /// The variables that something was done to, with what they may hold.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &Reaching)> {
        self.environment.iter().map(|(name, reaching)| (&**name, reaching))
    }

    pub fn set(&mut self, variable: &str, mut reaching: Reaching) {
        thin_out(&mut reaching);
        let environment = Rc::make_mut(&mut self.environment);
        match environment.iter_mut().find(|(name, _)| &**name == variable) {
            Some((_, known)) => *known = reaching,
            None => environment.push((variable.into(), reaching)),
        }
    }

    /// Any variable may have been set by something that is not followed.
    pub fn blur(&mut self) {
        self.open = true;
        for (_, reaching) in Rc::make_mut(&mut self.environment) {
            reaching.retain(|definition| !definition.is_absent());
            if !reaching.contains(&Definition::Elsewhere) {
                reaching.push(Definition::Elsewhere);
            }
        }
    }

    /// A file that is not followed sets what is not set yet, or anything.
    pub fn fill_gaps(&mut self, overrides: bool) {
        self.open = true;
        for (_, reaching) in Rc::make_mut(&mut self.environment) {
            let gap = reaching.iter().any(Definition::is_absent);
            reaching.retain(|definition| !definition.is_absent() && !overrides);
            if gap || overrides {
                reaching.push(Definition::Elsewhere);
            }
        }
    }

    /// What was removed is there again, with a value that is not followed.
    pub fn restore_removed(&mut self) {
        for (_, reaching) in Rc::make_mut(&mut self.environment) {
            let removed = reaching.len();
            reaching.retain(|definition| !matches!(definition, Definition::Removed(_)));
            if reaching.len() < removed && !reaching.contains(&Definition::Elsewhere) {
                reaching.push(Definition::Elsewhere);
            }
        }
    }

    /// Of what was joined `behind` a branch, only what one of its arms had come to is true here. What changed since
    /// then stays as it is.
    pub fn narrow(&mut self, arm: &State, behind: &State) {
        let same = |one: &Reaching, other: &Reaching| {
            one.len() == other.len() && one.iter().all(|definition| other.contains(definition))
        };
        let names: Vec<Rc<str>> = behind.environment.iter().map(|(name, _)| name.clone()).collect();
        for name in names {
            if same(&self.reaching(&name), &behind.reaching(&name)) {
                self.set(&name, arm.reaching(&name));
            }
        }
        if self.cuda == behind.cuda {
            self.cuda = arm.cuda;
        }
        if self.library == behind.library {
            self.library = arm.library;
        }
        if self.milestones == behind.milestones {
            self.milestones = arm.milestones.clone();
        }
    }

    pub fn set_up(&self) -> &SetUp {
        &self.set_up
    }

    /// The same, to be kept.
    pub fn arranged(&self) -> Rc<SetUp> {
        self.set_up.clone()
    }

    pub fn set_up_mut(&mut self) -> &mut SetUp {
        Rc::make_mut(&mut self.set_up)
    }

    /// Takes over what another way of running the same steps arranged.
    pub fn keep_set_up(&mut self, other: &State) {
        self.set_up = other.set_up.clone();
    }

    pub fn before(&self, written: Option<&str>) -> Before {
        Before {
            mask: self.reaching(MASK),
            order: self.reaching(ORDER),
            written: written.map(|variable| self.reaching(variable)).unwrap_or_default(),
            cuda: self.cuda,
            library: self.library,
            counted: self.counted,
            late: Vec::new(),
            rival: None,
        }
    }

    /// Whether nothing was done to the environment since `before`, not even something that changed nothing.
    pub fn has_environment_of(&self, before: &State) -> bool {
        Rc::ptr_eq(&self.environment, &before.environment)
    }

    /// Whether its events can be given other numbers.
    pub fn can_move(&self) -> bool {
        self.set_up.worker.is_none()
    }

    /// The same state, where events have other numbers.
    pub fn renumbered(&self, number: &impl Fn(EventId) -> EventId) -> State {
        let mut state = self.clone();
        let moves = |reaching: &Reaching| reaching.iter().any(|definition| definition.moves(number));
        if state.environment.iter().any(|(_, reaching)| moves(reaching)) {
            for (_, reaching) in Rc::make_mut(&mut state.environment) {
                renumber(reaching, number);
            }
        }
        for happened in [&mut state.cuda, &mut state.library].into_iter().flatten() {
            happened.event = number(happened.event);
        }
        state.milestones.renumber(number);
        state
    }

    /// Takes back what happened to the environment since `before`.
    pub fn restore_environment(&mut self, before: &State) {
        self.environment = before.environment.clone();
        self.open = before.open;
    }

    /// A process that gets nothing of the environment but these variables.
    pub fn leave_environment(&mut self, handed: &[String]) {
        let kept = |(name, _): &&(Rc<str>, Reaching)| handed.iter().any(|handed| **handed == **name);
        self.environment = Rc::new(self.environment.iter().filter(kept).cloned().collect());
        self.open = false;
    }

    /// What is true after one of two paths.
    pub fn join(mut self, other: State) -> State {
        if !Rc::ptr_eq(&self.environment, &other.environment) {
            let names: Vec<Rc<str>> = self
                .environment
                .iter()
                .chain(other.environment.iter())
                .map(|(name, _)| name.clone())
                .collect();
            for name in names {
                let (mut reaching, others) = (self.reaching(&name), other.reaching(&name));
                if reaching == others && self.knows(&name) {
                    continue;
                }
                for definition in others {
                    if !reaching.contains(&definition) {
                        reaching.push(definition);
                    }
                }
                self.set(&name, reaching);
            }
        }
        self.cuda = join_happened(self.cuda, other.cuda);
        self.library = join_happened(self.library, other.library);
        self.milestones.join(&other.milestones);
        self.counted &= other.counted;
        self.open |= other.open;
        if !Rc::ptr_eq(&self.set_up, &other.set_up) {
            Rc::make_mut(&mut self.set_up).join(&other.set_up);
        }
        self
    }
}

/// Leaves out what says nothing new: a program that writes a variable again and again, on many paths, would
/// otherwise carry each of these writes along. Rules ask which values there are, whether there is more than
/// one definition, and where the first of a value stands; two of each value answer all of that.
fn thin_out(reaching: &mut Reaching) {
    const FEW: usize = 16;
    if reaching.len() <= FEW {
        return;
    }
    let mut kept = Reaching::new();
    for definition in reaching.drain(..) {
        if kept.iter().filter(|known| known.says_the_same(&definition)).count() < 2 {
            kept.push(definition);
        }
    }
    // A variable that is given another value on each of many paths may as well hold any.
    const MANY: usize = 48;
    if kept.len() > MANY {
        let is_set = |definition: &&Definition| matches!(definition, Definition::Set(..));
        let sets: Vec<Definition> = kept.iter().filter(is_set).take(MANY).cloned().collect();
        let first = sets.iter().find_map(|definition| match definition {
            Definition::Set(event, _) => Some(Definition::Set(*event, None)),
            _ => None,
        });
        kept.retain(|definition| !matches!(definition, Definition::Set(..)));
        kept.extend(sets.into_iter().chain(first));
    }
    *reaching = kept;
}

impl SetUp {
    /// A name is replaced when it is on both paths; a folder may be on the path when it is on one.
    fn join(&mut self, other: &SetUp) {
        self.mocked.retain(|name| other.mocked.contains(name));
        for folder in &other.search_paths {
            if !self.search_paths.contains(folder) {
                self.search_paths.push(*folder);
            }
        }
        if self.worker.is_none() {
            self.worker.clone_from(&other.worker);
        }
        self.default_is_gpu |= other.default_is_gpu;
        self.forks = match (self.forks, other.forks) {
            (Some(one), Some(other)) => Some(one && other),
            (one, other) => one.or(other),
        };
    }
}

fn join_happened(one: Option<Happened>, other: Option<Happened>) -> Option<Happened> {
    match (one, other) {
        (Some(a), Some(b)) => Some(Happened { event: a.event.min(b.event), certain: a.certain && b.certain }),
        (Some(only), None) | (None, Some(only)) => Some(Happened { certain: false, ..only }),
        (None, None) => None,
    }
}
