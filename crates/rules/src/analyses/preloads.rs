//! Modules that a server or a queue of tasks imports before it forks its workers, and that use the GPU when they are imported.

use super::{cuda_calls, own_calls};
use crate::code::walk::{Ancestor, CodeNode, walk_top};
use crate::code::{Call, Expr, ExprKind, StatementKind, Target};
use crate::commands::is_variable_name;
use crate::facts::{FileId, Span};
use crate::program::{Names, RunCommand};
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;
use crate::sources::file_name_of;

/// What names a GPU, the frameworks whose applications servers load, and the hooks of their settings.
pub(super) const WORDS: &[&str] = &[
    "cuda",
    "device",
    "from_pretrained",
    "celery",
    "use_gpu",
    "easyocr",
    "FlagEmbedding",
    "txtai",
    "shared_task",
    "Flask",
    "FastAPI",
    "Starlette",
    "Sanic",
    "falcon",
    "bottle",
    "create_app",
    "get_wsgi_application",
    "on_starting",
    "when_ready",
    "pre_fork",
];

/// What the servers and their commands are called.
const SERVERS: &[&str] = &["gunicorn", "celery", "uwsgi", "qcluster", "flask"];

/// The first use of a GPU by a module that gunicorn or Celery loads in the master.
pub(super) fn before_forks(scope: &FileScope<'_>) -> Vec<RawFinding> {
    // Without a server no file of the project has to be read for who loads this one.
    if !scope.program.has_any(SERVERS) {
        return Vec::new();
    }
    if let Some(found) = in_hooks(scope) {
        return vec![found];
    }
    let configures = || is_settings(scope).then_some("gunicorn");
    let here = || loading(scope).or_else(|| embedding(scope)).or_else(configures);
    let found = match first_at_top(scope, &|expr, _| reaches_cuda(expr, scope)) {
        Some((span, name)) => {
            here().or_else(|| loading_importer(scope)).map(|server| raw_finding(scope, span, name, server))
        }
        None => here().and_then(|server| {
            // A function or a class of the project that is called at the top.
            let (span, (place, name)) = first_at_top(scope, &|_, call| own_calls::reached(call, scope))?;
            Some(raw_finding(scope, span, name, server).beside(place, "CUDA is initialised here"))
        }),
    };
    found.into_iter().collect()
}

/// The first call that runs when the module is imported of which something is found.
fn first_at_top<'s, T>(
    scope: &FileScope<'s>,
    find: &dyn Fn(&Expr<'s>, &Call<'s>) -> Option<T>,
) -> Option<(Span, T)> {
    let mut found = None;
    walk_top(scope.code, &mut |part, around| {
        let CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        let is_for_script = around
            .iter()
            .any(|one| matches!(one, Ancestor::Then(test) if scope.text(test.span).contains("__main__")));
        if found.is_none() && !is_for_script {
            found = find(expr, call).map(|what| (expr.span, what));
        }
    });
    found
}

/// The name of what is called, where the call reaches CUDA or loads a model to the GPU.
fn reaches_cuda(expr: &Expr<'_>, scope: &FileScope<'_>) -> Option<String> {
    let ExprKind::Call(call) = &expr.kind else { return None };
    cuda_calls::reaches_cuda(expr, scope).or_else(|| loads_to_gpu(scope, call))
}

