//! Pods that choose a machine with GPUs and ask for none of them.

use crate::code::{Expr, ExprKind};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};

/// Labels of machines that say which GPUs they have.
const LABELS: &[&str] = &[
    "accelerator",
    "cloud.google.com/gke-accelerator",
    "k8s.amazonaws.com/accelerator",
    "karpenter.k8s.aws/instance-gpu-name",
    "nvidia.com/gpu",
    "nvidia.com/gpu.present",
    "nvidia.com/gpu.product",
];

/// Resources that stand for GPUs.
pub(super) const GPUS: &[&str] = &["nvidia.com/", "amd.com/gpu", "gpu.intel.com/"];

/// Kinds whose pods do the work of somebody, and not of the machine.
const KINDS: &[&str] = &["CronJob", "Deployment", "Job", "Pod", "StatefulSet"];

/// A `nodeSelector` for machines with GPUs above containers that request none.
pub(super) fn without_request(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let Some(root) = &scope.code.contents else { return Vec::new() };
    let is_own = text_of(value(root, "kind")).is_some_and(|kind| KINDS.contains(&kind));
    let mut found = Vec::new();
    if is_own && value(root, "apiVersion").is_some() {
        pods_in(root, &mut |pod| {
            if let Some((span, label)) = chosen(pod).filter(|_| asks_for_none(pod)) {
                found.push(RawFinding::at(scope.place(span)).word("text", label));
            }
        });
    }
    found
}

/// Whatever has a list of containers is a pod.
pub(super) fn pods_in<'e>(node: &'e Expr<'e>, look: &mut dyn FnMut(&'e Expr<'e>)) {
    match &node.kind {
        ExprKind::Mapping(pairs) => {
            if matches!(value(node, "containers").map(|list| &list.kind), Some(ExprKind::Sequence(_))) {
                return look(node);
            }
            pairs.iter().for_each(|(_, value)| pods_in(value, look));
        }
        ExprKind::Sequence(items) => items.iter().for_each(|item| pods_in(item, look)),
        _ => {}
    }
}

/// The label of machines with GPUs that a pod asks for.
fn chosen<'e>(pod: &'e Expr<'e>) -> Option<(Span, &'e str)> {
    let ExprKind::Mapping(labels) = &value(pod, "nodeSelector")?.kind else { return None };
    labels.iter().find_map(|(key, wanted)| {
        let key = key.as_ref()?;
        let name = text_of(Some(key)).filter(|name| LABELS.contains(name))?;
        (text_of(Some(wanted)) != Some("false")).then_some((key.span, name))
    })
}

/// Whether no container of a pod is given a GPU in any way that its manifest could say.
fn asks_for_none(pod: &Expr<'_>) -> bool {
    const OPEN: &[&str] = &["runtimeClassName", "resourceClaims", "hostPID", "hostNetwork", "<<"];
    if OPEN.iter().any(|key| value(pod, key).is_some()) {
        return false;
    }
    let lists = ["containers", "initContainers"].into_iter().filter_map(|key| value(pod, key));
    let containers = lists.flat_map(|list| match &list.kind {
        ExprKind::Sequence(items) => items.as_slice(),
        _ => &[],
    });
    containers.into_iter().all(|container| {
        let resources = value(container, "resources");
        let asks = ["limits", "requests", "claims"].iter().any(|part| {
            let asked = resources.and_then(|resources| value(resources, part));
            match asked.map(|asked| &asked.kind) {
                None => false,
                Some(ExprKind::Mapping(pairs)) => pairs.iter().any(|(key, _)| {
                    let name = text_of(key.as_ref());
                    name.is_none_or(|name| GPUS.iter().any(|gpu| name.starts_with(gpu)))
                }),
                // It is filled in by somebody.
                Some(_) => true,
            }
        });
        // The device files, the driver or the variable may come in another way.
        let is_open =
            ["securityContext", "envFrom", "volumeDevices"].iter().any(|key| value(container, key).is_some());
        let env = value(container, "env").map(|env| &env.kind);
        let is_shown = match env {
            Some(ExprKind::Sequence(items)) => items.iter().any(|item| {
                text_of(value(item, "name")).is_some_and(|name| name.contains("VISIBLE_DEVICES"))
            }),
            None => false,
            Some(_) => true,
        };
        !asks && !is_open && !is_shown
    })
}

pub(super) fn value<'e>(node: &'e Expr<'e>, key: &str) -> Option<&'e Expr<'e>> {
    let ExprKind::Mapping(pairs) = &node.kind else { return None };
    pairs.iter().find(|(known, _)| text_of(known.as_ref()) == Some(key)).map(|(_, value)| value)
}

pub(super) fn text_of<'e>(node: Option<&'e Expr<'_>>) -> Option<&'e str> {
    match node.map(|node| &node.kind) {
        Some(ExprKind::Text(text)) => Some(text),
        _ => None,
    }
}
