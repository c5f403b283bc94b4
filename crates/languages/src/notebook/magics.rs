//! What IPython adds to Python: magics (`%env X=1`), shell commands (`!python train.py`), and cells that are
//! written in something else (`%%bash`).

use crate::code::{Argument, Block, Call, Code, Expr, ExprKind, Statement, StatementKind};
use crate::commands::is_variable_name;
use crate::facts::Span;
use crate::languages::command_lines::{self, CommandLine, Literal, Word};
use crate::languages::embedded::{Extract, Origin};
use crate::languages::{Refusal, python, shell};
use crate::sources::Source;

/// Cell magics whose body runs as Python, in the notebook.
const IN_PLACE: &[&str] = &[
    "capture",
    "debug",
    "ipytest",
    "memit",
    "notify",
    "prun",
    "pyinstrument",
    "scalene",
    "snakeviz",
    "time",
    "timeit",
    "wandb",
];

/// Line magics that run the Python behind them.
const RUNNING: &[&str] = &["time", "timeit", "prun", "memit", "snakeviz"];

/// Cell magics whose body is another program's: a shell.
const SHELLS: &[&str] = &["bash", "sh", "zsh", "ksh", "!", "system", "sx"];

/// Cell magics whose body another Python interpreter runs.
const INTERPRETERS: &[&str] = &["python", "python3", "pypy", "py"];

/// First lines of cells in Databricks notebooks that say in which language the rest is.
const CELL_LANGUAGES: &[&str] = &["sh", "md", "sql", "scala", "r", "fs"];

/// A line that IPython and not Python understands.
#[derive(Clone, Copy, Debug)]
pub struct Escape<'a> {
    /// `%`, `!`, `!!`, `?` …
    pub kind: &'a str,
    /// Where what follows stands in the text of the cell, without blanks around it.
    pub start: usize,
    pub end: usize,
    pub span: Span,
}

/// The steps of a cell that begins with a cell magic; `None` when it does not.
pub(super) fn cell<'s>(
    text: &'s str,
    origin: &Origin,
    source: &'s Source,
    code: &mut Code<'s>,
) -> Option<Result<Block<'s>, Refusal>> {
    let blank = text.len() - text.trim_start().len();
    let (line, end) = match text[blank..].find('\n') {
        Some(length) => (&text[blank..blank + length], blank + length + 1),
        None => (&text[blank..], text.len()),
    };
    let (name, arguments) = match line.strip_prefix("%%") {
        Some(magic) => magic.trim().split_once(char::is_whitespace).unwrap_or((magic.trim(), "")),
        None => {
            let word = line.strip_prefix('%')?.trim();
            (CELL_LANGUAGES.iter().find(|known| **known == word).copied()?, "")
        }
    };
    let part = |start: usize| {
        let mut extract = Extract::default();
        extract.push(&text[start..], start);
        origin.of_part(&extract.finish().1)
    };
    let body = Literal { text: &text[end..], origin: part(end) };
    let span = origin.span(blank, text.trim_end().len().max(blank));
    // `%%script bash -e`
    let program =
        if name == "script" { arguments.split_whitespace().next().unwrap_or_default() } else { name };
    let program = program.rsplit('/').next().unwrap_or(program);
    let mut block = Vec::new();
    if IN_PLACE.contains(&program) {
        // Set-up code of `%%timeit` runs before it.
        if program == "timeit"
            && let Some(setup) = python_behind_options(line)
        {
            let start = blank + setup;
            let setup = Literal { text: text[start..end].trim_end(), origin: part(start) };
            block.extend(python::lower_cell(setup.text, &setup.origin, source, code).unwrap_or_default());
        }
        return Some(super::lower_cell(body.text, &body.origin, source, code).map(|steps| {
            block.extend(steps);
            block
        }));
    }
    if SHELLS.contains(&program) {
        block.push(shell_of_its_own(&body, span, source, code));
    } else if INTERPRETERS.contains(&program) {
        let words = ["python", "-"].map(|word| literal_word(word, span));
        let line = CommandLine { span, environment: vec![], words: words.into(), input: Some(body) };
        block.extend(start(line, source, code));
    }
    // Anything else is text for somebody else: `%%writefile`, `%%html`, `%%sql`.
    Some(Ok(block))
}

fn shell_of_its_own<'s>(
    body: &Literal<'s>,
    span: Span,
    source: &'s Source,
    code: &mut Code<'s>,
) -> Statement<'s> {
    code.starts_programs = true;
    let steps = shell::lower_part(body.text, &body.origin, source, code).steps;
    Statement { span, kind: StatementKind::Child(steps) }
}

