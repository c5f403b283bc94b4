//! CUDA_VISIBLE_DEVICES read as a number: it may be a list, a UUID, a MIG instance, or empty.

use super::given_arguments::given_to;
use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::code::{Call, Expr, ExprKind, Handler, StatementKind, Target};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// Variables that hold masks.
const MASKS: &[&str] = &["CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"];

/// What comes of reading a mask in a way that it need not fit.
const AS_NUMBER: &str = "a list, a UUID or an empty mask raises a ValueError here";
const AS_NUMBERS: &str = "a UUID or an empty mask raises a ValueError here";
const AS_NUMBERS_THAT_ARE_THERE: &str = "a UUID raises a ValueError here";
const AS_LITERAL: &str =
    "one index gives a number and no list here, and a UUID or an empty mask raises an error";

const AS_DIGITS: &str = "the digits of a UUID become indices here";

/// Functions that read a literal from a text.
const READERS: &[&str] = &["ast.literal_eval", "builtins.eval", "json.loads", "yaml.safe_load"];

/// `int(os.environ["CUDA_VISIBLE_DEVICES"])`, also of its parts; and `ast.literal_eval` of it.
pub(super) fn that_become_numbers(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found: Vec<RawFinding> = Vec::new();
    // Names that a loop over the parts of a mask binds, and where they hold.
    let mut elements: Vec<(&str, Span, &'static str)> = Vec::new();
    let mut of_names: Vec<(Span, &Expr<'_>)> = Vec::new();
    walk(scope.code, &mut |part, around| match part {
        CodeNode::Statement(step) => {
            if let StatementKind::For { target: Target::Name(name, _), iterable, .. } = &step.kind
                && let Some((_, raises)) = mask_read(scope, iterable)
            {
                elements.push((name, step.span, raises));
            }
        }
        CodeNode::Expr(expr) => match &expr.kind {
            ExprKind::Comprehension(comprehension) => {
                for generator in &comprehension.generators {
                    if let Target::Name(name, _) = &generator.target
                        && let Some((_, raises)) = mask_read(scope, &generator.iterable)
                    {
                        let raises = match generator.conditions.is_empty() {
                            true => raises,
                            false => AS_NUMBERS_THAT_ARE_THERE,
                        };
                        elements.push((name, expr.span, raises));
                    }
                }
            }
            ExprKind::Call(call) => {
                let as_number = number_of(scope, call);
                if as_number.is_none()
                    && let Some(made) = made_int(scope, call)
                    && !is_guarded(scope, around)
                {
                    of_names.push((expr.span, stripped(made)));
                }
                let as_literal = || literal_of(scope, call).map(|variable| (variable, AS_LITERAL));
                let read = as_number.or_else(as_literal).filter(|_| !is_guarded(scope, around));
                if let Some((variable, raises)) = read {
                    let raw_finding = RawFinding::at(scope.place(expr.span)).word("variable", variable);
                    found.push(raw_finding.word("raises", raises));
                }
            }
            _ => {}
        },
        CodeNode::Target(_) => {}
    });
    // `int(entry)`, also in a helper that is called for each.
    let element_of = |part: &Expr<'_>| {
        let ExprKind::Name(name) = part.kind else { return None };
        elements
            .iter()
            .find(|(known, span, _)| *known == name && span.holds(part.span))
            .map(|(_, _, raises)| *raises)
    };
    for (span, part) in of_names {
        let raises = element_of(part).or_else(|| given_to(scope, part).into_iter().find_map(element_of));
        if let Some(raises) = raises {
            let raw_finding = RawFinding::at(scope.place(span)).word("variable", MASKS[0]);
            found.push(raw_finding.word("raises", raises));
        }
    }
    found.sort_by_key(|one| one.place);
    found
}

/// `entry` of `entry.strip()`
fn stripped<'c>(part: &'c Expr<'c>) -> &'c Expr<'c> {
    match &part.kind {
        ExprKind::Call(call) if call.arguments.is_empty() => match &call.callee.kind {
            ExprKind::Attribute(object, "strip") => object,
            _ => part,
        },
        _ => part,
    }
}

