//! What *safe* means, held against all labelled projects: for every program, under every launcher, the mask, the order and the
//! device are the same before and after the safe fixes, or they are those of the policy.

mod counts;
mod labelled;
mod published;

use crate::facts::{FileId, Place};
use crate::findings::Severity;
use crate::program::trace::{Event, EventKind, Trace};
use crate::program::{Definition, Program, ProgramFinding, Reaching, Start};
use crate::rules::{PolicyRulings, RuleSet};
use crate::settings::Settings;
use crate::sources::Sources;
use labelled::Project;
use std::collections::BTreeSet;

/// One use of a card, with all that decides which one it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Card {
    program: String,
    launcher: Option<String>,
    mask: Vec<String>,
    order: Vec<String>,
    /// The device that is chosen there, as it is written or followed.
    device: Option<String>,
}

impl ProgramFinding for Card {
    fn places(&self) -> Vec<Place> {
        Vec::new()
    }

    fn shown_by(&mut self, _: FileId) {}
}

/// All that a variable may hold.
fn held(reaching: &Reaching) -> Vec<String> {
    let each = reaching.iter().map(|definition| match definition {
        Definition::Unset | Definition::Removed(_) => "unset".to_owned(),
        Definition::Elsewhere | Definition::Set(_, None) => "not known".to_owned(),
        Definition::Set(_, Some(value)) => value.trim().to_owned(),
    });
    each.collect::<BTreeSet<_>>().into_iter().collect()
}

fn cards(sources: &Sources, settings: &Settings) -> BTreeSet<Card> {
    let rules = RuleSet::embedded();
    let governed =
        PolicyRulings::of(settings, rules, sources).expect("the policy names rules that there are");
    let options = governed.options(sources);
    let (mut program, _) = crate::program_of(sources, settings, options, rules, None);
    let judge = |program: &Program<'_>, trace: &Trace, start: Start| -> Vec<Card> {
        let is_program = !matches!(start, Start::Library | Start::Modules | Start::CpuPart | Start::Unit(_));
        let Some(entry) = trace.entry.filter(|_| is_program) else { return Vec::new() };
        let launcher = trace.frames.first().and_then(|frame| frame.site);
        let launcher = launcher.map(|site| program.name_of(site.file).to_owned());
        let card = |event: &Event| {
            let device = match &event.what {
                EventKind::Select { index: Some(index), .. } => Some(index.to_string()),
                what if what.takes_gpu() => None,
                _ => return None,
            };
            Some(Card {
                program: program.name_of(entry).to_owned(),
                launcher: launcher.clone(),
                mask: held(&event.before.mask),
                order: held(&event.before.order),
                device,
            })
        };
        trace.events.iter().filter_map(card).collect()
    };
    let distinct = |cards: &mut Vec<Card>| {
        cards.sort();
        cards.dedup();
    };
    program.follow(judge, distinct, None).judged.into_iter().collect()
}

/// Whether a card is the one that the policy names.
fn is_of_policy(card: &Card, settings: &Settings) -> bool {
    let Some(gpu) = &settings.policy.gpu else { return false };
    let mask =
        card.mask.iter().all(|mask| gpu.visible_devices.is_empty() || gpu.visible_devices.contains(mask));
    // Without a word of the policy the order that is put beside a mask is the one that indices count in elsewhere.
    let order = card.order.iter().all(|order| order == "PCI_BUS_ID" || order == "unset");
    mask && order
}

/// Whether the program ends with an error there, so that it has no card to keep: the device is beyond each mask.
fn is_beyond(card: &Card) -> bool {
    let left = |mask: &String| mask.split(',').count();
    let device = card.device.as_ref().and_then(|device| device.parse::<usize>().ok());
    device.is_some_and(|device| {
        card.mask.iter().all(|mask| mask != "unset" && mask != "not known" && device >= left(mask))
    })
}

#[test]
fn safe_fixes_keep_the_card_or_take_the_one_of_the_policy() {
    let faults = labelled::each(faults_of);
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

fn faults_of(project: &Project) -> Vec<String> {
    let settled = project.settled(false, Severity::Note);
    if settled.applied.is_empty() {
        return Vec::new();
    }
    let settings = &project.settings;
    let (before, after) = (cards(&project.sources, settings), cards(&settled.sources, settings));
    let changed = after.difference(&before).filter(|card| !is_of_policy(card, settings) && !is_beyond(card));
    let rules: BTreeSet<&str> = settled.applied.iter().map(|applied| applied.rule.as_str()).collect();
    changed.map(|card| format!("{}: {rules:?} made {card:?}", project.name)).collect()
}
