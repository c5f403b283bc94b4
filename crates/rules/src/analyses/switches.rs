//! Options of a command line that turn a GPU on or off, and that any text turns on: `type=bool`.

use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::code::{Call, Expr, ExprKind, Statement, StatementKind};
use crate::findings::Severity;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::forks::span_of;
use crate::rules::uses::argument;

/// Words of which one is a part of the option's name.
const SUBJECTS: &[&str] = &["gpu", "gpus", "cuda", "cpu", "multigpu"];

/// `parser.add_argument("--use_gpu", type=bool, default=True)`
pub(super) fn that_any_text_turns_on(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    // `parser.register("type", bool, read_switch)`, and a parser that reads a bool as people mean it.
    if text.contains(".register(") || text.contains("jsonargparse") {
        return Vec::new();
    }
    let mut found = Vec::new();
    walk(scope.code, &mut |part, around| {
        let CodeNode::Expr(expr) = part else { return };
        found.extend(variable_as_switch(scope, expr, around));
        found.extend(device_as_switch(scope, expr, around));
        let ExprKind::Call(call) = &expr.kind else { return };
        let Some(flag) = switch(call) else { return };
        let Some(kind) = argument(&call.arguments, None, Some("type")) else { return };
        if scope.names.path(kind) != Some("builtins.bool") {
            return;
        }
        let default =
            argument(&call.arguments, None, Some("default")).map(|one| &scope.names.meant(one).kind);
        let raw_finding = of_text(RawFinding::at(scope.place(kind.span)).word("name", flag));
        let raw_finding = raw_finding.word("value", " False");
        // Without a default that is on, the option has a use: `--use_gpu True`.
        let is_on = matches!(default, Some(ExprKind::Bool(true) | ExprKind::Int(1)));
        found.push(match is_on || is_told_off(scope, flag) {
            true => raw_finding,
            false => raw_finding.at_most(Severity::Note),
        });
    });
    found
}

/// `bool(os.environ.get("USE_GPU", "0"))`, and `if os.getenv("USE_GPU", "false"):`, whose default is taken as true as well.
fn variable_as_switch(
    scope: &FileScope<'_>,
    expr: &Expr<'_>,
    around: &[Ancestor<'_, '_>],
) -> Option<RawFinding> {
    let ExprKind::Call(call) = &expr.kind else { return None };
    let read = match scope.names.path(&call.callee)? {
        "builtins.bool" => match &call.arguments.as_slice() {
            [only] => match &only.value.kind {
                ExprKind::Call(read) => read,
                _ => return None,
            },
            _ => return None,
        },
        _ if is_test(around, expr) => call,
        _ => return None,
    };
    let is_read = matches!(scope.names.path(&read.callee), Some("os.environ.get" | "os.getenv"));
    let [name, default] = read.arguments.as_slice() else { return None };
    let (ExprKind::Text(name), ExprKind::Text(default)) = (&name.value.kind, &default.value.kind) else {
        return None;
    };
    let mut words = name.split('_').map(str::to_ascii_lowercase);
    let is_of_gpu = is_read && words.any(|word| SUBJECTS.contains(&word.as_str()));
    let says_no = matches!(&*default.to_ascii_lowercase(), "0" | "false" | "no" | "off");
    (is_of_gpu && says_no).then(|| {
        let raw_finding = RawFinding::at(scope.place(expr.span)).word("name", format!("{name}={default}"));
        of_text(raw_finding).word("value", "")
    })
}

/// What is said of a text that is taken for a switch.
fn of_text(raw_finding: RawFinding) -> RawFinding {
    let raw_finding = raw_finding.word("because", "`bool` of any text but the empty one is");
    raw_finding.word(
        "write",
        "write `action=argparse.BooleanOptionalAction`, or `action=\"store_true\"` for an option that turns something on",
    )
}

