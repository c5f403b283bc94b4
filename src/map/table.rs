//! The programs as a table for a terminal: which card each takes, who starts it, and what says so.

use super::programs::PlacedText;
use super::{Map, ProgramLine};
use crate::report::printable;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// A column is not wider than this, but for the last.
const MOST_WIDE: usize = 72;

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
        columns(&[head].into_iter().chain(rows).collect::<Vec<_>>(), out)?;
        writeln!(out)?;
        for (card, count) in by_card(&using) {
            let noun = if count == 1 { "program" } else { "programs" };
            writeln!(out, "{}: {count} {noun}", printable(&card))?;
        }
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
    columns(&[head].into_iter().chain(rows).collect::<Vec<_>>(), out)
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
    let started = line.launcher.as_ref().map_or_else(|| line.start.clone(), ToString::to_string);
    let decided = match line.decided_by() {
        deeds if deeds.is_empty() => "nothing".to_owned(),
        deeds => places(deeds),
    };
    [line.path.clone(), started, line.card_words(), decided, places(line.too_late.iter().collect())]
}

/// How many programs take each card.
fn by_card(programs: &[&ProgramLine]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for line in programs {
        *counts.entry(line.card_words()).or_insert(0) += 1;
    }
    counts
}

/// Rows with each column as wide as its widest cell.
fn columns<const N: usize>(rows: &[[String; N]], out: &mut dyn Write) -> io::Result<()> {
    let width = |text: &String| text.chars().count();
    let widths: Vec<usize> =
        (0..N).map(|at| rows.iter().map(|row| width(&row[at])).max().unwrap_or(0).min(MOST_WIDE)).collect();
    for row in rows {
        let mut line = String::new();
        for (cell, wide) in row.iter().zip(&widths) {
            line.push_str(&printable(cell));
            line.extend(std::iter::repeat_n(' ', wide.saturating_sub(width(cell)) + 2));
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}