/// The mask that a call makes a number, or numbers, of, and what comes of that.
fn number_of(scope: &FileScope<'_>, call: &Call<'_>) -> Option<(&'static str, &'static str)> {
    let of = match made_int(scope, call) {
        Some(of) => of,
        None => {
            let is_map = scope.names.path(&call.callee) == Some("builtins.map");
            let [function, values] = &call.arguments[..] else { return None };
            let makes_int = scope.names.path(&function.value) == Some("builtins.int");
            (is_map && makes_int).then_some(&values.value)?
        }
    };
    mask_read(scope, of)
}

/// The mask that an expression is, or is a part of, and what comes of making a number of it.
fn mask_read(scope: &FileScope<'_>, expr: &Expr<'_>) -> Option<(&'static str, &'static str)> {
    if let Some(text) = searched_for_digits(scope, scope.names.meant(expr)) {
        return mask_in(scope, text).map(|mask| (mask, AS_DIGITS));
    }
    let (mask, is_split) = mask_of(scope, expr, 0)?;
    Some((mask, if is_split { AS_NUMBERS } else { AS_NUMBER }))
}

/// The text in which `re.findall(r"\d+", text)` looks for numbers, whatever stands between them.
fn searched_for_digits<'c>(scope: &FileScope<'_>, expr: &'c Expr<'c>) -> Option<&'c Expr<'c>> {
    let ExprKind::Call(call) = &expr.kind else { return None };
    let pattern = argument(&call.arguments, Some(0), Some("pattern"))?;
    let is_search = scope.names.path(&call.callee) == Some("re.findall");
    let of_digits =
        |text: &str| ["\\d+", "[0-9]+"].iter().any(|digits| text.ends_with(digits)) && !text.contains('^');
    let is_of_digits = matches!(&scope.names.meant(pattern).kind, ExprKind::Text(text) if of_digits(text));
    (is_search && is_of_digits).then(|| argument(&call.arguments, Some(1), Some("string")))?
}

/// The mask that a call reads as a literal of Python or JSON.
fn literal_of(scope: &FileScope<'_>, call: &Call<'_>) -> Option<&'static str> {
    let reads = READERS.contains(&scope.names.path(&call.callee)?);
    let text = argument(&call.arguments, Some(0), None).filter(|_| reads)?;
    match &scope.names.meant(text).kind {
        // `eval(f"[{mask}]")` makes a list of any list of indices.
        ExprKind::Join(_) | ExprKind::Binary(..) => None,
        _ => mask_in(scope, text),
    }
}

/// What `int(…)` is called with.
fn made_int<'c>(scope: &FileScope<'_>, call: &'c Call<'c>) -> Option<&'c Expr<'c>> {
    (scope.names.path(&call.callee) == Some("builtins.int"))
        .then(|| argument(&call.arguments, Some(0), None))?
}

/// The mask that an expression is, or is a part of.
pub(super) fn mask_in(scope: &FileScope<'_>, expr: &Expr<'_>) -> Option<&'static str> {
    mask_of(scope, expr, 0).map(|(mask, _)| mask)
}

/// The same, and whether it is split on the way.
fn mask_of(scope: &FileScope<'_>, expr: &Expr<'_>, hops: usize) -> Option<(&'static str, bool)> {
    /// `mask.split(",")[0].strip()` has three.
    const MOST: usize = 8;
    if hops > MOST {
        return None;
    }
    let inner = |expr| mask_of(scope, expr, hops + 1);
    let named = |key: &Expr<'_>| {
        // On some ways the name may be that of another variable.
        let key = match &key.kind {
            // f"{NAME}" is NAME.
            ExprKind::Join(parts) if parts.len() == 1 => &parts[0],
            _ => key,
        };
        let mask = scope.names.may_mean(key).into_iter().find_map(|key| match &key.kind {
            ExprKind::Text(name) => MASKS.iter().copied().find(|mask| mask == name),
            ExprKind::Attribute(_, name) => constant_of_class(scope, name),
            _ => None,
        });
        mask.map(|mask| (mask, false))
    };
    let meant = scope.names.meant(expr);
    // `cuda_visible_devices = os.environ.get(name_of_mask)` says which variable is meant.
    if let ExprKind::Name(name) = expr.kind
        && name.to_ascii_lowercase().contains("cuda_visible_devices")
        && is_read_by_name(scope, meant)
    {
        return Some((MASKS[0], false));
    }
    match &meant.kind {
        ExprKind::Choice(parts) => inner(&parts.1).or_else(|| inner(&parts.2)),
        ExprKind::Item(pair) if scope.names.path(&pair.0) == Some("os.environ") => named(&pair.1),
        ExprKind::Item(pair) => inner(&pair.0),
        ExprKind::Any(values) => values.first().and_then(inner),
        // A parameter that calls of the file give the mask.
        ExprKind::Name(_) => given_to(scope, expr)
            .into_iter()
            .find_map(inner)
            .or_else(|| only_value_before(scope, expr).and_then(inner)),
        ExprKind::Call(call) => match (scope.names.path(&call.callee), &call.callee.kind) {
            (Some("os.environ.get" | "os.getenv"), _) => {
                named(argument(&call.arguments, Some(0), Some("key"))?)
            }
            (_, ExprKind::Attribute(object, "split")) => inner(object).map(|(mask, _)| (mask, true)),
            (_, ExprKind::Attribute(object, "strip" | "rstrip" | "lstrip" | "replace")) => inner(object),
            _ => None,
        },
        _ => None,
    }
}

