//! Libraries of CUDA that the linker drops from a Rust program.

use crate::rules::files::{FileScope, RawFinding};
use crate::versions::Range;

/// `Device::cuda_if_available()` of tch in a package whose build script does not keep libtorch_cuda.
pub(super) fn dropped_by_linker(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let version = |text: &str| {
        let line =
            text.lines().find(|line| line.split('=').next().is_some_and(|name| name.trim() == "tch"))?;
        let version = line.split('"').nth(1)?.trim_start_matches(['^', '=', '~', ' ']);
        Range::exactly(version)?.lies_in(&Range::read(">=0.13")?)
    };
    // Of the packages around the file the innermost that names tch.
    let name = scope.program.name_of(scope.file);
    let folders = name.match_indices('/').map(|(at, _)| &name[..=at]).rev().chain([""]);
    let beside = |folder: &str, file: &str| {
        let name = format!("{folder}{file}");
        scope.program.every_file().find(|(_, file)| file.name == name).map(|(_, file)| &*file.text)
    };
    let package = folders.into_iter().find_map(|folder| version(beside(folder, "Cargo.toml")?));
    if package != Some(true) || scope.program.has_any(&["no-as-needed", "torch_cuda"]) {
        return Vec::new();
    }
    let mut found = Vec::new();
    scope.each_call(&mut |expr, call, _| {
        if scope.names.path(&call.callee) == Some("tch.Device.cuda_if_available") {
            found.push(RawFinding::at(scope.place(expr.span)));
        }
    });
    found
}
