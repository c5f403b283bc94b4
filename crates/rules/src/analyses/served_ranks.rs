//! Containers whose server or launcher wants more GPUs than the container is given: services of Compose, pods, and `docker run`.

use super::containers::{server_in, told_to_docker};
use super::pods::{text_of, value};
use super::served::{containers_in, words_of};
use crate::code::{Expr, ExprKind};
use crate::commands;
use crate::facts::Span;
use crate::masks;
use crate::rules::files::{FileScope, RawFinding};
use crate::sources::Language;

/// Words of a file whose server may use the GPUs of other machines as well.
const ON_SEVERAL: &[&str] =
    &["ray", "LeaderWorkerSet", "nnodes", "num-nodes", "num_nodes", "mpirun", "slurm"];

/// What a container is given, as it is written.
struct Given {
    count: usize,
    option: String,
    span: Option<Span>,
}

/// What the command of a container asks for.
pub(super) struct Wanted {
    pub span: Span,
    pub count: usize,
    option: String,
    /// The command names a launcher itself; else its image does.
    by_launcher: bool,
}

/// More processes than GPUs, in manifests and in commands.
pub(super) fn beyond_container(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    let has_word = |word: &&str| {
        text.match_indices(*word).any(|(at, _)| crate::facts::is_whole_name(text, at, at + word.len()))
    };
    if ON_SEVERAL.iter().any(has_word) {
        return Vec::new();
    }
    if scope.language() != Language::Yaml {
        return in_commands(scope);
    }
    let Some(root) = &scope.code.contents else { return Vec::new() };
    let mut found = Vec::new();
    let mut look = |container: &Expr<'_>, given: Option<Given>| {
        let Some(given) = given else { return };
        let Some(Wanted { span, count, option, by_launcher }) = wanted(container) else { return };
        // A launcher under a mask is looked at where it starts.
        let is_masked = by_launcher && variable(container, "CUDA_VISIBLE_DEVICES").is_some();
        if count > given.count && !is_masked {
            let seen = said(RawFinding::at(scope.place(span)), &option, count, &given);
            found.push(match given.span {
                Some(at) => seen.beside(scope.place(at), "it is given these"),
                None => seen,
            });
        }
    };
    containers_in(root, &mut |container, is_service| {
        look(container, if is_service { given_to_service(container) } else { given_to_pod(container) });
    });
    found
}

fn said(found: RawFinding, option: &str, count: usize, given: &Given) -> RawFinding {
    let found = found.word("ranks", option).word("count", masks::gpus(count));
    let found = found.word("option", &given.option).word("given", masks::gpus(given.count));
    found.word(
        "advice",
        "give the container as many GPUs as its server uses, or tell the server how many it has",
    )
}

/// `docker run --gpus '"device=0"' vllm/vllm-openai --tensor-parallel-size 4`
fn in_commands(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found: Vec<RawFinding> = Vec::new();
    for command in scope.own_commands() {
        let Some(told) = told_to_docker(command) else { continue };
        let by_server = server_in(&told).and_then(|(server, at)| {
            let (count, option) = asked(&told[at + 1..], server.ranks)?;
            Some((count, option, at))
        });
        // `docker run --gpus 2 image torchrun --nproc_per_node 4 fit.py`
        let by_launcher = || {
            let ranks = commands::ranks(&command.words())?;
            let at =
                told.iter().position(|word| ranks.option.starts_with(*word) && word.starts_with("--n"))?;
            Some((ranks.count, ranks.option, at))
        };
        let Some((count, option, at)) = by_server.or_else(by_launcher) else { continue };
        let behind = |at: usize| match told[at] {
            "--gpus" => told.get(at + 1).copied(),
            word => word.strip_prefix("--gpus="),
        };
        let Some(gpus) = (0..at).find_map(behind) else { continue };
        let Some(given) = count_of_option(gpus) else { continue };
        let given = Given { count: given, option: format!("--gpus {gpus}"), span: None };
        if count > given.count && !found.iter().any(|known| known.place == command.site) {
            found.push(said(RawFinding::at(command.site), &option, count, &given));
        }
    }
    found
}

/// `2`, `device=0,1`, `"device=0,1"`
fn count_of_option(gpus: &str) -> Option<usize> {
    let gpus = gpus.trim_matches(['"', '\'']);
    match gpus.strip_prefix("device=") {
        Some(list) => listed(list),
        None => gpus.parse().ok(),
    }
}

/// How many indices or names a list has.
fn listed(list: &str) -> Option<usize> {
    let parts = list.split(',').map(str::trim);
    let is_gpu = |part: &str| {
        !part.is_empty() && (part.bytes().all(|byte| byte.is_ascii_digit()) || part.starts_with("GPU-"))
    };
    let parts: Vec<&str> = parts.collect();
    parts.iter().all(|part| is_gpu(part)).then_some(parts.len())
}

