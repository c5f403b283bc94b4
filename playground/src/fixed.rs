//! The files as fixes leave them.

use crate::files::{Project, Refused};
use gpulint_base::findings::Severity;
use gpulint_base::sources::Source;
use gpulint_check::fix_loop::{FixSelection, apply_until_stable};
use gpulint_rules::RuleSet;
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
pub struct Fixed {
    /// The new text of each file that changes.
    files: BTreeMap<String, String>,
    /// How many findings are mended.
    made: usize,
    /// Why others are not, each as `path:line: rule: reason`.
    dropped: Vec<String>,
}

/// What the fixes of a rule change, or all that are safe.
pub fn by(project: &Project, rule: Option<&str>) -> Result<Fixed, Refused> {
    let settings = project.settings()?;
    let sources = project.sources(&settings);
    let rules = RuleSet::embedded();
    let outcome = gpulint_check::check(&sources, &settings, rules).map_err(Refused::because)?;
    let only = rule.map(|rule| std::iter::once(rule.to_owned()).collect());
    let wanted = FixSelection { risky: rule.is_some(), least: Severity::Note, fixable: only.as_ref() };
    let content_of = |source: &Source| project.files.get(&source.name).cloned();
    let fixed = apply_until_stable(&sources, &outcome, wanted, (&settings, rules), &content_of)
        .map_err(Refused::because)?;
    let dropped = fixed.dropped.iter().map(|one| {
        let (path, line) = (&sources.file(one.place.file).name, sources.position(one.place).line);
        format!("{path}:{line}: {}: {}", one.rule, one.reason)
    });
    Ok(Fixed {
        dropped: dropped.collect(),
        made: fixed.applied.len(),
        files: fixed.files.into_iter().map(|(file, text)| (sources.file(file).name.clone(), text)).collect(),
    })
}