fn start<'s>(line: CommandLine<'s>, source: &'s Source, code: &mut Code<'s>) -> Option<Statement<'s>> {
    code.starts_programs = true;
    command_lines::lower(line, source, code)
}

fn literal_word<'s>(word: &'s str, span: Span) -> Word<'s> {
    Word { expr: Expr { span, kind: ExprKind::Text(word.into()) }, literal: None }
}

/// What a line that Python does not know does.
pub(crate) fn steps_of<'s>(
    escape: Escape<'_>,
    text: &'s str,
    origin: &Origin,
    source: &'s Source,
    code: &mut Code<'s>,
) -> Block<'s> {
    let line = Line { text, start: escape.start, end: escape.end, span: escape.span, origin };
    match escape.kind {
        "!" | "!!" => vec![line.shell_command(source, code)],
        "%" => line.magic(source, code),
        // Help, and calls with quoted arguments that nobody writes into a notebook.
        _ => Vec::new(),
    }
}

/// What stands behind the `%` or `!`.
struct Line<'s, 'o> {
    text: &'s str,
    start: usize,
    end: usize,
    /// The whole line, with its sign.
    span: Span,
    origin: &'o Origin,
}

impl<'s> Line<'s, '_> {
    fn rest(&self) -> &'s str {
        &self.text[self.start..self.end]
    }

    fn magic(&self, source: &'s Source, code: &mut Code<'s>) -> Block<'s> {
        let (name, _) = self.rest().split_once(char::is_whitespace).unwrap_or((self.rest(), ""));
        let after = self.start + name.len();
        let start = after + blanks(&self.text[after..self.end]);
        let arguments = Line { start, ..*self };
        match name {
            "env" | "set_env" => arguments.variable().into_iter().collect(),
            "cd" => {
                let words = [("cd", self.span), (arguments.rest().trim(), arguments.rest_span())];
                let words = words.map(|(word, span)| literal_word(word, span)).into();
                let line = CommandLine { span: self.span, environment: vec![], words, input: None };
                command_lines::lower(line, source, code).into_iter().collect()
            }
            "run" => arguments.script(),
            "dotenv" => vec![arguments.dotenv()],
            // They hand the line to the program of that name.
            "pip" | "uv" => vec![self.shell_command(source, code)],
            "sx" | "system" | "sh" | "bash" => vec![arguments.shell_command(source, code)],
            name if RUNNING.contains(&name) => arguments.python(source, code),
            _ => Vec::new(),
        }
    }

    fn rest_span(&self) -> Span {
        self.origin.span(self.start, self.end)
    }

    /// `X=1` or `X 1`, exactly as IPython takes it: quotes belong to the value.
    fn variable(&self) -> Option<Statement<'s>> {
        let rest = self.rest();
        let sign = if rest.contains('=') { '=' } else { ' ' };
        let (name, value) = rest.split_once(sign)?;
        let name = name.trim();
        if !is_variable_name(name) {
            return None;
        }
        let at = self.start + (rest.len() - value.len()) + blanks(value);
        let value = self.interpolated(at, value.trim());
        let name = Expr { span: self.rest_span(), kind: ExprKind::Text(name.into()) };
        Some(self.call("os.environ.__setitem__", vec![argument(None, name), argument(None, value)]))
    }

    /// A text in which `{name}` and `$name` stand for values of the notebook.
    fn interpolated(&self, at: usize, text: &'s str) -> Expr<'s> {
        let mut parts = Vec::new();
        let mut done = 0;
        let mut push = |from: usize, to: usize, kind: ExprKind<'s>| {
            if from < to {
                parts.push(Expr { span: self.origin.span(at + from, at + to), kind });
            }
        };
        while let Some(next) = text[done..].find(['{', '$']).map(|next| done + next) {
            push(done, next, ExprKind::Text(text[done..next].into()));
            let braced = text[next..].starts_with('{');
            let inside = &text[next + 1..];
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let length = match braced {
                true => inside.find('}').map_or(inside.len(), |end| end + 1),
                false => inside.find(|c| !is_name(c)).unwrap_or(inside.len()),
            };
            let name = inside[..length].trim_end_matches('}');
            let kind = if is_variable_name(name) { ExprKind::Name(name) } else { ExprKind::Unknown(vec![]) };
            push(next, next + 1 + length, kind);
            done = next + 1 + length;
        }
        push(done, text.len(), ExprKind::Text(text[done..].into()));
        let span = self.origin.span(at, at + text.len());
        match parts.pop() {
            None => Expr { span, kind: ExprKind::Text("".into()) },
            // A value that is put in becomes text.
            Some(only) if parts.is_empty() && matches!(only.kind, ExprKind::Text(_)) => only,
            Some(last) => {
                parts.push(last);
                Expr { span, kind: ExprKind::Join(parts) }
            }
        }
    }

    /// `%run -i train.py --epochs 3`
    fn script(&self) -> Block<'s> {
        let mut words = self.rest().split_whitespace();
        let Some(path) = words.find(|word| !word.starts_with('-') || word.ends_with(".py")) else {
            return Vec::new();
        };
        let path = path.trim_matches(['"', '\'']);
        let at = self.start + self.rest().find(path).unwrap_or_default();
        let path = self.interpolated(at, path);
        vec![Statement { span: self.span, kind: StatementKind::Source(path) }]
    }

    /// `%dotenv -o path`
    fn dotenv(&self) -> Statement<'s> {
        let mut words = self.rest().split_whitespace();
        let span = self.rest_span();
        let overrides = self.rest().split_whitespace().any(|word| matches!(word, "-o" | "--override"));
        let path = words.find(|word| !word.starts_with('-'));
        let mut arguments: Vec<Argument<'s>> = Vec::new();
        arguments.extend(path.map(|path| argument(None, Expr { span, kind: ExprKind::Text(path.into()) })));
        arguments.push(argument(Some("override"), Expr { span, kind: ExprKind::Bool(overrides) }));
        self.call("dotenv.load_dotenv", arguments)
    }

    fn call(&self, function: &'static str, arguments: Vec<Argument<'s>>) -> Statement<'s> {
        let callee = Expr { span: self.span, kind: ExprKind::Outside(function.into()) };
        let kind = ExprKind::Call(Box::new(Call { callee, arguments }));
        // What is set is shown, and not the magic that sets it.
        let value = Expr { span: self.rest_span(), kind };
        Statement { span: self.span, kind: StatementKind::Evaluate(value) }
    }

    /// `%time model.cuda()`, `%timeit -n 10 step()`
    fn python(&self, source: &'s Source, code: &mut Code<'s>) -> Block<'s> {
        let start = self.start + options(self.rest());
        let mut extract = Extract::default();
        extract.push(&self.text[start..self.end], start);
        let origin = self.origin.of_part(&extract.finish().1);
        // What is no Python is something that this does not know about the magic.
        python::lower_cell(&self.text[start..self.end], &origin, source, code).unwrap_or_default()
    }

    /// `!python train.py --device {device}`: IPython puts values of the notebook into it.
    fn shell_command(&self, source: &'s Source, code: &mut Code<'s>) -> Statement<'s> {
        let mut extract = Extract::default();
        let mut done = self.start;
        let rest = self.rest();
        for (at, _) in rest.match_indices('{') {
            let (open, inside) = (self.start + at, &rest[at + 1..]);
            let Some(length) = inside.find('}') else { continue };
            let is_plain = !inside[..length].is_empty() && !rest[..at].ends_with(['$', '{']);
            if open < done || !is_plain || inside.starts_with('{') {
                continue;
            }
            extract.push(&self.text[done..open], done);
            if is_variable_name(&inside[..length]) {
                extract.push("$", open);
                extract.push(&self.text[open..open + length + 2], open);
            } else {
                // A value that is computed.
                extract.push("${_}", open);
            }
            done = open + length + 2;
        }
        extract.push(&self.text[done..self.end], done);
        let (text, part) = extract.finish();
        let origin = self.origin.of_part(&part);
        let text = if done == self.start { rest } else { source.keep(text) };
        code.starts_programs = true;
        let steps = shell::lower_part(text, &origin, source, code).steps;
        Statement { span: self.span, kind: StatementKind::Apart(steps) }
    }
}

fn argument<'s>(name: Option<&'s str>, value: Expr<'s>) -> Argument<'s> {
    Argument { name, unpacked: false, value }
}

fn blanks(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

/// How many bytes the options at the beginning take: `-n 10 -r3 `.
fn options(text: &str) -> usize {
    let mut at = blanks(text);
    while text[at..].starts_with('-') {
        let word = text[at..].find(char::is_whitespace).unwrap_or(text.len() - at);
        let takes_value =
            matches!(&text[at..at + word], "-n" | "-r" | "-l" | "-s" | "-T" | "-D" | "-i" | "-t");
        at += word;
        at += blanks(&text[at..]);
        if takes_value {
            at += text[at..].find(char::is_whitespace).unwrap_or(text.len() - at);
            at += blanks(&text[at..]);
        }
    }
    at
}

/// Where the Python of `%%timeit -n 10 x = 1` begins, when there is some.
fn python_behind_options(line: &str) -> Option<usize> {
    let name = line.find(char::is_whitespace)?;
    let start = name + options(&line[name..]);
    (start < line.trim_end().len()).then_some(start)
}
