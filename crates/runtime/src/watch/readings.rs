//! What a watch adds up to: the least, the mean and the most of everything that is read, a bounded series for plots, and
//! what happened meanwhile.

use super::{ForbiddenCard, Plan, Stray};
use nvml_wrapper::bitmasks::device::ThrottleReasons;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was read on one card during one command.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Readings {
    /// From the first reading to the last.
    pub seconds: f64,
    /// Between two readings, as it was asked for.
    pub interval: f64,
    /// How many readings there are. With none, nothing below says anything.
    pub samples: u64,
    /// How many readings of the memory failed.
    pub failed: u64,
    /// Bytes in use on the card: of everybody, what the driver keeps for itself included.
    pub memory: Option<Summary>,
    /// Bytes that the command and what it started had taken.
    pub command_memory: Option<Summary>,
    /// Where the bytes of the command are from.
    pub command_memory_source: Option<Source>,
    /// Percent of the time in which a kernel ran.
    pub utilisation: Option<Summary>,
    /// Degrees Celsius.
    pub temperature: Option<Summary>,
    pub power_milliwatts: Option<Summary>,
    /// The clock of the multiprocessors in MHz.
    pub core_clock: Option<Summary>,
    /// What kept the clocks down, in how many of the readings. That the card had nothing to do is not among it.
    pub slowed: Vec<Slowed>,
    /// How many readings asked what keeps the clocks down.
    pub slowed_of: u64,
    /// Errors that the kernel module of the driver reported about this card, at most 1000.
    pub xids: Vec<Xid>,
    /// Errors of the card's memory that could not be corrected, since the driver was loaded. `null` where it has no ECC.
    pub ecc_uncorrected: Option<u64>,
    /// Whether the card fell off the bus.
    pub lost: bool,
    /// Processes on the card that are not the command's: those that were there before it and those that came and stayed for
    /// two readings.
    pub foreign_processes: Vec<Foreign>,
    /// Processes of the command on other cards, and those there of which nobody knows whose they were.
    pub strays: Vec<Stray>,
    /// The cards that the policy forbids, meanwhile.
    pub forbidden_cards: Vec<ForbiddenCard>,
    /// That the command took more memory than it may.
    pub passed: Option<Passed>,
    pub series: Series,
    /// What could not be read and why, each a sentence without its full stop.
    pub notes: Vec<String>,
}

/// Where the memory of a command is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The driver told it for each process.
    Processes,
    /// At least once the driver did not, and the growth of what is in use on the whole card since before the command stands
    /// for it: who else uses the card counts too.
    CardGrowth,
}

/// One quantity over time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    pub samples: u64,
    pub first: u64,
    pub last: u64,
    pub min: u64,
    pub mean: f64,
    pub max: u64,
}

impl Summary {
    /// Adds a reading to what there is, if anything.
    pub fn add(summary: &mut Option<Summary>, value: u64) {
        let Some(so_far) = summary else {
            let mean = value as f64;
            *summary = Some(Summary { samples: 1, first: value, last: value, min: value, mean, max: value });
            return;
        };
        so_far.samples += 1;
        so_far.last = value;
        so_far.min = so_far.min.min(value);
        so_far.max = so_far.max.max(value);
        so_far.mean += (value as f64 - so_far.mean) / so_far.samples as f64;
    }
}

/// Something that kept the clocks down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Slowed {
    /// As NVML calls it: `sw_power_cap`, `hw_thermal_slowdown` …
    pub reason: String,
    pub samples: u64,
}

/// An error that the kernel module of the driver reported.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Xid {
    /// `null` if the driver did not know it.
    pub number: Option<u64>,
    /// Since the beginning.
    pub seconds: f64,
}

/// A process on the card that is not the command's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Foreign {
    pub pid: u32,
    pub name: Option<String>,
    /// The most bytes that it was seen with, if the driver told.
    pub memory: Option<u64>,
    /// Whether it was there before the command.
    pub before: bool,
    /// When it was first seen, since the beginning.
    pub seconds: f64,
}

impl Foreign {
    /// As sentences name it.
    pub fn process(&self) -> String {
        process(self.pid, self.name.as_deref())
    }
}

/// A process, as sentences name it: `process 12 (python)`.
pub fn process(pid: u32, name: Option<&str>) -> String {
    let name = name.map(|name| format!(" ({name})")).unwrap_or_default();
    format!("process {pid}{name}")
}

/// That the command took more memory than it may.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Passed {
    /// Bytes.
    pub allowed: u64,
    pub used: u64,
    pub seconds: f64,
}

/// Points for plots. When there are as many as are kept, each two become one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Series {
    /// So many readings became one point, which has the highest of each quantity and the time of the first.
    pub samples_per_point: u64,
    pub points: Vec<Point>,
    #[serde(skip)]
    most: usize,
    /// How many readings the last point has.
    #[serde(skip)]
    in_last: u64,
}