/// What a name holds that one statement has set before this one sets it again: `cards = [int(card) for card in cards.split(",")]`.
fn only_value_before<'c>(scope: &'c FileScope<'_>, name: &'c Expr<'c>) -> Option<&'c Expr<'c>> {
    let values = scope.names.may_mean(name);
    let mut before = values.iter().copied().filter(|value| value.span.end <= name.span.start);
    let value = before.next().filter(|value| value.span != name.span)?;
    let set_again = values.iter().any(|value| value.span.holds(name.span) && value.span != name.span);
    (set_again && before.next().is_none()).then_some(value)
}

/// Whether a value is a variable of the environment whose name is not written there, on one side of a choice at least.
fn is_read_by_name(scope: &FileScope<'_>, value: &Expr<'_>) -> bool {
    let is_open = |key: &Expr<'_>| !matches!(scope.names.meant(key).kind, ExprKind::Text(_));
    match &value.kind {
        ExprKind::Choice(parts) => is_read_by_name(scope, &parts.1) || is_read_by_name(scope, &parts.2),
        ExprKind::Item(pair) => scope.names.path(&pair.0) == Some("os.environ") && is_open(&pair.1),
        ExprKind::Call(call) => {
            matches!(scope.names.path(&call.callee), Some("os.environ.get" | "os.getenv"))
                && argument(&call.arguments, Some(0), Some("key")).is_some_and(is_open)
        }
        _ => false,
    }
}

/// The mask whose name a class of the file keeps: `mask_name = "CUDA_VISIBLE_DEVICES"`.
fn constant_of_class(scope: &FileScope<'_>, name: &str) -> Option<&'static str> {
    let steps = scope.code.classes.iter().flat_map(|class| &class.body);
    let mut values = steps.filter_map(|step| match &step.kind {
        StatementKind::Assign { targets, value: Some(value), .. } => {
            let binds = |target: &Target<'_>| matches!(target, Target::Name(bound, _) if *bound == name);
            targets.iter().any(binds).then_some(value)
        }
        _ => None,
    });
    match &values.next()?.kind {
        ExprKind::Text(text) => MASKS.iter().copied().find(|mask| mask == text),
        _ => None,
    }
}

/// Whether the code asks first, or survives what is no number.
fn is_guarded(scope: &FileScope<'_>, around: &[Ancestor<'_, '_>]) -> bool {
    const ASKING: [&str; 5] = ["isdigit", "isnumeric", "isdecimal", "fullmatch", "re.match"];
    let asks = |text: &str| ASKING.iter().any(|word| text.contains(word));
    let catches = |handler: &Handler<'_>| {
        let survives = |caught: &Expr<'_>| {
            let name = scope.text(caught.span);
            matches!(name, "ValueError" | "TypeError" | "SyntaxError" | "Exception" | "BaseException")
        };
        handler.types.is_empty() || handler.types.iter().any(survives)
    };
    let function = around.iter().rev().find_map(|one| match one {
        Ancestor::Function(number) => Some(scope.text(scope.code.functions[*number].span)),
        _ => None,
    });
    asks(function.unwrap_or_else(|| scope.whole_text()))
        || around.iter().any(|one| match one {
            Ancestor::Try(step) => match &step.kind {
                StatementKind::Try { handlers, .. } => handlers.iter().any(catches),
                _ => false,
            },
            _ => false,
        })
}
