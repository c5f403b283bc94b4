//! Modules that a server imports before it forks its workers, and that use the GPU when they are imported.

use super::cuda_calls;
use crate::code::walk::{Around, Part, walk_top};
use crate::code::{Call, Expr, ExprKind};
use crate::facts::Span;
use crate::rules::files::{FileScope, Sighting};
use crate::rules::uses::argument;
use crate::sources::Language;

/// The first use of a GPU by a module that gunicorn or uwsgi loads in the master.
pub(super) fn before_forks(scope: &FileScope<'_>) -> Vec<Sighting> {
    let mut used: Option<(Span, String)> = None;
    walk_top(scope.code, &mut |part, around| {
        let Part::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        let is_for_script = around
            .iter()
            .any(|one| matches!(one, Around::Then(test) if scope.text(test.span).contains("__main__")));
        if used.is_some() || is_for_script {
            return;
        }
        let name = cuda_calls::reaches_cuda(expr, scope).or_else(|| loads_to_gpu(scope, call));
        used = name.map(|name| (expr.span, name));
    });
    let Some((span, name)) = used else { return Vec::new() };
    let Some(server) = preloading(scope) else { return Vec::new() };
    vec![Sighting::at(scope.place(span)).word("name", name).word("server", server)]
}

/// `AutoModel.from_pretrained("m", device_map="auto")`
fn loads_to_gpu(scope: &FileScope<'_>, call: &Call<'_>) -> Option<String> {
    let ExprKind::Attribute(_, method @ "from_pretrained") = &call.callee.kind else { return None };
    let map = argument(&call.arguments, None, Some("device_map"))?;
    let spreads = |text: &str| matches!(text, "auto" | "balanced" | "sequential") || text.starts_with("cuda");
    let on_gpu = matches!(&scope.names.meant(map).kind, ExprKind::Text(text) if spreads(text));
    on_gpu.then(|| format!(".{method}"))
}

/// The server that loads this module and forks after that: a command names `module:app` and preloads, by an option or by
/// the settings that it reads by itself.
fn preloading(scope: &FileScope<'_>) -> Option<&'static str> {
    let dotted = scope.program.dotted(scope.file);
    let last = dotted.rsplit('.').next().unwrap_or(&dotted);
    let names = |text: &str| {
        text.match_indices(&format!("{last}:")).any(|(at, _)| {
            text[..at].ends_with([' ', '"', '\'', '.', '\n', '='])
                && text[at + last.len() + 1..].starts_with(is_start)
        })
    };
    let files = &scope.program.sources.files;
    let preloads_by_settings = files.iter().any(|file| {
        let own = file.name.rsplit('/').next().unwrap_or(&file.name);
        own == "gunicorn.conf.py" && file.text.contains("preload_app = True")
    });
    let started = |file: &&crate::sources::Source| {
        file.language != Language::Python
            && file.text.lines().any(|line| {
                let line = line.trim_start();
                !line.starts_with('#')
                    && line.contains("gunicorn")
                    && (line.contains("--preload") || preloads_by_settings)
                    && names(line)
            })
    };
    files.iter().any(|file| started(&file)).then_some("gunicorn")
}

fn is_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}
