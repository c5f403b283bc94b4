//! Files of settings: those that a program loads into its own environment (`load_dotenv()`, what pytest reads before
//! it collects tests), and keys that choose a device.

use super::calls::Args;
use super::environment::is_gpu_variable;
use super::search_paths::{folder_of, joined, normal};
use super::{CodePosition, Interpreter};
use crate::code::{Setting, StatementKind};
use crate::facts::{FileId, Span};
use crate::program::heap::values::Value;
use crate::sources::Language;

impl<'p> Interpreter<'p> {
    /// `load_dotenv(path, override=…)`: the settings of the file fill gaps, or replace what is set.
    pub(super) fn load_dotenv(&mut self, args: &Args<'p>, span: Span) -> Value<'p> {
        let overrides = args.keyword("override").map(|argument| argument.value.truth());
        let named = args.get(Some(0), Some("dotenv_path")).map(|argument| argument.value.clone());
        let file = match named {
            None | Some(Value::None) => self.nearest_dotenv(),
            Some(Value::Text(path)) => {
                let path = normal(&path.text);
                let beside = joined(&folder_of(self.program.name_of(self.here.file)), &path);
                self.program.dotenv(&path).or_else(|| self.program.dotenv(&normal(&beside)))
            }
            Some(_) => None,
        };
        let (Some(file), true) = (file, overrides != Some(None)) else {
            // Not here, or not known: it may set anything.
            self.whole_environment().fill_gaps(overrides.is_some_and(|overrides| overrides != Some(false)));
            return Value::Unknown;
        };
        self.load_settings(file, 0, overrides == Some(Some(true)), span);
        Value::Bool(true)
    }

    /// The `.env` that python-dotenv finds without a path: in the folder of the file that calls, or above.
    fn nearest_dotenv(&self) -> Option<FileId> {
        let mut folder = folder_of(self.program.name_of(self.here.file));
        loop {
            if let Some(file) = self.program.dotenv(&joined(&folder, ".env")) {
                return Some(file);
            }
            if folder.is_empty() || folder == ".." {
                return None;
            }
            folder = folder_of(&folder);
        }
    }

    /// `uv run --env-file .env`: what is set keeps its value.
    pub(super) fn load_for_command(&mut self, file: Option<FileId>, span: Span) {
        match file.filter(|&file| self.program.language_of(file) == Language::Dotenv) {
            Some(file) => {
                self.trace.entered.push(file);
                self.load_settings(file, 0, false, span);
            }
            // Not here, or not known: it may set anything.
            None => self.whole_environment().fill_gaps(false),
        }
    }

    /// Does to the environment what a unit of a file of settings says.
    pub(super) fn load_settings(&mut self, file: FileId, unit: usize, overrides: bool, span: Span) {
        let code = self.program.code_in_pieces(file);
        let Some(unit_loaded) = code.units.get(unit) else { return };
        self.trace.loaded.push((file, unit));
        let frame = self.push_frame(file, None, span);
        let scope = self.new_scope(None, false);
        let outer = std::mem::replace(&mut self.here, CodePosition::in_module(file, scope, frame));
        let steps = &unit_loaded.body;
        for (index, step) in steps.iter().enumerate() {
            self.here.statement = step.span;
            match &step.kind {
                StatementKind::SetVariable(set) => {
                    let Some(value) = &set.value else { continue };
                    let value = self.eval(value);
                    self.bind_in(scope, &set.name, value.clone());
                    // Of two lines for one variable the last counts, also where only gaps are filled.
                    let is_last = steps[index + 1..].iter().all(
                        |later| !matches!(&later.kind, StatementKind::SetVariable(later) if later.name == set.name),
                    );
                    if is_last && matters(&set.name) {
                        let key = Value::text(&*set.name, self.place(set.span));
                        let text = self.as_environment_text(&value, set.span);
                        self.write_variable(&key, &text, set.span, set.only_if_unset || !overrides);
                    }
                }
                StatementKind::UnsetVariable(name) => {
                    let key = Value::text(&**name, self.place(step.span));
                    self.remove_variable(&key, step.span);
                }
                _ => {}
            }
        }
        self.here = outer;
    }

    /// A key of a configuration file that chooses a device.
    pub(super) fn setting(&mut self, setting: &'p Setting<'p>) {
        let value = self.eval(&setting.value);
        if let Some(key) = setting.path.last() {
            self.chosen_by_setting(key, &value);
        }
    }
}

/// Whether a variable may decide which GPU is used; what the others hold is nobody's business.
fn matters(name: &str) -> bool {
    is_gpu_variable(name) || name.contains("GPU") || name.contains("DEVICE")
}
