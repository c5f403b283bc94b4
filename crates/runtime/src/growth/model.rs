//! A driver that exists only here, for tests of the rule: it hands out blocks of 2 MiB and packs what is smaller into them. It
//! is made from what is written about drivers; it is not measured on one.

use super::{BLOCK, Growth, iterations_to_reach, judged};

/// The same numbers each time (splitmix64).
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % most.max(1)
    }

    /// True in so many of a hundred.
    pub fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

/// A program on such a driver.
pub struct Program {
    dice: Dice,
    /// Bytes that are lost, and every how many iterations.
    leak: u64,
    every: u64,
    /// Bytes that were free in the blocks of small things when the program began.
    slack: u64,
    /// Iteration and blocks of what is loaded when it is needed first, and stays.
    loads: Vec<(u64, u64)>,
    /// Blocks of a pool that is full after some iterations.
    pool: u64,
    full_after: u64,
    /// Blocks of a cache that fills one by one and is given back when it is full.
    cache: u64,
    /// Blocks that come and go.
    jitter: u64,
}

impl Program {
    /// One that does what drivers and libraries do in the first iterations: up to three loads, a workspace, a pool.
    pub fn clean(seed: u64) -> Program {
        let mut dice = Dice(seed);
        let mut loads: Vec<_> = (0..dice.below(4)).map(|_| (1 + dice.below(9), 1 + dice.below(9))).collect();
        if dice.percent(50) {
            loads.push((1 + dice.below(3), 4 + dice.below(13)));
        }
        let pool = if dice.percent(50) { 1 + dice.below(40) } else { 0 };
        let (full_after, slack) = (1 + dice.below(6), dice.below(BLOCK));
        Program { dice, leak: 0, every: 1, slack, loads, pool, full_after, cache: 0, jitter: 0 }
    }

    /// One that does nothing but leak.
    pub fn leaking(seed: u64, leak: u64, every: u64) -> Program {
        let clean = Program::clean(seed);
        Program { leak, every, loads: Vec::new(), pool: 0, ..clean }
    }

    pub fn with_leak(self, leak: u64) -> Program {
        Program { leak, ..self }
    }

    pub fn with_cache(self, cache: u64) -> Program {
        Program { cache, ..self }
    }

    pub fn with_jitter(self, jitter: u64) -> Program {
        Program { jitter, ..self }
    }

    /// Bytes in use after each iteration.
    pub fn run(&mut self, iterations: usize) -> Vec<u64> {
        let seed = self.dice.0;
        let used = (0..iterations as u64).map(|index| self.used(index)).collect();
        // A longer run of it begins as this one did.
        self.dice.0 = seed;
        used
    }

    fn used(&mut self, index: u64) -> u64 {
        const CONTEXT: u64 = 150;
        let lost = self.leak * (index / self.every);
        let small = lost.saturating_sub(self.slack).div_ceil(BLOCK);
        let loaded: u64 =
            self.loads.iter().filter(|(since, _)| *since <= index).map(|(_, blocks)| blocks).sum();
        let pool = self.pool * (index + 1).min(self.full_after) / self.full_after;
        let cache = if self.cache > 0 { index % (self.cache + 1) } else { 0 };
        let jitter = self.dice.below(self.jitter + 1);
        BLOCK * (CONTEXT + small + loaded + pool + cache + jitter)
    }

    /// Measured and judged as the profile does it.
    pub fn judged(&mut self, asked: usize) -> Growth {
        let mut used = Vec::new();
        while let Some(iterations) = iterations_to_reach(asked, &used, BLOCK) {
            used = self.run(iterations);
        }
        judged(&used, BLOCK)
    }
}
