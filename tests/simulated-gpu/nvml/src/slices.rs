//! MIG: whether a card is divided, and into what. Those that are not described as divided cannot be.

use crate::codes::*;
use crate::entry::{Handle, board_of, card, exported, handle_of_slice, put, slice};
use std::ffi::c_uint;

exported! {
    fn nvmlDeviceGetMigMode(handle: Handle, current: *mut c_uint, pending: *mut c_uint) |model| {
        if card(model, handle)?.mig.is_empty() {
            return Err(NOT_SUPPORTED);
        }
        put(current, 1)?;
        put(pending, 1)
    }

    fn nvmlDeviceIsMigDeviceHandle(handle: Handle, is_slice: *mut c_uint) |model| {
        put(is_slice, c_uint::from(slice(model, handle)?.is_some()))
    }

    fn nvmlDeviceGetMaxMigDeviceCount(handle: Handle, count: *mut c_uint) |model| {
        put(count, c_uint::try_from(card(model, handle)?.mig.len()).unwrap_or_default())
    }

    fn nvmlDeviceGetMigDeviceHandleByIndex(handle: Handle, index: c_uint, of_slice: *mut Handle) |model| {
        let found = handle_of_slice(board_of(handle), index as usize);
        slice(model, found).map_err(|code| if code == INVALID_ARGUMENT { NOT_FOUND } else { code })?;
        put(of_slice, found)
    }

    fn nvmlDeviceGetDeviceHandleFromMigDeviceHandle(handle: Handle, of_card: *mut Handle) |model| {
        if slice(model, handle)?.is_none() {
            return Err(INVALID_ARGUMENT);
        }
        put(of_card, board_of(handle))
    }

    fn nvmlDeviceGetGpuInstanceId(handle: Handle, id: *mut c_uint) |model| {
        put(id, slice(model, handle)?.ok_or(INVALID_ARGUMENT)?.gpu_instance)
    }

    fn nvmlDeviceGetComputeInstanceId(handle: Handle, id: *mut c_uint) |model| {
        put(id, slice(model, handle)?.ok_or(INVALID_ARGUMENT)?.compute_instance)
    }
}
