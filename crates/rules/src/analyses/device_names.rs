//! Texts that name a device, and name none.

use super::device_texts::{Text, texts_of};
use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::code::{Call, Comparison, Expr, ExprKind, StatementKind, Target};
use crate::commands::attribute_of_option;
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;
use rustc_hash::{FxHashMap, FxHashSet};

/// Calls outside torch's own names that hand a device on to it: the position and the keyword.
const TAKERS: &[(&str, Option<usize>, &str)] = &[
    ("sentence_transformers.CrossEncoder", None, "device"),
    ("sentence_transformers.SentenceTransformer", None, "device"),
    ("torch.Generator", Some(0), "device"),
    ("torch.amp.GradScaler", Some(0), "device"),
    ("torch.amp.autocast", Some(0), "device_type"),
    ("torch.autocast", Some(0), "device_type"),
    ("torch.cuda.device", Some(0), "device"),
    ("torch.cuda.get_device_name", Some(0), "device"),
    ("torch.cuda.get_device_properties", Some(0), "device"),
    ("torch.cuda.mem_get_info", Some(0), "device"),
    ("torch.cuda.memory_allocated", Some(0), "device"),
    ("torch.cuda.set_device", Some(0), "device"),
    ("torch.cuda.synchronize", Some(0), "device"),
    ("torch.device", Some(0), "type"),
    ("torch.load", Some(1), "map_location"),
    ("torch.set_default_device", Some(0), "device"),
    ("transformers.pipeline", None, "device"),
    ("whisper.load_model", Some(1), "device"),
];

/// Libraries in whose files `.to("gpu")` may be right.
const RIVALS: &[&str] = &["jax", "mxnet", "paddle", "tensorflow"];

/// What sets the mask in front of a command of a shell.
const ASSIGNMENT: &str = "CUDA_VISIBLE_DEVICES=";

/// No longer kind of device is meant by mistake.
const LONGEST: usize = 7;

/// Texts at places that take a device, and that name none.
pub(super) fn that_name_none(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut look = DeviceNameScan::default();
    let has_torch =
        ["torch", "transformers", "diffusers"].iter().any(|word| scope.whole_text().contains(word));
    let has_rival = RIVALS.iter().any(|rival| {
        let text = scope.whole_text();
        text.contains(&format!("import {rival}")) || text.contains(&format!("from {rival}"))
    });
    walk(scope.code, &mut |part, around| match part {
        CodeNode::Statement(step) => match &step.kind {
            StatementKind::Setting(setting) if setting.path.last().is_some_and(|key| names_device(key)) => {
                look.named("", &setting.value, scope);
            }
            StatementKind::Assign { targets, value: Some(value), .. } => {
                for target in targets {
                    let name = match target {
                        Target::Name(name, _) | Target::Attribute(_, name) => Some(*name),
                        Target::Item(item) => text(&item.1),
                        _ => None,
                    };
                    if let Some(name) = name.filter(|name| names_device(name)) {
                        look.named(name, value, scope);
                    }
                }
            }
            StatementKind::Define { function, .. } => {
                for parameter in &scope.code.functions[*function].parameters {
                    if let Some(default) = parameter.default.as_ref().filter(|_| names_device(parameter.name))
                    {
                        look.named(parameter.name, default, scope);
                    }
                }
            }
            _ => {}
        },
        CodeNode::Expr(expr) => match &expr.kind {
            ExprKind::Mapping(entries) => {
                for (key, value) in entries {
                    if let Some(key) = key.as_ref().and_then(text).filter(|key| names_device(key)) {
                        look.named(key, value, scope);
                    }
                }
            }
            ExprKind::Compare(
                Comparison::Equal | Comparison::NotEqual | Comparison::In | Comparison::NotIn,
                pair,
            ) => {
                for side in [&pair.0, &pair.1] {
                    look.compared.extend(texts_of(side, scope, false).into_iter().map(|one| one.text));
                    if let ExprKind::Sequence(items) = &side.kind {
                        look.compared.extend(items.iter().filter_map(text).map(str::to_owned));
                    }
                }
            }
            ExprKind::Call(call) => look.call(call, around, has_torch && !has_rival, scope),
            _ => {}
        },
        CodeNode::Target(_) => {}
    });
    look.raw_findings(scope)
}

#[derive(Default)]
struct DeviceNameScan<'a> {
    /// Texts, and whether torch reads them.
    found: Vec<(Text, bool)>,
    /// Places that torch reads and that stand for a parameter, an option or an attribute, by its name.
    asked: Vec<&'a str>,
    /// Texts that such places get from elsewhere in the file.
    behind_names: Vec<Text>,
    /// Texts under names of devices, by the name.
    named: FxHashMap<String, Vec<Text>>,
    /// Texts that the file compares something with: it has names of its own.
    compared: FxHashSet<String>,
}

