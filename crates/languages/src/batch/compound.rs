//! `if`, `for`, `goto` and `call`.

use super::statements::is_batch_file;
use super::words::capitals;
use super::{MOST_JUMPS, Reader, label_name};
use crate::code::{Block, Comparison, Expr, ExprKind, StatementKind, Target};

impl<'s> Reader<'s, '_> {
    pub(super) fn if_statement(&mut self, block: &mut Block<'s>) {
        let start = self.at;
        self.skip_word();
        let mut negated = false;
        loop {
            self.skip_blanks();
            let rest = &self.text[self.at..];
            if rest.get(..2).is_some_and(|option| option.eq_ignore_ascii_case("/i")) {
                self.at += 2;
            } else if starts_with_word(rest, "not") {
                self.at += 3;
                negated = true;
            } else {
                break;
            }
        }
        let from = self.at;
        let test = self.condition();
        let span = self.span(from..self.at.max(from));
        let mut test = Expr { span, kind: test };
        if negated {
            test = Expr { span, kind: ExprKind::Not(Box::new(test)) };
        }
        self.conditions += 1;
        let mut then = Vec::new();
        self.skip_blanks();
        self.inner(&mut then);
        let mut otherwise = Vec::new();
        self.skip_blanks();
        if starts_with_word(&self.text[self.at..], "else") {
            self.at += 4;
            self.skip_blanks();
            self.inner(&mut otherwise);
        }
        self.conditions -= 1;
        block.push(self.step(start, StatementKind::Branch { test, then, otherwise }));
    }

    /// The command of a condition: without parentheses it goes on to the end of the line.
    fn inner(&mut self, block: &mut Block<'s>) {
        self.statement(block);
        let is_else = |reader: &Self| starts_with_word(&reader.text[reader.at..], "else");
        loop {
            self.skip_blanks();
            // `if … set X=1 & python a.py`: both belong to the condition.
            if self.byte(self.at) != b'&' || self.at >= self.text.len() || is_else(self) {
                return;
            }
            self.at += if self.byte(self.at + 1) == b'&' { 2 } else { 1 };
            self.skip_blanks();
            self.statement(block);
        }
    }

    fn condition(&mut self) -> ExprKind<'s> {
        let rest = &self.text[self.at..];
        if starts_with_word(rest, "defined") {
            self.at += 7;
            self.skip_blanks();
            let start = self.at;
            let stops = |next: char| next.is_whitespace() || matches!(next, '(' | '&' | '|');
            let name = self.text[start..].split(stops).next().unwrap_or_default();
            self.at += name.len();
            return ExprKind::Variable(capitals(name));
        }
        for word in ["exist", "errorlevel", "cmdextversion"] {
            if starts_with_word(rest, word) {
                self.at += word.len();
                drop(self.side());
                return ExprKind::Unknown(Vec::new());
            }
        }
        let left = self.side();
        self.skip_blanks();
        let rest = &self.text[self.at..];
        let operator = if rest.starts_with("==") {
            self.at += 2;
            Some(Comparison::Equal)
        } else {
            let word: String = rest.chars().take(3).collect::<String>().to_ascii_lowercase();
            let known = matches!(word.as_str(), "equ" | "neq" | "lss" | "leq" | "gtr" | "geq");
            self.at += if known { 3 } else { 0 };
            match word.as_str() {
                "equ" => Some(Comparison::Equal),
                "neq" => Some(Comparison::NotEqual),
                _ => None,
            }
        };
        let right = self.side();
        match operator {
            Some(operator) => {
                let (left, right) = without_guards(left, right);
                ExprKind::Compare(operator, Box::new((left, right)))
            }
            None => ExprKind::Unknown(vec![left, right]),
        }
    }

    /// One side of a comparison, with its quotes.
    fn side(&mut self) -> Expr<'s> {
        self.skip_blanks();
        let start = self.at;
        let mut quoted = false;
        let mut end = start;
        while end < self.text.len() {
            match self.byte(end) {
                b'"' => quoted = !quoted,
                b'\n' | b'\r' => break,
                b' ' | b'\t' | b'(' | b'&' | b'|' if !quoted => break,
                b'=' if !quoted && self.byte(end + 1) == b'=' => break,
                _ => {}
            }
            end += 1;
        }
        self.text_until(end, false)
    }

    pub(super) fn for_statement(&mut self, block: &mut Block<'s>) {
        let start = self.at;
        self.skip_word();
        let mut kind = b' ';
        self.skip_blanks();
        while self.byte(self.at) == b'/' && self.at < self.text.len() {
            kind = self.byte(self.at + 1).to_ascii_lowercase();
            self.at = (self.at + 2).min(self.text.len());
            self.skip_blanks();
            // Options of `/f`, the folder of `/r`.
            if !matches!(self.byte(self.at), b'%' | b'/') {
                drop(self.word());
                self.skip_blanks();
            }
        }
        let variable = self.at;
        while self.byte(self.at) == b'%' && self.at < self.text.len() {
            self.at += 1;
        }
        let Some(letter) = self.text[self.at..].chars().next().filter(char::is_ascii_alphabetic) else {
            return self.skip_line();
        };
        self.at += 1;
        let name: &'s str = self.source.keep(format!("%{letter}"));
        let target = Target::Name(name, self.span(variable..self.at));
        let Some(open) =
            self.text[self.at..].find('(').filter(|open| !self.text[self.at..self.at + open].contains('\n'))
        else {
            return self.skip_line();
        };
        self.at += open + 1;
        let span = self.span(self.at..self.at);
        self.parentheses += 1;
        let elements = if kind == b'f' { self.skip_set() } else { self.set_of_loop(kind) };
        self.parentheses -= 1;
        let iterable = Expr { span, kind: elements };
        self.skip_blanks();
        if !starts_with_word(&self.text[self.at..], "do") {
            return self.skip_line();
        }
        self.at += 2;
        self.skip_blanks();
        self.conditions += 1;
        let mut body = Vec::new();
        self.inner(&mut body);
        self.conditions -= 1;
        block.push(self.step(start, StatementKind::For { target, iterable, body, otherwise: Vec::new() }));
    }

    /// `('command')` and the like, of which nothing is known.
    fn skip_set(&mut self) -> ExprKind<'s> {
        while self.at < self.text.len() && self.byte(self.at) != b'\n' {
            let byte = self.byte(self.at);
            let closes = byte == b')' && {
                let rest = self.text[self.at + 1..].trim_start_matches([' ', '\t']);
                starts_with_word(rest, "do")
            };
            self.at += 1;
            while !self.text.is_char_boundary(self.at) {
                self.at += 1;
            }
            if closes {
                break;
            }
        }
        ExprKind::Unknown(Vec::new())
    }

    fn set_of_loop(&mut self, kind: u8) -> ExprKind<'s> {
        let mut elements: Vec<Expr<'s>> = Vec::new();
        let mut known = matches!(kind, b' ' | b'l');
        while self.at < self.text.len() && self.byte(self.at) != b')' {
            if matches!(self.byte(self.at), b' ' | b'\t' | b'\r' | b'\n' | b',' | b';' | b'=') {
                self.at += 1;
                continue;
            }
            let start = self.at;
            let quoted = self.byte(start) == b'"';
            let from = start + usize::from(quoted);
            let stops = |byte: &u8| match quoted {
                true => matches!(byte, b'"' | b'\n'),
                false => matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b',' | b';' | b'=' | b')'),
            };
            let rest = &self.text.as_bytes()[from..];
            let end = from + rest.iter().position(stops).unwrap_or(rest.len());
            self.at = from;
            let element = self.text_until(end, false);
            self.at = end + usize::from(quoted && self.byte(end) == b'"');
            if self.at <= start {
                self.at = start + 1;
            }
            known &= matches!(&element.kind, ExprKind::Text(text) if !text.contains(['*', '?']));
            elements.push(element);
        }
        self.at = (self.at + 1).min(self.text.len());
        if kind == b'l' {
            return numbers(&elements);
        }
        if known { ExprKind::Sequence(elements) } else { ExprKind::Unknown(elements) }
    }

    /// `goto label`: what the file does from there on, and then its end.
    pub(super) fn goto(&mut self, block: &mut Block<'s>) {
        let start = self.at;
        self.skip_word();
        let rest = self.text[self.at..].lines().next().unwrap_or_default();
        let name = label_name(rest.trim_start().trim_start_matches(':'));
        self.skip_command();
        let end = StatementKind::Return(None);
        let Some(name) = name.filter(|name| name != "eof") else {
            return block.push(self.step(start, end));
        };
        if self.passed.contains(&name) {
            // A loop: what it does once more, it has done.
            if self.conditions == 0 {
                block.push(self.step(start, end));
            }
            return;
        }
        let Some(&target) = self.labels.get(&name).filter(|_| self.jumps < MOST_JUMPS) else { return };
        self.jumps += 1;
        let passed = self.passed.len();
        self.passed.push(name);
        let outer = (self.at, self.parentheses, self.conditions, self.locals);
        (self.at, self.parentheses, self.conditions, self.locals) = (target, 0, 0, 0);
        self.sequence(block);
        (self.at, self.parentheses, self.conditions, self.locals) = outer;
        self.ends_local = false;
        self.passed.truncate(passed);
        block.push(self.step(start, end));
    }

    pub(super) fn call(&mut self, block: &mut Block<'s>) {
        let start = self.at;
        self.skip_word();
        self.skip_blanks();
        let rest = &self.text[self.at..];
        if starts_with_word(rest, "set") || starts_with_word(rest, "call") {
            return self.statement(block);
        }
        let mut words = self.words();
        let Some(first) = words.first_mut() else { return };
        if let ExprKind::Text(name) = &mut first.expr.kind
            && name.starts_with(':')
        {
            *name = name.to_ascii_lowercase().into();
            return self.finish(start, words, block);
        }
        if is_batch_file(&first.expr) {
            return self.source(start, words, block);
        }
        self.finish(start, words, block);
    }
}

