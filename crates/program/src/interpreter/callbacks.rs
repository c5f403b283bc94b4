//! Functions that are handed to somebody else, who calls them: threads, processes, pools, runners.

use super::call_model::CallbackUse;
use super::calls::{Arg, Args};
use super::forks::{is_fork, maps_in_workers, starts_several};
use super::{Flow, Interpreter};
use crate::facts::Span;
use crate::program::heap::values::{PathId, Value};
use crate::program::launches::is_notebook_launcher;
use crate::program::trace::EventKind;

/// A thread or process that was made, and not started so far.
pub(super) struct Waiting {
    made: PathId,
    /// It lies where it is not followed, such as in a list of which the length is not known.
    pub is_lost: bool,
}

impl<'p> Interpreter<'p> {
    /// Runs the functions that a library call is given, if it calls them. A thread or process calls its own when
    /// it is started.
    pub(super) fn run_given(&mut self, path: PathId, given: CallbackUse, args: &Args<'p>, span: Span) {
        let text = self.paths.text(path).clone();
        self.handed.worker_raised = false;
        self.run_as_given(path, &text, given, args, span);
        if std::mem::take(&mut self.handed.worker_raised) {
            match text.rsplit('.').next().unwrap_or(&text) {
                "map" | "starmap" | "apply" | "imap" | "imap_unordered" | "run_in_executor" => {
                    self.seems_to_raise();
                }
                "submit" | "apply_async" | "map_async" | "starmap_async" | "run_coroutine_threadsafe" => {
                    self.keep_raised();
                }
                _ => {}
            }
        }
    }

    fn run_as_given(&mut self, path: PathId, text: &str, given: CallbackUse, args: &Args<'p>, span: Span) {
        match given {
            CallbackUse::Later => {}
            // One process is the notebook itself.
            CallbackUse::Now { runs, in_child: true }
                if is_notebook_launcher(text) && !starts_several(args) =>
            {
                self.run_handed(runs, text, args, span);
            }
            CallbackUse::Now { .. } if maps_in_workers(text, args) => self.run_in_child(text, args, span),
            CallbackUse::Now { in_child: true, .. } => self.run_in_child(text, args, span),
            CallbackUse::Now { runs, in_child: false } => self.run_handed(runs, text, args, span),
            CallbackUse::Started => {
                let owner = self.paths.owner(path);
                self.waiting.retain(|one| one.made != owner);
                match (maker_of(text), self.made_with(path).cloned()) {
                    (Some(maker), Some(args)) => self.run_where(maker, &args, span),
                    _ => self.run_where(text, args, span),
                }
            }
        }
    }

    /// Notes a thread or process that was made; in a loop nobody knows how often.
    pub(super) fn wait_for_start(&mut self, made: PathId) {
        let is_waiting = |text: &str| text.strip_suffix("()").is_some_and(waits_for_start);
        if is_waiting(self.paths.text(made)) && !self.waiting.iter().any(|one| one.made == made) {
            let is_lost = self.is_repeated();
            self.waiting.push(Waiting { made, is_lost });
        }
    }

    /// Those that were made since there were so many lie in a list of which the length is not known.
    pub(super) fn lose_waiting(&mut self, since: usize) {
        self.waiting.iter_mut().skip(since).for_each(|one| one.is_lost = true);
    }

    /// `process.start()` of one that lies where it was lost, such as a list of which the length is not known: those that wait.
    pub(super) fn start_waiting(&mut self, span: Span) {
        let (lost, kept): (Vec<Waiting>, _) =
            std::mem::take(&mut self.waiting).into_iter().partition(|one| one.is_lost);
        self.waiting = kept;
        // Of several it may be any.
        let is_one = lost.len() == 1;
        for Waiting { made, .. } in lost {
            let start = Value::Outside(self.paths.child(made, "start"));
            let run = |run: &mut Self| drop(run.call(start, Args::default(), span));
            if is_one { run(self) } else { self.on_some_ways(run) }
        }
    }

    fn run_where(&mut self, callee: &str, args: &Args<'p>, span: Span) {
        if starts_process(callee) {
            self.run_in_child(callee, args, span);
        } else {
            self.run_callbacks(callee, args, span);
        }
    }

