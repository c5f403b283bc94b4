//! Two cards under small policies.

use super::*;
use crate::runtime::cards::PciAddress;

fn board(name: &str, uuid: &str, gibibytes: u64, bus: u32) -> CardState {
    let pci = PciAddress { domain: 0, bus, device: 0 };
    let card =
        Card { uuid: uuid.into(), name: name.into(), memory: gibibytes << 30, pci, capability: Some((8, 6)) };
    CardState { used: Some(0), users: Some(vec![]), ..CardState::of_card(card) }
}

fn two() -> Vec<CardState> {
    vec![
        board("NVIDIA GeForce RTX 5060 Ti", "GPU-506", 16, 1),
        board("NVIDIA GeForce RTX 3090", "GPU-309", 24, 5),
    ]
}

fn policy(text: &str) -> Gpu {
    serde_yaml::from_str(text).unwrap()
}

/// The UUIDs, or why there are none.
fn one_of(told: Result<Vec<&CardState>, NoChoice>) -> String {
    let uuids =
        |boards: Vec<&CardState>| boards.iter().map(|board| board.card.uuid.clone()).collect::<Vec<_>>();
    told.map_or_else(|why| why.to_string(), |boards| uuids(boards).join(" or "))
}

fn uuid(gpu: &Gpu, boards: &[CardState]) -> String {
    one_of(allowed(gpu, boards, &Given::default()))
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
    let in_container = Given { renumbered: true, ..Given::default() };
    assert_eq!(one_of(allowed(&all, &swapped, &in_container)), "GPU-309");
    assert_eq!(
        uuid(&policy("{name: H100, min-memory: 20GiB}"), &two()),
        "the policy allows none of the cards here: NVIDIA GeForce RTX 5060 Ti (GPU-506) is not `H100` (`gpu.name`); \
         NVIDIA GeForce RTX 3090 (GPU-309) is not `H100` (`gpu.name`)"
    );
    assert!(uuid(&policy("{min-memory: 1TiB}"), &two()).contains("has 16GiB of memory, less than 1TiB"));
    let unlike = vec![board("A 40", "GPU-a", 48, 1), board("A 10", "GPU-b", 24, 2)];
    assert_eq!(
        uuid(&policy("{name: A}"), &unlike),
        "the policy allows A 40 (GPU-a) and A 10 (GPU-b), which are not alike, and does not say which: write more of the name \
         in `gpu.name`, or the UUID of one in `gpu.visible-devices`"
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
    one_of(allowed(&policy(gpu), &boards, &Given { masks, renumbered, ..Given::default() }))
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

#[test]
fn cards_of_one_kind_are_as_good_as_each_other() {
    let boards = vec![board("A", "GPU-a", 24, 1), board("A", "GPU-b", 24, 2), board("B", "GPU-c", 24, 3)];
    assert_eq!(uuid(&policy("{name: A}"), &boards), "GPU-a or GPU-b");
    assert_eq!(uuid(&policy("{forbidden: [B]}"), &boards), "GPU-a or GPU-b");
    assert_eq!(uuid(&policy("{name: A, visible-devices: '1'}"), &boards), "GPU-b");
    // What a list names first is meant first.
    assert_eq!(uuid(&policy("{visible-devices: [GPU-b, GPU-a]}"), &boards), "GPU-b");
}

#[test]
fn in_a_slice_only_what_it_holds_is_chosen_from_and_no_index_says_anything() {
    let boards = vec![board("A", "GPU-a", 24, 1), board("A", "GPU-b", 24, 2), board("B", "GPU-c", 24, 3)];
    let masks = [Mask { value: "0".into(), shown: Some(vec![boards[0].card.clone()]) }];
    let told = |gpu: &str, left: &[usize], handed_out: bool| {
        let left: Vec<Card> = left.iter().map(|&at| boards[at].card.clone()).collect();
        let given = Given { masks: &masks, left: Some(&left), handed_out, ..Given::default() };
        one_of(allowed(&policy(gpu), &boards, &given))
    };
    assert_eq!(told("{name: A}", &[1], true), "GPU-b");
    assert_eq!(told("{name: A}", &[1, 0], true), "GPU-a or GPU-b");
    assert_eq!(told("{name: A, visible-devices: '0'}", &[1], true), "GPU-b");
    assert_eq!(told("{name: A, visible-devices: ['0', GPU-b]}", &[1], true), "GPU-b");
    // Where nobody handed out cards, who wrote the index meant it.
    assert_eq!(told("{name: A, visible-devices: '0'}", &[1], false), "GPU-a");
    assert_eq!(told("{visible-devices: [GPU-a, GPU-b]}", &[1], true), "GPU-b");
    // None of them is there; the caller says which are missing.
    assert_eq!(told("{name: A}", &[2], true), "GPU-a or GPU-b");
    assert_eq!(told("{name: A}", &[], true), "GPU-a or GPU-b");
    let alone = told("{visible-devices: '0'}", &[0], true);
    assert!(alone.starts_with("the policy has only an index, `visible-devices: \"0\"`"), "{alone}");
    let unlike = told("{min-memory: 20GiB}", &[1, 2], true);
    assert!(unlike.starts_with("the policy allows A (GPU-b) and B (GPU-c), which are not alike"), "{unlike}");
}

#[test]
fn slices_are_cards_of_their_own() {
    let slice = |uuid: &str, gibibytes| board("A100 MIG", uuid, gibibytes, 1);
    let boards = vec![slice("MIG-a", 5), slice("MIG-b", 5), slice("MIG-c", 20), board("T4", "GPU-d", 16, 2)];
    assert_eq!(uuid(&policy("{name: A100, min-memory: 10GiB}"), &boards), "MIG-c");
    assert_eq!(uuid(&policy("{visible-devices: MIG-b}"), &boards), "MIG-b");
    let unlike = uuid(&policy("{name: A100}"), &boards);
    assert!(unlike.starts_with("the policy allows A100 MIG (MIG-a) and A100 MIG (MIG-b) and"), "{unlike}");
    assert_eq!(uuid(&policy("{name: A100}"), &boards[..2]), "MIG-a or MIG-b");
    // The driver tells the digits alone, and all slices have the address of their card.
    let shown = |uuid: &str| Some(vec![Card { uuid: uuid.into(), ..boards[0].card.clone() }]);
    let told = |gpu: &str, mask: Mask| {
        one_of(allowed(&policy(gpu), &boards, &Given { masks: &[mask], ..Given::default() }))
    };
    assert_eq!(
        told("{visible-devices: MIG-b}", Mask { value: "MIG-b".into(), shown: shown("GPU-b") }),
        "MIG-b"
    );
    let first = || Mask { value: "0".into(), shown: shown("GPU-a") };
    let alone = told("{visible-devices: '0'}", first());
    assert!(alone.starts_with("the policy has only an index"), "{alone}");
    assert_eq!(told("{visible-devices: '0', name: T4}", first()), "GPU-d");
    let mut none = board("A100", "GPU-e", 40, 1);
    none.mig = Some(true);
    let unseen = uuid(&policy("{name: A100}"), &[none]);
    assert!(unseen.ends_with("is divided into slices (MIG), of which this process sees none"), "{unseen}");
}
