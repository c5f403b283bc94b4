//! Sums and lists of losses: `total += loss` keeps the graph of every step of a loop, unless the sum itself is what is
//! differentiated, and so does `losses.append(loss)`.

mod buffers;
mod evaluation;
mod graphs;
mod lists;
mod meters;
mod objects;
mod returned;
mod sums;

use super::gradients::with_is_off;
use super::memory::{method_of, path};
use crate::code::walk::{Ancestor, CodeNode, loops_around, walk, within_function};
use crate::code::{Expr, ExprKind, Operator, StatementKind, Target};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};
use graphs::{feeds_backward, is_cut_off, is_named_anew, with_graphs, with_graphs_and_outputs};

/// What a function does with values that may have a graph, in the order in which it stands there.
struct Note {
    function: Option<usize>,
    /// The loops around it, the outermost first.
    loops: Vec<Span>,
    /// It runs in each turn of its innermost loop.
    always: bool,
    span: Span,
    what: GraphStep,
}

enum GraphStep {
    /// `loss.backward()`: of these values.
    Backward(Vec<String>),
    /// `total += loss`: the sum, and the values whose graphs it takes over.
    Add(String, Vec<String>),
    /// `loss = a + b`: the name, the values whose graphs it takes over, and whether it is cut off from them.
    Assign(String, Vec<String>, bool),
    /// `losses.append(loss)`: the list, the values whose graphs it takes over, each with its place, and all that is given.
    Append(String, Vec<(String, Span)>, Span),
}

/// Whether a part of a file is `loss.backward()`, of whatever value, sets the mode of a model, or is about a buffer.
pub(crate) fn may_keep_graphs(part: CodeNode<'_, '_>) -> bool {
    let CodeNode::Expr(expr) = part else { return false };
    if matches!(expr.kind, ExprKind::Attribute(_, "running_mean")) {
        return true;
    }
    let method = method_of(expr).map(|(_, name, _)| name);
    matches!(method, Some("backward" | "manual_backward" | "eval" | "register_buffer" | "train"))
}

/// Functions whose result a library differentiates. A file with one of them may keep graphs without saying `backward`.
pub(crate) fn differentiated_by_others() -> Vec<&'static str> {
    objects::DIFFERENTIATED.to_vec()
}

/// `total += loss` in a loop that calls `loss.backward()`, or that evaluates a model with gradients on.
pub(super) fn by_sums(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = in_training(scope);
    found.extend(evaluation::by_sums(scope));
    found.extend(buffers::with_graphs(scope));
    found
}

fn in_training(scope: &FileScope<'_>) -> Vec<RawFinding> {
    if !is_for_torch(scope.whole_text()) {
        return Vec::new();
    }
    let notes = notes_of(scope);
    let mut found = returned::by_sums(scope, &notes);
    found.extend(meters::by_sums(scope, &notes));
    found.extend(lists::in_training(scope, &notes));
    found.extend(objects::by_sums(scope, &notes));
    let outputs = lists::outputs_in(scope);
    for (at, note) in notes.iter().enumerate() {
        let GraphStep::Add(total, values) = &note.what else { continue };
        let of_function: Vec<&Note> = notes.iter().filter(|other| other.function == note.function).collect();
        if feeds_backward(&of_function, total) {
            continue;
        }
        for (depth, inside) in note.loops.iter().enumerate().rev() {
            let in_loop = |other: &&&Note| other.loops.get(depth) == Some(inside);
            let here: Vec<&Note> = of_function.iter().filter(in_loop).copied().collect();
            let graphs = with_graphs_and_outputs(&here, &outputs);
            let Some(value) = values.iter().find(|value| graphs.contains(value)) else { continue };
            let starts_anew = here.iter().any(|other| {
                let GraphStep::Assign(name, values, _) = &other.what else { return false };
                // Also every so many steps, as where gradients are accumulated.
                name == total && (values.is_empty() || other.always && other.loops.len() == depth + 1)
            });
            let before = notes[..at].iter().filter(|other| other.function == note.function);
            if !starts_anew && !is_cut_off(before, value) && !is_named_anew(&here, note, value) {
                let place = scope.place(note.span);
                found.push(RawFinding::at(place).word("total", total).word("value", value));
            }
            break;
        }
    }
    found
}

