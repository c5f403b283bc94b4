//! What a container with a GPU is not given beside it: the libraries for video, and shared memory; and servers that are given no GPU.

use super::images::images;
use super::loader_generators::LOADERS;
use super::{development_containers, literal_defaults, served, served_memory};
use crate::code::{ExprKind, Host};
use crate::commands::{program_name, ranks};
use crate::facts::{FileId, Place, Span, lines_in};
use crate::languages::is_split_list;
use crate::program::RunCommand;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;
use crate::sources::Language;

/// Words of a program that encodes or decodes video on the GPU.
const VIDEO: &[&str] =
    &["h264_nvenc", "hevc_nvenc", "av1_nvenc", "h264_cuvid", "hevc_cuvid", "av1_cuvid", "-hwaccel cuda"];

/// Images that leave the capabilities at `compute,utility`.
const PLAIN: &[&str] = &["nvidia/cuda:", "pytorch/pytorch:", "python:", "ubuntu:", "debian:"];

/// A command for video on the GPU, in a project whose image has no capability for it.
pub(super) fn without_video(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let is_plain = |text: &str| {
        let mut bases = text.lines().filter_map(|line| line.trim().strip_prefix("FROM "));
        bases.next_back().is_some_and(|base| PLAIN.iter().any(|plain| base.trim().starts_with(plain)))
    };
    let gives_gpu = scope.program.has_any(&[
        "--gpus",
        "runtime: nvidia",
        "driver: nvidia",
        "FROM nvidia/",
        "nvidia-docker",
    ]);
    if !only_image(scope).is_some_and(|(_, text)| is_plain(text)) || !gives_gpu {
        return Vec::new();
    }
    let grants = |text: &str| {
        text.lines().any(|line| {
            let names = line.contains("NVIDIA_DRIVER_CAPABILITIES") || line.contains("capabilities");
            names && (line.contains("video") || line.contains("all"))
        })
    };
    if scope.program.every_file().any(|(_, file)| grants(&file.text)) {
        return Vec::new();
    }
    let text = scope.whole_text();
    let first = VIDEO.iter().filter_map(|word| Some((text.find(word)?, *word))).min();
    let Some((at, word)) = first.filter(|(at, _)| !is_remark(text, *at)) else { return Vec::new() };
    let span = Span { start: at as u32, end: (at + word.len()) as u32 };
    vec![RawFinding::at(scope.place(span)).word("text", word)]
}

fn is_remark(text: &str, at: usize) -> bool {
    let line = text[..at].rsplit('\n').next().unwrap_or_default();
    line.trim_start().starts_with('#')
}

/// `docker run --gpus all image`, where a program of the project has workers that load batches, or where several processes in it use NCCL.
pub(super) fn without_shared_memory(scope: &FileScope<'_>) -> Vec<RawFinding> {
    const GIVEN: &[&str] = &["--shm-size", "--ipc", "/dev/shm", "--privileged", "shm_size"];
    if scope.language() == Language::Yaml {
        return served_memory::too_small(scope);
    }
    let mut found: Vec<RawFinding> = Vec::new();
    for command in scope.own_commands() {
        let Some(told) = told_to_docker(command) else { continue };
        let takes_gpu = told.iter().any(|word| word.starts_with("--gpus") || *word == "--runtime=nvidia");
        let has_memory = told.iter().any(|word| GIVEN.iter().any(|given| word.contains(given)));
        let is_known = options_are_known(command, &told);
        if !takes_gpu || has_memory || !is_known || found.iter().any(|known| known.place == command.site) {
            continue;
        }
        let raw_finding = |reason: String| {
            let raw_finding = RawFinding::at(command.site).word("reason", reason);
            let raw_finding = raw_finding.word("container", "this container");
            raw_finding.word("advice", "write `docker run --shm-size=8g …`, or `--ipc=host`")
        };
        if let Some(loader) = workers_in(scope, command) {
            let raw_finding = raw_finding("the program in it loads batches in workers".to_owned());
            found.push(raw_finding.beside(loader, "its workers hand batches over in shared memory"));
        } else if let Some((count, place)) = processes_in(scope, &told) {
            let raw_finding = raw_finding(format!("NCCL between {count} processes in it needs more"));
            let beside = place.filter(|place| *place != command.site);
            found.push(match beside {
                Some(place) => raw_finding.beside(place, "they are started here"),
                None => raw_finding,
            });
        }
    }
    found
}

