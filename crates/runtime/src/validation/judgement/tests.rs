//! Hand-made records and lines, and what they come to: every word that a reason has, and what holds when several come together.

mod cases;

use super::*;
use crate::runtime::growth::BLOCK;
use crate::runtime::native::lines::Line;
use crate::runtime::record::{End, NotChecked, Orphan};
use crate::runtime::validation::document::{LeakPoint, Speed};
use crate::runtime::watch::{NvmlFailure, Readings, Returned, Slowed, Stray};
use cases::*;

/// What `work-on-card` ends with when it got another card.
const WRONG_CARD: i32 = 5;

#[test]
fn what_holds_has_no_reason() {
    for kind in [Kind::Leak, Kind::Burn, Kind::GpuTarget] {
        case(kind).is(State::Holds, &[]);
    }
}

#[test]
fn without_a_record_nothing_is_known() {
    for kind in [Kind::Leak, Kind::Burn, Kind::GpuTarget] {
        let mut without = case(kind);
        without.record = None;
        without.is(State::NotRun, &["I crashed"]);
    }
}

#[test]
fn how_it_ended_counts() {
    let refused = || End::Refused { reason: "no".into() };
    let native = |end, code| case(Kind::Leak).ended(end, code);
    let target = |end, code| case(Kind::GpuTarget).ended(end, code);
    case(Kind::Leak).ended(refused(), 5).is(State::NotRun, &["E environment"]);
    case(Kind::GpuTarget).ended(refused(), 6).is(State::NotRun, &["I infrastructure"]);
    case(Kind::Leak).ended(refused(), 2).is(State::NotRun, &["I infrastructure"]);
    target(End::NotStarted { reason: "no".into() }, 2).is(State::NotRun, &["I not-started"]);
    native(End::Running, 0).is(State::NotRun, &["I interrupted"]);
    target(End::Running, 0).is(State::NotRun, &["I interrupted"]);
    target(End::Stopped { reason: "no".into() }, 124).is(State::NotRun, &["I stopped"]);
    native(End::TimeLimit { seconds: 1.0 }, 124).is(State::NotRun, &["I time-limit"]);
    target(End::TimeLimit { seconds: 1.0 }, 124).is(State::Fails, &["R time-limit"]);
    target(End::MemoryLimit { allowed: 1, used: 2 }, 124).is(State::Fails, &["R memory-limit"]);
    native(End::Signalled { signal: 9 }, 137).is(State::NotRun, &["I crashed"]);
    target(End::Signalled { signal: 11 }, 139).is(State::Fails, &["R crashed"]);
    target(End::Exited { code: 1 }, 1).is(State::Fails, &["R command-failed"]);
    native(End::Exited { code: 101 }, 101).is(State::NotRun, &["I crashed"]);
}

#[test]
fn what_the_command_said_is_told() {
    let failed = case(Kind::GpuTarget).ended(End::Exited { code: 1 }, 1).reasons();
    assert_eq!(failed[0].message, "it ended with code 1; it said: first / last words");
}

#[test]
fn nothing_is_proven_without_readings() {
    for kind in [Kind::Leak, Kind::GpuTarget] {
        case(kind).with(|record| record.readings = None).is(State::NotRun, &["I not-measured"]);
        case(kind).read(|readings| readings.samples = 0).is(State::NotRun, &["I not-measured"]);
        case(kind).with(|record| record.returned = None).is(State::NotRun, &["I not-measured"]);
        let not_known = |record: &mut Record| {
            record.returned = Some(Returned::NotKnown { reason: "the driver did not say".into() });
        };
        case(kind).with(not_known).is(State::NotRun, &["I not-measured"]);
    }
    // Events may come where no reading does.
    case(Kind::Leak)
        .read(xid(31))
        .read(|readings| readings.samples = 0)
        .is(State::Fails, &["R xid", "I not-measured"]);
}

#[test]
fn errors_of_the_card_are_rejected() {
    case(Kind::Leak).read(xid(31)).is(State::Fails, &["R xid"]);
    case(Kind::Burn).read(|readings| readings.ecc_uncorrected = Some(1)).is(State::Fails, &["R ecc"]);
    case(Kind::Burn).read(|readings| readings.ecc_uncorrected = Some(0)).is(State::Holds, &[]);
    let stray = Stray { pid: 7, card: "GPU-2".into(), seconds: 0.5, ..Stray::default() };
    let unclaimed = Stray { unclaimed: true, ..stray.clone() };
    let hidden = Stray { forbidden: true, ..unclaimed.clone() };
    case(Kind::GpuTarget).read(|readings| readings.strays = vec![unclaimed]).is(State::Holds, &[]);
    case(Kind::GpuTarget).read(|readings| readings.strays = vec![hidden]).is(State::NotRun, &["I unclaimed"]);
    case(Kind::GpuTarget).read(|readings| readings.strays = vec![stray]).is(State::Fails, &["R wrong-card"]);
}

