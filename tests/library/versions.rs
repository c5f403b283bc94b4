//! Conditions about the versions of packages: `requires` and `may-be` of a rule.

use gpulint::rules::RuleSet;
use gpulint::settings::Settings;
use gpulint::sources::{Language, Source, Sources};
use std::path::Path;

/// A rule about every mask that a program sets, under a condition.
fn rule(condition: &str) -> String {
    format!(
        "id: mask-set\nsummary: a mask\nseverity: note\nlanguages: [python]\nwhy: test\nsources: [x]\n\
         find: {{event: write, variables: [CUDA_VISIBLE_DEVICES]}}\nwhen:\n  - {condition}\nmessage: set\nexamples: []\n"
    )
}

/// Whether the rule speaks, in a project with these requirements.
fn speaks(condition: &str, requirements: &str) -> bool {
    let mut sources = Sources::default();
    let files = [
        ("requirements.txt", requirements),
        ("train.py", "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'\nprint(1)\n"),
    ];
    for (name, text) in files {
        let language = Language::of_name(Path::new(name)).expect("a language");
        sources.files.push(Source::new(None, name.to_owned(), language, text.to_owned()));
    }
    let rule = rule(condition);
    let rules = RuleSet::read([("test/mask-set.yaml", rule.as_str())]).expect("a rule");
    let outcome = gpulint::check(&sources, &Settings::default(), &rules).expect("known rules");
    !outcome.findings.is_empty()
}

#[test]
fn requires_holds_where_the_versions_are_known_to_fit() {
    let condition = "requires: {torch: '>=2.4'}";
    assert!(speaks(condition, "torch==2.5.1\n"));
    assert!(!speaks(condition, "torch==2.3.1\n"));
    assert!(!speaks(condition, "torch>=2.0\n"));
    assert!(!speaks(condition, "numpy\n"));
}

#[test]
fn may_be_holds_where_nothing_says_otherwise() {
    let condition = "may-be: {torch: '<2.9', python: '<3.15'}";
    assert!(speaks(condition, "torch==2.5.1\n"));
    assert!(!speaks(condition, "torch==2.9.1\n"));
    assert!(speaks(condition, "torch>=2.0\n"));
    assert!(speaks(condition, "numpy\n"));
}

#[test]
fn a_range_that_is_none_is_refused() {
    let rule = rule("requires: {torch: 'new'}");
    let error = RuleSet::read([("test/mask-set.yaml", rule.as_str())]).expect_err("no range");
    assert!(format!("{error:#}").contains("`new` is no range"), "{error:#}");
}

#[test]
fn rules_about_names_ask_the_same_questions() {
    let rule = "id: old-name\nsummary: a name\nseverity: note\nlanguages: [python]\nwhy: test\nsources: [x]\n\
        find: {uses: {names: {torch.old: ~}}}\nwhen:\n  - requires: {torch: '>=2.4'}\nmessage: used\nexamples: []\n";
    let found = |requirements: &str| {
        let mut sources = Sources::default();
        for (name, text) in [("requirements.txt", requirements), ("train.py", "import torch\ntorch.old()\n")]
        {
            let language = Language::of_name(Path::new(name)).expect("a language");
            sources.files.push(Source::new(None, name.to_owned(), language, text.to_owned()));
        }
        let rules = RuleSet::read([("test/old-name.yaml", rule)]).expect("a rule");
        let outcome = gpulint::check(&sources, &Settings::default(), &rules).expect("known rules");
        outcome.findings.len()
    };
    assert_eq!(found("torch==2.5.1\n"), 1);
    assert_eq!(found("torch==2.3.1\n"), 0);
    assert_eq!(found("numpy\n"), 0);
}
