//! What rules ask about the environment of a whole program: what is missing in it, and what was there before.

use super::conditions::Verdict;
use super::evaluate::Scope;
use super::values::{same_mask, selects_by_integer};
use crate::allocator;
use crate::code::Host;
use crate::facts::Place;
use crate::masks;
use crate::program::knowledge::Does;
use crate::program::trace::{Event, EventKind};
use crate::program::{ALLOCATOR, Definition, Documented, MASK};
use crate::sources::file_name_of;

impl Scope<'_> {
    /// Whether a program that uses torch sets nothing that says what the policy wants of its allocator.
    pub(super) fn allocator_is_missing(&self, event: &Event) -> bool {
        let Some(wanted) = self.policy.gpu.as_ref().and_then(|gpu| gpu.alloc_conf.as_deref()) else {
            return false;
        };
        // Somebody else may have set it.
        let is_open = event.before.mask.iter().any(|mask| matches!(mask, Definition::Elsewhere));
        let sets = |&write: &u32| match &self.trace.event(write).what {
            EventKind::Write { variable, value, .. } => {
                ALLOCATOR.contains(&variable.as_str())
                    && value.as_deref().is_none_or(|value| allocator::includes(value, wanted))
                    && self.trace.event(write).before.late.is_empty()
                    && !self.trace.event(write).in_child
                    && !self.is_for_child(write)
            }
            _ => false,
        };
        !is_open && self.uses_torch() && !self.trace.writes.iter().any(sets)
    }

    fn uses_torch(&self) -> bool {
        let is_torch = |module: &str| module == "torch" || module.starts_with("torch.");
        self.trace.events.iter().any(|event| match &event.what {
            EventKind::Import { module, .. } => {
                let row = self.program.knowledge.package(module);
                is_torch(module) || row.is_some_and(|row| row.imports.iter().any(|brought| is_torch(brought)))
            }
            EventKind::Call { callee, does, .. } => is_torch(callee) || does.contains(&Does::TorchInit),
            _ => false,
        })
    }

    /// Whether a write puts an index that stands there in the place of what somebody outside has given: a launcher, a
    /// scheduler, the process that started a worker, or the runner of parallel tests.
    pub(super) fn overrides_launcher(&self, event: &Event) -> bool {
        let EventKind::Write { value: Some(value), only_if_unset: false, .. } = &event.what else {
            return false;
        };
        let text = self.program.text(event.statement);
        let is_literal = [format!("\"{value}\""), format!("'{value}'")].iter().any(|one| text.contains(one));
        if !is_literal || !selects_by_integer(value) {
            return false;
        }
        let by_launcher = event.before.written.iter().any(|definition| match definition {
            Definition::Set(write, Some(known)) => *write < self.trace.inherited && !same_mask(known, value),
            _ => false,
        });
        let in_worker =
            event.in_child && self.trace.outwards(event.frame).any(|frame| frame.function.is_some());
        let is_conftest = || {
            let name = self.program.name_of(event.place.file);
            file_name_of(name) == "conftest.py" && self.program.tests_run_in_parallel()
        };
        by_launcher || in_worker || self.trace.host == Host::Scheduler || is_conftest()
    }

    /// Whether a write takes the place of the mask that the command gives which starts the program: a command of a launcher
    /// where the value is computed, since two known values are compared elsewhere, and one of a document.
    pub(super) fn ignores_given_mask(&self, event: &Event, verdict: &mut Verdict) -> bool {
        let EventKind::Write { value, only_if_unset: false, .. } = &event.what else { return false };
        let text = self.program.text(event.statement);
        // What each of several workers takes is known, and still a number of its own.
        let by_place = (value.is_none() || event.in_child) && counts_from_zero(text);
        let by_launcher = event.before.written.iter().find_map(|definition| match definition {
            Definition::Set(write, Some(known)) if *write < self.trace.inherited => Some((*write, known)),
            _ => None,
        });
        if let Some((write, known)) = by_launcher {
            let launcher = self.program.name_of(self.trace.event(write).place.file);
            verdict.definition = Some((write, known.to_string()));
            verdict.fault = Some((format!("`CUDA_VISIBLE_DEVICES={known}` of {launcher}"), String::new()));
            let is_entry = value
                .as_ref()
                .is_some_and(|value| known.split(',').any(|entry| entry.trim() == value.as_str()));
            return (by_place || value.is_none() && self.is_other_default(event, write, known))
                && selects_gpus(known)
                && !is_entry;
        }
        let is_literal = |value: &String| {
            [format!("\"{value}\""), format!("'{value}'")].iter().any(|one| text.contains(one))
        };
        let stands_there = event.certain && !event.in_child && value.as_ref().is_some_and(is_literal);
        if !(by_place || stands_there) || asks_for_mask(&self.program.sources.file(event.place.file).text) {
            return false;
        }
        // Where a command says the same, nothing is lost.
        let differs = |command: &&Documented| {
            Some(command.starts) == self.trace.entry
                && !value.as_ref().is_some_and(|value| same_mask(value, &command.mask))
        };
        let Some(told) = self.program.documented_masks().iter().find(differs) else { return false };
        let document = self.program.name_of(told.document);
        verdict.fault = Some((format!("`CUDA_VISIBLE_DEVICES={}` of {document}", told.mask), String::new()));
        true
    }

    /// Whether a mask is the default of an option that the command does not give, and another one than that of the command.
    fn is_other_default(&self, event: &Event, write: u32, known: &str) -> bool {
        let file = &self.program.sources.file(event.place.file).text;
        // Behind a test, an option may say that the mask is to stay.
        if !event.certain {
            return false;
        }
        let Some((flags, default)) = option_of_mask(self.program.text(event.statement), file) else {
            return false;
        };
        let given = self.trace.event(write).place;
        let mut commands = self.program.run_commands().flatten();
        let starts = commands.find(|command| {
            command.site.file == given.file && command.site.span.holds(given.span)
                || same_line(command.site, given, &self.program.sources.file(given.file).text)
        });
        let is_given = starts.is_none_or(|command| {
            command.words.iter().any(|word| word.as_deref().is_none_or(|word| gives(word, &flags)))
        });
        !is_given && !asks_for_mask(file) && !same_mask(&default, known)
    }
}

