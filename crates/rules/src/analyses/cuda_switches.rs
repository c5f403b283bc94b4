//! `.cuda()` outside the switch that decides about the GPU in the rest of its file.

use super::hard_cuda::{ends_without, is_asked, shown};
use crate::code::walk::{Ancestor, CodeNode, functions_around, innermost_class, walk};
use crate::code::{Expr, ExprKind, Target};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};
use rustc_hash::FxHashMap;

/// So many moves to the GPU behind a switch say that the file means to work without one.
const ENOUGH: usize = 2;

/// A call `.cuda()`.
struct Move {
    span: Span,
    /// The function and the class around it.
    function: Option<usize>,
    class: Option<usize>,
    /// The switch that is on there, or off.
    switch: Option<(String, bool)>,
    /// Whether anything around it asks for the GPU.
    is_asked: bool,
}

/// The calls that run with the switch off too.
pub(super) fn left_out(scope: &FileScope<'_>) -> Vec<RawFinding> {
    if is_test(scope.program.name_of(scope.file)) {
        return Vec::new();
    }
    let moves = moves_of(scope);
    let Some(switch) = switch_of_file(scope, &moves) else { return Vec::new() };
    let calls = Calls::of(scope);
    let of_module = binds(scope, root_of(&switch));
    let is_seen = |one: &&Move| sees(scope, &moves, one, &switch, of_module);
    let is_open = |one: &&Move| !one.is_asked && calls.run_anyway(one.function, scope);
    let mut open: Vec<&Move> = moves.iter().filter(is_open).filter(is_seen).collect();
    // Where the model moves unasked, and only other things when asked, the switch says where those are kept.
    let is_model = |one: &&Move| moves_model(one, scope);
    if open.iter().any(is_model) && !moves.iter().filter(|one| one.switch.is_some()).any(|one| is_model(&one))
    {
        return Vec::new();
    }
    let line_of = |one: &Move| scope.whole_text()[..one.span.start as usize].matches('\n').count();
    open.dedup_by_key(|one| line_of(one));
    let found = open.into_iter().map(|one| {
        let place = scope.place(one.span);
        RawFinding::at(place).word("text", shown(one.span, scope)).word("switch", switch.clone())
    });
    found.collect()
}

/// `model.cuda()`, `self.net.cuda()`
fn moves_model(one: &Move, scope: &FileScope<'_>) -> bool {
    let text = scope.text(one.span).to_ascii_lowercase();
    let object = text.rsplit_once(".cuda").map_or("", |(object, _)| object);
    object.split(|letter: char| !letter.is_ascii_alphanumeric()).any(|word| matches!(word, "model" | "net"))
}

fn is_test(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let is_file = parts.next().is_some_and(|file| file.starts_with("test_") || file == "conftest.py");
    is_file || parts.any(|folder| matches!(folder, "test" | "tests" | "testing"))
}

fn moves_of(scope: &FileScope<'_>) -> Vec<Move> {
    let mut moves = Vec::new();
    scope.each_call(&mut |expr, call, around| {
        let is_method = matches!(&call.callee.kind, ExprKind::Attribute(_, "cuda"))
            && scope.names.path(&call.callee).is_none_or(|path| path.contains('('));
        if !is_method {
            return;
        }
        moves.push(Move {
            span: expr.span,
            function: functions_around(around).next_back(),
            class: innermost_class(around),
            switch: around.iter().rev().find_map(|one| match one {
                Ancestor::Then(test) => switch_in(test, true, scope),
                Ancestor::Otherwise(test) => switch_in(test, false, scope),
                _ => None,
            }),
            is_asked: is_asked(around, expr.span, scope) || is_for_a_build(around, scope),
        });
    });
    moves
}

/// `if args.test_trt:`: an engine of TensorRT is built and run on a GPU alone, and nobody asks for one elsewhere.
fn is_for_a_build(around: &[Ancestor<'_, '_>], scope: &FileScope<'_>) -> bool {
    around.iter().any(|one| match one {
        Ancestor::Then(test) => {
            let text = scope.text(test.span).to_ascii_lowercase();
            let mut words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
            !text.starts_with("not ") && words.any(|word| matches!(word, "trt" | "tensorrt" | "torch2trt"))
        }
        _ => false,
    })
}

/// Whether the switch can be asked where a move stands: it is an attribute of the same object, a name of the module, or one that the
/// function has.
fn sees(scope: &FileScope<'_>, moves: &[Move], one: &Move, switch: &str, of_module: bool) -> bool {
    if root_of(switch) == "self" {
        let asks_there = |other: &Move| {
            other.class == one.class && other.switch.as_ref().is_some_and(|(asked, _)| asked == switch)
        };
        return one.class.is_some() && moves.iter().any(asks_there);
    }
    let in_function = |number: usize| mentions(scope.text(scope.code.functions[number].span), switch);
    of_module
        || one.function.is_some_and(in_function)
        || one.class.is_none() && one.function.is_some_and(|number| helps(scope, moves, number, switch))
}

/// Whether a function of the module is called by a class that asks the switch: `run_rnn(self.rnn, x)` of a class whose constructor says
/// `if gpu: self.cuda()`.
fn helps(scope: &FileScope<'_>, moves: &[Move], function: usize, switch: &str) -> bool {
    let name = scope.code.functions[function].name;
    let asks = |class: usize| {
        let mut of_class = moves.iter().filter(|other| other.class == Some(class));
        of_class.any(|other| other.switch.as_ref().is_some_and(|(asked, _)| asked == switch))
    };
    let mut helps = false;
    scope.each_call(&mut |_, call, around| {
        helps |= matches!(call.callee.kind, ExprKind::Name(called) if called == name)
            && innermost_class(around).is_some_and(asks);
    });
    helps
}

