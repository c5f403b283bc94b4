//! The cards of a machine, and which one a program takes there: as `gpulint doctor` saw them, as the policy names one, or only so
//! many of them.

use crate::masks::selection::{Stop, select};
use crate::masks::{self, Kind};
use crate::policy::Policy;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// What is known of a machine.
#[derive(Clone, Debug, Default)]
pub struct Machine {
    /// In the order of their PCI addresses; empty when it is not known how many there are.
    cards: Vec<KnownCards>,
    /// The positions of the cards as CUDA counts them when nothing is set.
    by_speed: Option<Vec<usize>>,
    /// Names of cards by index in PCI order, and by UUID, where the number of cards is not known.
    named: BTreeMap<String, String>,
    /// Parts of names of cards that must not be used.
    forbidden: Vec<String>,
}

#[derive(Clone, Debug)]
struct KnownCards {
    name: Option<String>,
    uuid: String,
}

/// Why a file or number says nothing of a machine.
#[derive(Debug, thiserror::Error)]
pub enum MachineError {
    #[error("a machine has between 1 and {MOST} cards")]
    Count,
    #[error("it is no report of `gpulint doctor --format json` ({0})")]
    NoReport(String),
    #[error("doctor saw no card there; run it where the cards are")]
    NoCards,
}

/// More cards no machine has.
const MOST: usize = 64;

/// How CUDA counts cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counted {
    /// CUDA_DEVICE_ORDER is PCI_BUS_ID.
    Pci,
    /// It is FASTEST_FIRST, or not set.
    FastestFirst,
    /// It has a value that is not known.
    Unknown,
}

/// Which card a program takes, as far as that can be told.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum Card {
    /// The card with this number in PCI order.
    Known {
        index: usize,
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// The policy forbids it.
        forbidden: bool,
    },
    /// One that CUDA counts as this when it counts the fastest first: which one that is depends on the machine.
    Counted { index: usize },
    /// One of those that a container or a scheduler hands out.
    Handed { index: usize },
    Uuid {
        uuid: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// The mask hides all cards, on purpose.
    Hidden,
    /// There is no such card: the program ends with an error.
    Fails { reason: String },
    /// What decides it is not known.
    Unknown { reason: String },
}

impl Machine {
    /// So many cards of which nothing is known.
    ///
    /// # Errors
    /// When no machine has so many.
    pub fn of_count(count: usize) -> Result<Machine, MachineError> {
        if !(1..=MOST).contains(&count) {
            return Err(MachineError::Count);
        }
        let cards = invented(count);
        let by_speed = (count == 1).then(|| vec![0]);
        Ok(Machine { cards, by_speed, ..Machine::default() })
    }

    /// What the policy says of the card that it wants.
    pub fn of_policy(policy: &Policy) -> Machine {
        let Some(gpu) = &policy.gpu else { return Machine::default() };
        let mut named = BTreeMap::new();
        if let Some(name) = &gpu.name {
            let elements = gpu.accepted_masks().iter().flat_map(|mask| mask.split(','));
            named.extend(elements.map(|element| (element.trim().to_owned(), name.clone())));
        }
        Machine { named, forbidden: gpu.forbidden.clone(), ..Machine::default() }
    }

    /// What `gpulint doctor --format json` wrote.
    ///
    /// # Errors
    /// When the text is something else, or names no card.
    pub fn of_report(text: &str) -> Result<Machine, MachineError> {
        let report: Value =
            serde_json::from_str(text).map_err(|error| MachineError::NoReport(error.to_string()))?;
        let machine =
            report.get("machine").ok_or_else(|| MachineError::NoReport("no `machine`".to_owned()))?;
        let cards_in = |list: Option<&Value>| -> Vec<KnownCards> {
            let cards = list.and_then(Value::as_array).into_iter().flatten();
            let known = cards.filter_map(|card| {
                let uuid = card.get("uuid")?.as_str()?.to_owned();
                Some(KnownCards { uuid, name: card.get("name").and_then(Value::as_str).map(str::to_owned) })
            });
            known.collect()
        };
        let shown = cards_in(machine.pointer("/driver/answer/cards"));
        let mut cards = cards_in(machine.pointer("/listing/answer/boards"));
        if cards.is_empty() {
            cards.clone_from(&shown);
        }
        if cards.is_empty() || cards.len() > MOST {
            return Err(MachineError::NoCards);
        }
        let by_speed = by_speed(&report, &cards, &shown);
        Ok(Machine { cards, by_speed, ..Machine::default() })
    }

    /// The same, where the policy forbids cards.
    pub fn under(mut self, policy: &Policy) -> Machine {
        self.forbidden = policy.gpu.as_ref().map(|gpu| gpu.forbidden.clone()).unwrap_or_default();
        self
    }

