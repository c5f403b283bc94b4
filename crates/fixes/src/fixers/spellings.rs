//! Variables of the environment with a wrong value or a wrong name: the literal is replaced where it stands, in whatever
//! language.

use super::masks;
use crate::facts::Span;
use crate::findings::Severity;
use crate::fixes::Refusal;
use crate::fixes::site::{Draft, Site};
use crate::fixes::writes::{Literal, Write, words};
use crate::masks::{Fault, Kind};
use crate::program::{MASK, ORDER};
use crate::sources::Language;

/// The GPU that the policy wants, in place of another.
pub fn policy_mask(site: &Site<'_>) -> Result<Draft, Refusal> {
    if site.finding.severity == Severity::Note {
        return Err(
            "a container counts the GPUs that it was given, so the policy's value may mean another there"
                .to_owned(),
        );
    }
    let literal = Write::of(site, MASK)?.literal(site)?;
    let new = accepted(site, masks::meant(site.slice(literal.inside)).ok())?;
    written(site, literal, &new)
}

/// What was meant by a mask that hides all GPUs, or some of those that it names.
pub fn meant_mask(site: &Site<'_>) -> Result<Draft, Refusal> {
    let literal = Write::of(site, MASK)?.literal(site)?;
    let meant = masks::meant(site.slice(literal.inside));
    let is_none = meant.as_ref().is_ok_and(|meant| crate::masks::read(meant).kind == Kind::Nothing);
    let has_policy = site.policy.gpu.as_ref().is_some_and(|gpu| !gpu.accepted_masks().is_empty());
    let new = if has_policy && !is_none { accepted(site, meant.ok())? } else { meant? };
    written(site, literal, &new)
}

/// The order of the GPUs, where something else stands.
pub fn order(site: &Site<'_>) -> Result<Draft, Refusal> {
    let literal = Write::of(site, ORDER)?.literal(site)?;
    written(site, literal, order_of(site))
}

/// The name that libraries read, where one is written that is nearly it.
pub fn known_name(site: &Site<'_>) -> Result<Draft, Refusal> {
    let known = &site.program.knowledge.variables;
    let near = |name: &str| known.near(name).map(str::to_owned);
    let (write, right) = Write::find(site, near).ok_or("the name is not spelt out here")?;
    let wrong = site.slice(write.name);
    if is_named_elsewhere(site, wrong) {
        return Err(format!("`{wrong}` is named elsewhere too"));
    }
    let mut names = words(site.text()).filter(|(_, word)| *word == right);
    if names.any(|(at, _)| !is_in_comment(site.text(), at, site.source().language)) {
        return Err(format!("{right} is set in the file too"));
    }
    Ok(vec![site.edit_inside(write.name, &right)?].into())
}

/// What CUDA_DEVICE_ORDER should be.
pub fn order_of(site: &Site<'_>) -> &'static str {
    let order = site.policy.gpu.as_ref().and_then(|gpu| gpu.device_order);
    order.map_or("PCI_BUS_ID", |order| order.as_str())
}

/// The value that the policy wants: the one that is meant when it is accepted, else the first.
fn accepted(site: &Site<'_>, meant: Option<String>) -> Result<String, Refusal> {
    let masks = site.policy.gpu.as_ref().map(|gpu| gpu.accepted_masks()).unwrap_or_default();
    let first = masks.first().ok_or("no policy says which GPU is right; `gpulint init` writes one")?;
    let is_accepted = |meant: &String| masks.iter().any(|mask| mask == meant);
    Ok(meant.filter(is_accepted).unwrap_or_else(|| first.clone()))
}

/// The new text in the place of a literal, with quotes where the language needs some.
fn written(site: &Site<'_>, literal: Literal, new: &str) -> Result<Draft, Refusal> {
    let is_number = new.bytes().all(|byte| byte.is_ascii_digit());
    let quoted = || format!("\"{new}\"");
    let text = match site.language() {
        _ if literal.is_quoted() || is_number => new.to_owned(),
        Language::Json | Language::Toml | Language::PowerShell | Language::Rust => quoted(),
        Language::Yaml if new.contains(',') && is_yaml_value(site, literal.whole) => quoted(),
        Language::Python | Language::Notebook
            if site.is_python_file() && is_number_of_code(site, literal) =>
        {
            return of_number(site, literal, new);
        }
        _ => new.to_owned(),
    };
    let draft: Draft = vec![site.edit_inside(literal.inside, &text)?].into();
    Ok(draft)
}

fn is_number_of_code(site: &Site<'_>, literal: Literal) -> bool {
    let tree = site.tree().ok();
    tree.is_some_and(|tree| tree.exactly(literal.whole, |kind| kind.is_expression()).is_some())
}

/// A text in place of a number: `str(0)` becomes `"GPU-…"`.
fn of_number(site: &Site<'_>, literal: Literal, new: &str) -> Result<Draft, Refusal> {
    let whole = Span { start: literal.whole.start.saturating_sub(4), end: literal.whole.end + 1 };
    let is_str = site.text().get(whole.range()) == Some(&format!("str({})", site.slice(literal.whole)));
    match is_str {
        true => Ok(vec![site.edit(whole, format!("\"{new}\""))].into()),
        false => Err(format!("`{new}` is no number, and a number stands here")),
    }
}

/// Whether a scalar stands behind a key, and not in a text that a shell reads.
fn is_yaml_value(site: &Site<'_>, value: Span) -> bool {
    site.text()[..value.start as usize].trim_end().ends_with(':')
}

/// Whether a name stands somewhere else than where the same rule speaks of it, other than in comments.
fn is_named_elsewhere(site: &Site<'_>, name: &str) -> bool {
    let places = || site.findings.iter().filter(|finding| finding.rule == site.finding.rule);
    site.program.sources.files.iter().enumerate().any(|(number, source)| {
        memchr::memmem::find(source.text.as_bytes(), name.as_bytes()).is_some()
            && words(&source.text).filter(|(_, word)| *word == name).any(|(at, _)| {
                let in_finding = places().any(|finding| {
                    let (file, span) = (finding.place.file.0 as usize, finding.place.span);
                    file == number && span.start as usize <= at && at < span.end as usize
                });
                !in_finding && !is_in_comment(&source.text, at, source.language)
            })
    })
}

fn is_in_comment(text: &str, at: usize, language: Language) -> bool {
    let line = text[..at].rsplit('\n').next().unwrap_or_default();
    match language {
        Language::Markdown => true,
        Language::Rust => line.contains("//"),
        Language::Batch => {
            line.trim_start().get(..3).is_some_and(|word| word.eq_ignore_ascii_case("rem"))
                || line.contains("::")
        }
        _ => line.contains('#'),
    }
}

/// Whether a mask selects what it names.
pub fn is_right(mask: &str) -> bool {
    let read = crate::masks::read(mask);
    !matches!(read.fault, Some(Fault::HidesAll | Fault::Repeated | Fault::CutShort))
        && read.kind != Kind::Other
}
