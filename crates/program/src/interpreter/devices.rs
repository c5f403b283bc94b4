//! Which GPU a call, a parameter, a key or a field chooses.

use super::Interpreter;
use super::calls::{Arg, Args};
use super::device_indices::{cuda_index, indices_of, is_spread};
use crate::commands::attribute_of_option;
use crate::facts::{Place, Span};
use crate::program::heap::values::Value;
use crate::program::knowledge::{DeviceArgument, DeviceForm};
use crate::program::state::{Definition, MASK};
use crate::program::summaries::Dependency;
use crate::program::trace::{Choice, EventKind, Takes};

/// What a device argument says.
pub(super) enum Device {
    /// The GPU with this index, or the current one.
    Gpu {
        index: Option<i64>,
        text: String,
        place: Option<Place>,
    },
    /// The CPU, or a device that is not CUDA.
    Other,
    /// A negative index.
    Negative,
    Unknown,
}

impl Device {
    /// Which GPU that is, where no mask says which there are.
    pub fn takes(&self) -> Takes {
        match self {
            Device::Gpu { index: Some(0), .. } => Takes::First,
            Device::Gpu { index: Some(_), .. } => Takes::Numbered,
            Device::Gpu { index: None, text, .. } if text.starts_with("cuda:") => Takes::Numbered,
            Device::Gpu { index: None, text, .. } if is_spread(text) => Takes::Several,
            Device::Unknown => Takes::PerhapsNumbered,
            Device::Gpu { .. } | Device::Other | Device::Negative => Takes::First,
        }
    }
}

impl<'p> Interpreter<'p> {
    /// `device = "cuda:1"`, `def f(device="cuda:1")`, `device: str = "cuda:1"`.
    pub(super) fn chosen_by_name(&mut self, name: &str, value: &Value<'p>) {
        if names_device(name) {
            self.choose_literal(name, value, Choice::Named);
        }
    }

    /// `f(device="cuda:1")`, whoever `f` is.
    pub(super) fn chosen_by_keyword(&mut self, callee: &str, name: &str, value: &Value<'p>) {
        if names_device(name) && !only_records(callee) {
            self.choose_literal(name, value, Choice::Named);
        }
    }

    /// `def f(gpu_id=1)`, `gpu_id: int = 1` in a class, `config.get("gpu_id", 1)`: an integer that nothing else computes.
    pub(super) fn chosen_by_default(&mut self, name: &str, value: &Value<'p>) {
        self.chosen_by_name(name, value);
        if let Value::Int(index, place) = value
            && *index >= 0
            && names_gpu_index(name)
        {
            self.note_choice(Some(*index), index.to_string(), name, *place, Choice::Named);
        }
    }

    /// `config.get("device", "cuda:1")`
    pub(super) fn chosen_by_key_default(&mut self, key: &Value<'p>, value: &Value<'p>) {
        if let Value::Text(key) = key {
            self.chosen_by_default(&key.text.clone(), value);
        }
    }

    /// `{"device": "cuda:1"}`, `config["device"] = "cuda:1"`, `config.get("device", "cuda:1")`.
    pub(super) fn chosen_by_key(&mut self, key: &Value<'p>, value: &Value<'p>) {
        if let Value::Text(key) = key
            && names_device(&key.text)
        {
            self.choose_literal(&key.text.clone(), value, Choice::Named);
        }
    }

    /// `device: cuda:1` or `gpu_id: 1` in a configuration file.
    pub(super) fn chosen_by_setting(&mut self, key: &str, value: &Value<'p>) {
        let key = key.replace('-', "_").to_ascii_lowercase();
        match value {
            Value::Text(text) if key == "device" || key.ends_with("_device") => {
                // Programs other than torch's say `gpu:1`.
                match text.text.trim().to_ascii_lowercase().starts_with("gpu:") {
                    true => {
                        if let Some(index) = cuda_index(&text.text, true) {
                            let text = (text.text.trim().to_owned(), text.place);
                            self.note_choice(Some(index), text.0, &key, text.1, Choice::Taken);
                        }
                    }
                    false => self.choose_literal(&key, value, Choice::Taken),
                }
            }
            Value::Int(index, place) if names_gpu_index(&key) => {
                self.note_choice(Some(*index), index.to_string(), &key, *place, Choice::Taken);
            }
            _ => {}
        }
    }

