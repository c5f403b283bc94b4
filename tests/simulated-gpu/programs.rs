//! What clients run: small programs on cudarc and nvml-wrapper that tell what they met, as JSON.

mod kernels;

use cudarc::driver::sys::{self, CUmemPool_attribute};
use cudarc::driver::{CudaContext, DriverError, result};
use serde_json::{Value, json};
use std::io::Read;
use std::ptr::null_mut;

/// Runs the program of that name, with what follows a colon.
pub fn run(program: &str, answer: &dyn Fn(&Value)) {
    let (name, argument) = program.split_once(':').unwrap_or((program, ""));
    let number = || argument.parse::<usize>().expect("a number follows the colon");
    match name {
        "devices" => answer(&devices()),
        "hold" => hold(number(), answer),
        "hold-listed" => {
            crate::watching::wait_until_listed();
            hold(number(), answer);
        }
        "idle" => idle(answer),
        "allocate" => answer(&allocate(number())),
        "packing" => answer(&packing()),
        "pool" => answer(&pool()),
        "contexts" => answer(&contexts()),
        "costs" => answer(&kernels::costs()),
        "compute" => answer(&kernels::compute()),
        "launch" => answer(&kernels::launch(number())),
        "errors" => answer(&kernels::errors()),
        "safe" => answer(&safe()),
        "init-nvml" => answer(&crate::nvml::outcome()),
        "cards" => answer(&crate::nvml::cards()),
        "event" => answer(&crate::nvml::event(argument)),
        "hang" => hang(answer),
        "watch" => crate::watching::watch(number(), answer),
        other => panic!("there is no program {other}"),
    }
}

/// A number for what went wrong.
fn code(error: &DriverError) -> u32 {
    error.0 as u32
}

fn uuid(prefix: &str, bytes: &[std::ffi::c_char; 16]) -> String {
    let digits: String = bytes.iter().map(|&byte| format!("{:02x}", byte as u8)).collect();
    let parts = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
    format!("{prefix}-{}", parts.join("-"))
}

