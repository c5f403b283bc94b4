//! The way into the library, the same for every call: written down, held against the faults, done by one thread at a
//! time, and never left by a panic.

use crate::codes::{Code, NOT_INITIALIZED, SUCCESS, UNKNOWN};
use crate::driver::Driver;
use simulated_gpu_host::Model;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, OnceLock, PoisonError};

/// `None` if the variables that describe the host are wrong, which was said on standard error.
pub fn model() -> Option<&'static Model> {
    static MODEL: OnceLock<Option<Model>> = OnceLock::new();
    let read = || Model::from_environment().map_err(|fault| eprintln!("simulated libcuda: {fault}")).ok();
    MODEL.get_or_init(read).as_ref()
}

/// What the call does to the driver, as a code.
pub fn answer(symbol: &str, work: impl FnOnce(&mut Driver) -> Result<(), Code>) -> Code {
    static DRIVER: Mutex<Option<Driver>> = Mutex::new(None);
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let model = model().ok_or(UNKNOWN)?;
        model.enter(symbol);
        let mut driver = DRIVER.lock().unwrap_or_else(PoisonError::into_inner);
        let driver = driver.get_or_insert_with(|| Driver::new(model));
        // What does not need `cuInit`, which itself does not work after a fork either.
        let is_free = matches!(symbol, "cuDriverGetVersion" | "cuGetErrorName" | "cuGetErrorString");
        let ready = driver.is_initialised() || symbol == "cuInit";
        if !is_free && (!ready || driver.is_forked()) {
            return Err(NOT_INITIALIZED);
        }
        work(driver)
    }));
    match outcome {
        Ok(Ok(())) => SUCCESS,
        Ok(Err(code)) => code,
        Err(_) => UNKNOWN,
    }
}

/// Writes an answer where the caller wants it.
///
/// # Safety
///
/// `to` is null or can be written to.
pub unsafe fn put<T>(to: *mut T, value: T) -> Result<(), Code> {
    if to.is_null() {
        return Err(crate::codes::INVALID_VALUE);
    }
    // SAFETY: it is not null.
    unsafe { to.write(value) };
    Ok(())
}

/// Writes a text and its end, cut to fit.
///
/// # Safety
///
/// `to` is null or has room for `length` bytes.
pub unsafe fn put_text(to: *mut std::ffi::c_char, length: i32, text: &str) -> Result<(), Code> {
    let room = usize::try_from(length).ok().and_then(|length| length.checked_sub(1));
    let (Some(room), false) = (room, to.is_null()) else { return Err(crate::codes::INVALID_VALUE) };
    let count = text.len().min(room);
    // SAFETY: at most `length` bytes are written.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr().cast(), to, count);
        to.add(count).write(0);
    }
    Ok(())
}

/// Calls of the driver's interface. Each body sees the driver, and may use the pointers as their caller promised.
macro_rules! exported {
    ($(
        $(#[$note:meta])*
        fn $name:ident($($argument:ident: $kind:ty),* $(,)?) |$driver:ident| $body:block
    )*) => {$(
        $(#[$note])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $kind),*) -> $crate::codes::Code {
            $crate::entry::answer(stringify!($name), |$driver| {
                // SAFETY: the interface of the driver demands valid pointers; null is refused where they are used.
                #[allow(unused_unsafe)]
                unsafe { $body }
            })
        }
    )*};
}
pub(crate) use exported;
