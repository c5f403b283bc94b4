//! Commands that change variables: `set`, `setlocal`, and `echo` for a workflow.

use super::super::command_lines::{assignment, no_assignment, step_of};
use super::Reader;
use super::words::capitals;
use crate::code::{Block, Export, Expr, ExprKind, SetVariable, Statement, StatementKind};

impl<'s> Reader<'s, '_> {
    /// `set X=1`, `set "X=1"`, `set /p X=…`
    pub(super) fn set_statement(&mut self, block: &mut Block<'s>) {
        let start = self.at;
        self.skip_word();
        let end = self.command_end();
        let mut asked = false;
        let mut computed = false;
        self.skip_blanks();
        while self.byte(self.at) == b'/' && self.at < end {
            match self.byte(self.at + 1).to_ascii_lowercase() {
                b'p' => asked = true,
                b'a' => computed = true,
                _ => break,
            }
            self.at += 2;
            self.skip_blanks();
        }
        let mut until = end;
        if self.byte(self.at) == b'"' && self.at < end {
            self.at += 1;
            // What stands behind the last quote is dropped.
            until = self.text[self.at..end].rfind('"').map_or(end, |quote| self.at + quote);
        }
        let from = self.at;
        let Some(sign) = self.text.get(from..until).and_then(|text| text.find('=')) else {
            self.at = end;
            return;
        };
        let name = self.text[from..from + sign].trim();
        let is_quoted = until < end;
        self.at = from + sign + 1;
        let mut value = self.text_until(until, !is_quoted);
        self.at = end;
        if name.is_empty() || name.contains(['%', '!']) {
            return;
        }
        // `set SET NAME=1` gives a value to a variable with a blank in its name, and so does `set NAME =1`.
        if name.contains(' ') || self.text[..from + sign].ends_with(' ') {
            let word = from + self.text[from..from + sign].trim_end().rfind(' ').map_or(0, |blank| blank + 1);
            let text = self.text[word..until].trim_end();
            block.push(no_assignment(text, self.span(word..word + text.len())));
            return;
        }
        let name = capitals(name);
        self.set_here.push(name.to_string());
        if asked || computed {
            value.kind = match value.kind {
                ExprKind::Text(text) if computed && text.trim().parse::<i64>().is_ok() => {
                    ExprKind::Text(text.trim().to_owned().into())
                }
                kind => ExprKind::Unknown(vec![Expr { span: value.span, kind }]),
            };
        }
        let span = self.span(from..until.max(from));
        let kind = match &value.kind {
            ExprKind::Text(text) if text.is_empty() => StatementKind::UnsetVariable(name),
            _ => {
                step_of(SetVariable {
                    name,
                    span,
                    value: Some(value),
                    export: Export::Yes,
                    only_if_unset: false,
                })
                .kind
            }
        };
        let is_removal = matches!(kind, StatementKind::UnsetVariable(_));
        let step = self.step(start, kind);
        let span = if is_removal { step.span } else { span };
        block.push(Statement { span, ..step });
    }

    /// What happens to variables up to `endlocal`, or the end, is taken back there.
    pub(super) fn set_local(&mut self, block: &mut Block<'s>) {
        let start = self.at;
        self.skip_command();
        self.locals += 1;
        let mut steps = Vec::new();
        if self.parentheses == 0 {
            self.sequence(&mut steps);
        }
        self.locals -= 1;
        self.ends_local = false;
        let step = self.step(start, StatementKind::Apart(steps));
        block.push(step);
    }

    /// `echo X=1>> %GITHUB_ENV%` is for later steps of a workflow; nothing else that is printed matters.
    pub(super) fn echo(&mut self) {
        self.skip_word();
        let end = self.command_end();
        let line = &self.text[self.at..end];
        let output = line.find('>').filter(|at| line[*at..].to_ascii_uppercase().contains("GITHUB_ENV"));
        if let Some(length) = output {
            // One blank stands between `echo` and what it prints.
            self.at += 1;
            let stop = self.at + length.saturating_sub(1);
            let stop = self.at + self.text.get(self.at..stop).unwrap_or_default().trim_end().len();
            let text = self.text_until(stop, true);
            self.for_later_steps.extend(assignment(text).map(step_of));
        }
        self.at = end;
    }
}
