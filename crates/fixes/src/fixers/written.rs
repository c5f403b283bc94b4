//! Small corrections of what is written at the place of the finding itself.

use crate::fixes::Refusal;
use crate::fixes::site::{Draft, Site};

/// Calls what is only named: `torch.cuda.is_available` → `torch.cuda.is_available()`.
pub fn called(site: &Site<'_>) -> Result<Draft, Refusal> {
    let whole = site.span();
    Ok(vec![site.edit(whole, format!("{}()", site.slice(whole)))].into())
}

/// The name that the argument `async` has today.
pub fn non_blocking(site: &Site<'_>) -> Result<Draft, Refusal> {
    Ok(vec![site.edit(site.span(), "non_blocking".to_owned())].into())
}
