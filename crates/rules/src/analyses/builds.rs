//! What `setup.py` builds, where it asks the machine for a GPU, or leaves that to torch: the build of an image sees none.

use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::code::{Expr, ExprKind, Host, Statement, StatementKind, Target};
use crate::facts::{FileId, Place, Span};
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
    commands
        .any(|command| command.starts == Some(scope.file) || installed(scope, command) == Some(scope.file))
}

/// The `setup.py` of `pip install -e .`
pub(super) fn installed(scope: &FileScope<'_>, command: &RunCommand) -> Option<FileId> {
    command.told_pip_install()?.into_iter().find_map(|word| {
        let word = word.trim_start_matches("-e").trim_start_matches("--editable=");
        let folder = word.split_once('[').map_or(word, |(folder, _)| folder);
        let is_folder = folder == "." || folder.contains('/') && !folder.contains("://");
        let setup = format!("{}/setup.py", folder.trim_end_matches('/'));
        is_folder.then(|| scope.program.file_beside(command, None, &setup)).flatten()
    })
}

/// Images with a compiler for CUDA, which say nothing of architectures.
const WITH_COMPILER: &[&str] = &["nvidia/cuda:", "pytorch/pytorch:"];

/// `RUN pip install ./ops`, where `setup.py` has CUDA code and neither says for which architectures.
pub(super) fn without_architectures(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    let is_open = scope.language() == Language::Dockerfile
        && !["ARCH_LIST", "--device", "--security", "/whl/cpu"].iter().any(|word| text.contains(word))
        && !sources_a_file(text);
    if !is_open {
        return Vec::new();
    }
    let mut found: Vec<RawFinding> = Vec::new();
    for command in scope.own_commands().filter(|command| command.host == Host::NoGpu) {
        let before = &text[..command.site.span.range().start];
        let base = before.lines().rev().find_map(|line| line.trim().strip_prefix("FROM "));
        let has_compiler = base.is_some_and(|base| {
            base.contains("devel") && WITH_COMPILER.iter().any(|image| base.trim().starts_with(image))
        });
        let started =
            || command.starts.filter(|file| file_name_of(scope.program.name_of(*file)) == "setup.py");
        let Some(setup) = installed(scope, command).or_else(started).filter(|_| has_compiler) else {
            continue;
        };
        let Some(extension) = that_leaves_architectures(scope, setup) else { continue };
        let raw_finding = RawFinding::at(command.site).word("text", scope.program.name_of(setup));
        if !found.iter().any(|known| known.place == raw_finding.place) {
            found.push(
                raw_finding.beside(extension, "its CUDA code is compiled for the GPUs that torch finds"),
            );
        }
    }
    found
}

/// Where a `setup.py` describes CUDA code, if no word of it speaks of architectures, of a variable or of a question first.
fn that_leaves_architectures(scope: &FileScope<'_>, setup: FileId) -> Option<Place> {
    let text = &*scope.program.sources.file(setup).text;
    let lower = text.to_ascii_lowercase();
    let decides = ["arch", "sm_", "environ", "getenv", "is_available", "device_count"];
    let (mut found, mut has_sources) = (None, false);
    walk(scope.program.code(setup), &mut |part, _| {
        let CodeNode::Expr(expr) = part else { return };
        match &expr.kind {
            ExprKind::Text(text) => has_sources |= text.ends_with(".cu"),
            ExprKind::Call(call) => {
                let (ExprKind::Name(name) | ExprKind::Attribute(_, name)) = call.callee.kind else { return };
                if name == "CUDAExtension" {
                    found = found.or(Some(call.callee.span));
                }
            }
            _ => {}
        }
    });
    let span = found.filter(|_| has_sources && !decides.iter().any(|word| lower.contains(word)))?;
    Some(Place { file: setup, span })
}

/// `. ./arch.env`, `source arch.env`: what stands there may be a list. `. venv/bin/activate` has none.
fn sources_a_file(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.windows(3).any(|words| {
        let [before, word, file] = words else { return false };
        let begins = ["RUN", "&&", "||", "\\", "{", "("].contains(before) || before.ends_with(';');
        let word = word.trim_start_matches(['"', '\'', '(']);
        (word == "source" || word == "." && (begins || *before == "-c")) && !file.contains("/activate")
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
