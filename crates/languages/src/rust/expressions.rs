//! Expressions → [`Expr`].

use super::Lowering;
use super::statements::Sink;
use crate::code::{
    Argument, Call, Comparison, Expr, ExprKind, Operator, Parameter, ParameterKind, Statement, StatementKind,
    Target,
};
use crate::facts::Span;
use crate::languages::nesting_room;
use syn::Expr as E;
use syn::punctuated::Punctuated;

/// Methods whose result is their receiver, as far as values go.
const SAME: &[&str] = &[
    "as_deref",
    "as_mut",
    "as_ref",
    "as_str",
    "borrow",
    "clone",
    "cloned",
    "context",
    "copied",
    "expect",
    "into",
    "into_boxed_str",
    "into_owned",
    "into_string",
    "iter",
    "into_iter",
    "map_err",
    "ok",
    "ok_or",
    "ok_or_else",
    "parse",
    "to_owned",
    "to_string_lossy",
    "to_vec",
    "trim",
    "try_into",
    "unwrap",
    "unwrap_or_default",
    "with_context",
    "wrap_err",
];

/// Constructors whose result is their argument.
const HOLDERS: &[(&str, &str)] = &[
    ("Arc", "new"),
    ("Box", "new"),
    ("Cell", "new"),
    ("Mutex", "new"),
    ("OsStr", "new"),
    ("OsString", "from"),
    ("Path", "new"),
    ("PathBuf", "from"),
    ("Rc", "new"),
    ("RefCell", "new"),
    ("RwLock", "new"),
    ("String", "from"),
];