#[test]
fn a_card_that_is_gone_is_to_blame_for_the_rest() {
    let lost = |readings: &mut Readings| readings.lost = true;
    case(Kind::Leak).read(lost).is(State::NotRun, &["I gpu-lost"]);
    case(Kind::Leak).read(xid(79)).is(State::NotRun, &["I gpu-lost", "N xid"]);
    case(Kind::Leak).failed(Some(719), 4).read(lost).is(State::NotRun, &["I gpu-lost", "N driver-error"]);
    let by_driver = |record: &mut Record| {
        record.returned = Some(Returned::NotKnown { reason: NvmlFailure::Lost.to_string() });
    };
    case(Kind::Leak).with(by_driver).is(State::NotRun, &["I gpu-lost"]);
    let unread = |record: &mut Record| {
        record.readings = None;
        record.not_checked = vec![NotChecked { what: "the card".into(), why: NvmlFailure::Lost.to_string() }];
        record.returned = Some(Returned::NotKnown { reason: "the card was not watched".into() });
    };
    case(Kind::Leak).with(unread).is(State::NotRun, &["I gpu-lost", "N not-measured"]);
    for (end, word) in [
        (End::Exited { code: 1 }, "N command-failed"),
        (End::Signalled { signal: 7 }, "N crashed"),
        (End::TimeLimit { seconds: 1.0 }, "N time-limit"),
    ] {
        case(Kind::GpuTarget).ended(end, 1).read(lost).is(State::NotRun, &["I gpu-lost", word]);
    }
    // What was computed wrong before stays so.
    case(Kind::Burn).saying(burning(3, 1, 0)).read(lost).is(State::Fails, &["R wrong-result", "I gpu-lost"]);
}

#[test]
fn numbers_say_nothing_while_somebody_else_computes() {
    case(Kind::Leak).read(foreign).is(State::NotRun, &["I foreign-process"]);
    leak(BLOCK).read(foreign).is(State::NotRun, &["I foreign-process", "N leak"]);
    let all = ["I foreign-process", "N leak", "N growth-fail", "N growth-alert"];
    leak(100 * BLOCK).read(foreign).is(State::NotRun, &all);
    case(Kind::Burn)
        .failed(Some(2), 4)
        .read(foreign)
        .is(State::NotRun, &["I foreign-process", "N out-of-memory"]);
    let failing = || case(Kind::GpuTarget).ended(End::Exited { code: 1 }, 1);
    failing().read(foreign).is(State::NotRun, &["I foreign-process", "N command-failed"]);
    let changed = |record: &mut Record| {
        record.returned = Some(Returned::Disturbed { baseline: GIB, after: GIB, waited: 0.0, by: vec![7] });
    };
    leak(BLOCK).with(changed).is(State::NotRun, &["I foreign-process", "N leak"]);
    let mut slow = case(Kind::Burn);
    slow.earlier = Some(2.0);
    slow.read(foreign).is(State::NotRun, &["I foreign-process", "N slow"]);
    // Products are right or wrong, whoever else is there.
    case(Kind::Burn)
        .saying(burning(3, 0, 1))
        .read(foreign)
        .is(State::Fails, &["R wrong-result", "I foreign-process"]);
}

#[test]
fn memory_is_back_or_not() {
    let not_back = |record: &mut Record| {
        let after = GIB + 2 * BLOCK;
        record.returned = Some(Returned::NotBack { baseline: GIB, after, waited: 1.0, holders: Vec::new() });
    };
    case(Kind::GpuTarget).with(not_back).is(State::Fails, &["R memory-not-back"]);
    let left =
        |ended| move |record: &mut Record| record.orphans = vec![Orphan { pid: 7, name: "d".into(), ended }];
    case(Kind::GpuTarget).with(left(false)).is(State::Fails, &["R process-left"]);
    case(Kind::GpuTarget).with(left(true)).is(State::Holds, &["N process-left"]);
    case(Kind::Leak).with(left(true)).is(State::Holds, &[]);
}

