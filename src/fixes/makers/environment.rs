//! The variables of the environment that a program needs before it uses a GPU.

use super::launchers;
use crate::fixes::Refusal;
use crate::fixes::site::{Draft, Site};

/// One block that sets all variables that are missing.
pub fn block(site: &Site<'_>) -> Result<Draft, Refusal> {
    if launchers::is_launcher(site) {
        return launchers::block(site);
    }
    Err("not yet".to_owned())
}

/// The order of the GPUs, set in the same way and just before the mask.
pub fn order(site: &Site<'_>) -> Result<Draft, Refusal> {
    if launchers::is_launcher(site) {
        return launchers::order(site);
    }
    Err("not yet".to_owned())
}
