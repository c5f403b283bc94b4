//! Models that a program moves: what moves one gives the model itself, and what lies on the GPU is of no use to a copy of the process.

use super::Interpreter;
use super::call_model::Effects;
use super::calls::Args;
use super::devices::Device;
use super::known_effects::root_of;
use crate::facts::Span;
use crate::program::heap::values::{PathId, Value};
use crate::program::knowledge::{DeviceForm, Does, Effect};
use crate::program::trace::{EventKind, Takes};

/// The attribute under which a model remembers that it was moved to the GPU.
const ON_GPU: &str = "__on_gpu__";

/// Methods that every model of torch has, and that give the model.
const GIVE_ITSELF: &[&str] = &[
    "apply",
    "bfloat16",
    "cpu",
    "cuda",
    "double",
    "eval",
    "float",
    "half",
    "requires_grad_",
    "share_memory",
    "to",
    "to_empty",
    "train",
];

/// Those of them that only a model has, whatever library it comes from.
const OF_MODELS: &[&str] = &["cuda", "eval", "half", "to"];

/// Methods that compute with what a model holds.
const COMPUTE: &[&str] = &[
    "chat",
    "embed",
    "encode",
    "forward",
    "generate",
    "infer",
    "inference",
    "predict",
    "sample",
    "synthesize",
    "transcribe",
    "translate",
    "tts",
];

impl<'p> Interpreter<'p> {
    /// Calls a method that the class of an object has from a library.
    pub(super) fn call_method_of_base(
        &mut self,
        receiver: &Value<'p>,
        name: &str,
        method: Value<'p>,
        args: Args<'p>,
        span: Span,
    ) -> Value<'p> {
        let itself = self.gives_itself(receiver, name, &method).then(|| receiver.clone());
        if itself.is_some() && matches!(name, "cuda" | "cpu" | "to") {
            self.remember_move(receiver, name, &args);
        }
        let result = match method {
            Value::Unknown => {
                self.run_callbacks(name, &args, span);
                self.apply_method_effects(name, &args, span);
                Value::Unknown
            }
            method => self.call(method, args, span),
        };
        itself.unwrap_or(result)
    }

    fn gives_itself(&self, receiver: &Value<'p>, name: &str, method: &Value<'p>) -> bool {
        if !matches!(receiver, Value::Instance(_)) || !GIVE_ITSELF.contains(&name) {
            return false;
        }
        match method {
            Value::Unknown => OF_MODELS.contains(&name),
            Value::Outside(path) => {
                let root = root_of(self.paths.text(*path));
                let package = self.program.knowledge.package(root);
                let builds_on_torch =
                    root == "torch" || package.is_some_and(|row| row.makes_objects_of("torch"));
                builds_on_torch || OF_MODELS.contains(&name)
            }
            _ => false,
        }
    }

    fn remember_move(&mut self, receiver: &Value<'p>, name: &str, args: &Args<'p>) {
        let is_on_gpu = match (name, args.at(0).cloned()) {
            ("cuda", _) => true,
            ("to", Some(device)) => {
                let devices = self.devices_in(DeviceForm::Device, &device);
                !devices.is_empty() && devices.iter().all(|device| matches!(device, Device::Gpu { .. }))
            }
            _ => false,
        };
        if is_on_gpu || self.lies_on_gpu(receiver) {
            self.bind_attribute(receiver, ON_GPU, Value::Bool(is_on_gpu));
        }
    }

    fn lies_on_gpu(&mut self, object: &Value<'p>) -> bool {
        let Value::Instance(instance) = object else { return false };
        matches!(self.heap.get(instance.scope, ON_GPU), Some(Value::Bool(true)))
    }

    /// Notes that a process that was started computes with what the one that started it put on the GPU.
    pub(super) fn note_use_in_child(&mut self, object: &Value<'p>, method: Option<&str>, span: Span) {
        if self.in_child == 0 || method.is_some_and(|method| !COMPUTE.contains(&method)) {
            return;
        }
        let Value::Instance(instance) = object else { return };
        if self.lies_on_gpu(object) {
            let name = self.name_of_class(&instance.class, span);
            self.note_use(format!("{}()", name.as_text().unwrap_or_default()), span);
        }
    }

    /// The same for an object of a library, by the call that made it.
    pub(super) fn note_outside_use_in_child(&mut self, path: PathId, span: Span) {
        if self.in_child == 0 {
            return;
        }
        let text = self.paths.text(path).clone();
        let object = match text.strip_suffix("()") {
            Some(_) => &*text,
            None => match text.rsplit_once('.') {
                Some((object, method)) if object.ends_with("()") && COMPUTE.contains(&method) => object,
                _ => return,
            },
        };
        let Some(maker) = object.strip_suffix("()") else { return };
        let args = self.made_with(path).cloned().unwrap_or_default();
        let effects: &'p [Effect] = match self.effects_of(maker) {
            Effects::Known(effects) => effects,
            Effects::OfMethod { .. } => {
                self.program.knowledge.of_method(maker.rsplit('.').next().unwrap_or(maker))
            }
            Effects::None => return,
        };
        if effects.iter().any(|effect| self.puts_on_gpu(effect, &args)) {
            self.note_use(text.to_string(), span);
        }
    }

    fn note_use(&mut self, callee: String, span: Span) {
        let does = vec![Does::CudaInit, Does::TorchInit];
        let note = "computes with what lies on the GPU".to_owned();
        self.note(EventKind::Call { callee, does, takes: Takes::First, note: Some(note) }, span);
    }
}
