//! A stand-in for cuBLAS: the product of two square matrices, computed at once. An address on a simulated card is an address
//! in the process, and that there is memory nobody checks here.
#![cfg(target_os = "linux")]
// The names, and what each may be given, are those of the library's own interface.
#![allow(non_snake_case, clippy::missing_safety_doc, clippy::too_many_arguments)]

use simulated_gpu_host::{Arguments, Fault, Model};
use std::ffi::{c_float, c_int, c_void};

type Status = c_int;
const SUCCESS: Status = 0;
const NOT_INITIALIZED: Status = 1;
const INVALID_VALUE: Status = 7;
const VERSION: c_int = 130_100;

/// What every handle points to.
static HANDLE: u8 = 0;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cublasCreate_v2(handle: *mut *const c_void) -> Status {
    let refuses =
        Model::from_environment().is_ok_and(|model| model.has(|fault| *fault == Fault::CublasRefuses));
    if refuses || handle.is_null() {
        return NOT_INITIALIZED;
    }
    // SAFETY: it is not null.
    unsafe { handle.write((&raw const HANDLE).cast()) };
    SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cublasDestroy_v2(handle: *const c_void) -> Status {
    if handle.is_null() { NOT_INITIALIZED } else { SUCCESS }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cublasGetVersion_v2(handle: *const c_void, version: *mut c_int) -> Status {
    if handle.is_null() || version.is_null() {
        return INVALID_VALUE;
    }
    // SAFETY: it is not null.
    unsafe { version.write(VERSION) };
    SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cublasSetMathMode(handle: *const c_void, mode: c_int) -> Status {
    if handle.is_null() || mode != 0 { INVALID_VALUE } else { SUCCESS }
}

/// Only for square matrices that are dense, not transposed, and neither scaled nor added.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cublasSgemm_v2(
    handle: *const c_void,
    transposed_a: c_int,
    transposed_b: c_int,
    m: c_int,
    n: c_int,
    k: c_int,
    alpha: *const c_float,
    a: u64,
    rows_of_a: c_int,
    b: u64,
    rows_of_b: c_int,
    beta: *const c_float,
    c: u64,
    rows_of_c: c_int,
) -> Status {
    let is_plain = [m, k, rows_of_a, rows_of_b, rows_of_c].iter().all(|size| *size == n && n > 0);
    if handle.is_null() || alpha.is_null() || beta.is_null() || !is_plain || transposed_a + transposed_b != 0
    {
        return INVALID_VALUE;
    }
    // SAFETY: they are not null.
    if unsafe { (alpha.read(), beta.read()) } != (1.0, 0.0) {
        return INVALID_VALUE;
    }
    // By columns, a matrix is its own transpose by rows, and so is the product of the two in the other order.
    let arguments = Arguments::Gemm { a: b, b: a, c, side: n as u32 };
    // SAFETY: as the caller promises.
    unsafe { arguments.run() };
    let is_wrong =
        Model::from_environment().is_ok_and(|model| model.has(|fault| *fault == Fault::CublasWrong));
    if is_wrong {
        let first = c as *mut f32;
        // SAFETY: it was just written.
        unsafe { first.write(first.read() + 1.0) };
    }
    SUCCESS
}
