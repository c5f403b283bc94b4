//! Machines with and without GPUs, and people who want something else.

use super::*;
use crate::runtime::surroundings::{Platform, SearchRoot};
use std::path::Path;

fn machine(system: &str, processor: &str) -> Surroundings {
    let environment = Environment::default();
    let platform = Platform { system: system.into(), processor: processor.into() };
    Surroundings::of(&SearchRoot { environment: &environment, root: Path::new("no-such-folder"), platform })
}

fn with_amd(gpus: usize) -> Surroundings {
    let mut seen = machine("linux", "x86_64");
    seen.amd.compute_device = true;
    seen.amd.gpus = Some(gpus);
    seen
}

fn backends(variables: &[(&str, &str)], cuda: CudaAnswer, switch: Option<&str>) -> Backends {
    let environment: Environment = variables.iter().copied().collect();
    Backends::of(&machine("linux", "x86_64"), &environment, &cuda, switch)
}

fn effect(found: &Backends, variable: &str) -> String {
    found.switches.iter().find(|one| one.variable == variable).unwrap().effect.clone()
}

#[test]
fn the_best_is_taken() {
    let environment = Environment::default();
    let take = |seen: &Surroundings, cuda| Backends::of(seen, &environment, &cuda, None).automatic;
    let both = take(&with_amd(1), CudaAnswer::Cards(2));
    assert_eq!(both.backend, Backend::Cuda);
    assert_eq!(both.reason, "CUDA: CUDA's driver shows 2 cards to this process; it comes before ROCm");
    let rocm = take(&with_amd(1), CudaAnswer::NoDriver);
    assert_eq!((rocm.backend, rocm.torch_device), (Backend::Rocm, "cuda"));
    assert_eq!(take(&with_amd(0), CudaAnswer::NoDriver).backend, Backend::Cpu);
    assert_eq!(take(&machine("macos", "aarch64"), CudaAnswer::NoDriver).backend, Backend::Mps);
    assert_eq!(take(&machine("macos", "x86_64"), CudaAnswer::NoDriver).backend, Backend::Cpu);
    assert!(
        take(&machine("windows", "x86_64"), CudaAnswer::NotAsked)
            .reason
            .contains("on Windows only it can tell")
    );
    let mut loaded = machine("linux", "x86_64");
    loaded.nvidia.kernel_module = Some("570.86.10".into());
    assert_eq!(take(&loaded, CudaAnswer::NotAsked).backend, Backend::Cpu);
    loaded.nvidia.devices = vec!["/dev/nvidia0".into()];
    assert_eq!(take(&loaded, CudaAnswer::NotAsked).backend, Backend::Cuda);
    let nothing = take(&machine("linux", "x86_64"), CudaAnswer::Refused("the driver answers 803".into()));
    assert_eq!(
        nothing.reason,
        "the CPU, because there is no CUDA: the driver answers 803; no ROCm: there is no /dev/kfd; no MPS: \
         this is not macOS"
    );
}

#[test]
fn a_mask_that_hides_everything_is_the_reason() {
    for (value, answer) in [("", CudaAnswer::Cards(0)), ("-1", CudaAnswer::Refused("error 100".into()))] {
        let found = backends(&[("CUDA_VISIBLE_DEVICES", value)], answer, None);
        assert_eq!(found.chosen.backend, Backend::Cpu);
        assert!(found.seen[0].reason.contains("leaves no GPU to CUDA"), "{}", found.seen[0].reason);
        assert_eq!(effect(&found, "CUDA_VISIBLE_DEVICES"), "hides every GPU from CUDA");
    }
    let masked = backends(&[("CUDA_VISIBLE_DEVICES", "0,1;2")], CudaAnswer::Cards(2), None);
    assert!(effect(&masked, "CUDA_VISIBLE_DEVICES").contains("at most 2 GPUs"));
    let environment: Environment = [("HIP_VISIBLE_DEVICES", "-1")].into_iter().collect();
    let hip = Backends::of(&with_amd(2), &environment, &CudaAnswer::NoDriver, None);
    assert_eq!(hip.chosen.backend, Backend::Cpu);
}

