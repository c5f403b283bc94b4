//! Which card a mask, an order and a device come to.

use super::*;

fn words(machine: &Machine, mask: Option<&str>, order: Counted, ordinal: usize) -> String {
    machine.card(mask, order, ordinal).words()
}

const REPORT: &str = r#"{
  "machine": {
    "listing": {"answer": {"outcome": "cards", "boards": [
      {"uuid": "GPU-506", "name": "RTX 5060 Ti"}, {"uuid": "GPU-309", "name": "RTX 3090"}]}},
    "driver": {"answer": {"cards": [{"uuid": "GPU-309", "name": "RTX 3090"}]}}},
  "resolution": {"orders_differ": true, "variables": [{"name": "CUDA_VISIBLE_DEVICES", "value": "0"}]}}"#;

#[test]
fn a_machine_that_doctor_saw() {
    let machine = Machine::of_report(REPORT).unwrap();
    assert_eq!(words(&machine, Some("1"), Counted::Pci, 0), "card 1 (RTX 3090)");
    assert_eq!(words(&machine, Some("1"), Counted::FastestFirst, 0), "card 0 (RTX 5060 Ti)");
    assert_eq!(words(&machine, None, Counted::FastestFirst, 0), "card 1 (RTX 3090)");
    assert_eq!(words(&machine, Some("GPU-506"), Counted::FastestFirst, 0), "card 0 (RTX 5060 Ti)");
    assert_eq!(words(&machine, Some("1,0"), Counted::Pci, 1), "card 0 (RTX 5060 Ti)");
    assert_eq!(
        words(&machine, Some("1"), Counted::Pci, 1),
        "fails: there is no `cuda:1`: the mask `1` leaves 1 card"
    );
    assert_eq!(
        words(&machine, Some("2"), Counted::Pci, 0),
        "fails: the mask `2` leaves no card: the machine has no card `2`"
    );
    assert_eq!(
        words(&machine, None, Counted::Pci, 2),
        "fails: there is no `cuda:2`: the machine has 2 cards"
    );
    for nothing in ["", "-1"] {
        assert_eq!(machine.card(Some(nothing), Counted::Pci, 0), Card::Hidden);
    }
}

#[test]
fn without_a_machine_only_the_count_is_known() {
    let machine = Machine::default();
    assert_eq!(words(&machine, Some("1"), Counted::Pci, 0), "card 1");
    assert_eq!(
        words(&machine, Some("1"), Counted::FastestFirst, 0),
        "the card that CUDA counts as 1, fastest first"
    );
    assert_eq!(words(&machine, None, Counted::FastestFirst, 0), "the card that CUDA counts first");
    assert_eq!(words(&machine, Some("GPU-1,GPU-2"), Counted::Unknown, 1), "GPU-2");
    assert!(machine.card(Some("0,0"), Counted::Pci, 0).fails());
    assert!(!machine.card(Some("7"), Counted::Pci, 0).fails());
    assert!(Machine::of_count(1).unwrap().card(Some("1"), Counted::FastestFirst, 0).fails());
    assert_eq!(words(&Machine::of_count(1).unwrap(), None, Counted::Unknown, 0), "card 0");
}

#[test]
fn what_is_no_machine_says_why() {
    assert!(matches!(Machine::of_count(0), Err(MachineError::Count)));
    assert!(matches!(Machine::of_report("[]"), Err(MachineError::NoReport(_))));
    assert!(matches!(Machine::of_report("{\"machine\": {}}"), Err(MachineError::NoCards)));
}
