//! Imports that come later: lazily, when a name of the module is first asked for, or in the functions that need them.

mod added;
mod attribute;
mod functions;
mod lazily;
mod statement;
mod takers;
mod type_checkers;
mod uses;

pub(super) use added::{cache, joined};
pub(super) use functions::looks_names_up;
pub(super) use statement::ImportStatement;
pub(super) use takers::ModuleUsers;

use crate::facts::FileId;
use crate::findings::Finding;
use crate::fixes::Refusal;
use crate::fixes::site::{Draft, Site};
use attribute::{NoGetattrReason, import_on_access, is_package};
use functions::import_in_functions;
use lazily::import_lazily;

/// The first way that is right: `lazy import`, `__getattr__` of a module that hands names on, or imports in functions. Where
/// the import itself has to stay, one of those that lead to it comes later.
pub fn later(site: &Site<'_>) -> Result<Draft, Refusal> {
    let own = import_later(site, None);
    if own.is_ok() || site.scopes().is_err() {
        return own;
    }
    let mut target = site.file();
    for hop in site.finding.related.iter().rev() {
        // What the policy names itself must not load it, whoever imports it.
        if site.cpu_part().contains(&target) {
            break;
        }
        let finding = Finding { place: hop.place, ..site.finding.clone() };
        let there = Site { finding: &finding, ..*site };
        if let Ok(draft) = import_later(&there, Some(target)) {
            let title = format!("{}, in {}", draft.title.unwrap_or_default(), there.source().name);
            return Ok(Draft { title: Some(title), ..draft });
        }
        target = hop.place.file;
    }
    own
}

/// `target`: the file that the import leads to, when it is not the one that is forbidden itself.
fn import_later(site: &Site<'_>, target: Option<FileId>) -> Result<Draft, Refusal> {
    if !site.source().reported {
        return Err("it stands in a file that nobody asked about".to_owned());
    }
    site.scopes()?;
    let statement = ImportStatement::at(site, site.span(), target)?;
    if let Some(Ok(draft)) = import_lazily(site, &statement) {
        return Ok(draft);
    }
    match import_on_access(site, &statement) {
        Ok(draft) => Ok(draft),
        Err(NoGetattrReason::NoReExport) => import_in_functions(site, statement),
        // A package that only hands names on says best itself why it cannot.
        Err(NoGetattrReason::Refused(reason)) => import_in_functions(site, statement)
            .map_err(|other| if is_package(site) { reason } else { other }),
    }
}
