//! What the kernel tells of NVIDIA's and AMD's drivers, without a call to either.

use super::SearchRoot;
use super::world::text_of;
use crate::runtime::cards::PciAddress;
use serde::Serialize;

/// NVIDIA's driver on Linux.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Nvidia {
    /// Its version, where the module of the kernel is loaded and tells it.
    pub kernel_module: Option<String>,
    /// `/dev/nvidia0` and its like. Their numbers are no indices of CUDA.
    pub devices: Vec<String>,
    /// `/dev/nvidiactl` and `/dev/nvidia-uvm`, as far as they are there; CUDA needs both.
    pub control_devices: Vec<String>,
    /// The cards that the module has bound, in the order of the bus. In a container these may be more than it was given.
    pub cards: Vec<KernelCard>,
}

/// A card as the module of the kernel tells it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KernelCard {
    pub pci: PciAddress,
    pub name: Option<String>,
    /// Not there before something has used the card.
    pub uuid: Option<String>,
    /// The number of its device file.
    pub minor: Option<u32>,
}

/// AMD's driver on Linux.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Amd {
    /// `/dev/kfd`, through which ROCm computes, is there.
    pub compute_device: bool,
    /// `/dev/dri/renderD128` and its like; those of other makers too.
    pub render_devices: Vec<String>,
    /// How many GPUs the driver offers for computing, where it tells it. Those inside processors count.
    pub gpus: Option<usize>,
}

pub(super) fn nvidia(world: &SearchRoot<'_>) -> Nvidia {
    let version = world.text("proc/driver/nvidia/version");
    Nvidia {
        kernel_module: version.as_deref().and_then(version_in).map(str::to_owned),
        devices: numbered(world, "dev", "nvidia"),
        control_devices: ["dev/nvidiactl", "dev/nvidia-uvm"]
            .into_iter()
            .filter(|path| world.has(path))
            .map(|path| format!("/{path}"))
            .collect(),
        cards: cards(world),
    }
}

pub(super) fn amd(world: &SearchRoot<'_>) -> Amd {
    let nodes = world.entries("sys/class/kfd/kfd/topology/nodes");
    let properties: Vec<String> = nodes.iter().filter_map(|node| text_of(&node.join("properties"))).collect();
    // A processor is a node too, and has none of these units.
    let computes = |text: &&String| {
        text.lines().any(|line| {
            line.split_once(' ').is_some_and(|(key, value)| key == "simd_count" && value.trim() != "0")
        })
    };
    Amd {
        compute_device: world.has("dev/kfd"),
        render_devices: numbered(world, "dev/dri", "renderD"),
        gpus: (!properties.is_empty()).then(|| properties.iter().filter(computes).count()),
    }
}

/// The files of a folder whose names are this and a number, in the order of the numbers.
fn numbered(world: &SearchRoot<'_>, folder: &str, name: &str) -> Vec<String> {
    let entries = world.entries(folder);
    let numbers =
        entries.iter().filter_map(|path| path.file_name()?.to_str()?.strip_prefix(name)?.parse::<u32>().ok());
    let mut numbers: Vec<u32> = numbers.collect();
    numbers.sort_unstable();
    numbers.into_iter().map(|number| format!("/{folder}/{name}{number}")).collect()
}

/// `NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug …`
fn version_in(text: &str) -> Option<&str> {
    let line = text.lines().find(|line| line.starts_with("NVRM version"))?;
    line.split_whitespace().find(|word| {
        let parts: Vec<&str> = word.split('.').collect();
        parts.len() > 1
            && parts.iter().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
    })
}

fn cards(world: &SearchRoot<'_>) -> Vec<KernelCard> {
    let folders = world.entries("proc/driver/nvidia/gpus");
    let mut cards: Vec<KernelCard> = folders
        .iter()
        .filter_map(|folder| {
            let pci = folder.file_name()?.to_str()?.parse().ok()?;
            let text = text_of(&folder.join("information")).unwrap_or_default();
            let value = |wanted: &str| {
                let pairs = text.lines().filter_map(|line| line.split_once(':'));
                let mut values = pairs.filter(|(key, _)| key.trim() == wanted);
                values.next().map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
            };
            Some(KernelCard {
                pci,
                name: value("Model").map(str::to_owned),
                // Question marks stand for what is not known yet.
                uuid: value("GPU UUID").filter(|uuid| !uuid.contains('?')).map(str::to_owned),
                minor: value("Device Minor").and_then(|minor| minor.parse().ok()),
            })
        })
        .collect();
    cards.sort_by_key(|card| card.pci);
    cards
}
