//! Pipelines of GitLab: each job is a unit, whose `before_script` and `script` are lines of one shell. Jobs whose
//! names begin with a dot are only there for others to extend.

use super::super::command_lines::Literal;
use super::super::interpreters::{self, Interpreter};
use super::layers::Layers;
use super::reader::{Entry, Node, Value};
use super::values::{References, merged, unknown, variables};
use super::{Lowering, set_all};
use crate::code::{Block, Export, Host, SetVariable, Statement, StatementKind};
use std::rc::Rc;

/// Keys beside the jobs.
const NO_JOBS: &[&str] = &[
    "after_script",
    "before_script",
    "cache",
    "default",
    "image",
    "include",
    "services",
    "spec",
    "stages",
    "variables",
    "workflow",
];

/// Lists in lists of commands are followed this deep.
const MAX_DEPTH: usize = 10;

/// Lowers a pipeline.
pub fn lower<'s>(root: &Rc<Node<'s>>, lowering: &mut Lowering<'s>) {
    for job in root.entries() {
        let name = job.key();
        let is_job =
            !name.starts_with('.') && !NO_JOBS.contains(&name) && matches!(job.value.value, Value::Map(_));
        if is_job && lowering.spend(job.value.span.range().len()) {
            lower_job(root, job, lowering);
        }
    }
}

fn lower_job<'s>(root: &Rc<Node<'s>>, entry: &Entry<'s>, lowering: &mut Lowering<'s>) {
    let bases = |job: &Node<'s>| {
        let names = job.get("extends").map_or(&[][..], |extends| extends.one_or_more());
        names.iter().filter_map(|name| name.text()).collect()
    };
    let job = Layers::of(&entry.value, root, bases);
    let source = lowering.source;
    let mut layers: Vec<Vec<SetVariable<'s>>> = Vec::new();
    let inherits = job.get("inherit").and_then(|inherit| inherit.get("variables")?.text()) != Some("false");
    layers.extend(
        root.get("variables").filter(|_| inherits).map(|map| variables(map, References::Dollar, source)),
    );
    layers.extend(job.all("variables").map(|map| variables(map, References::Dollar, source)));
    layers.push(of_matrix(&job));
    let mut body: Block<'s> = Vec::new();
    if names_another(&job, root) {
        // It stands in a file that is included.
        let span = entry.key.span;
        body.push(Statement { span, kind: StatementKind::Source(unknown(span)) });
    }
    body.extend(set_all(merged(layers)));
    let shared =
        |key: &str| root.get("default").and_then(|default| default.get(key)).or_else(|| root.get(key));
    let mut lines = Vec::new();
    for script in [job.get("before_script").or_else(|| shared("before_script")), job.get("script")] {
        script.iter().for_each(|script| lower_lines(script, &mut lines, 0, lowering));
    }
    if let Some(script) = job.get("after_script").or_else(|| shared("after_script")) {
        // It runs in a shell of its own, with the variables of the job.
        body.push(Statement { span: entry.key.span, kind: StatementKind::Apart(lines) });
        lines = Vec::new();
        lower_lines(script, &mut lines, 0, lowering);
    }
    body.extend(lines);
    let tags = job.get("tags").or_else(|| shared("tags"));
    let has_image = job.get("image").or_else(|| shared("image")).is_some();
    lowering.add_unit(entry.key.span, format!("job `{}`", entry.key()), host(tags, has_image), body);
}

/// Whether a job extends one that this file does not have.
fn names_another(job: &Layers<'_>, root: &Node<'_>) -> bool {
    let named = job.all("extends").flat_map(|extends| extends.one_or_more());
    named.filter_map(|name| name.text()).any(|name| root.get(name).is_none())
}

/// `parallel: {matrix: [{GPU: ["0", "1"]}]}`: each job gets one of the values.
fn of_matrix<'s>(job: &Layers<'s>) -> Vec<SetVariable<'s>> {
    let matrix = job.get("parallel").and_then(|parallel| parallel.get("matrix").cloned());
    let mut set = Vec::new();
    for entry in matrix.iter().flat_map(|matrix| matrix.items()).flat_map(|item| item.entries()) {
        let Some(name) = entry.key.text() else { continue };
        let value = Some(unknown(entry.value.span));
        set.push(SetVariable {
            name: name.into(),
            span: entry.span(),
            value,
            export: Export::Yes,
            only_if_unset: false,
        });
    }
    set
}

/// Commands: one text, or a list of them.
fn lower_lines<'s>(node: &Node<'s>, block: &mut Block<'s>, depth: usize, lowering: &mut Lowering<'s>) {
    for item in node.items() {
        if depth < MAX_DEPTH {
            lower_lines(item, block, depth + 1, lowering);
        }
    }
    if let Some(text) = node.text()
        && lowering.spend(text.len())
    {
        let script = Literal { text, origin: node.origin(lowering.source) };
        block.extend(
            interpreters::lower(Interpreter::Posix, &script, lowering.source, &mut lowering.code).steps,
        );
    }
}

/// A runner that nobody asked for by its tags has no GPU, like those that GitLab hosts.
fn host(tags: Option<&Rc<Node<'_>>>, has_image: bool) -> Host {
    let tags: Vec<&str> =
        tags.iter().flat_map(|tags| tags.one_or_more()).filter_map(|tag| tag.text()).collect();
    let hosted = |tag: &&str| tag.starts_with("saas-") && !tag.contains("gpu");
    if tags.iter().all(hosted) {
        return Host::NoGpu;
    }
    if has_image { Host::Container } else { Host::Machine }
}
