//! A variable of a shell that the programs below it are to get: `X=1` → `export X=1`.

use crate::fixes::Refusal;
use crate::fixes::site::{Draft, Site};
use crate::sources::Language;

/// Exports what the shell sets.
pub fn exported(site: &Site<'_>) -> Result<Draft, Refusal> {
    if !matches!(site.source().language, Language::Shell | Language::Yaml) {
        return Err("the shell ends with this line".to_owned());
    }
    let (span, text) = (site.span(), site.text());
    if !text[span.start as usize..span.end as usize].contains('=') {
        return Err("the file that is sourced sets it".to_owned());
    }
    let line = text[..span.start as usize].rsplit('\n').next().unwrap_or_default().trim_end();
    let begins = line.is_empty()
        || [";", "&&", "{", "(", "-", ":"].iter().any(|end| line.ends_with(end))
        || line.split_whitespace().next_back().is_some_and(|word| ["do", "then", "else"].contains(&word));
    let behind = text[span.end as usize..].split('\n').next().unwrap_or_default().trim();
    let ends =
        behind.is_empty() || [";", "&&", "#", "}", ")", "\"", "'"].iter().any(|end| behind.starts_with(end));
    if !begins || !ends {
        return Err("the same line sets other variables".to_owned());
    }
    Ok(vec![site.insertion(span.start, "export ")].into())
}
