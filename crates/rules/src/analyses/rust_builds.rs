//! GPUs that a program in Rust asks for, whose crates are built without CUDA: no manifest of the project names the feature.

use crate::findings::Severity;
use crate::rules::files::{FileScope, RawFinding};
use crate::sources::{Language, file_name_of};

/// A crate that has CUDA behind a feature.
struct Crate {
    package: &'static str,
    /// Features with which it has, or may have, a GPU.
    features: &'static [&'static str],
    wanted: &'static str,
}

const CANDLE: Crate = Crate {
    package: "candle-core",
    features: &["cuda", "metal"],
    wanted: "write `candle-core = { version = \"…\", features = [\"cuda\"] }`",
};

const ORT: Crate = Crate {
    package: "ort",
    features: &["cuda", "tensorrt", "load-dynamic", "alternative-backend"],
    wanted: "write `ort = { version = \"…\", features = [\"cuda\"] }`",
};

/// `Device::cuda_if_available(0)` of candle and CUDAExecutionProvider of ort, without the feature.
pub(super) fn without_gpu(scope: &FileScope<'_>) -> Vec<RawFinding> {
    // Code for both builds asks which one it is.
    if scope.language() != Language::Rust || scope.whole_text().contains("feature = \"") {
        return Vec::new();
    }
    let mut found = Vec::new();
    scope.each_call(&mut |expr, call, _| {
        let path = scope.names.path(&call.callee).unwrap_or_default();
        let asked = match path {
            "candle_core.Device.new_cuda" | "candle.Device.new_cuda" => Some((&CANDLE, Severity::Warning)),
            // It is the CPU then, which may be all that is wanted.
            "candle_core.Device.cuda_if_available" | "candle.Device.cuda_if_available" => {
                Some((&CANDLE, Severity::Note))
            }
            _ if is_provider(path) => Some((&ORT, Severity::Warning)),
            _ => None,
        };
        found.extend(asked.map(|(of, severity)| (expr.span, of, severity)));
    });
    found.retain(|(_, of, _)| is_built_without(scope, of));
    let raw_finding = |(span, of, severity): (_, &Crate, _)| {
        let seen = RawFinding::at(scope.place(span)).word("name", scope.text(span));
        seen.word("package", of.package).word("wanted", of.wanted).at_most(severity)
    };
    found.into_iter().map(raw_finding).collect()
}

fn is_provider(path: &str) -> bool {
    path.starts_with("ort.")
        && ["CUDAExecutionProvider.default", "ep.CUDA.default"].iter().any(|name| path.ends_with(name))
}

/// Whether a manifest names the crate, and none a feature with a GPU.
fn is_built_without(scope: &FileScope<'_>, of: &Crate) -> bool {
    let is_manifest = |name: &str| file_name_of(name) == "Cargo.toml" || name.ends_with(".cargo/config.toml");
    let manifests = || scope.program.every_file().filter(|(_, file)| is_manifest(&file.name));
    let names = |text: &str| {
        text.lines().any(|line| {
            line.split(['=', '.']).next().is_some_and(|name| name.trim() == of.package)
                || line.contains(&format!("\"{}\"", of.package))
                || line.trim() == format!("[dependencies.{}]", of.package)
        })
    };
    let has_feature = |text: &str| of.features.iter().any(|feature| text.contains(feature));
    manifests().any(|(_, file)| names(&file.text))
        && !manifests().any(|(_, file)| has_feature(&file.text))
        && !scope.program.has_any(&["candle-core/cuda", "ort/cuda", "--features cuda", "--features=cuda"])
}
