//! Follows one program from its start: runs the code of its files on what is known about their values,
//! and notes what it does to the environment and the GPU.
//!
//! Both arms of a branch whose condition is not understood are followed, and their states join: what is in one is uncertain.

mod aggregates;
mod arguments;
mod attributes;
mod bodies;
mod branches;
mod builtin_names;
mod builtins;
mod call_model;
mod callbacks;
mod calls;
mod classes;
mod code_position;
mod collections;
mod command_groups;
mod command_words;
mod composed_settings;
mod compound;
mod comprehensions;
mod constant_methods;
mod construction;
mod containers;
mod contexts;
mod data_files;
mod decisions;
mod decorators;
mod device_indices;
mod devices;
mod dictionaries;
mod dispatch;
mod effects;
mod enumerations;
mod environment;
mod event_replay;
mod events;
mod expressions;
mod fixtures;
mod forks;
mod formats;
mod found_modules;
mod frames;
mod function_texts;
mod functions;
mod generators;
mod handed_environments;
mod imports;
mod integers;
mod items;
mod iterables;
mod iterator_loops;
mod iterators;
mod jumps;
mod kept;
mod known_calls;
mod known_effects;
mod launched;
mod launcher_commands;
mod launchers;
mod lazy;
mod library_calls;
mod loop_passes;
mod loops;
mod members;
mod milestones;
mod mocks;
mod models;
mod module_entry;
mod named_functions;
mod nesting;
mod observations;
mod operators;
mod options;
mod partial_bindings;
mod parts;
mod patterns;
mod pickles;
mod presence;
mod properties;
mod putenv;
mod queues;
mod records;
mod refusals;
mod releases;
mod repeated_runs;
mod search_paths;
mod servers;
mod settings_files;
mod spawned_processes;
mod stacks;
mod standard_library;
mod star_imports;
mod started_programs;
mod statements;
mod step_budget;
mod streams;
mod summary_reuse;
mod tasks;
mod tests;
mod texts;
mod type_tests;
mod uncalled_functions;
mod variables;
mod worker;
mod yield_from;

use super::heap::Heap;
use super::heap::values::{DecoratorMarks, LazyImport, PathId, ScopeId, Value};
use super::launches::Launch;
use super::paths::Paths;
use super::state::{Reaching, State};
use super::summaries::Summaries;
use super::trace::{Arms, Assurance, EventId, Frame, Recipient, Trace};
use super::{Asked, Program, Start};
use crate::facts::{FileId, Place, Span};
use call_model::CallModel;
use calls::Args;
use code_position::{CodePosition, EarlyExits, Flow};
pub(super) use compound::ExpectedError;
use compound::ExpectedErrors;
pub(super) use decisions::Decision;
use decisions::Decisions;
pub use device_indices::is_spread;
pub use environment::is_gpu_variable;
use generators::{Resume, YieldedValues};
use jumps::Jump;
pub(super) use jumps::{Landing, Landings};
use launchers::Shell;
use releases::Finalizer;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
pub(super) use tasks::AtExit;
pub(super) use worker::Worker;

