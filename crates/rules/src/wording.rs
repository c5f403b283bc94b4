//! The words of a message: what happened, with which value, and what the policy wants.

use crate::code::Observation;
use crate::policy::Policy;
use crate::program::knowledge::{Does, Variables};
use crate::program::trace::{Event, EventKind, Takes};
use crate::program::{Definition, Reaching};

/// What a message may speak of.
pub(super) struct Words<'a> {
    pub event: &'a Event,
    /// The test that it lies in.
    pub test: Option<&'a str>,
    pub in_cpu_part: bool,
    /// Where in a module it stands that runs when the module is imported.
    pub position: Option<&'static str>,
    /// The value in force.
    pub in_force: Option<&'a str>,
    /// What is wrong with the value, and what is wanted in its place.
    pub fault: Option<&'a (String, String)>,
    pub policy: &'a Policy,
    pub known: &'a Variables,
    /// Where there is no such device, TensorFlow takes another one.
    pub placed_softly: bool,
    pub cuda: Option<&'a Event>,
    pub library: Option<&'a Event>,
}

impl Words<'_> {
    /// Replaces each `{name}` by what it stands for here; an unknown one is left as it is.
    pub fn fill(&self, template: &str) -> String {
        // The end of a file is no code, and nobody comes to it.
        let at_end = matches!(self.event.what, EventKind::End)
            .then(|| template.replace(" when `{use}` is reached", " here").replace("`{use}`", "{use}"));
        let template = at_end.as_deref().unwrap_or(template);
        let mut filled = String::with_capacity(template.len());
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            filled.push_str(before);
            rest = match after.split_once('}') {
                Some((name, after)) => {
                    filled.push_str(&self.word(name).unwrap_or_else(|| format!("{{{name}}}")));
                    after
                }
                None => after,
            };
        }
        filled.push_str(rest);
        filled
    }

    /// What each `{name}` of a template stands for here, and what fixes ask for beside.
    pub fn values(&self, template: &str) -> Vec<(String, String)> {
        let named = template.split('{').skip(1).filter_map(|rest| rest.split_once('}').map(|(name, _)| name));
        let values =
            named.chain(["late", "variable"]).filter_map(|name| Some((name.to_owned(), self.word(name)?)));
        values.collect()
    }

    fn word(&self, name: &str) -> Option<String> {
        let gpu = self.policy.gpu.as_ref();
        match (name, &self.event.what) {
            ("test", _) => self.test.map(str::to_owned),
            ("use", what) => Some(as_code(what)),
            ("taken", what) => Some(
                match what {
                    EventKind::Call { takes: Takes::Numbered, .. } => {
                        "the number that it is given counts all GPUs of the machine, the fastest first"
                    }
                    EventKind::Call { takes: Takes::PerhapsNumbered, .. } => {
                        "a number, if it is given one, counts all GPUs of the machine, the fastest first"
                    }
                    EventKind::Call { takes: Takes::Several, .. } => {
                        "it may take several GPUs, whichever come first"
                    }
                    _ => "the process takes whichever GPU comes first",
                }
                .to_owned(),
            ),
            ("init", _) => self.cuda.map(|cuda| as_code(&cuda.what)),
            ("import", _) => self.library.map(|library| as_code(&library.what)),
            ("value", EventKind::Observed { text, .. }) => Some(text.clone()),
            ("value", what) => Some(match (what, self.in_force) {
                (EventKind::Write { value: Some(value), .. }, _) => value.clone(),
                (_, Some(value)) => value.to_owned(),
                _ => "…".to_owned(),
            }),
            ("moment", _) if self.in_cpu_part => Some("in a part that must run without a GPU".to_owned()),
            ("moment", _) => Some("before CUDA_VISIBLE_DEVICES is set".to_owned()),
            ("position", _) => self.position.map(str::to_owned),
            ("earlier", _) => self.in_force.map(str::to_owned),
            ("order", _) => Some(
                gpu.and_then(|gpu| gpu.device_order).map_or("PCI_BUS_ID", |order| order.as_str()).to_owned(),
            ),
            ("brings", EventKind::Import { brings, .. }) => {
                // Words stand for themselves, names are code.
                let quoted =
                    |name: &String| if name.contains(' ') { name.clone() } else { format!("`{name}`") };
                Some(brings.iter().map(quoted).collect::<Vec<_>>().join(", "))
            }
            (
                "variable",
                EventKind::Write { variable, .. }
                | EventKind::Remove { variable }
                | EventKind::Refuse { variable, .. },
            ) => Some(variable.clone()),
            ("given", EventKind::Refuse { given, .. }) => Some((*given).to_owned()),
            ("fault", _) => self.fault.map(|(fault, _)| fault.clone()),
            ("conflict", _) => Some(match (self.fault, &self.event.before.rival) {
                (Some((fault, _)), _) => fault.clone(),
                _ => {
                    "another name of this setting has another value, and one of the two is ignored".to_owned()
                }
            }),
            ("switch", EventKind::Write { value, .. }) => Some(
                match value.as_deref().map(str::trim) {
                    Some("1") => "every allocation goes to the driver, which is for debugging only",
                    Some("0") => {
                        "older versions of torch only test whether it is set, and disable their cache"
                    }
                    _ => "torch takes only 0 and 1, and ignores anything else",
                }
                .to_owned(),
            ),
            ("unread", EventKind::Write { variable, value, .. }) => {
                let meaning = || self.known.get(variable).map(|row| row.meaning.clone());
                match (self.event.before.late.last(), value) {
                    (Some(late), _) => Some(format!("it is set after `{}`, which has read it", late.by)),
                    _ if self.known.get(variable).is_some_and(|row| row.is_dead()) => meaning(),
                    (None, Some(value)) => Some(format!("`{value}` is not an integer")),
                    (None, None) => meaning(),
                }
            }
            ("wanted", _) => self.fault.map(|(_, wanted)| wanted.clone()),
            ("late", _) => self.event.before.late.last().map(|late| late.by.to_string()),
            ("known", EventKind::Write { variable, .. }) => self.known.near(variable).map(str::to_owned),
            ("meaning", EventKind::Write { variable, .. }) => {
                self.known.get(variable).map(|row| row.meaning.clone())
            }
            ("instead", EventKind::Write { variable, .. }) => {
                Some(match self.known.get(variable).and_then(|row| row.instead.clone()) {
                    _ if !self.event.before.late.is_empty() => {
                        format!("set {variable} before `{}`", self.event.before.late[0].by)
                    }
                    Some(instead) => format!("use {instead}"),
                    None => "remove it".to_owned(),
                })
            }
            ("text", EventKind::Observed { text, .. }) => Some(text.clone()),
            ("instead", EventKind::Observed { what: Observation::IndexInDevice, .. }) => Some(
                "hand the index over in an argument of its own, `device=\"cuda\", device_index=1`".to_owned(),
            ),
            ("device", EventKind::Select { text, .. }) => Some(text.clone()),
            ("index", EventKind::Select { index: Some(index), .. }) => Some(index.to_string()),
            ("by", EventKind::Select { by, .. }) => Some(by.clone()),
            ("end", _) if self.placed_softly => {
                Some(", and TensorFlow takes another device without an error".to_owned())
            }
            // A key of settings may become a mask, which hides all cards and ends nothing.
            ("end", EventKind::Select { by, .. }) if by.ends_with(')') => {
                Some(", and the program ends with an error".to_owned())
            }
            ("end", EventKind::Select { .. }) => Some(String::new()),
            ("module", EventKind::Import { module, .. }) => Some(module.clone()),
            ("alloc-conf", _) => gpu.and_then(|gpu| gpu.alloc_conf.clone()),
            ("allowed", _) => Some(gpu.map_or_else(|| "cuda:0".to_owned(), |gpu| gpu.allowed_devices())),
            ("mask", _) => Some(match gpu.map(|gpu| gpu.accepted_masks()) {
                Some([]) | None => "0".to_owned(),
                Some(masks) => masks.join("` or `"),
            }),
            _ => None,
        }
    }

    /// The same of what a finding is about. What takes a GPU need not be the first to initialise CUDA.
    pub fn of_use(&self, event: &Event) -> String {
        let words = self.of_event(event);
        match words.strip_prefix("CUDA is initialised here") {
            Some(note) if event.what.takes_gpu() => format!("the GPU is used here{note}"),
            _ => words,
        }
    }

    /// What an event does, for a place beside the finding.
    pub fn of_event(&self, event: &Event) -> String {
        let because = |note: &Option<String>| note.as_ref().map_or(String::new(), |note| format!(": {note}"));
        match &event.what {
            EventKind::Import { note, touches_cuda: true, .. } => {
                format!("this import initialises CUDA{}", because(note))
            }
            EventKind::Import { module, .. } => format!("`{module}` is imported here"),
            EventKind::Call { does, .. } if self.test.is_some() && does.contains(&Does::Allocate) => {
                "this puts memory on the GPU".to_owned()
            }
            EventKind::Call { does, note, .. } if !does.contains(&Does::CudaInit) => {
                format!("the GPU is asked here{}", because(note))
            }
            EventKind::Call { note, .. } => format!("CUDA is initialised here{}", because(note)),
            EventKind::Write { variable, .. } => format!("`{variable}` is set here"),
            EventKind::Remove { variable } => format!("`{variable}` is removed here"),
            EventKind::Restore { variable } => format!("`{variable}` is set to what was read before here"),
            EventKind::Select { text, .. } => format!("`{text}` is chosen here"),
            EventKind::Refuse { variable, .. } => format!("`{variable}` is set here"),
            EventKind::Validate { by } => format!("`{by}` checks the GPU"),
            EventKind::Release { .. } => "this is not reached when something is raised before".to_owned(),
            EventKind::Spawn { .. } => "a process is started here".to_owned(),
            EventKind::Launch { callee, .. } => format!("`{callee}` is started here"),
            EventKind::Observed { text, .. } => format!("`{text}` stands here"),
            EventKind::End => "the file ends here".to_owned(),
        }
    }
}

