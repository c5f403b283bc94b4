//! Kubernetes manifests: every container of every kind of workload, and settings in config maps.

use super::super::command_lines::change_folder;
use super::command_words;
use super::containers::Gpus;
use super::environments;
use super::reader::{Node, Value};
use super::values::{References, variables};
use super::{Lowering, MASK, set_all};
use crate::code::{Block, ExprKind, Host, Observation, SetVariable, Statement, StatementKind};
use crate::languages::containers::{observed_at, remapped};
use crate::sources::Source;
use std::rc::Rc;

/// Resources that stand for GPUs.
const GPUS: &[&str] = &["nvidia.com/gpu", "nvidia.com/mig", "amd.com/gpu", "gpu.intel.com/"];

/// Kinds of Kubernetes itself that are pods or have a template of one.
const OWN_KINDS: &[&str] = &[
    "CronJob",
    "DaemonSet",
    "Deployment",
    "Job",
    "Pod",
    "PodTemplate",
    "ReplicaSet",
    "ReplicationController",
    "StatefulSet",
];

/// Lowers a manifest.
pub fn lower<'s>(root: &Rc<Node<'s>>, lowering: &mut Lowering<'s>) {
    if root.get("kind").and_then(|kind| kind.text()) == Some("ConfigMap") {
        for data in root.entries().iter().filter(|entry| entry.key() == "data") {
            environments::lower_environment(data.key.span, &data.value, lowering);
        }
        return;
    }
    let kind = root.get("kind").and_then(|kind| kind.text());
    lower_workloads(
        root,
        Pod { has_runtime: false, for_node: kind == Some("DaemonSet"), is_own: false },
        lowering,
    );
}

/// Containers stand at different depths in each kind: whatever has a list of them is a pod.
fn lower_workloads<'s>(node: &Node<'s>, around: Pod, lowering: &mut Lowering<'s>) {
    if !lowering.spend(1) {
        return;
    }
    let kind = node.get("kind").and_then(|kind| kind.text());
    let around = Pod { is_own: kind.map_or(around.is_own, |kind| OWN_KINDS.contains(&kind)), ..around };
    for entry in node.entries() {
        match (entry.key(), &entry.value.value) {
            ("containers" | "initContainers" | "ephemeralContainers", Value::List(containers)) => {
                let runtime = node.get("runtimeClassName").and_then(|name| name.text());
                let pod = Pod { has_runtime: runtime == Some("nvidia"), ..around };
                for container in containers {
                    lower_container(container, pod, lowering);
                }
            }
            _ => lower_workloads(&entry.value, around, lowering),
        }
    }
    node.items().iter().for_each(|item| lower_workloads(item, around, lowering));
}

/// What a container learns from the pod that it is in.
#[derive(Clone, Copy)]
struct Pod {
    /// The container toolkit starts it.
    has_runtime: bool,
    /// It runs once on each machine, for the machine.
    for_node: bool,
    /// Its kind is one of Kubernetes itself, so that what a container may say is known.
    is_own: bool,
}

fn lower_container<'s>(container: &Rc<Node<'s>>, pod: Pod, lowering: &mut Lowering<'s>) {
    if !lowering.spend(container.span.range().len()) {
        return;
    }
    let source = lowering.source;
    let name = container.get("name");
    let span = name.map_or(container.span, |name| name.span);
    let mut body: Block<'s> = Vec::new();
    let set =
        container.get("env").map(|env| variables(env, References::Parentheses, source)).unwrap_or_default();
    let mut gpus = container.get("resources").map(|resources| given(resources)).unwrap_or_default();
    body.extend(chosen_aside(&set, &gpus, pod, source));
    body.extend(container.get("resources").and_then(|resources| without_limit(resources, source)));
    body.extend(container.get("resources").and_then(|resources| refused(resources, source)));
    if !gpus.any && !pod.for_node {
        body.extend(none_of_open_image(container, &set, source));
    }
    body.extend(privileged(container, &set, &gpus, pod, source));
    if pod.is_own {
        body.extend(of_the_pod(container, &gpus, source));
    }
    gpus.any |= pod.has_runtime;
    gpus.read_variables(&set);
    let host = gpus.host(&set, Host::NoGpu);
    body.extend(gpus.steps(span));
    if let Some(from) = container.get("envFrom") {
        let path = super::values::unknown(from.span);
        body.push(Statement { span: from.span, kind: StatementKind::Source(path) });
    }
    // A privileged container has all GPUs of its machine, so that the mask counts among these.
    if !is_privileged(container) {
        body.extend(remapped(&set, gpus.count, source));
    }
    body.extend(set_all(set));
    if let Some(folder) = container.get("workingDir") {
        body.push(change_folder(super::values::value(folder, References::Parentheses, source)));
    }
    if let Some(command) = container.get("command") {
        let nodes: Vec<&Node<'s>> =
            [Some(command), container.get("args")].into_iter().flatten().map(|node| &**node).collect();
        body.extend(command_words::step(&nodes, command.span, References::Parentheses, lowering));
    }
    let shown = format!("container `{}`", name.and_then(|name| name.text()).unwrap_or_default());
    lowering.add_unit(span, shown, host, body);
}

