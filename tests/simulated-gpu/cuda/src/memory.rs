//! Memory of the device: `cuMem*`, except pools.

use crate::codes::*;
use crate::context::Context;
use crate::driver::{Driver, Handle};
use crate::entry::{exported, put};
use simulated_gpu_host::{Fault, Heap};
use std::ffi::c_void;

/// Which memory of a context.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum From {
    Driver,
    Pool,
}

impl From {
    pub fn of(self, context: &mut Context) -> &mut Heap {
        match self {
            From::Driver => &mut context.direct,
            From::Pool => &mut context.pool,
        }
    }
}

impl Driver {
    /// An allocation that a program asked for.
    fn allocate(&mut self, context: Handle, from: From, size: u64) -> Result<u64, Code> {
        self.context_of(context)?;
        if size == 0 {
            return Err(INVALID_VALUE);
        }
        self.allocations += 1;
        let number = self.allocations;
        if self.model.has(|fault| *fault == Fault::OutOfMemory { allocation: number }) {
            return Err(OUT_OF_MEMORY);
        }
        self.take(context, from, size)
    }

    /// Memory, for a program or lost to it.
    pub fn take(&mut self, context: Handle, from: From, size: u64) -> Result<u64, Code> {
        let owner = self.context_of(context)?;
        let device = owner.device.clone();
        let growth = from.of(owner).growth_for(size);
        if growth > 0 && !self.write_down(&device, growth) {
            // What the pool only keeps is given back before a program gets to hear of it.
            self.context_of(context)?.pool.trim(0);
            let growth = from.of(self.context_of(context)?).growth_for(size);
            if !self.write_down(&device, growth) {
                self.write_down(&device, 0);
                return Err(OUT_OF_MEMORY);
            }
        }
        let taken = from.of(self.context_of(context)?).allocate(size);
        if taken.is_none() {
            self.write_down(&device, 0);
        }
        taken.ok_or(OUT_OF_MEMORY)
    }

    fn free(&mut self, address: u64, from: From) -> Result<(), Code> {
        let owners = self.contexts.iter_mut();
        let owner =
            owners.map(|(handle, context)| (*handle, context)).find(|(_, context)| context.holds(address, 1));
        let handle = owner.map(|(handle, _)| handle).ok_or(INVALID_VALUE)?;
        let context = self.context_of(handle)?;
        let device = context.device.clone();
        let was_direct = context.direct.free(address);
        if !was_direct && !context.pool.free(address) {
            return Err(INVALID_VALUE);
        }
        if from == From::Driver {
            // Unlike the one in the order of a stream, it waits for all that was begun.
            context.synchronise();
        }
        self.write_down(&device, 0);
        Ok(())
    }

    /// Device memory that a program may use now.
    fn checked(&mut self, address: u64, size: usize) -> Result<*mut u8, Code> {
        let context = self.context()?;
        if context.holds(address, size as u64) { Ok(address as *mut u8) } else { Err(INVALID_VALUE) }
    }
}

/// # Safety
///
/// `host` is null or has `size` bytes.
unsafe fn to_device(driver: &mut Driver, to: u64, host: *const c_void, size: usize) -> Result<(), Code> {
    if size == 0 {
        return Ok(());
    }
    let to = driver.checked(to, size)?;
    if host.is_null() {
        return Err(INVALID_VALUE);
    }
    // SAFETY: both have the bytes; they may overlap, since a caller can know what an address is.
    unsafe { std::ptr::copy(host.cast(), to, size) };
    Ok(())
}

/// # Safety
///
/// `host` is null or has `size` bytes.
unsafe fn to_host(driver: &mut Driver, host: *mut c_void, from: u64, size: usize) -> Result<(), Code> {
    if size == 0 {
        return Ok(());
    }
    let from = driver.checked(from, size)?;
    if host.is_null() {
        return Err(INVALID_VALUE);
    }
    // SAFETY: as above.
    unsafe { std::ptr::copy(from, host.cast(), size) };
    Ok(())
}

fn fill(driver: &mut Driver, to: u64, byte: u8, size: usize) -> Result<(), Code> {
    if size == 0 {
        return Ok(());
    }
    let to = driver.checked(to, size)?;
    // SAFETY: the allocation has the bytes.
    unsafe { to.write_bytes(byte, size) };
    Ok(())
}

fn between(driver: &mut Driver, to: u64, from: u64, size: usize) -> Result<(), Code> {
    if size == 0 {
        return Ok(());
    }
    let (to, from) = (driver.checked(to, size)?, driver.checked(from, size)?);
    // SAFETY: both allocations have the bytes.
    unsafe { std::ptr::copy(from, to, size) };
    Ok(())
}

exported! {
    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) |driver| {
        let device = driver.context()?.device.clone();
        let held = driver.model.held(&device.uuid);
        put(free, device.usable.saturating_sub(held) as usize)?;
        put(total, device.usable as usize)
    }

    fn cuMemAlloc_v2(address: *mut u64, size: usize) |driver| {
        let context = driver.current();
        let allocated = driver.allocate(context, From::Driver, size as u64)?;
        put(address, allocated)
    }

    fn cuMemAllocAsync(address: *mut u64, size: usize, stream: Handle) |driver| {
        let ordinal = driver.context_of_stream(stream)?.ordinal;
        if !driver.has_pools(ordinal) {
            return Err(NOT_SUPPORTED);
        }
        let context = driver.handle_of_stream(stream)?;
        let allocated = driver.allocate(context, From::Pool, size as u64)?;
        put(address, allocated)
    }

    fn cuMemFree_v2(address: u64) |driver| {
        if address == 0 { Ok(()) } else { driver.free(address, From::Driver) }
    }

    fn cuMemFreeAsync(address: u64, stream: Handle) |driver| {
        driver.context_of_stream(stream)?;
        driver.free(address, From::Pool)
    }

    fn cuMemsetD8_v2(to: u64, byte: u8, size: usize) |driver| {
        fill(driver, to, byte, size)
    }

    fn cuMemsetD8Async(to: u64, byte: u8, size: usize, stream: Handle) |driver| {
        driver.context_of_stream(stream)?;
        fill(driver, to, byte, size)
    }

    fn cuMemcpyHtoD_v2(to: u64, host: *const c_void, size: usize) |driver| {
        to_device(driver, to, host, size)
    }

    fn cuMemcpyHtoDAsync_v2(to: u64, host: *const c_void, size: usize, stream: Handle) |driver| {
        driver.context_of_stream(stream)?;
        to_device(driver, to, host, size)
    }

    fn cuMemcpyDtoH_v2(host: *mut c_void, from: u64, size: usize) |driver| {
        to_host(driver, host, from, size)
    }

    fn cuMemcpyDtoHAsync_v2(host: *mut c_void, from: u64, size: usize, stream: Handle) |driver| {
        driver.context_of_stream(stream)?;
        to_host(driver, host, from, size)
    }

    fn cuMemcpyDtoD_v2(to: u64, from: u64, size: usize) |driver| {
        between(driver, to, from, size)
    }

    fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, size: usize, stream: Handle) |driver| {
        driver.context_of_stream(stream)?;
        between(driver, to, from, size)
    }
}
