//! The environment variables that bear on the choice between CUDA, ROCm, MPS and the CPU, and what each does.
//!
//! A few are read by drivers and libraries. Others, `USE_CUDA` and its like, mean only what a project makes of them; they are
//! told apart.

use super::Backend;
use crate::masks::{self, Fault, Kind};
use crate::runtime::surroundings::Environment;
use serde::{Serialize, Serializer};

/// A variable and what its value does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Switch {
    pub variable: String,
    /// `None`: not set.
    pub value: Option<String>,
    pub role: Role,
    /// What it asks for, where that is clear.
    pub asks: Option<Request>,
    pub effect: String,
}

/// Who gives a variable its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The policy names it as the one that chooses.
    Policy,
    /// Projects read it; no driver and no library does.
    Project,
    /// A driver or a library reads it.
    Library,
}

/// What a switch asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    Of(Backend),
    AnyGpu,
    /// The best that is there.
    Automatic,
}

impl Serialize for Request {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Request::Of(backend) => backend.serialize(to),
            Request::AnyGpu => to.serialize_str("gpu"),
            Request::Automatic => to.serialize_str("automatic"),
        }
    }
}

impl Switch {
    /// The value as it is shown in a sentence.
    pub(super) fn shown(&self) -> &str {
        self.value.as_deref().unwrap_or_default()
    }
}

/// Names that projects use for a switch of their own.
const OF_PROJECTS: [&str; 14] = [
    "GPU_BACKEND",
    "COMPUTE_BACKEND",
    "USE_CUDA",
    "USE_GPU",
    "ENABLE_CUDA",
    "ENABLE_GPU",
    "FORCE_CPU",
    "FORCE_CPU_ONLY",
    "CPU_ONLY",
    "USE_CPU",
    "NO_CUDA",
    "NO_GPU",
    "DISABLE_CUDA",
    "DISABLE_GPU",
];

type Effect = fn(&str, &Environment) -> String;

/// What drivers and libraries read.
const OF_LIBRARIES: [(&str, Effect); 9] = [
    ("CUDA_VISIBLE_DEVICES", of_cuda_mask),
    ("HIP_VISIBLE_DEVICES", of_hip_mask),
    ("ROCR_VISIBLE_DEVICES", |value, _| match value.trim() {
        "" => "is empty, and AMD's documentation does not say what that leaves".into(),
        value => format!("ROCm shows only `{value}` to programs; HIP_VISIBLE_DEVICES counts what is left"),
    }),
    ("GPU_DEVICE_ORDINAL", |value, _| {
        format!("ROCm's HIP and OpenCL use only the GPUs `{value}`; CUDA does not read it")
    }),
    ("PYTORCH_ENABLE_MPS_FALLBACK", of_mps_fallback),
    ("PYTORCH_NVML_BASED_CUDA_CHECK", |value, _| match value {
        "1" => "torch.cuda.is_available() asks NVML and leaves CUDA untouched".into(),
        _ => "has an effect only as `1`".into(),
    }),
    ("JAX_PLATFORMS", |value, _| {
        format!("JAX uses `{value}`; it is read while `import jax` runs, and nothing else reads it")
    }),
    ("JAX_PLATFORM_NAME", |_, _| "JAX has deprecated it: use JAX_PLATFORMS".into()),
    ("JAX_CUDA_VISIBLE_DEVICES", |_, _| "nothing reads it: use CUDA_VISIBLE_DEVICES".into()),
];

/// Those that are set, the one of the policy first whether it is set or not.
pub(super) fn of(environment: &Environment, of_policy: Option<&str>) -> Vec<Switch> {
    let mut switches: Vec<Switch> =
        of_policy.map(|name| policy_switch(name, environment)).into_iter().collect();
    for name in OF_PROJECTS.into_iter().filter(|name| Some(*name) != of_policy) {
        if let Some(value) = environment.get(name) {
            switches.push(project_switch(name, value));
        }
    }
    for (name, effect) in OF_LIBRARIES.iter().filter(|(name, _)| Some(*name) != of_policy) {
        if let Some(value) = environment.get(name) {
            let effect = effect(value, environment);
            let (variable, value) = ((*name).to_owned(), Some(value.to_owned()));
            switches.push(Switch { variable, value, role: Role::Library, asks: None, effect });
        }
    }
    switches
}

fn policy_switch(name: &str, environment: &Environment) -> Switch {
    let value = environment.get(name);
    let asks = value.and_then(|value| request(name, value));
    let effect = match (value, asks) {
        (None, _) => "is not set: the project decides what that means".to_owned(),
        (Some(_), Some(asks)) => format!("asks for {}, as the policy's switch", words(asks)),
        (Some(value), None) => {
            format!("is the policy's switch, and only the project knows what `{value}` means")
        }
    };
    Switch { variable: name.into(), value: value.map(str::to_owned), role: Role::Policy, asks, effect }
}

