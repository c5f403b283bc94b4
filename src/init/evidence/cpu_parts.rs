//! The parts that run without a GPU already: programs that are started with every GPU hidden, or hide them all themselves.

use super::GpuEvidence;
use crate::facts::{FileId, Place};
use crate::masks::{self, Kind};
use crate::program::trace::{Event, EventKind, Recipient, Trace};
use crate::program::{Definition, Program, Start};
use crate::sources::Language;
use std::collections::{BTreeMap, BTreeSet};

/// Programs that hide every GPU.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CpuParts {
    /// Their modules, and where the GPUs are hidden.
    pub modules: BTreeMap<String, String>,
    /// Those that import a GPU library all the same, by the names of their files.
    pub importing: BTreeMap<String, String>,
    /// The files of those that import none.
    pub(super) files: BTreeSet<FileId>,
    /// Modules of the project that are GPU code, and that none of these leads to.
    pub gpu_modules: Vec<String>,
}

impl CpuParts {
    pub(super) fn of(seen: &[GpuEvidence], program: &Program<'_>) -> CpuParts {
        let importing: BTreeSet<FileId> = seen
            .iter()
            .filter_map(|sight| match sight {
                GpuEvidence::Imports(file) => Some(*file),
                _ => None,
            })
            .collect();
        let mut parts = CpuParts::default();
        for sight in seen {
            let GpuEvidence::Hides(file, place) = sight else { continue };
            let source = program.sources.file(*file);
            if source.language != Language::Python || !source.reported {
                continue;
            }
            let shown = program.sources.shown(*place);
            if !importing.contains(file) {
                parts.files.insert(*file);
            }
            let (among, name) = match importing.contains(file) {
                true => (&mut parts.importing, source.name.clone()),
                false => (&mut parts.modules, program.dotted(*file)),
            };
            let first = among.entry(name).or_insert_with(|| shown.clone());
            if shown < *first {
                *first = shown;
            }
        }
        parts
    }
}

/// What a program, or what it starts, does about the GPUs as a whole.
pub(super) fn sights(trace: &Trace, start: Start) -> Vec<GpuEvidence> {
    let mut sights = Vec::new();
    for event in &trace.events {
        if let EventKind::Launch { targets, .. } = &event.what
            && let Some(place) = hidden_at(event, trace)
        {
            sights.extend(targets.iter().map(|&file| GpuEvidence::Hides(file, place)));
        }
    }
    let Some(entry) = trace.entry.filter(|_| start.is_program() && !matches!(start, Start::Unit(_))) else {
        return sights;
    };
    // What one test does is not what the program does.
    let is_own = |event: &&Event| !event.in_child && trace.test_of(event).is_none();
    let own = trace.events.iter().filter(is_own);
    let hides = own.clone().find_map(|event| match &event.what {
        EventKind::Write { variable, value: Some(value), .. } => {
            let is_mask = variable == crate::program::MASK && event.recipient == Recipient::Process;
            (is_mask && is_nothing(value) && event.surely_happens()).then_some(event.place)
        }
        _ => hidden_at(event, trace),
    });
    sights.extend(hides.map(|place| GpuEvidence::Hides(entry, place)));
    if trace.events.iter().any(|event| event.what.imports_gpu_library()) {
        sights.push(GpuEvidence::Imports(entry));
    }
    sights
}

/// Where every GPU was hidden, when there is none left at an event.
fn hidden_at(event: &Event, trace: &Trace) -> Option<Place> {
    let mut masks = event.before.mask.iter().map(|definition| match definition {
        Definition::Set(write, Some(value)) if is_nothing(value) => Some(trace.event(*write).place),
        _ => None,
    });
    let first = masks.next()??;
    masks.all(|mask| mask.is_some()).then_some(first)
}

fn is_nothing(value: &str) -> bool {
    let mask = masks::read(value);
    mask.kind == Kind::Nothing && mask.fault.is_none()
}
