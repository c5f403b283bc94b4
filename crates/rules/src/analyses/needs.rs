//! What a file must hold for a check to look at it, beside the words of the check itself.

use super::{
    Analysis, device_arguments, device_names, environments, hardware, import_proofs, kept_graphs, resets,
    subshells, uncalled_checks, unentered_contexts,
};
use crate::rules::prefilter::{NodePredicate, RequiredWords};

/// Words that a file in Python must hold as well, one of each list: without them the words above say little there.
const BESIDE: &[(&str, &[&str])] = &[
    ("cached-method-keeps-object", &["self"]),
    ("cached-on-current-device", &["cuda"]),
    ("cache-of-another-device", &["cuda:", ".cuda(", "rank"]),
    ("cuda-in-dataset-worker", &["cuda", "device", "jax"]),
    ("device-choice-unused", &["cuda", "onnxruntime", "os.system", "subprocess"]),
    ("device-count-kept", &["CUDA_VISIBLE_DEVICES"]),
    ("collective-on-one-rank", &["rank", "RANK", "main_process", "process_index", "zero", "master", "chief"]),
    ("cpu-tensor-in-nccl", &["nccl", "NCCL"]),
    ("data-parallel-first-device", &["set_device", "device_ids", "cuda:", ".cuda("]),
    ("device-number-as-text", &["args.", "opt.", "opts.", "options.", "config.", "cfg.", "flags."]),
    ("environment-replaced", &["subprocess"]),
    ("cpu-tensor-indexed", &["torch"]),
    ("eval-without-no-grad", &["torch"]),
    ("half-on-cpu", &["is_available"]),
    ("method-of-first-copy", &["self"]),
    ("pinned-gpu-tensor", &["cuda"]),
    ("feature-gate-wrong", hardware::GATES),
    ("gpu-spec-mismatch", hardware::GATES),
    ("gpu-switch-inverted", &["gpu", "cuda"]),
    ("gpu-switch-always-on", &["bool", "getenv", "environ", "device("]),
    ("gpu-tensor-to-numpy", &["cuda"]),
    ("hooked-model-not-collected", &["empty_cache"]),
    ("input-on-another-device", &["cuda:", ".cuda("]),
    ("loss-weight-on-cpu", &[".to(", ".cuda("]),
    ("model-left-on-cpu", &["torch"]),
    ("offload-after-move", &["cuda"]),
    ("optimizer-state-before-move", &["optim"]),
    ("pickle-of-gpu-model", &["cuda"]),
    ("legacy-constructor-device", &["device="]),
    ("layer-made-in-forward", &["torch"]),
    ("layers-in-plain-list", &["torch"]),
    ("rank-mask-ignores-given", &["rank", "RANK", "LOCALID"]),
    ("growth-beside-virtual-device", &["device_configuration"]),
    ("lightning-card-fixed", &["cuda"]),
    ("ray-mask-replaced", &["CUDA_VISIBLE_DEVICES"]),
    ("retry-inside-oom-handler", &["except"]),
    ("loader-generator-device", &["DataLoader"]),
    ("tensor-made-on-cpu", &["torch"]),
    ("tensorflow-touches-all-cards", &["tensorflow"]),
    ("tensor-not-a-buffer", &["torch"]),
    ("visible-count-as-mask", &["device_count", "gpu", "GPU"]),
];

/// Names without which an analysis finds nothing in Python: the parts of one of them stand somewhere in the file.
const NAMED: &[(&str, &[&str])] = &[
    ("check-not-called", uncalled_checks::CHECKS),
    ("context-not-entered", unentered_contexts::MANAGERS),
    ("gpu-reset-as-recovery", resets::WORDS),
    ("import-proof-in-same-process", &["sys.modules"]),
    (
        "ray-task-without-gpu",
        &[
            "ray.data",
            "ray.remote",
            "ray.serve.deployment",
            "ray.train.torch.TorchTrainer",
            "ray.tune.Tuner",
            "ray.tune.run",
        ],
    ),
    ("rocm-never-detected", &["torch.hip", "torch.rocm"]),
];

/// Names with which a node_predicate need not be asked.
type Names = fn() -> Vec<&'static str>;

/// Analyses of what is everywhere: what some part of a file in Python must be, and names with which it need not.
const NODE_PREDICATES: &[(&str, NodePredicate, Names)] = &[
    ("device-name-typo", device_names::may_be_wrong, Vec::new),
    ("environ-copy-unused", environments::may_set, Vec::new),
    ("environ-rebound", environments::may_rebind, Vec::new),
    ("environment-in-subshell", subshells::may_start, Vec::new),
    ("import-proof-in-same-process", import_proofs::may_assert, Vec::new),
    ("loss-keeps-graph", kept_graphs::may_keep_graphs, kept_graphs::differentiated_by_others),
    ("wrong-device-argument", device_arguments::may_be_negative, device_arguments::rare),
];

/// What a file must hold for an analysis to look at it.
pub fn need(analysis: &Analysis) -> RequiredWords<'static> {
    let of = |table: &[(&str, &'static [&'static str])]| {
        let row = table.iter().find(|(known, _)| *known == analysis.name);
        row.map_or(Vec::new(), |(_, words)| words.to_vec())
    };
    let node_predicate = NODE_PREDICATES.iter().find(|(known, ..)| *known == analysis.name);
    let sure = node_predicate.map_or(Vec::new(), |(.., sure)| sure());
    let node_predicate = node_predicate.map(|(_, node_predicate, _)| *node_predicate);
    RequiredWords {
        texts: analysis.words.to_vec(),
        names: of(NAMED),
        beside: of(BESIDE),
        node_predicate,
        sure,
    }
}
