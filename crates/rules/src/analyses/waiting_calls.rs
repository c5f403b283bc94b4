//! Calls that return when all processes of a group have made them.

use super::first_ranks::is_of_ranks;
use super::memory::{function_called, function_named, path};
use super::own_calls::{imported, module_and_name};
use crate::code::walk::{CodeNode, functions_around, walk_block};
use crate::code::{Call, Expr, ExprKind, Function, ImportNames, Statement, StatementKind, Target};
use crate::facts::{Place, Span};
use crate::rules::files::FileScope;
use crate::rules::uses::argument;
use crate::versions::Range;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// Functions of `torch.distributed` that wait for the other processes.
const OF_TORCH: &[&str] = &[
    "all_gather",
    "all_gather_into_tensor",
    "all_gather_object",
    "all_reduce",
    "all_to_all",
    "all_to_all_single",
    "barrier",
    "broadcast",
    "broadcast_object_list",
    "checkpoint.load",
    "checkpoint.save",
    "gather",
    "gather_object",
    "monitored_barrier",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_tensor",
    "scatter",
    "scatter_object_list",
];

/// Those of Horovod, in each of its modules.
const OF_HOROVOD: &[&str] = &[
    "allgather",
    "allgather_object",
    "allreduce",
    "barrier",
    "broadcast",
    "broadcast_object",
    "broadcast_optimizer_state",
    "broadcast_parameters",
    "join",
];

/// Those of other libraries.
const OF_OTHERS: &[&str] = &[
    "accelerate.utils.broadcast",
    "accelerate.utils.broadcast_object_list",
    "accelerate.utils.gather",
    "accelerate.utils.gather_object",
    "accelerate.utils.reduce",
    "accelerate.utils.wait_for_everyone",
    "detectron2.utils.comm.all_gather",
    "detectron2.utils.comm.gather",
    "detectron2.utils.comm.reduce_dict",
    "detectron2.utils.comm.synchronize",
    "jax.experimental.multihost_utils.broadcast_one_to_all",
    "jax.experimental.multihost_utils.process_allgather",
    "jax.experimental.multihost_utils.sync_global_devices",
];

/// Libraries whose functions have the names of those of torch.
const LIKE_TORCH: &[&str] =
    &["deepspeed.comm.", "mmengine.dist.", "paddle.distributed.", "torch.distributed."];

/// What Lightning does not take any more since 2.0.
const OLD_NAMES: &[&str] = &[
    ".from_argparse_args(",
    ".training_type_plugin",
    "def on_keyboard_interrupt(",
    "def on_pretrain_routine_start(",
    "def training_epoch_end(",
    "def validation_epoch_end(",
    "pytorch_lightning.utilities.distributed",
];

/// A file with a call that waits has one of these words.
const WORDS: &[&str] = &[
    "Trainer",
    "accelerat",
    "comm",
    "deepspeed",
    "dist",
    "horovod",
    "hvd",
    "ightning",
    "multihost_utils",
    "FullySharded",
    "wait_for_everyone",
];

/// A function is looked for in so many that call it.
const MOST_CALLS: usize = 2;

/// What of a file decides whether its calls wait.
pub(super) struct Waiters<'s> {
    /// What `deepspeed.initialize` gives first, as it is written.
    engines: Vec<&'s str>,
    /// It takes a trainer or a callback of transformers.
    has_trainer: bool,
    /// Functions of the project that were asked whether they wait, by their places and how many calls lie around them.
    asked: Rc<RefCell<FxHashMap<(Place, usize), bool>>>,
}

impl<'s> Waiters<'s> {
    pub fn of(scope: &FileScope<'s>) -> Waiters<'s> {
        let (mut engines, mut has_trainer) = (Vec::new(), false);
        scope.each_statement(&mut |Statement { kind, .. }, _| match kind {
            StatementKind::Assign { targets, value: Some(value), .. } => {
                let made = match &value.kind {
                    ExprKind::Call(call) => path(scope, &call.callee),
                    _ => "",
                };
                if let [Target::Sequence(parts)] = &targets[..]
                    && made == "deepspeed.initialize"
                    && let Some(Target::Name(name, _) | Target::Attribute(_, name)) = parts.first()
                {
                    engines.push(*name);
                }
            }
            StatementKind::Import(import) => {
                if let ImportNames::Names(names) = &import.names
                    && matches!(import.module.split('.').next(), Some("transformers" | "trl"))
                {
                    let is_trainer = |name: &str| name.ends_with("Trainer") || name.ends_with("Callback");
                    has_trainer |= names.iter().any(|one| is_trainer(one.name));
                }
            }
            _ => {}
        });
        Waiters { engines, has_trainer, asked: Rc::default() }
    }

    /// The calls in a block that wait for all processes, but not those of functions that it defines.
    pub fn waits_in<'a>(&self, scope: &FileScope<'a>, block: &[Statement<'a>]) -> Vec<(Span, &'a str)> {
        let mut found = Vec::new();
        walk_block(scope.code, block, &mut |part, around| {
            let CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) = part else { return };
            let is_inside = functions_around(around).next().is_none();
            if is_inside && (self.waits(scope, call) || self.calls_what_waits(scope, expr, 0)) {
                found.push((expr.span, scope.text(call.callee.span)));
            }
        });
        found
    }