impl<'a> DeviceNameScan<'a> {
    fn named(&mut self, name: &str, value: &Expr<'_>, scope: &FileScope<'_>) {
        // `field(default="cuda")`, `typer.Option("cuda")`
        let value = match &value.kind {
            ExprKind::Call(call) => {
                let default = argument(&call.arguments, None, Some("default"));
                match default.or(argument(&call.arguments, Some(0), None).filter(|_| is_field(call))) {
                    Some(default) => default,
                    None => return,
                }
            }
            _ => value,
        };
        let texts = texts_of(value, scope, false);
        self.named.entry(name.to_owned()).or_default().extend(texts.iter().cloned());
        self.found.extend(texts.into_iter().map(|one| (one, false)));
    }

    fn call(
        &mut self,
        call: &'a Call<'a>,
        around: &[Ancestor<'_, '_>],
        torch_only: bool,
        scope: &FileScope<'a>,
    ) {
        if around.iter().any(|one| crate::rules::uses::expects_failure(one, scope)) {
            return;
        }
        let path = scope.names.path(&call.callee);
        let own = |path: &str| path == "torch" || path.starts_with("torch.");
        for one in call.arguments.iter().filter(|one| one.name.is_some_and(names_device)) {
            if path.is_some_and(own) {
                self.torch(&one.value, scope);
            } else if !path.is_some_and(is_audio) {
                self.named(one.name.unwrap_or_default(), &one.value, scope);
            }
        }
        if let Some((_, position, name)) = TAKERS.iter().find(|(taker, ..)| Some(*taker) == path) {
            if let Some(device) = argument(&call.arguments, *position, Some(name)) {
                self.torch(device, scope);
            }
            return;
        }
        let ExprKind::Attribute(receiver, method) = &call.callee.kind else {
            if path == Some("builtins.getattr") {
                self.looked_up(call, 1, scope);
            }
            return;
        };
        match *method {
            "to" if torch_only && scope.names.path(receiver).is_none_or(|path| !is_foreign(path)) => {
                if let Some(device) = argument(&call.arguments, Some(0), Some("device")) {
                    self.torch(device, scope);
                }
            }
            "get" | "getenv" | "setdefault" | "pop" => self.looked_up(call, 0, scope),
            "add_argument" | "option" => {
                let flags = call.arguments.iter().filter(|one| one.name.is_none());
                let flag = flags.filter_map(|one| text(&one.value)).find(|flag| names_device(flag));
                if let (Some(flag), Some(default)) = (flag, argument(&call.arguments, None, Some("default")))
                {
                    self.named(&attribute_of_option(flag), default, scope);
                }
            }
            _ => {}
        }
    }

    /// `settings.get("device", "cuda")`: the key at this position, and what takes its place.
    fn looked_up(&mut self, call: &Call<'_>, key: usize, scope: &FileScope<'_>) {
        let name = argument(&call.arguments, Some(key), None).and_then(text);
        let value = argument(&call.arguments, Some(key + 1), Some("default"));
        if let (Some(name), Some(value)) = (name.filter(|name| names_device(name)), value) {
            self.named(name, value, scope);
        }
    }

    /// A place that torch reads.
    fn torch(&mut self, device: &'a Expr<'a>, scope: &FileScope<'_>) {
        let texts = texts_of(device, scope, true);
        if let (true, ExprKind::Name(name) | ExprKind::Attribute(_, name)) = (texts.is_empty(), &device.kind)
        {
            self.asked.push(name);
        }
        if matches!(device.kind, ExprKind::Text(_) | ExprKind::Join(_)) {
            self.found.extend(texts.into_iter().map(|one| (one, true)));
        } else {
            // What another file writes has no place here; it is told there.
            self.behind_names.extend(texts.into_iter().filter(|one| one.span != device.span));
        }
    }

    fn raw_findings(mut self, scope: &FileScope<'_>) -> Vec<RawFinding> {
        // A parameter, an option or an attribute with one text in the file, handed to torch as it is.
        for name in &self.asked {
            if let Some([one]) = self.named.get(*name).map(Vec::as_slice)
                && !self.compared.contains(&one.text)
            {
                self.found.push((one.clone(), true));
            }
        }
        let behind_names = std::mem::take(&mut self.behind_names);
        let is_plain = |one: &Text| !self.compared.contains(&one.text);
        self.found.extend(behind_names.into_iter().filter(is_plain).map(|one| (one, true)));
        self.found.sort_by_key(|(one, by_torch)| (one.span, !by_torch));
        let mut last: Option<Span> = None;
        let mut raw_findings = Vec::new();
        for (one, by_torch) in &self.found {
            let Some(meant) = meant_by(one, *by_torch).filter(|_| last != Some(one.span)) else { continue };
            last = Some(one.span);
            raw_findings.push(
                RawFinding::at(scope.place(one.span)).word("text", one.text.clone()).word("meant", meant),
            );
        }
        raw_findings
    }
}