pub(super) struct Interpreter<'p> {
    program: &'p Program<'p>,
    /// What the policy asks that governs the file which was started.
    asked: &'p Asked,
    start: Start,
    /// What started it, and with which environment.
    launch: Option<&'p Launch>,
    shell: Shell,
    /// The file that was started.
    entry: FileId,
    trace: Trace,
    paths: Paths,
    state: State,
    heap: Heap<'p>,
    /// Project modules that were entered, with their namespaces.
    modules: FxHashMap<FileId, ScopeId>,
    /// The same, in the order in which they were.
    in_order: Vec<(FileId, ScopeId)>,
    /// Those that were entered on some ways only.
    entered_in_arm: FxHashMap<FileId, module_entry::EnteredInArm>,
    /// The namespaces that modules have in all programs of one worker.
    namespaces: FxHashMap<FileId, ScopeId>,
    /// Modules outside the project that were imported, and those that they import.
    imported: FxHashSet<Rc<str>>,
    /// The same, in the order in which they were.
    imports: Vec<Rc<str>>,
    /// How many conditions on the way here are not understood.
    uncertain: usize,
    /// How many child processes deep the running code is.
    in_child: usize,
    /// The number that the running process was handed, one of several that one function runs in.
    number_of_process: Option<i64>,
    /// Variables that were set in copies of the environment.
    copied: Vec<(String, Reaching)>,
    /// Who gets the variables that are written.
    recipient: Recipient,
    /// The running function was not seen to be called.
    only_if_called: bool,
    /// No events are noted while a value is looked up that effects do not depend on.
    quiet: usize,
    flow: Flow,
    here: CodePosition<'p>,
    /// Functions being run, innermost last.
    active: Vec<generators::Active>,
    tasks: tasks::Tasks<'p>,
    /// What is called when the program ends, with its arguments.
    at_exit: Vec<AtExit<'p>>,
    /// What calls did that were followed, and what is known of those that are being followed.
    summaries: Summaries<'p>,
    /// How many loops that are being followed have passes that are not.
    repeats: usize,
    /// Jumps that did not land yet.
    jumps: Vec<Jump<'p>>,
    /// How many landings there were.
    landings: Landing,
    /// The ways out of the running function and loop that were seen.
    ways_out: EarlyExits,
    /// The program ends here, if nobody catches that.
    exits: bool,
    /// What variables held that were asked in the passes of loops that are being followed, innermost last.
    watched: Vec<Vec<(String, Reaching)>>,
    /// A pass of a loop that was followed before is followed again.
    repeats_pass: bool,
    /// The `try` statements that are being followed, innermost last.
    catches: Vec<Landing>,
    /// The errors that these expect, by their kinds.
    expected_errors: [ExpectedErrors; 3],
    /// How often an exception was raised by all that is known.
    seen_raises: usize,
    /// The same of those that have a `finally` and around which nothing catches.
    passed_through: Vec<Landing>,
    /// Branches whose conditions may be asked again.
    decisions: Decisions<'p>,
    /// Values that the arms of the last branch left different: behind it, after its first arm and its second.
    parted: Vec<[Value<'p>; 3]>,
    /// Steps spent, and how many may be.
    steps: usize,
    most_steps: usize,
    /// A test asked how many devices there are.
    asked_count: bool,
    /// Bodies of `with` whose context manager is a project generator, waiting for its `yield`.
    resumes: Vec<Resume<'p>>,
    /// What the generators that are running gave so far, innermost last.
    given: Vec<YieldedValues<'p>>,
    /// The generator that runs next is asked for its next value only.
    asks: generators::AskedFor,
    /// What the last `yield` gave.
    yielded: Option<Value<'p>>,
    /// The functions and modules that are waiting for the running one, outermost first.
    callers: Vec<CodePosition<'p>>,
    /// Literals that were evaluated where the number of devices had been checked.
    counted_places: FxHashSet<Place>,
    /// The running code cleans up, whatever was raised before.
    assured: Option<Assurance>,
    /// What is done at the end of a test or of a `with`, the last first.
    finalizers: Vec<Finalizer<'p>>,
    /// What is being assigned is a list or set that is written there, and that nothing else refers to.
    assigns_literal: bool,
    /// Threads and processes that were made, and not started so far.
    waiting: Vec<callbacks::Waiting>,
    /// What is known of functions and classes while others call or make them.
    handed: kept::Handed<'p>,
    /// The test that is being run, by file and number of the function.
    test: Option<(FileId, usize)>,
    /// The arms of branches that are being followed.
    path: Arms,
    /// Branches followed so far, which numbers them.
    branches: u32,
    /// Arms of branches that end the program, in the order in which they were followed.
    ended: Vec<(u32, u32)>,
    /// A deferred value is being looked up: its module runs whatever it holds.
    importing_for: Option<FileId>,
    /// How often something was passed after which variables are no longer read, also again.
    passed: usize,
    /// The first event that a call relied on which was not followed because its events were there already.
    relied_on: EventId,
    /// How many imported modules around the running code are being run.
    importing: usize,
    /// How many objects outside the project hold objects of the program.
    tied: usize,
    /// Names whose import waited and is followed now, innermost last.
    forced: Vec<Rc<LazyImport<'p>>>,
    /// What partials of calls outside the project hold.
    partials: FxHashMap<PathId, Args<'p>>,
    /// Names that some class gives a function which sets or deletes them.
    setters: FxHashSet<&'p str>,
    /// Arguments that objects outside the project were made with, for what using them does.
    made_with: FxHashMap<PathId, Args<'p>>,
    /// Those of them that one call made, by its file, the place of its first argument and its name.
    made_by: FxHashMap<(FileId, Span, PathId), Vec<PathId>>,
    /// The groups of commands of each module that was asked for them, with the names of their functions.
    commands: FxHashMap<FileId, Rc<[(&'p str, &'p str)]>>,
    /// What calls outside the project do, by the number of their path.
    call_models: Vec<Option<CallModel<'p>>>,
    /// Options of parsers that do not hold a string, with what they hold.
    options: FxHashMap<String, &'static str>,
    /// What runs is expected to raise: it chooses no device.
    expects_failure: bool,
    /// What decorators say of all that has none.
    unmarked: Rc<DecoratorMarks<'p>>,
    /// The options of parsers, where something is known of the command line.
    option_forms: Vec<options::OptionForm<'p>>,
    /// Integers and devices that options of parsers have as defaults.
    option_defaults: FxHashMap<String, Value<'p>>,
    /// Options of parsers that name GPUs by index when nobody says otherwise: `default="0"`.
    index_options: FxHashSet<String>,
}

