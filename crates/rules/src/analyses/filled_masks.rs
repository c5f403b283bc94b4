//! Masks that a program fills, and indices of CUDA that it takes, with what NVML or `nvidia-smi` told it: they count the cards
//! by their slots, and CUDA counts the fastest first until it is told otherwise.
//!
//! Names are followed through assignments, loops, `append` and the functions of one file, by what stands in them.

use super::device_indices::index_in;
use super::own_calls::{constructor_of, imported, names_imported};
use super::written_variables::written;
use crate::code::walk::{CodeNode, functions_around, walk};
use crate::code::{Argument, Expr, ExprKind, Function, SetVariable, StatementKind, Target};
use crate::facts::{FileId, Span};
use crate::program::{MASK, ORDER};
use crate::rules::files::FileScope;
use rustc_hash::FxHashSet;

/// A program that chooses a card in more steps than this is not understood.
const ROUNDS: usize = 4;

/// Where the mask gets an index of NVML, in a file that says nothing of the order.
pub(super) fn by_nvml(scope: &FileScope<'_>) -> Vec<Span> {
    let text = scope.whole_text();
    // A UUID names one card in any order.
    if !text.contains(MASK) || text.contains(ORDER) || text.to_ascii_lowercase().contains("uuid") {
        return Vec::new();
    }
    if asks(text) {
        return numbers_of_slots(scope, FxHashSet::default()).1;
    }
    let told = told_elsewhere(scope);
    if told.is_empty() { Vec::new() } else { numbers_of_slots(scope, told).1 }
}

/// Whether a text asks NVML or `nvidia-smi`.
fn asks(text: &str) -> bool {
    asks_command(text) || text.contains("nvmlDeviceGet")
}

/// The names of functions of other modules that give what NVML or `nvidia-smi` said, in a project that says nothing of the order.
fn told_elsewhere<'a>(scope: &FileScope<'a>) -> FxHashSet<&'a str> {
    let files = scope.program.files_with("nvidia-smi");
    let by_nvml = scope.program.files_with("nvmlDeviceGet");
    let is_asked = |file: FileId| files.contains(&file) || by_nvml.contains(&file);
    if files.is_empty() && by_nvml.is_empty() || scope.program.has_any(&[ORDER]) {
        return FxHashSet::default();
    }
    let gives = |name: &&'a str| {
        let Some((file, name)) = imported(scope, None, name).filter(|(file, _)| is_asked(*file)) else {
            return false;
        };
        scope.in_other(file, |other| {
            asks(other.whole_text()) && numbers_of_slots(other, FxHashSet::default()).0.contains(name)
        })
    };
    names_imported(scope).into_iter().filter(gives).collect()
}

/// Where an index of CUDA is one that `nvidia-smi` or NVML chose, in a file that says nothing of the order.
pub(super) fn chosen_indices(scope: &FileScope<'_>) -> Vec<Span> {
    /// Words of a choice by what a card has left.
    const CHOOSING: &[&str] =
        &["argmax", "argmin", "max(", "min(", "sort", "getAvailable", "getFirstAvailable"];
    let text = scope.whole_text();
    if text.contains(ORDER) || text.to_ascii_lowercase().contains("uuid") {
        return Vec::new();
    }
    let told = if asks(text) { FxHashSet::default() } else { told_elsewhere(scope) };
    let chooses = |text: &str| {
        asks_command(text) || CHOOSING.iter().any(|word| text.contains(word)) || compares_memory(text)
    };
    let is_asked = if asks(text) { chooses(text) } else { !told.is_empty() };
    if !is_asked {
        return Vec::new();
    }
    let (known, _) = numbers_of_slots(scope, told);
    let mut found = Vec::new();
    walk(scope.code, &mut |part, _| {
        let CodeNode::Expr(expr) = part else { return };
        let taken = index_in(scope, expr).map(|index| scope.text(index.span));
        let is_chosen = |index: &&str| mentions(index, &known) || asks_command(index);
        found.extend(taken.filter(is_chosen).map(|_| expr.span));
    });
    found
}

/// The names that hold what NVML or `nvidia-smi` said, beside those that are known to, and the writes of the mask that use them.
fn numbers_of_slots<'a>(
    scope: &FileScope<'a>,
    mut known: FxHashSet<&'a str>,
) -> (FxHashSet<&'a str>, Vec<Span>) {
    let mut found = Vec::new();
    for _ in 0..ROUNDS {
        let before = known.len();
        look(scope, &mut known, &mut found);
        if known.len() == before {
            break;
        }
    }
    (known, found)
}

