//! Names in the policy that mean nothing in the project: what they were to guard nobody looks at.

use crate::cli::say;
use crate::rules::nearest;
use crate::settings::Settings;
use crate::sources::Sources;

/// Says which entry points of the CPU part are no modules of the project.
pub(super) fn warn_about_entry_points(sources: &Sources, settings: &Settings) {
    let Some(cpu) = &settings.policy.cpu else { return };
    if cpu.entry_points.is_empty() {
        return;
    }
    let code = sources.files.iter().filter(|source| source.is_python());
    let modules: Vec<String> = code.map(|source| dotted(&source.name)).collect();
    // What lies in `src/` or `backend/` is imported by the rest of its path.
    let names = || modules.iter().flat_map(|module| ends_of(module));
    for pattern in &cpu.entry_points {
        if names().any(|name| pattern.matches(name)) {
            continue;
        }
        let near = nearest(pattern.as_str(), names());
        let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        let message =
            format!("`{}` is no module of this project, so nothing is held to it{near}", pattern.as_str());
        say(format_args!("warning: {}", settings.fault("cpu.entry-points", pattern.as_str(), message)));
    }
}

/// `app/cli.py` as it is imported: `app.cli`.
fn dotted(file: &str) -> String {
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    stem.strip_suffix("/__init__").unwrap_or(stem).replace('/', ".")
}

fn ends_of(module: &str) -> impl Iterator<Item = &str> {
    let inner = module.match_indices('.').map(|(at, _)| &module[at + 1..]);
    std::iter::once(module).chain(inner)
}
