//! What a number is for: an index of a GPU is an index for what takes it, and a constant may be more than that.

use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::code::{Call, Code, Expr, ExprKind, StatementKind, Target};
use crate::facts::{FileId, Span};
use crate::fixes::Refusal;
use crate::fixes::site::Site;
use crate::fixes::surroundings::{Surroundings, call_with};
use crate::program::Names;
use crate::sources::Language;

/// What the literal at a place is for.
pub enum Purpose {
    /// It goes straight to what takes a device.
    Device,
    /// It has a name that says that it is a device, or that is used for nothing else.
    Named(String),
    /// Why nobody knows.
    Unknown(Refusal),
}

/// Methods and functions, by their last name, whose argument is a device.
pub(super) const TAKERS: &[&str] = &[
    "Device",
    "cuda",
    "device",
    "get_device_name",
    "get_device_properties",
    "mem_get_info",
    "memory_allocated",
    "prefer_gpu",
    "require_gpu",
    "select_device",
    "set_device",
    "synchronize",
    "to",
];

/// Words of names that speak of one device.
const WORDS: &[&str] = &["card", "cuda", "device", "gpu", "local_rank"];

/// What the literal at a place is for.
///
/// # Errors
/// When it is one of several in a list.
pub fn purpose_of(
    site: &Site<'_>,
    names: &Names<'_, '_>,
    place: Span,
    is_number: bool,
) -> Result<Purpose, Refusal> {
    let around = Surroundings::of(site.code(), place);
    let mut in_list = false;
    for expr in around.exprs.iter().filter(|expr| expr.span != place) {
        match &expr.kind {
            ExprKind::Sequence(items) => {
                let others = items.iter().filter(|one| one.span != place && is_device(one, is_number));
                if others.count() > 0 && items.iter().any(|one| one.span == place) {
                    return Err("the list names several GPUs".to_owned());
                }
                in_list = true;
            }
            ExprKind::Mapping(entries) => {
                let entry = entries.iter().find(|(_, value)| value.span.holds(place));
                if let Some((Some(Expr { kind: ExprKind::Text(key), .. }), _)) = entry
                    && says_device(key, in_list)
                {
                    return Ok(Purpose::Named(key.to_string()));
                }
            }
            ExprKind::Item(pair) if pair.1.span.holds(place) => return Ok(Purpose::Device),
            ExprKind::Call(_) => {
                if let Some(purpose) = purpose_in_call(expr, place, in_list, site, names) {
                    return Ok(purpose);
                }
            }
            ExprKind::Compare(..) | ExprKind::Comprehension(_) | ExprKind::Unknown(_) => {
                return Ok(Purpose::Unknown("the index is computed".to_owned()));
            }
            _ => {}
        }
    }
    if let Some(function) = around.default_of {
        let parameters = &site.code().functions[function].parameters;
        let mut with_default =
            parameters.iter().filter_map(|one| Some((one.name, one.default.as_ref()?.span)));
        let name = with_default.find(|(_, default)| default.holds(place)).map(|(name, _)| name);
        return Ok(by_name(name.unwrap_or_default(), Some(function), in_list, site, names));
    }
    let name = match around.step.map(|step| &step.kind) {
        Some(StatementKind::Assign { targets, .. }) => match &targets[..] {
            [Target::Name(name, _) | Target::Attribute(_, name)] => Some((*name).to_owned()),
            [Target::Item(item)] => match &item.1.kind {
                ExprKind::Text(key) => Some(key.to_string()),
                _ => None,
            },
            _ => None,
        },
        Some(StatementKind::Setting(setting)) => setting.path.last().map(|key| key.to_string()),
        _ => None,
    };
    let unknown = || Purpose::Unknown("what this number is for is not known".to_owned());
    Ok(name.map_or_else(unknown, |name| by_name(&name, None, in_list, site, names)))
}

/// The end of the names of all variables that say which GPUs are visible.
const VARIABLE: &str = "VISIBLE_DEVICES";

