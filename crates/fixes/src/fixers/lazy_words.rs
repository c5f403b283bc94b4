//! The word `lazy` where Python refuses it, or where it says what is not so.

use crate::facts::Span;
use crate::fixes::Refusal;
use crate::fixes::site::{Draft, Site};
use crate::languages::TreeKind;

/// `lazy import torch` → `import torch`.
pub fn dropped(site: &Site<'_>) -> Result<Draft, Refusal> {
    let tree = site.tree()?;
    let statement = tree.statement_at(site.span()).ok_or("there is no statement")?;
    let span = tree.node(statement).span;
    let text = site.slice(span);
    let word = match tree.node(statement).kind {
        TreeKind::Import => "import",
        TreeKind::ImportFrom => "from",
        _ => return Err("it is no import statement".to_owned()),
    };
    let rest = text.strip_prefix("lazy").filter(|rest| rest.starts_with([' ', '\t', '\\']));
    let rest = rest.ok_or("`__lazy_modules__` makes it lazy, and not a word that could be dropped")?;
    let at = rest.find(word).ok_or("it is no import statement")?;
    let end = span.start + ("lazy".len() + at + word.len()) as u32;
    Ok(vec![site.edit(Span { start: span.start, end }, word)].into())
}
