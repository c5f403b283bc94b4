//! Who holds which memory, across processes: what one takes, the others miss, and NVML lists.

use crate::client::{answer_of, answer_with, eventually, start, start_with};
use serde_json::{Value, json};
use simulated_gpu_host::{Card, ComputeMode, MIB, Process, SimulatedHost, Usage};

const PCI: (&str, &str) = ("CUDA_DEVICE_ORDER", "PCI_BUS_ID");

/// The second card, as NVML tells it.
fn second(host: &SimulatedHost) -> Value {
    answer_of(host, "cards")["cards"][1].clone()
}

#[test]
fn two_processes_share_a_card() {
    let host = SimulatedHost::new();
    let mut first = start(&host, "hold:104857600");
    assert_eq!(first.answer()["free"], (24576 - 312 - 256 - 100) * MIB);
    let mut next = start(&host, "hold:1");
    assert_eq!(next.answer()["free"], (24576 - 312 - 256 - 100 - 256 - 2) * MIB);
    let card = second(&host);
    let mut listed: Vec<_> = card["processes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|process| (&process["pid"], &process["used"]))
        .collect();
    let (one, other) = (json!(first.pid()), json!(next.pid()));
    let (first_bytes, next_bytes) = (json!(356 * MIB), json!(258 * MIB));
    let mut expected = vec![(&one, &first_bytes), (&other, &next_bytes)];
    expected.sort_by_key(|(pid, _)| pid.as_u64());
    listed.sort_by_key(|(pid, _)| pid.as_u64());
    assert_eq!(listed, expected);
    assert_eq!(card["used"], (356 + 258) * MIB);
    assert_eq!(answer_of(&host, "cards")["cards"][0]["used"], 0);
}

#[test]
fn what_a_killed_process_held_is_free() {
    let host = SimulatedHost::new();
    let mut client = start(&host, "hold:104857600");
    client.answer();
    assert_eq!(second(&host)["used"], 356 * MIB);
    client.kill();
    // Before anybody asks for its exit status, too.
    let card = eventually(|| second(&host), |card| card["used"] == 0);
    assert_eq!(card["processes"], json!([]));
    client.wait();
    assert_eq!(second(&host)["used"], 0);
}

#[test]
fn a_process_that_ends_or_has_no_context_is_not_listed() {
    let host = SimulatedHost::new();
    let mut client = start(&host, "hold:1");
    client.answer();
    client.wait();
    let mut idle = start(&host, "idle");
    idle.answer();
    assert_eq!(second(&host)["processes"], json!([]));
}

#[test]
fn a_reused_id_is_another_process() {
    let host = SimulatedHost::new();
    let accounts = host.accounts();
    let card = Card::rtx_3090().uuid;
    accounts.record(&card, Usage { bytes: 7, peak: 7, contexts: 1 }).unwrap();
    let [own] = accounts.living(&card)[..] else { panic!("this process lives") };
    assert_eq!(own.pid, std::process::id());
    let earlier = Process { started: own.started + 1, ..own };
    assert!(own.lives() && !earlier.lives());
}

#[test]
fn a_full_card_is_full_for_all() {
    let host =
        SimulatedHost::new().changed(|description| description.cards[0].memory_mib = 472 + 192 + 192 + 10);
    let cards = [PCI, ("CUDA_VISIBLE_DEVICES", "0")];
    let mut first = start_with(&host, "hold:10485760", &cards);
    assert_eq!(first.answer()["error"], Value::Null);
    assert_eq!(answer_with(&host, "hold:1", &cards)["error"], 2);
    first.kill();
    first.wait();
    assert_eq!(answer_with(&host, "hold:1", &cards)["error"], Value::Null);
}

#[test]
fn compute_modes_shut_others_out() {
    let mode =
        |mode| SimulatedHost::new().changed(move |description| description.cards[1].compute_mode = mode);
    assert_eq!(answer_of(&mode(ComputeMode::Prohibited), "hold:1")["error"], 46);
    let host = mode(ComputeMode::ExclusiveProcess);
    let mut first = start(&host, "hold:1");
    assert_eq!(first.answer()["error"], Value::Null);
    assert_eq!(answer_of(&host, "hold:1")["error"], 46);
}

/// Many at once, so that the one lock is needed.
#[test]
fn writers_do_not_lose_each_others_bytes() {
    let host = SimulatedHost::new();
    let mut clients: Vec<_> = (0..8).map(|_| start(&host, "hold:2097152")).collect();
    for client in &mut clients {
        assert_eq!(client.answer()["error"], Value::Null);
    }
    assert_eq!(second(&host)["used"], 8 * 258 * MIB);
    assert_eq!(second(&host)["processes"].as_array().map(Vec::len), Some(8));
}
