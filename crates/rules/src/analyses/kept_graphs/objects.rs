//! Sums and lists that an object keeps: one method trains a step, and its object takes over the graph of each.

use super::{GraphStep, Note, feeds_backward, is_cut_off, terms, with_graphs};
use crate::code::walk::{CodeNode, functions_around, walk, walk_block};
use crate::code::{Expr, ExprKind, Function, Statement, StatementKind, Target};
use crate::facts::Span;
use crate::rules::analyses::memory::parts_of;
use crate::rules::files::{FileScope, RawFinding};

/// Functions whose result a library differentiates: `training_step` of Lightning, and what a Trainer of transformers computes.
pub(super) const DIFFERENTIATED: &[&str] = &["compute_loss", "training_step"];

/// `self.total += loss` in a method that calls `loss.backward()`, or that a library calls for it.
pub(super) fn by_sums(scope: &FileScope<'_>, notes: &[Note]) -> Vec<RawFinding> {
    let mut found = Vec::new();
    for (at, note) in notes.iter().enumerate() {
        let (kept, values) = match &note.what {
            GraphStep::Add(total, values) => (total, values.clone()),
            GraphStep::Append(list, values, _) => {
                (list, values.iter().map(|(value, _)| value.clone()).collect())
            }
            _ => continue,
        };
        let Some(number) = note.function.filter(|_| note.loops.is_empty() && kept.starts_with("self."))
        else {
            continue;
        };
        let function = &scope.code.functions[number];
        let returned = returned_note(scope, function, number);
        let mut of_function: Vec<&Note> =
            notes.iter().filter(|other| other.function == note.function).collect();
        of_function.extend(&returned);
        let graphs = with_graphs(&of_function);
        let Some(value) = values.iter().find(|value| graphs.contains(value)) else { continue };
        let before = notes[..at].iter().filter(|other| other.function == note.function);
        if is_begun_once(scope, kept)
            && function.name != "__init__"
            && !feeds_backward(&of_function, kept)
            && !is_cut_off(before, value)
        {
            let place = scope.place(note.span);
            found.push(RawFinding::at(place).word("total", kept).word("value", value));
        }
    }
    found
}

/// What a function returns, where a library differentiates that.
fn returned_note(scope: &FileScope<'_>, function: &Function<'_>, number: usize) -> Option<Note> {
    let of_library = ["LightningModule", "Trainer"].iter().any(|word| scope.whole_text().contains(word));
    if !DIFFERENTIATED.contains(&function.name) || !of_library {
        return None;
    }
    let mut values = Vec::new();
    walk_block(scope.code, &function.body, &mut |part, around| {
        if let CodeNode::Statement(Statement { kind: StatementKind::Return(Some(value)), .. }) = part
            && functions_around(around).next().is_none()
        {
            add_loss(scope, value, &mut values);
        }
    });
    let what = GraphStep::Backward(values);
    Some(Note { function: Some(number), loops: Vec::new(), always: true, span: function.span, what })
}

/// The loss of `loss`, `(loss, outputs)`, `{"loss": loss}` and a choice between them.
fn add_loss(scope: &FileScope<'_>, value: &Expr<'_>, found: &mut Vec<String>) {
    match &value.kind {
        ExprKind::Choice(parts) => {
            add_loss(scope, &parts.1, found);
            add_loss(scope, &parts.2, found);
        }
        ExprKind::Mapping(entries) => {
            let is_loss = |key: &Option<Expr<'_>>| matches!(key, Some(Expr { kind: ExprKind::Text(text), .. }) if text == "loss");
            let losses = entries.iter().filter(|(key, _)| is_loss(key));
            losses.for_each(|(_, value)| found.extend(terms(scope, value)));
        }
        _ => found.extend(parts_of(value).first().map_or(Vec::new(), |first| terms(scope, first))),
    }
}

/// Whether an attribute is given a value at one place alone, an empty list or a number, and nothing empties it.
fn is_begun_once(scope: &FileScope<'_>, attribute: &str) -> bool {
    let name = attribute.trim_start_matches("self.");
    if name.contains(['[', '.', '(']) {
        return false;
    }
    let text = scope.whole_text();
    let empties = [".clear(", ".pop(", ".popleft(", "[:]", ".zero_("];
    if empties.iter().any(|way| text.contains(&format!("{attribute}{way}")))
        || text.contains(&format!("del {attribute}"))
    {
        return false;
    }
    let mut begun: Vec<Span> = Vec::new();
    let mut is_plain = true;
    walk(scope.code, &mut |part, _| {
        let CodeNode::Statement(Statement { kind: StatementKind::Assign { targets, value, .. }, span }) =
            part
        else {
            return;
        };
        let is_it = |target: &Target<'_>| match target {
            Target::Attribute(_, known) => *known == name,
            Target::Sequence(parts) => {
                parts.iter().any(|part| matches!(part, Target::Attribute(_, known) if *known == name))
            }
            _ => false,
        };
        if targets.iter().any(is_it) {
            begun.push(*span);
            let begins = value.as_ref().is_some_and(|value| {
                let text = scope.text(value.span);
                matches!(text, "[]" | "list()") || text.starts_with(|first: char| first.is_ascii_digit())
            });
            is_plain &= begins;
        }
    });
    begun.len() == 1 && is_plain
}
