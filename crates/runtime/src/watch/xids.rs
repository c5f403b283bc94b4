//! XIDs: the errors that the NVIDIA kernel module reports. NVML tells them to who waits.

use super::gauge::{Gauge, clause};
use super::{View, Xid};
use nvml_wrapper::enums::event::XidError;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::event::EventSet;
use std::sync::OnceLock;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// NVML cannot be told to stop waiting, so the end of a run waits for the end of a turn: at most so long, and a small part of
/// what the run took.
const LONGEST_TURN: Duration = Duration::from_millis(50);
const SHORTEST_TURN: Duration = Duration::from_millis(1);
const PART_OF_THE_RUN: u32 = 16;

/// A card that is broken reports without end.
const MOST: usize = 1000;

/// Until the moment that `end` names. `listening` is dropped as soon as no error can be missed any more.
pub(super) fn listen(
    gauge: &Gauge,
    view: &View,
    end: &OnceLock<Instant>,
    began: Instant,
    listening: Sender<()>,
) {
    let errors = match registered(gauge) {
        Ok(errors) => errors,
        Err(reason) => return view.lock().notes.push(format!("XIDs are not known: {reason}")),
    };
    drop(listening);
    loop {
        let turn = (began.elapsed() / PART_OF_THE_RUN).clamp(SHORTEST_TURN, LONGEST_TURN);
        let left = end.get().map(|end| end.saturating_duration_since(Instant::now()));
        // What came before the end is still told, without waiting for more.
        let is_last = left == Some(Duration::ZERO);
        let wait = left.map_or(turn, |left| left.min(turn)).as_millis();
        match errors.wait(wait.try_into().unwrap_or_default()) {
            Ok(event) => {
                let number = event.event_data.and_then(|error| match error {
                    XidError::Value(number) => Some(number),
                    XidError::Unknown => None,
                });
                let mut readings = view.lock();
                if readings.xids.len() < MOST {
                    readings.xids.push(Xid { number, seconds: began.elapsed().as_secs_f64() });
                }
            }
            Err(NvmlError::Timeout) if is_last => return,
            Err(NvmlError::Timeout) => {}
            Err(error) => {
                let reason = clause(&error);
                return view.lock().notes.push(format!("later XIDs are not known: {reason}"));
            }
        }
    }
}

#[cfg(target_os = "linux")]
fn registered(gauge: &Gauge) -> Result<EventSet<'static>, String> {
    use nvml_wrapper::bitmasks::event::EventTypes;
    let errors = gauge.library.create_event_set().map_err(|error| clause(&error))?;
    let registered = gauge.device.register_events(EventTypes::CRITICAL_XID_ERROR, errors);
    registered.map_err(|error| clause(&error.error))
}

#[cfg(not(target_os = "linux"))]
fn registered(_gauge: &Gauge) -> Result<EventSet<'static>, String> {
    Err("NVML tells them on Linux only".to_owned())
}
