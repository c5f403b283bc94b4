//! Models that are moved to one GPU, and that a trainer of transformers moves to another.

use super::memory::method_of;
use super::order::PlaceInFunction;
use super::spread_ranks::numbered_card;
use crate::code::walk::{CodeNode, walk};
use crate::code::{Expr, ExprKind, StatementKind, Target};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// Classes that move the model of their first argument to the device of their settings.
const TRAINERS: &[&str] = &[
    "transformers.Trainer",
    "transformers.Seq2SeqTrainer",
    "transformers.trainer.Trainer",
    "trl.SFTTrainer",
    "trl.DPOTrainer",
];

/// Methods that move a model.
const MOVES: &[&str] = &["cpu", "cuda", "to"];

/// Words of programs in which the trainer leaves the model where it is, moves it to the CPU, or has another first card.
const ELSEWHERE: &[&str] = &[
    "CUDA_VISIBLE_DEVICES",
    "LOCAL_RANK",
    "deepspeed",
    "fsdp",
    "full_eval",
    "is_parallelizable",
    "local_rank",
    "model_parallel",
    "place_model_on_device",
    "load_in_8bit",
    "load_in_4bit",
    "quantization_config",
    "spawn(",
    "use_cpu",
    "no_cuda",
];

/// `model.to("cuda:1")` above `Trainer(model=model)`, which moves it to `cuda:0`.
pub(super) fn undone(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    if ELSEWHERE.iter().any(|word| text.contains(word)) {
        return Vec::new();
    }
    let mut current: Vec<PlaceInFunction> = Vec::new();
    let mut used: Vec<(PlaceInFunction, Span)> = Vec::new();
    // Where models go, with the card if it has a number; also what gives their names to something else.
    let mut moves: Vec<(PlaceInFunction, &str, Option<String>)> = Vec::new();
    let mut found: Vec<RawFinding> = Vec::new();
    walk(scope.code, &mut |part, around| match part {
        CodeNode::Statement(step) => match &step.kind {
            StatementKind::Evaluate(value) => {
                if chooses_card(scope, value) {
                    return current.push(PlaceInFunction::of(value.span, around));
                }
                let Some((object, method, _)) = method_of(value) else { return };
                if MOVES.contains(&method) {
                    let place = PlaceInFunction::of(value.span, around);
                    moves.push((place, scope.text(object.span), moved_to_card(scope, value)));
                }
            }
            StatementKind::Assign { targets, value: Some(value), .. } => {
                let place = PlaceInFunction::of(value.span, around);
                let card = moved_to_card(scope, value).filter(|_| targets.len() == 1);
                for name in targets.iter().flat_map(Target::names) {
                    moves.push((place.clone(), name, card.clone()));
                }
            }
            _ => {}
        },
        CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) => {
            if !scope.names.path(&call.callee).is_some_and(|path| TRAINERS.contains(&path)) {
                return;
            }
            let Some(model) = argument(&call.arguments, Some(0), Some("model")) else { return };
            used.push((PlaceInFunction::of(expr.span, around), call.callee.span));
            let (place, model) = (PlaceInFunction::of(expr.span, around), scope.text(model.span));
            let last = moves.iter().rev().find(|(at, name, _)| at.home == place.home && *name == model);
            let Some((at, _, Some(card))) = last.filter(|(at, ..)| at.precedes(&place)) else { return };
            if card == "cuda:0" {
                return;
            }
            let what = format!("the model goes to `{card}` here");
            let raw_finding = RawFinding::at(scope.place(at.span)).word("what", what);
            found.push(raw_finding.beside(scope.place(call.callee.span), USES_FIRST));
        }
        CodeNode::Expr(_) | CodeNode::Target(_) => {}
    });
    for at in current {
        let Some((_, trainer)) = used.iter().find(|(place, _)| at.precedes(place)) else { continue };
        let what = "this makes another GPU the current one";
        let raw_finding = RawFinding::at(scope.place(at.span)).word("what", what);
        found.push(raw_finding.beside(scope.place(*trainer), USES_FIRST));
    }
    found
}

const USES_FIRST: &str = "this trainer moves the model to the first GPU";

/// `torch.cuda.set_device(1)`, also of an option: of a rank the trainer takes the card itself.
fn chooses_card(scope: &FileScope<'_>, value: &Expr<'_>) -> bool {
    let ExprKind::Call(call) = &value.kind else { return false };
    if scope.names.path(&call.callee) != Some("torch.cuda.set_device") {
        return false;
    }
    let Some(device) = argument(&call.arguments, Some(0), Some("device")) else { return false };
    match &scope.names.meant(device).kind {
        ExprKind::Int(number) => *number > 0,
        ExprKind::Text(text) => text.starts_with("cuda:") && text != "cuda:0",
        // An option for the card, by its name. `training_args.device` is the card of the trainer itself.
        ExprKind::Attribute(_, name) => {
            let name = name.to_ascii_lowercase();
            name.contains("gpu") || name.contains("cuda")
        }
        _ => false,
    }
}

/// `model.to("cuda:1")`, `model.cuda(1)`: the card.
fn moved_to_card(scope: &FileScope<'_>, value: &Expr<'_>) -> Option<String> {
    let (_, method, call) = method_of(value)?;
    let device = argument(&call.arguments, Some(0), Some("device"))?;
    let number = || match scope.names.meant(device).kind {
        ExprKind::Int(number) if number >= 0 => Some(format!("cuda:{number}")),
        _ => None,
    };
    match method {
        "to" => number().or_else(|| numbered_card(scope, device)),
        "cuda" => number(),
        _ => None,
    }
}
