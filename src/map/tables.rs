//! The map as tables: in Markdown, for the summary of a job or a page of a project's documentation, or in plain text.

use super::programs::PlacedText;
use super::sheet::{Marks, Sheet, listed};
use super::{Kind, Map, Module, ProgramLine, WhatIf};
use crate::report::word;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// # Errors
/// Only those of `out`.
pub fn write(map: &Map, marks: Marks, out: &mut dyn Write) -> io::Result<()> {
    let mut sheet = Sheet::new(marks, out);
    sheet.title("GPU map")?;
    sheet.paragraph(&map.headline())?;
    if map.is_empty() {
        return unread(map, &mut sheet);
    }
    let counts = map.counts();
    let rows = Kind::ALL.iter().filter_map(|kind| Some((kind, counts.get(kind)?)));
    let rows = rows.map(|(kind, (places, modules))| {
        vec![marks.prose(kind.words()), places.to_string(), modules.to_string()]
    });
    sheet.section("Summary", &["what", "#places", "#modules"], rows.collect())?;
    match marks {
        Marks::Markdown => programs(map, &mut sheet)?,
        Marks::Plain => {
            sheet.heading("Programs")?;
            super::write_table(map, sheet.out)?;
            writeln!(sheet.out)?;
        }
    }
    let heads = ["launcher", "starts", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"];
    sheet.section("Launchers", &heads, launchers(map, marks))?;
    let modules = map.modules.iter().map(|module| module_row(module, marks)).collect();
    sheet.section("Modules", &["module", "part", "what, and in which lines", "findings"], modules)?;
    let crossing = map.crossing().map(|edge| {
        let loads = if edge.loads_gpu_library { "yes" } else { "" };
        let (from, to) = (marks.code(&edge.from.to_string()), marks.code(&edge.to));
        vec![from, to, edge.kind.word().to_owned(), loads.to_owned()]
    });
    sheet.section(
        "Imports from the CPU part into the GPU part",
        &["import", "leads to", "when", "loads a GPU library at import"],
        crossing.collect(),
    )?;
    chains(map, &mut sheet)?;
    let variables = map.variables.iter().map(|variable| {
        let places = |spots: &[super::PlaceText]| {
            listed(spots.iter().map(|spot| marks.code(&spot.to_string())).collect())
        };
        vec![marks.code(&variable.name), places(&variable.set), places(&variable.read)]
    });
    sheet.section("Variables", &["variable", "set", "read"], variables.collect())?;
    let rivals = map.rivals.iter().map(|rivals| {
        let switches = rivals.switches.iter().map(|switch| {
            let what = if switch.is_constant { "constant" } else { "variable" };
            format!("{} ({what}, {})", marks.code(&switch.name), marks.code(&switch.first.to_string()))
        });
        vec![rivals.decides.words().to_owned(), listed(switches.collect())]
    });
    sheet.section("Switches that decide the same", &["decides", "switches"], rivals.collect())?;
    unread(map, &mut sheet)
}

/// Only what the programs take.
///
/// # Errors
/// Only those of `out`.
pub fn write_programs(map: &Map, marks: Marks, out: &mut dyn Write) -> io::Result<()> {
    programs(map, &mut Sheet::new(marks, out))
}

fn programs(map: &Map, sheet: &mut Sheet<'_>) -> io::Result<()> {
    let marks = sheet.marks;
    let using = map.programs.iter().filter(|line| line.uses_gpu());
    let asking = map.programs.iter().filter(|line| line.asks.is_some());
    let rows = using.chain(asking).map(|line| program_row(line, marks)).collect();
    let heads = ["program", "how it is started", "card", "decided by", "too late"];
    sheet.section("Programs", &heads, rows)?;
    map.what_if.iter().try_for_each(|what_if| changes(what_if, sheet))
}

fn program_row(line: &ProgramLine, marks: Marks) -> Vec<String> {
    let started = match &line.launcher {
        Some(launcher) => marks.code(&launcher.to_string()),
        None => marks.prose(&line.start),
    };
    let deed =
        |deed: &PlacedText| format!("{} {}", marks.code(&deed.spot.to_string()), marks.prose(&deed.text));
    let decided = match &line.asks {
        Some(asks) => deed(asks),
        None => listed(line.decided_by().into_iter().map(deed).collect()),
    };
    let cut = if line.complete { "" } else { " (not followed to its end)" };
    let card = format!("{}{cut}", marks.prose(&line.card_words()));
    vec![marks.code(&line.path), started, card, decided, listed(line.too_late.iter().map(deed).collect())]
}

fn launchers(map: &Map, marks: Marks) -> Vec<Vec<String>> {
    let started = map.programs.iter().filter_map(|line| Some((line.launcher.as_ref()?, line)));
    let rows = started.map(|(launcher, line)| {
        let (mask, order) = (marks.prose(&line.mask.words()), marks.prose(&line.order.words()));
        vec![marks.code(&launcher.to_string()), marks.code(&line.path), mask, order]
    });
    rows.collect()
}

fn module_row(module: &Module, marks: Marks) -> Vec<String> {
    let mut kinds: BTreeMap<Kind, Vec<String>> = BTreeMap::new();
    for touched in &module.touchpoints {
        let lines = kinds.entry(touched.kind).or_default();
        let line = touched.spot.line();
        if lines.last() != Some(&line) {
            lines.push(line);
        }
    }
    let kinds = kinds.into_iter().map(|(kind, lines)| format!("{} {}", kind.name(), listed(lines)));
    let kinds = kinds.collect::<Vec<_>>().join(marks.between());
    let findings = module.findings.iter();
    let findings = findings
        .map(|fault| format!("{} {} {}", word(fault.severity), marks.code(&fault.rule), fault.spot.line()));
    vec![marks.code(&module.path), module.part.word().to_owned(), kinds, listed(findings.collect())]
}

fn chains(map: &Map, sheet: &mut Sheet<'_>) -> io::Result<()> {
    let marks = sheet.marks;
    let rows = map.chains.iter().map(|chain| {
        let hops = chain.hops.iter().map(|hop| {
            let (from, to) = (marks.code(&hop.spot.to_string()), marks.code(&hop.to));
            format!("{from} → {to} ({})", hop.kind.word())
        });
        vec![marks.code(&chain.entry), hops.collect::<Vec<_>>().join(marks.between())]
    });
    sheet.section("Ways of the CPU part to a GPU library", &["from", "by"], rows.collect())?;
    match map.chains_left_out {
        0 => Ok(()),
        more => {
            sheet.paragraph(&format!("Further ways, none shorter than those of the same module: {more}."))
        }
    }
}

fn changes(what_if: &WhatIf, sheet: &mut Sheet<'_>) -> io::Result<()> {
    let marks = sheet.marks;
    sheet.heading("What if")?;
    sheet.paragraph(&what_if.headline())?;
    let rows = what_if.changes.iter().map(|change| {
        let fails = if change.fails { "fails" } else { "" };
        let (before, then) = (change.before_words(), change.program.card_words());
        vec![marks.code(&change.program.name()), marks.prose(&before), marks.prose(&then), fails.to_owned()]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    match rows.is_empty() {
        true => Ok(()),
        false => sheet.table(&["program", "before", "then", ""], rows),
    }
}

fn unread(map: &Map, sheet: &mut Sheet<'_>) -> io::Result<()> {
    let marks = sheet.marks;
    let skipped = map.skipped.iter().map(|one| vec![marks.code(&one.path), marks.prose(&one.reason)]);
    let why = "its programs are too large: they were not followed to their end";
    let cut = map.unfinished.iter().map(|path| vec![marks.code(path), why.to_owned()]);
    let starts =
        map.starts_left_out.iter().map(|more| vec![marks.code(&more.path), marks.prose(&more.words())]);
    sheet.section("Not read", &["file", "why"], skipped.chain(cut).chain(starts).collect())
}
