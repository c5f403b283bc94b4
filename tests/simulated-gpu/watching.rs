//! The watch of gpulint's own `runtime::watch`, in a process on the simulated host: whose memory it is, what goes wrong
//! meanwhile, and whether the memory is back.

use crate::client::{Client, answer_of, eventually, start_with};
use gpulint::runtime::watch::{Gauge, PATIENCE, Plan, Watch};
use serde_json::{Value, json};
use simulated_gpu_host::{Card, Description, FAULTS, Fault, Incident, MIB, SimulatedHost};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const UUID: &str = "GPU-30903090-0000-4000-8000-000000000002";
const BLOCK: u64 = 64 * MIB;

/// In the folder of the host: the ids of the processes that count as the command's, what is read so far, and a file that ends it.
const OURS: &str = "ours";
const SO_FAR: &str = "so-far";
const OVER: &str = "over";

fn folder() -> PathBuf {
    let description = std::env::var_os("SIMULATED_GPU_HOST").expect("a host is described");
    Path::new(&description).parent().expect("a file has a folder").to_owned()
}

fn write(file: &Path, text: &str) {
    let unfinished = file.with_extension("unfinished");
    std::fs::write(&unfinished, text).unwrap();
    std::fs::rename(unfinished, file).unwrap();
}

/// What the client does. `limit` is in MiB; 0 is none.
pub fn watch(limit: usize, answer: &dyn Fn(&Value)) {
    let patience = std::env::var("PATIENCE_MILLISECONDS").ok().and_then(|text| text.parse().ok());
    let patience = patience.map_or(PATIENCE, Duration::from_millis);
    let gauge = match Gauge::open(UUID, patience) {
        Ok(gauge) => gauge,
        Err(reason) => return answer(&json!({"closed": reason.to_string()})),
    };
    let baseline = match gauge.baseline(patience) {
        Ok(baseline) => baseline,
        Err(reason) => return answer(&json!({"closed": reason.to_string()})),
    };
    let folder = folder();
    let (list, over) = (folder.join(OURS), folder.join(OVER));
    let pids = move || -> Vec<u32> {
        let text = std::fs::read_to_string(&list).unwrap_or_default();
        text.split_whitespace().map(|pid| pid.parse().unwrap()).collect()
    };
    let ours = pids.clone();
    let (calls, scans) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let (called, scanned) = (calls.clone(), scans.clone());
    let max_memory = (limit > 0).then_some(limit as u64 * MIB);
    let plan = Plan { interval: Duration::from_millis(5), max_memory, points: 50, ..Plan::default() };
    let watch = Watch::start(
        &gauge,
        &baseline,
        plan,
        move || {
            scanned.fetch_add(1, Ordering::SeqCst);
            ours()
        },
        move |_| {
            called.fetch_add(1, Ordering::SeqCst);
        },
    );
    let view = watch.view();
    while !over.exists() {
        write(&folder.join(SO_FAR), &json!(view.so_far()).to_string());
        std::thread::sleep(Duration::from_millis(5));
    }
    let readings = watch.stop(patience);
    let returned = gauge.returned_to(&baseline, &pids(), Duration::from_millis(200));
    answer(&json!({
        "readings": readings,
        "baseline": baseline,
        "returned": returned,
        "calls": calls.load(Ordering::SeqCst),
        "scans": scans.load(Ordering::SeqCst),
        "simulated": gauge.simulated,
        "driver": gauge.driver,
        "memory": gauge.memory,
    }));
}

/// Waits until this process counts as the command's.
pub fn wait_until_listed() {
    let (list, pid) = (folder().join(OURS), std::process::id().to_string());
    eventually(|| std::fs::read_to_string(&list).unwrap_or_default(), |text| *text == pid);
}

/// A watch on a host, from outside.
struct Watched<'h> {
    host: &'h SimulatedHost,
    client: Client,
}

