//! Modules, functions and launches: `cuModule*`, `cuFunc*`, `cuLaunch*`. Modules are PTX; of it only names are read.

use crate::codes::*;
use crate::driver::{Driver, Handle, Kind, Object};
use crate::entry::{exported, put};
use crate::memory::From;
use simulated_gpu_host::{Arguments, Fault, Kernel, MIB};
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::time::Duration;

impl Driver {
    fn load(&mut self, image: &[u8]) -> Result<Handle, Code> {
        let text = std::str::from_utf8(image).map_err(|_| INVALID_IMAGE)?;
        if !text.contains(".version") || !text.contains(".target") {
            return Err(INVALID_IMAGE);
        }
        let module = self.create(Kind::Module { text: text.to_owned() })?;
        let bytes = self.code_bytes(|card| card.module_mib)?;
        if let Err(code) = self.grow_fixed(self.current(), bytes) {
            self.remove(module, |_| true)?;
            return Err(code);
        }
        Ok(module)
    }

    /// What loaded code takes on the card of the calling thread.
    fn code_bytes(&mut self, mib: impl Fn(&simulated_gpu_host::Card) -> u64) -> Result<u64, Code> {
        let card = self.context()?.device.selected.card;
        Ok(self.model.description.cards.get(card).map_or(0, mib) * MIB)
    }

    fn unload(&mut self, module: Handle) -> Result<(), Code> {
        let bytes = self.code_bytes(|card| card.module_mib)?;
        let object = self.remove(module, |kind| matches!(kind, Kind::Module { .. }))?;
        let context = self.context_of(object.context)?;
        context.fixed = context.fixed.saturating_sub(bytes);
        let device = context.device.clone();
        self.write_down(&device, 0);
        Ok(())
    }

    fn function(&mut self, module: Handle, name: &str) -> Result<Handle, Code> {
        let Object { kind: Kind::Module { text }, .. } = self.object(module)? else {
            return Err(INVALID_HANDLE);
        };
        // `.visible .entry name(`
        let mut entries = text.split(".entry").skip(1);
        let is_it = |rest: &str| {
            rest.trim_start().split(|c: char| c == '(' || c.is_whitespace()).next() == Some(name)
        };
        if !entries.any(is_it) {
            return Err(NOT_FOUND);
        }
        self.create(Kind::Function { module, kernel: Kernel::named(name) })
    }

    /// # Safety
    ///
    /// `parameters` is null or has what the function takes.
    unsafe fn launch(
        &mut self,
        function: Handle,
        extents: [c_uint; 6],
        stream: Handle,
        parameters: *mut *mut c_void,
    ) -> Result<(), Code> {
        self.context_of_stream(stream)?;
        let threads = extents[3..].iter().map(|&extent| u64::from(extent)).product::<u64>();
        if extents.contains(&0) || threads > 1024 {
            return Err(INVALID_VALUE);
        }
        let Object { kind: Kind::Function { module, kernel }, .. } = self.object(function)? else {
            return Err(INVALID_HANDLE);
        };
        let (module, kernel) = (*module, *kernel);
        // Functions end with their module.
        self.object(module)?;
        let context = self.handle_of_stream(stream)?;
        if !self.context_of(context)?.launched {
            let bytes = self.code_bytes(|card| card.first_launch_mib)?;
            self.grow_fixed(context, bytes)?;
            self.context_of(context)?.launched = true;
        }
        self.launches += 1;
        let now = self.launches;
        let workspace = |card: &simulated_gpu_host::Card| {
            let taken = card.workspaces.iter().filter(|(launch, _)| *launch == now);
            taken.map(|(_, mebibytes)| mebibytes).sum()
        };
        let bytes = self.code_bytes(workspace)?;
        if bytes > 0 {
            self.grow_fixed(context, bytes)?;
        }
        self.lose_before(context)?;
        let Some(kernel) = kernel else { return self.faults_after(context, None) };
        if parameters.is_null() {
            return Err(INVALID_VALUE);
        }
        // SAFETY: as the caller promised.
        let arguments = unsafe { Arguments::read(kernel, parameters.cast_const().cast()) };
        for (address, size) in arguments.ranges() {
            if size > 0 && !self.context_of(context)?.holds(address, size) {
                return Err(ILLEGAL_ADDRESS);
            }
            if address % 4 != 0 {
                return Err(MISALIGNED_ADDRESS);
            }
        }
        if arguments.overlaps_itself() {
            return Err(LAUNCH_FAILED);
        }
        // SAFETY: the ranges were just found in allocations, apart from each other, and no other thread is in the driver.
        unsafe { arguments.run() };
        self.faults_after(context, arguments.ranges().first().copied())
    }

