//! As much memory and as many products as a card can take. No test asks how fast a product was: the machine may be busy.

use super::{RTX_3090, calls, failure, worked};
use crate::commands::Said;
use gpulint::runtime::native::lines::{Line, Load, Multiplier, Round};
use simulated_gpu_host::{Card, Fault, MIB, SimulatedHost};

/// A card with so much memory beyond what a context, the kernels and the first launch take.
fn host_with(free_mib: u64) -> SimulatedHost {
    let card = Card { memory_mib: 266 + free_mib, reserved_mib: 0, ..Card::rtx_3090() };
    SimulatedHost::new().changed(|host| host.cards = vec![card])
}

fn burn_of(host: &SimulatedHost, side: &str, more: &[&str]) -> (Said, Vec<Line>) {
    let mut words = vec!["burn", "--uuid", RTX_3090, "--seconds", "0", "--side", side];
    words.extend(more);
    worked(host, &words)
}

fn load(lines: &[Line]) -> &Load {
    let found = lines.iter().find_map(|line| match line {
        Line::Load(load) => Some(load),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("{lines:?}"))
}

fn rounds(lines: &[Line]) -> Vec<Round> {
    let all = lines.iter().filter_map(|line| match line {
        Line::Round(round) => Some(*round),
        _ => None,
    });
    all.collect()
}

fn notes(lines: &[Line]) -> String {
    let all = lines.iter().filter_map(|line| match line {
        Line::Note { text } => Some(text.as_str()),
        _ => None,
    });
    all.collect::<Vec<_>>().join("\n")
}

const OWN: [&str; 2] = ["--cublas", "never"];

#[test]
fn a_card_is_filled_and_all_products_are_the_same() {
    let host = host_with(16);
    let (answer, lines) = burn_of(&host, "64", &OWN);
    assert_eq!(answer, Said::of(0, "", ""));
    assert!(matches!(lines.first(), Some(Line::Began { context, .. }) if *context == 258 * MIB), "{lines:?}");
    assert_eq!(lines.last(), Some(&Line::Ended));
    let load = load(&lines);
    assert_eq!((load.side, load.free, load.wrong), (64, 16 * MIB, 0));
    assert_eq!(load.multiplier, Multiplier::Own);
    // Nine tenths of 16 MiB, less a block, in matrices of 16 KiB; two of them are multiplied.
    assert_eq!(load.products, (16 * MIB * 9 / 10 - 2 * MIB) / (16 << 10) - 2);
    assert!(load.bytes <= 16 * MIB * 9 / 10 && load.bytes >= 12 * MIB, "{load:?}");
    let rounds = rounds(&lines);
    assert_eq!(rounds.iter().map(|round| round.number).collect::<Vec<_>>(), [1, 2, 3]);
    for round in rounds {
        assert_eq!(round.differing, 0);
        let products = (load.products - 1) as f64;
        assert_eq!(round.operations, products * 2.0 * 64.0_f64.powi(3));
        assert_eq!(round.bytes, products * 2.0 * 16_384.0);
        assert!(round.multiplying > 0.0 && round.comparing > 0.0);
    }
    assert_eq!(calls(&host, "cuMemAlloc_v2"), calls(&host, "cuMemFree_v2"));
    assert_eq!((calls(&host, "cuModuleUnload"), calls(&host, "cuDevicePrimaryCtxRelease_v2")), (1, 1));
}

#[test]
fn it_goes_on_as_long_as_it_was_asked_to() {
    let (answer, lines) = burn_of(&host_with(4), "64", &["--cublas", "never", "--seconds", "0.5"]);
    assert_eq!(answer.code, Some(0));
    let took: f64 = rounds(&lines).iter().map(|round| round.multiplying + round.comparing).sum();
    assert!(took > 0.0 && rounds(&lines).len() >= 3, "{took}");
}

#[test]
fn a_slow_card_gets_fewer_products_and_not_more_time() {
    // Nine hundred would take several minutes for each round.
    let (answer, lines) =
        burn_of(&host_with(16).with(Fault::SlowCard { milliseconds: 400, card: None }), "64", &OWN);
    assert_eq!(answer, Said::of(0, "", ""));
    assert!((2..=4).contains(&load(&lines).products), "{:?}", load(&lines));
    assert_eq!(rounds(&lines).len(), 3);
    assert!(notes(&lines).contains("s there is time for "), "{}", notes(&lines));
}

#[test]
fn matrices_are_halved_until_they_fit() {
    let (answer, lines) = burn_of(&host_with(16), "8192", &OWN);
    assert_eq!(answer.code, Some(0));
    let load = load(&lines);
    // Two of 1024 rows and two products take 16 MiB, which there are before the first launch only.
    assert!(load.side < 1024 && load.side >= 64 && load.side.is_power_of_two(), "{load:?}");
    assert!(load.products >= 2 && load.wrong == 0, "{load:?}");
    let (answer, lines) = burn_of(&host_with(16), "100", &OWN);
    assert_eq!((answer.code, super::burn::load(&lines).side), (Some(0), 100));
}

#[test]
fn a_card_without_room_is_a_failure() {
    let (answer, lines) = burn_of(&host_with(0).changed(|host| host.cards[0].memory_mib = 260), "8192", &OWN);
    assert_eq!(answer.code, Some(4));
    assert_eq!((failure(&lines).doing.as_str(), failure(&lines).code), ("looking for room", None));
    assert_eq!(failure(&lines).why, "2.1 MB are free, too little for a load");
    let foreign = Fault::ForeignProcess { bytes: 24_005 * MIB, pid: 1, card: None };
    let (answer, lines) = burn_of(&SimulatedHost::new().with(foreign), "8192", &OWN);
    assert_eq!((answer.code, failure(&lines).doing.as_str()), (Some(4), "looking for room"));
}

#[test]
fn memory_in_small_pieces_holds_fewer_products() {
    let (_, lines) = burn_of(&host_with(8), "64", &OWN);
    let all = load(&lines).products;
    // Six allocations look how long a product takes, four are for the matrices, the first product and the differences.
    let fails_after = |products: u64| {
        let host = host_with(8).with(Fault::OutOfMemory { allocation: 6 + 4 + products });
        burn_of(&host, "64", &OWN)
    };
    let (answer, lines) = fails_after(all - 50);
    assert_eq!((answer.code, load(&lines).products), (Some(0), all - 50));
    assert!(notes(&lines).contains(&format!("there is room for {} products and not for {all}", all - 50)));
    let (answer, lines) = fails_after(all / 3);
    assert_eq!((answer.code, failure(&lines).code), (Some(4), Some(2)));
    assert!(
        failure(&lines).why.starts_with("out of memory (CUDA_ERROR_OUT_OF_MEMORY, error 2); "),
        "{lines:?}"
    );
}

#[test]
fn wrong_products_are_counted() {
    // Six launches look how long a product takes, two fill the matrices, and the next is the first product.
    let wrong_at = |launch| {
        let host = host_with(4).with(Fault::WrongResult { launch, card: None });
        let (answer, lines) = burn_of(&host, "64", &OWN);
        assert_eq!(answer.code, Some(0));
        (load(&lines).products, rounds(&lines).iter().map(|round| round.differing).collect::<Vec<_>>())
    };
    assert_eq!(wrong_at(10).1, [1, 0, 0]);
    let (products, differing) = wrong_at(9);
    assert_eq!(differing, [products - 1; 3]);
    // One that the matrices were filled with: the products agree with each other, and the first bit of an element is too
    // little for the CPU to see.
    assert_eq!(wrong_at(8).1, [0, 0, 0]);
}

#[test]
fn a_card_that_is_lost_ends_it() {
    let (answer, lines) = burn_of(&host_with(4).with(Fault::GpuLost { launch: 12, card: None }), "64", &OWN);
    assert_eq!((answer.code, answer.error.as_str()), (Some(4), ""));
    assert_eq!((failure(&lines).doing.as_str(), failure(&lines).code), ("launching gpulint_gemm", Some(719)));
    assert_eq!((load(&lines).wrong, rounds(&lines).len()), (0, 0));
}

#[test]
fn cublas_multiplies_where_it_is_right() {
    let host = host_with(4).with_cublas();
    let (answer, lines) = burn_of(&host, "64", &[]);
    assert_eq!(answer, Said::of(0, "", ""));
    let path = "libcublas.so.13".to_owned();
    assert_eq!(load(&lines).multiplier, Multiplier::Cublas { path, version: Some(130_100) });
    assert_eq!((load(&lines).wrong, rounds(&lines).iter().map(|round| round.differing).sum::<u64>()), (0, 0));
    assert_eq!(calls(&host, "cuMemAlloc_v2"), calls(&host, "cuMemFree_v2"));
    for (fault, why) in [
        (Fault::CublasWrong, "libcublas.so.13 finds other products (1 elements)"),
        (Fault::CublasRefuses, "libcublas.so.13 cannot be used: cublasCreate_v2 answers 1"),
    ] {
        let (answer, lines) = burn_of(&host_with(4).with_cublas().with(fault), "64", &[]);
        assert_eq!((answer.code, &load(&lines).multiplier), (Some(0), &Multiplier::Own));
        assert!(notes(&lines).contains(why), "{lines:?}");
    }
}

#[test]
fn cublas_is_found_in_an_environment_of_python() {
    let host = host_with(4);
    let folder = host.folder().join("environment/lib/python3.12/site-packages/nvidia/cublas/lib");
    std::fs::create_dir_all(&folder).expect("the folder is ours");
    let place = folder.join("libcublas.so.12");
    let host = host.with_cublas();
    std::fs::rename(host.libraries().join("libcublas.so.13"), &place).expect("it was installed");
    let variable = [("VIRTUAL_ENV", host.folder().join("environment"))];
    let (answer, lines) =
        super::worked_with(&host, &["burn", "--uuid", RTX_3090, "--seconds", "0", "--side", "64"], &variable);
    assert_eq!(answer.code, Some(0));
    let path = place.display().to_string();
    assert_eq!(load(&lines).multiplier, Multiplier::Cublas { path, version: Some(130_100) });
}
