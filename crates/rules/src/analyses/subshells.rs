//! Variables that a shell sets and that no program gets: exported in a shell which ends at once, as in `os.system("export X=1")`,
//! `!export X=1` and a line of a recipe by itself; or set in a script and not exported.

use crate::code::walk::{CodeNode, blocks, walk, walk_block};
use crate::code::{Block, Call, Code, Export, Expr, ExprKind, Operator, Statement, StatementKind};
use crate::facts::Span;
use crate::program::is_gpu_variable;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;
use crate::sources::{Language, file_name_of};
use rustc_hash::{FxHashMap, FxHashSet};

/// Commands that use no variable of the GPU.
const IDLE: &[&str] = &["echo", "cd", "true", ":", "printenv", "pwd", "unset", "ulimit", "sleep", "env"];

/// Commands that start programs which may use a GPU.
const STARTERS: &[&str] = &[
    "torchrun",
    "accelerate",
    "deepspeed",
    "bash",
    "sh",
    "srun",
    "mpirun",
    "mpiexec",
    "horovodrun",
    "uv",
    "poetry",
    "pixi",
    "conda",
    "jupyter",
    "vllm",
    "ollama",
    "nohup",
    "nice",
    "time",
    "pytest",
    "ipython",
    "th",
    "julia",
];

/// What marks the script of a job: the scheduler may have exported the mask before it starts.
const JOBS: &[&str] = &["#SBATCH", "#PBS", "#BSUB", "#$ -", "#OAR", "#COBALT", "#MSUB", "#PJM"];

/// What may stand in front of a variable that a shell sets: keywords of the shell, of a Dockerfile and of a workflow.
const SHELL_WORDS: &[&str] = &[
    "export", "declare", "typeset", "readonly", "local", "-x", "-gx", "RUN", "run:", "then", "do", "else",
    "{",
];

/// Whether a part of a file is a line of a shell that may set a variable.
pub(crate) fn may_start(part: CodeNode<'_, '_>) -> bool {
    match part {
        CodeNode::Expr(Expr { kind: ExprKind::Text(text), .. }) => {
            ["export ", "setenv ", "set ", "DEVICES="].iter().any(|word| text.contains(word))
        }
        CodeNode::Statement(step) => matches!(step.kind, StatementKind::Apart(_) | StatementKind::Child(_)),
        _ => false,
    }
}

/// GPU variables that a shell sets and takes with it when it ends.
pub(super) fn that_take_variables_along(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    let mut spans = FxHashSet::default();
    walk(scope.code, &mut |part, _| match part {
        CodeNode::Expr(expr) => {
            let ExprKind::Call(call) = &expr.kind else { return };
            let Some(line) = command_line(scope, call) else { return };
            if let Some(variable) = lost_in(&line) {
                found.push(RawFinding::at(scope.place(expr.span)).word("variable", variable));
            }
        }
        // Lines with `!` and cells with `%%bash`.
        CodeNode::Statement(step) if scope.language() == Language::Notebook => {
            if let StatementKind::Apart(block) | StatementKind::Child(block) = &step.kind {
                let lost = lost_in_block(block).into_iter();
                found.extend(lost.map(|(name, at)| RawFinding::at(scope.place(at)).word("variable", name)));
            }
        }
        // Lines of a recipe, of a Dockerfile, and steps of a workflow.
        CodeNode::Statement(Statement { kind: StatementKind::Apart(block), .. })
            if scope.language() != Language::Python =>
        {
            let lost = lost_in_block(block).into_iter();
            let lost = lost.filter(|(name, at)| {
                is_said_to_a_shell(scope, *at)
                    && !is_handed_to_later_steps(scope, name, *at)
                    && spans.insert(*at)
            });
            found.extend(lost.map(|(name, at)| RawFinding::at(scope.place(at)).word("variable", name)));
        }
        _ => {}
    });
    found
}

