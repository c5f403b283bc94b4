//! What the CUDA driver shows this process. It reads CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER once, so one process can ask for one
//! environment only; and it may hang. [`super::machine`] therefore asks in a child.
//!
//! No context is made: nothing here takes memory on a card.

use super::cards::{Card, PciAddress};
use cudarc::driver::result::{self, DriverError, device};
use cudarc::driver::sys::{self, CUdevice, CUdevice_attribute_enum as Attribute};
use serde::{Deserialize, Serialize};
use std::ffi::{CStr, c_char, c_int};
use std::panic;

/// What the driver answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Answer {
    /// The cards that the process may use, in the order of their ordinals; at least one.
    Cards {
        /// The CUDA version that the driver supports: 12080 is 12.8.
        version: Option<i32>,
        /// Whether the cards do not exist, and a stand-in for the driver only pretends they do.
        simulated: bool,
        cards: Vec<Card>,
    },
    /// There is no driver library, so no program can use CUDA here.
    NoLibrary,
    /// The driver gave an error code instead of cards.
    Error { code: u32 },
    /// The library lacks what every driver has, or broke down.
    Broken { reason: String },
}

/// Codes of `cuInit` and what follows it that have a meaning of their own here.
pub mod codes {
    /// The library is the toolkit's stand-in for linking, and not a driver.
    pub const STUB_LIBRARY: u32 = 34;
    /// No card, or the environment hides all.
    pub const NO_DEVICE: u32 = 100;
    pub const INVALID_DEVICE: u32 = 101;
    /// The part in the kernel is of another version than the library.
    pub const SYSTEM_DRIVER_MISMATCH: u32 = 803;
    /// A card that fell off the bus, among others.
    pub const UNKNOWN: u32 = 999;
}

/// Asks the driver. The environment of this process counts as it is at the first call.
pub fn answer() -> Answer {
    // The library panics over symbols that are missing, and without a library over everything.
    let asked = panic::catch_unwind(|| {
        // SAFETY: opens libraries by their usual names, as every CUDA program does.
        if !unsafe { sys::is_culib_present() } {
            return Answer::NoLibrary;
        }
        match cards() {
            Ok(cards) if cards.is_empty() => Answer::Error { code: codes::NO_DEVICE },
            Ok(cards) => Answer::Cards { version: version(), simulated: is_simulated(), cards },
            Err(DriverError(code)) => Answer::Error { code: code as u32 },
        }
    });
    asked.unwrap_or_else(|panic| Answer::Broken { reason: said_by(&*panic) })
}

pub(super) fn said_by(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("it broke down").lines().next().unwrap_or_default().to_owned()
}

fn cards() -> Result<Vec<Card>, DriverError> {
    result::init()?;
    (0..device::get_count()?).map(|ordinal| card(device::get(ordinal)?)).collect()
}

fn card(device: CUdevice) -> Result<Card, DriverError> {
    let attribute = |which| {
        // SAFETY: `device` is one that the driver gave.
        unsafe { device::get_attribute(device, which) }
    };
    let major = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let minor = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    // SAFETY: as above.
    let memory = unsafe { device::total_mem(device)? };
    Ok(Card {
        uuid: uuid(device)?,
        name: device::get_name(device)?,
        memory: memory as u64,
        pci: pci_address(device)?,
        capability: u8::try_from(major).ok().zip(u8::try_from(minor).ok()),
    })
}

/// As NVML and `nvidia-smi` write it. That of a slice (MIG) has its own digits behind `GPU-`; a driver without the second
/// version of the question tells those of its card.
pub(super) fn uuid(device: CUdevice) -> Result<String, DriverError> {
    let mut uuid = sys::CUuuid { bytes: [0; 16] };
    // SAFETY: the library is there, for it gave the device; what the name stands for is not touched.
    let tells_slices = unsafe { sys::culib().get::<*const u8>(b"cuDeviceGetUuid_v2\0").is_ok() };
    if tells_slices {
        // SAFETY: the driver writes 16 bytes.
        unsafe { sys::cuDeviceGetUuid_v2(&mut uuid, device).result()? };
    } else {
        uuid = device::get_uuid(device)?;
    }
    Ok(uuid_text(uuid.bytes))
}

fn pci_address(device: CUdevice) -> Result<PciAddress, DriverError> {
    /// `00000000:01:00.0` and the end of the text, with room to spare.
    const LENGTH: usize = 32;
    let mut text = [0u8; LENGTH];
    // SAFETY: the driver writes at most LENGTH bytes, and `device` is one that it gave.
    unsafe {
        sys::cuDeviceGetPCIBusId(text.as_mut_ptr().cast::<c_char>(), LENGTH as c_int, device).result()?
    };
    let text = CStr::from_bytes_until_nul(&text).map(CStr::to_string_lossy).unwrap_or_default();
    text.parse().map_err(|_| DriverError(sys::CUresult::CUDA_ERROR_UNKNOWN))
}

fn version() -> Option<i32> {
    let mut version: c_int = 0;
    // SAFETY: the driver writes one number.
    let told = unsafe { sys::cuDriverGetVersion(&mut version) };
    (told == sys::CUresult::CUDA_SUCCESS).then_some(version)
}

/// Whether the library is the stand-in that tests use: it exports a name that no driver has.
fn is_simulated() -> bool {
    // SAFETY: the library is there, for it has answered, and what the name stands for is not touched.
    unsafe { sys::culib().get::<*const u8>(b"simulated_gpu\0").is_ok() }
}

fn uuid_text(bytes: [c_char; 16]) -> String {
    let mut text = "GPU".to_owned();
    for (at, byte) in bytes.into_iter().enumerate() {
        if matches!(at, 0 | 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text.push_str(&format!("{:02x}", byte as u8));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uuids_are_written_as_by_nvml() {
        let bytes = std::array::from_fn(|at| (at * 17) as u8 as c_char);
        assert_eq!(uuid_text(bytes), "GPU-00112233-4455-6677-8899-aabbccddeeff");
    }
}
