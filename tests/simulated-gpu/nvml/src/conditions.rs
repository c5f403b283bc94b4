//! What changes about a card: memory, heat, power, clocks, load, errors. All but memory is as described.

use crate::codes::*;
use crate::entry::{Handle, card, exported, put, slice};
use simulated_gpu_host::{Fault, MIB, Model};
use std::ffi::{c_uint, c_ulonglong};

/// `nvmlMemory_v2_t`.
#[repr(C)]
pub struct MemoryV2 {
    version: c_uint,
    total: c_ulonglong,
    reserved: c_ulonglong,
    free: c_ulonglong,
    used: c_ulonglong,
}

/// The size of the structure, and its version above.
const MEMORY_V2: c_uint = 0x0200_0028;

/// `nvmlMemory_t`.
#[repr(C)]
pub struct Memory {
    total: c_ulonglong,
    free: c_ulonglong,
    used: c_ulonglong,
}

/// `nvmlUtilization_t`.
#[repr(C)]
pub struct Utilisation {
    gpu: c_uint,
    memory: c_uint,
}

fn memory_of(model: &'static Model, handle: Handle) -> Result<MemoryV2, Code> {
    let card = card(model, handle)?;
    let (total, reserved, used) = match slice(model, handle)? {
        Some(slice) => (slice.memory_mib * MIB, 0, model.held(&slice.uuid)),
        None => (card.memory_mib * MIB, card.reserved_mib * MIB, model.held_on_card(card)),
    };
    let free = total.saturating_sub(reserved).saturating_sub(used);
    Ok(MemoryV2 { version: MEMORY_V2, total, reserved, free, used })
}

/// Corrected and uncorrected errors; `None` if ECC is off, which on such a card is all that it can be.
fn errors_of(model: &'static Model, handle: Handle) -> Result<Option<(u64, u64)>, Code> {
    let card = card(model, handle)?;
    let counted = model.faults_of(&card.uuid).find_map(|fault| match *fault {
        Fault::EccErrors { corrected, uncorrected, .. } => Some((corrected, uncorrected)),
        _ => None,
    });
    Ok(counted.or(card.ecc.then_some((0, 0))))
}

exported! {
    fn nvmlDeviceGetMemoryInfo_v2(handle: Handle, memory: *mut MemoryV2) |model| {
        if memory.is_null() {
            return Err(INVALID_ARGUMENT);
        }
        if (&raw const (*memory).version).read_unaligned() != MEMORY_V2 {
            return Err(ARGUMENT_VERSION_MISMATCH);
        }
        put(memory, memory_of(model, handle)?)
    }

    /// What is reserved counts as used here.
    fn nvmlDeviceGetMemoryInfo(handle: Handle, memory: *mut Memory) |model| {
        let now = memory_of(model, handle)?;
        put(memory, Memory { total: now.total, free: now.free, used: now.used + now.reserved })
    }

    fn nvmlDeviceGetUtilizationRates(handle: Handle, rates: *mut Utilisation) |model| {
        let (gpu, memory) = card(model, handle)?.utilisation;
        put(rates, Utilisation { gpu, memory })
    }

    fn nvmlDeviceGetTemperature(handle: Handle, sensor: c_uint, degrees: *mut c_uint) |model| {
        if sensor == 0 { put(degrees, card(model, handle)?.temperature) } else { Err(INVALID_ARGUMENT) }
    }

    fn nvmlDeviceGetPowerUsage(handle: Handle, milliwatts: *mut c_uint) |model| {
        put(milliwatts, card(model, handle)?.power_milliwatts)
    }

    fn nvmlDeviceGetEnforcedPowerLimit(handle: Handle, milliwatts: *mut c_uint) |model| {
        put(milliwatts, card(model, handle)?.power_limit_milliwatts)
    }

    fn nvmlDeviceGetClockInfo(handle: Handle, kind: c_uint, megahertz: *mut c_uint) |model| {
        let clocks = card(model, handle)?.clocks;
        put(megahertz, *clocks.get(kind as usize).ok_or(INVALID_ARGUMENT)?)
    }

    fn nvmlDeviceGetMaxClockInfo(handle: Handle, kind: c_uint, megahertz: *mut c_uint) |model| {
        let clocks = card(model, handle)?.highest_clocks;
        put(megahertz, *clocks.get(kind as usize).ok_or(INVALID_ARGUMENT)?)
    }

    fn nvmlDeviceGetCurrentClocksThrottleReasons(handle: Handle, reasons: *mut c_ulonglong) |model| {
        put(reasons, card(model, handle)?.throttle_reasons)
    }

    fn nvmlDeviceGetPerformanceState(handle: Handle, state: *mut c_uint) |model| {
        put(state, card(model, handle)?.performance_state)
    }

    fn nvmlDeviceGetEccMode(handle: Handle, current: *mut c_uint, pending: *mut c_uint) |model| {
        errors_of(model, handle)?.ok_or(NOT_SUPPORTED)?;
        put(current, 1)?;
        put(pending, 1)
    }

    /// Errors are corrected (0) or not (1); those since the driver was loaded (0) are as many as of all time (1).
    fn nvmlDeviceGetTotalEccErrors(handle: Handle, kind: c_uint, _since: c_uint, count: *mut c_ulonglong) |model| {
        let (corrected, uncorrected) = errors_of(model, handle)?.ok_or(NOT_SUPPORTED)?;
        match kind {
            0 => put(count, corrected),
            1 => put(count, uncorrected),
            _ => Err(INVALID_ARGUMENT),
        }
    }
}
