//! Machines made of a folder and a few variables.

use super::*;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder that stands for `/`, and is gone afterwards.
struct Root(PathBuf);

impl Root {
    fn with(name: &str, files: &[(&str, &str)]) -> Root {
        let folder = std::env::temp_dir().join(format!("gpulint-surroundings-{}-{name}", std::process::id()));
        for (path, text) in files {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        fs::create_dir_all(&folder).unwrap();
        Root(folder)
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn linux() -> Platform {
    Platform { system: "linux".into(), processor: "x86_64".into() }
}

fn seen(root: &Path, variables: &[(&str, &str)]) -> Surroundings {
    let environment: Environment = variables.iter().copied().collect();
    Surroundings::of(&SearchRoot { environment: &environment, root, platform: linux() })
}

fn text_about(seen: &Surroundings, topic: Topic) -> String {
    let texts = seen.remarks.iter().filter(|remark| remark.topic == topic).map(|remark| remark.text.as_str());
    texts.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_plain_machine_with_two_cards() {
    let information = |uuid: &str, minor: &str| {
        format!("Model: \t\t NVIDIA GeForce RTX 3090\nGPU UUID: \t {uuid}\nDevice Minor: \t {minor}\n")
    };
    let root = Root::with(
        "plain",
        &[
            ("proc/sys/kernel/osrelease", "6.8.0-45-generic\n"),
            ("proc/1/cgroup", "0::/init.scope\n"),
            ("proc/self/cgroup", "0::/system.slice/docker.service\n"),
            (
                "proc/driver/nvidia/version",
                "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.10  Release Build\nGCC version: gcc 12.3.0\n",
            ),
            ("proc/driver/nvidia/gpus/0000:05:00.0/information", &information("GPU-????????-????", "0")),
            ("proc/driver/nvidia/gpus/0000:01:00.0/information", &information("GPU-3090", "1")),
            ("dev/nvidia0", ""),
            ("dev/nvidia10", ""),
            ("dev/nvidia2", ""),
            ("dev/nvidiactl", ""),
            ("dev/nvidia-uvm", ""),
        ],
    );
    let seen = seen(&root.0, &[("NVIDIA_VISIBLE_DEVICES", "1")]);
    assert_eq!(seen.container, None);
    assert_eq!(seen.wsl, None);
    assert_eq!(seen.numbering, Numbering::OfTheMachine);
    assert_eq!(seen.nvidia.kernel_module.as_deref(), Some("570.86.10"));
    assert_eq!(seen.nvidia.devices, ["/dev/nvidia0", "/dev/nvidia2", "/dev/nvidia10"]);
    assert_eq!(seen.nvidia.control_devices, ["/dev/nvidiactl", "/dev/nvidia-uvm"]);
    let cards = &seen.nvidia.cards;
    assert_eq!((cards[0].uuid.as_deref(), cards[0].minor), (Some("GPU-3090"), Some(1)));
    assert_eq!((cards[1].uuid.as_deref(), cards[1].pci.bus), (None, 5));
    assert!(text_about(&seen, Topic::Container).contains("hides nothing from CUDA here"));
    assert!(text_about(&seen, Topic::NvidiaDriver).contains("570.86.10"));
}

#[test]
fn containers_by_their_marks() {
    let number = "a".repeat(64);
    let docker = Root::with("docker", &[(".dockerenv", ""), ("proc/1/cgroup", "0::/\n")]);
    let podman = Root::with("podman", &[("run/.containerenv", "engine=\"podman-4.9.3\"\n")]);
    let cgroups = Root::with("cgroups", &[("proc/1/cgroup", &format!("12:devices:/docker/{number}\n"))]);
    let scope = Root::with(
        "scope",
        &[("proc/self/cgroup", &format!("0::/machine.slice/libpod-{number}.scope/container\n"))],
    );
    let pod = Root::with(
        "pod",
        &[(
            "proc/1/cgroup",
            &format!("0::/kubepods.slice/kubepods-pod1.slice/cri-containerd-{number}.scope\n"),
        )],
    );
    let engine = |root: &Root| seen(&root.0, &[]).container.map(|one| (one.engine, one.kubernetes));
    assert_eq!(engine(&docker), Some((Engine::Docker, false)));
    assert_eq!(engine(&podman), Some((Engine::Podman, false)));
    assert_eq!(engine(&cgroups), Some((Engine::Docker, false)));
    assert_eq!(engine(&scope), Some((Engine::Podman, false)));
    assert_eq!(engine(&pod), Some((Engine::Containerd, true)));

    let bare = Root::with("bare", &[]);
    let by_name = |name: &str| seen(&bare.0, &[("container", name)]).container.map(|one| one.engine);
    assert_eq!(by_name("podman"), Some(Engine::Podman));
    assert_eq!(by_name("lxc"), Some(Engine::Unknown));
    assert_eq!(by_name("my-registry/app"), None);

    let empty = Root::with(
        "empty",
        &[(".dockerenv", ""), ("proc/driver/nvidia/version", "NVRM version: x 535.104.05\n")],
    );
    assert!(text_about(&seen(&empty.0, &[]), Topic::NvidiaDriver).contains("start it with `--gpus`"));

    let by_variable =
        seen(&bare.0, &[("KUBERNETES_SERVICE_HOST", "10.0.0.1"), ("NVIDIA_VISIBLE_DEVICES", "void")]);
    assert!(
        by_variable.container.as_ref().is_some_and(|one| one.kubernetes && one.engine == Engine::Unknown)
    );
    assert_eq!(by_variable.numbering, Numbering::OfTheAllotment);
    let text = text_about(&by_variable, Topic::Container);
    assert!(
        text.contains("counted from 0") && text.contains("asks the container toolkit for nothing"),
        "{text}"
    );
}

#[test]
fn the_subsystem_of_windows() {
    let root = Root::with(
        "wsl",
        &[
            ("proc/sys/kernel/osrelease", "5.15.153.1-microsoft-standard-WSL2\n"),
            ("usr/lib/wsl/lib/libnvidia-ml.so.1", ""),
            ("usr/lib/wsl/lib/libcuda.so.1", ""),
            ("dev/dxg", ""),
        ],
    );
    let wsl = seen(&root.0, &[]).wsl.unwrap();
    assert_eq!((wsl.version, wsl.cuda_driver, wsl.device), (Some(2), true, true));
    assert_eq!(wsl.nvml.as_deref(), Some("/usr/lib/wsl/lib/libnvidia-ml.so.1"));

    let first = Root::with("wsl1", &[("proc/sys/kernel/osrelease", "4.4.0-19041-Microsoft\n")]);
    let first = seen(&first.0, &[]);
    assert!(text_about(&first, Topic::Wsl).contains("use WSL 2"));
}

#[test]
fn jobs_of_slurm() {
    let root = Root::with("slurm", &[]);
    let job = |variables: &[(&str, &str)]| {
        let mut all = vec![("SLURM_JOB_ID", "77")];
        all.extend(variables);
        seen(&root.0, &all)
    };
    let confined = job(&[("SLURM_JOB_GPUS", "3"), ("CUDA_VISIBLE_DEVICES", "0")]);
    assert_eq!(confined.numbering, Numbering::OfTheAllotment);
    assert!(text_about(&confined, Topic::Slurm).contains("counted from 0 here"));

    let step = job(&[("SLURM_JOB_GPUS", "2-3"), ("SLURM_STEP_GPUS", "3"), ("CUDA_VISIBLE_DEVICES", "3")]);
    assert_eq!(step.slurm.as_ref().unwrap().renumbered, Some(false));
    assert_eq!(step.numbering, Numbering::OfTheMachine);

    for unclear in [
        job(&[("SLURM_JOB_GPUS", "0,1"), ("CUDA_VISIBLE_DEVICES", "0,1")]),
        job(&[("SLURM_JOB_GPUS", "0-4294967295"), ("CUDA_VISIBLE_DEVICES", "1")]),
        job(&[("CUDA_VISIBLE_DEVICES", "GPU-3090")]),
        job(&[]),
    ] {
        assert_eq!(unclear.numbering, Numbering::Uncertain);
    }
    assert_eq!(seen(&root.0, &[("SLURM_JOB_GPUS", "1")]).slurm, None);
}

#[test]
fn jobs_of_a_runner() {
    let root = Root::with("ci", &[]);
    let own = seen(
        &root.0,
        &[("GITHUB_ACTIONS", "true"), ("RUNNER_NAME", "gpu-box"), ("RUNNER_ENVIRONMENT", "self-hosted")],
    );
    assert_eq!(own.ci.as_ref().unwrap().self_hosted, Some(true));
    assert!(text_about(&own, Topic::Ci).contains("`gpu-box`, which is self-hosted"));
    assert_eq!(seen(&root.0, &[("GITHUB_ACTIONS", "true")]).ci.unwrap().self_hosted, None);
    assert_eq!(seen(&root.0, &[("CI", "1")]).ci.unwrap().service, Service::Unknown);
    assert_eq!(seen(&root.0, &[("CI", "false")]).ci, None);
}

#[test]
fn the_multi_process_service() {
    let root = Root::with("mps", &[("tmp/nvidia-mps/control", "")]);
    let usual = seen(&root.0, &[]);
    assert_eq!(usual.numbering, Numbering::Uncertain);
    let named = seen(&root.0, &[("CUDA_MPS_PIPE_DIRECTORY", "/var/mps")]);
    assert_eq!(named.numbering, Numbering::OfTheAllotment);
    assert!(text_about(&named, Topic::MultiProcessService).contains("which is not there"));
}

#[test]
fn graphics_cards_of_amd() {
    let root = Root::with(
        "amd",
        &[
            ("dev/kfd", ""),
            ("dev/dri/renderD128", ""),
            ("sys/class/kfd/kfd/topology/nodes/0/properties", "cpu_cores_count 16\nsimd_count 0\n"),
            ("sys/class/kfd/kfd/topology/nodes/1/properties", "cpu_cores_count 0\nsimd_count 192\n"),
        ],
    );
    let seen = seen(&root.0, &[]);
    assert_eq!(seen.amd.gpus, Some(1));
    assert_eq!(seen.amd.render_devices, ["/dev/dri/renderD128"]);
    assert!(text_about(&seen, Topic::AmdDriver).contains("1 GPU for computing"));
}

#[test]
fn a_mac() {
    let root = Root::with("mac", &[]);
    let environment = Environment::default();
    let platform = Platform { system: "macos".into(), processor: "aarch64".into() };
    let seen = Surroundings::of(&SearchRoot { environment: &environment, root: &root.0, platform });
    assert!(seen.apple_silicon && text_about(&seen, Topic::AppleSilicon).contains("`mps`"));
    let json = serde_json::to_value(&seen).unwrap();
    assert_eq!(json["numbering"], "of_the_machine");
    assert_eq!(json["remarks"][0]["topic"], "apple_silicon");
}

#[test]
fn this_machine_whatever_it_is() {
    let environment = Environment::of_process();
    let seen = Surroundings::of(&SearchRoot::of_this_machine(&environment));
    assert_eq!(seen.platform, Platform::of_this_program());
}