/// How many processes a container starts that speak over NCCL, when these are several: by a server, a launcher behind the image, or
/// that of its Dockerfile.
fn processes_in(scope: &FileScope<'_>, told: &[&str]) -> Option<(u32, Option<Place>)> {
    const LAUNCHED: &[&str] = &["--nproc_per_node", "--nproc-per-node"];
    let several = |words: &[&str], options: &[&str]| {
        let at =
            words.iter().position(|word| options.contains(&word.split('=').next().unwrap_or_default()))?;
        let count =
            words[at].split_once('=').map(|(_, count)| count).or_else(|| words.get(at + 1).copied())?;
        count.parse::<u32>().ok().filter(|count| *count > 1)
    };
    if let Some((server, at)) = server_in(told) {
        return several(&told[at..], server.ranks).map(|count| (count, None));
    }
    if let Some(at) = told.iter().position(|word| program_name(word) == "torchrun") {
        return several(&told[at..], LAUNCHED).map(|count| (count, None));
    }
    if !told.iter().any(|word| builds_image(scope, word)) {
        return None;
    }
    let (file, text) = only_image(scope)?;
    for (span, line) in lines_in(text) {
        let words: Vec<&str> =
            line.split([' ', '"', '\'', ',', '[', ']']).filter(|word| !word.is_empty()).collect();
        if matches!(words.first(), Some(&("CMD" | "ENTRYPOINT"))) && words.contains(&"torchrun") {
            return several(&words, LAUNCHED).map(|count| (count, Some(Place { file, span })));
        }
    }
    None
}

/// The Dockerfile of the project, where there is one.
fn only_image<'a>(scope: &FileScope<'a>) -> Option<(FileId, &'a str)> {
    let mut images = images(scope);
    images.next().filter(|_| images.next().is_none())
}

/// Whether a command of the file builds an image of this name: `docker build -t train .`
fn builds_image(scope: &FileScope<'_>, name: &str) -> bool {
    let option = format!("-t {name} ");
    !name.starts_with('-')
        && scope.whole_text().lines().any(|line| line.contains("build") && line.contains(&option))
}

/// An image whose program needs a GPU.
pub(super) struct Server {
    image: &'static str,
    /// Options for how many GPUs it uses together.
    pub(super) ranks: &'static [&'static str],
}

const SERVERS: &[Server] = &[
    Server { image: "vllm/vllm-openai", ranks: &["--tensor-parallel-size", "-tp"] },
    Server { image: "lmsysorg/sglang", ranks: &["--tp-size", "--tp", "--tensor-parallel-size"] },
    Server { image: "huggingface/text-generation-inference", ranks: &["--num-shard"] },
];

/// The server among what docker is told, and where its image stands; builds for other hardware are none.
pub(super) fn server_in(told: &[&str]) -> Option<(&'static Server, usize)> {
    const ELSEWHERE: &[&str] = &[
        "cpu", "rocm", "xpu", "hpu", "gaudi", "neuron", "tpu", "npu", "intel", "musa", "mi3", "trtllm",
        "llamacpp",
    ];
    SERVERS.iter().find_map(|server| {
        let is_it = |word: &&str| {
            let (name, tag) = word.split_once([':', '@']).unwrap_or((word, ""));
            (name == server.image || name.strip_suffix(server.image).is_some_and(|rest| rest.ends_with('/')))
                && !ELSEWHERE.iter().any(|other| tag.contains(other))
        };
        told.iter().position(is_it).map(|at| (server, at))
    })
}

/// The name of an image that is made for a GPU: that of a server, or one whose tag says so. Images that others are built on are for
/// both.
pub(super) fn made_for_gpu(image: &str) -> Option<&str> {
    const BASES: &[&str] = &["nvidia/", "pytorch/pytorch"];
    if let Some((server, _)) = server_in(&[image]) {
        return Some(server.image);
    }
    let (name, tag) = image.rsplit_once(':')?;
    let mut parts = tag.split(['-', '_', '.']);
    let says_so = parts.any(|part| part == "gpu" || part.starts_with("cuda"));
    let is_base = BASES.iter().any(|base| name.starts_with(base)) || image.contains("nvcr.io/nvidia/cuda");
    let is_open = image.contains(['$', '{']) || tag.contains("cpu") || tag.contains('/');
    (name.contains('/') && says_so && !is_base && !is_open).then_some(image)
}

/// What the only image of the project starts, that needs shared memory.
pub(super) enum Started {
    Processes(usize, Place),
    Loader(Place),
}

/// `CMD ["torchrun", "--nproc_per_node=2", "train.py"]`, or a program with workers of a DataLoader.
pub(super) fn started_by_image(scope: &FileScope<'_>) -> Option<Started> {
    let (image, text) = only_image(scope)?;
    let is_started = |command: &&RunCommand| {
        let (before, behind) = text.split_at(command.site.span.range().start);
        let line = before.rsplit('\n').next().unwrap_or_default().trim_start();
        line.starts_with("CMD") || line.starts_with("ENTRYPOINT") || behind.starts_with("CMD")
    };
    let of_image = scope.program.run_commands().flatten().filter(|command| command.site.file == image);
    let command = of_image.filter(is_started).last()?;
    if let Some(count) = ranks(&command.words()).map(|ranks| ranks.count).filter(|count| *count > 1) {
        return Some(Started::Processes(count, command.site));
    }
    workers_started_by(scope, command).map(Started::Loader)
}

