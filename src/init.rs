//! What `gpulint init` writes: a policy, the snippets that run gpulint at commits, on pull requests and on a machine with a
//! GPU, and the page with the project's GPU standard. Texts only; the command line decides what becomes a file.

pub mod evidence;
pub mod fleet;
pub mod import_test;
pub mod machine;
pub mod monitoring;
pub mod peers;
pub mod runner;
mod sections;
pub mod standards;

use crate::policy::{Amount, DeviceOrder};
use evidence::{CpuParts, Evidence};
use machine::Card;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// What the policy is to say. All that is `None` or empty stands in it as a comment.
#[derive(Clone, Debug, Default)]
pub struct PolicyDraft {
    pub gpu: Option<Gpu>,
    /// Modules that must run without a GPU; `None`: the project has no such part.
    pub cpu: Option<Cpu>,
    /// The variable of the environment that decides between CPU and GPU, and why it is taken for that.
    pub switch: Option<(String, String)>,
    /// What stands above the section about the GPU: what the project says, and what it does not agree on.
    pub remarks: Vec<String>,
    pub rules: RuleWishes,
    /// Files and folders that are not reported on.
    pub exclude: Vec<String>,
}

/// What is decided about rules.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RuleWishes {
    pub ignore: BTreeSet<String>,
    pub severity: BTreeMap<String, String>,
    /// Rules that do not run in the files of a glob, in the order in which they were named.
    pub per_path: Vec<(String, BTreeSet<String>)>,
}

/// The GPU that scripts must use.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gpu {
    pub name: Option<String>,
    pub min_memory: Option<Amount>,
    pub visible_devices: Option<String>,
    pub device_order: Option<DeviceOrder>,
    pub forbidden: Vec<String>,
    /// The UUID of the card, when the machine says it.
    pub uuid: Option<String>,
    /// The only device that code may name, where it is not the first.
    pub device: Option<String>,
    /// Why a key has its value, where the project says it.
    pub seen: BTreeMap<&'static str, String>,
    /// The machine and the project name different cards, so that what the machine says of its own is only shown.
    pub is_open: bool,
}

/// The part that must run without a GPU.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cpu {
    /// None stands for the whole project.
    pub entry_points: Vec<String>,
    /// None stands for the usual ones.
    pub forbidden_imports: Vec<String>,
    /// Modules of the project that count as GPU code.
    pub gpu_modules: Vec<String>,
    /// Where the project hides the GPUs from each of them, when it says so.
    pub seen: Option<String>,
}

impl RuleWishes {
    /// Rules that do not run in these files.
    pub fn ignore_in(&mut self, glob: &str, rules: &[&str]) {
        let at = self.per_path.iter().position(|(known, _)| known == glob).unwrap_or_else(|| {
            self.per_path.push((glob.to_owned(), BTreeSet::new()));
            self.per_path.len() - 1
        });
        self.per_path[at].1.extend(rules.iter().map(|rule| (*rule).to_owned()));
    }
}

