//! What the baselines of a project list, which an editor does not show.

use crate::Outcome;
use crate::facts::FileId;
use crate::findings::Finding;
use crate::findings::baseline::{Baseline, Run};
use crate::settings::Settings;
use crate::sources::Sources;

/// Marks what the baselines of the policies list. One that cannot be read lists nothing here: `gpulint check` says what
/// is wrong with it, and more is shown in the meantime.
pub fn mark(outcome: &mut Outcome, sources: &Sources, settings: &Settings) {
    let is_gone = |path: &str| sources.root.join(path).symlink_metadata().is_err();
    for (number, file) in settings.baselines().into_iter().enumerate() {
        let Ok(baseline) = Baseline::read(&settings.disk, &file, &file.to_string_lossy()) else { continue };
        let is_its = |file: &FileId| settings.baseline_of(sources.file(*file)) == Some(number);
        let checked = outcome.checked.iter().filter(|file| is_its(file));
        let run = Run {
            files: checked.map(|file| sources.file(*file).name.as_str()).collect(),
            rules: outcome.ran.iter().map(String::as_str).collect(),
            is_gone: &is_gone,
            is_named: &|_| false,
        };
        let (mut its, others): (Vec<Finding>, Vec<Finding>) =
            std::mem::take(&mut outcome.findings).into_iter().partition(|one| is_its(&one.place.file));
        baseline.mark(&mut its, sources, &run);
        outcome.findings = others;
        outcome.findings.append(&mut its);
    }
    outcome.findings.sort_by(|one, other| (one.place, &one.rule).cmp(&(other.place, &other.rule)));
}
