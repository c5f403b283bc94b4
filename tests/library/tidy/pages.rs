//! Pages that are generated from the rule files, the list in `docs/rules.md` and what the README says of them; and lists in pages written by
//! hand, in which nothing may be missing.

use super::{in_repository, none_of, texts_below};
use regex::Regex;
use std::process::Command;

const PAGE: &str = "docs/rules.md";

/// A line for each rule: what it finds, and where its file is. The address of a rule leads to its line.
#[test]
fn the_list_of_rules_is_fresh() {
    let head = "# Rules\n\n\
        `gpulint rule ID` shows all there is to know about a rule, with examples; so does its file, to which its name leads here.\n\
        *Off* means that a rule runs only under a policy with the section that it belongs to, or when `--select` names it.\n\n\
        `GPULINT_UPDATE=1 cargo test --test library tidy` writes this list.\n\n";
    let reference = reference();
    let table = reference.lines().take_while(|line| line.starts_with('|')).map(|line| {
        let cells: Vec<&str> = line.split(" | ").collect();
        match line.split_once("](#").and_then(|(_, rest)| rest.split_once(')')) {
            Some((id, _)) => {
                let link = format!("[`{id}`](#{id})");
                let file = format!("<a id=\"{id}\"></a>[`{id}`](../rules/{}/{id}.yaml)", cells[1]);
                line.replacen(&link, &file, 1)
            }
            None => line.to_owned(),
        }
    });
    let fresh = format!("{head}{}\n", table.collect::<Vec<_>>().join("\n"));
    update_or_compare(PAGE, &read(PAGE), &fresh);
}

