//! Libraries of CUDA that the linker drops from a Rust program.

use crate::code::walk::{Part, walk};
use crate::code::{Expr, ExprKind};
use crate::rules::files::{FileScope, Sighting};
use crate::versions::Range;

/// `Device::cuda_if_available()` of tch in a package whose build script does not keep libtorch_cuda.
pub(super) fn dropped_by_linker(scope: &FileScope<'_>) -> Vec<Sighting> {
    let files = &scope.program.sources.files;
    let version = |text: &str| {
        let line =
            text.lines().find(|line| line.split('=').next().is_some_and(|name| name.trim() == "tch"))?;
        let version = line.split('"').nth(1)?.trim_start_matches(['^', '=', '~', ' ']);
        Range::exactly(version)?.lies_in(&Range::read(">=0.13")?)
    };
    let manifests = files.iter().filter(|file| file.name.ends_with("Cargo.toml"));
    let is_new = manifests.filter_map(|file| version(&file.text)).next() == Some(true);
    let keeps =
        files.iter().any(|file| file.text.contains("no-as-needed") || file.text.contains("torch_cuda"));
    if !is_new || keeps {
        return Vec::new();
    }
    let mut found = Vec::new();
    walk(scope.code, &mut |part, _| {
        let Part::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        if scope.names.path(&call.callee) == Some("tch.Device.cuda_if_available") {
            found.push(Sighting::at(scope.place(expr.span)));
        }
    });
    found
}
