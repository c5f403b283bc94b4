//! Cards.

// Compute capability 9.0 is Blackwell.  // ~ capability-architecture-mismatch warning
pub fn name_of(major: u32, minor: u32) -> &'static str {
    match (major, minor) {
        (9, 0) => "Blackwell",  // ~ capability-architecture-mismatch error
        (8, 9) => "Ada Lovelace",
        (8, 6) => "Ada Lovelace",  // ~ capability-architecture-mismatch error
        (12, 0) => "Blackwell",
        _ => "unknown",
    }
}

pub fn by_number(capability: u32) -> &'static str {
    if capability == 90 {
        "Blackwell"  // ~ capability-architecture-mismatch error
    } else if capability == 80 {
        "Ampere"
    } else {
        "unknown"
    }
}

pub fn by_sm(sm: &str) -> Option<&'static str> {
    match sm {
        "sm_90" => Some("Blackwell"),  // ~ capability-architecture-mismatch error
        "sm_86" => Some("Ampere"),
        "8.9" => Some("Hopper"),  // ~ capability-architecture-mismatch error
        _ => None,
    }
}

pub const TABLE: &[((u32, u32), &str)] = &[((9, 0), "Hopper"), ((8, 6), "Ada Lovelace")];  // ~ capability-architecture-mismatch error
