//! The map as a graph in the DOT language, for Graphviz and whatever else draws it.

use super::Map;
use super::drawing::{Drawing, DrawnBoxKind, Line, LineKind};
use super::{ImportKind, Part};
use crate::report::printable;
use std::io::{self, Write};

/// # Errors
/// Only those of `out`.
pub fn write(map: &Map, out: &mut dyn Write) -> io::Result<()> {
    let drawing = Drawing::of(map);
    writeln!(out, "digraph gpulint {{\n  rankdir=LR;\n  node [shape=box, style=filled, fillcolor=white];")?;
    let parts = [
        (DrawnBoxKind::Part(Part::Launcher), "launchers", "#fff3bf"),
        (DrawnBoxKind::Part(Part::Cpu), "CPU part", "#dbeafe"),
        (DrawnBoxKind::Part(Part::Gpu), "GPU part", "#dcfce7"),
        (DrawnBoxKind::Part(Part::Data), "data", "#f1f5f9"),
        (DrawnBoxKind::Library, "GPU libraries", "#bbf7d0"),
    ];
    for (kind, title, colour) in parts {
        let mut boxes = drawing.boxes.iter().enumerate().filter(|(_, one)| one.kind == kind).peekable();
        if boxes.peek().is_none() {
            continue;
        }
        writeln!(
            out,
            "  subgraph cluster_{} {{\n    label={};\n    color=\"{colour}\";",
            kind.word(),
            quoted(title)
        )?;
        for (at, one) in boxes {
            writeln!(out, "    n{at} [label={}, fillcolor=\"{colour}\"];", quoted(&one.label))?;
        }
        writeln!(out, "  }}")?;
    }
    for line in &drawing.lines {
        writeln!(out, "  n{} -> n{} [{}];", line.from, line.to, look(line))?;
    }
    if drawing.left_out > 0 {
        writeln!(out, "  // {} more lines are left out", drawing.left_out)?;
    }
    writeln!(out, "}}")
}

fn look(line: &Line) -> String {
    let style = match line.what {
        LineKind::Import(ImportKind::Eager | ImportKind::Guarded) => "solid",
        LineKind::Import(_) => "dashed",
        LineKind::Starts => "bold",
    };
    let count = if line.count > 1 { format!(" ({})", line.count) } else { String::new() };
    let colour = if line.crosses && line.loads {
        ", color=red"
    } else if line.crosses {
        ", color=orange"
    } else {
        ""
    };
    format!("label={}, style={style}{colour}", quoted(&format!("{}{count}", line.what.word())))
}

/// Text in quotes, in which nothing is a mark of DOT.
fn quoted(text: &str) -> String {
    format!("\"{}\"", printable(text).replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn text_of_others_is_only_text() {
        assert_eq!(quoted("a\"];\\n x\n"), "\"a\\\"];\\\\n x␊\"");
    }
}
