//! What reaches CUDA through functions and classes of the project.

use super::cuda_calls::{fails_without_driver, reaches_cuda};
use super::memory::function_named;
use crate::code::walk::Ancestor;
use crate::code::{Call, Class, Expr, ExprKind, Function, ImportNames};
use crate::facts::{FileId, Place};
use crate::rules::files::FileScope;
use rustc_hash::FxHashSet;

/// Words of a function that asks whether there is a GPU, or has another way.
const ASKS: &[&str] =
    &["is_available", "device_count", "get_gpu_ids", "else \"cpu\"", "else 'cpu'", "else torch.device("];

/// So many calls are followed into each other.
const MOST_CALLS: usize = 4;

/// What is looked for behind a call.
#[derive(Clone, Copy)]
enum Sought {
    /// What may reach CUDA.
    Reach,
    /// What surely needs a GPU, in functions that do not ask for one.
    Need,
    /// Data that TensorFlow reads.
    Data,
}

/// Where CUDA is reached by calling something of the project, and what is called there.
pub(super) fn reached(call: &Call<'_>, scope: &FileScope<'_>) -> Option<(Place, String)> {
    reached_by(call, scope, 0, Sought::Reach)
}

/// Where a GPU is surely needed by calling something of the project.
pub(super) fn needed(call: &Call<'_>, scope: &FileScope<'_>) -> Option<Place> {
    reached_by(call, scope, 0, Sought::Need).map(|(place, _)| place)
}

/// Where data is read by `tf.data` by calling something of the project.
pub(super) fn reads_data(call: &Call<'_>, scope: &FileScope<'_>) -> Option<Place> {
    reached_by(call, scope, 0, Sought::Data).map(|(place, _)| place)
}

/// Where CUDA is reached by calling something of the project that lies in another file.
pub(super) fn reached_elsewhere(call: &Call<'_>, scope: &FileScope<'_>) -> Option<(Place, String)> {
    let (module, name) = named(call)?;
    let (file, name) = imported(scope, module, name)?;
    scope.in_other(file, |other| reached_in(name, other, 0, Sought::Reach))
}

/// The names that the imports of a file bind, wherever they stand.
pub(super) fn names_imported<'a>(scope: &FileScope<'a>) -> FxHashSet<&'a str> {
    let mut bound = FxHashSet::default();
    scope.each_import(&mut |import| match &import.names {
        ImportNames::Names(names) => bound.extend(names.iter().map(|one| one.bound)),
        ImportNames::Module(name) => bound.extend([name.unwrap_or(import.module)]),
        ImportNames::Star => {}
    });
    bound
}

/// Whether what a call names is one of the names that a file imports, or lies in one.
pub(super) fn may_lie_elsewhere(call: &Call<'_>, imports: &FxHashSet<&str>) -> bool {
    named(call).is_some_and(|(module, name)| imports.contains(module.unwrap_or(name)))
}

/// What an expression names: a function or class, and what stands before it, as the module in which it lies.
pub(super) fn module_and_name<'c>(callee: &Expr<'c>) -> Option<(Option<&'c str>, &'c str)> {
    match &callee.kind {
        ExprKind::Name(name) => Some((None, *name)),
        ExprKind::Attribute(object, name) => match object.kind {
            ExprKind::Name(module) => Some((Some(module), *name)),
            _ => None,
        },
        _ => None,
    }
}

/// The same for a call, which may call a method of the class that it stands in.
fn named<'c>(call: &Call<'c>) -> Option<(Option<&'c str>, &'c str)> {
    let (module, name) = module_and_name(&call.callee)?;
    Some((module.filter(|module| !matches!(*module, "self" | "cls")), name))
}

fn reached_by(
    call: &Call<'_>,
    scope: &FileScope<'_>,
    calls: usize,
    sought: Sought,
) -> Option<(Place, String)> {
    if calls >= MOST_CALLS {
        return None;
    }
    let (module, name) = named(call)?;
    let Some((file, name)) = imported(scope, module, name) else {
        return reached_in(name, scope, calls, sought).filter(|_| module.is_none());
    };
    scope.in_other(file, |other| reached_in(name, other, calls, sought))
}

/// The file of the project that an import takes a name from, and what the name is there: `from models import load`, and
/// `import models` for `models.load`.
pub(super) fn imported<'n>(
    scope: &FileScope<'n>,
    module: Option<&str>,
    name: &'n str,
) -> Option<(FileId, &'n str)> {
    let mut found = None;
    scope.each_import(&mut |import| {
        let behind = |name| scope.program.module_behind(scope.file, import, name);
        let from = match (&import.names, module) {
            (ImportNames::Names(names), None) => {
                names.iter().find(|one| one.bound == name).and_then(|one| Some((behind(None)?, one.name)))
            }
            (ImportNames::Names(names), Some(module)) => names
                .iter()
                .find(|one| one.bound == module)
                .and_then(|one| Some((behind(Some(one.name))?, name))),
            (ImportNames::Module(bound), Some(module)) if bound.unwrap_or(import.module) == module => {
                behind(None).map(|file| (file, name))
            }
            _ => None,
        };
        found = found.or(from);
    });
    found
}

/// What makes an object of a class of the file.
pub(super) fn constructor_of<'a>(scope: &FileScope<'a>, class: &Class<'_>) -> Option<&'a Function<'a>> {
    let mut functions = scope.code.functions.iter();
    functions.find(|function| function.name == "__init__" && class.span.holds(function.span))
}

/// Where a function of the file reaches CUDA, or what makes an object of a class of it.
fn reached_in(name: &str, scope: &FileScope<'_>, calls: usize, sought: Sought) -> Option<(Place, String)> {
    let class = scope.code.classes.iter().find(|class| class.name == name);
    let function = match class {
        Some(class) => constructor_of(scope, class),
        None => function_named(scope, name),
    }?;
    if matches!(sought, Sought::Need) && ASKS.iter().any(|word| scope.text(function.span).contains(word)) {
        return None;
    }
    let mut found = None;
    scope.each_call(&mut |expr, call, around| {
        let inner = around.iter().rev().find_map(|one| match one {
            Ancestor::Function(number) => Some(&scope.code.functions[*number]),
            _ => None,
        });
        if found.is_some() || !inner.is_some_and(|inner| std::ptr::eq(inner, function)) {
            return;
        }
        let here = match sought {
            Sought::Reach => reaches_cuda(expr, scope),
            Sought::Need if around.iter().any(may_be_left_out) => return,
            Sought::Need => fails_without_driver(expr, scope),
            Sought::Data => scope.names.path(&call.callee).filter(|path| is_data(path)).map(str::to_owned),
        };
        found = here
            .map(|name| (scope.place(expr.span), name))
            .or_else(|| reached_by(call, scope, calls + 1, sought));
    });
    found
}

/// Whether what stands there may not run, or may fail.
pub(super) fn may_be_left_out(around: &Ancestor<'_, '_>) -> bool {
    matches!(around, Ancestor::Then(_) | Ancestor::Otherwise(_) | Ancestor::Try(_) | Ancestor::Handler(..))
}

/// Whether a call makes the data of TensorFlow, also through SeqIO, which reads with `tf.data`.
pub(super) fn is_data(path: &str) -> bool {
    const OTHERS: &[&str] =
        &["seqio.get_dataset", "seqio.get_mixture_or_task().get_dataset", "tensorflow_datasets.load"];
    path.starts_with("tensorflow.data.") || OTHERS.contains(&path)
}
