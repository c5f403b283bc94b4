//! Models that `DataParallel` spreads from the first card, and that lie on another one by the device that is written there; and which
//! classes it copies.

use super::current_devices::{PARALLEL, index_of};
use super::given_arguments::{any_given_to, parameter_behind};
use super::homes::{Home, Kept, kept_as, kept_by};
use super::memory::method_of;
use crate::code::walk::{Ancestor, CodeNode, walk, within_function};
use crate::code::{Expr, ExprKind, StatementKind};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;
use std::cell::LazyCell;

/// A model that is wrapped, without `device_ids` or with cards that are written there.
struct Wrapped<'e> {
    span: Span,
    /// What stands for it before and after.
    names: Vec<Kept<'e>>,
    /// The first of the cards that it names.
    first: Option<i64>,
    /// The function in which that is done, and whether an `if` may leave it out there.
    function: Option<usize>,
    in_branch: bool,
}

/// `net = DataParallel(net)` and `net = net.to("cuda:1")`.
pub(super) fn on_another_card(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let (mut all, mut moves): (Vec<Wrapped<'_>>, Vec<_>) = (Vec::new(), Vec::new());
    // `.cuda()` takes the current card, which is the first until somebody makes another one that.
    let is_first_current = LazyCell::new(|| !scope.program.has_any(&["set_device", "cuda.device("]));
    let mut target: Option<(Span, Kept<'_>)> = None;
    walk(scope.code, &mut |part, around| {
        let expr = match part {
            CodeNode::Statement(step) => {
                target = match &step.kind {
                    StatementKind::Assign { targets, value: Some(value), .. } => match &targets[..] {
                        [target] => kept_by(scope, target, around).map(|kept| (value.span, kept)),
                        _ => None,
                    },
                    _ => None,
                };
                return;
            }
            CodeNode::Expr(expr) => expr,
            CodeNode::Target(_) => return,
        };
        let ExprKind::Call(call) = &expr.kind else { return };
        if scope.names.path(&call.callee).is_some_and(|path| PARALLEL.contains(&path)) {
            let chosen = argument(&call.arguments, Some(1), Some("device_ids"));
            let first = chosen.and_then(|cards| first_of(scope, cards));
            if chosen.is_some() && first.is_none() || call.arguments.iter().any(|one| one.unpacked) {
                return;
            }
            let given = call.arguments.first().and_then(|model| name_of(scope, &model.value, around));
            let kept = target.filter(|(value, _)| value.holds(expr.span));
            let names = given.into_iter().chain(kept.map(|(_, name)| name)).collect();
            let (function, within) = within_function(around);
            let in_branch =
                within.iter().any(|one| matches!(one, Ancestor::Then(_) | Ancestor::Otherwise(_)));
            all.push(Wrapped { span: expr.span, names, first, function, in_branch });
        } else if let Some((object, method @ ("to" | "cuda"), call)) = method_of(expr) {
            let card = match argument(&call.arguments, Some(0), Some("device")) {
                Some(device) => card_of(scope, device),
                None if method == "cuda" && call.arguments.is_empty() && *is_first_current => Some(0),
                None => return,
            };
            let (function, _) = within_function(around);
            let name = name_of(scope, object, around);
            moves.push((name, function, object.span, expr.span, card));
        }
    });
    let finding = |one: Wrapped<'_>| {
        let here = moves.iter().filter(|(name, _, object, span, _)| {
            name.is_some_and(|name| one.names.contains(&name)) || one.span.holds(*span) || *object == one.span
        });
        let here: Vec<_> = here.collect();
        // Another method may be called on the other branch.
        let is_apart =
            |(name, function, ..): &&(Option<Kept<'_>>, Option<usize>, Span, Span, Option<i64>)| {
                matches!(name, Some((Home::Class(_), _))) && *function != one.function
            };
        if one.in_branch && here.iter().any(is_apart) {
            return None;
        }
        let cards: Vec<_> = here.iter().map(|(.., span, card)| (*span, *card)).collect();
        let start = one.first.unwrap_or_default();
        let (at, index) =
            cards.last().and_then(|(at, card)| Some((*at, card.filter(|card| *card != start)?)))?;
        let is_elsewhere = cards.iter().all(|(_, card)| card.is_some_and(|card| card != start));
        let starts = match one.first {
            Some(first) => format!("starts at `cuda:{first}`, the first of `device_ids`"),
            None => "without `device_ids` starts at `cuda:0`".to_owned(),
        };
        is_elsewhere.then(|| {
            let raw_finding = RawFinding::at(scope.place(one.span)).word("index", index.to_string());
            let raw_finding = raw_finding.word("starts", starts);
            raw_finding.beside(scope.place(at), "the model goes there")
        })
    };
    all.into_iter().filter_map(finding).collect()
}

/// The first of `[1, 2]`, of `list(cards)`, and of a parameter that is such a list unless calls give it another one.
fn first_of(scope: &FileScope<'_>, cards: &Expr<'_>) -> Option<i64> {
    let meant = scope.names.meant(cards);
    match &meant.kind {
        ExprKind::Sequence(cards) => index_of(scope, cards.first()?),
        ExprKind::Call(call) if scope.names.path(&call.callee) == Some("builtins.list") => {
            first_of(scope, &call.arguments.first()?.value)
        }
        ExprKind::Name(name) => {
            let (_, parameter) = parameter_behind(scope, name, meant.span)?;
            let is_left = !any_given_to(scope, meant, &|_, _| true);
            first_of(scope, parameter.default.as_ref().filter(|_| is_left)?)
        }
        _ => None,
    }
}

/// What stands for a model, also behind moves: `net` of `net.cuda()`.
fn name_of<'a>(scope: &FileScope<'a>, expr: &Expr<'_>, around: &[Ancestor<'_, '_>]) -> Option<Kept<'a>> {
    match method_of(expr) {
        Some((object, "to" | "cuda", _)) => name_of(scope, object, around),
        Some(_) => None,
        None => kept_as(scope, expr, around),
    }
}

/// The card that a device is, also where the CPU is taken on a machine without one.
fn card_of(scope: &FileScope<'_>, device: &Expr<'_>) -> Option<i64> {
    match &scope.names.meant(device).kind {
        ExprKind::Choice(parts) => card_of(scope, &parts.1).or_else(|| card_of(scope, &parts.2)),
        ExprKind::Call(call) if scope.names.path(&call.callee) == Some("torch.device") => {
            let only = argument(&call.arguments, Some(0), None).filter(|_| call.arguments.len() == 1);
            only.map_or_else(|| index_of(scope, device), |only| card_of(scope, only))
        }
        _ => index_of(scope, device),
    }
}

/// Whether the project makes an object of a class and hands it to `torch.nn.DataParallel`, which copies it to each GPU.
pub(super) fn is_copied(scope: &FileScope<'_>, class: &str) -> bool {
    const WRAPPER: &str = "DataParallel(";
    let made = format!("{class}(");
    let is_made = |text: &str| {
        let mut found = text.match_indices(&made);
        found.any(|(at, _)| !text[..at].ends_with(|letter: char| letter.is_alphanumeric() || letter == '_'))
    };
    scope.program.files_with(WRAPPER).iter().any(|file| {
        let text = scope.program.text_of(*file);
        text.match_indices(WRAPPER).any(|(at, _)| {
            let given = text[at + WRAPPER.len()..].lines().next().unwrap_or_default();
            let name: &str = given
                .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
                .next()
                .unwrap_or_default();
            let assigns = |line: &str| {
                line.trim_start().strip_prefix(name).is_some_and(|rest| rest.starts_with(" = "))
                    && is_made(line)
            };
            !text[..at].ends_with("Distributed")
                && (is_made(given) || !name.is_empty() && text[..at].lines().any(assigns))
        })
    })
}
