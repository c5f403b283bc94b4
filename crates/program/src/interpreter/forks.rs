//! Forks: whether a process that is started is a copy of the one that starts it, with what that did to CUDA.

use super::Interpreter;
use super::calls::Args;
use crate::program::heap::values::Value;
use crate::program::launches::is_notebook_launcher;

impl<'p> Interpreter<'p> {
    /// Whether a call that starts a process copies this one; `made_with` are the arguments of its object.
    pub(super) fn forks(&self, path: &str, args: &Args<'p>, made_with: Option<&Args<'p>>) -> bool {
        if is_fork(path) {
            return true;
        }
        if is_notebook_launcher(path) {
            return starts_several(args);
        }
        if maps_in_workers(path, args) {
            return self.forks_unless_told();
        }
        if path.ends_with(".spawn") || path.ends_with(".start_processes") {
            return args.keyword("start_method").is_some_and(|argument| is_fork_method(&argument.value));
        }
        // The workers of a pool are there already when they get something to do.
        if path.contains("Pool().")
            || !(path.contains("multiprocessing") || path.contains("ProcessPoolExecutor"))
        {
            return false;
        }
        let context = made_with.and_then(|args| args.get(Some(1), Some("mp_context")));
        let executor = path.contains("ProcessPoolExecutor");
        let of_context = context.filter(|_| executor).map(|argument| match &argument.value {
            Value::Outside(context) => context_forks(self.paths.text(*context)).unwrap_or(true),
            Value::None => true,
            _ => false,
        });
        match of_context.or_else(|| context_forks(path)) {
            Some(false) => false,
            Some(true) if path.contains("ForkContext") || path.contains("ForkProcess") => true,
            _ => self.forks_unless_told(),
        }
    }

    /// Whether a process copies this one where nothing is said of it, by `set_start_method` or by default.
    fn forks_unless_told(&self) -> bool {
        self.state.set_up().forks.unwrap_or(self.program.forks_by_default(self.here.file))
    }

    /// `Trainer(strategy="ddp_notebook").fit(model)` of Lightning works in copies of the process, and so does what
    /// `Fabric(strategy=DDPStrategy(start_method="fork")).launch(train)` is given.
    pub(super) fn works_in_copies(&self, path: &str, made_with: Option<&Args<'p>>) -> bool {
        const FORKING: &[&str] = &[
            "ddp_fork",
            "ddp_fork_find_unused_parameters_false",
            "ddp_fork_find_unused_parameters_true",
            "ddp_notebook",
            "ddp_notebook_find_unused_parameters_false",
            "ddp_notebook_find_unused_parameters_true",
        ];
        if !runs_strategy(path) {
            return false;
        }
        match made_with.and_then(|args| args.keyword("strategy")).map(|argument| &argument.value) {
            Some(Value::Text(text)) => FORKING.contains(&&*text.text),
            Some(Value::Outside(strategy)) if is_strategy(self.paths.text(*strategy)) => {
                let method = self.made_with(*strategy).and_then(|args| args.keyword("start_method"));
                method.is_some_and(|method| is_fork_method(&method.value))
            }
            _ => false,
        }
    }

    /// `multiprocessing.set_start_method("spawn")`
    pub(super) fn set_start_method(&mut self, args: &Args<'p>) {
        // Once a context was used the call raises, which people pass over, unless it says that it means it.
        let is_meant =
            args.get(Some(1), Some("force")).is_some_and(|force| force.value.truth() != Some(false));
        let is_late = self.state.set_up().forks.is_some() && !is_meant;
        if let Some(method) = args.get(Some(0), Some("method")).filter(|_| !is_late) {
            self.state.set_up_mut().forks = Some(is_fork_method(&method.value));
        }
    }