/// Whether the program has an option of this name that is off until somebody says it: `--gpu` with `action="store_true"`.
fn is_off_by_default(scope: &FileScope<'_>, switch: &str) -> bool {
    /// An option is described in so many bytes.
    const NEAR: usize = 160;
    let name = switch.rsplit('.').next().unwrap_or(switch);
    let written = ['"', '\''].map(|quote| format!("{quote}--{name}{quote}"));
    scope.program.files_with("store_true").iter().any(|file| {
        let text = scope.program.text_of(*file);
        written.iter().flat_map(|option| text.match_indices(option.as_str())).any(|(at, _)| {
            let said = text[at..].split("add_argument").next().unwrap_or_default();
            said.find("store_true").is_some_and(|there| there < NEAR)
        })
    })
}

/// Whether a text has the switch as a whole: `tensor.cpu()` does not ask `cpu`.
fn mentions(text: &str, switch: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(switch).any(|(at, _)| {
        !text[..at].ends_with(|letter: char| is_part(letter) || letter == '.')
            && !text[at + switch.len()..].starts_with(is_part)
    })
}

fn root_of(switch: &str) -> &str {
    switch.split('.').next().unwrap_or(switch)
}

/// Whether the module binds a name outside of its functions.
fn binds(scope: &FileScope<'_>, name: &str) -> bool {
    let mut is_bound = name == "torch";
    walk(scope.code, &mut |part, around| {
        if let CodeNode::Target(Target::Name(bound, _)) = part {
            is_bound |= *bound == name && functions_around(around).next().is_none();
        }
    });
    is_bound
}

/// The switch that a test asks, and whether it is on where the test has the given result.
fn switch_in(test: &Expr<'_>, result: bool, scope: &FileScope<'_>) -> Option<(String, bool)> {
    match &test.kind {
        ExprKind::Not(inner) => switch_in(inner, !result, scope),
        ExprKind::All(parts) if result => parts.iter().find_map(|part| switch_in(part, true, scope)),
        // Where a tensor lies is no switch.
        ExprKind::Attribute(_, "is_cuda") => None,
        ExprKind::Name(name) | ExprKind::Attribute(_, name) => {
            let name = name.to_ascii_lowercase();
            // Numbers, names and lists of GPUs are none.
            let others = ["count", "device", "id", "multi", "num", "visible", "n_gpu", "all"];
            let is_switch = (name.contains("cuda") || name.ends_with("gpu"))
                && !others.iter().any(|word| name.contains(word));
            // `if not args.cpu:`
            let is_of_cpu = matches!(name.as_str(), "cpu" | "cpu_only" | "force_cpu" | "use_cpu");
            if is_of_cpu
                && is_option(&name, scope)
                && scope.names.path(test).is_none_or(|path| !path.starts_with("torch."))
            {
                return Some((scope.text(test.span).to_owned(), !result));
            }
            let is_on = if name.contains("no_") { !result } else { result };
            is_switch.then(|| (scope.text(test.span).to_owned(), is_on))
        }
        ExprKind::Call(call) => (scope.names.path(&call.callee) == Some("torch.cuda.is_available"))
            .then(|| ("torch.cuda.is_available()".to_owned(), result)),
        _ => None,
    }
}

/// Whether the program has an option of this name. Another switch may be there for one thing alone: `metric(frames, cpu=True)`.
fn is_option(name: &str, scope: &FileScope<'_>) -> bool {
    let text = scope.whole_text();
    [name.to_owned(), name.replace('_', "-")]
        .iter()
        .any(|name| ['"', '\''].iter().any(|quote| text.contains(&format!("{quote}--{name}{quote}"))))
}

/// The switch behind which most moves of a file stand, and none on its other side.
fn switch_of_file(scope: &FileScope<'_>, moves: &[Move]) -> Option<String> {
    let mut amounts: FxHashMap<&str, usize> = FxHashMap::default();
    for (switch, is_on) in moves.iter().filter_map(|one| one.switch.as_ref()) {
        if !is_on {
            return None;
        }
        *amounts.entry(switch).or_default() += 1;
    }
    let (switch, amount) = amounts.into_iter().max_by_key(|&(switch, amount)| (amount, switch))?;
    let text = scope.whole_text();
    // The number of a GPU is no switch.
    let is_number = ["cuda(", "device("].iter().any(|call| text.contains(&format!("{call}{switch})")));
    let is_enough = amount >= ENOUGH || is_off_by_default(scope, switch);
    (is_enough && !is_number && !ends_without(scope)).then(|| switch.to_owned())
}

/// Where the functions and classes of a file are called, by name: whether some call runs with the switch off.
struct Calls<'s>(FxHashMap<&'s str, bool>);

impl<'s> Calls<'s> {
    fn of(scope: &FileScope<'s>) -> Calls<'s> {
        let mut calls: FxHashMap<&'s str, bool> = FxHashMap::default();
        scope.each_call(&mut |expr, call, around| {
            let (ExprKind::Name(name) | ExprKind::Attribute(_, name)) = call.callee.kind else { return };
            *calls.entry(name).or_default() |= !is_asked(around, expr.span, scope);
        });
        Calls(calls)
    }

    /// Whether the file runs a function whatever the switch says. One that it never calls is called from elsewhere, and nobody
    /// knows how.
    fn run_anyway(&self, function: Option<usize>, scope: &FileScope<'_>) -> bool {
        let Some(function) = function.map(|number| &scope.code.functions[number]) else { return true };
        self.0.get(function.name).copied().unwrap_or(function.name == "main")
    }
}