    /// Only text that names a CUDA device counts here: an integer may be any kind of device.
    pub(super) fn choose_literal(&mut self, by: &str, value: &Value<'p>, choice: Choice) {
        let several = value.alternatives().len() > 1;
        self.uncertain += usize::from(several);
        for value in value.alternatives() {
            let Value::Text(text) = value else { continue };
            if let Some(index) = cuda_index(&text.text, false) {
                self.note_choice(Some(index), text.text.to_string(), by, text.place, choice);
            }
        }
        self.uncertain -= usize::from(several);
    }

    /// `add_argument("--device", default="cuda:1")` and its relatives.
    pub(super) fn chosen_by_option(&mut self, args: &Args<'p>) {
        let Some(default) = args.keyword("default").or_else(|| args.at(0)).cloned() else { return };
        let name = args.items.iter().filter(|argument| argument.name.is_none()).find_map(|argument| {
            let Value::Text(text) = &argument.value else { return None };
            let name = attribute_of_option(&text.text);
            (names_device(&name) || names_gpu_index(&name)).then_some(name)
        });
        if let Some(name) = name {
            self.chosen_by_default(&name, &default.value);
        }
    }

    /// Where the choice of a GPU stands: at the value, but for one that the launcher gave to a program which sets the mask
    /// itself; there it is the program that makes an index of it.
    pub(super) fn place_of_choice(&mut self, value: Option<Place>, argument: Span, call: Span) -> Place {
        let Some(place) = value.filter(|place| self.trace.told.contains(place)) else {
            return value.unwrap_or(self.place(argument));
        };
        let inherited = self.trace.inherited;
        let is_own =
            |definition: &Definition| matches!(definition, Definition::Set(write, _) if *write >= inherited);
        if self.reaching(MASK).iter().any(is_own) { self.place(call) } else { place }
    }

    pub(super) fn note_choice(
        &mut self,
        index: Option<i64>,
        text: String,
        by: &str,
        place: Place,
        choice: Choice,
    ) {
        self.summaries.note(Dependency::ExpectsFailure(self.expects_failure));
        if self.expects_failure {
            return;
        }
        // The literal may stand in a branch that counted the devices, and be used after it.
        let counted = self.count_devices(self.counted_places.contains(&place));
        self.forget_vaguer_choice(place);
        self.note_at(EventKind::Select { index, text, by: by.to_owned(), choice }, place);
        self.state.counted = counted;
    }

    /// Whether the number of devices was checked on the way here.
    pub(super) fn has_counted(&mut self) -> bool {
        self.summaries.note(Dependency::Counted(self.state.counted));
        self.state.counted
    }

    /// From here on the number of devices `is_counted`; whether it was before.
    pub(super) fn count_devices(&mut self, is_counted: bool) -> bool {
        let before = self.state.counted;
        if is_counted && !before {
            self.has_counted();
            self.state.counted = true;
        }
        before
    }

    /// `f(device="cuda:1")` was noted as a choice by `device` before `f` was known to take one: the call says
    /// more.
    fn forget_vaguer_choice(&mut self, place: Place) {
        let statement = self.place(self.here.statement);
        let is_same = self.trace.events.last().is_some_and(|last| {
            let here = (last.place, last.statement, last.frame) == (place, statement, self.here.frame);
            here && matches!(last.what, EventKind::Select { .. })
        });
        if is_same && self.quiet == 0 {
            self.trace.events.pop();
        }
    }

    /// Reads one device argument.
    pub(super) fn devices_in(&mut self, form: DeviceForm, argument: &Arg<'p>) -> Vec<Device> {
        let value = self.force(argument.value.clone());
        let value = self.option_default(&value).unwrap_or(value);
        let value = self.whole_contents(&value);
        let mut devices = Vec::new();
        for value in value.alternatives() {
            self.read_device(form, value, &mut devices);
        }
        devices
    }