    /// The fault that stops a launch.
    fn lose_before(&mut self, context: Handle) -> Result<(), Code> {
        let card = self.context_of(context)?.device.card.clone();
        for fault in self.model.faults_of(&card) {
            if matches!(fault, Fault::GpuLost { launch, .. } if self.launches >= *launch) {
                let _ = self.model.incidents.lose(&card);
                return Err(LAUNCH_FAILED);
            }
        }
        Ok(())
    }

    /// The faults of a launch that went well otherwise.
    fn faults_after(&mut self, context: Handle, written: Option<(u64, u64)>) -> Result<(), Code> {
        let card = self.context_of(context)?.device.card.clone();
        let model = self.model;
        for fault in model.faults_of(&card) {
            match *fault {
                Fault::Leak { bytes, in_pool, .. } => {
                    let from = if in_pool { From::Pool } else { From::Driver };
                    self.take(context, from, bytes)?;
                }
                Fault::WrongResult { launch, .. } if launch == self.launches => {
                    if let Some((address, 4..)) = written {
                        let first = address as *mut u32;
                        // SAFETY: the launch wrote there, so that it is an aligned part of an allocation.
                        unsafe { first.write(first.read() ^ 1) };
                    }
                }
                Fault::SlowCard { milliseconds, .. } => {
                    std::thread::sleep(Duration::from_millis(milliseconds))
                }
                Fault::Xid { number, launch, .. } if launch == self.launches => {
                    model.report_xid(&card, number)
                }
                _ => {}
            }
        }
        Ok(())
    }
}

exported! {
    fn cuModuleLoadData(module: *mut Handle, image: *const c_char) |driver| {
        if image.is_null() {
            return Err(INVALID_VALUE);
        }
        put(module, driver.load(CStr::from_ptr(image).to_bytes())?)
    }

    fn cuModuleLoadDataEx(
        module: *mut Handle,
        image: *const c_char,
        _count: c_uint,
        _options: *mut c_uint,
        _values: *mut *mut c_void,
    ) |driver| {
        if image.is_null() {
            return Err(INVALID_VALUE);
        }
        put(module, driver.load(CStr::from_ptr(image).to_bytes())?)
    }

    fn cuModuleLoad(module: *mut Handle, file: *const c_char) |driver| {
        if file.is_null() {
            return Err(INVALID_VALUE);
        }
        let file = CStr::from_ptr(file).to_string_lossy();
        let image = std::fs::read(file.as_ref()).map_err(|_| FILE_NOT_FOUND)?;
        put(module, driver.load(&image)?)
    }

    fn cuModuleUnload(module: Handle) |driver| {
        driver.unload(module)
    }

    fn cuModuleGetFunction(function: *mut Handle, module: Handle, name: *const c_char) |driver| {
        if name.is_null() {
            return Err(INVALID_VALUE);
        }
        put(function, driver.function(module, &CStr::from_ptr(name).to_string_lossy())?)
    }

    fn cuFuncSetAttribute(function: Handle, _number: c_uint, _value: c_int) |driver| {
        driver.object(function).map(drop)
    }

    fn cuLaunchKernel(
        function: Handle,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        _shared: c_uint,
        stream: Handle,
        parameters: *mut *mut c_void,
        _extra: *mut *mut c_void,
    ) |driver| {
        driver.launch(function, [grid_x, grid_y, grid_z, block_x, block_y, block_z], stream, parameters)
    }

    fn cuLaunchCooperativeKernel(
        function: Handle,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        _shared: c_uint,
        stream: Handle,
        parameters: *mut *mut c_void,
    ) |driver| {
        driver.launch(function, [grid_x, grid_y, grid_z, block_x, block_y, block_z], stream, parameters)
    }
}
