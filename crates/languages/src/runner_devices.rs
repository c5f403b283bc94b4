//! Cards that a command line of a workflow names by index: those that it hands to a container
//! (`docker run --gpus device=3`) and those that it tells a program to use (`--device cuda:1`). An index holds for one
//! machine.

use crate::code::{Expr, Observation, Observed, Statement, StatementKind};
use crate::commands::program_name;
use crate::facts::Span;
use crate::sources::{Language, Source};

/// Options that take the index of a card, besides `--device cuda:1`.
const OPTIONS: &[&str] = &["--gpu", "--gpu-id", "--gpu_id", "--gpu-index", "--cuda-device", "--cuda_device"];

/// Programs that only print or look for what they are given.
const TEXT_TOOLS: &[&str] = &["echo", "printf", "grep", "rg", "sed", "awk", "cat"];

/// What the words of a command line name.
pub fn observations<'s>(
    words: &[Option<&str>],
    expressions: &[&Expr<'s>],
    source: &'s Source,
) -> Vec<Statement<'s>> {
    if source.language != Language::Yaml {
        return Vec::new();
    }
    let is = |names: &[&str]| words.iter().flatten().take(4).any(|word| names.contains(&program_name(word)));
    let is_engine = is(&["docker", "podman", "nerdctl"]);
    if is(TEXT_TOOLS) && !is_engine {
        return Vec::new();
    }
    let mut seen = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let option = word.unwrap_or_default();
        let (name, value) = match option.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some((at, value))),
            _ => (option, words.get(at + 1).copied().flatten().map(|value| (at + 1, value))),
        };
        let Some((place, value)) = value else { continue };
        let chosen = match is_engine {
            true => name == "--gpus" && hands_out_index(value),
            false => names_another(name, value),
        };
        if chosen {
            let text = if place == at { option.to_owned() } else { format!("{name} {value}") };
            seen.push(step(&text, expressions[place].span, is_engine, source));
        }
    }
    seen
}

/// `--gpus '"device=1"'` among the options of a job's container.
pub fn of_options<'s>(options: &str, span: Span, source: &'s Source) -> Option<Statement<'s>> {
    let mut words = options.split_whitespace().skip_while(|word| !word.starts_with("--gpus"));
    let first = words.next()?;
    let value = first.strip_prefix("--gpus=").or_else(|| words.next())?;
    hands_out_index(value).then(|| step(&format!("--gpus {value}"), span, true, source))
}

fn step<'s>(text: &str, span: Span, handed: bool, source: &'s Source) -> Statement<'s> {
    let text = source.keep(text.to_owned()).into();
    let what = if handed { Observation::HandedCard } else { Observation::NamedCard };
    Statement { span, kind: StatementKind::Observe(Box::new(Observed { what, about_gpu: true, text })) }
}

/// `device=3`, `"device=2,3"`: cards by their numbers, and neither a count nor a UUID.
fn hands_out_index(value: &str) -> bool {
    let list = value.trim_matches(['"', '\'']).strip_prefix("device=");
    list.is_some_and(|list| list.trim_matches(['"', '\'']).split(',').all(is_number))
}

/// The first card is whichever the machine gives; any other must be there.
fn names_another(option: &str, value: &str) -> bool {
    let index = match option {
        "--device" => value.strip_prefix("cuda:"),
        option => OPTIONS.contains(&option).then_some(value),
    };
    index.is_some_and(|index| is_number(index) && index.bytes().any(|digit| digit != b'0'))
}

fn is_number(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
