//! Jobs of a sweep that the local launcher of submitit starts, all on the same cards.

use crate::facts::{Span, lines_in};
use crate::rules::files::{FileScope, RawFinding};

/// Names of that launcher in settings of Hydra.
const LAUNCHERS: &[&str] = &["submitit_local", "submitit_launcher.LocalLauncher"];

/// `gpus_per_node: 4` below `override hydra/launcher: submitit_local`.
pub(super) fn on_the_same_cards(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut launcher: Option<Span> = None;
    let mut cards: Option<(Span, u32)> = None;
    for (span, line) in lines_in(scope.whole_text()) {
        let body = line.split(" #").next().unwrap_or(line).trim();
        if body.starts_with('#') {
            continue;
        }
        let start = span.start as usize + line.len() - line.trim_start().len();
        let here = Span::new(start, start + body.len());
        if LAUNCHERS.iter().any(|name| body.ends_with(name)) {
            launcher.get_or_insert(here);
        }
        if let Some(number) = body.strip_prefix("gpus_per_node:")
            && let Ok(number) = number.trim().parse()
        {
            cards = Some((here, number));
        }
    }
    let (Some(launcher), Some((span, number))) = (launcher, cards) else { return Vec::new() };
    // `visible_gpus` of submitit names others for each job.
    if number == 0 || scope.whole_text().contains("visible_gpus") {
        return Vec::new();
    }
    let which = if number == 1 { "GPU 0".to_owned() } else { format!("GPUs 0 to {}", number - 1) };
    let raw_finding = RawFinding::at(scope.place(span)).word("which", which);
    vec![raw_finding.beside(scope.place(launcher), "the launcher is chosen here")]
}
