//! The number that chose the one visible GPU, used again as an index: behind the mask that GPU is number 0.

use super::device_indices::{TAKERS, index_in, index_of_member};
use super::mask_lists::{cut_from, joined, mapped};
use super::order::PlaceInFunction;
use super::parsed_masks::mask_in;
use super::written_variables::written;
use crate::code::walk::{Ancestor, CodeNode, functions_around, walk};
use crate::code::{Argument, Call, Expr, ExprKind, Operator, Statement, StatementKind, Target};
use crate::facts::Span;
use crate::program::MASK;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// A mask that one number or the members of one list fill, or a place that takes a number.
struct Number<'a> {
    /// As it is written: `args.gpu`
    text: &'a str,
    seen: PlaceInFunction,
}

/// What fills masks, what is taken as an index, and what gets another value, in a file.
#[derive(Default)]
struct Seen<'a> {
    /// What one number or one text fills.
    masks: Vec<Number<'a>>,
    /// What the members of a list fill.
    joined: Vec<Number<'a>>,
    indices: Vec<Number<'a>>,
    /// Lists of which a member, or each, is taken as an index.
    lists: Vec<Number<'a>>,
    /// The texts that such lists are cut out of.
    cut: Vec<Number<'a>>,
    /// With the function in which that happens.
    bound: Vec<(&'a str, Span, Option<usize>)>,
}

impl<'a> Seen<'a> {
    fn fill(&mut self, scope: &FileScope<'a>, value: &Expr<'_>, step: Span, around: &[Ancestor<'_, '_>]) {
        // `str(args.gpu) if alone else args.gpus`
        if let ExprKind::Choice(parts) = &value.kind {
            self.fill(scope, &parts.1, step, around);
            self.fill(scope, &parts.2, step, around);
            return;
        }
        let of = |value| Number::of(scope, value, step, around);
        self.masks.extend(number(scope, value).map(of));
        self.joined.extend(joined(scope, value).map(of));
    }

    fn take(&mut self, scope: &FileScope<'a>, index: &Expr<'_>, span: Span, around: &[Ancestor<'_, '_>]) {
        let of = |value| Number::of(scope, value, span, around);
        self.indices.extend(number(scope, index).map(of));
        if let ExprKind::Item(item) = &bare(scope, index).kind {
            self.take_from(scope, &item.0, span, around);
        }
    }

    fn take_from(&mut self, scope: &FileScope<'a>, list: &Expr<'_>, span: Span, around: &[Ancestor<'_, '_>]) {
        let of = |value| Number::of(scope, value, span, around);
        self.lists.extend(number(scope, list).map(of));
        self.cut.extend(cut_from(scope, list).map(of));
    }

    /// The mask that is filled with the same and reaches an index, where nothing gives the name another value.
    fn mask_of(&self, masks: &[Number<'a>], index: &Number<'a>) -> Option<Span> {
        let is_it = |mask: &&Number<'_>| {
            mask.text == index.text && mask.reaches(index) && {
                let between = |(text, at, home): &(&str, Span, Option<usize>)| {
                    let rest = mask.text.strip_prefix(*text);
                    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
                        && mask.seen.span.start < at.start
                        && [mask.seen.home, index.seen.home].contains(home)
                };
                !self.bound.iter().any(between)
            }
        };
        masks.iter().find(is_it).map(|mask| mask.seen.span)
    }
}

