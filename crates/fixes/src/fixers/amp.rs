//! Mixed precision by the names that take the kind of device as an argument.

use crate::code::{Expr, ExprKind};
use crate::facts::Span;
use crate::findings::{Edit, Safety};
use crate::fixes::Refusal;
use crate::fixes::imports::{Imported, bound_by, is_imported};
use crate::fixes::site::{Draft, Site};
use crate::fixes::surroundings::Surroundings;
use crate::languages::{NodeId, Tree, TreeKind};
use crate::program::Names;

/// The release of torch that warns, and has all of the names.
const RELEASE: &str = "2.4";

/// What an old name is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OldNameKind {
    Autocast,
    Scaler,
    /// A decorator of a step of an autograd function.
    Step,
}

fn sort_of(name: &str) -> Option<OldNameKind> {
    match name {
        "autocast" => Some(OldNameKind::Autocast),
        "GradScaler" => Some(OldNameKind::Scaler),
        "custom_fwd" | "custom_bwd" => Some(OldNameKind::Step),
        _ => None,
    }
}

/// `torch.cuda.amp.autocast()` → `torch.amp.autocast("cuda")`; what is imported is changed with its import and all its uses.
pub fn renamed(site: &Site<'_>) -> Result<Draft, Refusal> {
    let tree = site.tree()?;
    let names = Names::of(site.program, site.file());
    let around = Surroundings::of(site.code(), site.span());
    let found = around.exactly(site.span()).ok_or("it is not understood")?;
    let callee = match &found.kind {
        ExprKind::Call(call) => &call.callee,
        _ => found,
    };
    let root = root_of(callee);
    let ExprKind::Name(bound) = root.kind else { return Err("it is not understood".to_owned()) };
    let path = names.path(root).ok_or("it is not understood")?.to_owned();
    let mut edits = Vec::new();
    match path.as_str() {
        "torch" | "torch.cuda" | "torch.cpu" => {
            let torch = match path.as_str() {
                "torch" => bound,
                _ if is_imported(site.code(), "torch") => "torch",
                _ => return Err(format!("`{bound}` has no `amp` that takes the kind of device")),
            };
            let node = tree.exactly(callee.span, |kind| kind == TreeKind::Attribute);
            let node = node.ok_or("it is not understood")?;
            let device = device_of(names.path(callee).unwrap_or_default());
            let last = bound_by_dots(site.slice(callee.span));
            edits.extend(Use { site, tree, node, device }.edits(last, &format!("{torch}.amp.{last}"))?);
        }
        path => edits.extend(imported(site, tree, bound, path)?),
    }
    let versions = site.program.versions();
    let is_new = versions.at_least(&site.source().name, "torch", RELEASE) == Some(true);
    Ok(Draft { edits, safety: is_new.then_some(Safety::Safe), title: None })
}

/// Changes an import, and everything that it binds wherever that is used.
fn imported(site: &Site<'_>, tree: &Tree, bound: &str, path: &str) -> Result<Vec<Edit>, Refusal> {
    let import = Imported::by(site, tree, bound)?;
    let device = device_of(path);
    let statement = tree.node(import.statement);
    let is_module = sort_of(bound_by_dots(path)).is_none();
    let text = site.slice(statement.span);
    let from = module_of(text).filter(|_| statement.kind == TreeKind::ImportFrom);
    let aliases: Vec<NodeId> = tree
        .children(import.statement)
        .filter(|(_, node)| node.kind == TreeKind::Alias)
        .map(|(id, _)| id)
        .collect();
    let alone = || match aliases.len() {
        1 => Ok(()),
        _ => Err("the import binds other things too".to_owned()),
    };
    let module = |span: (usize, usize), new: &str| {
        let start = statement.span.start + span.0 as u32;
        site.edit(Span { start, end: statement.span.start + span.1 as u32 }, new)
    };
    let mut edits = Vec::new();
    match (from, is_module) {
        // `from torch.cuda import amp`
        (Some(span), true) => {
            alone()?;
            if text[span.0..span.1] != format!("torch.{device}") {
                return Err(format!("`{bound}` is a part of `torch.{device}.amp`"));
            }
            edits.push(module(span, "torch"));
        }
        // `import torch.cuda.amp as amp`
        (None, true) => {
            alone()?;
            let alias = tree.node(import.alias).span;
            let name = site.slice(alias).split_whitespace().next().unwrap_or_default();
            let end = alias.start + name.len() as u32;
            edits.push(site.edit(Span { start: alias.start, end }, "torch.amp"));
        }
        // `from torch.cuda.amp import autocast, GradScaler`
        (Some(span), false) => {
            edits.push(module(span, "torch.amp"));
            for alias in aliases {
                let alias = site.slice(tree.node(alias).span);
                let name = alias.split_whitespace().next().unwrap_or_default();
                if sort_of(name).is_none() {
                    return Err(format!("the import binds `{name}` too, which `torch.amp` does not have"));
                }
                let other = Imported::by(site, tree, bound_by(alias))?;
                for node in other.uses {
                    let written = site.slice(tree.node(node).span);
                    edits.extend(Use { site, tree, node, device }.edits(name, written)?);
                }
            }
            return Ok(edits);
        }
        (None, false) => return Err("the import is not understood".to_owned()),
    }
    for node in import.uses {
        let parent = tree.node(node).parent.filter(|id| tree.node(*id).kind == TreeKind::Attribute);
        let Some(parent) = parent else { return Err(format!("`{bound}` is handed on")) };
        let written = site.slice(tree.node(parent).span);
        let name = bound_by_dots(written);
        let shorter = format!("{bound}.{name}");
        edits.extend(Use { site, tree, node: parent, device }.edits(name, &shorter)?);
    }
    Ok(edits)
}

