//! How deep a text is nested, found without recursion: what no person writes is refused before the parser, which
//! recurses, sees it.

use crate::languages::Refusal;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::ops::Range;

/// Levels at which the ordinary stack does.
const SHALLOW: usize = 300;

/// No file that a person wrote comes near.
const MAX_DEPTH: usize = 20_000;

const MIB: usize = 1 << 20;

/// A bound for how deep a parser recurses: brackets, and tokens in a row that may each open a level.
pub fn depth(tokens: TokenStream) -> usize {
    let mut deepest = 0;
    let mut pending = vec![(tokens.into_iter(), 0usize, false)];
    while let Some((tokens, run, hazard)) = pending.last_mut() {
        let Some(token) = tokens.next() else {
            pending.pop();
            continue;
        };
        *run += 1;
        match token {
            TokenTree::Punct(punct) => match punct.as_char() {
                ';' => (*run, *hazard) = (0, false),
                // Lists may be long; only generics and closures go on behind a comma.
                ',' if !*hazard => *run = 0,
                '<' | '|' => *hazard = true,
                _ => {}
            },
            TokenTree::Group(group) => {
                let braces = group.delimiter() == Delimiter::Brace;
                pending.push((group.stream().into_iter(), 0, false));
                let total: usize = pending.iter().map(|(_, run, _)| run + 1).sum();
                deepest = deepest.max(total);
                if braces && let Some(outer) = pending.len().checked_sub(2) {
                    (pending[outer].1, pending[outer].2) = (0, false);
                }
                if deepest > MAX_DEPTH || pending.len() > MAX_DEPTH {
                    return deepest.max(MAX_DEPTH + 1);
                }
                continue;
            }
            TokenTree::Ident(_) | TokenTree::Literal(_) => {}
        }
        let run = *run;
        if run > SHALLOW {
            let around: usize = pending.iter().map(|(_, run, _)| run + 1).sum();
            deepest = deepest.max(around);
        }
    }
    deepest
}

/// Runs `work` with as much stack as a text of this depth needs.
pub fn with_room<T>(depth: usize, work: impl FnOnce() -> T) -> Result<T, Refusal> {
    if depth > MAX_DEPTH {
        return Err("nested beyond reason".to_owned());
    }
    if depth > SHALLOW {
        return Ok(stacker::grow(512 * MIB, work));
    }
    Ok(stacker::maybe_grow(MIB, 8 * MIB, work))
}

/// Where literals stand, text in doc comments among them.
pub fn literals(tokens: TokenStream) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut pending = vec![tokens.into_iter()];
    while let Some(tokens) = pending.last_mut() {
        match tokens.next() {
            Some(TokenTree::Group(group)) => pending.push(group.stream().into_iter()),
            Some(TokenTree::Literal(literal)) => found.push(literal.span().byte_range()),
            Some(_) => {}
            None => drop(pending.pop()),
        }
    }
    found
}
