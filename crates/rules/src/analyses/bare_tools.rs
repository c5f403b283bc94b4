//! nvidia-smi in a container that is given no GPU: the container toolkit brings the program together with the cards.

use crate::code::Host;
use crate::commands::program_name;
use crate::findings::Severity;
use crate::rules::files::{FileScope, RawFinding};

/// `run: nvidia-smi` in the container of a job, without `options: --gpus all`.
pub(super) fn without_gpu(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found: Vec<RawFinding> = Vec::new();
    // Images for CUDA set NVIDIA_VISIBLE_DEVICES, which is enough where the runtime of NVIDIA is the engine's default.
    let may_ask = scope.whole_text().lines().any(|line| {
        let names = ["image:", "container:"].iter().any(|key| line.contains(key));
        names
            && ["cuda", "nvcr.io", "nvidia", "pytorch", "tensorflow", "${{"]
                .iter()
                .any(|word| line.contains(word))
    });
    for command in scope.own_commands() {
        let first = command.words.first().and_then(|word| word.as_deref());
        if first.is_none_or(|word| program_name(word) != "nvidia-smi") {
            continue;
        }
        let text = scope.whole_text();
        let start = text[..command.site.span.start as usize].rfind('\n').map_or(0, |at| at + 1);
        let line = text[start..].lines().next().unwrap_or_default();
        let is_asked = ["||", "if ", "&&", "command -v"].iter().any(|word| line.contains(word));
        if !is_asked
            && command.host == Host::BareContainer
            && !found.iter().any(|known| known.place == command.site)
        {
            let raw_finding = RawFinding::at(command.site);
            found.push(if may_ask { raw_finding.at_most(Severity::Note) } else { raw_finding });
        }
    }
    found
}
