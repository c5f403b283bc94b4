//! `$X`, `${X}` and `${X:-value}` in the values of files of settings: each becomes the variable that it names.

use super::embedded::Origin;
use crate::code::{Expr, ExprKind};
use std::borrow::Cow;

/// Braces that are further apart do not belong together.
const MOST_BYTES: usize = 1024;

/// Values nested deeper than this inside defaults are not followed.
const MAX_DEPTH: usize = 8;

/// The value of a text that stands in a file as `origin` says. `escapes`: a backslash takes the meaning of the
/// character behind it away.
pub fn value<'s>(text: &'s str, origin: &Origin, escapes: bool) -> Expr<'s> {
    Reader { text, origin, escapes }.value(0, text.len(), 0)
}

struct Reader<'s, 'o> {
    text: &'s str,
    origin: &'o Origin,
    escapes: bool,
}

impl<'s> Reader<'s, '_> {
    fn value(&self, start: usize, end: usize, depth: usize) -> Expr<'s> {
        let span = self.origin.span(start, end);
        let mut parts = Vec::new();
        let mut plain = start;
        let mut at = start;
        while let Some(found) = self.text[at..end].find(['$', '\\']) {
            at += found;
            if self.text.as_bytes()[at] == b'\\' {
                at += 1;
                at += self.text[at..end].chars().next().map_or(0, char::len_utf8);
                continue;
            }
            let Some((kind, behind)) = self.variable(at, end, depth) else {
                at += 1;
                continue;
            };
            self.add_text(plain, at, &mut parts);
            parts.push(Expr { span: self.origin.span(at, behind), kind });
            plain = behind;
            at = behind;
        }
        self.add_text(plain, end, &mut parts);
        let kind = match parts.len() {
            0 => ExprKind::Text("".into()),
            1 => parts.swap_remove(0).kind,
            _ => ExprKind::Join(parts),
        };
        Expr { span, kind }
    }

    /// The variable that begins at a `$`, and where it ends.
    fn variable(&self, at: usize, end: usize, depth: usize) -> Option<(ExprKind<'s>, usize)> {
        let rest = &self.text[at + 1..end];
        let braced = rest.starts_with('{');
        let name_start = at + 1 + usize::from(braced);
        let name = name_in(&self.text[name_start..end])?;
        let behind_name = name_start + name.len();
        if !braced {
            return Some((ExprKind::Variable(name.into()), behind_name));
        }
        let close = name_start + closing_brace(&self.text[name_start..end])?;
        let operator = &self.text[behind_name..close];
        let default = |length: usize| {
            let start = behind_name + length;
            Box::new(if depth < MAX_DEPTH {
                self.value(start, close, depth + 1)
            } else {
                Expr { span: self.origin.span(start, close), kind: ExprKind::Unknown(Vec::new()) }
            })
        };
        let kind = if operator.is_empty() || operator.starts_with('?') || operator.starts_with(":?") {
            ExprKind::Variable(name.into())
        } else if operator.starts_with(":-") {
            ExprKind::VariableOr(name.into(), default(2))
        } else if operator.starts_with('-') {
            ExprKind::VariableOr(name.into(), default(1))
        } else {
            ExprKind::Unknown(Vec::new())
        };
        Some((kind, close + 1))
    }

    fn add_text(&self, start: usize, end: usize, parts: &mut Vec<Expr<'s>>) {
        if start == end {
            return;
        }
        let text = &self.text[start..end];
        let kind = ExprKind::Text(if self.escapes { unescaped(text) } else { text.into() });
        parts.push(Expr { span: self.origin.span(start, end), kind });
    }
}

/// The name of a variable at the start of a text.
fn name_in(text: &str) -> Option<&str> {
    let length = text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    let starts = text.bytes().next().is_some_and(|first| !first.is_ascii_digit());
    (length > 0 && starts).then(|| &text[..length])
}

/// Where the brace ends that was opened before this text.
fn closing_brace(text: &str) -> Option<usize> {
    let mut open = 0usize;
    text.bytes().take(MOST_BYTES).position(|byte| match byte {
        b'{' => {
            open += 1;
            false
        }
        b'}' if open > 0 => {
            open -= 1;
            false
        }
        byte => byte == b'}',
    })
}

/// A text without the backslashes that take the meaning of a character away.
pub fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return text.into();
    }
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('n') => plain.push('\n'),
                Some('t') => plain.push('\t'),
                Some('\n') | None => {}
                Some(other) => plain.push(other),
            },
            character => plain.push(character),
        }
    }
    plain.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(expr: &Expr<'_>) -> String {
        match &expr.kind {
            ExprKind::Text(text) => format!("{text:?}"),
            ExprKind::Variable(name) => format!("${name}"),
            ExprKind::VariableOr(name, default) => format!("${name}|{}", shown(default)),
            ExprKind::Join(parts) => parts.iter().map(shown).collect::<Vec<_>>().join("+"),
            _ => "?".to_owned(),
        }
    }

    #[test]
    fn variables_are_told_from_text() {
        let read = |text: &str| shown(&value(text, &Origin::from(0), true));
        assert_eq!(read("1"), "\"1\"");
        assert_eq!(read("$A,${B}"), "$A+\",\"+$B");
        assert_eq!(read("${A:-0}"), "$A|\"0\"");
        assert_eq!(read("${A:-${B-2}}x"), "$A|$B|\"2\"+\"x\"");
        assert_eq!(read("\\$A"), "\"$A\"");
        assert_eq!(read("$1 ${ $"), "\"$1 ${ $\"");
        assert_eq!(read("${A:+x}"), "?");
    }
}
