//! GPUs that OpenCV, FAISS, spaCy, MXNet and LightGBM are told to use, in a project that installs a build of them without one.

use super::images::asked_by_commands;
use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::code::{Expr, ExprKind, Grammar, Requirement, Target};
use crate::findings::Severity;
use crate::rules::files::{FileScope, RawFinding};
use crate::versions::Range;

/// A library that comes in one build for the CPU and, from somewhere else, in one for a GPU.
struct Library {
    name: &'static str,
    module: &'static str,
    /// The distributions without a GPU.
    plain: &'static [&'static str],
    /// Words in any file of the project that speak of another build.
    other_builds: &'static [&'static str],
    /// Words in the file that ask whether there is a GPU.
    questions: &'static [&'static str],
    is_for_gpu: fn(&str) -> bool,
    /// What takes the GPU where there is one, and the CPU without a word otherwise.
    is_only_preferred: fn(&str) -> bool,
    wanted: &'static str,
}

const LIBRARIES: &[Library] = &[
    Library {
        name: "OpenCV",
        module: "cv2",
        plain: &[
            "opencv-contrib-python",
            "opencv-contrib-python-headless",
            "opencv-python",
            "opencv-python-headless",
        ],
        other_builds: &["WITH_CUDA", "OPENCV_DNN_CUDA", "opencv-cuda", "opencv_cuda", "with CUDA support"],
        questions: &["getCudaEnabledDeviceCount", "getBuildInformation", "getAvailableTargets"],
        is_for_gpu: |path| matches!(path, "cv2.dnn.DNN_BACKEND_CUDA" | "cv2.cuda_GpuMat" | "cv2.cuda.GpuMat"),
        is_only_preferred: |_| false,
        wanted: "build OpenCV from source with `-DWITH_CUDA=ON` and `-DOPENCV_DNN_CUDA=ON`: its packages on PyPI are for the CPU",
    },
    Library {
        name: "FAISS",
        module: "faiss",
        plain: &["faiss-cpu"],
        other_builds: &["faiss-gpu", "faiss_gpu", "FAISS_ENABLE_GPU"],
        questions: &["get_num_gpus", "hasattr(faiss"],
        is_for_gpu: |path| {
            matches!(
                path,
                "faiss.StandardGpuResources"
                    | "faiss.GpuIndexFlatConfig"
                    | "faiss.GpuIndexFlatIP"
                    | "faiss.GpuIndexFlatL2"
                    | "faiss.GpuIndexIVFFlat"
                    | "faiss.GpuIndexIVFPQ"
                    | "faiss.index_cpu_to_all_gpus"
                    | "faiss.index_cpu_to_gpu"
                    | "faiss.index_cpu_to_gpu_multiple_py"
                    | "faiss.index_cpu_to_gpus_list"
            )
        },
        is_only_preferred: |_| false,
        wanted: "ask conda for `faiss-gpu` in its place: `faiss-cpu` has no such name",
    },
    Library {
        name: "spaCy",
        module: "spacy",
        plain: &["spacy"],
        other_builds: &["cupy", "spacy[cuda", "spacy[apple", "spacy-transformers[cuda", "thinc[cuda"],
        questions: &["has_cupy", "has_gpu"],
        is_for_gpu: |path| matches!(path, "spacy.require_gpu" | "spacy.prefer_gpu"),
        is_only_preferred: |path| path == "spacy.prefer_gpu",
        wanted: "ask for `spacy[cuda12x]`, which brings CuPy: without it spaCy computes on the CPU",
    },
    Library {
        name: "MXNet",
        module: "mxnet",
        plain: &["mxnet", "mxnet-mkl", "mxnet-native"],
        other_builds: &["mxnet-cu", "mxnet_cu", "USE_CUDA"],
        questions: &["num_gpus", "gpu_memory_info", "except mx"],
        is_for_gpu: |path| matches!(path, "mxnet.gpu" | "mxnet.context.gpu"),
        is_only_preferred: |_| false,
        wanted: "ask for `mxnet-cu112`, or the build for the CUDA of the machine: `mxnet` alone is the build for the CPU",
    },
];