/// Pages and scripts name the repository as Cargo.toml does.
#[test]
fn the_repository_has_one_address() {
    let name = env!("CARGO_PKG_REPOSITORY").trim_start_matches("https://github.com/");
    let named =
        Regex::new(r"(github(?:usercontent)?\.com/|uses: |--repository )[\w.-]+/gpulint\b").expect("valid");
    let is_ours = |path: &str| !path.starts_with("tests/") && path != "CHANGELOG.md";
    for (path, text) in texts_below("").into_iter().filter(|(path, _)| is_ours(path)) {
        if [".md", ".sh", ".ps1", ".yml"].iter().any(|ending| path.ends_with(ending)) {
            let fresh =
                named.replace_all(&text, |found: &regex::Captures<'_>| format!("{}{name}", &found[1]));
            update_or_compare(&path, &text, &fresh);
        }
    }
}

/// Who looks at the README on a telephone loads them, too; `scripts/picture.py` makes them.
#[test]
fn pictures_are_small() {
    let pages = std::fs::read_dir(in_repository("docs")).expect("readable").flatten();
    let pictures = pages.filter(|entry| entry.path().extension().is_some_and(|ending| ending == "png"));
    let large = pictures.filter(|entry| entry.metadata().is_ok_and(|about| about.len() > 60_000));
    none_of(large.map(|entry| entry.path().display().to_string()).collect(), "pictures above 60 KB");
}

/// The families are described by hand; how many rules each has is counted.
#[test]
fn the_readme_has_every_family() {
    let mut counts = std::collections::BTreeMap::new();
    for rule in gpulint::rules::RuleSet::embedded().rules() {
        *counts.entry(rule.family.as_str()).or_insert(0) += 1;
    }
    let readme = read("README.md");
    let row = |(family, count): (&str, i32)| format!("\n| {family} | {count} | ");
    let missing = counts.into_iter().map(row).filter(|row| !readme.contains(row)).collect();
    none_of(missing, "rows of families that README.md does not have");
}

/// Written by hand, because it also says which keys are of use already; so nothing may be missing.
#[test]
fn every_key_of_the_policy_is_explained() {
    let schema: serde_json::Value = serde_json::from_str(&read("gpulint.schema.json")).expect("JSON");
    let page = read("docs/policy.md");
    let mut keys = Vec::new();
    keys_of(&schema, "", &schema, &mut keys);
    assert!(keys.iter().any(|key| key == "gpu.visible-devices"), "{keys:?}");
    let missing: Vec<_> =
        keys.iter().filter(|key| !page.contains(&format!("\n| `{key}` |"))).cloned().collect();
    none_of(missing, "keys of the policy that docs/policy.md does not explain");
}

/// Each with all weights that it may have.
#[test]
fn every_reason_of_a_verdict_is_explained() {
    let page = read("docs/validate.md");
    let weights_of = |code: &str| {
        let rows = page.lines().filter(move |line| line.starts_with(&format!("| `{code}` | ")));
        rows.filter_map(|row| row.split(" | ").nth(1)).collect::<Vec<_>>()
    };
    // `fault` and `weight` stand for more than one.
    let with_weight = Regex::new(r#"(?:Weight::(\w+)|fault|weight),\s*"([a-z-]+)""#).expect("it is one");
    let alone = Regex::new(r#"(?:code: |const [A-Z]+: &str = )"([a-z-]+)""#).expect("it is one");
    let (mut count, mut missing) = (0, Vec::new());
    for (path, text) in texts_below("crates/runtime/src/validation") {
        if path.contains("/pages") || path.ends_with("tests.rs") {
            continue;
        }
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        let pairs = with_weight
            .captures_iter(text)
            .map(|found| (found[2].to_owned(), found.get(1).map(|weight| weight.as_str().to_lowercase())));
        let codes = alone.captures_iter(text).map(|found| (found[1].to_owned(), None));
        for (code, weight) in pairs.chain(codes) {
            count += 1;
            let weight = weight.unwrap_or_default();
            if !weights_of(&code).iter().any(|weights| weights.contains(&weight)) {
                missing.push(format!("{path}: {code} {weight}"));
            }
        }
    }
    assert!(count > 30, "{count}");
    none_of(missing, "reasons that docs/validate.md does not explain");
}

#[test]
fn every_metric_of_a_run_and_of_a_validation_is_explained() {
    let metric = Regex::new("\"(gpulint_[a-z_]+)\"").expect("it is one");
    for (file, page) in [
        ("crates/runtime/src/metrics.rs", "docs/runs.md"),
        ("crates/runtime/src/metrics/card.rs", "docs/runs.md"),
        ("crates/runtime/src/validation/pages/prometheus.rs", "docs/validate.md"),
    ] {
        let (text, explained) = (read(file), read(page));
        let metrics: Vec<_> = metric.captures_iter(&text).map(|found| found[1].to_owned()).collect();
        assert!(metrics.len() > 10, "{file}: {metrics:?}");
        let missing = metrics.into_iter().filter(|metric| !explained.contains(&format!("`{metric}`")));
        none_of(missing.collect(), &format!("metrics of {file} that {page} does not explain"));
    }
}

#[test]
fn every_reason_and_metric_of_merged_reports_is_explained() {
    let page = read("docs/fleet.md");
    let code = Regex::new(r#"(?:Weight::\w+|weight),\s*"([a-z-]+)""#).expect("it is one");
    let metric = Regex::new("\"(gpulint_[a-z_]+)\"").expect("it is one");
    let texts =
        texts_below("crates/runtime/src/fleet").into_iter().filter(|(path, _)| !path.ends_with("tests.rs"));
    let texts: String = texts.map(|(_, text)| text).collect();
    let words =
        |form: &Regex| form.captures_iter(&texts).map(|found| found[1].to_owned()).collect::<Vec<_>>();
    let (codes, metrics) = (words(&code), words(&metric));
    assert!(codes.len() > 8 && metrics.len() > 10, "{codes:?} {metrics:?}");
    let missing = codes.into_iter().chain(metrics).filter(|word| !page.contains(&format!("`{word}`")));
    none_of(missing.collect(), "reasons and metrics that docs/fleet.md does not explain");
}

/// The dotted paths of all keys that have no keys below them.
fn keys_of(object: &serde_json::Value, path: &str, schema: &serde_json::Value, keys: &mut Vec<String>) {
    let definition = |reference: &str| &schema["$defs"][reference.trim_start_matches("#/$defs/")];
    let alternatives = object["anyOf"].as_array().into_iter().flatten();
    for of in alternatives.chain([object]) {
        let of = of["$ref"].as_str().map_or(of, definition);
        for (key, below) in of["properties"].as_object().into_iter().flatten() {
            let path = format!("{path}{key}");
            let count = keys.len();
            keys_of(below, &format!("{path}."), schema, keys);
            let each = &below["additionalProperties"];
            keys_of(each, &format!("{path}.*."), schema, keys);
            if keys.len() == count {
                keys.push(path);
            }
        }
    }
}

fn reference() -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gpulint"));
    let output = command.args(["rules", "--format", "markdown"]).output().expect("the binary runs");
    assert!(output.status.success(), "{output:?}");
    // An example may be about the line ends of Windows.
    String::from_utf8(output.stdout).expect("UTF-8").replace("\r\n", "\n")
}

/// The text with `\n` as git keeps it, whatever this checkout has.
pub(super) fn read(path: &str) -> String {
    std::fs::read_to_string(in_repository(path)).unwrap_or_default().replace("\r\n", "\n")
}

#[track_caller]
pub(super) fn update_or_compare(path: &str, committed: &str, fresh: &str) {
    if committed == fresh {
        return;
    }
    if std::env::var_os("GPULINT_UPDATE").is_some() {
        std::fs::write(in_repository(path), fresh).expect("writable");
        return;
    }
    let differs = committed.lines().zip(fresh.lines()).position(|(committed, fresh)| committed != fresh);
    let line = differs.unwrap_or_else(|| committed.lines().count().min(fresh.lines().count())) + 1;
    panic!(
        "{path} is not what the rules and Cargo.toml say, from line {line} on; \
         run `GPULINT_UPDATE=1 cargo test --test library tidy` and commit it"
    );
}
