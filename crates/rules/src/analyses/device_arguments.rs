//! Devices in a form that the call does not take: with the index where only the kind goes, a count for an index.

use super::device_texts::texts_of;
use crate::code::walk::{Ancestor, CodeNode};
use crate::code::{Argument, Call, Expr, ExprKind};
use crate::findings::Severity;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::{argument, expects_failure};
use crate::versions::Range;

/// Calls that take the kind of device and the index apart: the position of the device, and what to write instead.
const APART: &[(&str, Option<usize>, &str)] = &[
    ("ctranslate2.Encoder", Some(1), INDEX_APART),
    ("ctranslate2.Generator", Some(1), INDEX_APART),
    ("ctranslate2.Translator", Some(1), INDEX_APART),
    ("ctranslate2.models.Wav2Vec2", Some(1), INDEX_APART),
    ("ctranslate2.models.Whisper", Some(1), INDEX_APART),
    ("faster_whisper.WhisperModel", Some(1), INDEX_APART),
    ("jax.devices", Some(0), "write `jax.devices(\"gpu\")[1]`"),
    ("jax.local_devices", None, "write `jax.local_devices(backend=\"gpu\")[1]`"),
    ("lightgbm.LGBMClassifier", None, "write `device=\"gpu\", gpu_device_id=1`"),
    ("lightgbm.LGBMRanker", None, "write `device=\"gpu\", gpu_device_id=1`"),
    ("lightgbm.LGBMRegressor", None, "write `device=\"gpu\", gpu_device_id=1`"),
    ("whisperx.asr.load_model", Some(1), INDEX_APART),
    ("whisperx.load_model", Some(1), INDEX_APART),
];

const INDEX_APART: &str = "write `device=\"cuda\", device_index=1`";

/// A keyword that calls do not take, or no longer.
struct Removed {
    calls: &'static [&'static str],
    keyword: &'static str,
    what: &'static str,
    instead: &'static str,
    /// The packages that have the calls, and the versions without the keyword; nothing if none ever had it.
    since: Option<(&'static [&'static str], &'static str)>,
}

const REMOVED: &[Removed] = &[
    Removed {
        calls: TRAINERS,
        keyword: "gpus",
        what: "has no `gpus=` since 2.0",
        instead: "write `accelerator=\"gpu\", devices=…`",
        since: Some((&["lightning", "pytorch-lightning"], ">=2.0")),
    },
    Removed {
        calls: &["transformers.TrainingArguments", "transformers.Seq2SeqTrainingArguments"],
        keyword: "device",
        what: "has no device argument: it uses the visible GPUs",
        instead: "select the GPU with CUDA_VISIBLE_DEVICES",
        since: None,
    },
    Removed {
        calls: ESTIMATORS,
        keyword: "gpu_id",
        what: "takes the index in `device` since 2.0",
        instead: "write `device=\"cuda:1\"`",
        since: Some((&["xgboost"], ">=2.0")),
    },
];

/// What trains on the device that its parameters name.
const OF_PARAMETERS: &[&str] = &["xgboost.cv", "xgboost.train"];

const ESTIMATORS: &[&str] = &[
    "xgboost.XGBClassifier",
    "xgboost.XGBRFClassifier",
    "xgboost.XGBRFRegressor",
    "xgboost.XGBRanker",
    "xgboost.XGBRegressor",
];

const TRAINERS: &[&str] = &[
    "lightning.Trainer",
    "lightning.Trainer.from_argparse_args",
    "lightning.pytorch.Trainer",
    "lightning.pytorch.Trainer.from_argparse_args",
    "pytorch_lightning.Trainer",
    "pytorch_lightning.Trainer.from_argparse_args",
];

/// Calls whose `devices` is a number of devices, unless it is a list.
const COUNTING: &[&str] = &[
    "lightning.Fabric",
    "lightning.Trainer",
    "lightning.fabric.Fabric",
    "lightning.pytorch.Trainer",
    "lightning_fabric.Fabric",
    "pytorch_lightning.Trainer",
];

/// Calls whose `device_ids` is a list.
const LISTING: &[&str] = &[
    "torch.nn.DataParallel",
    "torch.nn.parallel.DataParallel",
    "torch.nn.parallel.DistributedDataParallel",
    "torch.nn.parallel.distributed.DistributedDataParallel",
];

const AUTOCASTS: &[&str] = &["torch.amp.autocast", "torch.autocast"];

/// Names that say that they hold an index.
const INDICES: &[&str] = &[
    "cuda_device_id",
    "cuda_device_index",
    "cuda_id",
    "cuda_index",
    "device_id",
    "device_idx",
    "device_index",
    "gpu_device_id",
    "gpu_device_index",
    "gpu_id",
    "gpu_idx",
    "gpu_index",
    "local_rank",
    "main_gpu",
];

