//! Models and inputs on two cards: one is moved to a card by its index, the other to the current one or to another card.

use super::current_devices::{chooses_current, index_of};
use super::device_indices::index_in;
use super::homes::{Kept, kept_as, kept_by};
use super::memory::method_of;
use super::unused_choices::names_of_options;
use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::code::{Call, Expr, ExprKind, StatementKind, Target};
use crate::facts::Span;
use crate::findings::Severity;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// What the names of losses say: those hold no weights, and take what is on any card.
const LOSSES: &[&str] = &["loss", "criterion", "crit"];

/// Where something is moved to.
#[derive(Clone, PartialEq, Eq)]
enum Card {
    Current,
    Index(i64),
    /// `args.gpu` of `f"cuda:{args.gpu}"`
    Named(String),
    /// `args.device`, which the command line gives.
    Option(String),
}

/// What is said of a model and its input on two cards.
struct Pair {
    /// It is the input that goes to `place`, and the model that is on `device`; else the other way round.
    is_input: bool,
    place: String,
    device: String,
    wanted: String,
    /// It is right where one of them may be moved to several cards.
    wavers: bool,
    /// Both are the same card unless the command line says otherwise.
    is_by_option: bool,
}

impl Pair {
    fn of(scope: &FileScope<'_>, input: &Card, model: &Card) -> Option<Pair> {
        let current = |is_input, device: String, index: &str, wavers| {
            let place = "the current GPU".to_owned();
            let wanted =
                format!("use the same device for both, or call `torch.cuda.set_device({index})` first");
            Some(Pair { is_input, place, device, wanted, wavers, is_by_option: false })
        };
        match (input, model) {
            (Card::Current, Card::Named(name)) | (Card::Named(name), Card::Current) => {
                let device = format!("cuda:{{{name}}}");
                let chosen = is_chosen_elsewhere(scope) || is_first_or_none(scope, name);
                current(*input == Card::Current, device, name, true).filter(|_| !chosen)
            }
            (Card::Current, Card::Index(index)) | (Card::Index(index), Card::Current) if *index > 0 => {
                current(*input == Card::Current, format!("cuda:{index}"), &index.to_string(), false)
            }
            (Card::Index(input), Card::Index(model)) if input != model => Some(Pair {
                is_input: true,
                place: format!("`cuda:{input}`"),
                device: format!("cuda:{model}"),
                wanted: "use the same device for both".to_owned(),
                wavers: true,
                is_by_option: false,
            }),
            (fixed, Card::Option(option)) | (Card::Option(option), fixed) => {
                let place = match fixed {
                    Card::Current if !is_chosen_elsewhere(scope) => "the current GPU".to_owned(),
                    Card::Index(index) => format!("`cuda:{index}`"),
                    _ => return None,
                };
                let wanted = format!("use `{option}` for both");
                let (is_input, device) = (input == fixed, option.clone());
                let pair = Pair { is_input, place, device, wanted, wavers: true, is_by_option: true };
                (!is_compared(scope, option)).then_some(pair)
            }
            _ => None,
        }
    }
}

/// What lies on a card from a place on.
struct Moved<'a> {
    name: Kept<'a>,
    card: Card,
    at: Span,
}

