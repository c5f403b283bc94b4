//! The time line of the card over a whole validation: its checks side by side, and below them memory, temperature, power and clock,
//! shaded where something kept the clocks down. Cards that the policy forbids follow, each with what was in use on it.

use super::super::super::document::{Check, Validation};
use super::super::words::{duration, size};
use super::axes::{Axis, at, fitting, number, path};
use crate::report::printable::sentence;
use crate::runtime::watch::{ForbiddenCard, Point, Readings, Stray, strays_seen};
use humantime::parse_rfc3339;
use maud::{Markup, html};
use std::time::SystemTime;

const WIDTH: f64 = 960.0;
const LEFT: f64 = 16.0;
const RIGHT: f64 = WIDTH - 16.0;
/// Of the names of the checks.
const TOP: f64 = 44.0;
/// Above a lane, for its label.
const LABEL: f64 = 20.0;
/// Below all lanes, for the seconds and what the colours mean.
const FOOT: f64 = 44.0;
/// A letter is at most so wide.
const LETTER: f64 = 7.0;
/// So many fit in one line.
const OF_LABEL: usize = ((RIGHT - LEFT) / LETTER) as usize;
const FAINT: &str = "#808080";
const ORANGE: &str = "#d4620b";
const BLUE: &str = "#0b7fd4";
const RED: &str = "#d1242f";

/// One check on the time line.
struct Span<'a> {
    name: &'a str,
    readings: &'a Readings,
    /// In seconds since the validation began.
    from: f64,
    until: f64,
}

impl Span<'_> {
    /// What was seen meanwhile of a card that the policy forbids, by its UUID.
    fn forbidden(&self, uuid: &str) -> Option<&ForbiddenCard> {
        self.readings.forbidden_cards.iter().find(|card| card.card == uuid)
    }
}

/// One quantity, with its label above it.
struct Lane {
    label: String,
    height: f64,
    /// The value at its upper edge; zero is at the lower one.
    most: f64,
    lines: Vec<Drawn>,
    /// Moments that must not be overlooked.
    alarms: Vec<f64>,
}

/// Its name, its unit, and what a point has of it.
type Quantity = (&'static str, &'static str, fn(&Point) -> Option<f64>);

struct Drawn {
    colour: &'static str,
    dashes: &'static str,
    /// Of each check, so that nothing is drawn between two.
    pieces: Vec<Vec<(f64, f64)>>,
}

/// `None` where no check read enough of a card.
pub fn svg(validation: &Validation) -> Option<String> {
    let spans = spans(validation);
    let end = spans.last()?.until;
    let across = Axis::of([0.0, end].into_iter(), LEFT, RIGHT);
    let lanes: Vec<Lane> = of_card(validation, &spans).into_iter().chain(of_forbidden(&spans)).collect();
    let heights: f64 = lanes.iter().map(|lane| lane.height + LABEL).sum();
    let (bottom, height) = (TOP + heights, TOP + heights + FOOT);
    let title = if validation.simulated { "simulated: the card over time" } else { "the card over time" };
    let mut top = TOP;
    let tops: Vec<f64> = lanes
        .iter()
        .map(|lane| {
            top += lane.height + LABEL;
            top - lane.height
        })
        .collect();
    let shaded: Vec<(f64, f64)> = spans.iter().flat_map(slowed).collect();
    let drawn = html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {WIDTH} {height}")) width=(WIDTH) height=(at(height))
            role="img" font-family="system-ui, sans-serif" font-size="12"
        {
            title { (title) }
            text x=(LEFT) y="16" fill=(FAINT) { (title) }
            @for (index, span) in spans.iter().enumerate() { (band(span, index, &across, bottom)) }
            @for (from, until) in &shaded {
                rect x=(at(across.place(*from))) y=(TOP) width=(at((across.place(*until) - across.place(*from)).max(1.0)))
                    height=(at(bottom - TOP)) fill=(ORANGE) fill-opacity="0.15" {}
            }
            @for (lane, top) in lanes.iter().zip(tops) { (drawn(lane, top, &across)) }
            @for tick in across.ticks() {
                text x=(at(across.place(tick).clamp(LEFT + 8.0, RIGHT - 8.0))) y=(at(bottom + 16.0)) text-anchor="middle" fill=(FAINT) {
                    (number(tick))
                }
            }
            @if !shaded.is_empty() {
                rect x=(LEFT) y=(at(bottom + 24.0)) width="12" height="12" fill=(ORANGE) fill-opacity="0.3" {}
                text x=(LEFT + 18.0) y=(at(bottom + 34.0)) fill=(FAINT) { "something kept the clocks down" }
            }
            text x=(RIGHT) y=(at(bottom + 34.0)) text-anchor="end" fill=(FAINT) { "seconds" }
        }
    };
    Some(drawn.into_string())
}

