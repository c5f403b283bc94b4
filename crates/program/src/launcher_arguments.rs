//! What a launcher tells a program on its command line, as far as it may choose a GPU, and what becomes of it there: names
//! of the parsed arguments with their values. Both are kept beside the variables of the environment, under names that no
//! variable can have, since they are joined at branches and end with a process in the same way.

use super::heap::values::Value;
use super::relevance::SETTINGS_ENDINGS;
use crate::facts::{FileId, Place, Span};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A word behind the name of the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LauncherArgument {
    /// An option, or a value that may name a GPU.
    Word(Arc<str>, Place),
    /// One that says nothing of GPUs.
    Other,
    /// It is not known what stands there, nor how many words.
    Unknown,
}

impl LauncherArgument {
    pub fn place(&self) -> Option<Place> {
        match self {
            LauncherArgument::Word(_, place) => Some(*place),
            LauncherArgument::Other | LauncherArgument::Unknown => None,
        }
    }

    /// What a program finds, wherever it is written.
    pub fn text(&self) -> Option<&str> {
        match self {
            LauncherArgument::Word(text, _) => Some(text),
            LauncherArgument::Other | LauncherArgument::Unknown => None,
        }
    }
}

/// The words of a program's own that may choose a GPU, with the others in their places; none where no word does.
pub(super) fn arguments_in<'w>(
    words: impl Iterator<Item = (Option<&'w str>, Place)>,
) -> Vec<LauncherArgument> {
    /// So many words are looked at.
    const MOST: usize = 64;
    let mut told = Vec::new();
    let (mut is_about_device, mut says_something) = (None, false);
    let mut is_about_settings = false;
    for (word, place) in words.take(MOST) {
        let Some(word) = word else {
            told.push(LauncherArgument::Unknown);
            is_about_settings = false;
            continue;
        };
        let option = word.strip_prefix('-').filter(|rest| rest.starts_with(|c: char| !c.is_ascii_digit()));
        told.push(match option {
            Some(option) => {
                let (name, value) =
                    option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value)));
                // `-g 2`
                let is_letter = name.len() == 1;
                let is_settings = may_name_settings(name);
                let speaks = may_choose(name) || is_settings;
                is_about_settings = value.is_none() && is_settings;
                is_about_device = value.is_none().then_some(speaks || is_letter);
                says_something |= speaks || is_letter && value.is_some_and(names_gpus);
                match value {
                    Some(_) if !speaks && !is_letter => LauncherArgument::Other,
                    _ => LauncherArgument::Word(word.into(), place),
                }
            }
            // `--config small.yaml`, and `trainer.devices=2` for Hydra.
            None if std::mem::take(&mut is_about_settings)
                || names_settings_file(word)
                || is_override(word) =>
            {
                says_something = true;
                is_about_device = None;
                LauncherArgument::Word(word.into(), place)
            }
            // Behind an option that is not about GPUs it is most likely the value of that.
            None if is_about_device.unwrap_or(true) && names_gpus(word) => {
                says_something = true;
                LauncherArgument::Word(word.into(), place)
            }
            None => {
                is_about_device = is_about_device.filter(|about| *about);
                LauncherArgument::Other
            }
        });
    }
    match () {
        () if says_something => told,
        // Any of them may choose.
        () if told.contains(&LauncherArgument::Unknown) => vec![LauncherArgument::Unknown],
        () => Vec::new(),
    }
}

/// Whether an option is one that names a file of settings, by habit.
fn may_name_settings(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["config", "cfg", "settings", "params"].iter().any(|word| name.contains(word))
}

/// `conf/small.yaml`
pub(super) fn names_settings_file(word: &str) -> bool {
    SETTINGS_ENDINGS.iter().any(|ending| word.ends_with(ending))
}

/// `trainer.devices=[1]`, `+experiment=large`
fn is_override(word: &str) -> bool {
    let is_key = |key: &str| {
        let key = key.trim_start_matches('+');
        key.starts_with(|first: char| first.is_ascii_lowercase())
            && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-/@".contains(&byte))
    };
    word.split_once('=').is_some_and(|(key, _)| is_key(key))
}

