//! Lines in a frame with numbers beside it, as SVG that reads well on light and on dark ground.

use crate::report::printable::sentence;
use maud::html;
use std::borrow::Cow;
use std::fmt::Write;

pub struct Plot {
    pub title: String,
    /// What is counted from left to right, and upwards.
    pub x: &'static str,
    pub y: &'static str,
    pub lines: Vec<Line>,
    /// A height that is marked, and its name.
    pub level: Option<(&'static str, f64)>,
    pub from_zero: bool,
}

pub struct Line {
    pub name: Cow<'static, str>,
    pub points: Vec<(f64, f64)>,
}

/// More have no colour.
pub const MOST_LINES: usize = 3;

const WIDTH: f64 = 720.0;
/// How many letters of a title fit beside the frame: one of this size is at most eight units wide on average, also in wide fonts.
const OF_TITLE: usize = ((WIDTH - MARGINS[0]) / 8.0) as usize;
/// And of a line's name, beside the others.
const OF_NAME: usize = 23;
const HEIGHT: f64 = 300.0;
/// Around the lines: left, top, right, bottom.
const MARGINS: [f64; 4] = [64.0, 44.0, 16.0, 44.0];
/// Visible on white and on black. Dashes leave what lies below them visible.
const STROKES: [(&str, &str); MOST_LINES] = [("#0b7fd4", "none"), ("#d4620b", "6 6"), ("#8a8f98", "none")];

impl Plot {
    pub fn svg(&self) -> String {
        let points = || self.lines.iter().flat_map(|line| &line.points).copied();
        let level = self.level.map(|(_, level)| level);
        let floor = if self.from_zero { Some(0.0) } else { None };
        let across = Axis::of(points().map(|(x, _)| x), MARGINS[0], WIDTH - MARGINS[2]);
        let heights = points().map(|(_, y)| y).chain(level).chain(floor);
        // Down is more.
        let up = Axis::of(heights, HEIGHT - MARGINS[3], MARGINS[1]);
        let title = sentence(&self.title);
        let (left, right, bottom) = (MARGINS[0], WIDTH - MARGINS[2], HEIGHT - MARGINS[3]);
        let drawn = html! {
            svg xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {WIDTH} {HEIGHT}"))
                width=(WIDTH) height=(HEIGHT) role="img" font-family="system-ui, sans-serif" font-size="12"
            {
                title { (title) }
                text x=(left) y="16" fill="#808080" { (fitting(&title, OF_TITLE)) }
                @for tick in up.ticks() {
                    line x1=(left) x2=(right) y1=(at(up.place(tick))) y2=(at(up.place(tick))) stroke="#808080"
                        stroke-opacity="0.25" {}
                    text x=(left - 6.0) y=(at(up.place(tick) + 4.0)) text-anchor="end" fill="#808080" { (number(tick)) }
                }
                @for tick in across.ticks() {
                    text x=(at(across.place(tick))) y=(bottom + 18.0) text-anchor="middle" fill="#808080" { (number(tick)) }
                }
                text x=(right) y=(HEIGHT - 8.0) text-anchor="end" fill="#808080" { (self.x) }
                text x="8" y=(MARGINS[1] - 10.0) fill="#808080" { (self.y) }
                @if let Some((name, level)) = self.level {
                    line x1=(left) x2=(right) y1=(at(up.place(level))) y2=(at(up.place(level))) stroke="#808080"
                        stroke-dasharray="4 4" {}
                    text x=(right) y=(at(up.place(level) - 4.0)) text-anchor="end" fill="#808080" { (name) }
                }
                @for (line, (colour, dashes)) in self.shown().zip(STROKES) {
                    path d=(path(&line.points, &across, &up)) fill="none" stroke=(colour) stroke-width="1.5"
                        stroke-dasharray=(dashes) {}
                    // A path of one point shows nothing.
                    @if let [(x, y)] = line.points.as_slice() {
                        circle cx=(at(across.place(*x))) cy=(at(up.place(*y))) r="4" fill=(colour) {}
                    }
                }
                @for (index, (line, (colour, _))) in self.shown().zip(STROKES).enumerate() {
                    text x=(left + 150.0 * index as f64) y=(MARGINS[1] - 10.0) fill=(colour) { (fitting(&sentence(&line.name), OF_NAME)) }
                }
            }
        };
        drawn.into_string()
    }

    fn shown(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(|line| !line.points.is_empty())
    }
}

/// So much of a text as there is room for letters.
pub fn fitting(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    text.chars().take(room.saturating_sub(1)).chain(['…']).collect()
}

/// From which number to which, and where these are.
pub struct Axis {
    from: f64,
    to: f64,
    start: f64,
    end: f64,
    step: f64,
}

impl Axis {
    /// As far as the values reach.
    pub fn of(values: impl Iterator<Item = f64>, start: f64, end: f64) -> Axis {
        let finite = values.filter(|value| value.is_finite());
        let (mut from, mut to) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| {
            (least.min(value), most.max(value))
        });
        if from > to {
            (from, to) = (0.0, 1.0);
        }
        if to - from < 1e-9 * to.abs().max(1.0) {
            // Something flat lies in the middle.
            (from, to) = (from - 1.0, to + 1.0);
        }
        Axis::exactly(from, to, start, end)
    }

    /// From the one to the other, which is more.
    pub fn exactly(from: f64, to: f64, start: f64, end: f64) -> Axis {
        // Five numbers or so, each a multiple of 1, 2 or 5.
        let rough = (to - from) / 5.0;
        let ten = 10f64.powf(rough.log10().floor());
        let step =
            [1.0, 2.0, 5.0].into_iter().map(|of| of * ten).find(|step| *step >= rough).unwrap_or(10.0 * ten);
        Axis { from, to, start, end, step }
    }

    pub fn place(&self, value: f64) -> f64 {
        self.start + (value - self.from) / (self.to - self.from) * (self.end - self.start)
    }

    pub fn ticks(&self) -> impl Iterator<Item = f64> {
        let first = (self.from / self.step).ceil();
        let count = ((self.to / self.step).floor() - first).clamp(0.0, 20.0) as u32;
        (0..=count).map(move |index| (first + f64::from(index)) * self.step)
    }
}

pub fn path(points: &[(f64, f64)], across: &Axis, up: &Axis) -> String {
    let mut path = String::new();
    for (x, y) in points.iter().filter(|(x, y)| x.is_finite() && y.is_finite()) {
        let command = if path.is_empty() { 'M' } else { 'L' };
        let _ = write!(path, "{command}{} {}", at(across.place(*x)), at(up.place(*y)));
    }
    path
}

pub fn at(place: f64) -> String {
    format!("{place:.1}")
}

/// Without the digits that sums of floating-point numbers leave.
pub fn number(value: f64) -> String {
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}
