//! The GPUs that a container is given, beside the mask that is set inside it: ordinals restart at 0 there, so the
//! index that chose a GPU outside chooses none inside.

use crate::code::{Expr, ExprKind, Observation, Observed, SetVariable, Statement, StatementKind};
use crate::commands::program_name;
use crate::facts::Span;
use crate::masks;
use crate::sources::Source;

/// What a command line that creates a container says about GPUs, in words of which some are not known.
pub fn observations<'s>(
    words: &[Option<&str>],
    expressions: &[&Expr<'s>],
    comments: [&str; 2],
    source: &'s Source,
) -> Vec<Statement<'s>> {
    let is_engine = words
        .iter()
        .flatten()
        .take(4)
        .any(|word| matches!(program_name(word), "docker" | "podman" | "nerdctl"));
    if !is_engine {
        return Vec::new();
    }
    let is_docker = words.iter().flatten().take(4).any(|word| program_name(word) == "docker");
    let mut seen = Vec::new();
    let (mut numbered, mut chosen) = (None, None);
    let mut given = None;
    let mut mask = None;
    for (at, word) in words.iter().enumerate() {
        // `--gpus 1` and `--gpus=1`.
        let option = word.unwrap_or_default();
        let (name, value) = match option.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some((at, value))),
            _ => (option, words.get(at + 1).copied().flatten().map(|value| (at + 1, value))),
        };
        match (name, value) {
            ("--gpus", Some((at, value))) => {
                numbered = value.parse().ok().or(numbered);
                if is_docker && is_split_list(value) {
                    let text = format!("--gpus {value}");
                    seen.push(observed(Observation::CountAndNames, &text, expressions[at].span, source));
                }
                given = given.or(count(value));
                if is_count(value) && names_index(comments, value) {
                    seen.push(observed(Observation::CountForIndex, option, expressions[at].span, source));
                }
            }
            ("--gpus", None) => {
                if let Some(variable) = expressions.get(at + 1).filter(|value| is_index_variable(value)) {
                    let text = format!("--gpus ${}", variable_name(variable).unwrap_or_default());
                    seen.push(observed(Observation::CountForIndex, &text, variable.span, source));
                }
            }
            ("-e" | "--env", Some((at, value))) => match value.split_once('=') {
                Some(("NVIDIA_VISIBLE_DEVICES", devices)) => {
                    chosen = Some((at, devices));
                    given = list_length(devices).or(given);
                }
                Some(("CUDA_VISIBLE_DEVICES", devices)) => mask = Some((at, devices)),
                _ => {}
            },
            _ => {}
        }
    }
    if let (Some(count), Some((at, devices))) = (numbered, chosen)
        && is_docker
        && names_others(devices, count)
    {
        let text = format!("NVIDIA_VISIBLE_DEVICES={devices}");
        seen.push(observed(Observation::CountOverNames, &text, expressions[at].span, source));
    }
    // A privileged container has all GPUs of its machine.
    let is_privileged =
        || words.iter().flatten().any(|word| matches!(*word, "--privileged" | "--privileged=true"));
    if let (Some(given), Some((at, devices))) = (given, mask)
        && is_beyond(devices, given)
        && !is_privileged()
    {
        let text = format!("CUDA_VISIBLE_DEVICES={devices}");
        seen.push(observed(Observation::DoubleRemap, &text, expressions[at].span, source));
    }
    seen
}

/// `device=0,1` as docker gets it: it reads a list with commas, of which the second part is a number of GPUs.
pub fn is_split_list(value: &str) -> bool {
    value.strip_prefix("device=").is_some_and(|list| {
        let mut parts = list.split(',').skip(1);
        parts.next().is_some_and(|second| !second.contains('='))
    })
}

/// `nvidia-smi --id=$NVIDIA_VISIBLE_DEVICES`: the variable exists in containers, and holds what the machine calls the card.
/// CUDA_VISIBLE_DEVICES counts in the order of CUDA, unless something says that it is that of nvidia-smi.
pub fn machine_index<'s>(
    words: &[Option<&str>],
    expressions: &[&Expr<'s>],
    source: &'s Source,
) -> Option<Statement<'s>> {
    words.first().copied().flatten().filter(|word| program_name(word) == "nvidia-smi")?;
    let written = |at: usize| source.text.get(expressions.get(at)?.span.range());
    let given = |variable: &str| {
        (1..expressions.len()).find(|at| {
            let names = |at: usize| written(at).is_some_and(|word| word.contains(variable));
            written(*at).is_some_and(|word| match word.split_once('=') {
                Some((name, _)) => matches!(name, "--id" | "-i") && names(*at),
                None => matches!(word, "--id" | "-i") && names(at + 1),
            })
        })
    };
    let (what, variable) = match given("NVIDIA_VISIBLE_DEVICES") {
        Some(_) => (Observation::MachineIndexInside, "NVIDIA_VISIBLE_DEVICES"),
        None if source.text.contains("CUDA_DEVICE_ORDER") || !sets_indices(&source.text) => return None,
        None => (Observation::MaskForMachine, "CUDA_VISIBLE_DEVICES"),
    };
    Some(observed(what, variable, expressions[given(variable)?].span, source))
}

