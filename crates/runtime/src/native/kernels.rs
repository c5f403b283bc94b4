//! The kernels that gpulint brings: their text, their names, and the shape of their launches.
//!
//! The folder `kernels` of the repository has their source and says what each computes.

use rustc_hash::FxHasher;
use std::ffi::CStr;
use std::hash::Hasher;

/// PTX for the oldest cards that drivers still know; the driver translates it for its own.
pub const PTX: &CStr =
    match CStr::from_bytes_with_nul(concat!(include_str!("../../kernels/gpulint.ptx"), "\0").as_bytes()) {
        Ok(text) => text,
        Err(_) => panic!("the text has no end before its end"),
    };

/// What tells these kernels from others: speeds are compared only with those of the same.
pub fn version() -> String {
    let mut hasher = FxHasher::default();
    hasher.write(PTX.to_bytes());
    format!("{:08x}", hasher.finish() as u32)
}

pub const FILL: &CStr = c"gpulint_fill";
pub const GEMM: &CStr = c"gpulint_gemm";
pub const DIFFERENCES: &CStr = c"gpulint_differences";

/// Threads of a block.
const THREADS: u32 = 256;
/// Rows and columns of the product that one block makes.
const TILE: u32 = 128;
/// More blocks than any card works on at once; each then takes several elements.
const MOST_BLOCKS: u32 = 4096;

/// Blocks of a grid, and threads of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub grid: (u32, u32, u32),
    pub block: (u32, u32, u32),
}

/// For a kernel that walks over so many elements.
pub fn shape_over(count: u32) -> Shape {
    let blocks = count.div_ceil(THREADS).clamp(1, MOST_BLOCKS);
    Shape { grid: (blocks, 1, 1), block: (THREADS, 1, 1) }
}

/// For the product of matrices with so many rows.
pub fn shape_of_product(side: u32) -> Shape {
    let tiles = side.div_ceil(TILE).max(1);
    Shape { grid: (tiles, tiles, 1), block: (THREADS, 1, 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = include_str!("../../kernels/gpulint.cu");

    #[test]
    fn shapes_are_those_of_the_source() {
        assert!(SOURCE.contains(&format!("#define THREADS {THREADS}\n")));
        assert!(SOURCE.contains(&format!("#define TILE {TILE}\n")));
        assert_eq!(shape_of_product(1000).grid, (8, 8, 1));
        assert_eq!(shape_of_product(1024).grid, (8, 8, 1));
        assert_eq!(shape_of_product(1025).grid, (9, 9, 1));
        assert_eq!(shape_over(0).grid, (1, 1, 1));
        assert_eq!(shape_over(257).grid, (2, 1, 1));
        assert_eq!(shape_over(u32::MAX).grid, (4096, 1, 1));
    }

    #[test]
    fn the_text_has_the_kernels() {
        let text = PTX.to_str().unwrap();
        assert!(text.contains("\n.version 6.4\n.target sm_75\n"));
        for name in [FILL, GEMM, DIFFERENCES] {
            let name = name.to_str().unwrap();
            assert!(text.contains(&format!("\n.visible .entry {name}(\n")), "{name}");
            assert!(SOURCE.contains(&format!(" {name}(")), "{name}");
        }
        assert_eq!(text.matches(".entry").count(), 3);
    }
}
