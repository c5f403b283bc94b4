//! Sums and lists of losses in a class of the project: `meter.update(loss)` adds the loss to what the object holds, and so does
//! `meter["loss"] = loss` where its class appends it.

use super::{Note, feeds_backward, is_cut_off, is_without_graph, terms, text_of_target, with_graphs};
use crate::code::walk::{
    Ancestor, CodeNode, innermost_class, innermost_loop, loops_around, walk, within_function,
};
use crate::code::{Expr, ExprKind, Operator, Parameter, ParameterKind, Statement, StatementKind, Target};
use crate::facts::Span;
use crate::program::Names;
use crate::rules::analyses::gradients::functions_without_gradients;
use crate::rules::analyses::memory::{method_of, path};
use crate::rules::files::{FileScope, RawFinding};
use rustc_hash::FxHashMap;

/// `meter.update(loss)` in a loop that calls `loss.backward()`, where the class of `meter` adds what it is given to an
/// attribute as it is.
pub(super) fn by_sums(scope: &FileScope<'_>, notes: &[Note]) -> Vec<RawFinding> {
    let mut given: Vec<Given<'_>> = Vec::new();
    let mut graphs_in: FxHashMap<(Option<usize>, Span), Vec<String>> = FxHashMap::default();
    walk(scope.code, &mut |part, all_around| {
        let Some((object, method, arguments, span)) = handed(part) else { return };
        let (function, around) = within_function(all_around);
        let mut loops = loops_around(around).rev().map(|step| step.span).peekable();
        if loops.peek().is_none() || is_without_graph(scope, around) {
            return;
        }
        let notes_in = |inside: Span| {
            notes.iter().filter(move |note| note.function == function && note.loops.contains(&inside))
        };
        // The parts of a batch are handed over one by one, and the batch is differentiated as a whole.
        let differentiated = loops.find(|inside| {
            let graphs = graphs_in
                .entry((function, *inside))
                .or_insert_with(|| with_graphs(&notes_in(*inside).collect::<Vec<_>>()));
            !graphs.is_empty()
        });
        let Some(inside) = differentiated else { return };
        let graphs = &graphs_in[&(function, inside)];
        let before = || notes_in(inside).filter(|note| note.span.start < span.start);
        for (position, argument) in arguments {
            // `meter.update([loss, other])`
            let values = match &argument.kind {
                ExprKind::Sequence(parts) => parts.iter().flat_map(|part| terms(scope, part)).collect(),
                _ => terms(scope, argument),
            };
            let whole = |value: &String| part_of(value).unwrap_or(value.as_str()).to_owned();
            let has_graph = |value: &&String| graphs.contains(value) || graphs.contains(&whole(value));
            let kept = values.iter().find(|value| has_graph(value) && !is_cut_off(before(), value));
            if let Some(value) = kept {
                let is_own = matches!(object.kind, ExprKind::Name("self"));
                let class = innermost_class(all_around).filter(|_| is_own);
                let span = argument.span;
                given.push(Given { span, object, class, function, method, position, value: value.clone() });
            }
        }
    });
    let finding = |given: Given<'_>| {
        let class = match given.class {
            Some(number) => scope.code.classes[number].name,
            None => class_of(scope, given.object).or_else(|| class_held(scope, given.object))?,
        };
        let (total, is_list) = sum_of(scope, class, given.method, given.position)?;
        if is_list && is_emptied_by_others(scope.whole_text(), &total) {
            return None;
        }
        if given.class.is_some() && is_begun_or_differentiated(scope, notes, given.function, &total) {
            return None;
        }
        let total = total.replacen("self", scope.text(given.object.span), 1);
        Some(RawFinding::at(scope.place(given.span)).word("total", total).word("value", given.value))
    };
    given.into_iter().filter_map(finding).collect()
}

/// `outputs` of `outputs[i]`; what a text names in a dictionary is a value of its own.
fn part_of(value: &str) -> Option<&str> {
    let (whole, index) = value.split_once('[')?;
    (!index.contains(['"', '\''])).then_some(whole)
}

