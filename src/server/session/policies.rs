//! The files of the policies, which may lie where no editor watches: in the folder of the user, or of the machine. So the
//! server looks at their times itself.

use crate::sources::{Stamps, stamp_of};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// There are few of them, and nobody waits for a policy.
const PAUSE: Duration = Duration::from_secs(1);

#[derive(Default)]
pub struct PolicyFiles {
    seen: Stamps,
    looked: Option<Instant>,
}

impl PolicyFiles {
    /// The files that the last check asked for. Where that was wrong, and asked for none, those before still count.
    pub fn now_are(&mut self, files: BTreeSet<PathBuf>) {
        // What was seen before a check may have changed while it ran.
        for file in files {
            self.seen.entry(file).or_insert_with_key(|file| stamp_of(file));
        }
        self.looked.get_or_insert_with(Instant::now);
    }

    /// When somebody has to look again.
    pub fn looked_at_again(&self) -> Option<Instant> {
        self.looked.filter(|_| !self.seen.is_empty()).map(|looked| looked + PAUSE)
    }

    /// Whether one is new, gone or another, as far as it is time to look.
    pub fn have_changed(&mut self) -> bool {
        if self.looked_at_again().is_none_or(|at| at > Instant::now()) {
            return false;
        }
        self.looked = Some(Instant::now());
        let now: Stamps = self.seen.keys().map(|file| (file.clone(), stamp_of(file))).collect();
        let changed = now != self.seen;
        self.seen = now;
        changed
    }
}
