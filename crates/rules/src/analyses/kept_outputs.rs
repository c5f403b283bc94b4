//! Outputs of a model that a loop over all data keeps in a list, on the GPU.

use super::gradients::{functions_without_gradients, with_is_off};
use super::kept_hooks;
use super::memory::{method_of, parts_of, path};
use crate::code::walk::{Ancestor, CodeNode, functions_around, walk_block};
use crate::code::{Block, Call, Expr, ExprKind, Operator, Statement, StatementKind, Target};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::forks::span_of;

/// What a file must say that keeps something.
pub(super) const KEEPING: &[&str] =
    &[".append(", ".extend(", "+= [", "torch.cat(", "no_grad", "inference_mode"];

/// What a loop gives to a container: the container as it is written, and the value.
struct Kept<'c, 's> {
    list: &'c Expr<'s>,
    value: &'c Expr<'s>,
    span: Span,
}

/// `for batch in loader: outputs.append(model(batch))`, with gradients off.
pub(super) fn on_the_gpu(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    let is_for_gpu = text.contains("cuda") || text.contains(".to(") && text.contains("device");
    let for_tensorflow = text.contains("tensorflow") && text.contains("training=False");
    let for_lightning = text.contains("on_predict_batch_end");
    if scope.program.is_of_tests(scope.file) || !(is_for_gpu || for_tensorflow || for_lightning) {
        return Vec::new();
    }
    let off = functions_without_gradients(scope);
    let mut found = kept_by_callbacks(scope);
    found.extend(kept_hooks::on_the_gpu(scope));
    scope.each_statement(&mut |step, around| {
        let is_off = || {
            around.iter().any(|one| match one {
                Ancestor::With(step) => with_is_off(scope, step),
                Ancestor::Function(number) => off.contains(number),
                _ => false,
            })
        };
        match &step.kind {
            StatementKind::For { target, iterable, body, .. }
                if (goes_over_data(scope, iterable) || goes_over_slices(scope, target, iterable, body))
                    && !ends_early(scope, body) =>
            {
                found.extend(in_loop(scope, body, is_off()));
            }
            StatementKind::Assign { value: Some(_), .. } => {
                found.extend(in_comprehension(scope, step).filter(|_| is_off()));
            }
            _ => {}
        }
    });
    found
}

/// `def on_predict_batch_end(self, …, outputs, …): self.predictions.append(outputs)` of a callback of Lightning.
fn kept_by_callbacks(scope: &FileScope<'_>) -> Vec<RawFinding> {
    const HOOK: &str = "on_predict_batch_end";
    let mut found = Vec::new();
    for function in scope.code.functions.iter().filter(|function| function.name == HOOK) {
        let mut same: Vec<&str> =
            function.parameters.iter().map(|one| one.name).filter(|name| *name == "outputs").collect();
        // What is written out, or emptied now and then, is no list of all.
        let text = scope.text(function.span);
        if same.is_empty()
            || [".clear()", "cpu", ".item()", "numpy", ".tolist()"].iter().any(|word| text.contains(word))
        {
            continue;
        }
        walk_block(scope.code, &function.body, &mut |part, _| match part {
            // `out = outputs`
            CodeNode::Statement(Statement {
                kind: StatementKind::Assign { targets, value: Some(value), .. },
                ..
            }) if matches!(value.kind, ExprKind::Name(name) if same.contains(&name)) => {
                same.extend(targets.iter().flat_map(Target::names));
            }
            CodeNode::Expr(expr) => {
                let Some((list, "append", call)) = method_of(expr) else { return };
                let ExprKind::Attribute(object, _) = &list.kind else { return };
                let Some(ExprKind::Name(name)) = call.arguments.first().map(|one| &one.value.kind) else {
                    return;
                };
                if matches!(object.kind, ExprKind::Name("self")) && same.contains(name) {
                    let raw_finding =
                        RawFinding::at(scope.place(expr.span)).word("list", scope.text(list.span));
                    found.push(raw_finding.word("value", *name).word("model", "predict_step"));
                }
            }
            _ => {}
        });
    }
    found
}

