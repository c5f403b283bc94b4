//! Variables that are missing in what starts programs, added in the form of the file: shells, batch files, containers,
//! workflows, files of settings.

mod block;
mod data;
mod layout;
mod lines;
mod scripts;
mod shells;

pub use block::block;

use super::spellings::order_of;
use crate::findings::Edit;
use crate::fixes::Refusal;
use crate::fixes::site::{Draft, Site};
use crate::fixes::writes::{Write, is_of_python};
use crate::program::{MASK, ORDER};
use crate::sources::Language;

/// Whether the finding stands where these fixers know what to do: outside of Python, or in a text that a shell reads.
pub fn is_launcher(site: &Site<'_>) -> bool {
    let is_magic = || site.is_python_file() && layout::before(site).trim_start().starts_with('%');
    !is_of_python(site) && !is_magic()
}

/// The order of the GPUs, set in the same way and just before the mask.
pub fn order(site: &Site<'_>) -> Result<Draft, Refusal> {
    match Write::of(site, MASK) {
        Ok(write) => Ok(vec![beside(site, &write)?].into()),
        // Nothing sets a mask here either.
        Err(_) => {
            let title = Some("set it before the GPU is used".to_owned());
            block(site).map(|draft| Draft { title, ..draft })
        }
    }
}

fn beside(site: &Site<'_>, write: &Write) -> Result<Edit, Refusal> {
    let is_file_of_python = site.is_python_file();
    if site.language() == Language::Python && !is_file_of_python {
        return scripts::python(site, write);
    }
    match site.source().language {
        Language::Batch => scripts::batch(site, write),
        Language::Dockerfile if lines::is_env_instruction(site) => Ok(lines::dockerfile(site, write)),
        Language::Dotenv => Ok(lines::dotenv(site, write)),
        Language::Ini => lines::ini(site, write),
        Language::Json => data::json(site, write),
        Language::Makefile if lines::is_setting_of_make(site) => Ok(lines::makefile(site, write)),
        Language::PowerShell => Ok(scripts::powershell(site, write)),
        Language::Rust => scripts::rust(site, write),
        Language::Toml => data::toml(site, write),
        Language::Yaml => data::yaml(site, write),
        _ => shells::shell(site),
    }
}

/// `CUDA_DEVICE_ORDER=PCI_BUS_ID`
fn assignment(site: &Site<'_>) -> String {
    format!("{ORDER}={}", order_of(site))
}

/// What stands at the place of the finding, with the order in the place of the mask. `quote`: what the new value stands
/// in, where the old one has no quotes.
fn respelt(site: &Site<'_>, write: &Write, quote: &str) -> String {
    let place = site.span();
    let before = &site.text()[place.start as usize..write.name.start as usize];
    let order = order_of(site);
    let Some(value) = write.value else { return format!("{before}{ORDER}={order}") };
    let old = site.slice(value);
    let own =
        ["\\\"", "\\'", "\"", "'"].into_iter().find(|quote| old.starts_with(quote) && old.ends_with(quote));
    let quote = own.unwrap_or(quote);
    let between = &site.text()[write.name.end as usize..value.start as usize];
    let behind = &site.text()[value.end as usize..place.end.max(value.end) as usize];
    format!("{before}{ORDER}{between}{quote}{order}{quote}{behind}")
}
