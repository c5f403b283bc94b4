//! Paths that programs make of `__file__`, as far as they lead to what they put on `sys.path`.

use super::Run;
use super::calls::Args;
use super::environment::is_gpu_variable;
use crate::facts::Span;
use crate::program::value::Value;
use crate::sources::dotenv;

impl<'p> Run<'p> {
    /// Functions on paths; `None` when the call is none of them.
    pub(super) fn call_path(&mut self, path: &str, args: &Args<'p>, span: Span) -> Option<Value<'p>> {
        let texts: Option<Vec<String>> = args
            .items
            .iter()
            .map(|argument| match &argument.value {
                Value::Text(text) => Some(text.text.to_string()),
                _ => None,
            })
            .collect();
        let made = |run: &Self, text: String| Some(Value::text(text, run.place(span)));
        match path {
            "os.path.abspath" | "os.path.realpath" | "os.path.normpath" | "pathlib.Path"
            | "pathlib.PurePath" => match texts?.as_slice() {
                [] => None,
                [first, rest @ ..] => {
                    made(self, rest.iter().fold(first.clone(), |path, part| joined(&path, part)))
                }
            },
            "os.path.dirname" => made(self, folder_of(texts?.first()?)),
            "os.path.join" => {
                let texts = texts?;
                let (first, rest) = texts.split_first()?;
                made(self, rest.iter().fold(first.clone(), |path, part| joined(&path, part)))
            }
            "sys.path.insert" | "sys.path.append" => {
                let added = args.items.last()?.value.clone();
                if let Value::Text(text) = added {
                    self.state.set_up_mut().search_paths.push(normal(&text.text));
                }
                Some(Value::None)
            }
            _ => None,
        }
    }

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
        let (Some(text), true) = (file, overrides != Some(None)) else {
            // Not here, or not known: it may set anything.
            self.state.fill_gaps(overrides.is_some_and(|overrides| overrides != Some(false)));
            return Value::Unknown;
        };
        for (name, value) in dotenv::settings(text) {
            if is_gpu_variable(name) {
                let key = Value::text(name, self.place(span));
                let value = Value::text(value, self.place(span));
                self.write_variable(&key, &value, span, overrides != Some(Some(true)));
            }
        }
        Value::Bool(true)
    }

    /// The `.env` that python-dotenv finds without a path: in the folder of the file that calls, or above.
    fn nearest_dotenv(&self) -> Option<&'p str> {
        let mut folder = folder_of(self.program.name_of(self.here.file));
        loop {
            if let Some(text) = self.program.dotenv(&joined(&folder, ".env")) {
                return Some(text);
            }
            if folder.is_empty() || folder == ".." {
                return None;
            }
            folder = folder_of(&folder);
        }
    }

    /// Methods and attributes of `pathlib.Path`, which is followed as its text.
    pub(super) fn path_attribute(&self, path: &str, name: &str, span: Span) -> Value<'p> {
        match name {
            // The value of an `Enum` member is followed as the member.
            "value" => Value::text(path.to_owned(), self.place(span)),
            "parent" => Value::text(folder_of(path), self.place(span)),
            _ => Value::Unknown,
        }
    }

    /// `path.parents[index]`
    pub(super) fn parent_number(&self, path: &str, index: i64, span: Span) -> Value<'p> {
        let up = (0..=index.clamp(0, 64)).fold(path.to_owned(), |path, _| folder_of(&path));
        Value::text(up, self.place(span))
    }

    /// `path / part`
    pub(super) fn divided(&self, path: &str, part: &str, span: Span) -> Value<'p> {
        Value::text(joined(path, part), self.place(span))
    }
}

fn folder_of(path: &str) -> String {
    match path.rsplit_once('/') {
        Some((folder, _)) => folder.to_owned(),
        // Above the project root nothing is known.
        None if path.is_empty() || path == ".." => "..".to_owned(),
        None => String::new(),
    }
}

fn joined(path: &str, part: &str) -> String {
    if path.is_empty() { part.to_owned() } else { format!("{path}/{part}") }
}

/// The path without `.` and `..`.
fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    parts.join("/")
}
