//! Modules that a server or a queue of tasks imports before it forks its workers, and that use the GPU when they are imported.

use super::cuda_calls;
use crate::code::walk::{Ancestor, Part, walk_top};
use crate::code::{Call, Expr, ExprKind};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;
use crate::sources::Language;

/// The first use of a GPU by a module that gunicorn or Celery loads in the master.
pub(super) fn before_forks(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut used: Option<(Span, String)> = None;
    walk_top(scope.code, &mut |part, around| {
        let Part::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        let is_for_script = around
            .iter()
            .any(|one| matches!(one, Ancestor::Then(test) if scope.text(test.span).contains("__main__")));
        if used.is_some() || is_for_script {
            return;
        }
        let name = cuda_calls::reaches_cuda(expr, scope).or_else(|| loads_to_gpu(scope, call));
        used = name.map(|name| (expr.span, name));
    });
    let Some((span, name)) = used else { return Vec::new() };
    let Some(server) = preloading(scope).or_else(|| queueing(scope)) else { return Vec::new() };
    vec![RawFinding::at(scope.place(span)).word("name", name).word("server", server)]
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

/// Celery, where a worker that forks loads this module: it defines tasks, or the command names it.
fn queueing(scope: &FileScope<'_>) -> Option<&'static str> {
    let dotted = scope.program.dotted(scope.file);
    let text = scope.whole_text();
    let tasks = [".task\n", ".task(", "@shared_task"];
    let defines = text.contains("celery") && tasks.iter().any(|task| text.contains(task));
    let starts = |line: &str| {
        let words: Vec<&str> = line
            .split(|c: char| c.is_whitespace() || "\"',[]".contains(c))
            .filter(|word| !word.is_empty())
            .collect();
        let at = |word: &str| words.iter().position(|one| one.rsplit('/').next() == Some(word));
        let (Some(celery), Some(worker)) = (at("celery"), at("worker")) else { return false };
        let named = |word: &str| {
            let module = word.strip_prefix("--app=").unwrap_or(word);
            module == dotted || dotted.ends_with(&format!(".{module}"))
        };
        celery < worker && !has_other_pool(&words) && (defines || words.iter().any(|word| named(word)))
    };
    let files = scope.program.sources.files.iter().filter(|file| file.language != Language::Python);
    let lines = |text: &str| text.replace("\\\n", " ");
    files
        .into_iter()
        .any(|file| {
            file.text.contains("celery")
                && lines(&file.text).lines().any(|line| !line.trim_start().starts_with('#') && starts(line))
        })
        .then_some("Celery")
}

/// `--pool=solo`, `-P threads`: nothing forks.
fn has_other_pool(words: &[&str]) -> bool {
    words.iter().enumerate().any(|(at, word)| {
        let given = match *word {
            "-P" | "--pool" => words.get(at + 1).copied(),
            word => word.strip_prefix("--pool="),
        };
        given.is_some_and(|pool| pool != "prefork")
    })
}

fn is_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}
