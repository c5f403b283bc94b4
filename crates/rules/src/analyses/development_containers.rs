//! Containers that an editor starts for work on a project.

use super::containers::made_for_gpu;
use super::pods::{text_of, value};
use super::served::MADE_FOR_GPU;
use crate::code::ExprKind;
use crate::rules::files::{FileScope, RawFinding};
use crate::sources::file_name_of;

/// `devcontainer.json` with an image or a feature of CUDA, and without a GPU.
pub(super) fn without_gpu(scope: &FileScope<'_>) -> Vec<RawFinding> {
    /// What gives the container a GPU, or hands that over to another file.
    const GIVES: &[&str] = &[
        "--device",
        "--gpus",
        "--privileged",
        "--runtime",
        "dockerComposeFile",
        "NVIDIA_VISIBLE_DEVICES",
        "\"privileged\"",
        "nvidia.com/gpu",
        "\"gpu\"",
    ];
    let name = scope.program.name_of(scope.file);
    let is_it = matches!(file_name_of(name), "devcontainer.json" | ".devcontainer.json");
    let text = scope.whole_text();
    if !is_it || GIVES.iter().any(|word| text.contains(word)) {
        return Vec::new();
    }
    let Some(root) = &scope.code.contents else { return Vec::new() };
    let feature = || {
        let ExprKind::Mapping(features) = &value(root, "features")?.kind else { return None };
        let keys = features.iter().filter_map(|(key, _)| key.as_ref());
        keys.filter_map(|key| Some((key.span, text_of(Some(key))?)))
            .find(|(_, name)| name.contains("/nvidia-cuda:") || name.ends_with("/nvidia-cuda"))
    };
    let image = || {
        let image = value(root, "image")?;
        let name = text_of(Some(image))?;
        (made_for_gpu(name).is_some() || name.starts_with("nvidia/cuda:")).then_some((image.span, name))
    };
    let seen = feature().or_else(image);
    let raw_finding =
        |(span, name)| RawFinding::at(scope.place(span)).word("name", name).word("wants", MADE_FOR_GPU);
    seen.map(raw_finding).into_iter().collect()
}
