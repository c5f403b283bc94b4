//! cuBLAS, NVIDIA's library for products of matrices, where some package brought it: it is no part of the driver. It
//! takes memory of the card for itself, so that no profile that watches memory may use it.

mod places;

use super::device::Buffer;
use super::lines::{Failure, Multiplier};
use libloading::Library as Opened;
use std::ffi::{c_float, c_int, c_void};
use std::path::Path;
use std::ptr::null_mut;

type Handle = *mut c_void;
type Status = c_int;
type Create = unsafe extern "C" fn(*mut Handle) -> Status;
type Destroy = unsafe extern "C" fn(Handle) -> Status;
type Version = unsafe extern "C" fn(Handle, *mut c_int) -> Status;
type MathMode = unsafe extern "C" fn(Handle, c_int) -> Status;
type Multiply = unsafe extern "C" fn(
    Handle,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    *const c_float,
    *const c_float,
    c_int,
    *const c_float,
    c_int,
    *const c_float,
    *mut c_float,
    c_int,
) -> Status;

const SUCCESS: Status = 0;
/// Matrices as they are, not transposed.
const AS_IT_IS: c_int = 0;
/// Floats of 32 bits, all the way.
const DEFAULT_MATH: c_int = 0;

/// The library, ready for the context of this thread.
pub struct Library {
    handle: Handle,
    multiply: Multiply,
    destroy: Destroy,
    path: String,
    version: Option<i32>,
}

impl Library {
    /// The first that can be opened; an error is a clause for people.
    pub fn open() -> Result<Library, String> {
        let mut refused = None;
        for place in places::places() {
            // SAFETY: this runs what the library does when it is loaded, as for every program that uses it.
            match unsafe { opened(&place) } {
                // SAFETY: it is of one of cuBLAS's own names.
                Ok(library) => return unsafe { Library::started(library, &place) },
                Err(error) if place.is_absolute() => refused = Some(format!("{}: {error}", place.display())),
                Err(_) => {}
            }
        }
        Err(refused.unwrap_or_else(|| format!("it was not found ({})", places::NAMES.join(", "))))
    }

    /// # Safety
    /// The library is cuBLAS.
    unsafe fn started(opened: Opened, place: &Path) -> Result<Library, String> {
        // It has threads and code for the end of the process, and is made to stay.
        let opened: &'static Opened = Box::leak(Box::new(opened));
        let path = place.display().to_string();
        let lacking = |name: &str| format!("{path} has no {name}");
        // SAFETY: these are the functions of its interface, from version 12 on.
        let (create, destroy, version, math_mode, multiply) = unsafe {
            (
                *opened.get::<Create>("cublasCreate_v2").map_err(|_| lacking("cublasCreate_v2"))?,
                *opened.get::<Destroy>("cublasDestroy_v2").map_err(|_| lacking("cublasDestroy_v2"))?,
                *opened.get::<Version>("cublasGetVersion_v2").map_err(|_| lacking("cublasGetVersion_v2"))?,
                *opened.get::<MathMode>("cublasSetMathMode").map_err(|_| lacking("cublasSetMathMode"))?,
                *opened.get::<Multiply>("cublasSgemm_v2").map_err(|_| lacking("cublasSgemm_v2"))?,
            )
        };
        let mut handle = null_mut();
        // SAFETY: it writes one handle.
        let status = unsafe { create(&mut handle) };
        if status != SUCCESS {
            return Err(format!("{path} cannot be used: cublasCreate_v2 answers {status}"));
        }
        let mut number = 0;
        // SAFETY: the handle was just made, and one number is written.
        let told = unsafe { version(handle, &mut number) };
        let library =
            Library { handle, multiply, destroy, path, version: (told == SUCCESS).then_some(number) };
        // SAFETY: as above.
        match unsafe { math_mode(handle, DEFAULT_MATH) } {
            SUCCESS => Ok(library),
            status => Err(format!("{} cannot be used: cublasSetMathMode answers {status}", library.path)),
        }
    }

    /// Where it was found.
    pub fn path(&self) -> &str {
        &self.path
    }

    pub fn multiplier(&self) -> Multiplier {
        Multiplier::Cublas { path: self.path.clone(), version: self.version }
    }

    /// The product of two matrices with so many rows, on the default stream.
    pub fn multiply(&self, a: &Buffer, b: &Buffer, product: &mut Buffer, side: u32) -> Result<(), Failure> {
        let failed = |why| Err(Failure { doing: "multiplying with cuBLAS".to_owned(), code: None, why });
        let all = u64::from(side).pow(2);
        if [a.count(), b.count(), product.count()].iter().any(|count| (*count as u64) < all) {
            return failed("a matrix is smaller than it should be".to_owned());
        }
        let Ok(n) = c_int::try_from(side) else { return failed("there are too many rows".to_owned()) };
        let (one, zero): (c_float, c_float) = (1.0, 0.0);
        // It stores by columns, which is the transposed matrix; and the transposed product is that of the two transposed, in the
        // other order.
        // SAFETY: all three have `side` rows, and the last is neither of the others.
        let status = unsafe {
            (self.multiply)(
                self.handle,
                AS_IT_IS,
                AS_IT_IS,
                n,
                n,
                n,
                &one,
                b.address() as *const c_float,
                n,
                a.address() as *const c_float,
                n,
                &zero,
                product.address() as *mut c_float,
                n,
            )
        };
        if status == SUCCESS { Ok(()) } else { failed(format!("cublasSgemm_v2 answers {status}")) }
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        // SAFETY: it was made once and is not used any more. What it answers changes nothing now.
        let _ = unsafe { (self.destroy)(self.handle) };
    }
}

/// # Safety
/// What is at the place may do anything when it is loaded.
#[cfg(not(windows))]
unsafe fn opened(place: &Path) -> Result<Opened, libloading::Error> {
    // SAFETY: as above.
    unsafe { Opened::new(place) }
}

/// # Safety
/// What is at the place may do anything when it is loaded.
#[cfg(windows)]
unsafe fn opened(place: &Path) -> Result<Opened, libloading::Error> {
    use libloading::os::windows::{LOAD_WITH_ALTERED_SEARCH_PATH, Library as ByFlags};
    // With a folder, that is also where it finds the library that it needs itself.
    let flags = if place.is_absolute() { LOAD_WITH_ALTERED_SEARCH_PATH } else { 0 };
    // SAFETY: as above.
    unsafe { ByFlags::load_with_flags(place, flags) }.map(Opened::from)
}