    /// What uses the context of `multiprocessing` fixes how processes are started: a pool, a queue, a lock.
    pub(super) fn fix_start_method(&mut self, path: &str, args: &Args<'p>) {
        if self.state.set_up().forks.is_none() && uses_default_context(path, args) {
            let forks = self.program.forks_by_default(self.here.file);
            self.state.set_up_mut().forks = Some(forks);
        }
    }

    /// `multiprocessing.get_context("spawn")`; without a method it is the module itself.
    pub(super) fn start_context(&mut self, args: &Args<'p>) -> Option<Value<'p>> {
        let method = args.get(Some(0), Some("method"))?;
        let class = match &method.value {
            Value::Text(text) if text.text == "fork" => "ForkContext",
            Value::Text(text) if text.text == "spawn" => "SpawnContext",
            Value::Text(text) if text.text == "forkserver" => "ForkServerContext",
            Value::None => return None,
            // Nobody knows which.
            _ => "BaseContext",
        };
        Some(Value::Outside(self.paths.id(&format!("multiprocessing.context.{class}()"))))
    }
}

/// Whether a call uses the context that holds where nobody names another one.
fn uses_default_context(path: &str, args: &Args<'_>) -> bool {
    const USING: &[&str] = &[
        "Array",
        "Barrier",
        "Condition",
        "Event",
        "JoinableQueue",
        "Lock",
        "Manager",
        "Pool",
        "Process().start",
        "Queue",
        "RLock",
        "Semaphore",
        "SimpleQueue",
        "Value",
        "get_start_method",
    ];
    if path == "concurrent.futures.ProcessPoolExecutor" {
        return args.get(Some(1), Some("mp_context")).is_none() && !args.open;
    }
    let name = ["torch.multiprocessing.", "multiprocessing."].iter().find_map(|root| path.strip_prefix(root));
    name.is_some_and(|name| USING.contains(&name))
}

/// Whether the context or class that a name belongs to forks; `None` when it is the default one.
fn context_forks(path: &str) -> Option<bool> {
    let fresh = ["SpawnContext", "ForkServerContext", "BaseContext", "SpawnProcess", "ForkServerProcess"];
    if fresh.iter().any(|name| path.contains(name)) {
        return Some(false);
    }
    ["ForkContext", "ForkProcess"].iter().any(|name| path.contains(name)).then_some(true)
}

fn is_fork_method(value: &Value<'_>) -> bool {
    matches!(value, Value::Text(text) if text.text == "fork")
}

/// Whether a call of Lightning starts the processes of its strategy.
fn runs_strategy(path: &str) -> bool {
    let Some((object, method)) = path.rsplit_once("().") else { return false };
    match object {
        "lightning.Trainer" | "lightning.pytorch.Trainer" | "pytorch_lightning.Trainer" => {
            matches!(method, "fit" | "validate" | "test" | "predict")
        }
        "lightning.Fabric" | "lightning.fabric.Fabric" | "lightning_fabric.Fabric" => method == "launch",
        _ => false,
    }
}

/// Whether an object is a strategy of Lightning that is told how to start its processes.
pub(super) fn is_strategy(made: &str) -> bool {
    made.ends_with("strategies.DDPStrategy()")
}

/// Whether a call copies the process itself.
pub(super) fn is_fork(path: &str) -> bool {
    matches!(path, "os.fork" | "os.forkpty" | "pty.fork")
}

/// `dataset.map(embed, num_proc=4)` of Hugging Face's datasets works in a pool of processes.
pub(super) fn maps_in_workers(path: &str, args: &Args<'_>) -> bool {
    let is_map = path.starts_with("datasets.") && (path.ends_with(").map") || path.ends_with(").filter"));
    is_map && args.keyword("num_proc").is_some_and(|count| matches!(count.value, Value::Int(2.., _)))
}

/// Whether it is told to start more than one.
pub(super) fn starts_several(args: &Args<'_>) -> bool {
    let count = args.get(Some(2), Some("num_processes")).map(|argument| &argument.value);
    count.is_some_and(|count| !matches!(count, Value::Int(0 | 1, _) | Value::None))
}