/// `docker run vllm/vllm-openai …` without a GPU, and a service of Compose.
pub(super) fn servers_without_gpu(scope: &FileScope<'_>) -> Vec<RawFinding> {
    const GIVES: &[&str] = &[
        "--gpus",
        "--runtime",
        "--device",
        "NVIDIA_VISIBLE_DEVICES",
        "--privileged",
        "--hooks-dir",
        "--env-file",
    ];
    const ON_CPU: &[&str] = &["--disable-custom-kernels", "cpu", "--help", "--version", "--env"];
    /// What is looked at by hand, or needs no GPU.
    const BY_HAND: &[&str] = &["bash", "sh", "pip", "pip3", "ls", "cat", "nvcc", "chown", "mkdir"];
    let mut found = match scope.language() {
        Language::Yaml => served::services_without_gpu(scope),
        Language::Json => development_containers::without_gpu(scope),
        _ => Vec::new(),
    };
    // A runner that GitHub hosts has none to give.
    for command in scope.own_commands().filter(|command| command.host != Host::NoGpu) {
        let Some(told) = told_to_docker(command) else { continue };
        let made = told.iter().enumerate().find_map(|(at, word)| Some((made_for_gpu(word)?, at)));
        let Some((name, at)) = made else { continue };
        if told.get(at + 1).is_some_and(|word| BY_HAND.contains(&program_name(word))) {
            continue;
        }
        let is_given = told[..at].iter().any(|word| GIVES.iter().any(|given| word.contains(given)));
        let is_for_cpu = told[at..].iter().any(|word| ON_CPU.contains(word) || word.contains("entrypoint"))
            || told[..at].iter().any(|word| word.starts_with("--entrypoint"));
        if !is_given
            && !is_for_cpu
            && options_are_known(command, &told)
            && !found.iter().any(|known| known.place == command.site)
        {
            found.push(RawFinding::at(command.site).word("name", name).word("wants", served::MADE_FOR_GPU));
        }
    }
    found
}

/// `--gpus "device=$CARDS"` of docker, where the variable holds several: docker reads a list with commas. What stands in the command as it is,
/// is seen where it stands.
pub(super) fn split_by_docker(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found: Vec<RawFinding> = Vec::new();
    for command in scope.own_commands() {
        let Some(told) = told_to_docker(command) else { continue };
        let is_docker = command.words.iter().flatten().any(|word| program_name(word) == "docker");
        let behind = |at: usize| match told[at] {
            "--gpus" => told.get(at + 1).copied(),
            word => word.strip_prefix("--gpus="),
        };
        let list = (0..told.len()).find_map(behind).filter(|list| is_split_list(list));
        let Some(list) = list.filter(|list| is_docker && !scope.text(command.site.span).contains(*list))
        else {
            continue;
        };
        if !found.iter().any(|known| known.place == command.site) {
            found.push(RawFinding::at(command.site).word("text", format!("--gpus {list}")));
        }
    }
    if found.is_empty() { split_by_default(scope) } else { found }
}

/// NVIDIA_VISIBLE_DEVICES for `singularity exec --nv`, which hands every card of the machine in: only `--nvccli` looks at it.
pub(super) fn names_for_singularity(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    const READS: &[&str] = &["nvccli", "docker", "podman", "CUDA_VISIBLE_DEVICES"];
    if !matches!(scope.language(), Language::Shell | Language::Makefile)
        || READS.iter().any(|word| text.contains(word))
    {
        return Vec::new();
    }
    let is_given = |command: &RunCommand| {
        let mut words = command.words.iter().flatten();
        words.any(|word| matches!(program_name(word), "singularity" | "apptainer"))
            && command.words.iter().flatten().any(|word| &**word == "--nv")
    };
    if !scope.own_commands().any(is_given) {
        return Vec::new();
    }
    let sets = |line: &str| {
        let (before, value) = line.split_once("NVIDIA_VISIBLE_DEVICES=")?;
        let value = value.trim_start_matches(['"', '\'']);
        let is_choice = !["all", "void", "none"].iter().any(|word| value.starts_with(word));
        let is_remark = before.trim_start().starts_with('#');
        (is_choice && !is_remark && !value.is_empty()).then_some(before.len())
    };
    let at = |span: Span, start: usize| {
        let start = span.start + start as u32;
        Span { start, end: start + "NVIDIA_VISIBLE_DEVICES".len() as u32 }
    };
    let found = lines_in(text).filter_map(|(span, line)| Some(at(span, sets(line)?)));
    found.map(|span| RawFinding::at(scope.place(span))).collect()
}