/// `net.cuda(5)` and `net(x.cuda())`: the input goes to the current card.
pub(super) fn on_current_card(scope: &FileScope<'_>) -> Vec<RawFinding> {
    if chooses_current(scope) {
        return Vec::new();
    }
    let (mut moved, mut all_moves) = (Vec::new(), Vec::new());
    let mut found: Vec<(bool, [Kept<'_>; 2], RawFinding)> = Vec::new();
    walk(scope.code, &mut |part, around| match part {
        CodeNode::Statement(step) => match &step.kind {
            // `net = Net().cuda(5)`, `x, y = x.cuda(), y.cuda()`
            StatementKind::Assign { targets, value: Some(value), .. } => {
                let Some(target) = targets.last() else { return };
                forget(scope, &mut moved, targets, around);
                let known = moved.len();
                note(scope, target, value, around, &mut moved);
                all_moves.extend(moved[known..].iter().map(|one| (one.name, one.card.clone())));
            }
            StatementKind::For { target, .. } => {
                forget(scope, &mut moved, std::slice::from_ref(target), around);
            }
            // `net.cuda(5)`
            StatementKind::Evaluate(value) => {
                let Some((object, card)) = moved_to(scope, value) else { return };
                if let Some(name) = kept_as(scope, object, around) {
                    all_moves.push((name, card.clone()));
                    moved.push(Moved { name, card, at: value.span });
                }
            }
            _ => {}
        },
        CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) => {
            let Some(model) = model_of(scope, call, around) else { return };
            let callee = model.1;
            let last = |name: Kept<'_>| moved.iter().rev().find(|one| one.name == name);
            let Some(of_model) = last(model) else { return };
            for given in &call.arguments {
                let kept = kept_as(scope, &given.value, around);
                let (other, at) = match &given.value.kind {
                    ExprKind::Name(_) | ExprKind::Attribute(..) => match kept.and_then(last) {
                        Some(other) => (other.card.clone(), other.at),
                        None => continue,
                    },
                    // `head(body(x))`
                    ExprKind::Call(inner)
                        if let Some(other) = model_of(scope, inner, around).and_then(last) =>
                    {
                        if LOSSES.iter().any(|word| callee.contains(word)) {
                            continue;
                        }
                        (other.card.clone(), given.value.span)
                    }
                    _ => match moved_to(scope, &given.value) {
                        Some((_, card @ (Card::Current | Card::Index(_)))) => (card, given.value.span),
                        _ => continue,
                    },
                };
                let Some(pair) = Pair::of(scope, &other, &of_model.card) else { continue };
                let (text, name) = match pair.is_input {
                    true => (scope.text(at), callee),
                    false => (callee, scope.text(given.value.span)),
                };
                let raw_finding = RawFinding::at(scope.place(at)).word("text", text);
                let raw_finding = raw_finding.word("place", pair.place).word("wanted", pair.wanted);
                let raw_finding = raw_finding.word("name", name).word("device", pair.device);
                let raw_finding =
                    if pair.is_by_option { raw_finding.at_most(Severity::Note) } else { raw_finding };
                let raw_finding =
                    raw_finding.beside(scope.place(of_model.at), format!("`{callee}` is moved here"));
                found.push((pair.wavers, [model, kept.unwrap_or(model)], raw_finding));
            }
        }
        _ => {}
    });
    // In different branches, one thing may go to different cards.
    let wavers = |name: &Kept<'_>| {
        let mut cards = all_moves.iter().filter(|(known, _)| known == name);
        let first = cards.next();
        cards.any(|(_, card)| first.is_some_and(|(_, first)| first != card))
    };
    let is_sure =
        |(may_waver, names, _): &(bool, [Kept<'_>; 2], RawFinding)| !may_waver || !names.iter().any(wavers);
    found.into_iter().filter(is_sure).map(|(.., raw_finding)| raw_finding).collect()
}

/// Where the names of a target lie after an assignment, each with its part of the value.
fn note<'a>(
    scope: &FileScope<'a>,
    target: &Target<'_>,
    value: &Expr<'_>,
    around: &[Ancestor<'_, '_>],
    moved: &mut Vec<Moved<'a>>,
) {
    match (target, &value.kind) {
        (Target::Name(..) | Target::Attribute(..), _) => {
            let card = moved_to(scope, value).map(|(_, card)| card);
            let kept = kept_by(scope, target, around).zip(card);
            moved.extend(kept.map(|(name, card)| Moved { name, card, at: value.span }));
        }
        (Target::Sequence(targets), ExprKind::Sequence(values)) if targets.len() == values.len() => {
            targets.iter().zip(values).for_each(|(target, value)| note(scope, target, value, around, moved));
        }
        _ => {}
    }
}

/// What is known of where names lie holds no longer for those that are bound to something else.
fn forget(
    scope: &FileScope<'_>,
    moved: &mut Vec<Moved<'_>>,
    targets: &[Target<'_>],
    around: &[Ancestor<'_, '_>],
) {
    for target in targets {
        match target {
            Target::Sequence(inner) => forget(scope, moved, inner, around),
            Target::Rest(inner) => forget(scope, moved, std::slice::from_ref(inner), around),
            _ => {
                let bound = kept_by(scope, target, around);
                moved.retain(|one| Some(one.name) != bound);
            }
        }
    }
}

/// The model that a call runs: `net(x)`, `net.generate(x)`.
fn model_of<'a>(scope: &FileScope<'a>, call: &Call<'_>, around: &[Ancestor<'_, '_>]) -> Option<Kept<'a>> {
    match &call.callee.kind {
        ExprKind::Attribute(object, name) if is_run(name) => kept_as(scope, object, around),
        _ => kept_as(scope, &call.callee, around),
    }
}

/// Whether a method, or a part, of a model computes with what it is given: `net.image_encoder(x)`.
fn is_run(name: &str) -> bool {
    matches!(name, "decode" | "decoder" | "encoder" | "forward" | "generate" | "predict" | "sample")
        || name.starts_with("encode_")
        || name.ends_with("_encoder")
        || name.ends_with("_features")
}

/// The object that an expression moves to a card, and which that is.
fn moved_to<'e, 's>(scope: &FileScope<'_>, expr: &'e Expr<'s>) -> Option<(&'e Expr<'s>, Card)> {
    let (object, method, call) = method_of(expr)?;
    let device = argument(&call.arguments, Some(0), Some("device"));
    match method {
        "cuda" => Some((object, device.map_or(Some(Card::Current), |device| card_of(scope, device))?)),
        "to" => Some((object, card_of(scope, device?)?)),
        _ => None,
    }
}

/// The card that an expression names; `None` when it may be none.
fn card_of(scope: &FileScope<'_>, device: &Expr<'_>) -> Option<Card> {
    let meant = scope.names.meant(device);
    if let Some(index) = index_of(scope, meant) {
        return Some(Card::Index(index));
    }
    match &meant.kind {
        ExprKind::Text(text) => (text == "cuda").then_some(Card::Current),
        // `f"cuda:{args.gpu}" if torch.cuda.is_available() else "cpu"`: where there is none, nothing goes to one.
        ExprKind::Choice(choice) => card_of(scope, &choice.1),
        ExprKind::Call(call) if scope.names.path(&call.callee) == Some("torch.device") => {
            let index = argument(&call.arguments, Some(1), Some("index"));
            match index {
                Some(index) => named(scope, index),
                None => card_of(scope, argument(&call.arguments, Some(0), None)?),
            }
        }
        ExprKind::Attribute(object, "device") if is_of_options(scope, object) => {
            Some(Card::Option(scope.text(meant.span).to_owned()))
        }
        _ => named(scope, index_in(scope, meant)?),
    }
}

/// Whether an object holds the options of the command line, with one for the device.
fn is_of_options(scope: &FileScope<'_>, object: &Expr<'_>) -> bool {
    let ExprKind::Name(name) = object.kind else { return false };
    let text = scope.whole_text();
    (text.contains("\"--device\"") || text.contains("'--device'")) && names_of_options(scope).contains(name)
}

/// Whether the file looks at what the option says: `if args.device == "cpu":`
fn is_compared(scope: &FileScope<'_>, option: &str) -> bool {
    let text = scope.whole_text();
    let signs = [" ==", " !=", " =", ".startswith", ".type", ".split", " is "];
    signs.iter().any(|sign| text.contains(&format!("{option}{sign}")))
        || text.contains(&format!(" in {option}"))
        || text.contains("device.type")
}

/// A card by an index that is not known before the program runs.
fn named(scope: &FileScope<'_>, index: &Expr<'_>) -> Option<Card> {
    match &scope.names.meant(index).kind {
        ExprKind::Int(index) => Some(Card::Index(*index)),
        ExprKind::Name(_) | ExprKind::Attribute(..) => Some(Card::Named(scope.text(index.span).to_owned())),
        _ => None,
    }
}

/// Whether another file may make a card the current one, or leave one alone visible.
fn is_chosen_elsewhere(scope: &FileScope<'_>) -> bool {
    const CHOICES: &[&str] = &["set_device", "cuda.device("];
    scope.program.has_any(CHOICES) || scope.is_named_elsewhere("CUDA_VISIBLE_DEVICES")
}

/// Whether all who give an argument of this name in the file give the first card, or none: `check(gpu=0)`, `check(gpu=-1)`.
fn is_first_or_none(scope: &FileScope<'_>, name: &str) -> bool {
    let mut given = Vec::new();
    scope.each_call(&mut |_, call, _| {
        let named = call.arguments.iter().filter(|argument| argument.name == Some(name));
        given.extend(named.map(|argument| scope.text(argument.value.span).parse::<i64>()));
    });
    !given.is_empty() && given.iter().all(|one| one.as_ref().is_ok_and(|number| *number <= 0))
}
