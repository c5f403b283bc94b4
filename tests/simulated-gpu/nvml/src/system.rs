//! Beginning and end, and what is asked of the driver and not of a card: `nvmlInit*`, `nvmlSystem*`.

use crate::codes::*;
use crate::entry::{USERS, exported, put, put_text};
use simulated_gpu_host::{Fault, Model};
use std::ffi::{c_char, c_int, c_uint};
use std::sync::atomic::Ordering;

fn initialise(model: &Model) -> Result<(), Code> {
    for fault in &model.description.faults {
        match fault {
            Fault::NoDriver => return Err(DRIVER_NOT_LOADED),
            Fault::NoPermission => return Err(NO_PERMISSION),
            Fault::VersionMismatch => return Err(LIB_RM_VERSION_MISMATCH),
            _ => {}
        }
    }
    USERS.fetch_add(1, Ordering::SeqCst);
    Ok(())
}

exported! {
    fn nvmlInit_v2() |model| {
        initialise(model)
    }

    fn nvmlInitWithFlags(_flags: c_uint) |model| {
        initialise(model)
    }

    fn nvmlShutdown() |_model| {
        USERS.fetch_sub(1, Ordering::SeqCst);
        Ok(())
    }

    fn nvmlSystemGetDriverVersion(text: *mut c_char, length: c_uint) |model| {
        put_text(text, length, &model.description.driver)
    }

    /// The one place where a program is told that nothing here exists: a record of a run must say so.
    fn nvmlSystemGetNVMLVersion(text: *mut c_char, length: c_uint) |model| {
        put_text(text, length, &format!("{}.{} (simulated)", model.description.cuda / 1000, model.description.driver))
    }

    fn nvmlSystemGetCudaDriverVersion_v2(version: *mut c_int) |model| {
        put(version, c_int::try_from(model.description.cuda).unwrap_or_default())
    }

    fn nvmlSystemGetProcessName(pid: c_uint, text: *mut c_char, length: c_uint) |_model| {
        let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).map_err(|_| NOT_FOUND)?;
        put_text(text, length, name.trim_end())
    }
}
