//! TensorFlow beside another framework, and settings of its devices that come too late.

use super::order::Seen;
use crate::code::walk::{Part, walk};
use crate::code::{Call, Expr, ExprKind, ImportNames, StepKind};
use crate::program::knowledge::Does;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;
use crate::versions::Range;

/// Calls that configure devices, and refuse once there are some.
const SETTINGS: &[&str] = &[
    "tensorflow.config.set_visible_devices",
    "tensorflow.config.set_logical_device_configuration",
    "tensorflow.config.experimental.set_memory_growth",
    "tensorflow.config.experimental.set_visible_devices",
    "tensorflow.config.experimental.set_virtual_device_configuration",
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
    let (mut made, mut sessions): (Vec<Seen>, Vec<Seen>) = (Vec::new(), Vec::new());
    let mut set: Vec<(Seen, String)> = Vec::new();
    let mut options: Vec<(Seen, String)> = Vec::new();
    let (mut asked, mut later): (Vec<Seen>, Vec<(Seen, String)>) = (Vec::new(), Vec::new());
    walk(scope.code, &mut |part, around| match part {
        Part::Step(step) => {
            if let StepKind::Import(import) = &step.kind
                && import.module.split('.').next() == Some("transformers")
                && !matches!(import.names, ImportNames::Star)
                && makes_devices(scope)
            {
                made.push(Seen::of(step.span, around));
            }
        }
        Part::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) => {
            let path = scope.names.path(&call.callee).unwrap_or_default();
            let seen = Seen::of(expr.span, around);
            let is_asked = path == ASKS || asks_within(scope, call);
            if is_asked {
                asked.push(Seen::of(expr.span, around));
            }
            let configured = argument(&call.arguments, None, Some("config")).is_some();
            if configured && LATER_SESSIONS.contains(&path) && scope.whole_text().contains("gpu_options") {
                later.push((Seen::of(expr.span, around), path.to_owned()));
            }
            if SETTINGS.contains(&path) {
                set.push((seen, path.to_owned()));
            } else if SESSIONS.contains(&path) {
                options.push((seen, path.to_owned()));
            } else if MODELS.contains(&path) {
                sessions.push(seen);
            } else if is_operation(scope, path) {
                made.push(seen);
            }
        }
        _ => {}
    });
    let mut found = Vec::new();
    // Of the sessions that come too late for one question, the first says it.
    let first_later = later.into_iter().find(|(seen, _)| asked.iter().any(|cause| cause.precedes(seen)));
    let later: Vec<(Seen, String)> = first_later.into_iter().collect();
    for (causes, late) in [(&made, &set), (&sessions, &options), (&asked, &later)] {
        for (seen, path) in late {
            let Some(cause) = causes.iter().find(|cause| cause.precedes(seen)) else { continue };
            let raw_finding = RawFinding::at(scope.place(seen.span)).word("name", path);
            found.push(raw_finding.beside(scope.place(cause.span), "the devices are made here"));
        }
    }
    found
}

/// A call of a function of the file that asks for the devices of TensorFlow 1.
fn asks_within(scope: &FileScope<'_>, call: &Call<'_>) -> bool {
    let ExprKind::Name(name) = call.callee.kind else { return false };
    let mut functions = scope.code.functions.iter().filter(|function| function.name == name);
    functions.any(|function| scope.text(function.span).contains("device_lib.list_local_devices("))
}

/// A call that makes the devices of TensorFlow 2.
fn is_operation(scope: &FileScope<'_>, path: &str) -> bool {
    let is_asked = path.contains("list_physical_devices") || path.contains("get_visible_devices");
    let makes = scope.program.knowledge.of_call(path).iter().any(|effect| {
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

/// One card chosen out of all, in a program without a mask.
pub(super) fn chosen_by_list(scope: &FileScope<'_>) -> Vec<RawFinding> {
    if scope.whole_text().contains("CUDA_VISIBLE_DEVICES") {
        return Vec::new();
    }
    let mut found = Vec::new();
    walk(scope.code, &mut |part, _| {
        let Part::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        if called(scope, call)
            .is_none_or(|path| !path.ends_with(".set_visible_devices") || !SETTINGS.contains(&path))
        {
            return;
        }
        // A list with one card that an index picks: `[gpus[1]]`, `gpus[1]`, or a name for it.
        let first = call.arguments.first().map(|argument| &argument.value);
        let one = first.map(|given| match &given.kind {
            ExprKind::Sequence(listed) if listed.len() == 1 => &listed[0],
            _ => given,
        });
        if one.is_some_and(|one| matches!(scope.names.meant(one).kind, ExprKind::Item(_))) {
            found.push(RawFinding::at(scope.place(expr.span)));
        }
    });
    found
}

/// Data that TensorFlow reads for JAX, in a project that leaves it all GPUs.
pub(super) fn beside_jax(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let (mut reads, mut computes) = (None, false);
    walk(scope.code, &mut |part, _| {
        let Part::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        let Some(path) = called(scope, call) else { return };
        computes |= path.starts_with("jax.");
        if reads.is_none() && (path.starts_with("tensorflow.data.") || path == "tensorflow_datasets.load") {
            reads = Some(expr.span);
        }
    });
    let Some(span) = reads.filter(|_| computes) else { return Vec::new() };
    const HIDES: &[&str] = &[
        "set_visible_devices",
        "set_memory_growth",
        "TF_FORCE_GPU_ALLOW_GROWTH",
        "set_logical_device_configuration",
        "tensorflow-cpu",
        "tensorflow_cpu",
        "CUDA_VISIBLE_DEVICES",
    ];
    let hides = |text: &str| HIDES.iter().any(|word| text.contains(word));
    if scope.program.sources.files.iter().any(|file| hides(&file.text)) {
        return Vec::new();
    }
    vec![RawFinding::at(scope.place(span))]
}

fn called<'n>(scope: &'n FileScope<'_>, call: &Call<'_>) -> Option<&'n str> {
    scope.names.path(&call.callee)
}
