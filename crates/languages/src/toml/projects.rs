//! What tools of Python projects keep in TOML: pytest-env, tox, hatch, poe, pixi, pdm, rye, mise. Each task and each
//! environment is a program of its own.

use super::super::data::{
    Data, DataKind, Environment, command_in, environments, line, variable, variables, word,
};
use super::super::ini;
use crate::code::{Block, Code, Expr, ExprKind, Host, Statement, StatementKind, Unit};
use crate::facts::Span;
use crate::sources::Source;

/// Lowers what the tools say.
pub fn lower<'s>(root: &Data<'s>, source: &'s Source, code: &mut Code<'s>) {
    let file = source.name.rsplit('/').next().unwrap_or(&source.name);
    let none = Data { span: root.span, kind: DataKind::Other };
    let of = |key: &str| root.below(&["tool", key]).unwrap_or(&none);
    let mut projects = Projects { source, code };
    match file {
        "pyproject.toml" => {
            let tests = [of("pytest"), of("pytest").get("ini_options").unwrap_or(&none), of("pytest_env")];
            projects.tests(tests);
            projects.hatch(of("hatch"));
            projects.tasks(of("poe").get("tasks"), of("poe"));
            projects.pixi(of("pixi"));
            projects.tasks(
                of("pdm").get("scripts"),
                of("pdm").get("scripts").and_then(|it| it.get("_")).unwrap_or(&none),
            );
            projects.tasks(of("rye").get("scripts"), &none);
            projects.tasks(of("taskipy").get("tasks"), &none);
            projects.tox(of("tox"));
        }
        "pytest.toml" | ".pytest.toml" => {
            projects.tests([
                root.get("pytest").unwrap_or(root),
                &none,
                root.get("pytest_env").unwrap_or(&none),
            ]);
        }
        "hatch.toml" => projects.hatch(root),
        "pixi.toml" => projects.pixi(root),
        "tox.toml" => projects.tox(root),
        "mise.toml" | ".mise.toml" | "mise.local.toml" => projects.tasks(root.get("tasks"), root),
        _ => {
            for (span, body) in environments(root, source, projects.code) {
                projects.add(span, String::new(), body);
            }
        }
    }
}

struct Projects<'s, 'c> {
    source: &'s Source,
    code: &'c mut Code<'s>,
}

