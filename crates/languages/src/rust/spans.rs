//! The first and the last token of an expression.

use proc_macro2::Span;
use syn::Expr;

/// The first token. Attributes before it are left out.
pub fn first(expr: &Expr) -> Span {
    match expr {
        Expr::Array(e) => e.bracket_token.span.open(),
        Expr::Assign(e) => first(&e.left),
        Expr::Async(e) => e.async_token.span,
        Expr::Await(e) => first(&e.base),
        Expr::Binary(e) => first(&e.left),
        Expr::Block(e) => e.block.brace_token.span.open(),
        Expr::Break(e) => e.break_token.span,
        Expr::Call(e) => first(&e.func),
        Expr::Cast(e) => first(&e.expr),
        Expr::Closure(e) => match (&e.asyncness, &e.capture) {
            (Some(token), _) => token.span,
            (_, Some(token)) => token.span,
            _ => e.inputs_begin.span,
        },
        Expr::Const(e) => e.const_token.span,
        Expr::Continue(e) => e.continue_token.span,
        Expr::Field(e) => first(&e.base),
        Expr::ForLoop(e) => e.for_token.span,
        Expr::Group(e) => first(&e.expr),
        Expr::If(e) => e.if_token.span,
        Expr::Index(e) => first(&e.expr),
        Expr::Infer(e) => e.underscore_token.span,
        Expr::Let(e) => e.let_token.span,
        Expr::Lit(e) => e.lit.span(),
        Expr::Loop(e) => e.loop_token.span,
        Expr::Macro(e) => start_of_path(&e.mac.path),
        Expr::Match(e) => e.match_token.span,
        Expr::MethodCall(e) => first(&e.receiver),
        Expr::Paren(e) => e.paren_token.span.open(),
        Expr::Path(e) => match &e.qself {
            Some(qself) => qself.lt_token.span,
            None => start_of_path(&e.path),
        },
        Expr::Range(e) => match &e.start {
            Some(start) => first(start),
            None => end_of_range(&e.limits)[0],
        },
        Expr::RawAddr(e) => e.and_token.span,
        Expr::Reference(e) => e.and_token.span,
        Expr::Repeat(e) => e.bracket_token.span.open(),
        Expr::Return(e) => e.return_token.span,
        Expr::Struct(e) => start_of_path(&e.path),
        Expr::Try(e) => first(&e.expr),
        Expr::TryBlock(e) => e.try_token.span,
        Expr::Tuple(e) => e.paren_token.span.open(),
        Expr::Unary(e) => match &e.op {
            syn::UnOp::Not(token) => token.span,
            syn::UnOp::Neg(token) => token.span,
            syn::UnOp::Deref(token) => token.span,
            _ => first(&e.expr),
        },
        Expr::Unsafe(e) => e.unsafe_token.span,
        Expr::While(e) => e.while_token.span,
        Expr::Yield(e) => e.yield_token.span,
        _ => Span::call_site(),
    }
}

/// The last token.
pub fn last(expr: &Expr) -> Span {
    match expr {
        Expr::Array(e) => e.bracket_token.span.close(),
        Expr::Assign(e) => last(&e.right),
        Expr::Async(e) => e.block.brace_token.span.close(),
        Expr::Await(e) => e.await_token.span,
        Expr::Binary(e) => last(&e.right),
        Expr::Block(e) => e.block.brace_token.span.close(),
        Expr::Break(e) => e.expr.as_deref().map_or(e.break_token.span, last),
        Expr::Call(e) => e.paren_token.span.close(),
        // The value is what matters, and not the type that it gets.
        Expr::Cast(e) => last(&e.expr),
        Expr::Closure(e) => last(&e.body),
        Expr::Const(e) => e.block.brace_token.span.close(),
        Expr::Continue(e) => e.continue_token.span,
        Expr::Field(e) => match &e.member {
            syn::Member::Named(name) => name.span(),
            syn::Member::Unnamed(index) => index.span,
        },
        Expr::ForLoop(e) => e.body.brace_token.span.close(),
        Expr::Group(e) => last(&e.expr),
        Expr::If(e) => match &e.else_branch {
            Some((_, otherwise)) => last(otherwise),
            None => e.then_branch.brace_token.span.close(),
        },
        Expr::Index(e) => e.bracket_token.span.close(),
        Expr::Infer(e) => e.underscore_token.span,
        Expr::Let(e) => last(&e.expr),
        Expr::Lit(e) => e.lit.span(),
        Expr::Loop(e) => e.body.brace_token.span.close(),
        Expr::Macro(e) => e.mac.delimiter.span().close(),
        Expr::Match(e) => e.brace_token.span.close(),
        Expr::MethodCall(e) => e.paren_token.span.close(),
        Expr::Paren(e) => e.paren_token.span.close(),
        Expr::Path(e) => end_of_path(&e.path),
        Expr::Range(e) => e.end.as_deref().map_or(end_of_range(&e.limits)[1], last),
        Expr::RawAddr(e) => last(&e.expr),
        Expr::Reference(e) => last(&e.expr),
        Expr::Repeat(e) => e.bracket_token.span.close(),
        Expr::Return(e) => e.expr.as_deref().map_or(e.return_token.span, last),
        Expr::Struct(e) => e.brace_token.span.close(),
        Expr::Try(e) => e.question_token.span,
        Expr::TryBlock(e) => e.block.brace_token.span.close(),
        Expr::Tuple(e) => e.paren_token.span.close(),
        Expr::Unary(e) => last(&e.expr),
        Expr::Unsafe(e) => e.block.brace_token.span.close(),
        Expr::While(e) => e.body.brace_token.span.close(),
        Expr::Yield(e) => e.expr.as_deref().map_or(e.yield_token.span, last),
        _ => Span::call_site(),
    }
}

fn start_of_path(path: &syn::Path) -> Span {
    match (&path.leading_colon, path.segments.first()) {
        (Some(colons), _) => colons.spans[0],
        (None, Some(segment)) => segment.ident.span(),
        (None, None) => Span::call_site(),
    }
}

fn end_of_path(path: &syn::Path) -> Span {
    let Some(segment) = path.segments.last() else { return Span::call_site() };
    match &segment.arguments {
        syn::PathArguments::AngleBracketed(arguments) => arguments.gt_token.span,
        _ => segment.ident.span(),
    }
}

fn end_of_range(limits: &syn::RangeLimits) -> [Span; 2] {
    match limits {
        syn::RangeLimits::HalfOpen(dots) => dots.spans,
        syn::RangeLimits::Closed(dots) => [dots.spans[0], dots.spans[2]],
    }
}
