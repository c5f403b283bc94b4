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
    fault: Option<String>,
    #[serde(default)]
    ignored: Vec<String>,
}

#[test]
fn every_vector_is_read_as_it_was_when_it_was_executed() {
    let text = include_str!("../../../../tests/vectors/allocator.yaml");
    let vectors: Vectors = serde_yaml::from_str(text).expect("the file of vectors can be read");
    for Vector { value, fault, ignored } in vectors.vectors {
        let found = problem(&value).map(|problem| match problem.kind {
            Kind::Aborts => "aborts",
            Kind::Raises => "raises",
            Kind::UnknownKey => "unknown-key",
        });
        assert_eq!(found, fault.as_deref(), "{value:?}");
        assert_eq!(ignored_by_backend(&value), ignored, "{value:?}");
    }
}

#[test]
fn any_text_is_read() {
    let pieces = ["backend", ":", ",", " ", "[", "]", "=", "é", "0", "max_split_size_mb", "\u{0}", "-", ">"];
    let mut state = 7_u32;
    for _ in 0..2000 {
        let mut value = String::new();
        for _ in 0..8 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            value.push_str(pieces[(state >> 16) as usize % pieces.len()]);
        }
        problem(&value);
        assert!(says_the_same(&value, &value), "{value:?}");
    }
}

#[test]
fn the_order_of_settings_says_nothing() {
    assert!(says_the_same("a:1,b:[1:2,3:4]", " b:[1:2,3:4] , a:1,"));
    assert!(!says_the_same("a:1", "a:2"));
    assert!(says_the_same("a:1,a:2", "a:2"));
    assert!(includes("a:1,b:2", "b:2") && !includes("b:2", "a:1,b:2"));
}
