//! What is true at one point of a program: which values environment variables may have, and whether CUDA
//! was already initialised. States of different branches join.

mod definitions;
mod folders;
mod shown;
mod touched;

use super::launcher_arguments::is_no_variable;
use super::milestones::{LateWrite, Milestones};
use super::modules::FolderId;
use super::trace::EventId;
use std::rc::Rc;
use std::sync::Arc;

pub(crate) use definitions::renumber;
use definitions::thin_out;
pub use definitions::{Definition, Reaching};
pub(crate) use shown::{held, name_of_shown};
pub(crate) use touched::TouchedVariables;

/// What has happened so far on the paths that lead here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    environment: Rc<Vec<(Rc<str>, Reaching)>>,
    /// First event that reached `cuInit`.
    pub cuda: Option<FirstOccurrence>,
    /// First import of a GPU library.
    pub library: Option<FirstOccurrence>,
    /// What is behind, after which variables are no longer read.
    pub milestones: Milestones,
    /// The number of devices was checked on the way here.
    pub counted: bool,
    /// The environment at the start is not known, because the code is not followed from its start.
    pub open: bool,
    /// Folders of the project that the program put on `sys.path`.
    search_paths: Rc<Vec<FolderId>>,
    set_up: Rc<SetUp>,
}

/// What a program arranged for what it does later.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SetUp {
    /// Names that tests replaced.
    pub mocked: Vec<String>,
    /// What the initializer of a process pool made of the environment of its workers.
    pub worker: Option<State>,
    /// What names no device is made on a GPU: `torch.set_default_device("cuda")` was called, or this is inside `with torch.device("cuda"):`.
    pub default_is_gpu: bool,
    /// How child processes are started, when the program says so: whether they are copies of this one.
    pub forks: Option<bool>,
}

/// The state as far as rules ask about it, kept with each event.
#[derive(Clone, Debug, Default)]
pub struct StateSnapshot {
    /// What [`MASK`] may hold.
    pub mask: Reaching,
    /// What [`ORDER`] may hold.
    pub order: Reaching,
    /// For a write: what the written variable may hold before it.
    pub written: Reaching,
    /// The first event that reached `cuInit`.
    pub cuda: Option<FirstOccurrence>,
    /// The first import of a GPU library.
    pub library: Option<FirstOccurrence>,
    /// The number of devices was checked on the way here.
    pub counted: bool,
    /// For a write: what had read the variable already.
    pub late: Vec<LateWrite>,
    /// For a write: what another name of the same setting holds.
    pub rival: Option<(EventId, Arc<str>)>,
}

/// Something that happened, on every path or on some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstOccurrence {
    /// The first that did it.
    pub event: EventId,
    /// On every path.
    pub certain: bool,
}

/// The variable that says which GPUs a process sees.
pub const MASK: &str = "CUDA_VISIBLE_DEVICES";
/// The names that configure the allocator of torch.
pub const ALLOCATOR: [&str; 3] = ["PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF", "PYTORCH_ALLOC_CONF"];
/// The variable that says in which order they are counted.
pub const ORDER: &str = "CUDA_DEVICE_ORDER";

