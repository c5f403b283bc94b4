//! What a DataLoader is given: by arguments, by a dictionary that is unpacked, and by options of the command line.

use crate::code::walk::{CodeNode, walk};
use crate::code::{Call, Code, Expr, ExprKind, Statement, StatementKind, Target};
use crate::facts::Span;
use crate::program::{Names, Program};
use crate::rules::files::FileScope;
use crate::rules::uses::argument;

/// The code around a loader.
#[derive(Clone, Copy)]
pub(super) struct Around<'c> {
    pub program: &'c Program<'c>,
    pub code: &'c Code<'c>,
    pub names: &'c Names<'c, 'c>,
}

impl<'c> Around<'c> {
    pub fn of(scope: &FileScope<'c>) -> Self {
        Around { program: scope.program, code: scope.code, names: scope.names }
    }

    /// What a loader is given by position, by keyword, or under this key of what is unpacked: `DataLoader(data, **options)`.
    pub fn given(
        &self,
        call: &'c Call<'c>,
        position: Option<usize>,
        name: &'static str,
    ) -> Option<&'c Expr<'c>> {
        argument(&call.arguments, position, Some(name)).or_else(|| {
            let mut unpacked = call.arguments.iter().filter(|one| one.unpacked).map(|one| &one.value);
            unpacked.find_map(|options| self.kept_under(options, name))
        })
    }

    /// What a dictionary holds under a key, as far as the file says: what is put in later counts.
    fn kept_under(&self, options: &'c Expr<'c>, key: &str) -> Option<&'c Expr<'c>> {
        let later = match options.kind {
            ExprKind::Name(name) => self.put_into(name, key),
            _ => None,
        };
        later.or_else(|| match &self.names.meant(options).kind {
            ExprKind::Mapping(entries) => entries.iter().find_map(|(known, value)| {
                let is_it = matches!(known, Some(Expr { kind: ExprKind::Text(known), .. }) if known == key);
                is_it.then_some(value)
            }),
            ExprKind::Call(call) => {
                call.arguments.iter().find(|one| one.name == Some(key)).map(|one| &one.value)
            }
            _ => None,
        })
    }

    /// `options["num_workers"] = 2`, `options.update(num_workers=2)`
    fn put_into(&self, dictionary: &str, key: &str) -> Option<&'c Expr<'c>> {
        let is_it = |expr: &Expr<'_>| matches!(expr.kind, ExprKind::Name(name) if name == dictionary);
        let mut found = None;
        walk(self.code, &mut |part, _| match part {
            CodeNode::Statement(Statement {
                kind: StatementKind::Assign { targets, value: Some(value), .. },
                ..
            }) => {
                let puts = |target: &Target<'_>| match target {
                    Target::Item(item) => {
                        is_it(&item.0) && matches!(&item.1.kind, ExprKind::Text(text) if text == key)
                    }
                    _ => false,
                };
                if targets.iter().any(puts) {
                    found = Some(value);
                }
            }
            CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) => {
                if let ExprKind::Attribute(object, "update") = &call.callee.kind
                    && is_it(object)
                    && let Some(given) = call.arguments.iter().find(|one| one.name == Some(key))
                {
                    found = Some(&given.value);
                }
            }
            _ => {}
        });
        found
    }

    /// Whether a loader has workers: `num_workers` is surely not 0, unless the command line says so.
    pub fn has_workers(&self, call: &'c Call<'c>) -> bool {
        self.given(call, Some(5), "num_workers").is_some_and(|count| self.is_some(count))
    }

    fn is_some(&self, count: &'c Expr<'c>) -> bool {
        match &self.names.meant(count).kind {
            ExprKind::Int(number) => *number > 0,
            ExprKind::Call(call) => {
                matches!(self.names.path(&call.callee), Some("os.cpu_count" | "multiprocessing.cpu_count"))
            }
            ExprKind::Name(name) => self.default_of_parameter(name, count.span),
            ExprKind::Attribute(_, name) => self.default_of_option(name).is_some_and(|count| count > 0),
            _ => false,
        }
    }

    /// Whether a parameter of the innermost function that has one of this name stands for some by default.
    fn default_of_parameter(&self, name: &str, at: Span) -> bool {
        let functions = self.code.functions.iter();
        let around = functions.filter(|one| one.span.start <= at.start && at.end <= one.span.end);
        let having = around.filter_map(|function| {
            let parameter = function.parameters.iter().find(|one| one.name == name)?;
            Some((function.span.end - function.span.start, parameter))
        });
        let default =
            having.min_by_key(|(size, _)| *size).and_then(|(_, parameter)| parameter.default.as_ref());
        matches!(default, Some(Expr { kind: ExprKind::Int(1..), .. }))
    }

    /// The default of an option of the command line, where the project has one option of this name alone.
    fn default_of_option(&self, name: &str) -> Option<i64> {
        let mut defaults: Vec<Option<i64>> = Vec::new();
        for &file in self.program.files_with("add_argument").iter() {
            walk(self.program.code(file), &mut |part, _| {
                let CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) = part else { return };
                let is_option = matches!(call.callee.kind, ExprKind::Attribute(_, "add_argument"));
                let is_it = call.arguments.iter().filter(|one| one.name.is_none()).any(|one| {
                    let ExprKind::Text(text) = &one.value.kind else { return false };
                    text.strip_prefix("--").is_some_and(|text| text.replace('-', "_") == name)
                });
                if is_option && is_it {
                    defaults.push(match argument(&call.arguments, None, Some("default")) {
                        Some(Expr { kind: ExprKind::Int(number), .. }) => Some(*number),
                        _ => None,
                    });
                }
            });
        }
        let (first, rest) = defaults.split_first()?;
        rest.iter().all(|other| other.is_some_and(|other| other > 0)).then_some(*first)?
    }
}
