//! The programs as a table for a terminal: which card each takes, who starts it, and what says so.

use super::programs::PlacedText;
use super::sheet::columns;
use super::{Map, ProgramLine};
use crate::report::printable;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Of programs of which little is known, so many are named.
const MOST_ASKING: usize = 20;

/// # Errors
/// Only those of `out`.
pub fn write(map: &Map, out: &mut dyn Write) -> io::Result<()> {
    let (using, others): (Vec<&ProgramLine>, Vec<&ProgramLine>) =
        map.programs.iter().partition(|line| line.uses_gpu());
    if using.is_empty() {
        writeln!(out, "No program here uses a GPU.")?;
    } else {
        let head = ["program", "started by", "card", "decided by", "too late"].map(str::to_owned);
        let rows = using.iter().map(|line| row(line));
        told([head].into_iter().chain(rows), out)?;
        writeln!(out)?;
        for (card, count) in by_card(&using) {
            let noun = if count == 1 { "program" } else { "programs" };
            writeln!(out, "{}: {count} {noun}", printable(&card))?;
        }
    }
    let (asking, others): (Vec<&ProgramLine>, Vec<&ProgramLine>) =
        others.into_iter().partition(|line| line.asks.is_some());
    if !asking.is_empty() {
        let noun = if asking.len() == 1 { "program asks" } else { "programs ask" };
        writeln!(out, "{} {noun} for GPUs, and none was seen that it takes:", asking.len())?;
        let rows = asking.iter().take(MOST_ASKING).map(|line| {
            let asks = line.asks.as_ref().map(|deed| deed.spot.to_string()).unwrap_or_default();
            ["".to_owned(), line.path.clone(), started(line), asks]
        });
        told(rows, out)?;
        if let more @ 1.. = asking.len().saturating_sub(MOST_ASKING) {
            writeln!(out, "  and {more} more: `--format json` has all")?;
        }
    }
    for more in &map.starts_left_out {
        writeln!(out, "{} has {}.", printable(&more.path), more.words())?;
    }
    match others.len() {
        0 => {}
        1 => writeln!(out, "1 program uses no GPU, as far as it was followed.")?,
        count => writeln!(out, "{count} programs use no GPU, as far as they were followed.")?,
    }
    let Some(what_if) = &map.what_if else { return Ok(()) };
    writeln!(out, "\n{}", printable(&what_if.headline()))?;
    let head = ["program", "before", "then"].map(str::to_owned);
    let rows = what_if
        .changes
        .iter()
        .map(|change| [change.program.name(), change.before_words(), change.program.card_words()]);
    let rows: Vec<[String; 3]> = rows.collect();
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    told([head].into_iter().chain(rows), out)
}

fn row(line: &ProgramLine) -> [String; 5] {
    let places = |deeds: Vec<&PlacedText>| {
        let mut lines: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for deed in deeds {
            let lines = lines.entry(&deed.spot.path).or_default();
            let line = deed.spot.line();
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        lines
            .into_iter()
            .map(|(path, lines)| format!("{path}:{}", lines.join(",")))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let decided = match line.decided_by() {
        deeds if deeds.is_empty() => "nothing".to_owned(),
        deeds => places(deeds),
    };
    [line.path.clone(), started(line), line.card_words(), decided, places(line.too_late.iter().collect())]
}

fn started(line: &ProgramLine) -> String {
    line.launcher.as_ref().map_or_else(|| line.start.clone(), ToString::to_string)
}

/// How many programs take each card.
fn by_card(programs: &[&ProgramLine]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for line in programs {
        *counts.entry(line.card_words()).or_insert(0) += 1;
    }
    counts
}

/// Rows of text from files, in columns.
fn told<const N: usize>(rows: impl Iterator<Item = [String; N]>, out: &mut dyn Write) -> io::Result<()> {
    let rows = rows.map(|row| row.iter().map(|cell| printable(cell).into_owned()).collect());
    columns(&rows.collect::<Vec<_>>(), out)
}
