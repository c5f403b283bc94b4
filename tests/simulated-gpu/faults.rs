//! Every fault, and the code or the number by which it is known.

use crate::client::{answer_of, answer_with, eventually, start};
use serde_json::{Value, json};
use simulated_gpu_host::{FAULTS, Fault, MIB, SimulatedHost};

fn host(fault: Fault) -> SimulatedHost {
    SimulatedHost::new().with(fault)
}

fn second(host: &SimulatedHost) -> Value {
    answer_of(host, "cards")["cards"][1].clone()
}

#[test]
fn a_driver_that_is_not_as_it_should_be() {
    let cases = [
        (Fault::NoDriver, json!(100), "DriverNotLoaded"),
        (Fault::StubLibrary, json!(34), "ok"),
        (Fault::VersionMismatch, json!(803), "LibRmVersionMismatch"),
        (Fault::NoPermission, json!(100), "NoPermission"),
        (Fault::PidOpaque, Value::Null, "ok"),
    ];
    for (fault, cuda, nvml) in cases {
        let host = host(fault.clone());
        assert_eq!(answer_of(&host, "devices")["error"], cuda, "{fault:?}");
        assert_eq!(answer_of(&host, "init-nvml"), nvml, "{fault:?}");
    }
}

#[test]
fn a_variable_can_bring_faults_too() {
    let host = SimulatedHost::new();
    assert_eq!(answer_with(&host, "devices", &[(FAULTS, "[{fault: stub-library}]")])["error"], 34);
    assert_eq!(answer_with(&host, "devices", &[(FAULTS, "[{fault: unheard-of}]")])["error"], 999);
    assert_eq!(answer_with(&host, "init-nvml", &[(FAULTS, "nothing")]), "Unknown");
}

#[test]
fn one_allocation_fails() {
    assert_eq!(answer_of(&host(Fault::OutOfMemory { allocation: 3 }), "allocate:5"), json!([[3, 2]]));
}

#[test]
fn each_launch_leaks() {
    let column = |launches: &Value, key: &str| -> Vec<u64> {
        launches.as_array().unwrap().iter().map(|launch| launch[key].as_u64().unwrap()).collect()
    };
    let steps = |held: &[u64]| held.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<_>>();
    let leak = |bytes, in_pool| host(Fault::Leak { bytes, in_pool, card: None });
    let launches = answer_of(&leak(4 * MIB, false), "launch:4");
    assert_eq!(steps(&column(&launches, "held")), [4 * MIB; 3]);
    assert_eq!(steps(&column(&launches, "pool")), [0; 3]);
    // 512 bytes fit in blocks that are there.
    let launches = answer_of(&leak(100, true), "launch:4");
    assert_eq!(steps(&column(&launches, "held")), [0; 3]);
    assert_eq!(steps(&column(&launches, "pool")), [512; 3]);
}

#[test]
fn one_result_is_wrong() {
    let first = |launches: &Value, number: usize| launches[number]["first"].as_u64().unwrap();
    let launches = answer_of(&host(Fault::WrongResult { launch: 2, card: None }), "launch:3");
    assert_eq!(first(&launches, 0), first(&launches, 2));
    assert_eq!(first(&launches, 0) ^ first(&launches, 1), 1);
    let elsewhere = Fault::WrongResult { launch: 2, card: Some("GPU-5060".into()) };
    let launches = answer_of(&host(elsewhere), "launch:2");
    assert_eq!(first(&launches, 0), first(&launches, 1));
}

#[test]
fn a_slow_card_takes_longer() {
    let launches = answer_of(&host(Fault::SlowCard { milliseconds: 30, card: None }), "launch:2");
    assert!(launches[1]["milliseconds"].as_u64().unwrap() >= 30, "{launches}");
}

#[test]
fn an_xid_is_an_event() {
    let host = host(Fault::Xid { number: 79, launch: 2, card: None });
    let uuid = &host.description.cards[1].uuid;
    let launched = host.folder().join("launched");
    let variable = [("SIMULATED_GPU_LAUNCHER", launched.to_str().unwrap())];
    let event = answer_with(&host, &format!("event:{uuid}"), &variable);
    assert_eq!((&event["early"], &event["late"]), (&json!("Timeout"), &json!("Timeout")));
    assert_eq!(event["card"], json!(uuid));
    assert!(event["xid"].as_str().unwrap().contains("79"), "{event}");
    assert!(event["kind"].as_str().unwrap().contains("CRITICAL_XID_ERROR"), "{event}");
    assert_eq!(host.incidents().so_far().len(), 1);
}

