//! Models that are moved to one GPU, and that a trainer of transformers moves to another.

use super::memory::method_of;
use super::order::PlaceInFunction;
use super::spread_ranks::numbered_card;
use crate::code::walk::{CodeNode, walk};
use crate::code::{Expr, ExprKind, StatementKind};
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

/// Words of programs in which the trainer leaves the model where it is, or where another card is the first.
const ELSEWHERE: &[&str] = &[
    "CUDA_VISIBLE_DEVICES",
    "LOCAL_RANK",
    "deepspeed",
    "fsdp",
    "full_eval",
    "is_parallelizable",
    "model_parallel",
    "place_model_on_device",
    "load_in_8bit",
    "load_in_4bit",
    "quantization_config",
];

/// `model.to("cuda:1")` above `Trainer(model=model)`, which moves it to `cuda:0`.
pub(super) fn undone(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    if ELSEWHERE.iter().any(|word| text.contains(word)) {
        return Vec::new();
    }
    let mut moves: Vec<(PlaceInFunction, &str, String)> = Vec::new();
    let mut found: Vec<RawFinding> = Vec::new();
    walk(scope.code, &mut |part, around| match part {
        CodeNode::Statement(step) => {
            let (name, value) = match &step.kind {
                StatementKind::Evaluate(value) => (None, value),
                StatementKind::Assign { targets, value: Some(value), .. } => {
                    let [target] = targets.as_slice() else { return };
                    (target.names().first().copied(), value)
                }
                _ => return,
            };
            let Some((object, card)) = moved_to_card(scope, value) else { return };
            let place = PlaceInFunction::of(value.span, around);
            moves.push((place, name.unwrap_or_else(|| scope.text(object.span)), card));
        }
        CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) => {
            if !scope.names.path(&call.callee).is_some_and(|path| TRAINERS.contains(&path)) {
                return;
            }
            let Some(model) = argument(&call.arguments, Some(0), Some("model")) else { return };
            let (place, model) = (PlaceInFunction::of(expr.span, around), scope.text(model.span));
            let last = moves.iter().rev().find(|(at, name, _)| at.home == place.home && *name == model);
            let Some((at, _, card)) = last.filter(|(at, _, card)| card != "cuda:0" && at.precedes(&place))
            else {
                return;
            };
            let raw_finding = RawFinding::at(scope.place(at.span)).word("card", card);
            found.push(
                raw_finding
                    .beside(scope.place(call.callee.span), "this trainer moves the model to the first GPU"),
            );
        }
        CodeNode::Expr(_) | CodeNode::Target(_) => {}
    });
    found
}

/// `model.to("cuda:1")`, `model.cuda(1)`: the model, and the card.
fn moved_to_card<'e>(scope: &FileScope<'_>, value: &'e Expr<'e>) -> Option<(&'e Expr<'e>, String)> {
    let (object, method, call) = method_of(value)?;
    let device = argument(&call.arguments, Some(0), Some("device"))?;
    let number = || match scope.names.meant(device).kind {
        ExprKind::Int(number) if number >= 0 => Some(format!("cuda:{number}")),
        _ => None,
    };
    let card = match method {
        "to" => number().or_else(|| numbered_card(scope, device))?,
        "cuda" => number()?,
        _ => return None,
    };
    Some((object, card))
}