impl PolicyDraft {
    /// Adds what the project does already. Where that differs, among its programs or from the machine, nothing is chosen.
    pub fn with(mut self, evidence: &Evidence) -> PolicyDraft {
        let mut gpu = self.gpu.take().unwrap_or_default();
        let has_card = gpu.visible_devices.is_some();
        if let Some(mask) = evidence.masks.only() {
            let is_that = gpu.visible_devices.as_deref().is_none_or(|own| own == mask)
                || gpu.uuid.as_deref() == Some(mask);
            if is_that {
                gpu.visible_devices = Some(mask.to_owned());
                gpu.seen.insert("visible-devices", format!("set at {}", evidence.masks.places()));
            } else {
                let card = gpu.name.as_deref().unwrap_or("the largest card");
                self.remarks.push(format!(
                    "On this machine {card} is {}, and the project sets CUDA_VISIBLE_DEVICES to {}: write the one that is \
                     right, and its name.",
                    gpu.visible_devices.as_deref().unwrap_or_default(),
                    evidence.masks.told()
                ));
                gpu.is_open = true;
            }
        } else if evidence.masks.is_divided() {
            self.remarks.push(format!(
                "Programs differ in CUDA_VISIBLE_DEVICES: {}. Write the one that is right.",
                evidence.masks.told()
            ));
            gpu.is_open = has_card;
        }
        let order = evidence.orders.only().and_then(|order| match order {
            "PCI_BUS_ID" => Some(DeviceOrder::PciBusId),
            "FASTEST_FIRST" => Some(DeviceOrder::FastestFirst),
            _ => None,
        });
        if evidence.orders.is_divided() || (has_card && order == Some(DeviceOrder::FastestFirst)) {
            self.remarks.push(format!(
                "CUDA_DEVICE_ORDER is {}: write the one that is right.",
                evidence.orders.told()
            ));
            gpu.device_order = None;
        } else if let Some(order) = order {
            gpu.device_order = Some(order);
            gpu.seen.insert("device-order", format!("set at {}", evidence.orders.places()));
        }
        let by_index = |mask: &str| mask.starts_with(|first: char| first.is_ascii_digit());
        if evidence.orders.is_empty() && evidence.masks.only().is_some_and(by_index) {
            self.remarks.push(
                "No program sets CUDA_DEVICE_ORDER, so that their index counts the fastest card first; an index in a policy \
                 counts by PCI slot. `gpulint doctor` shows both."
                    .to_owned(),
            );
        }
        // Behind a mask the indices count anew.
        if evidence.masks.is_empty() && !has_card {
            // The first is what a program takes that chooses none.
            if let Some(device) = evidence.devices.only().filter(|device| *device != "cuda:0") {
                gpu.device = Some(device.to_owned());
                gpu.seen.insert("device", format!("named at {}, without a mask", evidence.devices.places()));
            } else if evidence.devices.is_divided() {
                self.remarks.push(format!("Programs name several devices: {}.", evidence.devices.told()));
            }
        }
        if !evidence.in_slices.is_empty() {
            self.remarks.push(format!(
                "In containers and jobs cards are counted from 0, so this says nothing of the machine: {}.",
                evidence.in_slices.told()
            ));
        }
        self.add_cpu_parts(&evidence.cpu);
        if let Some(name) = evidence.switches.only() {
            let why = format!("chooses between CPU and GPU at {}", evidence.switches.places());
            self.switch = Some((name.to_owned(), why));
        } else if evidence.switches.is_divided() {
            self.remarks.push(format!(
                "Several variables choose between CPU and GPU: {}. `cpu.switch` names the one that should.",
                evidence.switches.told()
            ));
        }
        if gpu != Gpu::default() {
            self.gpu = Some(gpu);
        }
        self
    }

    /// A program that hides every GPU and imports none of the libraries is a part that needs none. One that imports them
    /// works on the CPU as it is, and would only be reported.
    fn add_cpu_parts(&mut self, parts: &CpuParts) {
        if self.cpu.is_none() && !parts.modules.is_empty() {
            let places: BTreeSet<&str> = parts.modules.values().map(String::as_str).collect();
            let places: Vec<&str> = places.into_iter().collect();
            let seen = match places[..] {
                [] => String::new(),
                [one] => one.to_owned(),
                [first, ref others @ ..] => format!("{first} and {} more", others.len()),
            };
            let entry_points = parts.modules.keys().cloned().collect();
            let seen = Some(format!("every GPU is hidden from them at {seen}"));
            let gpu_modules = parts.gpu_modules.clone();
            self.cpu = Some(Cpu { entry_points, gpu_modules, seen, ..Cpu::default() });
        }
        if let Some((file, place)) = parts.importing.first_key_value() {
            let others = match parts.importing.len() - 1 {
                0 => String::new(),
                others => format!(" and {others} more"),
            };
            self.remarks.push(format!(
                "{file}{others} imports a GPU library although every GPU is hidden from it ({place}): `cpu` does not name it."
            ));
        }
    }
}

impl Gpu {
    /// The card with the most memory, and the first of equal ones; the others are forbidden.
    pub fn of_machine(cards: &[Card]) -> Option<Gpu> {
        let most = cards.iter().map(|card| card.mebibytes).max()?;
        let best = cards.iter().find(|card| card.mebibytes == most)?;
        let name = best.short_name();
        let mut forbidden: Vec<String> = cards.iter().map(|card| card.short_name().to_owned()).collect();
        forbidden.sort();
        forbidden.dedup();
        // A part of the wanted name would forbid the wanted card.
        forbidden.retain(|other| !name.contains(other.as_str()));
        Some(Gpu {
            name: Some(name.to_owned()),
            min_memory: best.mebibytes.map(least_of),
            visible_devices: Some(best.index.to_string()),
            device_order: Some(DeviceOrder::PciBusId),
            forbidden,
            uuid: best.uuid.clone(),
            ..Gpu::default()
        })
    }
}

/// What a card of this size surely has: drivers keep a part for themselves, and not all the same.
fn least_of(mebibytes: u64) -> Amount {
    Amount::mebibytes((mebibytes * 9 / 10) >> 10 << 10)
}

