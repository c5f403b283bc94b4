//! Cards of several kinds, and what is said about them.

use super::allocator::AllocatorAdvice;
use super::architecture::ArchitectureFacts;
use super::batch::{BatchAdvice, Fit, ProgramFigures};
use super::*;
use crate::runtime::cards::{Card, PciAddress};
use crate::runtime::surroundings::{Environment, Platform};

const GIB: u64 = 1 << 30;

fn card(name: &str, gibibytes: u64, capability: (u8, u8)) -> Card {
    Card {
        uuid: "GPU-0".into(),
        name: format!("NVIDIA {name}"),
        memory: gibibytes * GIB,
        pci: PciAddress { domain: 0, bus: 1, device: 0 },
        capability: Some(capability),
    }
}

fn rtx_3090() -> Card {
    card("GeForce RTX 3090", 24, (8, 6))
}

fn allocator_on(system: &str, card: &Card, variables: &[(&str, &str)]) -> AllocatorAdvice {
    let environment: Environment = variables.iter().copied().collect();
    let platform = Platform { system: system.into(), processor: "x86_64".into() };
    AllocatorAdvice::of(&environment, &platform, Some(card))
}

fn allocator(value: &str) -> AllocatorAdvice {
    allocator_on("linux", &rtx_3090(), &[("PYTORCH_CUDA_ALLOC_CONF", value)])
}

fn texts(advice: &[Advice]) -> String {
    advice.iter().map(|one| one.text.as_str()).collect::<Vec<_>>().join("\n")
}

#[test]
fn settings_that_torch_refuses() {
    let wrong = allocator("max_split_size_mb=512");
    assert_eq!(wrong.findings[0].level, Level::Error);
    assert!(texts(&wrong.findings).contains("ends the interpreter"), "{:?}", wrong.findings);
    assert_eq!(wrong.recommendation.value, Some("expandable_segments:True"));
    assert!(texts(&allocator("max_split_size_mb:16").findings).contains("at least 20"));
    assert!(texts(&allocator("expandable_segments:true").findings).contains("`True` or `False`"));
}

#[test]
fn settings_that_do_nothing() {
    let passed_over =
        allocator("backend:cudaMallocAsync,max_split_size_mb:128,garbage_collection_threshold:0.8");
    assert_eq!(passed_over.findings.len(), 1);
    assert!(texts(&passed_over.findings).contains("passes over"));
    assert_eq!(passed_over.recommendation.value, None);
    assert!(
        texts(&allocator("garbage_collection_threshold:0.8").findings).contains("whose memory is limited")
    );
    let limited = allocator("garbage_collection_threshold:0.8,per_process_memory_fraction:0.5");
    assert_eq!(
        texts(&limited.findings),
        "`per_process_memory_fraction:0.5` lets torch use 12.0 GiB of this card"
    );
    assert!(texts(&allocator("max_split_size_mb:24576").findings).contains("does nothing"));
    assert!(texts(&allocator("max_split_size_mb:512").findings).contains("last resort"));
    let windows =
        allocator_on("windows", &rtx_3090(), &[("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")]);
    assert!(texts(&windows.findings).contains("not supported on Windows"));
}

#[test]
fn several_names() {
    let both = [
        ("PYTORCH_ALLOC_CONF", "max_split_size_mb:64"),
        ("PYTORCH_CUDA_ALLOC_CONF", "max_split_size_mb:128"),
    ];
    let found = allocator_on("linux", &rtx_3090(), &both);
    let in_force: Vec<_> = found.variables.iter().map(|one| (one.name, one.in_force)).collect();
    assert_eq!(in_force, [("PYTORCH_CUDA_ALLOC_CONF", true), ("PYTORCH_ALLOC_CONF", false)]);
    assert_eq!(
        (found.settings[0].key.as_str(), found.settings[0].value.as_str()),
        ("max_split_size_mb", "128")
    );
    assert!(texts(&found.findings).contains("follows PYTORCH_CUDA_ALLOC_CONF alone"));
    let new = allocator_on("linux", &rtx_3090(), &[("PYTORCH_ALLOC_CONF", "expandable_segments:True")]);
    assert!(texts(&new.findings).contains("since torch 2.9"));
}

#[test]
fn what_to_set_for_a_card() {
    let of = |system: &str, card: &Card| allocator_on(system, card, &[]).recommendation;
    let small = of("linux", &card("GeForce RTX 3060", 12, (8, 6)));
    assert_eq!(small.value, Some("expandable_segments:True"));
    assert!(
        small
            .reasons
            .iter()
            .any(|one| one.basis == Basis::RuleOfThumb && one.text.starts_with("rule of thumb"))
    );
    assert_eq!(of("linux", &rtx_3090()).value, None);
    assert_eq!(of("windows", &card("GeForce RTX 3060", 12, (8, 6))).value, None);
    assert_eq!(of("linux", &card("GB10", 119, (12, 1))).value, None);
    let kept = allocator_on(
        "linux",
        &card("T4", 15, (7, 5)),
        &[("PYTORCH_CUDA_ALLOC_CONF", "max_split_size_mb:128")],
    );
    assert_eq!(kept.recommendation.value, None);
}

