//! Stages of an image of which nothing reaches what is built.

use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};

/// `FROM image AS name`
struct Stage<'a> {
    image: &'a str,
    name: Option<&'a str>,
    span: Span,
}

/// `FROM nvidia/cuda:12.4.1-base` above another `FROM`, without a name by which that could take something from it.
pub(super) fn with_cuda_for_nothing(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    let stages = stages_in(text);
    let Some((last, others)) = stages.split_last() else { return Vec::new() };
    let is_taken = |number: usize| {
        let by_number = format!("from={number}");
        text.match_indices(&by_number).any(|(at, _)| {
            let rest = &text[at + by_number.len()..];
            !rest.starts_with(|next: char| next.is_alphanumeric())
        })
    };
    let is_left =
        |number: usize, stage: &Stage<'_>| has_cuda(stage.image) && stage.name.is_none() && !is_taken(number);
    // Another stage with CUDA may be the one that is built, and an image that is not known may have it.
    let others_have_it = stages.iter().enumerate().any(|(number, stage)| {
        may_have_cuda(stage.image) && !is_left(number, stage)
            || stage.image.contains('$') && !has_cuda(stage.image)
    });
    if others_have_it || may_have_cuda(last.image) {
        return Vec::new();
    }
    let left = others
        .iter()
        .enumerate()
        .filter(|(number, stage)| is_left(*number, stage) && !is_target(scope, *number));
    let raw_findings = left.map(|(_, stage)| {
        let raw_finding = RawFinding::at(scope.place(stage.span)).word("image", stage.image);
        raw_finding
            .word("last", last.image)
            .beside(scope.place(last.span), "the image that is built begins here")
    });
    raw_findings.collect()
}

/// Whether an image brings CUDA along, by its name.
fn has_cuda(image: &str) -> bool {
    let image = image.to_ascii_lowercase();
    image.contains("cuda") || image.starts_with("nvcr.io/nvidia/") || image.contains("-gpu")
}

/// Whether an image brings CUDA along, or is one of those that do so without a word of it in their names.
fn may_have_cuda(image: &str) -> bool {
    const KNOWN: &[&str] = &[
        "deepspeed",
        "gpu",
        "nvidia",
        "pytorch",
        "rapidsai",
        "sglang",
        "tensorrt",
        "text-embeddings-inference",
        "text-generation-inference",
        "tritonserver",
        "vllm",
    ];
    let lower = image.to_ascii_lowercase();
    has_cuda(image) || KNOWN.iter().any(|word| lower.contains(word))
}

/// Whether something of the project builds a stage by its number: `docker build --target 0`, and `target: "0"` of Compose.
fn is_target(scope: &FileScope<'_>, number: usize) -> bool {
    let forms =
        ["--target ", "--target=", "--target \"", "target: ", "target: \"", "target: '", "target = \""];
    let forms = forms.map(|form| format!("{form}{number}"));
    scope.program.every_file().any(|(_, source)| {
        forms.iter().any(|form| {
            source.text.match_indices(form.as_str()).any(|(at, _)| {
                !source.text[at + form.len()..].starts_with(|next: char| next.is_alphanumeric())
            })
        })
    })
}

/// The stages of a Dockerfile; a line of a text behind `<<EOF` is none.
fn stages_in(text: &str) -> Vec<Stage<'_>> {
    let mut stages = Vec::new();
    let mut at = 0;
    let mut until: Option<&str> = None;
    for line in text.split_inclusive('\n') {
        let written = line.trim();
        let start = at + line.len() - line.trim_start().len();
        at += line.len();
        if let Some(end) = until {
            until = Some(end).filter(|end| written != *end);
            continue;
        }
        let mut words = written.split_whitespace();
        if words.next() != Some("FROM") {
            until = end_of_text(written);
            continue;
        }
        let words: Vec<&str> = words.filter(|word| !word.starts_with("--")).collect();
        let (image, name) = match words[..] {
            [image] => (image, None),
            [image, word, name] if word.eq_ignore_ascii_case("as") => (image, Some(name)),
            _ => continue,
        };
        stages.push(Stage { image, name, span: Span::new(start, start + written.len()) });
    }
    stages
}

/// The line that ends the text which begins below a line: `EOF` for `RUN <<EOF`.
fn end_of_text(line: &str) -> Option<&str> {
    let (_, behind) = line.split_once("<<").filter(|_| !line.starts_with('#'))?;
    let word = behind.trim_start_matches(['-', '"', '\'']);
    let length = word.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    Some(&word[..length]).filter(|word| !word.is_empty())
}
