//! The index of a GPU in a text.

use crate::program::heap::values::{Text, Value};

/// Whether a text for `device_map` spreads a model over the GPUs that are visible.
pub fn is_spread(text: &str) -> bool {
    matches!(text, "auto" | "balanced" | "balanced_low_0" | "sequential")
}

/// The index in `cuda:1`; with `gpu_names` also in `gpu:1`, `/GPU:1` and `/device:GPU:1`.
pub(super) fn cuda_index(text: &str, gpu_names: bool) -> Option<i64> {
    let text = text.trim();
    let digits = if gpu_names {
        let lower = text.to_ascii_lowercase();
        let at = lower.rfind("gpu:")?;
        return lower[at + 4..].parse().ok();
    } else {
        text.strip_prefix("cuda:")?
    };
    // torch refuses `cuda:01`, so it chooses nothing.
    let is_number =
        digits.bytes().all(|byte| byte.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    is_number.then(|| digits.parse().ok())?
}

/// The indices that `1` or the range `0-3` names.
pub(super) fn indices_of(part: &str) -> Vec<i64> {
    /// A range beyond this names no cards.
    const MOST: i64 = 64;
    let number = |text: &str| text.trim().parse::<i64>().ok();
    match part.split_once('-').map(|(first, last)| (number(first), number(last))) {
        Some((Some(first), Some(last))) if last < MOST => (first..=last).collect(),
        _ => number(part).into_iter().collect(),
    }
}

/// `torch.device("cuda:1").type`: a device is its name.
pub(super) fn kind_asked<'p>(device: &Text<'p>, attribute: &str) -> Option<Value<'p>> {
    let (kind, index) = device.text.split_once(':').unwrap_or((&*device.text, "0"));
    let is_known = matches!(kind, "cuda" | "cpu" | "mps" | "xpu" | "npu") && index.parse::<u8>().is_ok();
    (attribute == "type" && is_known).then(|| Value::text(kind.to_owned(), device.place))
}
