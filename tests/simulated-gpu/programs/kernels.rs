//! Programs that load a module and launch kernels.

use super::{code, context, free};
use cudarc::driver::sys::{self, CUmemPool_attribute};
use cudarc::driver::{DriverError, result};
use serde_json::{Value, json};
use std::ffi::{CString, c_void};
use std::ptr::null_mut;

/// The module that ours come in; a simulated driver reads nothing of it but names.
const MODULE: &str = ".version 6.4\n.target sm_75\n.address_size 64\n\
    .visible .entry gpulint_fill() { ret; }\n.visible .entry gpulint_gemm() { ret; }\n\
    .visible .entry gpulint_differences() { ret; }\n.visible .entry idle() { ret; }\n";

/// What a card has less after a context, a module, a launch and another one, and after each is gone.
pub fn costs() -> Value {
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

/// The three kernels, on small matrices.
pub fn compute() -> Value {
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
pub fn launch(count: usize) -> Value {
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
pub fn errors() -> Value {
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
