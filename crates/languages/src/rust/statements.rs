//! Statements and blocks → steps.

use super::Lowering;
use super::names::Scope;
use super::spans;
use crate::code::{Arm, Block, Expr, ExprKind, StatementKind, Target};
use crate::facts::Span;
use crate::languages::nesting_room;
use syn::{Expr as E, Pat, Stmt};

/// What becomes of the value of a block.
#[derive(Clone, Copy)]
pub(super) enum Sink<'s> {
    Ignore,
    Return,
    Bind(&'s str),
}

impl<'s> Lowering<'s> {
    /// The steps of a block, which do not run before the statement around it.
    pub(super) fn block(&mut self, block: &syn::Block, sink: Sink<'s>) -> Block<'s> {
        self.apart(|lowering| {
            let mut steps = Vec::with_capacity(block.stmts.len());
            lowering.statements(&block.stmts, sink, &mut steps);
            steps
        })
    }

    fn statements(&mut self, statements: &[Stmt], sink: Sink<'s>, out: &mut Block<'s>) {
        let items: Vec<&syn::Item> = statements
            .iter()
            .filter_map(|statement| match statement {
                Stmt::Item(item) => Some(item),
                _ => None,
            })
            .collect();
        let outer = self.scope;
        if !items.is_empty() {
            self.scopes.push(Scope { parent: Some(outer), is_function: true, ..Scope::default() });
            let scope = self.scopes.len() - 1;
            self.module(scope, "", &items, out);
            self.scope = scope;
        }
        for (index, statement) in statements.iter().enumerate() {
            let is_tail = index + 1 == statements.len();
            nesting_room(|| self.statement(statement, if is_tail { sink } else { Sink::Ignore }, out));
        }
        self.scope = outer;
    }

    fn statement(&mut self, statement: &Stmt, sink: Sink<'s>, out: &mut Block<'s>) {
        match statement {
            Stmt::Local(local) => self.local(local, out),
            Stmt::Expr(expr, semicolon) => {
                if self.is_left_out(attributes_of(expr)) {
                    return;
                }
                let sink = if semicolon.is_some() { Sink::Ignore } else { sink };
                self.tail(expr, sink, out);
                if !has_block(expr) {
                    self.lines.push(self.span_of(expr));
                }
            }
            Stmt::Macro(macro_) => {
                if self.is_left_out(&macro_.attrs) {
                    return;
                }
                let sink = if macro_.semi_token.is_some() { Sink::Ignore } else { sink };
                let span = self.macro_span(&macro_.mac);
                self.macro_statement(&macro_.mac, span, sink, out);
                self.lines.push(span);
            }
            Stmt::Item(_) => {}
        }
    }

    fn local(&mut self, local: &syn::Local, out: &mut Block<'s>) {
        let Some(init) = &local.init else {
            self.target(&local.pat);
            return;
        };
        if self.is_left_out(&local.attrs) {
            return;
        }
        let span = self.between(local.let_token.span, local.semi_token.span);
        let value = self.expr(&init.expr);
        if let Some((_, otherwise)) = &init.diverge {
            let test = self.unknown(value.span, Vec::new());
            let otherwise = self.apart(|lowering| {
                let mut block = Vec::new();
                lowering.tail(otherwise, Sink::Ignore, &mut block);
                block
            });
            self.assign_to(&local.pat, value, span, out);
            self.push(span, StatementKind::Branch { test, then: Vec::new(), otherwise }, out);
        } else {
            self.assign_to(&local.pat, value, span, out);
        }
        self.lines.push(span);
    }

    fn assign_to(&mut self, pat: &Pat, value: Expr<'s>, span: Span, out: &mut Block<'s>) {
        let kind = match self.target(pat) {
            Target::Sequence(parts) if parts.is_empty() => StatementKind::Evaluate(value),
            target => StatementKind::Assign { targets: vec![target], value: Some(value), annotated: false },
        };
        self.push(span, kind, out);
    }

    /// An expression whose value goes where `sink` says.
    pub(super) fn tail(&mut self, expr: &E, sink: Sink<'s>, out: &mut Block<'s>) {
        let span = self.span_of(expr);
        match expr {
            E::If(branch) => self.branch(branch, sink, out),
            E::Match(choice) => self.choice(choice, sink, out),
            E::Block(inner) => self.inline(&inner.block, sink, out),
            E::Unsafe(inner) => self.inline(&inner.block, sink, out),
            E::Const(inner) => self.inline(&inner.block, sink, out),
            E::Async(inner) => self.inline(&inner.block, sink, out),
            E::TryBlock(inner) => self.inline(&inner.block, sink, out),
            E::Paren(inner) => nesting_room(|| self.tail(&inner.expr, sink, out)),
            E::Group(inner) => nesting_room(|| self.tail(&inner.expr, sink, out)),
            E::Loop(inner) => {
                let test = Expr { span, kind: ExprKind::Bool(true) };
                let body = self.block(&inner.body, Sink::Ignore);
                self.push(span, StatementKind::While { test, body, otherwise: Vec::new() }, out);
            }
            E::While(inner) => {
                let test = self.condition(&inner.cond);
                let bound = self.unbound(span);
                let mut body = self.block(&inner.body, Sink::Ignore);
                body.splice(0..0, bound);
                self.push(span, StatementKind::While { test, body, otherwise: Vec::new() }, out);
            }
            E::ForLoop(inner) => {
                let iterable = self.expr(&inner.expr);
                let target = self.target(&inner.pat);
                let body = self.block(&inner.body, Sink::Ignore);
                self.push(span, StatementKind::For { target, iterable, body, otherwise: Vec::new() }, out);
            }
            E::Return(inner) => {
                let value = inner.expr.as_ref().map(|value| self.expr(value));
                self.push(span, StatementKind::Return(value), out);
            }
            E::Break(inner) => {
                if let Some(value) = &inner.expr {
                    let value = self.expr(value);
                    self.push(span, StatementKind::Evaluate(value), out);
                }
                self.push(span, StatementKind::Break, out);
            }
            E::Continue(_) => self.push(span, StatementKind::Continue, out),
            E::Macro(inner) => self.macro_statement(&inner.mac, span, sink, out),
            E::Assign(assign) => {
                let value = Some(self.expr(&assign.right));
                let targets = vec![self.place(&assign.left)];
                self.push(span, StatementKind::Assign { targets, value, annotated: false }, out);
            }
            E::Binary(binary) if let Some(operator) = super::expressions::assigning(&binary.op) => {
                let value = self.expr(&binary.right);
                let target = self.place(&binary.left);
                self.push(span, StatementKind::Update { target, operator, value }, out);
            }
            _ => {
                let value = self.expr(expr);
                let kind = match sink {
                    Sink::Ignore => StatementKind::Evaluate(value),
                    Sink::Return => StatementKind::Return(Some(value)),
                    Sink::Bind(name) => StatementKind::Assign {
                        targets: vec![Target::Name(name, span)],
                        value: Some(value),
                        annotated: false,
                    },
                };
                self.push(span, kind, out);
            }
        }
    }

    /// The statements of a block where they stand.
    fn inline(&mut self, block: &syn::Block, sink: Sink<'s>, out: &mut Block<'s>) {
        out.append(&mut self.before);
        nesting_room(|| self.statements(&block.stmts, sink, out));
    }

    /// What an assignment changes.
    fn place(&mut self, expr: &E) -> Target<'s> {
        match expr {
            E::Path(path) if path.path.segments.len() == 1 => {
                Target::Name(self.name(&path.path.segments[0].ident), self.span_of(expr))
            }
            E::Field(field) if let syn::Member::Named(name) = &field.member => {
                Target::Attribute(Box::new(self.expr(&field.base)), self.name(name))
            }
            E::Paren(inner) => nesting_room(|| self.place(&inner.expr)),
            E::Unary(inner) => nesting_room(|| self.place(&inner.expr)),
            _ => Target::Sequence(Vec::new()),
        }
    }

