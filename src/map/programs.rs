//! Which card each program takes: one line for each program, and each launcher that starts it.

use super::PlaceText;
use super::machine::{Card, Counted, Machine};
use super::touchpoints::implied;
use crate::code::Host;
use crate::facts::Place;
use crate::policy::Policy;
use crate::program::knowledge::Does;
use crate::program::trace::{Choice, Event, EventKind, Trace};
use crate::program::{Definition, MASK, ORDER, Program, Reaching, Start};
use crate::rules::wording::as_code;
use crate::trace::{describe, started_by};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

/// A program as it is started once.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
pub struct ProgramLine {
    pub path: String,
    /// How it is started: `started as a script`; of a launcher that uses a GPU itself, its command.
    pub start: String,
    /// The command that starts it, where the project has one.
    pub launcher: Option<PlaceText>,
    /// The first thing that it does on a GPU; none where nothing was seen.
    pub first_use: Option<PlacedText>,
    /// Where it asks for GPUs, or initialises CUDA in passing, when nothing was seen that it does on one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asks: Option<PlacedText>,
    /// What CUDA_VISIBLE_DEVICES may hold when CUDA is initialised; at the end where it is not.
    pub mask: VariableValues,
    /// The same for CUDA_DEVICE_ORDER.
    pub order: VariableValues,
    /// The devices that it takes, counted inside the mask; `null` for one whose number is not known.
    pub devices: BTreeSet<Option<u32>>,
    /// Where these numbers are written.
    pub device_at: Vec<PlacedText>,
    /// The cards that these come to.
    pub cards: BTreeSet<Card>,
    /// What is set after CUDA was initialised, so that it has no effect.
    pub too_late: Vec<PlacedText>,
    /// A container or a scheduler hands out cards, which count from 0.
    pub in_slice: bool,
    /// It was followed to its end.
    pub complete: bool,
    /// What it does, in order: the first of it. `gpulint trace` tells all.
    #[serde(skip)]
    pub steps: Vec<Step>,
    #[serde(skip)]
    pub more_steps: usize,
}

/// One effect of a program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Step {
    pub deed: PlacedText,
    /// How many calls and imports lead there.
    pub depth: usize,
    /// It happens in every run.
    pub certain: bool,
}

/// So many effects are kept of each program.
const MOST_STEPS: usize = 60;

/// Something that a program does somewhere.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
pub struct PlacedText {
    #[serde(flatten)]
    pub spot: PlaceText,
    pub text: String,
}

/// What a variable may hold.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
pub struct VariableValues {
    /// `null`: it is not set.
    pub values: BTreeSet<Option<String>>,
    /// Whether these are all that it may hold.
    pub known: bool,
    /// Where the values come from.
    pub set_at: Vec<PlacedText>,
}

/// The cards that programs take on a machine as a policy describes it, each program once.
pub fn with_cards(mut lines: Vec<ProgramLine>, policy: &Policy) -> Vec<ProgramLine> {
    lines.sort();
    lines.dedup();
    let machine = Machine::of_policy(policy);
    lines.iter_mut().for_each(|line| line.take_cards(&machine));
    lines
}

/// The lines of what was followed: none of code that nobody starts.
pub fn lines_of(program: &Program<'_>, trace: &Trace, start: Start) -> Vec<ProgramLine> {
    let Some(entry) = trace.entry.filter(|_| start.is_program() && start != Start::Imported) else {
        return Vec::new();
    };
    if !program.sources.file(entry).reported {
        return Vec::new();
    }
    let teller = Teller { program, trace };
    match start {
        // Each command of a launcher is a process of its own.
        Start::Unit(_) => {
            let uses = trace.events.iter().filter(|event| event.what.takes_gpu());
            uses.map(|event| teller.line(start, &[event])).collect()
        }
        _ => vec![teller.line(start, &trace.events.iter().collect::<Vec<_>>())],
    }
}

struct Teller<'a> {
    program: &'a Program<'a>,
    trace: &'a Trace,
}

