//! Which values of a function have a graph, by what is differentiated in it.

use super::{GraphStep, Note, sums};
use crate::facts::Span;
use rustc_hash::FxHashSet;

/// Whether a value that a name takes part in is differentiated.
pub(super) fn feeds_backward(notes: &[&Note], name: &str) -> bool {
    let mut feeding: Vec<&str> = Vec::new();
    for note in notes {
        if let GraphStep::Backward(values) = &note.what {
            feeding.extend(values.iter().map(String::as_str));
        }
    }
    let mut next = 0;
    while let Some(&target) = feeding.get(next) {
        for note in notes {
            let (GraphStep::Assign(assigned, values, _) | GraphStep::Add(assigned, values)) = &note.what
            else {
                continue;
            };
            if assigned == target {
                let new = values.iter().map(String::as_str).filter(|value| !feeding.contains(value));
                feeding.extend(new.collect::<Vec<_>>());
            }
        }
        next += 1;
    }
    // A loss that is a term of the sum feeds nothing by that.
    feeding.contains(&name)
}

/// What has a graph in a loop: what is differentiated there, the terms that it is made of, and what is made of it.
pub(super) fn with_graphs(notes: &[&Note]) -> Vec<String> {
    with_graphs_and_outputs(notes, &FxHashSet::default())
}

/// The same, and what a model that is trained has given there.
pub(super) fn with_graphs_and_outputs(notes: &[&Note], outputs: &FxHashSet<Span>) -> Vec<String> {
    let mut graphs: Vec<String> = Vec::new();
    for note in notes {
        if let GraphStep::Backward(values) = &note.what {
            graphs.extend(values.iter().cloned());
        }
    }
    if !graphs.is_empty() {
        for note in notes.iter().filter(|note| outputs.contains(&note.span)) {
            if let GraphStep::Assign(name, ..) = &note.what {
                graphs.push(name.clone());
            }
        }
    }
    const ROUNDS: usize = 4;
    for _ in 0..ROUNDS {
        for note in notes {
            let GraphStep::Assign(name, values, _) = &note.what else { continue };
            if graphs.contains(name) {
                let made_here = |value: &&String| {
                    let whole = dictionary_of(value);
                    notes.iter().any(|other| {
                        matches!(&other.what, GraphStep::Assign(name, ..) if name == *value || Some(name.as_str()) == whole)
                    })
                };
                let new = values.iter().filter(made_here).filter(|value| !graphs.contains(value));
                graphs.extend(new.cloned().collect::<Vec<_>>());
            } else if values.iter().any(|value| graphs.contains(value)) {
                graphs.push(name.clone());
            }
        }
    }
    graphs
}

/// The dictionary of losses that a value is an item of: `losses` of `losses["box"]`. What else is weighed with them has no graph.
fn dictionary_of(value: &str) -> Option<&str> {
    let (whole, _) = value.split_once('[')?;
    whole.to_ascii_lowercase().contains("loss").then_some(whole)
}

/// `loss = loss.item()` before it is added, or the same for all that a dictionary holds.
pub(super) fn is_cut_off<'n>(before: impl Iterator<Item = &'n Note>, value: &str) -> bool {
    let before: Vec<&Note> = before.collect();
    // What a dictionary holds, where it is given one value that keeps its graphs.
    let is_reduced = |values: &[String]| {
        let [one] = values else { return false };
        let Some(whole) = one.strip_suffix(sums::ALL) else { return false };
        let mut given = before.iter().filter_map(|note| match &note.what {
            GraphStep::Assign(name, _, cut) if name == whole => Some(*cut),
            _ => None,
        });
        given.next() != Some(false) || given.next().is_some()
    };
    let last = before.iter().rev().find_map(|note| match &note.what {
        GraphStep::Assign(name, values, cut) if name == value => Some(*cut || is_reduced(values)),
        GraphStep::Assign(name, _, true) if holds(name, value) => Some(true),
        _ => None,
    });
    last.unwrap_or(false)
}

/// Whether a name stands for another value when it is added than when it was differentiated: a meter has given it since, and
/// nothing differentiates it again.
pub(super) fn is_named_anew(here: &[&Note], added: &Note, value: &str) -> bool {
    let differentiates = |note: &&&Note| matches!(&note.what, GraphStep::Backward(values) if values.iter().any(|one| one == value));
    let Some(last) = here.iter().rfind(differentiates) else { return false };
    here.iter().any(|note| {
        let is_between = last.span.end <= note.span.start && note.span.end <= added.span.start;
        is_between
            && note.always
            && matches!(&note.what, GraphStep::Assign(name, values, _) if name == value && values.is_empty())
    })
}

/// Whether what an assignment names has `losses["total"]` in it: `losses = …`, and `losses[name] = …` for each name.
fn holds(assigned: &str, item: &str) -> bool {
    let Some((dictionary, _)) = item.split_once('[') else { return false };
    assigned.strip_prefix(dictionary).is_some_and(|rest| {
        let key = rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        rest.is_empty() || key.is_some_and(|key| key.starts_with(|first: char| first.is_alphabetic()))
    })
}
