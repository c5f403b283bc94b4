//! Pipelines of torchdata, which a reading service runs in processes of its own.

use super::{Loader, last_name};
use crate::code::{Call, ExprKind};
use crate::rules::files::FileScope;
use crate::rules::uses::argument;
use rustc_hash::FxHashSet;

/// `DataLoader2(pipe, reading_service=MultiProcessingReadingService(num_workers=2))`, with what the pipelines of its file apply to
/// batches: `.collate(f)`, `.map(f)`.
pub(super) fn loader<'c>(call: &'c Call<'c>, scope: &FileScope<'c>) -> Option<Loader> {
    let names = scope.names;
    let path = names.path(&call.callee)?;
    if !path.starts_with("torchdata.") || !path.ends_with(".DataLoader2") {
        return None;
    }
    let service = argument(&call.arguments, Some(2), Some("reading_service"))?;
    let ExprKind::Call(service) = &names.meant(service).kind else { return None };
    let is_several = names.path(&service.callee)?.ends_with("MultiProcessingReadingService");
    let count = argument(&service.arguments, Some(0), Some("num_workers"))?;
    if !is_several || matches!(names.meant(count).kind, ExprKind::Int(0)) {
        return None;
    }
    let mut transforms = Vec::new();
    scope.each_call(&mut |_, call, _| {
        if let ExprKind::Attribute(_, "collate" | "map") = call.callee.kind {
            let applied = argument(&call.arguments, Some(0), None);
            transforms.extend(applied.and_then(|applied| last_name(names.meant(applied))));
        }
    });
    Some(Loader {
        place: scope.place(call.callee.span),
        dataset: None,
        made: FxHashSet::default(),
        collate: None,
        collate_method: None,
        collate_lambda: None,
        transforms,
        transform_lambdas: Vec::new(),
    })
}
