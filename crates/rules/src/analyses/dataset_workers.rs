//! Code of datasets that the workers of a DataLoader run.

mod datapipes;
mod defaults;
mod files;
mod formats;
mod handed_out;
mod made_before;
mod makers;
mod options;
mod partials;
mod pinned;
mod trainers;
mod transforms;

use self::handed_out::handed_out;
pub(super) use self::options::given;
pub(super) use self::pinned::of_gpu_tensors as that_pin_gpu_tensors;
use super::cuda_calls::reaches_cuda;
use super::own_calls;
use crate::code::walk::{Ancestor, CodeNode, walk, walk_block};
use crate::code::{Call, Expr, ExprKind, StatementKind};
use crate::facts::{FileId, Place, Span};
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::LazyCell;

/// A DataLoader with workers.
#[derive(Clone)]
struct Loader {
    place: Place,
    /// The class of the dataset, where it can be told.
    dataset: Option<String>,
    /// Classes that the file makes objects of.
    made: FxHashSet<String>,
    /// The function or class that puts batches together.
    collate: Option<String>,
    /// The method of the object around it that does so.
    collate_method: Option<String>,
    collate_lambda: Option<usize>,
    /// The functions and classes that its dataset applies to each item, and the lambdas among them.
    transforms: Vec<String>,
    transform_lambdas: Vec<usize>,
}

impl Loader {
    /// Whether its workers surely run what has this name.
    fn names(&self, name: &String) -> bool {
        self.dataset.as_ref() == Some(name)
            || self.collate.as_ref() == Some(name)
            || self.transforms.contains(name)
    }
}

/// Which calls of a function are looked into.
#[derive(Clone, Copy)]
enum Calls<'a> {
    OfFile,
    /// Also of names that the file imports.
    OfProject(&'a FxHashSet<&'a str>),
}

/// Files that import this one and make loaders.
fn importing_with_loader(scope: &FileScope<'_>) -> Vec<FileId> {
    let importers = scope.program.importers(scope.file).into_iter().map(|one| one.file);
    importers.filter(|file| scope.program.has_word(*file, LOADER)).collect()
}

/// The name of the class, without which no file makes one.
const LOADER: &str = "DataLoader";

/// What a method of a dataset calls, and what that calls: further ones are not followed.
const MAX_HOPS: usize = 3;

