//! One validation in each state, with everything in it that a page can show.

use super::super::both_modes;
use super::super::document::*;
use super::super::repeated::{Alive, Figures, Iteration, Repeated, Series};
use crate::runtime::cards::{Card, PciAddress};
use crate::runtime::growth::{BLOCK, judged};
use crate::runtime::native::lines::Multiplier;
use crate::runtime::record::{End, NotChecked, Record, Slot};
use crate::runtime::watch::{Baseline, Returned};
use serde_json::json;

const GIB: u64 = 1 << 30;

/// All of them, by name.
pub fn samples() -> Vec<(&'static str, Validation)> {
    let of = |verdict, checks, reasons| validation(verdict, checks, reasons);
    let slow = reason(
        Some("burn"),
        Weight::Correction,
        "throttled",
        "power kept the clocks down in 12 of 300 readings",
    );
    let leak = reason(
        Some("leak"),
        Weight::Rejection,
        "leak",
        "memory of the card grows by 2.0 MiB in each of 10 iterations, so something is not freed",
    );
    let held = reason(None, Weight::Infrastructure, "slot-timeout", "the card was not free within 10 min");
    let absent = reason(
        None,
        Weight::Environment,
        "no-card",
        "no card is called `RTX 3090`, which the policy asks for",
    );
    let lint = check("lint", Kind::Lint, State::Holds);
    let lint_held = lint.clone();
    let of_train = reason(
        Some("train (gpu)"),
        Weight::Rejection,
        "leak",
        "it lost 2.5 KiB of torch on cuda:0 over 6 iterations",
    );
    let mut without_card =
        of(Verdict::EnvironmentInvalid, vec![check("leak", Kind::Leak, State::Waiting)], vec![absent]);
    (without_card.card, without_card.driver) = (None, None);
    let mut running =
        of(Verdict::Running, vec![lint.clone(), check("burn", Kind::Burn, State::Running)], Vec::new());
    (running.wall_seconds, running.exit_code) = (None, None);
    let mut not_run = check("train", Kind::GpuTarget, State::NotRun);
    not_run.reasons = vec![held.clone()];
    vec![
        ("approved", of(Verdict::Approved, vec![lint.clone(), leaking(0), burning(None)], Vec::new())),
        (
            "corrections",
            of(
                Verdict::ApprovedWithMinorCorrections,
                vec![lint.clone(), leaking(0), burning(Some(&slow))],
                vec![slow.clone()],
            ),
        ),
        (
            "rejected",
            of(
                Verdict::Rejected,
                vec![lint, leaking(BLOCK), burning(None)],
                vec![leak, reason(None, Weight::Note, "jobs", "one worker was enough")],
            ),
        ),
        ("both", of(Verdict::Rejected, [vec![lint_held], halves(State::Fails)].concat(), vec![of_train])),
        ("environment", without_card),
        ("infrastructure", of(Verdict::Infrastructure, vec![not_run], vec![held])),
        ("running", running),
    ]
}

/// One in which everything that others wrote wants to be more than text.
pub fn hostile() -> Validation {
    let text =
        "a | b `c` </td></title><script>alert(1)</script> \u{1b}[31m ![x](http://e.org) @all\n## <b>\u{202e}";
    let mut check = leaking(BLOCK);
    check.name = text.to_owned();
    check.repeated = Some(repeated(text));
    check.reasons = vec![reason(Some(text), Weight::Rejection, text, text)];
    check.half_of = Some(text.to_owned());
    let without = Check { kind: Kind::CpuTarget, ..check.clone() };
    let with = Check { kind: Kind::GpuTarget, ..check.clone() };
    let second = Check { name: format!("{text}/"), ..check.clone() };
    let mut all = validation(
        Verdict::Rejected,
        vec![check, second],
        vec![reason(Some(text), Weight::Rejection, text, text)],
    );
    all.both_modes = both_modes::of(&[without, with]);
    (all.host, all.fallback, all.plan) = (Some(text.to_owned()), Some(text.to_owned()), text.to_owned());
    all.not_checked = vec![NotChecked { what: text.to_owned(), why: text.to_owned() }];
    if let Some(card) = &mut all.card {
        (card.name, card.uuid) = (text.to_owned(), text.to_owned());
    }
    all
}