/// A value with a graph that a method is given.
struct Given<'e> {
    span: Span,
    object: &'e Expr<'e>,
    /// The class whose own method it is.
    class: Option<usize>,
    /// The function that calls the method.
    function: Option<usize>,
    method: &'e str,
    position: usize,
    value: String,
}

/// Whether the function that has its own object add something up begins the sum anew, or anything differentiates the sum.
fn is_begun_or_differentiated(
    scope: &FileScope<'_>,
    notes: &[Note],
    function: Option<usize>,
    total: &str,
) -> bool {
    let caller = function.map_or("", |number| scope.text(scope.code.functions[number].span));
    let of_function: Vec<&Note> = notes.iter().filter(|note| note.function == function).collect();
    caller.contains(&format!("{total} = "))
        || scope.whole_text().contains(&format!("{total}.backward("))
        || feeds_backward(&of_function, total)
}

/// What an object is handed, and by which of its methods: the arguments with their positions.
type Handed<'e> = (&'e Expr<'e>, &'e str, Vec<(usize, &'e Expr<'e>)>, Span);

/// `meter.update(loss)`, and `meter["loss"] = loss`.
fn handed<'e>(part: CodeNode<'e, 'e>) -> Option<Handed<'e>> {
    match part {
        CodeNode::Expr(expr) => {
            let (object, method, call) = method_of(expr)?;
            let plain =
                call.arguments.iter().enumerate().filter(|(_, one)| one.name.is_none() && !one.unpacked);
            Some((object, method, plain.map(|(at, one)| (at, &one.value)).collect(), expr.span))
        }
        CodeNode::Statement(step) => {
            let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return None };
            let [Target::Item(item)] = &targets[..] else { return None };
            Some((&item.0, "__setitem__", vec![(1, value)], step.span))
        }
        CodeNode::Target(_) => None,
    }
}

/// The class that an object was made of, by its name.
fn class_of<'e>(scope: &'e FileScope<'_>, object: &'e Expr<'_>) -> Option<&'e str> {
    class_called(scope.names.meant(object))
}

/// The class of what a mapping or a list holds: `meters[name]` of `meters[name] = Meter()`, `defaultdict(Meter)` and
/// `{name: Meter() for name in names}`.
fn class_held<'e>(scope: &'e FileScope<'_>, object: &'e Expr<'_>) -> Option<&'e str> {
    let ExprKind::Item(pair) = &object.kind else { return None };
    let whole = scope.text(pair.0.span);
    let mut classes: Vec<Option<&str>> = Vec::new();
    scope.each_statement(&mut |step, _| {
        let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return };
        let [target] = &targets[..] else { return };
        match target {
            Target::Item(item) if scope.text(item.0.span) == whole => classes.push(class_called(value)),
            _ if text_of_target(scope, target).as_deref() == Some(whole) => match &value.kind {
                ExprKind::Mapping(entries) => {
                    classes.extend(entries.iter().map(|(_, value)| class_called(value)));
                }
                ExprKind::Sequence(parts) => classes.extend(parts.iter().map(class_called)),
                ExprKind::Comprehension(one) => classes.push(one.elements.last().and_then(class_called)),
                ExprKind::Call(call) if path(scope, &call.callee) == "collections.defaultdict" => {
                    classes.push(call.arguments.first().and_then(|one| match one.value.kind {
                        ExprKind::Name(name) => Some(name),
                        _ => None,
                    }));
                }
                _ => {}
            },
            _ => {}
        }
    });
    let first = classes.first().copied().flatten()?;
    classes.iter().all(|class| *class == Some(first)).then_some(first)
}

/// `Meter` of `Meter()` and `meters.Meter()`.
fn class_called<'e>(expr: &Expr<'e>) -> Option<&'e str> {
    match &expr.kind {
        ExprKind::Call(call) => match call.callee.kind {
            ExprKind::Name(name) | ExprKind::Attribute(_, name) => Some(name),
            _ => None,
        },
        _ => None,
    }
}

