//! Runners of tasks that are written in YAML: Task, DVC, Azure Pipelines, Buildkite, SkyPilot, and the commands of Ansible.

use super::super::command_lines::{Literal, change_folder};
use super::super::interpreters::{self, Interpreter};
use super::reader::Node;
use super::values::{References, merged, value, variables};
use super::{Lowering, set_all};
use crate::code::{Block, Host, Statement, StatementKind};
use crate::facts::Span;
use std::rc::Rc;

/// Lists and maps of jobs are followed this deep.
const MAX_DEPTH: usize = 10;

/// Which of them a file is for; `None` when for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runner {
    Task,
    Dvc,
    Azure,
    Buildkite,
    Sky,
    Ansible,
}

impl Runner {
    /// `name` is that of the file in the project.
    pub fn of(root: &Node<'_>, name: &str) -> Option<Runner> {
        let name = name.to_ascii_lowercase();
        let (folders, file) = name.rsplit_once('/').unwrap_or(("", &name));
        let has = |key: &str| root.get(key).is_some();
        let lies_in = |begin: &str| folders.split('/').any(|folder| folder.starts_with(begin));
        if file.starts_with("taskfile.") && has("tasks") {
            return Some(Runner::Task);
        }
        if file == "dvc.yaml" && has("stages") {
            return Some(Runner::Dvc);
        }
        let is_azure = file.contains("azure-pipelines") || lies_in(".azure") || lies_in("azure-pipelines");
        if is_azure && ["steps", "jobs", "stages"].iter().any(|key| has(key)) {
            return Some(Runner::Azure);
        }
        if lies_in(".buildkite") && has("steps") {
            return Some(Runner::Buildkite);
        }
        if has("run") && (has("resources") || has("setup") || has("envs")) && !has("jobs") {
            return Some(Runner::Sky);
        }
        let plays = |item: &Rc<Node<'_>>| item.get("hosts").is_some() || command_of(item).is_some();
        root.items().iter().any(plays).then_some(Runner::Ansible)
    }
}

pub fn lower<'s>(root: &Rc<Node<'s>>, runner: Runner, lowering: &mut Lowering<'s>) {
    match runner {
        Runner::Task => lower_taskfile(root, lowering),
        Runner::Dvc => {
            for stage in root.get("stages").map(|stages| stages.entries()).unwrap_or_default() {
                // `foreach` and `do`: a stage that is made for each of some values.
                let node = stage.value.get("do").unwrap_or(&stage.value);
                let body = shell_of(node.get("cmd"), node.get("wdir"), lowering);
                add(stage.key.span, format!("stage `{}`", stage.key()), &[], body, lowering);
            }
        }
        Runner::Azure => lower_azure(root, &layers(&[], root, "variables"), 0, lowering),
        Runner::Buildkite => lower_buildkite(root, &layers(&[], root, "env"), 0, lowering),
        Runner::Sky => {
            let mut body = shell_of(root.get("setup"), root.get("workdir"), lowering);
            body.extend(shell_of(root.get("run"), root.get("workdir"), lowering));
            let Some(run) = root.entries().iter().find(|entry| entry.key() == "run") else { return };
            add(run.key.span, "task".to_owned(), &layers(&[], root, "envs"), body, lowering);
        }
        Runner::Ansible => lower_plays(root, &[], 0, lowering),
    }
}

/// The maps that set variables, with one more where a node has it under this key. Inner ones win.
fn layers<'s>(outer: &[Rc<Node<'s>>], node: &Node<'s>, key: &str) -> Vec<Rc<Node<'s>>> {
    outer.iter().chain(node.get(key)).cloned().collect()
}

fn add<'s>(span: Span, name: String, set: &[Rc<Node<'s>>], started: Block<'s>, lowering: &mut Lowering<'s>) {
    if started.is_empty() || !lowering.spend(set.iter().map(|map| map.span.range().len()).sum()) {
        return;
    }
    let set = set.iter().map(|map| variables(map, References::Dollar, lowering.source));
    let mut body: Block<'s> = set_all(merged(set.collect())).collect();
    body.extend(started);
    lowering.add_unit(span, name, Host::Machine, body);
}

/// Commands, one or several, each in a shell of its own.
fn shell_of<'s>(
    node: Option<&Rc<Node<'s>>>,
    folder: Option<&Rc<Node<'s>>>,
    lowering: &mut Lowering<'s>,
) -> Block<'s> {
    script_of(node, folder, Interpreter::Posix, lowering)
}

fn script_of<'s>(
    node: Option<&Rc<Node<'s>>>,
    folder: Option<&Rc<Node<'s>>>,
    interpreter: Interpreter,
    lowering: &mut Lowering<'s>,
) -> Block<'s> {
    let mut body = Vec::new();
    for node in node.map(|node| node.one_or_more()).unwrap_or_default() {
        let Some(text) = node.text().filter(|text| lowering.spend(text.len())) else { continue };
        let script = Literal { text, origin: node.origin(lowering.source) };
        let mut steps: Block<'s> = Vec::new();
        steps.extend(folder.map(|folder| change_folder(value(folder, References::Dollar, lowering.source))));
        let started = interpreters::lower(interpreter, &script, lowering.source, &mut lowering.code).steps;
        if !started.is_empty() {
            steps.extend(started);
            body.push(Statement { span: node.span, kind: StatementKind::Apart(steps) });
        }
    }
    body
}

