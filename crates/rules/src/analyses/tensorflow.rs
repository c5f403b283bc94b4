//! TensorFlow beside another framework, and settings of its devices that come too late.

use super::keras_models::makes_weights;
use super::order::PlaceInFunction;
use super::own_calls::{is_data, reads_data};
use crate::code::walk::{Ancestor, CodeNode, walk, walk_top};
use crate::code::{Call, Expr, ExprKind, Import, ImportNames, Statement, StatementKind};
use crate::facts::{FileId, Place, Span};
use crate::program::knowledge::Does;
use crate::program::{Names, Program};
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;
use crate::versions::Range;
use rustc_hash::FxHashSet;

/// Calls that configure devices, and refuse once there are some.
pub(super) const SETTINGS: &[&str] = &[
    "tensorflow.config.set_visible_devices",
    "tensorflow.config.set_logical_device_configuration",
    "tensorflow.config.experimental.set_memory_growth",
    "tensorflow.config.experimental.set_visible_devices",
    "tensorflow.config.experimental.set_virtual_device_configuration",
    "tensorflow.distribute.MultiWorkerMirroredStrategy",
    "tensorflow.distribute.experimental.MultiWorkerMirroredStrategy",
];

/// Calls that give the session of Keras its options; the first session of the process has fixed those of the GPU.
const SESSIONS: &[&str] = &[
    "keras.backend.set_session",
    "keras.backend.tensorflow_backend.set_session",
    "tensorflow.keras.backend.set_session",
];

const MODELS: &[&str] = &[
    "keras.models.load_model",
    "tensorflow.keras.models.load_model",
    "tensorflow.python.keras.models.load_model",
];

/// What makes the session of TensorFlow 1 that the options are for.
const LATER_SESSIONS: &[&str] =
    &["tensorflow.Session", "tensorflow.compat.v1.Session", "tensorflow.InteractiveSession"];

/// A question of TensorFlow 1 that makes the devices, with options of its own.
const ASKS: &str = "tensorflow.python.client.device_lib.list_local_devices";

/// Settings of devices below what has made them.
pub(super) fn settings_too_late(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let (mut made, mut sessions): (Vec<PlaceInFunction>, Vec<PlaceInFunction>) = (Vec::new(), Vec::new());
    let mut set: Vec<(PlaceInFunction, String)> = Vec::new();
    let mut options: Vec<(PlaceInFunction, String)> = Vec::new();
    let (mut asked, mut later): (Vec<PlaceInFunction>, Vec<(PlaceInFunction, String)>) =
        (Vec::new(), Vec::new());
    let mut calls: Vec<(&str, PlaceInFunction)> = Vec::new();
    let mut imports: Vec<(PlaceInFunction, &Import<'_>)> = Vec::new();
    walk(scope.code, &mut |part, around| match part {
        CodeNode::Statement(step) => {
            if let StatementKind::Import(import) = &step.kind
                && import.module.split('.').next() == Some("transformers")
                && !matches!(import.names, ImportNames::Star)
                && makes_devices(scope)
            {
                made.push(PlaceInFunction::of(step.span, around));
            }
            if let StatementKind::Import(import) = &step.kind
                && !import.lazy
            {
                imports.push((PlaceInFunction::of(step.span, around), import));
            }
        }
        CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) => {
            let path = scope.names.path(&call.callee).unwrap_or_default();
            let seen = PlaceInFunction::of(expr.span, around);
            if let ExprKind::Name(name) = call.callee.kind {
                calls.push((name, PlaceInFunction::of(expr.span, around)));
            }
            let is_asked = path == ASKS || asks_within(scope, call);
            if is_asked {
                asked.push(PlaceInFunction::of(expr.span, around));
            }
            let configured = argument(&call.arguments, None, Some("config")).is_some();
            if configured && LATER_SESSIONS.contains(&path) && scope.whole_text().contains("gpu_options") {
                later.push((PlaceInFunction::of(expr.span, around), path.to_owned()));
            }
            if SETTINGS.contains(&path) {
                set.push((seen, path.to_owned()));
            } else if SESSIONS.contains(&path) {
                options.push((seen, path.to_owned()));
            } else if MODELS.contains(&path) {
                sessions.push(seen);
            } else if is_operation(scope.program, path) || makes_weights(scope, call) {
                made.push(seen);
            }
        }
        _ => {}
    });
    let mut found = Vec::new();
    // Of the sessions that come too late for one question, the first says it.
    let first_later = later.into_iter().find(|(seen, _)| asked.iter().any(|cause| cause.precedes(seen)));
    let later: Vec<(PlaceInFunction, String)> = first_later.into_iter().collect();
    for (causes, late) in [(&made, &set), (&sessions, &options), (&asked, &later)] {
        for (seen, path) in late {
            let Some(cause) = causes.iter().find(|cause| cause.precedes(seen)) else { continue };
            let raw_finding = RawFinding::at(scope.place(seen.span)).word("name", path);
            found.push(raw_finding.beside(scope.place(cause.span), "the devices are made here"));
        }
    }
    for (seen, path) in &set {
        let is_told = found.iter().any(|finding| finding.place.span == seen.span);
        if let Some(cause) = made_by_earlier_call(scope, seen, &calls, &made).filter(|_| !is_told) {
            let raw_finding = RawFinding::at(scope.place(seen.span)).word("name", path);
            found.push(
                raw_finding.beside(scope.place(cause), "the devices are made here, by an earlier call"),
            );
        }
    }
    // Only where something is set it matters what the modules of the project do.
    let imports: Vec<(PlaceInFunction, Place)> = match set.is_empty() {
        true => Vec::new(),
        false => {
            let made_by =
                |import| made_by_import(scope.program, scope.file, import, &mut FxHashSet::default());
            imports.into_iter().filter_map(|(seen, import)| Some((seen, made_by(import)?))).collect()
        }
    };
    for (seen, path) in &set {
        // What a file imports first has run when its functions do.
        let runs_before = |one: &PlaceInFunction| {
            one.precedes(seen)
                || (one.home.is_none() && one.arms.is_empty() && one.span.end <= seen.span.start)
        };
        let is_told = found.iter().any(|finding| finding.place.span == seen.span);
        if let Some((_, place)) = imports.iter().find(|(one, _)| runs_before(one) && !is_told) {
            let raw_finding = RawFinding::at(scope.place(seen.span)).word("name", path);
            found.push(raw_finding.beside(*place, "the devices are made here, when the module is imported"));
        }
    }
    found
}