fn project_switch(name: &str, value: &str) -> Switch {
    let asks = request(name, value);
    let mut effect = match asks {
        Some(asks) => {
            format!("asks for {} in a project that reads it; no driver and no library does", words(asks))
        }
        None => "is neither yes nor no: projects that read it may take it for either".to_owned(),
    };
    let negates = negates(name);
    if negates && asks == Some(Request::Automatic) && !value.is_empty() {
        effect = format!(
            "has no effect in a project that reads its value; one that only looks whether {name} is set \
                          takes even `{value}` for yes"
        );
    }
    Switch { variable: name.into(), value: Some(value.into()), role: Role::Project, asks, effect }
}

fn words(request: Request) -> &'static str {
    match request {
        Request::Of(backend) => backend.name(),
        Request::AnyGpu => "a GPU",
        Request::Automatic => "the best that is there",
    }
}

/// What a value asks for, by what the name and the value say.
fn request(name: &str, value: &str) -> Option<Request> {
    let value = value.trim().to_lowercase();
    let device = value.split_once(':').map_or(value.as_str(), |(device, _)| device);
    let yes = match device {
        "cpu" | "numpy" => return Some(Request::Of(Backend::Cpu)),
        "cuda" | "cupy" | "nvidia" => return Some(Request::Of(Backend::Cuda)),
        "rocm" | "hip" | "amd" => return Some(Request::Of(Backend::Rocm)),
        "mps" | "metal" => return Some(Request::Of(Backend::Mps)),
        "gpu" => return Some(Request::AnyGpu),
        "auto" | "automatic" | "" => return Some(Request::Automatic),
        "1" | "true" | "yes" | "on" => true,
        "0" | "false" | "no" | "off" => false,
        _ => return None,
    };
    let has = |word: &str| name.split('_').any(|part| part.eq_ignore_ascii_case(word));
    if negates(name) {
        return Some(if yes { Request::Of(Backend::Cpu) } else { Request::Automatic });
    }
    match (yes, has("CUDA"), has("GPU")) {
        (false, true, _) | (false, _, true) => Some(Request::Of(Backend::Cpu)),
        (true, true, _) => Some(Request::Of(Backend::Cuda)),
        (true, false, true) => Some(Request::AnyGpu),
        (_, false, false) => None,
    }
}

/// Whether yes means the CPU.
fn negates(name: &str) -> bool {
    name.split('_').any(|part| {
        ["CPU", "NO", "DISABLE", "DISABLED", "WITHOUT"].iter().any(|word| part.eq_ignore_ascii_case(word))
    })
}

fn of_cuda_mask(value: &str, _: &Environment) -> String {
    let mask = masks::read(value);
    let left = match mask.left {
        1 => "1 GPU, which is device 0 in the process".to_owned(),
        count => format!("{count} GPUs, which are devices 0 to {} in the process", count.saturating_sub(1)),
    };
    match (mask.kind, mask.fault) {
        (Kind::Nothing, _) => "hides every GPU from CUDA".into(),
        (_, Some(Fault::Repeated)) => "names one GPU twice, which hides all of them from CUDA".into(),
        (_, Some(Fault::HidesAll)) => "names no GPU, which hides all of them from CUDA".into(),
        (Kind::Mig, None) => "leaves CUDA one slice of a GPU at most".into(),
        (_, Some(Fault::CutShort)) => {
            format!(
                "ends for CUDA at the first part that names no GPU of the same kind: it leaves at most {left}"
            )
        }
        (_, None) => format!("leaves CUDA at most {left}"),
    }
}

fn of_hip_mask(value: &str, environment: &Environment) -> String {
    if masks::read(value).kind == Kind::Nothing {
        return "names no GPU, so torch for ROCm counts none".into();
    }
    let count = |list: &str| list.split(',').count();
    match environment.get("ROCR_VISIBLE_DEVICES") {
        Some(outer) if count(value) > count(outer) => {
            "names more GPUs than ROCR_VISIBLE_DEVICES leaves, for which torch raises an error".into()
        }
        Some(_) => format!("programs for HIP use only `{value}` of what ROCR_VISIBLE_DEVICES leaves"),
        None => format!("programs for HIP use only the GPUs `{value}`"),
    }
}

fn of_mps_fallback(value: &str, _: &Environment) -> String {
    match value.trim().parse::<i64>() {
        Ok(0) => "what Apple's GPU cannot compute raises an error, as without it".into(),
        Ok(_) => {
            "torch computes on the CPU what it cannot on Apple's GPU; read while `import torch` runs".into()
        }
        Err(_) => format!("torch reads it as a number, and `{value}` is none: write `1`"),
    }
}