    fn read_device(&mut self, form: DeviceForm, value: &Value<'p>, devices: &mut Vec<Device>) {
        let gpu = |index: i64, value: &Value<'p>| Device::Gpu {
            index: Some(index),
            text: value.as_text().unwrap_or_default().into_owned(),
            place: value.place(),
        };
        devices.push(match (form, value) {
            (
                DeviceForm::Device | DeviceForm::Map | DeviceForm::GpuName | DeviceForm::Name,
                Value::Text(text),
            ) => {
                let gpu_names = form == DeviceForm::GpuName;
                match &*text.text {
                    "cuda" => Device::Gpu { index: None, text: "cuda".to_owned(), place: Some(text.place) },
                    "gpu" | "GPU" | "/GPU" if gpu_names => {
                        Device::Gpu { index: None, text: text.text.to_string(), place: Some(text.place) }
                    }
                    // Spreads over the GPUs that are visible.
                    spread if form == DeviceForm::Map && is_spread(spread) => {
                        Device::Gpu { index: None, text: text.text.to_string(), place: Some(text.place) }
                    }
                    name => match cuda_index(name, gpu_names) {
                        // Such a call refuses it.
                        Some(_) if form == DeviceForm::Name => Device::Unknown,
                        Some(index) => gpu(index, value),
                        // `f"cuda:{rank}"` with a rank that is not known.
                        None if name.starts_with("cuda:") => {
                            Device::Gpu { index: None, text: name.to_owned(), place: Some(text.place) }
                        }
                        None => Device::Other,
                    },
                }
            }
            (DeviceForm::TensorType, Value::Text(text)) => on_gpu_by_type(&text.text, Some(text.place)),
            (DeviceForm::TensorType, Value::Outside(path)) => on_gpu_by_type(self.paths.text(*path), None),
            (
                DeviceForm::Device | DeviceForm::Index | DeviceForm::Indices | DeviceForm::Map,
                Value::Int(index, _),
            ) => {
                if *index < 0 {
                    Device::Negative
                } else {
                    gpu(*index, value)
                }
            }
            // None of the GPUs, which is not the same as no word about them.
            (DeviceForm::Indices, Value::Sequence(values)) if values.is_empty() => Device::Other,
            (DeviceForm::Indices | DeviceForm::Count, Value::Sequence(values)) => {
                values.iter().for_each(|value| self.read_device(DeviceForm::Index, value, devices));
                return;
            }
            (DeviceForm::Count, Value::Text(text)) if text.text.contains(',') => {
                let indices = text.text.split(',').filter_map(|part| part.trim().parse::<i64>().ok());
                devices.extend(indices.map(|index| gpu(index, value)));
                return;
            }
            (DeviceForm::Indices, Value::Text(text)) => {
                let indices = text.text.split([',', ':']).flat_map(indices_of);
                devices.extend(indices.map(|index| gpu(index, value)));
                return;
            }
            (DeviceForm::Map | DeviceForm::Device, Value::Mapping(items)) => {
                // What lies deeper is nobody's device, and may be without end.
                let values = items.iter().map(|(_, value)| value);
                let flat = values.filter(|value| !matches!(value, Value::Mapping(_)));
                flat.for_each(|value| self.read_device(DeviceForm::Device, value, devices));
                return;
            }
            (DeviceForm::Pair, Value::Sequence(pair)) => {
                let last = pair.last().map_or(&[][..], |last| last.alternatives());
                last.iter().for_each(|value| self.read_device(DeviceForm::Device, value, devices));
                return;
            }
            (DeviceForm::Providers, Value::Sequence(providers)) => {
                providers.iter().for_each(|provider| self.read_provider(provider, devices));
                return;
            }
            (DeviceForm::Providers, Value::Mapping(_)) => {
                self.read_provider_options(value, devices);
                return;
            }
            (DeviceForm::Parameters, Value::Mapping(items)) => {
                items.iter().for_each(|(key, value)| self.read_parameter(key, value, devices));
                return;
            }
            (_, Value::None) => return,
            _ => Device::Unknown,
        });
    }

    /// One of the parameters of a learner: some of them choose the device.
    fn read_parameter(&mut self, key: &Value<'p>, value: &Value<'p>, devices: &mut Vec<Device>) {
        let Value::Text(key) = key else { return };
        match (&*key.text, value) {
            ("device", value) => self.read_device(DeviceForm::Device, value, devices),
            ("gpu_id" | "gpu_device_id", value) => self.read_device(DeviceForm::Index, value, devices),
            ("devices", value) => self.read_device(DeviceForm::Indices, value, devices),
            ("tree_method", Value::Text(method)) if method.text == "gpu_hist" => {
                devices.push(Device::Gpu {
                    index: None,
                    text: method.text.to_string(),
                    place: Some(method.place),
                });
            }
            _ => {}
        }
    }

    /// `"CUDAExecutionProvider"` or `("CUDAExecutionProvider", {"device_id": 1})`.
    fn read_provider(&mut self, provider: &Value<'p>, devices: &mut Vec<Device>) {
        let (name, options) = match provider {
            Value::Sequence(pair) if pair.len() == 2 => (&pair[0], Some(&pair[1])),
            provider => (provider, None),
        };
        match name {
            Value::Text(name)
                if ["CUDA", "Tensorrt", "ROCM", "NvTensorRTRTX"]
                    .iter()
                    .any(|kind| name.text.starts_with(kind)) =>
            {
                let before = devices.len();
                if let Some(options) = options {
                    self.read_provider_options(options, devices);
                }
                if devices.len() == before {
                    devices.push(Device::Gpu {
                        index: None,
                        text: name.text.to_string(),
                        place: Some(name.place),
                    });
                }
            }
            Value::Text(_) => devices.push(Device::Other),
            Value::Mapping(_) => self.read_provider_options(name, devices),
            _ => devices.push(Device::Unknown),
        }
    }

    fn read_provider_options(&mut self, options: &Value<'p>, devices: &mut Vec<Device>) {
        let Value::Mapping(items) = options else { return };
        for (key, value) in items.iter() {
            if !matches!(key, Value::Text(key) if key.text == "device_id") {
                continue;
            }
            match value {
                // onnxruntime takes the index as text too.
                Value::Text(text) => {
                    if let Ok(index) = text.text.parse() {
                        devices.push(Device::Gpu {
                            index: Some(index),
                            text: text.text.to_string(),
                            place: Some(text.place),
                        });
                    }
                }
                value => self.read_device(DeviceForm::Index, value, devices),
            }
        }
    }

    /// The device arguments that a call was given, read.
    pub(super) fn device_arguments(
        &mut self,
        specs: &[DeviceArgument],
        args: &Args<'p>,
    ) -> Vec<(Device, Span)> {
        let mut found = Vec::new();
        for spec in specs {
            if let Some(argument) = args.get(spec.position, spec.name.as_deref()) {
                let argument = argument.clone();
                if spec.form == DeviceForm::Name {
                    self.observe_index_in_name(&argument, spec.name.as_deref());
                }
                found.extend(
                    self.devices_in(spec.form, &argument).into_iter().map(|device| (device, argument.span)),
                );
            }
        }
        found
    }
}

