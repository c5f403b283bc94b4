//! Command lines that Python hands to a shell, or starts without one: `os.system("X=1 python train.py")`,
//! `subprocess.run(["env", "X=1", "python", "train.py"])`. They are read like those of a script, and run where the
//! call is reached.

use super::Lowering;
use crate::code::{Expr, ExprKind, ShellText, Statement, StatementKind};
use crate::languages::command_lines::{self, CommandLine, Literal, Word};
use crate::languages::embedded::Extract;
use crate::languages::shell;
use ruff_python_ast::{self as ast, StringFlags};
use ruff_text_size::{Ranged, TextRange};

/// Functions that hand a text to a shell.
const TO_A_SHELL: &[&str] = &["system", "popen", "getoutput", "getstatusoutput", "create_subprocess_shell"];
/// Functions that start a program by its words, or hand a text to a shell with `shell=True`.
const STARTING: &[&str] =
    &["run", "call", "check_call", "check_output", "Popen", "exec_command", "local", "sudo"];
/// Arguments that are a text for a shell, of whatever takes them.
const FOR_A_SHELL: &[&str] = &["bash_command"];
/// What a text must say to be looked at before anybody is seen to hand it to a shell.
const TELLING: &[&str] = &["_DEVICES=", "_ORDER=", "python ", "python3 ", "docker ", ".sh"];