/// NVIDIA_VISIBLE_DEVICES in a container: the device plugin sets it, to the GPUs that the scheduler has chosen.
fn chosen_aside<'s>(
    set: &[SetVariable<'s>],
    gpus: &Gpus,
    pod: Pod,
    source: &'s Source,
) -> Option<Statement<'s>> {
    let chosen = set.iter().find(|set| set.name == "NVIDIA_VISIBLE_DEVICES")?;
    let devices = match &chosen.value.as_ref()?.kind {
        ExprKind::Text(text) => text.trim().to_owned(),
        ExprKind::Int(index) => index.to_string(),
        _ => return None,
    };
    let is_open = matches!(devices.as_str(), "" | "none" | "void") || devices.contains(['$', '{']);
    // What watches over a machine sees all of its cards. Who names some of them and asks for none works without the scheduler.
    // A request whose number is not known may be for all of them.
    let is_fine = match gpus.any {
        true => devices == "all" && gpus.count.is_none(),
        false => devices != "all" || pod.has_runtime,
    };
    if is_open || pod.for_node || is_fine {
        return None;
    }
    let what = match gpus.any {
        true => Observation::ChoiceBesideScheduler,
        false => Observation::ChoiceWithoutScheduler,
    };
    Some(observed_at(what, &format!("NVIDIA_VISIBLE_DEVICES={devices}"), chosen.span, source))
}

fn is_privileged(container: &Node<'_>) -> bool {
    let privileged = || container.get("securityContext")?.get("privileged")?.text();
    privileged() == Some("true")
}

/// `privileged: true` beside a number of GPUs: all devices of the machine are in the container. Whoever sets a mask beside it has
/// chosen among them, and machines with more than eight are rare.
fn privileged<'s>(
    container: &Node<'s>,
    set: &[SetVariable<'s>],
    gpus: &Gpus,
    pod: Pod,
    source: &'s Source,
) -> Option<Statement<'s>> {
    const WHOLE: usize = 8;
    let context = container.get("securityContext")?;
    let entry = context.entries().iter().find(|entry| entry.key() == "privileged")?;
    let is_part = gpus.count.is_some_and(|count| count < WHOLE) && !set.iter().any(|set| set.name == MASK);
    let is_on = entry.value.text() == Some("true") && is_part && !pod.for_node;
    let seen =
        || observed_at(Observation::PrivilegedBesideScheduler, "privileged: true", entry.span(), source);
    is_on.then(seen)
}

/// What decides where the pod of a container with GPUs runs, or by which runtime, one level too deep.
fn of_the_pod<'s>(container: &Node<'s>, gpus: &Gpus, source: &'s Source) -> Option<Statement<'s>> {
    const KEYS: &[&str] =
        &["affinity", "nodeName", "nodeSelector", "resourceClaims", "runtimeClassName", "tolerations"];
    let mut entries = container.entries().iter();
    let entry = entries
        .find(|entry| KEYS.contains(&entry.key()) && (gpus.any || entry.value.text() == Some("nvidia")))?;
    Some(observed_at(Observation::PodKeyInContainer, entry.key(), entry.key.span, source))
}

fn is_gpu(name: &str) -> bool {
    GPUS.iter().any(|gpu| name.starts_with(gpu))
}