impl Teller<'_> {
    /// The line of what these events are.
    fn line(&self, start: Start, events: &[&Event]) -> ProgramLine {
        let trace = self.trace;
        let takes = |event: &Event| event.what.takes_gpu() || is_taken(&event.what);
        let first_use = events.iter().find(|event| takes(event)).map(|event| self.deed(event));
        let asking = events.iter().find(|event| asks(&event.what)).filter(|_| first_use.is_none());
        let asks = asking.map(|event| self.deed(event));
        let decisive: Vec<&Event> = events
            .iter()
            .copied()
            .filter(|event| event.what.initialises_cuda() && !event.before.is_after_cuda())
            .collect();
        let (mut mask, mut order) = (VariableValues::nothing_yet(), VariableValues::nothing_yet());
        let end = events.last().copied();
        for event in if decisive.is_empty() { end.into_iter().collect() } else { decisive } {
            self.add(&mut mask, &event.before.mask);
            self.add(&mut order, &event.before.order);
        }
        for held in [&mut mask, &mut order] {
            if held.known && held.values.is_empty() && held.set_at.is_empty() {
                held.values.insert(None);
            }
            held.set_at.sort();
            held.set_at.dedup();
        }
        let (devices, device_at) =
            if first_use.is_some() { self.devices(events, &mut mask) } else { Default::default() };
        let launcher = trace.frames.first().and_then(|frame| frame.site);
        let entry = trace.entry.map_or(String::new(), |entry| self.program.name_of(entry).to_owned());
        let started = match (start, events) {
            (Start::Unit(_), [event]) => as_code(&event.what),
            _ => started_by(self.program, trace, start),
        };
        let mut too_late: Vec<PlacedText> =
            events.iter().filter(|event| is_late(event)).map(|event| self.deed(event)).collect();
        too_late.sort();
        too_late.dedup();
        let told: Vec<&&Event> =
            events.iter().filter(|event| !matches!(event.what, EventKind::End)).collect();
        let in_slice = match (start, events) {
            (Start::Unit(_), [event]) => trace.counts_from_zero(event),
            _ => matches!(trace.host, Host::Container | Host::Scheduler),
        };
        ProgramLine {
            path: entry,
            start: started,
            launcher: launcher.map(|site| PlaceText::of(self.program.sources, site)),
            first_use,
            asks,
            mask,
            order,
            devices,
            device_at,
            cards: BTreeSet::new(),
            too_late,
            in_slice,
            complete: !trace.cut,
            steps: told.iter().take(MOST_STEPS).map(|event| self.step(event)).collect(),
            more_steps: told.len().saturating_sub(MOST_STEPS),
        }
    }

    fn step(&self, event: &Event) -> Step {
        let depth = self.trace.outwards(event.frame).count() - 1;
        Step { deed: self.deed(event), depth, certain: event.surely_happens() }
    }

    fn deed(&self, event: &Event) -> PlacedText {
        self.deed_at(event.place, describe(&event.what))
    }

    fn deed_at(&self, place: Place, text: String) -> PlacedText {
        PlacedText { spot: PlaceText::of(self.program.sources, place), text }
    }

    /// Adds what a variable may hold.
    fn add(&self, held: &mut VariableValues, reaching: &Reaching) {
        for definition in reaching {
            match definition {
                Definition::Unset => _ = held.values.insert(None),
                Definition::Removed(event) => {
                    held.values.insert(None);
                    held.set_at.extend(self.trace.events.get(*event as usize).map(|event| self.deed(event)));
                }
                Definition::Set(event, value) => {
                    match value {
                        Some(value) => _ = held.values.insert(Some(value.trim().to_owned())),
                        None => held.known = false,
                    }
                    let event = self.trace.events.get(*event as usize);
                    let written = event.filter(|event| implied(self.program, event).is_none());
                    held.set_at.extend(written.map(|event| self.deed(event)));
                }
                Definition::Elsewhere => held.known = false,
            }
        }
    }

    /// The devices that the program takes: those that it names, and the current one where it names none.
    fn devices(
        &self,
        events: &[&Event],
        mask: &mut VariableValues,
    ) -> (BTreeSet<Option<u32>>, Vec<PlacedText>) {
        let mut devices = BTreeSet::new();
        let mut places = Vec::new();
        let mut current = Some(0);
        for (at, event) in events.iter().enumerate() {
            match &event.what {
                EventKind::Select { index, text, by, choice: Choice::Taken } => {
                    let known = index.and_then(|index| u32::try_from(index).ok());
                    // `cuda:{rank}`: one for each process.
                    let is_current = known.is_none() && !text.contains(':');
                    let device = if is_current { current } else { known };
                    devices.insert(device);
                    // The first is what everybody takes who says nothing.
                    if known.is_some_and(|known| known > 0) {
                        places.push(self.deed(event));
                    }
                    if by.contains("set_device") {
                        current = device;
                    }
                }
                EventKind::Select { index: Some(index), choice: Choice::Masked, .. } => {
                    devices.insert(Some(0));
                    *mask = VariableValues {
                        values: [Some(index.to_string())].into(),
                        known: true,
                        set_at: vec![self.deed(event)],
                    };
                }
                what if what.takes_gpu() => {
                    let names_it = |other: &&&Event| {
                        is_taken(&other.what)
                            && other.statement == event.statement
                            && other.frame == event.frame
                    };
                    // What the call takes stands just before it.
                    let near = &events[at.saturating_sub(4)..at];
                    if !near.iter().any(|other| names_it(&other)) {
                        // Which one is not known, or it would have been noted.
                        let is_unknown = computes_index(self.program.text(event.place));
                        if is_unknown
                            && matches!(what, EventKind::Call { callee, .. } if callee.ends_with("set_device"))
                        {
                            current = None;
                        }
                        devices.insert(if is_unknown { None } else { current });
                    }
                }
                _ => {}
            }
        }
        places.sort();
        places.dedup();
        (devices, places)
    }
}

