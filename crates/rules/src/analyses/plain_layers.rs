//! Layers that a module keeps in a plain list or dictionary: it does not know them, and nothing moves them to a GPU.

use super::attributes_in_text::assignments_of;
use super::memory::method_of;
use super::unmoved_tensors::{is_module, is_moved_somewhere, makes_layer, methods_of};
use crate::code::walk::{CodeNode, walk_block};
use crate::code::{Class, Expr, ExprKind, Function, StatementKind, Target};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};

/// A collection of layers in an attribute.
struct Kept<'a> {
    name: &'a str,
    span: Span,
    is_mapping: bool,
}

/// Attributes of modules that hold layers in a list or dictionary of Python.
pub(super) fn of_modules(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    for class in scope.code.classes.iter().filter(|class| is_module(scope, class)) {
        let methods = methods_of(scope, class);
        // What moves itself may move them as well.
        if methods.iter().any(|method| matches!(method.name, "_apply" | "cuda" | "to" | "parameters")) {
            continue;
        }
        let Some(made) = methods.iter().find(|method| method.name == "__init__") else { continue };
        for kept in kept_in(scope, made) {
            let is_used = methods.iter().any(|method| {
                method.name != "__init__" && names_attribute(scope.text(method.span), kept.name)
            });
            if is_used && !is_known(scope, class, &kept) {
                let (kind, instead) = match kept.is_mapping {
                    true => ("dictionary", "torch.nn.ModuleDict"),
                    false => ("list", "torch.nn.ModuleList"),
                };
                let raw_finding = RawFinding::at(scope.place(kept.span)).word("name", kept.name);
                found.push(raw_finding.word("kind", kind).word("instead", instead));
            }
        }
    }
    if found.is_empty() || is_moved_somewhere(scope) { found } else { Vec::new() }
}

/// The attributes that a constructor fills with layers of its own.
fn kept_in<'a>(scope: &FileScope<'a>, made: &'a Function<'a>) -> Vec<Kept<'a>> {
    let (mut kept, mut filled): (Vec<Kept<'_>>, Vec<(&str, bool)>) = (Vec::new(), Vec::new());
    let mut named: Vec<(&str, &str, Span)> = Vec::new();
    // `layers = torch.nn.Sequential(*layers)`
    let mut rebound: Vec<&str> = Vec::new();
    walk_block(scope.code, &made.body, &mut |part, _| match part {
        CodeNode::Statement(step) => {
            let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return };
            if let [Target::Name(name, _)] = targets.as_slice()
                && !matches!(value.kind, ExprKind::Sequence(_))
            {
                rebound.push(name);
            }
            let [Target::Attribute(object, name)] = targets.as_slice() else { return };
            if !matches!(object.kind, ExprKind::Name("self")) {
                return;
            }
            let is_mapping = matches!(value.kind, ExprKind::Mapping(_));
            match &value.kind {
                ExprKind::Name(local) => named.push((name, local, step.span)),
                _ if is_made_of_weights(value, made) => {}
                _ if holds_layers(scope, value) => kept.push(Kept { name, span: step.span, is_mapping }),
                ExprKind::Sequence(parts) if parts.is_empty() => named.push((name, "", step.span)),
                _ => {}
            }
        }
        // `self.layers.append(torch.nn.Linear(8, 8))`
        CodeNode::Expr(expr) => {
            let Some((object, "append" | "insert", call)) = method_of(expr) else { return };
            if call.arguments.last().is_some_and(|last| makes_layer(scope, &last.value)) {
                match &object.kind {
                    ExprKind::Name(local) => filled.push((local, false)),
                    ExprKind::Attribute(own, name) if matches!(own.kind, ExprKind::Name("self")) => {
                        filled.push((name, true));
                    }
                    _ => {}
                }
            }
        }
        CodeNode::Target(_) => {}
    });
    for (name, local, span) in named {
        let is_it = |(list, is_own): &(&str, bool)| if *is_own { *list == name } else { *list == local };
        if filled.iter().any(is_it) && !rebound.contains(&local) {
            kept.push(Kept { name, span, is_mapping: false });
        }
    }
    kept
}

/// `[torch.nn.Linear(8, 8) for _ in range(3)]`, `{"head": torch.nn.Linear(8, 2), …}`. A list of one hides a module on purpose.
fn holds_layers(scope: &FileScope<'_>, value: &Expr<'_>) -> bool {
    match &value.kind {
        ExprKind::Sequence(parts) => parts.len() > 1 && parts.iter().any(|part| makes_layer(scope, part)),
        ExprKind::Mapping(entries) => entries.iter().any(|(_, part)| makes_layer(scope, part)),
        ExprKind::Comprehension(comprehension) => {
            !comprehension.lazy && comprehension.elements.last().is_some_and(|last| makes_layer(scope, last))
        }
        _ => false,
    }
}

/// Whether the layers are made of weights that the caller has loaded: `[Block(at, weights=weights) for at in range(3)]`. They lie
/// where these lie, as in servers that put each weight on its device and move no module.
fn is_made_of_weights(value: &Expr<'_>, made: &Function<'_>) -> bool {
    const LOADED: &str = "weights";
    let takes = |layer: &Expr<'_>| match &layer.kind {
        ExprKind::Call(call) => {
            call.arguments.iter().any(|one| matches!(one.value.kind, ExprKind::Name(LOADED)))
        }
        _ => false,
    };
    let layers_take = match &value.kind {
        ExprKind::Sequence(parts) => !parts.is_empty() && parts.iter().all(takes),
        ExprKind::Comprehension(comprehension) => comprehension.elements.last().is_some_and(takes),
        _ => false,
    };
    layers_take && made.parameters.iter().any(|one| one.name == LOADED)
}

/// Whether a text names an attribute of the object.
fn names_attribute(text: &str, name: &str) -> bool {
    let wanted = format!("self.{name}");
    let goes_on = |rest: &str| rest.starts_with(|next: char| next.is_alphanumeric() || next == '_');
    text.match_indices(&wanted).any(|(at, _)| !goes_on(&text[at + wanted.len()..]))
}

/// Whether the class tells torch of the layers as well, moves them itself, or has them for a moment only.
fn is_known(scope: &FileScope<'_>, class: &Class<'_>, kept: &Kept<'_>) -> bool {
    const TELLING: &[&str] = &["add_module", "register_module", "register_parameter", "setattr(self"];
    let text = scope.text(class.span);
    let name = kept.name;
    let is_wrapped = || {
        ["ModuleList(", "ModuleDict(", "ParameterList(", "Sequential(*", "Sequential("].iter().any(|wraps| {
            text.contains(&format!("{wraps}self.{name}")) || text.contains(&format!("{wraps}{name}"))
        })
    };
    let is_moved = || {
        text.match_indices(&format!(" in self.{name}")).any(|(at, _)| {
            let behind = &text[at..];
            let end = behind.match_indices('\n').nth(3).map_or(behind.len(), |(end, _)| end);
            [".to(", ".cuda("].iter().any(|moves| behind[..end].contains(moves))
        })
    };
    TELLING.iter().any(|word| text.contains(word))
        || text.contains(&format!("del self.{name}"))
        || is_wrapped()
        || is_moved()
        || assignments_of(text, name) > 1
}
