//! Containers that files in YAML describe: services of Compose, and those of pods.

use super::containers::made_for_gpu;
use super::pods::{GPUS, pods_in, text_of, value};
use crate::code::{Expr, ExprKind};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};

/// What most of these images are.
pub(super) const MADE_FOR_GPU: &str = "is made for a GPU";

/// The containers of the file, each with whether it is a service of Compose.
pub(super) fn containers_in<'e>(root: &'e Expr<'e>, look: &mut dyn FnMut(&'e Expr<'e>, bool)) {
    if let Some(Expr { kind: ExprKind::Mapping(services), .. }) = value(root, "services") {
        services.iter().for_each(|(_, service)| look(service, true));
    } else if value(root, "apiVersion").is_some() {
        pods_in(root, &mut |pod| {
            if let Some(Expr { kind: ExprKind::Sequence(containers), .. }) = value(pod, "containers") {
                containers.iter().for_each(|container| look(container, false));
            }
        });
    }
}

/// The words that a container starts with, each with its place; what starts it stands first: `entrypoint` of Compose, `command` of a
/// pod. `None` where a variable may bring more.
pub(super) fn words_of<'e>(container: &'e Expr<'e>) -> Option<Vec<(Span, String)>> {
    let mut words: Vec<(Span, String)> = Vec::new();
    for key in ["entrypoint", "command", "args"] {
        let Some(part) = value(container, key) else { continue };
        let items = match &part.kind {
            ExprKind::Sequence(items) => items.as_slice(),
            _ => std::slice::from_ref(part),
        };
        for item in items {
            match &item.kind {
                ExprKind::Text(text) => words.extend(
                    text.split_whitespace()
                        .map(|word| (item.span, word.trim_matches(['"', '\'']).to_owned())),
                ),
                ExprKind::Int(number) => words.push((item.span, number.to_string())),
                // `0.9` behind another option.
                _ => {}
            }
        }
    }
    let is_open = words.iter().any(|(_, word)| word.contains('$') || word.contains("{{"));
    (!is_open).then_some(words)
}

/// `image: vllm/vllm-openai` of a service that asks for no device, in a project that gives no container a GPU.
pub(super) fn services_without_gpu(scope: &FileScope<'_>) -> Vec<RawFinding> {
    /// Keys that may bring a GPU, or come from where nobody looks.
    const GIVES: &[&str] = &[
        "<<",
        "cdi_devices",
        "device_cgroup_rules",
        "devices",
        "entrypoint",
        "env_file",
        "extends",
        "gpus",
        "privileged",
        "runtime",
    ];
    let text = scope.whole_text();
    let may_be_given = ["NVIDIA_VISIBLE_DEVICES", "capabilities", "--device cpu", "--device=cpu"];
    let Some(root) = &scope.code.contents else { return Vec::new() };
    if value(root, "apiVersion").is_some() {
        return pods_without_gpu(scope, root);
    }
    if may_be_given.iter().any(|word| text.contains(word)) || scope.program.gives_gpus_to_containers() {
        return Vec::new();
    }
    let mut found = Vec::new();
    containers_in(root, &mut |service, is_service| {
        let image = value(service, "image");
        let made =
            image.and_then(|node| Some((node.span, made_for_gpu(text_of(Some(node))?)?, MADE_FOR_GPU)));
        let told = || {
            let span = told_to_use_gpu(scope, value(service, "environment")?)?;
            Some((span, scope.text(span), "asks for a GPU"))
        };
        let Some((span, name, wants)) = made.or_else(told) else { return };
        let is_open = GIVES.iter().any(|key| value(service, key).is_some());
        if is_service && !is_open && words_of(service).is_some() {
            let raw_finding = RawFinding::at(scope.place(span)).word("name", name);
            found.push(raw_finding.word("wants", wants));
        }
    });
    found
}

/// The variable by which a server is told to use a GPU: `N_GPU_LAYERS: 35` of llama.cpp, `DEVICE=cuda`.
fn told_to_use_gpu(scope: &FileScope<'_>, variables: &Expr<'_>) -> Option<Span> {
    let is_told = |name: &str, given: &str| {
        let (name, given) = (name.trim(), given.trim().trim_matches(['"', '\'']));
        name.ends_with("GPU_LAYERS") && given.parse::<u32>().is_ok_and(|layers| layers > 0)
            || name.ends_with("DEVICE") && (given == "cuda" || given.starts_with("cuda:"))
    };
    match &variables.kind {
        ExprKind::Mapping(pairs) => pairs.iter().find_map(|(name, given)| {
            let name = name.as_ref()?;
            let whole = Span { start: name.span.start, end: given.span.end };
            is_told(scope.text(name.span), scope.text(given.span)).then_some(whole)
        }),
        ExprKind::Sequence(items) => items.iter().find_map(|item| {
            let (name, given) = scope.text(item.span).trim_matches(['"', '\'']).split_once('=')?;
            is_told(name, given).then_some(item.span)
        }),
        _ => None,
    }
}

/// `image: vllm/vllm-openai`, or `args: ["--device", "gpu"]`, in a pod that asks for no GPU, where nothing in the project speaks of one.
fn pods_without_gpu(scope: &FileScope<'_>, root: &Expr<'_>) -> Vec<RawFinding> {
    /// Words of a file in which a pod may get GPUs, or which somebody fills in.
    const GIVES: &[&str] = &[
        "NVIDIA_VISIBLE_DEVICES",
        "claims",
        "hostPath",
        "nodeSelector",
        "privileged",
        "runtimeClassName",
        "{{",
    ];
    let text = scope.whole_text();
    let asks = [GPUS, &["habana.ai/", "aws.amazon.com/neuron", "google.com/tpu"]].concat();
    if GIVES.iter().any(|word| text.contains(word)) || scope.program.has_any(&asks) {
        return Vec::new();
    }
    let mut found = Vec::new();
    containers_in(root, &mut |container, _| {
        let Some(image) = value(container, "image") else { return };
        let Some(words) = words_of(container) else { return };
        let told = |at: usize, word: &str| {
            matches!(word, "--device=cuda" | "--device=gpu")
                || word == "--device"
                    && words.get(at + 1).is_some_and(|(_, next)| matches!(next.as_str(), "cuda" | "gpu"))
        };
        let is_told = words.iter().enumerate().any(|(at, (_, word))| told(at, word));
        let on_cpu = words.iter().any(|(_, word)| word.contains("cpu"));
        let name = text_of(Some(image));
        let made = name.and_then(made_for_gpu).map(|name| (name, MADE_FOR_GPU));
        let told = name.filter(|_| is_told).map(|name| (name, "is told to take a GPU"));
        if let Some((name, wants)) = made.or(told).filter(|_| !on_cpu) {
            found.push(RawFinding::at(scope.place(image.span)).word("name", name).word("wants", wants));
        }
    });
    found
}
