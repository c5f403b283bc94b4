//! Commands of a batch file → [`Statement`].

use super::super::command_lines::{self, CommandLine, Word, step_of};
use super::super::nesting_room;
use super::{MAX_DEPTH, Reader, is_comment, label_name};
use crate::code::{Block, Command, Export, Expr, ExprKind, SetVariable, StatementKind};
use crate::commands::program_name;

impl<'s> Reader<'s, '_> {
    /// Commands up to the end of the text, of the block, or of the `setlocal`.
    pub(super) fn sequence(&mut self, block: &mut Block<'s>) {
        let parentheses = self.parentheses;
        while self.at < self.text.len() {
            let before = self.at;
            if !self.skip_to_command() {
                return;
            }
            if self.parentheses == 0 {
                self.set_here.clear();
                self.ended_local = false;
            }
            self.line(block);
            if self.parentheses < parentheses || std::mem::take(&mut self.ends_local) {
                return;
            }
            if self.at == before {
                // A sign that stands where no command can.
                self.at += self.text[self.at..].chars().next().map_or(1, char::len_utf8);
            }
        }
    }

    /// Skips what may stand before a command; `false` at the end of the block.
    fn skip_to_command(&mut self) -> bool {
        loop {
            match self.byte(self.at) {
                b' ' | b'\t' | b'\r' | b'\n' | b'@' | b';' | b',' | b'=' if self.at < self.text.len() => {
                    self.at += 1
                }
                b'^' if self.line_goes_on(self.at) => self.skip_continuation(),
                b')' if self.parentheses > 0 => {
                    self.at += 1;
                    self.parentheses -= 1;
                    return false;
                }
                b':' => {
                    let rest = &self.text[self.at + 1..];
                    if self.parentheses == 0
                        && !rest.starts_with(':')
                        && let Some(name) = label_name(rest.lines().next().unwrap_or_default())
                    {
                        self.passed.push(name);
                    }
                    self.skip_line();
                }
                _ => return self.at < self.text.len(),
            }
        }
    }

    /// Commands that `&`, `&&`, `||` and `|` connect.
    fn line(&mut self, block: &mut Block<'s>) {
        let mut steps = Vec::new();
        self.statement(&mut steps);
        loop {
            if self.ends_local {
                self.ended_local = true;
            }
            self.skip_blanks();
            let (first, second) = (self.byte(self.at), self.byte(self.at + 1));
            if self.at >= self.text.len() || !matches!(first, b'&' | b'|') {
                block.append(&mut steps);
                return;
            }
            let start = self.at;
            self.at += if first == second { 2 } else { 1 };
            let mut next = Vec::new();
            self.skip_blanks();
            self.statement(&mut next);
            match (first, first == second) {
                (b'|', true) => {
                    block.append(&mut steps);
                    let test =
                        Expr { span: self.span(start..start + 2), kind: ExprKind::Unknown(Vec::new()) };
                    if !next.is_empty() {
                        let step = self
                            .step(start, StatementKind::Branch { test, then: Vec::new(), otherwise: next });
                        steps.push(step);
                    }
                }
                // Both sides of a pipe run in a process of their own.
                (b'|', false) => {
                    for side in [std::mem::take(&mut steps), next] {
                        if !side.is_empty() {
                            let span = side[0].span;
                            block.push(crate::code::Statement { span, kind: StatementKind::Apart(side) });
                        }
                    }
                }
                _ => {
                    block.append(&mut steps);
                    steps = next;
                }
            }
        }
    }

    /// One command, or a block of them.
    pub(super) fn statement(&mut self, block: &mut Block<'s>) {
        if self.depth >= MAX_DEPTH {
            return self.skip_line();
        }
        self.depth += 1;
        nesting_room(|| self.lower_statement(block));
        self.depth -= 1;
    }

    fn lower_statement(&mut self, block: &mut Block<'s>) {
        while matches!(self.byte(self.at), b'@' | b' ' | b'\t') && self.at < self.text.len() {
            self.at += 1;
        }
        let rest = &self.text[self.at..];
        if rest.starts_with('(') {
            self.at += 1;
            self.parentheses += 1;
            let open = self.parentheses;
            let fresh = open == 1;
            if fresh {
                self.set_here.clear();
            }
            self.sequence(block);
            self.parentheses = self.parentheses.min(open - 1);
            return self.redirections();
        }
        if is_comment(rest.get(..4.min(rest.len())).unwrap_or(rest)) || rest.starts_with(':') {
            return self.skip_line();
        }
        match self.keyword(rest).as_str() {
            "if" => self.if_statement(block),
            "for" => self.for_statement(block),
            "set" => self.set_statement(block),
            "setlocal" => self.set_local(block),
            "endlocal" => {
                self.skip_command();
                self.ends_local = self.locals > 0;
            }
            "goto" => self.goto(block),
            "call" => self.call(block),
            "exit" => {
                let start = self.at;
                self.skip_command();
                block.push(self.step(start, StatementKind::Return(None)));
            }
            "start" => self.start(block),
            "echo" => self.echo(),
            "else" => self.skip_word(),
            "setx" | "title" | "color" | "prompt" | "pause" | "cls" => self.skip_command(),
            _ => self.simple(block),
        }
    }

    /// The first word in small letters, as far as it may be a command of the language.
    fn keyword(&self, rest: &str) -> String {
        let letters = rest.bytes().take(9).take_while(u8::is_ascii_alphabetic).count();
        let ends = rest[letters..].chars().next();
        let is_word = ends.is_none_or(|next| next.is_whitespace() || "(/.:;,=&|<>)\"+[]^".contains(next));
        if is_word
            && !(ends == Some('.') && rest[letters + 1..].starts_with(|next: char| next.is_alphanumeric()))
        {
            rest[..letters].to_ascii_lowercase()
        } else {
            String::new()
        }
    }

    pub(super) fn skip_word(&mut self) {
        self.at += self.text[self.at..].bytes().take_while(u8::is_ascii_alphabetic).count();
    }

    /// The rest of a command that does nothing of interest.
    pub(super) fn skip_command(&mut self) {
        let end = self.command_end();
        self.at = end;
    }

    /// `start "title" /wait /d folder program …`: a process of its own.
    fn start(&mut self, block: &mut Block<'s>) {
        let start = self.at;
        self.skip_word();
        let mut words = Vec::new();
        let mut folder = None;
        self.skip_blanks();
        if self.byte(self.at) == b'"' {
            drop(self.word());
        }
        while let Some(word) = self.word() {
            let option = match &word.expr.kind {
                ExprKind::Text(text) if words.is_empty() && text.starts_with('/') => {
                    text.to_ascii_lowercase()
                }
                _ => {
                    words.push(word);
                    continue;
                }
            };
            match option.as_str() {
                "/d" => folder = self.word().map(|folder| folder.expr),
                "/node" | "/affinity" | "/machine" => drop(self.word()),
                _ => {}
            }
        }
        self.redirections();
        let mut steps = Vec::new();
        if let Some(folder) = folder {
            let step = self.step(start, cd("cd", Some(folder)));
            steps.push(step);
        }
        self.finish(start, words, &mut steps);
        block.push(self.step(start, StatementKind::Apart(steps)));
    }

    /// Any other command.
    fn simple(&mut self, block: &mut Block<'s>) {
        let start = self.at;
        let words = self.words();
        let Some(first) = words.first() else { return };
        let name = match &first.expr.kind {
            ExprKind::Text(name) => name.to_ascii_lowercase(),
            _ => String::new(),
        };
        match name.as_str() {
            "cd" | "chdir" | "pushd" | "popd" => {
                let verb = match name.as_str() {
                    "pushd" => "pushd",
                    "popd" => "popd",
                    _ => "cd",
                };
                let path = words
                    .into_iter()
                    .skip(1)
                    .find(|word| !is_option(word))
                    .map(|word| with_slashes(word.expr));
                block.push(self.step(start, cd(verb, path)));
            }
            // Without `call` the caller is not come back to.
            _ if is_batch_file(&first.expr) => {
                self.source(start, words, block);
                block.push(self.step(start, StatementKind::Return(None)));
            }
            _ => self.finish(start, words, block),
        }
    }

    /// The words of a command, without redirections.
    pub(super) fn words(&mut self) -> Vec<Word<'s>> {
        let mut words = Vec::new();
        loop {
            while let Some(word) = self.word() {
                words.push(word);
            }
            if !matches!(self.byte(self.at), b'<' | b'>') || self.at >= self.text.len() {
                return words;
            }
            if matches!(words.last().map(|word| &word.expr.kind), Some(ExprKind::Text(text)) if matches!(&**text, "1" | "2"))
                && self.byte(self.at.wrapping_sub(1)) != b' '
            {
                words.pop();
            }
            self.redirections();
        }
    }

    /// `> file`, `2>&1`
    pub(super) fn redirections(&mut self) {
        self.skip_blanks();
        while matches!(self.byte(self.at), b'<' | b'>') && self.at < self.text.len() {
            self.at += 1;
            while matches!(self.byte(self.at), b'<' | b'>' | b'&') && self.at < self.text.len() {
                self.at += 1;
            }
            drop(self.word());
            self.skip_blanks();
        }
    }

    /// `call other.bat 1`, in this process.
    pub(super) fn source(&mut self, start: usize, words: Vec<Word<'s>>, block: &mut Block<'s>) {
        const NAMES: [&str; 9] = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];
        let mut words = words.into_iter();
        let Some(path) = words.next() else { return };
        for (name, word) in NAMES.into_iter().zip(words) {
            let span = word.expr.span;
            let (value, export) = (Some(word.expr), Export::No);
            block.push(step_of(SetVariable { name: name.into(), span, value, export, only_if_unset: false }));
        }
        let expr = path.expr;
        let kind = match expr.kind {
            ExprKind::Join(mut parts) => match parts.pop().map(|part| part.kind) {
                Some(ExprKind::Text(end)) if end.starts_with(['/', '\\']) => {
                    ExprKind::Text(end[1..].to_owned().into())
                }
                _ => ExprKind::Unknown(Vec::new()),
            },
            kind => kind,
        };
        block.push(self.step(start, StatementKind::Source(Expr { span: expr.span, kind })));
    }

    /// A program with its words.
    pub(super) fn finish(&mut self, start: usize, words: Vec<Word<'s>>, block: &mut Block<'s>) {
        let end = start + self.text[start..self.at.max(start)].trim_end().len();
        let foreign = command_lines::foreign_assignment(&self.text[start..end], self.span(start..end), false);
        if foreign.is_some() {
            return block.extend(foreign);
        }
        let line = CommandLine { span: self.span(start..end), environment: Vec::new(), words, input: None };
        block.extend(command_lines::lower(line, self.source, self.code));
    }
}