/// The checks that watched the card, in the order in which they ran. A record tells its beginning in whole seconds, so that one may
/// seem to begin before the end of the one before.
fn spans(validation: &Validation) -> Vec<Span<'_>> {
    let seconds = |text: &str| {
        let since = parse_rfc3339(text).ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        Some(since.as_secs_f64())
    };
    let begun = seconds(&validation.started);
    let mut all: Vec<(f64, &Check, &Readings)> = Vec::new();
    for check in &validation.checks {
        let Some(record) = &check.record else { continue };
        let readings = record.readings.as_ref().filter(|readings| readings.series.points.len() > 1);
        let Some(readings) = readings else { continue };
        let from = seconds(&record.started).zip(begun).map_or(0.0, |(own, all)| (own - all).max(0.0));
        all.push((from, check, readings));
    }
    all.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut free = 0.0f64;
    let placed = all.into_iter().map(|(from, check, readings)| {
        let from = from.max(free);
        free = from + readings.seconds.max(readings.series.points.last().map_or(0.0, |point| point.seconds));
        Span { name: &check.name, readings, from, until: free }
    });
    placed.collect()
}

fn of_card(validation: &Validation, spans: &[Span]) -> Vec<Lane> {
    let total = validation.card.as_ref().map(|card| card.memory as f64);
    let memory = pieces(spans, |point| Some(point.memory as f64));
    let most = highest(&memory);
    let label = match total {
        Some(total) => format!("memory in use: at most {} of {}", size(most), size(total)),
        None => format!("memory in use: at most {}", size(most)),
    };
    let own = pieces(spans, |point| point.command_memory.map(|bytes| bytes as f64));
    let mut lines = vec![Drawn { colour: BLUE, dashes: "none", pieces: memory }];
    let label = if own.is_empty() { label } else { label + "; dashed: of the command" };
    lines.extend((!own.is_empty()).then_some(Drawn { colour: ORANGE, dashes: "6 6", pieces: own }));
    let memory =
        Lane { label, height: 96.0, most: total.unwrap_or(most).max(most), lines, alarms: Vec::new() };
    let others: [Quantity; 3] = [
        ("temperature", "°C", |point| point.temperature.map(|degrees| degrees as f64)),
        ("power", "W", |point| point.power_milliwatts.map(|power| power as f64 / 1000.0)),
        ("clock", "MHz", |point| point.core_clock.map(|clock| clock as f64)),
    ];
    let others = others.into_iter().filter_map(|(name, unit, of)| {
        let pieces = pieces(spans, of);
        let most = highest(&pieces);
        let label = format!("{name}: at most {most:.0} {unit}");
        let lines = vec![Drawn { colour: BLUE, dashes: "none", pieces }];
        (most > 0.0).then_some(Lane { label, height: 48.0, most: most * 1.1, lines, alarms: Vec::new() })
    });
    [memory].into_iter().chain(others).collect()
}