/// One place where an old name is used.
struct Use<'u, 'a> {
    site: &'u Site<'a>,
    tree: &'u Tree,
    /// The name, with what stands before it.
    node: NodeId,
    device: &'u str,
}

impl Use<'_, '_> {
    /// `name` is what it is called in its module, `new` what is written for it.
    fn edits(&self, name: &str, new: &str) -> Result<Vec<Edit>, Refusal> {
        let sort = sort_of(name).ok_or_else(|| format!("`torch.amp` has no `{name}`"))?;
        let node = self.tree.node(self.node);
        let written = self.site.slice(node.span);
        let mut edits = Vec::new();
        let parent = node.parent.map(|id| (id, self.tree.node(id)));
        let call = parent
            .filter(|(_, parent)| parent.kind == TreeKind::Call && parent.span.start == node.span.start);
        if written != new {
            edits.push(self.site.edit(node.span, new));
        }
        match (call, sort) {
            (Some((call, _)), _) => edits.extend(self.arguments(call, sort)?),
            (None, OldNameKind::Step)
                if parent.is_some_and(|(_, parent)| parent.kind == TreeKind::Decorator) =>
            {
                edits.clear();
                let text = format!("{new}(device_type=\"{}\")", self.device);
                edits.push(self.site.edit(node.span, text));
            }
            // Without arguments it takes CUDA, and its name may only say a type.
            (None, OldNameKind::Scaler) if self.device == "cuda" => {}
            _ => return Err(format!("`{name}` is handed on, and who calls it names no device")),
        }
        Ok(edits)
    }

    /// Puts the kind of device in front, and names the arguments that stand in another order now.
    fn arguments(&self, call: NodeId, sort: OldNameKind) -> Result<Vec<Edit>, Refusal> {
        let (site, tree) = (self.site, self.tree);
        let list = tree.children(call).find(|(_, node)| node.kind == TreeKind::Arguments);
        let (list, node) = list.ok_or("the call is not understood")?;
        let given: Vec<_> = tree.children(list).collect();
        let text = |id: NodeId| site.slice(tree.node(id).span);
        let names = |word: &str| given.iter().any(|(id, _)| text(*id).starts_with(word));
        if names("device=") || names("device_type=") {
            return Err("it is given a kind of device".to_owned());
        }
        let positional: Vec<_> = given.iter().filter(|(_, one)| one.kind != TreeKind::Keyword).collect();
        if positional.iter().any(|(id, _)| text(*id).starts_with('*')) {
            return Err("its arguments are unpacked from elsewhere".to_owned());
        }
        let device = self.device;
        // Behind the bracket, and behind what brackets of its own open the first argument.
        let first = tree.tokens.iter().find(|token| token.is_word() && token.span.start > node.span.start);
        let at = match first {
            Some(token) if !given.is_empty() => token.span.start,
            _ => node.span.start + 1,
        };
        let mut edits = Vec::new();
        let comma = if given.is_empty() { "" } else { ", " };
        match (sort, positional.len()) {
            (OldNameKind::Step, 1) => {
                let end = tree.node(positional[0].0).span.end;
                edits.push(site.insertion(end, format!(", device_type=\"{device}\"")));
            }
            (OldNameKind::Step, _) => {
                edits.push(site.insertion(at, format!("device_type=\"{device}\"{comma}")))
            }
            (OldNameKind::Scaler, _) | (OldNameKind::Autocast, 0) => {
                edits.push(site.insertion(at, format!("\"{device}\"{comma}")));
            }
            (OldNameKind::Autocast, _) => {
                const ORDER: [&str; 3] = ["enabled", "dtype", "cache_enabled"];
                for ((id, _), name) in positional.iter().zip(ORDER) {
                    let mut start = tree.node(*id).span.start;
                    while let Some(bracket) = bracket_before(site, tree, start, node.span.start) {
                        start = bracket;
                    }
                    let first = edits.is_empty();
                    let device = if first { format!("\"{device}\", ") } else { String::new() };
                    edits.push(site.insertion(start, format!("{device}{name}=")));
                }
            }
        }
        Ok(edits)
    }
}

/// The bracket of its own that an argument begins with, behind that of the call.
fn bracket_before(site: &Site<'_>, tree: &Tree, start: u32, call: u32) -> Option<u32> {
    let behind = tree.tokens.partition_point(|token| token.span.start < start);
    let before = tree.tokens[..behind].iter().rev().find(|token| token.is_word())?;
    (before.span.start > call && site.slice(before.span) == "(").then_some(before.span.start)
}

/// Where the module stands in `from module import …`.
fn module_of(text: &str) -> Option<(usize, usize)> {
    let rest = text.strip_prefix("from")?;
    let start = text.len() - rest.trim_start().len();
    let end = start + text[start..].find(char::is_whitespace)?;
    Some((start, end))
}

fn device_of(path: &str) -> &'static str {
    if path.starts_with("torch.cpu") { "cpu" } else { "cuda" }
}

fn bound_by_dots(path: &str) -> &str {
    path.rsplit(|one: char| one == '.' || one.is_whitespace()).next().unwrap_or(path)
}

/// `torch` of `torch.cuda.amp.autocast`.
fn root_of<'c, 's>(expr: &'c Expr<'s>) -> &'c Expr<'s> {
    match &expr.kind {
        ExprKind::Attribute(inner, _) => root_of(inner),
        _ => expr,
    }
}