/// How the names of variables end that libraries read.
pub(super) const READ_BY_LIBRARIES: &[&str] = &["VISIBLE_DEVICES", "DEVICE_ORDER", "ALLOC_CONF"];

/// GPU variables that a script sets for the programs behind, and does not export.
pub(super) fn that_export_nothing(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = super::sourced_settings::that_export_nothing(scope);
    // A script may have names of its own for what it reads about a GPU.
    if !READ_BY_LIBRARIES.iter().any(|end| scope.whole_text().contains(&format!("{end}="))) {
        return found;
    }
    let exports = Exports::of(scope);
    let is_job = JOBS.iter().any(|directive| scope.whole_text().contains(directive));
    let mut spans = FxHashSet::default();
    for block in blocks_of_shells(scope.code) {
        for (at, step) in block.iter().enumerate() {
            let StatementKind::SetVariable(set) = &step.kind else { continue };
            let is_lost = set.export == Export::IfExported
                && set.value.is_some()
                && is_gpu_variable(&set.name)
                && !(is_job && set.name.ends_with("VISIBLE_DEVICES"))
                && is_said_to_a_shell(scope, set.span);
            if is_lost
                && let Some(started) = started_in(scope, &block[at + 1..])
                && !exports.may_cover(scope, &set.name, started)
                && spans.insert(set.span)
            {
                let raw_finding = RawFinding::at(scope.place(set.span)).word("variable", &*set.name);
                found.push(raw_finding.beside(scope.place(started), "this program does not get it"));
            }
        }
    }
    found
}

/// The blocks of a file, and those of the shells that it starts.
pub(super) fn blocks_of_shells<'c, 's>(code: &'c Code<'s>) -> Vec<&'c Block<'s>> {
    let mut found = blocks(code);
    walk(code, &mut |part, _| {
        if let CodeNode::Statement(Statement { kind, .. }) = part
            && let StatementKind::Apart(block)
            | StatementKind::Child(block)
            | StatementKind::WithoutGpu(block) = kind
        {
            found.push(block);
        }
    });
    found
}

/// What a file exports, by name or all of it.
#[derive(Default)]
struct Exports<'c> {
    /// Where each name is exported first; at the start of the file where that cannot be told.
    names: FxHashMap<&'c str, u32>,
    all: bool,
}

impl<'c> Exports<'c> {
    fn of(scope: &FileScope<'c>) -> Self {
        let mut exports = Exports::default();
        walk(scope.code, &mut |part, around| match part {
            CodeNode::Statement(Statement { kind: StatementKind::SetVariable(set), .. })
                if set.export == Export::Yes || set.value.is_none() =>
            {
                // A function may run, and a loop come round, before what is written above.
                let at = if around.is_empty() { set.span.start } else { 0 };
                let first = exports.names.entry(&set.name).or_insert(at);
                *first = at.min(*first);
            }
            // What another file does to the same shell is not looked at.
            CodeNode::Statement(Statement {
                kind: StatementKind::ExportAll(_) | StatementKind::Source(_),
                ..
            }) => exports.all = true,
            _ => {}
        });
        exports
    }

    /// Whether a variable may be exported all the same when a program is started, or is there for the script itself.
    fn may_cover(&self, scope: &FileScope<'_>, name: &str, started: Span) -> bool {
        let reads = |sign: &str| scope.whole_text().contains(&format!("{sign}{name}"));
        self.all
            || self.names.get(name).is_some_and(|at| *at < started.start)
            || ["$", "${", "$(", "!"].into_iter().any(reads)
            || is_calculated_with(scope.whole_text(), name)
    }
}

/// Whether a script computes with a variable, which it then names without a sign: `${CARDS[GPU_ID]}`, `$((GPU_ID + 1))`.
fn is_calculated_with(text: &str, name: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let within = |opening: &str, closing: &str| {
        text.match_indices(opening).any(|(at, _)| {
            let line = text[at + opening.len()..].lines().next().unwrap_or_default();
            let inside = line.split(closing).next().unwrap_or_default();
            inside.split(|letter| !is_part(letter)).any(|word| word == name)
        })
    };
    within("((", "))") || text.contains("${") && within("[", "]")
}

