//! The picture: boxes and lines in SVG. Each box is a link to its modules, so it works without a script and with the keyboard.

use super::Page;
use crate::map::drawing::{Drawing, DrawnBox, DrawnBoxKind, Line, LineKind};
use crate::map::layout::Layout;
use crate::map::{ImportKind, Map, Part};
use crate::report::{printable, word};
use maud::{Markup, html};

pub fn of(map: &Map, page: &Page<'_>) -> Markup {
    let drawing = Drawing::of(map);
    if drawing.boxes.is_empty() {
        return html! {};
    }
    let layout = Layout::of(&drawing);
    let is_folded = drawing.boxes.iter().any(|one| one.modules.len() > 1);
    let size = format!("0 0 {:.0} {:.0}", layout.width, layout.height);
    html! {
        section #picture {
            h2 { "Picture" }
            (legend(&drawing))
            @if is_folded { p { "There are too many modules to draw each: a box is a folder, with the number of its modules." } }
            @if drawing.left_out > 0 { p.left-out { (drawing.left_out) " lines are left out." } }
            div.picture tabindex="0" {
                svg viewBox=(size) width=(format!("{:.0}", layout.width)) height=(format!("{:.0}", layout.height))
                    role="group" aria-label="modules and the imports between them" {
                    @for line in &drawing.lines { (path(line, &drawing, &layout)) }
                    @for (at, one) in drawing.boxes.iter().enumerate() { (bx(at, one, &layout, page)) }
                }
            }
        }
    }
}

fn legend(drawing: &Drawing<'_>) -> Markup {
    let kinds = [
        (DrawnBoxKind::Part(Part::Launcher), "launchers"),
        (DrawnBoxKind::Part(Part::Cpu), "CPU part"),
        (DrawnBoxKind::Part(Part::Gpu), "GPU part"),
        (DrawnBoxKind::Part(Part::Data), "data"),
        (DrawnBoxKind::Library, "GPU libraries"),
    ];
    let kinds = kinds.into_iter().filter(|(kind, _)| drawing.boxes.iter().any(|one| one.kind == *kind));
    html! {
        p.legend {
            @for (kind, words) in kinds { span class=(format!("box {}", kind.word())) { (words) } " " }
            span.line.crosses.loads { "into the GPU part, with a GPU library at import" } " "
            span.line.crosses { "into the GPU part, later" } " "
            span.line { "import" } " "
            span.line.later { "import when called" } " "
            span.line.starts { "starts" }
        }
    }
}

fn bx(at: usize, one: &DrawnBox<'_>, layout: &Layout, page: &Page<'_>) -> Markup {
    let area = layout.areas[at];
    let worst = one.modules.iter().filter_map(|module| module.danger()).max().map(word);
    let class = format!("box {} {}", one.kind.word(), worst.unwrap_or_default());
    let numbers: Vec<String> =
        one.modules.iter().filter_map(|module| page.module_address(&module.path)).collect();
    let address = numbers.first().map(|first| format!("#{first}"));
    let inside = html! {
        rect x=(format!("{:.0}", area.x)) y=(format!("{:.0}", area.y)) rx="4"
            width=(format!("{:.0}", area.width)) height=(format!("{:.0}", area.height)) {}
        text x=(format!("{:.0}", area.x + 9.0)) y=(format!("{:.0}", area.y + area.height / 2.0 + 4.0)) {
            (printable(&one.label))
        }
        title { (printable(&one.label)) @if let Some(worst) = worst { ": " (worst) } }
    };
    html! {
        @match address {
            Some(address) => a class=(class) data-box=(at) data-modules=(numbers.join(" ")) href=(address) { (inside) },
            None => g class=(class) data-box=(at) { (inside) },
        }
    }
}

fn path(line: &Line, drawing: &Drawing<'_>, layout: &Layout) -> Markup {
    let later = match line.what {
        LineKind::Starts => " starts",
        LineKind::Import(ImportKind::Eager | ImportKind::Guarded) => "",
        LineKind::Import(_) => " later",
    };
    let crosses = if line.crosses { " crosses" } else { "" };
    let loads = if line.crosses && line.loads { " loads" } else { "" };
    let (from, to) = (&drawing.boxes[line.from].label, &drawing.boxes[line.to].label);
    html! {
        path class=(format!("line{later}{crosses}{loads}")) d=(layout.path(line.from, line.to))
            data-from=(line.from) data-to=(line.to) {
            title { (printable(from)) " → " (printable(to)) ", " (line.what.word()) @if line.count > 1 { ", " (line.count) " times" } }
        }
    }
}
