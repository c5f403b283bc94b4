//! Models that nothing moves to the GPU, and that are called with what lies there.

use super::gpu_values::{SET_DEFAULT, is_on_gpu_in};
use super::homes::{Home, Kept, kept_as, kept_by};
use super::memory::method_of;
use super::unmoved_tensors::{is_module, makes_layer, methods_of};
use crate::code::walk::{Ancestor, CodeNode, functions_around, walk};
use crate::code::{Argument, Call, Class, Expr, ExprKind, Statement, StatementKind, Target};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;
use crate::sources::Source;

/// Attributes of a model that say nothing of where it lies, and show that it is one.
const KEEPS: &[&str] = &[
    ".eval()",
    ".train(",
    ".parameters()",
    ".zero_grad()",
    ".state_dict()",
    ".load_state_dict(",
    ".named_parameters()",
];

/// Methods that a module has by itself, and that give it no weights.
const INHERITED: &[&str] =
    &["_register_state_dict_hook", "eval", "extra_repr", "register_forward_hook", "state_dict", "train"];

/// `model = Net()` and `model(x.to(device))`, in a file that does nothing else with the model.
pub(super) fn called_with_gpu_values(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut made: Vec<(Kept<'_>, &Statement<'_>)> = Vec::new();
    let mut others: Vec<Kept<'_>> = Vec::new();
    let mut called: Vec<(Kept<'_>, Span, &Call<'_>, Option<usize>)> = Vec::new();
    walk(scope.code, &mut |part, around| match part {
        CodeNode::Statement(step) => {
            let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return };
            let [target] = targets.as_slice() else { return };
            if makes_model(scope, value) && !names_device(scope, value) {
                made.extend(kept_by(scope, target, around).map(|kept| (kept, step)));
            } else if !matches!(value.kind, ExprKind::None) {
                others.extend(kept_by(scope, target, around));
            }
        }
        CodeNode::Expr(expr) => {
            let ExprKind::Call(call) = &expr.kind else { return };
            let Some(kept) = kept_as(scope, &call.callee, around) else { return };
            called.push((kept, expr.span, call, functions_around(around).next_back()));
        }
        CodeNode::Target(_) => {}
    });
    let mut found = Vec::new();
    for (kept @ (home, name), step) in &made {
        // What another step gives the name may lie on the GPU.
        let is_again =
            made.iter().filter(|((_, other), _)| other == name).count() > 1 || others.contains(kept);
        if is_again || !stays_alone(scope.whole_text(), name) || may_move_by_others(scope, *home, name) {
            continue;
        }
        let is_seen = |at: Home| *home == Home::Module || *home == at;
        let of_it = called.iter().filter(|((at, called), ..)| called == name && is_seen(*at));
        let moved = |(_, span, call, at): &(Kept<'_>, Span, &Call<'_>, Option<usize>)| {
            let there = call.arguments.iter().find(|one| is_on_gpu_in(scope, *at, &one.value))?;
            Some((*span, there.value.span))
        };
        if let Some((call, given)) = of_it.filter_map(moved).next()
            && !is_weightless(scope, step)
        {
            let raw_finding = RawFinding::at(scope.place(call)).word("name", *name);
            let raw_finding = raw_finding.word("given", scope.text(given));
            found.push(raw_finding.beside(scope.place(step.span), "the model is made here, on the CPU"));
        }
    }
    // A model may move itself, or be made on the GPU.
    let is_elsewhere = || {
        scope.whole_text().contains(".data = ")
            || scope.program.has_any(SET_DEFAULT)
            || scope.program.has_any(&["self.to(", "self.cuda(", "with torch.device("])
    };
    if found.is_empty() || is_elsewhere() { Vec::new() } else { found }
}

/// `torch.nn.Linear(8, 8)`, `torchvision.models.resnet18()`, and what has the name of a class.
fn makes_model(scope: &FileScope<'_>, value: &Expr<'_>) -> bool {
    let ExprKind::Call(call) = &value.kind else { return false };
    let path = scope.names.path(&call.callee);
    let is_class = || match call.callee.kind {
        ExprKind::Name(name) => {
            path.is_none() && name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase)
        }
        _ => false,
    };
    makes_layer(scope, value)
        // `torchvision.models.resnet18().cuda()` is a move of one.
        || path.is_some_and(|path| path.starts_with("torchvision.models.") && !path.contains('('))
        || is_class()
}

/// `engine = TRTModule()`: a module of the project that has neither weights nor parts, so that nothing of it lies anywhere.
fn is_weightless(scope: &FileScope<'_>, made: &Statement<'_>) -> bool {
    let StatementKind::Assign { value: Some(Expr { kind: ExprKind::Call(call), .. }), .. } = &made.kind
    else {
        return false;
    };
    let ExprKind::Name(name) = call.callee.kind else { return false };
    let lacks_weights = |scope: &FileScope<'_>| {
        let is_it = |class: &&Class<'_>| class.name == name && class.bases.len() == 1;
        scope
            .code
            .classes
            .iter()
            .find(is_it)
            .is_some_and(|class| is_module(scope, class) && !holds_parts(scope, class))
    };
    let defined = format!("class {name}(");
    let has_it = |source: &Source| source.is_python() && source.text.contains(&defined);
    let mut files = scope.program.every_file().filter(|(_, source)| has_it(source));
    files.any(|(file, _)| scope.in_other(file, lacks_weights))
}

