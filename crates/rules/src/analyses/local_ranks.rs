//! The option `--local_rank` of a script, which the launcher of torch 2 no longer gives: it writes `--local-rank`.

use super::common_paths::all_come_to;
use super::spread_ranks::imports;
use crate::code::ExprKind;
use crate::code::walk::{CodeNode, walk};
use crate::facts::{FileId, Place, Span};
use crate::findings::Severity;
use crate::program::RunCommand;
use crate::rules::files::{FileScope, RawFinding};

const LAUNCHER: &str = "torch.distributed.launch";

/// With these the launcher gives no option, and the number stands in LOCAL_RANK alone.
const BY_VARIABLE: &[&str] = &["--use_env", "--use-env"];

/// `parser.add_argument("--local_rank")` in a script that `python -m torch.distributed.launch` starts.
pub(super) fn that_are_not_given(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let options = options_of(scope);
    if options.is_empty() {
        return Vec::new();
    }
    let name = scope.program.name_of(scope.file);
    let since = scope.program.versions().at_least(name, "torch", "2.0");
    let Some((site, started)) = launched(scope).filter(|_| since != Some(false)) else { return Vec::new() };
    let Some(option) = reached(scope, started, |span| options.contains(&span)) else { return Vec::new() };
    let parses = |file: &FileScope<'_>| {
        let text = |span| file.text(span);
        reached(file, started, |span| {
            text(span).ends_with(".parse_args") || text(span).ends_with(".parse_known_args")
        })
        .is_some()
    };
    if !parses(scope) && (started == scope.file || !scope.in_other(started, parses)) {
        return Vec::new();
    }
    let texts = [scope.whole_text(), &scope.program.sources.file(started).text];
    let says = |word: &str| texts.iter().any(|text| text.contains(word));
    // What is not known is left alone there, and the option keeps its default.
    let what = match (says(".parse_args("), says(".parse_known_args(")) {
        (true, false) => "the program ends with an error",
        (false, true) if !says("LOCAL_RANK") => "the option keeps its default in every process",
        _ => return Vec::new(),
    };
    let raw_finding = RawFinding::at(scope.place(option)).word("what", what);
    let raw_finding = raw_finding.beside(site, "this launcher gives `--local-rank` since torch 2.0");
    // An older torch may be meant where nothing says which one it is.
    vec![if since.is_none() { raw_finding.at_most(Severity::Note) } else { raw_finding }]
}

/// The first of such expressions to which the processes come that start a file: a program for another use, below
/// `if __name__ == "__main__":`, is none.
fn reached(scope: &FileScope<'_>, started: FileId, is_it: impl Fn(Span) -> bool) -> Option<Span> {
    let mut found = None;
    walk(scope.code, &mut |part, around| {
        let CodeNode::Expr(expr) = part else { return };
        if found.is_none() && is_it(expr.span) && all_come_to(scope, started, expr.span, around) {
            found = Some(expr.span);
        }
    });
    found
}

/// The names of the option, where no name of one has the other sign.
fn options_of(scope: &FileScope<'_>) -> Vec<Span> {
    let (mut old, mut is_new) = (Vec::new(), scope.whole_text().contains("local-rank"));
    scope.each_call(&mut |_, call, _| {
        if !matches!(call.callee.kind, ExprKind::Attribute(_, "add_argument")) {
            return;
        }
        for argument in &call.arguments {
            match &argument.value.kind {
                ExprKind::Text(name) if *name == "--local_rank" => old.push(argument.value.span),
                ExprKind::Text(_) => {}
                // Names that are put together may be any.
                _ => is_new |= argument.name.is_none(),
            }
        }
    });
    if is_new { Vec::new() } else { old }
}

/// The command that starts this file by the launcher, or a file that imports this one, and which it starts.
fn launched(scope: &FileScope<'_>) -> Option<(Place, FileId)> {
    let is_given = |command: &&RunCommand| {
        let words = command.words();
        let has = |wanted: &str| words.contains(&Some(wanted));
        has(LAUNCHER) && !BY_VARIABLE.iter().any(|option| has(option))
    };
    let reaches = |started: FileId| started == scope.file || imports(scope, started);
    let mut commands = scope.program.run_commands().flatten().filter(is_given);
    commands.find_map(|command| {
        let started = command.starts.filter(|started| reaches(*started))?;
        Some((command.site, started))
    })
}
