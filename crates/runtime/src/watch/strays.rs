//! Processes of the command on other cards than its own: something in it has left the mask that it was given.
//!
//! The other cards are looked at as often as the command's own. Who was there only between two looks is asked of the
//! driver's memory at the end.

use super::gauge::{Gauge, OtherCard, used_of};
use super::readings::{Point, Series, Summary, process};
use super::traces::Traces;
use crate::runtime::choice::is_forbidden;
use crate::runtime::management::users;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// A process of the command on another card.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Stray {
    pub pid: u32,
    pub name: Option<String>,
    /// The UUID of that card.
    pub card: String,
    /// What that card is called.
    #[serde(default)]
    pub card_name: Option<String>,
    /// Whether the policy forbids that card.
    #[serde(default)]
    pub forbidden: bool,
    /// Whether nobody knows whose process it was, because it had ended by then, or because the driver counts processes
    /// otherwise: it may be somebody else's.
    #[serde(default)]
    pub unclaimed: bool,
    /// The bytes that it was first seen with, if the driver told.
    pub memory: Option<u64>,
    /// When it was first seen, since the beginning.
    pub seconds: f64,
}

impl Stray {
    /// As sentences name it.
    pub fn process(&self) -> String {
        process(self.pid, self.name.as_deref())
    }

    /// The card, as sentences name it: `NVIDIA GeForce RTX 5060 Ti (GPU-…), which the policy forbids`.
    pub fn place(&self) -> String {
        let card = match &self.card_name {
            Some(name) => format!("{name} ({})", self.card),
            None => self.card.clone(),
        };
        if self.forbidden { format!("{card}, which the policy forbids") } else { card }
    }
}

/// A card that the policy forbids, while the command ran.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ForbiddenCard {
    /// Its UUID.
    pub card: String,
    pub name: String,
    /// How often it was looked at who computes there. The driver's answer was one each time.
    pub looks: u64,
    /// Bytes in use on it, of everybody.
    pub memory: Option<Summary>,
    /// Only the memory is among what the points have.
    pub series: Series,
}

impl ForbiddenCard {
    pub(super) fn add(&mut self, seconds: f64, (looks, memory): (u64, Option<u64>)) {
        self.looks = looks;
        if let Some(memory) = memory {
            Summary::add(&mut self.memory, memory);
            self.series.add(Point { seconds, memory, ..Point::default() });
        }
    }
}

/// That so many processes were seen on a card; `None` where there was none.
pub fn strays_seen(count: usize) -> Option<String> {
    match count {
        0 => None,
        1 => Some("a process was there".to_owned()),
        count => Some(format!("{count} processes were there")),
    }
}

/// A process on one of the other cards, by the place of that card in the list.
type Seen = (usize, u32);

/// Who was seen on the other cards, and whether it is the command's is known.
#[derive(Default)]
pub(super) struct Others {
    /// Parts of the names of cards that the policy forbids.
    forbidden: Vec<String>,
    /// Those of whom all is said.
    settled: HashSet<Seen>,
    /// Those who were not the command's at the first look, which may have come too early, and the bytes that they had.
    suspects: Vec<(Seen, Option<u64>)>,
    /// How often each card has told who computes there.
    looks: Vec<u64>,
    traces: Vec<Traces>,
}

impl Others {
    /// Before the command. What cannot be read of a card is a note.
    pub(super) fn before(gauge: &Gauge, forbidden: &[String], note: &mut dyn FnMut(String)) -> Others {
        let mut others = Others { forbidden: forbidden.to_vec(), ..Others::default() };
        for (number, card) in gauge.others.iter().enumerate() {
            match users(&card.device) {
                Ok(users) => others.settled.extend(users.iter().map(|user| (number, user.pid))),
                Err(error) => {
                    let why = super::gauge::clause(&error);
                    note(format!("who computes on {} ({}) is not known: {why}", card.name, card.uuid));
                }
            }
            others.looks.push(0);
            others.traces.push(Traces::before(&card.device));
        }
        others
    }

    /// The forbidden ones among them, each without a look so far.
    pub(super) fn forbidden_cards(&self, gauge: &Gauge, points: usize) -> Vec<ForbiddenCard> {
        let of = |(_, card): (usize, &OtherCard)| {
            let (uuid, name, series) = (card.uuid.clone(), card.name.clone(), Series::of_at_most(points));
            ForbiddenCard { card: uuid, name, series, ..ForbiddenCard::default() }
        };
        self.forbidden(gauge).map(of).collect()
    }