pub fn validation(verdict: Verdict, checks: Vec<Check>, reasons: Vec<Reason>) -> Validation {
    Validation {
        schema: SCHEMA,
        tool: "gpulint".into(),
        version: "0.1.0".into(),
        simulated: true,
        host: Some("ci-1.example.org".into()),
        started: "2026-01-31T12:00:00Z".into(),
        wall_seconds: Some(83.25),
        plan: "lint, leak, burn".into(),
        policy: Some("676ed175d0e7bfa7a1b2c3d4e5f60718".into()),
        verdict,
        reasons,
        exit_code: Some(verdict.exit_code()),
        card: Some(card()),
        driver: Some("580.95.05".into()),
        jobs: 2,
        fallback: None,
        both_modes: both_modes::of(&checks),
        checks,
        not_checked: vec![NotChecked { what: "targets".into(), why: "the policy has none".into() }],
    }
}

fn card() -> Card {
    Card {
        uuid: "GPU-30903090-0000-4000-8000-000000000002".into(),
        name: "NVIDIA GeForce RTX 3090".into(),
        memory: 24 * GIB,
        pci: PciAddress { domain: 0, bus: 5, device: 0 },
        capability: Some((8, 6)),
    }
}

fn reason(check: Option<&str>, weight: Weight, code: &str, message: &str) -> Reason {
    Reason { check: check.map(str::to_owned), weight, code: code.into(), message: message.into() }
}

fn check(name: &str, kind: Kind, state: State) -> Check {
    Check {
        name: name.into(),
        kind,
        half_of: None,
        state,
        attempts: u32::from(!matches!(state, State::Waiting)),
        wall_seconds: matches!(state, State::Holds | State::Fails).then_some(1.25),
        reasons: Vec::new(),
        record: None,
        leak: None,
        burn: None,
        proof: None,
        repeated: None,
    }
}

fn record() -> Record {
    let mut record = Record::begun(vec!["gpulint".into()]);
    (record.version, record.host, record.started) = ("0.1.0".into(), None, "2026-01-31T12:00:00Z".into());
    record.card = Some(card());
    record.slot = Some(Slot { waited_seconds: 1.5, place: 1 });
    record.end = End::Exited { code: 0 };
    record.baseline = Some(Baseline { memory: 312 << 20, users: Some(Vec::new()) });
    let summary = |value: u64| json!({"samples": 3, "first": value, "last": value, "min": value, "mean": value, "max": value});
    let point = |seconds: f64, memory: u64, slowed: bool| {
        json!({"seconds": seconds, "memory": memory, "command_memory": memory / 2, "temperature": 71,
               "power_milliwatts": 320_000, "core_clock": if slowed { 1200 } else { 1695 }, "slowed": slowed})
    };
    let level = |seconds: f64| json!({"seconds": seconds, "memory": 12 << 20});
    let forbidden = json!({
        "card": "GPU-50605060-0000-4000-8000-000000000001", "name": "NVIDIA GeForce RTX 5060 Ti", "looks": 3,
        "memory": summary(12 << 20),
        "series": {"samples_per_point": 1, "points": [level(0.0), level(0.1), level(0.2)]},
    });
    let readings = json!({
        "seconds": 0.2, "samples": 3, "failed": 0, "memory": summary(21 * GIB), "temperature": summary(71),
        "power_milliwatts": summary(320_000), "core_clock": summary(1695), "slowed_of": 300,
        "slowed": [{"reason": "sw_power_cap", "samples": 12}],
        "xids": [{"number": 31, "seconds": 0.1}],
        "foreign_processes": [{"pid": 7, "name": "x|y", "memory": null, "before": true, "seconds": 0.0}],
        "series": {"samples_per_point": 1, "points": [point(0.0, GIB, false), point(0.1, 21 * GIB, true), point(0.2, 2 * GIB, false)]},
        "forbidden_cards": [forbidden],
    });
    record.add_readings(serde_json::from_value(readings).unwrap());
    record.returned = Some(Returned::Back { baseline: 312 << 20, after: 314 << 20, waited: 0.1 });
    record
        .not_checked
        .push(NotChecked { what: "memory of the host".into(), why: "nobody asked for it".into() });
    record
}

