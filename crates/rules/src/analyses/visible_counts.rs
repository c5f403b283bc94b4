//! Numbers that count the visible GPUs, written into a mask, which counts all of them.

use super::names_in_text::mentions;
use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::code::{Expr, ExprKind, Operator, StatementKind, Target};
use crate::commands::program_name;
use crate::facts::Span;
use crate::findings::Severity;
use crate::program::MASK;
use crate::rules::files::{FileScope, RawFinding};
use crate::sources::file_name_of;
use rustc_hash::FxHashSet;

/// What counts the GPUs that are visible.
const COUNTS: &[&str] = &["torch.accelerator.device_count", "torch.cuda.device_count"];

/// Names that take their value from names that do: further ones are not followed.
const ROUNDS: usize = 4;

/// `os.environ["CUDA_VISIBLE_DEVICES"] = str(worker % torch.cuda.device_count())`, in a file that never asks which are visible.
pub(super) fn as_masks(scope: &FileScope<'_>) -> Vec<RawFinding> {
    if reads_mask(scope) {
        return Vec::new();
    }
    let mut known = Known::default();
    walk(scope.code, &mut |part, _| {
        let CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        if scope.names.path(&call.callee).is_some_and(|path| COUNTS.contains(&path)) {
            known.counts.insert(scope.text(expr.span));
        }
    });
    for _ in 0..ROUNDS {
        walk(scope.code, &mut |part, _| match part {
            CodeNode::Statement(step) => match &step.kind {
                StatementKind::Assign { targets, value: Some(value), .. } => {
                    let text = scope.text(value.span);
                    if known.is_count(text) {
                        known.counts.extend(targets.iter().flat_map(Target::names));
                    } else if known.has_number(text) {
                        known.numbers.extend(targets.iter().flat_map(Target::names));
                    }
                }
                StatementKind::For { target, iterable, .. }
                    if known.has_number(scope.text(iterable.span)) =>
                {
                    known.numbers.extend(target.names());
                }
                _ => {}
            },
            CodeNode::Expr(Expr { kind: ExprKind::Comprehension(comprehension), .. }) => {
                for generator in &comprehension.generators {
                    if known.has_number(scope.text(generator.iterable.span)) {
                        known.numbers.extend(generator.target.names());
                    }
                }
            }
            _ => {}
        });
    }
    let mut found: Vec<Span> = Vec::new();
    walk(scope.code, &mut |part, around| match part {
        CodeNode::Statement(step) => {
            if let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind
                && targets.iter().any(is_mask)
                && known.has_number(scope.text(value.span))
                && !asks_first(scope, around)
            {
                found.push(value.span);
            }
        }
        CodeNode::Expr(expr) => {
            let numbers = lines_that_run(scope, expr).into_iter().filter_map(number_in_command);
            let counts = numbers.filter(|number| known.has_number(scope.text(number.span)));
            found.extend(counts.map(|number| number.span));
            let given: Vec<&Expr<'_>> = match &expr.kind {
                ExprKind::Mapping(entries) => {
                    let of_mask = |key: &Option<Expr<'_>>| key.as_ref().is_some_and(names_mask);
                    entries.iter().filter(|(key, _)| of_mask(key)).map(|(_, value)| value).collect()
                }
                ExprKind::Call(call) => {
                    call.arguments.iter().filter(|one| one.name == Some(MASK)).map(|one| &one.value).collect()
                }
                _ => Vec::new(),
            };
            found.extend(
                given.iter().filter(|value| known.has_number(scope.text(value.span))).map(|value| value.span),
            );
        }
        CodeNode::Target(_) => {}
    });
    let given = is_given_mask(scope);
    let raw_finding = |span: &Span| {
        let raw_finding = RawFinding::at(scope.place(*span)).word("text", scope.text(*span));
        if given { raw_finding.at_least(Severity::Warning) } else { raw_finding }
    };
    found.iter().map(raw_finding).collect()
}

/// What is known of the names of a file.
#[derive(Default)]
struct Known<'a> {
    /// How many GPUs are visible: names, and calls as they are written.
    counts: FxHashSet<&'a str>,
    /// Numbers below that.
    numbers: FxHashSet<&'a str>,
}

impl Known<'_> {
    fn is_count(&self, text: &str) -> bool {
        self.counts.contains(text)
    }

    /// `n % torch.cuda.device_count()`, `range(count)`, and what is made of such a number.
    fn has_number(&self, text: &str) -> bool {
        let below = |count: &str| {
            let of = |sign: &str| {
                text.match_indices(sign).any(|(at, _)| {
                    let rest = text[at + sign.len()..].trim_start();
                    rest.strip_prefix(count)
                        .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
                })
            };
            of("%") || of("range(")
        };
        self.counts.iter().any(|count| below(count)) || mentions(text, &self.numbers)
    }
}