    /// Whether a call waits until all processes have made it. A group of its own may have one process alone.
    fn waits(&self, scope: &FileScope<'_>, call: &Call<'_>) -> bool {
        const APART: &[&str] = &["group", "no_dist", "process_group"];
        let is_apart = |name: &str| APART.contains(&name);
        if call.arguments.iter().any(|one| one.unpacked || one.name.is_some_and(is_apart)) {
            return false;
        }
        let path_called = path(scope, &call.callee);
        if OF_OTHERS.contains(&path_called) {
            return true;
        }
        if LIKE_TORCH
            .iter()
            .any(|library| path_called.strip_prefix(library).is_some_and(|name| OF_TORCH.contains(&name)))
        {
            return true;
        }
        if let Some(rest) = path_called.strip_prefix("horovod.") {
            return rest.split_once('.').is_some_and(|(_, name)| OF_HOROVOD.contains(&name));
        }
        let ExprKind::Attribute(object, name) = &call.callee.kind else { return false };
        let text = scope.text(object.span);
        let last = text.rsplit('.').next().unwrap_or(text);
        let made = path(scope, object);
        match *name {
            "wait_for_everyone" => true,
            "gather" | "gather_for_metrics" | "reduce" => {
                last == "accelerator" || made == "accelerate.Accelerator()"
            }
            "save_checkpoint" => {
                self.engines.contains(&last)
                    || last == "trainer" && scope.whole_text().contains("lightning") && !may_save_alone(scope)
            }
            "barrier" => last == "strategy" && text.contains("trainer"),
            // Each gathers the outputs of all processes.
            "evaluate" | "predict" => self.has_trainer && last == "trainer" || is_made_trainer(made),
            "all_gather" => text == "self" && scope.whole_text().contains("LightningModule"),
            "log" | "log_dict" => {
                let synced = argument(&call.arguments, None, Some("sync_dist"));
                let is_synced = synced.is_some_and(|value| matches!(value.kind, ExprKind::Bool(true)));
                is_synced && text == "self" && scope.whole_text().contains("LightningModule")
            }
            // All gather the parts of all. Other kinds of states may be of one process.
            "state_dict" => {
                made.ends_with(".FullyShardedDataParallel()")
                    && !["LOCAL_STATE_DICT", "SHARDED_STATE_DICT"]
                        .iter()
                        .any(|kind| scope.whole_text().contains(kind))
            }
            _ => false,
        }
    }
}

/// Whether the project allows a Lightning whose `save_checkpoint` does not wait: that of 2.1 is the first with a barrier.
fn may_save_alone(scope: &FileScope<'_>) -> bool {
    let file = scope.program.name_of(scope.file);
    let Some(older) = Range::read("<2.1") else { return false };
    let is_older = |package| scope.program.versions().supports(file, package, &older);
    OLD_NAMES.iter().any(|name| scope.whole_text().contains(name))
        || ["lightning", "pytorch-lightning"].into_iter().any(is_older)
}

/// `transformers.Seq2SeqTrainer()`
fn is_made_trainer(made: &str) -> bool {
    (made.starts_with("transformers.") || made.starts_with("trl.")) && made.ends_with("Trainer()")
}

impl Waiters<'_> {
    /// Whether a call runs a function of the project that waits for all processes, whichever runs it.
    fn calls_what_waits(&self, scope: &FileScope<'_>, expr: &Expr<'_>, calls: usize) -> bool {
        if calls >= MOST_CALLS {
            return false;
        }
        if let Some(function) = function_called(scope, expr) {
            return self.waits_always(scope, function, calls);
        }
        let ExprKind::Call(call) = &expr.kind else { return false };
        let Some((module, name)) = module_and_name(&call.callee) else { return false };
        let Some((file, name)) = imported(scope, module, name) else { return false };
        let text = &scope.program.sources.file(file).text;
        if !WORDS.iter().any(|word| text.contains(word)) {
            return false;
        }
        let code = scope.program.code(file);
        let Some(function) = code.functions.iter().find(|function| function.name == name) else {
            return false;
        };
        let known = self.asked.borrow().get(&(Place { file, span: function.span }, calls)).copied();
        known.unwrap_or_else(|| {
            scope.in_other(file, |other| {
                let there = Waiters { asked: self.asked.clone(), ..Waiters::of(other) };
                function_named(other, name).is_some_and(|function| there.waits_always(other, function, calls))
            })
        })
    }

    /// Whether a function waits, and asks nothing about processes.
    fn waits_always(&self, scope: &FileScope<'_>, function: &Function<'_>, calls: usize) -> bool {
        let key = (scope.place(function.span), calls);
        if let Some(known) = self.asked.borrow().get(&key) {
            return *known;
        }
        let (mut waits, mut asks) = (false, function.is_generator);
        walk_block(scope.code, &function.body, &mut |part, around| {
            if asks || functions_around(around).next().is_some() {
                return;
            }
            match part {
                CodeNode::Statement(Statement { kind: StatementKind::Branch { test, .. }, .. }) => {
                    asks |= is_of_ranks(scope, test);
                }
                CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) => {
                    waits = waits || self.waits(scope, call) || self.calls_what_waits(scope, expr, calls + 1);
                }
                _ => {}
            }
        });
        self.asked.borrow_mut().insert(key, waits && !asks);
        waits && !asks
    }
}
