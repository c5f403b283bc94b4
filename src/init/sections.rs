//! The sections of a policy as text. What nobody decided stands in them as a comment.

use super::{Cpu, Gpu, RuleWishes};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// `gpu:`
pub(super) fn gpu(gpu: Option<&Gpu>, text: &mut String) {
    let commented = if gpu.is_some() { "" } else { "# " };
    let nothing = Gpu::default();
    let gpu = gpu.unwrap_or(&nothing);
    text.push_str("# The one GPU that scripts must use.\n");
    let _ = writeln!(text, "{commented}gpu:");
    let mut key = |key: &str, value: Option<String>, example: &str, why: &str| {
        // Everything but the order speaks of one card.
        let is_said = value.is_some() && (!gpu.is_open || key == "device-order");
        let mark = mark(commented, is_said);
        let line = format!("{key}: {}", value.unwrap_or_else(|| example.to_owned()));
        let why = gpu.seen.get(key).map_or(why, String::as_str);
        let _ = writeln!(text, "{mark}{line:34}  # {why}");
    };
    key("name", gpu.name.as_deref().map(quoted), "\"RTX 3090\"", "its name contains this");
    let least = gpu.min_memory.map(|least| least.to_string());
    key("min-memory", least, "20GiB", "it has at least this much");
    let mask = gpu.visible_devices.as_deref().map(quoted);
    key("visible-devices", mask, "\"1\"", "what scripts set CUDA_VISIBLE_DEVICES to");
    if let Some(uuid) = &gpu.uuid {
        key("visible-devices", None, &quoted(uuid), "the same card in every slot");
    }
    let order = gpu.device_order.map(|order| order.as_str().to_owned());
    key("device-order", order, "PCI_BUS_ID", "how an index counts; nvidia-smi counts by PCI slot");
    let device = gpu.device.as_deref().map(quoted);
    let device = device.or((!commented.is_empty()).then(|| "\"cuda:0\"".to_owned()));
    key("device", device, "\"cuda:0\"", "the only device that code may name then");
    let forbidden = (!gpu.forbidden.is_empty()).then(|| list(&gpu.forbidden));
    key("forbidden", forbidden, "[\"RTX 5060 Ti\"]", "cards that must never be used");
}

/// `cpu:`
pub(super) fn cpu(cpu: Option<&Cpu>, switch: Option<&(String, String)>, text: &mut String) {
    let commented = if cpu.is_some() { "" } else { "# " };
    let named = cpu.map_or(&[][..], |cpu| &cpu.entry_points);
    let why = cpu.and_then(|cpu| cpu.seen.as_deref());
    let why = why.unwrap_or("modules of it; without this key all of the project");
    text.push_str("# The part that must run without a GPU.\n");
    let _ = writeln!(text, "{commented}cpu:");
    let named = if named.is_empty() { "[\"cli.*\"]".to_owned() } else { list(named) };
    let is_named = cpu.is_some_and(|cpu| !cpu.entry_points.is_empty());
    let _ = writeln!(text, "{}{:34}  # {why}", mark(commented, is_named), format!("entry-points: {named}"));
    let forbidden = match cpu.map(|cpu| &cpu.forbidden_imports[..]) {
        Some(forbidden @ [_, ..]) => list(forbidden),
        _ => "[cupy, torch, numba.cuda]".to_owned(),
    };
    let _ = writeln!(text, "{commented}  forbidden-imports: {forbidden}  # what it must not import");
    if let Some(modules @ [_, ..]) = cpu.map(|cpu| &cpu.gpu_modules[..]) {
        let _ = writeln!(
            text,
            "{commented}{:34}  # modules of the project that are GPU code",
            format!("  gpu-modules: {}", list(modules))
        );
    }
    if let Some((name, why)) = switch {
        // Alone it would forbid GPU libraries in all of the project.
        let _ = writeln!(text, "{}{:34}  # {why}", mark(commented, true), format!("switch: {name}"));
    }
}

/// `rules:`
pub(super) fn rules(rules: &RuleWishes, text: &mut String) {
    if *rules == RuleWishes::default() {
        text.push_str(
            "# rules:\n\
             #   select: [recommended]                 # strict and all say more\n\
             #   per-path: {\"legacy/**\": {ignore: [device-not-allowed]}}\n",
        );
        return;
    }
    let bare = |ids: &BTreeSet<String>| ids.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    text.push_str("rules:\n  # select: [recommended]               # strict and all say more\n");
    if !rules.ignore.is_empty() {
        let _ = writeln!(text, "  ignore: [{}]", bare(&rules.ignore));
    }
    if !rules.severity.is_empty() {
        text.push_str("  severity:\n");
    }
    for (rule, severity) in &rules.severity {
        let _ = writeln!(text, "    {rule}: {severity}");
    }
    if !rules.per_path.is_empty() {
        text.push_str("  per-path:\n");
    }
    for (glob, ids) in &rules.per_path {
        let _ = writeln!(text, "    {}: {{ignore: [{}]}}", quoted(glob), bare(ids));
    }
}

/// `exclude:`
pub(super) fn exclude(globs: &[String], text: &mut String) {
    if !globs.is_empty() {
        let _ = writeln!(text, "\n# What is not reported on.\nexclude: {}", list(globs));
    }
}

fn list(texts: &[String]) -> String {
    format!("[{}]", texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", "))
}

/// YAML reads a text in the form of JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// What stands before a key of a section: keys without a value are comments.
fn mark(commented: &str, has_value: bool) -> &'static str {
    match (commented.is_empty(), has_value) {
        (true, true) => "  ",
        (true, false) => "  # ",
        (false, _) => "#   ",
    }
}
