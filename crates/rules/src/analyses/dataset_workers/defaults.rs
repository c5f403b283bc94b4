//! A default device that workers take over: they put the items together there.

use super::super::cuda_calls::names_gpu;
use super::{LOADER, Loader, loaders_in};
use crate::code::ExprKind;
use crate::code::walk::within_function;
use crate::facts::Span;
use crate::rules::files::FileScope;
use crate::rules::uses::argument;

/// A call that makes a GPU the default device of torch.
struct Default {
    span: Span,
    name: String,
    /// The function that makes it.
    function: Option<usize>,
}

/// A loader of a file that makes a GPU the default device of torch, or of one that has this file do so: where, and by which call.
pub(super) fn on_gpu(loaders: &[Loader], scope: &FileScope<'_>) -> Option<(Loader, (Span, String))> {
    // A fresh process has the default of torch again, unless its imports change it.
    if !scope.whole_text().contains("set_default_") || scope.whole_text().contains("spawn") {
        return None;
    }
    let own = loaders.iter().find(|loader| loader.place.file == scope.file).cloned();
    let default = default_of(scope)?;
    let loader = own.or_else(|| loader_of_importer(scope, &default))?;
    Some((loader, (default.span, default.name)))
}

/// The first such call, where nothing in the file changes it back.
fn default_of(scope: &FileScope<'_>) -> Option<Default> {
    let (mut first, mut is_changed_back) = (None, false);
    scope.each_call(&mut |expr, call, around| {
        let Some(given) = argument(&call.arguments, Some(0), None) else { return };
        let on_gpu = match scope.names.path(&call.callee) {
            Some("torch.set_default_device") => names_gpu(given, scope, 0),
            Some("torch.set_default_tensor_type") => match &scope.names.meant(given).kind {
                ExprKind::Text(text) => text.starts_with("torch.cuda."),
                _ => scope.names.path(given).is_some_and(|path| path.starts_with("torch.cuda.")),
            },
            _ => return,
        };
        is_changed_back |= !on_gpu;
        if on_gpu && first.is_none() {
            let function = within_function(around).0;
            let named = scope.names.path(&call.callee);
            first = named.map(|name| Default { span: expr.span, name: name.to_owned(), function });
        }
    });
    first.filter(|_| !is_changed_back)
}

/// A loader of a file that imports this one and calls the function, if it is one that makes the default.
fn loader_of_importer(scope: &FileScope<'_>, default: &Default) -> Option<Loader> {
    let name = default.function.map(|number| scope.code.functions[number].name);
    let importers = scope.program.importers(scope.file);
    importers.iter().find_map(|importer| {
        let other = importer.file;
        let text = &scope.program.sources.file(other).text;
        let calls = name.is_none_or(|name| text.contains(&format!("{name}(")));
        if !calls || !text.contains(LOADER) || text.contains("spawn") || text.contains("set_default_") {
            return None;
        }
        scope.in_other(other, loaders_in).into_iter().next()
    })
}