#[test]
fn errors_of_the_memory_are_counted() {
    let card =
        second(&host(Fault::EccErrors { corrected: 3, uncorrected: 1, card: Some("GPU-3090".into()) }));
    assert_eq!(
        (&card["ecc"], &card["corrected"], &card["uncorrected"]),
        (&json!(true), &json!(3), &json!(1))
    );
}

#[test]
fn a_lost_card_stays_lost() {
    let host = host(Fault::GpuLost { launch: 2, card: Some("GPU-3090".into()) });
    assert_eq!(second(&host)["temperature"], 45);
    let launches = answer_of(&host, "launch:3");
    let codes: Vec<_> = launches.as_array().unwrap().iter().map(|launch| &launch["error"]).collect();
    assert_eq!(codes, [&Value::Null, &json!(719), &json!(719)]);
    assert_eq!(second(&host), "GpuLost");
    assert_eq!(answer_of(&host, "hold:1")["error"], 719);
    // The other one is not.
    let other = [("CUDA_VISIBLE_DEVICES", "GPU-5060")];
    assert_eq!(answer_with(&host, "hold:1", &other)["error"], Value::Null);
    let gone = SimulatedHost::new().with(Fault::GpuLost { launch: 0, card: None });
    assert_eq!(answer_of(&gone, "cards")["cards"], json!(["GpuLost", "GpuLost"]));
}

#[test]
fn a_call_hangs() {
    let host = host(Fault::HungCall { symbol: "cuCtxSynchronize".into() });
    let mut client = start(&host, "hang");
    assert_eq!(client.answer(), "begun");
    let hangs =
        |calls: &Vec<simulated_gpu_host::Call>| calls.iter().any(|call| call.symbol == "cuCtxSynchronize");
    eventually(|| host.calls(), hangs);
    assert_eq!(host.accounts().living(&host.description.cards[1].uuid).len(), 1);
    client.kill();
    client.wait();
    assert_eq!(host.calls().last().unwrap().symbol, "cuCtxSynchronize");
}

#[test]
fn processes_without_memory() {
    let host = host(Fault::NoProcessMemory);
    let mut client = start(&host, "hold:1");
    client.answer();
    let card = second(&host);
    assert_eq!(card["processes"], json!([{"pid": client.pid(), "used": null, "instance": null}]));
    assert_eq!(card["used"], 258 * MIB);
}

#[test]
fn processes_with_ids_from_outside() {
    let host = host(Fault::PidOpaque);
    let mut client = start(&host, "hold:1");
    client.answer();
    assert_eq!(second(&host)["processes"][0]["pid"], client.pid() + 100_000);
}

#[test]
fn a_process_of_somebody_else() {
    let foreign = |pid| Fault::ForeignProcess { bytes: 5 * MIB, pid, card: Some("GPU-3090".into()) };
    let host = host(foreign(1));
    let card = second(&host);
    assert_eq!(card["processes"], json!([{"pid": 1, "used": 5 * MIB, "instance": null}]));
    assert_eq!(card["used"], 5 * MIB);
    assert_eq!(answer_of(&host, "cards")["cards"][0]["processes"], json!([]));
    // It is there as long as it lives.
    let host = SimulatedHost::new();
    let mut other = start(&host, "idle");
    other.answer();
    let host = host.with(foreign(other.pid()));
    assert_eq!(second(&host)["processes"][0]["pid"], other.pid());
    other.kill();
    other.wait();
    assert_eq!(second(&host)["processes"], json!([]));
}

#[test]
fn libraries_that_are_not_installed() {
    let host = SimulatedHost::new().without_nvml();
    let installed = std::path::Path::new("/proc/driver/nvidia").exists();
    assert!(installed || answer_of(&host, "init-nvml") == "LibloadingError");
    assert_eq!(answer_of(&host, "devices")["error"], Value::Null);
    let host = SimulatedHost::new().without_cuda();
    assert!(!host.libraries().join("libcuda.so").exists());
    assert_eq!(answer_of(&host, "init-nvml"), "ok");
}