impl<'s> Projects<'s, '_> {
    fn add(&mut self, span: Span, name: String, body: Block<'s>) {
        if !body.is_empty() {
            self.code.units.push(Unit { span, name: name.into(), host: Host::Machine, body });
        }
    }

    /// What pytest-env sets before tests are collected.
    fn tests(&mut self, [native, options, table]: [&Data<'s>; 3]) {
        let mut body = Vec::new();
        for lines in [native.get("env"), options.get("env")].into_iter().flatten() {
            let texts = match &lines.kind {
                DataKind::List(items) => items.iter().collect(),
                _ => vec![lines],
            };
            for text in texts {
                if let Some(literal) = text.literal(self.source) {
                    body.extend(ini::test_variables(&literal));
                }
            }
        }
        body.extend(variables(table, Environment::Overrides, self.source));
        if !native.entries().is_empty() || !body.is_empty() {
            let span = [table, options, native].iter().find_map(|data| data.entries().first());
            let Some(span) = span.map(|entry| entry.key_span) else { return };
            self.code.before_tests = Some(self.code.units.len());
            let name = "what pytest sets".into();
            self.code.units.push(Unit { span, name, host: Host::Machine, body });
        }
    }

    /// A table of tasks; `shared` holds what is set for all of them.
    fn tasks(&mut self, tasks: Option<&Data<'s>>, shared: &Data<'s>) {
        for entry in tasks.map(Data::entries).unwrap_or_default() {
            if entry.key == "_" {
                continue;
            }
            let mut body = self.shared(shared);
            body.extend(self.shared(&entry.value));
            let commands =
                ["cmd", "shell", "script", "sequence", "run"].iter().find_map(|key| entry.value.get(key));
            let started = self.commands(commands.unwrap_or(&entry.value));
            // A task that only calls others starts nothing itself.
            if started.is_empty() && body.is_empty() {
                continue;
            }
            body.extend(started);
            self.add(entry.key_span, format!("task `{}`", entry.key), body);
        }
    }

    /// The environment that a table names: files first, then what it sets itself.
    fn shared(&self, table: &Data<'s>) -> Block<'s> {
        let mut body = Vec::new();
        for key in ["envfile", "env_file"] {
            let Some(file) = table.get(key) else { continue };
            let files = match &file.kind {
                DataKind::List(items) => items.iter().collect(),
                _ => vec![file],
            };
            for file in files {
                if let Some(path) = file.text() {
                    let path = Expr { span: file.span, kind: ExprKind::Text(path.to_owned().into()) };
                    body.push(Statement { span: file.span, kind: StatementKind::ExportAll(true) });
                    body.push(Statement { span: file.span, kind: StatementKind::Source(path) });
                }
            }
        }
        let own = table.get("env").into_iter().chain(table.below(&["activation", "env"]));
        own.for_each(|env| body.extend(variables(env, Environment::Overrides, self.source)));
        body
    }

    /// A command, or several: each in a shell of its own.
    fn commands(&mut self, commands: &Data<'s>) -> Block<'s> {
        let lines: Vec<&Data<'s>> = match &commands.kind {
            DataKind::List(items) => items.iter().collect(),
            DataKind::Text(_) => vec![commands],
            _ => return Vec::new(),
        };
        let mut body = Vec::new();
        for data in lines {
            let data = data.get("cmd").or_else(|| data.get("shell")).unwrap_or(data);
            let steps = command_in(data, self.source, self.code);
            if !steps.is_empty() {
                body.push(Statement { span: data.span, kind: StatementKind::Apart(steps) });
            }
        }
        body
    }

    fn hatch(&mut self, hatch: &Data<'s>) {
        let all = hatch.get("envs").map(Data::entries).unwrap_or_default();
        let table = |name: &str| all.iter().find(|entry| entry.key == name).map(|entry| &entry.value);
        for entry in all {
            let template = entry.value.get("template").and_then(Data::text).unwrap_or("default");
            let inherited = table(template).filter(|_| entry.key != template);
            let mut body = self.layers(inherited, &entry.value, "env-vars");
            let below = inherited.filter(|_| !body.is_empty());
            let tables = [Some(&entry.value), below].into_iter().flatten();
            let scripts: Vec<_> =
                tables.filter_map(|table| table.get("scripts")).flat_map(Data::entries).collect();
            for script in scripts {
                body.extend(self.commands(&script.value));
            }
            self.add(entry.key_span, format!("environment `{}`", entry.key), body);
        }
    }

    /// The variables of a table, over those of the one that it is made from.
    fn layers(&self, below: Option<&Data<'s>>, own: &Data<'s>, key: &str) -> Block<'s> {
        let own = own.get(key);
        let below = below.and_then(|below| below.get(key)).map(Data::entries).unwrap_or_default();
        let seen = |name: &str| own.is_some_and(|own| own.get(name).is_some());
        let below = below.iter().filter(|entry| !seen(&entry.key));
        let own = own.map(Data::entries).unwrap_or_default();
        let all = below.chain(own);
        all.filter_map(|entry| variable(entry, Environment::Overrides, self.source)).collect()
    }

    fn pixi(&mut self, pixi: &Data<'s>) {
        self.tasks(pixi.get("tasks"), pixi);
        if pixi.get("tasks").is_none() {
            let body = self.shared(pixi);
            self.add(pixi.span, String::new(), body);
        }
        for feature in pixi.get("feature").map(Data::entries).unwrap_or_default() {
            self.tasks(feature.value.get("tasks"), &feature.value);
        }
    }

    /// tox in its own TOML form.
    fn tox(&mut self, tox: &Data<'s>) {
        let none = Data { span: tox.span, kind: DataKind::Other };
        let base = tox.get("env_run_base").unwrap_or(&none);
        let run = |data: &Data<'s>| data.get("commands").is_some() || data.get("set_env").is_some();
        let own = tox.get("env").map(Data::entries).unwrap_or_default();
        for entry in own.iter().filter(|entry| run(&entry.value)) {
            self.tox_environment(entry.key_span, &entry.key, &entry.value, base);
        }
        if let Some(entry) = tox.entries().iter().find(|entry| entry.key == "env_run_base")
            && own.is_empty()
        {
            self.tox_environment(entry.key_span, "env_run_base", base, &none);
        }
        if let Some(text) = tox.get("legacy_tox_ini").and_then(|data| data.literal(self.source)) {
            ini::tox(&text, self.source, self.code);
        }
    }

    fn tox_environment(&mut self, span: Span, name: &str, own: &Data<'s>, base: &Data<'s>) {
        let set = own.get("set_env").or_else(|| base.get("set_env"));
        let mut body: Block<'s> =
            set.map(|set| variables(set, Environment::Overrides, self.source)).unwrap_or_default();
        let commands = own.get("commands").or_else(|| base.get("commands"));
        for command in commands.map(Data::items).unwrap_or_default() {
            let words = command.items().iter().map(|item| word(item, self.source)).collect();
            let steps = line(words, command.span, self.source, self.code);
            body.push(Statement { span: command.span, kind: StatementKind::Apart(steps) });
        }
        self.add(span, format!("environment `{name}`"), body);
    }
}
