//! What the build of an image runs that needs a GPU: the builder gives it none.

use crate::code::walk::{CodeNode, walk_block};
use crate::code::{Block, Command, Expr, ExprKind, Statement, StatementKind};
use crate::facts::{FileId, Place, Span};
use crate::program::{Names, Start};
use crate::rules::files::{FileScope, RawFinding};

/// `RUN python -c "…"` and `RUN python warm.py`, where what runs asserts that there is a GPU, or takes one.
pub(super) fn that_need_gpu(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut runs: Vec<(&Command<'_>, Span)> = Vec::new();
    for unit in &scope.code.units {
        for step in &unit.body {
            let StatementKind::WithoutGpu(block) = &step.kind else { continue };
            // `RUN --device=nvidia.com/gpu=all`, `RUN --security=insecure`
            if scope.text(step.span).contains(" --device") || scope.text(step.span).contains(" --security") {
                continue;
            }
            walk_block(scope.code, block, &mut |part, around| {
                if let CodeNode::Statement(Statement { kind: StatementKind::Command(command), span }) = part
                    && around.is_empty()
                {
                    runs.push((command, *span));
                }
            });
        }
    }
    let mut found: Vec<RawFinding> = Vec::new();
    for (command, span) in runs {
        // `python check.py || true`
        if scope.whole_text()[span.range().end..].trim_start().starts_with("||") {
            continue;
        }
        let need = match command.snippet {
            Some(number) => in_snippet(scope, number),
            None => script_of(scope, span).and_then(|file| in_script(scope, file)),
        };
        let Some((place, text)) = need else { continue };
        let raw_finding = RawFinding::at(scope.place(span)).word("text", text);
        let raw_finding = match place.file == scope.file {
            true => raw_finding,
            false => raw_finding.beside(place, "a GPU is needed here"),
        };
        if !found.iter().any(|known| known.place == raw_finding.place) {
            found.push(raw_finding);
        }
    }
    found
}

/// The file of the project that a command of this Dockerfile starts.
fn script_of(scope: &FileScope<'_>, span: Span) -> Option<FileId> {
    let mut commands = scope.program.run_commands().flatten();
    commands.find(|command| command.site == scope.place(span))?.starts
}

fn in_snippet(scope: &FileScope<'_>, number: usize) -> Option<(Place, String)> {
    let asserted = asserted(&scope.code.snippets.get(number)?.body, scope.names);
    let place = asserted
        .map(|span| scope.place(span))
        .or_else(|| scope.program.surely_needs_gpu(scope.file, Start::Snippet(number)))?;
    Some((place, scope.program.text(place).to_owned()))
}

fn in_script(scope: &FileScope<'_>, file: FileId) -> Option<(Place, String)> {
    let names = Names::of(scope.program, file);
    let asserted = asserted(&scope.program.code(file).body, &names);
    let place = asserted
        .map(|span| Place { file, span })
        .or_else(|| scope.program.surely_needs_gpu(file, Start::Script))?;
    Some((place, scope.program.text(place).to_owned()))
}

/// `assert torch.cuda.is_available()` at the top of a program.
fn asserted(body: &Block<'_>, names: &Names<'_, '_>) -> Option<Span> {
    let asks = |expr: &Expr<'_>| match &expr.kind {
        ExprKind::Call(call) => names.path(&call.callee) == Some("torch.cuda.is_available"),
        _ => false,
    };
    body.iter().find_map(|step| match &step.kind {
        StatementKind::Assert { test, .. } => match &test.kind {
            ExprKind::All(parts) => parts.iter().any(asks).then_some(step.span),
            _ => asks(test).then_some(step.span),
        },
        _ => None,
    })
}
