//! The device that the code around has chosen, for calls that leave it out.

use crate::code::ExprKind;
use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::code::{Target, argument};
use crate::facts::Span;
use crate::fixes::Refusal;
use crate::fixes::site::{Draft, Site};
use crate::fixes::surroundings::{Surroundings, function_in};
use crate::languages::TreeKind;

/// `.cuda()` → `.to(device)`
pub fn moved(site: &Site<'_>) -> Result<Draft, Refusal> {
    let tree = site.tree()?;
    let place = site.span();
    let call = tree.exactly(place, |kind| kind == TreeKind::Call).ok_or("the call is not understood")?;
    let mut parts = tree.children(call);
    let callee = parts.next().filter(|(_, callee)| callee.kind == TreeKind::Attribute);
    let (_, callee) = callee.ok_or("the call is not understood")?;
    let device = device_at(site).ok_or("no `device` is surely set before this call")?;
    let start = callee.span.end - "cuda".len() as u32;
    let method = Span { start, end: place.end };
    if site.slice(Span { start, end: callee.span.end }) != "cuda" {
        return Err("the call is not understood".to_owned());
    }
    Ok(Draft {
        title: Some(format!("move to `{device}`")),
        ..vec![site.edit(method, format!("to({device})"))].into()
    })
}

/// `torch.load(path)` → `torch.load(path, map_location=device)`
pub fn loaded(site: &Site<'_>) -> Result<Draft, Refusal> {
    let tree = site.tree()?;
    let place = site.span();
    let around = Surroundings::of(site.code(), place);
    let call = match around.exactly(place).map(|expr| &expr.kind) {
        Some(ExprKind::Call(call)) => call,
        _ => return Err("the call is not understood".to_owned()),
    };
    let first = call.arguments.first().ok_or("the call loads nothing")?;
    let device = device_at(site).unwrap_or_else(|| "\"cpu\"".to_owned());
    let title =
        format!("load to {}", if device == "\"cpu\"" { "the CPU".to_owned() } else { format!("`{device}`") });
    // A place that is `None`.
    if let Some(given) = argument(&call.arguments, Some(1), Some("map_location")) {
        return Ok(Draft { title: Some(title), ..vec![site.edit(given.span, device)].into() });
    }
    // Behind the brackets around the argument, before the comma or the end of the call.
    let mut depth = 0;
    let behind = tree.tokens.iter().find(|token| {
        let text = site.slice(token.span);
        let is_behind = token.is_word() && token.span.start >= first.value.span.end;
        depth += i32::from(!is_behind && token.span.start > call.callee.span.end && text == "(");
        depth -= i32::from(!is_behind && token.span.start > call.callee.span.end && text == ")");
        is_behind && (text == "," || depth <= 0 || token.span.end == place.end)
    });
    let behind = behind.ok_or("the call is not understood")?;
    let last = tree.tokens.iter().rev().find(|token| token.is_word() && token.span.end <= behind.span.start);
    let at = last.map_or(first.value.span.end, |token| token.span.end);
    Ok(Draft { title: Some(title), ..vec![site.insertion(at, format!(", map_location={device}"))].into() })
}

/// The name of the device that is surely set where the finding stands: of the function, of its object, or of the module.
fn device_at(site: &Site<'_>) -> Option<String> {
    let place = site.span();
    let code = site.code();
    let (mut of_function, mut of_object, mut of_module) = (false, false, false);
    let mut function = None;
    let mut class = None;
    walk(code, &mut |part, around| {
        if let CodeNode::Expr(expr) = part
            && expr.span == place
        {
            function = function_in(around);
            class = class_in(around);
        }
    });
    let is_around = |number: usize| code.functions[number].span.holds(place);
    let methods = function.and_then(|number| code.functions[number].parameters.first());
    let has_self = methods.is_some_and(|first| first.name == "self");
    of_function |= code.functions.iter().any(|one| {
        one.span.holds(place) && one.parameters.iter().any(|parameter| parameter.name == "device")
    });
    walk(code, &mut |part, around| {
        let CodeNode::Target(target) = part else { return };
        let here = function_in(around);
        match target {
            Target::Name("device", span) => match here {
                Some(number) => of_function |= is_around(number) && span.end <= place.start,
                None if class_in(around).is_none() => {
                    of_module |= function.is_some() || span.end <= place.start
                }
                None => {}
            },
            Target::Attribute(object, "device") => {
                of_object |= matches!(object.kind, ExprKind::Name("self"))
                    && class.is_some()
                    && class_in(around) == class
                    && (here != function || object.span.end < place.start);
            }
            _ => {}
        }
    });
    match (of_function, of_object && has_self, of_module) {
        (true, ..) => Some("device".to_owned()),
        (_, true, _) => Some("self.device".to_owned()),
        (.., true) => Some("device".to_owned()),
        _ => None,
    }
}

fn class_in(around: &[Ancestor<'_, '_>]) -> Option<usize> {
    around.iter().rev().find_map(|one| match one {
        Ancestor::Class(number) => Some(*number),
        _ => None,
    })
}
