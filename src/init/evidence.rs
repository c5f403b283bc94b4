//! What a project does already: which card its programs take, by the masks, orders and devices that they are followed to.
//! Where they differ nothing is chosen, and both are shown.

mod cpu_parts;
mod gpu_modules;

use crate::code::Host;
use crate::facts::{FileId, Place};
use crate::masks;
use crate::program::trace::{EventKind, Trace};
use crate::program::{Definition, Program, ProgramFinding, Reaching, Start};
use crate::program_of;
use crate::rules::{PolicyRulings, RuleSet, asked_in};
use crate::settings::{Request, resolve};
use crate::sources::Sources;
use std::collections::BTreeMap;
use std::path::Path;

pub use cpu_parts::CpuParts;

/// One thing that programs do, and where it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Masks that choose cards of the machine.
    pub masks: ValueCounts,
    pub orders: ValueCounts,
    /// Devices that are named where no mask is set.
    pub devices: ValueCounts,
    /// Masks of containers and of jobs of a cluster, where cards are counted from 0.
    pub in_slices: ValueCounts,
    /// Programs that hide every GPU.
    pub cpu: CpuParts,
    /// Variables of the environment that decide between CPU and GPU, by their names, with where they are read.
    pub switches: ValueCounts,
}

/// Each value, with the places where it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueCounts(BTreeMap<String, Vec<String>>);

impl ValueCounts {
    /// The value, where there is one.
    pub fn only(&self) -> Option<&str> {
        match self.0.len() {
            1 => self.0.keys().next().map(String::as_str),
            _ => None,
        }
    }

    /// Whether programs differ.
    pub fn is_divided(&self) -> bool {
        self.0.len() > 1
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `"1" in run.sh:2 and 3 more, "0" in other.sh:1`; of a loop: `"0", "1" and 6 more in all.sh:4`
    pub fn told(&self) -> String {
        let mut together: BTreeMap<&[String], Vec<String>> = BTreeMap::new();
        for (value, places) in &self.0 {
            together.entry(places).or_default().push(serde_json::Value::from(value.as_str()).to_string());
        }
        let mut each: Vec<String> = Vec::new();
        for (places, values) in together {
            let values = match &values[..] {
                [first, second, others @ ..] if others.len() > 1 => {
                    format!("{first}, {second} and {} more", others.len())
                }
                few => few.join(", "),
            };
            each.push(format!("{values} in {}", shortened(places)));
        }
        each.sort();
        each.join(", ")
    }

    /// The places of all values: `run.sh:2 and 3 more`.
    pub fn places(&self) -> String {
        shortened(&self.0.values().flatten().cloned().collect::<Vec<_>>())
    }

    fn add(&mut self, value: &str, place: String) {
        let places = self.0.entry(value.to_owned()).or_default();
        if !places.contains(&place) {
            places.push(place);
            places.sort();
        }
    }
}

fn shortened(places: &[String]) -> String {
    match places {
        [] => String::new(),
        [one] => one.clone(),
        [first, others @ ..] => format!("{first} and {} more", others.len()),
    }
}

/// What one program does when it takes a GPU.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum GpuEvidence {
    /// With it whether it stands for a container or a job.
    Mask(String, Place, bool),
    Order(String, Place),
    Device(i64, Place),
    /// A program hides every GPU, here.
    Hides(FileId, Place),
    /// A program imports a GPU library.
    Imports(FileId),
}

impl ProgramFinding for GpuEvidence {
    fn places(&self) -> Vec<Place> {
        Vec::new()
    }

    fn shown_by(&mut self, _: FileId) {}
}

impl Evidence {
    /// Follows the programs of a folder. One that cannot be read says nothing.
    pub fn of(folder: &Path) -> Evidence {
        Evidence::read(folder).unwrap_or_default()
    }

