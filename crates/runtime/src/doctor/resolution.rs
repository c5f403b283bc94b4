//! From the environment to ordinal 0: which card it is, and why that one.

use crate::masks::selection::{Stop, select};
use crate::runtime::cards::Card;
use crate::runtime::machine::Machine;
use crate::runtime::surroundings::Environment;
use serde::Serialize;

/// How the environment selects cards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Resolution {
    /// CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER as they are set.
    pub variables: Vec<Variable>,
    pub order: Order,
    /// Whether CUDA's own order differs from the one by PCI address. `None` where it was not asked, or there is one card.
    pub orders_differ: Option<bool>,
    /// The card that the device `cuda:0` would be.
    pub ordinal_0: Option<Card>,
    /// Why that one, or why none.
    pub reason: String,
    /// What the driver shows, where it is something else than the documentation of the variables lets expect.
    pub surprise: Option<String>,
}

/// A variable, and its value when it is set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Variable {
    pub name: &'static str,
    pub value: Option<String>,
}

/// How CUDA counts cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    PciBusId,
    /// Also when the variable is not set.
    FastestFirst,
}

impl Resolution {
    /// `bare`: the cards as the driver shows them when neither variable is set.
    pub fn of(environment: &Environment, machine: &Machine, bare: Option<&Vec<Card>>) -> Resolution {
        let mask = environment.get("CUDA_VISIBLE_DEVICES");
        let order_set = environment.get("CUDA_DEVICE_ORDER");
        let order = match order_set {
            Some("PCI_BUS_ID") => Order::PciBusId,
            _ => Order::FastestFirst,
        };
        let by_address: Vec<&Card> = machine.boards().iter().map(|board| &board.card).collect();
        let by_speed: Option<Vec<&Card>> = bare.map(|cards| cards.iter().collect());
        let uuids = |cards: &[&Card]| cards.iter().map(|card| card.uuid.clone()).collect::<Vec<_>>();
        let orders_differ = by_speed
            .as_ref()
            .filter(|cards| cards.len() == by_address.len())
            .map(|cards| uuids(cards) != uuids(&by_address));
        let counted = match order {
            Order::PciBusId => Some(by_address),
            Order::FastestFirst => by_speed.or(Some(by_address).filter(|cards| cards.len() == 1)),
        };
        let visible = machine.visible();
        let ordinal_0 = visible.first().cloned();
        let reason = reason(mask, order_set, order, counted.as_deref(), ordinal_0.as_ref());
        let surprise = counted.and_then(|cards| surprise(mask, &cards, visible));
        let variables = vec![
            Variable { name: "CUDA_VISIBLE_DEVICES", value: mask.map(str::to_owned) },
            Variable { name: "CUDA_DEVICE_ORDER", value: order_set.map(str::to_owned) },
        ];
        Resolution { variables, order, orders_differ, ordinal_0, reason, surprise }
    }
}

fn reason(
    mask: Option<&str>,
    order_set: Option<&str>,
    order: Order,
    counted: Option<&[&Card]>,
    first: Option<&Card>,
) -> String {
    let counting = match (order, order_set) {
        (Order::PciBusId, _) => "cards are counted by PCI address (CUDA_DEVICE_ORDER=PCI_BUS_ID)".to_owned(),
        (Order::FastestFirst, None) => {
            "CUDA_DEVICE_ORDER is not set, so that CUDA counts the card first that it takes for the fastest"
                .to_owned()
        }
        (Order::FastestFirst, Some(value)) => {
            format!("CUDA_DEVICE_ORDER={value}: CUDA counts the card first that it takes for the fastest")
        }
    };
    let Some(value) = mask else {
        return match (first, counted) {
            (None, _) => {
                "CUDA_VISIBLE_DEVICES is not set, and there is no card that CUDA could use".to_owned()
            }
            (Some(_), Some([_])) => "it is the only card, and CUDA_VISIBLE_DEVICES hides none".to_owned(),
            (Some(_), _) => {
                format!("CUDA_VISIBLE_DEVICES is not set, so that no card is hidden, and {counting}")
            }
        };
    };
    let written = format!("CUDA_VISIBLE_DEVICES={value}");
    let stopped = stop_of(value, counted);
    match first {
        None => match stopped {
            Some(why) => format!("{written} leaves no card: {why}"),
            None => format!("{written} leaves no card"),
        },
        Some(_) if value.trim().starts_with("GPU-") || value.trim().starts_with("MIG-") => {
            format!("{written} names it by its UUID, whatever the order")
        }
        Some(_) => {
            let cut = stopped.map(|why| format!("; the list ends early: {why}")).unwrap_or_default();
            format!("{written} names it by its index, and {counting}{cut}")
        }
    }
}

/// What ends the list of a mask early, as a clause.
fn stop_of(value: &str, counted: Option<&[&Card]>) -> Option<String> {
    let uuids: Vec<&str> = counted?.iter().map(|card| card.uuid.as_str()).collect();
    let (element, stop) = select(Some(value), &uuids).stopped_by?;
    Some(match stop {
        Stop::Nothing if element.is_empty() => "an empty value hides all".to_owned(),
        Stop::Nothing => format!("`{element}` names no card, on purpose"),
        Stop::OutOfRange => format!("no card has the index `{element}`"),
        Stop::UnknownUuid => format!("`{element}` is the beginning of no UUID, or of more than one"),
        Stop::OtherKind => format!("`{element}` is an index among UUIDs, or a UUID among indices"),
        Stop::Repeated => format!("`{element}` names a card twice, which hides all"),
        Stop::NoName => format!("`{element}` is neither an index nor a UUID"),
    })
}

fn surprise(mask: Option<&str>, counted: &[&Card], visible: &[Card]) -> Option<String> {
    // Of a card that is divided a process gets one slice, which no mask of cards tells.
    let has_slice = mask.is_some_and(|value| value.contains("MIG-")) || visible.iter().any(Card::is_slice);
    if has_slice || counted.is_empty() {
        return None;
    }
    let uuids: Vec<&str> = counted.iter().map(|card| card.uuid.as_str()).collect();
    let expected: Vec<&str> = select(mask, &uuids).visible.into_iter().map(|at| uuids[at]).collect();
    let shown: Vec<&str> = visible.iter().map(|card| card.uuid.as_str()).collect();
    let list = |cards: &[&str]| if cards.is_empty() { "no card".to_owned() } else { cards.join(", ") };
    (expected != shown).then(|| {
        format!(
            "by the documentation of the variables a process gets {}, and the driver shows {}",
            list(&expected),
            list(&shown)
        )
    })
}
