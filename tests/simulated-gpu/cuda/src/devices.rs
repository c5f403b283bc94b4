//! What can be asked of devices without a context: `cuInit` and `cuDevice*`.

use crate::codes::*;
use crate::driver::Driver;
use crate::entry::{exported, put, put_text};
use simulated_gpu_host::{Card, ComputeMode, Device};
use std::ffi::{CStr, c_char, c_int, c_uint};

/// `CU_DEVICE_ATTRIBUTE_*` that have an answer; all others are 0.
fn attribute(card: &Card, number: c_uint) -> c_int {
    let (domain, bus, slot) = card.address();
    let address = |part: u32| c_int::try_from(part).unwrap_or_default();
    match number {
        // Threads of a block, and its extents.
        1..=3 => 1024,
        4 => 64,
        // Extents of a grid.
        5 => c_int::MAX,
        6 | 7 => 65_535,
        // Bytes of shared memory for a block.
        8 => 49_152,
        // Threads that run in lockstep.
        10 => 32,
        // Clock, in kHz.
        13 => c_int::try_from(card.clocks[1] * 1000).unwrap_or_default(),
        16 => c_int::try_from(card.multiprocessors).unwrap_or_default(),
        20 => match card.compute_mode {
            ComputeMode::Default => 0,
            ComputeMode::Prohibited => 2,
            ComputeMode::ExclusiveProcess => 3,
        },
        33 => address(bus),
        34 => address(slot),
        50 => address(domain),
        75 => c_int::from(card.capability.0),
        76 => c_int::from(card.capability.1),
        115 => c_int::from(card.memory_pools),
        _ => 0,
    }
}

impl Driver {
    fn card(&self, device: c_int) -> Result<(&Device, &'static Card), Code> {
        let device = self.device(device)?;
        let card = self.model.description.cards.get(device.selected.card).ok_or(INVALID_DEVICE)?;
        Ok((device, card))
    }
}

/// The bytes of a UUID in its text.
fn bytes_of(uuid: &str) -> [u8; 16] {
    let digits: Vec<u8> =
        uuid.chars().skip(4).filter_map(|c| c.to_digit(16)).map(|digit| digit as u8).collect();
    let mut bytes = [0; 16];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
        *byte = pair.iter().fold(0, |value, digit| value << 4 | digit);
    }
    bytes
}

fn bus_id(card: &Card) -> String {
    let (domain, bus, slot) = card.address();
    format!("{domain:04x}:{bus:02x}:{slot:02x}.0")
}

exported! {
    fn cuInit(flags: c_uint) |driver| {
        if flags == 0 { driver.initialise() } else { Err(INVALID_VALUE) }
    }

    fn cuDriverGetVersion(version: *mut c_int) |driver| {
        put(version, c_int::try_from(driver.model.description.cuda).unwrap_or_default())
    }

    fn cuDeviceGetCount(count: *mut c_int) |driver| {
        put(count, c_int::try_from(driver.devices.len()).unwrap_or_default())
    }

    fn cuDeviceGet(device: *mut c_int, ordinal: c_int) |driver| {
        driver.device(ordinal)?;
        put(device, ordinal)
    }

    fn cuDeviceGetName(name: *mut c_char, length: c_int, device: c_int) |driver| {
        let (_, card) = driver.card(device)?;
        put_text(name, length, &card.name)
    }

    fn cuDeviceGetUuid(uuid: *mut [u8; 16], device: c_int) |driver| {
        put(uuid, bytes_of(&driver.card(device)?.0.card))
    }

    /// The slice's own, where the first version gives that of the board.
    fn cuDeviceGetUuid_v2(uuid: *mut [u8; 16], device: c_int) |driver| {
        put(uuid, bytes_of(&driver.card(device)?.0.uuid))
    }

    fn cuDeviceTotalMem_v2(bytes: *mut usize, device: c_int) |driver| {
        put(bytes, driver.card(device)?.0.usable as usize)
    }

    fn cuDeviceGetAttribute(value: *mut c_int, number: c_uint, device: c_int) |driver| {
        put(value, attribute(driver.card(device)?.1, number))
    }

    fn cuDeviceGetPCIBusId(text: *mut c_char, length: c_int, device: c_int) |driver| {
        put_text(text, length, &bus_id(driver.card(device)?.1))
    }

    fn cuDeviceGetByPCIBusId(device: *mut c_int, text: *const c_char) |driver| {
        if text.is_null() {
            return Err(INVALID_VALUE);
        }
        let wanted = CStr::from_ptr(text).to_string_lossy().to_lowercase();
        let is_wanted = |ordinal: &c_int| driver.card(*ordinal).is_ok_and(|(_, card)| bus_id(card) == wanted);
        let count = c_int::try_from(driver.devices.len()).unwrap_or_default();
        put(device, (0..count).find(is_wanted).ok_or(INVALID_DEVICE)?)
    }
}