/// The first name of each library that needs a GPU, where the project installs its build for the CPU.
pub(super) fn without_gpu(scope: &FileScope<'_>) -> Vec<RawFinding> {
    LIBRARIES.iter().filter_map(|library| used_without_gpu(scope, library)).collect()
}

fn used_without_gpu(scope: &FileScope<'_>, library: &Library) -> Option<RawFinding> {
    let text = scope.whole_text();
    if !text.contains(library.module) || library.questions.iter().any(|word| text.contains(word)) {
        return None;
    }
    let mut used = None;
    walk(scope.code, &mut |part, around| {
        let CodeNode::Expr(expr @ Expr { kind: ExprKind::Attribute(..) | ExprKind::Name(_), .. }) = part
        else {
            return;
        };
        let is_for_gpu = || scope.names.path(expr).is_some_and(library.is_for_gpu);
        // `try: res = faiss.StandardGpuResources()` has another way.
        let is_tried = || around.iter().any(|one| matches!(one, Ancestor::Try(_)));
        if used.is_none() && is_for_gpu() && !is_tried() {
            let may_be_off =
                around.iter().any(|one| matches!(one, Ancestor::Then(_) | Ancestor::Otherwise(_)))
                    || scope.names.path(expr).is_some_and(library.is_only_preferred);
            used = Some((expr.span, may_be_off));
        }
    });
    let (span, may_be_off) = used?;
    let file = scope.program.name_of(scope.file);
    let is_asked = |package: &&&str| {
        !scope.program.versions().asked(file, package).is_empty()
            || !asked_by_commands(scope, package).is_empty()
    };
    library.plain.iter().find(is_asked)?;
    if scope.program.has_any(library.other_builds) {
        return None;
    }
    let raw_finding = RawFinding::at(scope.place(span)).word("name", scope.text(span));
    let raw_finding = raw_finding.word("package", library.name).word("wanted", library.wanted);
    // An option may leave the GPU off, which is what the list of packages is for then.
    Some(if may_be_off { raw_finding.at_most(Severity::Note) } else { raw_finding })
}

/// A GPU that TensorFlow is told to use, by the build for the CPU: `tensorflow-cpu`, and before 1.15 `tensorflow`, where the build for
/// a GPU has a name of its own.
pub(super) fn tensorflow_without_gpu(scope: &FileScope<'_>) -> Option<RawFinding> {
    let file = scope.program.name_of(scope.file);
    let old = Range::read("<1.15")?;
    let is_old = || scope.program.versions().satisfies(file, "tensorflow", &old) == Some(true);
    let listed = scope.program.versions().asked(file, "tensorflow");
    // conda has builds of both kinds under one name.
    let of_pip = listed.iter().any(|asked| asked.grammar != Grammar::Conda);
    const FOR_CPU: &str = "tensorflow-cpu";
    let is_for_cpu = listed.is_empty()
        && (!scope.program.versions().asked(file, FOR_CPU).is_empty()
            || !asked_by_commands(scope, FOR_CPU).is_empty());
    let is_plain = is_for_cpu || of_pip && is_old();
    if !is_plain || scope.program.has_any(&["tensorflow-gpu", "tensorflow_gpu", "tensorflow[and-cuda]"]) {
        return None;
    }
    let (mut placed, mut limited) = (None, None);
    walk(scope.code, &mut |part, around| match part {
        CodeNode::Expr(Expr { kind: ExprKind::Call(call), span }) if placed.is_none() => {
            let is_device = scope.names.path(&call.callee) == Some("tensorflow.device");
            let given = call.arguments.first().map(|one| &scope.names.meant(&one.value).kind);
            let is_gpu = match given {
                Some(ExprKind::Text(name)) => name.to_ascii_lowercase().contains("gpu:"),
                _ => false,
            };
            let may_be_off =
                around.iter().any(|one| matches!(one, Ancestor::Then(_) | Ancestor::Otherwise(_)));
            if is_device && is_gpu && !may_be_off {
                placed = Some(*span);
            }
        }
        CodeNode::Target(Target::Attribute(object, _)) if limited.is_none() => {
            if matches!(&object.kind, ExprKind::Attribute(_, "gpu_options")) {
                limited = Some(object.span);
            }
        }
        _ => {}
    });
    // Options of the GPU are passed over without one, and so is a device where the session may choose another.
    let is_strict = !scope.whole_text().contains("allow_soft_placement");
    let wanted = match is_for_cpu {
        true => "ask for `tensorflow[and-cuda]` in its place: `tensorflow-cpu` has no code for a GPU",
        false => "ask for `tensorflow-gpu` in its place: before 1.15 `tensorflow` is the build for the CPU",
    };
    let raw_finding = |span| {
        let seen = RawFinding::at(scope.place(span)).word("name", scope.text(span));
        seen.word("package", "TensorFlow").word("wanted", wanted)
    };
    match (placed, limited) {
        (Some(span), _) if is_strict => Some(raw_finding(span)),
        (Some(span), _) | (None, Some(span)) => Some(raw_finding(span).at_most(Severity::Note)),
        (None, None) => None,
    }
}