/// What loads this module before it forks.
fn loading(scope: &FileScope<'_>) -> Option<&'static str> {
    preloading(scope)
        .or_else(|| queueing(scope))
        .or_else(|| clustering(scope))
        .or_else(|| preforking(scope))
        .or_else(|| serving(scope))
}

/// What loads a module before it forks that imports this one at its top.
fn loading_importer(scope: &FileScope<'_>) -> Option<&'static str> {
    /// Modules that import each other: further ones are not followed.
    const MAX_FILES: usize = 50;
    let starts = |program| scope.program.commands_with(program).next().is_some();
    let by_command = ["gunicorn", "celery", "manage.py", "uwsgi"].into_iter().any(starts);
    let mut files = vec![scope.file];
    let mut next = 0;
    while let Some(&file) = files.get(next) {
        let above = scope.program.importers(file).into_iter().filter(|importer| importer.at_top);
        for file in above.map(|importer| importer.file).collect::<Vec<_>>() {
            if files.contains(&file) || files.len() >= MAX_FILES {
                continue;
            }
            files.push(file);
            if !by_command && !scope.program.text_of(file).contains("processes") {
                continue;
            }
            let names = Names::of(scope.program, file);
            let other = scope.of_other(file, &names);
            if let Some(server) = loading(&other) {
                return Some(server);
            }
        }
        next += 1;
    }
    None
}

fn raw_finding(scope: &FileScope<'_>, span: Span, name: String, server: &str) -> RawFinding {
    RawFinding::at(scope.place(span)).word("name", name).word("server", server)
}

/// A use of the GPU in a function that gunicorn calls in the master, from its settings.
fn in_hooks(scope: &FileScope<'_>) -> Option<RawFinding> {
    const HOOKS: &[&str] = &["on_reload", "on_starting", "pre_exec", "pre_fork", "when_ready"];
    let is_hook = |name: &str| HOOKS.contains(&name);
    if !scope.code.functions.iter().any(|function| is_hook(function.name)) || !is_settings(scope) {
        return None;
    }
    let mut used = None;
    scope.each_call(&mut |expr, call, around| {
        let in_hook = around.iter().any(|one| match one {
            Ancestor::Function(number) => is_hook(scope.code.functions[*number].name),
            _ => false,
        });
        if used.is_none() && in_hook {
            let own = || {
                let (place, name) = own_calls::reached(call, scope)?;
                let found = raw_finding(scope, expr.span, name, "gunicorn");
                Some(found.beside(place, "CUDA is initialised here"))
            };
            used = reaches_cuda(expr, scope)
                .map(|name| raw_finding(scope, expr.span, name, "gunicorn"))
                .or_else(own);
        }
    });
    used
}

/// Whether a command starts gunicorn with this file as its settings, which the master runs.
fn is_settings(scope: &FileScope<'_>) -> bool {
    let reads = |command: &RunCommand| {
        let Some(told) = command.told("gunicorn") else { return false };
        settings_of(scope, command, &told) == Some(scope.file)
    };
    scope.program.commands_with("gunicorn").any(reads)
}

/// The settings that gunicorn is told to read, or those of its folder.
fn settings_of(scope: &FileScope<'_>, command: &RunCommand, told: &[&str]) -> Option<FileId> {
    let named = value_of(told, &["-c", "--config"]).unwrap_or("gunicorn.conf.py");
    let folder = value_of(told, &["--chdir"]);
    scope.program.file_beside(command, folder, named.trim_start_matches("file:"))
}

/// Classes whose models go to the GPU where there is one, unless they are told otherwise.
const BY_DEFAULT: &[&str] = &[
    "FlagEmbedding.BGEM3FlagModel",
    "FlagEmbedding.FlagModel",
    "FlagEmbedding.FlagReranker",
    "easyocr.Reader",
    "txtai.Embeddings",
    "txtai.embeddings.Embeddings",
];

/// `PaddleOCR(use_gpu=True)` and `Reader(["en"])`: a model of a library that goes to the GPU when it is made.
fn makes_on_gpu(scope: &FileScope<'_>, call: &Call<'_>) -> Option<String> {
    let path = scope.names.path(&call.callee)?;
    let name = path.rsplit('.').next()?;
    let given =
        |name: &str| argument(&call.arguments, None, Some(name)).map(|one| &scope.names.meant(one).kind);
    // `TrainingArguments(use_cuda=True)` makes no model.
    let says = ["Config", "Args", "Arguments", "Options", "Params", "Resources", "Settings"];
    let is_class = name.starts_with(char::is_uppercase) && !says.iter().any(|end| name.ends_with(end));
    if !is_class || path.starts_with("torch.") {
        return None;
    }
    let is_on =
        ["use_gpu", "use_cuda", "gpu"].iter().any(|name| matches!(given(name), Some(ExprKind::Bool(true))));
    let is_off = ["use_gpu", "use_cuda", "gpu", "device", "devices"].iter().any(|name| given(name).is_some());
    let by_default = BY_DEFAULT.contains(&path) && !is_off;
    (is_on || by_default).then(|| name.to_owned())
}

/// `AutoModel.from_pretrained("m", device_map="auto")`
fn loads_to_gpu(scope: &FileScope<'_>, call: &Call<'_>) -> Option<String> {
    if let Some(made) = makes_on_gpu(scope, call) {
        return Some(made);
    }
    let ExprKind::Attribute(_, method @ "from_pretrained") = &call.callee.kind else { return None };
    let map = argument(&call.arguments, None, Some("device_map"))?;
    let spreads = |text: &str| matches!(text, "auto" | "balanced" | "sequential") || text.starts_with("cuda");
    let on_gpu = matches!(&scope.names.meant(map).kind, ExprKind::Text(text) if spreads(text));
    on_gpu.then(|| format!(".{method}"))
}

/// The server that loads this module and forks after that: a command names `module:app` and preloads, by an option or by
/// the settings that it reads.
fn preloading(scope: &FileScope<'_>) -> Option<&'static str> {
    let preloads = |command: &RunCommand| {
        let Some(told) = command.told("gunicorn") else { return false };
        let folder = value_of(&told, &["--chdir"]);
        let serves = told.iter().any(|word| {
            let Some((module, _)) = word.split_once(':').filter(|(module, _)| is_dotted(module)) else {
                return false;
            };
            scope.program.module_loaded(command, folder, module) == Some(scope.file)
        });
        serves && (told.contains(&"--preload") || preloads_by_settings(scope, command, &told))
    };
    scope.program.commands_with("gunicorn").any(preloads).then_some("gunicorn")
}

/// gunicorn inside the program: a class of the module is one of its applications, whose `run` forks the workers.
fn embedding(scope: &FileScope<'_>) -> Option<&'static str> {
    const APPLICATIONS: &[&str] =
        &["gunicorn.app.base.BaseApplication", "gunicorn.app.wsgiapp.WSGIApplication"];
    let is_application =
        |base: &Expr<'_>| scope.names.path(base).is_some_and(|path| APPLICATIONS.contains(&path));
    let mut classes = scope.code.classes.iter();
    classes.any(|class| class.bases.iter().any(is_application)).then_some("gunicorn")
}

/// Whether the settings of gunicorn say `preload_app = True`.
fn preloads_by_settings(scope: &FileScope<'_>, command: &RunCommand, told: &[&str]) -> bool {
    let Some(settings) = settings_of(scope, command, told) else { return false };
    let is_name = |target: &Target<'_>| matches!(target, Target::Name("preload_app", _));
    scope.program.code(settings).body.iter().any(|step| match &step.kind {
        StatementKind::Assign { targets, value: Some(Expr { kind: ExprKind::Bool(true), .. }), .. } => {
            targets.iter().any(is_name)
        }
        _ => false,
    })
}

/// Celery, where a worker that forks loads this module: it defines tasks, or the command names it.
fn queueing(scope: &FileScope<'_>) -> Option<&'static str> {
    let defines = || {
        let (text, tasks) = (scope.whole_text(), [".task\n", ".task(", "@shared_task"]);
        let is_celery = text.contains("celery") || text.contains("@app.task") || text.contains("@celery");
        is_celery && tasks.iter().any(|task| text.contains(task))
    };
    let loads = |command: &RunCommand| {
        let Some(told) = command.told("celery").filter(|told| told.contains(&"worker")) else { return false };
        let pool = value_of(&told, &["-P", "--pool"]);
        let app = || value_of(&told, &["-A", "--app"]);
        let names = || {
            app().is_some_and(|app| {
                let module = module_of(app);
                scope.program.module_loaded(command, value_of(&told, &["--workdir"]), module)
                    == Some(scope.file)
            })
        };
        // `--pool=solo`, `-P threads`: nothing forks.
        pool.is_none_or(|pool| pool == "prefork") && (defines() || names())
    };
    scope.program.commands_with("celery").any(loads).then_some("Celery")
}

/// `app.run(processes=2)` of Flask, whose server forks a process for each request.
fn serving(scope: &FileScope<'_>) -> Option<&'static str> {
    let text = scope.whole_text();
    if !text.contains("flask") || !text.contains("processes") {
        return None;
    }
    let mut serves = false;
    scope.each_call(&mut |_, call, _| {
        let ExprKind::Attribute(app, "run") = &call.callee.kind else { return };
        let several = argument(&call.arguments, None, Some("processes"))
            .is_some_and(|count| matches!(scope.names.meant(count).kind, ExprKind::Int(count) if count > 1));
        serves |= several && scope.names.path(app) == Some("flask.Flask()");
    });
    serves.then_some("Flask")
}

/// `manage.py qcluster` of Django Q, which loads the applications of Django and forks its workers: a module that Django
/// itself imports.
fn clustering(scope: &FileScope<'_>) -> Option<&'static str> {
    let is_loaded = matches!(file_name_of(scope.program.name_of(scope.file)), "apps.py" | "models.py")
        && scope.whole_text().contains("django")
        && scope.program.forks_by_default(scope.file);
    let clusters =
        |command: &RunCommand| command.told("manage.py").is_some_and(|told| told.contains(&"qcluster"));
    (is_loaded && scope.program.commands_with("manage.py").any(clusters)).then_some("Django Q")
}

/// uWSGI, which loads the application once and forks its workers after that, unless it is told to load it in each. A single
/// process without a master forks nothing.
fn preforking(scope: &FileScope<'_>) -> Option<&'static str> {
    let loads = |command: &RunCommand| {
        let Some(told) = command.told("uwsgi") else { return false };
        let written = settings_of_uwsgi(scope, command, &told);
        let told: Vec<&str> = told.into_iter().chain(written.iter().flatten().map(String::as_str)).collect();
        let is_told = |options: &[&str]| told.iter().any(|word| options.contains(word));
        let workers = value_of(&told, &["--processes", "--workers", "-p"]);
        let forks = is_told(&["--master", "-M"]) || workers.is_some_and(|workers| workers != "1");
        if !forks || is_told(&["--lazy", "--lazy-apps"]) {
            return false;
        }
        let folder = value_of(&told, &["--chdir"]);
        let module = value_of(&told, &["--module", "--wsgi", "-w"])
            .and_then(|named| scope.program.module_loaded(command, folder, module_of(named)));
        let file = || {
            let named = value_of(&told, &["--wsgi-file", "--file"])?;
            scope.program.file_beside(command, folder, named)
        };
        module.or_else(file) == Some(scope.file)
    };
    scope.program.commands_with("uwsgi").any(loads).then_some("uWSGI")
}

/// The options in the file of uWSGI that a command names, as words of a command line; `None` where it names none.
fn settings_of_uwsgi(scope: &FileScope<'_>, command: &RunCommand, told: &[&str]) -> Option<Vec<String>> {
    let alone = told.iter().copied().find(|word| word.ends_with(".ini") && !word.starts_with('-'));
    let named = value_of(told, &["--ini"]).or(alone)?;
    let file = scope.program.file_beside(command, value_of(told, &["--chdir"]), named)?;
    let line_in_words = |line: &str| -> Vec<String> {
        let line = line.trim();
        let Some((key, value)) = line.split_once('=').filter(|_| !line.starts_with([';', '#', '['])) else {
            return Vec::new();
        };
        let option = format!("--{}", key.trim());
        match value.trim() {
            "false" | "0" | "no" | "off" => Vec::new(),
            "true" | "1" | "yes" | "on" => vec![option],
            value => vec![option, value.to_owned()],
        }
    };
    Some(scope.program.text_of(file).lines().flat_map(line_in_words).collect())
}

/// The module of `module:app`, or of `module` alone.
fn module_of(app: &str) -> &str {
    app.split_once(':').map_or(app, |(module, _)| module)
}

/// The value of the last of these options: `-A app`, `-Aapp`, `--app app`, `--app=app`.
fn value_of<'w>(told: &[&'w str], options: &[&str]) -> Option<&'w str> {
    let value = |(at, word): (usize, &&'w str)| {
        options.iter().find_map(|option| match word.strip_prefix(option)? {
            "" => told.get(at + 1).copied(),
            rest if option.starts_with("--") => rest.strip_prefix('='),
            rest => Some(rest),
        })
    };
    told.iter().enumerate().filter_map(value).next_back()
}

fn is_dotted(name: &str) -> bool {
    name.split('.').all(is_variable_name)
}
