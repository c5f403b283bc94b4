//! Python expressions → [`Expr`].

use super::super::embedded::text_kind;
use super::Lowering;
use crate::code::{
    Argument, Call, Comparison, Comprehension, Expr, ExprKind, Function, Generator, Operator, Parameter,
    ParameterKind, Statement, StatementKind, Target,
};
use ruff_python_ast::{self as ast, StringFlags};
use ruff_text_size::{Ranged, TextRange};
use std::borrow::Cow;

/// What keeps the value in the middle of `first < middle < last`.
const IN_THE_MIDDLE: &str = "the middle of a comparison";

impl<'s> Lowering<'s, '_> {
    pub(super) fn expr(&mut self, expr: &ast::Expr) -> Expr<'s> {
        let range = expr.range();
        let kind = self.deeper(|lowering| lowering.expr_kind(expr));
        Expr { span: self.span(range), kind: kind.unwrap_or(ExprKind::Unknown(Vec::new())) }
    }

    pub(super) fn exprs<'a>(&mut self, exprs: impl IntoIterator<Item = &'a ast::Expr>) -> Vec<Expr<'s>> {
        exprs.into_iter().map(|expr| self.expr(expr)).collect()
    }

    fn boxed(&mut self, expr: &ast::Expr) -> Box<Expr<'s>> {
        Box::new(self.expr(expr))
    }

    fn expr_kind(&mut self, expr: &ast::Expr) -> ExprKind<'s> {
        use ast::Expr as E;
        match expr {
            E::NoneLiteral(_) => ExprKind::None,
            E::BooleanLiteral(literal) => ExprKind::Bool(literal.value),
            E::NumberLiteral(literal) => match &literal.value {
                ast::Number::Int(int) => int.as_i64().map_or(ExprKind::Unknown(Vec::new()), ExprKind::Int),
                // Whatever its value is, it is what a call of the type gives.
                ast::Number::Float(_) => ExprKind::Outside("builtins.float()".into()),
                ast::Number::Complex { .. } => ExprKind::Unknown(Vec::new()),
            },
            E::BytesLiteral(_) => ExprKind::Outside("builtins.bytes()".into()),
            E::StringLiteral(literal) => text_kind(self.string(literal), self.span(literal.range)),
            E::FString(string) => self.f_string(string),
            E::Name(name) => ExprKind::Name(self.named(name.range, &name.id)),
            E::Attribute(attribute) => {
                ExprKind::Attribute(self.boxed(&attribute.value), self.name(&attribute.attr))
            }
            E::Call(call) => {
                self.note_started(call);
                let (callee, arguments) = (self.expr(&call.func), self.arguments(&call.arguments));
                ExprKind::Call(Box::new(Call { callee, arguments }))
            }
            E::Subscript(item) => ExprKind::Item(Box::new((self.expr(&item.value), self.expr(&item.slice)))),
            E::List(list) => ExprKind::Sequence(self.exprs(&list.elts)),
            E::Tuple(tuple) => ExprKind::Sequence(self.exprs(&tuple.elts)),
            E::Set(set) => ExprKind::Sequence(self.exprs(&set.elts)),
            E::Dict(dict) => ExprKind::Mapping(
                dict.items
                    .iter()
                    .map(|item| (item.key.as_ref().map(|key| self.expr(key)), self.expr(&item.value)))
                    .collect(),
            ),
            E::BinOp(operation) => {
                let sides = (self.expr(&operation.left), self.expr(&operation.right));
                ExprKind::Binary(operator(operation.op), Box::new(sides))
            }
            E::UnaryOp(operation) => match operation.op {
                ast::UnaryOp::Not => ExprKind::Not(self.boxed(&operation.operand)),
                ast::UnaryOp::USub => ExprKind::Negate(self.boxed(&operation.operand)),
                _ => ExprKind::Unknown(vec![self.expr(&operation.operand)]),
            },
            E::BoolOp(operation) => {
                let values = self.exprs(&operation.values);
                match operation.op {
                    ast::BoolOp::And => ExprKind::All(values),
                    ast::BoolOp::Or => ExprKind::Any(values),
                }
            }
            E::Compare(compare) => match (&*compare.ops, &*compare.comparators) {
                ([operator], [right]) => {
                    let sides = (self.expr(&compare.left), self.expr(right));
                    ExprKind::Compare(comparison(*operator), Box::new(sides))
                }
                (operators, others) => self.chain(&compare.left, operators, others),
            },
            E::If(choice) => ExprKind::Choice(Box::new((
                self.expr(&choice.test),
                self.expr(&choice.body),
                self.expr(&choice.orelse),
            ))),
            E::Lambda(lambda) => ExprKind::Lambda(self.lambda(lambda)),
            E::Await(value) => ExprKind::Await(self.boxed(&value.value)),
            E::Yield(value) => {
                self.marks.yields = true;
                ExprKind::Yield(value.value.as_ref().map(|value| self.boxed(value)))
            }
            E::YieldFrom(value) => {
                self.marks.yields = true;
                ExprKind::YieldFrom(self.boxed(&value.value))
            }
            E::Starred(starred) => ExprKind::Starred(self.boxed(&starred.value)),
            E::Named(named) => {
                let bound = named.target.as_name_expr().map_or("", |name| self.named(name.range, &name.id));
                ExprKind::Bind(bound, self.boxed(&named.value))
            }
            E::ListComp(c) => self.comprehension(&[&c.elt], &c.generators, false),
            E::SetComp(c) => self.comprehension(&[&c.elt], &c.generators, false),
            E::DictComp(c) => match &c.key {
                Some(key) => self.comprehension(&[key, &c.value], &c.generators, false),
                None => self.comprehension(&[&c.value], &c.generators, false),
            },
            E::Generator(c) => self.comprehension(&[&c.elt], &c.generators, true),
            E::Slice(slice) => {
                let parts = [&slice.lower, &slice.upper, &slice.step];
                ExprKind::Unknown(parts.into_iter().flatten().map(|part| self.expr(part)).collect())
            }
            E::TString(string) => {
                let elements = string.value.iter().flat_map(|part| part.elements.iter());
                ExprKind::Unknown(elements.map(|element| self.interpolated(element)).collect())
            }
            E::EllipsisLiteral(_) | E::IpyEscapeCommand(_) => ExprKind::Unknown(Vec::new()),
        }
    }

    /// `0 < index <= last` is `0 < index and index <= last`, where what stands in the middle is asked once.
    fn chain(&mut self, first: &ast::Expr, operators: &[ast::CmpOp], others: &[ast::Expr]) -> ExprKind<'s> {
        let mut left = self.expr(first);
        let mut parts = Vec::with_capacity(operators.len());
        for (number, (operator, other)) in operators.iter().zip(others).enumerate() {
            let span = self.span(TextRange::new(first.start(), other.end()));
            let mut right = self.expr(other);
            let next = match number + 1 < operators.len() {
                false => None,
                true if is_plain(other) => Some(self.expr(other)),
                true => {
                    let middle = right.span;
                    right = Expr { span: middle, kind: ExprKind::Bind(IN_THE_MIDDLE, Box::new(right)) };
                    Some(Expr { span: middle, kind: ExprKind::Name(IN_THE_MIDDLE) })
                }
            };
            let sides = (left, right);
            parts.push(Expr { span, kind: ExprKind::Compare(comparison(*operator), Box::new(sides)) });
            let Some(next) = next else { break };
            left = next;
        }
        ExprKind::All(parts)
    }

    /// The text of a string literal: borrowed from the source unless it has escapes or several parts.
    fn string(&self, literal: &ast::ExprStringLiteral) -> Cow<'s, str> {
        if let [part] = literal.value.as_slice() {
            let quoted = part.range;
            let opener = part.flags.opener_len();
            let closer = part.flags.closer_len();
            let inner = TextRange::new(quoted.start() + opener, quoted.end() - closer);
            let source = self.slice(inner);
            if source == &*part.value {
                return Cow::Borrowed(source);
            }
        }
        Cow::Owned(literal.value.to_str().to_owned())
    }

    fn f_string(&mut self, string: &ast::ExprFString) -> ExprKind<'s> {
        let mut parts = Vec::new();
        for part in string.value.as_slice() {
            match part {
                ast::FStringPart::Literal(literal) => parts.push(Expr {
                    span: self.span(literal.range),
                    kind: ExprKind::Text(Cow::Owned(literal.value.to_string())),
                }),
                ast::FStringPart::FString(string) => {
                    for element in string.elements.iter() {
                        parts.push(self.interpolated(element));
                    }
                }
            }
        }
        ExprKind::Join(parts)
    }

    fn interpolated(&mut self, element: &ast::InterpolatedStringElement) -> Expr<'s> {
        match element {
            ast::InterpolatedStringElement::Literal(literal) => {
                let source = self.slice(literal.range);
                let text = if source == &*literal.value {
                    Cow::Borrowed(source)
                } else {
                    Cow::Owned(literal.value.to_string())
                };
                Expr { span: self.span(literal.range), kind: ExprKind::Text(text) }
            }
            ast::InterpolatedStringElement::Interpolation(element) => {
                let value = self.expr(&element.expression);
                let plain = element.format_spec.is_none()
                    && element.debug_text.is_none()
                    && !matches!(element.conversion, ast::ConversionFlag::Repr | ast::ConversionFlag::Ascii);
                if plain {
                    return value;
                }
                let mut parts = vec![value];
                if let Some(format) = &element.format_spec {
                    parts.extend(format.elements.iter().map(|element| self.interpolated(element)));
                }
                self.unknown(element.range, parts)
            }
        }
    }

    pub(super) fn arguments(&mut self, arguments: &ast::Arguments) -> Vec<Argument<'s>> {
        let mut lowered = Vec::with_capacity(arguments.args.len() + arguments.keywords.len());
        for argument in &arguments.args {
            lowered.push(match argument {
                ast::Expr::Starred(starred) => {
                    Argument { name: None, unpacked: true, value: self.expr(&starred.value) }
                }
                argument => Argument { name: None, unpacked: false, value: self.expr(argument) },
            });
        }
        for keyword in &arguments.keywords {
            lowered.push(Argument {
                name: keyword.arg.as_ref().map(|name| self.name(name)),
                unpacked: keyword.arg.is_none(),
                value: self.expr(&keyword.value),
            });
        }
        lowered
    }

    fn lambda(&mut self, lambda: &ast::ExprLambda) -> usize {
        let parameters = lambda.parameters.as_ref().map_or(Vec::new(), |found| self.parameters(found));
        let marks = std::mem::take(&mut self.marks);
        let value = self.expr(&lambda.body);
        let span = self.span(lambda.range);
        let body = vec![Statement { span: value.span, kind: StatementKind::Return(Some(value)) }];
        let inner = std::mem::replace(&mut self.marks, marks);
        self.code.functions.push(Function {
            name: "<lambda>",
            span,
            name_span: span,
            parameters,
            body,
            is_async: false,
            is_generator: inner.yields,
            mentions_gpu: self.mentions_gpu(lambda.range),
        });
        self.code.functions.len() - 1
    }

    pub(super) fn parameters(&mut self, parameters: &ast::Parameters) -> Vec<Parameter<'s>> {
        let mut lowered = Vec::new();
        let mut one = |lowering: &mut Self, parameter: &ast::Parameter, kind, default: Option<&ast::Expr>| {
            let default = default.map(|default| lowering.expr(default));
            let name = lowering.name(&parameter.name);
            lowered.push(Parameter { name, span: lowering.span(parameter.name.range), kind, default });
        };
        for found in parameters.posonlyargs.iter().chain(&parameters.args) {
            one(self, &found.parameter, ParameterKind::Plain, found.default.as_deref());
        }
        if let Some(rest) = &parameters.vararg {
            one(self, rest, ParameterKind::Rest, None);
        }
        for found in &parameters.kwonlyargs {
            one(self, &found.parameter, ParameterKind::KeywordOnly, found.default.as_deref());
        }
        if let Some(keywords) = &parameters.kwarg {
            one(self, keywords, ParameterKind::Keywords, None);
        }
        lowered
    }

    fn comprehension(
        &mut self,
        elements: &[&ast::Expr],
        generators: &[ast::Comprehension],
        lazy: bool,
    ) -> ExprKind<'s> {
        let generators = generators
            .iter()
            .map(|generator| Generator {
                iterable: self.expr(&generator.iter),
                target: self.target(&generator.target),
                conditions: self.exprs(&generator.ifs),
            })
            .collect();
        let elements = self.exprs(elements.iter().copied());
        ExprKind::Comprehension(Box::new(Comprehension { elements, generators, lazy }))
    }

    pub(super) fn target(&mut self, target: &ast::Expr) -> Target<'s> {
        match target {
            ast::Expr::Name(name) => Target::Name(self.named(name.range, &name.id), self.span(name.range)),
            ast::Expr::Attribute(attribute) => {
                Target::Attribute(self.boxed(&attribute.value), self.name(&attribute.attr))
            }
            ast::Expr::Subscript(item) => {
                Target::Item(Box::new((self.expr(&item.value), self.expr(&item.slice))))
            }
            ast::Expr::List(list) => Target::Sequence(self.targets(&list.elts)),
            ast::Expr::Tuple(tuple) => Target::Sequence(self.targets(&tuple.elts)),
            ast::Expr::Starred(starred) => Target::Rest(Box::new(self.target(&starred.value))),
            _ => Target::Sequence(Vec::new()),
        }
    }

    pub(super) fn targets(&mut self, targets: &[ast::Expr]) -> Vec<Target<'s>> {
        targets.iter().map(|target| self.target(target)).collect()
    }
}

