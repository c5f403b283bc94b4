//! Text for a terminal: words that are wrapped, and tables.

use crate::report::printable;
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
