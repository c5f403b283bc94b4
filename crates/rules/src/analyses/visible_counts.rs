//! Numbers that count the visible GPUs, written into a mask, which counts all of them.

use super::handed_arguments::Handed;
use super::memory::function_named;
use super::names_in_text::mentions;
use super::own_calls::{imported, may_lie_elsewhere, module_and_name, names_imported};
use crate::code::walk::{Ancestor, CodeNode, functions_around, walk, walk_block};
use crate::code::{Call, Expr, ExprKind, Function, Operator, Statement, StatementKind, Target};
use crate::commands::program_name;
use crate::facts::Span;
use crate::findings::Severity;
use crate::program::MASK;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;
use crate::sources::file_name_of;
use rustc_hash::{FxHashMap, FxHashSet};

/// What counts the GPUs that are visible.
const COUNTS: &[&str] = &["torch.accelerator.device_count", "torch.cuda.device_count"];

/// Names that take their value from names that do: further ones are not followed.
const ROUNDS: usize = 4;

/// So many modules are asked in turn for what their functions give.
const MOST_MODULES: usize = 2;

/// `os.environ["CUDA_VISIBLE_DEVICES"] = str(worker % torch.cuda.device_count())`, in a file that never asks which are visible.
pub(super) fn as_masks(scope: &FileScope<'_>) -> Vec<RawFinding> {
    if reads_mask(scope) {
        return Vec::new();
    }
    let mut known = Known::of(scope, 0);
    add_handed_from_elsewhere(scope, &mut known);
    known.spread(scope);
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
    /// Numbers below that, and functions that give one.
    numbers: FxHashSet<&'a str>,
    /// Lists with one entry for each visible GPU.
    lists: FxHashSet<&'a str>,
}

/// What a function gives.
enum Given {
    Count,
    Numbers,
}

/// What a function gives, which may stand in another module of the project.
fn given_elsewhere(scope: &FileScope<'_>, call: &Call<'_>, modules: usize) -> Option<Given> {
    let (module, name) = module_and_name(&call.callee)?;
    let given = |scope: &FileScope<'_>, name: &str, known: &Known<'_>| {
        let function = function_named(scope, name)?;
        let mut given = None;
        walk_block(scope.code, &function.body, &mut |part, _| {
            let CodeNode::Statement(Statement { kind: StatementKind::Return(Some(value)), .. }) = part else {
                return;
            };
            let text = scope.text(value.span);
            if known.is_count(text) {
                given = Some(Given::Count);
            } else if known.has_number(text) {
                given = Some(Given::Numbers);
            }
        });
        given
    };
    match imported(scope, module, name) {
        Some((file, name)) if scope.program.text_of(file).contains("device_count") => {
            scope.in_other(file, |other| {
                let asks = reads_mask(other);
                given(other, name, &Known::of(other, modules + 1)).filter(|_| !asks)
            })
        }
        Some(_) => None,
        // The count of the file itself, in a function.
        None if module.is_none() => {
            let function = function_named(scope, name)?;
            let text = scope.text(function.span);
            text.contains("device_count")
                .then(|| given(scope, name, &Known::of(scope, MOST_MODULES)))
                .flatten()
        }
        None => None,
    }
}

/// Adds the parameters that files which import this one give a number to: `Process(target=worker, args=(gpu,))`.
fn add_handed_from_elsewhere<'a>(scope: &FileScope<'a>, known: &mut Known<'a>) {
    let writes = |function: &&Function<'_>| scope.text(function.span).contains(MASK);
    let functions: Vec<&Function<'a>> =
        scope.code.functions.iter().filter(writes).filter(|one| !one.parameters.is_empty()).collect();
    if functions.is_empty() {
        return;
    }
    for importer in scope.program.importers(scope.file) {
        let text = scope.program.text_of(importer.file);
        if !functions.iter().any(|function| text.contains(function.name)) {
            continue;
        }
        scope.in_other(importer.file, |other| {
            if reads_mask(other) {
                return;
            }
            let theirs = Known::of(other, 0);
            other.each_call(&mut |_, call, _| {
                let Some(given) = Handed::by(call) else { return };
                let Some((_, name)) =
                    imported(other, given.module, given.name).filter(|(file, _)| *file == scope.file)
                else {
                    return;
                };
                let Some(function) = functions.iter().find(|function| function.name == name) else { return };
                let numbers = given.to(function).into_iter();
                let numbers = numbers.filter(|(_, value)| theirs.has_number(other.text(value.span)));
                known.numbers.extend(numbers.map(|(parameter, _)| parameter));
            });
        });
    }
}

/// The list of `enumerate(list)`.
fn enumerated<'a>(scope: &FileScope<'a>, iterable: &Expr<'a>) -> Option<&'a str> {
    let ExprKind::Call(call) = &iterable.kind else { return None };
    let is_it = matches!(call.callee.kind, ExprKind::Name("enumerate"));
    call.arguments.first().filter(|_| is_it).map(|list| scope.text(list.value.span))
}

