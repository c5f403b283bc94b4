//! The project's GPU standard as a page for people, made from the policy, with the block of code that a new script
//! begins with. The same policy always gives the same page.

use crate::policy::{DeviceOrder, Gpu, Policy, RequireEnv};
use std::fmt::Write as _;

/// By this a page is known as one that may be written again.
pub const MARK: &str =
    "<!-- Written by `gpulint init --standards`; change gpulint.yaml and run it again. -->\n";

/// The page, in Markdown.
pub fn page(policy: &Policy) -> String {
    let mut page = format!("{MARK}\n# GPU standard\n\n");
    let any = Gpu::default();
    let gpu = policy.gpu.as_ref().unwrap_or(&any);
    match &policy.gpu {
        Some(gpu) => which(gpu, &mut page),
        None => page.push_str(
            "The policy prescribes no GPU. A script that chooses one sets both variables below, to the card that it means.\n",
        ),
    }
    let variables = variables(gpu);
    page.push_str("\n## A new script\n\n");
    page.push_str(
        "The variables are read once, when CUDA starts; so they are set before anything imports a GPU library.\n",
    );
    match policy.scripts.require_env {
        RequireEnv::EntryPoints => {
            page.push_str("Every file that is started sets them; what it imports need not.\n");
        }
        RequireEnv::EveryGpuFile => {
            page.push_str("Every file that touches the GPU sets them, also when the file that imports it has done so.\n");
        }
    }
    block("Python", "python", &python(&variables), &mut page);
    block(
        "Shell",
        "sh",
        &lines(&variables, |name, value| format!("export {name}={}", in_shell(value))),
        &mut page,
    );
    let power_shell = |name: &str, value: &str| format!("$env:{name} = '{}'", value.replace('\'', "''"));
    block("PowerShell", "powershell", &lines(&variables, power_shell), &mut page);
    if let Some(check) = policy.gpu.as_ref().and_then(proof) {
        page.push_str("\nA script proves at its start that it got the right card:\n");
        block("Proof", "python", &check, &mut page);
    }
    let validators: Vec<String> =
        policy.scripts.validators.iter().map(|name| format!("`{}`", name.as_str())).collect();
    if !validators.is_empty() {
        let _ = writeln!(page, "\nIt does so by calling one of {}.", validators.join(", "));
    }
    cpu(policy, &mut page);
    page.push_str(
        "\n## How it is checked\n\n\
         `gpulint check` compares every script with this standard, before a commit and on every pull request. `gpulint rule ID`\n\
         explains a finding. A line that is meant as it is says so: `# gpulint: ignore[rule-id] reason`.\n",
    );
    page
}

fn which(gpu: &Gpu, page: &mut String) {
    page.push_str("| | |\n|---|---|\n");
    let mut row = |what: &str, value: Option<String>| {
        if let Some(value) = value {
            let _ = writeln!(page, "| {what} | {} |", value.replace('|', "\\|"));
        }
    };
    let code = |text: &str| format!("`{text}`");
    let list = |texts: &[String]| {
        (!texts.is_empty()).then(|| texts.iter().map(|text| code(text)).collect::<Vec<_>>().join(" or "))
    };
    row("The GPU to use", gpu.name.clone());
    row("Its memory, at least", gpu.min_memory.map(|least| least.to_string()));
    row("`CUDA_VISIBLE_DEVICES`", list(gpu.accepted_masks()));
    row("`CUDA_DEVICE_ORDER`", gpu.device_order.map(|order| code(order.as_str())));
    row("The device that code names", Some(code(&gpu.allowed_devices())));
    row("`PYTORCH_CUDA_ALLOC_CONF`", gpu.alloc_conf.as_deref().map(code));
    let never = (!gpu.forbidden.is_empty()).then(|| gpu.forbidden.join(", "));
    row("Never to be used", never);
    let device = gpu.first_device();
    let counted = match (gpu.accepted_masks().is_empty(), gpu.cards()) {
        (true, _) => return,
        (false, 1) => {
            format!("one GPU, and in the program that one is `{device}`, whatever its index in the machine")
        }
        (false, cards) => {
            format!(
                "{cards} GPUs, and in the program they count from `cuda:0`, whatever their indices in the machine"
            )
        }
    };
    let _ = writeln!(page, "\nThe mask leaves {counted}.");
}

/// What a script sets, in order.
fn variables(gpu: &Gpu) -> Vec<(&'static str, String)> {
    let order = gpu.device_order.unwrap_or(DeviceOrder::PciBusId);
    let mask = gpu.accepted_masks().first().cloned().unwrap_or_else(|| "0".to_owned());
    let mut variables =
        vec![("CUDA_DEVICE_ORDER", order.as_str().to_owned()), ("CUDA_VISIBLE_DEVICES", mask)];
    variables.extend(gpu.alloc_conf.clone().map(|options| ("PYTORCH_CUDA_ALLOC_CONF", options)));
    variables
}

fn python(variables: &[(&str, String)]) -> String {
    let set = |name: &str, value: &str| format!("os.environ[\"{name}\"] = {}", in_python(value));
    format!("import os\n\n{}\n# Only now: import torch", lines(variables, set))
}

/// Asks the device itself, and stops when it is another one.
fn proof(gpu: &Gpu) -> Option<String> {
    let mut tests = Vec::new();
    if let Some(name) = &gpu.name {
        tests.push(format!("{} not in card.name", in_python(name)));
    }
    if let Some(least) = gpu.min_memory {
        tests.push(format!("card.total_memory < {}", least.bytes));
    }
    let index = gpu.allowed_device_index()?;
    (!tests.is_empty()).then(|| {
        let tests = tests.join(" or ");
        format!(
            "import torch\n\ncard = torch.cuda.get_device_properties({index})\nif {tests}:\n    \
             raise SystemExit(f\"wrong GPU: {{card.name}}, {{card.total_memory}} bytes\")"
        )
    })
}

fn cpu(policy: &Policy, page: &mut String) {
    let Some(cpu) = &policy.cpu else { return };
    let list = |names: Vec<&str>| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let named: Vec<&str> = cpu.entry_points.iter().map(|module| module.as_str()).collect();
    let who = if named.is_empty() { "The whole project".to_owned() } else { list(named) };
    let forbidden = list(cpu.forbidden_imports.iter().map(|module| module.as_str()).collect());
    let _ = writeln!(
        page,
        "\n## Without a GPU\n\n{who} must run without a GPU, and import none of {forbidden}, however deep."
    );
    if let Some(switch) = &cpu.switch {
        let _ = writeln!(page, "The variable `{switch}` alone chooses between CPU and GPU.");
    }
    let modules: Vec<&str> = cpu.gpu_modules.iter().map(|module| module.as_str()).collect();
    if !modules.is_empty() {
        let _ = writeln!(
            page,
            "GPU code lies in {}, which that part imports inside functions only.",
            list(modules)
        );
    }
}

fn block(title: &str, language: &str, text: &str, page: &mut String) {
    let _ = write!(page, "\n### {title}\n\n```{language}\n{text}\n```\n");
}

fn lines(variables: &[(&str, String)], line: impl Fn(&str, &str) -> String) -> String {
    variables.iter().map(|(name, value)| line(name, value)).collect::<Vec<_>>().join("\n")
}

fn in_python(text: &str) -> String {
    // The escapes of JSON are escapes of Python too.
    serde_json::Value::from(text).to_string()
}

fn in_shell(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ',' | '.' | ':' | '/');
    match text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}