/// Whether a script sets a mask that begins with an index. Of a mask that the caller has set nothing is known.
fn sets_indices(text: &str) -> bool {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    let mut values = lines.flat_map(|line| line.split("CUDA_VISIBLE_DEVICES=").skip(1));
    values
        .any(|value| value.trim_start_matches(['"', '\'']).starts_with(|first: char| first.is_ascii_digit()))
}

/// Whether a list names other cards than the first `count`, which is what a number hands out.
pub fn names_others(devices: &str, count: usize) -> bool {
    let devices = devices.trim().trim_matches(['"', '\'']);
    let is_open = matches!(devices, "" | "all" | "none" | "void") || devices.contains('$');
    let first = (0..count).map(|index| index.to_string());
    !is_open && !devices.split(',').map(str::trim).eq(first)
}

/// Something that a description of a container says about its GPUs.
pub fn observed_at<'s>(what: Observation, text: &str, span: Span, source: &'s Source) -> Statement<'s> {
    observed(what, text, span, source)
}

/// The same for the variables of a container that is described: `given` GPUs are handed to it.
pub fn remapped<'s>(
    set: &[SetVariable<'s>],
    given: Option<usize>,
    source: &'s Source,
) -> Option<Statement<'s>> {
    let text_of = |name: &str| {
        let set = set.iter().find(|set| set.name == name)?;
        match &set.value.as_ref()?.kind {
            ExprKind::Text(text) => Some((set.span, text.trim().to_owned())),
            ExprKind::Int(number) => Some((set.span, number.to_string())),
            _ => None,
        }
    };
    let given = text_of("NVIDIA_VISIBLE_DEVICES").and_then(|(_, list)| list_length(&list)).or(given)?;
    let (span, devices) = text_of("CUDA_VISIBLE_DEVICES")?;
    let text = format!("CUDA_VISIBLE_DEVICES={devices}");
    is_beyond(&devices, given).then(|| observed(Observation::DoubleRemap, &text, span, source))
}

fn observed<'s>(what: Observation, text: &str, span: Span, source: &'s Source) -> Statement<'s> {
    let text = source.keep(text.to_owned()).into();
    Statement { span, kind: StatementKind::Observe(Box::new(Observed { what, about_gpu: true, text })) }
}

/// Whether a mask names an index that a container with so many GPUs does not have.
fn is_beyond(mask: &str, given: usize) -> bool {
    masks::read(mask).highest.is_some_and(|highest| highest >= given as u64)
}

/// How many GPUs `--gpus` hands out; `all` is as many as there are.
fn count(value: &str) -> Option<usize> {
    let value = value.trim_matches(['"', '\'']);
    match value.strip_prefix("device=") {
        Some(list) => list_length(list),
        None => value.parse().ok().filter(|count| *count > 0),
    }
}

fn list_length(list: &str) -> Option<usize> {
    let list = list.trim().trim_matches(['"', '\'']);
    let is_list = !matches!(list, "" | "all" | "none" | "void") && !list.contains('$');
    is_list.then(|| list.split(',').filter(|element| !element.trim().is_empty()).count())
}

fn is_count(value: &str) -> bool {
    value.parse::<usize>().is_ok_and(|count| count > 0)
}

/// Whether a comment above the command or behind it takes the number for an index: `# GPU 1`, `# the second card`.
fn names_index(comments: [&str; 2], number: &str) -> bool {
    let comment = comments.join(" ").to_ascii_lowercase();
    let nouns = ["gpu", "card", "device", "index"];
    let counted = nouns.iter().any(|noun| {
        [format!("{noun} {number}"), format!("{noun}{number}"), format!("{noun} #{number}")]
            .iter()
            .any(|phrase| comment.contains(phrase.as_str()))
    });
    counted || (number == "1" && nouns.iter().any(|noun| comment.contains(&format!("second {noun}"))))
}

fn variable_name<'e>(value: &'e Expr<'_>) -> Option<&'e str> {
    match &value.kind {
        ExprKind::Variable(name) | ExprKind::VariableOr(name, _) => Some(name),
        _ => None,
    }
}

/// `$GPU_ID`, `$DEVICE_INDEX`, `$NVIDIA_VISIBLE_DEVICES`: variables that hold an index, by their names.
fn is_index_variable(value: &Expr<'_>) -> bool {
    let name = variable_name(value).unwrap_or_default().to_ascii_uppercase();
    ["_ID", "INDEX", "_IDX", "ORDINAL", "VISIBLE_DEVICES"].iter().any(|word| name.ends_with(word))
        || name == "DEVICE"
}
