//! What people read in a piece of Python: its comments, and the texts that stand alone as statements. The cells of a notebook
//! and the blocks of a document may be no Python; of a file that is, [`crate::code::Remarks`] knows them.

use super::{nesting, older};
use crate::languages::embedded::Origin;
use crate::languages::passages::{PassageKind, TextPiece, lines};
use ruff_python_ast::statement_visitor::{StatementVisitor, walk_stmt};
use ruff_python_ast::token::TokenKind;
use ruff_python_ast::{Expr, PySourceType, Stmt};
use ruff_text_size::{Ranged, TextRange};

/// The comments of a text and the lines of its docstrings, whether it is Python as a whole or not.
pub fn remarks(text: &str, origin: &Origin, notebook: bool) -> Vec<TextPiece> {
    if nesting::check(text).is_err() {
        return Vec::new();
    }
    let source_type = if notebook { PySourceType::Ipynb } else { PySourceType::Python };
    let Some(parsed) = older::parse(text, source_type) else { return Vec::new() };
    let mut found = Vec::new();
    let mut add = |kind, start: usize, part: &str| {
        let place = origin.span(start, start + part.len().max(1)).start;
        found.push(TextPiece::new(kind, part, place as usize));
    };
    for token in parsed.tokens().iter().filter(|token| token.kind() == TokenKind::Comment) {
        let (start, end) = (token.range().start().to_usize(), token.range().end().to_usize());
        add(PassageKind::Comment, start, &text[start..end]);
    }
    let mut texts = Texts(Vec::new());
    nesting::with_room(|| texts.visit_body(&parsed.syntax().body));
    for range in texts.0 {
        let (start, end) = (range.start().to_usize(), range.end().to_usize());
        lines(&text[start..end]).for_each(|(at, line)| add(PassageKind::Text, start + at, line));
    }
    nesting::release(parsed, text.len());
    found
}

/// Texts that are statements.
struct Texts(Vec<TextRange>);

impl<'a> StatementVisitor<'a> for Texts {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if let Stmt::Expr(alone) = statement
            && let Expr::StringLiteral(text) = &*alone.value
        {
            self.0.push(text.range());
        }
        nesting::with_room(|| walk_stmt(self, statement));
    }
}