/// Whether a name is one that holds the number of a GPU or of a process, or a device, by habit.
pub(super) fn may_choose(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["gpu", "device", "cuda", "rank", "card"].iter().any(|word| name.contains(word))
}

/// `2`, `0,1`, `cuda:1`
fn names_gpus(word: &str) -> bool {
    let numbers = word.strip_prefix("cuda:").unwrap_or(word);
    word == "cuda" || numbers.split(',').all(|number| number.len() < 3 && number.parse::<u8>().is_ok())
}

/// Under which name the words of the command line are kept.
pub(super) const WORDS: &str = "=words";

/// Under which name the value of a parsed argument is kept.
pub(super) fn key_of(option: &str) -> String {
    format!("=option {option}")
}

/// Whether this is the name of no variable, but of something that is kept in the same way.
pub(super) fn is_no_variable(name: &str) -> bool {
    name.starts_with('=')
}

const BETWEEN: char = '\u{1f}';
const INSIDE: char = '\u{1e}';

/// Words as one text.
pub(super) fn packed_words(told: &[LauncherArgument]) -> String {
    let one = |told: &LauncherArgument| match told {
        LauncherArgument::Word(text, place) => format!("w{INSIDE}{}{INSIDE}{text}", packed_place(*place)),
        LauncherArgument::Other => "o".to_owned(),
        LauncherArgument::Unknown => "u".to_owned(),
    };
    told.iter().map(one).collect::<Vec<_>>().join(&BETWEEN.to_string())
}

/// The words of such a text.
pub(super) fn unpacked_words(text: &str) -> Vec<LauncherArgument> {
    let one = |part: &str| match part.split(INSIDE).collect::<Vec<_>>()[..] {
        ["w", place, text] => unpacked_place(place)
            .map_or(LauncherArgument::Unknown, |place| LauncherArgument::Word(text.into(), place)),
        ["o"] => LauncherArgument::Other,
        _ => LauncherArgument::Unknown,
    };
    text.split(BETWEEN).map(one).collect()
}

/// A value as a text, where it may say something of GPUs.
pub(super) fn packed(value: &Value<'_>) -> Option<String> {
    match value {
        Value::None => Some("n".to_owned()),
        Value::Bool(true) => Some("y".to_owned()),
        Value::Bool(false) => Some("f".to_owned()),
        Value::Int(number, place) => Some(format!("i{INSIDE}{}{INSIDE}{number}", packed_place(*place))),
        Value::Text(text) => Some(format!("t{INSIDE}{}{INSIDE}{}", packed_place(text.place), text.text)),
        Value::Sequence(values) => {
            let parts: Option<Vec<String>> = values.iter().map(packed).collect();
            Some(format!("l{BETWEEN}{}", parts?.join(&BETWEEN.to_string())))
        }
        _ => None,
    }
}

/// The value of such a text.
pub(super) fn unpacked<'p>(text: &str) -> Option<Value<'p>> {
    if let Some(parts) = text.strip_prefix('l').and_then(|rest| rest.strip_prefix(BETWEEN)) {
        let parts = parts.split(BETWEEN).filter(|part| !part.is_empty());
        return Some(Value::sequence(parts.map(unpacked).collect::<Option<_>>()?));
    }
    match text.split(INSIDE).collect::<Vec<_>>()[..] {
        ["n"] => Some(Value::None),
        ["y"] => Some(Value::Bool(true)),
        ["f"] => Some(Value::Bool(false)),
        ["i", place, number] => Some(Value::Int(number.parse().ok()?, unpacked_place(place)?)),
        ["t", place, text] => Some(Value::text(text.to_owned(), unpacked_place(place)?)),
        _ => None,
    }
}

fn packed_place(place: Place) -> String {
    format!("{}:{}:{}", place.file.0, place.span.start, place.span.end)
}

fn unpacked_place(text: &str) -> Option<Place> {
    let mut numbers = text.split(':').map(|number| number.parse::<u32>().ok());
    let (file, start, end) = (numbers.next()??, numbers.next()??, numbers.next()??);
    Some(Place { file: FileId(file), span: Span { start, end } })
}
