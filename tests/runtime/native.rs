//! The loads that gpulint brings, on a simulated host: what they write down, and how they end.

mod burn;
mod leak;

use crate::commands::{Said, said};
use crate::folder::Folder;
use gpulint::runtime::native::lines::{Failure, Line};
use simulated_gpu_host::SimulatedHost;

const RTX_3090: &str = "GPU-30903090-0000-4000-8000-000000000002";
const OTHER: &str = "GPU-50605060-0000-4000-8000-000000000001";

/// How a profile ended, and its lines.
fn worked(host: &SimulatedHost, words: &[&str]) -> (Said, Vec<Line>) {
    worked_with(host, words, &[])
}

/// The same, with variables of its environment.
fn worked_with(
    host: &SimulatedHost,
    words: &[&str],
    variables: &[(&str, std::path::PathBuf)],
) -> (Said, Vec<Line>) {
    let folder = Folder::new("native");
    let file = folder.path().join("lines");
    let mut command = host.command(env!("CARGO_BIN_EXE_gpulint"));
    command
        .env("CUDA_VISIBLE_DEVICES", RTX_3090)
        .envs(variables.iter().cloned())
        .arg("work-on-card")
        .args(words)
        .arg("--lines")
        .arg(&file);
    let answer = said(command);
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(text.is_empty() || text.ends_with('\n'), "{text}");
    let lines = text.lines().map(|line| serde_json::from_str(line).expect("each is a line")).collect();
    assert!(host.accounts().living(RTX_3090).is_empty());
    (answer, lines)
}

/// The one that ended the profile.
fn failure(lines: &[Line]) -> &Failure {
    match lines.last() {
        Some(Line::Failed(failure)) => failure,
        other => panic!("{other:?}"),
    }
}

/// How often the driver was called so.
fn calls(host: &SimulatedHost, symbol: &str) -> usize {
    host.calls().iter().filter(|call| call.symbol == symbol).count()
}
