//! Devices that are chosen, and that nothing takes: an option that nobody reads, and a name that nobody looks up.

use super::cuda_calls::reaches_cuda;
use super::device_texts::texts_of;
use super::environments::is_of_subprocess;
use super::fixed_devices::is_fixed_beside;
use super::order::PlaceInFunction;
use super::{defaults_taken, overwritten_options, unread_providers, unread_settings, unused_parameters};
use crate::code::walk::{Ancestor, CodeNode, functions_around, walk};
use crate::code::{Call, Expr, ExprKind, StatementKind, Target};
use crate::commands::attribute_of_option;
use crate::facts::Span;
use crate::findings::Severity;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;
use rustc_hash::FxHashSet;

/// What options are called by which people choose a GPU.
pub(super) const OPTIONS: &[&str] = &["cuda_device", "device", "device_id", "gpu", "gpu_id", "gpu_index"];

/// And those by which they say how many.
const COUNTS: &[&str] = &["n_gpu", "n_gpus", "ngpu", "ngpus", "num_gpu", "num_gpus"];

/// What a choice says.
pub(super) const WHICH: &str = "which device to use";

/// What becomes of most of them.
pub(super) const UNREAD: &str = "nothing reads it";

/// Where names are looked up that no text shows.
const DYNAMIC: &[&str] = &["locals()", "globals()", "exec(", "eval(", "vars()"];

/// Options for a device that nobody reads, and devices that nobody takes.
pub(super) fn that_nobody_takes(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    if looks_names_up(text) {
        return Vec::new();
    }
    let mut found = unread_options(scope);
    found.extend(lost_options(scope));
    found.extend(overwritten_options::in_other_files(scope));
    found.extend(unread_names(scope));
    found.extend(unread_attributes(scope));
    found.extend(unused_parameters::for_devices(scope));
    found.extend(defaults_taken::where_a_device_is_told(scope));
    found.extend(unread_settings::unread_flags(scope));
    found.extend(unread_providers::that_no_session_takes(scope));
    found
}

/// Whether a text may look names up that it does not show; `model.eval()` is no `eval`.
fn looks_names_up(text: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.');
    DYNAMIC.iter().any(|word| text.match_indices(word).any(|(at, _)| !text[..at].ends_with(is_part)))
}

/// `parser.add_argument("--device")`, in a program that never says `args.device`.
fn unread_options(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let parsed = names_of_options(scope);
    if parsed.is_empty() {
        return Vec::new();
    }
    let mut options: Vec<(Span, String, &str)> = Vec::new();
    // Where the GPU is used, or a script is started, and what is wrong with that.
    let mut uses: Option<(Span, &str)> = None;
    let mut started: Option<(Span, &str)> = None;
    let mut made: Option<(Span, &str)> = None;
    let mut read: FxHashSet<&str> = FxHashSet::default();
    let mut handed = false;
    walk(scope.code, &mut |part, _| {
        let CodeNode::Expr(expr) = part else { return };
        match &expr.kind {
            // `torch.device` is no option.
            ExprKind::Attribute(object, name)
                if scope.names.path(object).is_none_or(|path| path.ends_with(')')) =>
            {
                read.insert(name);
            }
            ExprKind::Text(text) => {
                read.insert(text);
            }
            ExprKind::Call(call) => {
                match option_of(call) {
                    Some((flag, name)) => options.push((expr.span, name, flag)),
                    None => handed |= is_whole_handed(scope, call, parsed),
                }
                if uses.is_none() && reaches_cuda(expr, scope).is_some_and(|name| !is_question(&name)) {
                    uses = Some((expr.span, "the GPU is used here, whatever the option says"));
                }
                if made.is_none() && trains(scope, call) {
                    made = Some((expr.span, "what is made here stays where it is, whatever the option says"));
                }
                if started.is_none() && starts_command(scope, call) {
                    started = Some((expr.span, "what is started here is not told of it"));
                }
            }
            _ => {}
        }
    });
    // A script that starts others has its options for them.
    let started = started.filter(|_| starts_scripts(scope.whole_text()));
    // Nothing needs the GPU: the option was meant for what comes.
    let is_idle = uses.or(started).is_none();
    let Some((uses, how)) = uses.or(started).or(made).filter(|_| !handed) else { return Vec::new() };
    let is_unread = |(_, name, _): &&(Span, String, &str)| {
        !read.contains(name.as_str()) && !may_be_read_elsewhere(scope, name)
    };
    let raw_finding = |(span, name, flag): &(Span, String, &str)| {
        let says = if COUNTS.contains(&name.as_str()) { "how many GPUs to use" } else { WHICH };
        let raw_finding = RawFinding::at(scope.place(*span))
            .word("what", format!("the option `{flag}`"))
            .word("says", says)
            .word("fate", UNREAD)
            .beside(scope.place(uses), how);
        if is_idle { raw_finding.at_most(Severity::Note) } else { raw_finding }
    };
    options.iter().filter(is_unread).map(raw_finding).collect()
}

