//! Shared memory of containers that files in YAML describe: pods of Kubernetes, and services of Compose.

use super::containers::workers_in;
use crate::commands::ranks;
use crate::facts::Place;
use crate::rules::files::{FileScope, RawFinding};

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
    for command in scope.own_commands() {
        let several = ranks(&command.words()).map(|ranks| ranks.count).filter(|count| *count > 1);
        let loader = || workers_in(scope, Some(command.starts?)).map(|(file, span)| Place { file, span });
        let raw_finding = RawFinding::at(command.site).word("container", kind.container);
        let raw_finding = raw_finding.word("advice", kind.advice);
        let seen = match (several, loader()) {
            (Some(count), _) => {
                raw_finding.word("reason", format!("NCCL between {count} processes in it needs more"))
            }
            (None, Some(loader)) => {
                let reason = "the program in it loads batches in workers";
                raw_finding
                    .word("reason", reason)
                    .beside(loader, "its workers hand batches over in shared memory")
            }
            (None, None) => continue,
        };
        if !found.iter().any(|known| known.place == seen.place) {
            found.push(seen);
        }
    }
    found
}
