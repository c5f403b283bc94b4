//! ruff's bans: modules that must not be imported at the top of a module (TID253), and names that must not be used (TID251).
//! <https://docs.astral.sh/ruff/settings/#lintflake8-tidy-imports>

use super::settings_files::{pyproject, table, texts, toml};
use super::{BANS, ImportedSettings, is_gpu_library, is_module};
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// How many files are read that extend each other; ruff refuses a circle.
const MOST_FILES: usize = 8;

pub(super) fn read(folder: &Path, moved: &mut ImportedSettings) -> anyhow::Result<()> {
    let Some((mut file, first)) = own(folder)? else { return Ok(()) };
    let mut files = Vec::new();
    let mut next = Some(first);
    while let Some(settings) = next.take().filter(|_| files.len() < MOST_FILES) {
        let extended = settings.get("extend").and_then(Value::as_str).map(PathBuf::from);
        files.push((file.clone(), settings));
        let Some(extended) = extended else { break };
        let below = Path::new(&file).parent().unwrap_or(Path::new("")).join(&extended);
        next = extending(folder, &below)?;
        file = below.to_string_lossy().replace('\\', "/");
    }
    let ignored =
        ["ignore", "extend-ignore"].map(|key| lint(&files, key).map(|(_, value)| texts(Some(value))));
    let ignored: Vec<String> = ignored.into_iter().flatten().flatten().collect();
    let is_off = |code: &str| ignored.iter().any(|prefix| code.starts_with(prefix.as_str()));
    let mut banned_here = Vec::new();
    if let Some((place, value)) = bans(&files, "banned-module-level-imports") {
        let (gpu, others): (Vec<_>, Vec<_>) =
            texts(Some(value)).into_iter().partition(|name| is_gpu_library(name));
        take_over(&place, &gpu, is_off("TID253"), moved);
        if !others.is_empty() {
            let becomes =
                "stays with ruff: gpulint knows of no GPU there; cpu.forbidden-imports takes it all the same";
            moved.tell(&place, others.join(", "), becomes);
        }
        banned_here.extend(gpu);
    }
    if let Some((place, Value::Table(names))) = bans(&files, "banned-api") {
        let (gpu, others): (Vec<_>, Vec<_>) = names.keys().cloned().partition(|name| is_gpu_library(name));
        let (modules, parts): (Vec<_>, Vec<_>) = gpu.into_iter().partition(|name| is_module(name));
        take_over(&place, &modules, is_off("TID251"), moved);
        if !modules.is_empty() && !is_off("TID251") {
            let becomes = "the ban of an import inside a function stays with ruff: gpulint allows it, for it runs later";
            moved.tell(&place, modules.join(", "), becomes);
        }
        if !parts.is_empty() {
            let becomes = "stays with ruff, or becomes a rule of your own (`uses` in docs/own-rules.md)";
            moved.tell(&place, parts.join(", "), becomes);
        }
        if !others.is_empty() {
            let becomes = "stays with ruff: gpulint knows of no GPU there";
            moved.tell(&place, others.join(", "), becomes);
        }
        banned_here.extend(modules);
    }
    if !banned_here.is_empty() {
        for key in ["per-file-ignores", "extend-per-file-ignores"] {
            if let Some((place, Value::Table(globs))) = lint(&files, key) {
                exceptions(&place, globs, moved);
            }
        }
    }
    Ok(())
}

/// The settings of the folder: one file of the three counts.
fn own(folder: &Path) -> anyhow::Result<Option<(String, Table)>> {
    for name in [".ruff.toml", "ruff.toml"] {
        if let Some(settings) = toml(folder, name)? {
            return Ok(Some((name.to_owned(), settings)));
        }
    }
    Ok(pyproject(folder, "ruff")?.map(|settings| ("pyproject.toml".to_owned(), settings)))
}

fn extending(folder: &Path, file: &Path) -> anyhow::Result<Option<Table>> {
    let within = folder.join(file.parent().unwrap_or(Path::new("")));
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    match name == "pyproject.toml" {
        true => pyproject(&within, "ruff"),
        false => toml(&within, &name),
    }
}

/// A value of `lint`, or where it stood before there was that table, in the first file that has it, with its place.
fn lint<'t>(files: &'t [(String, Table)], key: &str) -> Option<(String, &'t Value)> {
    value(files, &[], key)
}

fn bans<'t>(files: &'t [(String, Table)], key: &str) -> Option<(String, &'t Value)> {
    value(files, &["flake8-tidy-imports"], key)
}

fn value<'t>(files: &'t [(String, Table)], below: &[&str], key: &str) -> Option<(String, &'t Value)> {
    files.iter().find_map(|(file, settings)| {
        let new: Vec<&str> = [&["lint"], below].concat();
        [new.as_slice(), below].into_iter().find_map(|keys| {
            let value = table(settings, keys)?.get(key)?;
            let tool: &[&str] = if file.ends_with("pyproject.toml") { &["tool", "ruff"] } else { &[] };
            let name = [tool, keys, &[key]].concat().join(".");
            Some((format!("{file}, {name}"), value))
        })
    })
}

fn take_over(place: &str, modules: &[String], is_off: bool, moved: &mut ImportedSettings) {
    if modules.is_empty() {
        return;
    }
    if is_off {
        moved.tell(place, modules.join(", "), "nothing: the rule is ignored there");
        return;
    }
    super::add_new(&mut moved.everywhere, modules);
    let becomes = "cpu.forbidden-imports, for all of the project; gpulint also finds imports in `try`, in a class and behind \
                   other imports, and lets `lazy import` pass";
    moved.tell(place, modules.join(", "), becomes);
}

/// Files in which the bans do not hold.
fn exceptions(place: &str, globs: &Table, moved: &mut ImportedSettings) {
    for (glob, codes) in globs {
        let codes = texts(Some(codes));
        let is_ban =
            |code: &&String| *code == "ALL" || "TID253".starts_with(code.as_str()) || "TID251" == *code;
        let Some(code) = codes.iter().find(is_ban) else { continue };
        if glob.starts_with('!') {
            let becomes = "stays with ruff: rules.per-path names the files in which a rule does not run, not all others";
            moved.tell(place, format!("{glob} ({code})"), becomes);
            continue;
        }
        // ruff looks for a glob without a folder in every folder.
        let own = if glob.contains('/') { glob.clone() } else { format!("**/{glob}") };
        moved.rules.ignore_in(&own, &BANS);
        moved.tell(
            place,
            format!("{glob} ({code})"),
            &format!("rules.per-path, without {}", BANS.join(" and ")),
        );
    }
}
