//! Contexts: what one costs, whose it is, and `cuDevicePrimaryCtx*` and `cuCtx*`.

use crate::codes::*;
use crate::driver::{Driver, Handle};
use crate::entry::{exported, put};
use simulated_gpu_host::{ComputeMode, Device, Heap, MIB};
use std::ffi::{c_int, c_uint, c_void};

pub struct Context {
    pub ordinal: i32,
    pub device: Device,
    /// How often the primary one was asked for; 1 for others.
    pub retained: u32,
    pub direct: Heap,
    pub pool: Heap,
    pub threshold: u64,
    /// What the context itself takes, with the code that was loaded into it.
    pub fixed: u64,
    pub launched: bool,
}

impl Context {
    pub fn bytes(&self) -> u64 {
        self.fixed + self.direct.reserved() + self.pool.reserved()
    }

    /// What every synchronisation does: the pool keeps no more than it was told to.
    pub fn synchronise(&mut self) {
        let threshold = self.threshold;
        self.pool.trim(threshold);
    }

    pub fn holds(&self, address: u64, size: u64) -> bool {
        self.direct.holds(address, size) || self.pool.holds(address, size)
    }
}

impl Driver {
    fn start_context(&mut self, ordinal: i32, handle: Handle) -> Result<(), Code> {
        let device = self.device(ordinal)?.clone();
        let card = self.model.description.cards.get(device.selected.card).ok_or(INVALID_DEVICE)?;
        if self.model.is_lost(&card.uuid) {
            return Err(LAUNCH_FAILED);
        }
        let own = std::process::id();
        let processes = self.model.processes(&device.uuid);
        let is_shut = match card.compute_mode {
            ComputeMode::Default => false,
            ComputeMode::Prohibited => true,
            ComputeMode::ExclusiveProcess => processes.iter().any(|process| process.pid != own),
        };
        if is_shut {
            return Err(DEVICE_UNAVAILABLE);
        }
        let fixed = card.context_mib * MIB;
        if !self.write_down(&device, fixed) {
            return Err(OUT_OF_MEMORY);
        }
        let context = Context {
            ordinal,
            device: device.clone(),
            retained: 1,
            direct: Heap::direct(),
            pool: Heap::pool(),
            threshold: 0,
            fixed,
            launched: false,
        };
        self.contexts.insert(handle, context);
        // Once more, because a context that costs nothing is one too.
        self.write_down(&device, 0);
        Ok(())
    }

    /// Takes memory for code, until the context ends or it is given back.
    pub fn grow_fixed(&mut self, handle: Handle, bytes: u64) -> Result<(), Code> {
        let device = self.context_of(handle)?.device.clone();
        if !self.write_down(&device, bytes) {
            return Err(OUT_OF_MEMORY);
        }
        self.context_of(handle)?.fixed += bytes;
        Ok(())
    }
}

exported! {
    fn cuDevicePrimaryCtxRetain(context: *mut Handle, device: c_int) |driver| {
        driver.device(device)?;
        let handle = Driver::primary_of(device);
        match driver.contexts.get_mut(&handle) {
            Some(primary) => primary.retained += 1,
            None => driver.start_context(device, handle)?,
        }
        put(context, handle)
    }

    fn cuDevicePrimaryCtxRelease_v2(device: c_int) |driver| {
        driver.device(device)?;
        let handle = Driver::primary_of(device);
        let primary = driver.contexts.get_mut(&handle).ok_or(INVALID_CONTEXT)?;
        primary.retained -= 1;
        if primary.retained > 0 {
            return Ok(());
        }
        driver.destroy(handle)
    }

    fn cuDevicePrimaryCtxReset_v2(device: c_int) |driver| {
        driver.device(device)?;
        let handle = Driver::primary_of(device);
        if driver.contexts.contains_key(&handle) { driver.destroy(handle) } else { Ok(()) }
    }

    fn cuDevicePrimaryCtxGetState(device: c_int, flags: *mut c_uint, active: *mut c_int) |driver| {
        driver.device(device)?;
        put(flags, 0)?;
        put(active, c_int::from(driver.contexts.contains_key(&Driver::primary_of(device))))
    }

    fn cuCtxCreate_v2(context: *mut Handle, _flags: c_uint, device: c_int) |driver| {
        let handle = driver.fresh();
        driver.start_context(device, handle)?;
        driver.set_current(handle)?;
        put(context, handle)
    }

    fn cuCtxCreate_v4(context: *mut Handle, _parameters: *mut c_void, _flags: c_uint, device: c_int) |driver| {
        let handle = driver.fresh();
        driver.start_context(device, handle)?;
        driver.set_current(handle)?;
        put(context, handle)
    }

    fn cuCtxDestroy_v2(context: Handle) |driver| {
        driver.destroy(context)
    }

    fn cuCtxGetCurrent(context: *mut Handle) |driver| {
        put(context, driver.current())
    }

    fn cuCtxSetCurrent(context: Handle) |driver| {
        driver.set_current(context)
    }

    fn cuCtxGetDevice(device: *mut c_int) |driver| {
        put(device, driver.context()?.ordinal)
    }

    fn cuCtxSynchronize() |driver| {
        driver.context()?.synchronise();
        let device = driver.context()?.device.clone();
        driver.write_down(&device, 0);
        Ok(())
    }
}