fn lower_taskfile<'s>(root: &Rc<Node<'s>>, lowering: &mut Lowering<'s>) {
    let shared = layers(&[], root, "env");
    for task in root.get("tasks").map(|tasks| tasks.entries()).unwrap_or_default() {
        let node = &task.value;
        let mut body = Vec::new();
        // `train: python train.py`, or a list of commands, each a text or `{cmd: …}`.
        let all = node.get("cmds").or_else(|| node.get("cmd")).unwrap_or(node);
        for command in all.one_or_more() {
            let command = command.get("cmd").unwrap_or(command);
            body.extend(shell_of(Some(command), node.get("dir"), lowering));
        }
        add(task.key.span, format!("task `{}`", task.key()), &layers(&shared, node, "env"), body, lowering);
    }
}

/// Stages hold jobs, and jobs hold steps; each may set variables for what is in it.
fn lower_azure<'s>(node: &Rc<Node<'s>>, set: &[Rc<Node<'s>>], depth: usize, lowering: &mut Lowering<'s>) {
    if depth > MAX_DEPTH || !lowering.spend(1) {
        return;
    }
    for below in ["stages", "jobs"].iter().filter_map(|key| node.get(key)).flat_map(|list| list.items()) {
        lower_azure(below, &layers(set, below, "variables"), depth + 1, lowering);
    }
    for step in node.get("steps").map(|steps| steps.items()).unwrap_or_default() {
        let kinds = [
            ("script", Interpreter::Posix),
            ("bash", Interpreter::Posix),
            ("pwsh", Interpreter::PowerShell),
            ("powershell", Interpreter::PowerShell),
        ];
        for (key, interpreter) in kinds {
            let Some(script) = step.entries().iter().find(|entry| entry.key() == key) else { continue };
            let body = script_of(Some(&script.value), step.get("workingDirectory"), interpreter, lowering);
            let name = "step of a pipeline".to_owned();
            add(script.key.span, name, &layers(set, step, "env"), body, lowering);
        }
    }
}

/// A step has one command or several, which one shell runs; a group has steps of its own.
fn lower_buildkite<'s>(node: &Rc<Node<'s>>, set: &[Rc<Node<'s>>], depth: usize, lowering: &mut Lowering<'s>) {
    if depth > MAX_DEPTH || !lowering.spend(1) {
        return;
    }
    for step in node.get("steps").map(|steps| steps.items()).unwrap_or_default() {
        let set = layers(set, step, "env");
        lower_buildkite(step, &set, depth + 1, lowering);
        let Some(run) = step.entries().iter().find(|one| matches!(one.key(), "command" | "commands")) else {
            continue;
        };
        let mut body: Block<'s> = Vec::new();
        for command in shell_of(Some(&run.value), None, lowering) {
            match command.kind {
                StatementKind::Apart(steps) => body.extend(steps),
                _ => body.push(command),
            }
        }
        add(run.key.span, "step of a pipeline".to_owned(), &set, body, lowering);
    }
}

/// `command: python train.py`, or `ansible.builtin.shell: {cmd: …}`: the command and whether a shell reads it.
fn command_of<'n, 's>(task: &'n Rc<Node<'s>>) -> Option<&'n Rc<Node<'s>>> {
    const MODULES: &[&str] = &[
        "command",
        "shell",
        "ansible.builtin.command",
        "ansible.builtin.shell",
        "ansible.legacy.command",
        "ansible.legacy.shell",
    ];
    let given = MODULES.iter().find_map(|name| task.get(name))?;
    Some(given.get("cmd").unwrap_or(given)).filter(|command| command.text().is_some())
}

fn lower_plays<'s>(list: &Rc<Node<'s>>, set: &[Rc<Node<'s>>], depth: usize, lowering: &mut Lowering<'s>) {
    if depth > MAX_DEPTH {
        return;
    }
    for item in list.items() {
        if !lowering.spend(1) {
            return;
        }
        let set = layers(set, item, "environment");
        if let Some(command) = command_of(item) {
            let folder = item.get("args").and_then(|args| args.get("chdir"));
            let body = shell_of(Some(command), folder, lowering);
            let name = item.get("name").and_then(|name| name.text()).unwrap_or("task");
            add(command.span, format!("task `{name}`"), &set, body, lowering);
            continue;
        }
        for tasks in ["pre_tasks", "tasks", "post_tasks", "block", "rescue", "always"] {
            if let Some(tasks) = item.get(tasks) {
                lower_plays(tasks, &set, depth + 1, lowering);
            }
        }
    }
}