/// Whether a module has weights, or parts that may have some: what it makes of a class, and what it calls.
fn holds_parts(scope: &FileScope<'_>, class: &Class<'_>) -> bool {
    const OTHERS: &[&str] =
        &["Parameter(", "register_buffer(", "register_parameter(", "add_module(", "setattr(", "pretrained"];
    let text = scope.text(class.span);
    let methods: Vec<&str> = methods_of(scope, class).iter().map(|method| method.name).collect();
    let is_made = |line: &str| {
        let value = line.trim_start().strip_prefix("self.").and_then(|line| line.split_once(" = "));
        let own = value.filter(|(name, _)| !name.contains('.'));
        let callee = own.and_then(|(_, value)| value.split_once('(')).map(|(callee, _)| callee);
        let last = callee.map(|callee| callee.rsplit('.').next().unwrap_or_default());
        last.is_some_and(|last| last.starts_with(char::is_uppercase) || last.contains("odel"))
    };
    let is_called = |(_, rest): (&str, &str)| {
        let name: &str =
            rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next().unwrap_or_default();
        rest[name.len()..].starts_with('(') && !methods.contains(&name) && !INHERITED.contains(&name)
    };
    OTHERS.iter().any(|word| text.contains(word))
        || text.lines().any(is_made)
        || text.match_indices("self.").map(|(at, word)| (word, &text[at + word.len()..])).any(is_called)
}

/// `nn.Linear(8, 8, device="cuda")`: a model that is made where its caller says, if that is not the CPU.
fn names_device(scope: &FileScope<'_>, value: &Expr<'_>) -> bool {
    let ExprKind::Call(call) = &value.kind else { return false };
    argument(&call.arguments, None, Some("device")).is_some_and(
        |given| !matches!(&scope.names.meant(given).kind, ExprKind::Text(text) if &**text == "cpu"),
    )
}

/// Whether what holds an attribute may move it: a module with all its parts, or who knows the object from outside.
fn may_move_by_others(scope: &FileScope<'_>, home: Home, name: &str) -> bool {
    let (Home::Class(class), Some((_, field))) = (home, name.split_once('.')) else { return false };
    let moves = [format!(".{field}.to("), format!(".{field}.cuda("), format!(".{field} = ")];
    let class = &scope.code.classes[class];
    let text = scope.text(class.span);
    is_module(scope, class)
        || !class.bases.is_empty()
        || ["vars(self)", "__dict__", "getattr(self"].iter().any(|word| text.contains(word))
        || hands_itself_on(scope, class)
        || scope.program.every_file().any(|(file, source)| {
            source.is_python() && source.text.contains(class.name) && scope.in_other(file, moves_each_part)
        })
        || scope.program.every_file().filter(|(_, source)| source.is_python()).any(|(file, source)| {
            moves.iter().any(|word| {
                let own = match file == scope.file {
                    true => source.text.matches(&format!("self{word}")).count(),
                    false => 0,
                };
                source.text.matches(word.as_str()).count() > own
            })
        })
}

/// `place(self)`: who is handed an object may move what it has.
fn hands_itself_on(scope: &FileScope<'_>, class: &Class<'_>) -> bool {
    let mut hands = false;
    scope.each_call(&mut |expr, call, _| {
        let is_super = matches!(call.callee.kind, ExprKind::Name("super"));
        let is_self = |one: &Argument<'_>| matches!(one.value.kind, ExprKind::Name("self"));
        hands |= class.span.holds(expr.span) && !is_super && call.arguments.iter().any(is_self);
    });
    hands
}

/// `for one in trainer.models(): one.cuda()`
fn moves_each_part(scope: &FileScope<'_>) -> bool {
    let mut moves = false;
    walk(scope.code, &mut |part, around| {
        let CodeNode::Expr(expr) = part else { return };
        let Some((Expr { kind: ExprKind::Name(object), .. }, "to" | "cuda", _)) = method_of(expr) else {
            return;
        };
        moves |= around.iter().any(|one| match one {
            Ancestor::Loop(Statement { kind: StatementKind::For { target, iterable, .. }, .. }) => {
                let of_object = match &iterable.kind {
                    ExprKind::Call(call) => matches!(&call.callee.kind, ExprKind::Attribute(of, _)
                        if !matches!(of.kind, ExprKind::Name("self"))),
                    ExprKind::Attribute(of, _) => !matches!(of.kind, ExprKind::Name("self")),
                    _ => false,
                };
                of_object && matches!(target, Target::Name(name, _) if name == object)
            }
            _ => false,
        });
    });
    moves
}

/// Whether a file does with a name what says that it is a model, and nothing that may move it.
fn stays_alone(text: &str, name: &str) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let bytes = text.as_bytes();
    let mut is_model = false;
    for (at, _) in text.match_indices(name) {
        let end = at + name.len();
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        if before.is_some_and(is_part) || bytes.get(end).is_some_and(is_part) {
            continue;
        }
        let (start, rest) = (text[..at].trim_end_matches(' '), &text[end..]);
        if KEEPS.iter().any(|attribute| rest.starts_with(attribute)) {
            is_model = true;
            continue;
        }
        let line = &text[text[..at].rfind('\n').map_or(0, |line| line + 1)..];
        let line = &line[..line.find('\n').unwrap_or(line.len())];
        let is_annotated = rest.starts_with(':') && start.ends_with(['\n', ';']);
        let is_harmless = rest.starts_with('(')
            || is_annotated
            || rest.trim_start().starts_with('=')
                && !rest.trim_start().starts_with("==")
                && start.ends_with(['\n', ';'])
            || line.trim_start().starts_with('#')
            || line.trim_start().starts_with("print(");
        let is_attribute = rest.starts_with('.')
            && ![".to(", ".cuda(", ".half(", ".apply("].iter().any(|moves| rest.starts_with(moves));
        if !is_harmless && !is_attribute {
            return false;
        }
    }
    is_model
}