/// The GPUs that the command of a container wants: its option, and how many these are.
pub(super) fn wanted(container: &Expr<'_>) -> Option<Wanted> {
    let words = words_of(container)?;
    let told: Vec<&str> = words.iter().map(|(_, word)| word.as_str()).collect();
    let server = text_of(value(container, "image")).and_then(|image| Some(server_in(&[image])?.0));
    let by_server = server.and_then(|server| asked(&told, server.ranks));
    let known: Vec<Option<&str>> = told.iter().map(|word| Some(*word)).collect();
    let by_launcher = by_server.is_none();
    let (count, option) =
        by_server.or_else(|| commands::ranks(&known).map(|ranks| (ranks.count, ranks.option)))?;
    let name = option.split([' ', '=']).next()?;
    let (span, _) = words.iter().find(|(_, word)| word.split('=').next() == Some(name))?;
    Some(Wanted { span: *span, count, option, by_launcher })
}

/// What an option of a server asks for.
fn asked(words: &[&str], options: &[&str]) -> Option<(usize, String)> {
    words.iter().enumerate().find_map(|(at, word)| {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, value),
            None => (*word, words.get(at + 1).copied().unwrap_or_default()),
        };
        let count = value.parse().ok().filter(|_| options.contains(&name))?;
        let option = if word.contains('=') { (*word).to_owned() } else { format!("{name} {value}") };
        Some((count, option))
    })
}

/// What a service of Compose is given: a request for devices, or a mask that leaves fewer.
fn given_to_service(service: &Expr<'_>) -> Option<Given> {
    let reserved = ["deploy", "resources", "reservations", "devices"]
        .into_iter()
        .try_fold(service, |node, key| value(node, key));
    let requests = reserved.or_else(|| value(service, "gpus"));
    let requested = match requests.map(|requests| &requests.kind) {
        Some(ExprKind::Sequence(requests)) => match requests.as_slice() {
            [request] => request_of(request),
            _ => None,
        },
        _ => None,
    };
    let masked = variable(service, "CUDA_VISIBLE_DEVICES").and_then(|(span, mask)| {
        Some(Given { count: listed(mask)?, option: format!("CUDA_VISIBLE_DEVICES={mask}"), span: Some(span) })
    });
    match (requested, masked) {
        (Some(requested), Some(masked)) if masked.count < requested.count => Some(masked),
        (Some(requested), _) => Some(requested),
        (None, masked) => masked,
    }
}

/// `{driver: nvidia, device_ids: ["0"], capabilities: [gpu]}`, `{count: 1}`
fn request_of(request: &Expr<'_>) -> Option<Given> {
    if let Some(count) = value(request, "count") {
        let ExprKind::Int(number) = count.kind else { return None };
        let number = usize::try_from(number).ok()?;
        return Some(Given { count: number, option: format!("count: {number}"), span: Some(count.span) });
    }
    let ids = value(request, "device_ids")?;
    let ExprKind::Sequence(list) = &ids.kind else { return None };
    let names: Option<Vec<&str>> = list.iter().map(|id| text_of(Some(id))).collect();
    let names = names?;
    // `["0,1"]` is another fault, and `$GPU` is not known.
    let is_one = |name: &&str| listed(name) == Some(1);
    (!names.is_empty() && names.iter().all(is_one)).then(|| Given {
        count: names.len(),
        option: format!("device_ids: [{}]", names.join(", ")),
        span: Some(ids.span),
    })
}

/// What a variable of a service holds, in a list or a mapping.
fn variable<'e>(service: &'e Expr<'e>, name: &str) -> Option<(Span, &'e str)> {
    match &value(service, "environment")?.kind {
        ExprKind::Sequence(items) => items.iter().find_map(|item| {
            let (known, held) = text_of(Some(item))?.split_once('=')?;
            (known == name).then_some((item.span, held))
        }),
        ExprKind::Mapping(pairs) => pairs.iter().find_map(|(key, held)| {
            (text_of(key.as_ref()) == Some(name)).then_some(())?;
            Some((held.span, text_of(Some(held))?))
        }),
        _ => None,
    }
}

/// `limits: {nvidia.com/gpu: 1}`
fn given_to_pod(container: &Expr<'_>) -> Option<Given> {
    let asked = value(value(value(container, "resources")?, "limits")?, "nvidia.com/gpu")?;
    let count = match &asked.kind {
        ExprKind::Int(count) => usize::try_from(*count).ok()?,
        ExprKind::Text(text) => text.parse().ok()?,
        _ => return None,
    };
    let option = format!("nvidia.com/gpu: {count}");
    (count > 0).then_some(Given { count, option, span: Some(asked.span) })
}