/// An operation of a function that runs before the function of a setting does: `count()` and below it `configure()`.
fn made_by_earlier_call(
    scope: &FileScope<'_>,
    set: &PlaceInFunction,
    calls: &[(&str, PlaceInFunction)],
    made: &[PlaceInFunction],
) -> Option<Span> {
    let named = |number: usize| scope.code.functions.get(number).map(|function| function.name);
    let first = match set.home {
        Some(home) => {
            let own = named(home)?;
            calls.iter().find(|(name, _)| *name == own).map(|(_, first)| first)?
        }
        None => set,
    };
    let runs_before = |one: &&PlaceInFunction| {
        let made_in = one.home.filter(|home| Some(*home) != set.home && one.arms.is_empty()).and_then(named);
        let is_call = |name: &str, seen: &PlaceInFunction| Some(name) == made_in && seen.precedes(first);
        one.precedes(first) || calls.iter().any(|(name, seen)| is_call(name, seen))
    };
    made.iter().find(runs_before).map(|one| one.span)
}

/// Where a module of the project makes the devices of TensorFlow 2 when it is imported.
fn made_by_import(
    program: &Program<'_>,
    file: FileId,
    import: &Import<'_>,
    seen: &mut FxHashSet<FileId>,
) -> Option<Place> {
    /// Modules that import modules: further ones are not followed.
    const MAX_FILES: usize = 200;
    for target in program.import_targets(file, import) {
        if target == file || seen.len() > MAX_FILES || !seen.insert(target) {
            continue;
        }
        let is_for_tensorflow =
            memchr::memmem::find(program.sources.file(target).text.as_bytes(), b"tensorflow");
        let (code, names) = (program.code(target), Names::of(program, target));
        let mut made = None;
        walk_top(code, &mut |part, around| {
            let is_for_script = around.iter().any(|one| match one {
                Ancestor::Then(test) => {
                    program.text(Place { file: target, span: test.span }).contains("__main__")
                }
                _ => false,
            });
            if made.is_some() || is_for_script {
                return;
            }
            match part {
                CodeNode::Statement(Statement { kind: StatementKind::Import(inner), .. }) if !inner.lazy => {
                    made = made_by_import(program, target, inner, seen);
                }
                CodeNode::Expr(Expr { kind: ExprKind::Call(call), span }) if is_for_tensorflow.is_some() => {
                    let path = names.path(&call.callee).unwrap_or_default();
                    // In a branch it may not run.
                    let certain =
                        !around.iter().any(|one| matches!(one, Ancestor::Then(_) | Ancestor::Otherwise(_)));
                    if certain && is_operation(program, path) {
                        made = Some(Place { file: target, span: *span });
                    }
                }
                _ => {}
            }
        });
        if made.is_some() {
            return made;
        }
    }
    None
}

/// A call of a function of the file that asks for the devices of TensorFlow 1.
fn asks_within(scope: &FileScope<'_>, call: &Call<'_>) -> bool {
    let ExprKind::Name(name) = call.callee.kind else { return false };
    let mut functions = scope.code.functions.iter().filter(|function| function.name == name);
    functions.any(|function| scope.text(function.span).contains("device_lib.list_local_devices("))
}