/// Whether a word of a command gives an option: `--gpu=1`, `-g1`, and `--gp`, which argparse completes.
fn gives(word: &str, flags: &[&str]) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    flags.iter().any(|flag| {
        let is_short = name.len() > 2 && name.starts_with("--") && flag.starts_with(name);
        is_short || word.starts_with(flag)
    })
}

/// The option that a mask is taken from, by all its names, and its default: `str(args.gpu)` of
/// `add_argument("-g", "--gpu", type=int, default=0)`.
fn option_of_mask<'f>(statement: &str, file: &'f str) -> Option<(Vec<&'f str>, String)> {
    let value = statement.split_once('=')?.1.trim();
    let value = value.strip_prefix("str(").and_then(|rest| rest.strip_suffix(')')).unwrap_or(value);
    let (object, name) = value.split_once('.')?;
    let is_name = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    if !is_name(object) || !is_name(name) {
        return None;
    }
    let flag = format!("--{name}");
    let at = ["\"", "'"].iter().find_map(|quote| file.find(&format!("{quote}{flag}{quote}")))?;
    let told = file[at..].split("add_argument").next()?;
    let before = file[..at].rsplit("add_argument").next().unwrap_or_default();
    let words = before.split(['"', '\'']).chain(told.split(['"', '\'']));
    let flags = words.filter(|word| word.starts_with('-') && !word.contains(char::is_whitespace)).collect();
    let default = told.split_once("default=")?.1;
    let default = default.trim_start_matches(['"', '\'']).split(['"', '\'', ',', ')']).next()?.trim();
    let is_mask = !default.is_empty() && default.bytes().all(|byte| byte.is_ascii_digit() || byte == b',');
    is_mask.then(|| (flags, default.to_owned()))
}

/// Whether a setting stands in the line of a command.
fn same_line(command: Place, setting: Place, text: &str) -> bool {
    let (start, end) = (setting.span.start as usize, command.span.start as usize);
    command.file == setting.file
        && start <= end
        && text.get(start..end).is_some_and(|between| !between.contains('\n'))
}

/// Whether a statement computes a mask from the number of a process, or from 0 up to a number.
fn counts_from_zero(statement: &str) -> bool {
    const RANKS: &[&str] = &["Get_rank()", "local_rank", "LOCAL_RANK", "hvd.rank()"];
    let Some((_, value)) = statement.split_once('=') else { return false };
    // `cards[rank]` of a list that somebody else has made
    let looks_up = value.char_indices().any(|(at, one)| {
        one == '['
            && value[..at]
                .ends_with(|before: char| before.is_alphanumeric() || matches!(before, '_' | ')' | ']'))
            && !value[..at].ends_with("environ")
    });
    let by_range = value.contains("range(") && value.contains(".join(");
    !looks_up && (by_range || is_share_of_cards(value) || RANKS.iter().any(|rank| value.contains(rank)))
}

/// `worker % num_gpus`, but not `"%d" % gpu`.
fn is_share_of_cards(value: &str) -> bool {
    let is_part = |one: char| one.is_alphanumeric() || matches!(one, '_' | '.' | '(');
    value.match_indices('%').any(|(at, _)| {
        let is_number =
            value[..at].trim_end().ends_with(|one: char| one.is_alphanumeric() || matches!(one, '_' | ')'));
        let behind = value[at + 1..].trim_start();
        let name = &behind[..behind.find(|one| !is_part(one)).unwrap_or(behind.len())];
        is_number && ["gpu", "device", "card"].iter().any(|word| name.to_ascii_lowercase().contains(word))
    })
}

/// Whether a file asks whether somebody has set the mask.
fn asks_for_mask(text: &str) -> bool {
    const QUESTIONS: &[&str] = &["get(", "getenv(", "environ[", "setdefault(", "pop("];
    text.match_indices(MASK).any(|(at, _)| {
        let before = text[..at].trim_end_matches(['"', '\'']);
        let behind = text[at + MASK.len()..].trim_start_matches(['"', '\'', ']']).trim_start();
        let writes = behind.starts_with('=') && !behind.starts_with("==");
        QUESTIONS.iter().any(|question| before.ends_with(question)) && !writes
            || ["in os.environ", "not in os.environ", "in environ"].iter().any(|one| behind.starts_with(one))
    })
}

/// `""` and `-1` say that no GPU may be used.
fn selects_gpus(mask: &str) -> bool {
    masks::read(mask).kind != masks::Kind::Nothing
}