/// What a text that was found to name no device is likely to mean; `whole` when nothing follows it.
pub fn meant_device(text: &str, whole: bool) -> Option<String> {
    meant_by(&Text { span: Span::default(), text: text.to_owned(), whole }, true)
}

/// What a text that names no device is likely to mean.
fn meant_by(one: &Text, by_torch: bool) -> Option<String> {
    // A variable of the environment is not set by its being written where a device is asked for.
    if one.text.starts_with(ASSIGNMENT) {
        return Some("cuda".to_owned());
    }
    let (kind, index) = match one.text.split_once(':') {
        Some((kind, index)) => (kind, Some(index)),
        None => (one.text.as_str(), None),
    };
    let rest = index.map_or(String::new(), |index| format!(":{index}"));
    let is_template = one.text.contains(['{', '%', '$', '<', '/', '\\'])
        || one.text.contains('.') && !one.text.starts_with("cuda.");
    if is_template || !kind.is_ascii() || kind.len() > LONGEST {
        return None;
    }
    if kind == "cuda" {
        let index = index.filter(|_| by_torch && one.whole)?;
        let number: Option<u32> = index.parse().ok();
        let is_right = number.is_some_and(|number| number.to_string() == index);
        return (!is_right).then(|| "cuda:0".to_owned());
    }
    let letters = kind.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_small = kind.bytes().all(|byte| byte.is_ascii_lowercase());
    if is_small && (3..=5).contains(&kind.len()) && strsim::osa_distance(kind, "cuda") == 1 {
        return Some(format!("cuda{rest}"));
    }
    if !by_torch {
        return None;
    }
    let lower = kind.to_ascii_lowercase();
    let (name, number) = lower.split_at(lower.trim_end_matches(|one: char| one.is_ascii_digit()).len());
    let name = name.trim_end_matches(['-', '_', ' ', '.', ',', ';']);
    match (name, number) {
        ("cuda" | "gpu" | "rocm" | "hip", "") => Some(format!("cuda{rest}")),
        ("cuda" | "gpu", number) if rest.is_empty() && one.whole => Some(format!("cuda:{number}")),
        (_, "") if letters && strsim::osa_distance(&lower, "cpu") == 1 && !lower.ends_with("pu") => {
            Some("cpu".to_owned())
        }
        _ => None,
    }
}

/// Whether a part of a file is a text that would be wrong where torch reads it.
pub(crate) fn may_be_wrong(part: CodeNode<'_, '_>) -> bool {
    let CodeNode::Expr(Expr { span, kind: ExprKind::Text(text) }) = part else { return false };
    let kind = text.bytes().take(LONGEST + 1).position(|byte| byte == b':');
    // Most texts are longer than the name of any device.
    (kind.is_some() || text.len() <= LONGEST || text.starts_with(ASSIGNMENT))
        && meant_by(&Text { span: *span, text: text.to_string(), whole: true }, true).is_some()
}

/// Whether a name, a key or a keyword takes a device.
fn names_device(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    lower.ends_with("device") || matches!(lower.as_str(), "map_location" | "device_map" | "device_type")
}

/// Whether a call makes a field or an option of its argument.
fn is_field(call: &Call<'_>) -> bool {
    match &call.callee.kind {
        ExprKind::Name(name) | ExprKind::Attribute(_, name) => {
            matches!(*name, "Field" | "field" | "Option" | "Argument")
        }
        _ => false,
    }
}

fn is_audio(path: &str) -> bool {
    ["sounddevice", "pyaudio", "sounddevice()", "soundcard"].iter().any(|root| path.starts_with(root))
}

/// Whether something belongs to a library that does not hand texts to torch.
fn is_foreign(path: &str) -> bool {
    let root = path.split(['.', '(']).next().unwrap_or(path);
    let torch =
        ["torch", "torchvision", "torchaudio", "transformers", "diffusers", "sentence_transformers", "TTS"];
    !torch.contains(&root)
}

fn text<'e>(expr: &'e Expr<'_>) -> Option<&'e str> {
    match &expr.kind {
        ExprKind::Text(text) => Some(text),
        _ => None,
    }
}
