//! Paths that programs make of `__file__`, as far as they lead to what they put on `sys.path`.

use super::Interpreter;
use super::calls::Args;
use crate::facts::Span;
use crate::program::heap::values::Value;

impl<'p> Interpreter<'p> {
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
                if let Value::Text(text) = added
                    && let Some(folder) =
                        self.program.modules.folder_for(self.here.file, &text.text, &normal(&text.text))
                {
                    self.state.add_search_path(folder);
                }
                Some(Value::None)
            }
            _ => None,
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

pub(super) fn folder_of(path: &str) -> String {
    match path.rsplit_once('/') {
        Some((folder, _)) => folder.to_owned(),
        // Above the project root nothing is known.
        None if path.is_empty() || path == ".." => "..".to_owned(),
        None => String::new(),
    }
}

pub(super) fn joined(path: &str, part: &str) -> String {
    if path.is_empty() { part.to_owned() } else { format!("{path}/{part}") }
}

/// The path without `.` and `..`.
pub(super) fn normal(path: &str) -> String {
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
