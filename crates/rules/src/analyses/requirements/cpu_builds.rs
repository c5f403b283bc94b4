//! Builds of torch for the CPU alone, in a project whose programs need a GPU.

use super::label_of;
use crate::code::walk::{CodeNode, walk};
use crate::code::{Expr, ExprKind, Grammar, Part, Requirement};
use crate::facts::{Place, Span, lines_in};
use crate::program::RunCommand;
use crate::rules::analyses::cuda_calls::fails_without_driver;
use crate::rules::analyses::images::{asked_of_any, images};
use crate::rules::analyses::literal_defaults::{Literal, default_of};
use crate::rules::files::{FileScope, RawFinding};
use crate::sources::Language;

/// The first call that needs a GPU, where all that is installed of torch has no CUDA.
pub fn of_torch(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    // Code that asks runs on the CPU as well, and so does code that names it, unless the image asks for the GPU.
    if ["is_available", "device_count"].iter().any(|word| text.contains(word)) {
        return Vec::new();
    }
    let mut needed: Option<(Span, String)> = None;
    if text.lines().any(|line| line.contains("cpu") && !line.contains("pip install")) {
        needed = device_by_command(scope).map(|span| (span, "torch.device".to_owned()));
        if needed.is_none() {
            return Vec::new();
        }
    }
    walk(scope.code, &mut |part, _| {
        let CodeNode::Expr(expr) = part else { return };
        if needed.is_none() {
            let name = fails_without_driver(expr, scope).or_else(|| device_by_default(expr, scope));
            needed = name.map(|name| (expr.span, name));
        }
    });
    let Some((span, name)) = needed else { return Vec::new() };
    let asked = |package: &str| scope.program.versions().asked(scope.program.name_of(scope.file), package);
    let mut listed = asked("torch");
    listed.extend(asked(OF_CONDA_FORGE));
    let mut by_commands = asked_of_any(scope, "torch");
    by_commands.extend(asked_of_any(scope, OF_CONDA_FORGE));
    let without_gpu_by_commands = asked_of_any(scope, "cpuonly").len();
    // What an image installs is what runs in it; a list that it reads is one of these.
    let commands = by_commands.iter().map(|(_, asked)| *asked);
    let of_conda = listed.iter().filter(|asked| asked.grammar == Grammar::Conda).count();
    let without_gpu = asked("cpuonly").len();
    let conda_by_commands = by_commands.iter().filter(|(_, asked)| asked.grammar == Grammar::Conda).count();
    let all: Vec<&Requirement> = listed.into_iter().chain(commands).collect();
    let lists = lists_for_cpu(scope);
    let is_cpu = |asked: &&Requirement| {
        is_for_cpu(asked)
            || asked.name == OF_CONDA_FORGE
            || lists.is_some() && says_nothing(asked)
            // `cpuonly` in each environment of conda.
            || asked.grammar == Grammar::Conda && match asked.part {
                Part::Command(_) => without_gpu_by_commands >= conda_by_commands,
                _ => without_gpu >= of_conda,
            }
    };
    if all.is_empty() || !all.iter().all(is_cpu) || names_cuda(scope) {
        return Vec::new();
    }
    let raw_finding = RawFinding::at(scope.place(span)).word("name", name);
    let place = by_commands.first().map(|(place, _)| *place).or(lists);
    vec![match place {
        Some(place) => raw_finding.beside(place, "torch is installed for the CPU here"),
        None => raw_finding,
    }]
}

/// The build of conda-forge for the CPU.
const OF_CONDA_FORGE: &str = "pytorch-cpu";

/// `torch.device(os.environ.get("DEVICE", "cuda"))`, where nothing in the project names the CPU for it.
fn device_by_default(expr: &Expr<'_>, scope: &FileScope<'_>) -> Option<String> {
    let ExprKind::Call(call) = &expr.kind else { return None };
    if scope.names.path(&call.callee) != Some("torch.device") {
        return None;
    }
    let given = scope.names.meant(&call.arguments.first()?.value);
    let ExprKind::Call(read) = &given.kind else { return None };
    let is_read = matches!(scope.names.path(&read.callee), Some("os.environ.get" | "os.getenv"));
    let variable = match &read.arguments.first().filter(|_| is_read)?.value.kind {
        ExprKind::Text(name) => name,
        _ => return None,
    };
    let is_cuda = matches!(default_of(scope, given), Some(Literal::Text(name)) if name.starts_with("cuda"));
    let on_cpu = |text: &str| {
        text.lines().any(|line| line.split_once(&**variable).is_some_and(|(_, value)| value.contains("cpu")))
    };
    let is_set = scope.program.every_file().any(|(_, file)| on_cpu(&file.text));
    (is_cuda && !is_set).then(|| "torch.device".to_owned())
}