impl<'a> Known<'a> {
    /// What a file says of its own names, and of what functions of other modules give it.
    fn of(scope: &FileScope<'a>, modules: usize) -> Known<'a> {
        let mut known = Known::default();
        let imports = names_imported(scope);
        let asks = |function: &&Function<'a>| scope.text(function.span).contains("device_count");
        let asking: FxHashSet<&str> = scope.code.functions.iter().filter(asks).map(|one| one.name).collect();
        // A file calls the same functions again and again.
        let mut given_by: FxHashMap<&str, Option<Given>> = FxHashMap::default();
        scope.each_call(&mut |expr, call, _| {
            if scope.names.path(&call.callee).is_some_and(|path| COUNTS.contains(&path)) {
                known.counts.insert(scope.text(expr.span));
                return;
            }
            let is_asking = matches!(call.callee.kind, ExprKind::Name(name) if asking.contains(name));
            if modules < MOST_MODULES && (is_asking || may_lie_elsewhere(call, &imports)) {
                let callee = scope.text(call.callee.span);
                match given_by.entry(callee).or_insert_with(|| given_elsewhere(scope, call, modules)) {
                    Some(Given::Count) => known.counts.insert(scope.text(expr.span)),
                    Some(Given::Numbers) => known.numbers.insert(callee),
                    None => false,
                };
            }
        });
        known.spread(scope);
        known
    }

    /// Follows what is known through the names of a file.
    fn spread(&mut self, scope: &FileScope<'a>) {
        // Of two functions with one name the first.
        let functions = scope.code.functions.iter().rev().map(|function| (function.name, function)).collect();
        for _ in 0..ROUNDS {
            walk(scope.code, &mut |part, around| match part {
                CodeNode::Statement(step) => self.look_at(scope, &step.kind, around),
                CodeNode::Expr(Expr { kind: ExprKind::Comprehension(comprehension), .. }) => {
                    for generator in &comprehension.generators {
                        if self.has_number(scope.text(generator.iterable.span)) {
                            self.numbers.extend(generator.target.names());
                        }
                    }
                }
                CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) => {
                    self.hand_on(scope, call, &functions)
                }
                CodeNode::Expr(_) | CodeNode::Target(_) => {}
            });
        }
    }

    fn look_at(&mut self, scope: &FileScope<'a>, step: &StatementKind<'a>, around: &[Ancestor<'_, 'a>]) {
        match step {
            StatementKind::Assign { targets, value: Some(value), .. } => {
                let text = scope.text(value.span);
                let names = targets.iter().flat_map(Target::names);
                if self.is_count(text) {
                    self.counts.extend(names);
                } else if self.has_number(text) {
                    self.numbers.extend(names);
                } else if self.is_as_long(text) {
                    self.lists.extend(names);
                }
            }
            StatementKind::For { target, iterable, .. } => {
                if self.has_number(scope.text(iterable.span)) {
                    self.numbers.extend(target.names());
                } else if let Some(list) = enumerated(scope, iterable)
                    && self.lists.contains(list)
                {
                    self.numbers.extend(target.names().first());
                }
            }
            // `def pick(): … return gpu`
            StatementKind::Return(Some(value)) if self.has_number(scope.text(value.span)) => {
                let inner = functions_around(around).next_back();
                self.numbers.extend(inner.map(|number| scope.code.functions[number].name));
            }
            _ => {}
        }
    }

    /// What a call gives to the parameters of a function of the file.
    fn hand_on(
        &mut self,
        scope: &FileScope<'a>,
        call: &Call<'a>,
        functions: &FxHashMap<&str, &Function<'a>>,
    ) {
        let Some(given) = Handed::by(call).filter(|given| given.module.is_none()) else { return };
        let Some(function) = functions.get(given.name) else { return };
        for (parameter, value) in given.to(function) {
            let text = scope.text(value.span);
            if self.is_count(text) {
                self.counts.insert(parameter);
            } else if self.lists.contains(text) {
                self.lists.insert(parameter);
            } else if self.has_number(text) {
                self.numbers.insert(parameter);
            }
        }
    }

    fn is_count(&self, text: &str) -> bool {
        self.counts.contains(text)
            || text
                .strip_prefix("len(")
                .and_then(|rest| rest.strip_suffix(')'))
                .is_some_and(|list| self.lists.contains(list))
    }

    /// `[None] * count`: one entry for each visible GPU.
    fn is_as_long(&self, text: &str) -> bool {
        let sides = text.rsplit_once('*').filter(|(list, _)| list.trim_start().starts_with('['));
        sides.is_some_and(|(_, count)| self.is_count(count.trim()))
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
            // `range(first, count)`
            let ends = || text.contains("range(") && text.ends_with(&format!(", {count})"));
            of("%") || of("range(") || ends()
        };
        let of_list = |list: &&str| below(&format!("len({list})"));
        self.counts.iter().any(|count| below(count))
            || self.lists.iter().any(of_list)
            || mentions(text, &self.numbers)
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
        // `"…={} python train.py".format(n)`
        ExprKind::Call(call) => {
            let ExprKind::Attribute(text, "format") = &call.callee.kind else { return None };
            let ExprKind::Text(text) = &text.kind else { return None };
            let (before, behind) = text.split_once(MASK)?;
            let (place, _) = behind.strip_prefix("={")?.split_once('}')?;
            if !sets_here(before) {
                return None;
            }
            let place = place.split(':').next().unwrap_or_default();
            match place.parse::<usize>() {
                Ok(at) => argument(&call.arguments, Some(at), None),
                Err(_) if place.is_empty() => {
                    argument(&call.arguments, Some(before.matches("{}").count()), None)
                }
                Err(_) => call.arguments.iter().find(|one| one.name == Some(place)).map(|one| &one.value),
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
