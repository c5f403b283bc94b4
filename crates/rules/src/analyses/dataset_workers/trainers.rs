//! The loader that a Trainer of transformers makes of its arguments.

use super::{Loader, last_name};
use crate::code::{Call, ExprKind};
use crate::rules::files::FileScope;
use crate::rules::uses::argument;

/// How many workers it has.
pub const WORKERS: &str = "dataloader_num_workers";

/// `Trainer(model, TrainingArguments("out", dataloader_num_workers=4), data_collator=collate)`
pub fn loader(call: &Call<'_>, scope: &FileScope<'_>) -> Option<Loader> {
    let path = scope.names.path(&call.callee)?;
    if !path.starts_with("transformers.") || !path.ends_with("Trainer") {
        return None;
    }
    let given = argument(&call.arguments, Some(1), Some("args"))?;
    let ExprKind::Call(arguments) = &scope.names.meant(given).kind else { return None };
    let workers = argument(&arguments.arguments, None, Some(WORKERS))?;
    if !matches!(scope.names.meant(workers).kind, ExprKind::Int(count) if count > 0) {
        return None;
    }
    let class_of = |name: &str| {
        let value = scope.names.meant(argument(&call.arguments, None, Some(name))?);
        match &value.kind {
            ExprKind::Call(made) => last_name(&made.callee),
            _ => last_name(value),
        }
    };
    Some(Loader {
        place: scope.place(given.span),
        dataset: class_of("train_dataset"),
        made: Default::default(),
        collate: class_of("data_collator"),
        collate_method: None,
        collate_lambda: None,
        transforms: Vec::new(),
        transform_lambdas: Vec::new(),
    })
}
