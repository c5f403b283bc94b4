//! Where what a call loads is put.

use super::Use;
use crate::rules::files::FileScope;

/// Whether what a call returns is the state of a scheduler of learning rates: `scheduler.load_state_dict(torch.load(path))`.
pub(super) fn goes_into_scheduler(one: &Use<'_>, scope: &FileScope<'_>) -> bool {
    let whole = scope.text(one.statement);
    let receiver = whole.split_once(".load_state_dict(").map(|(receiver, _)| receiver);
    receiver.is_some_and(|receiver| receiver.to_ascii_lowercase().ends_with("scheduler"))
}

/// Whether what a call returns reaches `load_state_dict`: in the same statement, or under the name that it gets.
pub(super) fn goes_into_model(one: &Use<'_>, scope: &FileScope<'_>) -> bool {
    const PUTS: &str = "load_state_dict(";
    if scope.text(one.statement).contains(PUTS) {
        return true;
    }
    let Some(name) = one.binds else { return false };
    // So many bytes of a call are looked at for the name.
    const NEAR: usize = 120;
    let is_named = |text: &str| {
        let text: String = text.chars().take(NEAR).take_while(|&letter| letter != '\n').collect();
        text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').any(|word| word == name)
    };
    let behind = scope.whole_text().get(one.statement.end as usize..).unwrap_or_default();
    behind.match_indices(PUTS).any(|(at, _)| is_named(&behind[at + PUTS.len()..]))
}