/// The attribute to which a method of a class adds one of its arguments, in this file or the one that defines the class, and
/// whether it is a list.
fn sum_of(scope: &FileScope<'_>, class: &str, method: &str, position: usize) -> Option<(String, bool)> {
    if scope.code.classes.iter().any(|known| known.name == class) {
        return sum_in(scope, class, method, position);
    }
    let mut files = scope.program.files_with("+=").to_vec();
    files.extend(scope.program.files_with(".append(").iter().copied());
    let mut others =
        files.iter().filter(|file| **file != scope.file && scope.program.has_word(**file, class));
    others.find_map(|file| {
        // Most files that name a class do not define it.
        if !scope.program.code(*file).classes.iter().any(|known| known.name == class) {
            return None;
        }
        let names = Names::of(scope.program, *file);
        let other = scope.of_other(*file, &names);
        sum_in(&other, class, method, position)
    })
}

fn sum_in(scope: &FileScope<'_>, class: &str, method: &str, position: usize) -> Option<(String, bool)> {
    let code = scope.code;
    let class = code.classes.iter().position(|known| known.name == class)?;
    let mut found = None;
    // The methods that have put something without its graph in the place of what they were given.
    let mut replaced: Vec<Span> = Vec::new();
    let off = functions_without_gradients(scope);
    walk(code, &mut |part, around| {
        let CodeNode::Statement(step) = part else { return };
        let in_class = around.iter().any(|one| matches!(one, Ancestor::Class(number) if *number == class));
        let function = around.iter().rev().find_map(|one| match one {
            Ancestor::Function(number) => Some(*number).filter(|number| !off.contains(number)),
            _ => None,
        });
        let function = function.map(|number| &code.functions[number]);
        let Some(function) = function.filter(|function| in_class && function.name == method) else { return };
        // Who looks at the kind of the value, or hands it on under the same name, may take its number.
        let is_rest = |one: &&Parameter<'_>| one.kind == ParameterKind::Rest;
        let own = function.parameters.get(position + 1);
        let Some(parameter) = own.or_else(|| function.parameters.iter().find(is_rest)) else { return };
        // `value = value.data.sum()`
        if let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind
            && targets.iter().any(|target| matches!(target, Target::Name(name, _) if *name == parameter.name))
            && !terms(scope, value).iter().any(|part| part == parameter.name)
        {
            replaced.push(function.span);
        }
        let text = scope.text(function.span);
        let is_changed = ["isinstance(", "is_tensor(", ".item()", ".detach()", "no_grad"]
            .iter()
            .any(|word| text.contains(word));
        if let Some((list, is_ring)) = list_that_takes(scope, step, parameter.name)
            && !is_changed
            && !replaced.contains(&function.span)
            && !is_without_graph(scope, around)
            && !scope.whole_text().contains("deque(")
            && !is_emptied(scope.text(code.classes[class].span), &list, is_ring)
        {
            found.get_or_insert((list, true));
            return;
        }
        let (target, value) = match &step.kind {
            StatementKind::Update { target, operator: Operator::Add, value } => (target, value),
            StatementKind::Assign { targets, value: Some(value), .. } => match (&targets[..], &value.kind) {
                ([target], ExprKind::Binary(Operator::Add, _)) => (target, value),
                _ => return,
            },
            _ => return,
        };
        let Some(total) = text_of_target(scope, target) else { return };
        let of_self = total.starts_with("self.");
        let parts = terms(scope, value);
        // `for value in values:`, `for at, value in enumerate(values):`
        let of_loop = innermost_loop(around).and_then(|step| match &step.kind {
            StatementKind::For { target, iterable, .. } => {
                let last = match target {
                    Target::Sequence(parts) => parts.last()?,
                    target => target,
                };
                let is_over = scope.text(iterable.span).contains(parameter.name);
                text_of_target(scope, last).filter(|_| is_over)
            }
            _ => None,
        });
        let is_given = |part: &str| {
            let item = part.strip_prefix(parameter.name).is_some_and(|rest| rest.starts_with('['));
            part == parameter.name || item || of_loop.as_deref() == Some(part)
        };
        let adds = parts.iter().any(|part| is_given(part))
            && (matches!(step.kind, StatementKind::Update { .. }) || parts.contains(&total));
        if of_self
            && adds
            && !is_changed
            && !replaced.contains(&function.span)
            && !is_without_graph(scope, around)
        {
            found.get_or_insert((total, false));
        }
    });
    found
}

