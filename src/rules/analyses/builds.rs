//! What `setup.py` builds, where it asks the machine for a GPU: the build of an image sees none.

use crate::code::walk::{Ancestor, Part, walk};
use crate::code::{Expr, ExprKind};
use crate::facts::Span;
use crate::findings::Severity;
use crate::rules::files::{FileScope, RawFinding};
use crate::sources::Language;

/// Questions whose answer is "no" while an image is built.
const QUESTIONS: &[&str] = &["torch.cuda.is_available", "torch.cuda.device_count"];

/// Questions about a GPU that decide what is compiled, with no variable that overrules them.
pub(super) fn that_ask_for_gpu(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let name = scope.program.name_of(scope.file);
    let text = scope.whole_text();
    let builds = name.rsplit('/').next() == Some("setup.py") && text.contains("CUDAExtension");
    // Any variable of the environment may be the way to overrule it.
    if !builds || ["environ", "getenv"].iter().any(|word| text.contains(word)) {
        return Vec::new();
    }
    let mut asked: Option<Span> = None;
    walk(scope.code, &mut |part, around| {
        let Part::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) = part else { return };
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

/// Whether an image of the project installs what lies in a folder of it.
fn is_built_in_image(scope: &FileScope<'_>) -> bool {
    let is_folder = |word: &str| word == "." || word.starts_with("./") || word.starts_with("-e.");
    let installs = |line: &str| {
        let mut words = line.split_whitespace();
        line.contains("setup.py") || (line.contains("pip install") && words.any(is_folder))
    };
    let images = scope.program.sources.files.iter().filter(|file| file.language == Language::Dockerfile);
    let mut lines = images.flat_map(|file| file.text.lines());
    lines.any(|line| !line.trim_start().starts_with('#') && installs(line))
}
