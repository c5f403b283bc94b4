//! Texts in double quotes as JSON writes them, with the place of each of their bytes; and arrays of such texts,
//! which is how containers and editors write a command line.

use super::command_lines::{Literal, Word};
use super::embedded::{Extract, Origin};
use crate::code::{Expr, ExprKind};
use crate::sources::Source;

/// A text in quotes: what it says, where its bytes stand, and where it ends.
pub struct JsonString<'s> {
    pub literal: Literal<'s>,
    /// Behind the closing quote.
    pub end: usize,
}

/// Reads the text whose opening quote stands at `start`. `origin` says where `text` stands in the file.
pub fn read<'s>(text: &'s str, start: usize, origin: &Origin, source: &'s Source) -> Option<JsonString<'s>> {
    let inside = start + 1;
    let mut end = inside;
    let bytes = text.as_bytes();
    loop {
        end += memchr::memchr2(b'"', b'\\', bytes.get(end..)?)?;
        if bytes[end] == b'"' {
            break;
        }
        end = end + 1 + text.get(end + 1..)?.chars().next()?.len_utf8();
    }
    let raw = &text[inside..end];
    if !raw.contains('\\') {
        let literal = Literal { text: raw, origin: origin.of_part(&Origin::from(inside)) };
        return Some(JsonString { literal, end: end + 1 });
    }
    let (plain, part) = unescaped(raw, inside);
    let literal = Literal { text: source.keep(plain), origin: origin.of_part(&part) };
    Some(JsonString { literal, end: end + 1 })
}

/// `raw` without its backslashes, which stands at `start`.
fn unescaped(raw: &str, start: usize) -> (String, Origin) {
    let mut extract = Extract::default();
    let mut at = 0;
    while at < raw.len() {
        let next = memchr::memchr(b'\\', &raw.as_bytes()[at..]).map_or(raw.len(), |found| at + found);
        if next > at {
            extract.push(&raw[at..next], start + at);
        }
        let Some(escaped) = raw.get(next + 1..).and_then(|rest| rest.chars().next()) else { break };
        at = next + 1 + escaped.len_utf8();
        let code = raw.get(at..at + 4).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        match (escaped, code.and_then(char::from_u32)) {
            ('u', Some(character)) => {
                at += 4;
                extract.push(character.encode_utf8(&mut [0; 4]), start + next);
            }
            ('n', _) => extract.push("\n", start + next + 1),
            ('t', _) => extract.push("\t", start + next + 1),
            ('r', _) => extract.push("\r", start + next + 1),
            ('b' | 'f', _) => {}
            (other, _) => extract.push(other.encode_utf8(&mut [0; 4]), start + next + 1),
        }
    }
    extract.finish()
}

/// The words of `["python", "serve.py"]`; `None` when the text is anything else.
pub fn words<'s>(text: &'s str, origin: &Origin, source: &'s Source) -> Option<Vec<Word<'s>>> {
    let bytes = text.as_bytes();
    let skip = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        at
    };
    let mut at = skip(0);
    if bytes.get(at) != Some(&b'[') {
        return None;
    }
    at = skip(at + 1);
    let mut words = Vec::new();
    while bytes.get(at) == Some(&b'"') {
        let string = read(text, at, origin, source)?;
        words.push(word(string.literal, origin, at, string.end));
        at = skip(string.end);
        match bytes.get(at) {
            Some(b',') => at = skip(at + 1),
            Some(b']') => break,
            _ => return None,
        }
    }
    (bytes.get(at) == Some(&b']') && skip(at + 1) == text.len()).then_some(words)
}

/// A text in quotes as a word of a command.
fn word<'s>(literal: Literal<'s>, origin: &Origin, start: usize, end: usize) -> Word<'s> {
    let expr = Expr { span: origin.span(start, end), kind: ExprKind::Text(literal.text.into()) };
    Word { expr, literal: Some(literal) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::Language;

    #[test]
    fn escapes_lead_back_to_the_file() {
        let text = r#"x "a\"b\u0041\n" "#.to_owned();
        let source = Source::new(None, "a".to_owned(), Language::Json, text);
        let read = read(&source.text, 2, &Origin::from(0), &source).unwrap();
        assert_eq!(read.literal.text, "a\"bA\n");
        assert_eq!(&source.text[read.literal.origin.span(2, 3).range()], "b");
        assert_eq!(&source.text[read.end..], " ");
    }

    #[test]
    fn an_array_of_texts_is_a_command() {
        let is_command = |text: &str| {
            let source = Source::new(None, "a".to_owned(), Language::Json, text.to_owned());
            words(&source.text, &Origin::from(0), &source).map(|words| words.len())
        };
        assert_eq!(is_command(r#" ["python", "a.py"] "#), Some(2));
        assert_eq!(is_command("[]"), Some(0));
        for other in ["python a.py", "[", r#"["a"#, r#"["a" "b"]"#, r#"["a"] x"#, "[a]", r#"["\"#] {
            assert_eq!(is_command(other), None, "{other}");
        }
    }
}
