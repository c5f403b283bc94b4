//! `lazy import` of Python 3.15 (PEP 810).

use super::statement::ImportStatement;
use super::uses::uses_of;
use crate::facts::Span;
use crate::fixes::Refusal;
use crate::fixes::site::{Draft, Site};

/// Puts `lazy` before the import, where the project's Python knows the word. `None` where it does not.
pub fn import_lazily(site: &Site<'_>, statement: &ImportStatement) -> Option<Result<Draft, Refusal>> {
    site.program.knows_lazy_modules(site.file()).then(|| written(site, statement))
}

fn written(site: &Site<'_>, statement: &ImportStatement) -> Result<Draft, Refusal> {
    statement.check_place(site, site.tree()?)?;
    // One statement is lazy as a whole.
    let whole = statement.only(|_| true);
    uses_of(site, std::slice::from_ref(&whole))?;
    if statement.lazy {
        return Err("the import is lazy already, and something uses it at once".to_owned());
    }
    let word = if statement.from.is_some() { "from" } else { "import" };
    let end = statement.span.start + word.len() as u32;
    let edit = site.edit(Span { start: statement.span.start, end }, format!("lazy {word}"));
    Ok(Draft { title: Some("import it lazily".to_owned()), ..Draft::from(vec![edit]) })
}
