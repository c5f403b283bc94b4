//! The kernels that are known by name, computed on the CPU. Each launch does the whole work, whatever its grid is.
//!
//! | kernel | parameters |
//! |---|---|
//! | `gpulint_fill` | `float *out, unsigned count, unsigned seed` |
//! | `gpulint_gemm` | `const float *a, const float *b, float *c, unsigned side` |
//! | `gpulint_differences` | `const float *a, const float *b, unsigned count, unsigned *differences` |
//!
//! Matrices are square and stored by rows. A kernel of any other name does nothing.

use std::sync::{Mutex, PoisonError};

/// One of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// `out[i] = (x >> 8) / 2^24 - 0.5`, where `x = y ^ (y >> 16)` and `y = 1664525 i + 1013904223 seed + 12345`, modulo 2^32.
    Fill,
    /// `c = a b`, each element summed in the order of the rows of `b`.
    Gemm,
    /// Adds to `*differences` how many elements differ in any bit.
    Differences,
}

/// What a launch gives to one of them, as it lies in its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arguments {
    Fill { out: u64, count: u32, seed: u32 },
    Gemm { a: u64, b: u64, c: u64, side: u32 },
    Differences { a: u64, b: u64, count: u32, differences: u64 },
}

impl Kernel {
    pub fn named(name: &str) -> Option<Kernel> {
        match name {
            "gpulint_fill" => Some(Kernel::Fill),
            "gpulint_gemm" => Some(Kernel::Gemm),
            "gpulint_differences" => Some(Kernel::Differences),
            _ => None,
        }
    }
}

impl Arguments {
    /// From the array of pointers to parameters that `cuLaunchKernel` gets.
    ///
    /// # Safety
    ///
    /// It points to as many pointers as the kernel has parameters, each to a value of its type.
    pub unsafe fn read(kernel: Kernel, parameters: *const *const u8) -> Arguments {
        // SAFETY: as above.
        let word = |index: usize| unsafe { parameters.add(index).read().cast::<u32>().read_unaligned() };
        // SAFETY: as above.
        let address = |index: usize| unsafe { parameters.add(index).read().cast::<u64>().read_unaligned() };
        match kernel {
            Kernel::Fill => Arguments::Fill { out: address(0), count: word(1), seed: word(2) },
            Kernel::Gemm => Arguments::Gemm { a: address(0), b: address(1), c: address(2), side: word(3) },
            Kernel::Differences => Arguments::Differences {
                a: address(0),
                b: address(1),
                count: word(2),
                differences: address(3),
            },
        }
    }

    /// Address and size of all that the kernel touches; the first is what it writes.
    pub fn ranges(&self) -> Vec<(u64, u64)> {
        match *self {
            Arguments::Fill { out, count, .. } => vec![(out, bytes(count))],
            Arguments::Gemm { a, b, c, side } => {
                let size = u64::from(side) * bytes(side);
                vec![(c, size), (a, size), (b, size)]
            }
            Arguments::Differences { a, b, count, differences } => {
                vec![(differences, 4), (a, bytes(count)), (b, bytes(count))]
            }
        }
    }

    /// Whether something is read where it is written, whose result nobody could foretell.
    pub fn overlaps_itself(&self) -> bool {
        let ranges = self.ranges();
        let Some(((written, size), read)) = ranges.split_first() else { return false };
        read.iter().any(|(start, length)| *start < written + size && *written < start + length)
    }

    /// Computes it.
    ///
    /// # Safety
    ///
    /// All [`Arguments::ranges`] are memory that nothing else uses now, and what is written overlaps nothing that is read.
    pub unsafe fn run(&self) {
        // SAFETY: as above; device memory is aligned to 512 bytes, and unaligned addresses were refused.
        let read =
            |address: u64, count: usize| unsafe { std::slice::from_raw_parts(address as *const f32, count) };
        // SAFETY: as above.
        let write = |address: u64, count: usize| unsafe {
            std::slice::from_raw_parts_mut(address as *mut f32, count)
        };
        match *self {
            Arguments::Fill { out, count, seed } => fill(write(out, count as usize), seed),
            Arguments::Gemm { a, b, c, side } => {
                let side = side as usize;
                let size = side * side;
                Remembered::product(read(a, size), read(b, size), write(c, size), side);
            }
            Arguments::Differences { a, b, count, differences } => {
                let pairs = read(a, count as usize).iter().zip(read(b, count as usize));
                let different = pairs.filter(|(a, b)| a.to_bits() != b.to_bits()).count();
                let counter = differences as *mut u32;
                // SAFETY: as above.
                unsafe { counter.write(counter.read().wrapping_add(different as u32)) }
            }
        }
    }
}

fn bytes(count: u32) -> u64 {
    u64::from(count) * 4
}

fn fill(out: &mut [f32], seed: u32) {
    for (index, element) in out.iter_mut().enumerate() {
        let start = seed.wrapping_mul(1_013_904_223).wrapping_add(12_345);
        let mixed = (index as u32).wrapping_mul(1_664_525).wrapping_add(start);
        let mixed = mixed ^ (mixed >> 16);
        *element = (mixed >> 8) as f32 / 16_777_216.0 - 0.5;
    }
}

/// The last product of this process. A load multiplies the same matrices again and again, and on the CPU that takes a
/// thousand times as long as on a card; comparing the matrices with those of the last time costs nearly nothing.
struct Remembered {
    a: Vec<f32>,
    b: Vec<f32>,
    product: Vec<f32>,
}

impl Remembered {
    /// Elements of a matrix of 2048 rows. Larger ones would double what a test takes of its machine.
    const MOST: usize = 1 << 22;

    fn product(a: &[f32], b: &[f32], c: &mut [f32], side: usize) {
        static LAST: Mutex<Option<Remembered>> = Mutex::new(None);
        if a.len() > Remembered::MOST {
            return multiply(a, b, c, side);
        }
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some(last) if is_same(&last.a, a) && is_same(&last.b, b) => c.copy_from_slice(&last.product),
            _ => {
                multiply(a, b, c, side);
                *last = Some(Remembered { a: a.to_vec(), b: b.to_vec(), product: c.to_vec() });
            }
        }
    }
}

/// In every bit.
fn is_same(left: &[f32], right: &[f32]) -> bool {
    let mut pairs = left.iter().zip(right);
    left.len() == right.len() && pairs.all(|(left, right)| left.to_bits() == right.to_bits())
}

fn multiply(a: &[f32], b: &[f32], c: &mut [f32], side: usize) {
    if side == 0 {
        return;
    }
    for (row, sums) in a.chunks_exact(side).zip(c.chunks_exact_mut(side)) {
        sums.fill(0.0);
        for (factor, other) in row.iter().zip(b.chunks_exact(side)) {
            for (sum, element) in sums.iter_mut().zip(other) {
                *sum += factor * element;
            }
        }
    }
}
