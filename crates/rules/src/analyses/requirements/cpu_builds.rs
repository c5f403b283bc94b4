//! Builds of torch for the CPU alone, in a project whose programs need a GPU.

use super::label_of;
use crate::code::walk::{CodeNode, walk};
use crate::code::{Expr, ExprKind, Requirement};
use crate::facts::{Place, Span, lines_in};
use crate::rules::analyses::cuda_calls::fails_without_driver;
use crate::rules::analyses::images::{asked_by_images, images};
use crate::rules::analyses::literal_defaults::{Literal, default_of};
use crate::rules::files::{FileScope, RawFinding};

/// The first call that needs a GPU, where all that is installed of torch has no CUDA.
pub fn of_torch(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    // Code that asks runs on the CPU as well.
    if ["is_available", "device_count", "cpu"].iter().any(|word| text.contains(word)) {
        return Vec::new();
    }
    let mut needed: Option<(Span, String)> = None;
    walk(scope.code, &mut |part, _| {
        let CodeNode::Expr(expr) = part else { return };
        if needed.is_none() {
            let name = fails_without_driver(expr, scope).or_else(|| device_by_default(expr, scope));
            needed = name.map(|name| (expr.span, name));
        }
    });
    let Some((span, name)) = needed else { return Vec::new() };
    let listed = scope.program.versions().asked(scope.program.name_of(scope.file), "torch");
    let in_images = asked_by_images(scope, "torch");
    // What an image installs is what runs in it; a list that it reads is one of these.
    let images = in_images.iter().map(|(_, asked)| *asked);
    let all: Vec<&Requirement> = listed.into_iter().chain(images).collect();
    let lists = lists_for_cpu(scope);
    let is_cpu = |asked: &&Requirement| is_for_cpu(asked) || (lists.is_some() && says_nothing(asked));
    if all.is_empty() || !all.iter().all(is_cpu) || names_cuda(scope) {
        return Vec::new();
    }
    let raw_finding = RawFinding::at(scope.place(span)).word("name", name);
    let place = in_images.first().map(|(place, _)| *place).or(lists);
    vec![match place {
        Some(place) => raw_finding.beside(place, "torch is installed for the CPU here"),
        None => raw_finding,
    }]
}

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
    scope.program.every_file().any(|(_, file)| file.text.contains("/whl/cu") || file.text.contains("+cu1"))
}
