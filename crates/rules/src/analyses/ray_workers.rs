//! What Ray's libraries start as actors of their own: trials of Tune, workers of Train, replicas of Serve. Each gets the cards that its settings ask for.

use super::ray_tasks::{body_of, use_in};
use crate::code::walk::{CodeNode, walk};
use crate::code::{Argument, Call, Expr, ExprKind, StatementKind};
use crate::facts::Place;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// Trials, workers and replicas that use a GPU and ask for none.
pub(super) fn without_gpu(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    walk(scope.code, &mut |part, _| match part {
        CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) => {
            let path = scope.names.path(&call.callee).unwrap_or_default();
            let asked: Vec<Asked<'_>> = match path {
                "ray.tune.Tuner" => trial_of(scope, call, false).into_iter().collect(),
                "ray.tune.run" => trial_of(scope, call, true).into_iter().collect(),
                "ray.tune.run_experiments" | "ray.tune.tune.run_experiments" => experiments_of(scope, call),
                "ray.tune.Experiment" => trial_of_experiment(scope, call).into_iter().collect(),
                "ray.train.torch.TorchTrainer" => worker_of(scope, call).into_iter().collect(),
                _ => mapper_of(scope, call).into_iter().collect(),
            };
            for (name, missing, write) in asked {
                let Some(body) = body_of(scope, name) else { continue };
                let used = use_in(scope, body).map(|used| (used, "a GPU is used here"));
                if let Some((place, what)) = used.or_else(|| wanted_by_settings(scope, call, name)) {
                    let raw_finding = RawFinding::at(scope.place(expr.span)).word("name", name);
                    let raw_finding = raw_finding.word("missing", missing).word("write", write);
                    found.push(raw_finding.beside(place, what));
                }
            }
        }
        CodeNode::Statement(step) => {
            let StatementKind::DefineClass { class, decorators } = &step.kind else { return };
            let class = &scope.code.classes[*class];
            let Some(decorator) = decorators.iter().find(|one| deploys_without_gpu(scope, one)) else {
                return;
            };
            if let Some(used) = use_in(scope, &class.body) {
                let raw_finding = RawFinding::at(scope.place(decorator.span)).word("name", class.name);
                let raw_finding = raw_finding
                    .word("missing", "`num_gpus` is missing in `ray_actor_options`")
                    .word("write", "`@serve.deployment(ray_actor_options={\"num_gpus\": 1})`");
                found.push(raw_finding.beside(used, "a GPU is used here"));
            }
        }
        CodeNode::Expr(_) | CodeNode::Target(_) => {}
    });
    found
}

type Asked<'c> = (&'c str, &'static str, &'static str);

/// `dataset.map_batches(Predictor, concurrency=2)` of Ray Data, whose actors are objects of a class.
fn mapper_of<'c>(scope: &FileScope<'c>, call: &'c Call<'c>) -> Option<Asked<'c>> {
    const ASKING: &[&str] =
        &["num_gpus", "ray_remote_args", "ray_remote_args_fn", "resources", "accelerator_type"];
    let ExprKind::Attribute(_, "map_batches") = call.callee.kind else { return None };
    let asks = |one: &Argument<'_>| one.unpacked || one.name.is_some_and(|name| ASKING.contains(&name));
    if !scope.whole_text().contains("ray.data") || call.arguments.iter().any(asks) {
        return None;
    }
    let ExprKind::Name(name) = argument(&call.arguments, Some(0), Some("fn"))?.kind else { return None };
    let is_class = scope.code.classes.iter().any(|class| class.name == name);
    is_class.then_some((
        name,
        "`num_gpus` is missing, and its actors get a processor and no GPU",
        "`map_batches(…, num_gpus=1)`",
    ))
}