/// Whether a word names a batch file.
pub(super) fn is_batch_file(word: &Expr<'_>) -> bool {
    let end = match &word.kind {
        ExprKind::Text(text) => text,
        ExprKind::Join(parts) => match parts.last().map(|part| &part.kind) {
            Some(ExprKind::Text(text)) => text,
            _ => return false,
        },
        _ => return false,
    };
    let name = program_name(end).to_ascii_lowercase();
    name.ends_with(".bat") || name.ends_with(".cmd")
}

fn is_option(word: &Word<'_>) -> bool {
    matches!(&word.expr.kind, ExprKind::Text(text) if text.starts_with('/') && text.len() == 2)
}

fn with_slashes(path: Expr<'_>) -> Expr<'_> {
    let kind = match path.kind {
        ExprKind::Text(path) => ExprKind::Text(path.replace('\\', "/").into()),
        kind => kind,
    };
    Expr { kind, ..path }
}

fn cd<'s>(verb: &'static str, path: Option<Expr<'s>>) -> StatementKind<'s> {
    let span = path.as_ref().map_or_else(Default::default, |path| path.span);
    let mut words = vec![Expr { span, kind: ExprKind::Text(verb.into()) }];
    words.extend(path);
    StatementKind::Command(Box::new(Command {
        environment: Vec::new(),
        words,
        snippet: None,
        script: Vec::new(),
    }))
}