/// What trains with LightGBM, with where its parameters stand.
const TRAINERS: &[&str] = &[
    "lightgbm.LGBMClassifier",
    "lightgbm.LGBMRanker",
    "lightgbm.LGBMRegressor",
    "lightgbm.train",
    "lightgbm.cv",
];

/// `LGBMClassifier(device="cuda")`, where the wheel of PyPI is installed: it has OpenCL, and no CUDA.
pub(super) fn lightgbm_without_cuda(scope: &FileScope<'_>) -> Option<RawFinding> {
    let file = scope.program.name_of(scope.file);
    let is_wheel = |asked: &Requirement| asked.grammar != Grammar::Conda;
    let listed = scope.program.versions().asked(file, "lightgbm").into_iter().any(is_wheel)
        || asked_by_commands(scope, "lightgbm").into_iter().any(|(_, asked)| is_wheel(asked));
    if !listed || scope.program.has_any(&["USE_CUDA", "--cuda"]) {
        return None;
    }
    let mut asked = None;
    scope.each_call(&mut |_, call, around| {
        if scope.names.path(&call.callee).is_none_or(|path| !TRAINERS.contains(&path)) {
            return;
        }
        let is_tried = around.iter().any(|one| matches!(one, Ancestor::Try(_)));
        let is_key = |name: &str| matches!(name, "device" | "device_type");
        let by_name = call.arguments.iter().filter(|one| one.name.is_some_and(is_key)).map(|one| &one.value);
        let unpacked = call.arguments.iter().find(|one| one.unpacked);
        let handed = unpacked.or_else(|| call.arguments.first()).map(|one| scope.names.meant(&one.value));
        let by_parameters = match handed.map(|first| &first.kind) {
            Some(ExprKind::Mapping(entries)) => entries.iter().find_map(|(key, value)| {
                let is_device = matches!(&key.as_ref()?.kind, ExprKind::Text(key) if is_key(key));
                is_device.then_some(value)
            }),
            Some(ExprKind::Call(made)) if scope.text(made.callee.span) == "dict" => {
                made.arguments.iter().find(|one| one.name.is_some_and(is_key)).map(|one| &one.value)
            }
            _ => None,
        };
        let is_cuda = |value: &&Expr<'_>| matches!(&scope.names.meant(value).kind, ExprKind::Text(text) if text == "cuda");
        if asked.is_none() && !is_tried {
            asked = by_name.chain(by_parameters).find(is_cuda).map(|value| value.span);
        }
    });
    let span = asked?;
    let wanted = "build it for CUDA: `pip install lightgbm --no-binary lightgbm --config-settings=cmake.define.USE_CUDA=ON`";
    let raw_finding = RawFinding::at(scope.place(span)).word("name", scope.text(span));
    Some(raw_finding.word("package", "LightGBM").word("wanted", wanted))
}
