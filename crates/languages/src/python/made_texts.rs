//! Texts for a shell that Python makes of parts: f-strings, `"… {}".format(n)`, `"… %s" % n`, `"… " + str(n)`,
//! `" ".join(["…", n])`. What is put in stands as a variable of the shell.

use super::Lowering;
use crate::languages::embedded::Extract;
use ruff_python_ast::{self as ast, StringFlags};
use ruff_text_size::{Ranged, TextRange, TextSize};

/// So deep are texts joined.
const DEEPEST: usize = 12;

impl<'s> Lowering<'s, '_> {
    /// Writes what a text says; whether it is one.
    pub(super) fn write_text(
        &self,
        text: &ast::Expr,
        extract: &mut Extract,
        names: &mut Vec<&'s str>,
    ) -> bool {
        match text {
            ast::Expr::StringLiteral(literal) => {
                literal.value.iter().for_each(|part| self.written(part, extract));
                true
            }
            ast::Expr::FString(string) => {
                for part in string.value.as_slice() {
                    match part {
                        ast::FStringPart::Literal(literal) => self.written(literal, extract),
                        ast::FStringPart::FString(part) => {
                            let raw = part.flags.prefix().is_raw();
                            for element in part.elements.iter() {
                                self.put_in(element, raw, extract, names);
                            }
                        }
                    }
                }
                true
            }
            ast::Expr::Call(call) => self.write_call(call, extract, names),
            ast::Expr::BinOp(binary) => match (&*binary.left, binary.op) {
                (ast::Expr::StringLiteral(text), ast::Operator::Mod) => {
                    self.write_percents(text, &binary.right, extract, names);
                    true
                }
                (_, ast::Operator::Add) => self.write_sum(text, extract, names, 0),
                _ => false,
            },
            _ => false,
        }
    }

    fn write_call(&self, call: &ast::ExprCall, extract: &mut Extract, names: &mut Vec<&'s str>) -> bool {
        let ast::Expr::Attribute(method) = &*call.func else { return false };
        let ast::Expr::StringLiteral(text) = &*method.value else { return false };
        match (method.attr.as_str(), &*call.arguments.args) {
            ("format", _) => {
                self.write_braces(text, &call.arguments, extract, names);
                true
            }
            ("join", [ast::Expr::List(words)]) if text.value.to_str() == " " => {
                for word in &words.elts {
                    match word {
                        ast::Expr::StringLiteral(_) | ast::Expr::FString(_) => {
                            self.write_text(word, extract, names);
                        }
                        _ => self.put_value(Some(word), word.start(), extract, names),
                    }
                    extract.push_at(" ", word.end().to_usize() - 1);
                }
                true
            }
            _ => false,
        }
    }

    /// `"…=" + str(n) + " python train.py"`, where one of the sides is a text.
    fn write_sum(
        &self,
        side: &ast::Expr,
        extract: &mut Extract,
        names: &mut Vec<&'s str>,
        depth: usize,
    ) -> bool {
        if let ast::Expr::BinOp(binary) = side
            && binary.op == ast::Operator::Add
            && depth < DEEPEST
        {
            let left = self.write_sum(&binary.left, extract, names, depth + 1);
            return self.write_sum(&binary.right, extract, names, depth + 1) || left;
        }
        let is_sum = matches!(side, ast::Expr::BinOp(binary) if binary.op == ast::Operator::Add);
        if !is_sum && self.write_text(side, extract, names) {
            return true;
        }
        self.put_value(Some(side), side.start(), extract, names);
        false
    }

    /// `"X={} python {script}".format(n, script=name)`
    fn write_braces(
        &self,
        text: &ast::ExprStringLiteral,
        given: &ast::Arguments,
        extract: &mut Extract,
        names: &mut Vec<&'s str>,
    ) {
        let mut next = 0;
        for part in &text.value {
            let (range, raw) = inner(part);
            let written = self.slice(range);
            let mut done = 0;
            while let Some(at) = written[done..].find('{').map(|at| done + at) {
                // A brace that is doubled stands for itself.
                let is_doubled = written[at + 1..].starts_with('{');
                let end = match is_doubled {
                    true => at + 2,
                    false => written[at..].find('}').map_or(written.len(), |end| at + end + 1),
                };
                let before = if is_doubled { end } else { at };
                self.unescaped(part_of(range, done, before), "", raw, extract);
                if !is_doubled {
                    let field = written[at + 1..end].trim_end_matches('}');
                    let field = field.split([':', '!']).next().unwrap_or_default();
                    let value = match field.parse::<usize>() {
                        Ok(position) => given.args.get(position),
                        Err(_) if field.is_empty() => {
                            next += 1;
                            given.args.get(next - 1)
                        }
                        Err(_) => given.find_keyword(field).map(|keyword| &keyword.value),
                    };
                    self.put_value(value, part_of(range, at, end).start(), extract, names);
                }
                done = end;
            }
            self.unescaped(part_of(range, done, written.len()), "", raw, extract);
        }
    }

    /// `"X=%d python %s" % (n, name)`
    fn write_percents(
        &self,
        text: &ast::ExprStringLiteral,
        given: &ast::Expr,
        extract: &mut Extract,
        names: &mut Vec<&'s str>,
    ) {
        let values: Vec<&ast::Expr> = match given {
            ast::Expr::Tuple(values) => values.elts.iter().collect(),
            ast::Expr::Dict(_) => Vec::new(),
            value => vec![value],
        };
        let mut values = values.into_iter();
        for part in &text.value {
            let (range, raw) = inner(part);
            let written = self.slice(range);
            let mut done = 0;
            while let Some(at) = written[done..].find('%').map(|at| done + at) {
                let length = written[at + 1..].find(|one: char| one.is_ascii_alphabetic() || one == '%');
                let Some(end) = length.map(|length| at + length + 2) else { break };
                let is_named = written[at + 1..].starts_with('(');
                // Braces are no part of such a text.
                self.unescaped(part_of(range, done, at), "{{", raw, extract);
                let start = part_of(range, at, end).start();
                match written[..end].ends_with("%%") {
                    true => extract.push_at("%", start.to_usize()),
                    false if is_named => self.put_value(None, start, extract, names),
                    false => self.put_value(values.next(), start, extract, names),
                }
                // Behind the bracket stands what kind it is.
                let bracket = written[at..].find(')').filter(|_| is_named).map(|close| at + close + 1);
                let kind = |bracket: usize| written[bracket..].chars().next().map_or(0, char::len_utf8);
                done = bracket.map_or(end, |bracket| bracket + kind(bracket));
            }
            self.unescaped(part_of(range, done, written.len()), "{{", raw, extract);
        }
    }

    /// What is put into a text: a name, also as `str(name)`, stands for itself, and what is computed for something unknown.
    fn put_value(
        &self,
        value: Option<&ast::Expr>,
        at: TextSize,
        extract: &mut Extract,
        names: &mut Vec<&'s str>,
    ) {
        let value = match value {
            Some(ast::Expr::Call(call)) => {
                let is_str = matches!(&*call.func, ast::Expr::Name(name) if name.id.as_str() == "str");
                call.arguments.args.first().filter(|_| is_str)
            }
            value => value,
        };
        match value {
            Some(ast::Expr::Name(name)) => {
                let name = self.slice(name.range);
                names.push(name);
                extract.push_at("${", at.to_usize());
                extract.push_at(name, at.to_usize());
                extract.push_at("}", at.to_usize());
            }
            _ => extract.push_at("${_}", at.to_usize()),
        }
    }
}

/// What stands between the quotes of a literal, and whether it is raw.
fn inner(part: &ast::StringLiteral) -> (TextRange, bool) {
    let start = part.range.start() + part.flags.opener_len();
    (TextRange::new(start, part.range.end() - part.flags.closer_len()), part.flags.prefix().is_raw())
}

fn part_of(range: TextRange, from: usize, to: usize) -> TextRange {
    let size = |at: usize| TextSize::try_from(at).unwrap_or_default();
    TextRange::new(range.start() + size(from), range.start() + size(to))
}
