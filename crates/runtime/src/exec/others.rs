//! Somebody else on the card, who knows nothing of slots.

use super::ForeignProcessPolicy;
use crate::runtime::management::User;
use crate::runtime::slot::CardUse;
use crate::runtime::watch::process;

/// What they mean for who wants the card.
pub(super) fn use_of(users: &[User], foreign: ForeignProcessPolicy) -> CardUse {
    let Some(first) = users.first() else { return CardUse::Free };
    let others = match users.len() - 1 {
        0 => String::new(),
        others => format!(" and {others} more"),
    };
    let told = format!("{}{others} without a slot", process(first.pid, name_of(first.pid).as_deref()));
    match foreign {
        ForeignProcessPolicy::Wait => CardUse::Busy(told),
        ForeignProcessPolicy::Refuse => CardUse::Refused(told),
    }
}

/// The name of a process, where the system tells.
fn name_of(pid: u32) -> Option<String> {
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
    Some(name.trim_end().to_owned())
}