/// `torch.device("cuda" if args.cuda else "cpu")`, where an image of the project starts this file with `--cuda`.
fn device_by_command(scope: &FileScope<'_>) -> Option<Span> {
    let in_image = |command: &&RunCommand| {
        command.starts == Some(scope.file)
            && scope.program.sources.file(command.site.file).language == Language::Dockerfile
    };
    let told: Vec<&RunCommand> = scope.program.run_commands().flatten().filter(in_image).collect();
    if told.is_empty() {
        return None;
    }
    let is_told = |option: &str, value: Option<&str>| {
        let is_it = |word: &str| word.strip_prefix("--").is_some_and(|word| word.replace('-', "_") == option);
        told.iter().any(|command| {
            let words = command.words();
            words.iter().enumerate().any(|(at, word)| match (value, word) {
                (None, Some(word)) => is_it(word),
                (Some(value), Some(word)) => {
                    let next =
                        || words.get(at + 1).copied().flatten().is_some_and(|next| next.starts_with(value));
                    is_it(word) && next()
                        || word
                            .split_once('=')
                            .is_some_and(|(word, given)| is_it(word) && given.starts_with(value))
                }
                (_, None) => false,
            })
        })
    };
    let is_text = |expr: &Expr<'_>, begin: &str| matches!(&scope.names.meant(expr).kind, ExprKind::Text(text) if text.starts_with(begin));
    let mut found = None;
    scope.each_call(&mut |expr, call, _| {
        if found.is_some() || scope.names.path(&call.callee) != Some("torch.device") {
            return;
        }
        let Some(given) = call.arguments.first().map(|one| scope.names.meant(&one.value)) else { return };
        let is_wanted = match &given.kind {
            ExprKind::Choice(parts) => {
                let option = match parts.0.kind {
                    ExprKind::Attribute(_, option) => option,
                    _ => return,
                };
                is_text(&parts.1, "cuda") && is_text(&parts.2, "cpu") && is_told(option, None)
            }
            ExprKind::Attribute(_, option) => is_told(option, Some("cuda")),
            _ => false,
        };
        found = is_wanted.then_some(expr.span);
    });
    found
}

/// `torch==1.2.0+cpu`, or an index of wheels for the CPU alone.
fn is_for_cpu(asked: &Requirement) -> bool {
    let labels = asked.clauses.iter().flatten().filter_map(label_of);
    labels.into_iter().any(|label| label.starts_with("cpu"))
        || asked.index.only.as_ref().is_some_and(|address| is_index_for_cpu(address))
}

fn is_index_for_cpu(address: &str) -> bool {
    address.contains("download.pytorch.org/whl/") && address.trim_end_matches([';', '/']).ends_with("/cpu")
}

fn says_nothing(asked: &Requirement) -> bool {
    asked.clauses.iter().flatten().all(|clause| label_of(clause).is_none()) && asked.index.only.is_none()
}

/// Where an image installs a list of packages from the index for the CPU: `pip install -r list.txt --index-url …/whl/cpu`.
fn lists_for_cpu(scope: &FileScope<'_>) -> Option<Place> {
    for (file, text) in images(scope) {
        for (span, line) in lines_in(text) {
            let mut words = line.split_whitespace();
            let by_index = ["--index-url", "-i"].iter().any(|option| line.contains(option));
            if by_index && line.contains(" -r ") && words.any(is_index_for_cpu) {
                return Some(Place { file, span });
            }
        }
    }
    None
}

/// Whether anything in the project speaks of a build for CUDA.
fn names_cuda(scope: &FileScope<'_>) -> bool {
    scope.program.every_file().any(|(_, file)| {
        ["/whl/cu", "+cu1", "pytorch-cuda", "pytorch-gpu"].iter().any(|word| file.text.contains(word))
    })
}
