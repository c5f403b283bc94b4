//! Which cards a process sees, held against the vectors that gpulint's own reading is held against too.

use crate::client::{answer_of, answer_with};
use serde::Deserialize;
use simulated_gpu_host::{Fault, SimulatedHost};

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Vectors {
    cards: Vec<VectorCard>,
    slices: Vec<VectorSlice>,
    vectors: Vec<Vector>,
}

#[derive(Deserialize)]
struct VectorCard {
    card: String,
    uuid: String,
    pci: String,
}

#[derive(Deserialize)]
struct VectorSlice {
    slice: String,
    uuid: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Vector {
    value: Option<String>,
    order: Option<String>,
    visible: Option<Vec<String>>,
    error: Option<u32>,
    or: Option<u32>,
    mig: Option<String>,
}

fn vectors() -> Vectors {
    serde_yaml::from_str(include_str!("../vectors/visible-on-two-cards.yaml"))
        .expect("the vectors can be read")
}

#[test]
fn every_vector_in_every_order() {
    let Vectors { cards, slices, vectors } = vectors();
    assert!(vectors.len() > 90, "{}", vectors.len());
    let uuid_of = |name: &String| {
        let card = cards.iter().find(|card| card.card == *name).map(|card| &card.uuid);
        card.or(slices.iter().find(|slice| slice.slice == *name).map(|slice| &slice.uuid))
            .expect("it is listed")
    };
    let plain = SimulatedHost::new();
    let divided = SimulatedHost::new().with(Fault::Mig { card: Some("GPU-3090".into()) });
    let other = SimulatedHost::new().changed(|description| description.repeated_entry = 100);
    for vector in &vectors {
        let value = vector.value.iter().map(|value| ("CUDA_VISIBLE_DEVICES", value.as_str()));
        let order = vector.order.iter().map(|order| ("CUDA_DEVICE_ORDER", order.as_str()));
        let variables: Vec<_> = value.chain(order).collect();
        let host = if vector.mig.is_some() { &divided } else { &plain };
        let answer = answer_with(host, "devices", &variables);
        assert_eq!(answer["error"].as_u64(), vector.error.map(u64::from), "{vector:?}");
        if let Some(visible) = &vector.visible {
            let devices = answer["devices"].as_array().expect("a list");
            let seen: Vec<_> =
                devices.iter().map(|device| device["own"].as_str().unwrap_or_default()).collect();
            let expected: Vec<_> = visible.iter().map(|name| &uuid_of(name)[3..]).collect();
            assert_eq!(seen, expected, "{vector:?}");
        }
        if let Some(code) = vector.or {
            assert_eq!(answer_with(&other, "devices", &variables)["error"], code, "{vector:?}");
        }
    }
}

#[test]
fn the_cards_of_the_vectors_are_those_of_the_host() {
    let host = SimulatedHost::new();
    let described = host.description.cards.iter().map(|card| (card.uuid.as_str(), card.pci.as_str()));
    let vectors = vectors();
    let listed: Vec<_> = vectors.cards.iter().map(|card| (card.uuid.as_str(), card.pci.as_str())).collect();
    assert_eq!(described.collect::<Vec<_>>(), listed);
}

/// Which of the two is faster for a driver is not known, so that the host says it.
#[test]
fn the_faster_card_is_a_parameter() {
    let host = SimulatedHost::new().changed(|description| description.fastest_first.reverse());
    let answer = answer_of(&host, "devices");
    assert_eq!(answer["devices"][0]["name"], "NVIDIA GeForce RTX 5060 Ti");
    let host = SimulatedHost::new();
    let answer = answer_of(&host, "devices");
    assert_eq!(answer["devices"][0]["name"], "NVIDIA GeForce RTX 3090");
    assert_eq!(answer["devices"][0]["total"], (24576_u64 - 312) << 20);
    assert_eq!(answer["devices"][0]["pci"], "0000:05:00.0");
    assert_eq!(answer["devices"][0]["uuid"], "GPU-30903090-0000-4000-8000-000000000002");
    assert_eq!((&answer["devices"][0]["major"], &answer["devices"][0]["minor"]), (&8.into(), &6.into()));
}

/// The one mistake that all this is about: an index that means another card than in the list of `nvidia-smi`.
#[test]
fn an_index_without_an_order_is_another_card() {
    let host = SimulatedHost::new();
    let mask = ("CUDA_VISIBLE_DEVICES", "1");
    assert_eq!(answer_with(&host, "devices", &[mask])["devices"][0]["name"], "NVIDIA GeForce RTX 5060 Ti");
    let ordered = [mask, ("CUDA_DEVICE_ORDER", "PCI_BUS_ID")];
    assert_eq!(answer_with(&host, "devices", &ordered)["devices"][0]["name"], "NVIDIA GeForce RTX 3090");
}

#[test]
fn any_host_can_be_described() {
    let description = serde_yaml::from_str(
        "cards:\n- {name: NVIDIA H200, uuid: GPU-20020020-0000-4000-8000-000000000009, pci: '0001:c1:00.0', \
         memory-mib: 143771, capability: [9, 0], ecc: true}\n",
    );
    let host = SimulatedHost::of(description.expect("it can be read"));
    let answer = answer_of(&host, "devices");
    assert_eq!(answer["devices"].as_array().map(Vec::len), Some(1));
    assert_eq!(answer["devices"][0]["bus"], 0xc1);
    assert_eq!(answer_of(&host, "cards")["cards"][0]["corrected"], 0);
}
