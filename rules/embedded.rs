//! Every file of this folder, as the build took it up. `gpulint_rules` reads them.

/// The path of each file, what it says, and its examples, as JSON; in the order of the paths.
pub static FILES: &[(&str, &str, &str)] = include!(concat!(env!("OUT_DIR"), "/rules.rs"));
