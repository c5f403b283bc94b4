//! Where slots are kept: the same folder for every user of the machine, whoever asks.

use std::path::PathBuf;

pub const SLOT_FOLDER_VARIABLE: &str = "GPULINT_SLOT_DIR";

/// The folder that was asked for, that of GPULINT_SLOT_DIR, or that of the machine.
///
/// That of the machine must not depend on who asks, or two users would hold two slots of one card. So root does not make
/// a folder where others could not have; where an administrator made one, all use it.
pub fn slot_folder(asked_for: Option<PathBuf>) -> PathBuf {
    let variable = || std::env::var_os(SLOT_FOLDER_VARIABLE).filter(|folder| !folder.is_empty());
    asked_for.or_else(|| variable().map(PathBuf::from)).unwrap_or_else(super::shared::folder_of_the_machine)
}