/// Calls of CUDA in what a worker runs: `__getitem__` and `__iter__` of a dataset, and `collate_fn`.
pub(super) fn that_use_cuda(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let is_trained = scope.whole_text().contains(trainers::WORKERS);
    let mut loaders = match scope.whole_text().contains(LOADER) || is_trained {
        true => loaders_in(scope),
        false => Vec::new(),
    };
    let mut candidates: Vec<(String, Vec<usize>, bool)> = Vec::new();
    for class in &scope.code.classes {
        let is_dataset = class.bases.iter().any(|base| scope.text(base.span).ends_with("Dataset"));
        let methods = methods_of(class.name, scope, &|name| match name {
            "__getitem__" | "__getitems__" | "__iter__" | "__next__" => is_dataset,
            "__call__" => !is_dataset,
            _ => false,
        });
        candidates.push((class.name.to_owned(), methods, is_dataset));
    }
    for step in &scope.code.body {
        if let StatementKind::Define { function, .. } = &step.kind {
            candidates.push((scope.code.functions[*function].name.to_owned(), vec![*function], false));
        }
    }
    let mut found = Vec::new();
    let mut others_read: FxHashSet<u32> = FxHashSet::default();
    let importing = LazyCell::new(|| importing_with_loader(scope));
    let imports = LazyCell::new(|| own_calls::names_imported(scope));
    for (name, functions, is_dataset) in &candidates {
        let uses_with = |calls| -> Vec<(Span, String)> {
            functions.iter().flat_map(|function| uses_in(*function, name, scope, calls, 0)).collect()
        };
        let mut uses = uses_with(Calls::OfFile);
        // What other files do is looked at where a loader may run this.
        let is_run = || {
            loaders.iter().any(|loader| loader.names(name))
                || importing.iter().any(|other| scope.program.has_word(*other, name))
        };
        if uses.is_empty() && !functions.is_empty() && is_run() {
            uses = uses_with(Calls::OfProject(&imports));
        }
        let mut how = "runs in";
        if uses.is_empty() {
            uses = handed_out(name, functions, scope);
            how = "makes what is handed out by";
        }
        if uses.is_empty() {
            continue;
        }
        // No other file can make one.
        let others = scope.program.files_with(LOADER);
        let others = others.iter().copied().filter(|other| *other != scope.file);
        for other in others.filter(|other| scope.program.has_word(*other, name)) {
            let defines_its_own = {
                let code = scope.program.code(other);
                code.classes.iter().any(|class| class.name == name)
                    || code.functions.iter().any(|function| function.name == name)
            };
            if !defines_its_own && others_read.insert(other.0) {
                loaders.extend(scope.in_other(other, loaders_in));
            }
        }
        let surely = |loader: &&Loader| loader.names(name);
        let perhaps =
            |loader: &&Loader| *is_dataset && loader.dataset.is_none() && loader.made.contains(name);
        let sure = loaders.iter().find(surely);
        if let Some(loader) = sure.or_else(|| loaders.iter().find(perhaps)) {
            report(&uses, how, loader, sure.is_some(), scope, &mut found);
        }
    }
    let made = tensors_on_gpu(&loaders, scope).into_iter().chain(formats::on_gpu(&loaders, scope));
    for (loader, made) in made {
        report(&[made], "makes what is handed out by", loader, true, scope, &mut found);
    }
    if let Some((loader, made)) = defaults::on_gpu(&loaders, scope) {
        report(&[made], "decides where tensors are made in", &loader, true, scope, &mut found);
    }
    for (loader, made) in partials::on_gpu(&loaders, scope) {
        report(&[made], "runs in", loader, true, scope, &mut found);
    }
    // Loaders of other files that a method puts batches together for.
    let others = scope.program.files_with("collate_fn=");
    let others = others.iter().filter(|other| **other != scope.file && others_read.insert(other.0));
    let has_collate = scope.code.functions.iter().any(|function| function.name.contains("collate"));
    for other in others.filter(|_| has_collate) {
        let here = scope.in_other(*other, loaders_in);
        loaders.extend(here.into_iter().filter(|loader| {
            loader.collate_method.as_ref().is_some_and(|name| name.contains("collate"))
                && loader.made.iter().any(|made| scope.code.classes.iter().any(|class| class.name == *made))
        }));
    }
    for loader in &loaders {
        let Some(method) = &loader.collate_method else { continue };
        for class in &scope.code.classes {
            for function in methods_of(class.name, scope, &|name| name == method) {
                report(
                    &uses_in(function, class.name, scope, Calls::OfProject(&imports), 0),
                    "runs in",
                    loader,
                    true,
                    scope,
                    &mut found,
                );
            }
        }
    }
    for loader in &loaders {
        let lambdas = loader.collate_lambda.iter().chain(&loader.transform_lambdas);
        for lambda in lambdas.filter(|_| loader.place.file == scope.file) {
            report(
                &uses_in(*lambda, "", scope, Calls::OfProject(&imports), 0),
                "runs in",
                loader,
                true,
                scope,
                &mut found,
            );
        }
    }
    found
}

fn report(
    uses: &[(Span, String)],
    how: &str,
    loader: &Loader,
    sure: bool,
    scope: &FileScope<'_>,
    found: &mut Vec<RawFinding>,
) {
    // The first says it; the others are the same fault.
    let Some((span, name)) = uses.iter().min_by_key(|(span, _)| *span) else { return };
    let place = scope.place(*span);
    if found.iter().any(|known| known.place == place) {
        return;
    }
    let raw_finding =
        RawFinding::at(place).word("use", name).word("how", how).beside(loader.place, "its workers run it");
    found.push(if sure { raw_finding } else { raw_finding.unsure() });
}