/// The function that a tuner runs, where nothing says what each trial needs.
fn trial_of<'c>(scope: &FileScope<'c>, call: &'c Call<'c>, by_run: bool) -> Option<Asked<'c>> {
    let is_open = call.arguments.iter().any(|one| one.unpacked);
    let resources = argument(&call.arguments, None, Some("resources_per_trial"));
    if is_open || by_run && resources.is_some_and(|resources| may_ask(scope, resources)) {
        return None;
    }
    let first =
        argument(&call.arguments, Some(0), Some(if by_run { "run_or_experiment" } else { "trainable" }))?;
    let name = match &first.kind {
        ExprKind::Name(_) | ExprKind::Text(_) => trainable(scope, first)?,
        // `tune.with_parameters(trial, data=data)` says nothing of cards.
        ExprKind::Call(inner) if scope.names.path(&inner.callee) == Some("ray.tune.with_parameters") => {
            first_name(inner)?
        }
        // `tune.with_resources(trial, {"gpu": 0})`
        ExprKind::Call(inner) if scope.names.path(&inner.callee) == Some("ray.tune.with_resources") => {
            let resources = argument(&inner.arguments, Some(1), Some("resources"))?;
            if may_ask(scope, resources) {
                return None;
            }
            let write = "`tune.Tuner(tune.with_resources(trial, {\"gpu\": 1}))`";
            return Some((first_name(inner)?, "`tune.with_resources` asks for no GPU", write));
        }
        _ => return None,
    };
    if resources.is_some() {
        let write = "`resources_per_trial={\"gpu\": 1}`";
        return Some((name, "`resources_per_trial` asks for no GPU", write));
    }
    Some(match by_run {
        true => (
            name,
            "`resources_per_trial` is missing, and a trial gets one processor and no GPU",
            "`resources_per_trial={\"gpu\": 1}`",
        ),
        false => (
            name,
            "`tune.with_resources` is missing, and a trial gets one processor and no GPU",
            "`tune.Tuner(tune.with_resources(trial, {\"gpu\": 1}))`",
        ),
    })
}

/// What experiments need for each trial, as older versions of Ray call it too.
const OF_TRIAL: &[&str] = &["resources_per_trial", "trial_resources"];

/// `run_experiments({"one": {"run": trial, "config": {…}}})`
fn experiments_of<'c>(scope: &FileScope<'c>, call: &'c Call<'c>) -> Vec<Asked<'c>> {
    let Some(first) = argument(&call.arguments, Some(0), Some("experiments")) else { return Vec::new() };
    let ExprKind::Mapping(experiments) = &scope.names.meant(first).kind else { return Vec::new() };
    let asked = experiments.iter().filter_map(|(_, experiment)| {
        let ExprKind::Mapping(entries) = &scope.names.meant(experiment).kind else { return None };
        let held = |names: &[&str]| {
            let is_it =
                |key: &Expr<'_>| matches!(&key.kind, ExprKind::Text(name) if names.contains(&&**name));
            entries.iter().find(|(key, _)| key.as_ref().is_some_and(is_it)).map(|(_, value)| value)
        };
        // `**others`
        let is_open = entries.iter().any(|(key, _)| key.is_none());
        if is_open || held(OF_TRIAL).is_some_and(|resources| may_ask(scope, resources)) {
            return None;
        }
        of_experiment(trainable(scope, held(&["run"])?)?, held(OF_TRIAL).is_some())
    });
    asked.collect()
}

/// `Experiment("one", run=trial)`
fn trial_of_experiment<'c>(scope: &FileScope<'c>, call: &'c Call<'c>) -> Option<Asked<'c>> {
    let resources = OF_TRIAL.iter().find_map(|name| argument(&call.arguments, None, Some(name)));
    let is_open = call.arguments.iter().any(|one| one.unpacked);
    if is_open || resources.is_some_and(|resources| may_ask(scope, resources)) {
        return None;
    }
    let run = argument(&call.arguments, Some(1), Some("run"))?;
    of_experiment(trainable(scope, run)?, resources.is_some())
}

fn of_experiment(name: &str, asks: bool) -> Option<Asked<'_>> {
    let missing = match asks {
        true => "`resources_per_trial` asks for no GPU",
        false => "`resources_per_trial` is missing, and a trial gets one processor and no GPU",
    };
    Some((name, missing, "`\"resources_per_trial\": {\"cpu\": 1, \"gpu\": 1}`"))
}

/// The function that is run, by itself or by the name under which `register_trainable` knows it.
fn trainable<'c>(scope: &FileScope<'c>, run: &'c Expr<'c>) -> Option<&'c str> {
    match &run.kind {
        ExprKind::Name(name) => Some(name),
        ExprKind::Text(text) => {
            let mut known = None;
            scope.each_call(&mut |_, call, _| {
                let path = scope.names.path(&call.callee).unwrap_or_default();
                let is_it = |name: &Expr<'_>| matches!(&name.kind, ExprKind::Text(known) if known == text);
                if path.ends_with("register_trainable")
                    && call.arguments.first().is_some_and(|first| is_it(&first.value))
                    && let Some(Argument { value: Expr { kind: ExprKind::Name(name), .. }, .. }) =
                        call.arguments.get(1)
                {
                    known = Some(*name);
                }
            });
            known
        }
        _ => None,
    }
}