/// A call that makes the devices of TensorFlow 2.
pub(super) fn is_operation(program: &Program<'_>, path: &str) -> bool {
    let is_asked = path.contains("list_physical_devices") || path.contains("get_visible_devices");
    let makes = program.knowledge.of_call(path).iter().any(|effect| {
        effect.library == "tensorflow" && effect.row.does.contains(&Does::CudaInit) && !effect.row.harmless
    });
    makes && !is_asked && !path.ends_with("Session")
}

/// transformers 2.1 ran an operation when it was imported.
fn makes_devices(scope: &FileScope<'_>) -> bool {
    let file = scope.program.name_of(scope.file);
    Range::read("==2.1.*").is_some_and(|versions| {
        scope.program.versions().satisfies(file, "transformers", &versions) == Some(true)
    })
}

/// Memory growth that is set for the card which an index picks, while TensorFlow sees all of them: its first operation asks
/// that they agree.
pub(super) fn growth_of_one_card(scope: &FileScope<'_>) -> Vec<RawFinding> {
    const GROWTH: &str = "tensorflow.config.experimental.set_memory_growth";
    /// What leaves one card, or gives the others the same setting.
    const ALIKE: &[&str] = &[
        "CUDA_VISIBLE_DEVICES",
        "TF_FORCE_GPU_ALLOW_GROWTH",
        "set_logical_device_configuration",
        "set_virtual_device_configuration",
        "set_visible_devices",
    ];
    if scope.program.has_any(ALIKE) {
        return Vec::new();
    }
    let (mut growths, mut found) = (0, Vec::new());
    scope.each_call(&mut |expr, call, around| {
        if called(scope, call) != Some(GROWTH) {
            return;
        }
        growths += 1;
        let device = call.arguments.first().map(|argument| scope.names.meant(&argument.value));
        let Some(Expr { kind: ExprKind::Item(pair), .. }) = device else { return };
        let ExprKind::Call(listed) = &scope.names.meant(&pair.0).kind else { return };
        let lists = called(scope, listed).is_some_and(|path| path.ends_with(".list_physical_devices"));
        let first = listed.arguments.first().map(|argument| &argument.value.kind);
        let are_gpus = matches!(first, Some(ExprKind::Text(kind)) if kind == "GPU");
        // `if len(gpus) == 1:`
        let counts = |one: &Ancestor<'_, '_>| match one {
            Ancestor::Then(test) | Ancestor::Otherwise(test) => {
                ["== 1", "== 2", "< 2", "<= 1", "> 1", ">= 2"]
                    .iter()
                    .any(|word| scope.text(test.span).contains(word))
            }
            _ => false,
        };
        let in_loop = around.iter().any(|one| matches!(one, Ancestor::Loop(_)));
        let is_index = matches!(pair.1.kind, ExprKind::Int(_));
        if lists && are_gpus && is_index && !in_loop && !around.iter().any(counts) {
            found.push(
                RawFinding::at(scope.place(expr.span))
                    .word("device", scope.text(call.arguments[0].value.span)),
            );
        }
    });
    if growths == 1 { found } else { Vec::new() }
}

/// Data that TensorFlow reads for JAX, in a project that leaves it all GPUs.
pub(super) fn beside_jax(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let (mut reads, mut computes, mut own) = (None, false, Vec::new());
    scope.each_call(&mut |expr, call, _| {
        let path = called(scope, call).unwrap_or_default();
        computes |= path.starts_with("jax.");
        if reads.is_none() && is_data(path) {
            reads = Some(expr.span);
        }
        own.push((expr.span, call));
    });
    if !computes {
        return Vec::new();
    }
    const HIDES: &[&str] = &[
        "set_visible_devices",
        "set_memory_growth",
        "TF_FORCE_GPU_ALLOW_GROWTH",
        "set_logical_device_configuration",
        "tensorflow-cpu",
        "tensorflow_cpu",
        "CUDA_VISIBLE_DEVICES",
    ];
    if scope.program.has_any(HIDES) {
        return Vec::new();
    }
    // Of a function of the project, wherever it lies.
    let may_read =
        || scope.program.has_any(&["tf.data", "tensorflow.data", "tfds", "tensorflow_datasets", "seqio"]);
    let elsewhere = || {
        own.iter()
            .filter(|_| may_read())
            .find_map(|(span, call)| Some((*span, Some(reads_data(call, scope)?))))
    };
    let Some((span, place)) = reads.map(|span| (span, None)).or_else(elsewhere) else { return Vec::new() };
    let raw_finding = RawFinding::at(scope.place(span));
    vec![match place {
        Some(place) => raw_finding.beside(place, "the data is read here"),
        None => raw_finding,
    }]
}

pub(super) fn called<'n>(scope: &'n FileScope<'_>, call: &Call<'_>) -> Option<&'n str> {
    scope.names.path(&call.callee)
}
