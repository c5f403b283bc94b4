//! Python that only older versions run: `print x`, `exec code`, `raise E, text`, `a <> b`, `10L`, and `async` as a name, which
//! Python 3.7 made a keyword. Much published research code is written so. Each such piece is replaced by another of the same
//! length that means the same for the rest of the program; so every place in the tree is one in the file.

use super::nesting;
use ruff_python_ast::token::{Token, TokenKind};
use ruff_python_ast::{ModModule, PySourceType, PythonVersion};
use ruff_python_parser::{ParseOptions, Parsed, parse_unchecked};
use ruff_text_size::Ranged;

/// What stands for the name `async` while the text is parsed.
pub const ASYNC_AS_NAME: &str = "asynk";

/// Parses a text as Python of today, or else of yesterday. Errors that are left are those of today's Python. None where the text is
/// no module at all.
pub fn parse(text: &str, source_type: PySourceType) -> Option<Parsed<ModModule>> {
    let parsed = read(text, source_type)?;
    if parsed.errors().is_empty() {
        return Some(parsed);
    }
    let Some(modern) = modernised(text, parsed.tokens()) else { return Some(parsed) };
    let (kept, other) = match read(&modern, source_type) {
        Some(again) if again.errors().is_empty() => (again, Some(parsed)),
        again => (parsed, again),
    };
    nesting::release(other, text.len());
    Some(kept)
}

fn read(text: &str, source_type: PySourceType) -> Option<Parsed<ModModule>> {
    let options = ParseOptions::from(source_type).with_target_version(PythonVersion::PY315);
    parse_unchecked(text, options).try_into_module()
}

/// The text with the pieces replaced that only older versions know; None where there are none.
fn modernised(text: &str, tokens: &[Token]) -> Option<String> {
    let mut modern = text.as_bytes().to_vec();
    let is_seen = |token: &&Token| !matches!(token.kind(), TokenKind::Comment | TokenKind::NonLogicalNewline);
    let seen: Vec<&Token> = tokens.iter().filter(is_seen).collect();
    let written = |token: &Token| &text[token.range()];
    let (mut depth, mut starts_statement, mut is_in_raise) = (0usize, true, false);
    for (number, token) in seen.iter().enumerate() {
        let (start, end) = (token.start().to_usize(), token.end().to_usize());
        let next = seen.get(number + 1).copied();
        match token.kind() {
            // `print x` becomes the pair `print,x`: what follows is evaluated as before.
            TokenKind::Name
                if starts_statement
                    && matches!(written(token), "print" | "exec")
                    && next.is_some_and(begins_argument) =>
            {
                let blank = modern.get(end).is_some_and(|byte| matches!(byte, b' ' | b'\t'));
                modern[if blank { end } else { end - 1 }] = b',';
            }
            TokenKind::Async if !next.is_some_and(begins_async) => {
                modern[start..end].copy_from_slice(ASYNC_AS_NAME.as_bytes());
            }
            TokenKind::Comma if is_in_raise && depth == 0 => modern[start] = b'%',
            TokenKind::Less
                if next
                    .is_some_and(|next| next.kind() == TokenKind::Greater && next.start() == token.end()) =>
            {
                modern[start..start + 2].copy_from_slice(b"!=");
            }
            TokenKind::Name if matches!(written(token), "L" | "l") && follows_number(&modern, start) => {
                modern[start] = b' '
            }
            _ => {}
        }
        match token.kind() {
            TokenKind::Lpar | TokenKind::Lsqb | TokenKind::Lbrace => depth += 1,
            TokenKind::Rpar | TokenKind::Rsqb | TokenKind::Rbrace => depth = depth.saturating_sub(1),
            _ => {}
        }
        is_in_raise = match token.kind() {
            TokenKind::Raise => true,
            TokenKind::Newline | TokenKind::Semi => false,
            _ => is_in_raise,
        };
        starts_statement = match token.kind() {
            TokenKind::Newline | TokenKind::Semi | TokenKind::Indent | TokenKind::Dedent => true,
            TokenKind::Colon => depth == 0,
            _ => false,
        };
    }
    (modern != text.as_bytes()).then(|| String::from_utf8(modern).ok()).flatten()
}

/// Whether what follows `print` is something to print and not a call, an assignment or the rest of an expression.
fn begins_argument(next: &Token) -> bool {
    use TokenKind::{
        Complex, FStringStart, False, Float, Int, Lambda, Lbrace, Name, None, Not, String, Tilde, True,
    };
    matches!(
        next.kind(),
        Name | String
            | FStringStart
            | Int
            | Float
            | Complex
            | Not
            | Lambda
            | None
            | True
            | False
            | Lbrace
            | Tilde
    )
}

/// Whether `async` is the keyword here.
fn begins_async(next: &Token) -> bool {
    matches!(next.kind(), TokenKind::Def | TokenKind::For | TokenKind::With)
}

fn follows_number(text: &[u8], at: usize) -> bool {
    at.checked_sub(1).is_some_and(|before| text[before].is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_read(text: &str) -> bool {
        parse(text, PySourceType::Python).is_some_and(|parsed| parsed.errors().is_empty())
    }

    #[test]
    fn what_older_versions_knew_is_read() {
        for text in [
            "print 'a', x\n",
            "if x: print\"a\"\n",
            "print >>sys.stderr, 'a'\n",
            "for x in y:\n    print 'step %d' % x,\n    print not x\n",
            "exec code in space\n",
            "raise ValueError, 'a (b, c)'\n",
            "if f(a, 1) <> 2L: pass\n",
            "x.cuda(async=True)\n",
            "def f(x, async=False):\n    return g(async)\n",
            "try:\n    f()\nexcept ValueError, e:\n    print e\n",
            "async def f():\n    async with g(async=1) as x:\n        pass\n    x.cuda(async=True)\n",
        ] {
            assert!(is_read(text), "{text}");
        }
    }

    #[test]
    fn what_no_version_knew_is_not() {
        for text in
            ["print(\n", "x = = 1\n", "f(print 'a')\n", "return return\n", "x < > 2\n", "f(async, in)\n"]
        {
            assert!(!is_read(text), "{text}");
        }
    }
}
