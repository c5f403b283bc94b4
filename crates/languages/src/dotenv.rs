//! Files of settings such as `.env`: a variable and its value on each line. Shells source them, python-dotenv,
//! compose and editors load them; they agree on quotes, comments and `export`, and this reads what they agree on.

use super::Refusal;
use super::embedded::Origin;
use super::interpolation;
use crate::code::{
    Code, Export, Expr, ExprKind, Host, Observation, Observed, SetVariable, Statement, StatementKind, Unit,
};
use crate::commands::is_variable_name;
use crate::facts::Span;
use crate::sources::Source;

use super::command_lines::step_of;

/// More settings than this are data, and no list of settings.
const MOST_SETTINGS: usize = 2_000;

/// Lowers a file of settings.
pub fn lower(source: &Source) -> Result<Code<'_>, Refusal> {
    let mut code = Code::default();
    let mut steps = Vec::new();
    let speaks = memchr::memmem::find(source.text.as_bytes(), b"gpulint:").is_some();
    for line in lines(&source.text) {
        match line {
            Line::Comment(span) if speaks => code.comments.push(span),
            Line::Comment(_) => {}
            Line::Commented(span) => {
                let text = (&source.text[span.range()]).into();
                let observed = Observed { what: Observation::InlineComment, about_gpu: false, text };
                steps.push(Statement { span, kind: StatementKind::Observe(Box::new(observed)) });
            }
            Line::Setting(set) if steps.len() < MOST_SETTINGS => {
                if speaks {
                    code.lines.push(set.span);
                }
                steps.push(step_of(set));
            }
            Line::Setting(_) => return Ok(Code::default()),
        }
    }
    // No line stands for the whole, and what the first one sets is nobody's business.
    code.units.push(Unit { span: Span::default(), name: "".into(), host: Host::Machine, body: steps });
    Ok(code)
}

/// The first line of a text: where findings about the whole of it point.
pub fn first_line(text: &str) -> Span {
    Span::new(0, text.find('\n').unwrap_or(text.len()))
}

enum Line<'s> {
    Comment(Span),
    /// A setting with a comment behind it that quotes do not keep apart.
    Commented(Span),
    Setting(SetVariable<'s>),
}

/// What the lines of a text say, in order.
fn lines(text: &str) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let mut at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    while at < text.len() {
        let end = at + memchr::memchr(b'\n', &text.as_bytes()[at..]).unwrap_or(text.len() - at);
        at = line(text, at, end, &mut lines) + 1;
    }
    lines
}

/// Reads the line from `start` to `end`, and returns where it really ends: a quoted value may go on below.
fn line<'s>(text: &'s str, start: usize, end: usize, lines: &mut Vec<Line<'s>>) -> usize {
    let start = start + blanks(&text[start..end]);
    let whole = text[start..end].trim_end();
    if whole.starts_with('#') {
        lines.push(Line::Comment(Span::new(start, start + whole.len())));
        return end;
    }
    let word = whole.strip_prefix("export").filter(|rest| rest.starts_with([' ', '\t']));
    let export = if word.is_some() { Export::Yes } else { Export::IfExported };
    let setting = word.map_or(whole, str::trim_start);
    let name_start = start + whole.len() - setting.len();
    let Some(equals) = setting.find('=') else {
        if word.is_some() && is_variable_name(setting) {
            let span = Span::new(name_start, name_start + setting.len());
            let name = setting.into();
            lines.push(Line::Setting(SetVariable { name, span, value: None, export, only_if_unset: false }));
        }
        return end;
    };
    let name = setting[..equals].trim_end();
    let name = name.trim_matches(['\'', '"']);
    let value_start = name_start + equals + 1;
    let value_start = value_start + blanks(&text[value_start..end]);
    let (value, value_end, end) = match text.as_bytes().get(value_start) {
        Some(quote @ (b'"' | b'\'')) => match closing_quote(text, value_start + 1, *quote) {
            Some(close) => {
                let behind = memchr::memchr(b'\n', &text.as_bytes()[close..]);
                let inside = quoted(text, value_start + 1, close, *quote);
                (inside, close + 1, close + behind.unwrap_or(text.len() - close))
            }
            None => unquoted(text, value_start, end),
        },
        _ => unquoted(text, value_start.min(end), end),
    };
    if let Some(comment) = comment_behind(&text[value_end..end]) {
        let rest = text[value_end + comment..end].trim_end();
        lines.push(Line::Comment(Span::new(value_end + comment, value_end + comment + rest.len())));
    }
    let is_quoted = matches!(text.as_bytes().get(value_start), Some(b'"' | b'\''));
    if !is_quoted && value_end > value_start && comment_behind(&text[value_end..end]).is_some() {
        lines.push(Line::Commented(Span::new(
            name_start,
            value_start + text[value_start..end].trim_end().len(),
        )));
    }
    if is_variable_name(name) {
        let span = Span::new(name_start, value_end);
        let value = Some(value);
        lines.push(Line::Setting(SetVariable {
            name: name.into(),
            span,
            value,
            export,
            only_if_unset: false,
        }));
    }
    end
}