/// The name that a call is given first.
fn first_name<'c>(call: &'c Call<'_>) -> Option<&'c &'c str> {
    match call.arguments.first() {
        Some(Argument { value: Expr { kind: ExprKind::Name(name), .. }, name: None, .. }) => Some(name),
        _ => None,
    }
}

/// Whether resources may hold a GPU: all but a mapping that is known, with none in it.
fn may_ask(scope: &FileScope<'_>, resources: &Expr<'_>) -> bool {
    let ExprKind::Mapping(entries) = &scope.names.meant(resources).kind else { return true };
    entries.iter().any(|(key, value)| match key.as_ref().map(|key| &key.kind) {
        Some(ExprKind::Text(name)) => {
            let is_for_cpu = matches!(&**name, "cpu" | "CPU" | "num_cpus" | "memory");
            !is_for_cpu && !matches!(scope.names.meant(value).kind, ExprKind::Int(0))
        }
        _ => true,
    })
}

/// Where the settings of a tuner say that its function shall use a GPU, which that function asks for: `config={"use_gpu": True}`.
fn wanted_by_settings(scope: &FileScope<'_>, call: &Call<'_>, name: &str) -> Option<(Place, &'static str)> {
    let settings = ["config", "param_space"].iter();
    let given = settings.filter_map(|word| argument(&call.arguments, None, Some(word))).next()?;
    let ExprKind::Mapping(entries) = &scope.names.meant(given).kind else { return None };
    let function = scope.code.functions.iter().find(|function| function.name == name)?;
    entries.iter().find_map(|(key, value)| {
        let key = key.as_ref()?;
        let ExprKind::Text(word) = &key.kind else { return None };
        let is_wanted = matches!(&**word, "use_gpu" | "use_cuda" | "gpu" | "cuda")
            && matches!(value.kind, ExprKind::Bool(true))
            && scope.text(function.span).contains(&**word);
        is_wanted.then(|| (scope.place(key.span), "a GPU is asked for here"))
    })
}

/// The function that a trainer runs in each worker, where the workers are for processors.
fn worker_of<'c>(scope: &FileScope<'_>, call: &'c Call<'c>) -> Option<Asked<'c>> {
    if call.arguments.iter().any(|one| one.unpacked) {
        return None;
    }
    let function = argument(&call.arguments, Some(0), Some("train_loop_per_worker"))?;
    let ExprKind::Name(name) = function.kind else { return None };
    let asks = |scaling: &Expr<'_>| match &scope.names.meant(scaling).kind {
        ExprKind::Call(scaling) => scaling.arguments.iter().any(|one| {
            one.unpacked
                || one.name.is_some_and(|name| match name {
                    "use_gpu" => !matches!(one.value.kind, ExprKind::Bool(false)),
                    _ => name.starts_with("resources") || name == "accelerator_type",
                })
        }),
        // Made elsewhere.
        _ => true,
    };
    let scaling = argument(&call.arguments, None, Some("scaling_config"));
    if scaling.is_some_and(asks) {
        return None;
    }
    Some((
        name,
        "`use_gpu=True` is missing in `ScalingConfig`",
        "`scaling_config=ScalingConfig(num_workers=2, use_gpu=True)`",
    ))
}

/// `@serve.deployment`, `@serve.deployment(num_replicas=2)`
fn deploys_without_gpu(scope: &FileScope<'_>, decorator: &Expr<'_>) -> bool {
    let is_it = |expr: &Expr<'_>| scope.names.path(expr) == Some("ray.serve.deployment");
    match &decorator.kind {
        ExprKind::Call(call) => {
            let asks = |one: &Argument<'_>| match one.name {
                Some("ray_actor_options") => may_ask(scope, &one.value),
                Some(name) => name == "placement_group_bundles",
                None => one.unpacked,
            };
            is_it(&call.callee) && !call.arguments.iter().any(asks)
        }
        _ => is_it(decorator),
    }
}
