//! Loaders that pin what their dataset hands out, where that lies on the GPU already.

use super::options::given;
use super::{Calls, LOADER, Loader, handed_out, loaders_where, methods_of, options, tensors_on_gpu, uses_in};
use crate::code::{Call, ExprKind};
use crate::facts::{FileId, Span};
use crate::rules::files::{FileScope, RawFinding};

/// `DataLoader(rows, pin_memory=True)` without workers, where the rows are tensors of the GPU. With workers that is another fault.
pub fn of_gpu_tensors(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut loaders = pinning(scope);
    for class in &scope.code.classes {
        let is_other = |file: &&FileId| **file != scope.file && scope.program.has_word(**file, class.name);
        let others: Vec<_> =
            scope.program.files_with(LOADER).iter().copied().filter(|file| is_other(&file)).collect();
        for other in others {
            if !loaders.iter().any(|loader| loader.place.file == other) {
                loaders.extend(scope.in_other(other, pinning));
            }
        }
    }
    let mut found: Vec<RawFinding> = Vec::new();
    let mut report = |uses: Vec<(Span, String)>, loader: &Loader| {
        let Some((span, name)) = uses.into_iter().min_by_key(|(span, _)| *span) else { return };
        let place = scope.place(span);
        if !found.iter().any(|known| known.place == place) {
            let raw_finding = RawFinding::at(place).word("use", name);
            found.push(raw_finding.beside(loader.place, "this loader pins it"));
        }
    };
    for class in &scope.code.classes {
        let Some(loader) = loaders.iter().find(|loader| loader.dataset.as_deref() == Some(class.name)) else {
            continue;
        };
        let reads = methods_of(class.name, scope, &|name| {
            matches!(name, "__getitem__" | "__getitems__" | "__iter__")
        });
        let comes_back = |number: &usize| {
            let text = scope.text(scope.code.functions[*number].span);
            [".cpu()", ".numpy()", "\"cpu\"", "'cpu'"].iter().any(|word| text.contains(word))
        };
        if reads.iter().any(comes_back) {
            continue;
        }
        let mut uses = handed_out(class.name, &reads, scope);
        uses.extend(reads.iter().flat_map(|number| uses_in(*number, class.name, scope, Calls::OfFile, 0)));
        report(uses, loader);
    }
    for (loader, made) in tensors_on_gpu(&loaders, scope) {
        report(vec![made], loader);
    }
    found
}

/// The loaders of a file that pin, and have no workers as far as it says.
fn pinning(scope: &FileScope<'_>) -> Vec<Loader> {
    loaders_where(scope, &|call| pins(scope, call) && !options::has_workers(scope, call))
}

fn pins<'c>(scope: &FileScope<'c>, call: &'c Call<'c>) -> bool {
    given(scope, call, Some(7), "pin_memory")
        .is_some_and(|value| matches!(scope.names.meant(value).kind, ExprKind::Bool(true)))
}
