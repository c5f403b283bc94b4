//! Two cards under small policies.

use super::*;
use crate::runtime::cards::PciAddress;

fn board(name: &str, uuid: &str, gibibytes: u64, bus: u32) -> Board {
    let pci = PciAddress { domain: 0, bus, device: 0 };
    let card =
        Card { uuid: uuid.into(), name: name.into(), memory: gibibytes << 30, pci, capability: Some((8, 6)) };
    Board { used: Some(0), users: Some(vec![]), ..Board::of_card(card) }
}

fn two() -> Vec<Board> {
    vec![
        board("NVIDIA GeForce RTX 5060 Ti", "GPU-506", 16, 1),
        board("NVIDIA GeForce RTX 3090", "GPU-309", 24, 5),
    ]
}

fn policy(text: &str) -> Gpu {
    serde_yaml::from_str(text).unwrap()
}

fn uuid(gpu: &Gpu, boards: &[Board]) -> String {
    allowed(gpu, boards, &[], false).map_or_else(|why| why.to_string(), |board| board.card.uuid.clone())
}

#[test]
fn by_name_memory_index_or_uuid() {
    assert_eq!(uuid(&policy("{name: rtx 3090}"), &two()), "GPU-309");
    assert_eq!(uuid(&policy("{min-memory: 20GiB}"), &two()), "GPU-309");
    assert_eq!(uuid(&policy("{forbidden: [RTX 5060 Ti]}"), &two()), "GPU-309");
    assert_eq!(uuid(&policy("{visible-devices: '1'}"), &two()), "GPU-309");
    assert_eq!(uuid(&policy("{visible-devices: GPU-506}"), &two()), "GPU-506");
    assert_eq!(uuid(&policy("{visible-devices: ['7', '0']}"), &two()), "GPU-506");
}

#[test]
fn no_card() {
    let all = policy("{name: RTX 3090, min-memory: 20GiB, visible-devices: '1', forbidden: [RTX 5060 Ti]}");
    assert_eq!(uuid(&all, &[]), "there is no NVIDIA GPU that this process could use");
    let swapped = vec![two().remove(1), two().remove(0)];
    assert_eq!(
        uuid(&all, &swapped),
        "the policy wants `visible-devices: \"1\"`, which is NVIDIA GeForce RTX 5060 Ti (GPU-506) here, and that is forbidden \
         (`gpu.forbidden: RTX 5060 Ti`): write \"GPU-309\", which is NVIDIA GeForce RTX 3090"
    );
    // In a container an index says nothing.
    assert_eq!(allowed(&all, &swapped, &[], true).unwrap().card.uuid, "GPU-309");
    assert_eq!(
        uuid(&policy("{name: H100, min-memory: 20GiB}"), &two()),
        "the policy allows none of the cards here: NVIDIA GeForce RTX 5060 Ti (GPU-506) is not `H100` (`gpu.name`); \
         NVIDIA GeForce RTX 3090 (GPU-309) is not `H100` (`gpu.name`)"
    );
    assert!(uuid(&policy("{min-memory: 1TiB}"), &two()).contains("has 16GiB of memory, less than 1TiB"));
    let twins = vec![board("A", "GPU-a", 24, 1), board("A", "GPU-b", 24, 2)];
    assert_eq!(
        uuid(&policy("{name: A}"), &twins),
        "the policy allows A (GPU-a) and A (GPU-b) and does not say which: name one in `gpu.visible-devices`"
    );
    let mut prohibited = two();
    prohibited[1].compute_mode = Some(Mode::Nobody);
    assert!(uuid(&policy("{name: RTX 3090}"), &prohibited).contains("Prohibited"));
}

fn mask(value: &str, shown: &[usize]) -> Mask {
    let cards = two();
    Mask { value: value.into(), shown: Some(shown.iter().map(|&at| cards[at].card.clone()).collect()) }
}

fn told(gpu: &str, masks: &[Mask], renumbered: bool) -> String {
    let boards = two();
    let told = allowed(&policy(gpu), &boards, masks, renumbered);
    told.map_or_else(|why| why.to_string(), |board| board.card.uuid.clone())
}

