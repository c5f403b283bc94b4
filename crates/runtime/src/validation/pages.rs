//! A validation for people and for other programs: one pure function for each form.
//!
//! ```text
//! words       what the document says, in words that all forms share
//! plots       memory over time and growth over iterations, as SVG
//!    │
//! text        for a terminal
//! markdown    for the summary of a job
//! html        one page with the plots, that needs nothing else
//! junit       for services that show tests
//! prometheus  for the textfile collector
//! ```
//!
//! The verdict comes first everywhere, and that a card is simulated right behind it.

pub mod html;
pub mod junit;
mod markdown;
mod plots;
mod prometheus;
mod text;
pub mod words;

pub use plots::plots;

use super::document::Validation;
use crate::runtime::document::Document;

/// How a validation is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum Format {
    /// For people.
    Text,
    /// One JSON object, for programs.
    Json,
    /// For the summary of a job or a comment.
    Markdown,
    /// One page with plots that needs nothing else.
    Html,
    /// Test cases as JUnit writes them.
    Junit,
    /// Metrics for the textfile collector of Prometheus.
    Prometheus,
}

/// The validation in this form, with a final newline.
///
/// # Errors
/// None is known.
pub fn render(validation: &Validation, format: Format) -> std::io::Result<String> {
    Ok(match format {
        Format::Text => text::text(validation),
        Format::Json => validation.to_json()?,
        Format::Markdown => markdown::markdown(validation),
        Format::Html => html::html(validation),
        Format::Junit => junit::junit(validation)?,
        Format::Prometheus => prometheus::prometheus(validation),
    })
}

#[cfg(test)]
pub mod samples;
#[cfg(test)]
mod tests;
