//! Services of Compose, and commands of a script, that each start a server of vLLM on the same GPU.

use super::containers::{server_in, told_to_docker};
use super::pods::{text_of, value};
use super::vllm_engines::DEFAULT_SHARE;
use crate::code::{Expr, ExprKind};
use crate::facts::{Place, Span};
use crate::program::RunCommand;
use crate::rules::files::{FileScope, RawFinding};
use crate::sources::Language;

/// What one service takes of which GPUs.
struct Service {
    image: Span,
    /// `device_ids: ["0"]`, `count: 1`, as they are written.
    cards: String,
    /// In percent of a GPU.
    share: u32,
}

/// Servers that are given the same GPUs, and want more memory than these have.
pub(super) fn that_share_a_gpu(scope: &FileScope<'_>) -> Vec<RawFinding> {
    /// Words of files in which services get other cards, or never run at once.
    const APART: &[&str] =
        &["CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "<<", "extends:", "profiles:", "replicas:"];
    let text = scope.whole_text();
    if APART.iter().any(|word| text.contains(word)) {
        return Vec::new();
    }
    let services = scope.code.contents.as_ref().and_then(|root| value(root, "services"));
    let Some(ExprKind::Mapping(services)) = services.map(|services| &services.kind) else {
        return Vec::new();
    };
    let all: Vec<Service> = services.iter().filter_map(|(_, service)| service_of(scope, service)).collect();
    let mut found = Vec::new();
    for (at, second) in all.iter().enumerate() {
        let Some(first) = all[..at].iter().find(|first| first.cards == second.cards) else { continue };
        let sum = first.share + second.share;
        if sum > 100 {
            let seen = RawFinding::at(scope.place(second.image)).word("count", "two");
            let seen = seen.word("share", sum.to_string());
            found.push(seen.beside(scope.place(first.image), "the first one is started here"));
        }
    }
    found
}

/// `vllm serve one & vllm serve other &`, and `docker run -d … vllm/vllm-openai` twice, in one script and with the same cards.
pub(super) fn in_scripts(scope: &FileScope<'_>) -> Vec<RawFinding> {
    /// Words of scripts in which a server may be gone before the next one starts, or may be one of several.
    const APART: &[&str] = &[
        "NVIDIA_VISIBLE_DEVICES",
        "case ",
        "docker rm",
        "docker stop",
        "elif",
        "else",
        "kill",
        "srun",
        "ssh ",
    ];
    const MASK: &str = "CUDA_VISIBLE_DEVICES";
    let text = scope.whole_text();
    // One mask for all of the script is the same for each server.
    let masks = text.lines().filter(|line| line.contains(MASK));
    let are_exported = masks.clone().all(|line| line.trim_start().starts_with("export "));
    if !are_exported || masks.count() > 1 || APART.iter().any(|word| text.contains(word)) {
        return Vec::new();
    }
    let all: Vec<(Place, String, u32)> =
        scope.own_commands().filter_map(|command| started_beside(scope, command)).collect();
    let mut found: Vec<RawFinding> = Vec::new();
    for (at, (place, cards, share)) in all.iter().enumerate() {
        let is_beside = |(other, others, _): &&(Place, String, u32)| other != place && others == cards;
        let Some((first, _, other)) = all[..at].iter().find(is_beside) else { continue };
        if share + other > 100 {
            let seen = RawFinding::at(*place).word("count", "two").word("share", (share + other).to_string());
            found.push(seen.beside(*first, "the first one is started here"));
        }
    }
    found
}

/// A server that a command leaves running beside what follows, with the cards that it is given and its share of them.
fn started_beside(scope: &FileScope<'_>, command: &RunCommand) -> Option<(Place, String, u32)> {
    if let Some(told) = told_to_docker(command) {
        let (_, image) = server_in(&told).filter(|(_, at)| told[*at].contains("vllm/vllm-openai"))?;
        let options = &told[..image];
        let is_detached = options.iter().any(|word| matches!(*word, "-d" | "--detach" | "-itd" | "-dit"));
        let cards = options.iter().enumerate().find_map(|(at, word)| match word.split_once('=') {
            Some(("--gpus", cards)) => Some(cards),
            None if *word == "--gpus" => options.get(at + 1).copied(),
            _ => None,
        })?;
        let share = share_in(&told[image..])?;
        return is_detached.then(|| (command.site, cards.to_owned(), share));
    }
    let words: Vec<&str> = command.words().into_iter().collect::<Option<_>>()?;
    let is_server = words.windows(2).any(|pair| pair == ["vllm", "serve"])
        || words.iter().any(|word| word.starts_with("vllm.entrypoints.openai"));
    let behind = scope.whole_text().get(command.site.span.range().end..)?.trim_start_matches([' ', '\t']);
    let goes_on = behind.starts_with('&') && !behind.starts_with("&&");
    let share = share_in(&words).filter(|_| is_server && goes_on && scope.language() == Language::Shell)?;
    Some((command.site, String::new(), share))
}

fn service_of(scope: &FileScope<'_>, service: &Expr<'_>) -> Option<Service> {
    let image = value(service, "image")?;
    let is_vllm = text_of(Some(image))
        .is_some_and(|name| server_in(&[name]).is_some_and(|_| name.contains("vllm/vllm-openai")));
    Some(Service { image: image.span, cards: cards_of(scope, service)?, share: share_of(scope, service)? })
        .filter(|_| is_vllm)
}

/// The cards that a service asks for, where it says which: a number gives the first ones.
fn cards_of(scope: &FileScope<'_>, service: &Expr<'_>) -> Option<String> {
    let plain = |text: &str| {
        text.chars().filter(|letter| !letter.is_whitespace() && !matches!(letter, '"' | '\'')).collect()
    };
    let reserved = ["deploy", "resources", "reservations", "devices"];
    let devices = reserved.iter().try_fold(service, |node, key| value(node, key))?;
    let ExprKind::Sequence(devices) = &devices.kind else { return None };
    let [device] = devices.as_slice() else { return None };
    let cards: String = match (value(device, "device_ids"), value(device, "count")) {
        (Some(ids), None) => plain(scope.text(ids.span)),
        (None, Some(count)) => format!("count:{}", plain(scope.text(count.span)) as String),
        _ => return None,
    };
    (!cards.contains('$')).then_some(cards)
}

/// The share of a GPU that a server takes, in percent.
fn share_of(scope: &FileScope<'_>, service: &Expr<'_>) -> Option<u32> {
    let mut words: Vec<String> = Vec::new();
    if value(service, "entrypoint").is_some() {
        return None;
    }
    if let Some(command) = value(service, "command") {
        let parts = match &command.kind {
            ExprKind::Sequence(parts) => parts.as_slice(),
            _ => std::slice::from_ref(command),
        };
        for part in parts {
            let text = scope.text(part.span);
            words.extend(text.split_whitespace().map(|word| word.trim_matches(['"', '\'']).to_owned()));
        }
    }
    share_in(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

/// The share that the words for a server name, or the one that it takes unless it is told.
fn share_in(words: &[&str]) -> Option<u32> {
    /// Options after which the share is no share of the card, or no card is used.
    const OTHER: &[&str] = &["--kv-cache-memory", "--device", "--enable-sleep-mode", "--config", "$", "{{"];
    if words.iter().any(|word| OTHER.iter().any(|other| word.contains(other))) {
        return None;
    }
    let is_option = |word: &str| matches!(word, "--gpu-memory-utilization" | "--gpu_memory_utilization");
    let given = words.iter().enumerate().find_map(|(at, word)| match word.split_once('=') {
        Some((name, share)) => is_option(name).then_some(share),
        None if is_option(word) => Some(words.get(at + 1).copied().unwrap_or_default()),
        None => None,
    });
    let Some(given) = given else { return Some(DEFAULT_SHARE) };
    let share: f64 = given.parse().ok()?;
    (share > 0.0 && share <= 1.0).then_some((share * 100.0).round() as u32)
}
