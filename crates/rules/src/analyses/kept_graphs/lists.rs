//! Lists of losses and outputs: `losses.append(loss)` keeps the graph of every step of a loop, as a sum does.

pub(super) mod growing;

use super::{
    GraphStep, Note, is_cut_off, is_tensor_method, is_without_graph, part_with_graph, terms, text_of_target,
};
use crate::code::walk::{CodeNode, innermost_loop, walk, walk_block, within_function};
use crate::code::{Block, Call, Expr, ExprKind, StatementKind, Target};
use crate::facts::Span;
use crate::rules::analyses::gradients::Run;
use crate::rules::analyses::memory::{method_of, parts_of, path};
use crate::rules::files::{FileScope, RawFinding};
use growing::Lists;
use rustc_hash::FxHashSet;

/// `losses.append(loss)` in a loop that calls `loss.backward()`.
pub(super) fn in_training(scope: &FileScope<'_>, notes: &[Note]) -> Vec<RawFinding> {
    let has = |wanted: fn(&GraphStep) -> bool| notes.iter().any(|note| wanted(&note.what));
    if !has(|what| matches!(what, GraphStep::Append(..)))
        || !has(|what| matches!(what, GraphStep::Backward(_)))
    {
        return Vec::new();
    }
    let lists = Lists::of(scope);
    let outputs = outputs_in(scope);
    let mut found = Vec::new();
    for (at, note) in notes.iter().enumerate() {
        let GraphStep::Append(list, values, given) = &note.what else { continue };
        let before: Vec<&Note> = notes[..at].iter().filter(|other| other.function == note.function).collect();
        for inside in note.loops.iter().rev() {
            let in_loop = notes.iter().filter(|other| other.function == note.function);
            let in_loop: Vec<&Note> = in_loop.filter(|other| other.loops.contains(inside)).collect();
            if !in_loop.iter().any(|other| matches!(other.what, GraphStep::Backward(_))) {
                continue;
            }
            let steps = Steps { before: &before, in_loop: &in_loop, outputs: &outputs };
            // `losses[-1].backward()`: the list holds all that was differentiated.
            let last = format!("{list}[-1]");
            let of_last = steps.differentiates(&last).then(|| (scope.text(*given).to_owned(), note.span));
            if let Some((value, span)) = of_last {
                if lists.grows(list, note.function, *inside)
                    && !lists.is_differentiated(list, note.function, &last)
                {
                    found.push(finding(scope, list, &value, span));
                }
                break;
            }
            let kept = values.iter().find(|(value, _)| steps.give_graph(value, before.len()));
            if let Some((value, span)) = kept
                && lists.grows(list, note.function, *inside)
                && !lists.is_differentiated(list, note.function, "")
            {
                let (value, span) = match steps.differentiated_part(value, before.len()) {
                    Some(part) => (part, note.span),
                    None => (value.as_str(), *span),
                };
                found.push(finding(scope, list, value, span));
            }
            break;
        }
    }
    found
}

/// `outputs.append(model(x))` in a loop that evaluates a model with gradients on.
pub(super) fn in_evaluation(scope: &FileScope<'_>, runs: &[Run<'_>]) -> Vec<RawFinding> {
    if runs.is_empty() || !scope.whole_text().contains(".append(") {
        return Vec::new();
    }
    let lists = Lists::of(scope);
    let mut made: FxHashSet<(Span, String)> = FxHashSet::default();
    let mut found = Vec::new();
    walk(scope.code, &mut |part, around| {
        let (function, within) = within_function(around);
        let Some(inside) = innermost_loop(within).map(|step| step.span) else { return };
        if !runs.iter().any(|run| run.inside == inside) || is_without_graph(scope, within) {
            return;
        }
        match part {
            CodeNode::Statement(step) => {
                let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return };
                let has_graph = keeps_graph(scope, value, runs, &|name| made.contains(&(inside, name)));
                for name in targets.iter().filter_map(|target| text_of_target(scope, target)) {
                    made.remove(&(inside, name.clone()));
                    if has_graph {
                        made.insert((inside, name));
                    }
                }
            }
            CodeNode::Expr(expr) => {
                let Some((object, "append", call)) = method_of(expr) else { return };
                let Some(given) = call.arguments.first().map(|argument| &argument.value) else { return };
                let list = scope.text(object.span);
                let has_graph =
                    |one: &&Expr<'_>| keeps_graph(scope, one, runs, &|name| made.contains(&(inside, name)));
                let kept = parts_of(given).into_iter().find(has_graph);
                if let Some(kept) = kept
                    && lists.grows(list, function, inside)
                    && !lists.is_differentiated(list, function, "")
                    && !gradients_are_off_elsewhere(scope, function)
                {
                    let tensor = before_methods(kept);
                    found.push(finding(scope, list, scope.text(tensor.span), tensor.span));
                }
            }
            CodeNode::Target(_) => {}
        }
    });
    found
}

