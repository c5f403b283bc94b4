//! What known names do: their effects, as far as their arguments say that they happen.

use super::Interpreter;
use super::calls::{Arg, Args};
use super::device_indices::is_spread;
use super::devices::Device;
use crate::facts::Span;
use crate::program::heap::values::{PathId, Value};
use crate::program::knowledge::{Does, Effect, EffectRow, Literal};
use crate::program::state::State;
use crate::program::trace::{Choice, EventKind, Takes};
use crate::sources::Language;
use crate::versions::Range;
use std::collections::BTreeMap;

/// How the libraries name the question for the number of GPUs.
const COUNTING: &[&str] =
    &["device_count", "num_devices", "getDeviceCount", "get_cuda_device_count", "DeviceGetCount"];

/// Whether a call asks how many GPUs there are, by its name.
pub(super) fn counts_gpus(callee: &str) -> bool {
    COUNTING.iter().any(|count| callee.ends_with(count))
}

impl<'p> Interpreter<'p> {
    /// Looking an attribute up: some ask the driver.
    pub(super) fn apply_read_effects(&mut self, path: PathId, span: Span) {
        let text = self.paths.text(path);
        let effects = self.program.knowledge.of_read(text);
        if !effects.is_empty() && !self.is_mocked(text) {
            let text = text.clone();
            effects.iter().for_each(|effect| self.apply(effect, &text, &Args::default(), span));
        }
    }

    /// Setting an attribute of something outside the project: some choose a device.
    pub(super) fn apply_assignment_effects(
        &mut self,
        object: &Value<'p>,
        name: &'p str,
        value: &Value<'p>,
        span: Span,
    ) {
        let Value::Outside(path) = object else { return };
        let path = self.paths.child(*path, name);
        let text = self.paths.text(path).clone();
        let args = Args::positional(vec![value.clone()], span);
        self.program
            .knowledge
            .of_assignment(&text)
            .iter()
            .for_each(|effect| self.apply(effect, &text, &args, span));
    }

    pub(super) fn apply_subscript_effects(&mut self, path: PathId, key: &Value<'p>, span: Span) {
        let text = self.paths.text(path).clone();
        let args = Args { items: vec![Arg { name: None, value: key.clone(), span }], open: false };
        let knowledge = self.program.knowledge;
        // `jax.devices("cpu")[1]` is not a GPU.
        let made_with = self.made_with(path).and_then(|made| made.at(0));
        if made_with.is_some_and(
            |kind| !matches!(&kind.value, Value::Text(text) if matches!(&*text.text, "gpu" | "GPU" | "cuda")),
        ) {
            return;
        }
        knowledge.of_subscript(&text).iter().for_each(|effect| self.apply(effect, &text, &args, span));
    }

    pub(super) fn apply_iteration_effects(&mut self, path: PathId, span: Span) {
        let text = self.paths.text(path).clone();
        let effects = self.program.knowledge.of_iteration(&text);
        if !effects.is_empty() {
            let args = self.made_with(path).cloned().unwrap_or_default();
            effects.iter().for_each(|effect| self.apply(effect, &text, &args, span));
        }
    }

