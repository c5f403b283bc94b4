//! Models and inputs on two cards: one is moved to a card by its index, the other to the current one or to another card.

use super::current_devices::{chooses_current, home, index_of};
use super::mask_numbers::index_in;
use super::memory::method_of;
use crate::code::walk::{CodeNode, walk};
use crate::code::{Call, Expr, ExprKind, StatementKind, Target};
use crate::facts::Span;
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
}

impl Pair {
    fn of(scope: &FileScope<'_>, input: &Card, model: &Card) -> Option<Pair> {
        let current = |is_input, device: String, index: &str, wavers| {
            let place = "the current GPU".to_owned();
            let wanted =
                format!("use the same device for both, or call `torch.cuda.set_device({index})` first");
            Some(Pair { is_input, place, device, wanted, wavers })
        };
        match (input, model) {
            (Card::Current, Card::Named(name)) | (Card::Named(name), Card::Current) => {
                let device = format!("cuda:{{{name}}}");
                let chosen = is_chosen_elsewhere(scope);
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
            }),
            _ => None,
        }
    }
}

/// A name that lies on a card from a place on.
struct MovedName<'c> {
    /// The function in which it does.
    home: Option<usize>,
    name: &'c str,
    card: Card,
    at: Span,
}

impl<'c> MovedName<'c> {
    fn kept(&self) -> (Option<usize>, &'c str, Card) {
        (self.home, self.name, self.card.clone())
    }
}

/// `net.cuda(5)` and `net(x.cuda())`: the input goes to the current card.
pub(super) fn on_current_card(scope: &FileScope<'_>) -> Vec<RawFinding> {
    if chooses_current(scope) {
        return Vec::new();
    }
    let (mut moved, mut all_moves) = (Vec::new(), Vec::new());
    let mut found: Vec<(bool, [&str; 2], Option<usize>, RawFinding)> = Vec::new();
    walk(scope.code, &mut |part, around| match part {
        CodeNode::Statement(step) => match &step.kind {
            // `net = Net().cuda(5)`, `x, y = x.cuda(), y.cuda()`
            StatementKind::Assign { targets, value: Some(value), .. } => {
                let Some(target) = targets.last() else { return };
                forget(&mut moved, targets, home(around));
                let known = moved.len();
                note(scope, target, value, home(around), &mut moved);
                all_moves.extend(moved[known..].iter().map(MovedName::kept));
            }
            StatementKind::For { target, .. } => {
                forget(&mut moved, std::slice::from_ref(target), home(around));
            }
            // `net.cuda(5)`
            StatementKind::Evaluate(value) => {
                let Some((object, card)) = moved_to(scope, value) else { return };
                if let ExprKind::Name(name) = object.kind {
                    let one = MovedName { home: home(around), name, card, at: value.span };
                    all_moves.push(one.kept());
                    moved.push(one);
                }
            }
            _ => {}
        },
        CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) => {
            let Some(callee) = model_of(call) else { return };
            let here = home(around);
            let last = |name: &str| -> Option<&MovedName<'_>> {
                moved.iter().rev().find(|one| one.home == here && one.name == name)
            };
            let Some(model) = last(callee) else { return };
            for given in &call.arguments {
                let (other, at) = match &given.value.kind {
                    ExprKind::Name(name) => match last(name) {
                        Some(other) => (other.card.clone(), other.at),
                        None => continue,
                    },
                    // `head(body(x))`
                    ExprKind::Call(inner) if let Some(other) = model_of(inner).and_then(last) => {
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
                let Some(pair) = Pair::of(scope, &other, &model.card) else { continue };
                let (text, name) = match pair.is_input {
                    true => (scope.text(at), callee),
                    false => (callee, scope.text(given.value.span)),
                };
                let raw_finding = RawFinding::at(scope.place(at)).word("text", text);
                let raw_finding = raw_finding.word("place", pair.place).word("wanted", pair.wanted);
                let raw_finding = raw_finding.word("name", name).word("device", pair.device);
                let raw_finding =
                    raw_finding.beside(scope.place(model.at), format!("`{callee}` is moved here"));
                let given = match &given.value.kind {
                    ExprKind::Name(name) => name,
                    _ => callee,
                };
                found.push((pair.wavers, [callee, given], here, raw_finding));
            }
        }
        _ => {}
    });
    // In different branches, one thing may go to different cards.
    let wavers = |name: &str, home: Option<usize>| {
        let mut cards = all_moves.iter().filter(|(of, known, _)| *of == home && *known == name);
        let first = cards.next();
        cards.any(|(.., card)| first.is_some_and(|(.., first)| first != card))
    };
    let is_sure = |(may_waver, names, home, _): &(bool, [&str; 2], Option<usize>, RawFinding)| {
        !may_waver || !names.iter().any(|name| wavers(name, *home))
    };
    found.into_iter().filter(is_sure).map(|(.., raw_finding)| raw_finding).collect()
}

/// Where the names of a target lie after an assignment, each with its part of the value.
fn note<'c>(
    scope: &FileScope<'_>,
    target: &Target<'c>,
    value: &'c Expr<'c>,
    home: Option<usize>,
    moved: &mut Vec<MovedName<'c>>,
) {
    match (target, &value.kind) {
        (Target::Name(name, _), _) => {
            let card = moved_to(scope, value).map(|(_, card)| card);
            moved.extend(card.map(|card| MovedName { home, name, card, at: value.span }));
        }
        (Target::Sequence(targets), ExprKind::Sequence(values)) if targets.len() == values.len() => {
            targets.iter().zip(values).for_each(|(target, value)| note(scope, target, value, home, moved));
        }
        _ => {}
    }
}

/// What is known of where names lie holds no longer for those that are bound to something else.
fn forget(moved: &mut Vec<MovedName<'_>>, targets: &[Target<'_>], home: Option<usize>) {
    for target in targets {
        match target {
            Target::Name(name, _) => moved.retain(|one| one.home != home || one.name != *name),
            Target::Sequence(inner) => forget(moved, inner, home),
            Target::Rest(inner) => forget(moved, std::slice::from_ref(inner), home),
            Target::Attribute(..) | Target::Item(_) => {}
        }
    }
}

/// The model that a call runs: `net(x)`, `net.generate(x)`.
fn model_of<'c>(call: &Call<'c>) -> Option<&'c str> {
    match &call.callee.kind {
        ExprKind::Name(name) => Some(name),
        ExprKind::Attribute(object, "forward" | "generate") => match object.kind {
            ExprKind::Name(name) => Some(name),
            _ => None,
        },
        _ => None,
    }
}

/// The object that an expression moves to a card, and which that is.
fn moved_to<'c>(scope: &FileScope<'_>, expr: &'c Expr<'c>) -> Option<(&'c Expr<'c>, Card)> {
    let (object, method, call): (&Expr<'_>, &str, &Call<'_>) = method_of(expr)?;
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
        _ => named(scope, index_in(scope, meant)?),
    }
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
