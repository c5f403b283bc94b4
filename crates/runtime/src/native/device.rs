//! A card with a context and the kernels on it. Memory lives in [`Buffer`]s, and launches take what they are allowed to touch.
//!
//! Everything is in the order of the default stream. An error of a launch may come with a later call.

use super::kernels::{self, Shape};
use super::lines::Failure;
use crate::runtime::cards::Card;
use crate::runtime::doctor::driver_fault;
use crate::runtime::driver::{self, Answer};
use crate::runtime::machine::CardAnswer;
use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys::{self, CUdevice, CUdeviceptr, CUfunction, CUmemoryPool, CUmodule};
use std::cell::RefCell;
use std::ffi::{CStr, c_void};
use std::fmt::Display;
use std::panic::{self, AssertUnwindSafe};
use std::ptr::null_mut;

/// What the driver answers where there is not enough memory.
pub const OUT_OF_MEMORY: u32 = sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY as u32;

/// The card that has ordinal 0 in this process. This takes no memory on it.
pub fn first_card() -> Result<Card, Failure> {
    let doing = || "looking for the card".to_owned();
    let (code, told) = match driver::answer() {
        Answer::Cards { cards, .. } => match cards.into_iter().next() {
            Some(card) => return Ok(card),
            None => (None, CardAnswer::Answer(Answer::Error { code: driver::codes::NO_DEVICE })),
        },
        Answer::Error { code } => (Some(code), CardAnswer::Answer(Answer::Error { code })),
        other => (None, CardAnswer::Answer(other)),
    };
    Err(Failure { doing: doing(), code, why: driver_fault(&told).unwrap_or_default() })
}

/// The first card, with a context of this process.
#[derive(Debug)]
pub struct Device {
    device: CUdevice,
    module: CUmodule,
    fill: CUfunction,
    gemm: CUfunction,
    differences: CUfunction,
    /// The one that every process has on the card; none on old drivers and in some virtual machines.
    pool: Option<CUmemoryPool>,
    is_closed: bool,
    /// The first memory that could not be given back, where nobody waited for an answer.
    lost: RefCell<Option<Failure>>,
}

/// Which of the driver's allocators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Straight from the driver, and back to it.
    Driver,
    /// The default pool, in the order of the stream.
    Pool,
}

/// Words of 32 bits in the memory of the card. They are given back when it is dropped.
#[derive(Debug)]
pub struct Buffer<'a> {
    device: &'a Device,
    source: Source,
    address: CUdeviceptr,
    count: usize,
}

impl Device {
    /// Makes the context, and loads the kernels into it.
    pub fn open() -> Result<Device, Failure> {
        asked("starting the driver", result::init)?;
        let device = asked("looking for the card", || result::device::get(0))?;
        // SAFETY: the device is one that the driver gave.
        let context = asked("making a context", || unsafe { result::primary_ctx::retain(device) })?;
        // From here on it is given back, whatever fails.
        let mut opened = Device {
            device,
            module: null_mut(),
            fill: null_mut(),
            gemm: null_mut(),
            differences: null_mut(),
            pool: None,
            is_closed: false,
            lost: RefCell::default(),
        };
        // SAFETY: the context was just made, and nothing ends it before `opened` does.
        asked("using the context", || unsafe { result::ctx::set_current(context) })?;
        // SAFETY: the text ends with a zero, and lives as long as the program.
        opened.module = asked("loading the kernels", || unsafe {
            result::module::load_data(kernels::PTX.as_ptr().cast())
        })?;
        opened.fill = opened.function(kernels::FILL)?;
        opened.gemm = opened.function(kernels::GEMM)?;
        opened.differences = opened.function(kernels::DIFFERENCES)?;
        opened.pool = default_pool(device);
        Ok(opened)
    }

    fn function(&self, name: &CStr) -> Result<CUfunction, Failure> {
        let doing = format!("looking for the kernel {}", name.to_string_lossy());
        // SAFETY: the module is loaded.
        asked(doing, || unsafe { result::module::get_function(self.module, name.to_owned()) })
    }

    /// Bytes in use on the card, by whomever: total minus free.
    pub fn used(&self) -> Result<u64, Failure> {
        self.memory().map(|(free, total)| total.saturating_sub(free))
    }

    /// Bytes free and in total, as the driver counts them.
    pub fn memory(&self) -> Result<(u64, u64), Failure> {
        let (free, total) = asked("reading how much memory is free", result::mem_get_info)?;
        Ok((free as u64, total as u64))
    }

