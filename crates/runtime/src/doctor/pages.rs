//! A diagnosis as text for a terminal, and as Markdown for a summary or an issue.

use super::Diagnosis;
use super::sections::{Line, sections};
use crate::report::printable;
use crate::runtime::terminal::{table, wrapped};
use std::fmt::Write;

/// For a terminal: one section after the other, names in a column.
pub fn text(diagnosis: &Diagnosis) -> String {
    let mut page = String::new();
    for section in sections(diagnosis) {
        if !page.is_empty() {
            page.push('\n');
        }
        let _ = writeln!(page, "{}", section.title);
        let widths = section.lines.iter().map(|line| match line {
            Line::Fact(name, _) => name.chars().count(),
            _ => 0,
        });
        let width = widths.max().unwrap_or_default();
        for line in &section.lines {
            match line {
                Line::Fact(name, text) => {
                    let _ = write!(page, "  {:width$}  ", printable(name));
                    wrapped(&printable(text), width + 4, &mut page);
                }
                Line::Table(rows) => table(rows, &mut page),
                Line::Sentence(text) => {
                    page.push_str("  ");
                    wrapped(&printable(text), 4, &mut page);
                }
                Line::Code(place, text) => {
                    let _ = writeln!(page, "  in {place}:");
                    for line in text.lines() {
                        let _ = writeln!(page, "    {}", printable(line));
                    }
                }
            }
        }
    }
    page
}

/// For GitHub: headings, tables and blocks.
pub fn markdown(diagnosis: &Diagnosis) -> String {
    let mut page = "# gpulint doctor\n".to_owned();
    for section in sections(diagnosis) {
        let _ = write!(page, "\n## {}\n", section.title);
        let mut in_table = false;
        for line in &section.lines {
            if !in_table || !matches!(line, Line::Fact(..)) {
                page.push('\n');
                in_table = false;
            }
            let _ = match line {
                Line::Fact(name, text) => {
                    if !in_table {
                        page.push_str("| | |\n|---|---|\n");
                        in_table = true;
                    }
                    writeln!(page, "| {} | {} |", cell(name), cell(text))
                }
                Line::Table(rows) => {
                    for (at, row) in rows.iter().enumerate() {
                        let cells: Vec<String> = row.iter().map(|text| cell(text)).collect();
                        let _ = writeln!(page, "| {} |", cells.join(" | "));
                        if at == 0 {
                            let _ = writeln!(page, "|{}", "---|".repeat(cells.len()));
                        }
                    }
                    Ok(())
                }
                Line::Sentence(text) => writeln!(page, "{}", cell(text)),
                Line::Code(place, text) => writeln!(page, "In {place}:\n\n```\n{text}\n```"),
            };
        }
    }
    page
}

/// Text inside of a table, which ends neither the cell nor the line.
fn cell(text: &str) -> String {
    let escaped = printable(text).replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;");
    escaped.replace('*', "\\*").replace('_', "\\_")
}