    fn branch(&mut self, branch: &syn::ExprIf, sink: Sink<'s>, out: &mut Block<'s>) {
        let end = match &branch.else_branch {
            Some((_, otherwise)) => spans::last(otherwise),
            None => branch.then_branch.brace_token.span.close(),
        };
        let span = self.between(branch.if_token.span, end);
        let test = self.condition(&branch.cond);
        let bound = self.unbound(test.span);
        let mut then = self.block(&branch.then_branch, sink);
        then.splice(0..0, bound);
        let otherwise = self.apart(|lowering| {
            let mut block = Vec::new();
            if let Some((_, otherwise)) = &branch.else_branch {
                nesting_room(|| lowering.tail(otherwise, sink, &mut block));
            }
            block
        });
        self.push(span, StatementKind::Branch { test, then, otherwise }, out);
    }

    fn choice(&mut self, choice: &syn::ExprMatch, sink: Sink<'s>, out: &mut Block<'s>) {
        let span = self.between(choice.match_token.span, choice.brace_token.span.close());
        let subject = self.expr(&choice.expr);
        let mut arms = Vec::with_capacity(choice.arms.len());
        for arm in &choice.arms {
            if self.is_left_out(&arm.attrs) {
                continue;
            }
            let (pat, guard) = match &arm.pat {
                Pat::Guard(guarded) => (&*guarded.pat, Some(&*guarded.guard)),
                pat => (pat, None),
            };
            let binds = self.names_in(pat);
            let literals = self.literals_of(pat);
            let always = self.accepts_all(pat);
            let (guard, body) = self.apart(|lowering| {
                let guard = guard.map(|guard| lowering.condition(guard));
                lowering.bound.clear();
                let mut body = Vec::new();
                nesting_room(|| lowering.tail(&arm.body, sink, &mut body));
                (guard, body)
            });
            arms.push(Arm { literals, always, binds, pattern: None, guard, body });
        }
        self.push(span, StatementKind::Match { subject, arms }, out);
    }

