//! GPUs that are counted by the text of a mask, in ways that give another number.

use super::parsed_masks::mask_in;
use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::code::{Call, Expr, ExprKind};
use crate::facts::{Span, lines_in};
use crate::findings::Severity;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;
use crate::sources::Language;

const OF_CONTAINERS: &str = "NVIDIA_VISIBLE_DEVICES";

/// `len(os.environ["CUDA_VISIBLE_DEVICES"])`, `len(os.environ["NVIDIA_VISIBLE_DEVICES"].split(","))`, and
/// `os.environ.get("CUDA_VISIBLE_DEVICES", 1).split(",")`.
pub(super) fn that_give_another_number(scope: &FileScope<'_>) -> Vec<RawFinding> {
    if matches!(scope.language(), Language::Shell | Language::Makefile) {
        return in_shell(scope);
    }
    let mut compared: Vec<Span> = Vec::new();
    let mut found: Vec<(Span, &str, &'static str, Option<Severity>)> = Vec::new();
    let knows_all = ["\"all\"", "'all'"].iter().any(|word| scope.whole_text().contains(word));
    walk(scope.code, &mut |part, around| {
        let CodeNode::Expr(expr) = part else { return };
        match &expr.kind {
            ExprKind::Compare(_, pair) => compared.extend([pair.0.span, pair.1.span]),
            ExprKind::Call(call) => {
                let is_tested =
                    compared.contains(&expr.span) || matches!(around.last(), Some(Ancestor::Test(_)));
                if let Some(mask) = split_of_number(scope, expr) {
                    let fault = "where it is not set, the default is a number, which has no `split`";
                    found.push((expr.span, mask, fault, None));
                }
                if scope.names.path(&call.callee) != Some("builtins.len") {
                    return;
                }
                if let Some(cards) = digits_of(scope, call) {
                    let fault = "this counts digits, so that GPU 10 counts as two";
                    found.push((expr.span, cards, fault, None));
                }
                if is_tested {
                    return;
                }
                let Some(counted) = argument(&call.arguments, Some(0), None) else { return };
                let counted = scope.names.meant(counted);
                if let Some(mask) = mask_itself(scope, counted) {
                    found.push((expr.span, mask, "this counts its letters, commas included", None));
                } else if is_split(scope, counted)
                    && mask_in(scope, counted) == Some(OF_CONTAINERS)
                    && !knows_all
                {
                    let fault = "it is often `all`, which counts as one";
                    found.push((expr.span, OF_CONTAINERS, fault, Some(Severity::Note)));
                }
            }
            _ => {}
        }
    });
    let raw_finding = |(span, mask, fault, most): (Span, &str, &str, Option<Severity>)| {
        let seen = RawFinding::at(scope.place(span)).word("text", scope.text(span));
        let seen = seen.word("variable", mask).word("fault", fault);
        match most {
            Some(most) => seen.at_most(most),
            None => seen,
        }
    };
    found.into_iter().map(raw_finding).collect()
}

/// `len(device.replace(",", ""))` of a list of cards: as it is written.
fn digits_of<'a>(scope: &FileScope<'a>, counting: &Call<'_>) -> Option<&'a str> {
    const WORDS: &[&str] = &["cuda", "device", "gpu", "VISIBLE_DEVICES"];
    let counted = argument(&counting.arguments, Some(0), None)?;
    let ExprKind::Call(call) = &scope.names.meant(counted).kind else { return None };
    let ExprKind::Attribute(object, "replace") = &call.callee.kind else { return None };
    let is_text = |at: usize, text: &str| {
        let given = argument(&call.arguments, Some(at), None);
        given.is_some_and(|given| matches!(&given.kind, ExprKind::Text(known) if known.as_ref() == text))
    };
    let written = scope.text(object.span);
    let is_of_cards = WORDS.iter().any(|word| written.contains(word));
    (is_of_cards && is_text(0, ",") && is_text(1, "")).then_some(written)
}

/// The text of a mask, not split.
fn mask_itself(scope: &FileScope<'_>, counted: &Expr<'_>) -> Option<&'static str> {
    let reads = match &counted.kind {
        ExprKind::Item(pair) => scope.names.path(&pair.0) == Some("os.environ"),
        ExprKind::Call(call) => {
            matches!(scope.names.path(&call.callee), Some("os.environ.get" | "os.getenv"))
        }
        _ => false,
    };
    mask_in(scope, counted).filter(|_| reads)
}

/// `mask.split(",")`
fn is_split(scope: &FileScope<'_>, expr: &Expr<'_>) -> bool {
    match &scope.names.meant(expr).kind {
        ExprKind::Call(call) => matches!(&call.callee.kind, ExprKind::Attribute(_, "split")),
        _ => false,
    }
}

/// The mask that is split, where its default is a number.
fn split_of_number(scope: &FileScope<'_>, expr: &Expr<'_>) -> Option<&'static str> {
    let ExprKind::Call(call) = &expr.kind else { return None };
    let ExprKind::Attribute(object, "split" | "strip" | "replace") = &call.callee.kind else { return None };
    let read = scope.names.meant(object);
    let ExprKind::Call(read_call) = &read.kind else { return None };
    let mask = mask_itself(scope, read)?;
    let default = argument(&read_call.arguments, Some(1), Some("default"))?;
    let is_number = |expr: &Expr<'_>| matches!(expr.kind, ExprKind::Int(_) | ExprKind::Negate(_));
    is_number(scope.names.meant(default)).then_some(mask)
}

/// `${#CUDA_VISIBLE_DEVICES}`, which is no question whether there is a mask at all, and not halved as digits with their commas are.
fn in_shell(scope: &FileScope<'_>) -> Vec<RawFinding> {
    const ANY: &[&str] =
        &["-gt 0", "-ne 0", "-eq 0", "-ge 1", "-lt 1", "== 0", "= 0", "!= 0", "> 0", ">= 1", "< 1"];
    let mut found = Vec::new();
    for (span, line) in lines_in(scope.whole_text()) {
        if line.trim_start().starts_with('#') {
            continue;
        }
        for (at, form) in line.match_indices("${#CUDA_VISIBLE_DEVICES}") {
            let behind = line[at + form.len()..].trim_start_matches(['"', ')', ' ']);
            let asks_any = ANY.iter().any(|one| {
                behind.strip_prefix(one).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
            });
            if asks_any || behind.starts_with(['+', '/']) {
                continue;
            }
            let start = span.start as usize + at;
            let raw_finding = RawFinding::at(scope.place(Span::new(start, start + form.len())));
            let raw_finding = raw_finding.word("text", form).word("variable", "CUDA_VISIBLE_DEVICES");
            found.push(raw_finding.word("fault", "this counts its letters, commas included"));
        }
    }
    found
}
