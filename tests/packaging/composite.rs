//! Runs the steps of `action.yml` as GitHub's runner does: their conditions and values are evaluated, their scripts
//! executed by the shell that they name. Steps that use another action are written down and not executed.

use crate::scratch::{BINARY, REPOSITORY, Scratch, printed};
use serde_yaml::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A job with one step, which uses the action.
pub struct Job<'a> {
    project: &'a Scratch,
    action: PathBuf,
    inputs: Vec<(&'a str, &'a str)>,
    variables: Vec<(&'a str, String)>,
    event_base: String,
    uploads_fail: bool,
    os: &'static str,
}

/// What the job did.
pub struct Ran {
    /// That of the first step that failed.
    pub exit_code: i32,
    pub text: String,
    /// Outputs of the action.
    pub outputs: BTreeMap<String, String>,
    /// What was written to the summary of the job.
    pub summary: String,
    /// Outputs of each step that ran, by its id.
    pub steps: BTreeMap<String, BTreeMap<String, String>>,
    /// The other actions that were used, each with its inputs.
    pub used: Vec<(String, BTreeMap<String, String>)>,
}

impl<'a> Job<'a> {
    /// With the binary under test, so that nothing is compiled again, and without questions to GitHub.
    pub fn new(project: &'a Scratch, inputs: &[(&'a str, &'a str)]) -> Job<'a> {
        let defaults = [("binary", BINARY), ("sarif", "never")];
        // The other stage uploads no SARIF and refuses to be asked about it.
        let count = if inputs.contains(&("stage", "runtime")) { 1 } else { 2 };
        Job {
            project,
            action: REPOSITORY.into(),
            inputs: inputs.iter().copied().chain(defaults.into_iter().take(count)).collect(),
            variables: Vec::new(),
            event_base: String::new(),
            uploads_fail: false,
            os: "Linux",
        }
    }

    pub fn env(mut self, name: &'a str, value: impl Into<String>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    /// A pull request, or a merge group, with this base.
    pub fn event(self, name: &str, base: &str) -> Self {
        Job { event_base: base.to_owned(), ..self }.env("GITHUB_EVENT_NAME", name)
    }

    pub fn without_binary(mut self) -> Self {
        self.inputs.insert(0, ("binary", ""));
        self
    }

    pub fn uploads_fail(self) -> Self {
        Job { uploads_fail: true, ..self }
    }

    /// The action as it lies in another folder.
    pub fn action_at(self, action: &Path) -> Self {
        Job { action: action.to_owned(), ..self }
    }

    pub fn on_windows(self) -> Self {
        Job { os: "Windows", ..self }
    }

    /// Runs all steps.
    pub fn run(self) -> Ran {
        self.run_until("")
    }

    /// Runs the steps up to and including one; all of them when it has no name.
    pub fn run_until(&self, last: &str) -> Ran {
        let action = action();
        let mut ran = Ran {
            exit_code: 0,
            text: String::new(),
            outputs: BTreeMap::new(),
            summary: String::new(),
            steps: BTreeMap::new(),
            used: Vec::new(),
        };
        for step in steps(&action) {
            let id = step["id"].as_str().unwrap_or_default();
            let condition = step["if"].as_str().unwrap_or("true");
            let condition = condition.trim_start_matches("${{").trim_end_matches("}}");
            // What follows a failed step runs only where it asks for that.
            if ran.exit_code != 0 && !condition.contains("always()")
                || !self.evaluate(condition, &action, &ran).is_true()
            {
                continue;
            }
            match step["uses"].as_str() {
                Some(used) => self.note_use(step, id, used, &action, &mut ran),
                None => self.run_script(step, id, &action, &mut ran),
            }
            if !last.is_empty() && id.trim_end_matches("-windows") == last {
                break;
            }
        }
        for (name, output) in action["outputs"].as_mapping().unwrap() {
            let value = self.filled(output["value"].as_str().unwrap(), &action, &ran);
            ran.outputs.insert(name.as_str().unwrap().to_owned(), value);
        }
        ran
    }

    fn note_use(&self, step: &Value, id: &str, used: &str, action: &Value, ran: &mut Ran) {
        let with = step["with"].as_mapping().unwrap().iter();
        let with = with.map(|(name, value)| {
            (name.as_str().unwrap().to_owned(), self.filled(value.as_str().unwrap(), action, ran))
        });
        let with = with.collect();
        ran.used.push((used.to_owned(), with));
        let failed = ["upload", "artifact"].contains(&id) && self.uploads_fail;
        assert!(!failed || step["continue-on-error"].as_bool() == Some(true));
        let outcome = if failed { "failure" } else { "success" };
        ran.steps.entry(id.to_owned()).or_default().insert("outcome".to_owned(), outcome.to_owned());
    }

    fn run_script(&self, step: &Value, id: &str, action: &Value, ran: &mut Ran) {
        let temporary = self.project.path().join("runner temp");
        std::fs::create_dir_all(&temporary).unwrap();
        for file in ["output", "env", "path", "summary"] {
            std::fs::write(temporary.join(file), "").unwrap();
        }
        let script = step["run"].as_str().unwrap();
        let mut shell = match step["shell"].as_str().unwrap() {
            // The command lines that GitHub documents.
            "bash" => {
                let file = temporary.join("step.sh");
                std::fs::write(&file, script).unwrap();
                let mut bash = self.project.command("bash");
                bash.args(["--noprofile", "--norc", "-e", "-o", "pipefail"]).arg(file);
                bash
            }
            "powershell" => {
                let file = temporary.join("step.ps1");
                let end = "if ((Test-Path -LiteralPath variable:\\LASTEXITCODE)) { exit $LASTEXITCODE }";
                std::fs::write(&file, format!("$ErrorActionPreference = 'stop'\n{script}\n{end}\n")).unwrap();
                let mut pwsh = self.project.command("pwsh");
                pwsh.args(["-NoProfile", "-command"]).arg(format!(". '{}'", file.display()));
                pwsh
            }
            other => panic!("no such shell: {other}"),
        };
        let folder = self.filled(step["working-directory"].as_str().unwrap_or("."), action, ran);
        shell
            .current_dir(self.project.path().join(folder))
            .env("CI", "true")
            .env("GITHUB_ACTIONS", "true")
            .env("GITHUB_ACTION_PATH", &self.action)
            .env("GITHUB_WORKSPACE", self.project.path())
            .env("GITHUB_EVENT_NAME", "push")
            .env("GITHUB_REPOSITORY", "someone/project")
            .env("GITHUB_API_URL", "http://127.0.0.1:9")
            .env("GITHUB_OUTPUT", temporary.join("output"))
            .env("GITHUB_ENV", temporary.join("env"))
            .env("GITHUB_PATH", temporary.join("path"))
            .env("GITHUB_STEP_SUMMARY", temporary.join("summary"))
            .env("RUNNER_OS", self.os)
            .env("RUNNER_ARCH", "X64")
            .env("RUNNER_TEMP", &temporary)
            .envs(self.variables.iter().map(|(name, value)| (name, value)));
        for (name, value) in step["env"].as_mapping().into_iter().flatten() {
            shell.env(name.as_str().unwrap(), self.filled(value.as_str().unwrap(), action, ran));
        }
        let output = shell.output().expect("the shell is installed");
        ran.text += &printed(&output);
        // A job has failed when one of its steps has.
        if ran.exit_code == 0 {
            ran.exit_code = output.status.code().unwrap_or(-1);
        }
        ran.summary += &std::fs::read_to_string(temporary.join("summary")).unwrap();
        let written = std::fs::read_to_string(temporary.join("output")).unwrap();
        let written = written.lines().filter_map(|line| line.split_once('='));
        let written = written.map(|(name, value)| (name.to_owned(), value.to_owned()));
        ran.steps.entry(id.to_owned()).or_default().extend(written);
    }

    /// Replaces each `${{ … }}` by its value.
    fn filled(&self, text: &str, action: &Value, ran: &Ran) -> String {
        let mut result = text.to_owned();
        for expression in expressions(text) {
            let value = self.evaluate(&expression, action, ran);
            result = result.replace(&format!("${{{{ {expression} }}}}"), &value);
        }
        result
    }

    fn evaluate(&self, expression: &str, action: &Value, ran: &Ran) -> String {
        let value_of = |name: &str| self.value_of(name, action, ran);
        any_of(expression.trim(), &value_of)
    }

    fn value_of(&self, name: &str, action: &Value, ran: &Ran) -> String {
        let parts: Vec<_> = name.split('.').collect();
        match parts.as_slice() {
            ["true"] | ["always()"] => "true".to_owned(),
            ["runner", "os"] => self.os.to_owned(),
            ["runner", "temp"] => self.project.path().join("runner temp").display().to_string(),
            ["github", "token"] => "a-token".to_owned(),
            ["github", "event", "pull_request", "base", "sha"] => self.event_base.clone(),
            ["github", "event", ..] => String::new(),
            ["steps", id, "outputs", output] | ["steps", id, output @ "outcome"] => {
                ran.steps.get(*id).and_then(|step| step.get(*output)).cloned().unwrap_or_default()
            }
            ["inputs", input] => {
                let given = self.inputs.iter().find(|(name, _)| name == input).map(|(_, value)| *value);
                match given.or(action["inputs"][*input]["default"].as_str()).unwrap_or_default() {
                    "${{ github.token }}" => self.value_of("github.token", action, ran),
                    value => value.to_owned(),
                }
            }
            _ => panic!("unknown: {name}"),
        }
    }
}

trait Truth {
    fn is_true(&self) -> bool;
}

impl Truth for String {
    fn is_true(&self) -> bool {
        !self.is_empty()
    }
}

/// GitHub's expressions, as far as the action needs them: `||`, `&&`, `==`, `!=`, brackets around a whole side, words
/// in quotes and names. What is false is empty.
fn any_of(text: &str, value_of: &dyn Fn(&str) -> String) -> String {
    let comparison = [("==", true), ("!=", false)];
    let found = comparison.iter().find_map(|(sign, equal)| Some((outside_brackets(text, sign)?, *equal)));
    if let Some(at) = outside_brackets(text, "||") {
        let first = any_of(text[..at].trim(), value_of);
        return if first.is_true() { first } else { any_of(text[at + 2..].trim(), value_of) };
    }
    if let Some(at) = outside_brackets(text, "&&") {
        let first = any_of(text[..at].trim(), value_of);
        return if first.is_true() { any_of(text[at + 2..].trim(), value_of) } else { first };
    }
    if let Some((at, equal)) = found {
        let sides = [&text[..at], &text[at + 2..]].map(|side| any_of(side.trim(), value_of));
        return if (sides[0] == sides[1]) == equal { "true".to_owned() } else { String::new() };
    }
    if let Some(inside) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        return any_of(inside.trim(), value_of);
    }
    match text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        Some(word) => word.to_owned(),
        None => value_of(text),
    }
}

fn outside_brackets(text: &str, sign: &str) -> Option<usize> {
    let depth = |at: usize| text[..at].matches('(').count() == text[..at].matches(')').count();
    text.match_indices(sign).map(|(at, _)| at).find(|&at| depth(at))
}

/// The names inside each `${{ … }}` of a text.
pub fn expressions(text: &str) -> Vec<String> {
    let parts = text.split("${{").skip(1);
    parts.filter_map(|part| part.split_once("}}")).map(|(name, _)| name.trim().to_owned()).collect()
}

pub fn action() -> Value {
    let text = std::fs::read_to_string(Path::new(REPOSITORY).join("action.yml")).unwrap();
    serde_yaml::from_str(&text).expect("action.yml is YAML")
}

pub fn steps(action: &Value) -> Vec<&Value> {
    action["runs"]["steps"].as_sequence().expect("steps").iter().collect()
}
