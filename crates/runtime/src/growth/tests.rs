//! Series that were thought of, all series of a kind, and programs on a driver that exists only here.

use super::model::{Dice, Program};
use super::*;
use std::path::Path;

const MIB: u64 = 1024 * 1024;

fn blocks(levels: impl IntoIterator<Item = u64>) -> Vec<u64> {
    levels.into_iter().map(|level| (200 + level) * BLOCK).collect()
}

fn outcome_of(levels: impl IntoIterator<Item = u64>) -> Outcome {
    judged(&blocks(levels), BLOCK).outcome
}

#[test]
fn the_numbers_of_a_growth() {
    let growth = judged(&blocks([0, 2, 1, 4, 5]), BLOCK);
    assert_eq!((growth.iterations, growth.total), (5, 5 * BLOCK as i64));
    assert_eq!((growth.increases, growth.decreases, growth.most_in_one), (3, 1, 3 * BLOCK));
    assert!((growth.per_iteration / BLOCK as f64 - 1.125).abs() < 0.001, "{}", growth.per_iteration);
    let shrinking = judged(&blocks([5, 4, 0]), BLOCK);
    assert_eq!((shrinking.total, shrinking.most_in_one), (-5 * BLOCK as i64, 0));
    assert!(judged(&[u64::MAX, 0], 0).total < 0);
}

#[test]
fn too_few_say_nothing() {
    for used in [&[][..], &[7], &[7, 7], &[7, 9, 9, 9]] {
        let growth = judged(used, 1);
        assert_eq!(growth.outcome, Outcome::Inconclusive, "{used:?}");
        assert!(growth.per_iteration.is_finite());
    }
}

#[test]
fn each_series_has_its_outcome() {
    use Outcome::{Clean, Inconclusive, Leak, OneOff};
    let table: &[(&str, Outcome, Vec<u64>)] = &[
        ("flat", Clean, vec![3; 10]),
        ("one block in each iteration", Leak, (0..10).collect()),
        ("two blocks in each iteration", Leak, (0..20).step_by(2).collect()),
        ("ever less", Clean, (0..10).rev().collect()),
        ("less, and then flat", Clean, vec![9, 9, 4, 4, 4, 4, 4, 4, 4, 4]),
        ("up and back", Clean, vec![0, 0, 3, 3, 3, 3, 0, 0, 0, 0]),
        ("one early step", Inconclusive, vec![0, 0, 5, 5, 5, 5, 5, 5, 5, 5]),
        ("one step in the middle", Inconclusive, vec![0, 0, 0, 0, 0, 1, 1, 1, 1, 1]),
        ("several steps in the first half", Inconclusive, vec![0, 1, 3, 9, 10, 11, 11, 11, 11, 11]),
        ("one late step", Inconclusive, vec![0, 0, 0, 0, 0, 0, 0, 0, 1, 1]),
        ("three steps anywhere", Inconclusive, vec![0, 0, 1, 1, 1, 2, 2, 2, 3, 3]),
        ("growth that becomes slower", Inconclusive, vec![0, 1, 2, 3, 4, 5, 6, 6, 6, 6]),
        ("a leak that begins late", Inconclusive, vec![0, 0, 0, 0, 0, 0, 1, 2, 3, 4]),
        ("a leak after a big load", Inconclusive, vec![0, 50, 51, 52, 53, 54, 55, 56, 57, 58]),
        ("one early step of many", OneOff, [vec![0, 0], vec![5; 28]].concat()),
        ("several early steps of many", OneOff, [vec![0, 1, 3, 9, 10, 11], vec![11; 24]].concat()),
        ("the last is higher", Inconclusive, vec![2, 2, 2, 2, 2, 2, 2, 2, 2, 3]),
    ];
    for (name, expected, levels) in table {
        assert_eq!(outcome_of(levels.iter().copied()), *expected, "{name}: {levels:?}");
    }
}

#[test]
fn a_load_in_a_clean_run_is_once_after_more_iterations() {
    // All places of three loads in the first ten iterations.
    for first in 1..10 {
        for second in first..10 {
            for third in second..10 {
                let used =
                    |iterations: u64| {
                        blocks((0..iterations).map(|index| {
                            [first, second, third].iter().filter(|at| index >= **at).count() as u64
                        }))
                    };
                assert_ne!(judged(&used(10), BLOCK).outcome, Outcome::Leak);
                assert_eq!(judged(&used(30), BLOCK).outcome, Outcome::OneOff, "{first} {second} {third}");
            }
        }
    }
}

#[test]
fn what_comes_every_few_iterations_is_found_with_a_hundred() {
    for every in 1..=32 {
        for begin in 0..every {
            let levels = (0..100).map(|index| (index + begin) / every);
            assert_eq!(outcome_of(levels), Outcome::Leak, "one block in {every}, from {begin}");
        }
    }
}

#[test]
fn a_leak_is_found_behind_what_was_given_back() {
    let after = |drop_at: u64| (0..100).map(move |index| 60 + index - if index >= drop_at { 50 } else { 0 });
    assert_eq!(outcome_of(after(2)), Outcome::Leak);
    assert_eq!(outcome_of(after(30)), Outcome::Leak);
    // Seventy iterations up, fifty down and thirty up may be a large cache as well.
    assert_eq!(outcome_of(after(70)), Outcome::Inconclusive);
    // It began late.
    assert_eq!(outcome_of((0u64..100).map(|index| index.saturating_sub(40))), Outcome::Leak);
}