/// The first file in which a line chooses the mask by this name.
pub fn mask_made_of(site: &Site<'_>, name: &str) -> Option<String> {
    let is_part = |one: char| one.is_alphanumeric() || one == '_';
    let has_word = |line: &str| {
        line.match_indices(name)
            .any(|(at, _)| !line[..at].ends_with(is_part) && !line[at + name.len()..].starts_with(is_part))
    };
    let masks = site.program.files_with(VARIABLE);
    let makes = |file: &&FileId| {
        let source = site.program.sources.file(**file);
        let is_python = matches!(source.language, Language::Python | Language::Notebook);
        let mut values = source.text.lines().filter_map(|line| {
            let (_, value) = line.split_once(VARIABLE)?;
            // Behind the value are a comment or, in a shell, the words of the command.
            let end = value.find(|one: char| if is_python { one == '#' } else { one.is_whitespace() });
            Some(&value[..end.unwrap_or(value.len())])
        });
        source.language.has_programs() && values.any(has_word)
    };
    let file = masks.iter().find(makes)?;
    Some(site.program.name_of(*file).to_owned()).filter(|_| !name.is_empty())
}

/// Whether something of this name is a condition somewhere in the file.
pub fn is_asked(code: &Code<'_>, name: &str) -> bool {
    let is_it = |expr: &Expr<'_>| matches!(&expr.kind, ExprKind::Name(found) | ExprKind::Attribute(_, found) if *found == name);
    let mut found = false;
    walk(code, &mut |part, around| {
        let CodeNode::Expr(expr) = part else { return };
        found |= match &expr.kind {
            ExprKind::Not(inner) => is_it(inner),
            ExprKind::Choice(parts) => is_it(&parts.0),
            ExprKind::All(operands) | ExprKind::Any(operands) => operands.iter().any(is_it),
            _ => matches!(around.last(), Some(Ancestor::Test(_))) && is_it(expr),
        };
    });
    found
}

/// `None` when the call says nothing about its argument.
fn purpose_in_call(
    expr: &Expr<'_>,
    place: Span,
    in_list: bool,
    site: &Site<'_>,
    names: &Names<'_, '_>,
) -> Option<Purpose> {
    let (call, at) = call_with(expr, place)?;
    let text = |at: usize| match &call.arguments.get(at)?.value.kind {
        ExprKind::Text(text) => Some(text.to_string()),
        _ => None,
    };
    let path = names.path(&call.callee);
    let last = last_name(call);
    let named = |name: Option<String>| {
        Some(by_name(name.unwrap_or_default().trim_start_matches('-'), None, in_list, site, names))
    };
    match last {
        "get" | "getenv" | "setdefault" | "pop" if at > 0 => return named(text(0)),
        "getattr" if at > 1 => return named(text(1)),
        "add_argument" | "add_option" | "option" | "Option" | "Argument" => {
            let mut flags = (0..at).filter_map(text).filter(|flag| says_device(flag, in_list));
            return named(flags.next().or(text(0)));
        }
        "field" | "Field" | "int" | "str" => return None,
        _ => {}
    }
    let argument = &call.arguments[at];
    match path {
        Some(path) if path.starts_with("builtins.") => {
            Some(Purpose::Unknown("the index is computed".to_owned()))
        }
        Some(_) => Some(Purpose::Device),
        None if argument.name.is_some_and(|name| says_device(name, in_list)) => {
            named(argument.name.map(str::to_owned))
        }
        None if TAKERS.contains(&last) => Some(Purpose::Device),
        None => Some(purpose_in_function(call, at, in_list, site, names)),
    }
}

/// An argument of a function of the same file.
fn purpose_in_function(
    call: &Call<'_>,
    at: usize,
    in_list: bool,
    site: &Site<'_>,
    names: &Names<'_, '_>,
) -> Purpose {
    let last = last_name(call);
    let functions = &site.code().functions;
    let mut known = functions.iter().enumerate().filter(|(_, function)| function.name == last);
    let (Some((number, function)), None) = (known.next(), known.next()) else {
        return Purpose::Unknown(format!("what `{last}` does with it is not known"));
    };
    let is_self = |name: &str| matches!(name, "self" | "cls");
    let mut parameters = function.parameters.iter().filter(|one| !is_self(one.name));
    let parameter = match call.arguments[at].name {
        Some(name) => parameters.find(|one| one.name == name),
        None => parameters.nth(at),
    };
    parameter.map_or_else(
        || Purpose::Unknown(format!("what `{last}` does with it is not known")),
        |parameter| by_name(parameter.name, Some(number), in_list, site, names),
    )
}

