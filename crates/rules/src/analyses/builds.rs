//! What `setup.py` builds, where it asks the machine for a GPU: the build of an image sees none.

use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::code::{Expr, ExprKind, Host, Statement, StatementKind, Target};
use crate::facts::Span;
use crate::findings::Severity;
use crate::program::RunCommand;
use crate::rules::files::{FileScope, RawFinding};
use crate::sources::{Language, file_name_of};

/// Questions whose answer is "no" while an image is built.
const QUESTIONS: &[&str] = &["torch.cuda.is_available", "torch.cuda.device_count"];

/// Questions about a GPU that decide what is compiled, with no variable that overrules them.
pub(super) fn that_ask_for_gpu(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let name = scope.program.name_of(scope.file);
    let text = scope.whole_text();
    let builds = file_name_of(name) == "setup.py" && text.contains("CUDAExtension");
    let mut asked: Option<Span> = None;
    // Any variable of the environment may be the way to overrule the answer, but for one that must hold as well.
    let (mut read, mut only_limits) = (0, 0);
    walk(scope.code, &mut |part, around| {
        let CodeNode::Expr(expr) = part else { return };
        if let ExprKind::All(operands) = &expr.kind
            && operands.iter().any(|operand| is_question(scope, operand))
        {
            only_limits += reads_in(scope.text(expr.span));
            let names = operands.iter().filter(|operand| !is_question(scope, operand));
            only_limits += names
                .map(|name| scope.names.meant(name))
                .filter(|meant| !expr.span.holds(meant.span))
                .map(|meant| reads_in(scope.text(meant.span)))
                .sum::<usize>();
        }
        let decides =
            around.iter().any(|one| matches!(one, Ancestor::Test(_))) || decides_by_name(scope, expr.span);
        if is_question(scope, expr) && decides {
            asked = asked.or(Some(expr.span));
        }
    });
    read += reads_in(text);
    if !builds || read > only_limits {
        return Vec::new();
    }
    let Some(span) = asked else { return Vec::new() };
    let raw_finding = RawFinding::at(scope.place(span)).word("text", scope.text(span));
    vec![if is_built_in_image(scope) { raw_finding.at_least(Severity::Warning) } else { raw_finding }]
}

/// Whether an image of the project builds what this file describes.
fn is_built_in_image(scope: &FileScope<'_>) -> bool {
    let in_image = |command: &&RunCommand| {
        command.host == Host::NoGpu
            && scope.program.sources.file(command.site.file).language == Language::Dockerfile
    };
    let mut commands = scope.program.run_commands().flatten().filter(in_image);
    commands.any(|command| command.starts == Some(scope.file) || installs(scope, command))
}

/// `pip install -e .`, where this file lies.
fn installs(scope: &FileScope<'_>, command: &RunCommand) -> bool {
    let Some(told) = ["pip", "pip3"].iter().find_map(|pip| command.told(pip)) else { return false };
    if told.first() != Some(&"install") {
        return false;
    }
    told[1..].iter().any(|word| {
        let word = word.trim_start_matches("-e").trim_start_matches("--editable=");
        let folder = word.split_once('[').map_or(word, |(folder, _)| folder);
        let is_folder = folder == "." || folder.contains('/') && !folder.contains("://");
        let setup = || {
            scope.program.file_beside(command, None, &format!("{}/setup.py", folder.trim_end_matches('/')))
        };
        is_folder && setup() == Some(scope.file)
    })
}

/// `torch.cuda.is_available()`
fn is_question(scope: &FileScope<'_>, expr: &Expr<'_>) -> bool {
    let ExprKind::Call(call) = &expr.kind else { return false };
    scope.names.path(&call.callee).is_some_and(|path| QUESTIONS.contains(&path))
}

/// How often a text reads a variable of the environment.
fn reads_in(text: &str) -> usize {
    ["environ", "getenv"].iter().map(|word| text.matches(word).count()).sum()
}

/// Whether the answer is kept under a name that an `if` asks for: `with_cuda = torch.cuda.is_available()`.
fn decides_by_name(scope: &FileScope<'_>, question: Span) -> bool {
    let mut kept = None;
    let mut decides = false;
    walk(scope.code, &mut |part, around| match part {
        CodeNode::Statement(Statement {
            kind: StatementKind::Assign { targets, value: Some(value), .. },
            ..
        }) => {
            if let [Target::Name(name, _)] = &targets[..]
                && value.span.holds(question)
                && matches!(value.kind, ExprKind::Call(_) | ExprKind::All(_))
            {
                kept = Some(*name);
            }
        }
        CodeNode::Expr(Expr { kind: ExprKind::Name(name), .. }) => {
            decides |= kept == Some(*name) && around.iter().any(|one| matches!(one, Ancestor::Test(_)));
        }
        _ => {}
    });
    decides
}