/// Indices that are the number of the mask.
pub(super) fn used_as_indices(scope: &FileScope<'_>) -> Vec<RawFinding> {
    const ONE: &str = "with the mask the only visible GPU is `cuda:0`";
    const SEVERAL: &str = "behind the mask the visible GPUs are numbered from 0";
    let mut seen = Seen::default();
    let mut found: Vec<(Span, &str, Option<Span>)> = Vec::new();
    let mut by_ray: Vec<Span> = Vec::new();
    walk(scope.code, &mut |part, around| match part {
        CodeNode::Statement(step) => {
            let home = functions_around(around).next_back();
            seen.bound.extend(assigned(scope, step).into_iter().map(|(text, span)| (text, span, home)));
            if let Some(value) = written(scope, step, MASK) {
                seen.fill(scope, value, step.span, around);
            }
            if option_in(scope, step, home).is_some_and(|index| entry_of_mask(scope, index, 0)) {
                found.push((step.span, ONE, None));
            }
        }
        CodeNode::Expr(expr) => {
            if let Some(list) = list_in(scope, expr) {
                seen.take_from(scope, list, list.span, around);
            }
            let index = index_in(scope, expr).or_else(|| index_of_member(scope, expr));
            let Some(index) = index else { return };
            if entry_of_mask(scope, index, 0) {
                found.push((expr.span, ONE, None));
            }
            if is_given_by_ray(scope, index, 0) {
                by_ray.push(expr.span);
            }
            seen.take(scope, index, expr.span, around);
        }
        CodeNode::Target(_) => {}
    });
    let pairs = [
        (&seen.masks, &seen.indices, ONE),
        (&seen.joined, &seen.lists, SEVERAL),
        (&seen.masks, &seen.cut, SEVERAL),
    ];
    for (masks, indices, left) in pairs {
        for index in indices {
            found.extend(seen.mask_of(masks, index).map(|mask| (index.seen.span, left, Some(mask))));
        }
    }
    found.sort();
    found.dedup_by_key(|(span, ..)| *span);
    let raw_finding = |(span, left, mask): (Span, &str, Option<Span>)| {
        let raw_finding = told(scope, span, left);
        match mask {
            Some(mask) if left == ONE => {
                raw_finding.beside(scope.place(mask), "the mask leaves this one GPU")
            }
            Some(mask) => raw_finding.beside(scope.place(mask), "the mask is made of the same numbers"),
            None => raw_finding,
        }
    };
    let mut findings: Vec<RawFinding> = found.into_iter().map(raw_finding).collect();
    if !by_ray.is_empty() && !scope.program.has_any(RAY_KEEPS) {
        let says = |span| told(scope, span, "Ray shows a task or actor its own GPUs alone, numbered from 0");
        findings.extend(by_ray.into_iter().map(says));
    }
    findings
}

fn told(scope: &FileScope<'_>, span: Span, left: &str) -> RawFinding {
    RawFinding::at(scope.place(span)).word("text", scope.text(span)).word("left", left)
}

/// Variables that keep Ray from setting the mask of its workers.
const RAY_KEEPS: &[&str] = &["NOSET_CUDA_VISIBLE_DEVICES"];

/// Names for names, and calls around calls: further ones are not followed.
const MAX_HOPS: usize = 6;

/// `mask.split(",")[0]`, `int(…)` of it, and an entry of a list that is made of the parts of a mask.
fn entry_of_mask(scope: &FileScope<'_>, index: &Expr<'_>, hops: usize) -> bool {
    if hops > MAX_HOPS {
        return false;
    }
    let meant = scope.names.meant(index);
    mask_in(scope, meant).is_some()
        || match &meant.kind {
            ExprKind::Item(item) => are_entries(scope, &item.0, hops + 1),
            ExprKind::Call(call) => {
                is_int(scope, call).is_some_and(|inner| entry_of_mask(scope, inner, hops + 1))
            }
            ExprKind::Name(name) => is_cut_in_steps(scope, meant, name),
            _ => false,
        }
}

/// `mask = os.environ["CUDA_VISIBLE_DEVICES"]`, and then `mask = mask.split(",")[0]`: all that the name is given comes of the mask.
fn is_cut_in_steps(scope: &FileScope<'_>, index: &Expr<'_>, name: &str) -> bool {
    let is_own = |value: &Expr<'_>| is_cut_of(scope, value, name);
    let values = scope.names.may_mean(index);
    let (own, other): (Vec<&Expr<'_>>, Vec<&Expr<'_>>) = values.into_iter().partition(|value| is_own(value));
    let is_mask = |value: &&Expr<'_>| mask_in(scope, value).is_some();
    !own.is_empty() && !other.is_empty() && other.iter().all(is_mask)
}

/// `mask.split(",")[0]`, and no `mask.index("0")` or `mask.count(",")`, which are numbers of their own.
fn is_cut_of(scope: &FileScope<'_>, value: &Expr<'_>, name: &str) -> bool {
    const CUTS: &[&str] = &["lstrip", "replace", "rsplit", "rstrip", "split", "strip"];
    match &value.kind {
        ExprKind::Name(known) => *known == name,
        ExprKind::Item(item) => is_cut_of(scope, &item.0, name),
        ExprKind::Call(call) => match &call.callee.kind {
            ExprKind::Attribute(object, method) => CUTS.contains(method) && is_cut_of(scope, object, name),
            _ => is_int(scope, call).is_some_and(|inner| is_cut_of(scope, inner, name)),
        },
        _ => false,
    }
}

