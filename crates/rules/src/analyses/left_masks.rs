//! Tests that set which GPUs are visible, and leave it set for those that come after them.

use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::code::{Expr, ExprKind, Function, Statement, StatementKind, Target};
use crate::program::Start;
use crate::rules::files::{FileScope, RawFinding};
use crate::sources::file_name_of;

const VARIABLES: &[&str] =
    &["CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"];

/// What puts an environment back, or takes a variable away again.
const RESTORES: &[&str] = &[
    "finally",
    "= os.environ",
    "=os.environ",
    "= dict(os.environ",
    ".pop(",
    "del os.environ",
    "environ.update",
    "environ.clear",
    "environ.copy",
    "addCleanup",
    "monkeypatch",
    "addfinalizer",
    "yield",
];

/// What does so for all tests of a file, or runs each in a process of its own.
const RESTORES_ALL: &[&str] =
    &["tearDown", "teardown_", "addCleanup", "autouse", "reload(", "_exit(", "Process(", "ProcessPool"];

/// `os.environ["CUDA_VISIBLE_DEVICES"] = "1"` in a test, which nothing takes back.
pub(super) fn left_by_tests(scope: &FileScope<'_>) -> Vec<RawFinding> {
    if scope.program.start_of(scope.file) != Some(Start::Tests) {
        return Vec::new();
    }
    let text = scope.whole_text();
    if RESTORES_ALL.iter().any(|word| text.contains(word)) || is_kept_apart(scope) {
        return Vec::new();
    }
    let mut found: Vec<(usize, RawFinding)> = Vec::new();
    walk(scope.code, &mut |part, around| {
        let CodeNode::Statement(step @ Statement { kind: StatementKind::Assign { targets, .. }, .. }) = part
        else {
            return;
        };
        let [Target::Item(item)] = &targets[..] else { return };
        let ExprKind::Text(variable) = &item.1.kind else { return };
        let is_variable = VARIABLES.contains(&&**variable);
        if !is_variable || scope.names.path(&item.0) != Some("os.environ") {
            return;
        }
        let in_class = |one: &Ancestor<'_, '_>| matches!(one, Ancestor::Class(_) | Ancestor::With(_));
        let mut functions = around.iter().filter_map(|one| match one {
            Ancestor::Function(number) => Some(*number),
            _ => None,
        });
        let (Some(number), None) = (functions.next(), functions.next()) else { return };
        let function = &scope.code.functions[number];
        let is_known = found.iter().any(|(known, _)| *known == number);
        if !is_known && !around.iter().any(in_class) && is_test(function, scope) {
            let raw_finding = RawFinding::at(scope.place(step.span)).word("variable", &**variable);
            found.push((number, raw_finding.word("test", function.name)));
        }
    });
    found.into_iter().map(|(_, raw_finding)| raw_finding).collect()
}

/// Whether pytest runs a function, and nothing in it, on it or among its arguments may put the environment back.
fn is_test(function: &Function<'_>, scope: &FileScope<'_>) -> bool {
    let text = scope.text(function.span);
    let is_restored = || RESTORES.iter().any(|word| text.contains(word));
    let restoring = ["env", "patch", "mask", "restore", "clean", "isolat"];
    let takes_one = || {
        function.parameters.iter().any(|one| {
            restoring.iter().any(|word| one.name.contains(word))
                && !is_given_by_mark(function, one.name, scope)
        })
    };
    function.name.starts_with("test") && !is_restored() && !takes_one() && !has_decorator(function, scope)
}

/// Whether a parameter stands in `@pytest.mark.parametrize("mask", …)`, and is no fixture.
fn is_given_by_mark(function: &Function<'_>, name: &str, scope: &FileScope<'_>) -> bool {
    let decorators = decorators_of(function, scope);
    decorators.iter().any(|one| {
        let text = scope.text(one.span);
        text.contains("parametrize") && text.contains(name)
    })
}

/// Whether a function has a decorator that is no mark of pytest: it may run the test elsewhere.
fn has_decorator(function: &Function<'_>, scope: &FileScope<'_>) -> bool {
    decorators_of(function, scope).into_iter().any(|one| {
        let text = scope.text(one.span);
        !(text.starts_with("pytest.mark.") || text.starts_with("mark."))
            || ["fork", "isolat", "process", "usefixtures"].iter().any(|word| text.contains(word))
    })
}

fn decorators_of<'c>(function: &Function<'_>, scope: &'c FileScope<'_>) -> Vec<&'c Expr<'c>> {
    let mut found = Vec::new();
    for step in &scope.code.body {
        if let StatementKind::Define { function: number, decorators } = &step.kind
            && scope.code.functions[*number].span == function.span
        {
            found.extend(decorators);
        }
    }
    found
}

/// Whether the project runs tests in processes of their own, or a `conftest.py` looks after the environment.
fn is_kept_apart(scope: &FileScope<'_>) -> bool {
    let is_conftest = |name: &str| file_name_of(name) == "conftest.py";
    scope.program.every_file().any(|(_, file)| {
        file.text.contains("--forked") || is_conftest(&file.name) && file.text.contains("environ")
    })
}