/// What a name says, or what it is used for in a function or in the file.
fn by_name(
    name: &str,
    function: Option<usize>,
    in_list: bool,
    site: &Site<'_>,
    names: &Names<'_, '_>,
) -> Purpose {
    if says_device(name, in_list) {
        return Purpose::Named(name.to_owned());
    }
    let is_variable = name.chars().all(|one| one.is_alphanumeric() || one == '_') && !name.is_empty();
    if is_variable && is_used_for_devices_only(name, function, site, names) {
        return Purpose::Named(name.to_owned());
    }
    Purpose::Unknown(format!("`{name}` may be more than a device"))
}

/// Whether a name speaks of one device; in a list it may speak of several.
fn says_device(name: &str, in_list: bool) -> bool {
    let lower = name.to_ascii_lowercase();
    let counts = ["num", "count", "n_", "total", "memory", "batch", "per_"];
    let is_plural = lower.ends_with('s') && !in_list;
    WORDS.iter().any(|word| lower.contains(word))
        && !is_plural
        && !counts.iter().any(|word| lower.trim_start_matches('-').starts_with(word) || lower.ends_with(word))
}

/// Whether all that is done with a variable is to choose or to show a device.
fn is_used_for_devices_only(
    name: &str,
    function: Option<usize>,
    site: &Site<'_>,
    names: &Names<'_, '_>,
) -> bool {
    let code = site.code();
    let within = function.map(|number| code.functions[number].span);
    let (mut uses, mut bindings) = (Vec::new(), 0);
    walk(code, &mut |part, _| match part {
        CodeNode::Expr(Expr { kind: ExprKind::Name(used), span })
            if *used == name && within.is_none_or(|within| within.holds(*span)) =>
        {
            uses.push(*span);
        }
        CodeNode::Target(Target::Name(bound, _)) if *bound == name => bindings += 1,
        _ => {}
    });
    let most = if function.is_some() { 0 } else { 1 };
    let others = (0..site.program.sources.files.len() as u32).map(FileId);
    let is_known_elsewhere = function.is_none()
        && others.filter(|file| *file != site.file()).any(|file| site.program.has_word(file, name));
    !uses.is_empty()
        && bindings <= most
        && !is_known_elsewhere
        && uses.iter().all(|place| is_for_device(*place, site, names))
}

fn is_for_device(place: Span, site: &Site<'_>, names: &Names<'_, '_>) -> bool {
    let around = Surroundings::of(site.code(), place);
    for expr in around.exprs.iter().filter(|expr| expr.span != place) {
        match &expr.kind {
            ExprKind::Join(_) | ExprKind::Binary(..) => {
                let text = site.slice(expr.span).to_ascii_lowercase();
                return ["cuda:", "gpu:"].iter().any(|word| text.contains(word))
                    || is_shown(&around, expr.span);
            }
            ExprKind::Call(_) => {
                let Some((call, at)) = call_with(expr, place) else { return false };
                let last = last_name(call);
                if matches!(last, "int" | "str") {
                    continue;
                }
                let by_keyword = call.arguments[at].name.is_some_and(|name| says_device(name, true));
                return by_keyword
                    || TAKERS.contains(&last)
                    || shows(last)
                    || names.path(&call.callee) == Some("torch.device");
            }
            ExprKind::Sequence(items) if items.len() == 1 => {}
            ExprKind::Choice(parts) if !parts.0.span.holds(place) => {}
            _ => return false,
        }
    }
    false
}

/// Whether a text goes to people.
fn is_shown(around: &Surroundings<'_, '_>, text: Span) -> bool {
    around.call(text).is_some_and(|(call, _)| shows(last_name(call)))
}

fn shows(function: &str) -> bool {
    matches!(function, "print" | "debug" | "info" | "warning" | "error")
}

/// Whether an element of a list names a GPU too.
fn is_device(expr: &Expr<'_>, by_number: bool) -> bool {
    match &expr.kind {
        ExprKind::Int(_) => by_number,
        ExprKind::Text(text) => text.starts_with("cuda") || text.to_ascii_lowercase().contains("gpu:"),
        _ => false,
    }
}

fn last_name<'s>(call: &Call<'s>) -> &'s str {
    match &call.callee.kind {
        ExprKind::Name(name) | ExprKind::Attribute(_, name) => name,
        _ => "",
    }
}
