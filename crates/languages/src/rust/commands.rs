//! `Command::new("python").arg("train.py").env("X", "1").status()`: a program that is started, when the whole chain
//! stands in one expression.

use super::Lowering;
use super::names::Target;
use crate::code::{Export, Expr, ExprKind, SetVariable, StatementKind};
use crate::facts::Span;
use crate::languages::command_lines::{self, CommandLine, Word};
use syn::Expr as E;

/// Methods that start the program.
const STARTING: &[&str] = &["exec", "output", "spawn", "status"];

impl<'s> Lowering<'s> {
    /// Notes the start of a program; `None` when the call is not one.
    pub(super) fn command(&mut self, call: &syn::ExprMethodCall, span: Span) -> Option<Expr<'s>> {
        if !STARTING.iter().any(|method| call.method == method) {
            return None;
        }
        let mut chain = Vec::new();
        let mut receiver = &*call.receiver;
        let program = loop {
            match receiver {
                E::MethodCall(link) => {
                    chain.push(link);
                    receiver = &link.receiver;
                }
                E::Paren(inner) => receiver = &inner.expr,
                E::Reference(inner) => receiver = &inner.expr,
                E::Call(made) if self.is_command(&made.func) => break made.args.first()?,
                _ => return None,
            }
        };
        let mut words = vec![self.expr(program)];
        let mut environment = Vec::new();
        let mut at = 0;
        for link in chain.into_iter().rev() {
            let method = self.name(&link.method);
            match (method, link.args.iter().collect::<Vec<_>>().as_slice()) {
                ("arg", [argument]) => words.push(self.expr(argument)),
                ("args", [E::Array(list)]) => words.extend(list.elems.iter().map(|word| self.expr(word))),
                ("args", [E::Reference(list)]) if let E::Array(list) = &*list.expr => {
                    words.extend(list.elems.iter().map(|word| self.expr(word)));
                }
                ("args", [list]) => {
                    let list = self.expr(list);
                    words.push(self.unknown(list.span, vec![list]));
                }
                ("env", [name, value]) => {
                    let (name, value) = (self.expr(name), self.expr(value));
                    let span = Span { start: name.span.start, end: value.span.end };
                    if let ExprKind::Text(name) = name.kind {
                        let (export, only_if_unset) = (Export::Yes, false);
                        environment.push(SetVariable {
                            name,
                            span,
                            value: Some(value),
                            export,
                            only_if_unset,
                        });
                    }
                }
                // `env` stands for what it does to the environment of the program.
                ("env_remove", [name]) => {
                    let name = self.expr(name);
                    words.splice(at..at, [text("env", span), text("-u", span), name]);
                    at += 3;
                }
                ("env_clear", []) => {
                    words.splice(at..at, [text("env", span), text("-i", span)]);
                    at += 2;
                }
                _ => {}
            }
        }
        let words = words.into_iter().map(|expr| Word { expr, literal: None }).collect();
        let line = CommandLine { span, environment, words, input: None };
        let step = command_lines::lower(line, self.source, &mut self.code)?;
        self.code.starts_programs = true;
        self.run_before(span, StatementKind::Apart(vec![step]));
        Some(self.unknown(span, Vec::new()))
    }

    fn is_command(&self, callee: &E) -> bool {
        let E::Path(path) = callee else { return false };
        let target = self.resolve(self.scope, &self.segments(&path.path), true, 0);
        matches!(target, Target::Outside(path) if matches!(path[..], [.., "process", "Command", "new"]))
    }
}

fn text<'s>(word: &'static str, span: Span) -> Expr<'s> {
    Expr { span, kind: ExprKind::Text(word.into()) }
}
