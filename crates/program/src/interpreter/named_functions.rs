//! Functions that the command line names: `args.func(args)`, `fire.Fire(…)`, `getattr(self, args.command)()`, `globals()[name]()`,
//! and the one that a runner calls by its name.

use super::Interpreter;
use super::calls::Args;
use super::items::one_of_functions;
use super::options::PARSED;
use crate::code::StatementKind;
use crate::facts::{FileId, Span};
use crate::program::heap::values::Value;
use crate::program::state::Definition;
use crate::program::trace::NOT_NOTED;

/// Of more functions nobody knows which one a command line means.
const MOST: usize = 16;

impl<'p> Interpreter<'p> {
    /// `parser.set_defaults(func=train)`: for each command another one.
    pub(super) fn remember_functions(&mut self, args: &Args<'p>) {
        for argument in &args.items {
            if let Some(name) = &argument.name
                && let Some(place) = self.definition_of(&argument.value)
            {
                self.remember_function(&key_of(name), place);
            }
        }
    }

    fn remember_function(&mut self, key: &str, (file, name): (FileId, &str)) {
        let mut known = self.reaching(key);
        known.retain(|definition| matches!(definition, Definition::Set(..)));
        let function = Definition::Set(NOT_NOTED, Some(format!("{}:{name}", file.0).into()));
        if !known.contains(&function) {
            known.push(function);
        }
        self.set_reaching(key, known);
    }

