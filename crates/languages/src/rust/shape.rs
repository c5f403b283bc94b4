//! How deep a text is nested, found without recursion: what no person writes is refused before the parser, which
//! recurses, sees it.

use crate::languages::Refusal;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::ops::Range;

/// Levels at which the ordinary stack does.
const SHALLOW: usize = 300;

/// No file that a person wrote comes near.
const MAX_DEPTH: usize = 4_000;

const MIB: usize = 1 << 20;

/// The tokens of one group that were gone through.
struct Level {
    tokens: proc_macro2::token_stream::IntoIter,
    /// Tokens since the last one behind which nothing goes on.
    run: usize,
    /// The same before the last block, for an `else` behind it.
    before_block: usize,
    /// Generics and closures go on behind a comma; lists, which may be long, do not.
    hazard: bool,
    /// The group that is being gone through is a block.
    ends_with_block: bool,
}

impl Level {
    fn of(tokens: TokenStream) -> Level {
        Level { tokens: tokens.into_iter(), run: 0, before_block: 0, hazard: false, ends_with_block: false }
    }

    fn end_run(&mut self) {
        self.before_block = self.run;
        (self.run, self.hazard) = (0, false);
    }
}

/// A bound for how deep a parser recurses: brackets, and tokens in a row that may each open a level.
pub fn depth(tokens: TokenStream) -> usize {
    let mut deepest = 0;
    // Of the levels around the one that is being gone through.
    let mut around = 0;
    let mut levels = vec![Level::of(tokens)];
    while let Some(level) = levels.last_mut() {
        let Some(token) = level.tokens.next() else {
            levels.pop();
            around -= levels.last().map_or(0, |outer| outer.run + 1);
            if let Some(outer) = levels.last_mut()
                && std::mem::take(&mut outer.ends_with_block)
            {
                outer.end_run();
            }
            continue;
        };
        level.run += 1;
        deepest = deepest.max(around + level.run);
        if deepest > MAX_DEPTH {
            break;
        }
        match token {
            TokenTree::Punct(punct) => match punct.as_char() {
                ';' => level.end_run(),
                ',' if !level.hazard => level.end_run(),
                '<' | '|' => level.hazard = true,
                _ => {}
            },
            TokenTree::Ident(word) if word == "else" => level.run += level.before_block,
            TokenTree::Group(group) => {
                level.ends_with_block = group.delimiter() == Delimiter::Brace;
                around += level.run + 1;
                levels.push(Level::of(group.stream()));
            }
            TokenTree::Ident(_) | TokenTree::Literal(_) => {}
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
    Ok(stacker::maybe_grow(16 * MIB, 32 * MIB, work))
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
