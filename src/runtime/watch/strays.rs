//! Processes of the command on other cards than its own: something in it has left the mask that it was given.

use super::gauge::Gauge;
use super::readings::process;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A process of the command on another card.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Stray {
    pub pid: u32,
    pub name: Option<String>,
    /// The UUID of that card.
    pub card: String,
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
}

/// Each card is a question to the driver, and who has left the mask stays for a while.
const INTERVAL: f64 = 0.5;

/// Who was seen on the other cards, and whether it is the command's is known.
#[derive(Default)]
pub(super) struct Others {
    settled: Vec<(usize, u32)>,
    /// When it is time for the next look, in seconds since the beginning.
    next: f64,
}

impl Others {
    /// Those that are the command's and were not told before. `ours` is asked only when somebody is new.
    pub(super) fn strays(
        &mut self,
        gauge: &Gauge,
        ours: &mut impl FnMut() -> Vec<u32>,
        seconds: f64,
    ) -> Vec<Stray> {
        if seconds < self.next {
            return Vec::new();
        }
        self.next = seconds + INTERVAL;
        let mut now = Vec::new();
        let mut fresh = Vec::new();
        for (number, (uuid, device)) in gauge.others.iter().enumerate() {
            // What a driver does not tell about another card is not the matter of this one.
            for user in crate::runtime::management::users(device).unwrap_or_default() {
                let key = (number, user.pid);
                now.push(key);
                if !self.settled.contains(&key) {
                    fresh.push((uuid, user));
                }
            }
        }
        self.settled = now;
        if fresh.is_empty() {
            return Vec::new();
        }
        let ours = ours();
        let own = fresh.into_iter().filter(|(_, user)| ours.contains(&user.pid));
        own.map(|(uuid, user)| Stray {
            pid: user.pid,
            name: gauge.name_of(user.pid),
            card: uuid.clone(),
            memory: user.memory.filter(|bytes| *bytes > 0),
            seconds,
        })
        .collect()
    }
}
