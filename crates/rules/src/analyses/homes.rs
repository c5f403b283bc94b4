//! What keeps an object: a name of a function or of a module, or an attribute that all methods of a class see.

use super::mask_numbers::written_target;
use crate::code::walk::{Ancestor, functions_around};
use crate::code::{Expr, ExprKind, Target};
use crate::rules::files::FileScope;

/// Where a name is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Home {
    Module,
    Function(usize),
    /// The methods of a class: `self.net`.
    Class(usize),
}

impl Home {
    /// That of names which are bound where this lies around.
    pub fn of(around: &[Ancestor<'_, '_>]) -> Home {
        functions_around(around).next_back().map_or(Home::Module, Home::Function)
    }
}

/// A name or an attribute of `self`, as it is written, with where it is seen.
pub(super) type Kept<'a> = (Home, &'a str);

/// What an expression names.
pub(super) fn kept_as<'a>(
    scope: &FileScope<'a>,
    expr: &Expr<'_>,
    around: &[Ancestor<'_, '_>],
) -> Option<Kept<'a>> {
    let home = match &expr.kind {
        ExprKind::Name(_) => Home::of(around),
        ExprKind::Attribute(object, _) => class_of(object, around)?,
        _ => return None,
    };
    Some((home, scope.text(expr.span)))
}

/// What an assignment binds.
pub(super) fn kept_by<'a>(
    scope: &FileScope<'a>,
    target: &Target<'_>,
    around: &[Ancestor<'_, '_>],
) -> Option<Kept<'a>> {
    let home = match target {
        Target::Name(..) => Home::of(around),
        Target::Attribute(object, _) => class_of(object, around)?,
        _ => return None,
    };
    Some((home, written_target(scope, target)?.0))
}

/// The class whose methods see what `self` has.
fn class_of(object: &Expr<'_>, around: &[Ancestor<'_, '_>]) -> Option<Home> {
    let is_class = |one: &Ancestor<'_, '_>| match one {
        Ancestor::Class(class) => Some(Home::Class(*class)),
        _ => None,
    };
    matches!(object.kind, ExprKind::Name("self")).then(|| around.iter().rev().find_map(is_class)).flatten()
}