/// What a call hands to a shell of this machine: a text, or the words of `["bash", "-c", "…"]` and `["env", "…"]`.
fn lines_that_run<'c>(scope: &FileScope<'c>, expr: &'c Expr<'c>) -> Vec<&'c Expr<'c>> {
    let ExprKind::Call(call) = &expr.kind else { return Vec::new() };
    let runs = scope
        .names
        .path(&call.callee)
        .is_some_and(|path| matches!(path, "os.system" | "os.popen") || path.starts_with("subprocess."));
    let Some(given) = call.arguments.first().filter(|one| runs && !one.unpacked) else { return Vec::new() };
    let line = scope.names.meant(&given.value);
    let ExprKind::Sequence(words) = &line.kind else { return vec![line] };
    match words.first().map(|word| &word.kind) {
        Some(ExprKind::Text(word)) if matches!(file_name_of(word), "bash" | "env" | "sh") => {
            words.iter().map(|word| scope.names.meant(word)).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether what stands before a mask lets the shell itself set it: not `ssh host`, which has cards of its own.
fn sets_here(text: &str) -> bool {
    let before = text.trim_end();
    before.is_empty() || ["export", "env", ";", "&", "|", "("].iter().any(|word| before.ends_with(word))
}

/// The number behind the mask in the text of a command: `f"CUDA_VISIBLE_DEVICES={n} python train.py"`,
/// `"CUDA_VISIBLE_DEVICES=" + str(n)`, `"CUDA_VISIBLE_DEVICES=%d" % n`.
fn number_in_command<'c>(expr: &'c Expr<'c>) -> Option<&'c Expr<'c>> {
    let ends_with_mask = |expr: &Expr<'_>| match &expr.kind {
        ExprKind::Text(text) => {
            text.strip_suffix('=').and_then(|text| text.strip_suffix(MASK)).is_some_and(sets_here)
        }
        _ => false,
    };
    match &expr.kind {
        ExprKind::Join(parts) => {
            let at = parts.iter().position(ends_with_mask)?;
            parts.get(at + 1)
        }
        ExprKind::Binary(Operator::Add, sides) if ends_with_mask(&sides.0) => Some(&sides.1),
        // `"…=" + str(n) + " python train.py"`
        ExprKind::Binary(Operator::Add, sides) => number_in_command(&sides.0),
        ExprKind::Binary(Operator::Remainder, sides) => {
            let ExprKind::Text(text) = &sides.0.kind else { return None };
            let (before, behind) = text.split_once(MASK)?;
            if !sets_here(before) {
                return None;
            }
            // What fills the first place of the text.
            let is_first = behind.starts_with("=%") && text.find('%') == text.find("=%").map(|at| at + 1);
            match &sides.1.kind {
                ExprKind::Sequence(values) => values.first().filter(|_| is_first),
                _ => Some(&sides.1).filter(|_| is_first),
            }
        }
        _ => None,
    }
}

fn is_mask(target: &Target<'_>) -> bool {
    matches!(target, Target::Item(item) if names_mask(&item.1))
}

fn names_mask(key: &Expr<'_>) -> bool {
    matches!(&key.kind, ExprKind::Text(text) if text == MASK)
}

/// `if "CUDA_VISIBLE_DEVICES" not in os.environ:`
fn asks_first(scope: &FileScope<'_>, around: &[Ancestor<'_, '_>]) -> bool {
    around.iter().any(|one| match one {
        Ancestor::Then(test) | Ancestor::Otherwise(test) => scope.text(test.span).contains(MASK),
        _ => false,
    })
}

/// Whether the file asks for the mask that it was given.
fn reads_mask(scope: &FileScope<'_>) -> bool {
    const ASKS: &[&str] = &["get(", "getenv(", "setdefault(", "pop("];
    let asks = |line: &str| {
        line.split_once(MASK).is_some_and(|(before, after)| {
            let after = after.trim_start_matches(['"', '\'']);
            let written = after.starts_with(']') && {
                let rest = after[1..].trim_start();
                rest.starts_with('=') && !rest.starts_with("==")
            };
            let is_key = after.trim_start().starts_with(':') || after.trim_start().starts_with('=');
            let is_asked = after.contains("in os.environ") || ASKS.iter().any(|ask| before.contains(ask));
            is_asked || !written && !is_key
        })
    };
    scope.whole_text().lines().filter(|line| !line.trim_start().starts_with('#')).any(asks)
}

/// Whether a script of the project that starts this file, or the tests that it configures, sets a mask.
fn is_given_mask(scope: &FileScope<'_>) -> bool {
    let configures_tests = file_name_of(scope.program.name_of(scope.file)) == "conftest.py";
    scope.program.run_commands().flatten().any(|command| {
        let starts_tests = || {
            command.words().iter().flatten().any(|word| matches!(program_name(word), "pytest" | "py.test"))
        };
        let own = command.starts == Some(scope.file) || configures_tests && starts_tests();
        own && scope.program.sources.file(command.site.file).text.contains("CUDA_VISIBLE_DEVICES=")
    })
}