/// `[int(one) for one in mask.split(",")]`, `list(map(int, mask.split(",")))`
fn are_entries(scope: &FileScope<'_>, list: &Expr<'_>, hops: usize) -> bool {
    if hops > MAX_HOPS {
        return false;
    }
    match &scope.names.meant(list).kind {
        ExprKind::Comprehension(comprehension) => match &comprehension.generators[..] {
            [only] => mask_in(scope, &only.iterable).is_some(),
            _ => false,
        },
        ExprKind::Call(call) => match scope.names.path(&call.callee) {
            Some("builtins.list" | "builtins.tuple") => {
                let inner = argument(&call.arguments, Some(0), None);
                inner.is_some_and(|inner| are_entries(scope, inner, hops + 1))
            }
            Some("builtins.map") => {
                mapped(scope, call, "builtins.int").is_some_and(|values| mask_in(scope, values).is_some())
            }
            _ => false,
        },
        _ => false,
    }
}

/// `ray.get_gpu_ids()[0]`, and `int(…)` of it.
fn is_given_by_ray(scope: &FileScope<'_>, index: &Expr<'_>, hops: usize) -> bool {
    if hops > MAX_HOPS {
        return false;
    }
    match &scope.names.meant(index).kind {
        ExprKind::Item(item) => match &scope.names.meant(&item.0).kind {
            ExprKind::Call(call) => scope.names.path(&call.callee) == Some("ray.get_gpu_ids"),
            _ => false,
        },
        ExprKind::Call(call) => {
            is_int(scope, call).is_some_and(|inner| is_given_by_ray(scope, inner, hops + 1))
        }
        _ => false,
    }
}

/// What `int(…)` or `str(…)` is called with.
fn is_int<'c>(scope: &FileScope<'_>, call: &'c Call<'c>) -> Option<&'c Expr<'c>> {
    let converts = matches!(scope.names.path(&call.callee), Some("builtins.int" | "builtins.str"));
    argument(&call.arguments, Some(0), None).filter(|_| converts)
}

impl<'a> Number<'a> {
    fn of(scope: &FileScope<'a>, value: &Expr<'_>, span: Span, around: &[Ancestor<'_, '_>]) -> Self {
        Number { text: scope.text(value.span), seen: PlaceInFunction::of(span, around) }
    }

    /// Whether a mask is in force where an index is used.
    fn reaches(&self, index: &Number<'_>) -> bool {
        let (this, index) = (&self.seen, &index.seen);
        let in_order = this.home == index.home && this.span.start < index.span.start;
        // What a module sets is there in its functions; a parameter may have the same name.
        let from_module = this.home.is_none() && index.home.is_some() && self.text.contains('.');
        let apart = |(test, arm): &(Span, bool)| index.arms.contains(&(*test, !arm));
        (in_order || from_module) && !this.arms.iter().any(apart)
    }
}

/// The name, attribute or member of which a text is made: of `str(n)`, `f"{n}"`, `"%d" % n`, `"{}".format(n)` it is `n`.
fn number<'c>(scope: &FileScope<'_>, value: &'c Expr<'c>) -> Option<&'c Expr<'c>> {
    match &value.kind {
        ExprKind::Name(_) => Some(value),
        ExprKind::Attribute(object, _) => number(scope, object).map(|_| value),
        // `gpus[0]`
        ExprKind::Item(item) => {
            let is_member = matches!(item.1.kind, ExprKind::Int(_) | ExprKind::Text(_));
            let is_environment = scope.names.path(&item.0) == Some("os.environ");
            (is_member && !is_environment).then(|| number(scope, &item.0)).flatten().map(|_| value)
        }
        ExprKind::Join(parts) => match &parts[..] {
            [part] => number(scope, part),
            _ => None,
        },
        ExprKind::Binary(Operator::Remainder, sides) => {
            let is_number =
                matches!(&sides.0.kind, ExprKind::Text(text) if ["%d", "%i", "%s"].contains(&&**text));
            is_number.then(|| number(scope, &sides.1)).flatten()
        }
        ExprKind::Call(call) => {
            let inner = bare(scope, value);
            let made_by_format = matches!(&call.callee.kind, ExprKind::Attribute(text, "format")
                if matches!(&text.kind, ExprKind::Text(text) if text == "{}"));
            match (&call.arguments[..], made_by_format) {
                ([only], true) => number(scope, &only.value),
                _ if inner.span == value.span => None,
                _ => number(scope, inner),
            }
        }
        _ => None,
    }
}