fn in_loop(scope: &FileScope<'_>, body: &Block<'_>, is_off: bool) -> Vec<RawFinding> {
    // The names that hold outputs, in the order in which the loop goes, and what is kept.
    let mut outputs: Vec<(&str, bool)> = Vec::new();
    let mut kept: Vec<(Kept<'_, '_>, String)> = Vec::new();
    let mut made_here: Vec<&str> = Vec::new();
    walk_block(scope.code, body, &mut |part, around| {
        if functions_around(around).next().is_some() {
            return;
        }
        let off_here = is_off
            || around.iter().any(|one| matches!(one, Ancestor::With(step) if with_is_off(scope, step)));
        let model_of =
            |value: &Expr<'_>, outputs: &[(&str, bool)]| output_in(scope, value, outputs, off_here);
        match part {
            CodeNode::Statement(
                step @ Statement { kind: StatementKind::Assign { targets, value, .. }, .. },
            ) => {
                let held = value.as_ref().and_then(|value| joined(scope, value, targets));
                if let Some((list, part)) = held {
                    if let Some(model) = model_of(part, &outputs) {
                        let one = Kept { list, value: part, span: step.span };
                        kept.push((one, model));
                    }
                    return;
                }
                let is_output = value.as_ref().is_some_and(|value| model_of(value, &outputs).is_some());
                if let ([Target::Item(pair)], Some(value)) = (&targets[..], value)
                    && is_dictionary(scope, &pair.0)
                    && matches!(pair.1.kind, ExprKind::Name(_) | ExprKind::Attribute(..))
                    && let Some(model) = model_of(value, &outputs)
                {
                    kept.push((Kept { list: &pair.0, value, span: step.span }, model));
                }
                // `if keys is None:` is the first turn alone.
                let is_first = around.iter().any(
                    |one| matches!(one, Ancestor::Then(test) if scope.text(test.span).ends_with("is None")),
                );
                for name in targets.iter().flat_map(Target::names) {
                    outputs.push((name, is_output && !name.contains("loss")));
                    if !is_first {
                        made_here.push(name);
                    }
                }
            }
            CodeNode::Expr(expr) => {
                let Some((list, "append" | "extend", call)) = method_of(expr) else { return };
                let Some(first) = call.arguments.first() else { return };
                let held = parts_of(&first.value)
                    .into_iter()
                    .find_map(|part| Some((part, model_of(part, &outputs)?)));
                if let Some((value, model)) = held {
                    kept.push((Kept { list, value, span: expr.span }, model));
                }
            }
            CodeNode::Statement(step) => {
                let StatementKind::Update { target: Target::Item(pair), operator: Operator::Add, value } =
                    &step.kind
                else {
                    return;
                };
                let ExprKind::Sequence(parts) = &value.kind else { return };
                let list = &pair.0;
                let held = parts.iter().find_map(|part| Some((part, model_of(part, &outputs)?)));
                if let Some((value, model)) = held {
                    kept.push((Kept { list, value, span: step.span }, model));
                }
            }
            CodeNode::Target(_) => {}
        }
    });
    let mut seen: Vec<&str> = Vec::new();
    let mut found = Vec::new();
    for (one, model) in kept {
        let list = base_of(one.list);
        let named = scope.text(one.list.span);
        // A list of this turn, or one that the loop looks at and empties.
        if list.is_none_or(|list| made_here.contains(&list))
            || seen.contains(&named)
            || is_emptied(scope, body, named)
        {
            continue;
        }
        seen.push(named);
        let raw_finding = RawFinding::at(scope.place(one.span)).word("list", named);
        found.push(raw_finding.word("value", scope.text(one.value.span)).word("model", model));
    }
    found
}