/// All calls that are looked at but `torch.device`, which is nearly everywhere: there only a negative index is wrong.
pub(super) fn rare() -> Vec<&'static str> {
    let apart = APART.iter().map(|(call, ..)| *call);
    let removed = REMOVED.iter().flat_map(|one| one.calls.iter().copied());
    let others = [
        "cupy.cuda.Device",
        "easyocr.Reader",
        "pyannote.audio.Pipeline",
        "torch.cuda.set_device",
        "torch.load",
    ];
    let lists = [COUNTING, LISTING, AUTOCASTS, OF_PARAMETERS].into_iter().flatten().copied();
    apart.chain(removed).chain(others).chain(lists).collect()
}

/// Whether a part of a file may be a call of `torch.device` with a negative index, under whatever name.
pub(crate) fn may_be_negative(part: CodeNode<'_, '_>) -> bool {
    let CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) = part else { return false };
    !matches!(&call.callee.kind, ExprKind::Attribute(_, name) if *name != "device")
        && call.arguments.iter().any(is_negative)
}

/// Arguments that the call does not take as they are.
pub(super) fn of_another_form(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    scope.each_call(&mut |_, call, around| {
        if around.iter().any(|one| expects_failure(one, scope)) {
            return;
        }
        let Some(path) = scope.names.path(&call.callee) else { return };
        let look = DeviceCall { scope, call, path, around };
        let fault = look
            .with_index()
            .or_else(|| look.beyond_first())
            .or_else(|| look.removed())
            .or_else(|| look.counted());
        let fault = fault.or_else(|| look.counted_once()).or_else(|| look.removed_parameter());
        let fault = fault.or_else(|| look.located());
        if let Some(fault) = fault.or_else(|| look.listed()).or_else(|| look.of_torch()) {
            let raw_finding = RawFinding::at(scope.place(fault.at.span))
                .word("text", format!("`{}` {}", path.trim_end_matches("()"), fault.what))
                .word("instead", fault.instead);
            let raw_finding = if fault.sure { raw_finding } else { raw_finding.unsure() };
            found.push(if fault.may_be_meant { raw_finding.at_most(Severity::Note) } else { raw_finding });
        }
    });
    found
}

struct Fault<'e> {
    at: &'e Expr<'e>,
    what: &'static str,
    instead: &'static str,
    sure: bool,
    /// It may be meant, so it is a note.
    may_be_meant: bool,
}

impl<'e> Fault<'e> {
    fn of(at: &'e Expr<'e>, what: &'static str, instead: &'static str) -> Fault<'e> {
        Fault { at, what, instead, sure: true, may_be_meant: false }
    }
}

struct DeviceCall<'l, 'a> {
    scope: &'l FileScope<'a>,
    call: &'a Call<'a>,
    path: &'l str,
    around: &'l [Ancestor<'a, 'a>],
}

