//! The pool that stream-ordered allocations come from: `cuMemPool*`. Each device has its default one and no other.

use crate::codes::*;
use crate::driver::{Driver, Handle};
use crate::entry::{exported, put};
use std::ffi::{c_int, c_uint, c_void};

const RELEASE_THRESHOLD: c_uint = 4;
const RESERVED: c_uint = 5;
const USED: c_uint = 7;

impl Driver {
    pub fn has_pools(&self, ordinal: c_int) -> bool {
        let card = self
            .device(ordinal)
            .ok()
            .and_then(|device| self.model.description.cards.get(device.selected.card));
        card.is_some_and(|card| card.memory_pools)
    }

    fn default_pool(&self, device: c_int) -> Result<Handle, Code> {
        self.device(device)?;
        if self.has_pools(device) { Ok(Driver::pool_of(device)) } else { Err(NOT_SUPPORTED) }
    }
}

exported! {
    fn cuDeviceGetDefaultMemPool(pool: *mut Handle, device: c_int) |driver| {
        put(pool, driver.default_pool(device)?)
    }

    fn cuDeviceGetMemPool(pool: *mut Handle, device: c_int) |driver| {
        put(pool, driver.default_pool(device)?)
    }

    fn cuMemPoolTrimTo(pool: Handle, keep: usize) |driver| {
        let context = driver.context_of(Driver::owner_of_pool(pool)?)?;
        context.pool.trim(keep as u64);
        let device = context.device.clone();
        driver.write_down(&device, 0);
        Ok(())
    }

    /// The numbers about memory; what else there is, is a policy that is on.
    fn cuMemPoolGetAttribute(pool: Handle, number: c_uint, value: *mut c_void) |driver| {
        let context = driver.context_of(Driver::owner_of_pool(pool)?)?;
        match number {
            1..=3 => put(value.cast::<c_int>(), 1),
            RELEASE_THRESHOLD => put(value.cast::<u64>(), context.threshold),
            RESERVED => put(value.cast::<u64>(), context.pool.reserved()),
            USED => put(value.cast::<u64>(), context.pool.used()),
            _ => Err(NOT_SUPPORTED),
        }
    }

    fn cuMemPoolSetAttribute(pool: Handle, number: c_uint, value: *mut c_void) |driver| {
        let context = driver.context_of(Driver::owner_of_pool(pool)?)?;
        match (number, value.is_null()) {
            (_, true) => return Err(INVALID_VALUE),
            (1..=3, _) => {}
            (RELEASE_THRESHOLD, _) => context.threshold = value.cast::<u64>().read(),
            _ => return Err(NOT_SUPPORTED),
        }
        Ok(())
    }
}
