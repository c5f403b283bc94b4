//! Tests that ask whether a GPU is there, or is meant.

use super::analyses::hard_cuda;
use crate::code::walk::{Ancestor, CodeNode, functions_around, walk, within_function};
use crate::code::{Block, Comparison, Expr, ExprKind, Statement, StatementKind};
use crate::facts::{FileId, Span};
use crate::rules::files::FileScope;

/// Whether a file has an answer for both, with a GPU and without one: some test of it asks.
pub(super) fn are_asked(scope: &FileScope<'_>) -> bool {
    let mut asked = false;
    walk(scope.code, &mut |part, _| {
        let test = match part {
            CodeNode::Statement(step) => match &step.kind {
                StatementKind::Branch { test, .. } => test,
                _ => return,
            },
            CodeNode::Expr(Expr { kind: ExprKind::Choice(parts), .. }) => &parts.0,
            _ => return,
        };
        asked = asked || !asks_for_amount(test) && says_gpu(test, scope).is_some();
    });
    asked
}

/// Whether the file chooses between a GPU and the CPU by what there is: `"cuda" if torch.cuda.is_available() else "cpu"`.
pub(super) fn choose_cpu(scope: &FileScope<'_>) -> bool {
    let says = |span, word: &str| scope.text(span).contains(word);
    let mut chooses = false;
    walk(scope.code, &mut |part, _| match part {
        CodeNode::Expr(Expr { kind: ExprKind::Choice(parts), .. }) => {
            let of_both =
                |one: &Expr<'_>, other: &Expr<'_>| says(one.span, "cuda") && says(other.span, "cpu");
            let arms = of_both(&parts.1, &parts.2) || of_both(&parts.2, &parts.1);
            chooses |= arms && asks_what_is_there(&parts.0, scope);
        }
        CodeNode::Statement(Statement { kind: StatementKind::Branch { test, then, otherwise }, .. }) => {
            let assigns = |block: &Block<'_>, word: &str| {
                block.iter().any(|step| {
                    matches!(step.kind, StatementKind::Assign { .. })
                        && says(step.span, "device")
                        && says(step.span, word)
                })
            };
            let arms = assigns(then, "cuda") && assigns(otherwise, "cpu")
                || assigns(then, "cpu") && assigns(otherwise, "cuda");
            chooses |= arms && asks_what_is_there(test, scope);
        }
        _ => {}
    });
    chooses
}

/// `torch.cuda.is_available()`, also under a name and together with a switch: `use = wanted and torch.cuda.is_available()`.
fn asks_what_is_there(test: &Expr<'_>, scope: &FileScope<'_>) -> bool {
    scope.text(scope.names.meant(test).span).contains("is_available")
}

/// Whether the file moves something to a device that it does not name itself, and it or a file that it is tied to by imports
/// lets the CPU be chosen.
pub(super) fn are_answered_elsewhere(scope: &FileScope<'_>) -> bool {
    moves_to_chosen(scope)
        && (offers_cpu(scope)
            || tied_files(scope).into_iter().any(|file| {
                scope.in_other(file, |other| {
                    offers_cpu(other) || are_asked(other) && other.whole_text().contains("cpu")
                })
            }))
}

/// Whether the file moves something to a device that one of its functions is handed, and that is the CPU unless somebody says another one:
/// `def __init__(self, device="cpu")`.
pub(super) fn takes_cpu_by_default(scope: &FileScope<'_>) -> bool {
    let is_cpu = |default: &Expr<'_>| matches!(&default.kind, ExprKind::Text(text) if text == "cpu");
    let mut parameters = scope.code.functions.iter().flat_map(|function| &function.parameters);
    let by_default =
        parameters.any(|one| one.name.contains("device") && one.default.as_ref().is_some_and(is_cpu));
    by_default && !scope.program.is_of_tests(scope.file) && moves_to_chosen(scope)
}

/// Whether what a call gives has a name, by which it is moved: `net = torch.load(path)`, `net.to(device)`.
pub(super) fn is_moved(scope: &FileScope<'_>, call: Span) -> bool {
    let before = &scope.whole_text()[..call.range().start];
    let line = before.rsplit('\n').next().unwrap_or_default();
    let Some(name) = line.trim().strip_suffix('=').map(str::trim_end) else { return false };
    let is_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.');
    let moves = |name: &str| scope.whole_text().contains(&format!("{name}.to("));
    !name.is_empty() && name.chars().all(is_name) && moves(name)
}