#[test]
fn a_cache_that_fills_and_is_given_back_is_no_leak() {
    for cache in 1..120 {
        let levels = |iterations: u64| (0..iterations).map(move |index| index % (cache + 1));
        let outcome = outcome_of(levels(100));
        // One that is not given back within a hundred iterations, or just so, cannot be told from a leak.
        if cache < 97 {
            assert_ne!(outcome, Outcome::Leak, "a cache of {cache}");
        }
    }
    assert_eq!(outcome_of((0..100).map(|index| index % 8)), Outcome::Clean);
}

#[test]
fn an_allocator_is_judged_to_the_byte() {
    let growing: Vec<u64> = (0..10).map(|index| 4096 + 512 * index).collect();
    assert_eq!(judged(&growing, 512).outcome, Outcome::Leak);
    assert_eq!(judged(&growing, BLOCK).outcome, Outcome::Clean);
    let single_bytes: Vec<u64> = (0..10).collect();
    assert_eq!(judged(&single_bytes, 1).outcome, Outcome::Leak);
    assert_eq!(judged(&[512; 10], 1).outcome, Outcome::Clean);
}

#[test]
fn more_is_measured_only_while_it_is_open() {
    let late: Vec<u64> = blocks([0, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
    assert_eq!(iterations_to_reach(10, &[], BLOCK), Some(10));
    assert_eq!(iterations_to_reach(10, &late[..4], BLOCK), Some(10));
    assert_eq!(iterations_to_reach(10, &late, BLOCK), Some(30));
    assert_eq!(iterations_to_reach(10, &blocks([0; 10]), BLOCK), None);
    let late = |iterations: u64| blocks((0..iterations).map(|index| u64::from(index + 2 >= iterations)));
    assert_eq!(iterations_to_reach(10, &late(30), BLOCK), Some(100));
    assert_eq!(iterations_to_reach(50, &late(50), BLOCK), Some(100));
    assert_eq!(iterations_to_reach(10, &late(100), BLOCK), None);
    assert_eq!(iterations_to_reach(0, &[], BLOCK), Some(30));
}

/// So many programs of each kind.
const PROGRAMS: u64 = 50;

#[test]
fn a_clean_program_never_leaks() {
    for seed in 0..PROGRAMS {
        for asked in [10, 100] {
            for (cache, jitter) in [(0, 0), (3, 0), (0, 3), (6, 2)] {
                let mut program = Program::clean(seed).with_cache(cache).with_jitter(jitter);
                let growth = program.judged(asked);
                let what = format!("seed {seed}, {asked}, {cache}, {jitter}");
                assert_ne!(growth.outcome, Outcome::Leak, "{what}");
                // Without noise there is nothing left to ask.
                let is_quiet = cache == 0 && jitter == 0;
                assert!(!is_quiet || growth.outcome != Outcome::Inconclusive, "{what}");
            }
        }
    }
}

/// How many of a hundred are found, when so many iterations are asked for.
fn found(asked: usize, program: impl Fn(u64) -> Program) -> u64 {
    let is_found = |seed: &u64| program(*seed).judged(asked).outcome == Outcome::Leak;
    (0..PROGRAMS).filter(is_found).count() as u64 * 100 / PROGRAMS
}

/// The table in docs/leaks.md: percent of leaks that are found when 10, 30 and 100 iterations are asked for, alone, in programs
/// that load things, and in such as have a cache and noise as well.
#[test]
fn leaks_are_found_as_the_page_says() {
    let mut table = String::new();
    for leak in [2 * MIB, MIB, MIB / 2, MIB / 4, MIB / 8, MIB / 16] {
        let mut row = format!("| {} KiB |", leak / 1024);
        for asked in [10, 30, 100] {
            let alone = found(asked, |seed| Program::leaking(seed, leak, 1));
            let among_loads = found(asked, |seed| Program::clean(seed).with_leak(leak));
            let noisy = |seed| Program::clean(seed).with_leak(leak).with_cache(3).with_jitter(2);
            row.push_str(&format!(" {alone} / {among_loads} / {} |", found(asked, noisy)));
        }
        table.push_str(&row);
        table.push('\n');
    }
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/leaks.md");
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains(&table), "docs/leaks.md is to have this table:\n{table}");
}

#[test]
fn whatever_the_series_it_is_judged() {
    let mut dice = Dice(1);
    for _ in 0..2000 {
        let length = dice.below(130) as usize;
        let most = [1, 4, 1 << 40, u64::MAX][dice.below(4) as usize];
        let series: Vec<u64> = (0..length).map(|_| dice.below(most)).collect();
        for unit in [0, 1, BLOCK, u64::MAX] {
            let growth = judged(&series, unit);
            assert!(growth.per_iteration.is_finite());
            assert!(growth.increases + growth.decreases < length.max(1) as u64);
            // A level that is always in use changes nothing.
            if most < 1 << 41 {
                let raised: Vec<u64> = series.iter().map(|used| used + BLOCK).collect();
                assert_eq!(judged(&raised, unit).outcome, growth.outcome, "{series:?}");
            }
        }
    }
}