fn finding(scope: &FileScope<'_>, list: &str, value: &str, span: Span) -> RawFinding {
    RawFinding::at(scope.place(span)).word("total", list).word("value", value)
}

/// What a list gets: `append(loss)`, `extend([loss])`, `insert(0, loss)`.
pub(super) fn given_to<'c>(call: &'c Call<'c>, method: &str) -> Option<&'c Expr<'c>> {
    let at = usize::from(method == "insert");
    let given = call.arguments.get(at).map(|argument| &argument.value)?;
    let is_list = matches!(given.kind, ExprKind::Sequence(_));
    (method != "extend" || is_list).then_some(given)
}

/// The values whose graphs a tensor takes over: `losses = torch.cat([losses, loss.reshape(1)])`
pub(super) fn joined_to(scope: &FileScope<'_>, value: &Expr<'_>, name: &str) -> Option<Vec<String>> {
    let joins = ["torch.cat", "torch.concat", "torch.hstack", "torch.stack", "torch.vstack"];
    let ExprKind::Call(call) = &value.kind else { return None };
    let parts = parts_of(&call.arguments.first()?.value);
    let is_same = |part: &&Expr<'_>| scope.text(part.span) == name;
    if !joins.contains(&path(scope, &call.callee)) || !parts.iter().any(is_same) {
        return None;
    }
    let added = parts.iter().filter(|part| !is_same(part));
    Some(added.flat_map(|part| terms(scope, part)).collect())
}

/// The values whose graphs a list takes over from what is appended to it, each with its place.
pub(super) fn kept_in(scope: &FileScope<'_>, given: &Expr<'_>) -> Vec<(String, Span)> {
    let mut kept = Vec::new();
    for part in parts_of(given) {
        for name in terms(scope, part) {
            let span = place_in(scope, part, &name);
            kept.push((name, span));
        }
    }
    kept
}

/// `output` of `output.softmax(1).cpu()`
fn before_methods<'e, 's>(expr: &'e Expr<'s>) -> &'e Expr<'s> {
    match method_of(expr) {
        Some((object, name, _))
            if is_tensor_method(name) && !matches!(object.kind, ExprKind::Name("torch" | "F")) =>
        {
            before_methods(object)
        }
        _ => expr,
    }
}

/// Where a name stands in an expression, or all of it where it stands there several times.
fn place_in(scope: &FileScope<'_>, expr: &Expr<'_>, name: &str) -> Span {
    let text = scope.text(expr.span);
    let mut places = growing::words(text, name);
    match (places.next(), places.next()) {
        (Some(at), None) => {
            let start = expr.span.start + at as u32;
            Span { start, end: start + name.len() as u32 }
        }
        _ => expr.span,
    }
}

/// What a function does up to a place, and what it does in one loop around that place.
struct Steps<'n> {
    before: &'n [&'n Note],
    in_loop: &'n [&'n Note],
    outputs: &'n FxHashSet<Span>,
}