    /// Bytes of the default pool that are given out; `None` without one.
    pub fn pool_used(&self) -> Result<Option<u64>, Failure> {
        let Some(pool) = self.pool else { return Ok(None) };
        let attribute = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT;
        let mut bytes = 0u64;
        // SAFETY: the pool is that of the card, and this attribute is a number of 64 bits.
        asked("reading how much of the pool is used", || unsafe {
            result::mem_pool::get_attribute(pool, attribute, (&raw mut bytes).cast())
        })?;
        Ok(Some(bytes))
    }

    /// Gives back what the pool only keeps.
    pub fn trim_pool(&self) -> Result<(), Failure> {
        let Some(pool) = self.pool else { return Ok(()) };
        // SAFETY: the pool is that of the card.
        asked("emptying the pool", || unsafe { result::mem_pool::trim_to(pool, 0) })
    }

    /// Waits until everything is done.
    pub fn synchronise(&self) -> Result<(), Failure> {
        asked("waiting for the card", result::ctx::synchronize)
    }

    /// Memory for so many words, with anything in them.
    pub fn buffer(&self, count: usize, source: Source) -> Result<Buffer<'_>, Failure> {
        let bytes = bytes_of(count);
        let doing = format_args!("allocating {:.1} MB", bytes as f64 / 1e6);
        // SAFETY: nothing is read from it before it was written, except by kernels, for which all bits are numbers.
        let address = asked(doing, || unsafe {
            match source {
                Source::Driver => result::malloc_sync(bytes),
                Source::Pool => result::malloc_async(null_mut(), bytes),
            }
        })?;
        Ok(Buffer { device: self, source, address, count })
    }

    /// Fills it with numbers from -0.5 to 0.5.
    pub fn fill(&self, out: &mut Buffer, seed: u32) -> Result<(), Failure> {
        let (mut address, mut seed) = (out.address, seed);
        let mut count = word(out.count)?;
        let parameters = &mut [at(&mut address), at(&mut count), at(&mut seed)];
        // SAFETY: the parameters are those of the kernel, and the buffer has `count` words.
        unsafe { self.launch(kernels::FILL, self.fill, kernels::shape_over(count), parameters) }
    }

    /// The product of two matrices with so many rows.
    pub fn multiply(&self, a: &Buffer, b: &Buffer, product: &mut Buffer, side: u32) -> Result<(), Failure> {
        let all = u64::from(side).pow(2);
        if [a.count, b.count, product.count].iter().any(|count| (*count as u64) < all) {
            return Err(misused("multiplying", "a matrix is smaller than it should be"));
        }
        let (mut a, mut b, mut product, mut rows) = (a.address, b.address, product.address, side);
        let parameters = &mut [at(&mut a), at(&mut b), at(&mut product), at(&mut rows)];
        // SAFETY: the parameters are those of the kernel, each buffer has `side` rows, and the last is neither of the others.
        unsafe { self.launch(kernels::GEMM, self.gemm, kernels::shape_of_product(side), parameters) }
    }

    /// Adds to one word of `sums` how many words of the two differ.
    pub fn count_differences(
        &self,
        a: &Buffer,
        b: &Buffer,
        sums: &mut Buffer,
        index: usize,
    ) -> Result<(), Failure> {
        if index >= sums.count {
            return Err(misused("comparing", "there is not so much memory"));
        }
        let mut count = word(a.count.min(b.count))?;
        let (mut a, mut b, mut sum) = (a.address, b.address, sums.address + bytes_of(index) as u64);
        let parameters = &mut [at(&mut a), at(&mut b), at(&mut count), at(&mut sum)];
        // SAFETY: the parameters are those of the kernel, both buffers have `count` words, and `sums` has the one.
        unsafe { self.launch(kernels::DIFFERENCES, self.differences, kernels::shape_over(count), parameters) }
    }

    /// # Safety
    /// The parameters are those of the kernel, and what they point to is as large as the kernel takes it to be.
    unsafe fn launch(
        &self,
        name: &CStr,
        kernel: CUfunction,
        shape: Shape,
        parameters: &mut [*mut c_void],
    ) -> Result<(), Failure> {
        let doing = format_args!("launching {}", name.to_string_lossy());
        // SAFETY: as the caller promises; the function is one of the module that is loaded.
        asked(doing, || unsafe {
            result::launch_kernel(kernel, shape.grid, shape.block, 0, null_mut(), parameters)
        })
    }

    /// Ends the context; an error also if memory could not be given back before.
    pub fn close(mut self) -> Result<(), Failure> {
        let closed = self.closed();
        self.lost.take().map_or(closed, Err)
    }

    fn closed(&mut self) -> Result<(), Failure> {
        self.is_closed = true;
        let module = std::mem::replace(&mut self.module, null_mut());
        let unloaded = match module.is_null() {
            true => Ok(()),
            // SAFETY: it was loaded, and no function of it is called any more.
            false => asked("unloading the kernels", || unsafe { result::module::unload(module) }),
        };
        // SAFETY: it was retained once.
        let released = asked("ending the context", || unsafe { result::primary_ctx::release(self.device) });
        unloaded.and(released)
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        if !self.is_closed && !std::thread::panicking() {
            // Something else failed before, and is told.
            let _ = self.closed();
        }
    }
}

