//! A run for Prometheus: as a file for the textfile collector of its node exporter, or on a port of this machine while the
//! run goes on.
//!
//! ```text
//! exposition  the text format: families of samples, escaped
//!    │
//! card        the readings of a card as such samples
//! text        a record as such a text
//! server      `/metrics` for the length of a run
//! ```
//!
//! The numbers of a run are many and short-lived, so labels name the card and the command and nothing that differs from run
//! to run, such as a process or an argument.

pub(crate) mod card;
pub(crate) mod exposition;
mod server;

pub use server::{Address, NoAddress, Server};

use super::record::{End, Record};
use super::watch::Returned;
use crate::atomic_write;
use exposition::{Exposition, Kind::Gauge};
use std::io;
use std::path::Path;

/// What the node exporter and Prometheus expect.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// A record as text for Prometheus. What is not known is left out; of a run that goes on, that is how it ended.
pub fn text(record: &Record) -> String {
    let mut page = Exposition::of("exec", &common_labels(record));
    page.one(
        "gpulint_info",
        Gauge,
        "The version of gpulint, as a label.",
        &[("version", &record.version)],
        1.0,
    );
    if let Some(started) = seconds_of(&record.started) {
        page.plain("gpulint_run_start_time_seconds", Gauge, "When the run began, since 1970.", started);
    }
    let times = [
        ("gpulint_run_wall_seconds", "From the start of the command to its end.", record.wall_seconds),
        ("gpulint_run_cpu_seconds", "Processor time of the command.", record.cpu_seconds),
        (
            "gpulint_lock_wait_seconds",
            "How long it waited for the card.",
            record.slot.map(|slot| slot.waited_seconds),
        ),
    ];
    for (name, help, seconds) in times {
        page.known(name, Gauge, help, seconds);
    }
    if let Some(card) = &record.card {
        page.plain("gpulint_memory_size_bytes", Gauge, "Memory of the card.", card.memory as f64);
    }
    let baseline = record.baseline.as_ref().map(|baseline| baseline.memory as f64);
    page.known("gpulint_memory_baseline_bytes", Gauge, "Memory in use before the command.", baseline);
    let headroom = record.headroom.map(|bytes| bytes as f64);
    page.known("gpulint_memory_headroom_bytes", Gauge, "Memory of the card that was never in use.", headroom);
    if let Some(readings) = &record.readings {
        card::add(&mut page, readings, &[]);
    }
    add_end(&mut page, record);
    for reported in &record.reported {
        page.one(
            "gpulint_reported_value",
            Gauge,
            "What the command measured itself.",
            &[("name", &reported.name), ("unit", reported.unit.as_deref().unwrap_or_default())],
            reported.value,
        );
    }
    page.into_text()
}

/// Writes the text as a whole, for everybody to read: the node exporter is another user. The name must end with `.prom`.
///
/// # Errors
/// When the file cannot be written.
pub fn write(record: &Record, file: &Path) -> io::Result<()> {
    atomic_write::replace(file, text(record).as_bytes())?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o644))?;
    }
    Ok(())
}

fn common_labels(record: &Record) -> Vec<(&'static str, String)> {
    let mut labels = Vec::new();
    if let Some(card) = &record.card {
        labels.push(("gpu_uuid", card.uuid.clone()));
        labels.push(("gpu_name", card.name.clone()));
    }
    match (&record.target, record.command.first()) {
        (Some(target), _) => labels.push(("target", target.clone())),
        // Arguments may be secret, and would make each run another series.
        (None, Some(program)) => {
            let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
            labels.push(("command", name.to_owned()));
        }
        (None, None) => {}
    }
    if record.simulated {
        labels.push(("simulated", "true".to_owned()));
    }
    labels
}

/// Since 1970, of a moment such as `2026-01-31T12:00:00Z`.
pub(crate) fn seconds_of(moment: &str) -> Option<f64> {
    let moment: humantime::Timestamp = moment.parse().ok()?;
    let since = moment.duration_since(std::time::SystemTime::UNIX_EPOCH).ok()?;
    Some(since.as_secs_f64())
}

fn add_end(page: &mut Exposition, record: &Record) {
    let kind = match &record.end {
        End::Running => "running",
        End::Exited { .. } => "exited",
        End::Signalled { .. } => "signalled",
        End::TimeLimit { .. } => "time_limit",
        End::MemoryLimit { .. } => "memory_limit",
        End::Stopped { .. } => "stopped",
        End::NotStarted { .. } => "not_started",
        End::Refused { .. } => "refused",
    };
    page.one("gpulint_run_end", Gauge, "How the run ended, as a label.", &[("kind", kind)], 1.0);
    let code = record.exit_code.map(f64::from);
    page.known("gpulint_run_exit_code", Gauge, "What gpulint ended with.", code);
    if record.end != End::Running {
        let help = "Processes that outlived the command.";
        page.plain("gpulint_orphans", Gauge, help, record.orphans.len() as f64);
    }
    let is_back = record.returned.as_ref().and_then(|returned| match returned {
        Returned::Back { .. } => Some(1.0),
        Returned::NotBack { .. } => Some(0.0),
        Returned::Disturbed { .. } | Returned::NotKnown { .. } => None,
    });
    let help = "Whether the memory of the card was back at its baseline after the command.";
    page.known("gpulint_memory_returned", Gauge, help, is_back);
}

#[cfg(test)]
pub mod tests;
