//! The dashboard for Grafana and the alerts for Prometheus, held against the metrics that gpulint writes: each name in them by reading,
//! and each expression by the node exporter and by Prometheus themselves. Without these programs the tests that need them say that they do
//! nothing, and with GPULINT_REQUIRE_PROMTOOL they fail.

use super::prometheus::{PATIENCE, Running, asked, is_installed, prometheus, record};
use gpulint::runtime::metrics;
use regex::Regex;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// What `gpulint init --monitoring` writes.
fn written() -> (Value, String) {
    let folder = std::env::temp_dir().join(format!("gpulint-monitoring-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let mut init = Command::new(env!("CARGO_BIN_EXE_gpulint"));
    let said = init.args(["init", "--monitoring", "monitoring"]).current_dir(&folder).output().unwrap();
    assert!(said.status.success(), "{said:?}");
    let mut names: Vec<_> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["monitoring"], "no policy is written for it");
    let read = |name: &str| std::fs::read_to_string(folder.join("monitoring").join(name)).unwrap();
    let pages = (serde_json::from_str(&read("gpulint-dashboard.json")).unwrap(), read("gpulint-alerts.yml"));
    std::fs::remove_dir_all(&folder).unwrap();
    pages
}

/// A page of each command that writes metrics, by the name of its file.
fn expositions() -> Vec<(&'static str, String)> {
    let snapshot = |name: &str| {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(name);
        std::fs::read_to_string(file).unwrap()
    };
    let validation = snapshot("validation/approved.prom");
    let mut of_target = record();
    of_target.target = Some("train".to_owned());
    vec![
        ("exec.prom", metrics::text(&record())),
        ("exec-target.prom", metrics::text(&of_target)),
        ("validate.prom", validation),
        ("fleet.prom", snapshot("fleet/merged.prom")),
    ]
}

/// The labels of each metric.
fn labels() -> BTreeMap<String, BTreeSet<String>> {
    let label = Regex::new(r#"([a-z_]+)="(?:[^"\\]|\\.)*""#).unwrap();
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (_, page) in expositions() {
        for line in page.lines().filter(|line| !line.starts_with('#')) {
            let name = line.split(['{', ' ']).next().unwrap().to_owned();
            let labels = all.entry(name).or_default();
            labels.extend(label.captures_iter(line).map(|found| found[1].to_owned()));
            // Prometheus puts them to what it reads.
            labels.extend(["instance".to_owned(), "job".to_owned()]);
        }
    }
    all
}

/// The panels, and the targets of each.
fn panels(dashboard: &Value) -> impl Iterator<Item = (&Value, &[Value])> {
    let panels = dashboard["panels"].as_array().unwrap().iter();
    panels.map(|panel| (panel, panel["targets"].as_array().map(Vec::as_slice).unwrap_or_default()))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text"))
}

/// What an expression says of metrics that there are not, or of labels that they have not.
fn faults_of(expression: &str, known: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let metric = Regex::new(r"(gpulint_[a-z_]+)(?:\{([^}]*)\})?").unwrap();
    let matcher = Regex::new("([a-z_]+) *(?:=~|!=|!~|=)").unwrap();
    let listed = Regex::new(r"\b(?:by|on|ignoring|group_left) *\(([^)]*)\)").unwrap();
    let mut faults = Vec::new();
    let mut here = BTreeSet::new();
    for found in metric.captures_iter(expression) {
        let Some(labels) = known.get(&found[1]) else {
            faults.push(format!("there is no metric {}", &found[1]));
            continue;
        };
        here.extend(labels.iter().cloned());
        let matchers = found.get(2).map(|matchers| matchers.as_str()).unwrap_or_default();
        let unknown = matcher.captures_iter(matchers).filter(|name| !labels.contains(&name[1]));
        // A card without one is meant by it as well.
        let unknown = unknown.filter(|name| &name[1] != "gpu_name");
        faults.extend(unknown.map(|name| format!("{} has no label {}", &found[1], &name[1])));
    }
    for found in listed.captures_iter(expression) {
        let unknown = found[1].split(',').map(str::trim).filter(|name| !here.contains(*name));
        faults.extend(unknown.map(|name| format!("no metric of `{expression}` has the label {name}")));
    }
    faults
}

#[test]
fn the_dashboard_is_what_its_source_makes() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging/monitoring/dashboard.py");
    let said = Command::new("python3").arg("-B").arg(source).arg("--check").output().unwrap();
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stdout));
}

#[test]
fn each_name_in_them_is_one_of_a_metric() {
    let (dashboard, alerts) = written();
    let known = labels();
    let shown = Regex::new(r"\{\{ *(?:\$labels\.)?([a-z_]+) *\}\}").unwrap();
    let mut faults = Vec::new();
    let mut used = String::new();
    let mut check = |place: &str, expression: &str, texts: &[&str]| {
        faults.extend(faults_of(expression, &known).into_iter().map(|fault| format!("{place}: {fault}")));
        let of_it = known.iter().filter(|(name, _)| expression.contains(name.as_str()));
        let labels: BTreeSet<_> = of_it.flat_map(|(_, labels)| labels).collect();
        for name in texts.iter().flat_map(|text| shown.captures_iter(text)) {
            if !labels.contains(&name[1].to_owned()) {
                faults.push(format!("{place}: no metric of `{expression}` has the label {}", &name[1]));
            }
        }
        used.push_str(expression);
    };
    for (panel, targets) in panels(&dashboard) {
        for target in targets {
            let legend = target["legendFormat"].as_str().unwrap_or_default();
            check(text(&panel["title"]), text(&target["expr"]), &[legend]);
        }
    }
    let alerts: Value = serde_yaml::from_str(&alerts).unwrap();
    for rule in alerts["groups"][0]["rules"].as_array().unwrap() {
        let annotations = rule["annotations"].as_object().unwrap();
        let texts: Vec<&str> = annotations.values().map(text).collect();
        check(text(&rule["alert"]), text(&rule["expr"]), &texts);
    }
    assert_eq!(faults, [""; 0]);
    let forgotten: Vec<_> = known.keys().filter(|name| !used.contains(name.as_str())).collect();
    assert!(forgotten.is_empty(), "neither shows {forgotten:?}");
}