    /// Notes what a known call does, given its arguments.
    pub(super) fn apply(&mut self, effect: &'p Effect, callee: &str, args: &Args<'p>, span: Span) {
        let row = &*effect.row;
        if row.harmless || !self.conditions_hold(row, args) {
            return;
        }
        let devices = self.device_arguments(&row.devices, args);
        let by_default = row.is_on_gpu_unless_told()
            || (self.state.set_up().default_is_gpu && callee.starts_with("torch."));
        let mut on_gpu = devices.is_empty() && by_default;
        let (mut sure, mut negative, mut names_gpu) = (is_decided(row, args), false, false);
        let mut takes = taken_by(row, &devices, args);
        if row.takes_own_number || row.takes_several && self.is_set_by_launcher("RANK") {
            takes = Takes::OwnNumber;
        } else if takes == Takes::PerhapsNumbered && callee.ends_with("set_device") {
            takes = Takes::Numbered;
        }
        for (device, at) in devices {
            match device {
                Device::Gpu { index, text, place } => {
                    (on_gpu, names_gpu) = (true, true);
                    // A map that spreads a model takes every GPU that is visible.
                    if index.is_some() || is_spread(&text) {
                        let place = self.place_of_choice(place, at, span);
                        let name = self.name_of_call(callee);
                        let is_path = name.contains(['.', ':']);
                        let by = name.trim_end_matches("()");
                        let by = if is_path { format!("{by}()") } else { format!(".{by}()") };
                        let choice = match &row.does {
                            does if does.contains(&Does::NameDevice) => Choice::Named,
                            does if does.contains(&Does::WriteMask) => Choice::Masked,
                            _ => Choice::Taken,
                        };
                        self.note_choice(index, text, &by, place, choice);
                    }
                }
                Device::Negative => negative = true,
                Device::Other if row.only_on_gpu => sure = false,
                Device::Unknown if row.only_on_gpu => sure = false,
                Device::Other | Device::Unknown => on_gpu = true,
            }
        }
        if counts_gpus(callee) {
            self.asked_count = true;
        }
        if row.does.contains(&Does::Release) {
            self.note_release(callee, span);
        }
        let noted = |does: &Does| {
            let elsewhere = [
                Does::SelectDevice,
                Does::NameDevice,
                Does::DefaultDevice,
                Does::WriteMask,
                Does::Release,
                Does::Threads,
            ];
            !elsewhere.contains(does)
        };
        if row.does.contains(&Does::Threads) {
            self.pass_call(&effect.library, &[Does::Threads], callee, span);
        }
        let does: Vec<Does> = row.does.iter().copied().filter(noted).collect();
        if row.does.contains(&Does::DefaultDevice) {
            self.state.set_up_mut().default_is_gpu = names_gpu && sure;
        }
        if !on_gpu || does.is_empty() || (negative && row.ignore_negative) {
            return;
        }
        self.uncertain += usize::from(!sure);
        let narrowed = self.where_on_gpu(row, args);
        let outer = narrowed.map(|state| std::mem::replace(&mut self.state, state));
        let before = self.state.cuda;
        let callee = self.name_of_call(callee);
        self.pass_call(&effect.library, &does, &callee, span);
        self.note(EventKind::Call { callee, does, takes, note: row.note.clone() }, span);
        if let Some(outer) = outer {
            let narrowed = std::mem::replace(&mut self.state, outer);
            if narrowed.cuda != before && self.state.cuda.is_none() {
                self.state.cuda = narrowed.cuda;
                self.state.milestones = narrowed.milestones;
            }
        }
        self.uncertain -= usize::from(!sure);
    }

    /// Whether a call with these arguments surely puts memory on a GPU.
    pub(super) fn puts_on_gpu(&mut self, effect: &'p Effect, args: &Args<'p>) -> bool {
        let row = &*effect.row;
        if !row.does.contains(&Does::Allocate) || !self.conditions_hold(row, args) {
            return false;
        }
        let devices = self.device_arguments(&row.devices, args);
        match devices.is_empty() {
            true => row.is_on_gpu_unless_told(),
            false => devices.iter().all(|(device, _)| matches!(device, Device::Gpu { .. })),
        }
    }

    /// The name of a call as its language writes it.
    fn name_of_call(&self, callee: &str) -> String {
        match self.program.language_of(self.here.file) {
            Language::Rust => callee.replace(").", ")\u{0}").replace('.', "::").replace('\u{0}', "."),
            _ => callee.to_owned(),
        }
    }