impl<'a> DeviceCall<'_, 'a> {
    fn keyword(&self, name: &str) -> Option<&'a Expr<'a>> {
        argument(&self.call.arguments, None, Some(name)).or_else(|| {
            // `Trainer(**settings)` with settings that are written in the file.
            let unpacked = self.call.arguments.iter().filter(|one| one.unpacked && one.name.is_none());
            unpacked.filter_map(|one| entry(&one.value, name, self.scope)).next()
        })
    }

    /// `easyocr.Reader(["en"], gpu="cuda:1")`: its models are copied to all visible GPUs, and begin at the first one.
    fn beyond_first(&self) -> Option<Fault<'a>> {
        let device =
            argument(&self.call.arguments, Some(1), Some("gpu")).filter(|_| self.path == "easyocr.Reader")?;
        let texts = texts_of(device, self.scope, true);
        let is_other = texts.iter().any(|one| one.text.starts_with("cuda:") && one.text != "cuda:0");
        let what = "wraps its models in DataParallel over all visible GPUs, which begins at `cuda:0`";
        let instead = "write `gpu=True`, and choose the GPU with CUDA_VISIBLE_DEVICES";
        is_other.then_some(Fault::of(device, what, instead))
    }

    /// `WhisperModel("small", device="cuda:1")`
    fn with_index(&self) -> Option<Fault<'a>> {
        let (_, position, instead) = APART.iter().find(|(name, ..)| *name == self.path)?;
        let device = argument(&self.call.arguments, *position, Some("device"))
            .or_else(|| argument(&self.call.arguments, None, Some("backend")))?;
        let kinds: &[&str] = if self.path.starts_with("jax") { &["cuda:", "gpu:"] } else { &["cuda:"] };
        let mut texts = texts_of(device, self.scope, true);
        if let (true, Some(default)) = (texts.is_empty(), self.default_of(device)) {
            texts = texts_of(default, self.scope, true);
        }
        let has_index = texts.iter().any(|one| kinds.iter().any(|kind| one.text.starts_with(kind)));
        has_index.then_some(Fault::of(device, "takes the kind of device alone, without an index", instead))
    }

    /// `torch.load(path, map_location=torch.cuda.current_device())`: what is no device, name or mapping is called as a function.
    fn located(&self) -> Option<Fault<'a>> {
        const NUMBERS: &[&str] = &["builtins.int", "torch.cuda.current_device", "torch.distributed.get_rank"];
        let device = argument(&self.call.arguments, Some(1), Some("map_location"))
            .filter(|_| self.path == "torch.load")?;
        let is_number = match &self.scope.names.meant(device).kind {
            ExprKind::Int(_) => true,
            ExprKind::Call(call) => {
                self.scope.names.path(&call.callee).is_some_and(|path| NUMBERS.contains(&path))
            }
            _ => false,
        };
        let what = "calls what it is given as `map_location`, and a number cannot be called";
        let instead = "write `map_location=torch.device(\"cuda\", …)`, or `f\"cuda:{…}\"`";
        is_number.then_some(Fault::of(device, what, instead))
    }

    /// The default of the parameter that an expression is.
    fn default_of(&self, expr: &Expr<'_>) -> Option<&'a Expr<'a>> {
        let ExprKind::Name(name) = expr.kind else { return None };
        let inside = self.around.iter().rev().find_map(|one| match one {
            Ancestor::Function(number) => Some(&self.scope.code.functions[*number]),
            _ => None,
        })?;
        inside.parameters.iter().find(|one| one.name == name)?.default.as_ref()
    }

    /// `Trainer(gpus=1)`
    fn removed(&self) -> Option<Fault<'a>> {
        let one = REMOVED.iter().find(|one| one.calls.contains(&self.path))?;
        let at = self.keyword(one.keyword)?;
        let is_gone = one.since.is_none_or(|(packages, versions)| self.requires(packages, versions));
        is_gone.then_some(Fault::of(at, one.what, one.instead))
    }

    /// `xgboost.train({"gpu_id": 1})`, `XGBRegressor(tree_method="gpu_hist")`: XGBoost 3.1 ends with an error.
    fn removed_parameter(&self) -> Option<Fault<'a>> {
        let value = |name: &str| {
            if ESTIMATORS.contains(&self.path) {
                return self.keyword(name);
            }
            let is_it = OF_PARAMETERS.contains(&self.path);
            let parameters = argument(&self.call.arguments, Some(0), Some("params")).filter(|_| is_it)?;
            entry(parameters, name, self.scope)
        };
        let (at, what) = match (value("gpu_id"), value("tree_method")) {
            (Some(at), _) => (at, "has no `gpu_id` since 3.1, and ends with an error"),
            (None, Some(at)) => {
                let is_gone =
                    matches!(&self.scope.names.meant(at).kind, ExprKind::Text(name) if name == "gpu_hist");
                (at, is_gone.then_some("has no `gpu_hist` since 3.1, and ends with an error")?)
            }
            (None, None) => return None,
        };
        let instead =
            "write `tree_method=\"hist\"`, and the device as `device=\"cuda\"` or `device=\"cuda:1\"`";
        self.requires(&["xgboost"], ">=3.1").then(|| Fault::of(at, what, instead))
    }

    /// Whether the project requires one of some packages, and no other versions of it than these.
    fn requires(&self, packages: &[&str], versions: &str) -> bool {
        let Some(versions) = Range::read(versions) else { return false };
        let program = self.scope.program;
        let file = program.name_of(self.scope.file);
        packages.iter().any(|package| program.versions().satisfies(file, package, &versions) == Some(true))
    }

    /// `Trainer(devices=gpu_id)`
    fn counted(&self) -> Option<Fault<'a>> {
        let devices = self.keyword("devices").filter(|_| COUNTING.contains(&self.path))?;
        let on_gpu = self.keyword("accelerator").is_none_or(
            |one| matches!(&one.kind, ExprKind::Text(text) if matches!(&**text, "gpu" | "cuda" | "auto")),
        );
        let is_zero = match &devices.kind {
            ExprKind::Int(number) => *number == 0,
            ExprKind::Text(text) => text == "0",
            _ => false,
        };
        (on_gpu && (is_zero || self.is_index(devices))).then_some(Fault {
            at: devices,
            what: "expects the number of devices here, and this is an index",
            instead: "write a list: `devices=[…]`",
            sure: is_zero,
            may_be_meant: false,
        })
    }

    /// `Trainer(gpus=0)` and `Trainer(gpus=gpu_id)` before 2.0
    fn counted_once(&self) -> Option<Fault<'a>> {
        let devices = self.keyword("gpus").filter(|_| TRAINERS.contains(&self.path))?;
        let had = || self.requires(&["lightning", "pytorch-lightning"], "<2.0");
        let instead = "write a list: `gpus=[…]`";
        match &devices.kind {
            ExprKind::Int(0) if had() => Some(Fault {
                may_be_meant: true,
                ..Fault::of(devices, "takes a number as how many GPUs: with 0 it uses the CPU", instead)
            }),
            _ if self.is_index(devices) && had() => Some(Fault {
                sure: false,
                ..Fault::of(devices, "takes a number as how many GPUs, and this is an index", instead)
            }),
            _ => None,
        }
    }

    /// `DistributedDataParallel(model, device_ids=local_rank)`
    fn listed(&self) -> Option<Fault<'a>> {
        let devices = argument(&self.call.arguments, Some(1), Some("device_ids"))?;
        let is_number = matches!(self.scope.names.meant(devices).kind, ExprKind::Int(_));
        (LISTING.contains(&self.path) && (is_number || self.is_index(devices))).then_some(Fault {
            at: devices,
            what: "expects a list of devices, and this is a number",
            instead: "write a list: `device_ids=[…]`",
            sure: is_number,
            may_be_meant: false,
        })
    }

    fn of_torch(&self) -> Option<Fault<'a>> {
        let first = argument(&self.call.arguments, Some(0), None)
            .or_else(|| argument(&self.call.arguments, None, Some("device")))
            .or_else(|| argument(&self.call.arguments, None, Some("device_type")))?;
        let says = |text: &str| {
            let meant = &self.scope.names.meant(first).kind;
            matches!(meant, ExprKind::Text(found) if found == text)
        };
        let (what, instead) = match self.path {
            "torch.cuda.set_device" if says("cpu") => ("takes GPUs only", "leave the call out on the CPU"),
            "torch.device" if self.call.arguments.iter().any(|one| is_negative(one)) => {
                ("takes no negative index", "write `torch.device(\"cpu\")` for the CPU")
            }
            path if AUTOCASTS.contains(&path) && self.scope.names.path(first) == Some("torch.device()") => {
                ("takes the kind of device as a text", "hand on `.type` of the device")
            }
            path if path.starts_with("pyannote.audio.Pipeline.from_pretrained()")
                && path.ends_with(".to")
                && !texts_of(first, self.scope, true).is_empty() =>
            {
                ("expects a `torch.device`, not a string", "write `torch.device(…)` around it")
            }
            "cupy.cuda.Device" if !texts_of(first, self.scope, true).is_empty() => {
                ("takes the index alone", "write the number")
            }
            _ => return None,
        };
        Some(Fault::of(first, what, instead))
    }

    /// Whether the name of a value, or where it comes from, says that it is an index.
    fn is_index(&self, expr: &Expr<'_>) -> bool {
        let path = self.scope.names.path(expr);
        if path == Some("torch.device().index") || path == Some("torch.cuda.current_device()") {
            return true;
        }
        // A name that holds a list or `"1,"`, or what a dictionary has: `GPU_ID = settings["GPU_ID"]`.
        match &self.scope.names.meant(expr).kind {
            ExprKind::Sequence(_)
            | ExprKind::Text(_)
            | ExprKind::Join(_)
            | ExprKind::Comprehension(_)
            | ExprKind::Item(_) => {
                return false;
            }
            _ => {}
        }
        match &expr.kind {
            ExprKind::Name(name) | ExprKind::Attribute(_, name) => {
                INDICES.contains(&name.to_ascii_lowercase().as_str())
            }
            ExprKind::Call(call) if self.scope.names.path(&call.callee) == Some("builtins.int") => {
                let of = argument(&call.arguments, Some(0), None);
                of.is_some_and(|of| self.scope.text(of.span).contains("LOCAL_RANK") || self.is_index(of))
            }
            _ => false,
        }
    }
}

fn is_negative(argument: &Argument<'_>) -> bool {
    matches!(&argument.value.kind, ExprKind::Negate(inner) if matches!(inner.kind, ExprKind::Int(_)))
}

/// What a key has in a dictionary of the file.
fn entry<'a>(mapping: &'a Expr<'a>, name: &str, scope: &FileScope<'a>) -> Option<&'a Expr<'a>> {
    match &scope.names.meant(mapping).kind {
        ExprKind::Mapping(entries) => entries.iter().find_map(|(key, value)| match key.as_ref()?.kind {
            ExprKind::Text(ref key) if key == name => Some(value),
            _ => None,
        }),
        ExprKind::Call(call) if scope.names.path(&call.callee) == Some("builtins.dict") => {
            argument(&call.arguments, None, Some(name))
        }
        _ => None,
    }
}
