//! What NVML says of the cards, through nvml-wrapper.

use crate::client::{answer_of, answer_with, eventually, start};
use nvml_wrapper::bitmasks::event::EventTypes;
use nvml_wrapper::enum_wrappers::device::{Clock, EccCounter, MemoryError, TemperatureSensor};
use nvml_wrapper::enums::device::UsedGpuMemory;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::{Device, Nvml};
use serde_json::{Value, json};
use simulated_gpu_host::{Card, ComputeMode, Description, Fault, MIB, SimulatedHost};

/// How the library begins: `ok`, or which error it is.
pub fn outcome() -> Value {
    Nvml::init().map_or_else(|error| json!(kind(&error)), |_| json!("ok"))
}

/// The error without what it says.
fn kind(error: &NvmlError) -> String {
    let text = format!("{error:?}");
    text.split(['(', ' ', '{']).next().unwrap_or_default().to_owned()
}

fn told<T: serde::Serialize>(outcome: Result<T, NvmlError>) -> Value {
    outcome.map_or_else(|error| json!(kind(&error)), |value| json!(value))
}

/// Everything about all cards.
pub fn cards() -> Value {
    let nvml = match Nvml::init() {
        Ok(nvml) => nvml,
        Err(error) => return json!(kind(&error)),
    };
    let described = (0..nvml.device_count().unwrap()).map(|index| match nvml.device_by_index(index) {
        Ok(device) => described(&nvml, &device),
        Err(error) => json!(kind(&error)),
    });
    let described: Vec<Value> = described.collect();
    json!({
        "cards": described,
        "driver": told(nvml.sys_driver_version()),
        "cuda": told(nvml.sys_cuda_driver_version()),
        "version": told(nvml.sys_nvml_version()),
        "beyond": nvml.device_by_index(9).err().map(|error| kind(&error)),
        "absent": nvml.device_by_uuid("GPU-absent").err().map(|error| kind(&error)),
    })
}

fn described(nvml: &Nvml, device: &Device) -> Value {
    let (uuid, pci) = (device.uuid().unwrap(), device.pci_info().unwrap());
    assert_eq!(nvml.device_by_uuid(uuid.as_str()).unwrap().index().unwrap(), device.index().unwrap());
    for address in [pci.bus_id.clone(), pci.bus_id[4..].to_lowercase()] {
        assert_eq!(nvml.device_by_pci_bus_id(address).unwrap().uuid().unwrap(), uuid);
    }
    let memory = device.memory_info().unwrap();
    let processes = device.running_compute_processes().unwrap().into_iter().map(|process| {
        let used = match process.used_gpu_memory {
            UsedGpuMemory::Used(bytes) => json!(bytes),
            UsedGpuMemory::Unavailable => Value::Null,
        };
        json!({"pid": process.pid, "used": used, "instance": process.gpu_instance_id})
    });
    let processes: Vec<Value> = processes.collect();
    let accounted = device.accounting_pids().unwrap_or_default().into_iter().map(|pid| {
        let statistics = device.accounting_stats_for(pid).unwrap();
        json!({"pid": pid, "most": statistics.max_memory_usage, "runs": statistics.is_running})
    });
    let accounted: Vec<Value> = accounted.collect();
    let errors = |kind| told(device.total_ecc_errors(kind, EccCounter::Volatile));
    let utilisation = device.utilization_rates().unwrap();
    let capability = device.cuda_compute_capability().unwrap();
    let slices = (0..device.mig_device_count().unwrap()).map(|index| {
        let slice = device.mig_device_by_index(index).unwrap();
        assert_eq!(slice.mig_parent_device().unwrap().uuid().unwrap(), uuid);
        json!({"uuid": slice.uuid().unwrap(), "total": slice.memory_info().unwrap().total})
    });
    json!({
        "uuid": uuid,
        "name": told(device.name()),
        "pci": [pci.domain, pci.bus, pci.device],
        "capability": [capability.major, capability.minor],
        "total": memory.total, "reserved": memory.reserved, "free": memory.free, "used": memory.used,
        "processes": processes,
        "graphics": device.running_graphics_processes().unwrap().len(),
        "mps": device.mps_running_compute_processes().unwrap().len(),
        "samples": told(device.process_utilization_stats(None).map(|samples| samples.len())),
        "accounting": told(device.is_accounting_enabled()),
        "accounted": accounted,
        "utilisation": [utilisation.gpu, utilisation.memory],
        "temperature": told(device.temperature(TemperatureSensor::Gpu)),
        "power": told(device.power_usage()),
        "limit": told(device.enforced_power_limit()),
        "clock": told(device.clock_info(Clock::SM)),
        "highest": [told(device.max_clock_info(Clock::SM)), told(device.max_clock_info(Clock::Memory))],
        "cores": told(device.num_cores()),
        "bus": told(device.memory_bus_width()),
        "throttle": told(device.current_throttle_reasons_strict().map(|reasons| reasons.bits())),
        "state": told(device.performance_state().map(|state| format!("{state:?}"))),
        "persistence": told(device.is_in_persistent_mode()),
        "mode": told(device.compute_mode().map(|mode| format!("{mode:?}"))),
        "ecc": told(device.is_ecc_enabled().map(|ecc| ecc.currently_enabled)),
        "corrected": errors(MemoryError::Corrected),
        "uncorrected": errors(MemoryError::Uncorrected),
        "mig": told(device.mig_mode().map(|mode| mode.current)),
        "slices": slices.collect::<Vec<_>>(),
    })
}

