//! Names of architectures that are right, and numbers that are no capabilities.

pub fn name_of(major: u32, minor: u32) -> &'static str {
    match (major, minor) {
        (8, 0) | (8, 6) | (8, 7) => "Ampere",
        (8, 9) => "Ada Lovelace",
        (9, 0) => "Hopper",
        (10, 0) | (12, 0) => "Blackwell",
        _ => "unknown",
    }
}

pub fn chapter(number: u32) -> &'static str {
    match number {
        90 => "Blackwell, Elizabeth",
        86 => "Hopper, Grace",
        _ => "",
    }
}