/// The text of `gpulint.yaml`.
pub fn policy_text(wishes: &PolicyDraft) -> String {
    // An address that leads nowhere makes editors complain at once.
    let schema = crate::report::home().map(|home| {
        let raw = home.replace("https://github.com/", "https://raw.githubusercontent.com/");
        format!("# yaml-language-server: $schema={raw}/main/gpulint.schema.json\n")
    });
    let mut text = schema.unwrap_or_default();
    text.push_str("# Which GPU this project may use. Every key: docs/policy.md of gpulint.\n\n");
    for remark in &wishes.remarks {
        let _ = writeln!(text, "# {remark}");
    }
    sections::gpu(wishes.gpu.as_ref(), &mut text);
    text.push('\n');
    sections::cpu(wishes.cpu.as_ref(), wishes.switch.as_ref(), &mut text);
    text.push('\n');
    sections::rules(&wishes.rules, &mut text);
    sections::exclude(&wishes.exclude, &mut text);
    text.push_str(
        "\n# Findings of today that may wait: `gpulint check --write-baseline` writes the file.\n\
         # baseline: gpulint-baseline.json\n",
    );
    text
}

/// The content of a `.pre-commit-config.yaml` that runs gpulint and nothing else.
pub const PRE_COMMIT: &str = "\
repos:
  - repo: local
    hooks:
      - id: gpulint
        name: gpulint
        entry: gpulint check --staged --force-exclude --format concise   # the gpulint on PATH
        language: system
        types_or: [python, jupyter, rust, shell, powershell, batch, dotenv, dockerfile, makefile, yaml, toml, json, ini, markdown, plain-text]
        require_serial: true
        always_run: true
";

/// The content of `.github/workflows/gpulint.yml`. `repository` is that of the action, such as `team/gpulint`: the machines of
/// GitHub have no gpulint.
pub fn workflow(repository: &str) -> String {
    format!(
        "{WORKFLOW}      - run: rustup update stable   # the action builds gpulint where no release of it is known\n      \
         - uses: {repository}@main    # better: the full hash of a commit\n"
    )
}

/// The repository of gpulint itself as workflows name it, once there is one.
pub fn of_home() -> Option<&'static str> {
    crate::report::home()?.strip_prefix("https://github.com/")
}

const WORKFLOW: &str = "\
name: gpulint
on:
  push:
    branches: [main, master]
  pull_request:
permissions:
  contents: read
jobs:
  gpulint:
    runs-on: ubuntu-latest
    permissions:
      contents: read
      security-events: write   # only to upload the report to code scanning
    steps:
      - uses: actions/checkout@v7
        with:
          fetch-depth: 0       # what is new is told from the history
          persist-credentials: false
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hook_does_what_ours_do() {
        type Yaml = serde_yaml::Value;
        let ours: Yaml = serde_yaml::from_str(include_str!("../.pre-commit-hooks.yaml")).unwrap();
        let ours =
            ours.as_sequence().unwrap().iter().find(|hook| hook["id"] == "gpulint-system").unwrap().clone();
        let written: Yaml = serde_yaml::from_str(PRE_COMMIT).unwrap();
        let written = &written["repos"][0]["hooks"][0];
        for key in ["name", "entry", "language", "types_or", "require_serial", "always_run"] {
            assert_eq!(written[key], ours[key], "{key}");
        }
    }

    #[test]
    fn the_largest_card_is_wanted() {
        let card = |index, name: &str, mebibytes| Card { index, name: name.into(), mebibytes, uuid: None };
        let two = [
            card(0, "NVIDIA GeForce RTX 5060 Ti", Some(16311)),
            card(1, "NVIDIA GeForce RTX 3090", Some(24576)),
        ];
        let gpu = Gpu::of_machine(&two).unwrap();
        assert_eq!(gpu.name.as_deref(), Some("RTX 3090"));
        assert_eq!(gpu.visible_devices.as_deref(), Some("1"));
        assert_eq!(gpu.forbidden, ["RTX 5060 Ti"]);
        assert_eq!(gpu.min_memory.unwrap().to_string(), "21GiB");
        let alike = [card(0, "NVIDIA H200", Some(143_771)), card(1, "NVIDIA H200", Some(143_771))];
        let gpu = Gpu::of_machine(&alike).unwrap();
        assert_eq!((gpu.name.as_deref(), gpu.visible_devices.as_deref()), (Some("H200"), Some("0")));
        assert_eq!(gpu.forbidden, [""; 0]);
        let parts = [
            card(0, "NVIDIA GeForce RTX 3080", Some(10240)),
            card(1, "NVIDIA GeForce RTX 3080 Ti", Some(12288)),
        ];
        assert_eq!(Gpu::of_machine(&parts).unwrap().forbidden, [""; 0]);
        assert!(Gpu::of_machine(&[]).is_none());
    }
}
