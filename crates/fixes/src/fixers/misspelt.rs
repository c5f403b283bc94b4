//! Texts that name no device, with the device that is likely meant.

use crate::fixes::Refusal;
use crate::fixes::literals::inside_quotes;
use crate::fixes::site::{Draft, Site};
use crate::languages::{TreeKind, TreeToken};
use crate::rules::meant_device;

/// `"coda:1"` → `"cuda:1"`, also as the beginning of a text that is put together.
pub fn device(site: &Site<'_>) -> Result<Draft, Refusal> {
    let place = site.span();
    let written = site.slice(place);
    let unknown = "what is meant is not known";
    if let Some((before, inner, after)) = inside_quotes(written) {
        let meant = meant_device(inner, true).ok_or(unknown)?;
        return Ok(vec![site.edit(place, format!("{before}{meant}{after}"))].into());
    }
    let tree = site.tree()?;
    if tree.exactly(place, |kind| kind == TreeKind::Text).is_some() {
        return Err("it is written in several parts".to_owned());
    }
    let first = tree.tokens.partition_point(|token| token.span.start < place.start);
    let mut tokens = tree.tokens[first..].iter().take_while(|token| token.span.end <= place.end);
    // The first piece of a text between quotes, or between the quotes and the first brace of an f-string.
    let is_piece = |token: &&TreeToken| token.is_text();
    let piece = tokens.by_ref().find(is_piece).ok_or(unknown)?;
    let text = site.slice(piece.span);
    let more = tokens.any(|token| token.is_word() && token.span.end < place.end);
    let (before, inner, after) = inside_quotes(text).ok_or(unknown)?;
    let meant = meant_device(inner, !more).ok_or(unknown)?;
    Ok(vec![site.edit(piece.span, format!("{before}{meant}{after}"))].into())
}
