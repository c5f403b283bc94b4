//! A number that chooses the mask and the device too: `GPU = 1`, `str(GPU)` in the mask, `.cuda(GPU)` behind it. The mask keeps
//! the number, and what takes a device gets the index that it has behind the mask.

use super::purposes::TAKERS;
use crate::facts::Span;
use crate::findings::Edit;
use crate::fixes::Refusal;
use crate::fixes::site::Site;
use crate::languages::{NodeId, Tree, TreeKind};

/// The edits at everything in the file that takes this name as a device.
pub(super) fn edits(site: &Site<'_>, name: &str, index: i64) -> Result<Vec<Edit>, Refusal> {
    let tree = site.tree()?;
    let mut edits = Vec::new();
    for (id, node) in tree.numbered() {
        let written = site.slice(node.span);
        if node.kind == TreeKind::Name && written == name && is_taken(site, tree, id) {
            edits.push(site.edit(node.span, index.to_string()));
        }
        if let Some(text) = text_with(written, name, index)
            && node.kind == TreeKind::OtherExpression
            && is_taken(site, tree, id)
        {
            edits.push(site.edit(node.span, text));
        }
    }
    match edits.is_empty() {
        true => Err(format!("`{name}` also chooses the mask")),
        false => Ok(edits),
    }
}

/// `f"cuda:{GPU}"` with the index in the place of the name.
fn text_with(written: &str, name: &str, index: i64) -> Option<String> {
    let inner = written.strip_prefix(['f', 'F'])?;
    let quote = inner.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let text = inner.strip_prefix(quote)?.strip_suffix(quote)?;
    let device = text.strip_suffix(&format!(":{{{name}}}")).filter(|word| ["cuda", "gpu"].contains(word))?;
    Some(format!("{quote}{device}:{index}{quote}"))
}

/// Whether an expression is an argument of something that takes a device, or of a keyword that says so.
fn is_taken(site: &Site<'_>, tree: &Tree, id: NodeId) -> bool {
    let Some((argument, parent)) = tree.outwards(id).nth(1) else { return false };
    let (keyword, arguments) = match parent.kind {
        TreeKind::Keyword => (Some(parent.span), parent.parent),
        _ => (None, Some(argument)),
    };
    let is_device = |span: Span| {
        let name = site.slice(span).split('=').next().unwrap_or_default().trim();
        name.ends_with("device") || ["device_index", "device_id", "gpu_id", "main_gpu"].contains(&name)
    };
    if let Some(keyword) = keyword {
        return is_device(keyword);
    }
    let Some(arguments) = arguments.filter(|id| tree.node(*id).kind == TreeKind::Arguments) else {
        return false;
    };
    let call = tree.node(arguments).parent.and_then(|call| tree.children(call).next());
    call.is_some_and(|(_, callee)| {
        let last = site.slice(callee.span).rsplit('.').next().unwrap_or_default();
        TAKERS.contains(&last)
    })
}
