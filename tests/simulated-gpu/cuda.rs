//! What CUDA does, through cudarc: results that are really computed, codes, the safe way through the crate, the log.

use crate::client::{answer_of, answer_with};
use serde_json::{Value, json};
use simulated_gpu_host::SimulatedHost;

#[test]
fn kernels_are_computed() {
    let results = answer_of(&SimulatedHost::new(), "compute");
    assert_eq!(results["product"], json!([19.0, 22.0, 43.0, 50.0]));
    assert_eq!(results["differences"], json!([14]));
    let filled: Vec<f64> = results["filled"].as_array().unwrap().iter().filter_map(Value::as_f64).collect();
    let expected = |index: u32| {
        let mixed = index
            .wrapping_mul(1_664_525)
            .wrapping_add(7_u32.wrapping_mul(1_013_904_223))
            .wrapping_add(12_345);
        f64::from((mixed ^ (mixed >> 16)) >> 8) / 16_777_216.0 - 0.5
    };
    assert_eq!(filled, (0..1000).map(expected).collect::<Vec<_>>());
}

#[test]
fn mistakes_have_their_codes() {
    let errors = answer_of(&SimulatedHost::new(), "errors");
    assert_eq!(errors["before cuInit"], 3);
    assert_eq!(errors["null"], 1);
    let is = |key: &str, name: &str| assert!(errors[key].as_str().unwrap().contains(name), "{key}: {errors}");
    is("no such device", "CUDA_ERROR_INVALID_DEVICE, \"invalid device ordinal\"");
    is("freed twice", "CUDA_ERROR_INVALID_VALUE");
    is("nothing", "CUDA_ERROR_INVALID_VALUE");
    is("beyond", "CUDA_ERROR_ILLEGAL_ADDRESS");
    is("no kernel", "CUDA_ERROR_NOT_FOUND");
    is("no module", "CUDA_ERROR_INVALID_IMAGE");
}

#[test]
fn the_safe_part_of_the_crate_works() {
    let answer = answer_of(&SimulatedHost::new(), "safe");
    let expected = json!({
        "zeroes": [0, 0, 0], "copied": [1, 2, 3], "elapsed": true, "elsewhere": true,
        "total": (24576_u64 - 312) << 20, "name": "NVIDIA GeForce RTX 3090",
    });
    assert_eq!(answer, expected);
}

#[test]
fn every_call_is_written_down_with_the_environment_of_the_first() {
    let host = SimulatedHost::new();
    assert_eq!(host.calls(), []);
    let mask = [("CUDA_VISIBLE_DEVICES", "GPU-5060")];
    answer_with(&host, "devices", &mask);
    let calls = host.calls();
    assert_eq!(calls[0].symbol, "cuInit");
    assert_eq!(calls[0].environment.as_ref().unwrap()["CUDA_VISIBLE_DEVICES"], "GPU-5060");
    assert!(calls.iter().all(|call| call.pid == calls[0].pid && call.pid != std::process::id()));
    assert!(calls.iter().skip(1).all(|call| call.environment.is_none()));
    assert!(calls.iter().all(|call| !call.symbol.contains("Ctx")), "devices are asked without a context");
    answer_of(&host, "cards");
    let later = host.calls();
    assert_eq!(later[calls.len()].symbol, "nvmlInit_v2");
    assert_eq!(later.last().unwrap().symbol, "nvmlShutdown");
}

#[test]
fn what_starts_no_gpu_leaves_no_trace() {
    let host = SimulatedHost::new();
    assert!(host.command("true").status().unwrap().success());
    assert_eq!(host.calls(), []);
}