/// One look at the file: adds the names that hold what NVML said, and the writes of the mask that use them.
fn look<'a>(scope: &FileScope<'a>, known: &mut FxHashSet<&'a str>, found: &mut Vec<Span>) {
    found.clear();
    walk(scope.code, &mut |part, around| match part {
        CodeNode::Statement(step) => match &step.kind {
            // How many there are says nothing of their order.
            StatementKind::Assign { value: Some(value), .. } if is_count(&value.kind) => {}
            StatementKind::Assign { targets, value: Some(value), .. } => {
                let text = scope.text(value.span);
                if tells_index(text) || mentions(text, known) {
                    for target in targets {
                        match target {
                            Target::Item(item) if is_mask(&item.1.kind) => found.push(step.span),
                            // `self.gpus = gpus`
                            Target::Attribute(object, name)
                                if matches!(object.kind, ExprKind::Name("self")) =>
                            {
                                known.insert(name);
                            }
                            // `free[index] = memory.free`
                            Target::Item(item) => {
                                if let ExprKind::Name(name) = item.0.kind {
                                    known.insert(name);
                                }
                            }
                            target => known.extend(target.names()),
                        }
                    }
                }
            }
            // `os.environ.update(CUDA_VISIBLE_DEVICES=str(best))`
            StatementKind::Evaluate(_) | StatementKind::Update { .. } => {
                let value = written(scope, step, MASK).map(|value| scope.text(value.span));
                if value.is_some_and(|text| tells_index(text) || mentions(text, known)) {
                    found.push(step.span);
                }
            }
            StatementKind::SetVariable(set) => look_at_variable(scope, set, known, found),
            StatementKind::Command(command) => {
                command.environment.iter().for_each(|set| look_at_variable(scope, set, known, found));
            }
            StatementKind::For { target, iterable, .. } => {
                let text = scope.text(iterable.span);
                if text.contains("nvmlDeviceGetCount") || mentions(text, known) {
                    known.extend(target.names());
                }
            }
            StatementKind::Return(Some(value)) => {
                let text = scope.text(value.span);
                if tells_index(text) || mentions(text, known) {
                    let inner = functions_around(around).next_back();
                    known.extend(inner.map(|number| scope.code.functions[number].name));
                }
            }
            _ => {}
        },
        CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) => {
            let holds = |one: &Argument<'_>| {
                let text = scope.text(one.value.span);
                tells_index(text) || mentions(text, known)
            };
            match &call.callee.kind {
                // `free.append(memory)`
                ExprKind::Attribute(receiver, "append") => {
                    if let ExprKind::Name(name) = receiver.kind
                        && call.arguments.iter().any(holds)
                    {
                        known.insert(name);
                    }
                }
                // `environment_for(str(number))`
                ExprKind::Name(name) => {
                    let function = scope.code.functions.iter().find(|function| function.name == *name);
                    // `Server(model, indexes)`
                    let class = scope.code.classes.iter().find(|one| one.name == *name && function.is_none());
                    let made = class.and_then(|class| constructor_of(scope, class));
                    let given = call.arguments.iter().enumerate().filter(|(_, one)| holds(one));
                    let taken: Vec<&str> = match made {
                        Some(maker) => given.filter_map(|(at, one)| parameter(maker, at + 1, one)).collect(),
                        None => given.filter_map(|(at, one)| parameter(function?, at, one)).collect(),
                    };
                    known.extend(taken);
                }
                _ => {}
            }
        }
        CodeNode::Expr(_) => {}
        CodeNode::Target(_) => {}
    });
}

/// The same for a variable of a shell. All cards, in whatever order, are no choice.
fn look_at_variable<'a>(
    scope: &FileScope<'a>,
    set: &'a SetVariable<'a>,
    known: &mut FxHashSet<&'a str>,
    found: &mut Vec<Span>,
) {
    let choosing = ["memory", "utilization", "sort", "awk", "grep", "head", "shuf"].into_iter().collect();
    let Some(value) = &set.value else { return };
    let text = scope.text(value.span);
    let asks = tells_index(text) && mentions(text, &choosing);
    if !asks && !mentions(text, known) {
        return;
    }
    if set.name == MASK {
        found.push(set.span);
    } else {
        known.insert(&set.name);
    }
}

/// The parameter that takes an argument.
fn parameter<'a>(function: &Function<'a>, at: usize, given: &Argument<'_>) -> Option<&'a str> {
    match given.name {
        Some(name) => function.parameters.iter().map(|one| one.name).find(|known| *known == name),
        None => function.parameters.get(at).map(|one| one.name),
    }
}

/// Whether a question to NVML stands here whose answer leads to an index. A list for people or a count does not.
fn tells_index(text: &str) -> bool {
    let lists = ["-L", "--list-gpus", "wc "].iter().any(|word| text.contains(word));
    let by_command = asks_command(text) && !lists;
    by_command || text.contains("nvmlDeviceGetHandleByIndex") || text.contains("nvmlDeviceGetMemoryInfo")
}

/// Whether `nvidia-smi` is asked, by itself or by GPUtil, which starts it, or NVML by gpustat and nvitop.
fn asks_command(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "nvidia-smi",
        "getAvailable(",
        "getGPUs(",
        "getFirstAvailable(",
        "gpustat.new_query(",
        "GPUStatCollection.new_query(",
        "nvitop.Device.all(",
    ];
    WORDS.iter().any(|word| text.contains(word))
}

/// `if memory.free > most:`
fn compares_memory(text: &str) -> bool {
    let measured = |line: &str| line.contains(".free") || line.contains(".used");
    let compares = |line: &str| line.contains(" > ") || line.contains(" < ");
    text.lines().any(|line| measured(line) && compares(line))
}

/// `len(lines)`
fn is_count(value: &ExprKind<'_>) -> bool {
    matches!(value, ExprKind::Call(call) if matches!(call.callee.kind, ExprKind::Name("len")))
}

fn mentions(text: &str, known: &FxHashSet<&str>) -> bool {
    let words = text.split(|one: char| !one.is_alphanumeric() && one != '_');
    words.into_iter().any(|word| known.contains(word))
}

fn is_mask(key: &ExprKind<'_>) -> bool {
    matches!(key, ExprKind::Text(text) if text == MASK)
}
