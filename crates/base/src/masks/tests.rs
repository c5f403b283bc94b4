//! Every vector, and whatever else somebody may write.

use super::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Vectors {
    vectors: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    value: String,
    left: usize,
    fault: Option<String>,
}

#[test]
fn every_vector_is_read_as_it_was_when_it_was_executed() {
    let text = include_str!("../../../../tests/vectors/visible-devices.yaml");
    let vectors: Vectors = serde_yaml::from_str(text).expect("the file of vectors can be read");
    for Vector { value, left, fault } in vectors.vectors {
        let mask = read(&value);
        let found = mask.fault.map(|fault| match fault {
            Fault::HidesAll => "hides-all",
            Fault::Repeated => "repeated",
            Fault::CutShort => "cut-short",
        });
        assert_eq!((mask.left, found), (left, fault.as_deref()), "{value:?}");
    }
}

#[test]
fn any_text_is_read() {
    let pieces = ["0", "1", ",", " ", "-", "GPU-", "MIG-", "é", "，", "\u{0}", "+", ";", "a"];
    let mut state = 7_u32;
    for _ in 0..2000 {
        let mut value = String::new();
        for _ in 0..8 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            value.push_str(pieces[(state >> 16) as usize % pieces.len()]);
        }
        let mask = read(&value);
        assert!(mask.left <= value.split(',').count(), "{value:?}");
    }
}