/// `self.values[key].append(value)`: the list of the object to which a method adds what it is given; and `self.rows[at] = values` of a
/// ring, whose oldest values go first.
fn list_that_takes(scope: &FileScope<'_>, step: &Statement<'_>, given: &str) -> Option<(String, bool)> {
    let (list, value, is_ring) = match &step.kind {
        StatementKind::Evaluate(expr) => {
            let (list, "append", call) = method_of(expr)? else { return None };
            let [only] = &call.arguments[..] else { return None };
            (scope.text(list.span), &only.value, false)
        }
        StatementKind::Assign { targets, value: Some(value), .. } => {
            let [Target::Item(item)] = &targets[..] else { return None };
            let place = scope.text(item.1.span);
            if !["idx", "index", "pos", "ptr"].iter().any(|word| place.contains(word)) {
                return None;
            }
            (scope.text(item.0.span), value, true)
        }
        _ => return None,
    };
    (holds(value, given) && list.starts_with("self.")).then(|| (list.to_owned(), is_ring))
}

/// Whether a value is what was given, or has it as a part: `(state, action)`, `Transition(*values)`.
fn holds(value: &Expr<'_>, given: &str) -> bool {
    match &value.kind {
        ExprKind::Name(name) => *name == given,
        ExprKind::Sequence(parts) => parts.iter().any(|part| holds(part, given)),
        ExprKind::Call(call) => {
            let is_record =
                matches!(call.callee.kind, ExprKind::Name(name) if name.starts_with(char::is_uppercase));
            is_record && call.arguments.iter().any(|one| holds(&one.value, given))
        }
        _ => false,
    }
}

/// The attribute of `self.values[key]`, with its dot.
fn attribute_of(list: &str) -> &str {
    let rest = list.strip_prefix("self").unwrap_or(list);
    let is_end = |c: char| !(c.is_alphanumeric() || c == '_');
    let end = rest[1..].find(is_end).map_or(rest.len(), |at| at + 1);
    &rest[..end]
}

/// Whether a class clears its list, cuts it or puts another in its place.
fn is_emptied(class: &str, list: &str, is_ring: bool) -> bool {
    let uses = uses_of(class, attribute_of(list));
    // `if key not in self.rows: self.rows[key] = []` makes a list, and empties none.
    let makes_items = uses.iter().any(|(before, _)| before.ends_with("not in self"));
    let is_made = |rest: &str| is_assigned(rest) && !(makes_items && rest.starts_with('['));
    let made = uses.iter().filter(|(_, rest)| is_made(rest)).count();
    (made > 1 && !is_ring) || uses.iter().any(|(before, rest)| is_cut(before, rest))
}

/// Whether who has the object empties its list: `stats.values.clear()`.
fn is_emptied_by_others(text: &str, list: &str) -> bool {
    let uses = uses_of(text, attribute_of(list));
    let mut others = uses.iter().filter(|(before, _)| !before.ends_with("self"));
    others.any(|(before, rest)| is_assigned(rest) || is_cut(before, rest))
}

/// What stands before and behind an attribute in the lines of a text, without what it is indexed by.
fn uses_of<'t>(text: &'t str, attribute: &str) -> Vec<(&'t str, &'t str)> {
    let mut uses = Vec::new();
    for line in text.lines() {
        for (at, _) in line.match_indices(attribute) {
            let rest = &line[at + attribute.len()..];
            if !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
                uses.push((&line[..at], rest));
            }
        }
    }
    uses
}

/// ` = []`, and `[key] = []`.
fn is_assigned(rest: &str) -> bool {
    let behind = match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((_, behind)) => behind,
        None => rest,
    };
    let behind = behind.trim_start();
    let typed = behind.strip_prefix(':').and_then(|rest| rest.split_once('=')).is_some();
    typed || behind.starts_with('=') && !behind.starts_with("==")
}

/// `del self.rows[:-100]`, `self.rows.pop(0)`, `self.rows[key].clear()`
fn is_cut(before: &str, rest: &str) -> bool {
    let cuts = [".clear(", ".pop(", ".popleft(", ".popitem(", ".remove("];
    before.trim_start().starts_with("del ") || cuts.iter().any(|cut| rest.contains(cut))
}