/// `args.device = "cuda:3"` behind `args = parser.parse_args()`: the option has no effect any more.
fn lost_options(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut options: Vec<(Span, String, &str)> = Vec::new();
    // Where the options are parsed, and where each is read.
    let mut parsed: Vec<(PlaceInFunction, &str)> = Vec::new();
    let mut read: Vec<(Span, &str)> = Vec::new();
    // Where all of them are handed on: `choose(args)`, `vars(args)`.
    let mut handed: Vec<Span> = Vec::new();
    let mut lost: Vec<(PlaceInFunction, &str, &str)> = Vec::new();
    let names = names_of_options(scope);
    walk(scope.code, &mut |part, around| match part {
        CodeNode::Statement(step) => {
            let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return };
            let place = PlaceInFunction::of(step.span, around);
            for target in targets {
                match target {
                    Target::Name(name, _) if names.contains(*name) => parsed.push((place.clone(), name)),
                    Target::Attribute(object, option) => {
                        let ExprKind::Name(object) = object.kind else { continue };
                        if matches!(value.kind, ExprKind::Text(_) | ExprKind::Int(_)) {
                            lost.push((place.clone(), object, option));
                        }
                    }
                    _ => {}
                }
            }
        }
        CodeNode::Expr(Expr { kind: ExprKind::Attribute(_, name), span }) => read.push((*span, name)),
        CodeNode::Expr(Expr { kind: ExprKind::Call(call), span }) => {
            options.extend(option_of(call).map(|(flag, name)| (*span, name, flag)));
            if !prints(scope, call) && call.arguments.iter().any(|one| is_all(&one.value, names)) {
                handed.push(*span);
            }
        }
        CodeNode::Expr(_) | CodeNode::Target(_) => {}
    });
    let mut found = Vec::new();
    for (place, object, option) in &lost {
        let Some((span, _, flag)) = options.iter().find(|(_, name, _)| name == option) else { continue };
        let Some((start, _)) = parsed.iter().rev().find(|(at, name)| name == object && at.precedes(place))
        else {
            continue;
        };
        // In every run that parses them, and before anybody has looked at it.
        let between = Span { start: start.span.end, end: place.span.start };
        let is_read = read.iter().any(|(at, name)| name == option && between.holds(*at))
            || handed.iter().any(|at| between.holds(*at));
        if place.arms.iter().all(|arm| start.arms.contains(arm)) && !is_read {
            let raw_finding = RawFinding::at(scope.place(*span)).word("what", format!("the option `{flag}`"));
            let raw_finding = raw_finding.word("says", WHICH);
            let raw_finding =
                raw_finding.word("fate", "another value takes its place before anything reads it");
            found.push(
                raw_finding.beside(scope.place(place.span), "it is set here, whatever the option says"),
            );
        }
    }
    found
}

/// The names that hold all options of the command line, also as parameters of functions that are handed them.
pub(super) fn names_of_options<'a>(scope: &'a FileScope<'_>) -> &'a FxHashSet<String> {
    scope.answers.options.get_or_init(|| find_names_of_options(scope))
}

fn find_names_of_options(scope: &FileScope<'_>) -> FxHashSet<String> {
    /// A function that hands them to a function that hands them on.
    const HOPS: usize = 3;
    let mut names: FxHashSet<String> = FxHashSet::default();
    let mut givers: FxHashSet<&str> = FxHashSet::default();
    let function_of = |call: &Call<'_>| match &call.callee.kind {
        ExprKind::Name(name) => scope.code.functions.iter().find(|function| function.name == *name),
        _ => None,
    };
    for _ in 0..HOPS {
        let known = (names.len(), givers.len());
        walk(scope.code, &mut |part, around| match part {
            CodeNode::Statement(step) => match &step.kind {
                StatementKind::Assign { targets, value: Some(value), .. } => {
                    let is_given = match &value.kind {
                        ExprKind::Call(call) => {
                            function_of(call).is_some_and(|function| givers.contains(function.name))
                        }
                        ExprKind::Name(name) => names.contains(*name),
                        _ => false,
                    };
                    if is_given || is_parse(value) {
                        names.extend(targets.iter().flat_map(Target::names).map(str::to_owned));
                    }
                }
                StatementKind::Return(Some(value)) => {
                    let gives =
                        is_parse(value) || matches!(value.kind, ExprKind::Name(name) if names.contains(name));
                    if gives && let Some(number) = functions_around(around).next_back() {
                        givers.insert(scope.code.functions[number].name);
                    }
                }
                _ => {}
            },
            CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) => {
                let takes = call.arguments.iter().any(|one| is_all(&one.value, &names));
                if let Some(function) = function_of(call).filter(|_| takes) {
                    names.extend(function.parameters.iter().map(|parameter| parameter.name.to_owned()));
                }
            }
            CodeNode::Expr(_) | CodeNode::Target(_) => {}
        });
        if known == (names.len(), givers.len()) {
            break;
        }
    }
    names
}

