//! Constants as `format(value, spec)`, `repr(value)` and `"%02d" % value` write them.

use super::Interpreter;
use crate::facts::Span;
use crate::program::heap::values::{LONGEST, Text, TextMember, Value};

/// How a value is to be written: `>08,.2f`.
#[derive(Debug, Default)]
struct Format {
    fill: Option<char>,
    align: Option<char>,
    sign: Option<char>,
    prefix: bool,
    zeros: bool,
    width: usize,
    grouping: Option<char>,
    precision: Option<usize>,
    kind: Option<char>,
}

impl Format {
    fn read(spec: &str) -> Option<Format> {
        let mut format = Format::default();
        let letters: Vec<char> = spec.chars().collect();
        let mut rest = &letters[..];
        let is_align = |letter: &char| matches!(letter, '<' | '>' | '^' | '=');
        match rest {
            [fill, align, ..] if is_align(align) => {
                (format.fill, format.align, rest) = (Some(*fill), Some(*align), &rest[2..]);
            }
            [align, ..] if is_align(align) => (format.align, rest) = (Some(*align), &rest[1..]),
            _ => {}
        }
        if let [sign @ ('+' | '-' | ' '), ..] = rest {
            (format.sign, rest) = (Some(*sign), &rest[1..]);
        }
        if let ['#', ..] = rest {
            (format.prefix, rest) = (true, &rest[1..]);
        }
        if let ['0', ..] = rest {
            (format.zeros, rest) = (true, &rest[1..]);
        }
        (format.width, rest) = number(rest)?;
        if let [grouping @ (',' | '_'), ..] = rest {
            (format.grouping, rest) = (Some(*grouping), &rest[1..]);
        }
        if let ['.', digit, ..] = rest
            && digit.is_ascii_digit()
        {
            let (precision, behind) = number(&rest[1..])?;
            (format.precision, rest) = (Some(precision), behind);
        }
        match rest {
            [] => {}
            [kind] => format.kind = Some(*kind),
            _ => return None,
        }
        (format.width <= LONGEST).then_some(format)
    }

    fn of_text(&self, text: &str) -> Option<String> {
        if self.sign.is_some()
            || self.prefix
            || self.grouping.is_some()
            || !matches!(self.kind, None | Some('s'))
        {
            return None;
        }
        let text: String = match self.precision {
            Some(most) => text.chars().take(most).collect(),
            None => text.to_owned(),
        };
        let fill = self.fill.unwrap_or(if self.zeros { '0' } else { ' ' });
        let align = self.align.unwrap_or('<');
        (align != '=').then(|| self.filled("", &text, fill, align))
    }

    fn of_number(&self, number: i64) -> Option<String> {
        let digits = number.unsigned_abs();
        let (prefix, digits) = match self.kind {
            None | Some('d') if self.precision.is_none() => ("", digits.to_string()),
            Some('x') => ("0x", format!("{digits:x}")),
            Some('X') => ("0X", format!("{digits:X}")),
            Some('o') => ("0o", format!("{digits:o}")),
            Some('b') => ("0b", format!("{digits:b}")),
            Some('f' | 'F') => match self.precision.unwrap_or(6) {
                0 => ("", digits.to_string()),
                places => ("", format!("{digits}.{:0>places$}", 0)),
            },
            _ => return None,
        };
        if self.grouping.is_some() && !matches!(self.kind, None | Some('d')) {
            return None;
        }
        let digits = match self.grouping {
            Some(mark) if self.zeros || self.align == Some('=') => {
                // What fills it would be grouped as well.
                if digits.len() + (digits.len() - 1) / 3 < self.width {
                    return None;
                }
                grouped(&digits, mark)
            }
            Some(mark) => grouped(&digits, mark),
            None => digits,
        };
        let sign = match (number < 0, self.sign) {
            (true, _) => "-",
            (false, Some('+')) => "+",
            (false, Some(' ')) => " ",
            _ => "",
        };
        let before = format!("{sign}{}", if self.prefix { prefix } else { "" });
        let fill = self.fill.unwrap_or(if self.zeros { '0' } else { ' ' });
        let align = self.align.unwrap_or(if self.zeros { '=' } else { '>' });
        Some(self.filled(&before, &digits, fill, align))
    }