impl<'s> Lowering<'s, '_> {
    /// Reads the command line that a call starts, when it stands there.
    pub(super) fn note_started(&mut self, call: &ast::ExprCall) {
        let name = match &*call.func {
            ast::Expr::Attribute(attribute) => attribute.attr.as_str(),
            ast::Expr::Name(name) => name.id.as_str(),
            _ => return,
        };
        self.note_container(call, name);
        for keyword in &call.arguments.keywords {
            if keyword.arg.as_deref().is_some_and(|name| FOR_A_SHELL.contains(&name)) {
                self.note_text(&keyword.value);
            }
        }
        let to_shell = TO_A_SHELL.contains(&name);
        if !to_shell && !STARTING.contains(&name) {
            return;
        }
        let first = call.arguments.args.first();
        let named = || call.arguments.keywords.iter().find(|keyword| keyword.arg.as_deref() == Some("args"));
        match first.or_else(|| named().map(|keyword| &keyword.value)) {
            Some(ast::Expr::List(list)) if !to_shell => self.note_words(&list.elts, list.range),
            Some(ast::Expr::Tuple(list)) if !to_shell => self.note_words(&list.elts, list.range),
            Some(ast::Expr::Name(name)) => {
                let span = self.span(name.range);
                if let Some(kept) = self.kept_texts.get(name.id.as_str()) {
                    self.code.shell_texts[*kept].spans.push(span);
                }
            }
            Some(text) => self.note_text(text),
            None => {}
        }
    }

    /// Reads a text that a name is bound to, when it looks like a command line.
    pub(super) fn note_kept(&mut self, target: &ast::Expr, value: &ast::Expr) {
        let ast::Expr::Name(name) = target else { return };
        let name = self.slice(name.range);
        self.kept_texts.remove(name);
        let is_text = matches!(
            value,
            ast::Expr::StringLiteral(_) | ast::Expr::FString(_) | ast::Expr::BinOp(_) | ast::Expr::Call(_)
        );
        if !is_text {
            return;
        }
        let written = self.slice(value.range());
        if TELLING.iter().any(|word| written.contains(word)) && self.starts_shells() {
            let before = self.code.shell_texts.len();
            self.note_text(value);
            if self.code.shell_texts.len() > before {
                self.kept_texts.insert(name, before);
            }
        }
    }

    fn starts_shells(&self) -> bool {
        let says = |word: &str| memchr::memmem::find(self.text.as_bytes(), word.as_bytes()).is_some();
        says("subprocess") || says("system(") || says("popen(")
    }

    fn note_text(&mut self, text: &ast::Expr) {
        let Some(source) = self.source else { return };
        let mut extract = Extract::default();
        let mut names = Vec::new();
        if !self.write_text(text, &mut extract, &mut names) {
            return;
        }
        let (line, part) = extract.finish();
        if !line.trim().contains(char::is_whitespace) {
            return;
        }
        let origin = self.origin.of_part(&part);
        let steps = shell::lower_part(source.keep(line), &origin, source, &mut self.code).steps;
        self.keep(text.range(), names, steps);
    }

    /// The words of a program that is started without a shell.
    fn note_words(&mut self, words: &[ast::Expr], range: TextRange) {
        let Some(source) = self.source else { return };
        let mut names = Vec::new();
        let words: Vec<Word<'s>> = words
            .iter()
            .map(|word| {
                let span = self.span(word.range());
                let mut literal = None;
                let kind = match word {
                    ast::Expr::StringLiteral(text) => {
                        let mut extract = Extract::default();
                        text.value.iter().for_each(|part| self.written(part, &mut extract));
                        let (text, part) = extract.finish();
                        let text = source.keep(text);
                        literal = Some(Literal { text, origin: self.origin.of_part(&part) });
                        ExprKind::Text(text.into())
                    }
                    ast::Expr::Name(name) => {
                        let name = self.slice(name.range);
                        names.push(name);
                        ExprKind::Variable(name.into())
                    }
                    ast::Expr::Attribute(_) if self.slice(word.range()) == "sys.executable" => {
                        ExprKind::Text("python".into())
                    }
                    _ => ExprKind::Unknown(Vec::new()),
                };
                Word { expr: Expr { span, kind }, literal }
            })
            .collect();
        let line = CommandLine { span: self.span(range), environment: Vec::new(), words, input: None };
        let steps = command_lines::lower(line, source, &mut self.code);
        self.keep(range, names, steps.into_iter().collect());
    }

    /// A command of these words, which stands for what is written in a range.
    pub(super) fn keep_words(&mut self, words: Vec<Word<'s>>, range: TextRange) {
        let Some(source) = self.source else { return };
        let line = CommandLine { span: self.span(range), environment: Vec::new(), words, input: None };
        let steps = command_lines::lower(line, source, &mut self.code);
        self.keep(range, Vec::new(), steps.into_iter().collect());
    }

    fn keep(&mut self, range: TextRange, names: Vec<&'s str>, steps: Vec<Statement<'s>>) {
        let starts = |step: &Statement<'_>| !matches!(step.kind, StatementKind::Evaluate(_));
        if steps.iter().any(starts) {
            self.code.starts_programs = true;
            let spans = vec![self.span(range)];
            self.code.shell_texts.push(ShellText { spans, names, steps });
        }
    }

    /// What a literal says, each character with its place.
    pub(super) fn written(&self, literal: &ast::StringLiteral, extract: &mut Extract) {
        let flags = literal.flags;
        let start = literal.range.start() + flags.opener_len();
        let range = TextRange::new(start, literal.range.end() - flags.closer_len());
        self.unescaped(range, &literal.value, flags.prefix().is_raw(), extract);
    }

    pub(super) fn unescaped(&self, range: TextRange, value: &str, raw: bool, extract: &mut Extract) {
        let (written, start) = (self.slice(range), range.start().to_usize());
        if raw || written == value {
            return extract.push(written, start);
        }
        let mut done = 0;
        while let Some(at) = written[done..].find(['\\', '{', '}']).map(|at| done + at) {
            extract.push(&written[done..at], start + done);
            let mut next = written[at..].chars();
            let (first, second) = (next.next(), next.next());
            let length = first.map_or(0, char::len_utf8) + second.map_or(0, char::len_utf8);
            match (first, second) {
                (Some('\\'), Some('\n')) => {}
                (Some('\\'), Some('n')) => extract.push_at("\n", start + at),
                (Some('\\'), Some('t')) => extract.push_at("\t", start + at),
                (Some('\\'), Some(quoted @ ('"' | '\'' | '\\'))) => {
                    extract.push_at(quoted.encode_utf8(&mut [0; 4]), start + at);
                }
                // A brace of an f-string that is doubled.
                (Some(brace @ ('{' | '}')), Some(same)) if brace == same && !value.contains("{{") => {
                    extract.push_at(brace.encode_utf8(&mut [0; 4]), start + at);
                }
                _ => extract.push(&written[at..at + length], start + at),
            }
            done = at + length;
        }
        extract.push(&written[done..], start + done);
    }

    /// A part of an f-string: a name stands for itself, and what is computed for something unknown.
    pub(super) fn put_in(
        &self,
        element: &ast::InterpolatedStringElement,
        raw: bool,
        extract: &mut Extract,
        names: &mut Vec<&'s str>,
    ) {
        match element {
            ast::InterpolatedStringElement::Literal(literal) => {
                self.unescaped(literal.range, &literal.value, raw, extract);
            }
            ast::InterpolatedStringElement::Interpolation(put) => {
                let at = put.range.start().to_usize();
                match &*put.expression {
                    ast::Expr::Name(name) if put.format_spec.is_none() && put.debug_text.is_none() => {
                        let name = self.slice(name.range);
                        names.push(name);
                        extract.push("${", at);
                        extract.push(name, put.expression.range().start().to_usize());
                        extract.push("}", put.range.end().to_usize() - 1);
                    }
                    _ => extract.push_at("${_}", at),
                }
            }
        }
    }
}
