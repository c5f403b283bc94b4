//! The way into the library, the same for every call: written down, held against the faults, and never left by a panic.

use crate::codes::*;
use simulated_gpu_host::{Card, Instance, Model};
use std::ffi::{c_char, c_uint};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// How often the library was initialised without being shut down.
pub static USERS: AtomicU32 = AtomicU32::new(0);

/// An `nvmlDevice_t`: a card by its rank in the order of PCI addresses, from 1, and a slice of it above.
pub type Handle = usize;

const SLICE: usize = 0x1000;

/// `None` if the variables that describe the host are wrong, which was said on standard error.
pub fn model() -> Option<&'static Model> {
    static MODEL: OnceLock<Option<Model>> = OnceLock::new();
    let read =
        || Model::from_environment().map_err(|fault| eprintln!("simulated libnvidia-ml: {fault}")).ok();
    MODEL.get_or_init(read).as_ref()
}

/// What the call says, as a code.
pub fn answer(symbol: &str, work: impl FnOnce(&'static Model) -> Result<(), Code>) -> Code {
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let model = model().ok_or(UNKNOWN)?;
        model.enter(symbol);
        let is_free = matches!(symbol, "nvmlInit_v2" | "nvmlInitWithFlags" | "nvmlErrorString");
        if !is_free && USERS.load(Ordering::SeqCst) == 0 {
            return Err(UNINITIALIZED);
        }
        work(model)
    }));
    match outcome {
        Ok(Ok(())) => SUCCESS,
        Ok(Err(code)) => code,
        Err(_) => UNKNOWN,
    }
}

/// The cards as NVML counts them.
pub fn cards(model: &Model) -> Vec<&Card> {
    let mut cards: Vec<&Card> = model.description.cards.iter().collect();
    cards.sort_by_key(|card| card.address());
    cards
}

pub fn handle_of(rank: usize) -> Handle {
    rank + 1
}

pub fn handle_of_slice(card: Handle, slice: usize) -> Handle {
    card + SLICE * (slice + 1)
}

/// The handle of the board that a handle is of.
pub fn board_of(handle: Handle) -> Handle {
    handle % SLICE
}

/// The card of a handle, if it is still there. A slice has the one that it is of.
pub fn card(model: &'static Model, handle: Handle) -> Result<&'static Card, Code> {
    let rank = board_of(handle).checked_sub(1).ok_or(INVALID_ARGUMENT)?;
    let card = *cards(model).get(rank).ok_or(INVALID_ARGUMENT)?;
    if model.is_lost(&card.uuid) { Err(GPU_IS_LOST) } else { Ok(card) }
}

/// The slice of a handle; `None` if it is of a whole card.
pub fn slice(model: &'static Model, handle: Handle) -> Result<Option<&'static Instance>, Code> {
    let card = card(model, handle)?;
    match (handle / SLICE).checked_sub(1) {
        None => Ok(None),
        Some(slice) => card.mig.get(slice).map(Some).ok_or(INVALID_ARGUMENT),
    }
}

/// Writes an answer where the caller wants it.
///
/// # Safety
///
/// `to` is null or can be written to.
pub unsafe fn put<T>(to: *mut T, value: T) -> Result<(), Code> {
    if to.is_null() {
        return Err(INVALID_ARGUMENT);
    }
    // SAFETY: it is not null; the structures of callers need not be aligned.
    unsafe { to.write_unaligned(value) };
    Ok(())
}

/// Writes a text and its end, if they fit.
///
/// # Safety
///
/// `to` is null or has room for `length` bytes.
pub unsafe fn put_text(to: *mut c_char, length: c_uint, text: &str) -> Result<(), Code> {
    if to.is_null() {
        return Err(INVALID_ARGUMENT);
    }
    if length as usize <= text.len() {
        return Err(INSUFFICIENT_SIZE);
    }
    // SAFETY: the text and its end are at most `length` bytes.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr().cast(), to, text.len());
        to.add(text.len()).write(0);
    }
    Ok(())
}

/// Writes a list in the way of NVML: with room for too few, the answer is how many there are.
///
/// # Safety
///
/// `count` is null or says how many elements fit at `to`.
pub unsafe fn put_list<T: Copy>(count: *mut c_uint, to: *mut T, list: &[T]) -> Result<(), Code> {
    if count.is_null() {
        return Err(INVALID_ARGUMENT);
    }
    // SAFETY: it is not null.
    let room = unsafe { count.read() } as usize;
    // SAFETY: as above.
    unsafe { count.write(c_uint::try_from(list.len()).unwrap_or_default()) };
    if list.is_empty() {
        return Ok(());
    }
    if room < list.len() {
        return Err(INSUFFICIENT_SIZE);
    }
    if to.is_null() {
        return Err(INVALID_ARGUMENT);
    }
    // SAFETY: there is room for all of them.
    unsafe { std::ptr::copy_nonoverlapping(list.as_ptr(), to, list.len()) };
    Ok(())
}

/// Calls of NVML's interface. Each body sees the model, and may use the pointers as their caller promised.
macro_rules! exported {
    ($(
        $(#[$note:meta])*
        fn $name:ident($($argument:ident: $kind:ty),* $(,)?) |$model:ident| $body:block
    )*) => {$(
        $(#[$note])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $kind),*) -> $crate::codes::Code {
            $crate::entry::answer(stringify!($name), |$model| {
                // SAFETY: the interface of NVML demands valid pointers; null is refused where they are used.
                #[allow(unused_unsafe)]
                unsafe { $body }
            })
        }
    )*};
}
pub(crate) use exported;
