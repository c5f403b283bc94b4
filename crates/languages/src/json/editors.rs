//! What editors start: the configurations of `launch.json`, the tasks of `tasks.json`, the terminals of
//! `settings.json`, and development containers.

use super::super::command_lines::{Word, change_folder};
use super::super::data::{Data, DataKind, Entry, Environment, command_in, implied, line, variables, word};
use crate::code::{Block, Code, Expr, ExprKind, Host, Observation, Observed, Statement, StatementKind, Unit};
use crate::commands::is_variable_name;
use crate::sources::Source;

/// Lowers a file that editors read; `false` when it is none.
pub fn lower<'s>(root: &Data<'s>, source: &'s Source, code: &mut Code<'s>) -> bool {
    let folder = source.name.rsplit('/').nth(1).unwrap_or_default();
    let file = source.name.rsplit('/').next().unwrap_or_default();
    let mut editor = Editor { source, code };
    match (folder, file) {
        (_, "launch.json") if root.get("configurations").is_some() => {
            root.get("configurations").map(Data::items).unwrap_or_default().iter().for_each(|one| {
                editor.configuration(one);
            });
        }
        (_, "tasks.json") if root.get("tasks").is_some() => {
            root.get("tasks").map(Data::items).unwrap_or_default().iter().for_each(|task| editor.task(task));
        }
        (".vscode", "settings.json") => root.entries().iter().for_each(|entry| editor.terminal(entry)),
        (".devcontainer", _) | (_, "devcontainer.json" | ".devcontainer.json") => editor.container(root),
        _ => return false,
    }
    true
}

struct Editor<'s, 'c> {
    source: &'s Source,
    code: &'c mut Code<'s>,
}

impl<'s> Editor<'s, '_> {
    /// One way to start or debug a program.
    fn configuration(&mut self, data: &Data<'s>) {
        let mut body = self.folder(data);
        body.extend(self.environment_file(data));
        if let Some(env) = data.get("env") {
            body.extend(variables(env, Environment::Overrides, self.source));
        }
        // Debuggers of native programs take a list; that of Python reads none.
        let kind = data.get("type").and_then(Data::text);
        let of_python = matches!(kind, Some("python" | "debugpy"));
        let list = data.get("environment").filter(|_| !of_python);
        for pair in list.map(Data::items).unwrap_or_default() {
            if let (Some(name), Some(value)) = (pair.get("name").and_then(Data::text), pair.get("value"))
                && is_variable_name(name)
            {
                body.push(super::super::command_lines::step_of(crate::code::SetVariable {
                    name: name.to_owned().into(),
                    span: pair.span,
                    value: Some(word(value, self.source).expr),
                    export: crate::code::Export::Yes,
                    only_if_unset: false,
                }));
            }
        }
        let is_python = of_python || kind.is_none();
        let mut words: Vec<Word<'s>> = Vec::new();
        if is_python && data.get("request").and_then(Data::text) != Some("attach") {
            words.push(implied("python", data.span));
        }
        match (data.get("program"), data.get("module")) {
            (Some(program), _) => words.push(word(program, self.source)),
            (None, Some(module)) => {
                words.push(implied("-m", data.span));
                words.push(word(module, self.source));
            }
            (None, None) => words.clear(),
        }
        if !words.is_empty() {
            let arguments = data.get("args").map(Data::items).unwrap_or_default();
            words.extend(arguments.iter().map(|argument| word(argument, self.source)));
            let at = data.get("program").or_else(|| data.get("module")).map_or(data.span, |it| it.span);
            body.extend(line(words, at, self.source, self.code));
        }
        self.add(data, "name", "configuration", body);
    }

    fn task(&mut self, data: &Data<'s>) {
        let options = data.get("options").unwrap_or(data);
        let mut body = self.folder(options);
        if let Some(env) = options.get("env") {
            body.extend(variables(env, Environment::Overrides, self.source));
        }
        if let Some(command) = data.get("command") {
            let arguments = data.get("args").map(Data::items).unwrap_or_default();
            let words = std::iter::once(command).chain(arguments).map(|item| word(item, self.source));
            let steps = match arguments.is_empty() {
                true => command_in(command, self.source, self.code),
                false => line(words.collect(), command.span, self.source, self.code),
            };
            body.extend(steps);
        }
        self.add(data, "label", "task", body);
    }

    /// `"terminal.integrated.env.linux": {…}`
    fn terminal(&mut self, entry: &Entry<'s>) {
        if entry.key.starts_with("terminal.integrated.env.") {
            let body = variables(&entry.value, Environment::Overrides, self.source);
            let name = "the terminal of the editor".into();
            self.code.units.push(Unit { span: entry.key_span, name, host: Host::Machine, body });
        }
    }

    /// A development container: its own variables first, then those of the editor in it.
    fn container(&mut self, root: &Data<'s>) {
        let tables = ["containerEnv", "remoteEnv"].iter().filter_map(|key| root.get(key));
        let mut body: Block<'s> =
            tables.flat_map(|env| variables(env, Environment::Overrides, self.source)).collect();
        for key in ["onCreateCommand", "updateContentCommand", "postCreateCommand", "postStartCommand"] {
            let Some(command) = root.get(key) else { continue };
            let several = command.entries().iter().map(|entry| &entry.value);
            let commands: Vec<&Data<'s>> =
                if command.entries().is_empty() { vec![command] } else { several.collect() };
            for command in commands {
                let steps = command_in(command, self.source, self.code);
                body.push(Statement { span: command.span, kind: StatementKind::Apart(steps) });
            }
        }
        for argument in root.get("runArgs").map(Data::items).unwrap_or_default() {
            let Some(text) = argument.text().filter(|text| is_option_with_value(text)) else { continue };
            let observed = Observed {
                what: Observation::OptionInOneWord,
                about_gpu: true,
                text: text.to_owned().into(),
            };
            body.push(Statement { span: argument.span, kind: StatementKind::Observe(Box::new(observed)) });
        }
        if !body.is_empty() {
            let name = "development container".into();
            self.code.units.push(Unit { span: root.span, name, host: Host::Container, body });
        }
    }

    /// The folder in which the program runs.
    fn folder(&self, data: &Data<'s>) -> Block<'s> {
        let Some(folder) = data.get("cwd") else { return Vec::new() };
        let is_root = folder.text().is_some_and(|text| text.ends_with('}'));
        let path = if is_root { implied(".", folder.span) } else { word(folder, self.source) };
        vec![change_folder(path.expr)]
    }

    fn environment_file(&self, data: &Data<'s>) -> Block<'s> {
        let Some(file) = data.get("envFile") else { return Vec::new() };
        let path: Expr<'s> = word(file, self.source).expr;
        if !matches!(path.kind, ExprKind::Text(_)) {
            return Vec::new();
        }
        vec![
            Statement { span: file.span, kind: StatementKind::ExportAll(true) },
            Statement { span: file.span, kind: StatementKind::Source(path) },
        ]
    }

    fn add(&mut self, data: &Data<'s>, key: &str, what: &str, body: Block<'s>) {
        let name = data.get(key).and_then(Data::text).unwrap_or_default();
        let span = data.get(key).map_or(data.span, |name| name.span);
        if !body.is_empty() && matches!(data.kind, DataKind::Map(_)) {
            let name = format!("{what} `{name}`").into();
            self.code.units.push(Unit { span, name, host: Host::Machine, body });
        }
    }
}

/// `--gpus all` as one argument, of which Docker knows no option.
fn is_option_with_value(text: &str) -> bool {
    ["--gpus ", "--runtime ", "--device "].iter().any(|option| text.starts_with(option))
}
