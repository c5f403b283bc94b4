//! The texts that an argument for a device may be.

use crate::code::{Expr, ExprKind, Operator};
use crate::facts::Span;
use crate::rules::files::FileScope;

/// A text, as far as it is known.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub span: Span,
    pub text: String,
    /// It is all of it; else something follows, as in `f"cuda:{index}"`.
    pub whole: bool,
}

/// The texts that an expression may be; with `follow` also through names that are assigned once.
pub(super) fn texts_of(expr: &Expr<'_>, scope: &FileScope<'_>, follow: bool) -> Vec<Text> {
    let mut texts = Vec::new();
    collect(expr, scope, follow, &mut texts);
    texts
}

fn collect(expr: &Expr<'_>, scope: &FileScope<'_>, follow: bool, texts: &mut Vec<Text>) {
    let expr = if follow { scope.names.meant(expr) } else { expr };
    let mut add = |text: &str, whole| texts.push(Text { span: expr.span, text: text.to_owned(), whole });
    match &expr.kind {
        ExprKind::Text(text) => add(text, true),
        ExprKind::Join(parts) => {
            if let Some(Expr { kind: ExprKind::Text(text), .. }) = parts.first() {
                add(text, parts.len() == 1);
            }
        }
        ExprKind::Binary(Operator::Add | Operator::Remainder, pair) => {
            if let ExprKind::Text(text) = &pair.0.kind {
                add(text, false);
            }
        }
        ExprKind::Choice(parts) => {
            collect(&parts.1, scope, false, texts);
            collect(&parts.2, scope, false, texts);
        }
        ExprKind::Any(operands) => operands.iter().for_each(|one| collect(one, scope, false, texts)),
        _ => {}
    }
}
