//! import-linter's contracts that forbid imports. <https://import-linter.readthedocs.io/en/stable/contract_types/forbidden/>

use super::settings_files::{pyproject, text, texts};
use super::{ForbiddenImports, ImportedSettings, is_gpu_library};
use crate::languages::ini;
use std::collections::BTreeMap;
use std::path::Path;
use toml::Value;

/// What a contract says, by its keys.
type Contract = BTreeMap<String, Vec<String>>;

pub(super) fn read(folder: &Path, moved: &mut ImportedSettings) -> anyhow::Result<()> {
    let Some(Settings { file, roots, contracts }) = settings(folder)? else { return Ok(()) };
    for (name, contract) in &contracts {
        take_over(&format!("{file}, {name}"), contract, &roots, moved);
    }
    Ok(())
}

/// What one file says.
struct Settings {
    file: String,
    /// The packages of the project.
    roots: Vec<String>,
    /// The contracts with their places in the file.
    contracts: Vec<(String, Contract)>,
}

/// The first file that has any, in the order of import-linter.
fn settings(folder: &Path) -> anyhow::Result<Option<Settings>> {
    for file in ["setup.cfg", ".importlinter"] {
        let Some(text) = text(folder, file)? else { continue };
        let ini = ini::reader::read(&text);
        let Some(whole) = ini.section("importlinter") else { continue };
        let of = |section: &ini::reader::Section<'_>| -> Contract {
            let lines =
                |key: &ini::reader::Key<'_>| key.lines.iter().map(|(line, _)| (*line).to_owned()).collect();
            section.keys.iter().map(|key| (key.name.to_owned(), lines(key))).collect()
        };
        let contracts = ini.sections.iter().filter_map(|section| {
            let is_one = section.name.starts_with("importlinter:");
            is_one.then(|| (format!("[{}]", section.name), of(section)))
        });
        let contracts = contracts.collect();
        return Ok(Some(Settings { file: file.to_owned(), roots: roots(&of(whole)), contracts }));
    }
    let Some(whole) = pyproject(folder, "importlinter")? else { return Ok(None) };
    let of = |table: &toml::Table| -> Contract {
        let value = |value: &Value| match value {
            Value::Boolean(is_so) => vec![is_so.to_string()],
            _ => texts(Some(value)),
        };
        table.iter().map(|(key, it)| (key.clone(), value(it))).collect()
    };
    let named =
        whole.get("contracts").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_table);
    let named = named.map(|table| {
        let name = table.get("name").and_then(Value::as_str).unwrap_or("a contract without a name");
        (format!("tool.importlinter.contracts, \"{name}\""), of(table))
    });
    let contracts = named.collect();
    Ok(Some(Settings { file: "pyproject.toml".to_owned(), roots: roots(&of(&whole)), contracts }))
}

fn roots(whole: &Contract) -> Vec<String> {
    ["root_package", "root_packages"].iter().filter_map(|key| whole.get(*key)).flatten().cloned().collect()
}

fn take_over(place: &str, contract: &Contract, roots: &[String], moved: &mut ImportedSettings) {
    let of = |key: &str| contract.get(key).cloned().unwrap_or_default();
    let kind = of("type").concat();
    if kind != "forbidden" {
        let what = if kind.is_empty() {
            "a contract without a type".to_owned()
        } else {
            format!("a contract of type {kind}")
        };
        return moved.tell(place, what, "stays with import-linter: it says nothing of GPUs");
    }
    let is_own =
        |module: &String| roots.iter().any(|root| module == root || module.starts_with(&format!("{root}.")));
    let (own, outside): (Vec<String>, Vec<String>) = of("forbidden_modules").into_iter().partition(is_own);
    let (forbidden, others): (Vec<String>, Vec<String>) =
        outside.into_iter().partition(|module| is_gpu_library(module));
    if !others.is_empty() {
        let becomes = "stays with import-linter: gpulint knows of no GPU there; cpu.forbidden-imports takes it all the same";
        moved.tell(place, format!("forbids {}", others.join(", ")), becomes);
    }
    if !forbidden.is_empty() {
        for ignored in of("ignore_imports") {
            let becomes = "nothing: where gpulint reports that import, `# gpulint: ignore[gpu-import-in-cpu-mode] why` on its \
                           line silences it, and says so when it is no longer needed";
            moved.tell(place, format!("ignores {ignored}"), becomes);
        }
        if of("allow_indirect_imports").concat().eq_ignore_ascii_case("true") {
            let becomes = "nothing: gpulint also reports an import behind others, because it runs as well";
            moved.tell(place, "allows indirect imports", becomes);
        }
    }
    let as_packages = !of("as_packages").concat().eq_ignore_ascii_case("false");
    let entry_points =
        of("source_modules").into_iter().map(|module| match as_packages && !module.contains('*') {
            true => format!("{module}.**"),
            false => module,
        });
    let entry_points: Vec<String> = entry_points.collect();
    if (!forbidden.is_empty() || !own.is_empty()) && !entry_points.is_empty() {
        moved.parts.push(ForbiddenImports { entry_points, forbidden, own, place: place.to_owned() });
    }
    if moved.told.iter().all(|told| told.place != place) && moved.parts.iter().all(|part| part.place != place)
    {
        moved.tell(place, "a contract without modules", "nothing");
    }
}
