//! What a container with a GPU is not given beside it: the libraries for video, and shared memory.

use crate::code::walk::{CodeNode, walk};
use crate::code::{Expr, ExprKind};
use crate::commands::program_name;
use crate::facts::{FileId, Span};
use crate::program::{Names, RunCommand};
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;
use crate::sources::Language;

/// Words of a program that encodes or decodes video on the GPU.
const VIDEO: &[&str] =
    &["h264_nvenc", "hevc_nvenc", "av1_nvenc", "h264_cuvid", "hevc_cuvid", "av1_cuvid", "-hwaccel cuda"];

/// Images that leave the capabilities at `compute,utility`.
const PLAIN: &[&str] = &["nvidia/cuda:", "pytorch/pytorch:", "python:", "ubuntu:", "debian:"];

/// A command for video on the GPU, in a project whose image has no capability for it.
pub(super) fn without_video(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let files = || scope.program.every_file().map(|(_, file)| file);
    let images: Vec<&str> =
        files().filter(|file| file.language == Language::Dockerfile).map(|file| &*file.text).collect();
    let is_plain = |text: &&str| {
        let mut bases = text.lines().filter_map(|line| line.trim().strip_prefix("FROM "));
        bases.next_back().is_some_and(|base| PLAIN.iter().any(|plain| base.trim().starts_with(plain)))
    };
    let on_gpu = |word: &&'static str| !scope.program.files_with(word).is_empty();
    let gives_gpu =
        ["--gpus", "runtime: nvidia", "driver: nvidia", "FROM nvidia/", "nvidia-docker"].iter().any(on_gpu);
    if images.len() != 1 || !images.iter().all(is_plain) || !gives_gpu {
        return Vec::new();
    }
    let grants = |text: &str| {
        text.lines().any(|line| {
            let names = line.contains("NVIDIA_DRIVER_CAPABILITIES") || line.contains("capabilities");
            names && (line.contains("video") || line.contains("all"))
        })
    };
    if files().any(|file| grants(&file.text)) {
        return Vec::new();
    }
    let text = scope.whole_text();
    let first = VIDEO.iter().filter_map(|word| Some((text.find(word)?, *word))).min();
    let Some((at, word)) = first.filter(|(at, _)| !is_remark(text, *at)) else { return Vec::new() };
    let span = Span { start: at as u32, end: (at + word.len()) as u32 };
    vec![RawFinding::at(scope.place(span)).word("text", word)]
}

fn is_remark(text: &str, at: usize) -> bool {
    let line = text[..at].rsplit('\n').next().unwrap_or_default();
    line.trim_start().starts_with('#')
}

/// `docker run --gpus all image`, where a program of the project has workers that load batches.
pub(super) fn without_shared_memory(scope: &FileScope<'_>) -> Vec<RawFinding> {
    const GIVEN: &[&str] = &["--shm-size", "--ipc", "/dev/shm", "--privileged", "shm_size"];
    let mut found: Vec<RawFinding> = Vec::new();
    for command in scope.program.run_commands().flatten().filter(|one| one.site.file == scope.file) {
        let Some(told) = told_to_docker(command) else { continue };
        let takes_gpu = told.iter().any(|word| word.starts_with("--gpus") || *word == "--runtime=nvidia");
        let has_memory = told.iter().any(|word| GIVEN.iter().any(|given| word.contains(given)));
        // What is not known may say it.
        let is_known = command.words.iter().all(Option::is_some);
        if !takes_gpu || has_memory || !is_known || found.iter().any(|known| known.place == command.site) {
            continue;
        }
        if let Some((file, span)) = workers_in(scope, command.starts) {
            let loader = crate::facts::Place { file, span };
            found.push(
                RawFinding::at(command.site).beside(loader, "its workers hand batches over in shared memory"),
            );
        }
    }
    found
}

/// What stands behind `docker run`.
fn told_to_docker(command: &RunCommand) -> Option<Vec<&str>> {
    let words: Vec<&str> = command.words.iter().map(|word| word.as_deref().unwrap_or_default()).collect();
    let at = words.iter().position(|word| matches!(program_name(word), "docker" | "podman"))?;
    (words.get(at + 1) == Some(&"run")).then(|| words[at + 2..].to_vec())
}

/// A DataLoader with workers, in the program that the container starts, or in the only ones of the project.
fn workers_in(scope: &FileScope<'_>, started: Option<FileId>) -> Option<(FileId, Span)> {
    let files = scope.program.files_with("num_workers");
    let is_it = |file: &&FileId| started.is_none_or(|started| started == **file);
    files.iter().filter(is_it).find_map(|file| {
        let (code, names) = (scope.program.code(*file), Names::of(scope.program, *file));
        let mut found = None;
        walk(code, &mut |part, _| {
            let CodeNode::Expr(Expr { kind: ExprKind::Call(call), span }) = part else { return };
            let is_loader = matches!(
                names.path(&call.callee),
                Some("torch.utils.data.DataLoader" | "torch.utils.data.dataloader.DataLoader")
            );
            let workers = argument(&call.arguments, Some(5), Some("num_workers"));
            let some = workers
                .is_some_and(|count| matches!(names.meant(count).kind, ExprKind::Int(count) if count > 0));
            if is_loader && some && found.is_none() {
                found = Some(*span);
            }
        });
        found.map(|span| (*file, span))
    })
}