/// `model.to(device)`, `model.to(self.config.device)`
fn moves_to_chosen(scope: &FileScope<'_>) -> bool {
    let mut moves = false;
    scope.each_call(&mut |_, call, _| {
        let given = match &call.callee.kind {
            ExprKind::Attribute(_, "to") => call.arguments.first().map(|first| &first.value),
            _ => None,
        };
        moves |= given.is_some_and(|given| {
            let (ExprKind::Name(name) | ExprKind::Attribute(_, name)) = given.kind else { return false };
            name.contains("device")
                && matches!(scope.names.meant(given).kind, ExprKind::Name(_) | ExprKind::Attribute(..))
        });
    });
    moves
}

/// An option for the device that names the CPU: `add_argument("--device", choices=["cpu", "cuda"])`.
fn offers_cpu(scope: &FileScope<'_>) -> bool {
    let mut offers = false;
    scope.each_call(&mut |expr, call, _| {
        let (ExprKind::Attribute(_, name) | ExprKind::Name(name)) = call.callee.kind else { return };
        let is_option = matches!(name, "add_argument" | "option" | "Option" | "Argument");
        let is_device = |text: &str| text.contains("device");
        offers |= is_option
            && call.arguments.iter().any(
                |one| matches!(&one.value.kind, ExprKind::Text(text) if one.name.is_none() && is_device(text)),
            )
            && scope.text(expr.span).split(|letter: char| !letter.is_alphanumeric()).any(|word| word == "cpu");
    });
    offers
}

/// Whether a file that this one is tied to by imports joins a group of processes, each of which has its own card: a program
/// that never names CUDA has none.
pub(super) fn join_a_group(scope: &FileScope<'_>) -> bool {
    const JOINS: &[&str] = &["init_process_group(", "DistributedDataParallel("];
    let joins = |file: FileId| {
        let text = &scope.program.sources.file(file).text;
        JOINS.iter().any(|join| text.contains(join))
    };
    let names_cuda = |file: FileId| {
        let text = &scope.program.sources.file(file).text;
        ["cuda", "nccl"].iter().any(|word| text.contains(word))
    };
    let mut files = tied_files(scope);
    files.push(scope.file);
    // The program may lie one import further away.
    let importers = scope.program.importers(scope.file).into_iter().map(|one| one.file);
    let further: Vec<FileId> =
        importers.flat_map(|file| scope.program.importers(file)).map(|one| one.file).collect();
    if !files.iter().chain(&further).any(|file| joins(*file)) {
        return false;
    }
    files.into_iter().chain(further).any(names_cuda)
}

/// The files in Python that this one imports, those that import it, and what these import: the programs that it is a part of.
pub(super) fn tied_files(scope: &FileScope<'_>) -> Vec<FileId> {
    let program = scope.program;
    let mut tied = program.files_imported(scope.file);
    for importer in program.importers(scope.file) {
        tied.push(importer.file);
        tied.extend(program.files_imported(importer.file));
    }
    tied.sort_unstable();
    tied.dedup();
    tied.retain(|file| *file != scope.file);
    tied
}

/// Whether a function, or the module around all of them, moves something to the GPU whatever a test says: who comes there has one.
pub(super) fn needs_gpu(scope: &FileScope<'_>, function: Option<usize>) -> bool {
    let mut needs = false;
    scope.each_call(&mut |_, call, around| {
        let is_move = matches!(call.callee.kind, ExprKind::Attribute(_, "cuda"));
        let is_there = functions_around(around).next_back() == function;
        let is_asked = |one: &Ancestor<'_, '_>| match one {
            Ancestor::Then(test) | Ancestor::Otherwise(test) => says_gpu(test, scope).is_some(),
            _ => false,
        };
        needs |= is_move && is_there && !around.iter().any(is_asked);
    });
    needs
}

