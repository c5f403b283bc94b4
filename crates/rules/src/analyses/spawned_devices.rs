//! A GPU that a thread makes current, and that the processes and threads which it starts know nothing of: their current GPU is the first.

use crate::code::walk::within_function;
use crate::code::{Call, ExprKind};
use crate::facts::{Place, Span};
use crate::findings::Severity;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;
use crate::sources::Language;

/// What takes the current GPU, as it is written.
const CURRENT: &[&str] = &["device=\"cuda\"", "device='cuda'", ".cuda()", ".to(\"cuda\")", ".to('cuda')"];

/// What else of torch takes the current GPU, which a thread has of its own.
const CURRENT_OF_THREAD: &[&str] =
    &["torch.cuda.current_stream()", "torch.cuda.synchronize()", "torch.cuda.Stream()"];

/// What chooses another one.
const CHOOSING: &[&str] = &["set_device", "cuda:", "VISIBLE_DEVICES", "cuda.device("];

/// Classes that run each environment in a process of its own, by `spawn` or a server.
const ENVIRONMENTS: &[&str] = &["AsyncVectorEnv", "ShmemVecEnv", "SubprocVecEnv", "SubprocVectorEnv"];

/// `torch.cuda.set_device(3)`, and children that use `"cuda"`.
pub(super) fn known_to_parent(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut set: Option<(Span, bool, Option<usize>)> = None;
    let mut started: Option<(Span, Place)> = None;
    let mut of_threads: Option<(Span, Place)> = None;
    let spawns = scope.whole_text().contains("\"spawn\"") || scope.whole_text().contains("'spawn'");
    scope.each_call(&mut |expr, call, around| {
        let path = scope.names.path(&call.callee).unwrap_or_default();
        if path == "torch.cuda.set_device" && set.is_none() {
            let (function, _) = within_function(around);
            set = is_other(scope, call).map(|is_known| (expr.span, is_known, function));
            return;
        }
        let (ExprKind::Name(name) | ExprKind::Attribute(_, name)) = call.callee.kind else { return };
        if of_threads.is_none() && path == "threading.Thread" {
            let used = target_of(call).and_then(|target| used_by(scope, target, true));
            of_threads = used.map(|used| (expr.span, used));
        }
        let used = match name {
            _ if ENVIRONMENTS.contains(&name) => used_by_environment(scope),
            "Process" if spawns => target_of(call).and_then(|target| used_by(scope, target, false)),
            "spawn" if path == "torch.multiprocessing.spawn" => {
                match call.arguments.first().map(|one| &one.value.kind) {
                    Some(ExprKind::Name(target)) => used_by(scope, target, false),
                    _ => None,
                }
            }
            _ => None,
        };
        if started.is_none()
            && let Some(used) = used
        {
            started = Some((expr.span, used));
        }
    });
    // A thread of each of several processes is as far from the GPU of its process as any other.
    let is_of_threads = started.is_none() && of_threads.is_some();
    let (Some((set, is_known, function)), Some((started, used))) = (set, started.or(of_threads)) else {
        return Vec::new();
    };
    let is_of_rank = scope.text(set).to_ascii_lowercase().contains("rank");
    if is_of_rank && !is_of_threads {
        return Vec::new();
    }
    // What the child calls chooses there.
    if function.is_some_and(|function| calls(scope, used, scope.code.functions[function].name)) {
        return Vec::new();
    }
    let (those, of_child, which) = match is_of_threads {
        true => ("threads", "thread", "this thread"),
        false => ("processes", "child", "this process"),
    };
    let raw_finding = RawFinding::at(scope.place(started)).word("set", scope.text(set));
    let raw_finding = raw_finding.word("those", those).word("which", which);
    let raw_finding = raw_finding.beside(used, format!("the current GPU of the {of_child} is used here"));
    let raw_finding = raw_finding.beside(scope.place(set), format!("{which} alone has another one"));
    vec![if is_known { raw_finding } else { raw_finding.at_most(Severity::Note) }]
}

/// Whether the function in which a GPU is used calls another one, by its name.
fn calls(scope: &FileScope<'_>, used: Place, name: &str) -> bool {
    let is_there = |span: Span| span.start <= used.span.start && used.span.end <= span.end;
    let mut around = scope.code.functions.iter().filter(|one| used.file == scope.file && is_there(one.span));
    around.any(|one| scope.text(one.span).contains(&format!("{name}(")))
}

/// Whether a GPU other than the first is chosen, and whether that is known; `None` where it is the first.
fn is_other(scope: &FileScope<'_>, call: &Call<'_>) -> Option<bool> {
    let first = call.arguments.first()?;
    match &scope.names.meant(&first.value).kind {
        ExprKind::Int(index) => (*index > 0).then_some(true),
        ExprKind::Text(text) => {
            let index: u64 = text.strip_prefix("cuda:")?.parse().ok()?;
            (index > 0).then_some(true)
        }
        _ => Some(false),
    }
}

/// `Process(target=work)`, `Thread(target=self.work)`
fn target_of<'c>(call: &'c Call<'_>) -> Option<&'c str> {
    match &argument(&call.arguments, None, Some("target"))?.kind {
        ExprKind::Name(name) => Some(name),
        ExprKind::Attribute(object, name) if matches!(object.kind, ExprKind::Name("self")) => Some(name),
        _ => None,
    }
}

/// Where a function of this file takes the current GPU, and chooses none.
fn used_by(scope: &FileScope<'_>, name: &str, is_thread: bool) -> Option<Place> {
    let function = scope.code.functions.iter().find(|one| one.name == name)?;
    let at = used_in(scope.text(function.span), if is_thread { CURRENT_OF_THREAD } else { &[] })?;
    let start = function.span.start as usize + at.0;
    Some(scope.place(Span::new(start, start + at.1)))
}

/// Where an environment of the project takes the current GPU.
fn used_by_environment(scope: &FileScope<'_>) -> Option<Place> {
    scope.program.every_file().find_map(|(file, source)| {
        if source.language != Language::Python || !source.text.contains("Env)") {
            return None;
        }
        let classes = scope.program.code(file).classes.iter();
        classes.into_iter().find_map(|class| {
            let is_environment =
                class.bases.iter().any(|base| source.text[base.span.range()].ends_with("Env"));
            let (at, length) = used_in(&source.text[class.span.range()], &[]).filter(|_| is_environment)?;
            let start = class.span.start as usize + at;
            Some(Place { file, span: Span::new(start, start + length) })
        })
    })
}

fn used_in(text: &str, others: &[&str]) -> Option<(usize, usize)> {
    // The stream of another card makes that card the current one.
    if CHOOSING.iter().chain(&["cuda.stream("]).any(|word| text.contains(word)) {
        return None;
    }
    CURRENT.iter().chain(others).filter_map(|word| Some((text.find(word)?, word.len()))).min()
}