/// The first program that steps start and that may use a GPU.
pub(super) fn started_in(scope: &FileScope<'_>, steps: &[Statement<'_>]) -> Option<Span> {
    let mut started = None;
    walk_block(scope.code, steps, &mut |part, _| {
        let CodeNode::Statement(Statement { kind: StatementKind::Command(command), span }) = part else {
            return;
        };
        let Some(ExprKind::Text(word)) = command.words.first().map(|word| &word.kind) else { return };
        let name = file_name_of(word);
        let is_program = name.starts_with("python")
            || name.ends_with(".py")
            || name.ends_with(".sh")
            || STARTERS.contains(&name);
        if started.is_none() && is_program {
            started = Some(*span);
        }
    });
    started
}

/// Whether a variable is set by a line for a shell, and not by a key of a file or an option of a program.
fn is_said_to_a_shell(scope: &FileScope<'_>, set: Span) -> bool {
    let before = &scope.whole_text()[..set.start as usize];
    let line = before.rsplit('\n').next().unwrap_or_default();
    let own = line.rsplit([';', '&', '(']).next().unwrap_or_default().trim();
    let mut words = own.trim_start_matches(['@', '-', '+', ' ']).split_whitespace();
    words.all(|word| SHELL_WORDS.contains(&word) || is_assignment(word))
}

/// `echo "GPUS=$GPUS" >> $GITHUB_ENV`: the file through which a step of a workflow sets variables for those behind it, by name
/// or with the whole environment: `env >> $GITHUB_ENV`.
fn is_handed_to_later_steps(scope: &FileScope<'_>, name: &str, set: Span) -> bool {
    const FILES: &[&str] =
        &["GITHUB_ENV", "GITHUB_OUTPUT", "BUILDKITE_ENV_FILE", "BASH_ENV", "TASK.SETVARIABLE"];
    const ALL: &[&str] = &["env", "printenv", "export", "declare", "compgen", "Env:", "env:"];
    let behind = &scope.whole_text()[set.end as usize..];
    let is_next = |line: &str| line.trim_start().trim_start_matches("- ").starts_with("run:");
    let of_step = behind.lines().enumerate().take_while(|(at, line)| *at == 0 || !is_next(line));
    let mut is_named = false;
    // The name may stand in a line of its own, before the one that names the file.
    of_step.map(|(_, line)| line).any(|line| {
        is_named |= line.contains(name);
        let line_of_file = line.to_ascii_uppercase();
        let has_all = || line.split([' ', '\t', '(', '{', '|', ';']).any(|word| ALL.contains(&word));
        FILES.iter().any(|file| line_of_file.contains(file)) && (is_named || has_all())
    })
}

/// What a call hands to a shell, with a `0` for each part that is not known.
fn command_line(scope: &FileScope<'_>, call: &Call<'_>) -> Option<String> {
    let first = || argument(&call.arguments, Some(0), None);
    // `c.run("…")` of Invoke and Fabric.
    let is_run = matches!(call.callee.kind, ExprKind::Attribute(_, "run" | "sudo" | "local"));
    let Some(path) = scope.names.path(&call.callee) else {
        return first().filter(|_| is_run).and_then(|line| text_of(scope, line));
    };
    match path {
        "os.system"
        | "os.popen"
        | "subprocess.getoutput"
        | "subprocess.getstatusoutput"
        | "builtins.get_ipython().system"
        | "IPython.get_ipython().system" => text_of(scope, first()?),
        "subprocess.run"
        | "subprocess.call"
        | "subprocess.check_call"
        | "subprocess.check_output"
        | "subprocess.Popen" => {
            let shell = argument(&call.arguments, None, Some("shell"));
            let given = argument(&call.arguments, Some(0), Some("args"))?;
            if shell.is_some_and(|shell| matches!(shell.kind, ExprKind::Bool(true))) {
                return text_of(scope, given);
            }
            let ExprKind::Sequence(words) = &scope.names.meant(given).kind else { return None };
            let words: Vec<String> = words.iter().map_while(|word| text_of(scope, word)).collect();
            let [shell, option, line] = &words[..] else { return None };
            let is_shell = ["sh", "bash", "zsh"].contains(&file_name_of(shell));
            (is_shell && option.ends_with('c')).then(|| line.clone())
        }
        _ => None,
    }
}