/// `if self.device:` around what needs a GPU, of a `torch.device`, which is true whatever it names.
fn device_as_switch(
    scope: &FileScope<'_>,
    expr: &Expr<'_>,
    around: &[Ancestor<'_, '_>],
) -> Option<RawFinding> {
    let Some(Ancestor::Test(Statement { kind: StatementKind::Branch { test, then, .. }, .. })) =
        around.last()
    else {
        return None;
    };
    let is_named = matches!(expr.kind, ExprKind::Name(_) | ExprKind::Attribute(..)) && test.span == expr.span;
    let ExprKind::Call(made) = &scope.names.meant(expr).kind else { return None };
    let inside = scope.text(span_of(then)?);
    let needs_gpu = [".cuda(", "to(\"cuda", "to('cuda"].iter().any(|word| inside.contains(word));
    let is_device = scope.names.path(&made.callee) == Some("torch.device");
    (is_named && needs_gpu && is_device).then(|| {
        let raw_finding = RawFinding::at(scope.place(expr.span)).word("name", scope.text(expr.span));
        let raw_finding =
            raw_finding.word("value", "").word("because", "every `torch.device` is, that of the CPU too");
        raw_finding.word("write", format!("ask `{}.type == \"cuda\"`", scope.text(expr.span)))
    })
}

/// `if EXPR:`, where nothing else is asked.
fn is_test(around: &[Ancestor<'_, '_>], expr: &Expr<'_>) -> bool {
    let Some(Ancestor::Test(step)) = around.last() else { return false };
    matches!(&step.kind, StatementKind::Branch { test, .. } if test.span == expr.span)
}

/// The flag of an option that is named after a GPU: `--use_gpu`.
fn switch<'c>(call: &'c Call<'_>) -> Option<&'c str> {
    let ExprKind::Attribute(_, "add_argument") = &call.callee.kind else { return None };
    let mut flags = call.arguments.iter().filter(|one| one.name.is_none() && !one.unpacked);
    flags.find_map(|one| match &one.value.kind {
        ExprKind::Text(flag) if is_long(flag) => {
            let mut parts = flag.split(['-', '_']);
            parts.any(|part| SUBJECTS.contains(&part.to_ascii_lowercase().as_str())).then_some(flag.as_ref())
        }
        _ => None,
    })
}

/// `--use_gpu`, or `-gpu`.
fn is_long(flag: &str) -> bool {
    flag.starts_with('-') && flag.len() > 2
}

/// Whether a file of the project says `--use_gpu False`.
fn is_told_off(scope: &FileScope<'_>, flag: &str) -> bool {
    let told = ["False", "false", "0", "no"].map(|word| [format!("{flag} {word}"), format!("{flag}={word}")]);
    told.iter()
        .flatten()
        .any(|words| scope.program.every_file().any(|(_, file)| file.text.contains(words.as_str())))
}

/// Words of a name that say that the option turns something off.
const NEGATIONS: &[&str] =
    &["no", "non", "not", "off", "disable", "disabled", "without", "skip", "ignore", "cpu", "avoid", "un"];

/// Words that may stand beside the GPU in the name of an option that turns it on.
const USES: &[&str] = &["use", "using", "with", "enable", "on", "is", "run", "flag", "multi", "available"];

/// `parser.add_argument("--cuda", action="store_false")`
pub(super) fn that_turn_it_off(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    scope.each_call(&mut |_, call, _| {
        let Some(flag) = switch(call) else { return };
        let Some(action) = argument(&call.arguments, None, Some("action")) else { return };
        let is_given = |name: &str| argument(&call.arguments, None, Some(name)).map(|one| &one.kind);
        let is_off = matches!(&action.kind, ExprKind::Text(text) if text == "store_false");
        // `dest="no_cuda"` is another thing, and a default that is off leaves nothing to turn off.
        let positive =
            |text: &str| text.split(['-', '_']).all(|word| is_positive(&word.to_ascii_lowercase()));
        let dest = match is_given("dest") {
            Some(ExprKind::Text(dest)) => positive(dest),
            Some(_) => false,
            None => true,
        };
        if is_off && dest && positive(flag) && !matches!(is_given("default"), Some(ExprKind::Bool(false))) {
            let mut words = flag.split(['-', '_']);
            let subject = words.find(|word| is_subject(word)).unwrap_or_default();
            let raw_finding = RawFinding::at(scope.place(action.span)).word("name", flag);
            found.push(raw_finding.word("word", subject));
        }
    });
    found
}

fn is_subject(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    SUBJECTS.contains(&word.as_str()) && !NEGATIONS.contains(&word.as_str())
}

/// Whether a word of a name leaves the option one that speaks of using a GPU.
fn is_positive(word: &str) -> bool {
    word.is_empty() || is_subject(word) || USES.contains(&word)
}
