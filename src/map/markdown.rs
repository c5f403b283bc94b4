//! The map in Markdown: for the summary of a job, or a page of a project's documentation.

use super::{Kind, Map, Module, ProgramLine, WhatIf};
use crate::report::markdown::{code, prose};
use crate::report::word;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Longer lists are read by programs, which have JSON.
const MOST_ROWS: usize = 500;
/// So many places stand in one cell.
const MOST_PLACES: usize = 12;

/// # Errors
/// Only those of `out`.
pub fn write(map: &Map, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "# GPU map\n\n{}\n", prose(&map.headline()))?;
    if map.is_empty() {
        return unread(map, out);
    }
    let counts = map.counts();
    let rows = Kind::ALL.iter().filter_map(|kind| Some((kind, counts.get(kind)?)));
    let rows =
        rows.map(|(kind, (places, modules))| format!("| {} | {places} | {modules} |", prose(kind.words())));
    table(out, "Summary", "| what | places | modules |\n|---|--:|--:|", rows.collect())?;
    write_programs(map, out)?;
    table(
        out,
        "Launchers",
        "| launcher | starts | CUDA_VISIBLE_DEVICES | CUDA_DEVICE_ORDER |\n|---|---|---|---|",
        launchers(map),
    )?;
    let modules = map.modules.iter().map(module_row).collect();
    table(
        out,
        "Modules",
        "| module | part | what, and in which lines | findings |\n|---|---|---|---|",
        modules,
    )?;
    let crossing = map.crossing().map(|edge| {
        let loads = if edge.loads_gpu_library { "yes" } else { "" };
        format!("| {} | {} | {} | {loads} |", code(&edge.from.to_string()), code(&edge.to), edge.kind.word())
    });
    table(
        out,
        "Imports from the CPU part into the GPU part",
        "| import | leads to | when | loads a GPU library at import |\n|---|---|---|---|",
        crossing.collect(),
    )?;
    let chains = map.chains.iter().map(|chain| {
        let hops = chain
            .hops
            .iter()
            .map(|hop| format!("{} → {} ({})", code(&hop.spot.to_string()), code(&hop.to), hop.kind.word()));
        format!("| {} | {} |", code(&chain.entry), hops.collect::<Vec<_>>().join("<br>"))
    });
    table(out, "Ways of the CPU part to a GPU library", "| from | by |\n|---|---|", chains.collect())?;
    let variables = map.variables.iter().map(|variable| {
        let places =
            |spots: &[super::PlaceText]| listed(spots.iter().map(|spot| code(&spot.to_string())).collect());
        format!("| {} | {} | {} |", code(&variable.name), places(&variable.set), places(&variable.read))
    });
    table(out, "Variables", "| variable | set | read |\n|---|---|---|", variables.collect())?;
    let rivals = map.rivals.iter().map(|rivals| {
        let switches = rivals.switches.iter().map(|switch| {
            let what = if switch.is_constant { "constant" } else { "variable" };
            format!("{} ({what}, {})", code(&switch.name), code(&switch.first.to_string()))
        });
        format!("| {} | {} |", rivals.decides.words(), listed(switches.collect()))
    });
    table(out, "Switches that decide the same", "| decides | switches |\n|---|---|", rivals.collect())?;
    unread(map, out)
}

/// Only what the programs take.
///
/// # Errors
/// Only those of `out`.
pub fn write_programs(map: &Map, out: &mut dyn Write) -> io::Result<()> {
    let rows = map.programs.iter().filter(|line| line.uses_gpu()).map(program_row).collect();
    table(
        out,
        "Programs",
        "| program | how it is started | card | decided by | too late |\n|---|---|---|---|---|",
        rows,
    )?;
    map.what_if.iter().try_for_each(|what_if| changes(what_if, out))
}

fn program_row(line: &ProgramLine) -> String {
    let started = match &line.launcher {
        Some(launcher) => code(&launcher.to_string()),
        None => prose(&line.start),
    };
    let deeds = |deeds: Vec<&super::programs::PlacedText>| {
        listed(
            deeds
                .iter()
                .map(|deed| format!("{} {}", code(&deed.spot.to_string()), prose(&deed.text)))
                .collect(),
        )
    };
    let cut = if line.complete { "" } else { " (not followed to its end)" };
    format!(
        "| {} | {started} | {}{cut} | {} | {} |",
        code(&line.path),
        prose(&line.card_words()),
        deeds(line.decided_by()),
        deeds(line.too_late.iter().collect())
    )
}

fn launchers(map: &Map) -> Vec<String> {
    let started = map.programs.iter().filter_map(|line| Some((line.launcher.as_ref()?, line)));
    let rows = started.map(|(launcher, line)| {
        let launcher = code(&launcher.to_string());
        format!(
            "| {launcher} | {} | {} | {} |",
            code(&line.path),
            prose(&line.mask.words()),
            prose(&line.order.words())
        )
    });
    rows.collect()
}

fn module_row(module: &Module) -> String {
    let mut kinds: BTreeMap<Kind, Vec<String>> = BTreeMap::new();
    for touched in &module.touchpoints {
        let lines = kinds.entry(touched.kind).or_default();
        let line = touched.spot.line();
        if lines.last() != Some(&line) {
            lines.push(line);
        }
    }
    let kinds = kinds.into_iter().map(|(kind, lines)| format!("{} {}", kind.name(), listed(lines)));
    let findings = module
        .findings
        .iter()
        .map(|fault| format!("{} {} {}", word(fault.severity), code(&fault.rule), fault.spot.line()));
    format!(
        "| {} | {} | {} | {} |",
        code(&module.path),
        module.part.word(),
        kinds.collect::<Vec<_>>().join("<br>"),
        listed(findings.collect())
    )
}

fn changes(what_if: &WhatIf, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "## What if\n\n{}\n", prose(&what_if.headline()))?;
    let rows = what_if.changes.iter().map(|change| {
        let fails = if change.fails { "fails" } else { "" };
        format!(
            "| {} | {} | {} | {fails} |",
            code(&change.program.name()),
            prose(&change.before_words()),
            prose(&change.program.card_words())
        )
    });
    let rows: Vec<String> = rows.collect();
    if rows.is_empty() {
        return Ok(());
    }
    rows_of(out, "| program | before | then | |\n|---|---|---|---|", rows)
}

fn unread(map: &Map, out: &mut dyn Write) -> io::Result<()> {
    let skipped = map.skipped.iter().map(|one| format!("| {} | {} |", code(&one.path), prose(&one.reason)));
    let cut = map.unfinished.iter();
    let cut = cut.map(|path| {
        format!("| {} | its programs are too large: they were not followed to their end |", code(path))
    });
    table(out, "Not read", "| file | why |\n|---|---|", skipped.chain(cut).collect())
}

fn table(out: &mut dyn Write, title: &str, head: &str, rows: Vec<String>) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(out, "## {title}\n")?;
    rows_of(out, head, rows)
}

fn rows_of(out: &mut dyn Write, head: &str, rows: Vec<String>) -> io::Result<()> {
    writeln!(out, "{head}")?;
    for row in rows.iter().take(MOST_ROWS) {
        writeln!(out, "{row}")?;
    }
    if let more @ 1.. = rows.len().saturating_sub(MOST_ROWS) {
        writeln!(out, "\nand {more} more; `--format json` has all")?;
    }
    writeln!(out)
}

/// Several things in one cell.
fn listed(mut each: Vec<String>) -> String {
    let more = each.len().saturating_sub(MOST_PLACES);
    each.truncate(MOST_PLACES);
    if more > 0 {
        each.push(format!("and {more} more"));
    }
    each.join(", ")
}