/// Whether a text begins with a word, in any case.
fn starts_with_word(text: &str, word: &str) -> bool {
    let Some(start) = text.get(..word.len()) else { return false };
    let ends = text[word.len()..].chars().next();
    start.eq_ignore_ascii_case(word) && ends.is_none_or(|next| !next.is_alphanumeric() && next != '_')
}

/// `for /l %%i in (start, step, end)`
fn numbers<'s>(elements: &[Expr<'s>]) -> ExprKind<'s> {
    const MOST: i64 = 32;
    let number = |at: usize| match elements.get(at).map(|element| &element.kind) {
        Some(ExprKind::Text(text)) => text.trim().parse::<i64>().ok(),
        _ => None,
    };
    let (Some(first), Some(step), Some(last)) = (number(0), number(1), number(2)) else {
        return ExprKind::Unknown(Vec::new());
    };
    if step <= 0 || last.saturating_sub(first) / step >= MOST {
        return ExprKind::Unknown(Vec::new());
    }
    let count = if last < first { 0 } else { (last - first) / step + 1 };
    let span = elements[0].span;
    let texts = (0..count)
        .map(|index| Expr { span, kind: ExprKind::Text((first + index * step).to_string().into()) });
    ExprKind::Sequence(texts.collect())
}

/// `"%X%"==""` compares X with nothing: what stands around both sides is taken away.
fn without_guards<'s>(left: Expr<'s>, right: Expr<'s>) -> (Expr<'s>, Expr<'s>) {
    let guard = |expr: &Expr<'s>| match &expr.kind {
        ExprKind::Text(text) => text.chars().next(),
        ExprKind::Join(parts) => match parts.first().map(|part| &part.kind) {
            Some(ExprKind::Text(text)) => text.chars().next(),
            _ => None,
        },
        _ => None,
    };
    let opening = guard(&left).filter(|first| Some(*first) == guard(&right) && !first.is_alphanumeric());
    let Some(opening) = opening else { return (left, right) };
    let closing = match opening {
        '[' => ']',
        '(' => ')',
        '{' => '}',
        other => other,
    };
    (without_guard(left, opening, closing), without_guard(right, opening, closing))
}

fn without_guard<'s>(expr: Expr<'s>, opening: char, closing: char) -> Expr<'s> {
    let bare = |text: &str, first: bool, last: bool| {
        let text = if first { text.strip_prefix(opening).unwrap_or(text) } else { text };
        let text = if last { text.strip_suffix(closing).unwrap_or(text) } else { text };
        text.to_owned()
    };
    let kind = match expr.kind {
        ExprKind::Text(text) => ExprKind::Text(bare(&text, true, true).into()),
        ExprKind::Join(mut parts) => {
            let last = parts.len() - 1;
            for (at, part) in parts.iter_mut().enumerate() {
                if let ExprKind::Text(text) = &mut part.kind {
                    *text = bare(text, at == 0, at == last).into();
                }
            }
            parts.retain(|part| !matches!(&part.kind, ExprKind::Text(text) if text.is_empty()));
            match parts.len() {
                0 => ExprKind::Text("".into()),
                1 => parts.swap_remove(0).kind,
                _ => ExprKind::Join(parts),
            }
        }
        kind => kind,
    };
    Expr { span: expr.span, kind }
}
