//! The memory of one process: blocks, the pool, what contexts and code cost.

use crate::client::answer_of;
use serde_json::json;
use simulated_gpu_host::{BLOCK, Heap, MIB, SimulatedHost};

#[test]
fn small_allocations_share_blocks() {
    let of_64_kib = json!([4 * MIB, 0]);
    // 4096 of 512 bytes each.
    let of_a_byte = json!([2 * MIB, 0]);
    let of_a_mib = json!([4 * MIB, 0]);
    let of_three_mib = json!([4 * MIB, 0]);
    let of_four_mib = json!([8 * MIB, 0]);
    let taken = answer_of(&SimulatedHost::new(), "packing");
    assert_eq!(taken, json!([of_64_kib, of_a_byte, of_a_mib, of_three_mib, of_four_mib]));
}

#[test]
fn the_pool_keeps_what_was_freed_until_something_is_synchronised() {
    let states = answer_of(&SimulatedHost::new(), "pool");
    let six = 6 * MIB;
    let expected = json!({
        "allocated": [six, six, six],
        "freed": [six, six, 0],
        "reused": [six, six, six],
        "synchronised": [0, 0, 0],
        "kept": [six, six, 0],
        "trimmed": [0, 0, 0],
    });
    assert_eq!(states, expected);
}

#[test]
fn contexts_and_code_cost_what_is_described() {
    let host = SimulatedHost::new().changed(|description| {
        let card = &mut description.cards[1];
        (card.context_mib, card.module_mib, card.first_launch_mib) = (300, 4, 16);
    });
    let costs = answer_of(&host, "costs");
    let mib: Vec<u64> = costs.as_array().unwrap().iter().map(|bytes| bytes.as_u64().unwrap() / MIB).collect();
    assert_eq!(mib, [300, 304, 320, 320, 316]);
}

#[test]
fn each_context_costs() {
    let (one, two) = (256 * MIB, 512 * MIB);
    let states = answer_of(&SimulatedHost::new(), "contexts");
    assert_eq!(states, json!([[null, 0], [one, 1], [two, 1], [one, 1], [null, 0]]));
}

#[test]
fn without_pools_allocations_are_the_drivers() {
    let host = SimulatedHost::new().changed(|description| description.cards[1].memory_pools = false);
    assert_eq!(answer_of(&host, "safe")["copied"], json!([1, 2, 3]));
    let called = |symbol: &str| host.calls().iter().any(|call| call.symbol == symbol);
    assert!(called("cuMemAlloc_v2") && !called("cuMemAllocAsync"));
}

#[test]
fn a_heap_fills_its_gaps() {
    let mut heap = Heap::direct();
    let first = heap.allocate(1000).unwrap();
    let second = heap.allocate(1000).unwrap();
    assert_eq!((second - first, heap.used(), heap.reserved()), (1024, 2048, BLOCK));
    assert!(heap.holds(first, 1024) && !heap.holds(first, 1025) && !heap.holds(second + 1024, 1));
    assert!(heap.free(first) && !heap.free(first) && !heap.free(second + 512));
    assert_eq!(heap.growth_for(1024), 0);
    assert_eq!(heap.allocate(1024), Some(first));
    assert_eq!(heap.growth_for(BLOCK), BLOCK);
    assert!(heap.free(first) && heap.free(second));
    assert_eq!(heap.reserved(), 0);
    let mut pool = Heap::pool();
    let large = pool.allocate(5 * MIB).unwrap();
    assert!(pool.free(large));
    assert_eq!((pool.used(), pool.reserved(), pool.growth_for(1)), (0, 6 * MIB, 0));
    pool.trim(0);
    assert_eq!(pool.reserved(), 0);
}
