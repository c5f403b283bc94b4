//! Which cards there are, and what stays the same about each.

use crate::codes::*;
use crate::entry::{
    Handle, board_of, card, cards, exported, handle_of, handle_of_slice, put, put_text, slice,
};
use simulated_gpu_host::{Card, ComputeMode, Model};
use std::ffi::{CStr, c_char, c_int, c_uint};

/// `nvmlPciInfo_t`.
#[repr(C)]
pub struct PciInfo {
    legacy: [u8; 16],
    domain: c_uint,
    bus: c_uint,
    device: c_uint,
    device_id: c_uint,
    subsystem_id: c_uint,
    bus_id: [u8; 32],
}

impl PciInfo {
    fn of(card: &Card) -> PciInfo {
        let (domain, bus, device) = card.address();
        PciInfo {
            legacy: padded(&format!("{domain:04X}:{bus:02X}:{device:02X}.0")),
            domain,
            bus,
            device,
            // The vendor; which model it is, is told by the name.
            device_id: 0x10de,
            subsystem_id: 0,
            bus_id: padded(&format!("{domain:08X}:{bus:02X}:{device:02X}.0")),
        }
    }
}

fn padded<const SIZE: usize>(text: &str) -> [u8; SIZE] {
    let mut bytes = [0; SIZE];
    // The last one stays the end of the text.
    for (byte, from) in bytes.iter_mut().take(SIZE.saturating_sub(1)).zip(text.bytes()) {
        *byte = from;
    }
    bytes
}

/// The first handle whose card is such a one, if that is still there.
fn find(model: &'static Model, is_it: impl Fn(&Card) -> bool) -> Result<Handle, Code> {
    let rank = cards(model).iter().position(|card| is_it(card)).ok_or(NOT_FOUND)?;
    card(model, handle_of(rank))?;
    Ok(handle_of(rank))
}

/// # Safety
///
/// `text` is null or ends.
unsafe fn text_of(text: *const c_char) -> Result<String, Code> {
    if text.is_null() {
        return Err(INVALID_ARGUMENT);
    }
    // SAFETY: it is not null.
    Ok(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

fn numbers(address: &str) -> Option<Vec<u32>> {
    address.split([':', '.']).map(|part| u32::from_str_radix(part, 16).ok()).collect()
}

fn told(number: u32) -> Result<c_uint, Code> {
    if number == 0 { Err(NOT_SUPPORTED) } else { Ok(number) }
}

exported! {
    fn nvmlDeviceGetCount_v2(count: *mut c_uint) |model| {
        put(count, c_uint::try_from(cards(model).len()).unwrap_or_default())
    }

    fn nvmlDeviceGetHandleByIndex_v2(index: c_uint, handle: *mut Handle) |model| {
        let rank = index as usize;
        let found = handle_of(if rank < cards(model).len() { rank } else { return Err(INVALID_ARGUMENT) });
        card(model, found)?;
        put(handle, found)
    }

    fn nvmlDeviceGetHandleByUUID(uuid: *const c_char, handle: *mut Handle) |model| {
        let uuid = text_of(uuid)?;
        for (rank, card) in cards(model).into_iter().enumerate() {
            if let Some(slice) = card.mig.iter().position(|slice| slice.uuid == uuid) {
                return put(handle, handle_of_slice(handle_of(rank), slice));
            }
        }
        put(handle, find(model, |card| card.uuid == uuid)?)
    }

    fn nvmlDeviceGetHandleByPciBusId_v2(address: *const c_char, handle: *mut Handle) |model| {
        let wanted = numbers(&text_of(address)?).ok_or(INVALID_ARGUMENT)?;
        let is_it = |card: &Card| {
            let (domain, bus, device) = card.address();
            wanted.get(..3) == Some(&[domain, bus, device])
        };
        put(handle, find(model, is_it)?)
    }

    fn nvmlDeviceGetName(handle: Handle, text: *mut c_char, length: c_uint) |model| {
        put_text(text, length, &card(model, handle)?.name)
    }

    fn nvmlDeviceGetUUID(handle: Handle, text: *mut c_char, length: c_uint) |model| {
        let card = card(model, handle)?;
        put_text(text, length, slice(model, handle)?.map_or(&card.uuid, |slice| &slice.uuid))
    }

    fn nvmlDeviceGetIndex(handle: Handle, index: *mut c_uint) |model| {
        card(model, handle)?;
        put(index, c_uint::try_from(board_of(handle) - 1).unwrap_or_default())
    }

    fn nvmlDeviceGetMinorNumber(handle: Handle, number: *mut c_uint) |model| {
        put(number, model.minor_of(card(model, handle)?).ok_or(NOT_SUPPORTED)?)
    }

    fn nvmlDeviceGetPciInfo_v3(handle: Handle, info: *mut PciInfo) |model| {
        put(info, PciInfo::of(card(model, handle)?))
    }

    fn nvmlDeviceGetCudaComputeCapability(handle: Handle, major: *mut c_int, minor: *mut c_int) |model| {
        let (first, second) = card(model, handle)?.capability;
        put(major, c_int::from(first))?;
        put(minor, c_int::from(second))
    }

    fn nvmlDeviceGetNumGpuCores(handle: Handle, count: *mut c_uint) |model| {
        put(count, told(card(model, handle)?.cores)?)
    }

    fn nvmlDeviceGetMemoryBusWidth(handle: Handle, bits: *mut c_uint) |model| {
        put(bits, told(card(model, handle)?.bus_bits)?)
    }

    fn nvmlDeviceGetComputeMode(handle: Handle, mode: *mut c_uint) |model| {
        put(mode, match card(model, handle)?.compute_mode {
            ComputeMode::Default => 0,
            ComputeMode::Prohibited => 2,
            ComputeMode::ExclusiveProcess => 3,
        })
    }

    fn nvmlDeviceGetPersistenceMode(handle: Handle, on: *mut c_uint) |model| {
        put(on, c_uint::from(card(model, handle)?.persistence))
    }
}
