//! Devices that a class writes down although it has chosen one.

use crate::facts::Span;
use crate::rules::files::FileScope;

/// Whether the class around a choice moves something to a GPU that is written there, `net.to("cuda")`, in another method.
pub(super) fn is_fixed_beside(scope: &FileScope<'_>, choice: Span) -> bool {
    let is_fixed =
        |text: &str| [".to(\"cuda\")", ".to('cuda')", ".cuda()"].iter().any(|word| text.contains(word));
    let class = scope.code.classes.iter().find(|class| class.span.holds(choice));
    class.is_some_and(|class| {
        let inside = scope.code.functions.iter().filter(|one| class.span.holds(one.span));
        let mut others = inside.filter(|one| !one.span.holds(choice)).map(|one| scope.text(one.span));
        others.any(|text| is_fixed(text) && !text.contains("is_available"))
    })
}
