//! Merged reports for people and for other programs: one pure function for each form. The verdict comes first everywhere, and
//! the machines that speak against an approval before the others.

mod html;
mod junit;
mod markdown;
mod prometheus;
mod text;
mod words;

use super::document::Fleet;
use crate::runtime::document::Document;
use crate::runtime::validation::pages::Format;

/// The merged reports in this form, with a final newline.
///
/// # Errors
/// None is known.
pub fn render(fleet: &Fleet, format: Format) -> std::io::Result<String> {
    Ok(match format {
        Format::Text => text::text(fleet),
        Format::Json => fleet.to_json()?,
        Format::Markdown => markdown::markdown(fleet),
        Format::Html => html::html(fleet),
        Format::Junit => junit::junit(fleet)?,
        Format::Prometheus => prometheus::prometheus(fleet),
    })
}