    /// The functions that were remembered under a key.
    fn remembered(&mut self, key: &str) -> Vec<Value<'p>> {
        let known = self.reaching(key);
        let places = known.iter().filter_map(|definition| match definition {
            Definition::Set(_, Some(place)) => place.split_once(':'),
            _ => None,
        });
        let mut found = Vec::new();
        for (file, name) in places {
            let Ok(file) = file.parse().map(FileId) else { continue };
            let Some(scope) = self.entered(file) else { continue };
            let defined = self.program.names_defined(file).into_iter().find(|known| *known == name);
            found.extend(defined.and_then(|name| self.heap.get(scope, name).cloned()));
        }
        found
    }

    /// The file and the name of a function or class that stands at the top level of a module.
    fn definition_of(&self, value: &Value<'p>) -> Option<(FileId, &'p str)> {
        match value {
            Value::Function(closure) => {
                let name = self.function_of(closure).name;
                let is_at_top = self.modules.get(&closure.file) == Some(&closure.scope);
                is_at_top.then_some((closure.file, name))
            }
            Value::Class(class) => {
                let name = self.class_code(class).name;
                let names = self.program.names_defined(class.file);
                names.contains(&name).then_some((class.file, name))
            }
            _ => None,
        }
    }

    /// What a call runs that the command line decides about, or that a runner finds by its name; `None` where it is no such call,
    /// or nothing is known of what it runs.
    pub(super) fn call_by_name(&mut self, path: &str, args: &Args<'p>, span: Span) -> Option<Value<'p>> {
        if let Some((parsed, name)) = path.rsplit_once('.')
            && parsed.ends_with(PARSED)
        {
            let functions = self.remembered(&key_of(name));
            return self.call_one_of(functions, args.clone(), span);
        }
        let open = || Args { items: Vec::new(), open: true };
        match path {
            "fire.Fire" | "fire.core.Fire" => {
                let component = args.get(Some(0), Some("component")).map(|argument| argument.value.clone());
                let functions = match component.map(|component| self.force(component)) {
                    Some(Value::Function(_)) => return None,
                    Some(component) => self.commands_below(component, span),
                    None => self.functions_of_module(self.here.file),
                };
                self.call_one_of(functions, open(), span)
            }
            // The function `main` of the program.
            "tensorflow.app.run" | "tensorflow.compat.v1.app.run" if args.at(0).is_none() => {
                let scope = self.entered(self.entry)?;
                let main = self.heap.get(scope, "main").cloned()?;
                self.call_one_of(vec![main], open(), span)
            }
            "sacred.Experiment().run" | "sacred.Experiment().run_commandline" => {
                let functions = self.remembered(SACRED);
                self.call_one_of(functions, open(), span)
            }
            "lightning.pytorch.cli.LightningCLI"
            | "pytorch_lightning.cli.LightningCLI"
            | "pytorch_lightning.utilities.cli.LightningCLI" => {
                let classes: Vec<_> = args.items.iter().map(|argument| argument.value.clone()).collect();
                for class in classes.into_iter().filter(|class| matches!(class, Value::Class(_))) {
                    self.call(class, open(), span);
                }
                None
            }
            "cProfile.run" | "cProfile.runctx" | "profile.run" | "builtins.eval" | "builtins.exec" => {
                let function = match self.force(args.at(0)?.value.clone()) {
                    Value::Text(code) => self.named_here(code.text.trim().strip_suffix("()")?)?,
                    _ => return None,
                };
                self.call_one_of(vec![function], Args::default(), span)
            }
            _ => None,
        }
    }

    /// `@experiment.automain` and `@experiment.main` of sacred: the first runs the function where the module is the program.
    pub(super) fn decorated_by_experiment(&mut self, decorator: &str, function: &Value<'p>, span: Span) {
        match decorator {
            "sacred.Experiment().automain" if self.is_main(self.here.file) => {
                self.call(function.clone(), Args { items: Vec::new(), open: true }, span);
            }
            "sacred.Experiment().main" => {
                if let Some(place) = self.definition_of(function) {
                    self.remember_function(SACRED, place);
                }
            }
            _ => {}
        }
    }

    /// `cmdloop()` of a class that builds on `cmd.Cmd`: `preloop` runs, and then whatever commands the user types.
    pub(super) fn run_command_loop(
        &mut self,
        object: &Value<'p>,
        method: &Value<'p>,
        span: Span,
    ) -> Option<Value<'p>> {
        let Value::Outside(path) = method else { return None };
        if &**self.paths.text(*path) != "cmd.Cmd().cmdloop" {
            return None;
        }
        self.special(object, "preloop", Vec::new(), span);
        let line = || Args::positional(vec![Value::Unknown], span);
        for command in self.methods_of(object, span, |name| name.starts_with("do_")) {
            self.on_some_ways(|run| drop(run.call(command, line(), span)));
        }
        self.special(object, "postloop", Vec::new(), span);
        Some(Value::None)
    }

    /// What a name that the command line gives stands for, of the methods of an object: one of them.
    pub(super) fn method_told(&mut self, object: &Value<'p>, name: &Value<'p>, span: Span) -> Value<'p> {
        let Value::Outside(path) = name else { return Value::Unknown };
        if !self.paths.text(*path).contains(&format!("{PARSED}.")) {
            return Value::Unknown;
        }
        let methods = match object {
            Value::Module(file) => self.functions_of_module(*file),
            _ => self.commands_below(object.clone(), span),
        };
        if methods.len() > MOST { Value::Unknown } else { Value::one_of(methods) }
    }

    /// `globals()[name]`, where the name is not known: one of the functions of this module. One that the module calls by its
    /// name is reached there, and is not what a name is looked up for.
    pub(super) fn function_told(&mut self) -> Value<'p> {
        let text = &self.program.sources.file(self.here.file).text;
        let functions = self.functions_of_module(self.here.file);
        let is_told = |value: &&Value<'p>| match value {
            Value::Function(closure) => {
                !calls_by_name(text, self.code_of(closure.file).functions[closure.function].name)
            }
            _ => true,
        };
        one_of_functions(functions.iter().filter(is_told))
    }

    /// A function or class that this module knows under a name.
    fn named_here(&mut self, name: &str) -> Option<Value<'p>> {
        let name = self.program.names_defined(self.here.file).into_iter().find(|known| *known == name)?;
        let (_, value) = self.heap.look_up(self.here.scope, name)?;
        Some(value.clone())
    }

    /// The commands that a dictionary, a class or an object has: its functions and its public methods.
    fn commands_below(&mut self, component: Value<'p>, span: Span) -> Vec<Value<'p>> {
        let is_called = |value: &Value<'_>| matches!(value, Value::Function(_) | Value::Class(_));
        let object = match component {
            class @ Value::Class(_) => self.call(class, Args { items: Vec::new(), open: true }, span),
            other => other,
        };
        if let Value::Instance(_) = object {
            return self.methods_of(&object, span, |name| !name.starts_with('_'));
        }
        match self.contents(&object) {
            Value::Mapping(items) => items.iter().map(|(_, value)| value.clone()).filter(is_called).collect(),
            _ => Vec::new(),
        }
    }

    /// The methods of an object with such names; of very many none.
    fn methods_of(
        &mut self,
        object: &Value<'p>,
        span: Span,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Vec<Value<'p>> {
        let Value::Instance(instance) = object else { return Vec::new() };
        let mut names: Vec<&'p str> = Vec::new();
        for class in self.resolution_order(&instance.class) {
            let Value::Class(class) = class else { continue };
            let code = self.code_of(class.file);
            for step in &self.class_code(&class).body {
                if let StatementKind::Define { function, .. } = &step.kind
                    && let name = code.functions[*function].name
                    && is_wanted(name)
                    && !names.contains(&name)
                {
                    names.push(name);
                }
            }
        }
        if names.len() > MOST {
            return Vec::new();
        }
        let methods = names.into_iter().map(|name| self.attribute(object, name, span));
        methods.filter(|method| matches!(method, Value::Function(_))).collect()
    }

    /// The public functions that a module defines.
    fn functions_of_module(&mut self, file: FileId) -> Vec<Value<'p>> {
        let Some(scope) = self.entered(file) else { return Vec::new() };
        let code = self.program.code(file);
        let defined = code.body.iter().filter_map(|step| match &step.kind {
            StatementKind::Define { function, .. } => Some(code.functions[*function].name),
            _ => None,
        });
        let names: Vec<&'p str> = defined.filter(|name| !name.starts_with('_')).collect();
        if names.len() > MOST {
            return Vec::new();
        }
        let values = names.into_iter().filter_map(|name| self.heap.get(scope, name).cloned());
        values.filter(|value| matches!(value, Value::Function(_))).collect()
    }

    fn call_one_of(&mut self, functions: Vec<Value<'p>>, args: Args<'p>, span: Span) -> Option<Value<'p>> {
        if functions.is_empty() || functions.len() > MOST {
            return None;
        }
        let result = self.call(Value::one_of(functions), args, span);
        self.run_paused(&result, span);
        Some(result)
    }
}

/// Under which name the function of an experiment is kept.
const SACRED: &str = "=function of an experiment";

/// Under which name the functions are kept that an attribute of the parsed arguments holds.
fn key_of(name: &str) -> String {
    format!("=function {name}")
}

/// Whether a text calls a function by its name alone: `train(args)`, and not `def train(args)` or `self.train(args)`.
fn calls_by_name(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        let is_whole = !before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.'));
        is_whole && after.starts_with('(') && !before.trim_end().ends_with("def")
    })
}