/// Waits for an XID of the card with this UUID while another process makes it happen; its number, and the card's.
pub fn event(uuid: &str) -> Value {
    let nvml = Nvml::init().unwrap();
    let device = nvml.device_by_uuid(uuid).unwrap();
    let set = nvml.create_event_set().unwrap();
    let set = device.register_events(EventTypes::CRITICAL_XID_ERROR, set).unwrap();
    let early = set.wait(1).err().map(|error| kind(&error));
    let program = std::env::var("SIMULATED_GPU_LAUNCHER").unwrap();
    let mut launcher = std::process::Command::new(std::env::current_exe().unwrap());
    launcher.args(["client::runs_a_program", "--exact"]).env("SIMULATED_GPU_PROGRAM", "launch:2");
    launcher.env("SIMULATED_GPU_ANSWER", program).stdout(std::process::Stdio::null());
    assert!(launcher.status().unwrap().success());
    let event = set.wait(60_000).unwrap();
    let late = set.wait(1).err().map(|error| kind(&error));
    json!({
        "early": early, "late": late, "card": event.device.uuid().unwrap(),
        "xid": format!("{:?}", event.event_data), "kind": format!("{:?}", event.event_type),
    })
}

#[test]
fn cards_are_as_described_in_the_order_of_their_addresses() {
    let mut second = Card::rtx_3090();
    second.cores = 0;
    second.compute_mode = ComputeMode::ExclusiveProcess;
    (second.temperature, second.throttle_reasons, second.utilisation) = (83, 0x20, (97, 40));
    let description = Description {
        cards: vec![second, Card::rtx_5060_ti()],
        driver: "570.1".into(),
        ..Description::default()
    };
    // Which the mask of CUDA does not change.
    let answer = answer_with(&SimulatedHost::of(description), "cards", &[("CUDA_VISIBLE_DEVICES", "1")]);
    assert_eq!(answer["driver"], "570.1");
    assert_eq!(answer["cuda"], 13000);
    assert_eq!(answer["beyond"], "InvalidArg");
    assert_eq!(answer["absent"], "NotFound");
    let [first, second] = answer["cards"].as_array().unwrap().as_slice() else { panic!("{answer}") };
    assert_eq!(first["name"], "NVIDIA GeForce RTX 5060 Ti");
    assert_eq!(first["pci"], json!([0, 1, 0]));
    assert_eq!(first["capability"], json!([12, 0]));
    assert_eq!(first["total"], 16311 * MIB);
    assert_eq!(first["free"], (16311 - 472) * MIB);
    assert_eq!(first["samples"], "NotFound");
    assert_eq!(first["mig"], "NotSupported");
    assert_eq!(first["ecc"], "NotSupported");
    assert_eq!(first["processes"], json!([]));
    assert_eq!(second["uuid"], Card::rtx_3090().uuid);
    assert_eq!(second["pci"], json!([0, 5, 0]));
    assert_eq!(second["mode"], "ExclusiveProcess");
    assert_eq!(second["temperature"], 83);
    assert_eq!(second["throttle"], 0x20);
    assert_eq!(second["utilisation"], json!([97, 40]));
    assert_eq!(second["clock"], 1695);
    assert_eq!(second["highest"], json!([1695, 9751]));
    assert_eq!(second["bus"], 384);
    assert_eq!(second["cores"], "NotSupported");
    assert_eq!(first["cores"], 4608);
    assert_eq!(second["limit"], 350_000);
    assert_eq!(second["persistence"], true);
}

#[test]
fn a_card_in_mig_mode_has_its_slices() {
    let host = SimulatedHost::new().with(Fault::Mig { card: Some("GPU-3090".into()) });
    let mut client = start(&host, "hold:1048576");
    let device = client.answer();
    assert_eq!(device["error"], Value::Null);
    let answer = answer_of(&host, "cards");
    let card = &answer["cards"][1];
    assert_eq!(card["mig"], 1);
    assert_eq!(card["slices"][1]["uuid"], "MIG-20903090-0000-4000-8000-000000000002");
    assert_eq!(card["slices"][1]["total"], 12132 * MIB);
    assert_eq!(card["processes"], json!([{"pid": client.pid(), "used": 258 * MIB, "instance": 1}]));
    assert_eq!(card["used"], 258 * MIB);
}

#[test]
fn accounting_remembers_who_ended() {
    let host = SimulatedHost::new().changed(|description| description.cards[1].accounting = true);
    let mut client = start(&host, "hold:4194304");
    client.answer();
    let pid = client.pid();
    let cards = answer_of(&host, "cards");
    let accounted = &cards["cards"][1]["accounted"];
    assert_eq!(*accounted, json!([{"pid": pid, "most": 260 * MIB, "runs": true}]));
    client.wait();
    let card = eventually(
        || answer_of(&host, "cards")["cards"][1].clone(),
        |card| card["accounted"] == json!([{"pid": pid, "most": 260 * MIB, "runs": false}]),
    );
    assert_eq!(card["processes"], json!([]));
    assert_eq!(cards["cards"][0]["accounting"], false);
}