/// `outputs = torch.cat([outputs, model(batch)])`: what grows, and what comes to it.
fn joined<'c, 's>(
    scope: &FileScope<'_>,
    value: &'c Expr<'s>,
    targets: &[Target<'s>],
) -> Option<(&'c Expr<'s>, &'c Expr<'s>)> {
    let [Target::Name(name, _)] = targets else { return None };
    let ExprKind::Call(call) = &value.kind else { return None };
    let joins = ["torch.cat", "torch.concat", "torch.vstack"];
    let ExprKind::Sequence(parts) = &call.arguments.first()?.value.kind else { return None };
    let [list, part] = &parts[..] else { return None };
    let is_same = matches!(list.kind, ExprKind::Name(known) if known == *name);
    (is_same && joins.contains(&path(scope, &call.callee))).then_some((list, part))
}

/// Whether a name stands for a dictionary that is empty at first: an item of a tensor is copied to where that lies.
fn is_dictionary(scope: &FileScope<'_>, expr: &Expr<'_>) -> bool {
    let meant = scope.names.meant(expr);
    match &meant.kind {
        ExprKind::Mapping(entries) => entries.is_empty(),
        ExprKind::Call(call) => path(scope, &call.callee) == "builtins.dict" && call.arguments.is_empty(),
        _ => false,
    }
}

/// `outputs = [model(batch) for batch in loader]`, with gradients off.
fn in_comprehension(scope: &FileScope<'_>, step: &Statement<'_>) -> Option<RawFinding> {
    let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return None };
    let [Target::Name(list, _)] = &targets[..] else { return None };
    let inside = match &value.kind {
        // `torch.cat([… for …])`
        ExprKind::Call(call) if matches!(path(scope, &call.callee), "torch.cat" | "torch.stack") => {
            &call.arguments.first()?.value
        }
        _ => value,
    };
    let ExprKind::Comprehension(made) = &inside.kind else { return None };
    let ([element], [generator]) = (&made.elements[..], &made.generators[..]) else { return None };
    if made.lazy || !goes_over_data(scope, &generator.iterable) {
        return None;
    }
    let model = output_in(scope, element, &[], true)?;
    let raw_finding = RawFinding::at(scope.place(element.span)).word("list", *list);
    Some(raw_finding.word("value", scope.text(element.span)).word("model", model))
}

/// The model whose output a value is, as far as it still lies where the model has put it.
fn output_in(
    scope: &FileScope<'_>,
    value: &Expr<'_>,
    outputs: &[(&str, bool)],
    is_off: bool,
) -> Option<String> {
    /// Methods, and functions of torch by the same name, whose result is as large and lies on the same card.
    const SAME: &[&str] = &[
        "clone",
        "contiguous",
        "detach",
        "float",
        "half",
        "log_softmax",
        "sigmoid",
        "softmax",
        "squeeze",
        "unsqueeze",
    ];
    let inner = |value: &Expr<'_>| output_in(scope, value, outputs, is_off);
    match &value.kind {
        ExprKind::Name(name) => {
            let last = outputs.iter().rev().find(|(known, _)| known == name);
            last.filter(|(_, is_output)| *is_output).map(|_| (*name).to_owned())
        }
        ExprKind::Attribute(object, "data" | "logits" | "last_hidden_state") => inner(object),
        // `outputs["logits"]` and `outputs[0]`, but not `logits[:, 0]`, which is a part.
        ExprKind::Item(pair) => {
            let is_whole = matches!(pair.1.kind, ExprKind::Text(_) | ExprKind::Int(_) | ExprKind::Name(_));
            inner(&pair.0).filter(|_| is_whole)
        }
        ExprKind::Call(call) => {
            if runs_model(scope, call, is_off) {
                return Some(scope.text(call.callee.span).to_owned());
            }
            let ExprKind::Attribute(object, name) = &call.callee.kind else { return None };
            // `hidden.mean(1)`: a vector for each text.
            let is_pooled = *name == "mean"
                && !call.arguments.is_empty()
                && matches!(scope.names.meant(object).kind, ExprKind::Attribute(_, "last_hidden_state"));
            if !SAME.contains(name) && !is_pooled {
                return None;
            }
            // Who cuts the graph off keeps the output itself.
            let is_off = is_off || *name == "detach";
            let inner = |value: &Expr<'_>| output_in(scope, value, outputs, is_off);
            match path(scope, object) {
                "torch" | "torch.nn.functional" => inner(&call.arguments.first()?.value),
                _ => inner(object),
            }
        }
        _ => None,
    }
}

