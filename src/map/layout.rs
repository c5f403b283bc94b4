//! Where the boxes of a drawing stand: in columns from left to right, so that lines lead on, by the algorithm of Sugiyama.

use super::drawing::{Drawing, DrawnBoxKind};
use rust_sugiyama::configure::Config;
use rust_sugiyama::from_vertices_and_edges;
use std::collections::BTreeSet;

/// Of a letter in the font of the boxes.
const LETTER: f64 = 7.3;
/// Above and below, and left and right of a label.
const HEIGHT: f64 = 26.0;
const PADDING: f64 = 18.0;
/// Between boxes that have nothing between them.
const GAP: f64 = 14.0;
/// Between columns, where the lines run.
const ALLEY: f64 = 110.0;
/// Around all.
const MARGIN: f64 = 12.0;

/// A box, in pixels from the left and from the top.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Area {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

/// The boxes of a drawing, in its order, and the size of all.
#[derive(Debug, Default)]
pub struct Layout {
    pub areas: Vec<Area>,
    pub width: f64,
    pub height: f64,
}

impl Layout {
    pub fn of(drawing: &Drawing<'_>) -> Layout {
        let widths: Vec<f64> =
            drawing.boxes.iter().map(|one| one.label.chars().count() as f64 * LETTER + PADDING).collect();
        let lines = without_circles(drawing);
        // The algorithm puts rows below each other; seen from the side they are columns.
        let vertices: Vec<(u32, (f64, f64))> =
            widths.iter().enumerate().map(|(at, width)| (at as u32, (HEIGHT, width + ALLEY))).collect();
        let config = Config { vertex_spacing: GAP, ..Config::default() };
        let mut layout = Layout { areas: vec![Area::default(); widths.len()], ..Layout::default() };
        let mut pieces = from_vertices_and_edges(&vertices, &lines, &config);
        // What hangs together the most comes first.
        pieces.sort_by_key(|(placed, ..)| (usize::MAX - placed.len(), placed.iter().map(|one| one.0).min()));
        let mut top = MARGIN;
        for (placed, ..) in pieces {
            let least =
                |of: fn(&(usize, (f64, f64))) -> f64| placed.iter().map(of).fold(f64::INFINITY, f64::min);
            let (left, above) = (least(|one| one.1.1), least(|one| one.1.0));
            let mut bottom = top;
            for &(at, (down, along)) in &placed {
                let Some(area) = layout.areas.get_mut(at) else { continue };
                *area = Area {
                    x: MARGIN + along - left,
                    y: top + down - above,
                    width: widths[at],
                    height: HEIGHT,
                };
                bottom = bottom.max(area.y + HEIGHT);
            }
            top = bottom + GAP;
        }
        layout.align(drawing);
        layout.width = layout.areas.iter().map(|area| area.x + area.width).fold(0.0, f64::max) + MARGIN;
        layout.height = layout.areas.iter().map(|area| area.y + area.height).fold(0.0, f64::max) + MARGIN;
        layout
    }

    /// Libraries stand in the last column, whoever leads to them.
    fn align(&mut self, drawing: &Drawing<'_>) {
        let is_library = |at: &usize| drawing.boxes[*at].kind == DrawnBoxKind::Library;
        let all = 0..self.areas.len();
        let right =
            all.clone().filter(|at| !is_library(at)).map(|at| self.areas[at].x + self.areas[at].width);
        let right = right.fold(0.0, f64::max) + ALLEY;
        let mut libraries: Vec<usize> = all.filter(is_library).collect();
        libraries.sort_by(|one, other| self.areas[*one].y.total_cmp(&self.areas[*other].y));
        let mut free = MARGIN;
        for at in libraries {
            let area = &mut self.areas[at];
            area.x = right;
            area.y = area.y.max(free);
            free = area.y + area.height + GAP;
        }
    }