/// Whether an expression is all options of the command line.
fn is_all(expr: &Expr<'_>, names: &FxHashSet<String>) -> bool {
    match &expr.kind {
        ExprKind::Name(name) => names.contains(*name),
        ExprKind::Starred(inner) => is_all(inner, names),
        _ => is_parse(expr),
    }
}

/// `os.system(command)`, `subprocess.run(command)`
fn starts_command(scope: &FileScope<'_>, call: &Call<'_>) -> bool {
    let path = scope.names.path(&call.callee);
    path.is_some_and(|path| matches!(path, "os.popen" | "os.system") || is_of_subprocess(path))
}

/// Whether a text has commands such as `python train.py`.
fn starts_scripts(text: &str) -> bool {
    ["\"python ", "'python ", "\"python3 ", "'python3 "].iter().any(|word| {
        text.match_indices(word)
            .any(|(at, _)| text[at..].lines().next().is_some_and(|line| line.contains(".py")))
    })
}

fn may_be_read_elsewhere(scope: &FileScope<'_>, name: &str) -> bool {
    scope.is_named_elsewhere(name) && !scope.program.importers(scope.file).is_empty()
}

/// The flag and the name of an option for a device.
fn option_of<'c>(call: &'c Call<'_>) -> Option<(&'c str, String)> {
    if !matches!(call.callee.kind, ExprKind::Attribute(_, "add_argument")) {
        return None;
    }
    let flags = call.arguments.iter().filter(|one| one.name.is_none() && !one.unpacked);
    let flags = flags.filter_map(|one| match &one.value.kind {
        ExprKind::Text(text) => Some(text.as_ref()),
        _ => None,
    });
    let flag = flags.into_iter().find(|flag| flag.starts_with("--"))?;
    let name = match argument(&call.arguments, None, Some("dest")) {
        Some(_) => return None,
        None => attribute_of_option(flag),
    };
    OPTIONS.iter().chain(COUNTS).any(|known| *known == name).then_some((flag, name))
}

pub(super) fn is_parse(value: &Expr<'_>) -> bool {
    match &value.kind {
        ExprKind::Call(call) => {
            matches!(call.callee.kind, ExprKind::Attribute(_, "parse_args" | "parse_known_args"))
        }
        _ => false,
    }
}

/// `vars(args)`, `train(args)`: somebody else may read the option.
fn is_whole_handed(scope: &FileScope<'_>, call: &Call<'_>, names: &FxHashSet<String>) -> bool {
    let is_own = match &call.callee.kind {
        ExprKind::Name(name) => scope.code.functions.iter().any(|function| function.name == *name),
        _ => false,
    };
    !prints(scope, call) && !is_own && call.arguments.iter().any(|one| is_all(&one.value, names))
}

/// `print(args)`, of which no device depends.
fn prints(scope: &FileScope<'_>, call: &Call<'_>) -> bool {
    const PRINTING: &[&str] = &["builtins.print", "builtins.str", "builtins.repr", "pprint.pprint"];
    scope.names.path(&call.callee).is_some_and(|path| PRINTING.contains(&path))
}

fn is_question(name: &str) -> bool {
    name.ends_with("is_available") || name.ends_with("device_count")
}

/// `device = "cuda" if torch.cuda.is_available() else "cpu"`, and no further word of it.
fn unread_names(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut chosen: Vec<(Option<usize>, &str, Span)> = Vec::new();
    let mut read: Vec<(Vec<usize>, &str)> = Vec::new();
    let mut shared: FxHashSet<&str> = FxHashSet::default();
    let mut places = false;
    walk(scope.code, &mut |part, around| match part {
        CodeNode::Statement(step) => match &step.kind {
            StatementKind::Assign { targets, value: Some(value), .. } => {
                let [Target::Name(name, _)] = targets.as_slice() else { return };
                let in_class = matches!(
                    around.iter().rev().find(|one| matches!(one, Ancestor::Function(_) | Ancestor::Class(_))),
                    Some(Ancestor::Class(_))
                );
                if !in_class && is_device_name(name) && (is_choice(scope, value) || takes_option(value)) {
                    chosen.push((functions_around(around).next_back(), name, step.span));
                }
            }
            StatementKind::Share(names) => shared.extend(names.iter().copied()),
            _ => {}
        },
        CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) => {
            places |= places_something(call) || trains(scope, call);
        }
        CodeNode::Expr(Expr { kind: ExprKind::Name(name), .. }) if is_device_name(name) => {
            read.push((functions_around(around).collect(), name));
        }
        CodeNode::Expr(_) | CodeNode::Target(_) => {}
    });
    // Where nothing is there to lie on a device, a name that is left over says little.
    if !places {
        return Vec::new();
    }
    let is_unread = |(home, name, _): &&(Option<usize>, &str, Span)| {
        let is_read = read
            .iter()
            .any(|(functions, known)| known == name && home.is_none_or(|home| functions.contains(&home)));
        !is_read && !shared.contains(name) && (home.is_some() || !may_be_read_elsewhere(scope, name))
    };
    let raw_finding = |(_, name, span): &(Option<usize>, &str, Span)| {
        let raw_finding = RawFinding::at(scope.place(*span)).word("what", format!("`{name}`"));
        raw_finding.word("says", WHICH).word("fate", UNREAD).at_most(Severity::Note)
    };
    chosen.iter().filter(is_unread).map(raw_finding).collect()
}

