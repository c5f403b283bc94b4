//! Shared memory of containers that files in YAML describe: pods of Kubernetes, and services of Compose.

use super::containers::{Started, started_by_image, workers_started_by};
use super::pods::value;
use super::served::containers_in;
use super::served_ranks::wanted;
use crate::commands::ranks;
use crate::facts::Place;
use crate::rules::files::{FileScope, RawFinding};
use std::cell::LazyCell;

/// A kind of file, by words that give a container a GPU, and by words that say something of its shared memory.
struct Kind {
    /// A key without which it is another kind of file.
    key: &'static str,
    gives_gpu: &'static [&'static str],
    gives_memory: &'static [&'static str],
    container: &'static str,
    advice: &'static str,
}

const KINDS: &[Kind] = &[
    Kind {
        key: "containers:",
        gives_gpu: &["nvidia.com/gpu:"],
        gives_memory: &["/dev/shm", "medium: Memory", "hostIPC", "sharedMemory", "shm", "{{"],
        container: "this pod",
        advice: "mount an `emptyDir` with `medium: Memory` at /dev/shm",
    },
    Kind {
        key: "services:",
        gives_gpu: &["capabilities: [gpu", "capabilities: [\"gpu", "- gpu", "gpus: all", "runtime: nvidia"],
        gives_memory: &["shm_size", "ipc:", "/dev/shm", "privileged", "extends"],
        container: "this service",
        advice: "write `shm_size: 8g`, or `ipc: host`",
    },
];

/// Commands of a pod or a service with GPUs that start several processes, or a program with workers of a DataLoader.
pub(super) fn too_small(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let is_it = |kind: &&Kind| text.contains(kind.key) && has(kind.gives_gpu) && !text.contains("runs-on:");
    let Some(kind) = KINDS.iter().find(is_it).filter(|kind| !has(kind.gives_memory)) else {
        return Vec::new();
    };
    let mut found: Vec<RawFinding> = Vec::new();
    let raw_finding = |place: Place| {
        let raw_finding = RawFinding::at(place).word("container", kind.container);
        raw_finding.word("advice", kind.advice)
    };
    let of_processes = |count: usize| format!("NCCL between {count} processes in it needs more");
    const LOADS: &str = "the program in it loads batches in workers";
    // A command that is followed says the same with its program.
    let is_followed = scope.own_commands().any(|command| ranks(&command.words()).is_some());
    let started = LazyCell::new(|| started_by_image(scope));
    if let Some(root) = scope.code.contents.as_ref().filter(|_| !is_followed) {
        containers_in(root, &mut |container, _| {
            if let Some(wanted) = wanted(container).filter(|wanted| wanted.count > 1) {
                let seen = raw_finding(scope.place(wanted.span));
                found.push(seen.word("reason", of_processes(wanted.count)));
            }
            let Some(build) = value(container, "build").filter(|_| value(container, "command").is_none())
            else {
                return;
            };
            match &*started {
                Some(Started::Processes(count, place)) => {
                    let seen = raw_finding(scope.place(build.span)).word("reason", of_processes(*count));
                    found.push(seen.beside(*place, "they are started here"));
                }
                Some(Started::Loader(place)) => {
                    let seen = raw_finding(scope.place(build.span)).word("reason", LOADS);
                    found.push(seen.beside(*place, "its workers hand batches over in shared memory"));
                }
                None => {}
            }
        });
    }
    for command in scope.own_commands() {
        let several = ranks(&command.words()).map(|ranks| ranks.count).filter(|count| *count > 1);
        let raw_finding = raw_finding(command.site);
        let seen = match (several, workers_started_by(scope, command)) {
            (Some(count), _) => raw_finding.word("reason", of_processes(count)),
            (None, Some(loader)) => raw_finding
                .word("reason", LOADS)
                .beside(loader, "its workers hand batches over in shared memory"),
            (None, None) => continue,
        };
        if !found.iter().any(|known| known.place == seen.place) {
            found.push(seen);
        }
    }
    found
}