/// GPUs under `requests` and none of them under `limits`: extended resources cannot be asked for so.
fn without_limit<'s>(resources: &Node<'_>, source: &'s Source) -> Option<Statement<'s>> {
    let requests = resources.get("requests")?;
    let asked =
        requests.entries().iter().find(|entry| is_gpu(entry.key()) && entry.value.text() != Some("0"))?;
    let limits = resources.get("limits");
    // What is merged in, or filled in by a template, may hold it.
    let is_open = [Some(requests), limits].into_iter().flatten().any(|list| {
        list.entries().iter().any(|entry| entry.key() == "<<" || entry.key().contains(['{', '$']))
    });
    let is_limited =
        limits.is_some_and(|limits| limits.get(asked.key()).is_some() || limits.entries().is_empty());
    (!is_open && !is_limited)
        .then(|| observed_at(Observation::RequestWithoutLimit, asked.key(), asked.key.span, source))
}

/// A part of a GPU, or a request that is not the limit: whole cards alone are handed out, and none is promised to two.
fn refused<'s>(resources: &Node<'_>, source: &'s Source) -> Option<Statement<'s>> {
    let number = |text: &str| match text.strip_suffix('m') {
        Some(thousandths) => thousandths.parse::<f64>().ok().map(|thousandths| thousandths / 1000.0),
        None => text.parse::<f64>().ok(),
    };
    let of = |part: &str, name: &str| number(resources.get(part)?.get(name)?.text()?.trim());
    let lists = ["limits", "requests"].into_iter().filter_map(|part| resources.get(part));
    let mut asked = lists.flat_map(|list| list.entries()).filter(|entry| is_gpu(entry.key()));
    let entry = asked.find(|entry| {
        let is_part =
            entry.value.text().and_then(|text| number(text.trim())).is_some_and(|count| count.fract() != 0.0);
        let both = of("limits", entry.key()).zip(of("requests", entry.key()));
        is_part || both.is_some_and(|(limit, request)| limit != request)
    })?;
    let text = format!("{}: {}", entry.key(), entry.value.text().unwrap_or_default().trim());
    Some(observed_at(Observation::RequestRefused, &text, entry.key.span, source))
}

/// `nvidia.com/gpu: 0` beside an image of CUDA, which asks for all GPUs unless the manifest says otherwise.
fn none_of_open_image<'s>(
    container: &Node<'s>,
    set: &[SetVariable<'s>],
    source: &'s Source,
) -> Option<Statement<'s>> {
    let limits = container.get("resources")?.get("limits")?;
    let mut entries = limits.entries().iter();
    let none = entries.find(|entry| entry.key() == "nvidia.com/gpu" && entry.value.text() == Some("0"))?;
    let image = container.get("image")?.text()?;
    // What watches over the cards of a machine shall see them all.
    const WATCHERS: &[&str] = &["nvcr.io/nvidia/cloud-native/", "nvcr.io/nvidia/k8s"];
    let is_watcher = WATCHERS.iter().any(|name| image.contains(name));
    let is_open = ["nvidia/cuda:", "nvidia/cuda@", "nvcr.io/nvidia/"].iter().any(|name| image.contains(name))
        || ["pytorch/pytorch", "vllm/vllm-openai"].iter().any(|name| image.starts_with(name))
        || image.starts_with("tensorflow/tensorflow") && image.contains("-gpu");
    let is_told = container.get("envFrom").is_some()
        || set.iter().any(|set| match set.value.as_ref().map(|value| &value.kind) {
            _ if set.name == "NVIDIA_VISIBLE_DEVICES" => true,
            // What CUDA is shown none of, it leaves alone.
            Some(ExprKind::Text(text)) => {
                set.name == "CUDA_VISIBLE_DEVICES" && matches!(text.trim(), "" | "-1")
            }
            _ => false,
        });
    let seen = || observed_at(Observation::ZeroGpusOfOpenImage, "nvidia.com/gpu: 0", none.span(), source);
    (is_open && !is_watcher && !is_told).then(seen)
}

/// The GPUs that the scheduler chooses for a container.
pub fn given(resources: &Node<'_>) -> Gpus {
    let lists = ["limits", "requests"].iter().filter_map(|list| resources.get(list));
    let mut entries = lists.flat_map(|list| list.entries());
    if let Some(entry) = entries.find(|entry| is_gpu(entry.key()) && entry.value.text() != Some("0")) {
        let count = entry.value.text().and_then(|count| count.parse().ok());
        return Gpus { any: true, certain: true, single: count == Some(1), count, span: Some(entry.span()) };
    }
    // Devices that are claimed by name: of which kind, another manifest says.
    let claims = resources.get("claims");
    Gpus {
        count: None,
        any: claims.is_some(),
        certain: claims.is_some(),
        single: false,
        span: claims.map(|claims| claims.span),
    }
}
