//! Any other YAML: maps that are the environment of somebody's program, and keys that choose a device.

use super::super::settings;
use super::containers::Gpus;
use super::kubernetes;
use super::reader::{Entry, Node};
use super::values::{References, variables};
use super::{Lowering, MASK, ORDER, set_all};
use crate::code::{Block, Host};
use crate::facts::Span;
use std::rc::Rc;

/// Keys whose maps are environments.
const ENVIRONMENTS: &[&str] = &[
    "env",
    "env_set",
    "envs",
    "env_vars",
    "environment",
    "environment_variables",
    "environments",
    "envvars",
    "extra_env",
    "extraenv",
    "extraenvs",
    "extraenvvars",
    "runtime_env",
    "variables",
    "vars",
    "container_env",
    "containerenv",
    "remoteenv",
];

/// Lowers a file whose keys nobody reads for certain.
pub fn lower<'s>(root: &Rc<Node<'s>>, lowering: &mut Lowering<'s>) {
    find(root, Span::new(0, 0), lowering);
    let mut visits = lowering.budget;
    let body = settings::steps(root, lowering.source, &mut visits);
    if !body.is_empty() {
        let line = lowering.source.text.find('\n').unwrap_or(lowering.source.text.len());
        lowering.add_unit(Span::new(0, line), "", Host::Machine, body);
    }
}

/// Looks for environments in a node that stands under `key`.
fn find<'s>(node: &Rc<Node<'s>>, key: Span, lowering: &mut Lowering<'s>) {
    if !lowering.spend(1) {
        return;
    }
    // The variables themselves are in no other kind of map.
    if node.entries().iter().any(is_mask) {
        return lower_environment(key, node, lowering);
    }
    for entry in node.entries() {
        let name = entry.key();
        if settings::is_documentation(name) {
            continue;
        }
        if is_environment(name) && sets_gpu_variable(&entry.value) {
            let gpus = node.get("resources").map(|resources| kubernetes::given(resources));
            match gpus.filter(|gpus| gpus.any) {
                Some(gpus) => lower_container(entry.key.span, &entry.value, gpus, lowering),
                None => lower_environment(entry.key.span, &entry.value, lowering),
            }
        } else {
            find(&entry.value, entry.key.span, lowering);
        }
    }
    node.items().iter().for_each(|item| find(item, key, lowering));
}

/// An environment as a unit of its own: somebody starts a program with it.
pub fn lower_environment<'s>(span: Span, node: &Node<'s>, lowering: &mut Lowering<'s>) {
    if !sets_gpu_variable(node) || !lowering.spend(node.span.range().len()) {
        return;
    }
    let body: Block<'s> = set_all(variables(node, References::Dollar, lowering.source)).collect();
    lowering.add_unit(span, "environment", Host::Machine, body);
}

/// An environment beside the GPUs that the scheduler shall choose, as in the values of a chart: that of a container.
fn lower_container<'s>(span: Span, node: &Node<'s>, gpus: Gpus, lowering: &mut Lowering<'s>) {
    if !lowering.spend(node.span.range().len()) {
        return;
    }
    let mut body: Block<'s> = gpus.steps(span);
    body.extend(set_all(variables(node, References::Dollar, lowering.source)));
    lowering.add_unit(span, "environment", Host::Container, body);
}

fn is_environment(key: &str) -> bool {
    let key = key.replace('-', "_").to_ascii_lowercase();
    ENVIRONMENTS.contains(&&*key) || key.ends_with("_env")
}

/// `CUDA_VISIBLE_DEVICES: 1`, and no prose about it.
fn is_mask(entry: &Entry<'_>) -> bool {
    let is_value = |text: &str| !text.contains(char::is_whitespace);
    matches!(entry.key(), MASK | ORDER) && entry.value.text().is_some_and(is_value)
}

fn sets_gpu_variable(node: &Node<'_>) -> bool {
    let about_gpus = |name: &str| {
        ["CUDA", "GPU", "NVIDIA", "HIP_", "ROCR_", "TORCH_"].iter().any(|word| name.contains(word))
    };
    let named = |item: &Rc<Node<'_>>| {
        let name = item.text().or_else(|| item.get("name")?.text());
        name.is_some_and(|name| about_gpus(name.split('=').next().unwrap_or_default()))
    };
    node.entries().iter().any(|entry| about_gpus(entry.key())) || node.items().iter().any(named)
}
