//! What `setup.py` builds, where it asks the machine for a GPU: the build of an image sees none.

use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::code::{Expr, ExprKind, Host};
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
    // Any variable of the environment may be the way to overrule it.
    if !builds || ["environ", "getenv"].iter().any(|word| text.contains(word)) {
        return Vec::new();
    }
    let mut asked: Option<Span> = None;
    walk(scope.code, &mut |part, around| {
        let CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        let asks = scope.names.path(&call.callee).is_some_and(|path| QUESTIONS.contains(&path));
        let decides = around.iter().any(|one| matches!(one, Ancestor::Test(_)));
        if asks && decides {
            asked = asked.or(Some(expr.span));
        }
    });
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