/// Whether code is for torch, by its words: a loop of training may be handed all that it uses.
fn is_for_torch(text: &str) -> bool {
    const OTHERS: &[&str] =
        &["chainer", "jittor", "micrograd", "mindspore", "mxnet", "paddle", "tensorflow", "tinygrad"];
    let says = |word: &str| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    ["torch", "lightning", "transformers"].iter().any(|word| says(word))
        || (says("zero_grad") && !OTHERS.iter().any(|other| says(other)))
}

fn notes_of(scope: &FileScope<'_>) -> Vec<Note> {
    let mut notes = Vec::new();
    walk(scope.code, &mut |part, around| {
        // Most parts say nothing, and what stands around them need not be known.
        let mut note = |span, what| {
            let (function, around) = within_function(around);
            if is_without_graph(scope, around) {
                return;
            }
            let loops = loops_around(around).map(|step| step.span);
            let since_loop =
                around.iter().rposition(|one| matches!(one, Ancestor::Loop(_))).map_or(0, |at| at + 1);
            let always = !around[since_loop..].iter().any(|one| {
                matches!(
                    one,
                    Ancestor::Then(_) | Ancestor::Otherwise(_) | Ancestor::Handler(..) | Ancestor::TryElse(_)
                )
            });
            notes.push(Note { function, loops: loops.collect(), always, span, what });
        };
        match part {
            CodeNode::Statement(step) => match &step.kind {
                StatementKind::Update { target, operator: Operator::Add | Operator::Subtract, value } => {
                    let Some(total) = text_of_target(scope, target) else { return };
                    // `losses += [loss]`
                    note(
                        step.span,
                        match value.kind {
                            ExprKind::Sequence(_) => {
                                GraphStep::Append(total, lists::kept_in(scope, value), value.span)
                            }
                            _ => GraphStep::Add(total, terms(scope, value)),
                        },
                    );
                }
                StatementKind::Assign { targets, value: Some(value), .. } => {
                    let [target] = &targets[..] else { return };
                    // `loss, accuracy = meter.values()`
                    if let (Target::Sequence(parts), ExprKind::Call(call)) = (target, &value.kind)
                        && call.arguments.is_empty()
                    {
                        for name in parts.iter().filter_map(|part| text_of_target(scope, part)) {
                            note(step.span, GraphStep::Assign(name, Vec::new(), false));
                        }
                        return;
                    }
                    let Some(name) = text_of_target(scope, target) else { return };
                    let mut values = terms(scope, value);
                    if let Some(added) = lists::joined_to(scope, value, &name) {
                        note(step.span, GraphStep::Add(name, added));
                    } else if is_sum(value) && values.contains(&name) && values.len() > 1 {
                        values.retain(|value| *value != name);
                        note(step.span, GraphStep::Add(name, values));
                    } else {
                        let cut = values.is_empty() && (is_cut(scope, value) || is_counted(scope, value));
                        note(step.span, GraphStep::Assign(name, values, cut));
                    }
                }
                StatementKind::For { target, iterable, .. } => {
                    if let Some((name, values)) = sums::turned(scope, target, iterable) {
                        note(step.span, GraphStep::Assign(name, values, false));
                    }
                }
                StatementKind::With { items, .. } => {
                    for (item, target) in items {
                        let scaled = method_of(item).filter(|(_, name, _)| *name == "scale_loss");
                        if let (Some((_, _, call)), Some(target)) = (scaled, target)
                            && let Some(name) = text_of_target(scope, target)
                            && let Some(first) = call.arguments.first()
                        {
                            note(step.span, GraphStep::Assign(name, terms(scope, &first.value), false));
                        }
                    }
                }
                _ => {}
            },
            CodeNode::Expr(expr) => {
                let Some((object, name, call)) = method_of(expr) else { return };
                let first = call.arguments.first().map(|argument| &argument.value);
                match name {
                    "backward" | "manual_backward" => {
                        let mut values = terms(scope, object);
                        // `accelerator.backward(loss)`, but not `output.backward(gradient)`.
                        let loss = first.filter(|first| !scope.text(first.span).contains("grad"));
                        values.extend(loss.map_or(Vec::new(), |loss| terms(scope, loss)));
                        note(expr.span, GraphStep::Backward(values));
                    }
                    "append" | "appendleft" | "extend" | "insert" => {
                        let Some(first) = lists::given_to(call, name) else { return };
                        let kept = lists::kept_in(scope, first);
                        note(
                            expr.span,
                            GraphStep::Append(scope.text(object.span).to_owned(), kept, first.span),
                        );
                    }
                    "detach_" => {
                        for value in terms(scope, object) {
                            note(expr.span, GraphStep::Assign(value, Vec::new(), true));
                        }
                    }
                    _ => {}
                }
            }
            CodeNode::Target(_) => {}
        }
    });
    notes
}

