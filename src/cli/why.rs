//! `gpulint why PATH:LINE`: why something is reported at a line, or nothing.

use super::options::PolicyOptions;
use super::{ignoring_closed_pipe, settings_of};
use crate::facts::{FileId, Place, Span};
use crate::report::commands::{Form, harmless};
use crate::rules::Loaded;
use crate::sources::Sources;
use crate::trace::why::{Checked, Line, tell};
use anyhow::bail;
use clap::Args;
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct Arguments {
    /// A line of a file, as findings give it: train.py:12, or notes.ipynb:cell 2:3.
    #[arg(value_name = "PATH:LINE")]
    place: String,
    #[command(flatten)]
    policy: PolicyOptions,
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<u8> {
    answer(&arguments.place, &arguments.policy, out)
}

/// Answers for the line that `place` names.
pub fn answer(place: &str, policy: &PolicyOptions, out: &mut dyn Write) -> anyhow::Result<u8> {
    let asked = WhyQuestion::read(place);
    let named = vec![asked.path.clone()];
    let (mut settings, extent) = settings_of(&policy.clone().request(named.clone()))?;
    if asked.path.is_dir() {
        bail!("{} is a directory; name a line of a file, such as train.py:12", asked.path.display());
    }
    let all = vec![settings.root.clone()];
    if !settings.disk.has(&crate::disk::absolute(&asked.path)) {
        let sources = Sources::collect(&settings.root, &all, extent)?;
        bail!("there is no file {}{}", asked.path.display(), instead(&sources, &settings.root, &asked.path));
    }
    let paths: Vec<PathBuf> = all.into_iter().chain(named).collect();
    let sources = Sources::collect(&settings.root, &paths, extent)?.within(settings.disk.bounds());
    settings.find_others(&sources)?;
    let rules = Loaded::of(&settings)?;
    let Some(file) = sources.at(&asked.path) else {
        let name = asked.path.to_string_lossy();
        let skipped = sources.skipped.iter().find(|skipped| name.ends_with(&skipped.path));
        let reason = skipped.map_or("it is no file that gpulint reads", |skipped| &skipped.reason);
        bail!("{}: {reason}", asked.path.display());
    };
    let outcome = crate::check(&sources, &settings, &rules)?;
    let lines_with_findings = || {
        let here = outcome.findings.iter().filter(|finding| finding.place.file == file);
        let mut lines: Vec<String> = here.map(|finding| line_of(&sources, finding.place)).collect();
        lines.dedup();
        match lines.is_empty() {
            true => "nothing is reported in it".to_owned(),
            false => format!("the lines with findings are {}", lines.join(", ")),
        }
    };
    let source = sources.file(file);
    let Some(number) = asked.line else {
        bail!(
            "{} is a file; name a line of it, such as {}:1; {}",
            asked.path.display(),
            source.name,
            lines_with_findings()
        );
    };
    let last = |cell: Option<u32>| {
        let cells = source.cells.as_ref().and_then(|cells| cells.as_ref().ok());
        let end = match (cells, cell) {
            (Some(_), cell) => (0..source.text.len() as u32)
                .filter(|&at| source.text.is_char_boundary(at as usize))
                .map(|at| source.position(Span { start: at, end: at }))
                .filter(|position| cell.is_none() || position.cell == cell)
                .map(|position| position.line)
                .max(),
            (None, _) => Some(source.text.lines().count() as u32),
        };
        end.unwrap_or_default()
    };
    let last = last(asked.cell);
    if number == 0 || number > last {
        let name = source.name_with_cell(asked.cell);
        let has = match last {
            0 => "has no such line".to_owned(),
            1 => "has 1 line".to_owned(),
            last => format!("has {last} lines"),
        };
        bail!("{name} {has}, and no line {number}; {}", lines_with_findings());
    }
    let line = Line { file, cell: asked.cell, number };
    let checked = Checked { findings: &outcome.findings, ran: &outcome.ran };
    let mut whole = Vec::new();
    tell(&sources, &settings, &rules, line, &checked, &mut whole)?;
    let text = String::from_utf8_lossy(&whole);
    ignoring_closed_pipe(out.write_all(harmless(&text, Form::Plain).as_bytes()))?;
    Ok(0)
}

/// What was typed.
struct WhyQuestion {
    path: PathBuf,
    cell: Option<u32>,
    line: Option<u32>,
}

impl WhyQuestion {
    /// `train.py:12`, `train.py:12:5`, `notes.ipynb:cell 2:3`; without a line only the file.
    fn read(text: &str) -> WhyQuestion {
        let mut rest = text.trim_end_matches(':');
        let mut numbers = Vec::new();
        while let Some((before, number)) = rest.rsplit_once(':')
            && let Ok(number) = number.trim().parse::<u32>()
        {
            numbers.insert(0, number);
            rest = before;
        }
        let (path, cell) = match rest.rsplit_once(":cell ") {
            Some((path, cell)) => (path, cell.trim().parse().ok()),
            None => (rest, None),
        };
        WhyQuestion { path: PathBuf::from(path), cell, line: numbers.first().copied() }
    }
}

fn line_of(sources: &Sources, place: Place) -> String {
    let position = sources.position(place);
    match position.cell {
        Some(cell) => format!("cell {cell}:{}", position.line),
        None => position.line.to_string(),
    }
}

/// "; did you mean src/train.py?", from the files that there are.
fn instead(sources: &Sources, root: &Path, asked: &Path) -> String {
    let asked = crate::disk::absolute(asked);
    let name = asked.strip_prefix(root).unwrap_or(&asked).to_string_lossy().replace('\\', "/");
    let likeness = |file: &usize| {
        let other = &sources.file(FileId(*file as u32)).name;
        let same_end = other.rsplit('/').next() == name.rsplit('/').next();
        strsim::normalized_damerau_levenshtein(&name, other) + if same_end { 1.0 } else { 0.0 }
    };
    let nearest = (0..sources.files.len()).max_by(|one, other| likeness(one).total_cmp(&likeness(other)));
    match nearest.filter(|file| likeness(file) >= 0.6) {
        Some(file) => format!("; did you mean {}?", sources.file(FileId(file as u32)).name),
        None => "; `gpulint check --show-files` lists those that are read".to_owned(),
    }
}