impl Steps<'_> {
    fn differentiates(&self, value: &str) -> bool {
        let is_it = |note: &&&Note| matches!(&note.what, GraphStep::Backward(values) if values.iter().any(|one| one == value));
        self.in_loop.iter().any(|note| is_it(&note))
    }

    /// `output["loss"].backward()`: a part of the value, which is not cut off before a place.
    fn differentiated_part(&self, value: &str, end: usize) -> Option<&str> {
        let is_part = |one: &str| one.strip_prefix(value).is_some_and(|rest| rest.starts_with(['.', '[']));
        let is_kept = |one: &&String| is_part(one) && !is_cut_off(self.before[..end].iter().copied(), one);
        let mut parts = self.in_loop.iter().filter_map(|note| match &note.what {
            GraphStep::Backward(values) => values.iter().find(is_kept),
            _ => None,
        });
        parts.next().map(String::as_str)
    }

    /// Whether a value has a graph there: it is differentiated in the loop, a loss that is part of what is, what a model that is
    /// trained gave, or made of such a value.
    fn give_graph(&self, value: &str, end: usize) -> bool {
        let assigned = self.before[..end].iter().rposition(|note| match &note.what {
            GraphStep::Assign(name, ..) => name == value,
            _ => false,
        });
        let Some(at) = assigned else {
            let base = value.split(['.', '[']).next().unwrap_or(value);
            return self.is_differentiated(value, None)
                || (base == value && self.differentiated_part(value, end).is_some())
                || (base != value && self.give_graph(base, end));
        };
        let note = self.before[at];
        match &note.what {
            GraphStep::Assign(_, _, true) => false,
            GraphStep::Assign(..) if self.outputs.contains(&note.span) => true,
            GraphStep::Assign(_, values, _) => {
                values.iter().any(|value| self.give_graph(value, at))
                    || self.is_differentiated(value, Some(note.span))
                    || self.differentiated_part(value, end).is_some()
            }
            _ => false,
        }
    }

    /// `value.backward()` behind the step that made the value, or a sum with it there that is differentiated.
    fn is_differentiated(&self, value: &str, made: Option<Span>) -> bool {
        let is_behind = |note: &&&Note| made.is_none_or(|made| made.end <= note.span.start);
        let differentiated = |name: &str| {
            let mut behind = self.in_loop.iter().filter(is_behind);
            behind.any(
                |note| matches!(&note.what, GraphStep::Backward(values) if values.iter().any(|one| one == name)),
            )
        };
        let is_loss = value.to_ascii_lowercase().contains("loss");
        let is_term = |note: &&Note| match &note.what {
            GraphStep::Assign(sum, values, false) | GraphStep::Add(sum, values) => {
                values.iter().any(|one| one == value) && differentiated(sum)
            }
            _ => false,
        };
        differentiated(value) || (is_loss && self.in_loop.iter().filter(is_behind).any(is_term))
    }
}

/// The steps `output = model(x)` whose model an optimizer of the file trains, and what is made of such an output at once.
pub(super) fn outputs_in(scope: &FileScope<'_>) -> FxHashSet<Span> {
    let mut found = FxHashSet::default();
    let optimizers = optimizers_of(scope.whole_text());
    if optimizers.is_empty() {
        return found;
    }
    let gives_output = |expr: &Expr<'_>| match &expr.kind {
        ExprKind::Call(call) => {
            matches!(call.callee.kind, ExprKind::Name(_) | ExprKind::Attribute(..))
                && is_trained(&optimizers, scope.text(call.callee.span))
        }
        _ => false,
    };
    scope.each_statement(&mut |step, around| {
        let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return };
        if targets.len() == 1
            && part_with_graph(scope, value, &gives_output).is_some()
            && !is_without_graph(scope, within_function(around).1)
        {
            found.insert(step.span);
        }
    });
    found
}

/// The lines that make an optimizer of the parameters of a model.
fn optimizers_of(text: &str) -> Vec<&str> {
    let places = memchr::memmem::find_iter(text.as_bytes(), PARAMETERS);
    let line = |at: usize| {
        let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
        &text[start..end]
    };
    places.map(line).filter(|line| line.contains("optim")).collect()
}