/// One lane for each card that some check had to keep away from.
fn of_forbidden(spans: &[Span]) -> Vec<Lane> {
    let mut cards: Vec<&ForbiddenCard> = Vec::new();
    for card in spans.iter().flat_map(|span| &span.readings.forbidden_cards) {
        if !cards.iter().any(|other| other.card == card.card) {
            cards.push(card);
        }
    }
    let lane = |card: &ForbiddenCard| {
        let looks: u64 =
            spans.iter().filter_map(|span| span.forbidden(&card.card)).map(|card| card.looks).sum();
        let points = |span: &Span| -> Vec<(f64, f64)> {
            let points = span.forbidden(&card.card).into_iter().flat_map(|card| &card.series.points);
            super::thinned(points.map(|point| (span.from + point.seconds, point.memory as f64)).collect())
        };
        let pieces: Vec<_> = spans.iter().map(points).filter(|points| points.len() > 1).collect();
        let alarms: Vec<f64> = spans
            .iter()
            .flat_map(|span| {
                let strays = span.readings.strays.iter().filter(|stray: &&Stray| stray.card == card.card);
                strays.map(|stray| span.from + stray.seconds)
            })
            .collect();
        let none = || format!("no process of a command in {looks} looks");
        let seen = strays_seen(alarms.len()).unwrap_or_else(none);
        let most = highest(&pieces);
        let label = format!("{}, forbidden: {seen}; at most {} in use", card.name, size(most));
        let lines = vec![Drawn { colour: FAINT, dashes: "none", pieces }];
        Lane { label, height: 40.0, most: (most * 1.5).max(1.0), lines, alarms }
    };
    cards.into_iter().map(lane).collect()
}

/// Of each check the values of a quantity, by the seconds since the validation began.
fn pieces(spans: &[Span], of: impl Fn(&Point) -> Option<f64>) -> Vec<Vec<(f64, f64)>> {
    let of_span = |span: &Span| -> Vec<(f64, f64)> {
        let points = span.readings.series.points.iter();
        let points = points.filter_map(|point| Some((span.from + point.seconds, of(point)?)));
        super::thinned(points.collect())
    };
    spans.iter().map(of_span).filter(|points| !points.is_empty()).collect()
}

fn highest(pieces: &[Vec<(f64, f64)>]) -> f64 {
    pieces.iter().flatten().map(|(_, value)| *value).fold(0.0, f64::max)
}

/// From when to when something kept the clocks down: from a reading that says so to the next one that asked.
fn slowed(span: &Span) -> Vec<(f64, f64)> {
    let mut stretches: Vec<(f64, f64)> = Vec::new();
    let mut open = false;
    for point in &span.readings.series.points {
        let now = span.from + point.seconds;
        // Not each reading asks for the state of the card.
        let asked =
            point.slowed || point.temperature.or(point.power_milliwatts).or(point.utilisation).is_some();
        if let Some((_, until)) = stretches.last_mut().filter(|_| open) {
            *until = now;
        } else if point.slowed {
            stretches.push((now, now));
        }
        if asked {
            open = point.slowed;
        }
    }
    stretches
}

fn band(span: &Span, index: usize, across: &Axis, bottom: f64) -> Markup {
    let (from, until) = (across.place(span.from), across.place(span.until));
    let room = ((until - from - 8.0) / LETTER).max(0.0) as usize;
    let name = sentence(span.name);
    let shown = if room > 3 || name.chars().count() <= room { fitting(&name, room) } else { String::new() };
    let took = duration(span.until - span.from);
    html! {
        g {
            title { (name) ", " (took) }
            rect x=(at(from)) y=(TOP - 20.0) width=(at((until - from).max(1.0))) height=(at(bottom - TOP + 20.0)) fill=(FAINT)
                fill-opacity=(if index.is_multiple_of(2) { "0.05" } else { "0.1" }) {}
            text x=(at(from + 4.0)) y=(TOP - 6.0) fill=(FAINT) { (shown) }
        }
    }
}

fn drawn(lane: &Lane, top: f64, across: &Axis) -> Markup {
    let floor = top + lane.height;
    let up = Axis::exactly(0.0, lane.most.max(f64::MIN_POSITIVE), floor, top);
    html! {
        text x=(LEFT + 4.0) y=(at(top - 5.0)) fill=(if lane.alarms.is_empty() { FAINT } else { RED }) { (fitting(&sentence(&lane.label), OF_LABEL)) }
        line x1=(LEFT) x2=(RIGHT) y1=(at(floor)) y2=(at(floor)) stroke=(FAINT) stroke-opacity="0.5" {}
        @for line in &lane.lines {
            @for piece in &line.pieces {
                path d=(path(piece, across, &up)) fill="none" stroke=(line.colour) stroke-width="1.5" stroke-dasharray=(line.dashes) {}
            }
        }
        @for moment in &lane.alarms {
            line x1=(at(across.place(*moment))) x2=(at(across.place(*moment))) y1=(at(top)) y2=(at(floor)) stroke=(RED) stroke-width="2" {}
        }
    }
}