impl StateSnapshot {
    /// Whether `cuInit` was reached on every path that leads here.
    pub fn is_after_cuda(&self) -> bool {
        self.cuda.is_some_and(|cuda| cuda.certain)
    }

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
        self.reaching_in_place(variable).into()
    }

    /// Whether a variable was written or removed since an earlier state.
    pub fn is_written_since(&self, earlier: &State, variable: &str) -> bool {
        let known = earlier.reaching_in_place(variable);
        let is_new = |definition: &&Definition| {
            matches!(definition, Definition::Set(..) | Definition::Removed(_)) && !known.contains(definition)
        };
        self.reaching_in_place(variable).iter().any(|definition| is_new(&definition))
    }

    /// What `variable` may hold, not copied.
    pub fn reaching_in_place(&self, variable: &str) -> &[Definition] {
        let known = self.environment.iter().find(|(name, _)| &**name == variable);
        match (known, held(variable)) {
            (Some((_, reaching)), _) => reaching,
            (None, Some(held)) => self.reaching_in_place(held),
            (None, None) => self.reaching_unknown(),
        }
    }

    /// What a variable may hold to which nothing was done.
    fn reaching_unknown(&self) -> &'static [Definition] {
        const ELSEWHERE: &[Definition] = &[Definition::Elsewhere];
        const UNSET: &[Definition] = &[Definition::Unset];
        if self.open { ELSEWHERE } else { UNSET }
    }

    /// Whether the mask says that the process sees no GPU.
    pub fn hides_all_gpus(&self) -> bool {
        let is_none = |definition: &Definition| matches!(definition, Definition::Set(_, Some(value)) if matches!(value.trim(), "" | "-1"));
        self.reaching_in_place(MASK).iter().all(is_none)
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
        put(&mut self.environment, variable, reaching);
    }

    /// Any variable may have been set by something that is not followed.
    pub fn havoc(&mut self) {
        self.open = true;
        for (_, reaching) in variables_of(&mut self.environment) {
            reaching.retain(|definition| !definition.is_absent());
            if !reaching.contains(&Definition::Elsewhere) {
                reaching.push(Definition::Elsewhere);
            }
        }
    }

    /// A file that is not followed sets what is not set yet, or anything.
    pub fn fill_gaps(&mut self, overrides: bool) {
        self.open = true;
        for (_, reaching) in variables_of(&mut self.environment) {
            let gap = reaching.iter().any(Definition::is_absent);
            reaching.retain(|definition| !definition.is_absent() && !overrides);
            if gap || overrides {
                reaching.push(Definition::Elsewhere);
            }
        }
    }

    /// What was changed since a copy was made may be as it was then: what was removed is there again, and what was set
    /// has the value that it has now or had before.
    /// `held` are those that the program had set then, where that is known; others that were removed stay so.
    pub fn restore_copy(&mut self, held: Option<&[String]>) {
        for (name, reaching) in Rc::make_mut(&mut self.environment) {
            let known = reaching.len();
            let is_held = held.map(|held| held.iter().any(|held| **held == **name));
            if is_held != Some(false) {
                reaching.retain(|definition| !matches!(definition, Definition::Removed(_)));
            }
            if is_held == Some(true) {
                reaching.retain(|definition| !matches!(definition, Definition::Unset));
            }
            let is_changed = |definition: &Definition| matches!(definition, Definition::Set(..));
            let changed = reaching.len() < known || reaching.iter().any(is_changed);
            if changed && !reaching.contains(&Definition::Elsewhere) {
                reaching.push(Definition::Elsewhere);
            }
        }
    }

    /// The variables of which one of the arms of a branch came to something else than what was joined `behind` it.
    pub fn narrowed(arm: &State, behind: &State) -> Vec<Rc<str>> {
        let names = behind.environment.iter().map(|(name, _)| name);
        names.filter(|name| arm.reaching(name) != behind.reaching(name)).cloned().collect()
    }

    /// Of what was joined `behind` a branch, only what one of its arms had come to is true here. What changed since
    /// then stays as it is.
    pub fn refine(&mut self, arm: &State, behind: &State) {
        let same = |one: &Reaching, other: &Reaching| {
            one.len() == other.len() && one.iter().all(|definition| other.contains(definition))
        };
        for name in State::narrowed(arm, behind) {
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
        self.search_paths = other.search_paths.clone();
    }

    pub fn before(&self, written: Option<&str>) -> StateSnapshot {
        StateSnapshot {
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

    /// Of a state that a call `left` which began with `entry`, the variables that the call did not change are as they are
    /// `now`.
    pub fn take_unchanged(&mut self, left: &State, entry: &State, now: &State) {
        // A process that got nothing of the environment depends on all of it.
        if entry.environment.iter().any(|(name, _)| !left.knows(name)) {
            return;
        }
        let mut environment = now.environment.clone();
        if !left.has_environment_of(entry) {
            let mine = std::mem::take(&mut self.environment);
            for ((name, reaching), (_, before)) in mine.iter().zip(left.environment.iter()) {
                let is_set_apart = held(name).is_some() && !entry.knows(name);
                if is_set_apart || *before != entry.reaching(name) {
                    put(&mut environment, name, reaching.clone());
                }
            }
        }
        self.environment = environment;
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

    /// Whether the same is true, as far as it concerns these variables. What calls ask about besides is a fact of theirs.
    pub fn is_same(&self, other: &State, touched: &TouchedVariables) -> bool {
        self.open == other.open
            && self.cuda == other.cuda
            && self.library == other.library
            && self.milestones == other.milestones
            && self.set_up == other.set_up
            && (Rc::ptr_eq(&self.environment, &other.environment)
                || touched
                    .in_states(self, other)
                    .chain(touched.beside.iter().copied())
                    .all(|name| self.reaching_in_place(name) == other.reaching_in_place(name)))
    }

    /// What is true after one of two paths.
    pub fn join(mut self, other: State) -> State {
        if !Rc::ptr_eq(&self.environment, &other.environment) {
            self.join_environment(&other);
        }
        self.cuda = join_first_occurrences(self.cuda, other.cuda);
        self.library = join_first_occurrences(self.library, other.library);
        self.milestones.join(&other.milestones);
        self.counted &= other.counted;
        self.open |= other.open;
        if !Rc::ptr_eq(&self.set_up, &other.set_up) {
            Rc::make_mut(&mut self.set_up).join(&other.set_up);
        }
        self.join_search_paths(&other.search_paths);
        self
    }

    fn join_environment(&mut self, other: &State) {
        let joined = |one: &[Definition], more: &[Definition]| {
            let new: Reaching = more.iter().filter(|definition| !one.contains(definition)).cloned().collect();
            let mut all: Reaching = one.iter().cloned().chain(new).collect();
            thin_out(&mut all);
            all
        };
        let mut changed: Vec<(usize, Reaching)> = Vec::new();
        for (index, (name, reaching)) in self.environment.iter().enumerate() {
            // Both paths began with the same variables, which mostly stand where they stood.
            let others = match other.environment.get(index) {
                Some((known, others)) if Rc::ptr_eq(known, name) => others,
                _ => other.reaching_in_place(name),
            };
            if reaching[..] != *others {
                changed.push((index, joined(reaching, others)));
            }
        }
        let is_new = |index: usize, name: &Rc<str>| match self.environment.get(index) {
            Some((known, _)) if Rc::ptr_eq(known, name) => false,
            _ => !self.environment.iter().any(|(known, _)| known == name),
        };
        let others = other.environment.iter().enumerate();
        let new = others.filter(|(index, (name, _))| is_new(*index, name));
        let new: Vec<_> = new
            .map(|(_, (name, others))| (name.clone(), joined(self.reaching_in_place(name), others)))
            .collect();
        if !changed.is_empty() || !new.is_empty() {
            let environment = Rc::make_mut(&mut self.environment);
            changed.into_iter().for_each(|(index, reaching)| environment[index].1 = reaching);
            environment.extend(new);
        }
    }
}

impl SetUp {
    /// A name is replaced when it is on both paths.
    fn join(&mut self, other: &SetUp) {
        self.mocked.retain(|name| other.mocked.contains(name));
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

/// What is true of variables, without what is kept beside them.
fn variables_of(
    environment: &mut Rc<Vec<(Rc<str>, Reaching)>>,
) -> impl Iterator<Item = &mut (Rc<str>, Reaching)> {
    Rc::make_mut(environment).iter_mut().filter(|(name, _)| !is_no_variable(name))
}

fn put(environment: &mut Rc<Vec<(Rc<str>, Reaching)>>, variable: &str, reaching: Reaching) {
    let environment = Rc::make_mut(environment);
    match environment.iter_mut().find(|(name, _)| &**name == variable) {
        Some((_, known)) => *known = reaching,
        None => environment.push((variable.into(), reaching)),
    }
}

fn join_first_occurrences(
    one: Option<FirstOccurrence>,
    other: Option<FirstOccurrence>,
) -> Option<FirstOccurrence> {
    match (one, other) {
        (Some(a), Some(b)) => {
            Some(FirstOccurrence { event: a.event.min(b.event), certain: a.certain && b.certain })
        }
        (Some(only), None) | (None, Some(only)) => Some(FirstOccurrence { certain: false, ..only }),
        (None, None) => None,
    }
}
