//! What `rules/packages/` says of imports that were watched: each fact once, and the page that is made of it.

use super::pages::{read, update_or_compare};
use super::{none_of, texts_below};
use serde_yaml::Value;

const PAGE: &str = "docs/imports.md";

/// The modules of all files, each with the file's path and what it says of itself.
fn modules() -> Vec<(String, Value, Value)> {
    let mut all = Vec::new();
    for (path, text) in texts_below("rules/packages") {
        let file: Value = serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"));
        let modules = file["modules"].as_sequence().unwrap_or_else(|| panic!("{path}: no modules")).clone();
        all.extend(modules.into_iter().map(|module| (path.clone(), file.clone(), module)));
    }
    all
}

fn runs(module: &Value) -> &[Value] {
    module["runs"].as_sequence().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn words(value: &Value) -> Vec<&str> {
    value.as_sequence().map_or_else(Vec::new, |list| list.iter().map(text).collect())
}

#[test]
fn what_a_run_says_is_not_said_beside_it() {
    let mut faults = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for (path, _, module) in modules() {
        let name = text(&module["module"]).to_owned();
        for key in ["version", "imports", "contact", "sets", "if-env"] {
            if !runs(&module).is_empty() && !module[key].is_null() {
                faults.push(format!("{path}: {name} has runs and `{key}`"));
            }
        }
        if !seen.insert(name.clone()) {
            faults.push(format!("{path}: {name} has another row"));
        }
    }
    none_of(faults, "a row with runs says only what no run can say");
}

#[test]
fn a_run_says_when_and_how_it_was_made() {
    let date = regex::Regex::new(r"^20\d\d-[01]\d-[0-3]\d$").expect("valid");
    let mut faults = Vec::new();
    for (path, _, module) in modules() {
        let mut versions = Vec::new();
        for run in runs(&module) {
            let (version, command) = (text(&run["version"]), text(&run["command"]));
            let is_whole = date.is_match(text(&run["date"]))
                && command.starts_with("scripts/regenerate_packages.py --python ")
                && command.contains(&format!("=={version}"))
                && run["seconds"].as_f64().is_some();
            if !is_whole {
                faults.push(format!("{path}: {} {version}", text(&module["module"])));
            }
            versions.push((version, words(&run["beside"]), format!("{:?}", run["env"])));
        }
        let count = versions.len();
        versions.sort();
        versions.dedup();
        if versions.len() < count {
            faults.push(format!("{path}: {} was run twice", text(&module["module"])));
        }
    }
    none_of(faults, "a run has a date, the command that repeats it with its version, and its seconds");
}

#[test]
fn the_page_of_imports_is_fresh() {
    let committed = read(PAGE);
    let mark = "<!-- The tables below are generated: GPULINT_UPDATE=1 cargo test --test library tidy -->\n";
    let head = committed.split_once(mark).map_or("# What imports do\n\n", |(head, _)| head);
    let mut fresh = format!(
        "{head}{mark}\n| Import | Version | Brings | Driver | Sets | Starts | Seconds | Run |\n|---|---|---|---|---|---|---|---|\n"
    );
    let mut modules = modules();
    modules.sort_by_key(|(_, _, module)| text(&module["module"]).to_lowercase());
    for (_, _, module) in &modules {
        runs(module).iter().for_each(|run| fresh += &line(text(&module["module"]), run));
    }
    fresh += "\n## Without a run\n\nWhat is known of these imports was not written down by the script.\n\n| Import | How it is known |\n|---|---|\n";
    for (_, file, module) in modules.iter().filter(|(_, _, module)| runs(module).is_empty()) {
        fresh += &format!("| `{}` | {} |\n", text(&module["module"]), text(&file["verified"]));
    }
    update_or_compare(PAGE, &committed, &fresh);
}

fn line(module: &str, run: &Value) -> String {
    let mut under = match words(&run["beside"]) {
        list if list.is_empty() => String::new(),
        list => format!(", {} installed", list.join(" and ")),
    };
    for (name, value) in run["env"].as_mapping().into_iter().flatten() {
        under += &format!(", `{}={}`", text(name), text(value));
    }
    let brings = words(&run["imports"]).join(", ");
    let driver = match text(&run["contact"]) {
        "cuda-init" => "**initialises CUDA**",
        "nvml" => "asks NVML",
        _ => "",
    };
    let pairs = run["sets"].as_mapping().into_iter().flatten();
    let sets = pairs.map(|(name, value)| format!("`{}={}`", text(name), text(value).replace('|', "\\|")));
    let mut starts = words(&run["starts"]["programs"]).into_iter().map(str::to_owned).collect::<Vec<_>>();
    if run["starts"]["forks"].as_bool() == Some(true) {
        starts.push("forks".to_owned());
    }
    match run["starts"]["threads"].as_u64() {
        Some(1) => starts.push("1 thread".to_owned()),
        Some(count) => starts.push(format!("{count} threads")),
        None => {}
    }
    format!(
        "| `{module}` | {}{under} | {brings} | {driver} | {} | {} | {:.1} | {} |\n",
        text(&run["version"]),
        sets.collect::<Vec<_>>().join(" "),
        starts.join(", "),
        run["seconds"].as_f64().unwrap_or_default(),
        text(&run["date"]),
    )
}
