//! What keeps memory of the GPU, or misreads it: sums of losses, loops with gradients, and what the allocator holds.

use super::clean_up::indentation;
use crate::facts::Span;
use crate::findings::Edit;
use crate::fixes::Refusal;
use crate::fixes::bound_modules::name_of;
use crate::fixes::lines::{indented, own_lines};
use crate::fixes::site::{Draft, Site};
use crate::languages::{NodeId, Tree, TreeKind as Kind};

/// `total += loss` → `total += loss.item()`; `.detach()` where the sum is used as a tensor, or lies in an object.
pub fn number_only(site: &Site<'_>) -> Result<Draft, Refusal> {
    let tree = site.tree()?;
    let handed = tree.exactly(site.span(), |kind| kind.is_expression());
    if handed.is_some() && site.finding.value("value") == Some(site.slice(site.span())) {
        let text = format!("{}.detach()", site.slice(site.span()));
        let title = Some("add it without its graph".to_owned());
        return Ok(Draft { title, ..vec![site.edit(site.span(), text)].into() });
    }
    let statement = tree.exactly(site.span(), |kind| kind == Kind::Assign).ok_or("it is no sum")?;
    let (Some(total), Some(value)) = (site.finding.value("total"), site.finding.value("value")) else {
        return Err("the value is not known".to_owned());
    };
    let mut parts = tree.children(statement).map(|(id, _)| id);
    let (Some(target), Some(sum)) = (parts.next(), parts.next_back()) else {
        return Err("it is no sum".to_owned());
    };
    let same: Vec<NodeId> = std::iter::once(sum)
        .chain(tree.below(sum).map(|(id, _)| id))
        .filter(|id| tree.node(*id).kind.is_expression() && site.slice(tree.node(*id).span) == value)
        .collect();
    let [one] = same[..] else { return Err(format!("`{value}` stands there several times")) };
    let term = whole_term(tree, one, sum);
    let span = tree.node(term).span;
    let stays_tensor = is_used_as_tensor(site, tree, total, target);
    let cut = if stays_tensor { "detach" } else { "item" };
    let title = stays_tensor.then(|| "add it without its graph".to_owned());
    let text = format!("{}.{cut}()", site.slice(span));
    Ok(Draft { title, ..vec![site.edit(span, text)].into() })
}

/// Runs the loop around the finding under `torch.no_grad()`.
pub fn without_gradients(site: &Site<'_>) -> Result<Draft, Refusal> {
    let tree = site.tree()?;
    let around = tree.innermost(site.span(), |kind| matches!(kind, Kind::For | Kind::While));
    let around = around.ok_or("it stands in no loop")?;
    if tree.below(around).any(|(_, node)| node.kind == Kind::Yield) {
        return Err("the loop hands out values in between".to_owned());
    }
    let no_grad = name_of(site, tree, ("torch", "no_grad"), tree.node(around).span);
    let no_grad = no_grad.ok_or("torch is not imported here")?;
    let lines = own_lines(site, tree, around)?;
    let blanks = indentation(site, tree, around);
    let head = format!("{blanks}with {no_grad}():{}", site.newline());
    Ok(indented(site, tree, lines, &head)?.into())
}

/// Reads the memory that is in use in the place of what the allocator holds, for all figures of a check.
pub fn allocated(site: &Site<'_>) -> Result<Draft, Refusal> {
    let tree = site.tree()?;
    let check = tree.statement_at(site.span()).ok_or("it is no statement")?;
    let home = tree.function_around(check);
    let mut edits: Vec<Edit> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    let mut pending: Vec<NodeId> = vec![check];
    if tree.node(check).kind == Kind::If {
        // Only what is tested.
        let test = tree.children(check).next().map(|(id, _)| id);
        pending = test.into_iter().collect();
    }
    while let Some(part) = pending.pop() {
        for (_, node) in std::iter::once((part, tree.node(part))).chain(tree.below(part)) {
            let text = site.slice(node.span);
            match node.kind {
                Kind::Attribute => edits.extend(in_use(text).map(|text| site.edit(node.span, text))),
                Kind::Name if !names.contains(&text) => {
                    names.push(text);
                    if is_parameter(site, tree, home, text) {
                        return Err(format!("`{text}` comes from who calls it"));
                    }
                    pending.extend(values_of(site, tree, home, text));
                }
                _ => {}
            }
        }
    }
    match edits.is_empty() {
        true => Err("it is read by other means than torch's".to_owned()),
        false => Ok(edits.into()),
    }
}

/// The whole chain that begins with a value: `loss.mean()` for `loss`.
fn whole_term(tree: &Tree, value: NodeId, sum: NodeId) -> NodeId {
    let mut term = value;
    while term != sum {
        let Some(parent) = tree.node(term).parent else { break };
        let begins = tree.node(parent).span.start == tree.node(term).span.start;
        if !begins || !matches!(tree.node(parent).kind, Kind::Attribute | Kind::Call) {
            break;
        }
        term = parent;
    }
    term
}

/// Whether a method of a sum is called, or it begins as something else than a number.
fn is_used_as_tensor(site: &Site<'_>, tree: &Tree, total: &str, target: NodeId) -> bool {
    let home = tree.function_around(target);
    tree.numbered().any(|(id, node)| {
        if !total.starts_with("self.") && tree.function_around(id) != home {
            return false;
        }
        let mut parts = tree.children(id);
        let first = parts.next().map(|(_, first)| site.slice(first.span));
        match node.kind {
            Kind::Attribute => first == Some(total),
            Kind::Assign if first == Some(total) => parts.next_back().is_some_and(|(_, value)| {
                let text = site.slice(value.span);
                text.contains("torch.") || text.contains("tensor(")
            }),
            // `dist.all_reduce(total)`
            Kind::Call => {
                let callee = first.unwrap_or_default();
                let takes = site.slice(node.span).strip_prefix(callee).is_some_and(|rest| {
                    let rest = rest.trim_start_matches('(').trim_start();
                    rest.strip_prefix(total).is_some_and(|rest| rest.starts_with([')', ',']))
                });
                takes && (callee.contains("reduce") || callee.contains("gather") || callee.contains("torch."))
            }
            _ => false,
        }
    })
}

/// What reads the memory in use, by what reads what is held.
fn in_use(path: &str) -> Option<String> {
    let (object, name) = path.rsplit_once('.')?;
    let name = match name.trim() {
        "memory_reserved" | "memory_cached" => "memory_allocated",
        "max_memory_reserved" => "max_memory_allocated",
        _ => return None,
    };
    Some(format!("{object}.{name}"))
}

fn is_parameter(site: &Site<'_>, tree: &Tree, home: Option<NodeId>, name: &str) -> bool {
    let Some(home) = home else { return false };
    tree.below(home).any(|(id, node)| {
        node.kind == Kind::Parameter
            && tree.function_around(id) == Some(home)
            && tree.children(id).next().is_some_and(|(_, word)| site.slice(word.span) == name)
            && name != "self"
    })
}

/// What a name is assigned in a function.
fn values_of(site: &Site<'_>, tree: &Tree, home: Option<NodeId>, name: &str) -> Vec<NodeId> {
    let assignments = tree.numbered().filter(|(id, node)| {
        node.kind == Kind::Assign && tree.function_around(*id) == home && {
            let target: Option<Span> = tree.children(*id).next().map(|(_, target)| target.span);
            target.is_some_and(|target| site.slice(target) == name)
        }
    });
    assignments.filter_map(|(id, _)| tree.children(id).next_back()).map(|(value, _)| value).collect()
}
