//! The picture: boxes and lines in SVG. Each box is a link to its module, or to a picture of the modules that it stands for, so it
//! works without a script and with the keyboard.

use super::Page;
use crate::map::drawing::{Drawing, DrawnBox, DrawnBoxKind, Line, LineKind, Sketch};
use crate::map::layout::Layout;
use crate::map::{ImportKind, Map, Part};
use crate::report::{printable, word};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// More pictures make a page that is too long; what is left folded then leads to its first module.
const MOST_INSIDES: usize = 200;

pub fn of(map: &Map, page: &Page<'_>) -> Markup {
    let sketch = Sketch::of(map);
    let drawing = sketch.whole();
    if drawing.boxes.is_empty() {
        return html! {};
    }
    let insides = Insides::of(&sketch, &drawing);
    html! {
        section #picture {
            h2 { "Picture" }
            (legend(&drawing))
            @if !insides.all.is_empty() {
                p { "There are too many modules to draw each: a box with a number is a folder with so many of them, and opens." }
            }
            (svg(&drawing, &insides, page))
            @for (number, inside) in insides.all.iter().enumerate() {
                div.inside #(format!("f{number}")) {
                    h3 { (printable(&inside.label)) }
                    p { a href="#picture" { "back to all" } }
                    (svg(&inside.drawing, &insides, page))
                    @if !inside.undivided.is_empty() {
                        ul { @for path in &inside.undivided { li { (page.target(path)) } } }
                    }
                }
            }
        }
    }
}

/// The pictures of folded boxes.
struct Insides<'m> {
    all: Vec<Inside<'m>>,
    /// Where each is, by the modules that it is of.
    numbers: BTreeMap<Vec<usize>, usize>,
}

/// What is in a folded box, with what it is tied to.
struct Inside<'m> {
    label: String,
    drawing: Drawing<'m>,
    /// The paths of modules that nothing divides, and that are too many to be drawn.
    undivided: Vec<&'m str>,
}

impl<'m> Insides<'m> {
    /// Of all boxes that can be reached from a drawing, those that are nearest first.
    fn of(sketch: &Sketch<'m>, drawing: &Drawing<'m>) -> Insides<'m> {
        let mut insides = Insides { all: Vec::new(), numbers: BTreeMap::new() };
        let mut found = insides.new_in(sketch, drawing);
        let mut next = 0;
        while insides.all.len() < MOST_INSIDES && !found.is_empty() {
            insides.all.append(&mut found);
            while found.is_empty() && next < insides.all.len() {
                let drawing = std::mem::take(&mut insides.all[next].drawing);
                found = insides.new_in(sketch, &drawing);
                insides.all[next].drawing = drawing;
                next += 1;
            }
        }
        insides
    }

    /// The pictures of those boxes that have none yet, as many as there may be.
    fn new_in(&mut self, sketch: &Sketch<'m>, drawing: &Drawing<'m>) -> Vec<Inside<'m>> {
        let mut found = Vec::new();
        for (at, one) in drawing.boxes.iter().enumerate().filter(|(_, one)| one.modules.len() > 1) {
            if self.numbers.contains_key(&one.members) || self.numbers.len() == MOST_INSIDES {
                continue;
            }
            self.numbers.insert(one.members.clone(), self.numbers.len());
            let inside = sketch.inside(drawing, at);
            let is_whole = inside.boxes.iter().any(|other| other.members == one.members);
            let modules = one.modules.iter().filter(|_| is_whole);
            let undivided = modules.map(|module| module.path.as_str()).collect();
            found.push(Inside { label: one.label.clone(), drawing: inside, undivided });
        }
        found
    }
}

fn svg(drawing: &Drawing<'_>, insides: &Insides<'_>, page: &Page<'_>) -> Markup {
    let layout = Layout::of(drawing);
    let size = format!("0 0 {:.0} {:.0}", layout.width, layout.height);
    html! {
        @if drawing.left_out > 0 { p.left-out { (drawing.left_out) " lines are left out." } }
        div.picture tabindex="0" {
            svg viewBox=(size) width=(format!("{:.0}", layout.width)) height=(format!("{:.0}", layout.height))
                role="group" aria-label="modules and the imports between them" {
                @for line in &drawing.lines { (path(line, drawing, &layout)) }
                @for (at, one) in drawing.boxes.iter().enumerate() { (bx(at, one, &layout, insides, page)) }
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

fn bx(at: usize, one: &DrawnBox<'_>, layout: &Layout, insides: &Insides<'_>, page: &Page<'_>) -> Markup {
    let area = layout.areas[at];
    let worst = one.modules.iter().filter_map(|module| module.danger()).max().map(word);
    let class = format!("box {} {}", one.kind.word(), worst.unwrap_or_default());
    let numbers: Vec<String> =
        one.modules.iter().filter_map(|module| page.module_address(&module.path)).collect();
    let inside = insides.numbers.get(&one.members).map(|number| format!("#f{number}"));
    let address = inside.or_else(|| numbers.first().map(|first| format!("#{first}")));
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
