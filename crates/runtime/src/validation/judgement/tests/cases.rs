//! Attempts in which all holds, and what is made to go wrong with them.

use super::super::*;
use crate::runtime::native::lines::{Failure, Iteration, Line, Load, Multiplier, Round};
use crate::runtime::record::End;
use crate::runtime::watch::{Foreign, Readings, Returned, Xid};

pub const GIB: u64 = 1 << 30;

/// One attempt in which all holds, to be changed.
pub struct Case {
    pub kind: Kind,
    pub record: Option<Record>,
    pub lines: Lines,
    pub turns: Option<LeakEvidence>,
    pub earlier: Option<f64>,
}

pub fn case(kind: Kind) -> Case {
    let lines = match kind {
        Kind::Leak => leaking(&[GIB; 10]),
        Kind::Burn => burning(3, 0, 0),
        _ => Lines::default(),
    };
    let mut record = Record::begun(vec!["train".into()]);
    (record.wall_seconds, record.exit_code, record.end) = (Some(1.0), Some(0), End::Exited { code: 0 });
    record.readings = Some(Readings { samples: 10, ..Readings::default() });
    record.returned = Some(Returned::Back { baseline: GIB, after: GIB, waited: 0.0 });
    Case { kind, record: Some(record), lines, turns: None, earlier: None }
}

impl Case {
    pub fn with(mut self, change: impl FnOnce(&mut Record)) -> Case {
        if let Some(record) = &mut self.record {
            change(record);
        }
        self
    }

    pub fn read(self, change: impl FnOnce(&mut Readings)) -> Case {
        self.with(|record| {
            if let Some(readings) = &mut record.readings {
                change(readings);
            }
        })
    }

    pub fn ended(self, end: End, code: i32) -> Case {
        self.with(|record| (record.end, record.exit_code) = (end, Some(code)))
    }

    pub fn saying(mut self, lines: Lines) -> Case {
        self.lines = lines;
        self
    }

    pub fn failed(self, code: Option<u32>, exit: i32) -> Case {
        let failure = Failure { doing: "allocating 4.0 MB".into(), code, why: "no".into() };
        let mut lines = self.lines.lines.clone();
        lines.pop();
        lines.push(Line::Failed(failure));
        self.saying(Lines { lines, damaged: false }).ended(End::Exited { code: exit }, exit)
    }

    pub fn reasons(&self) -> Vec<Reason> {
        let leak = if self.kind == Kind::Leak { self.lines.leak() } else { self.turns.clone() };
        let mut burn = self.lines.burn();
        if let Some(speed) = burn.as_mut().and_then(|burn| burn.teraflops.as_mut()) {
            speed.earlier = self.earlier;
        }
        let attempt = Attempt {
            kind: self.kind,
            record: self.record.as_ref(),
            lines: &self.lines,
            leak: leak.as_ref(),
            burn: burn.as_ref(),
            repeated: None,
            said: "first\nlast words\n",
        };
        reasons(&attempt, Gates { leak: &Leak::default(), iterations: 10 })
    }

    /// What it comes to, and the words of all reasons with a letter for how much each weighs.
    #[track_caller]
    pub fn is(self, expected: State, words: &[&str]) {
        let reasons = self.reasons();
        let told: Vec<String> = reasons.iter().map(told).collect();
        assert_eq!(
            (state(&reasons), told),
            (expected, words.iter().map(|word| (*word).to_owned()).collect())
        );
    }
}

pub fn told(reason: &Reason) -> String {
    let letter = match reason.weight {
        Weight::Rejection => 'R',
        Weight::Environment => 'E',
        Weight::Infrastructure => 'I',
        Weight::Correction => 'C',
        Weight::Note => 'N',
    };
    format!("{letter} {}", reason.code)
}

pub fn iteration(number: u64, used: u64, pool_used: Option<u64>, wrong: u64) -> Line {
    Line::Iteration(Iteration { number, warm_up: false, held: used, used, pool_used, seconds: 0.1, wrong })
}

pub fn whole(lines: impl Iterator<Item = Line>) -> Lines {
    let card = serde_json::from_value(serde_json::json!({
        "uuid": "GPU-1", "name": "A", "memory": GIB, "pci": "00000000:01:00.0", "capability": null
    }));
    let began = card.map(|card| Line::Began { card, context: GIB }).unwrap_or(Line::Ended);
    let lines = std::iter::once(began).chain(lines).chain([Line::Ended]).collect();
    Lines { lines, damaged: false }
}

pub fn leaking(used: &[u64]) -> Lines {
    whole((1..).zip(used).map(|(number, used)| iteration(number, *used, None, 0)))
}

pub fn burning(rounds: u64, wrong: u64, differing: u64) -> Lines {
    let multiplier = Multiplier::Own;
    let load = Load { side: 64, products: 2, bytes: GIB, free: GIB, multiplier, wrong };
    let round = |number| {
        Line::Round(Round {
            number,
            multiplying: 1.0,
            operations: 1e12,
            comparing: 1.0,
            bytes: 1e9,
            differing,
        })
    };
    whole(std::iter::once(Line::Load(load)).chain((1..=rounds).map(round)))
}

/// A leak of so many bytes in each of ten iterations.
pub fn leak(bytes: u64) -> Case {
    let used: Vec<u64> = (0..10).map(|number| GIB + number * bytes).collect();
    case(Kind::Leak).saying(leaking(&used))
}

pub fn foreign(readings: &mut Readings) {
    let (pid, name, memory) = (4711, None, Some(GIB));
    readings.foreign_processes = vec![Foreign { pid, name, memory, before: false, seconds: 0.5 }];
}

pub fn xid(number: u64) -> impl FnOnce(&mut Readings) {
    move |readings| readings.xids = vec![Xid { number: Some(number), seconds: 0.5 }]
}
