//! The ways in which a program is started: bare, or by the launchers of the project, each with the environment that it gives.

use super::started;
use crate::facts::{FileId, Place};
use crate::program::launches::Launch;
use crate::program::trace::Trace;
use crate::program::{Program, ProgramFinding, Start};
use crate::sources::Sources;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The programs that a file starts, each with how it is started.
pub(super) fn of(program: &mut Program<'_>, sources: &Sources, file: FileId) -> Vec<(Trace, String)> {
    let (launches, is_bare) = launches_of(program, file);
    program.until_loaded(|program| followed(program, sources, file, (&launches, is_bare)))
}

fn followed(
    program: &Program<'_>,
    sources: &Sources,
    file: FileId,
    (launches, is_bare): (&Launches, bool),
) -> Vec<(Trace, String)> {
    let mut traces: Vec<(Trace, String)> = Vec::new();
    if launches.is_empty() || is_bare {
        let starts: Vec<Start> = match program.start_of(file).unwrap_or(Start::Script) {
            // A file may hold several: jobs of a workflow, services.
            Start::Unit(_) => (0..program.code(file).units.len()).map(Start::Unit).collect(),
            start => vec![start],
        };
        let language = Some(sources.file(file).language);
        for start in starts {
            let unit = match start {
                Start::Unit(number) => program.code(file).units.get(number).map(|unit| unit.name.to_string()),
                _ => None,
            };
            let named = unit.filter(|name| !name.is_empty());
            let started = named.unwrap_or_else(|| started(start, language).to_owned());
            traces.push((program.trace(file, start), started));
        }
    }
    let launched = launches
        .values()
        .map(|launch| (program.trace_launched(launch), format!("started by {}", sources.shown(launch.site))));
    traces.extend(launched);
    traces
}

/// The launches of a file, by their places and the environments that they give.
type Launches = BTreeMap<(Place, String), Launch>;

/// The launches of a file, and whether the file is also started without a launcher.
fn launches_of(program: &mut Program<'_>, file: FileId) -> (Launches, bool) {
    let seen: Mutex<(Launches, bool)> = Mutex::default();
    let judge = |_: &Program<'_>, trace: &Trace, start: Start| -> Vec<NoVerdict> {
        let launches = trace.launches.iter().filter(|launch| launch.file == file);
        let is_bare = start.is_program()
            && trace.entry == Some(file)
            && trace.frames.first().is_none_or(|frame| frame.site.is_none());
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.0.extend(
            launches.map(|launch| ((launch.site, format!("{:?}", launch.environment)), launch.clone())),
        );
        seen.1 |= is_bare;
        Vec::new()
    };
    program.follow(judge, |_: &mut Vec<NoVerdict>| {}, None);
    seen.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Nothing is judged on the way.
#[derive(Clone, Hash, PartialEq, Eq)]
enum NoVerdict {}

impl ProgramFinding for NoVerdict {
    fn places(&self) -> Vec<Place> {
        Vec::new()
    }

    fn shown_by(&mut self, _: FileId) {}
}