/// One point of a plot; units as in the readings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    /// Since the beginning.
    pub seconds: f64,
    pub memory: u64,
    pub command_memory: Option<u64>,
    pub utilisation: Option<u64>,
    pub temperature: Option<u64>,
    pub power_milliwatts: Option<u64>,
    /// MHz of the multiprocessors.
    #[serde(default)]
    pub core_clock: Option<u64>,
    /// Whether something kept the clocks down; that the card had nothing to do does not count.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub slowed: bool,
}

impl Point {
    fn merge(&mut self, other: &Point) {
        self.memory = self.memory.max(other.memory);
        self.command_memory = self.command_memory.max(other.command_memory);
        self.utilisation = self.utilisation.max(other.utilisation);
        self.temperature = self.temperature.max(other.temperature);
        self.power_milliwatts = self.power_milliwatts.max(other.power_milliwatts);
        self.core_clock = self.core_clock.max(other.core_clock);
        self.slowed |= other.slowed;
    }
}

impl Series {
    pub(super) fn of_at_most(points: usize) -> Series {
        Series { samples_per_point: 1, points: Vec::new(), most: points.max(2), in_last: 0 }
    }

    pub(super) fn add(&mut self, point: Point) {
        match self.points.last_mut() {
            Some(last) if self.in_last < self.samples_per_point => {
                last.merge(&point);
                self.in_last += 1;
                return;
            }
            _ => {}
        }
        if self.points.len() >= self.most {
            let halves = self.points.chunks(2).map(|pair| {
                let mut merged = pair.first().copied().unwrap_or_default();
                pair.iter().for_each(|point| merged.merge(point));
                merged
            });
            self.points = halves.collect();
            self.samples_per_point *= 2;
        }
        self.points.push(point);
        self.in_last = 1;
    }
}

impl Readings {
    pub(super) fn of_plan(plan: &Plan) -> Readings {
        let (interval, series) = (plan.interval.as_secs_f64(), Series::of_at_most(plan.points));
        Readings { interval, series, ..Readings::default() }
    }

    pub(super) fn add(&mut self, point: Point, source: Option<Source>) {
        self.samples += 1;
        self.seconds = point.seconds;
        Summary::add(&mut self.memory, point.memory);
        for (summary, value) in [
            (&mut self.command_memory, point.command_memory),
            (&mut self.utilisation, point.utilisation),
            (&mut self.temperature, point.temperature),
            (&mut self.power_milliwatts, point.power_milliwatts),
            (&mut self.core_clock, point.core_clock),
        ] {
            if let Some(value) = value {
                Summary::add(summary, value);
            }
        }
        if self.command_memory_source != Some(Source::CardGrowth) {
            self.command_memory_source = source.or(self.command_memory_source);
        }
        self.series.add(point);
    }

    pub(super) fn add_reasons(&mut self, reasons: ThrottleReasons) {
        self.slowed_of += 1;
        for (name, reason) in ThrottleReasons::all().iter_names() {
            if !reasons.contains(reason) || !keeps_clocks_down(reason) {
                continue;
            }
            let name = name.to_ascii_lowercase();
            match self.slowed.iter_mut().find(|slowed| slowed.reason == name) {
                Some(slowed) => slowed.samples += 1,
                None => self.slowed.push(Slowed { reason: name, samples: 1 }),
            }
        }
    }

    /// Says a thing once.
    pub(super) fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

/// Whether it is more than that the card had nothing to do.
pub(super) fn keeps_clocks_down(reasons: ThrottleReasons) -> bool {
    !(reasons - ThrottleReasons::GPU_IDLE).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_need_no_list() {
        let mut summary = None;
        [4, 1, 7].into_iter().for_each(|value| Summary::add(&mut summary, value));
        let expected = Summary { samples: 3, first: 4, last: 7, min: 1, mean: 4.0, max: 7 };
        assert_eq!(summary, Some(expected));
    }

    #[test]
    fn a_series_keeps_its_peaks() {
        let mut series = Series::of_at_most(10);
        for second in 0..1000 {
            let memory = if second == 777 { 99 } else { 1 };
            series.add(Point { seconds: f64::from(second), memory, ..Point::default() });
            assert!(series.points.len() <= 10);
        }
        assert_eq!(series.samples_per_point, 128);
        assert_eq!(series.points.iter().map(|point| point.memory).max(), Some(99));
        let times = series.points.iter().map(|point| point.seconds).collect::<Vec<_>>();
        assert_eq!(times, [0.0, 128.0, 256.0, 384.0, 512.0, 640.0, 768.0, 896.0]);
    }

    #[test]
    fn reasons_have_names_and_idleness_is_none() {
        let mut readings = Readings::default();
        readings.add_reasons(ThrottleReasons::GPU_IDLE);
        readings.add_reasons(ThrottleReasons::SW_POWER_CAP | ThrottleReasons::HW_THERMAL_SLOWDOWN);
        readings.add_reasons(ThrottleReasons::SW_POWER_CAP);
        let told = readings.slowed.iter().map(|slowed| (slowed.reason.as_str(), slowed.samples));
        assert_eq!(told.collect::<Vec<_>>(), [("sw_power_cap", 2), ("hw_thermal_slowdown", 1)]);
        assert_eq!(readings.slowed_of, 3);
    }
}
