//! Dockerfiles: what the image puts into the environment, and what the container starts.
//!
//! Each stage that no other is built on is a program of its own, with what the stages below it set. Building an
//! image needs no GPU, so a `RUN` starts nothing that would have to choose one.

mod copies;
mod instructions;
mod makers;
mod variables;

use super::Refusal;
use super::command_lines::{self, CommandLine, Literal, Word, step_of};
use super::dotenv::first_line;
use super::embedded::{Origin, settle_lines};
use super::interpreters::{self, Interpreter};
use super::json_string;
use crate::code::{Block, Code, Export, Expr, ExprKind, Host, SetVariable, Statement, StatementKind, Unit};
use crate::facts::Span;
use crate::sources::Source;
use copies::Copies;
use instructions::Instruction;
use std::collections::HashMap;

/// More instructions than this, counted in each stage that has them, are not followed.
const MOST_INSTRUCTIONS: usize = 20_000;

/// Lowers a Dockerfile.
pub fn lower(source: &Source) -> Result<Code<'_>, Refusal> {
    let mut code = Code::default();
    let read = instructions::read(source);
    if memchr::memmem::find(source.text.as_bytes(), b"gpulint:").is_some() {
        code.comments = read.comments;
        code.lines = read.all.iter().map(|instruction| instruction.span).collect();
    }
    let (arguments, stages) = stages_of(&read.all);
    let mut left = MOST_INSTRUCTIONS;
    for (number, stage) in stages.iter().enumerate() {
        if stages.iter().any(|other| other.base == Some(number)) {
            continue;
        }
        let mut chain = vec![number];
        while let Some(base) = stages[chain[chain.len() - 1]].base {
            chain.push(base);
        }
        let length = chain.iter().map(|&stage| stages[stage].instructions.len()).sum::<usize>();
        let Some(rest) = left.checked_sub(length) else { break };
        left = rest;
        let mut image = Image::new(source, &mut code, &arguments);
        for stage in chain.iter().rev() {
            image.begin_stage();
            stages[*stage].instructions.iter().for_each(|instruction| image.instruction(instruction));
        }
        let body = image.finish();
        let name = match stage.name {
            Some(name) => format!("stage `{name}`").into(),
            None => "".into(),
        };
        let span = stage.span.unwrap_or(first_line(&source.text));
        let bottom = chain[chain.len() - 1];
        let host = match makers::have_no_cuda(&source.name, stages[bottom].image) {
            true => Host::NoGpu,
            false => Host::Container,
        };
        code.units.push(Unit { span, name, host, body });
    }
    settle_lines(&mut code);
    Ok(code)
}

/// `FROM base AS name` and what follows it.
#[derive(Default)]
struct Stage<'i, 's> {
    name: Option<&'s str>,
    span: Option<Span>,
    /// What it is built on.
    image: &'s str,
    /// The stage that it is built on, when that is one of this file.
    base: Option<usize>,
    instructions: Vec<&'i Instruction<'s>>,
}

/// The arguments before the first stage, and the stages.
fn stages_of<'i, 's>(all: &'i [Instruction<'s>]) -> (Vec<&'i Instruction<'s>>, Vec<Stage<'i, 's>>) {
    let (mut arguments, mut stages): (Vec<&Instruction<'s>>, Vec<Stage<'i, 's>>) = Default::default();
    for instruction in all {
        if instruction.keyword == "FROM" {
            let text: &'s str = instruction.text;
            let mut words = text.split_whitespace().filter(|word| !word.starts_with("--"));
            let image = words.next().map_or("", |word| default_of(word, &arguments).unwrap_or(word));
            let named = words.next().is_some_and(|word| word.eq_ignore_ascii_case("as"));
            let base = stages
                .iter()
                .rposition(|stage| stage.name.is_some_and(|name| name.eq_ignore_ascii_case(image)));
            let name = if named { words.next() } else { None };
            stages.push(Stage { name, span: Some(instruction.span), image, base, instructions: Vec::new() });
        } else if let Some(stage) = stages.last_mut() {
            stage.instructions.push(instruction);
        } else if instruction.keyword == "ARG" {
            arguments.push(instruction);
        } else {
            // A part of a Dockerfile, which others put together.
            stages.push(Stage { instructions: vec![instruction], ..Stage::default() });
        }
    }
    (arguments, stages)
}

/// What `FROM $IMAGE` is built on, when nobody says otherwise.
fn default_of<'s>(word: &str, arguments: &[&Instruction<'s>]) -> Option<&'s str> {
    let name = word.strip_prefix('$')?.trim_matches(['{', '}']);
    arguments.iter().rev().find_map(|argument| {
        let (known, default) = argument.text.trim().split_once('=')?;
        (known == name).then_some(default.trim_matches(['"', '\'']))
    })
}

