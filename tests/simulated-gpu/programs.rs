//! What clients run: small programs on cudarc and nvml-wrapper that tell what they met, as JSON.

use cudarc::driver::sys::{self, CUmemPool_attribute};
use cudarc::driver::{CudaContext, DriverError, result};
use serde_json::{Value, json};
use std::ffi::{CString, c_void};
use std::io::Read;
use std::ptr::null_mut;

/// The module that ours come in; a simulated driver reads nothing of it but names.
pub const MODULE: &str = ".version 6.4\n.target sm_75\n.address_size 64\n\
    .visible .entry gpulint_fill() { ret; }\n.visible .entry gpulint_gemm() { ret; }\n\
    .visible .entry gpulint_differences() { ret; }\n.visible .entry idle() { ret; }\n";

/// Runs the program of that name, with what follows a colon.
pub fn run(program: &str, answer: &dyn Fn(&Value)) {
    let (name, argument) = program.split_once(':').unwrap_or((program, ""));
    let number = || argument.parse::<usize>().expect("a number follows the colon");
    match name {
        "devices" => answer(&devices()),
        "hold" => hold(number(), answer),
        "idle" => idle(answer),
        "allocate" => answer(&allocate(number())),
        "packing" => answer(&packing()),
        "pool" => answer(&pool()),
        "costs" => answer(&costs()),
        "compute" => answer(&compute()),
        "launch" => answer(&launch(number())),
        "errors" => answer(&errors()),
        "safe" => answer(&safe()),
        "init-nvml" => answer(&crate::nvml::outcome()),
        "cards" => answer(&crate::nvml::cards()),
        "event" => answer(&crate::nvml::event(argument)),
        "hang" => hang(answer),
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

/// What a card has less after a context, a module, a launch and another one, and after each is gone.
fn costs() -> Value {
    result::init().unwrap();
    let device = result::device::get(0).unwrap();
    let total = unsafe { result::device::total_mem(device) }.unwrap();
    let held = || total - free();
    let _context = context();
    let created = held();
    let module = load().unwrap();
    let loaded = held();
    let function = kernel(module, "idle").unwrap();
    launch_of(function, &mut []).unwrap();
    let launched = held();
    launch_of(function, &mut []).unwrap();
    let again = held();
    unsafe { result::module::unload(module) }.unwrap();
    json!([created, loaded, launched, again, held()])
}

fn load() -> Result<sys::CUmodule, DriverError> {
    let image = CString::new(MODULE).unwrap();
    unsafe { result::module::load_data(image.as_ptr().cast()) }
}

fn kernel(module: sys::CUmodule, name: &str) -> Result<sys::CUfunction, DriverError> {
    unsafe { result::module::get_function(module, CString::new(name).unwrap()) }
}

fn launch_of(function: sys::CUfunction, parameters: &mut [*mut c_void]) -> Result<(), DriverError> {
    unsafe { result::launch_kernel(function, (1, 1, 1), (32, 1, 1), 0, null_mut(), parameters) }
}

/// Where a parameter lies.
fn at<T>(parameter: &mut T) -> *mut c_void {
    (parameter as *mut T).cast()
}

/// Device memory with these elements in it.
fn on_device<T>(elements: &[T]) -> sys::CUdeviceptr {
    let memory = unsafe { result::malloc_async(null_mut(), size_of_val(elements)) }.unwrap();
    unsafe { result::memcpy_htod_async(memory, elements, null_mut()) }.unwrap();
    memory
}

fn from_device<T: Clone + Default>(memory: sys::CUdeviceptr, count: usize) -> Result<Vec<T>, DriverError> {
    let mut elements = vec![T::default(); count];
    unsafe { result::memcpy_dtoh_async(&mut elements, memory, null_mut()) }?;
    Ok(elements)
}

/// The three kernels, on small matrices.
fn compute() -> Value {
    let _context = context();
    let module = load().unwrap();
    let function = |name: &str| kernel(module, name).unwrap();
    let mut filled = on_device(&[0.0_f32; 1000]);
    launch_of(function("gpulint_fill"), &mut [at(&mut filled), at(&mut 1000_u32), at(&mut 7_u32)]).unwrap();
    let mut a = on_device(&[1.0_f32, 2.0, 3.0, 4.0]);
    let mut b = on_device(&[5.0_f32, 6.0, 7.0, 8.0]);
    let mut c = on_device(&[0.0_f32; 4]);
    let gemm = &mut [at(&mut a), at(&mut b), at(&mut c), at(&mut 2_u32)];
    launch_of(function("gpulint_gemm"), gemm).unwrap();
    let mut count = on_device(&[10_u32]);
    let differences = &mut [at(&mut a), at(&mut b), at(&mut 4_u32), at(&mut count)];
    launch_of(function("gpulint_differences"), differences).unwrap();
    json!({
        "filled": from_device::<f32>(filled, 1000).unwrap(),
        "product": from_device::<f32>(c, 4).unwrap(),
        "differences": from_device::<u32>(count, 1).unwrap(),
    })
}

/// So many launches, of which each fills anew: the code of each, what it wrote first, and what it cost.
fn launch(count: usize) -> Value {
    let _context = context();
    let fill = kernel(load().unwrap(), "gpulint_fill").unwrap();
    let mut out = on_device(&[0.0_f32; 4]);
    let pool = unsafe { result::device::get_default_mem_pool(0) }.unwrap();
    let launches = (0..count).map(|_| {
        let started = std::time::Instant::now();
        let launched = launch_of(fill, &mut [at(&mut out), at(&mut 4_u32), at(&mut 1_u32)]);
        let milliseconds = started.elapsed().as_millis() as u64;
        let mut used = 0_u64;
        let attribute = CUmemPool_attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT;
        let asked = unsafe { sys::cuMemPoolGetAttribute(pool, attribute, at(&mut used)) };
        json!({
            "error": launched.err().map(|error| code(&error)),
            "first": from_device::<f32>(out, 4).ok().map(|all| all[0].to_bits()),
            "milliseconds": milliseconds,
            "held": result::mem_get_info().ok().map(|(free, total)| total - free),
            "pool": asked.result().ok().map(|()| used),
        })
    });
    json!(launches.collect::<Vec<_>>())
}

/// Codes of things that are wrong, and their names.
fn errors() -> Value {
    let before = result::device::get_count().map_err(|error| code(&error)).err();
    let _context = context();
    let of = |outcome: Result<(), DriverError>| outcome.map_err(|error| format!("{error:?}")).err();
    let module = load().unwrap();
    let gemm = kernel(module, "gpulint_gemm").unwrap();
    let mut small = on_device(&[0.0_f32; 4]);
    let (mut a, mut b) = (small, small);
    let beyond = &mut [at(&mut a), at(&mut b), at(&mut small), at(&mut 64_u32)];
    let image = CString::new("no module").unwrap();
    json!({
        "before cuInit": before,
        "no such device": of(result::device::get(7).map(drop)),
        "freed twice": of(unsafe { result::free_sync(8) }),
        "nothing": of(unsafe { result::malloc_sync(0) }.map(drop)),
        "beyond": of(launch_of(gemm, beyond)),
        "no kernel": of(kernel(module, "absent").map(drop)),
        "no module": of(unsafe { result::module::load_data(image.as_ptr().cast()) }.map(drop)),
        "null": unsafe { sys::cuDeviceGetCount(null_mut()) } as u32,
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
