//! Events: XIDs, delivered to whoever waits for them.

use crate::codes::*;
use crate::entry::{Handle, card, cards, exported, handle_of, put};
use std::collections::BTreeMap;
use std::ffi::{c_uint, c_ulonglong};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// `nvmlEventTypeXidCriticalError`.
const XID: c_ulonglong = 8;

/// `nvmlEventData_t`.
#[repr(C)]
pub struct Event {
    device: Handle,
    kind: c_ulonglong,
    number: c_ulonglong,
    gpu_instance: c_uint,
    compute_instance: c_uint,
}

/// A set of events: the UUIDs of the cards that it is about, and how many incidents it has seen.
#[derive(Default)]
struct Set {
    cards: Vec<String>,
    seen: usize,
}

#[derive(Default)]
struct Sets {
    sets: BTreeMap<Handle, Set>,
    last: Handle,
}

fn sets() -> MutexGuard<'static, Sets> {
    static SETS: Mutex<Sets> = Mutex::new(Sets { sets: BTreeMap::new(), last: 0 });
    SETS.lock().unwrap_or_else(PoisonError::into_inner)
}

exported! {
    fn nvmlEventSetCreate(set: *mut Handle) |model| {
        let mut sets = sets();
        sets.last += 1;
        let handle = sets.last;
        sets.sets.insert(handle, Set { cards: Vec::new(), seen: model.incidents.so_far().len() });
        put(set, handle)
    }

    fn nvmlEventSetFree(set: Handle) |_model| {
        sets().sets.remove(&set).map(drop).ok_or(INVALID_ARGUMENT)
    }

    fn nvmlDeviceGetSupportedEventTypes(handle: Handle, kinds: *mut c_ulonglong) |model| {
        card(model, handle)?;
        put(kinds, XID)
    }

    fn nvmlDeviceRegisterEvents(handle: Handle, kinds: c_ulonglong, set: Handle) |model| {
        let card = card(model, handle)?;
        if kinds & !XID != 0 {
            return Err(NOT_SUPPORTED);
        }
        let mut sets = sets();
        let set = sets.sets.get_mut(&set).ok_or(INVALID_ARGUMENT)?;
        if kinds & XID != 0 {
            set.cards.push(card.uuid.clone());
        }
        Ok(())
    }

    fn nvmlEventSetWait_v2(set: Handle, event: *mut Event, milliseconds: c_uint) |model| {
        let end = Instant::now() + Duration::from_millis(u64::from(milliseconds));
        loop {
            let incidents = model.incidents.so_far();
            {
                let mut sets = sets();
                let set = sets.sets.get_mut(&set).ok_or(INVALID_ARGUMENT)?;
                while let Some(incident) = incidents.get(set.seen) {
                    set.seen += 1;
                    if !set.cards.contains(&incident.card) {
                        continue;
                    }
                    let rank = cards(model).iter().position(|card| card.uuid == incident.card).ok_or(UNKNOWN)?;
                    return put(event, Event {
                        device: handle_of(rank),
                        kind: XID,
                        number: incident.xid,
                        gpu_instance: c_uint::MAX,
                        compute_instance: c_uint::MAX,
                    });
                }
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(TIMEOUT);
            }
            std::thread::sleep(left.min(Duration::from_millis(50)));
        }
    }
}