#[test]
fn growth_is_judged_by_its_rule_and_by_the_gates() {
    leak(BLOCK).is(State::Fails, &["R leak"]);
    leak(4 * BLOCK).is(State::Fails, &["R leak", "R growth-fail"]);
    leak(64 * BLOCK).is(State::Fails, &["R leak", "R growth-fail", "C growth-alert"]);
    // One step of 60 MiB is no leak, and more than may grow in all.
    let step = |blocks: u64, length: usize| -> Vec<u64> {
        (0..length).map(|number| if number < 2 { GIB } else { GIB + blocks * BLOCK }).collect()
    };
    case(Kind::Leak).saying(leaking(&step(1, 30))).is(State::Holds, &["N one-off-growth"]);
    case(Kind::Leak).saying(leaking(&step(30, 30))).is(State::Fails, &["R growth-fail", "N one-off-growth"]);
    // What was given back again counts for the alert alone.
    let peak: Vec<u64> = (0..10).map(|number| if number == 4 { GIB + 60 * BLOCK } else { GIB }).collect();
    case(Kind::Leak).saying(leaking(&peak)).is(State::HoldsWithCorrections, &["C growth-alert"]);
    let late: Vec<u64> = (0..100).map(|number| if number < 70 { GIB } else { GIB + BLOCK }).collect();
    case(Kind::Leak).saying(leaking(&late)).is(State::HoldsWithCorrections, &["C growth-inconclusive"]);
    let pool = (1..=10).map(|number| iteration(number, GIB, Some(512 * number), 0));
    case(Kind::Leak).saying(whole(pool)).is(State::Fails, &["R leak"]);
}

#[test]
fn a_load_that_leaves_it_open_must_have_measured_more() {
    let step: Vec<u64> = (0..10).map(|number| if number < 7 { GIB } else { GIB + BLOCK }).collect();
    case(Kind::Leak).saying(leaking(&step)).is(State::NotRun, &["I not-measured", "C growth-inconclusive"]);
    case(Kind::Leak).saying(leaking(&[GIB; 9])).is(State::NotRun, &["I not-measured"]);
    case(Kind::Leak).saying(leaking(&[])).is(State::NotRun, &["I not-measured"]);
    case(Kind::Burn).saying(burning(2, 0, 0)).is(State::NotRun, &["I not-measured"]);
    case(Kind::Burn).saying(burning(0, 0, 0)).is(State::NotRun, &["I not-measured"]);
    case(Kind::Burn).saying(whole(std::iter::empty())).is(State::NotRun, &["I not-measured"]);
    case(Kind::Leak).saying(Lines::default()).is(State::NotRun, &["I not-measured"]);
}

#[test]
fn wrong_products_are_rejected() {
    let wrong = (1..=10).map(|number| iteration(number, GIB, None, u64::MAX));
    case(Kind::Leak).saying(whole(wrong)).is(State::Fails, &["R wrong-result"]);
    case(Kind::Burn).saying(burning(3, 1, 1)).is(State::Fails, &["R wrong-result", "R wrong-result"]);
}

#[test]
fn what_failed_says_why() {
    case(Kind::Leak).failed(Some(2), 4).is(State::Fails, &["R out-of-memory"]);
    case(Kind::Leak).failed(Some(700), 4).is(State::Fails, &["R driver-error"]);
    case(Kind::Leak).failed(None, 4).is(State::NotRun, &["I not-measured"]);
    case(Kind::Leak).failed(None, WRONG_CARD).is(State::NotRun, &["E wrong-card"]);
}

#[test]
fn damaged_lines_prove_nothing() {
    let text = |lines: &Lines| -> Vec<String> {
        lines.lines.iter().filter_map(|line| serde_json::to_string(line).ok()).collect()
    };
    let good = text(&leaking(&[GIB; 10]));
    let (joined, cut) = (good.join("\n"), good[..5].join("\n"));
    assert_eq!(Lines::of(&format!("{joined}\n")), leaking(&[GIB; 10]));
    case(Kind::Leak).saying(Lines::of(&format!("{joined}\n{{\"li"))).is(State::Holds, &[]);
    for damaged in [
        format!("{joined}\nnonsense\n"),
        format!("nonsense\n{joined}\n"),
        format!("{cut}\n\n{joined}\n"),
        format!("{joined}\n{joined}\n"),
    ] {
        case(Kind::Leak).saying(Lines::of(&damaged)).is(State::NotRun, &["I not-measured"]);
    }
    // The writer was killed in the middle of a line.
    let killed = case(Kind::Leak).saying(Lines::of(&format!("{cut}\n{{\"li")));
    killed
        .ended(End::Signalled { signal: 9 }, 137)
        .is(State::NotRun, &["I crashed", "C growth-inconclusive"]);
}

