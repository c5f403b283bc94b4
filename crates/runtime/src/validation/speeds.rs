//! The speed of a card under the profile `burn`, held against what it could be and what it was in earlier runs.

use super::document::{BurnEvidence, Check, Kind, Reason, State, Validation, Weight};
use super::history::{Entry, Fault, History, Load, Measure, file_of};
use super::peak::Peak;
use crate::runtime::management::Limits;
use crate::runtime::native::kernels;
use crate::runtime::record::Record;
use std::path::Path;

/// Adds what the card could do at most.
pub fn add_peak(burn: &mut BurnEvidence, limits: &Limits) {
    let peak = Peak::of(limits);
    for (speed, peak) in [(&mut burn.teraflops, peak.teraflops), (&mut burn.gigabytes, peak.gigabytes)] {
        if let Some(speed) = speed {
            speed.peak = peak;
        }
    }
}

/// Adds the earlier speeds to what was measured; answers why that cannot be.
pub fn compare(burn: &mut BurnEvidence, record: &Record, folder: &Path) -> Option<Reason> {
    let card = record.card.as_ref()?;
    let history = match History::read(folder, &card.uuid) {
        Ok(history) => history,
        Err(fault) => {
            // Whoever can break it could else switch the comparison off.
            let message = format!("whether the card is as fast as it was is not known: {fault}");
            return Some(Reason::of(Weight::Correction, "no-history", message));
        }
    };
    let load = load(burn, record);
    for (speed, measure) in
        [(&mut burn.teraflops, Measure::Teraflops), (&mut burn.gigabytes, Measure::Gigabytes)]
    {
        let Some(speed) = speed else { continue };
        if let Some(odd) = history.impossible(&load, measure, speed.median, speed.peak) {
            let message = format!(
                "whether the card is as fast as it was is not known: {} holds an earlier speed of {odd:e}, and now it was {:.2}; \
                 with the file moved away they begin anew",
                file_of(folder, &card.uuid).display(),
                speed.median
            );
            return Some(Reason::of(Weight::Correction, "no-history", message));
        }
        speed.earlier = history.earlier(&load, measure);
    }
    burn.earlier_runs = history.runs(&load);
    None
}

/// Adds the run to the history of its card, if nothing is to be said against it: a card that was slowed down by its heat is not
/// what it is to be compared with.
///
/// # Errors
/// When the history cannot be read or written.
pub fn remember(document: &Validation, folder: &Path) -> Result<(), Fault> {
    let burns =
        document.checks.iter().filter(|check| check.kind == Kind::Burn && check.state == State::Holds);
    for (burn, record) in burns.filter_map(|Check { burn, record, .. }| burn.as_ref().zip(record.as_ref())) {
        let Some(card) = &record.card else { continue };
        let entry = Entry {
            load: load(burn, record),
            when: record.started.clone(),
            teraflops: burn.teraflops.map(|speed| speed.median),
            gigabytes: burn.gigabytes.map(|speed| speed.median),
        };
        History::add(folder, &card.uuid, entry)?;
    }
    Ok(())
}

fn load(burn: &BurnEvidence, record: &Record) -> Load {
    Load::of_burn(burn, record.driver.clone(), &kernels::version(), record.simulated)
}