    fn read(folder: &Path) -> Option<Evidence> {
        let request = Request { paths: vec![folder.to_owned()], isolated: true, ..Request::default() };
        let (settings, extent) = resolve(&request).ok()?;
        let sources = Sources::collect(&settings.root, &request.paths, extent).ok()?;
        let sources = sources.within(settings.disk.bounds());
        let rules = RuleSet::embedded();
        let options = PolicyRulings::of(&settings, rules, &sources).ok()?.options(&sources);
        let (mut program, _) = program_of(&sources, &settings, options, rules, None);
        let judge = |_: &Program<'_>, trace: &Trace, start: Start| sights(trace, start);
        let seen = program.follow(judge, |_: &mut Vec<GpuEvidence>| {}, None).judged;
        let mut cpu = CpuParts::of(&seen, &program);
        if !cpu.files.is_empty() {
            cpu.gpu_modules = gpu_modules::of(&mut program, &cpu.files);
        }
        let mut evidence = Evidence { cpu, ..Evidence::default() };
        for sight in seen {
            evidence.add(&sight, &sources);
        }
        let is_asked = |file: &FileId| {
            program.sources.file(*file).reported && program.is_read(*file) && !program.is_of_tests(*file)
        };
        for file in program.all_files().filter(is_asked) {
            let asked = asked_in(&program, &settings.policy, file);
            for switch in asked.into_iter().filter(|asked| asked.is_switch && !asked.is_constant) {
                let place = Place { file, span: switch.span };
                evidence.switches.add(&switch.name, sources.shown(place));
            }
        }
        Some(evidence)
    }

    fn add(&mut self, sight: &GpuEvidence, sources: &Sources) {
        match sight {
            GpuEvidence::Mask(value, place, is_in_slice) => {
                let seen = if *is_in_slice { &mut self.in_slices } else { &mut self.masks };
                seen.add(value, sources.shown(*place));
            }
            GpuEvidence::Order(value, place) => self.orders.add(value, sources.shown(*place)),
            GpuEvidence::Device(index, place) => {
                self.devices.add(&format!("cuda:{index}"), sources.shown(*place));
            }
            GpuEvidence::Hides(..) | GpuEvidence::Imports(_) => {}
        }
    }
}

/// What a program has set when it first takes a GPU, and the devices that it names where it has no mask.
fn sights(trace: &Trace, start: Start) -> Vec<GpuEvidence> {
    let mut sights = cpu_parts::sights(trace, start);
    if !start.is_program() || matches!(start, Start::Unit(_)) {
        return sights;
    }
    // In a container, or a job of a cluster, cards are counted from 0.
    let is_in_slice = !matches!(trace.host, Host::Machine | Host::Runner);
    let known = |reaching: &Reaching| {
        let mut values = reaching.iter().map(|definition| match definition {
            Definition::Set(event, Some(value)) => {
                Some((value.trim().to_owned(), trace.events.get(*event as usize)?.place))
            }
            _ => None,
        });
        let first = values.next().flatten();
        first.filter(|_| values.next().is_none())
    };
    let uses =
        |what: &EventKind| what.takes_gpu() || matches!(what, EventKind::Select { index: Some(_), .. });
    if let Some(first) = trace.events.iter().find(|event| uses(&event.what)) {
        let mask = known(&first.before.mask).filter(|(value, _)| masks::read(value).left > 0);
        sights.extend(mask.map(|(value, place)| GpuEvidence::Mask(value, place, is_in_slice)));
        sights.extend(known(&first.before.order).map(|(value, place)| GpuEvidence::Order(value, place)));
    }
    let bare = trace.events.iter().filter(|event| {
        !is_in_slice && event.before.mask.iter().all(|mask| matches!(mask, Definition::Unset))
    });
    sights.extend(bare.filter_map(|event| match event.what {
        EventKind::Select { index: Some(index), .. } => Some(GpuEvidence::Device(index, event.place)),
        _ => None,
    }));
    sights
}