impl<'p> Interpreter<'p> {
    pub fn new(program: &'p Program<'p>, entry: FileId, start: Start) -> Self {
        let own_uses_only = start == Start::Imported;
        let mut trace = Trace { entry: Some(entry), own_uses_only, ..Trace::default() };
        trace.frames.push(Frame {
            parent: None,
            site: None,
            statement: None,
            file: entry,
            function: None,
            number: None,
            is_test: false,
        });
        Interpreter {
            program,
            asked: program.asked_of(entry),
            start,
            launch: None,
            shell: Shell::default(),
            entry,
            trace,
            paths: Paths::default(),
            state: State::at_start(start == Start::Library),
            heap: Heap::default(),
            modules: FxHashMap::default(),
            in_order: Vec::new(),
            entered_in_arm: FxHashMap::default(),
            namespaces: FxHashMap::default(),
            imported: FxHashSet::default(),
            imports: Vec::new(),
            uncertain: 0,
            in_child: 0,
            number_of_process: None,
            copied: Vec::new(),
            recipient: Recipient::Process,
            only_if_called: false,
            quiet: 0,
            flow: Flow::Next,
            here: CodePosition::in_module(entry, 0, 0),
            active: Vec::new(),
            tasks: tasks::Tasks::default(),
            at_exit: Vec::new(),
            summaries: Summaries::new(program.options.no_summaries),
            repeats: 0,
            decisions: Decisions::default(),
            parted: Vec::new(),
            jumps: Vec::new(),
            landings: 0,
            catches: Vec::new(),
            expected_errors: Default::default(),
            seen_raises: 0,
            passed_through: Vec::new(),
            ways_out: EarlyExits::default(),
            exits: false,
            watched: Vec::new(),
            repeats_pass: false,
            steps: 0,
            most_steps: program.budget.one,
            asked_count: false,
            resumes: Vec::new(),
            given: Vec::new(),
            asks: generators::AskedFor::Some,
            yielded: None,
            callers: Vec::new(),
            counted_places: FxHashSet::default(),
            assured: None,
            finalizers: Vec::new(),
            assigns_literal: false,
            waiting: Vec::new(),
            handed: kept::Handed::default(),
            test: None,
            path: Arms::new(),
            branches: 0,
            ended: Vec::new(),
            importing_for: None,
            passed: 0,
            relied_on: EventId::MAX,
            importing: 0,
            tied: 0,
            forced: Vec::new(),
            partials: FxHashMap::default(),
            setters: FxHashSet::default(),
            made_with: FxHashMap::default(),
            made_by: FxHashMap::default(),
            commands: FxHashMap::default(),
            call_models: Vec::new(),
            options: FxHashMap::default(),
            expects_failure: false,
            unmarked: Rc::default(),
            option_forms: Vec::new(),
            option_defaults: FxHashMap::default(),
            index_options: FxHashSet::default(),
        }
    }

    /// The program finds the environment that its launcher leaves.
    pub fn launched_by(mut self, launch: Option<&'p Launch>) -> Self {
        self.launch = launch;
        self
    }

    /// Follows the program to its end.
    pub fn trace(mut self) -> Trace {
        self.follow();
        self.trace
    }

    fn follow(&mut self) {
        self.begin();
        self.follow_begun();
    }

    /// What its launcher left is there.
    fn begin(&mut self) {
        match self.launch {
            Some(launch) => self.begin_launched(launch),
            None => self.begin_given(),
        }
    }

    fn follow_begun(&mut self) {
        match self.start {
            Start::Script => self.run_entry_module(),
            Start::Module | Start::Imported => {
                for parent in self.program.modules.parents(self.entry) {
                    self.enter_module(parent, Span::default());
                }
                self.run_entry_module();
            }
            Start::Console => self.run_console_scripts(),
            Start::Tests => self.run_tests(),
            Start::Library => self.run_library(),
            Start::Unit(unit) => self.run_unit(unit),
            Start::Snippet(snippet) => self.run_snippet(snippet),
            Start::CpuPart => self.run_imports(self.program.cpu_part(self.entry)),
            Start::Modules => self.run_imports(&[self.entry]),
        }
        self.run_tasks_left(Span::default());
        self.run_at_exit();
        self.trace.steps = self.steps;
        self.trace.cost.replayed = std::mem::take(&mut self.summaries.replayed);
    }

    fn run_entry_module(&mut self) {
        self.enter_module(self.entry, Span::default());
        self.flow = Flow::Next;
    }

    fn new_scope(&mut self, parent: Option<ScopeId>, is_class: bool) -> ScopeId {
        self.heap.make(parent, is_class, self.repeats)
    }

    fn place(&self, span: Span) -> Place {
        Place { file: self.here.file, span }
    }

    /// Looks a name up in a namespace and those around it.
    fn look_up(&self, from: ScopeId, name: &'p str) -> Option<&Value<'p>> {
        self.heap.look_up(from, name).map(|(_, value)| value)
    }

    fn in_scope(&self, scope: ScopeId, name: &'p str) -> Option<&Value<'p>> {
        self.heap.get(scope, name)
    }
}
