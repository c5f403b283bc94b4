//! `gpulint rule` and `gpulint rules`.

use crate::project::Project;

#[test]
fn a_page_for_a_rule() {
    let answer = Project::new().run("rule missing-device-order");
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""));
    for part in [
        "# missing-device-order\n",
        "- family: pinning\n",
        "- severity: warning; error when the policy has a `gpu` section\n",
        "## Why\n",
        "## Examples\n",
    ] {
        assert!(answer.stdout.contains(part), "{part}: {}", answer.stdout);
    }
}

#[test]
fn an_unknown_rule() {
    let project = Project::new();
    project
        .run("rule missing-devise-order")
        .fails(2, "error: there is no rule `missing-devise-order`; did you mean `missing-device-order`?");
    project.run("rule zzz").fails(2, "error: there is no rule `zzz`; `gpulint rules` lists them all");
    let family = "error: `pinning` is a family of rules; `gpulint rules` lists its rules";
    project.run("rule pinning").fails(2, family);
}

/// What is wrong comes before what is fine, whatever the order in the file of the rule.
#[test]
fn a_page_begins_with_what_is_wrong() {
    for rule in ["missing-visible-devices", "load-without-map-location", "missing-device-order"] {
        let page = Project::new().run(&format!("rule {rule}"));
        let verdicts = page.stdout.lines().filter(|line| line.starts_with("Bad") || *line == "Good:");
        let verdicts: Vec<&str> = verdicts.collect();
        assert!(verdicts[0].starts_with("Bad, found"), "{rule}: {verdicts:?}");
        assert!(verdicts.contains(&"Good:"), "{rule}: {verdicts:?}");
    }
}

#[test]
fn explain_is_another_name_for_rule() {
    let pages = ["rule", "explain"].map(|name| Project::new().run(&format!("{name} gpu-env-not-exported")));
    assert_eq!((pages[0].code, &pages[0].stdout), (Some(0), &pages[1].stdout));
    let advice = "Write `export VARIABLE=…`, or put it on the line of the command.";
    assert!(pages[0].stdout.contains(advice), "{:?}", pages[0]);
}

#[test]
fn the_list() {
    let project = Project::new();
    let text = project.run("rules");
    assert!(text.stdout.contains("pinning:\n"), "{text:?}");
    let markdown = project.run("rules --format markdown").stdout;
    assert!(
        markdown.starts_with("| rule | family | severity | with a policy | what it finds |\n|---|"),
        "{markdown}"
    );
    assert!(
        markdown
            .contains("\n| [`missing-device-order`](#missing-device-order) | pinning | warning | error |"),
        "{markdown}"
    );
    assert!(markdown.contains("\n## missing-device-order\n"), "{markdown}");
    let json = project.run("rules --format json").json();
    let rules = json["rules"].as_array().expect("an array");
    let rule = rules.iter().find(|rule| rule["id"] == "missing-device-order").expect("the rule");
    for key in ["family", "severity", "confidence", "languages", "fix", "sources"] {
        assert!(rule.get(key).is_some(), "{key}: {rule}");
    }
    for verdict in ["bad", "good", "fixed"] {
        let texts = rule["examples"][verdict].as_array().expect("a list");
        assert!(texts.iter().all(|text| text.is_string()), "{rule}");
    }
    assert!(!rule["examples"]["bad"].as_array().expect("a list").is_empty());
}

/// That all others hold is asked of each by name: `cargo test --test rules`.
#[test]
fn examples_of_named_rules() {
    let answer = Project::new().run("rules test missing-device-order");
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert!(answer.stdout.ends_with(" examples of 1 rule, 0 failed\n"), "{answer:?}");
    let answer = Project::new().run("rules test missing-device-ordre");
    assert_eq!(answer.code, Some(2), "{answer:?}");
    assert!(
        answer
            .stderr
            .contains("there is no rule `missing-device-ordre`; did you mean `missing-device-order`?")
    );
}
