//! Cards that a module of Lightning names by their number, where each of several processes has its own.

use super::memory::method_of;
use crate::code::walk::Ancestor;
use crate::code::{Call, Expr, ExprKind};
use crate::facts::{FileId, Place, Span};
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// `x.to("cuda:0")` in a `LightningModule`, and `Trainer(devices=2)` in the project.
pub(super) fn fixed_in_modules(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut named: Vec<Span> = Vec::new();
    scope.each_call(&mut |expr, call, around| {
        let in_module = around.iter().any(|one| {
            let Ancestor::Class(number) = one else { return false };
            let bases = &scope.code.classes[*number].bases;
            bases.iter().any(|base| scope.text(base.span).ends_with("LightningModule"))
        });
        if in_module {
            named.extend(card_in(scope, expr, call));
        }
    });
    named.sort();
    named.dedup();
    // `x.to(torch.device("cuda:0"))` is one.
    let inner = named.clone();
    named.retain(|span| !inner.iter().any(|other| other != span && span.holds(*other)));
    let Some(trainer) = (!named.is_empty()).then(|| trainer_of_several(scope)).flatten() else {
        return Vec::new();
    };
    let raw_finding = |span: Span| {
        let raw_finding = RawFinding::at(scope.place(span)).word("text", scope.text(span));
        raw_finding.beside(trainer, "several processes are started here")
    };
    named.into_iter().map(raw_finding).collect()
}

/// `x.to("cuda:0")`, `x.cuda(0)`, `torch.device("cuda:0")`, `torch.ones(3, device="cuda:0")`
fn card_in(scope: &FileScope<'_>, expr: &Expr<'_>, call: &Call<'_>) -> Option<Span> {
    let is_card = |given: &&Expr<'_>| match &scope.names.meant(given).kind {
        ExprKind::Text(text) => {
            text.strip_prefix("cuda:").is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
        }
        // `DEVICE = torch.device("cuda:0")` outside of the module
        ExprKind::Call(call) if scope.names.path(&call.callee) == Some("torch.device") => {
            argument(&call.arguments, Some(0), None)
                .is_some_and(|named| matches!(&named.kind, ExprKind::Text(text) if text.starts_with("cuda:")))
        }
        _ => false,
    };
    let path = scope.names.path(&call.callee).unwrap_or_default();
    if path == "torch.load" {
        return None;
    }
    let given = match method_of(expr) {
        Some((_, "to", _)) => argument(&call.arguments, Some(0), Some("device")).filter(is_card),
        Some((_, "cuda", _)) => argument(&call.arguments, Some(0), Some("device"))
            .filter(|given| matches!(given.kind, ExprKind::Int(_)) || is_card(given)),
        _ if path == "torch.device" => argument(&call.arguments, Some(0), None).filter(is_card),
        _ if path.starts_with("torch.") => argument(&call.arguments, None, Some("device")).filter(is_card),
        _ => None,
    };
    given.map(|_| expr.span)
}

/// A trainer of this file, or of one that imports it, which starts several processes on one machine.
fn trainer_of_several(scope: &FileScope<'_>) -> Option<Place> {
    let files = scope.program.files_with("Trainer(");
    let importers: Vec<_> = scope.program.importers(scope.file).into_iter().map(|one| one.file).collect();
    // Another program may have modules of its own.
    let may_train = |file: &&FileId| **file == scope.file || importers.contains(file);
    files.iter().filter(may_train).find_map(|file| {
        scope.in_other(*file, |other| {
            let mut found = None;
            other.each_call(&mut |expr, call, _| {
                let path = other.names.path(&call.callee).unwrap_or_default();
                if found.is_none() && path.contains("lightning") && path.ends_with(".Trainer") {
                    let devices = ["devices", "gpus"]
                        .iter()
                        .find_map(|name| argument(&call.arguments, None, Some(name)));
                    if devices.is_some_and(|devices| are_several(other.names.meant(devices))) {
                        found = Some(other.place(expr.span));
                    }
                }
            });
            found
        })
    })
}

/// `2`, `-1`, `"-1"`, `[0, 1]`
fn are_several(devices: &Expr<'_>) -> bool {
    match &devices.kind {
        ExprKind::Int(count) => *count > 1,
        ExprKind::Negate(_) => true,
        ExprKind::Text(text) => text == "-1",
        ExprKind::Sequence(listed) => listed.len() > 1,
        _ => false,
    }
}
