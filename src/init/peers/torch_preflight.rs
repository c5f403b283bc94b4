//! torch-preflight's settings. <https://pypi.org/project/torch-preflight/>

use super::ImportedSettings;
use super::codes::{TORCH_PREFLIGHT, here};
use super::settings_files::{pyproject, texts, toml};
use std::path::Path;
use toml::{Table, Value};

pub(super) fn read(folder: &Path, moved: &mut ImportedSettings) -> anyhow::Result<()> {
    for name in [".torch-preflight.toml", "torch-preflight.toml"] {
        if let Some(settings) = toml(folder, name)? {
            take_over(&format!("{name}, "), &settings, moved);
            return Ok(());
        }
    }
    if let Some(settings) = pyproject(folder, "torch-preflight")? {
        take_over("pyproject.toml, tool.torch-preflight.", &settings, moved);
    }
    Ok(())
}

fn take_over(place: &str, settings: &Table, moved: &mut ImportedSettings) {
    for (key, value) in settings {
        let place = format!("{place}{key}");
        match key.as_str() {
            "select" => {
                let becomes = "nothing: gpulint runs its recommended rules; rules.select narrows them";
                moved.tell(&place, texts(Some(value)).join(", "), becomes);
            }
            "ignore" => {
                for code in texts(Some(value)) {
                    ignored(&place, &code.to_uppercase(), moved);
                }
            }
            "severity" => {
                let levels = value.as_table().into_iter().flatten();
                for (code, level) in levels.filter_map(|(code, level)| Some((code, level.as_str()?))) {
                    severity(&place, &code.to_uppercase(), &level.to_lowercase(), moved);
                }
            }
            "exclude" => {
                for glob in texts(Some(value)) {
                    exclude(&place, &glob, moved);
                }
            }
            "fail_on" => {
                let level = value.as_str().unwrap_or_default().to_lowercase();
                let becomes = format!("`gpulint check --fail-on {level}`; without it warnings fail a run");
                moved.tell(&place, level, &becomes);
            }
            "target_gpu" => {
                let becomes = "nothing: it is the card that an estimate is made for; where it is the only one that code may use, \
                               gpu.name says so";
                moved.tell(&place, value.as_str().unwrap_or_default(), becomes);
            }
            _ => moved.tell(&place, told(value), "stays with torch-preflight"),
        }
    }
}

fn told(value: &Value) -> String {
    value.to_string().lines().next().unwrap_or_default().to_owned()
}

fn ignored(place: &str, code: &str, moved: &mut ImportedSettings) {
    match here(TORCH_PREFLIGHT, code) {
        Some(Ok(rules)) => {
            moved.rules.ignore.extend(rules.iter().map(|rule| (*rule).to_owned()));
            moved.tell(place, code, &format!("rules.ignore, {}", rules.join(" and ")));
        }
        Some(Err(why)) => moved.tell(place, code, &format!("nothing: gpulint has no such rule, {why}")),
        None => moved.tell(place, code, "nothing: gpulint does not know this code"),
    }
}

fn severity(place: &str, code: &str, level: &str, moved: &mut ImportedSettings) {
    let what = format!("{code} = {level}");
    match here(TORCH_PREFLIGHT, code) {
        Some(Ok(rules)) if matches!(level, "error" | "warning" | "note") => {
            for rule in &rules {
                moved.rules.severity.insert((*rule).to_owned(), level.to_owned());
            }
            moved.tell(place, what, &format!("rules.severity, {}", rules.join(" and ")));
        }
        Some(Ok(_)) => moved.tell(place, what, "nothing: a severity is error, warning or note"),
        Some(Err(why)) => moved.tell(place, what, &format!("stays with torch-preflight: {why}")),
        None => moved.tell(place, what, "nothing: gpulint does not know this code"),
    }
}

/// Its globs match whole paths, and folders of a path.
fn exclude(place: &str, glob: &str, moved: &mut ImportedSettings) {
    let own = glob.trim_end_matches('/');
    if own.is_empty() || own.starts_with(['/', '!']) || globset::Glob::new(own).is_err() {
        return moved.tell(place, glob, "nothing: exclude takes globs inside of the project");
    }
    super::add_new(&mut moved.exclude, &[own.to_owned()]);
    moved.tell(place, glob, "exclude, for all rules");
}
