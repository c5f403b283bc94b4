//! What the shell does to a text on the way: `${X//,/ }`, `${X%%,*}`, `$(echo "$X" | tr ',' ' ')`, `read -ra X <<< "$Y"`. Each is
//! the method of a text that does the same.

use super::Lowering;
use crate::code::{Argument, Call, Expr, ExprKind};
use crate::facts::Span;
use std::borrow::Cow;
use tree_sitter::Node;

impl<'s> Lowering<'s, '_> {
    /// `${X//from/to}`, `${X#prefix}`, `${X%,*}` and their relatives, where the pattern says plainly what it fits.
    pub(super) fn edited(&self, node: Node<'_>, name: Node<'_>) -> Option<ExprKind<'s>> {
        let span = self.span(node);
        let behind = name.end_byte().checked_sub(node.start_byte())?;
        let edit = self.slice(node).strip_suffix('}')?.get(behind..)?;
        let variable = Expr { span, kind: ExprKind::Variable(self.slice(name).into()) };
        let plain = |text: &str| !text.is_empty() && !text.contains(SPECIAL);
        let texts = |parts: &[&'s str]| parts.iter().map(|part| text(part, span)).collect::<Vec<_>>();
        if let Some(edit) = edit.strip_prefix('/') {
            let (edit, is_all) = edit.strip_prefix('/').map_or((edit, false), |edit| (edit, true));
            let (from, to) = edit.split_once('/').unwrap_or((edit, ""));
            let is_known = plain(from) && !from.starts_with(['#', '%']) && (to.is_empty() || plain(to));
            let mut arguments = texts(&[from, to]);
            if !is_all {
                arguments.push(Expr { span, kind: ExprKind::Int(1) });
            }
            return is_known.then(|| method(variable, "replace", arguments));
        }
        let of_end = edit.starts_with('%');
        let operator = if of_end { '%' } else { '#' };
        let pattern = edit.strip_prefix(operator)?;
        let (pattern, is_longest) =
            pattern.strip_prefix(operator).map_or((pattern, false), |rest| (rest, true));
        let open = if of_end { pattern.strip_suffix('*') } else { pattern.strip_prefix('*') };
        let fixed = open.unwrap_or(pattern);
        if !plain(fixed) {
            return None;
        }
        let once = || vec![text(fixed, span), Expr { span, kind: ExprKind::Int(1) }];
        let part = |whole: ExprKind<'s>, at: i64| {
            let at = Expr { span, kind: ExprKind::Int(at) };
            ExprKind::Item(Box::new((Expr { span, kind: whole }, at)))
        };
        Some(match (open.is_some(), of_end, is_longest) {
            (false, true, _) => method(variable, "removesuffix", texts(&[fixed])),
            (false, false, _) => method(variable, "removeprefix", texts(&[fixed])),
            (true, true, true) => part(method(variable, "partition", texts(&[fixed])), 0),
            (true, true, false) => part(method(variable, "rsplit", once()), 0),
            (true, false, true) => part(method(variable, "rpartition", texts(&[fixed])), 2),
            (true, false, false) => part(method(variable, "split", once()), -1),
        })
    }

    /// `$(echo "$X" | tr ',' ' ')`
    pub(super) fn translated(&mut self, node: Node<'_>) -> Option<ExprKind<'s>> {
        let pipeline = node.named_child(0).filter(|_| node.named_child_count() == 1)?;
        if pipeline.kind() != "pipeline" || pipeline.named_child_count() != 2 {
            return None;
        }
        let (echo, tr) = (pipeline.named_child(0)?, pipeline.named_child(1)?);
        let is = |node: Node<'_>, name: &str, words: usize| {
            self.command_name(node) == Some(name) && node.named_child_count() == words
        };
        if !is(echo, "echo", 2) || !is(tr, "tr", 3) {
            return None;
        }
        let letter = |node: Node<'_>| {
            let word = self.slice(node).trim_matches(['"', '\'']);
            (word.chars().count() == 1 && !word.contains(SPECIAL)).then_some(word)
        };
        let (from, to) = (letter(tr.named_child(1)?)?, letter(tr.named_child(2)?)?);
        let printed = self.value(echo.named_child(1)?);
        let span = self.span(node);
        Some(method(printed, "replace", vec![text(from, span), text(to, span)]))
    }

    /// The words of `read -ra X <<< "$Y"`, which IFS parts.
    pub(super) fn parted(read: Expr<'s>, by: Option<Cow<'s, str>>) -> Option<Expr<'s>> {
        let span = read.span;
        let by = by.filter(|by| by.chars().count() == 1 && by.trim() == *by);
        let arguments = by.map(|by| Expr { span, kind: ExprKind::Text(by) });
        Some(Expr { span, kind: method(read, "split", arguments.into_iter().collect()) })
    }

    /// The numbers of `$(seq 0 3)`.
    pub(super) fn counted(&self, node: Node<'_>) -> Option<Vec<Expr<'s>>> {
        const MOST: i64 = 32;
        let written = self.slice(node).strip_prefix("$(")?.strip_suffix(')')?;
        let mut words = written.split_whitespace();
        let is_seq = words.next() == Some("seq");
        let numbers: Vec<i64> = words.map(|word| word.parse().ok()).collect::<Option<_>>()?;
        let (first, last) = match numbers[..] {
            [last] => (1, last),
            [first, last] | [first, 1, last] => (first, last),
            _ => return None,
        };
        let span = self.span(node);
        let few = is_seq && first <= last && last.checked_sub(first)? < MOST;
        let texts =
            (first..=last).map(|number| Expr { span, kind: ExprKind::Text(number.to_string().into()) });
        few.then(|| texts.collect())
    }
}

/// What stands for something else in a pattern or a text of the shell.
const SPECIAL: [char; 11] = ['*', '?', '[', '\\', '$', '`', '"', '\'', '&', '{', '}'];

fn text<'s>(text: &'s str, span: Span) -> Expr<'s> {
    Expr { span, kind: ExprKind::Text(text.into()) }
}

fn method<'s>(object: Expr<'s>, name: &'static str, arguments: Vec<Expr<'s>>) -> ExprKind<'s> {
    let span = object.span;
    let callee = Expr { span, kind: ExprKind::Attribute(Box::new(object), name) };
    let given = |value| Argument { name: None, unpacked: false, value };
    ExprKind::Call(Box::new(Call { callee, arguments: arguments.into_iter().map(given).collect() }))
}