#[test]
fn batches_of_a_measured_model() {
    let known = ProgramFigures {
        model_bytes: Some(6 * GIB),
        sample_bytes: Some(GIB / 2),
        ..ProgramFigures::default()
    };
    let advice = BatchAdvice::of(&rtx_3090(), &known);
    assert_eq!(advice.usable_bytes, 24 * GIB - (512 << 20) - 8_519_680 - 24 * GIB / 10);
    assert_eq!((advice.largest, advice.start), (Some(30), Some(16)));
    assert_eq!(advice.formula, "largest batch = (21.1 GiB - 6.0 GiB) / 512 MiB");
    let busy = BatchAdvice::of(&rtx_3090(), &ProgramFigures { free_bytes: Some(7 * GIB), ..known });
    assert_eq!((busy.largest, busy.start), (Some(0), None));
    assert!(texts(&busy.notes).contains("not even one sample fits"));
    let zero = BatchAdvice::of(&rtx_3090(), &ProgramFigures { sample_bytes: Some(0), ..known });
    assert!(texts(&zero.notes).contains("measure it"));
}

#[test]
fn batches_of_an_unknown_model() {
    let advice = BatchAdvice::of(&card("T4", 15, (7, 5)), &ProgramFigures::default());
    assert_eq!((advice.largest, advice.start), (None, None));
    assert_eq!(advice.formula, "largest batch = (13.0 GiB - model) / sample");
    assert!(texts(&advice.notes).contains("max_memory_allocated"));
    let thumbs = advice.reserves.iter().filter(|one| one.reason.basis == Basis::RuleOfThumb).count();
    assert_eq!(thumbs, 2);
    // A card that tells nothing.
    assert_eq!(BatchAdvice::of(&card("?", 0, (7, 5)), &ProgramFigures::default()).usable_bytes, 0);
}

#[test]
fn batches_that_fit_another_card() {
    let fits = Some(Fit { batch: 8, memory: 16 * GIB });
    let larger = BatchAdvice::of(&rtx_3090(), &ProgramFigures { fits, ..ProgramFigures::default() });
    let scaled = larger.scaled.unwrap();
    assert!(scaled.fits && scaled.batch == 12 && larger.start == Some(8));
    let smaller = BatchAdvice::of(
        &card("GeForce RTX 4060", 8, (8, 9)),
        &ProgramFigures { fits, ..ProgramFigures::default() },
    );
    assert!(smaller.scaled.is_some_and(|scaled| !scaled.fits && scaled.batch == 3));
    let with_model = ProgramFigures { fits, model_bytes: Some(4 * GIB), ..ProgramFigures::default() };
    let scaled = BatchAdvice::of(&rtx_3090(), &with_model).scaled.unwrap();
    assert_eq!((scaled.fits, scaled.batch), (true, 13));
    let huge = Some(Fit { batch: u64::MAX, memory: 0 });
    assert_eq!(
        BatchAdvice::of(&rtx_3090(), &ProgramFigures { fits: huge, ..ProgramFigures::default() })
            .scaled
            .unwrap()
            .batch,
        u64::MAX
    );
}

#[test]
fn architectures_of_cards() {
    let of = |name: &str, gibibytes, capability| ArchitectureFacts::of(&card(name, gibibytes, capability));
    let present = |facts: &ArchitectureFacts, name: &str| {
        facts.features.iter().find(|one| one.name == name).unwrap().present
    };
    let ampere = of("GeForce RTX 3090", 24, (8, 6));
    assert_eq!(ampere.architecture, Some("Ampere"));
    assert_eq!((present(&ampere, "TF32"), present(&ampere, "FP8")), (Some(true), Some(false)));
    assert_eq!(texts(&ampere.remarks).lines().count(), 1, "{:?}", ampere.remarks);
    let hopper = of("H100 80GB HBM3", 80, (9, 0));
    assert_eq!((hopper.architecture, present(&hopper, "wgmma")), (Some("Hopper"), Some(true)));
    let blackwell = of("GeForce RTX 5060 Ti", 16, (12, 0));
    assert_eq!(blackwell.architecture, Some("Blackwell"));
    assert_eq!(present(&blackwell, "tcgen05"), Some(false));
    assert_eq!(present(&blackwell, "wgmma"), Some(false));
    assert_eq!(present(&blackwell, "NVFP4"), None);
    let pascal = of("GeForce GTX 1080 Ti", 11, (6, 1));
    assert!(
        texts(&pascal.remarks).contains("have no code for compute capability 6.1"),
        "{:?}",
        pascal.remarks
    );
    assert!(texts(&pascal.remarks).contains("including_emulation=False"));
    let unknown = of("Something", 8, (8, 8));
    assert_eq!((unknown.architecture, present(&unknown, "TF32")), (None, None));
    assert!(of("GB10", 119, (12, 1)).shares_memory);
}

#[test]
fn names_that_do_not_fit_the_numbers() {
    let odd = ArchitectureFacts::of(&card("GeForce RTX 3090", 12, (8, 9)));
    let text = texts(&odd.remarks);
    assert!(
        text.contains("cards named RTX 3090 have compute capability 8.6, and this one tells 8.9"),
        "{text}"
    );
    assert!(text.contains("are sold with 24 GB, and this one tells 12.0 GiB"), "{text}");
    let json = serde_json::to_value(&odd).unwrap();
    assert_eq!(json["remarks"][0]["basis"]["kind"], "source");
}