    fn filled(&self, before: &str, text: &str, fill: char, align: char) -> String {
        let length = before.chars().count() + text.chars().count();
        let missing = self.width.saturating_sub(length);
        let of = |count: usize| fill.to_string().repeat(count);
        match align {
            '<' => format!("{before}{text}{}", of(missing)),
            '=' => format!("{before}{}{text}", of(missing)),
            '^' => format!("{}{before}{text}{}", of(missing / 2), of(missing - missing / 2)),
            _ => format!("{}{before}{text}", of(missing)),
        }
    }
}

fn number(letters: &[char]) -> Option<(usize, &[char])> {
    let end = letters.iter().position(|letter| !letter.is_ascii_digit()).unwrap_or(letters.len());
    let digits: String = letters[..end].iter().collect();
    let number = if digits.is_empty() { 0 } else { digits.parse().ok()? };
    (number <= LONGEST).then_some((number, &letters[end..]))
}

fn grouped(digits: &str, mark: char) -> String {
    let mut written = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            written.push(mark);
        }
        written.push(digit);
    }
    written
}

/// What `format(value, spec)` gives for a constant.
pub(super) fn formatted(value: &Value<'_>, spec: &str) -> Option<String> {
    if spec.is_empty() {
        return Some(value.as_text()?.into_owned());
    }
    if let Value::Float(number) = value {
        let digits = spec.strip_prefix('.')?.strip_suffix('f')?.parse::<usize>().ok()?;
        return (digits <= 15).then(|| format!("{number:.digits$}"));
    }
    let format = Format::read(spec)?;
    match value {
        Value::Text(text) => format.of_text(&text.text),
        Value::Int(number, _) => format.of_number(*number),
        _ => None,
    }
}

/// A text as Python writes it in quotes.
fn quoted(text: &str) -> Option<String> {
    let is_plain = text.chars().all(|one| !one.is_control() && one.is_ascii() && one != '\\' && one != '\'');
    is_plain.then(|| format!("'{text}'"))
}

impl<'p> Interpreter<'p> {
    /// What `repr(value)` gives for constants, and for lists and dictionaries of them.
    pub(super) fn written(&self, value: &Value<'p>, depth: usize) -> Option<String> {
        let each = |values: &[Value<'p>]| {
            let parts: Option<Vec<_>> = values.iter().map(|value| self.written(value, depth + 1)).collect();
            Some(parts?.join(", "))
        };
        if depth > 3 {
            return None;
        }
        let text = match value {
            Value::Text(text) if text.member == TextMember::No => quoted(&text.text)?,
            Value::Int(..) | Value::Float(_) | Value::Bool(_) => value.as_text()?.into_owned(),
            Value::None => "None".to_owned(),
            Value::Collection(scope) => match self.contents(value) {
                // An empty one stands for what somebody fills who is not followed.
                Value::Sequence(values) if !values.is_empty() && !self.is_no_list(*scope) => {
                    format!("[{}]", each(&values)?)
                }
                // None stands for the environment that was spread.
                Value::Mapping(items)
                    if !items.is_empty()
                        && !self.is_no_list(*scope)
                        && items.iter().all(|(key, _)| !matches!(key, Value::None)) =>
                {
                    let item = |(key, value): &(Value<'p>, Value<'p>)| {
                        let key = self.written(key, depth + 1)?;
                        Some(format!("{key}: {}", self.written(value, depth + 1)?))
                    };
                    let items: Option<Vec<_>> = items.iter().map(item).collect();
                    format!("{{{}}}", items?.join(", "))
                }
                _ => return None,
            },
            _ => return None,
        };
        (text.len() <= LONGEST).then_some(text)
    }
}

