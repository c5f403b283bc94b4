//! Macros: `format!` makes a text, `panic!` ends the program, and of all others what they are given is evaluated
//! where it reads as expressions. What is only printed is text.

use super::Lowering;
use super::statements::Sink;
use crate::code::{Argument, Block, Call, Expr, ExprKind, Statement, StatementKind, Target};
use crate::facts::Span;
use proc_macro2::TokenStream;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Expr as E, Macro, Token};

/// Macros that do not come back.
const ENDING: &[&str] = &["panic", "todo", "unimplemented", "unreachable"];

/// Macros that leave the function with an error.
const RETURNING: &[&str] = &["bail"];

impl<'s> Lowering<'s> {
    fn macro_name(&self, mac: &Macro) -> &'s str {
        mac.path.segments.last().map_or("", |last| self.name(&last.ident))
    }

    pub(super) fn macro_span(&self, mac: &Macro) -> Span {
        let first = mac.path.segments.first().map_or(mac.bang_token.span, |first| first.ident.span());
        self.between(first, mac.delimiter.span().close())
    }

    pub(super) fn macro_statement(&mut self, mac: &Macro, span: Span, sink: Sink<'s>, out: &mut Block<'s>) {
        let name = self.macro_name(mac);
        let value = self.macro_value(mac, span);
        if ENDING.contains(&name) {
            return self.push(span, StatementKind::Raise { exception: Some(value), cause: None }, out);
        }
        if RETURNING.contains(&name) {
            return self.push(span, StatementKind::Return(Some(value)), out);
        }
        let kind = match sink {
            Sink::Ignore => StatementKind::Evaluate(value),
            Sink::Return => StatementKind::Return(Some(value)),
            Sink::Bind(name) => {
                let targets = vec![Target::Name(name, span)];
                StatementKind::Assign { targets, value: Some(value), annotated: false }
            }
        };
        self.push(span, kind, out);
    }

    pub(super) fn macro_value(&mut self, mac: &Macro, span: Span) -> Expr<'s> {
        let name = self.macro_name(mac);
        if name == "cfg" {
            // The build that matters is the one with CUDA in it.
            let text = mac.tokens.to_string();
            let with_cuda = text.contains("\"cuda") && !text.contains("not");
            let kind = if with_cuda { ExprKind::Bool(true) } else { ExprKind::Unknown(Vec::new()) };
            return Expr { span, kind };
        }
        let Ok(parts) = syn::parse2::<Parts>(mac.tokens.clone()) else {
            return self.unknown(span, Vec::new());
        };
        let kind = match name {
            "format" | "format_args" | "concat" => return self.formatted(&parts, span),
            "vec" => ExprKind::Sequence(parts.0.iter().map(|part| self.expr(part)).collect()),
            _ => {
                // A text that is printed chooses nothing.
                let parts = parts.0.iter().filter(|part| !matches!(part, E::Lit(_)));
                ExprKind::Unknown(parts.map(|part| self.expr(part)).collect())
            }
        };
        Expr { span, kind }
    }

    /// `format!("cuda:{index}")`, with arguments in order, by number and by name.
    fn formatted(&mut self, parts: &Parts, span: Span) -> Expr<'s> {
        let mut arguments = parts.0.iter();
        let Some(E::Lit(syn::ExprLit { lit: syn::Lit::Str(format), .. })) = arguments.next() else {
            let values = parts.0.iter().map(|part| self.expr(part)).collect();
            return self.unknown(span, values);
        };
        let (mut positional, mut named) = (Vec::new(), Vec::new());
        for argument in arguments {
            match argument {
                E::Assign(assign) if let E::Path(name) = &*assign.left => {
                    let name = self.segments(&name.path).join("::");
                    named.push((name, self.expr(&assign.right)));
                }
                argument => positional.push(Some(self.expr(argument))),
            }
        }
        let mut pieces: Vec<Expr<'s>> = Vec::new();
        let text = format.value();
        let mut next = 0;
        let mut rest = text.replace("{{", "\u{1}").replace("}}", "\u{2}");
        let literal = |text: &str| Expr {
            span,
            kind: ExprKind::Text(text.replace('\u{1}', "{").replace('\u{2}', "}").into()),
        };
        while let Some((before, field, after)) = field_in(&rest) {
            pieces.push(literal(before));
            let (name, spec) = field.split_once(':').unwrap_or((field, ""));
            let place = if name.is_empty() { Some(next) } else { name.parse::<usize>().ok() };
            next += usize::from(name.is_empty());
            let value = match place {
                Some(place) => positional.get_mut(place).and_then(Option::take),
                None => match named.iter().position(|(known, _)| known == name) {
                    Some(at) => Some(named.swap_remove(at).1),
                    // `{index}` takes a variable, or a constant, of this name.
                    None => self.named_in_format(name, span),
                },
            };
            pieces.push(match value.filter(|_| matches!(spec, "" | "?")) {
                Some(value) => value,
                None => self.unknown(span, Vec::new()),
            });
            rest = after.to_owned();
        }
        if !rest.is_empty() || pieces.is_empty() {
            pieces.push(literal(&rest));
        }
        pieces.retain(|piece| !matches!(&piece.kind, ExprKind::Text(text) if text.is_empty()));
        // Evaluated although the text does not show them.
        for left in positional.into_iter().flatten().chain(named.into_iter().map(|(_, value)| value)) {
            self.run_before(span, StatementKind::Evaluate(left));
        }
        match pieces.len() {
            0 => Expr { span, kind: ExprKind::Text("".into()) },
            _ => Expr { span, kind: ExprKind::Join(pieces) },
        }
    }

    fn named_in_format(&mut self, name: &str, span: Span) -> Option<Expr<'s>> {
        if !crate::commands::is_variable_name(name) {
            return None;
        }
        let name: &'s str = self.source.keep(name.to_owned());
        let kind = match self.resolve(self.scope, &[name], false, 0) {
            super::names::Target::Bound { name, lazy: false, .. } => ExprKind::Name(name),
            _ => ExprKind::Unknown(Vec::new()),
        };
        Some(Expr { span, kind })
    }

    /// The statics of `lazy_static!` and `thread_local!`, with what each is made of.
    pub(super) fn lazy_items(&self, mac: &Macro) -> Vec<(syn::Ident, E)> {
        if !matches!(self.macro_name(mac), "lazy_static" | "thread_local") {
            return Vec::new();
        }
        syn::parse2::<Statics>(mac.tokens.clone()).map(|statics| statics.0).unwrap_or_default()
    }

    /// The functions that `criterion_group!(benches, one, two)` names, called one after the other.
    pub(super) fn benchmarks(&mut self, mac: &Macro) -> Block<'s> {
        let Ok(parts) = syn::parse2::<Parts>(mac.tokens.clone()) else { return Vec::new() };
        let mut steps = Vec::new();
        for part in parts.0.iter().skip(1) {
            let span = self.span_of(part);
            let callee = self.expr(part);
            let value = Expr { span, kind: ExprKind::Unknown(Vec::new()) };
            let arguments = vec![Argument { name: None, unpacked: false, value }];
            let call = ExprKind::Call(Box::new(Call { callee, arguments }));
            steps.push(Statement { span, kind: StatementKind::Evaluate(Expr { span, kind: call }) });
        }
        steps
    }
}

/// The text before the first `{field}`, the field, and the text behind it.
fn field_in(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('{')?;
    let (field, after) = rest.split_once('}')?;
    Some((before, field.trim(), after))
}

/// Expressions with commas between them.
struct Parts(Punctuated<E, Token![,]>);

impl Parse for Parts {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Punctuated::parse_terminated(input).map(Parts)
    }
}

/// `static ref NAME: Type = value;`
struct Statics(Vec<(syn::Ident, E)>);

impl Parse for Statics {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut found = Vec::new();
        while !input.is_empty() {
            input.call(syn::Attribute::parse_outer)?;
            input.parse::<syn::Visibility>()?;
            input.parse::<Token![static]>()?;
            input.parse::<Option<Token![ref]>>()?;
            let name = input.parse()?;
            input.parse::<Token![:]>()?;
            input.parse::<syn::Type>()?;
            input.parse::<Token![=]>()?;
            found.push((name, input.parse()?));
            if input.parse::<Option<Token![;]>>()?.is_none() {
                input.parse::<TokenStream>()?;
            }
        }
        Ok(Statics(found))
    }
}
