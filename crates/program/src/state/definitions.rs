//! Reaching definitions: how a variable of the environment may have come to what it holds.

use crate::program::trace::{EventId, NOT_NOTED};
use std::sync::Arc;

/// The definitions of a variable that may be in force, one for each kind of path.
pub type Reaching = smallvec::SmallVec<[Definition; 2]>;

/// How a variable may have come to what it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Definition {
    /// The program never set it on this path.
    Unset,
    /// It is set, but not by something that was followed: by the caller, or by an unknown update.
    Elsewhere,
    /// Set by this event; `None` when the value is not known.
    Set(EventId, Option<Arc<str>>),
    /// Removed by this event; by one that is not noted, where nothing had set it before.
    Removed(EventId),
}

impl Definition {
    /// The variable is not set, as far as the program decides that.
    pub fn is_absent(&self) -> bool {
        matches!(self, Definition::Unset | Definition::Removed(_))
    }

    /// Whether it names an event that gets another number.
    pub(super) fn moves(&self, number: &impl Fn(EventId) -> EventId) -> bool {
        match self {
            Definition::Set(event, _) | Definition::Removed(event) => number(*event) != *event,
            Definition::Unset | Definition::Elsewhere => false,
        }
    }

    /// The same value, wherever it was set or removed.
    pub fn gives_the_same(&self, other: &Definition) -> bool {
        match (self, other) {
            (Definition::Set(_, known), Definition::Set(_, value)) => known == value,
            (Definition::Removed(_), Definition::Removed(_)) => true,
            _ => self == other,
        }
    }

    /// The same value, wherever it was set, as far as rules ask.
    fn says_the_same(&self, other: &Definition) -> bool {
        match (self, other) {
            // What an import sets has no place, so rules pass over it.
            (Definition::Set(one, known), Definition::Set(other, value)) => {
                known == value && (*one == NOT_NOTED) == (*other == NOT_NOTED)
            }
            (Definition::Removed(_), Definition::Removed(_)) => true,
            _ => self == other,
        }
    }
}

/// Gives the events that set or removed a variable other numbers.
pub(crate) fn renumber(reaching: &mut Reaching, number: &impl Fn(EventId) -> EventId) {
    for definition in reaching {
        if let Definition::Set(event, _) | Definition::Removed(event) = definition {
            *event = number(*event);
        }
    }
}

/// Leaves out what says nothing new: a program that writes a variable again and again, on many paths, would
/// otherwise carry each of these writes along. Rules ask which values there are, and where the first of a value
/// stands; two values that are not known may differ.
pub(super) fn thin_out(reaching: &mut Reaching) {
    if reaching.len() < 2 {
        return;
    }
    let mut kept = Reaching::new();
    for definition in reaching.drain(..) {
        let most = if matches!(definition, Definition::Set(_, None)) { 2 } else { 1 };
        if kept.iter().filter(|known| known.says_the_same(&definition)).count() < most {
            kept.push(definition);
        }
    }
    // A variable that is given another value on each of many paths may as well hold any.
    const MANY: usize = 48;
    if kept.len() > MANY {
        let is_set = |definition: &&Definition| matches!(definition, Definition::Set(..));
        let sets: Vec<Definition> = kept.iter().filter(is_set).take(MANY).cloned().collect();
        let first = sets.iter().find_map(|definition| match definition {
            Definition::Set(event, _) => Some(Definition::Set(*event, None)),
            _ => None,
        });
        kept.retain(|definition| !matches!(definition, Definition::Set(..)));
        kept.extend(sets.into_iter().chain(first));
    }
    *reaching = kept;
}