fn text_of(scope: &FileScope<'_>, expr: &Expr<'_>) -> Option<String> {
    let unknown = || "0".to_owned();
    match &scope.names.meant(expr).kind {
        ExprKind::Text(text) => Some(text.to_string()),
        ExprKind::Join(parts) => {
            Some(parts.iter().map(|part| text_of(scope, part).unwrap_or_else(unknown)).collect())
        }
        ExprKind::Binary(Operator::Add, sides) => {
            Some(text_of(scope, &sides.0)? + &text_of(scope, &sides.1).unwrap_or_else(unknown))
        }
        ExprKind::Binary(Operator::Remainder, sides) => text_of(scope, &sides.0),
        ExprKind::Call(call) => match &call.callee.kind {
            ExprKind::Attribute(text, "format") => text_of(scope, text),
            _ => None,
        },
        _ => None,
    }
}

/// The first GPU variable that a command line sets and that nothing behind it gets.
fn lost_in(line: &str) -> Option<String> {
    let mut lost = None;
    for statement in statements(line) {
        let words: Vec<&str> = statement.split_whitespace().collect();
        let Some((first, rest)) = words.split_first() else { continue };
        let set = match *first {
            "export" | "set" => set_by(rest),
            "declare" | "typeset" if rest.first() == Some(&"-x") => set_by(&rest[1..]),
            "setenv" => rest.first().map(|name| (*name).to_owned()),
            _ if words.iter().all(|word| is_assignment(word)) => set_by(&words),
            idle if IDLE.contains(&idle) => continue,
            _ => {
                lost = None;
                continue;
            }
        };
        lost = lost.or(set.filter(|name| is_gpu_variable(name)));
    }
    lost
}

/// The first GPU variable among words such as `X=1`.
fn set_by(words: &[&str]) -> Option<String> {
    let mut names = words.iter().filter(|word| is_assignment(word)).filter_map(|word| word.split('=').next());
    names.find(|name| is_gpu_variable(name)).map(str::to_owned)
}

fn is_assignment(word: &str) -> bool {
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    word.split_once('=').is_some_and(|(name, _)| is_name(name))
}

/// The statements of a command line, apart from what stands between quotes.
fn statements(line: &str) -> Vec<&str> {
    let (mut found, mut start, mut quote) = (Vec::new(), 0, None);
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            (None, ';' | '\n' | '&' | '|') => {
                found.push(&line[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&line[start..]);
    found
}

/// The GPU variables that steps of a shell set and that no program behind them gets.
fn lost_in_block<'c>(block: &'c Block<'_>) -> Vec<(&'c str, Span)> {
    let mut lost = Vec::new();
    for step in block {
        match &step.kind {
            StatementKind::SetVariable(set) => {
                let again = lost
                    .last()
                    .is_some_and(|(_, before): &(&str, Span)| set.span.start.saturating_sub(before.end) <= 1);
                // Several variables of one `export` are one fault.
                if is_gpu_variable(&set.name) && !again {
                    lost.push((&*set.name, set.span));
                }
            }
            StatementKind::Command(command) => {
                let first = command.words.first().map(|word| &word.kind);
                let is_idle = matches!(first, Some(ExprKind::Text(word)) if IDLE.contains(&&**word));
                if !is_idle {
                    lost.clear();
                }
            }
            StatementKind::UnsetVariable(_) | StatementKind::ExportAll(_) => {}
            _ => lost.clear(),
        }
    }
    lost
}