fn blanks(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t', '\r']).len()
}

/// A value without quotes: a blank before `#` starts a comment.
fn unquoted(text: &str, start: usize, end: usize) -> (Expr<'_>, usize, usize) {
    let line = &text[start..end];
    let value = &line[..comment_behind(line).unwrap_or(line.len())];
    let value = value.trim_end();
    let origin = Origin::from(start);
    (interpolation::value(value, &origin, false), start + value.len(), end)
}

fn quoted(text: &str, start: usize, end: usize, quote: u8) -> Expr<'_> {
    let inside = &text[start..end];
    if quote == b'\'' {
        let kind = ExprKind::Text(inside.replace("\\'", "'").into());
        return Expr { span: Span::new(start, end), kind };
    }
    interpolation::value(inside, &Origin::from(start), true)
}

/// Where the quote ends that was opened before `start`.
fn closing_quote(text: &str, start: usize, quote: u8) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = start;
    loop {
        at += memchr::memchr2(quote, b'\\', &bytes[at..])?;
        if bytes[at] == quote {
            return Some(at);
        }
        at = (at + 2).min(bytes.len());
    }
}

/// Where the comment behind a value begins.
fn comment_behind(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'#', bytes).find(|&at| at > 0 && matches!(bytes[at - 1], b' ' | b'\t'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Name, value and what the span covers.
    fn settings(text: &str) -> Vec<(String, String, &str)> {
        let shown = |expr: &Expr<'_>| match &expr.kind {
            ExprKind::Text(text) => text.to_string(),
            _ => "?".to_owned(),
        };
        lines(text)
            .into_iter()
            .filter_map(|line| match line {
                Line::Setting(set) => {
                    let value = set.value.as_ref().map(shown).unwrap_or_default();
                    Some((set.name.to_string(), value, &text[set.span.range()]))
                }
                Line::Comment(_) | Line::Commented(_) => None,
            })
            .collect()
    }

    fn is(name: &str, value: &str, span: &'static str) -> (String, String, &'static str) {
        (name.to_owned(), value.to_owned(), span)
    }

    #[test]
    fn lines_are_read_as_the_loaders_read_them() {
        let text = "# comment\nA=1\n export B = '2 # not a comment'\nC=3 # comment\nD=\"4\"\nE=\nno setting\nF=a#b\n";
        let expected = [
            is("A", "1", "A=1"),
            is("B", "2 # not a comment", "B = '2 # not a comment'"),
            is("C", "3", "C=3"),
            is("D", "4", "D=\"4\""),
            is("E", "", "E="),
            is("F", "a#b", "F=a#b"),
        ];
        assert_eq!(settings(text), expected);
    }

    #[test]
    fn quotes_go_over_lines_and_carriage_returns_are_no_value() {
        let text = "\u{feff}A=\"one\ntwo\"\r\nB=2\r\nC='open\nD=4";
        let expected = [
            is("A", "one\ntwo", "A=\"one\ntwo\""),
            is("B", "2", "B=2"),
            is("C", "'open", "C='open"),
            is("D", "4", "D=4"),
        ];
        assert_eq!(settings(text), expected);
    }
}