/// `model(batch)` with gradients off, and a Keras model that is told that it does not train.
fn runs_model(scope: &FileScope<'_>, call: &Call<'_>, is_off: bool) -> bool {
    const MODELS: &[&str] = &["model", "net", "network", "encoder", "classifier", "backbone", "decoder"];
    /// Methods of a model that give as much as a call of it does.
    const METHODS: &[&str] = &[
        "embed",
        "encode",
        "encode_image",
        "encode_text",
        "extract_features",
        "forward",
        "forward_features",
        "get_image_features",
        "get_text_features",
    ];
    let name = match &call.callee.kind {
        // What `encode` of sentence_transformers gives lies on the CPU.
        ExprKind::Attribute(_, "encode") if scope.whole_text().contains("sentence_transformers") => "",
        ExprKind::Attribute(object, method) if METHODS.contains(method) => scope.text(object.span),
        _ => scope.text(call.callee.span),
    };
    let last = name.rsplit('.').next().unwrap_or(name).trim_start_matches('_');
    // `run_model(batch)` is a function, which gives back what it likes.
    const VERBS: &[&str] = &["apply", "build", "call", "eval", "get", "load", "make", "run", "test", "use"];
    let is_own = || scope.code.functions.iter().any(|function| function.name == name);
    if matches!(call.callee.kind, ExprKind::Name(_))
        && (is_own() || VERBS.contains(&name.split('_').next().unwrap_or(name)))
    {
        return false;
    }
    let is_model = MODELS.iter().any(|word| last == *word || last.ends_with(&format!("_{word}")));
    let does_not_train = || {
        call.arguments
            .iter()
            .any(|one| one.name == Some("training") && matches!(one.value.kind, ExprKind::Bool(false)))
    };
    is_model && !call.arguments.is_empty() && (is_off || does_not_train())
}

/// Whether a loop goes over all data, by the name of what it goes over.
fn goes_over_data(scope: &FileScope<'_>, iterable: &Expr<'_>) -> bool {
    const WORDS: &[&str] = &["loader", "dataset", "batches", "dl", "iterator"];
    let text = scope.text(iterable.span).to_ascii_lowercase();
    let mut names = text.split(|letter: char| !letter.is_alphanumeric());
    names.any(|name| WORDS.iter().any(|word| name == *word || word.len() > 2 && name.ends_with(word)))
}

/// `for at in range(0, len(rows), size):` with `rows[at : at + size]` in it: all data in parts.
fn goes_over_slices(
    scope: &FileScope<'_>,
    target: &Target<'_>,
    iterable: &Expr<'_>,
    body: &Block<'_>,
) -> bool {
    let Target::Name(name, _) = target else { return false };
    let ExprKind::Call(call) = &iterable.kind else { return false };
    // `tqdm(range(…))`
    let call = match call.arguments.first().map(|first| &first.value.kind) {
        Some(ExprKind::Call(inner)) if path(scope, &call.callee).contains("tqdm") => inner,
        _ => call,
    };
    let in_steps = path(scope, &call.callee) == "builtins.range" && call.arguments.len() == 3;
    let cuts = || {
        let text = span_of(body).map_or("", |span| scope.text(span));
        let text: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
        text.contains(&format!("[{name}:{name}+"))
    };
    in_steps && scope.text(iterable.span).contains("len(") && cuts()
}

/// Whether a loop may end before the data do.
fn ends_early(scope: &FileScope<'_>, body: &Block<'_>) -> bool {
    let mut ends = false;
    walk_block(scope.code, body, &mut |part, _| {
        ends |= matches!(
            part,
            CodeNode::Statement(Statement { kind: StatementKind::Break | StatementKind::Return(_), .. })
        );
    });
    ends
}

/// The name that a container is reached by: `values` of `values[key]`.
fn base_of<'s>(list: &Expr<'s>) -> Option<&'s str> {
    match &list.kind {
        ExprKind::Name(name) => Some(name),
        ExprKind::Attribute(_, name) => Some(name),
        ExprKind::Item(pair) => base_of(&pair.0),
        _ => None,
    }
}

/// Whether a loop does more with a list than adding to it: it writes out what has come together, and begins anew.
fn is_emptied(scope: &FileScope<'_>, body: &Block<'_>, list: &str) -> bool {
    let text = body.iter().map(|step| scope.text(step.span));
    let uses: usize = text.map(|text| text.matches(list).count()).sum();
    let adds: usize = body
        .iter()
        .map(|step| {
            let text = scope.text(step.span);
            let added =
                [".append(", ".extend(", "["].map(|way| text.matches(&format!("{list}{way}")).count());
            let joined = text.matches(&format!("{list} = torch.")).count();
            added.iter().sum::<usize>() + 2 * joined
        })
        .sum();
    uses > adds
}