/// Whether a call keeps what it is given for people or tests to look at: metric labels, logs, mocks.
fn only_records(callee: &str) -> bool {
    let last = callee.rsplit('.').next().unwrap_or(callee);
    let words = [
        "labels",
        "debug",
        "info",
        "warning",
        "error",
        "critical",
        "exception",
        "log",
        "print",
        "tag",
        "call",
    ];
    words.contains(&last)
        || last.ends_with("Mock")
        || last.starts_with("assert_called")
        || last.starts_with("patch")
}

/// Whether a name or key is, or ends in, `device`.
fn names_device(name: &str) -> bool {
    let name = name.trim_end_matches('_').as_bytes();
    let name = name.strip_suffix(b"s").or(name.strip_suffix(b"S")).unwrap_or(name);
    name.len().checked_sub("device".len()).is_some_and(|at| name[at..].eq_ignore_ascii_case(b"device"))
}

/// Whether a literal that is bound to this name may be noted as the choice of a GPU.
pub(super) fn may_choose(name: &str) -> bool {
    names_device(name) || names_gpu_index(name)
}

/// Whether `torch.cuda.FloatTensor` is the type of a tensor on a GPU.
fn on_gpu_by_type(name: &str, place: Option<Place>) -> Device {
    match name.starts_with("torch.cuda.") && name.ends_with("Tensor") {
        true => Device::Gpu { index: None, text: name.to_owned(), place },
        false => Device::Other,
    }
}

/// Keys of configuration files whose integers are indices of GPUs; a plain `device` may be anything.
fn names_gpu_index(key: &str) -> bool {
    const NAMES: &[&str] = &[
        "gpu_id",
        "cuda_device",
        "cuda_device_id",
        "gpu_device",
        "gpu_device_index",
        "cuda_device_index",
        "main_gpu",
        "gpu_index",
        "device_gpu_id",
    ];
    NAMES.iter().any(|name| name.eq_ignore_ascii_case(key))
}