/// Whether a call is given the index of a device that something computes, by what is written: `.cuda(int(sys.argv[1]))`,
/// `device=f"cuda:{rank}"`. A device that has no index is the current one.
fn computes_index(call: &str) -> bool {
    const COMPUTING: &[&str] = &["int(", " - ", " % ", " + ", "cuda:", "rank"];
    let argument = ["device=", ".cuda(", "set_device("].iter().find_map(|word| call.split_once(word));
    argument.is_some_and(|(_, rest)| COMPUTING.iter().any(|word| rest.contains(word)))
}

/// Whether a card is chosen and not only named.
fn is_taken(what: &EventKind) -> bool {
    matches!(what, EventKind::Select { choice: Choice::Taken | Choice::Masked, .. })
}

/// Whether it asks which GPUs there are, or initialises CUDA and takes none.
fn asks(what: &EventKind) -> bool {
    let queries = matches!(what, EventKind::Call { does, .. } if does.iter().any(|does| matches!(does, Does::Query | Does::Nvml)));
    queries || (what.initialises_cuda() && !what.only_passes())
}

/// Whether it sets one of the two variables when CUDA has read them.
fn is_late(event: &Event) -> bool {
    let changes = match &event.what {
        EventKind::Write { variable, .. } | EventKind::Remove { variable } => {
            matches!(variable.as_str(), MASK | ORDER)
        }
        _ => false,
    };
    changes && event.before.is_after_cuda() && !event.in_child
}

impl VariableValues {
    fn nothing_yet() -> VariableValues {
        VariableValues { values: BTreeSet::new(), known: true, set_at: Vec::new() }
    }

    /// For people: `"1"`, `not set`, `"0" or not known`.
    pub fn words(&self) -> String {
        let value = |value: &Option<String>| {
            value.as_ref().map_or("not set".to_owned(), |value| format!("{value:?}"))
        };
        let mut each: Vec<String> = self.values.iter().map(value).collect();
        if !self.known {
            each.push("not known".to_owned());
        }
        each.join(" or ")
    }

    /// How cards are counted.
    fn orders(&self) -> BTreeSet<Counted> {
        let mut orders: BTreeSet<Counted> = self
            .values
            .iter()
            .map(|value| match value.as_deref() {
                Some("PCI_BUS_ID") => Counted::Pci,
                _ => Counted::FastestFirst,
            })
            .collect();
        if !self.known {
            orders.insert(Counted::Unknown);
        }
        orders
    }
}

impl ProgramLine {
    /// Whether it uses a GPU.
    pub fn uses_gpu(&self) -> bool {
        self.first_use.is_some()
    }

    /// Finds out which cards it takes on this machine.
    pub(super) fn take_cards(&mut self, machine: &Machine) {
        self.cards.clear();
        let orders = self.order.orders();
        for device in &self.devices {
            let Some(device) = device else {
                self.cards
                    .insert(Card::Unknown { reason: "the number of the device is not known".to_owned() });
                continue;
            };
            for mask in &self.mask.values {
                for &order in &orders {
                    let index = *device as usize;
                    let card = machine.card(mask.as_deref(), order, index);
                    self.cards.insert(match card {
                        Card::Known { index, .. } | Card::Counted { index } if self.in_slice => {
                            Card::Handed { index }
                        }
                        card => card,
                    });
                }
            }
            if !self.mask.known {
                self.cards.insert(Card::Unknown { reason: "the mask is not known".to_owned() });
            }
        }
    }

    /// For people; a program that uses none has no card.
    pub fn card_words(&self) -> String {
        match (self.uses_gpu(), self.cards.is_empty()) {
            (false, _) if self.asks.is_some() => "asks for GPUs; none was seen that it takes".to_owned(),
            (false, _) => "uses no GPU".to_owned(),
            (true, true) => "not known".to_owned(),
            _ => {
                // One environment, and several devices in it.
                let is_sure = self.mask.known && self.mask.values.len() < 2 && self.order.orders().len() < 2;
                let between = if is_sure { " and " } else { " or " };
                self.cards.iter().map(Card::words).collect::<Vec<_>>().join(between)
            }
        }
    }

    /// What says which card it is: where the two variables and the device come from.
    pub fn decided_by(&self) -> Vec<&PlacedText> {
        let all = self.mask.set_at.iter().chain(&self.order.set_at).chain(&self.device_at);
        let mut deeds: Vec<&PlacedText> = if self.uses_gpu() { all.collect() } else { Vec::new() };
        deeds.dedup();
        deeds
    }

    /// What tells it from other programs.
    pub fn key(&self) -> (&str, &str, Option<&PlaceText>) {
        (&self.path, &self.start, self.launcher.as_ref())
    }

    /// For people: the program and who starts it.
    pub fn name(&self) -> String {
        match &self.launcher {
            Some(launcher) => format!("{}, started by {launcher}", self.path),
            None => format!("{}, {}", self.path, self.start),
        }
    }
}
