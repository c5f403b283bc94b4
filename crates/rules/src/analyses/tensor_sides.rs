//! What an object keeps on the CPU: attributes with a tensor that nothing moves, and lists that get only what was brought back.

use super::attributes_in_text::{assignments_of, is_moved_by_hand};
use super::unmoved_tensors::{is_module, kept_in, methods_of, moves_itself};
use crate::code::{Call, Class, Expr, ExprKind};
use crate::rules::files::FileScope;
use rustc_hash::FxHashSet;

/// Methods that give a tensor, or several, of the same device.
pub(super) const SAME_SIDE: &[&str] = &[
    "abs",
    "argmax",
    "argmin",
    "argsort",
    "bool",
    "byte",
    "chunk",
    "clamp",
    "clone",
    "contiguous",
    "detach",
    "double",
    "eq",
    "exp",
    "expand",
    "flatten",
    "flip",
    "float",
    "ge",
    "gt",
    "half",
    "int",
    "le",
    "log",
    "long",
    "lt",
    "masked_select",
    "max",
    "mean",
    "min",
    "ne",
    "nonzero",
    "permute",
    "pow",
    "repeat",
    "requires_grad_",
    "reshape",
    "round",
    "sigmoid",
    "softmax",
    "sort",
    "split",
    "sqrt",
    "squeeze",
    "sum",
    "t",
    "topk",
    "transpose",
    "type",
    "unbind",
    "unsqueeze",
    "view",
];

/// Where a tensor lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// In the memory of the host.
    Host,
    /// On the device that the program chose, which is a GPU where there is one.
    Device,
}

/// The attributes of a class that keep a tensor on the CPU, and that nothing in the project moves.
pub(super) fn hosts_of<'a>(scope: &FileScope<'a>, class: &'a Class<'a>) -> FxHashSet<&'a str> {
    let mut hosts = FxHashSet::default();
    let methods = methods_of(scope, class);
    let text = scope.text(class.span);
    if moves_itself(text, &methods) || !is_module(scope, class) {
        return hosts;
    }
    let Some(made) = methods.iter().find(|method| method.name == "__init__") else { return hosts };
    for (name, _, on_gpu) in kept_in(scope, made, &|| false) {
        let is_plain = !on_gpu && !is_moved_by_hand(text, name) && assignments_of(text, name) == 1;
        if is_plain && !is_moved_elsewhere(scope, name) {
            hosts.insert(name);
        }
    }
    hosts
}

/// Whether any file moves or replaces an attribute of this name of another object: `net.table = net.table.to(device)`.
fn is_moved_elsewhere(scope: &FileScope<'_>, name: &str) -> bool {
    let ends = [format!(".{name}.to("), format!(".{name}.cuda("), format!(".{name} = ")];
    let own = scope.whole_text().matches(&ends[2]).count() > 1;
    own || scope.program.every_file().any(|(id, file)| {
        let is_other = id != scope.file;
        file.is_python()
            && ends.iter().enumerate().any(|(at, end)| (is_other || at < 2) && file.text.contains(end))
    })
}

/// The side of `torch.cat(self.parts)`, where all that the list gets was brought back by `.cpu()`.
pub(super) fn places_of(scope: &FileScope<'_>, class: Option<&Class<'_>>, call: &Call<'_>) -> Option<Side> {
    let ExprKind::Attribute(object, name) = &call.arguments.first()?.value.kind else { return None };
    let is_own = matches!(object.kind, ExprKind::Name("self"));
    let text = scope.text(class.filter(|_| is_own)?.span);
    let append = format!("self.{name}.append(");
    let mut added =
        text.lines().filter_map(|line| line.split_once(&append)).map(|(_, value)| value.trim_end());
    let is_back = |value: &str| value.trim_end_matches(')').ends_with(".cpu(");
    let first = added.next()?;
    let starts_empty = assignments_of(text, name) == 1 && text.contains(&format!("self.{name} = []"));
    (starts_empty && is_back(first) && added.all(is_back)).then_some(Side::Host)
}

/// Functions of torch that give a tensor of the device of the one that they are given.
const OF_ONE: &[&str] = &["cos", "cumprod", "cumsum", "exp", "flip", "log", "sin", "sqrt", "tril", "triu"];

/// The tensor of `torch.cumprod(tensor, dim=0)`.
pub(super) fn computed_of<'e, 's>(scope: &FileScope<'_>, value: &'e Expr<'s>) -> Option<&'e Expr<'s>> {
    let ExprKind::Call(call) = &value.kind else { return None };
    let name = scope.names.path(&call.callee)?.strip_prefix("torch.")?;
    call.arguments.first().filter(|_| OF_ONE.contains(&name)).map(|first| &first.value)
}