#[test]
fn the_panels_stand_beside_each_other() {
    let (dashboard, _) = written();
    let mut places: BTreeMap<(u64, u64), &str> = BTreeMap::new();
    let mut numbers = BTreeSet::new();
    for (panel, targets) in panels(&dashboard) {
        let title = text(&panel["title"]);
        assert!(
            numbers.insert(panel["id"].as_u64().unwrap()),
            "the number of `{title}` is another's as well"
        );
        let of = |name: &str| panel["gridPos"][name].as_u64().unwrap();
        assert!(of("x") + of("w") <= 24, "`{title}` is wider than the page");
        for place in
            (of("y")..of("y") + of("h")).flat_map(|y| (of("x")..of("x") + of("w")).map(move |x| (y, x)))
        {
            let other = places.insert(place, title);
            assert_eq!(other, None, "`{title}` covers it");
        }
        if panel["type"] == "row" {
            continue;
        }
        assert!(text(&panel["description"]).ends_with('.'), "`{title}` is not explained");
        let references: Vec<_> = targets.iter().map(|target| text(&target["refId"])).collect();
        assert_eq!(BTreeSet::from_iter(&references).len(), references.len(), "`{title}`");
        // Where columns of a table get a name, there is such a column.
        let renamed = panel["transformations"][1]["options"]["renameByName"].as_object();
        for column in renamed.into_iter().flat_map(|renamed| renamed.keys()) {
            let number = column.strip_prefix("Value #");
            assert!(number.is_none_or(|number| references.contains(&number)), "`{title}` has no {column}");
        }
    }
}

fn node_exporter(folder: &Path) -> Running {
    Running::start(folder.to_owned(), |port| {
        let mut command = Command::new("prometheus-node-exporter");
        command.args(["--collector.disable-defaults", "--collector.textfile"]);
        command.arg(format!("--collector.textfile.directory={}", folder.display()));
        command.arg(format!("--web.listen-address=127.0.0.1:{port}"));
        command
    })
}

/// What stands for the variables of the dashboard where all is chosen.
fn with_all(expression: &str) -> String {
    expression.replace("$instance", ".*").replace("$gpu", ".*")
}

#[test]
fn prometheus_has_an_answer_to_each_expression() {
    if !is_installed("prometheus") || !is_installed("prometheus-node-exporter") {
        return;
    }
    let folder = std::env::temp_dir().join(format!("gpulint-node-exporter-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for (name, page) in expositions() {
        std::fs::write(folder.join(name), page).unwrap();
    }
    let mut exporter = node_exporter(&folder);
    let mut prometheus = prometheus(&format!("127.0.0.1:{}", exporter.port));
    let end = Instant::now() + PATIENCE;
    // All files are read, and no series of one is also in another.
    while !asked(prometheus.port, "node_textfile_scrape_error").contains(r#","0"]"#)
        || !asked(prometheus.port, "gpulint_fleet_verdict").contains("rejected")
    {
        if exporter.has_ended() || prometheus.has_ended() {
            std::fs::create_dir_all(&folder).unwrap();
            exporter = node_exporter(&folder);
            prometheus = self::prometheus(&format!("127.0.0.1:{}", exporter.port));
        }
        assert!(Instant::now() < end, "{}", asked(prometheus.port, "node_textfile_scrape_error"));
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    let (dashboard, _) = written();
    let mut faults = Vec::new();
    let mut count = 0;
    for (panel, targets) in panels(&dashboard) {
        for target in targets {
            let expression = with_all(text(&target["expr"]));
            let answer = asked(prometheus.port, &expression);
            count += 1;
            if !answer.contains(r#""status":"success""#) || !answer.contains(r#""value":["#) {
                faults.push(format!("{}: {expression}: {answer}", text(&panel["title"])));
            }
        }
    }
    assert!(count > 50, "{count}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_alerts_tell_what_they_say() {
    if !is_installed("promtool") {
        return;
    }
    let folder = std::env::temp_dir().join(format!("gpulint-alerts-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (_, alerts) = written();
    std::fs::write(folder.join("gpulint-alerts.yml"), &alerts).unwrap();
    let cases: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/runtime/monitoring/alerts.yml");
    let cases_text = std::fs::read_to_string(&cases).unwrap();
    std::fs::copy(&cases, folder.join("cases.yml")).unwrap();
    let mut promtool = Command::new("promtool");
    promtool.args(["test", "rules", "cases.yml"]).current_dir(&folder).stdin(Stdio::null());
    let said = promtool.output().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&[said.stdout, said.stderr].concat()));
    let alerts: Value = serde_yaml::from_str(&alerts).unwrap();
    for rule in alerts["groups"][0]["rules"].as_array().unwrap() {
        let name = text(&rule["alert"]);
        assert_eq!(
            cases_text.matches(&format!("alertname: {name}\n")).count(),
            2,
            "{name}: one that alerts and one that does not"
        );
    }
}
