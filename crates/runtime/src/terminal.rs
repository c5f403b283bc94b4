//! Text for a terminal: words that are wrapped, and tables.

use crate::report::printable::{printable, sentence};
use std::fmt::Write;

/// Longer lines are wrapped, except for tables and what is to be copied.
const WIDTH: usize = 100;

/// Words up to the width; the lines after the first are indented.
pub fn wrapped(text: &str, indent: usize, page: &mut String) {
    let mut column = indent;
    for (at, word) in text.split(' ').enumerate() {
        let length = word.chars().count();
        if at > 0 && column + 1 + length > WIDTH {
            let _ = write!(page, "\n{:indent$}", "");
            column = indent;
        } else if at > 0 {
            page.push(' ');
            column += 1;
        }
        page.push_str(word);
        column += length;
    }
    page.push('\n');
}

/// Columns as wide as their widest cell, indented by two.
pub fn table(rows: &[Vec<String>], page: &mut String) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| printable(cell).chars().count()).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for row in rows {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("  {:width$}", printable(cell)));
        let line: String = cells.collect();
        let _ = writeln!(page, "{}", line.trim_end());
    }
}

/// A section, if there is anything in it: names in a column, and what there is to say beside them.
pub fn facts(title: &str, facts: &[(impl AsRef<str>, String)], page: &mut String) {
    /// A longer name stands on a line of its own, before what there is to say.
    const WIDEST: usize = 24;
    if facts.is_empty() {
        return;
    }
    let _ = writeln!(page, "\n{title}");
    let names: Vec<String> = facts.iter().map(|(name, _)| sentence(name.as_ref())).collect();
    let widths = names.iter().map(|name| name.chars().count()).filter(|width| *width <= WIDEST);
    let width = widths.max().unwrap_or_default();
    for (name, (_, text)) in names.iter().zip(facts) {
        if name.chars().count() > WIDEST {
            let _ = write!(page, "  {name}\n  {:width$}  ", "");
        } else {
            let _ = write!(page, "  {name:width$}  ");
        }
        wrapped(&sentence(text), width + 4, page);
    }
}
