//! Checkpoints of Lightning that every process of a training loads onto the same card.

use super::memory::method_of;
use super::order::PlaceInFunction;
use super::spread_ranks::asks_for_processes;
use crate::code::{Call, Expr, ExprKind};
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

const TRAINERS: &[&str] = &["lightning.Trainer", "lightning.pytorch.Trainer", "pytorch_lightning.Trainer"];

/// What starts the processes of a trainer.
const RUNS: &[&str] = &["fit", "predict", "test", "validate"];

/// The first version in which a checkpoint goes where its tensors were. Before, it is loaded for the CPU.
const SINCE: &str = "2.0.2";

/// `Model.load_from_checkpoint(path)` above what starts a process for each of several cards.
pub(super) fn onto_saved_card(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut loads: Vec<PlaceInFunction> = Vec::new();
    let mut runs: Vec<PlaceInFunction> = Vec::new();
    scope.each_call(&mut |expr, _, around| {
        let Some((object, method, call)) = method_of(expr) else { return };
        if RUNS.contains(&method) && is_for_several(scope, object) {
            runs.push(PlaceInFunction::of(expr.span, around));
        }
        let is_load = method == "load_from_checkpoint"
            && argument(&call.arguments, Some(1), Some("map_location")).is_none()
            && !call.arguments.is_empty()
            && !call.arguments.iter().any(|one| one.unpacked && one.name.is_none());
        if is_load
            && !is_of_data(scope, object)
            && !around.iter().any(|around| asks_for_processes(around, scope))
        {
            loads.push(PlaceInFunction::of(expr.span, around));
        }
    });
    // A method of the project may do as it likes.
    if loads.is_empty() || runs.is_empty() || scope.program.has_any(&["def load_from_checkpoint"]) {
        return Vec::new();
    }
    let raw_finding = |load: &PlaceInFunction| {
        let run = runs.iter().find(|run| load.precedes(run))?;
        let raw_finding = RawFinding::at(scope.place(load.span));
        let starts = "several processes are started here, and each runs the program";
        Some(raw_finding.beside(scope.place(run.span), starts))
    };
    loads.iter().filter_map(raw_finding).collect()
}

/// Whether an object is a trainer that starts a process for each of several cards.
fn is_for_several(scope: &FileScope<'_>, object: &Expr<'_>) -> bool {
    let ExprKind::Call(call) = &scope.names.meant(object).kind else { return false };
    let path = scope.names.path(&call.callee).filter(|path| TRAINERS.contains(path));
    path.is_some_and(|path| is_recent(scope, path)) && starts_several(scope, call)
}

/// Whether it is Lightning 2, as far as that is known. Who imports `lightning` and says no version has a new one.
fn is_recent(scope: &FileScope<'_>, path: &str) -> bool {
    let (versions, file) = (scope.program.versions(), scope.program.name_of(scope.file));
    let asked: Vec<&str> = ["lightning", "pytorch-lightning"]
        .into_iter()
        .filter(|package| versions.range(file, package).is_some())
        .collect();
    asked.iter().all(|package| versions.at_least(file, package, SINCE) == Some(true))
        && (!asked.is_empty() || path.starts_with("lightning."))
}

/// A class with data and no tensors of a model, by its name or its base.
fn is_of_data(scope: &FileScope<'_>, class: &Expr<'_>) -> bool {
    let (ExprKind::Name(name) | ExprKind::Attribute(_, name)) = &class.kind else { return false };
    let header = format!("class {name}(");
    let is_defined_so = |text: &str| {
        text.split(&header)
            .skip(1)
            .any(|behind| behind.split(')').next().is_some_and(|bases| bases.contains("DataModule")))
    };
    let files = scope.program.files_with("DataModule");
    name.to_ascii_lowercase().contains("data")
        || files.iter().any(|file| is_defined_so(scope.program.text_of(*file)))
}

/// `Trainer(devices=4, strategy="ddp")`
fn starts_several(scope: &FileScope<'_>, call: &Call<'_>) -> bool {
    let of = |name| argument(&call.arguments, None, Some(name)).map(|given| &scope.names.meant(given).kind);
    let on_gpu =
        !matches!(of("accelerator"), Some(ExprKind::Text(name)) if matches!(&**name, "cpu" | "tpu" | "mps"));
    // Only a process that runs the whole program again loads again.
    let runs_all =
        |name: &str| name != "dp" && !["fork", "notebook", "spawn"].iter().any(|way| name.contains(way));
    let strategy = match of("strategy") {
        None => true,
        Some(ExprKind::Text(name)) => runs_all(name),
        Some(ExprKind::Call(made)) => made.arguments.iter().all(
            |one| !matches!(&scope.names.meant(&one.value).kind, ExprKind::Text(text) if !runs_all(text)),
        ),
        Some(_) => false,
    };
    let is_several = match of("devices") {
        Some(ExprKind::Int(count)) => *count > 1,
        Some(ExprKind::Text(count)) => count.parse::<u32>().is_ok_and(|count| count > 1),
        Some(ExprKind::Sequence(cards)) => cards.len() > 1,
        _ => false,
    };
    // `gpus` is an argument of Lightning 1.
    on_gpu && strategy && is_several && of("gpus").is_none()
}