impl<'p> Interpreter<'p> {
    /// `"cuda:%d" % 1` and `"%(name)s" % {"name": "a"}`
    pub(super) fn percent_format(&mut self, format: &Text<'p>, right: &Value<'p>, span: Span) -> Value<'p> {
        let mut arguments: Vec<Value<'p>> = match right {
            Value::Sequence(values) => values.to_vec(),
            value => vec![value.clone()],
        };
        arguments.reverse();
        let mut pieces = Vec::new();
        let mut rest: &str = &format.text;
        while let Some((before, after)) = rest.split_once('%') {
            pieces.push(Value::text(before.to_owned(), format.place));
            if let Some(after) = after.strip_prefix('%') {
                pieces.push(Value::text("%", format.place));
                rest = after;
                continue;
            }
            let (key, after) = match after.strip_prefix('(').map(|after| after.split_once(')')) {
                Some(Some((key, after))) => (Some(key), after),
                Some(None) => return Value::Unknown,
                None => (None, after),
            };
            let Some(end) = after.find(|one: char| one.is_ascii_alphabetic()) else { return Value::Unknown };
            let (flags, kind) = (&after[..end], &after[end..=end]);
            rest = &after[end + 1..];
            let argument = match key {
                Some(key) => match self.contents(right) {
                    Value::Mapping(items) => {
                        self.mapping_item(&items, &Value::text(key.to_owned(), format.place))
                    }
                    _ => None,
                },
                None => arguments.pop(),
            };
            let Some(argument) = argument else { return Value::Unknown };
            let argument = self.force(argument);
            pieces.push(match (&argument, flags, kind) {
                _ if argument.shows_name() => Value::Unknown,
                (Value::Bool(number), "", "d" | "i") => Value::Int((*number).into(), format.place),
                (Value::Instance(_), "", "s") => self.text_of(&argument, "str", span),
                (Value::Instance(_), "", "r") => self.text_of(&argument, "repr", span),
                (_, "", "s") => argument,
                (Value::Int(..), "", "d" | "i") => argument,
                (Value::Float(_), ..) => Value::Unknown,
                (_, _, "d" | "i") if !matches!(argument, Value::Int(..)) => match flags {
                    "" if !matches!(argument, Value::Text(_)) => argument,
                    _ => Value::Unknown,
                },
                _ => match self.by_percent(&argument, flags, kind) {
                    Some(text) => Value::text(text, format.place),
                    None => Value::Unknown,
                },
            });
        }
        // More values than places raise.
        if matches!(right, Value::Sequence(_)) && !arguments.is_empty() {
            return Value::Unknown;
        }
        pieces.push(Value::text(rest.to_owned(), format.place));
        self.concatenation(pieces, span)
    }

    /// What `%02d` makes of a constant, for one argument.
    fn by_percent(&self, value: &Value<'p>, flags: &str, kind: &str) -> Option<String> {
        let align = if flags.contains('-') {
            "<"
        } else if matches!(kind, "s" | "r") {
            ">"
        } else {
            ""
        };
        let flags = flags.replace('-', "");
        let text = || Some(Value::text(self.written(value, 0)?, value.place()?));
        match kind {
            "s" => formatted(value, &format!("{align}{flags}")),
            "r" => formatted(&text()?, &format!("{align}{flags}")),
            "d" | "i" => formatted(value, &format!("{align}{flags}d")),
            "x" | "X" | "o" => formatted(value, &format!("{align}{flags}{kind}")),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Format;

    #[test]
    fn numbers_are_written_as_python_does() {
        let written =
            |spec: &str, number: i64| Format::read(spec).and_then(|format| format.of_number(number));
        let all = [
            ("02d", 3, "03"),
            (">4", 3, "   3"),
            ("+d", 3, "+3"),
            ("#x", 255, "0xff"),
            ("#06x", 15, "0x000f"),
            (",", 1234567, "1,234,567"),
            ("05", -3, "-0003"),
            (".2f", 3, "3.00"),
            ("^5", 1, "  1  "),
            ("*<3", 1, "1**"),
        ];
        for (spec, number, expected) in all {
            assert_eq!(written(spec, number).as_deref(), Some(expected), "{spec}");
        }
    }

    #[test]
    fn texts_are_written_as_python_does() {
        let written = |spec: &str, text: &str| Format::read(spec).and_then(|format| format.of_text(text));
        assert_eq!(written(">4", "a").as_deref(), Some("   a"));
        assert_eq!(written(".2", "abc").as_deref(), Some("ab"));
        assert_eq!(written("d", "a"), None);
    }
}
