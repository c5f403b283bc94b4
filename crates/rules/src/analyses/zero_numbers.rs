//! Numbers of GPUs that are tested for truth: `f"cuda:{gpu}" if gpu else "cpu"` takes the CPU for GPU 0.

use super::literal_defaults::{Literal, default_of};
use super::memory::path;
use crate::code::walk::{CodeNode, walk};
use crate::code::{Call, Expr, ExprKind, StatementKind};
use crate::commands::attribute_of_option;
use crate::facts::Span;
use crate::findings::Severity;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::forks::span_of;
use crate::rules::uses::argument;

/// `if gpu:` and `… if gpu else …`, where the first way takes the GPU of that number and the other one the CPU.
pub(super) fn tested_for_truth(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    walk(scope.code, &mut |part, _| match part {
        CodeNode::Statement(step) => {
            if let StatementKind::Branch { test, then, otherwise } = &step.kind {
                found.extend(tested(scope, test, span_of(then), span_of(otherwise)));
            }
        }
        CodeNode::Expr(Expr { kind: ExprKind::Choice(parts), .. }) => {
            found.extend(tested(scope, &parts.0, Some(parts.1.span), Some(parts.2.span)));
        }
        _ => {}
    });
    found
}

fn tested(
    scope: &FileScope<'_>,
    test: &Expr<'_>,
    then: Option<Span>,
    otherwise: Option<Span>,
) -> Option<RawFinding> {
    let then = scope.text(then?);
    if !then.contains("cuda") {
        return None;
    }
    let then = without_blanks(then);
    let otherwise = otherwise.map(|span| without_blanks(scope.text(span)));
    let parts = match &test.kind {
        ExprKind::All(parts) => parts.iter().collect(),
        _ => vec![test],
    };
    parts.into_iter().find_map(|number| {
        if !is_plain(number) {
            return None;
        }
        let name = without_blanks(scope.text(number.span));
        let on_cpu = |text: &str| ["\"cpu\"", "'cpu'"].iter().any(|word| text.contains(word));
        // Where `.cuda(gpu)` is left out, and nothing else moves the model, it stays on the CPU.
        let stays = otherwise
            .as_ref()
            .is_none_or(|text| !["cuda", "gpu", ".to("].iter().any(|word| text.contains(word)));
        let by_name = takes(&then, &name, NAMES) && otherwise.as_deref().is_some_and(on_cpu);
        let by_number = takes(&then, &name, NUMBERS) && (stays || otherwise.as_deref().is_some_and(on_cpu));
        // What is asked of other files comes last: it costs most.
        if !(by_name || by_number) {
            return None;
        }
        let default = default_of(scope, number);
        let is_number = is_of_option(scope, number)
            || is_of_parameter(scope, number)
            || matches!(default, Some(Literal::Int(_)));
        if !is_number {
            return None;
        }
        let raw_finding = RawFinding::at(scope.place(number.span)).word("number", name);
        Some(match default {
            Some(Literal::Int(0)) => raw_finding,
            // Only who asks for GPU 0 gets the CPU.
            _ => raw_finding.at_most(Severity::Note),
        })
    })
}

/// What names the GPU of a number, which stands for `@`.
const NAMES: &[&str] = &[
    "cuda:{@}",
    "cuda:{@:",
    "cuda:\"+str(@)",
    "cuda:'+str(@)",
    "cuda:%d\"%@",
    "cuda:%d'%@",
    "cuda:%s\"%@",
    "cuda:%s'%@",
    "cuda:{}\".format(@)",
    "cuda:{}'.format(@)",
    "device(\"cuda\",@)",
    "device('cuda',@)",
];

/// What moves something to the GPU of a number.
const NUMBERS: &[&str] = &[".cuda(@)", ".cuda(device=@)"];

fn takes(text: &str, number: &str, ways: &[&str]) -> bool {
    ways.iter().any(|way| text.contains(&way.replace('@', number)))
}

/// `gpu`, `args.gpu`, `config["gpu"]`
fn is_plain(expr: &Expr<'_>) -> bool {
    match &expr.kind {
        ExprKind::Name(_) => true,
        ExprKind::Attribute(object, _) => is_plain(object),
        ExprKind::Item(pair) => is_plain(&pair.0) && matches!(pair.1.kind, ExprKind::Text(_)),
        _ => false,
    }
}

/// Whether an option of the command line gives the number: `add_argument("--gpu", type=int)`.
fn is_of_option(scope: &FileScope<'_>, number: &Expr<'_>) -> bool {
    let ExprKind::Attribute(_, name) = &number.kind else { return false };
    let mut is_option = false;
    walk(scope.code, &mut |part, _| {
        if let CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) = part {
            is_option |= gives_number(scope, call, name);
        }
    });
    is_option
}

/// `def place(net, gpu=0)`
fn is_of_parameter(scope: &FileScope<'_>, number: &Expr<'_>) -> bool {
    let ExprKind::Name(name) = number.kind else { return false };
    scope.innermost_function(number.span).is_some_and(|function| {
        let is_number =
            |default: &Option<Expr<'_>>| matches!(default, Some(Expr { kind: ExprKind::Int(_), .. }));
        function.parameters.iter().any(|one| one.name == name && is_number(&one.default))
    })
}

fn gives_number(scope: &FileScope<'_>, call: &Call<'_>, name: &str) -> bool {
    let ExprKind::Attribute(_, "add_argument") = &call.callee.kind else { return false };
    let is_it = |flag: &str| attribute_of_option(flag) == name;
    let is_named = match argument(&call.arguments, None, Some("dest")).map(|one| &one.kind) {
        Some(ExprKind::Text(dest)) => **dest == *name,
        _ => call
            .arguments
            .iter()
            .filter(|one| one.name.is_none())
            .any(|one| matches!(&one.value.kind, ExprKind::Text(flag) if is_it(flag))),
    };
    let kind = argument(&call.arguments, None, Some("type"));
    let others = ["action", "nargs"].iter().any(|name| argument(&call.arguments, None, Some(name)).is_some());
    is_named && !others && kind.is_some_and(|kind| matches!(path(scope, kind), "builtins.int" | "int"))
}

fn without_blanks(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_whitespace()).collect()
}
