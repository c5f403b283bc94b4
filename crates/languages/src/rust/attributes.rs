//! Attributes: what is not compiled for a GPU, which functions are tests, and the defaults of command lines.

use super::Lowering;
use crate::code::{Argument, Block, Call, Expr, ExprKind, Setting, Statement, StatementKind};
use crate::facts::Span;
use syn::{Attribute, Meta};

impl<'s> Lowering<'s> {
    /// Whether the attributes leave a piece out where CUDA is compiled in: `#[cfg(not(feature = "cuda"))]`.
    pub(super) fn is_left_out(&self, attributes: &[Attribute]) -> bool {
        attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).any(|attribute| {
            let text = self.attribute_text(attribute);
            let without = text.find("not(").map_or("", |at| &text[at..]);
            ["\"cuda", "\"gpu", "\"cudarc", "\"tch", "cuda\""].iter().any(|word| without.contains(word))
        })
    }

    /// Whether a piece is for builds in which a feature is missing: `#[cfg(not(feature = "std"))]`.
    pub(super) fn lacks_a_feature(&self, attributes: &[Attribute]) -> bool {
        attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).any(|attribute| {
            let text = self.attribute_text(attribute);
            text.find("not(").is_some_and(|at| text[at..].contains("feature"))
        })
    }

    fn attribute_text(&self, attribute: &Attribute) -> &'s str {
        let span = attribute.bracket_token.span;
        let whole = self.range(span.open()).start..self.range(span.close()).end;
        self.text.get(whole).unwrap_or_default()
    }

    /// `#[test]`, `#[tokio::test]`, `#[rstest]`, `#[bench]`
    pub(super) fn is_test(&self, attributes: &[Attribute]) -> bool {
        attributes.iter().any(|attribute| {
            let last = attribute.path().segments.last();
            last.is_some_and(|last| ["test", "rstest", "bench"].iter().any(|name| last.ident == name))
        })
    }

    /// `#[ignore = "needs two GPUs"]` is for machines that have them, as a skip marker of Python says it.
    pub(super) fn marks(&self, attributes: &[Attribute], span: Span) -> Vec<Expr<'s>> {
        let needs_several = |attribute: &&Attribute| {
            let text = self.attribute_text(attribute).to_ascii_lowercase();
            attribute.path().is_ident("ignore")
                && ["multi", "gpus", "two", "several"].iter().any(|it| text.contains(it))
        };
        let mark = |_: &Attribute| {
            let callee = Expr { span, kind: ExprKind::Outside("pytest.mark.skipif".into()) };
            let value = Expr { span, kind: ExprKind::Text("device_count".into()) };
            let arguments = vec![Argument { name: None, unpacked: false, value }];
            Expr { span, kind: ExprKind::Call(Box::new(Call { callee, arguments })) }
        };
        attributes.iter().filter(needs_several).take(1).map(mark).collect()
    }

    /// `#[arg(long, default_value = "cuda:1")] device: String` sets what the program gets when nothing is said.
    pub(super) fn option_default(&mut self, field: &syn::Field, block: &mut Block<'s>) {
        let Some(ident) = &field.ident else { return };
        let name = self.name(ident);
        for attribute in &field.attrs {
            let is_option =
                ["arg", "clap", "structopt", "argh"].iter().any(|it| attribute.path().is_ident(it));
            let Meta::List(list) = &attribute.meta else { continue };
            if !is_option {
                continue;
            }
            let mut found = Vec::new();
            // What is no list of names and values is none of the forms that set a default.
            let _ = list.parse_nested_meta(|meta| {
                let is_default =
                    ["default_value", "default_value_t", "default"].iter().any(|it| meta.path.is_ident(it));
                if meta.input.peek(syn::Token![=]) {
                    let value: syn::Expr = meta.value()?.parse()?;
                    if is_default {
                        found.push(value);
                    }
                } else if meta.input.peek(syn::token::Paren) {
                    let content;
                    syn::parenthesized!(content in meta.input);
                    content.parse::<proc_macro2::TokenStream>()?;
                }
                Ok(())
            });
            for value in found {
                let value = self.expr(&value);
                let span = value.span;
                let key_span = self.between(ident.span(), ident.span());
                let setting = Setting { path: vec![name.into()], key_span, value };
                block.append(&mut self.before);
                block.push(Statement { span, kind: StatementKind::Setting(Box::new(setting)) });
            }
        }
    }
}