/// Whether a function calls `.cuda()` or `.to("cuda")`, and nothing around the call or before it may leave it out; or the
/// script calls `torch.cuda.set_device(…)` in that way, which ends it where there is no GPU.
pub(super) fn surely_needs_gpu(scope: &FileScope<'_>, function: Option<usize>) -> bool {
    let mut needs = false;
    scope.each_call(&mut |expr, call, around| {
        let (inner, within) = within_function(around);
        let is_sure = |one: &Ancestor<'_, '_>| match one {
            Ancestor::Then(test) => scope.text(test.span).contains("__name__"),
            Ancestor::Otherwise(_) | Ancestor::Loop(_) | Ancestor::Try(_) | Ancestor::Handler(..) => false,
            _ => true,
        };
        let chooses = || inner.is_none() && scope.names.path(&call.callee) == Some("torch.cuda.set_device");
        let moves = match call.callee.kind {
            ExprKind::Attribute(_, "cuda") => true,
            ExprKind::Attribute(_, "to") => call.arguments.first().is_some_and(|first| {
                matches!(&scope.names.meant(&first.value).kind, ExprKind::Text(text) if text.starts_with("cuda"))
            }),
            _ => false,
        };
        needs |= (moves && inner == function || chooses())
            && within.iter().all(is_sure)
            && !hard_cuda::is_asked(around, expr.span, scope);
    });
    needs
}

/// `if multi_gpu`, `if n_gpu`, `if gpu_id`: how many, or which.
fn asks_for_amount(test: &Expr<'_>) -> bool {
    let (ExprKind::Name(name) | ExprKind::Attribute(_, name)) = &test.kind else { return false };
    let others = ["multi", "n", "num", "count", "id", "ids", "all", "index", "number"];
    name.to_ascii_lowercase().split('_').any(|word| others.contains(&word))
}

/// Whether this arm runs where a test found a GPU, and does not run where it found none.
pub(super) fn finds_gpu(around: &Ancestor<'_, '_>, scope: &FileScope<'_>) -> bool {
    match around {
        Ancestor::Then(test) => says_gpu(test, scope) == Some(true),
        Ancestor::Otherwise(test) => says_gpu(test, scope) == Some(false),
        _ => false,
    }
}

/// Whether the program, or the function around a place, has ended above it where there is no GPU: `assert torch.cuda.is_available()`.
pub(super) fn ended_without(around: &[Ancestor<'_, '_>], at: Span, scope: &FileScope<'_>) -> bool {
    let inside = within_function(around).0.map(|number| &scope.code.functions[number].body);
    let blocks = [Some(&scope.code.body), inside];
    let asserts = |step: &Statement<'_>| match &step.kind {
        StatementKind::Assert { test, .. } => says_gpu(test, scope) == Some(true),
        _ => false,
    };
    let finds_none = |test: &Expr<'_>| says_gpu(test, scope) == Some(false);
    blocks.into_iter().flatten().any(|block| {
        block.iter().take_while(|step| step.span.end <= at.start).any(asserts)
            || hard_cuda::leaves_before(block, at, scope, &finds_none)
    })
}

/// What a test that holds says about the GPU: it is there, or the CPU is meant. `if device == "cuda"` has an answer for both,
/// and so has `if use_cuda`.
fn says_gpu(test: &Expr<'_>, scope: &FileScope<'_>) -> Option<bool> {
    let words = |name: &str| name.split('_').any(|word| matches!(word, "cuda" | "gpu"));
    let named = |expr: &Expr<'_>| match &expr.kind {
        ExprKind::Text(text) if text.starts_with("cuda") || text.starts_with("gpu") => Some(true),
        ExprKind::Text(text) if text == "cpu" => Some(false),
        _ => None,
    };
    let by_name = match &test.kind {
        ExprKind::Name(name) | ExprKind::Attribute(_, name) => words(name) && !name.starts_with("no"),
        _ => false,
    };
    match &scope.names.meant(test).kind {
        ExprKind::Call(call) => {
            let asks = ["torch.cuda.is_available", "torch.accelerator.is_available"];
            scope.names.path(&call.callee).filter(|name| asks.contains(name)).map(|_| true)
        }
        ExprKind::Not(inner) => says_gpu(inner, scope).map(|says| !says),
        ExprKind::All(parts) => parts.iter().any(|part| says_gpu(part, scope) == Some(true)).then_some(true),
        ExprKind::Compare(operator, sides) => {
            let is_same = match operator {
                Comparison::Equal | Comparison::In => true,
                Comparison::NotEqual | Comparison::NotIn => false,
                _ => return None,
            };
            named(&sides.0).or_else(|| named(&sides.1)).map(|says| says == is_same)
        }
        _ => by_name.then_some(true),
    }
}

/// Whether the project says somewhere where the tensors go that it loads; of tests nobody minds.
pub(super) fn maps_elsewhere(scope: &FileScope<'_>) -> bool {
    let counts = |file: FileId| !scope.program.is_of_tests(file);
    counts(scope.file) && scope.program.files_with("map_location=").iter().any(|&file| counts(file))
}