/// What stands in `int(…)` and `str(…)`.
fn bare<'c>(scope: &FileScope<'_>, mut value: &'c Expr<'c>) -> &'c Expr<'c> {
    while let ExprKind::Call(call) = &value.kind
        && let ([only], Some(inner)) = (&call.arguments[..], is_int(scope, call))
        && only.value.span == inner.span
    {
        value = inner;
    }
    value
}

/// The number that becomes an option for a device, where the same function unpacks the options for a call that takes such an
/// index: `options["device"] = int(n)`.
fn option_in<'c>(
    scope: &FileScope<'_>,
    step: &'c Statement<'c>,
    home: Option<usize>,
) -> Option<&'c Expr<'c>> {
    let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return None };
    let [Target::Item(item)] = &targets[..] else { return None };
    let (ExprKind::Name(options), ExprKind::Text(key)) = (&item.0.kind, &item.1.kind) else { return None };
    let is_number =
        matches!(&value.kind, ExprKind::Call(call) if scope.names.path(&call.callee) == Some("builtins.int"));
    let is_name = |(_, _, name): &(&str, usize, &str)| *name == key;
    if !is_number || !TAKERS.iter().any(is_name) || !scope.whole_text().contains(&format!("**{options}")) {
        return None;
    }
    let mut is_taken = false;
    scope.each_call(&mut |_, call, around| {
        let is_here = functions_around(around).next_back() == home;
        let is_given = |one: &Argument<'_>| {
            one.unpacked && matches!(one.value.kind, ExprKind::Name(name) if name == *options)
        };
        if is_here && call.arguments.iter().any(is_given) {
            let path = scope.names.path(&call.callee);
            is_taken |= TAKERS.iter().any(|taker| is_name(taker) && Some(taker.0) == path);
        }
    });
    is_taken.then_some(value)
}

/// Arguments of which each member is an index, by what takes them; of any other call `device_ids` is.
const LISTS: &[(&str, &[&str])] = &[
    ("lightning.Trainer", &["devices", "gpus"]),
    ("lightning.fabric.Fabric", &["devices"]),
    ("lightning.pytorch.Trainer", &["devices", "gpus"]),
    ("lightning_fabric.Fabric", &["devices"]),
    ("pytorch_lightning.Trainer", &["devices", "gpus"]),
];

/// `DataParallel(net, device_ids=gpus)`, `Trainer(devices=gpus)`
fn list_in<'c>(scope: &FileScope<'_>, expr: &'c Expr<'c>) -> Option<&'c Expr<'c>> {
    let ExprKind::Call(call) = &expr.kind else { return None };
    let path = scope.names.path(&call.callee);
    let names =
        LISTS.iter().find(|(known, _)| Some(*known) == path).map_or(&["device_ids"][..], |(_, names)| names);
    names.iter().find_map(|name| argument(&call.arguments, None, Some(name)))
}

/// The names and attributes that a statement gives another value, as they are written.
fn assigned<'a>(scope: &FileScope<'a>, step: &Statement<'_>) -> Vec<(&'a str, Span)> {
    let targets: Vec<&Target<'_>> = match &step.kind {
        StatementKind::Assign { targets, .. } => targets.iter().collect(),
        StatementKind::Update { target, .. } | StatementKind::For { target, .. } => vec![target],
        _ => return Vec::new(),
    };
    targets.into_iter().filter_map(|target| written_target(scope, target)).collect()
}

/// The name or attribute that a target is, as it is written.
pub(super) fn written_target<'a>(scope: &FileScope<'a>, target: &Target<'_>) -> Option<(&'a str, Span)> {
    match target {
        Target::Name(_, span) => Some((scope.text(*span), *span)),
        Target::Attribute(object, name) => {
            let end = object.span.end + name.len() as u32 + 1;
            let span = Span { start: object.span.start, end };
            Some((scope.text(span), span))
        }
        _ => None,
    }
}
