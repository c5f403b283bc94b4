//! Files that each of several processes loads onto GPU 0, whichever GPU it has made current.

use super::given_arguments::any_given_to;
use super::memory::path;
use crate::code::walk::Ancestor;
use crate::code::{Expr, ExprKind};
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// Readers of safetensors, with where their device stands.
const READERS: &[(&str, usize)] =
    &[("safetensors.safe_open", 2), ("safetensors.torch.load_file", 1), ("safetensors.torch.load_model", 3)];

/// Words of a file whose processes have a card each, by its number.
const OF_RANKS: &[&str] = &["LOCAL_RANK", "init_process_group", "local_rank", "local_process_index"];

/// `load_file(path, device="cuda")`
pub(super) fn by_safetensors(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    // A mask for each process leaves one card, which is the first.
    if !OF_RANKS.iter().any(|word| text.contains(word)) || text.contains("VISIBLE_DEVICES") {
        return Vec::new();
    }
    let mut found = Vec::new();
    scope.each_call(&mut |expr, call, around| {
        let callee = path(scope, &call.callee);
        let Some((_, position)) = READERS.iter().find(|(name, _)| *name == callee) else { return };
        let Some(device) = argument(&call.arguments, Some(*position), Some("device")) else { return };
        let is_one_rank = around.iter().any(|one| {
            matches!(one, Ancestor::Then(test) | Ancestor::Otherwise(test) if scope.text(test.span).contains("rank"))
        });
        let is_given = || {
            matches!(device.kind, ExprKind::Name(_))
                && any_given_to(scope, device, &|caller, given| is_first(caller, given))
        };
        if !is_one_rank && (is_first(scope, device) || is_given()) {
            found.push(RawFinding::at(scope.place(expr.span)).word("name", scope.text(call.callee.span)));
        }
    });
    found
}

fn is_first(scope: &FileScope<'_>, device: &Expr<'_>) -> bool {
    matches!(&scope.names.meant(device).kind, ExprKind::Text(text) if text == "cuda")
}
