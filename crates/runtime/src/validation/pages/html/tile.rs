//! The card in one box: what it is, and how far it was used.

use super::super::super::document::Validation;
use super::super::words::size;
use crate::report::html::prose;
use crate::runtime::record::Record;
use crate::runtime::watch::Readings;
use maud::{Markup, html};

/// Nothing where no card was there.
pub fn of(validation: &Validation) -> Markup {
    let Some(card) = &validation.card else { return html! {} };
    let capability = card.compute_capability().map(|told| format!("compute capability {told}"));
    let driver = validation.driver.as_ref().map(|driver| format!("driver {driver}"));
    let what = [Some(size(card.memory as f64)), capability, driver].into_iter().flatten();
    let records = || validation.checks.iter().filter_map(|check| check.record.as_ref());
    let most = |of: fn(&Readings) -> Option<u64>| -> Option<u64> {
        records().filter_map(|record| of(record.readings.as_ref()?)).max()
    };
    let peak = records().filter_map(|record: &Record| record.peak_memory).max();
    let temperature = most(|readings| readings.temperature.map(|degrees| degrees.max));
    let power = most(|readings| readings.power_milliwatts.map(|power| power.max));
    let clock = most(|readings| readings.core_clock.map(|clock| clock.max));
    let figures = [
        ("most memory in use", peak.map(|bytes| size(bytes as f64))),
        ("hottest", temperature.map(|degrees| format!("{degrees} °C"))),
        ("most power", power.map(|power| format!("{:.0} W", power as f64 / 1000.0))),
        ("fastest clock", clock.map(|clock| format!("{clock} MHz"))),
    ];
    let total = card.memory.max(1) as f64;
    html! {
        section.tile id="card" {
            div {
                h2 { (prose(&card.name)) }
                p { (what.collect::<Vec<_>>().join(" · ")) }
                p.place { (prose(&card.uuid)) " at " (card.pci) }
                @if let Some(peak) = peak {
                    meter min="0" max="1" value=(format!("{:.3}", (peak as f64 / total).min(1.0))) {
                        (format!("{:.0} % of the memory", 100.0 * peak as f64 / total))
                    }
                }
            }
            dl {
                @for (name, value) in figures.into_iter().filter_map(|(name, value)| Some((name, value?))) {
                    div { dt { (name) } dd { (value) } }
                }
            }
        }
    }
}