/// The names in an expression whose graphs the value of the expression keeps.
fn terms(scope: &FileScope<'_>, expr: &Expr<'_>) -> Vec<String> {
    let mut found = Vec::new();
    add_terms(scope, expr, &mut found);
    found
}

fn add_terms(scope: &FileScope<'_>, expr: &Expr<'_>, found: &mut Vec<String>) {
    /// Methods whose result has no graph.
    const CUTTING: &[&str] = &["item", "detach", "tolist", "numpy", "detach_", "size", "dim", "numel"];
    /// Functions that hand the graph of their first argument on.
    const AVERAGES: &[&str] = &["horovod.torch.allgather", "horovod.torch.allreduce"];
    match &expr.kind {
        ExprKind::Name(name) => found.push((*name).to_owned()),
        ExprKind::Attribute(_, "data" | "shape" | "dtype" | "device") => {}
        ExprKind::Attribute(object, _) if is_dotted(object) => {
            found.push(scope.text(expr.span).to_owned());
        }
        ExprKind::Item(item) if is_dotted(&item.0) => found.push(scope.text(expr.span).to_owned()),
        // What a loss is divided by is a number: how many steps, how many samples.
        ExprKind::Binary(Operator::Divide | Operator::FloorDivide | Operator::Remainder, sides) => {
            let dividend = terms(scope, &sides.0);
            found.extend(if dividend.is_empty() { terms(scope, &sides.1) } else { dividend });
        }
        // `loss.item() * weight`, `loss.detach() * weight`: who cuts a loss off weighs it by what has no graph.
        ExprKind::Binary(Operator::Multiply, sides) if is_cut_here(&sides.0) || is_cut_here(&sides.1) => {}
        ExprKind::Binary(_, sides) => {
            add_terms(scope, &sides.0, found);
            add_terms(scope, &sides.1, found);
        }
        ExprKind::Negate(inner) => add_terms(scope, inner, found),
        ExprKind::Choice(parts) => {
            let arms = [&parts.1, &parts.2].map(|arm| terms(scope, arm));
            // `loss.item() if is_tensor(loss) else loss`
            if arms.iter().all(|arm| !arm.is_empty()) {
                found.extend(arms.into_iter().flatten());
            }
        }
        // An average over processes is differentiated as well.
        ExprKind::Call(call) if AVERAGES.contains(&path(scope, &call.callee)) => {
            call.arguments.iter().take(1).for_each(|first| add_terms(scope, &first.value, found));
        }
        ExprKind::Call(call) => match &call.callee.kind {
            // `sum(losses.values())`
            ExprKind::Name("sum") => found.extend(sums::of_all(scope, call)),
            ExprKind::Attribute(_, name) if CUTTING.contains(name) => {}
            // `scaler.scale(loss)`
            ExprKind::Attribute(_, "scale" | "scale_loss") => {
                call.arguments.iter().for_each(|argument| add_terms(scope, &argument.value, found));
            }
            ExprKind::Attribute(object, name) if is_tensor_method(name) => {
                let torch = matches!(path(scope, object), "torch" | "torch.nn.functional");
                let first = call.arguments.first().map(|argument| &argument.value);
                if let Some(value) = if torch { first } else { Some(&**object) } {
                    add_terms(scope, value, found);
                }
            }
            _ => {}
        },
        _ => {}
    }
}

