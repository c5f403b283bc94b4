//! What is known about calls into libraries: which effects a dotted name or a method has, and applying them.

use super::Interpreter;
use super::call_model::Effects;
use super::calls::Args;
use crate::facts::Span;
use crate::program::heap::values::Value;
use crate::program::summaries::Dependency;
use crate::program::trace::Recipient;

impl<'p> Interpreter<'p> {
    pub(super) fn apply_call_effects(&mut self, path: &str, args: &Args<'p>, span: Span) {
        self.apply_effects(self.effects_of(path), path, args, span);
    }

    /// The effects of calling a dotted name.
    pub(super) fn effects_of(&self, path: &str) -> Effects<'p> {
        let path = called(path);
        let effects = self.program.knowledge.of_call(path);
        if !effects.is_empty() {
            return Effects::Known(effects);
        }
        // A method of a class, or of something that a library returned.
        let Some((receiver, name)) = path.rsplit_once('.') else { return Effects::None };
        let last = receiver.rsplit('.').next().unwrap_or_default();
        match receiver.contains("()") || last.starts_with(|first: char| first.is_ascii_uppercase()) {
            true => self.effects_of_method(receiver, name),
            false => Effects::None,
        }
    }

    /// A method of something that a library made: surely one of the known ones when the library is, or
    /// builds on, the one that has it.
    fn effects_of_method(&self, receiver: &str, name: &str) -> Effects<'p> {
        let root = root_of(receiver);
        let knowledge = self.program.knowledge;
        let builds_on = |library: &str| {
            root == library
                || root == "builtins"
                || knowledge
                    .package(root)
                    .is_some_and(|row| row.gpu_library || row.imports.iter().any(|known| known == library))
        };
        let is_mock = matches!(root, "unittest" | "mock");
        let sure = knowledge.of_method(name).iter().any(|effect| builds_on(&effect.library));
        // Many things have a `backward` or a `step`; a `cuda` is nearly always torch's.
        match !is_mock && (sure || name != "backward") {
            true => Effects::OfMethod { sure },
            false => Effects::None,
        }
    }

    pub(super) fn apply_effects(&mut self, effects: Effects<'p>, path: &str, args: &Args<'p>, span: Span) {
        if matches!(effects, Effects::None) || self.is_mocked(path) {
            return;
        }
        let path = called(path);
        match effects {
            Effects::None => {}
            Effects::Known(effects) => effects.iter().for_each(|effect| self.apply(effect, path, args, span)),
            Effects::OfMethod { sure } => {
                let doubt = usize::from(!sure);
                self.uncertain += doubt;
                let package = Some(root_of(path)).filter(|_| sure);
                self.apply_effects_of_method(path.rsplit('.').next().unwrap_or(path), package, args, span);
                self.uncertain -= doubt;
            }
        }
    }

    /// A method called on something of unknown type.
    pub(super) fn apply_method_effects(&mut self, name: &str, args: &Args<'p>, span: Span) {
        self.apply_effects_of_method(name, None, args, span);
    }

    /// A method called on what a package made, or on something of unknown type.
    fn apply_effects_of_method(&mut self, name: &str, package: Option<&str>, args: &Args<'p>, span: Span) {
        let knowledge = self.program.knowledge;
        match name {
            "addfinalizer" => drop(self.leave_for_the_end(args, span)),
            "setenv" | "delenv" => return self.monkeypatch(name, args, span),
            "patch" | "object" => {
                let result = if name == "patch" { "patch()" } else { "patch.object()" };
                if let Some(target) = self.patch_target(result, args) {
                    self.state.set_up_mut().mocked.push(target);
                }
            }
            "setattr" => {
                let target = args.at(0).zip(args.at(1));
                if let Some(target) =
                    target.and_then(|(object, name)| self.attribute_target(&object.value, &name.value))
                {
                    self.state.set_up_mut().mocked.push(target);
                }
            }
            // A dictionary of unknown content, or a configuration object.
            "get" | "setdefault" | "pop" => {
                if let (Some(key), Some(default)) = (args.at(0).cloned(), args.at(1).cloned()) {
                    self.chosen_by_key_default(&key.value, &default.value);
                }
            }
            "set_defaults" => self.remember_functions(args),
            "add_subparsers" => self.remember_commands(args),
            "add_argument" | "option" | "add_option" => {
                self.chosen_by_option(args);
                self.remember_option(args);
                self.remember_form(args);
                self.remember_settings_path(args);
                self.run_for_option(args, self.here.statement);
            }
            _ => {}
        }
        for effect in knowledge.of_method(name) {
            let builds_on = package
                .and_then(|package| knowledge.package(package))
                .is_some_and(|row| row.makes_objects_of(&effect.library));
            if builds_on || self.has_imported(&effect.library) {
                self.apply(effect, name, args, span);
            }
        }
    }

    fn has_imported(&mut self, library: &'p str) -> bool {
        let is_imported = self.imported.contains(library);
        self.summaries.note(Dependency::Imported(library, is_imported));
        is_imported
    }

    /// pytest's `monkeypatch.setenv` and `delenv`: in force for the rest of the test.
    fn monkeypatch(&mut self, name: &str, args: &Args<'p>, span: Span) {
        let Some(key) = args.at(0).map(|argument| argument.value.clone()) else { return };
        if name == "delenv" {
            return self.remove_variable(&key, span);
        }
        if let Some(value) = args.at(1).map(|argument| argument.value.clone()) {
            // pytest makes a text of anything.
            let text = match self.as_environment_text(&value, span) {
                text @ (Value::Text(_) | Value::OneOf(_)) => text,
                _ => Value::Unknown,
            };
            let outer = std::mem::replace(&mut self.recipient, Recipient::Test);
            self.write_variable(&key, &text, span, false);
            self.recipient = outer;
        }
    }
}

/// `super().__init__(…)` in a class that is made of a known one calls that one.
fn called(path: &str) -> &str {
    path.strip_suffix("().__init__").unwrap_or(path)
}

/// The package of a dotted name: `torch` of `torch.nn.Linear().cuda`.
pub(super) fn root_of(path: &str) -> &str {
    path.split(['.', '(']).next().unwrap_or_default()
}
