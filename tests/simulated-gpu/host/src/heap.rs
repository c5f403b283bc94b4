//! The memory of a context: allocations lie in blocks of 2 MiB, or a multiple, and blocks are what a card runs out of.
//!
//! Small allocations share blocks. Every byte is backed by memory of the host, which takes none before it is written to,
//! and an address on the device is its address there.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::collections::BTreeMap;
use std::ptr::NonNull;

/// What the driver takes from a card at once.
pub const BLOCK: u64 = 2 * 1024 * 1024;
/// What an allocation of less than a block is rounded to.
const STEP: u64 = 512;

/// The blocks of the driver's own memory, or of a pool.
#[derive(Debug, Default)]
pub struct Heap {
    blocks: Vec<Block>,
    /// Whether blocks stay when nothing is left in them.
    keeps: bool,
}

#[derive(Debug)]
struct Block {
    memory: HostMemory,
    size: u64,
    /// Offset and size of each allocation.
    used: BTreeMap<u64, u64>,
}

impl Heap {
    /// Gives empty blocks back at once.
    pub fn direct() -> Heap {
        Heap::default()
    }

    /// Keeps empty blocks until it is trimmed.
    pub fn pool() -> Heap {
        Heap { blocks: Vec::new(), keeps: true }
    }

    /// Bytes of all blocks.
    pub fn reserved(&self) -> u64 {
        self.blocks.iter().map(|block| block.size).sum()
    }

    /// Bytes of all allocations, rounded as they are.
    pub fn used(&self) -> u64 {
        self.blocks.iter().flat_map(|block| block.used.values()).sum()
    }

    /// What an allocation of this size would take from the card; 0 if a block has a gap for it.
    pub fn growth_for(&self, size: u64) -> u64 {
        let size = rounded(size);
        if self.place_for(size).is_some() { 0 } else { size.next_multiple_of(BLOCK) }
    }

    /// The address of the allocation; `None` if the host itself has no memory left.
    pub fn allocate(&mut self, size: u64) -> Option<u64> {
        let size = rounded(size);
        let (at, offset) = match self.place_for(size) {
            Some(place) => place,
            None => {
                let whole = size.next_multiple_of(BLOCK);
                let memory = HostMemory::new(whole)?;
                self.blocks.push(Block { memory, size: whole, used: BTreeMap::new() });
                (self.blocks.len() - 1, 0)
            }
        };
        let block = self.blocks.get_mut(at)?;
        block.used.insert(offset, size);
        Some(block.memory.start() + offset)
    }

    /// Whether there was such an allocation.
    pub fn free(&mut self, address: u64) -> bool {
        let found = self.blocks.iter().position(|block| {
            let offset = address.checked_sub(block.memory.start());
            offset.is_some_and(|offset| block.used.contains_key(&offset))
        });
        let Some(at) = found else { return false };
        let block = &mut self.blocks[at];
        block.used.remove(&(address - block.memory.start()));
        if block.used.is_empty() && !self.keeps {
            self.blocks.swap_remove(at);
        }
        true
    }

    /// Gives empty blocks back until at most this many bytes are reserved.
    pub fn trim(&mut self, keep: u64) {
        let mut excess = self.reserved().saturating_sub(keep);
        self.blocks.retain(|block| {
            let goes = block.used.is_empty() && excess > 0;
            excess = if goes { excess.saturating_sub(block.size) } else { excess };
            !goes
        });
    }

    /// Whether these bytes belong to one allocation.
    pub fn holds(&self, address: u64, size: u64) -> bool {
        self.blocks.iter().any(|block| {
            let Some(offset) = address.checked_sub(block.memory.start()) else { return false };
            let below = block.used.range(..=offset).next_back();
            below.is_some_and(|(start, length)| offset.saturating_add(size) <= start + length)
        })
    }

    /// The first gap: block and offset. Only pools have gaps in large blocks.
    fn place_for(&self, size: u64) -> Option<(usize, u64)> {
        self.blocks.iter().enumerate().find_map(|(at, block)| Some((at, block.gap(size)?)))
    }
}

impl Block {
    fn gap(&self, size: u64) -> Option<u64> {
        let mut end = 0;
        for (&offset, &length) in &self.used {
            if offset - end >= size {
                return Some(end);
            }
            end = offset + length;
        }
        (self.size - end >= size).then_some(end)
    }
}

fn rounded(size: u64) -> u64 {
    size.max(1).next_multiple_of(if size < BLOCK { STEP } else { BLOCK })
}

/// Zeroes that the host maps when they are first touched.
#[derive(Debug)]
struct HostMemory {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: nobody but this owns what it points to.
unsafe impl Send for HostMemory {}

impl HostMemory {
    fn new(size: u64) -> Option<HostMemory> {
        // A larger alignment would make the allocator write all zeroes itself.
        let layout = Layout::from_size_align(usize::try_from(size + STEP).ok()?, 16).ok()?;
        // SAFETY: the layout has a size above 0.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        Some(HostMemory { start, layout })
    }

    /// Aligned as addresses on devices are.
    fn start(&self) -> u64 {
        (self.start.as_ptr() as u64).next_multiple_of(STEP)
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        // SAFETY: it was allocated with this layout, and is freed once.
        unsafe { dealloc(self.start.as_ptr(), self.layout) }
    }
}