/// The methods of a class with these names.
fn methods_of(class: &str, scope: &FileScope<'_>, wanted: &dyn Fn(&str) -> bool) -> Vec<usize> {
    let Some(class) = scope.code.classes.iter().find(|one| one.name == class) else { return Vec::new() };
    let defined = class.body.iter().filter_map(|step| match &step.kind {
        StatementKind::Define { function, .. } => Some(*function),
        _ => None,
    });
    defined.filter(|function| wanted(scope.code.functions[*function].name)).collect()
}

/// The calls of CUDA in a function, and in the methods and functions of the file that it calls.
fn uses_in(
    function: usize,
    class: &str,
    scope: &FileScope<'_>,
    calls: Calls<'_>,
    hops: usize,
) -> Vec<(Span, String)> {
    let mut uses = Vec::new();
    let mut called = Vec::new();
    walk_block(scope.code, &scope.code.functions[function].body, &mut |part, around| {
        let CodeNode::Expr(expr) = part else { return };
        if around.iter().any(|one| is_main_process_only(one, scope)) {
            return;
        }
        if let Some(name) = reaches_cuda(expr, scope).or_else(|| files::brought_back(expr, scope)) {
            uses.push((expr.span, name));
        }
        let ExprKind::Call(call) = &expr.kind else { return };
        if let Calls::OfProject(imports) = calls
            && uses.last().is_none_or(|(span, _)| *span != expr.span)
        {
            let elsewhere = || {
                let may_lie = own_calls::may_lie_elsewhere(call, imports);
                let reached = may_lie.then(|| own_calls::reached_elsewhere(call, scope)).flatten();
                let reached =
                    reached.filter(|(place, name)| !made_before::is_made_before(*place, name, scope));
                reached.map(|(_, name)| name)
            };
            let name = makers::moved(call, scope).or_else(elsewhere);
            let name = name.or_else(|| makers::by_held_object(call, scope));
            uses.extend(name.map(|name| (expr.span, name)));
        }
        match &call.callee.kind {
            ExprKind::Attribute(object, method) if matches!(object.kind, ExprKind::Name("self")) => {
                called.extend(methods_of(class, scope, &|name| name == *method));
            }
            ExprKind::Name(name) => {
                let defined = scope.code.body.iter().filter_map(|step| match &step.kind {
                    StatementKind::Define { function, .. } => Some(*function),
                    _ => None,
                });
                called.extend(defined.filter(|one| scope.code.functions[*one].name == *name));
            }
            _ => {}
        }
    });
    if hops < MAX_HOPS {
        called.retain(|one| *one != function);
        uses.extend(called.into_iter().flat_map(|one| uses_in(one, class, scope, calls, hops + 1)));
    }
    uses
}

/// `if torch.utils.data.get_worker_info() is None:`
fn is_main_process_only(around: &Ancestor<'_, '_>, scope: &FileScope<'_>) -> bool {
    matches!(around, Ancestor::Then(test) | Ancestor::Otherwise(test) if scope.text(test.span).contains("worker"))
}

/// The loaders of a file that have workers.
fn loaders_in(scope: &FileScope<'_>) -> Vec<Loader> {
    loaders_where(scope, &|call| options::has_workers(scope, call))
}