/// The same where the caller may say another list: `CARDS=${CARDS:-0,1}`.
fn split_by_default(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    if scope.language() != Language::Shell || !text.contains("docker") || text.contains("podman") {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (span, line) in lines_in(text) {
        let Some((before, behind)) = line.split_once("device=$").filter(|(before, _)| {
            // Quotes that docker gets stand behind a backslash, or in single ones.
            before.contains("--gpus") && !before.ends_with("\\\"") && !before.ends_with("'\"")
        }) else {
            continue;
        };
        let behind = behind.trim_start_matches('{');
        let end = behind.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
        let name = &behind[..end.unwrap_or(behind.len())];
        let Some(list) = default_of(text, name).filter(|_| !before.trim_start().starts_with('#')) else {
            continue;
        };
        let seen = RawFinding::at(scope.place(span)).word("text", format!("--gpus device={list}"));
        found.push(seen.unsure());
    }
    found
}

/// The list of indices that a variable holds unless the caller says another one, where the script assigns it once.
fn default_of<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let assigned = |line: &'t str| {
        let line = line.trim().trim_start_matches("export ").trim_start_matches("local ");
        line.strip_prefix(name)?.strip_prefix('=')
    };
    let mut values = text.lines().filter_map(assigned);
    let value = values.next().filter(|_| values.next().is_none())?;
    let (_, default) = value.trim_matches('"').strip_prefix("${")?.split_once(":-")?;
    let list = default.split_once('}')?.0;
    let is_index = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    (list.contains(',') && list.split(',').all(is_index)).then_some(list)
}

/// Whether each option of docker is known: what is not known may be one. A value of an option that says nothing about memory or a GPU may
/// be anything, and so may all that stands behind an image.
fn options_are_known(command: &RunCommand, told: &[&str]) -> bool {
    const VALUED: &[&str] =
        &["-v", "--volume", "-p", "--publish", "-e", "--env", "--name", "-w", "--workdir", "--mount"];
    let image = told.iter().position(|word| made_for_gpu(word).is_some());
    let behind = image.map_or(0, |at| told.len() - at);
    let words = &command.words[..command.words.len() - behind];
    let is_value = |at: usize| {
        at.checked_sub(1).and_then(|before| words[before].as_deref()).is_some_and(|it| VALUED.contains(&it))
    };
    words.iter().enumerate().all(|(at, word)| word.is_some() || is_value(at))
}

/// What stands behind `docker run`.
pub(super) fn told_to_docker(command: &RunCommand) -> Option<Vec<&str>> {
    let words: Vec<&str> = command.words.iter().map(|word| word.as_deref().unwrap_or_default()).collect();
    let at = words.iter().position(|word| matches!(program_name(word), "docker" | "podman"))?;
    (words.get(at + 1) == Some(&"run")).then(|| words[at + 2..].to_vec())
}

/// A DataLoader with workers, in the program that the container starts, or in the only ones of the project.
fn workers_in(scope: &FileScope<'_>, command: &RunCommand) -> Option<Place> {
    if has_no_workers(command) {
        return None;
    }
    let started = command.starts;
    let files = scope.program.files_with("num_workers");
    let is_it = |file: &&FileId| started.is_none_or(|started| started == **file);
    files.iter().filter(is_it).find_map(|file| {
        let found = scope.in_other(*file, |other| {
            let mut found = None;
            other.each_call(&mut |expr, call, _| {
                let is_loader = other.names.path(&call.callee).is_some_and(|path| LOADERS.contains(&path));
                if !is_loader || found.is_some() {
                    return;
                }
                let workers = argument(&call.arguments, Some(5), Some("num_workers"));
                // Also by an option of the program that runs there: `num_workers=args.workers`.
                let count = workers.and_then(|count| match (&other.names.meant(count).kind, started) {
                    (ExprKind::Int(count), _) => Some(*count),
                    (_, Some(_)) => literal_defaults::default_of(other, count)?.number(),
                    (_, None) => None,
                });
                found = count.filter(|count| *count > 0).map(|_| expr.span);
            });
            found
        });
        found.map(|span| Place { file: *file, span })
    })
}

/// The same, in the program that the container is known to start.
pub(super) fn workers_started_by(scope: &FileScope<'_>, command: &RunCommand) -> Option<Place> {
    command.starts.and_then(|_| workers_in(scope, command))
}

/// `--workers=0`, `--num-workers 0`, `-j 0`
fn has_no_workers(command: &RunCommand) -> bool {
    let words: Vec<&str> = command.words.iter().map(|word| word.as_deref().unwrap_or_default()).collect();
    words.iter().enumerate().any(|(at, word)| {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, value),
            None => (*word, words.get(at + 1).copied().unwrap_or_default()),
        };
        (name.ends_with("workers") || name == "-j") && value == "0"
    })
}