/// Whether reading it twice is the same as reading it once.
fn is_plain(expr: &ast::Expr) -> bool {
    match expr {
        ast::Expr::UnaryOp(operation) => is_plain(&operation.operand),
        ast::Expr::Attribute(attribute) => is_plain(&attribute.value),
        expr => expr.is_name_expr() || expr.is_literal_expr(),
    }
}

pub(super) fn operator(operator: ast::Operator) -> Operator {
    match operator {
        ast::Operator::Add => Operator::Add,
        ast::Operator::Sub => Operator::Subtract,
        ast::Operator::Mult => Operator::Multiply,
        ast::Operator::Div => Operator::Divide,
        ast::Operator::FloorDiv => Operator::FloorDivide,
        ast::Operator::Mod => Operator::Remainder,
        ast::Operator::BitOr => Operator::BitOr,
        ast::Operator::MatMult => Operator::MatrixMultiply,
        ast::Operator::Pow => Operator::Power,
        ast::Operator::LShift => Operator::ShiftLeft,
        ast::Operator::RShift => Operator::ShiftRight,
        ast::Operator::BitXor => Operator::BitXor,
        ast::Operator::BitAnd => Operator::BitAnd,
    }
}

fn comparison(operator: ast::CmpOp) -> Comparison {
    match operator {
        ast::CmpOp::Eq => Comparison::Equal,
        ast::CmpOp::NotEq => Comparison::NotEqual,
        ast::CmpOp::Lt => Comparison::Less,
        ast::CmpOp::LtE => Comparison::LessOrEqual,
        ast::CmpOp::Gt => Comparison::Greater,
        ast::CmpOp::GtE => Comparison::GreaterOrEqual,
        ast::CmpOp::Is => Comparison::Is,
        ast::CmpOp::IsNot => Comparison::IsNot,
        ast::CmpOp::In => Comparison::In,
        ast::CmpOp::NotIn => Comparison::NotIn,
    }
}