/// The loaders of a file of which something holds.
fn loaders_where<'c>(scope: &FileScope<'c>, holds: &dyn Fn(&'c Call<'c>) -> bool) -> Vec<Loader> {
    let (code, names) = (scope.code, scope.names);
    let mut loaders = Vec::new();
    let mut made = FxHashSet::default();
    walk(code, &mut |part, _| {
        let CodeNode::Expr(expr) = part else { return };
        let ExprKind::Call(call) = &expr.kind else { return };
        made.extend(last_name(&call.callee));
        if let Some(loader) = datapipes::loader(call, scope) {
            return loaders.push(loader);
        }
        if let Some(loader) = trainers::loader(call, scope) {
            return loaders.push(loader);
        }
        let is_loader = names.path(&call.callee).is_some_and(|path| {
            path.ends_with(".DataLoader")
                && (path.starts_with("torch.") || path.starts_with("torch_geometric."))
        });
        if !is_loader || !holds(call) {
            return;
        }
        let class_of = |expr: &Expr<'_>| match &names.meant(expr).kind {
            ExprKind::Call(call) => last_name(&call.callee),
            _ => None,
        };
        let collate = options::given(scope, call, Some(6), "collate_fn");
        let function = collate.and_then(|given| match &names.meant(given).kind {
            ExprKind::Name(name) => Some((*name).to_owned()),
            ExprKind::Call(call) => {
                let partial = names.path(&call.callee) == Some("functools.partial");
                let first = call.arguments.first().filter(|_| partial);
                first.map_or_else(|| last_name(&call.callee), |first| last_name(&first.value))
            }
            _ => None,
        });
        let method = collate.and_then(|given| match &given.kind {
            // `self.collate`, and `data.collate` of an object of the project.
            ExprKind::Attribute(object, name) => {
                let is_own = matches!(object.kind, ExprKind::Name(_)) && names.path(given).is_none();
                is_own.then(|| (*name).to_owned())
            }
            _ => None,
        });
        let lambda = collate.and_then(|given| match names.meant(given).kind {
            ExprKind::Lambda(number) => Some(number),
            _ => None,
        });
        let dataset = options::given(scope, call, Some(0), "dataset");
        let (mut transforms, transform_lambdas) =
            dataset.map_or_else(Default::default, |dataset| transforms::of(code, names, dataset));
        // What each worker begins with.
        let first = options::given(scope, call, Some(10), "worker_init_fn");
        transforms.extend(first.and_then(|first| last_name(names.meant(first))));
        loaders.push(Loader {
            place: scope.place(expr.span),
            dataset: dataset.and_then(class_of),
            transforms,
            transform_lambdas,
            made: FxHashSet::default(),
            collate: function,
            collate_method: method,
            collate_lambda: lambda,
        });
    });
    for loader in &mut loaders {
        // `random_split(dataset, …)` and their like hold a dataset that has been made in the file.
        let is_wrapper = loader.dataset.as_deref().is_some_and(|name| {
            matches!(name, "Subset" | "random_split" | "ConcatDataset" | "build_dataset" | "get_dataset")
        });
        if is_wrapper {
            loader.dataset = None;
        }
        loader.made.clone_from(&made);
    }
    loaders
}

/// `TensorDataset(torch.ones(4, device="cuda"))` in loaders of this file: where the first such tensor is made, and by what.
fn tensors_on_gpu<'l>(loaders: &'l [Loader], scope: &FileScope<'_>) -> Vec<(&'l Loader, (Span, String))> {
    let of_tensors = loaders.iter().filter(|loader| {
        loader.dataset.as_deref() == Some("TensorDataset") && loader.place.file == scope.file
    });
    let of_tensors: FxHashMap<Span, &Loader> = of_tensors.map(|loader| (loader.place.span, loader)).collect();
    let mut found = Vec::new();
    if of_tensors.is_empty() {
        return found;
    }
    scope.each_call(&mut |expr, call, _| {
        let Some(loader) = of_tensors.get(&expr.span) else { return };
        let mut first = None;
        let dataset = argument(&call.arguments, Some(0), Some("dataset"));
        let Some(ExprKind::Call(dataset)) = dataset.map(|dataset| &scope.names.meant(dataset).kind) else {
            return;
        };
        for tensor in &dataset.arguments {
            let mut made = scope.names.meant(&tensor.value);
            // `torch.arange(4, device="cuda").view(2, 2)`
            while let ExprKind::Call(call) = &made.kind {
                let on_cpu = matches!(call.callee.kind, ExprKind::Attribute(_, "cpu" | "to" | "numpy"));
                if let Some(name) = reaches_cuda(made, scope) {
                    first.get_or_insert((made.span, name));
                }
                match &call.callee.kind {
                    ExprKind::Attribute(object, _) if !on_cpu => made = object,
                    _ => break,
                }
            }
        }
        found.extend(first.map(|made| (*loader, made)));
    });
    found
}

fn last_name(expr: &Expr<'_>) -> Option<String> {
    match &expr.kind {
        ExprKind::Name(name) | ExprKind::Attribute(_, name) => Some((*name).to_owned()),
        _ => None,
    }
}
