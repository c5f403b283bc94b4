//! A diagnosis as text for a terminal, and as Markdown for a summary or an issue.

use super::Diagnosis;
use super::sections::{Line, sections};
use crate::report::printable;
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
            let _ = match line {
                Line::Fact(name, text) => writeln!(page, "  {:width$}  {}", printable(name), printable(text)),
                Line::Sentence(text) => writeln!(page, "  {}", printable(text)),
                Line::Code(place, text) => {
                    let indented: String =
                        text.lines().map(|line| format!("    {}\n", printable(line))).collect();
                    write!(page, "  in {place}:\n{indented}")
                }
            };
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
