//! XIDs: the errors that the NVIDIA kernel module reports. NVML tells them to who waits.

use super::gauge::{Gauge, clause};
use super::{View, Xid};
use nvml_wrapper::enums::event::XidError;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::event::EventSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::Instant;

/// As long as the end of a run waits for it at most.
const WAIT_MILLISECONDS: u32 = 100;

/// A card that is broken reports without end.
const MOST: usize = 1000;

/// Until `is_over`. `listening` is dropped as soon as no error can be missed any more.
pub(super) fn listen(
    gauge: &Gauge,
    view: &View,
    is_over: &AtomicBool,
    began: Instant,
    listening: Sender<()>,
) {
    let errors = match registered(gauge) {
        Ok(errors) => errors,
        Err(reason) => return view.lock().notes.push(format!("XIDs are not known: {reason}")),
    };
    drop(listening);
    loop {
        // What came before the end is still told, without waiting for more.
        let is_last = is_over.load(Ordering::Relaxed);
        match errors.wait(if is_last { 0 } else { WAIT_MILLISECONDS }) {
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
