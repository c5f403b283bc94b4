//! Imports that come later: lazily, when a name of the module is first asked for, or in the functions that need them.

mod added;
mod attribute;
mod functions;
mod lazily;
mod statement;
mod takers;
mod uses;

use crate::fixes::Refusal;
use crate::fixes::site::{Draft, Site};
use attribute::{Unfit, import_on_access};
use functions::import_in_functions;
use lazily::import_lazily;
use statement::Statement;

/// The first way that is right: `lazy import`, `__getattr__` of a module that hands names on, or imports in functions. Where
/// the import itself has to stay, one of those that lead to it comes later.
pub fn later(site: &Site<'_>) -> Result<Draft, Refusal> {
    import_later(site)
}

fn import_later(site: &Site<'_>) -> Result<Draft, Refusal> {
    if !site.source().reported {
        return Err("it stands in a file that nobody asked about".to_owned());
    }
    site.scopes()?;
    let statement = Statement::at(site, site.span())?;
    if let Some(Ok(draft)) = import_lazily(site, &statement) {
        return Ok(draft);
    }
    match import_on_access(site, &statement) {
        Ok(draft) => Ok(draft),
        Err(Unfit::Refused(reason)) => Err(reason),
        Err(Unfit::NoReExport) => import_in_functions(site, statement),
    }
}