    /// `start()` of a project class that builds on `Thread` or `Process`: its `run` is called.
    pub(super) fn start_own(
        &mut self,
        object: &Value<'p>,
        method: &Value<'p>,
        span: Span,
    ) -> Option<Value<'p>> {
        let Value::Outside(path) = method else { return None };
        let text = self.paths.text(*path).clone();
        let base = text.strip_suffix("().start").filter(|base| waits_for_start(base))?;
        if !starts_process(base) {
            let (result, starved) = self.run_worker(|run| run.special(object, "run", Vec::new(), span));
            if starved && let Some(run) = self.method_of(object, "run") {
                self.keep_waiting(&Value::Function(run), &Args::default());
            }
            return result;
        }
        let forks = self.forks(&text, &Args::default(), None);
        self.note(EventKind::Spawn { callee: text.to_string(), forks }, span);
        self.in_another_process(|run| run.special(object, "run", Vec::new(), span))
    }

    /// What a thread, a process or an executor passes on to the function that it calls.
    fn arguments_for(&mut self, callee: &str, args: &Args<'p>, span: Span) -> Args<'p> {
        let unknown = Args { items: Vec::new(), open: true };
        let last = callee.rsplit('.').next().unwrap_or(callee);
        if let (Some(_), Some(given)) = (args.keyword("target"), args.keyword("args")) {
            return self.elements(&given.value).map_or(unknown, |values| Args::positional(values, span));
        }
        if is_notebook_launcher(callee) {
            let given = args.get(Some(1), Some("args")).and_then(|given| self.elements(&given.value));
            return given.map_or(unknown, |values| Args::positional(values, span));
        }
        if ["submit", "to_thread", "run_sync", "call_soon"].contains(&last) {
            return Args { items: args.items.iter().skip(1).cloned().collect(), open: args.open };
        }
        if args.keyword("target").is_some() {
            return Args::default();
        }
        self.arguments_of_tasks(last, args, span).unwrap_or(unknown)
    }

    /// What a pool passes on to the function that it calls for each task: what the tasks are given, joined.
    fn arguments_of_tasks(&mut self, method: &str, args: &Args<'p>, span: Span) -> Option<Args<'p>> {
        let is_star = method.starts_with("starmap");
        if !is_star
            && !matches!(method, "map" | "map_async" | "imap" | "imap_unordered" | "apply" | "apply_async")
        {
            return None;
        }
        let name = if method.starts_with("apply") { "args" } else { "iterable" };
        let given = args.get(Some(1), Some(name))?.value.clone();
        let given = self.iterate(given, span);
        let tasks = self.elements(&given)?;
        let values = match method {
            "apply" | "apply_async" => tasks,
            _ if is_star => {
                let rows = tasks.iter().map(|task| self.elements(task)).collect::<Option<Vec<_>>>()?;
                let width = rows.iter().map(Vec::len).min()?;
                (0..width).map(|at| Value::one_of(rows.iter().map(|row| row[at].clone()))).collect()
            }
            _ => vec![Value::one_of(tasks)],
        };
        Some(Args::positional(values, span))
    }

    /// Functions handed to code that is known to run them, and coroutines handed to anybody.
    pub(super) fn run_callbacks(&mut self, callee: &str, args: &Args<'p>, span: Span) {
        let is_handed = |argument: &Arg<'p>| {
            matches!(argument.value, Value::Function(_) | Value::Paused(_) | Value::Stream(_))
        };
        if args.items.iter().any(is_handed) {
            self.run_handed(runs_functions(callee), callee, args, span);
        }
    }

    fn run_handed(&mut self, runs: bool, callee: &str, args: &Args<'p>, span: Span) {
        for argument in &args.items {
            match &argument.value {
                Value::Function(closure) if runs => {
                    let closure = closure.clone();
                    let arguments = self.arguments_for(callee, args, span);
                    let kept = arguments.clone();
                    let (mut raises, seen) = (false, self.seen_raises);
                    let work = |run: &mut Self| {
                        let result = run.run_function(&closure, arguments, span);
                        run.run_paused(&result, span);
                        raises = run.flow == Flow::Raise || run.seen_raises > seen;
                        run.flow = Flow::Next;
                    };
                    let ((), starved) = self.run_worker(|run| run.on_some_ways(work));
                    self.handed.worker_raised |= raises;
                    if starved {
                        self.keep_waiting(&argument.value, &kept);
                    }
                }
                paused @ (Value::Paused(_) | Value::Stream(_)) => {
                    self.run_paused(&paused.clone(), span);
                }
                _ => {}
            }
        }
    }

    /// Functions handed to another process run there: what they initialise stays there.
    fn run_in_child(&mut self, callee: &str, args: &Args<'p>, span: Span) {
        let before = self.state.clone();
        if let Some(worker) = self.state.set_up().worker.clone() {
            self.whole_environment().restore_environment(&worker);
        }
        self.enter_process();
        self.in_child += 1;
        let (initializer, arguments) = pool_initializer(callee, args);
        let mut worker = None;
        match initializer.map(|argument| argument.value.clone()) {
            Some(Value::Function(start)) => {
                let values = arguments.and_then(|argument| self.elements(&argument.value));
                let items = values.map(|values| Args::positional(values, span));
                let no_arguments = Args { items: Vec::new(), open: arguments.is_some() };
                self.run_function(&start, items.unwrap_or(no_arguments), span);
                worker = Some(self.state.clone());
            }
            _ if self.run_spawned(callee, args, span) => {}
            _ if waits_for_start(callee) && self.run_started(args, span) => {}
            _ => self.run_callbacks(callee, args, span),
        }
        self.in_child -= 1;
        self.state = before;
        if worker.is_some() {
            self.state.set_up_mut().worker = worker;
        }
    }
}