/// A leak test in which so many bytes are lost each time.
pub fn leaking(lost: u64) -> Check {
    let point = |index: u64| LeakPoint {
        held: 12_000_000 + index * lost,
        used: GIB + index * lost,
        pool_used: Some(index * lost),
        seconds: 0.01,
    };
    let measured: Vec<LeakPoint> = (2..12).map(point).collect();
    let used: Vec<u64> = measured.iter().map(|point| point.used).collect();
    let pool: Vec<u64> = measured.iter().filter_map(|point| point.pool_used).collect();
    let leak = LeakEvidence {
        context: 256 << 20,
        warm_up: (0..2).map(point).collect(),
        growth: Some(judged(&used, BLOCK)),
        pool_growth: Some(judged(&pool, 1)),
        measured,
        wrong: 0,
    };
    let state = if lost == 0 { State::Holds } else { State::Fails };
    let reasons = (lost > 0).then(|| {
        reason(
            None,
            Weight::Rejection,
            "leak",
            "memory of the card grows by 2.0 MiB in each of 10 iterations, so something is not freed",
        )
    });
    let reasons = reasons.into_iter().collect();
    Check { reasons, record: Some(record()), leak: Some(leak), ..check("leak", Kind::Leak, state) }
}

/// What a Python program that ran six times in one process told.
fn repeated(of: &str) -> Repeated {
    let bytes = |run: u32| 4_000_000.0 + 512.0 * f64::from(run);
    let figures = |run: u32| -> Figures {
        let told = [("in_use", Some(bytes(run))), ("held", None), ("fragmentation", Some(0.25))];
        let told = told.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        [(of.to_owned(), told)].into()
    };
    let run = |run: u32| Iteration {
        counts: run > 0,
        before: figures(run),
        after: figures(run + 1),
        settled: figures(run + 1),
    };
    Repeated {
        verdict: "leak".into(),
        why: format!("it lost 2.5 KiB of {of} over 6 iterations"),
        iterations: (0..7).map(run).collect(),
        growth: vec![Series {
            of: of.into(),
            outcome: "leak".into(),
            bytes: 2560.0,
            series: (1..7).map(bytes).collect(),
        }],
        alive: vec![Alive {
            framework: "torch".into(),
            shape: vec![10, 12],
            dtype: "float32".into(),
            device: "cuda:0".into(),
            bytes: 480.0,
            held_by: Some("`KEPT` of train.py".into()),
        }],
    }
}

/// The two halves of a target with `mode: both`.
fn halves(with_gpu: State) -> Vec<Check> {
    let half = |name: &str, kind, state| Check { half_of: Some("train".into()), ..check(name, kind, state) };
    let mut without = half("train (cpu)", Kind::CpuTarget, State::Holds);
    without.record = Some(Record { wall_seconds: Some(0.8), ..record() });
    let mut with = half("train (gpu)", Kind::GpuTarget, with_gpu);
    let turn = |seconds| LeakPoint { held: GIB, used: 312 << 20, pool_used: None, seconds };
    let measured = vec![turn(2.5), turn(2.1), turn(2.0)];
    with.leak = Some(LeakEvidence {
        context: 0,
        warm_up: Vec::new(),
        measured,
        growth: None,
        pool_growth: None,
        wrong: 0,
    });
    with.repeated = Some(repeated("torch on cuda:0"));
    vec![without, with]
}

fn burning(correction: Option<&Reason>) -> Check {
    let burn = BurnEvidence {
        side: 8192,
        bytes: 21 * GIB,
        free: 23 * GIB,
        multiplier: Multiplier::Own,
        rounds: 31,
        seconds: 62.5,
        teraflops: Some(Speed {
            median: 4.5,
            slowest: 4.25,
            fastest: 4.75,
            peak: Some(35.58),
            earlier: Some(4.4),
        }),
        gigabytes: Some(Speed { median: 800.0, slowest: 790.0, fastest: 810.0, peak: None, earlier: None }),
        wrong: 0,
        differing: 0,
        earlier_runs: [("2026-01-01", 4.4), ("2026-01-08", 4.3), ("2026-01-15", 4.5)]
            .map(|(day, speed)| EarlierRun {
                when: format!("{day}T12:00:00Z"),
                teraflops: Some(speed),
                gigabytes: None,
            })
            .to_vec(),
    };
    let state = if correction.is_some() { State::HoldsWithCorrections } else { State::Holds };
    let reasons = correction.into_iter().cloned().collect();
    Check { reasons, record: Some(record()), burn: Some(burn), ..check("burn", Kind::Burn, state) }
}