impl<'h> Watched<'h> {
    fn on(host: &'h SimulatedHost, limit: u64) -> Watched<'h> {
        Watched::with(host, limit, &[])
    }

    fn with(host: &'h SimulatedHost, limit: u64, variables: &[(&str, &str)]) -> Watched<'h> {
        let client = start_with(host, &format!("watch:{limit}"), variables);
        let watched = Watched { host, client };
        eventually(|| host.folder().join(SO_FAR).exists(), |is_there| *is_there);
        watched
    }

    fn so_far(&self) -> Value {
        let text = std::fs::read_to_string(self.host.folder().join(SO_FAR)).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    #[track_caller]
    fn until(&self, holds: impl Fn(&Value) -> bool) -> Value {
        eventually(|| self.so_far(), holds)
    }

    fn end(mut self) -> Value {
        write(&self.host.folder().join(OVER), "");
        self.client.answer()
    }
}

/// A process that holds memory of the card, and counts as the command's.
fn command(host: &SimulatedHost, bytes: u64) -> Client {
    let holder = start_with(host, &format!("hold-listed:{bytes}"), &[("CUDA_VISIBLE_DEVICES", UUID)]);
    write(&host.folder().join(OURS), &holder.pid().to_string());
    holder
}

fn in_context() -> u64 {
    Card::rtx_3090().context_mib * MIB
}

#[test]
fn memory_of_the_command_and_its_return() {
    let host = SimulatedHost::new();
    let watch = Watched::on(&host, 0);
    watch.until(|seen| seen["samples"].as_u64() > Some(3));
    let mut holder = command(&host, BLOCK);
    let held = in_context() + BLOCK;
    watch.until(|seen| seen["command_memory"]["last"] == held);
    holder.wait();
    watch.until(|seen| seen["command_memory"]["last"] == 0);
    let said = watch.end();
    let readings = &said["readings"];
    assert_eq!(readings["command_memory"]["max"], held, "{said:#}");
    assert_eq!(readings["command_memory_source"], "processes");
    let baseline = said["baseline"]["memory"].as_u64().unwrap();
    assert_eq!(readings["memory"]["max"], baseline + held);
    assert_eq!(readings["temperature"]["mean"], 45.0);
    assert_eq!(readings["power_milliwatts"]["last"], 32_000);
    assert_eq!(readings["foreign_processes"], json!([]));
    assert_eq!(readings["notes"], json!([]));
    assert_eq!(said["returned"]["outcome"], "back");
    assert_eq!((&said["simulated"], &said["driver"]), (&json!(true), &json!("580.95.05")));
    assert_eq!(said["memory"], 24576 * MIB);
    // Only when a process is new is the list of the command's processes asked for.
    assert!(said["scans"].as_u64() <= Some(2), "{said:#}");
    assert!(readings["series"]["points"].as_array().unwrap().len() <= 50);
    assert_eq!(said["calls"], 0);
}

#[test]
fn the_limit_is_told_once() {
    let host = SimulatedHost::new();
    let watch = Watched::on(&host, 300);
    let _holder = command(&host, BLOCK);
    watch.until(|seen| !seen["passed"].is_null());
    let count = watch.so_far()["samples"].as_u64().unwrap();
    watch.until(|seen| seen["samples"].as_u64() > Some(count + 5));
    let said = watch.end();
    assert_eq!(said["calls"], 1);
    assert_eq!(said["readings"]["passed"]["used"], in_context() + BLOCK);
    // The command still holds it.
    assert_eq!(said["returned"]["outcome"], "not_back", "{said:#}");
    assert_eq!(said["returned"]["holders"][0]["memory"], in_context() + BLOCK);
}

#[test]
fn processes_of_others() {
    let host = SimulatedHost::new().with(Fault::ForeignProcess {
        bytes: BLOCK,
        pid: 1,
        card: Some("GPU-3090".into()),
    });
    let watch = Watched::on(&host, 0);
    let other = start_with(&host, &format!("hold:{BLOCK}"), &[("CUDA_VISIBLE_DEVICES", UUID)]);
    watch.until(|seen| seen["foreign_processes"].as_array().is_some_and(|list| list.len() == 2));
    let said = watch.end();
    let seen = &said["readings"]["foreign_processes"];
    assert_eq!((&seen[0]["pid"], &seen[0]["before"]), (&json!(1), &json!(true)), "{said:#}");
    assert_eq!((&seen[1]["pid"], &seen[1]["before"]), (&json!(other.pid()), &json!(false)));
    assert_eq!(seen[1]["memory"], in_context() + BLOCK);
    assert!(seen[1]["name"].is_string());
    assert_eq!(said["readings"]["command_memory"]["max"], 0);
    assert_eq!(said["returned"]["outcome"], "disturbed");
    assert_eq!(said["returned"]["by"], json!([other.pid()]));
}

#[test]
fn a_driver_that_tells_no_memory_of_processes() {
    for (fault, note) in [
        (Fault::NoProcessMemory, "does not tell how much memory"),
        (Fault::PidOpaque, "by numbers that do not exist here"),
    ] {
        let host = SimulatedHost::new().with(fault);
        let watch = Watched::on(&host, 0);
        let _holder = command(&host, BLOCK);
        watch.until(|seen| seen["command_memory"]["last"] == in_context() + BLOCK);
        let said = watch.end();
        assert_eq!(said["readings"]["command_memory_source"], "card_growth");
        let notes = said["readings"]["notes"].to_string();
        assert!(notes.contains(note), "{notes}");
        assert_eq!(said["readings"]["foreign_processes"], json!([]));
    }
}

#[test]
fn errors_and_what_slows_the_card() {
    let card = Card { throttle_reasons: 0x4 | 0x40, utilisation: (80, 20), ..Card::rtx_3090() };
    let host = SimulatedHost::of(Description { cards: vec![card], ..Description::default() });
    let watch = Watched::on(&host, 0);
    for (card, xid) in [(UUID, 31), ("GPU-5060", 13), (UUID, 79)] {
        host.incidents().report(&Incident { card: card.into(), xid }).unwrap();
    }
    watch.until(|seen| seen["xids"].as_array().is_some_and(|list| list.len() == 2));
    let readings = watch.end()["readings"].clone();
    assert_eq!((&readings["xids"][0]["number"], &readings["xids"][1]["number"]), (&json!(31), &json!(79)));
    let names = readings["slowed"].as_array().unwrap().iter().map(|slowed| slowed["reason"].clone());
    assert_eq!(names.collect::<Vec<_>>(), ["sw_power_cap", "hw_thermal_slowdown"]);
    assert_eq!(readings["utilisation"]["max"], 80);
}

#[test]
fn a_card_that_is_lost() {
    let host = SimulatedHost::new();
    let watch = Watched::on(&host, 0);
    watch.until(|seen| seen["samples"].as_u64() > Some(0));
    host.incidents().lose(UUID).unwrap();
    watch.until(|seen| seen["failed"] == 1);
    let said = watch.end();
    let notes = said["readings"]["notes"].to_string();
    assert!(notes.contains("memory could not be read: the card fell off the bus"), "{notes}");
    assert_eq!(said["returned"], json!({"outcome": "not_known", "reason": "the card fell off the bus"}));
}

#[test]
fn what_hangs_is_left_behind() {
    let patience = [("PATIENCE_MILLISECONDS", "300")];
    // From the beginning.
    for symbol in ["nvmlInit_v2", "nvmlDeviceGetHandleByUUID", "nvmlDeviceGetComputeRunningProcesses_v3"] {
        let host = SimulatedHost::new().with(Fault::HungCall { symbol: symbol.into() });
        let said = start_with(&host, "watch:0", &patience).answer();
        assert_eq!(said, json!({"closed": "NVML did not answer within 0.3 s"}), "{symbol}");
    }
    // And during the run.
    for symbol in ["nvmlDeviceGetTemperature", "nvmlEventSetWait_v2", "nvmlEventSetCreate"] {
        let host = SimulatedHost::new().with(Fault::HungCall { symbol: symbol.into() });
        let said = Watched::with(&host, 0, &patience).end();
        let notes = said["readings"]["notes"].to_string();
        assert!(
            notes.contains("NVML did not answer within 0.3 s at the end of the command"),
            "{symbol}: {notes}"
        );
    }
}

#[test]
fn what_cannot_be_watched() {
    let closed = |host: &SimulatedHost| answer_of(host, "watch:0")["closed"].clone();
    assert_eq!(closed(&SimulatedHost::new().with(Fault::NoDriver)), "the NVIDIA driver is not loaded");
    let other = Description { cards: vec![Card::rtx_5060_ti()], ..Description::default() };
    assert_eq!(closed(&SimulatedHost::of(other)), "NVML knows no card of that UUID");
    let faults = r#"[{fault: gpu-lost, launch: 0, card: GPU-3090}]"#;
    let said = start_with(&SimulatedHost::new(), "watch:0", &[(FAULTS, faults)]).answer();
    assert!(said["closed"].is_string(), "{said}");
}
