//! The order of the GPUs beside a mask of Python: written in the same way as the mask, just before it.

use super::order_of;
use crate::findings::Edit;
use crate::fixes::Refusal;
use crate::fixes::site::{Draft, Site, blanks_before};
use crate::fixes::texts::plain_text;
use crate::languages::{NodeId, Tree, TreeKind};
use crate::program::{MASK, ORDER};

/// `os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"` above the assignment of the mask, or whatever sets it.
pub(super) fn order(site: &Site<'_>) -> Result<Draft, Refusal> {
    let tree = site.tree()?;
    let place = site.span();
    let is_mask = |node: &crate::languages::TreeNode| {
        node.kind == TreeKind::Text
            && place.start <= node.span.start
            && node.span.end <= place.end
            && plain_text(site.slice(node.span)) == Some(MASK)
    };
    if let Some((key, _)) = tree.numbered().find(|(_, node)| is_mask(node)) {
        return Ok(vec![beside_text(site, tree, key)?].into());
    }
    let line_start = site.text()[..place.start as usize].rfind('\n').map_or(0, |end| end + 1);
    let before = &site.text()[line_start..place.start as usize];
    if matches!(before.trim(), "%env" | "%set_env") {
        let line = format!("{before}{ORDER}={}{}", order_of(site), site.newline());
        return Ok(vec![site.insertion(line_start as u32, line)].into());
    }
    let keyword = tree.exactly(place, |kind| kind == TreeKind::Keyword).ok_or_else(unclear)?;
    let value = tree.children(keyword).last().map(|(_, node)| site.slice(node.span)).unwrap_or_default();
    let quote = if value.starts_with('\'') { '\'' } else { '"' };
    let edit = site.insertion(place.start, format!("{ORDER}={quote}{}{quote}, ", order_of(site)));
    Ok(vec![edit].into())
}

fn unclear() -> Refusal {
    "how the mask is written here is not understood".to_owned()
}

/// Beside a mask that is named by a text: a key of `os.environ`, an argument, or a key of a dictionary.
fn beside_text(site: &Site<'_>, tree: &Tree, key: NodeId) -> Result<Edit, Refusal> {
    let span = tree.node(key).span;
    let quote = if site.slice(span).ends_with('\'') { '\'' } else { '"' };
    let name = format!("{quote}{ORDER}{quote}");
    let order = format!("{quote}{}{quote}", order_of(site));
    let parent = tree.node(key).parent.ok_or_else(unclear)?;
    match tree.node(parent).kind {
        TreeKind::Dict => {
            let entry = format!("{name}: {order},");
            let text = match blanks_before(site.text(), span.start) {
                Some(blanks) => format!("{entry}{}{blanks}", site.newline()),
                None => format!("{entry} "),
            };
            Ok(site.insertion(span.start, text))
        }
        TreeKind::Subscript => {
            let environ =
                tree.children(parent).next().map(|(_, node)| site.slice(node.span)).ok_or_else(unclear)?;
            let statement = alone(tree, parent)?;
            Ok(site.statements_above(tree, statement, &[format!("{environ}[{name}] = {order}")]))
        }
        TreeKind::Arguments => {
            let call = tree.node(parent).parent.ok_or_else(unclear)?;
            let callee = tree.children(call).next().map(|(_, node)| node.span).ok_or_else(unclear)?;
            let arguments = tree.children(parent).count();
            let statement = alone(tree, call)?;
            if arguments != 2 {
                return Err(unclear());
            }
            let line = match site.slice(callee) {
                // It reaches nobody but what is started.
                callee if callee.ends_with("putenv") => {
                    let os = callee.strip_suffix("putenv").unwrap_or("os.");
                    format!("{os}environ[{name}] = {order}")
                }
                callee => format!("{callee}({name}, {order})"),
            };
            Ok(site.statements_above(tree, statement, &[line]))
        }
        _ => Err(unclear()),
    }
}

/// The simple statement that does nothing but what this expression does.
fn alone(tree: &Tree, expression: NodeId) -> Result<NodeId, Refusal> {
    let statement = tree.statement_at(tree.node(expression).span).ok_or_else(unclear)?;
    let is_alone = tree.node(expression).parent == Some(statement)
        && matches!(tree.node(statement).kind, TreeKind::Assign | TreeKind::Evaluate);
    match is_alone {
        true => Ok(statement),
        false => Err(unclear()),
    }
}
