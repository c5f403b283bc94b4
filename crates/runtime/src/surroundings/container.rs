//! Containers, by the marks that they leave inside.

use super::SearchRoot;
use serde::Serialize;

/// The container that the process is in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Container {
    pub engine: Engine,
    /// It belongs to a pod of Kubernetes.
    pub kubernetes: bool,
    /// What tells it.
    pub marks: Vec<String>,
    /// NVIDIA_VISIBLE_DEVICES, which the container toolkit reads when it makes the container.
    pub nvidia_visible_devices: Option<String>,
}

/// What made a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    Docker,
    Podman,
    Containerd,
    /// Something that leaves only marks of containers in general.
    Unknown,
}

impl Engine {
    pub fn name(self) -> &'static str {
        match self {
            Engine::Docker => "Docker",
            Engine::Podman => "Podman",
            Engine::Containerd => "containerd",
            Engine::Unknown => "an engine that does not tell its name",
        }
    }
}

pub(super) fn of(world: &SearchRoot<'_>) -> Option<Container> {
    let environment = world.environment;
    let (mut found, mut in_pod) = (Vec::new(), false);
    if world.has(".dockerenv") {
        found.push((Engine::Docker, "/.dockerenv".to_owned()));
    }
    if world.has("run/.containerenv") {
        found.push((Engine::Podman, "/run/.containerenv".to_owned()));
    }
    for process in ["proc/1/cgroup", "proc/self/cgroup"] {
        let Some(text) = world.text(process) else { continue };
        in_pod |= text.contains("kubepods");
        if let Some((engine, group)) = group_of(&text) {
            found.push((engine, format!("`{group}` in /{process}")));
        }
    }
    // What systemd's interface for containers asks every engine to set.
    if let Some(name) = environment.filled("container") {
        let engine = match name {
            "docker" => Engine::Docker,
            "podman" => Engine::Podman,
            _ => Engine::Unknown,
        };
        // Others may use such a short name for something else.
        if engine != Engine::Unknown || matches!(name, "oci" | "lxc" | "lxc-libvirt" | "systemd-nspawn") {
            found.push((engine, format!("container={name}")));
        }
    }
    let pod = environment.filled("KUBERNETES_SERVICE_HOST").map(|_| "KUBERNETES_SERVICE_HOST");
    let pod = pod.or(world.has("var/run/secrets/kubernetes.io").then_some("/var/run/secrets/kubernetes.io"));
    let kubernetes = pod.is_some() || in_pod;
    found.extend(pod.map(|mark| (Engine::Unknown, mark.to_owned())));
    let engine = found.iter().map(|(engine, _)| *engine).find(|engine| *engine != Engine::Unknown);
    (!found.is_empty()).then(|| Container {
        engine: engine.unwrap_or(Engine::Unknown),
        kubernetes,
        marks: found.into_iter().map(|(_, mark)| mark).collect(),
        nvidia_visible_devices: environment.get("NVIDIA_VISIBLE_DEVICES").map(str::to_owned),
    })
}

/// The first control group that an engine has named, without the number behind its name.
fn group_of(text: &str) -> Option<(Engine, String)> {
    const NAMES: [(&str, Engine); 7] = [
        ("docker/", Engine::Docker),
        ("docker-", Engine::Docker),
        ("libpod-", Engine::Podman),
        ("libpod_parent", Engine::Podman),
        ("cri-containerd", Engine::Containerd),
        ("nerdctl-", Engine::Containerd),
        ("kubepods", Engine::Unknown),
    ];
    text.lines().filter_map(|line| line.splitn(3, ':').nth(2)).find_map(|path| {
        NAMES.iter().find_map(|(name, engine)| {
            let behind = &path[path.find(name)? + name.len()..];
            // The service of an engine is called `docker.service` or `docker-volume`; a container has a long number.
            let numbered = behind.bytes().take(12).filter(u8::is_ascii_hexdigit).count() == 12;
            let by_name = matches!(*name, "libpod_parent" | "cri-containerd" | "kubepods");
            (numbered || by_name).then(|| (*engine, name.trim_end_matches(['/', '-']).to_owned()))
        })
    })
}