/// What the container starts.
enum Start<'s> {
    /// `["python", "serve.py"]`
    Words(Vec<Word<'s>>, Span),
    /// `python serve.py`
    Shell(Block<'s>),
}

struct Image<'s, 'c> {
    source: &'s Source,
    code: &'c mut Code<'s>,
    /// Defaults of the arguments before the first stage.
    defaults: HashMap<&'s str, &'c Instruction<'s>>,
    steps: Block<'s>,
    copies: Copies,
    entrypoint: Option<Start<'s>>,
    command: Option<Start<'s>>,
    /// The command was named by a stage below this one.
    command_is_inherited: bool,
    /// What reads commands in the shell form.
    shell: Interpreter,
}

impl<'s, 'c> Image<'s, 'c> {
    fn new(source: &'s Source, code: &'c mut Code<'s>, arguments: &'c [&Instruction<'s>]) -> Self {
        let named = |instruction: &&'c Instruction<'s>| {
            let instruction: &'c Instruction<'s> = instruction;
            variables::arguments(instruction).into_iter().map(move |(name, _)| (name, instruction))
        };
        Image {
            source,
            code,
            defaults: arguments.iter().flat_map(named).collect(),
            steps: Vec::new(),
            copies: Copies::default(),
            entrypoint: None,
            command: None,
            command_is_inherited: false,
            shell: Interpreter::Posix,
        }
    }

    fn begin_stage(&mut self) {
        self.command_is_inherited = true;
        self.shell = Interpreter::Posix;
    }

    fn instruction(&mut self, instruction: &Instruction<'s>) {
        match instruction.keyword.as_str() {
            "ENV" => {
                let sets = variables::environment(instruction);
                self.steps.extend(sets.into_iter().map(step_of));
            }
            "ARG" => self.arguments(instruction),
            "RUN" => {
                let steps = self.run(instruction);
                if !steps.is_empty() {
                    let built = Statement { span: instruction.span, kind: StatementKind::Apart(steps) };
                    let kind = StatementKind::WithoutGpu(vec![built]);
                    self.steps.push(Statement { span: instruction.span, kind });
                }
            }
            "COPY" | "ADD" => self.copies.note(instruction, self.source),
            "WORKDIR" => {
                self.copies.change_folder(instruction.text.trim().trim_matches('"'));
                self.folder(instruction);
            }
            "SHELL" => {
                let words = json_string::words(instruction.text, &instruction.origin, self.source);
                let program = words.as_ref().and_then(|words| Some(words.first()?.literal.as_ref()?.text));
                self.shell = program.map_or(Interpreter::Posix, Interpreter::named);
            }
            "CMD" => {
                self.command = self.start(instruction);
                self.command_is_inherited = false;
            }
            "ENTRYPOINT" => {
                self.entrypoint = self.start(instruction);
                if self.command_is_inherited {
                    self.command = None;
                }
            }
            "HEALTHCHECK" => {
                let Some(at) = instruction.text.find("CMD") else { return };
                let check = part_of(instruction, at + "CMD".len());
                let steps = self.start(&check).map(|start| self.started(start)).unwrap_or_default();
                self.steps.push(Statement { span: instruction.span, kind: StatementKind::Apart(steps) });
            }
            "ONBUILD" => {
                let text = instruction.text.trim_start();
                let keyword = text.split_whitespace().next().unwrap_or_default();
                let at = instruction.text.len() - text.len() + keyword.len();
                let inner = Instruction {
                    keyword: keyword.to_ascii_uppercase(),
                    here: instruction.here,
                    ..part_of(instruction, at)
                };
                if inner.keyword != "ONBUILD" {
                    self.instruction(&inner);
                }
            }
            _ => {}
        }
    }

    /// `ARG X` takes the default that stands before the first stage.
    fn arguments(&mut self, instruction: &Instruction<'s>) {
        for (name, own) in variables::arguments(instruction) {
            let default = || {
                let outer = variables::arguments(self.defaults.get(name)?);
                outer.into_iter().find(|(known, _)| *known == name)?.1
            };
            let unknown = SetVariable {
                name: name.into(),
                span: instruction.span,
                value: Some(Expr { span: instruction.span, kind: ExprKind::Unknown(Vec::new()) }),
                export: Export::No,
                only_if_unset: false,
            };
            self.steps.push(step_of(own.or_else(default).unwrap_or(unknown)));
        }
    }

    /// What is run while the image is built.
    fn run(&mut self, instruction: &Instruction<'s>) -> Block<'s> {
        let flags = flags_of(instruction.text);
        let rest = part_of(instruction, flags);
        if let Some(words) = json_string::words(rest.text, &rest.origin, self.source) {
            return self.line(words, instruction.span);
        }
        let Some((lines, start)) = instruction.here else {
            return self.shell_form(rest.text, rest.origin);
        };
        let word = rest.text.trim();
        if word.starts_with("<<") && !word.contains(char::is_whitespace) {
            return self.text_below(lines, start);
        }
        // `RUN python <<EOF` is what a shell would read in the same form.
        let from = rest.origin.span(0, 0).start as usize;
        let text = &self.source.text[from..start + lines.len()];
        let origin = Origin::from(from);
        self.shell_form(text, origin)
    }

    /// A script that stands in the file, up to the line that ends it. Python that runs in a build uses no GPU.
    fn text_below(&mut self, lines: &'s str, start: usize) -> Block<'s> {
        let text = lines.trim_end_matches(['\n', '\r']);
        let text = &lines[..text.rfind('\n').map_or(0, |newline| newline + 1)];
        let first = text.lines().next().unwrap_or_default();
        if first.starts_with("#!") && first.contains("python") {
            return Vec::new();
        }
        self.shell_form(text, Origin::from(start))
    }

    /// Text for the shell that `SHELL` names.
    fn shell_form(&mut self, text: &'s str, origin: Origin) -> Block<'s> {
        interpreters::lower(self.shell, &Literal { text, origin }, self.source, self.code).steps
    }

    fn folder(&mut self, instruction: &Instruction<'s>) {
        let path = instruction.text.trim().trim_matches('"');
        let span = instruction.span;
        let mut change = |path: &'s str| {
            let text = |text: &'s str| Expr { span, kind: ExprKind::Text(text.into()) };
            let command = crate::code::Command {
                environment: Vec::new(),
                words: vec![text("cd"), text(path)],
                snippet: None,
                script: Vec::new(),
            };
            self.steps.push(Statement { span, kind: StatementKind::Command(Box::new(command)) });
        };
        match path.strip_prefix('/') {
            // `/app/tools` is often the folder `tools` of the project.
            Some(rest) => {
                change("/");
                if let Some((_, below)) = rest.split_once('/') {
                    change(below);
                }
            }
            None => change(path),
        }
    }

    fn start(&mut self, instruction: &Instruction<'s>) -> Option<Start<'s>> {
        if let Some(words) = json_string::words(instruction.text, &instruction.origin, self.source) {
            return (!words.is_empty()).then_some(Start::Words(words, instruction.span));
        }
        let is_none = instruction.text.trim().is_empty();
        (!is_none).then(|| {
            let steps = self.shell_form(instruction.text, instruction.origin.clone());
            Start::Shell(steps)
        })
    }

    fn started(&mut self, start: Start<'s>) -> Block<'s> {
        match start {
            Start::Words(words, span) => self.line(words, span),
            Start::Shell(steps) => steps,
        }
    }

    fn line(&mut self, words: Vec<Word<'s>>, span: Span) -> Block<'s> {
        let line = CommandLine { span, environment: Vec::new(), words, input: None };
        command_lines::lower(line, self.source, self.code).into_iter().collect()
    }

    /// The steps of the image: what it sets, then what it starts.
    fn finish(mut self) -> Block<'s> {
        let mut started = match (self.entrypoint.take(), self.command.take()) {
            (Some(Start::Words(mut words, span)), Some(command)) => {
                let text = |word: &Word<'s>| word.literal.as_ref().map_or("", |literal| literal.text);
                let script = words.iter().rposition(|word| text(word).ends_with(".sh"));
                match (script, command) {
                    // Such scripts end with `exec "$@"`: what they set is there for the command.
                    (Some(script), command) => {
                        let path = words.swap_remove(script).expr;
                        let mut steps = vec![Statement { span, kind: StatementKind::Source(path) }];
                        steps.extend(self.started(command));
                        steps
                    }
                    (None, Start::Words(more, _)) => {
                        words.extend(more);
                        self.line(words, span)
                    }
                    (None, Start::Shell(_)) => self.line(words, span),
                }
            }
            (Some(entrypoint), _) => self.started(entrypoint),
            (None, Some(command)) => self.started(command),
            (None, None) => Vec::new(),
        };
        self.copies.resolve(&mut started);
        self.steps.extend(started);
        self.steps
    }
}

/// The instruction from the byte `at` of its text on.
fn part_of<'s>(instruction: &Instruction<'s>, at: usize) -> Instruction<'s> {
    Instruction {
        keyword: String::new(),
        text: &instruction.text[at..],
        origin: instruction.origin.of_part(&Origin::from(at)),
        span: instruction.span,
        here: None,
    }
}

/// How much of a `RUN` is options such as `--mount=type=cache,target=/cache`.
fn flags_of(text: &str) -> usize {
    let mut rest = text.trim_start();
    while rest.starts_with("--") {
        let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
        rest = rest[length..].trim_start();
    }
    text.len() - rest.len()
}