    /// The path of a line between two boxes, as SVG writes it.
    pub fn path(&self, from: usize, to: usize) -> String {
        let (from, to) = (self.areas[from], self.areas[to]);
        let (middle, target) = (from.y + from.height / 2.0, to.y + to.height / 2.0);
        if to.x > from.x + from.width {
            let (start, end) = (from.x + from.width, to.x);
            let bend = (end - start) / 2.0;
            return format!(
                "M{start:.0} {middle:.0}C{:.0} {middle:.0} {:.0} {target:.0} {end:.0} {target:.0}",
                start + bend,
                end - bend
            );
        }
        // Back to an earlier column, or within one.
        let (start, end) = (from.x + from.width, to.x + to.width);
        let out = start.max(end) + ALLEY / 3.0;
        format!("M{start:.0} {middle:.0}C{out:.0} {middle:.0} {out:.0} {target:.0} {end:.0} {target:.0}")
    }
}

/// The lines as pairs, each once, without those that lead back to where they come from: the algorithm knows none.
fn without_circles(drawing: &Drawing<'_>) -> Vec<(u32, u32)> {
    let mut leads: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); drawing.boxes.len()];
    drawing
        .lines
        .iter()
        .filter(|line| line.from != line.to)
        .for_each(|line| _ = leads[line.from].insert(line.to));
    /// Of a box on the walk.
    #[derive(Clone, Copy, PartialEq)]
    enum VisitState {
        New,
        Open,
        Done,
    }
    let mut walked = vec![VisitState::New; leads.len()];
    let mut kept = Vec::new();
    for start in 0..leads.len() {
        if walked[start] != VisitState::New {
            continue;
        }
        walked[start] = VisitState::Open;
        let mut pending = vec![(start, leads[start].iter().copied().collect::<Vec<_>>())];
        while let Some((at, rest)) = pending.last_mut() {
            let at = *at;
            let Some(next) = rest.pop() else {
                walked[at] = VisitState::Done;
                pending.pop();
                continue;
            };
            if walked[next] != VisitState::Open {
                kept.push((at as u32, next as u32));
            }
            if walked[next] == VisitState::New {
                walked[next] = VisitState::Open;
                pending.push((next, leads[next].iter().copied().collect()));
            }
        }
    }
    kept.sort();
    kept
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::map::drawing::{DrawnBox, Line, LineKind};
    use crate::map::{ImportKind, Part};

    fn drawing(count: usize, pairs: &[(usize, usize)]) -> Drawing<'static> {
        let boxes = (0..count).map(|at| DrawnBox {
            label: format!("module_{at}.py"),
            kind: if at + 1 == count { DrawnBoxKind::Library } else { DrawnBoxKind::Part(Part::Cpu) },
            members: vec![at],
            modules: Vec::new(),
        });
        let what = LineKind::Import(ImportKind::Eager);
        let line = |&(from, to)| Line { from, to, what, crosses: false, loads: false, count: 1 };
        Drawing { boxes: boxes.collect(), lines: pairs.iter().map(line).collect(), ..Drawing::default() }
    }

    /// Numbers below a bound, the same for each seed.
    pub fn numbers(seed: u64) -> impl FnMut(usize) -> usize {
        let mut state = seed;
        move |most| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % most
        }
    }

    fn overlaps(one: &Area, other: &Area) -> bool {
        one.x < other.x + other.width
            && other.x < one.x + one.width
            && one.y < other.y + other.height
            && other.y < one.y + one.height
    }

    /// Whatever leads to whatever: all boxes have a place, and none hides another.
    #[test]
    fn no_box_hides_another() {
        let mut next = numbers(7);
        for round in 0..60 {
            let count = 1 + next(40);
            let pairs: Vec<(usize, usize)> =
                (0..next(3 * count + 1)).map(|_| (next(count), next(count))).collect();
            let layout = Layout::of(&drawing(count, &pairs));
            for (at, one) in layout.areas.iter().enumerate() {
                assert!(one.width > 0.0 && one.x >= 0.0 && one.y >= 0.0, "round {round}: {one:?}");
                for other in &layout.areas[..at] {
                    assert!(!overlaps(one, other), "round {round}: {one:?} {other:?}");
                }
            }
        }
    }

    #[test]
    fn circles_are_cut_once() {
        let cut = without_circles(&drawing(4, &[(0, 1), (1, 2), (2, 0), (2, 3), (0, 1), (3, 3)]));
        assert_eq!(cut, [(0, 1), (1, 2), (2, 3)]);
        assert_eq!(Layout::of(&drawing(0, &[])).areas, []);
    }
}