    /// The card that is number `ordinal` of those that a mask leaves; `None` is a mask that is not set.
    pub fn card(&self, mask: Option<&str>, order: Counted, ordinal: usize) -> Card {
        let read = mask.map(masks::read);
        if read.is_some_and(|read| read.kind == Kind::Nothing) {
            return Card::Hidden;
        }
        let by_name = read.is_some_and(|read| matches!(read.kind, Kind::Uuid | Kind::Mig));
        if let Some(mask) = mask
            && by_name
            && (self.cards.is_empty() || mask.contains("MIG-"))
        {
            return self.named_in(mask, ordinal);
        }
        let invented = invented(MOST);
        let cards = if self.cards.is_empty() { &invented } else { &self.cards };
        let order = if by_name { Counted::Pci } else { order };
        let positions: Option<Vec<usize>> = match order {
            Counted::Pci => Some((0..cards.len()).collect()),
            Counted::FastestFirst => self.by_speed.clone(),
            Counted::Unknown if cards.len() == 1 => Some(vec![0]),
            Counted::Unknown => None,
        };
        let counted = positions.clone().unwrap_or_else(|| (0..cards.len()).collect());
        let uuids: Vec<&str> = counted.iter().map(|&at| cards[at].uuid.as_str()).collect();
        let selection = select(mask, &uuids);
        let Some(&at) = selection.visible.get(ordinal) else {
            let left = selection.visible.len();
            let reason = match (mask, selection.stopped_by) {
                (Some(mask), Some((element, stop))) if left == 0 => {
                    format!("the mask `{mask}` leaves no card: {}", why(stop, &element))
                }
                (Some(mask), _) => {
                    format!("there is no `cuda:{ordinal}`: the mask `{mask}` leaves {}", cards_in_words(left))
                }
                (None, _) => {
                    format!("there is no `cuda:{ordinal}`: the machine has {}", cards_in_words(left))
                }
            };
            return Card::Fails { reason };
        };
        match (positions, order) {
            (Some(positions), _) => {
                let index = positions[at];
                let known = self.cards.get(index).and_then(|card| card.name.clone());
                let name = known.or_else(|| self.named.get(&index.to_string()).cloned());
                let forbidden = name.as_ref().is_some_and(|name| self.forbids(name));
                Card::Known { index, name, forbidden }
            }
            (None, Counted::Unknown) => {
                Card::Unknown { reason: format!("number {at} in an order that is not known") }
            }
            (None, _) => Card::Counted { index: at },
        }
    }

    /// A card that is named by its UUID, of which nothing else is known.
    fn named_in(&self, mask: &str, ordinal: usize) -> Card {
        let left = masks::read(mask).left;
        let element = mask.split(',').map(str::trim).nth(ordinal).filter(|_| ordinal < left);
        match element {
            Some(uuid) => Card::Uuid { uuid: uuid.to_owned(), name: self.named.get(uuid).cloned() },
            None => Card::Fails {
                reason: format!(
                    "there is no `cuda:{ordinal}`: the mask `{mask}` leaves {}",
                    cards_in_words(left)
                ),
            },
        }
    }

    fn forbids(&self, name: &str) -> bool {
        self.forbidden.iter().any(|part| name.contains(part.as_str()))
    }
}

fn invented(count: usize) -> Vec<KnownCards> {
    (0..count).map(|at| KnownCards { name: None, uuid: format!("card-{at}") }).collect()
}

fn cards_in_words(count: usize) -> String {
    match count {
        0 => "no card".to_owned(),
        1 => "1 card".to_owned(),
        count => format!("{count} cards"),
    }
}

fn why(stop: Stop, element: &str) -> String {
    match stop {
        Stop::Nothing => "it hides all".to_owned(),
        Stop::OutOfRange => format!("the machine has no card `{element}`"),
        Stop::UnknownUuid => format!("no card of the machine has the UUID `{element}`"),
        Stop::OtherKind => format!("`{element}` is an index among UUIDs, or a UUID among indices"),
        Stop::Repeated => format!("`{element}` names a card twice"),
        Stop::NoName => format!("`{element}` is neither an index nor a UUID"),
    }
}

/// How CUDA counts the cards when nothing is set, as far as the report says.
fn by_speed(report: &Value, cards: &[KnownCards], shown: &[KnownCards]) -> Option<Vec<usize>> {
    if cards.len() == 1 {
        return Some(vec![0]);
    }
    match report.pointer("/resolution/orders_differ").and_then(Value::as_bool) {
        Some(false) => return Some((0..cards.len()).collect()),
        Some(true) if cards.len() == 2 => return Some(vec![1, 0]),
        _ => {}
    }
    // Where nothing was set when doctor ran, the driver counted so.
    let variables = report.pointer("/resolution/variables").and_then(Value::as_array)?;
    let is_bare = variables.iter().all(|variable| variable.get("value").is_none_or(Value::is_null));
    let position = |card: &KnownCards| cards.iter().position(|known| known.uuid == card.uuid);
    let all: Option<Vec<usize>> = shown.iter().map(position).collect();
    all.filter(|all| is_bare && all.len() == cards.len())
}

impl Card {
    /// For people: `card 1 (RTX 3090)`.
    pub fn words(&self) -> String {
        let called = |name: &Option<String>| name.as_ref().map_or(String::new(), |name| format!(" ({name})"));
        match self {
            Card::Known { index, name, forbidden } => {
                let forbidden = if *forbidden { ", forbidden by the policy" } else { "" };
                format!("card {index}{}{forbidden}", called(name))
            }
            Card::Counted { index: 0 } => "the card that CUDA counts first".to_owned(),
            Card::Counted { index } => format!("the card that CUDA counts as {index}, fastest first"),
            Card::Handed { index } => format!("card {index} of those that it is given"),
            Card::Uuid { uuid, name } => format!("{uuid}{}", called(name)),
            Card::Hidden => "no card: the mask hides all".to_owned(),
            Card::Fails { reason } => format!("fails: {reason}"),
            Card::Unknown { reason } => format!("not known: {reason}"),
        }
    }

    pub fn fails(&self) -> bool {
        matches!(self, Card::Fails { .. })
    }
}

#[cfg(test)]
mod tests;
