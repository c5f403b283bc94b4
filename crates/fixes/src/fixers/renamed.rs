//! Functions that have another name now.

use crate::fixes::Refusal;
use crate::fixes::imports::{Imported, bound_by};
use crate::fixes::site::{Draft, Site};
use crate::languages::TreeKind;

/// The memory functions of torch: the last part of the name, as it was and as it is.
const MEMORY: &[(&str, &str)] = &[
    ("max_memory_cached", "max_memory_reserved"),
    ("memory_cached", "memory_reserved"),
    ("reset_max_memory_allocated", "reset_peak_memory_stats"),
    ("reset_max_memory_cached", "reset_peak_memory_stats"),
];

/// `torch.cuda.memory_cached()` → `torch.cuda.memory_reserved()`; where the name itself is imported, in its import too.
pub fn memory(site: &Site<'_>) -> Result<Draft, Refusal> {
    let place = site.span();
    let written = site.slice(place);
    let callee = written.split('(').next().unwrap_or(written).trim_end();
    let last = callee.rsplit(['.', ' ', '\n', '\t', '\\']).next().unwrap_or(callee);
    let today = |old: &str| MEMORY.iter().find(|(name, _)| *name == old).map(|(_, today)| *today);
    if callee.contains('.') {
        let today = today(last).ok_or("the name is put together")?;
        let end = place.start + callee.len() as u32;
        let span = crate::facts::Span { start: end - last.len() as u32, end };
        return Ok(vec![site.edit(span, today)].into());
    }
    let tree = site.tree()?;
    let imported = Imported::by(site, tree, last)?;
    let alias = tree.node(imported.alias).span;
    let text = site.slice(alias);
    let name = text.split_whitespace().next().unwrap_or(text);
    let today = today(name).ok_or("it is imported in another way")?;
    let first = crate::facts::Span { start: alias.start, end: alias.start + name.len() as u32 };
    let mut edits = vec![site.edit(first, today)];
    if bound_by(text) == name && !text.contains(char::is_whitespace) {
        let is_taken = tree.nodes.iter().any(|node| {
            let is_name = matches!(node.kind, TreeKind::Name | TreeKind::Alias | TreeKind::Parameter);
            is_name && bound_by(site.slice(node.span)) == today
        });
        if is_taken {
            return Err(format!("`{today}` is a name of the file already"));
        }
        edits.extend(imported.uses.iter().map(|id| site.edit(tree.node(*id).span, today)));
    }
    Ok(edits.into())
}
