//! CUDA, ROCm, MPS or the CPU: which are there, which of them a program takes that chooses by itself, and what overrides
//! the choice.
//!
//! What is there is judged by what was seen: the answer of CUDA's driver, device files, the platform. Whether the installed
//! torch was built for it is another question, which only torch answers.

mod switches;

pub use switches::{Request, Role, Switch};

use crate::masks::{self, Kind};
use crate::runtime::surroundings::{Environment, Surroundings};
use serde::Serialize;

/// What can compute. In the order in which programs that choose by themselves prefer them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Backend {
    Cuda,
    Rocm,
    /// Apple's GPUs.
    Mps,
    Cpu,
}

impl Backend {
    pub const ALL: [Backend; 4] = [Backend::Cuda, Backend::Rocm, Backend::Mps, Backend::Cpu];

    /// As people write it.
    pub fn name(self) -> &'static str {
        match self {
            Backend::Cuda => "CUDA",
            Backend::Rocm => "ROCm",
            Backend::Mps => "MPS",
            Backend::Cpu => "the CPU",
        }
    }

    /// What torch calls its device. Builds for ROCm use the name `cuda` too.
    pub fn torch_device(self) -> &'static str {
        match self {
            Backend::Cuda | Backend::Rocm => "cuda",
            Backend::Mps => "mps",
            Backend::Cpu => "cpu",
        }
    }
}

/// What CUDA's driver answered to a process with this environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CudaAnswer {
    /// Nobody asked it.
    NotAsked,
    /// There is no library of it.
    NoDriver,
    /// It answered with an error, or not at all: a clause that says which.
    Refused(String),
    /// So many cards are visible.
    Cards(usize),
}

/// Whether a backend is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Presence {
    pub backend: Backend,
    pub present: bool,
    /// What tells it.
    pub reason: String,
}

/// A backend, and why it is taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Choice {
    pub backend: Backend,
    pub torch_device: &'static str,
    pub reason: String,
    /// Another one was asked for and is not there.
    pub fallback: bool,
}

/// What can compute here, and what is taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Backends {
    /// One for each, in the order of preference.
    pub seen: Vec<Presence>,
    /// What a program takes that chooses the best by itself.
    pub automatic: Choice,
    /// What a program takes that also follows the switches.
    pub chosen: Choice,
    /// The variables that are set, or named by the policy, and bear on the choice.
    pub switches: Vec<Switch>,
    /// Switches that ask for different things.
    pub contradictions: Vec<String>,
}

impl Backends {
    /// `switch`: the variable that the policy names as the one that chooses (`cpu.switch`).
    pub fn of(
        surroundings: &Surroundings,
        environment: &Environment,
        cuda: &CudaAnswer,
        switch: Option<&str>,
    ) -> Backends {
        let seen = vec![
            of_cuda(surroundings, environment, cuda),
            of_rocm(surroundings, environment),
            of_mps(surroundings),
            Presence { backend: Backend::Cpu, present: true, reason: "there is always a CPU".into() },
        ];
        let automatic = automatic(&seen);
        let switches = switches::of(environment, switch);
        let (chosen, contradictions) = chosen(&seen, &automatic, &switches);
        Backends { seen, automatic, chosen, switches, contradictions }
    }
}

fn of_cuda(surroundings: &Surroundings, environment: &Environment, answer: &CudaAnswer) -> Presence {
    let is = |present, reason: String| Presence { backend: Backend::Cuda, present, reason };
    let hidden = environment
        .get("CUDA_VISIBLE_DEVICES")
        .filter(|value| masks::read(value).left == 0)
        .map(|value| format!("CUDA_VISIBLE_DEVICES is `{value}`, which leaves no GPU to CUDA"));
    match answer {
        CudaAnswer::Cards(0) => is(false, hidden.unwrap_or("CUDA's driver shows no card".into())),
        CudaAnswer::Cards(1) => is(true, "CUDA's driver shows 1 card to this process".into()),
        CudaAnswer::Cards(count) => is(true, format!("CUDA's driver shows {count} cards to this process")),
        CudaAnswer::NoDriver => is(false, "there is no library of CUDA's driver".into()),
        CudaAnswer::Refused(why) => is(false, hidden.unwrap_or_else(|| why.clone())),
        CudaAnswer::NotAsked => match hidden {
            Some(reason) => is(false, reason),
            None if surroundings.wsl.as_ref().is_some_and(|wsl| wsl.device && wsl.cuda_driver) => {
                is(true, "Windows offers CUDA's driver to WSL (the driver itself was not asked)".into())
            }
            None if surroundings.nvidia.kernel_module.is_some()
                && !surroundings.nvidia.devices.is_empty() =>
            {
                let files = surroundings.nvidia.devices.join(", ");
                is(true, format!("NVIDIA's driver is loaded, with {files} (the driver itself was not asked)"))
            }
            None if surroundings.platform.is_windows() => {
                is(false, "CUDA's driver was not asked, and on Windows only it can tell".into())
            }
            None => is(false, "no device file of a loaded NVIDIA driver is seen".into()),
        },
    }
}

