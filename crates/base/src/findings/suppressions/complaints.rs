//! Findings about suppressions: those that are not needed and those that cannot work.

use super::{EVERY_RULE, FAMILY, RuleName, Suppression, UNKNOWN, UNUSED};
use crate::facts::{FileId, Place};
use crate::findings::{Finding, Severity};
use crate::sources::Sources;

/// The finding about a suppression under which nothing was found; `name` is `None` when it speaks
/// about every rule. Nothing is wrong when its rule was not looked for.
pub(super) fn of_unused(
    suppression: &Suppression,
    name: Option<&RuleName>,
    known: &[&str],
    ran: &dyn Fn(FileId, &str) -> bool,
) -> Option<Finding> {
    let Some(RuleName { id, span }) = name else {
        let message = "unused suppression: no rule finds anything here".to_owned();
        let unused = || complaint(UNUSED, suppression.place, message, "Remove the comment.".to_owned());
        return ran(suppression.place.file, EVERY_RULE).then(unused);
    };
    let place = Place { file: suppression.place.file, span: *span };
    if !known.contains(&id.as_str()) {
        let message = format!("no rule is called `{id}`, so this suppresses nothing");
        let advice = match nearest(id, known) {
            Some(nearest) => format!("Did you mean `{nearest}`?"),
            None => "`gpulint rules` lists the rules.".to_owned(),
        };
        return Some(complaint(UNKNOWN, place, message, advice));
    }
    let message = format!("unused suppression: `{id}` finds nothing here");
    ran(suppression.place.file, id)
        .then(|| complaint(UNUSED, place, message, format!("Remove `{id}` from the comment.")))
}

/// The finding about a `gpulint:` comment that is not understood. It shows the form that would be,
/// with the rules that the author seems to have meant.
pub(super) fn of_unreadable(suppression: &Suppression, sources: &Sources, known: &[&str]) -> Finding {
    let text = sources.file(suppression.place.file).text.get(suppression.place.span.range());
    let text = text.unwrap_or_default();
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    let meant: Vec<&str> = words.filter(|word| known.contains(word)).collect();
    let meant = if meant.is_empty() { "rule-id".to_owned() } else { meant.join(", ") };
    let verb = if text.contains("-file") || text.contains("file-") { "ignore-file" } else { "ignore" };
    let message = "this `gpulint:` comment is not understood, so it suppresses nothing".to_owned();
    complaint(UNKNOWN, suppression.place, message, format!("Write `gpulint: {verb}[{meant}] reason`."))
}

fn complaint(rule: &str, place: Place, message: String, advice: String) -> Finding {
    Finding { advice: Some(advice), ..Finding::new((rule, FAMILY), Severity::Warning, place, message) }
}

fn nearest<'a>(id: &str, known: &[&'a str]) -> Option<&'a str> {
    let close = known.iter().map(|known| (strsim::damerau_levenshtein(id, known), *known));
    // Half of the letters may be wrong before a guess confuses more than it helps.
    close.filter(|(distance, _)| *distance <= id.chars().count() / 2).min().map(|(_, known)| known)
}