/// Advice that speaks of no finding in particular: "set the variable" for `set {variable}`.
pub fn in_general(template: &str) -> String {
    /// What the words of advice stand for.
    const MEANINGS: [(&str, &str); 10] = [
        ("alloc-conf", "what the policy wants"),
        ("variable", "the variable"),
        ("allowed", "the device that the policy allows (`cuda:0` without one)"),
        ("order", "the order that the policy wants (`PCI_BUS_ID` without one)"),
        ("mask", "the card that the policy wants"),
        ("name", "the function"),
        ("replacement", "what takes its place"),
        ("meant", "the device that is meant"),
        ("known", "the words that its documentation names"),
        ("instead", "use the form that the call accepts"),
    ];
    // In the middle of code a word is a part of it: `export VARIABLE=…`.
    let parts = template.trim_end().split('`').enumerate().map(|(index, part)| {
        let alone = part.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        match (index % 2, alone) {
            (1, None) => named_in_capitals(part),
            _ => part.to_owned(),
        }
    });
    let mut text = parts.collect::<Vec<_>>().join("`");
    for (word, meaning) in MEANINGS {
        text = text.replace(&format!("`{{{word}}}`"), meaning).replace(&format!("{{{word}}}"), meaning);
    }
    text
}

/// `export {variable}=…` as `export VARIABLE=…`. Other braces, as those of a shell, stay.
fn named_in_capitals(code: &str) -> String {
    let (mut text, mut rest) = (String::with_capacity(code.len()), code);
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        rest = match after.split_once('}') {
            Some((name, after)) if name.chars().all(|c| c.is_ascii_lowercase() || c == '-') => {
                text.push_str(&name.to_ascii_uppercase());
                after
            }
            _ => {
                text.push('{');
                after
            }
        };
    }
    text + rest
}