impl<'s> Lowering<'s> {
    pub(super) fn expr(&mut self, expr: &E) -> Expr<'s> {
        let span = self.span_of(expr);
        nesting_room(|| self.lower_expr(expr, span))
    }

    fn exprs<'a>(&mut self, exprs: impl IntoIterator<Item = &'a E>) -> Vec<Expr<'s>> {
        exprs.into_iter().map(|expr| self.expr(expr)).collect()
    }

    fn lower_expr(&mut self, expr: &E, span: Span) -> Expr<'s> {
        let kind = match expr {
            E::Lit(literal) => return self.literal(&literal.lit),
            E::Path(path) if path.qself.is_none() => return self.path(&path.path, false, span),
            // What they do to a value does not matter here.
            E::Reference(inner) => return self.expr(&inner.expr),
            E::RawAddr(inner) => return self.expr(&inner.expr),
            E::Paren(inner) => return self.expr(&inner.expr),
            E::Group(inner) => return self.expr(&inner.expr),
            E::Cast(inner) => return self.expr(&inner.expr),
            E::Try(inner) => return self.expr(&inner.expr),
            E::Call(call) => self.call(call),
            E::MethodCall(call) => return self.method_call(call, span),
            E::Await(inner) => ExprKind::Await(Box::new(self.expr(&inner.base))),
            E::Unary(inner) => match &inner.op {
                syn::UnOp::Not(_) => ExprKind::Not(Box::new(self.expr(&inner.expr))),
                syn::UnOp::Neg(_) => ExprKind::Negate(Box::new(self.expr(&inner.expr))),
                _ => return self.expr(&inner.expr),
            },
            E::Binary(binary) => self.binary(binary),
            E::Field(field) => match &field.member {
                syn::Member::Named(name) => {
                    ExprKind::Attribute(Box::new(self.expr(&field.base)), self.name(name))
                }
                syn::Member::Unnamed(index) => {
                    let key = Expr { span, kind: ExprKind::Int(i64::from(index.index)) };
                    ExprKind::Item(Box::new((self.expr(&field.base), key)))
                }
            },
            E::Index(item) => ExprKind::Item(Box::new((self.expr(&item.expr), self.expr(&item.index)))),
            E::Array(array) => ExprKind::Sequence(self.exprs(&array.elems)),
            E::Tuple(tuple) => ExprKind::Sequence(self.exprs(&tuple.elems)),
            E::Repeat(repeat) => ExprKind::Unknown(vec![self.expr(&repeat.expr)]),
            E::Range(range) => self.range_of(range, span),
            E::Struct(made) => self.made(made),
            E::Closure(closure) => ExprKind::Lambda(self.closure(closure, span)),
            E::Macro(inner) => return self.macro_value(&inner.mac, span),
            E::Let(inner) => return self.let_condition(inner, span),
            E::If(_)
            | E::Match(_)
            | E::Block(_)
            | E::Unsafe(_)
            | E::Async(_)
            | E::Const(_)
            | E::TryBlock(_)
            | E::Loop(_)
            | E::While(_)
            | E::ForLoop(_)
            | E::Return(_)
            | E::Break(_)
            | E::Continue(_)
            | E::Assign(_) => return self.hoisted(expr, span),
            _ => ExprKind::Unknown(Vec::new()),
        };
        Expr { span, kind }
    }

    /// A block that is a value: its steps run before the statement around it, and leave the value under a name
    /// of their own.
    fn hoisted(&mut self, expr: &E, span: Span) -> Expr<'s> {
        let name = self.source.keep(format!("the value at {}", span.start));
        let steps = self.apart(|lowering| {
            let mut steps = Vec::new();
            lowering.tail(expr, Sink::Bind(name), &mut steps);
            steps
        });
        self.before.extend(steps);
        Expr { span, kind: ExprKind::Name(name) }
    }

    fn call(&mut self, call: &syn::ExprCall) -> ExprKind<'s> {
        let E::Path(path) = &*call.func else {
            let callee = self.expr(&call.func);
            return ExprKind::Call(Box::new(Call { callee, arguments: self.arguments(&call.args) }));
        };
        let segments = self.segments(&path.path);
        let holds = match segments[..] {
            ["Some" | "Ok"] => true,
            [.., holder, made] => HOLDERS.contains(&(holder, made)),
            _ => false,
        };
        if holds && let [only] = &call.args.iter().collect::<Vec<_>>()[..] {
            return self.expr(only).kind;
        }
        let span = self.span_of(&call.func);
        let callee = match path.qself {
            Some(_) => self.unknown(span, Vec::new()),
            None => self.path(&path.path, true, span),
        };
        ExprKind::Call(Box::new(Call { callee, arguments: self.arguments(&call.args) }))
    }

    fn arguments(&mut self, arguments: &Punctuated<E, syn::Token![,]>) -> Vec<Argument<'s>> {
        let values = self.exprs(arguments);
        values.into_iter().map(|value| Argument { name: None, unpacked: false, value }).collect()
    }

    fn method_call(&mut self, call: &syn::ExprMethodCall, span: Span) -> Expr<'s> {
        if let Some(started) = self.command(call, span) {
            return started;
        }
        let method = self.name(&call.method);
        let receiver = self.expr(&call.receiver);
        let kind = match method {
            "is_err" | "is_none" => ExprKind::Not(Box::new(receiver)),
            "is_ok" | "is_some" => return receiver,
            "to_string" => {
                let callee = Expr { span, kind: ExprKind::Outside("builtins.str".into()) };
                let arguments = vec![Argument { name: None, unpacked: false, value: receiver }];
                ExprKind::Call(Box::new(Call { callee, arguments }))
            }
            "unwrap_or" | "unwrap_or_else" | "or" | "or_else" => {
                let mut values = vec![receiver];
                for argument in &call.args {
                    let value = self.expr(argument);
                    values.push(match value.kind {
                        ExprKind::Lambda(_) => {
                            let span = value.span;
                            let arguments = Vec::new();
                            Expr { span, kind: ExprKind::Call(Box::new(Call { callee: value, arguments })) }
                        }
                        _ => value,
                    });
                }
                ExprKind::Any(values)
            }
            _ if SAME.contains(&method) => {
                // Arguments are messages, or closures that make one.
                return receiver;
            }
            _ => {
                let callee =
                    Expr { span: receiver.span, kind: ExprKind::Attribute(Box::new(receiver), method) };
                ExprKind::Call(Box::new(Call { callee, arguments: self.arguments(&call.args) }))
            }
        };
        Expr { span, kind }
    }

    fn binary(&mut self, binary: &syn::ExprBinary) -> ExprKind<'s> {
        use syn::BinOp as B;
        let left = self.expr(&binary.left);
        let right = self.expr(&binary.right);
        let compare = |comparison, left, right| ExprKind::Compare(comparison, Box::new((left, right)));
        let operate = |operator, left, right| ExprKind::Binary(operator, Box::new((left, right)));
        match &binary.op {
            B::And(_) => ExprKind::All(vec![left, right]),
            B::Or(_) => ExprKind::Any(vec![left, right]),
            B::Eq(_) => compare(Comparison::Equal, left, right),
            B::Ne(_) => compare(Comparison::NotEqual, left, right),
            B::Lt(_) => compare(Comparison::Less, left, right),
            B::Le(_) => compare(Comparison::LessOrEqual, left, right),
            B::Gt(_) => compare(Comparison::Greater, left, right),
            B::Ge(_) => compare(Comparison::GreaterOrEqual, left, right),
            B::Add(_) => operate(Operator::Add, left, right),
            B::Sub(_) => operate(Operator::Subtract, left, right),
            B::Mul(_) => operate(Operator::Multiply, left, right),
            // Integers are divided as Python's `//` does it, above zero.
            B::Div(_) => operate(Operator::FloorDivide, left, right),
            B::Rem(_) => operate(Operator::Remainder, left, right),
            _ => ExprKind::Unknown(vec![left, right]),
        }
    }

    /// `0..n` as what a loop goes through.
    fn range_of(&mut self, range: &syn::ExprRange, span: Span) -> ExprKind<'s> {
        let start = range.start.as_ref().map(|start| self.expr(start));
        let end = range.end.as_ref().map(|end| self.expr(end));
        let (Some(start), Some(end)) = (start, end) else { return ExprKind::Unknown(Vec::new()) };
        let end = match &range.limits {
            syn::RangeLimits::HalfOpen(_) => end,
            syn::RangeLimits::Closed(_) => {
                let one = Expr { span, kind: ExprKind::Int(1) };
                Expr { span: end.span, kind: ExprKind::Binary(Operator::Add, Box::new((end, one))) }
            }
        };
        let callee = Expr { span, kind: ExprKind::Outside("builtins.range".into()) };
        let arguments = [start, end].map(|value| Argument { name: None, unpacked: false, value }).into();
        ExprKind::Call(Box::new(Call { callee, arguments }))
    }

    /// `Config { device: 1, ..Config::default() }`
    fn made(&mut self, made: &syn::ExprStruct) -> ExprKind<'s> {
        let brace = made.brace_token.span.open();
        let last = made.path.segments.last().map_or(brace, |last| last.ident.span());
        let name_span = self.between(last, last);
        let callee = match made.qself {
            Some(_) => self.unknown(name_span, Vec::new()),
            None => self.path(&made.path, true, name_span),
        };
        let mut arguments = Vec::with_capacity(made.fields.len());
        for field in &made.fields {
            let value = self.expr(&field.expr);
            let name = match &field.member {
                syn::Member::Named(name) => Some(self.name(name)),
                syn::Member::Unnamed(_) => None,
            };
            arguments.push(Argument { name, unpacked: false, value });
        }
        if let Some(rest) = &made.rest {
            let value = self.expr(rest);
            arguments.push(Argument { name: None, unpacked: true, value });
        }
        ExprKind::Call(Box::new(Call { callee, arguments }))
    }

    fn closure(&mut self, closure: &syn::ExprClosure, span: Span) -> usize {
        let parameters = closure.inputs.iter().map(|input| match self.target(input) {
            Target::Name(name, span) => Parameter { name, span, kind: ParameterKind::Plain, default: None },
            _ => Parameter { name: "_", span, kind: ParameterKind::Plain, default: None },
        });
        let parameters: Vec<_> = parameters.collect();
        let body = self.apart(|lowering| {
            let mut body = Vec::new();
            lowering.tail(&closure.body, Sink::Return, &mut body);
            body
        });
        self.add_function("<lambda>", span, span, parameters, body, closure.asyncness.is_some())
    }

    /// `if let Ok(x) = value`: whether there is one. `Err` and `None` turn it round.
    fn let_condition(&mut self, condition: &syn::ExprLet, span: Span) -> Expr<'s> {
        let value = self.expr(&condition.expr);
        let names = self.names_in(&condition.pat);
        self.bound.extend(names);
        let variant = match &*condition.pat {
            syn::Pat::TupleStruct(holder) => holder.path.segments.last().map(|last| self.name(&last.ident)),
            syn::Pat::Path(path) => path.path.segments.last().map(|last| self.name(&last.ident)),
            syn::Pat::Ident(bind) => Some(self.name(&bind.ident)),
            _ => None,
        };
        match variant {
            Some("Ok" | "Some") => value,
            Some("Err" | "None") => Expr { span, kind: ExprKind::Not(Box::new(value)) },
            _ => self.unknown(span, vec![value]),
        }
    }

    /// A step before the statement that is being lowered.
    pub(super) fn run_before(&mut self, span: Span, kind: StatementKind<'s>) {
        self.before.push(Statement { span, kind });
    }
}

/// `+=` and its like.
pub(super) fn assigning(operator: &syn::BinOp) -> Option<Operator> {
    use syn::BinOp as B;
    Some(match operator {
        B::AddAssign(_) => Operator::Add,
        B::SubAssign(_) => Operator::Subtract,
        B::MulAssign(_) => Operator::Multiply,
        B::DivAssign(_) => Operator::FloorDivide,
        B::RemAssign(_) => Operator::Remainder,
        B::BitXorAssign(_) => Operator::BitXor,
        B::BitAndAssign(_) => Operator::BitAnd,
        B::BitOrAssign(_) => Operator::BitOr,
        B::ShlAssign(_) => Operator::ShiftLeft,
        B::ShrAssign(_) => Operator::ShiftRight,
        _ => return None,
    })
}