const PARAMETERS: &str = ".parameters()";

/// Whether an optimizer is made of the parameters of a model.
fn is_trained(optimizers: &[&str], model: &str) -> bool {
    let parameters = format!("{model}{PARAMETERS}");
    optimizers.iter().any(|line| line.contains(&parameters))
}

/// Whether an expression is what a model gave, with its graph.
fn keeps_graph(
    scope: &FileScope<'_>,
    expr: &Expr<'_>,
    runs: &[Run<'_>],
    is_made: &dyn Fn(String) -> bool,
) -> bool {
    let has_graph = |one: &Expr<'_>| match &one.kind {
        ExprKind::Name(name) => is_made((*name).to_owned()),
        _ => runs.iter().any(|run| run.call == one.span && gives_output(scope, one, run.model)),
    };
    part_with_graph(scope, expr, &has_graph).is_some()
}

/// Whether a call in which a model runs gives what the model gave: it is the call of the model, or a method that hands that on.
fn gives_output(scope: &FileScope<'_>, run: &Expr<'_>, model: &str) -> bool {
    let ExprKind::Call(call) = &run.kind else { return false };
    let ExprKind::Attribute(object, name) = &call.callee.kind else { return true };
    let is_model = scope.text(call.callee.span) == model || scope.text(object.span) == model;
    let is_own = matches!(object.kind, ExprKind::Name("self"));
    let mut methods = scope.code.functions.iter().filter(|function| function.name == *name);
    is_model || !is_own || methods.any(|method| hands_on(scope, &method.body, model))
}

/// `outputs = self.net(x)` and `return outputs.loss`, or `return self.criterion(outputs, y)`: what a method does with what a model gave.
fn hands_on(scope: &FileScope<'_>, body: &Block<'_>, model: &str) -> bool {
    let mut made: Vec<&str> = Vec::new();
    let mut hands = false;
    walk_block(scope.code, body, &mut |part, _| {
        let CodeNode::Statement(step) = part else { return };
        match &step.kind {
            StatementKind::Assign { targets, value: Some(value), .. }
                if has_output(scope, value, model, &made) =>
            {
                made.extend(targets.iter().filter_map(|target| match target {
                    Target::Name(name, _) => Some(*name),
                    _ => None,
                }));
            }
            StatementKind::Return(Some(value)) => {
                hands |= parts_of(value).into_iter().any(|one| has_output(scope, one, model, &made));
            }
            _ => {}
        }
    });
    hands
}

fn has_output(scope: &FileScope<'_>, value: &Expr<'_>, model: &str, made: &[&str]) -> bool {
    let is_output = |one: &Expr<'_>| match &one.kind {
        ExprKind::Name(name) => made.contains(name),
        ExprKind::Call(call) => {
            let callee = scope.text(call.callee.span);
            let is_loss = ["loss", "criterion"].iter().any(|word| callee.to_ascii_lowercase().contains(word));
            let mut given = call.arguments.iter().map(|one| &one.value);
            callee.starts_with(model) || is_loss && given.any(|one| has_output(scope, one, model, made))
        }
        _ => false,
    };
    part_with_graph(scope, value, &is_output).is_some()
}

/// Whether something outside this file may turn gradients off around a function of it, or the function could not work with
/// them: a tensor with a graph has no `numpy()`.
fn gradients_are_off_elsewhere(scope: &FileScope<'_>, function: Option<usize>) -> bool {
    let function = function.map(|number| &scope.code.functions[number]);
    let text = function.map_or(scope.whole_text(), |function| scope.text(function.span));
    let needs_numbers = text.contains(".numpy()") && !text.contains("detach");
    let turned_off = !scope.program.files_with("set_grad_enabled(False)").is_empty();
    let off_around = |name: &str| {
        ["no_grad", "inference_mode"].iter().any(|word| {
            let others = scope.program.files_with(word);
            others.iter().any(|file| *file != scope.file && scope.program.has_word(*file, name))
        })
    };
    needs_numbers || turned_off || function.is_some_and(|function| off_around(function.name))
}