impl Interpreter<'_> {
    /// Runs something in a process that this one starts, and forgets what it changed there.
    pub(super) fn in_another_process<R>(&mut self, run: impl FnOnce(&mut Self) -> R) -> R {
        let before = self.state.clone();
        self.enter_process();
        self.in_child += 1;
        let result = run(self);
        self.in_child -= 1;
        self.state = before;
        result
    }
}

/// What a call does with functions that it is given.
pub(super) fn hands_on(path: &str) -> CallbackUse {
    match path {
        _ if waits_for_start(path) || works_in_cluster(path) => CallbackUse::Later,
        _ if maker_of(path).is_some() => CallbackUse::Started,
        _ => CallbackUse::Now { runs: runs_functions(path), in_child: starts_process(path) },
    }
}

/// Whether a call hands functions to workers of a cluster, which have masks of their own: `Client().map(score, parts)` of Dask.
fn works_in_cluster(path: &str) -> bool {
    ["dask.distributed.Client().", "distributed.Client()."].iter().any(|client| path.starts_with(client))
}

/// What made the thread or process that a call starts.
fn maker_of(path: &str) -> Option<&str> {
    let made = path.strip_suffix(".start").or_else(|| path.strip_suffix(".run"))?;
    made.strip_suffix("()").filter(|made| waits_for_start(made))
}

/// Whether a call makes something that calls a function when it is started.
pub(super) fn waits_for_start(path: &str) -> bool {
    let last = path.rsplit('.').next().unwrap_or(path);
    matches!(last, "Thread" | "Timer" | "Process")
}

/// The function that a process pool calls first in each of its workers, and that function's arguments.
fn pool_initializer<'a, 'p>(callee: &str, args: &'a Args<'p>) -> (Option<&'a Arg<'p>>, Option<&'a Arg<'p>>) {
    let first = match callee.rsplit('.').next() {
        Some("ProcessPoolExecutor") => 2,
        Some("Pool") => 1,
        _ => return (None, None),
    };
    (args.get(Some(first), Some("initializer")), args.get(Some(first + 1), Some("initargs")))
}

/// Whether a call starts a process that inherits the environment.
pub(super) fn starts_child(path: &str) -> bool {
    let whole = ["os.system", "os.popen", "os.startfile", "pty.spawn", "subprocess.getoutput"];
    let starts = ["subprocess.", "os.exec", "os.spawn", "os.posix_spawn", "asyncio.create_subprocess"];
    let spawns = ["multiprocessing.spawn", "multiprocessing.start_processes"];
    // What `torchrun` is, called from Python.
    let launches = ["torch.distributed.run.main", "torch.distributed.run.run"];
    whole.contains(&path)
        || launches.contains(&path)
        || starts.iter().any(|start| path.starts_with(start))
        || spawns.iter().any(|end| path.ends_with(end))
        // It starts the processes that run the tasks.
        || path == "ray.init"
        || is_notebook_launcher(path)
        || (path.contains("Process")
            && (path.ends_with(".start") || path.ends_with(".submit") || path.ends_with(".map")))
        || (path.contains("process.Command.new()")
            && ["exec", "output", "spawn", "status"].iter().any(|end| path.ends_with(end)))
        || (path.contains("multiprocessing")
            && (path.contains("Pool()") || path.ends_with(".Pool"))
            && !path.contains(".dummy."))
        || is_fork(path)
}

/// Whether a library call runs the functions that it is given in another process.
fn starts_process(path: &str) -> bool {
    let starts = [
        "multiprocessing.",
        "torch.multiprocessing.",
        "concurrent.futures.ProcessPoolExecutor",
        "joblib.Parallel",
    ];
    (starts.iter().any(|start| path.starts_with(start)) || is_notebook_launcher(path))
        && !path.contains(".dummy.")
        && !path.contains(".pool.ThreadPool")
}

/// Whether a call runs the functions that it is given, rather than keeping or marking them.
fn runs_functions(callee: &str) -> bool {
    const RUNNERS: &[&str] = &[
        "Thread",
        "Timer",
        "Process",
        "submit",
        "and_then",
        "block_on",
        "for_each",
        "get_or_init",
        "get_or_try_init",
        "spawn_blocking",
        "map",
        "imap",
        "imap_unordered",
        "starmap",
        "apply",
        "apply_async",
        "map_async",
        "starmap_async",
        "spawn",
        "start_processes",
        "launch",
        // `torch.load(path, map_location=lambda storage, _: storage.cuda(1))`
        "load",
        "run",
        "Fire",
        "run_in_executor",
        "to_thread",
        "run_sync",
        "scope",
        "call_soon",
        "reduce",
        "filter",
        "sorted",
        "timeit",
        "checkpoint",
        "delayed",
        "start_new_thread",
        "notebook_launcher",
        "cli",
        "CLI",
        "add_done_callback",
        "agent",
        "auto_cli",
        "dispatch_command",
        "fmin",
        "optimize",
    ];
    const WHOLE: &[&str] = &["curses.wrapper", "plac.call"];
    let last = callee.trim_end_matches("()").rsplit('.').next().unwrap_or(callee);
    RUNNERS.contains(&last) || WHOLE.contains(&callee)
}
