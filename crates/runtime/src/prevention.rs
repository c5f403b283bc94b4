//! The other cards, kept out of a command's reach: it cannot open their device files, so no variable that it sets gives it
//! one of them.

use super::process::{HiddenFiles, Namespace};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What was done so that the command can use no other card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Prevention {
    /// The command could not open the device files of the other cards.
    Hidden { files: Vec<String>, namespace: Namespace },
    /// There is no device file of another card.
    NothingToHide,
    /// The command could open them, and was watched only.
    NotPossible { why: String },
}

/// Where the simulated cards of tests have their device files; of real ones it means nothing.
const OF_SIMULATED_CARDS: &str = "SIMULATED_GPU_DEVICES";

/// Where the device files of cards are.
pub fn device_folder(simulated: bool) -> PathBuf {
    let simulated = simulated.then(|| std::env::var_os(OF_SIMULATED_CARDS)).flatten();
    simulated.map_or_else(|| PathBuf::from("/dev"), PathBuf::from)
}

/// The device files of all cards, by their numbers.
pub fn files_of_cards(folder: &Path) -> BTreeMap<u32, PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let number = |path: &Path| path.file_name()?.to_str()?.strip_prefix("nvidia")?.parse().ok();
    entries.filter_map(|entry| Some((number(&entry.path())?, entry.path()))).collect()
}

/// The device files of all cards but the one of this number.
///
/// # Errors
/// When the card itself has none there: then nobody knows what the others are. In one clause.
pub fn files_of_others(folder: &Path, minor: u32) -> Result<Vec<PathBuf>, String> {
    let mut files = files_of_cards(folder);
    match files.remove(&minor) {
        Some(_) => Ok(files.into_values().collect()),
        None => {
            Err(format!("the card has no device file {}", folder.join(format!("nvidia{minor}")).display()))
        }
    }
}

impl Prevention {
    /// That these files are hidden.
    pub fn of(hiding: &HiddenFiles) -> Prevention {
        let files = hiding.files.iter().map(|file| file.display().to_string()).collect();
        Prevention::Hidden { files, namespace: hiding.namespace }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_belongs_to_other_cards_is_hidden() {
        let folder = std::env::temp_dir().join(format!("gpulint-devices-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for name in ["nvidia0", "nvidia1", "nvidia10", "nvidiactl", "nvidia-uvm", "nvidia-caps"] {
            std::fs::write(folder.join(name), "").unwrap();
        }
        let hidden = |minor| files_of_others(&folder, minor);
        assert_eq!(hidden(1), Ok(vec![folder.join("nvidia0"), folder.join("nvidia10")]));
        assert!(hidden(7).is_err_and(|why| why.contains("no device file") && why.contains("nvidia7")));
        assert_eq!(files_of_cards(&folder).into_keys().collect::<Vec<_>>(), [0, 1, 10]);
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(hidden(1).is_err());
    }
}