fn of_rocm(surroundings: &Surroundings, environment: &Environment) -> Presence {
    let is = |present, reason: String| Presence { backend: Backend::Rocm, present, reason };
    let hidden = environment
        .get("HIP_VISIBLE_DEVICES")
        .filter(|value| masks::read(value).kind == Kind::Nothing)
        .map(|value| format!("HIP_VISIBLE_DEVICES is `{value}`, which names no GPU"));
    match (surroundings.amd.compute_device, surroundings.amd.gpus, hidden) {
        (false, ..) if surroundings.platform.is_linux() => is(false, "there is no /dev/kfd".into()),
        (false, ..) => is(false, "it is looked for on Linux only, by /dev/kfd".into()),
        (true, Some(0), _) => is(false, "there is /dev/kfd, and it offers no GPU".into()),
        (true, _, Some(reason)) => is(false, reason),
        (true, Some(1), None) => is(true, "/dev/kfd offers 1 GPU".into()),
        (true, Some(count), None) => is(true, format!("/dev/kfd offers {count} GPUs")),
        (true, None, None) => is(true, "there is /dev/kfd".into()),
    }
}

fn of_mps(surroundings: &Surroundings) -> Presence {
    let (present, reason) = match (surroundings.apple_silicon, surroundings.platform.is_mac()) {
        (true, _) => (true, "this is macOS on Apple silicon"),
        (false, true) => (false, "this is macOS and not built for Apple silicon"),
        (false, false) => (false, "this is not macOS"),
    };
    Presence { backend: Backend::Mps, present, reason: reason.into() }
}

fn automatic(seen: &[Presence]) -> Choice {
    let gpus = || seen.iter().filter(|one| one.backend != Backend::Cpu);
    match gpus().find(|one| one.present) {
        Some(first) => {
            let passed: Vec<&str> = gpus()
                .skip_while(|one| one.backend != first.backend)
                .skip(1)
                .filter(|one| one.present)
                .map(|one| one.backend.name())
                .collect();
            let before = match passed.is_empty() {
                true => String::new(),
                false => format!("; it comes before {}", passed.join(" and ")),
            };
            choice(first.backend, format!("{}: {}{before}", first.backend.name(), first.reason), false)
        }
        None => {
            let missing: Vec<String> =
                gpus().map(|one| format!("no {}: {}", one.backend.name(), one.reason)).collect();
            choice(Backend::Cpu, format!("the CPU, because there is {}", missing.join("; ")), false)
        }
    }
}

fn choice(backend: Backend, reason: String, fallback: bool) -> Choice {
    Choice { backend, torch_device: backend.torch_device(), reason, fallback }
}

/// The switch of the policy decides; where it leaves the choice open, the older switches do, and the CPU wins among them.
fn chosen(seen: &[Presence], automatic: &Choice, switches: &[Switch]) -> (Choice, Vec<String>) {
    let asking = |role: Role| {
        switches.iter().filter(move |switch| {
            switch.role == role && !matches!(switch.asks, None | Some(Request::Automatic))
        })
    };
    let of_policy = asking(Role::Policy).next();
    let mut older: Vec<&Switch> = asking(Role::Project).collect();
    older.sort_by_key(|switch| switch.asks != Some(Request::Of(Backend::Cpu)));
    let mut contradictions = Vec::new();
    let deciding = of_policy.or(older.first().copied());
    if let Some(deciding) = deciding {
        let others = older.iter().filter(|other| contradict(deciding.asks, other.asks));
        contradictions.extend(others.map(|other| {
            format!(
                "{}={} and {}={} ask for different things; {} is followed here, and a program may follow the other",
                deciding.variable,
                deciding.shown(),
                other.variable,
                other.shown(),
                deciding.variable,
            )
        }));
    }
    let Some((switch, request)) = deciding.and_then(|switch| Some((switch, switch.asks?))) else {
        return (automatic.clone(), contradictions);
    };
    let named = format!("{}={}", switch.variable, switch.shown());
    let choice = match request {
        Request::Of(backend) => match seen.iter().find(|one| one.backend == backend) {
            Some(Presence { present: false, reason, .. }) => {
                let reason = format!(
                    "{named} asks for {}, which is not there ({reason}); a program can only fall back to the CPU",
                    backend.name()
                );
                choice(Backend::Cpu, reason, true)
            }
            _ => choice(backend, format!("{named} asks for {}", backend.name()), false),
        },
        Request::AnyGpu if automatic.backend == Backend::Cpu => choice(
            Backend::Cpu,
            format!("{named} asks for a GPU, and there is none: {}", automatic.reason),
            true,
        ),
        _ => choice(automatic.backend, format!("{named} asks for a GPU; {}", automatic.reason), false),
    };
    (choice, contradictions)
}

fn contradict(one: Option<Request>, other: Option<Request>) -> bool {
    let is_cpu = |request| request == Some(Request::Of(Backend::Cpu));
    match (one, other) {
        (Some(Request::Of(one)), Some(Request::Of(other))) => one != other,
        _ => is_cpu(one) != is_cpu(other),
    }
}

#[cfg(test)]
mod tests;