/// The part of an expression whose graph the value of the whole keeps, where something is known to have one.
fn part_with_graph<'e, 's>(
    scope: &FileScope<'_>,
    expr: &'e Expr<'s>,
    has_graph: &dyn Fn(&Expr<'_>) -> bool,
) -> Option<&'e Expr<'s>> {
    if has_graph(expr) {
        return Some(expr);
    }
    let part = |expr: &'e Expr<'s>| part_with_graph(scope, expr, has_graph);
    match &expr.kind {
        ExprKind::Attribute(_, "data" | "shape" | "dtype" | "device" | "grad") => None,
        ExprKind::Attribute(object, _) => part(object),
        ExprKind::Item(pair) => part(&pair.0),
        ExprKind::Negate(inner) => part(inner),
        ExprKind::Binary(_, sides) => part(&sides.0).or_else(|| part(&sides.1)),
        ExprKind::Call(call) => match &call.callee.kind {
            ExprKind::Attribute(object, name) if is_tensor_method(name) => {
                if matches!(path(scope, object), "torch" | "torch.nn.functional") {
                    part(&call.arguments.first()?.value)
                } else {
                    part(object)
                }
            }
            _ => None,
        },
        _ => None,
    }
}

/// Methods of a tensor, and functions of torch by the same name, whose result keeps the graph.
fn is_tensor_method(name: &str) -> bool {
    const KEEPING: &[&str] = &[
        "abs",
        "clone",
        "contiguous",
        "cpu",
        "cuda",
        "div",
        "double",
        "exp",
        "flatten",
        "float",
        "half",
        "log",
        "log_softmax",
        "mean",
        "mul",
        "neg",
        "permute",
        "norm",
        "pow",
        "reshape",
        "sigmoid",
        "softmax",
        "sqrt",
        "squeeze",
        "std",
        "sum",
        "to",
        "transpose",
        "unsqueeze",
        "var",
        "view",
    ];
    KEEPING.contains(&name)
}

fn is_dotted(expr: &Expr<'_>) -> bool {
    match &expr.kind {
        ExprKind::Name(_) => true,
        ExprKind::Attribute(object, _) => is_dotted(object),
        _ => false,
    }
}

/// `loss.item()`, `loss.detach()`
fn is_cut_here(expr: &Expr<'_>) -> bool {
    method_of(expr).is_some_and(|(_, name, _)| matches!(name, "item" | "detach"))
}

/// What is counted or compared has no graph: `(labels != ignored).sum()`, `len(batch)`, `scores.argmax()`.
fn is_counted(scope: &FileScope<'_>, expr: &Expr<'_>) -> bool {
    const COUNTING: &[&str] =
        &["argmax", "argmin", "bool", "count_nonzero", "eq", "int", "long", "ne", "numel"];
    match &expr.kind {
        ExprKind::Compare(..) => true,
        ExprKind::Call(call) if path(scope, &call.callee) == "builtins.len" => true,
        ExprKind::Call(_) => method_of(expr)
            .is_some_and(|(object, name, _)| COUNTING.contains(&name) || is_counted(scope, object)),
        _ => false,
    }
}

fn is_sum(expr: &Expr<'_>) -> bool {
    matches!(&expr.kind, ExprKind::Binary(Operator::Add | Operator::Subtract, _))
}

/// Whether the value is that of a tensor without its graph.
fn is_cut(scope: &FileScope<'_>, expr: &Expr<'_>) -> bool {
    let text = scope.text(expr.span);
    ["item()", "detach()", ".data", "numpy()", "tolist()", "float(", "int("]
        .iter()
        .any(|word| text.contains(word))
}

/// Whether `torch.no_grad()` or one of its relatives stands around something.
fn is_without_graph(scope: &FileScope<'_>, around: &[Ancestor<'_, '_>]) -> bool {
    around.iter().any(|one| matches!(one, Ancestor::With(step) if with_is_off(scope, step)))
}

fn text_of_target(scope: &FileScope<'_>, target: &Target<'_>) -> Option<String> {
    match target {
        Target::Name(name, _) => Some((*name).to_owned()),
        Target::Attribute(object, name) => Some(format!("{}.{name}", scope.text(object.span))),
        Target::Item(item) => Some(format!("{}[{}]", scope.text(item.0.span), scope.text(item.1.span))),
        _ => None,
    }
}