impl Buffer<'_> {
    pub fn count(&self) -> usize {
        self.count
    }

    /// Copies words to the beginning of it.
    pub fn write(&mut self, words: &[u32]) -> Result<(), Failure> {
        if words.len() > self.count {
            return Err(misused("copying to the card", "there is not so much memory"));
        }
        // SAFETY: it has room for all of them.
        asked("copying to the card", || unsafe { result::memcpy_htod_sync(self.address, words) })
    }

    /// Copies as many words as there is room for, and waits for all that was launched before.
    pub fn read(&self, first: usize, words: &mut [u32]) -> Result<(), Failure> {
        if first.checked_add(words.len()).is_none_or(|end| end > self.count) {
            return Err(misused("copying from the card", "there is not so much memory"));
        }
        let from = self.address + bytes_of(first) as u64;
        // SAFETY: it has as many from there on.
        asked("copying from the card", || unsafe { result::memcpy_dtoh_sync(words, from) })
    }

    /// Where it begins, for libraries that work on the card.
    pub(super) fn address(&self) -> CUdeviceptr {
        self.address
    }

    /// Gives it back.
    pub fn free(self) -> Result<(), Failure> {
        let freed = self.freed();
        std::mem::forget(self);
        freed
    }

    fn freed(&self) -> Result<(), Failure> {
        // SAFETY: it was allocated this way and is freed once; kernels that use it are waited for, or come before.
        asked("giving memory back", || unsafe {
            match self.source {
                Source::Driver => result::free_sync(self.address),
                Source::Pool => result::free_async(self.address, null_mut()),
            }
        })
    }
}

impl Drop for Buffer<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        if let Err(failure) = self.freed() {
            self.device.lost.borrow_mut().get_or_insert(failure);
        }
    }
}

/// What the driver answers. The crate panics over a symbol that the driver's library lacks, which is a failure too.
fn asked<T>(doing: impl Display, call: impl FnOnce() -> Result<T, DriverError>) -> Result<T, Failure> {
    let told = panic::take_hook();
    // Nobody is to read of a panic that is none.
    panic::set_hook(Box::new(|_| {}));
    let answer =
        panic::catch_unwind(AssertUnwindSafe(|| call().map_err(|error| (error.0 as u32, said_of(error)))));
    panic::set_hook(told);
    let failed = |code, why| Failure { doing: doing.to_string(), code, why };
    match answer {
        Ok(answer) => answer.map_err(|(code, why)| failed(Some(code), why)),
        Err(panic) => Err(failed(None, driver::said_by(&*panic))),
    }
}

/// As the driver itself names the error.
fn said_of(error: DriverError) -> String {
    let code = error.0 as u32;
    match (error.error_name(), error.error_string()) {
        (Ok(name), Ok(text)) => {
            format!("{} ({}, error {code})", text.to_string_lossy(), name.to_string_lossy())
        }
        _ => format!("error {code}"),
    }
}

fn default_pool(device: CUdevice) -> Option<CUmemoryPool> {
    let attribute = sys::CUdevice_attribute_enum::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED;
    // SAFETY: the device is one that the driver gave. Drivers that are older than pools do not know the attribute.
    let has_pools =
        asked("", || unsafe { result::device::get_attribute(device, attribute) }).is_ok_and(|n| n > 0);
    // SAFETY: as above.
    has_pools.then(|| asked("", || unsafe { result::device::get_default_mem_pool(device) }).ok()).flatten()
}

fn misused(doing: &str, why: &str) -> Failure {
    Failure { doing: doing.to_owned(), code: None, why: why.to_owned() }
}

/// Of so many words.
fn bytes_of(count: usize) -> usize {
    count.saturating_mul(size_of::<u32>())
}

/// As kernels count.
fn word(count: usize) -> Result<u32, Failure> {
    u32::try_from(count)
        .map_err(|_| misused("launching", "a matrix has more elements than kernels can count"))
}

/// Where a parameter lies.
fn at<T>(parameter: &mut T) -> *mut c_void {
    (&raw mut *parameter).cast()
}
