//! Losses that a dictionary holds: their sum is differentiated, and a loop adds each of them to what it keeps.

use super::super::memory::method_of;
use super::{is_dotted, text_of_target};
use crate::code::{Call, Expr, ExprKind, Target};
use crate::rules::files::FileScope;

/// Stands for each value of a dictionary.
pub(super) const ALL: &str = "[*]";

/// The dictionary whose values are added up: `sum(losses.values())`, `sum(loss for loss in losses.values())`.
pub(super) fn of_all(scope: &FileScope<'_>, call: &Call<'_>) -> Option<String> {
    let given = &call.arguments.first()?.value;
    match &given.kind {
        ExprKind::Comprehension(one) => match (&one.generators[..], &one.elements[..]) {
            ([turn], [element]) if matches!(element.kind, ExprKind::Name(_)) => held(scope, &turn.iterable),
            _ => None,
        },
        _ => held(scope, given),
    }
}

/// The name for each loss of a dictionary in the turns of a loop, and the dictionary: `for name, loss in losses.items()`.
pub(super) fn turned(
    scope: &FileScope<'_>,
    target: &Target<'_>,
    iterable: &Expr<'_>,
) -> Option<(String, Vec<String>)> {
    let one = match target {
        Target::Sequence(parts) => parts.last()?,
        _ => target,
    };
    let losses = held(scope, iterable)?;
    Some((text_of_target(scope, one)?, vec![losses]))
}

/// A dictionary of losses by its name, in what gives its values.
fn held(scope: &FileScope<'_>, values: &Expr<'_>) -> Option<String> {
    let (object, "items" | "values", _) = method_of(values)? else { return None };
    let name = scope.text(object.span);
    (is_dotted(object) && name.to_ascii_lowercase().contains("loss")).then(|| format!("{name}{ALL}"))
}