#[test]
fn speeds_and_clocks() {
    let with = |earlier| Case { earlier: Some(earlier), ..case(Kind::Burn) };
    with(1.0).is(State::Holds, &[]);
    with(1.1).is(State::Holds, &[]);
    with(1.2).is(State::Fails, &["R slow"]);
    let slowed = |reason: &str| {
        let reason = reason.to_owned();
        move |readings: &mut Readings| readings.slowed = vec![Slowed { reason, samples: 3 }]
    };
    case(Kind::Burn).read(slowed("hw_thermal_slowdown")).is(State::HoldsWithCorrections, &["C throttled"]);
    case(Kind::Burn).read(slowed("sw_power_cap")).is(State::Holds, &["N throttled"]);
}

#[test]
fn notes_change_nothing() {
    let note =
        whole(std::iter::once(Line::Note { text: "cuBLAS is slow".into() }).chain(leaking(&[GIB; 10]).lines));
    let lines: Vec<Line> =
        note.lines.into_iter().filter(|line| *line != Line::Ended).chain([Line::Ended]).collect();
    case(Kind::Leak).saying(Lines { lines, damaged: false }).is(State::Holds, &["N note"]);
}

#[test]
fn the_turns_of_a_command_are_judged_together() {
    let turns = |used: &[u64]| {
        let measured =
            used.iter().map(|used| LeakPoint { held: *used, used: *used, pool_used: None, seconds: 1.0 });
        let growth = Some(crate::runtime::growth::judged(used, BLOCK));
        let (measured, warm_up) = (measured.collect(), Vec::new());
        let leak = LeakEvidence { context: 0, warm_up, measured, growth, pool_growth: None, wrong: 0 };
        Case { turns: Some(leak), ..case(Kind::GpuTarget) }
    };
    turns(&[GIB; 10]).is(State::Holds, &[]);
    let grows: Vec<u64> = (0..10).map(|number| GIB + number * BLOCK).collect();
    turns(&grows).is(State::Fails, &["R leak"]);
    let step: Vec<u64> = (0..10).map(|number| if number < 7 { GIB } else { GIB + BLOCK }).collect();
    turns(&step).is(State::HoldsWithCorrections, &["C growth-inconclusive"]);
}

#[test]
fn the_heaviest_reason_decides_the_verdict() {
    let of = |kind, weights: &[Weight]| {
        let mut check = Check::waiting("one", kind);
        check.settle(weights.iter().map(|weight| Reason::of(*weight, "word", "why")).collect());
        check
    };
    let lint = || of(Kind::Lint, &[]);
    let beside = |weight| vec![Reason::of(weight, "memory-not-back", "why")];
    use Weight::{Correction, Environment, Infrastructure, Note, Rejection};
    let table = [
        (vec![lint(), of(Kind::Leak, &[])], vec![], Verdict::Approved),
        (vec![lint(), of(Kind::Leak, &[Note])], beside(Note), Verdict::Approved),
        (
            vec![of(Kind::Lint, &[Correction]), of(Kind::Leak, &[])],
            vec![],
            Verdict::ApprovedWithMinorCorrections,
        ),
        (vec![lint(), of(Kind::Leak, &[Note, Correction])], vec![], Verdict::ApprovedWithMinorCorrections),
        (
            vec![of(Kind::Leak, &[Correction]), of(Kind::GpuTarget, &[Infrastructure])],
            vec![],
            Verdict::Infrastructure,
        ),
        (
            vec![of(Kind::Leak, &[Infrastructure]), of(Kind::Burn, &[Environment])],
            vec![],
            Verdict::EnvironmentInvalid,
        ),
        (vec![of(Kind::Leak, &[Environment]), of(Kind::Lint, &[Rejection])], vec![], Verdict::Rejected),
        (vec![lint(), of(Kind::Leak, &[])], beside(Rejection), Verdict::Rejected),
        // Nothing ran, or nothing but the check of files.
        (vec![], vec![], Verdict::Infrastructure),
        (vec![lint()], vec![], Verdict::Infrastructure),
        (vec![lint()], beside(Note), Verdict::Infrastructure),
        (vec![lint(), of(Kind::Leak, &[Infrastructure])], vec![], Verdict::Infrastructure),
        (vec![of(Kind::Lint, &[Rejection]), Check::waiting("leak", Kind::Leak)], vec![], Verdict::Running),
    ];
    for (number, (checks, beside, expected)) in table.into_iter().enumerate() {
        assert_eq!(verdict(&checks, &beside), expected, "row {number}");
    }
    assert_eq!(state(&[]), State::Holds);
}

#[test]
fn the_median_of_one_round_is_that_round() {
    let speed = case(Kind::Burn).lines.burn().and_then(|burn| burn.teraflops);
    assert_eq!(speed, Some(Speed { median: 1.0, slowest: 1.0, fastest: 1.0, peak: None, earlier: None }));
}