#[test]
fn the_policys_switch_decides() {
    let cards = || CudaAnswer::Cards(1);
    let of = |value: &str| backends(&[("APP_BACKEND", value)], cards(), Some("APP_BACKEND"));
    assert_eq!(of("cpu").chosen.backend, Backend::Cpu);
    assert_eq!(of("CuPy").chosen.backend, Backend::Cuda);
    assert_eq!(of("gpu").chosen.backend, Backend::Cuda);
    assert_eq!(of("auto").chosen, of("auto").automatic);
    let rocm = of("rocm").chosen;
    assert!(rocm.fallback && rocm.backend == Backend::Cpu);
    assert_eq!(
        rocm.reason,
        "APP_BACKEND=rocm asks for ROCm, which is not there (there is no /dev/kfd); a program can only fall back to \
         the CPU"
    );
    assert!(effect(&of("fast"), "APP_BACKEND").contains("only the project knows"));
    let unset = backends(&[], cards(), Some("APP_BACKEND"));
    assert_eq!(unset.switches[0].value, None);
    assert_eq!(unset.chosen.backend, Backend::Cuda);
}

#[test]
fn old_switches_still_count() {
    let take =
        |name: &str, value: &str| backends(&[(name, value)], CudaAnswer::Cards(1), None).chosen.backend;
    for (name, value) in [
        ("USE_CUDA", "false"),
        ("USE_GPU", "0"),
        ("FORCE_CPU", "1"),
        ("NO_CUDA", "yes"),
        ("CPU_ONLY", "True"),
        ("GPU_BACKEND", "cpu"),
    ] {
        assert_eq!(take(name, value), Backend::Cpu, "{name}={value}");
    }
    for (name, value) in [("USE_CUDA", "1"), ("FORCE_CPU", "0"), ("NO_CUDA", "0"), ("USE_CUDA", "perhaps")] {
        assert_eq!(take(name, value), Backend::Cuda, "{name}={value}");
    }
    let found = backends(&[("NO_CUDA", "0")], CudaAnswer::Cards(1), None);
    assert!(effect(&found, "NO_CUDA").contains("takes even `0` for yes"));
}

#[test]
fn switches_that_contradict_each_other() {
    let older = backends(&[("USE_CUDA", "1"), ("FORCE_CPU", "1")], CudaAnswer::Cards(1), None);
    assert_eq!(older.chosen.backend, Backend::Cpu);
    assert_eq!(older.contradictions.len(), 1);
    let both = [("APP_BACKEND", "gpu"), ("USE_CUDA", "0")];
    let newer = backends(&both, CudaAnswer::Cards(1), Some("APP_BACKEND"));
    assert_eq!(newer.chosen.backend, Backend::Cuda);
    assert!(newer.contradictions[0].contains("APP_BACKEND is followed here"));
    let agreed = backends(&[("USE_CUDA", "0"), ("FORCE_CPU", "1")], CudaAnswer::Cards(1), None);
    assert_eq!(agreed.contradictions, Vec::<String>::new());
}

#[test]
fn what_libraries_read() {
    let found = backends(
        &[
            ("PYTORCH_ENABLE_MPS_FALLBACK", "true"),
            ("HIP_VISIBLE_DEVICES", "0,1"),
            ("ROCR_VISIBLE_DEVICES", "0"),
            ("JAX_CUDA_VISIBLE_DEVICES", "0"),
        ],
        CudaAnswer::NotAsked,
        None,
    );
    assert!(effect(&found, "PYTORCH_ENABLE_MPS_FALLBACK").contains("`true` is none"));
    assert!(effect(&found, "HIP_VISIBLE_DEVICES").contains("torch raises"));
    assert!(effect(&found, "JAX_CUDA_VISIBLE_DEVICES").starts_with("nothing reads it"));
    let json = serde_json::to_value(&found).unwrap();
    assert_eq!(json["chosen"]["backend"], "cpu");
    assert_eq!(json["switches"][0]["role"], "library");
}