/// All devices as CUDA counts them, or the code of `cuInit`.
fn devices() -> Value {
    // As everybody must who does not want cudarc to panic; it opens the library and closes it again.
    assert!(unsafe { sys::is_culib_present() });
    if let Err(error) = result::init() {
        return json!({"error": code(&error)});
    }
    let count = result::device::get_count().unwrap();
    let described = (0..count).map(|ordinal| {
        let device = result::device::get(ordinal).unwrap();
        let mut own = sys::CUuuid { bytes: [0; 16] };
        let mut address = [0_i8; 16];
        let attribute = |attribute| unsafe { result::device::get_attribute(device, attribute) }.unwrap();
        unsafe {
            sys::cuDeviceGetUuid_v2(&mut own, device).result().unwrap();
            sys::cuDeviceGetPCIBusId(address.as_mut_ptr(), 16, device).result().unwrap();
        }
        let mut found = -1;
        unsafe { sys::cuDeviceGetByPCIBusId(&mut found, address.as_ptr()) }.result().unwrap();
        assert_eq!(found, device);
        let address: String = address.iter().take_while(|&&c| c != 0).map(|&c| c as u8 as char).collect();
        json!({
            "name": result::device::get_name(device).unwrap(),
            "uuid": uuid("GPU", &result::device::get_uuid(device).unwrap().bytes),
            "own": uuid("", &own.bytes),
            "total": unsafe { result::device::total_mem(device) }.unwrap(),
            "pci": address,
            "bus": attribute(sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_PCI_BUS_ID),
            "major": attribute(sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
            "minor": attribute(sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR),
        })
    });
    json!({"devices": described.collect::<Vec<_>>()})
}

/// A context on the first device, as the crate makes it.
fn context() -> std::sync::Arc<CudaContext> {
    CudaContext::new(0).unwrap()
}

fn free() -> usize {
    result::mem_get_info().unwrap().0
}

fn wait_for_the_end() {
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
}

/// Holds that many bytes until it ends.
fn hold(bytes: usize, answer: &dyn Fn(&Value)) {
    let context = match CudaContext::new(0) {
        Ok(context) => context,
        Err(error) => return answer(&json!({"error": code(&error)})),
    };
    let held = unsafe { result::malloc_sync(bytes) }.map_err(|error| code(&error));
    answer(&json!({"error": held.err(), "free": free()}));
    wait_for_the_end();
    drop(context);
}

/// Looks at devices and makes no context.
fn idle(answer: &dyn Fn(&Value)) {
    answer(&devices());
    wait_for_the_end();
}

/// So many allocations; which of them failed, and with what.
fn allocate(count: usize) -> Value {
    let _context = context();
    let allocated = (1..=count).filter_map(|number| {
        let error = unsafe { result::malloc_sync(1024) }.err()?;
        Some(json!([number, code(&error)]))
    });
    json!(allocated.collect::<Vec<_>>())
}

/// What the card has less with a primary context, with another one too, and after each ended; whether there is a primary one.
fn contexts() -> Value {
    result::init().unwrap();
    let device = result::device::get(0).unwrap();
    let total = unsafe { result::device::total_mem(device) }.unwrap();
    let state = || {
        let (mut flags, mut active) = (0, -1);
        unsafe { sys::cuDevicePrimaryCtxGetState(device, &mut flags, &mut active) }.result().unwrap();
        json!([result::mem_get_info().ok().map(|(free, _)| total - free), active])
    };
    let none = state();
    let primary = context();
    let one = state();
    let mut other = null_mut();
    unsafe { sys::cuCtxCreate_v4(&mut other, null_mut(), 0, device) }.result().unwrap();
    assert_eq!(result::ctx::get_current().unwrap(), Some(other));
    let two = state();
    unsafe { sys::cuCtxDestroy_v2(other) }.result().unwrap();
    primary.bind_to_thread().unwrap();
    let one_again = state();
    unsafe { sys::cuDevicePrimaryCtxReset_v2(device) }.result().unwrap();
    let reset = state();
    std::mem::forget(primary);
    json!([none, one, two, one_again, reset])
}

/// What the card has less after each of some allocations, and after they are freed.
fn packing() -> Value {
    let _context = context();
    let start = free();
    let taken = |size: usize, count: usize| {
        let all: Vec<_> = (0..count).map(|_| unsafe { result::malloc_sync(size) }.unwrap()).collect();
        let taken = start - free();
        for pointer in all {
            unsafe { result::free_sync(pointer) }.unwrap();
        }
        json!([taken, start - free()])
    };
    let mib = 1 << 20;
    json!([taken(64 << 10, 64), taken(1, 4096), taken(mib, 3), taken(3 * mib, 1), taken(4 * mib, 2)])
}

/// What is free, reserved and used as memory goes through the default pool.
fn pool() -> Value {
    let context = context();
    let device = result::device::get(0).unwrap();
    let pool = unsafe { result::device::get_default_mem_pool(device) }.unwrap();
    let start = free();
    let number = |attribute| {
        let mut value = 0_u64;
        let place = (&raw mut value).cast();
        unsafe { sys::cuMemPoolGetAttribute(pool, attribute, place) }.result().unwrap();
        value
    };
    let state = || {
        let reserved = number(CUmemPool_attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
        let used = number(CUmemPool_attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT);
        json!([start - free(), reserved, used])
    };
    let set_threshold = |mut bytes: u64| {
        let attribute = CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        unsafe { sys::cuMemPoolSetAttribute(pool, attribute, (&raw mut bytes).cast()) }.result().unwrap();
    };
    let stream = null_mut();
    let allocate = || unsafe { result::malloc_async(stream, 5 << 20) }.unwrap();
    let release = |pointer| unsafe { result::free_async(pointer, stream) }.unwrap();

    let first = allocate();
    let allocated = state();
    release(first);
    let freed = state();
    let again = allocate();
    let reused = state();
    release(again);
    unsafe { result::stream::synchronize(stream) }.unwrap();
    let synchronised = state();
    set_threshold(u64::MAX);
    release(allocate());
    context.synchronize().unwrap();
    let kept = state();
    unsafe { sys::cuMemPoolTrimTo(pool, 0) }.result().unwrap();
    let trimmed = state();
    json!({
        "allocated": allocated, "freed": freed, "reused": reused, "synchronised": synchronised, "kept": kept,
        "trimmed": trimmed,
    })
}

/// The whole way through the safe part of the crate, on two streams, with events.
fn safe() -> Value {
    let context = context();
    let (first, second) = (context.default_stream(), context.new_stream().unwrap());
    let start = first.record_event(Some(sys::CUevent_flags::CU_EVENT_DEFAULT)).unwrap();
    let data = second.clone_htod(&[1_u8, 2, 3]).unwrap();
    let mut zeroed = first.alloc_zeros::<u8>(3).unwrap();
    let zeroes = first.clone_dtoh(&zeroed).unwrap();
    second.memcpy_dtod(&data, &mut zeroed).unwrap();
    let copied = second.clone_dtoh(&zeroed).unwrap();
    let end = first.record_event(Some(sys::CUevent_flags::CU_EVENT_DEFAULT)).unwrap();
    let elapsed = start.elapsed_ms(&end).unwrap();
    let elsewhere = std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            context.bind_to_thread().unwrap();
            result::mem_get_info().is_ok()
        });
        thread.join().unwrap()
    });
    drop((data, zeroed));
    first.synchronize().unwrap();
    context.check_err().unwrap();
    json!({
        "zeroes": zeroes, "copied": copied, "elapsed": elapsed >= 0.0, "elsewhere": elsewhere,
        "total": context.total_mem().unwrap(), "name": context.name().unwrap(),
    })
}

/// Says that it begins, and calls what may hang.
fn hang(answer: &dyn Fn(&Value)) {
    let context = context();
    answer(&json!("begun"));
    let _ = context.synchronize();
    wait_for_the_end();
    std::process::exit(0);
}
