//! What can be asked, and who answers it.

use crate::examples;
use crate::files::{Project, Refused};
use crate::fixed;
use gpulint_base::findings::Severity;
use gpulint_report::{Format, Report, ShownOn, render};
use gpulint_rules::RuleSet;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A question, as JSON: `{"ask": "check", "files": {"main.py": "…"}}`.
#[derive(Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "lowercase", deny_unknown_fields)]
pub enum Question {
    /// Which rules there are.
    Rules,
    /// The examples of a rule.
    Examples { rule: String },
    /// What is wrong with these files.
    Check(Project),
    /// The files as the fixes of a rule leave them, or all safe ones.
    Fix {
        project: Project,
        /// The rule whose findings are fixed, whatever that may change.
        #[serde(default)]
        rule: Option<String>,
    },
}

/// What a check found.
#[derive(Serialize)]
struct Checked {
    /// What `gpulint check --format json --min-severity note` prints.
    report: Box<RawValue>,
    /// What to do about each of its findings, in their order.
    advice: Vec<Option<String>>,
    /// Keys of the policy that mean other files, which are not here.
    unheard: Vec<&'static str>,
}

/// The answer, whatever was asked: where it cannot be had, it says why.
pub fn answer_to(asked: &[u8]) -> String {
    let answer = match serde_json::from_slice(asked) {
        Ok(Question::Rules) => written(&examples::rules()),
        Ok(Question::Examples { rule }) => examples::of_rule(&rule).and_then(|found| written(&found)),
        Ok(Question::Check(project)) => checked(&project).and_then(|found| written(&found)),
        Ok(Question::Fix { project, rule }) => {
            fixed::by(&project, rule.as_deref()).and_then(|found| written(&found))
        }
        Err(error) => Err(Refused::because(error)),
    };
    answer.unwrap_or_else(|reason| serde_json::to_string(&reason).unwrap_or_default())
}

/// The answer that says why there is none.
pub fn refusal(reason: &str) -> String {
    serde_json::to_string(&Refused::because(reason)).unwrap_or_default()
}

fn written(answer: &impl Serialize) -> Result<String, Refused> {
    serde_json::to_string(answer).map_err(Refused::because)
}

fn checked(project: &Project) -> Result<Checked, Refused> {
    let settings = project.settings()?;
    let sources = project.sources(&settings);
    let rules = RuleSet::embedded();
    let outcome = gpulint_check::check(&sources, &settings, rules).map_err(Refused::because)?;
    let report = Report {
        sources: &sources,
        rules,
        findings: &outcome.findings,
        checked: outcome.checked.len(),
        skipped: &outcome.skipped,
        unfinished: &outcome.unfinished,
        min_severity: Severity::Note,
        has_policy: settings.has_policy(),
        fail_on: Severity::Warning,
        colour: false,
        shown_on: ShownOn::Paper,
        is_quiet: false,
        below_repository: "",
        on_github: false,
        corrections: None,
        fixed: None,
    };
    let mut document = Vec::new();
    render(&report, Format::Json, &mut document).map_err(Refused::because)?;
    Ok(Checked {
        report: serde_json::from_slice(&document).map_err(Refused::because)?,
        advice: outcome.findings.iter().map(|finding| finding.advice.clone()).collect(),
        unheard: project.unheard(&settings),
    })
}

#[cfg(test)]
mod tests {
    use super::answer_to;
    use serde_json::{Value, json};

    const INDEX: &str =
        "import os\nos.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"\nimport torch\ntorch.cuda.init()\n";

    fn asked(question: &Value) -> Value {
        serde_json::from_str(&answer_to(question.to_string().as_bytes())).expect("an answer is JSON")
    }

    fn found(answer: &Value) -> Vec<(&str, u64)> {
        let findings = answer["report"]["findings"].as_array().expect("findings");
        findings.iter().map(|one| (one["rule"].as_str().unwrap(), one["line"].as_u64().unwrap())).collect()
    }

    #[test]
    fn files_are_checked_together_and_under_their_policy() {
        let files = json!({"main.py": "import cards\nimport torch\ntorch.cuda.init()\n", "cards.py": INDEX.split_once("import torch").unwrap().0});
        let answer = asked(&json!({"ask": "check", "files": files}));
        assert_eq!(found(&answer), [("missing-device-order", 2)], "{answer:#}");
        assert_eq!(answer["report"]["findings"][0]["path"], "cards.py");
        assert!(answer["advice"][0].as_str().unwrap().contains("PCI_BUS_ID"), "{answer:#}");

        let policy = "rules: {ignore: [missing-device-order], paths: [own]}\nexclude: [legacy]\n";
        let files = json!({"main.py": INDEX, "legacy/old.py": "import torch\ntorch.device('cuda:x')\n", "gpulint.yaml": policy});
        let answer = asked(&json!({"ask": "check", "files": files}));
        assert_eq!(found(&answer), [], "{answer:#}");
        assert_eq!(answer["unheard"], json!(["rules.paths"]));
    }

    #[test]
    fn a_policy_that_cannot_be_used_is_told_with_its_line() {
        let files = json!({"main.py": INDEX, "gpulint.yaml": "\ngpus: {}\n"});
        let answer = asked(&json!({"ask": "check", "files": files}));
        assert!(answer["refused"].as_str().unwrap().contains("did you mean `gpu`?"), "{answer:#}");
        assert_eq!((&answer["path"], &answer["line"]), (&json!("gpulint.yaml"), &json!(2)));
        assert!(asked(&json!({"ask": "what"}))["refused"].is_string());
    }

    #[test]
    fn fixes_of_a_rule_are_made() {
        let project = json!({"files": {"main.py": INDEX}});
        let answer = asked(&json!({"ask": "fix", "project": project, "rule": "missing-device-order"}));
        let text = answer["files"]["main.py"].as_str().expect("it changes");
        assert!(text.contains("CUDA_DEVICE_ORDER"), "{answer:#}");
        assert_eq!(answer["made"], 1);
        let again = json!({"files": {"main.py": text}});
        let answer = asked(&json!({"ask": "fix", "project": again}));
        assert_eq!((&answer["made"], &answer["files"]), (&json!(0), &json!({})));
    }

    #[test]
    fn the_first_example_of_each_rule_shows_its_finding() {
        let rules = asked(&json!({"ask": "rules"}));
        let rules = rules.as_array().expect("a list");
        assert!(rules.len() > 200, "{}", rules.len());
        for rule in rules {
            let id = rule["id"].as_str().expect("an id");
            let examples = asked(&json!({"ask": "examples", "rule": id}));
            let example = &examples[0];
            let mut question = json!({"ask": "check", "files": example["files"], "rule": id});
            question["mode"] = example["mode"].clone();
            let answer = asked(&question);
            assert!(found(&answer).iter().any(|(rule, _)| *rule == id), "{id}: {answer:#}");
        }
    }
}