    /// What is true where the device that is passed is a GPU, when an earlier condition decided that.
    fn where_on_gpu(&mut self, row: &EffectRow, args: &Args<'p>) -> Option<State> {
        let is_gpu = |run: &mut Self, form, value: &Value<'p>| {
            let argument = Arg { name: None, value: value.clone(), span: Span::default() };
            run.devices_in(form, &argument).iter().any(|device| matches!(device, Device::Gpu { .. }))
        };
        row.devices.iter().filter(|_| row.only_on_gpu).find_map(|spec| {
            let value = args.get(spec.position, spec.name.as_deref())?.value.clone();
            self.where_value(&value, |run, value| is_gpu(run, spec.form, value))
        })
    }

    /// Whether the project's versions of packages are known, and all among these.
    pub(super) fn requirements_hold(&self, requires: &BTreeMap<String, Range>) -> bool {
        let file = self.program.name_of(self.here.file);
        let fits = |(package, wanted): (&String, &Range)| {
            self.program.versions().satisfies(file, package, wanted) == Some(true)
        };
        requires.iter().all(fits)
    }

    /// Whether one of the project's packages is known to have none of these versions.
    fn is_another_version(&self, may_be: &BTreeMap<String, Range>) -> bool {
        let file = self.program.name_of(self.here.file);
        let other = |(package, wanted): (&String, &Range)| {
            self.program.versions().satisfies(file, package, wanted) == Some(false)
        };
        may_be.iter().any(other)
    }

    fn conditions_hold(&mut self, row: &EffectRow, args: &Args<'p>) -> bool {
        let is = |name: &str, wanted: &Literal| {
            args.keyword(name).is_some_and(|argument| literal_is(&argument.value, wanted))
        };
        self.requirements_hold(&row.requires)
            && !self.is_another_version(&row.may_be)
            && row.unless_env.iter().all(|(variable, value)| !self.variable_is(variable, value))
            && !row.unless.iter().any(|(name, wanted)| is(name, wanted))
            && row.only_if.iter().all(|(name, wanted)| is(name, wanted))
            && row.if_position.iter().all(|(position, kind)| {
                let value = args.at(*position).map(|argument| &argument.value);
                match (&**kind, value) {
                    ("string-or-signature", Some(Value::Text(_))) => true,
                    ("string-or-signature", _) => false,
                    ("absent", None) => args.items.is_empty() && !args.open,
                    (literal, Some(Value::Text(text))) => text.text == literal,
                    _ => false,
                }
            })
    }
}

/// Which GPU a call takes that is given these devices.
fn taken_by<P>(row: &EffectRow, devices: &[(Device, P)], args: &Args<'_>) -> Takes {
    let is_one = |name: &str| args.keyword(name).is_some_and(|one| matches!(one.value, Value::Int(1, _)));
    let has = |wanted: Takes| devices.iter().any(|(device, _)| device.takes() == wanted);
    let named = [Takes::Numbered, Takes::PerhapsNumbered, Takes::Several].into_iter().find(|one| has(*one));
    match named {
        None if row.takes_several && !["devices", "gpus"].into_iter().any(is_one) => Takes::Several,
        named => named.unwrap_or(Takes::First),
    }
}

/// Whether the arguments that an object was made with decide what the row asks about them: `Trainer(**options)`
/// does not say that it stays away from the GPU, nor that it does not.
fn is_decided(row: &EffectRow, args: &Args<'_>) -> bool {
    let is_constant =
        |value: &Value<'_>| matches!(value, Value::Text(_) | Value::Bool(_) | Value::Int(..) | Value::None);
    let asked = row.unless.keys().filter_map(|name| args.keyword(name));
    !row.as_made
        || row.unless.is_empty()
        || (!args.open
            && args.at(0).is_none()
            && asked.into_iter().all(|argument| is_constant(&argument.value)))
}

fn literal_is(value: &Value<'_>, wanted: &Literal) -> bool {
    match (value, wanted) {
        (Value::Bool(value), Literal::Bool(wanted)) => value == wanted,
        (Value::Int(value, _), Literal::Int(wanted)) => value == wanted,
        (Value::Int(value, _), Literal::Text(word)) if word == "nonzero" => *value != 0,
        (Value::Text(text), Literal::Text(wanted)) => text.text == *wanted,
        _ => false,
    }
}
