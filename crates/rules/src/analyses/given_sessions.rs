//! Sessions that are made only where none is given: `if session is None: session = InferenceSession(path)`.

use crate::code::walk::{Ancestor, functions_around};
use crate::code::{Call, ExprKind};
use crate::rules::files::FileScope;
use crate::rules::uses::argument;

/// Whether code stands behind such a question for a parameter, and every call of its function in the project gives one.
pub(super) fn is_always_given(scope: &FileScope<'_>, around: &[Ancestor<'_, '_>]) -> bool {
    let Some(function) = functions_around(around).next_back().map(|number| &scope.code.functions[number])
    else {
        return false;
    };
    let asked = around.iter().rev().find_map(|one| match one {
        Ancestor::Then(test) => scope.text(test.span).strip_suffix(" is None"),
        _ => None,
    });
    let Some(name) = asked.map(|asked| asked.strip_prefix("self.").unwrap_or(asked)) else { return false };
    let Some(position) = function.parameters.iter().position(|one| one.name == name && one.default.is_some())
    else {
        return false;
    };
    let is_method = function.parameters.first().is_some_and(|first| first.name == "self");
    let made = scope.code.classes.iter().rev().find(|class| class.span.holds(function.span));
    let called = made.filter(|_| function.name == "__init__").map_or(function.name, |class| class.name);
    let gives = |call: &Call<'_>| {
        let position = position.checked_sub(usize::from(is_method));
        let is_open = call.arguments.iter().any(|one| one.unpacked);
        !is_open && argument(&call.arguments, position, Some(name)).is_some()
    };
    let (mut given, mut left_out) = (0, 0);
    let mut count = |other: &FileScope<'_>| {
        other.each_call(&mut |_, call, _| match call.callee.kind {
            ExprKind::Name(name) | ExprKind::Attribute(_, name) if name == called => {
                *(if gives(call) { &mut given } else { &mut left_out }) += 1;
            }
            _ => {}
        });
    };
    count(scope);
    for importer in scope.program.importers(scope.file).into_iter().map(|one| one.file) {
        if scope.program.has_word(importer, called) {
            scope.in_other(importer, &mut count);
        }
    }
    given > 0 && left_out == 0
}