/// `self.device = torch.device("cuda" if … else "cpu")` of a class, where no file of the project looks at a `.device`, and one trains
/// a model.
fn unread_attributes(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut chosen: Vec<(&str, Span)> = Vec::new();
    scope.each_statement(&mut |step, _| {
        let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return };
        let [Target::Attribute(object, name)] = targets.as_slice() else { return };
        if matches!(object.kind, ExprKind::Name("self")) && is_device_name(name) && is_choice(scope, value) {
            chosen.push((name, step.span));
        }
    });
    let [(name, span)] = chosen[..] else { return Vec::new() };
    // Who uses a library may read the attribute, unless its class does itself what the attribute should say.
    if !scope.program.has_any(&["torch.optim."]) && !is_fixed_beside(scope, span) {
        return Vec::new();
    }
    let is_read = scope.program.every_file().any(|(id, file)| {
        let text = &*file.text;
        text.match_indices(name).any(|(at, _)| {
            let is_own = id == scope.file && span.range().start <= at && at < span.range().end;
            let names = text[..at].ends_with(['.', '"', '\'']);
            names
                && !is_own
                && !text[at + name.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
                && !text[..at].ends_with("torch.")
        })
    });
    if is_read {
        return Vec::new();
    }
    let raw_finding = RawFinding::at(scope.place(span)).word("what", format!("`self.{name}`"));
    vec![raw_finding.word("says", WHICH).word("fate", UNREAD).at_most(Severity::Note)]
}

/// `args.pop("device")`, of the options of a command line.
fn takes_option(value: &Expr<'_>) -> bool {
    let ExprKind::Call(call) = &value.kind else { return false };
    let takes = matches!(call.callee.kind, ExprKind::Attribute(_, "pop"));
    let first = call.arguments.first().map(|one| &one.value.kind);
    takes && matches!(first, Some(ExprKind::Text(name)) if OPTIONS.contains(&name.as_ref()))
}

/// A layer or a model that a file makes itself and trains: `torch.optim.SGD(net.parameters())`.
pub(super) fn trains(scope: &FileScope<'_>, call: &Call<'_>) -> bool {
    scope.names.path(&call.callee).is_some_and(|path| {
        path.starts_with("torch.optim.") || path.starts_with("torch.nn.") && !path.contains("functional")
    })
}

/// A call that loads or moves what lies on some device: `GLiNER.from_pretrained("m")`, `load_model(path)`, `net.cuda()`.
fn places_something(call: &Call<'_>) -> bool {
    let (ExprKind::Name(name) | ExprKind::Attribute(_, name)) = &call.callee.kind else { return false };
    name.starts_with("load")
        || matches!(*name, "DataParallel" | "cuda" | "eval" | "from_pretrained" | "pipeline")
}

fn is_device_name(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    lower == "dev" || lower == "device" || lower.ends_with("_device")
}

/// A value that is a GPU here and the CPU there.
pub(super) fn is_choice(scope: &FileScope<'_>, value: &Expr<'_>) -> bool {
    let value = match &value.kind {
        ExprKind::Call(call) if scope.names.path(&call.callee) == Some("torch.device") => {
            match call.arguments.first() {
                Some(first) => &first.value,
                None => return false,
            }
        }
        // `args.device or …`
        ExprKind::Any(operands) => match operands.last() {
            Some(last) => return is_choice(scope, last),
            None => return false,
        },
        _ => value,
    };
    let ExprKind::Choice(parts) = &value.kind else { return false };
    let either = [&parts.1, &parts.2];
    let says = |word: &str| {
        either.iter().any(|one| {
            scope.text(one.span).contains(word)
                || texts_of(one, scope, false).iter().any(|text| text.text.starts_with(word))
        })
    };
    scope.text(parts.0.span).contains("cuda") && says("cuda") && says("cpu")
}