    /// How often each of them was looked at, and the bytes in use on it now.
    pub(super) fn look_at_forbidden(&self, gauge: &Gauge) -> Vec<(u64, Option<u64>)> {
        let of = |(number, card): (usize, &OtherCard)| {
            (self.looks.get(number).copied().unwrap_or_default(), used_of(&card.device).ok())
        };
        self.forbidden(gauge).map(of).collect()
    }

    fn forbidden<'a>(&'a self, gauge: &'a Gauge) -> impl Iterator<Item = (usize, &'a OtherCard)> {
        gauge.others.iter().enumerate().filter(|(_, card)| is_forbidden(&self.forbidden, &card.name))
    }

    /// Those that are the command's and were not told before. `ours` is asked only when somebody is new.
    pub(super) fn strays(
        &mut self,
        gauge: &Gauge,
        ours: &mut impl FnMut() -> Vec<u32>,
        seconds: f64,
    ) -> Vec<Stray> {
        let suspects = std::mem::take(&mut self.suspects);
        let mut now = HashSet::new();
        let mut fresh: Vec<(Seen, Option<u64>)> = Vec::new();
        for ((number, card), looks) in gauge.others.iter().enumerate().zip(&mut self.looks) {
            // That it cannot be read was said before the command.
            let Ok(users) = users(&card.device) else { continue };
            *looks += 1;
            for user in users {
                now.insert((number, user.pid));
                if !self.settled.contains(&(number, user.pid)) {
                    fresh.push(((number, user.pid), user.memory.filter(|bytes| *bytes > 0)));
                }
            }
        }
        // A number may be given to another process later.
        self.settled.retain(|seen| now.contains(seen));
        let gone = suspects.iter().filter(|(seen, _)| !now.contains(seen));
        let asked: Vec<_> = fresh.iter().chain(gone).copied().collect();
        if asked.is_empty() {
            return Vec::new();
        }
        let ours = ours();
        let mut strays = Vec::new();
        for (seen, memory) in asked {
            let is_suspect = suspects.iter().any(|(suspect, _)| *suspect == seen);
            let exists = lives(seen.1);
            if ours.contains(&seen.1) || !exists {
                strays.extend(self.stray(gauge, seen, memory, seconds, !ours.contains(&seen.1)));
            } else if !is_suspect {
                self.suspects.push((seen, memory));
                continue;
            }
            self.settled.insert(seen);
        }
        strays
    }

    /// After the end of the command: those that no look has found.
    pub(super) fn traced(
        &mut self,
        gauge: &Gauge,
        ours: &mut impl FnMut() -> Vec<u32>,
        told: &[Stray],
        seconds: f64,
    ) -> Vec<Stray> {
        let mut strays = self.strays(gauge, ours, seconds);
        let ours = ours();
        for (number, (card, traces)) in gauge.others.iter().zip(&self.traces).enumerate() {
            for pid in traces.since(&card.device) {
                let is_told = strays
                    .iter()
                    .chain(told)
                    .any(|stray| (stray.pid, stray.card.as_str()) == (pid, &card.uuid));
                let is_ours = ours.contains(&pid);
                if is_told || (!is_ours && lives(pid)) {
                    continue;
                }
                strays.extend(self.stray(gauge, (number, pid), None, seconds, !is_ours));
            }
        }
        strays
    }

    fn stray(
        &self,
        gauge: &Gauge,
        (number, pid): Seen,
        memory: Option<u64>,
        seconds: f64,
        unclaimed: bool,
    ) -> Option<Stray> {
        let OtherCard { uuid, name, .. } = gauge.others.get(number)?;
        Some(Stray {
            pid,
            name: gauge.name_of(pid),
            card: uuid.clone(),
            card_name: Some(name.clone()),
            forbidden: is_forbidden(&self.forbidden, name),
            unclaimed,
            memory,
            seconds,
        })
    }
}

/// Whether a process of that number runs for this one. What has ended and was not taken notice of yet does not.
fn lives(pid: u32) -> bool {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else {
        return !cfg!(target_os = "linux");
    };
    // The name before it stands in brackets and may hold anything.
    let state = stat.rsplit_once(')').and_then(|(_, rest)| rest.trim_start().chars().next());
    !matches!(state, Some('Z' | 'X'))
}