    /// A condition; names that `if let` binds in it are kept for [`Self::unbound`].
    fn condition(&mut self, condition: &E) -> Expr<'s> {
        self.bound.clear();
        self.expr(condition)
    }

    /// Steps that bind the names of an `if let` to values that are not known.
    fn unbound(&mut self, span: Span) -> Block<'s> {
        let names = std::mem::take(&mut self.bound);
        let bind = |name| {
            let value = Some(Expr { span, kind: ExprKind::Unknown(Vec::new()) });
            let targets = vec![Target::Name(name, span)];
            crate::code::Statement { span, kind: StatementKind::Assign { targets, value, annotated: false } }
        };
        names.into_iter().map(bind).collect()
    }
}

/// Whether statements lie in an expression, so that it is no line of its own.
fn has_block(expr: &E) -> bool {
    matches!(
        expr,
        E::If(_)
            | E::Match(_)
            | E::Block(_)
            | E::Unsafe(_)
            | E::Loop(_)
            | E::While(_)
            | E::ForLoop(_)
            | E::Async(_)
    )
}

fn attributes_of(expr: &E) -> &[syn::Attribute] {
    match expr {
        E::Block(e) => &e.attrs,
        E::Call(e) => &e.attrs,
        E::If(e) => &e.attrs,
        E::Macro(e) => &e.attrs,
        E::Match(e) => &e.attrs,
        E::MethodCall(e) => &e.attrs,
        E::Return(e) => &e.attrs,
        E::Try(e) => &e.attrs,
        E::Unsafe(e) => &e.attrs,
        _ => &[],
    }
}
