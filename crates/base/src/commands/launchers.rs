//! Launchers of one process for each GPU, which pick the GPUs themselves: `accelerate launch --gpu_ids 1`,
//! `deepspeed --include localhost:1`, `deepspeed --num_gpus 2`. `torchrun` leaves the mask as it is.

use super::Setting;

/// The GPUs that a launcher of processes picks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mask {
    /// The list in a part of a word: `--gpu_ids 0,1`, `--include localhost:1`.
    Listed(Setting),
    /// The first so many, whatever mask the launcher is given, by the word at a position: `--num_gpus 2` of DeepSpeed.
    First { count: usize, word: usize },
    /// As many as it finds, or as it is told to take.
    Counted,
}

/// More cards no machine has.
const MOST_CARDS: usize = 64;

/// The cards that an option of a launcher picks, by their indices.
pub(super) fn picked(words: &[Option<&str>], at: usize, wrapper: &str) -> Option<Mask> {
    let names: &[&str] = match wrapper {
        "accelerate" => &["--gpu_ids", "--gpu-ids"],
        "deepspeed" => &["--include", "-i", "--num_gpus"],
        _ => return None,
    };
    let option = words.get(at).copied().flatten()?;
    let (name, inside) = option.split_once('=').map_or((option, None), |(name, list)| (name, Some(list)));
    if !names.contains(&name) {
        return None;
    }
    let (word, list) = match inside {
        Some(list) => (at, list),
        None => (at + 1, words.get(at + 1).copied().flatten()?),
    };
    if name == "--num_gpus" {
        let count = list.parse().ok().filter(|count| (1..=MOST_CARDS).contains(count))?;
        return Some(Mask::First { count, word });
    }
    // `--include localhost:0,1`; of several machines each has cards of its own.
    let list = match wrapper {
        "deepspeed" => list.split_once(':').filter(|_| !list.contains('@'))?.1,
        _ => list,
    };
    let is_index = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let end = words[word].map_or(0, str::len);
    let is_list = list.split(',').all(|part| is_index(part.trim()));
    is_list.then_some(Mask::Listed(Setting { word, range: (end - list.len(), end) }))
}