/// An event as code.
pub fn as_code(what: &EventKind) -> String {
    match what {
        EventKind::Import { module, .. } => format!("import {module}"),
        // A command line.
        EventKind::Call { callee, .. } if callee.contains(' ') => callee.clone(),
        EventKind::Call { callee, .. } if callee.contains(['.', ':']) => {
            format!("{}()", callee.trim_end_matches("()"))
        }
        EventKind::Call { callee, .. } => format!(".{callee}()"),
        EventKind::Validate { by } => format!("{by}()"),
        EventKind::Spawn { callee, .. } => format!("{callee}()"),
        EventKind::Release { by } => by.clone(),
        EventKind::Launch { callee, .. } => callee.clone(),
        EventKind::Observed { text, .. } => text.clone(),
        EventKind::End => "the end of what is set here".to_owned(),
        EventKind::Write { variable, .. }
        | EventKind::Remove { variable }
        | EventKind::Restore { variable }
        | EventKind::Refuse { variable, .. } => variable.clone(),
        EventKind::Select { text, .. } => text.clone(),
    }
}

/// What a variable may hold, in words.
pub fn in_force(reaching: &Reaching) -> String {
    let each: Vec<String> = reaching
        .iter()
        .map(|definition| match definition {
            Definition::Unset => "was never set".to_owned(),
            Definition::Elsewhere => "is set by the caller or by something that is not followed".to_owned(),
            Definition::Set(_, Some(value)) => format!("is {:?}", value),
            Definition::Set(_, None) => "has a value that is not known".to_owned(),
            Definition::Removed(_) => "was removed".to_owned(),
        })
        .collect();
    each.join(", or ")
}
