//! Kubernetes manifests: every container of every kind of workload, and settings in config maps.

use super::command_words;
use super::environments;
use super::reader::{Node, Value};
use super::values::{References, variables};
use super::{Lowering, change_folder, pinned, set_all};
use crate::code::{Block, Host, Step, StepKind};
use std::rc::Rc;

/// Resources that stand for GPUs.
const GPUS: &[&str] = &["nvidia.com/gpu", "nvidia.com/mig", "amd.com/gpu", "gpu.intel.com/"];

/// Lowers a manifest.
pub fn lower<'s>(root: &Rc<Node<'s>>, lowering: &mut Lowering<'s>) {
    if root.get("kind").and_then(|kind| kind.text()) == Some("ConfigMap") {
        for data in root.entries().iter().filter(|entry| entry.key() == "data") {
            environments::lower_environment(data.key.span, &data.value, lowering);
        }
        return;
    }
    lower_workloads(root, lowering);
}

/// Containers stand at different depths in each kind: whatever has a list of them is a pod.
fn lower_workloads<'s>(node: &Node<'s>, lowering: &mut Lowering<'s>) {
    if !lowering.spend(1) {
        return;
    }
    for entry in node.entries() {
        match (entry.key(), &entry.value.value) {
            ("containers" | "initContainers" | "ephemeralContainers", Value::List(containers)) => {
                let runtime = node.get("runtimeClassName").and_then(|name| name.text());
                for container in containers {
                    lower_container(container, runtime == Some("nvidia"), lowering);
                }
            }
            _ => lower_workloads(&entry.value, lowering),
        }
    }
    node.items().iter().for_each(|item| lower_workloads(item, lowering));
}

fn lower_container<'s>(container: &Rc<Node<'s>>, has_runtime: bool, lowering: &mut Lowering<'s>) {
    if !lowering.spend(container.span.range().len()) {
        return;
    }
    let source = lowering.source;
    let name = container.get("name");
    let span = name.map_or(container.span, |name| name.span);
    let mut body: Block<'s> = Vec::new();
    let gpus = container.get("resources").and_then(|resources| granted(resources));
    if let Some(gpus) = gpus {
        // The scheduler chose them.
        body.extend(pinned(gpus.span, gpus.text() == Some("1")));
    }
    if let Some(from) = container.get("envFrom") {
        let path = super::values::unknown(from.span);
        body.push(Step { span: from.span, kind: StepKind::Source(path) });
    }
    let set =
        container.get("env").map(|env| variables(env, References::Parentheses, source)).unwrap_or_default();
    let chooses =
        set.iter().any(|variable| matches!(&*variable.name, super::MASK | "NVIDIA_VISIBLE_DEVICES"));
    body.extend(set_all(set));
    if let Some(folder) = container.get("workingDir") {
        body.push(change_folder(super::values::value(folder, References::Parentheses, source)));
    }
    if let Some(command) = container.get("command") {
        let nodes: Vec<&Node<'s>> =
            [Some(command), container.get("args")].into_iter().flatten().map(|node| &**node).collect();
        body.extend(command_words::step(&nodes, command.span, References::Parentheses, lowering));
    }
    let host = if gpus.is_some() || chooses || has_runtime { Host::Container } else { Host::NoGpu };
    let shown = format!("container `{}`", name.and_then(|name| name.text()).unwrap_or_default());
    lowering.add_unit(span, shown, host, body);
}

/// How many GPUs a container is given.
fn granted<'n, 's>(resources: &'n Node<'s>) -> Option<&'n Rc<Node<'s>>> {
    let lists = ["limits", "requests"].iter().filter_map(|list| resources.get(list));
    let mut entries = lists.flat_map(|list| list.entries());
    let is_gpu = |name: &str| GPUS.iter().any(|gpu| name.starts_with(gpu));
    let given = entries.find(|entry| is_gpu(entry.key()) && entry.value.text() != Some("0"));
    given.map(|entry| &entry.value)
}