#[test]
fn a_mask_is_what_the_driver_makes_of_it() {
    // The faster one first.
    let first = "{visible-devices: '0', device-order: FASTEST_FIRST, name: RTX 3090}";
    assert_eq!(told(first, &[mask("0", &[1])], false), "GPU-309");
    // Cards that share a name are told apart by it, in a container too.
    assert_eq!(
        told("{visible-devices: '1', min-memory: 8GiB, name: RTX}", &[mask("1", &[1])], true),
        "GPU-309"
    );
    for renumbered in [false, true] {
        let wrong = told("{visible-devices: '0', name: RTX 3090}", &[mask("0", &[0])], renumbered);
        assert_eq!(
            wrong,
            "the policy wants `visible-devices: \"0\"`, which is NVIDIA GeForce RTX 5060 Ti (GPU-506) here, and that is not \
             `RTX 3090` (`gpu.name`): write \"GPU-309\", which is NVIDIA GeForce RTX 3090"
        );
        let two = told("{visible-devices: '1,0', name: RTX 3090}", &[mask("1,0", &[1, 0])], renumbered);
        assert!(two.contains("RTX 5060 Ti (GPU-506) here"), "{two}");
        let dead = told("{visible-devices: GPU-dead, name: RTX 3090}", &[mask("GPU-dead", &[])], renumbered);
        assert!(dead.contains("`visible-devices: \"GPU-dead\"`, which names no card here: write"), "{dead}");
    }
    // One of several machines that share a policy.
    let shared = "{visible-devices: [GPU-dead, GPU-309]}";
    assert_eq!(told(shared, &[mask("GPU-dead", &[]), mask("GPU-309", &[1])], false), "GPU-309");
}

#[test]
fn an_index_of_the_machine_is_none_where_only_some_cards_are_shown() {
    let none = [mask("7", &[])];
    let nowhere = told("{visible-devices: '7', name: RTX 3090}", &none, false);
    assert!(
        nowhere.starts_with("the policy wants `visible-devices: \"7\"`, which names no card here"),
        "{nowhere}"
    );
    assert_eq!(told("{visible-devices: '7', name: RTX 3090}", &none, true), "GPU-309");
    let alone = told("{visible-devices: '1'}", &[mask("1", &[1])], true);
    assert!(alone.starts_with("the policy has only an index, `visible-devices: \"1\"`"), "{alone}");
    assert!(
        alone.ends_with("(NVIDIA GeForce RTX 5060 Ti is GPU-506, NVIDIA GeForce RTX 3090 is GPU-309)"),
        "{alone}"
    );
    assert_eq!(told("{visible-devices: '1'}", &[mask("1", &[1])], false), "GPU-309");
}

#[test]
fn what_a_process_gets_of_a_set() {
    let cards: Vec<Card> = two().into_iter().map(|board| board.card).collect();
    let said = |masks: &[Mask], visible: &[usize]| {
        let visible: Vec<Card> = visible.iter().map(|&at| cards[at].clone()).collect();
        complaint_about_set(masks, &visible)
    };
    let both = mask("0,1", &[0, 1]);
    assert_eq!(said(std::slice::from_ref(&both), &[0, 1]), Some(None));
    for visible in [&[1, 0][..], &[1], &[]] {
        let complaint = said(std::slice::from_ref(&both), visible).unwrap().unwrap();
        assert!(complaint.ends_with("RTX 3090 (GPU-309): set CUDA_VISIBLE_DEVICES to 0,1"), "{complaint}");
    }
    // One of the accepted values is enough, and a single card is no set.
    assert_eq!(said(&[both, mask("1", &[1])], &[1]), Some(None));
    assert_eq!(said(&[mask("1", &[1])], &[0, 1]), None);
}

#[test]
fn what_a_process_gets() {
    let cards: Vec<Card> = two().into_iter().map(|board| board.card).collect();
    let gpu = policy("{name: RTX 3090, forbidden: [RTX 5060 Ti]}");
    let said = |visible: &[usize]| {
        let visible: Vec<Card> = visible.iter().map(|&at| cards[at].clone()).collect();
        complaint(&gpu, &cards[1], &visible).unwrap_or_default()
    };
    assert_eq!(said(&[1]), "");
    assert_eq!(said(&[]), "the process gets no GPU");
    assert!(said(&[0]).starts_with("ordinal 0 is NVIDIA GeForce RTX 5060 Ti"));
    assert!(said(&[1, 0]).ends_with("is visible too, and the policy forbids it"));
}
