//! Allocate, multiply, check, free; and again.

use super::{OTHER, RTX_3090, calls, failure, worked};
use crate::commands::{Said, said};
use crate::folder::Folder;
use gpulint::runtime::native::lines::{Failure, Iteration, Line};
use simulated_gpu_host::{Card, Fault, MIB, SimulatedHost};

fn leak_of(host: &SimulatedHost, more: &[&str]) -> (Said, Vec<Line>) {
    let mut words = vec!["leak", "--uuid", RTX_3090, "--side", "100"];
    words.extend(more);
    worked(host, &words)
}

fn iterations(lines: &[Line], warm_up: bool) -> Vec<&Iteration> {
    let all = lines.iter().filter_map(|line| match line {
        Line::Iteration(iteration) => Some(iteration),
        _ => None,
    });
    all.filter(|iteration| iteration.warm_up == warm_up).collect()
}

#[test]
fn a_clean_card_leaks_nothing() {
    let host = SimulatedHost::new();
    let (answer, lines) = worked(&host, &["leak", "--uuid", RTX_3090]);
    assert_eq!(answer, Said::of(0, "", ""));
    let Some(Line::Began { card, context }) = lines.first() else { panic!("{lines:?}") };
    assert_eq!((card.uuid.as_str(), card.memory), (RTX_3090, (24576 - 312) * MIB));
    // The context and the module.
    assert_eq!(*context, 258 * MIB);
    assert_eq!(lines.last(), Some(&Line::Ended));
    assert_eq!(lines.len(), 1 + 2 + 10 + 1, "{lines:?}");
    let (warm_up, measured) = (iterations(&lines, true), iterations(&lines, false));
    assert_eq!(warm_up.iter().map(|one| one.number).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(measured.iter().map(|one| one.number).collect::<Vec<_>>(), (1..=10).collect::<Vec<_>>());
    for one in measured {
        // The first launch took 8 MiB; three matrices of 4 MB take two blocks each.
        assert_eq!((one.used, one.held), (266 * MIB, 278 * MIB), "{one:?}");
        assert_eq!((one.wrong, one.pool_used), (0, Some(0)), "{one:?}");
        assert!(one.seconds >= 0.0, "{one:?}");
    }
    let count = |symbol| calls(&host, symbol);
    assert_eq!((count("cuMemAlloc_v2"), count("cuMemFree_v2"), count("cuLaunchKernel")), (36, 36, 12));
    assert_eq!((count("cuModuleUnload"), count("cuDevicePrimaryCtxRelease_v2")), (1, 1));
}

#[test]
fn a_leak_of_the_driver_is_measured() {
    let host = SimulatedHost::new().with(Fault::Leak { bytes: 2 * MIB, in_pool: false, card: None });
    let (answer, lines) = leak_of(&host, &[]);
    assert_eq!((answer.code, lines.last()), (Some(0), Some(&Line::Ended)));
    // As long as it grows, and no longer.
    assert_eq!(iterations(&lines, true).len(), 5);
    let used: Vec<u64> = iterations(&lines, false).iter().map(|one| one.used).collect();
    assert_eq!(used.len(), 10);
    assert!(used.windows(2).all(|pair| pair[1] == pair[0] + 2 * MIB), "{used:?}");
}

#[test]
fn a_leak_of_the_pool_is_measured_to_the_byte() {
    let host = SimulatedHost::new().with(Fault::Leak { bytes: 512, in_pool: true, card: None });
    for more in [&[][..], &["--pool"]] {
        let (answer, lines) = leak_of(&host, more);
        assert_eq!((answer.code, lines.last()), (Some(0), Some(&Line::Ended)));
        let pool: Vec<u64> = iterations(&lines, false).iter().filter_map(|one| one.pool_used).collect();
        assert!(pool.len() >= 10);
        assert!(pool.windows(2).all(|pair| pair[1] == pair[0] + 512), "{pool:?}");
    }
}

#[test]
fn a_slow_leak_is_asked_of_more_iterations() {
    // A block in every seventh iteration.
    let host = SimulatedHost::new().with(Fault::Leak { bytes: 300_000, in_pool: false, card: None });
    let (answer, lines) = leak_of(&host, &[]);
    assert_eq!(answer.code, Some(0));
    let used: Vec<u64> = iterations(&lines, false).iter().map(|one| one.used).collect();
    assert!(used.len() == 30 || used.len() == 100, "{}", used.len());
    assert!(used[used.len() - 1] > used[0], "{used:?}");
}

#[test]
fn memory_from_the_pool_comes_back_too() {
    let (answer, lines) = leak_of(&SimulatedHost::new(), &["--pool", "--iterations", "5"]);
    assert_eq!(answer, Said::of(0, "", ""));
    let measured = iterations(&lines, false);
    assert_eq!(measured.len(), 5);
    assert!(measured.iter().all(|one| (one.used, one.pool_used) == (266 * MIB, Some(0))), "{measured:?}");
    let without = SimulatedHost::new().changed(|host| {
        host.cards.iter_mut().for_each(|card| card.memory_pools = false);
    });
    let (answer, lines) = leak_of(&without, &[]);
    assert_eq!((answer.code, iterations(&lines, false)[0].pool_used), (Some(0), None));
    let (answer, lines) = leak_of(&without, &["--pool"]);
    assert_eq!((answer.code, failure(&lines).code), (Some(4), Some(801)));
}

#[test]
fn a_wrong_bit_is_found() {
    let host = SimulatedHost::new().with(Fault::WrongResult { launch: 5, card: None });
    let (answer, lines) = leak_of(&host, &[]);
    assert_eq!(answer.code, Some(0));
    let wrong: Vec<u64> = iterations(&lines, false).iter().map(|one| one.wrong).collect();
    assert_eq!(wrong, [0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn what_fails_is_the_last_line() {
    let host = SimulatedHost::new().with(Fault::OutOfMemory { allocation: 8 });
    let (answer, lines) = leak_of(&host, &[]);
    assert_eq!((answer.code, answer.error.as_str(), lines.len()), (Some(4), "", 1 + 2 + 1));
    let why = "out of memory (CUDA_ERROR_OUT_OF_MEMORY, error 2)".to_owned();
    assert_eq!(*failure(&lines), Failure { doing: "allocating 0.0 MB".into(), code: Some(2), why });

    let host = SimulatedHost::new().with(Fault::GpuLost { launch: 4, card: None });
    let (answer, lines) = leak_of(&host, &[]);
    assert_eq!((answer.code, answer.error.as_str(), lines.len()), (Some(4), "", 1 + 3 + 1));
    assert_eq!((failure(&lines).doing.as_str(), failure(&lines).code), ("launching gpulint_gemm", Some(719)));

    let tiny = Card { memory_mib: 500, reserved_mib: 0, context_mib: 600, ..Card::rtx_3090() };
    let (answer, lines) = leak_of(&SimulatedHost::new().changed(|host| host.cards = vec![tiny]), &[]);
    assert_eq!((answer.code, lines.len()), (Some(4), 1));
    assert_eq!((failure(&lines).doing.as_str(), failure(&lines).code), ("making a context", Some(2)));
}

#[test]
fn without_a_driver_nothing_is_begun() {
    for (host, code, why) in [
        (SimulatedHost::new().with(Fault::NoDriver), Some(100), "CUDA's driver shows no card (error 100)"),
        (SimulatedHost::new().with(Fault::VersionMismatch), Some(803), "restart the machine"),
        (SimulatedHost::new().without_cuda(), None, "no library of CUDA's driver is installed"),
    ] {
        let (answer, lines) = leak_of(&host, &[]);
        assert_eq!((answer.code, answer.error.as_str(), lines.len()), (Some(4), "", 1));
        assert_eq!(failure(&lines).code, code);
        assert!(failure(&lines).why.contains(why), "{lines:?}");
    }
}

/// The crate that calls the driver panics then.
#[test]
fn a_library_that_lacks_a_function_is_a_failure() {
    for (symbol, doing) in [
        ("cuModuleLoadData", "loading the kernels"),
        ("cuMemFree_v2", "giving memory back"),
        ("cuCtxSynchronize", "waiting for the card"),
    ] {
        let host = SimulatedHost::new();
        let mut library = std::fs::read(host.libraries().join("libcuda.so")).expect("it was installed");
        let name = format!("\0{symbol}\0").into_bytes();
        let at: Vec<usize> = (0..library.len()).filter(|at| library[*at..].starts_with(&name)).collect();
        assert!(!at.is_empty(), "it has {symbol}");
        at.into_iter().for_each(|at| library[at + 1] = b'-');
        for file in ["libcuda.so", "libcuda.so.1"] {
            // It is a link to the one that all tests use.
            std::fs::remove_file(host.libraries().join(file)).expect("it was installed");
            std::fs::write(host.libraries().join(file), &library).expect("the folder is ours");
        }
        let (answer, lines) = leak_of(&host, &[]);
        assert_eq!((answer.code, answer.error.as_str()), (Some(4), ""), "{symbol}");
        assert_eq!((failure(&lines).doing.as_str(), failure(&lines).code), (doing, None));
        assert!(failure(&lines).why.contains(symbol), "{lines:?}");
    }
}

#[test]
fn another_card_is_not_touched() {
    let host = SimulatedHost::new();
    let (answer, lines) = worked(&host, &["leak", "--uuid", OTHER]);
    assert_eq!((answer.code, answer.error.as_str(), lines.len()), (Some(5), "", 1));
    assert_eq!(failure(&lines).why, format!("it got card {RTX_3090} instead of {OTHER}"));
    assert!(host.calls().iter().all(|call| !call.symbol.contains("Ctx")));
}

#[test]
fn lines_that_cannot_be_written_end_it() {
    let folder = Folder::new("native");
    let mut command = SimulatedHost::new().command(env!("CARGO_BIN_EXE_gpulint"));
    command.args(["work-on-card", "leak", "--uuid", RTX_3090, "--lines", "absent/lines"]);
    let answer = said({
        command.current_dir(folder.path());
        command
    });
    assert_eq!((answer.code, answer.text.as_str()), (Some(2), ""));
    assert!(answer.error.contains("cannot write to absent/lines"), "{}", answer.error);
}
