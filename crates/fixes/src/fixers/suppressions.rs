//! Comments that silence nothing: the comment goes, or the one name in its list.

use crate::facts::Span;
use crate::findings::Safety;
use crate::findings::suppressions::{Rules, suppressions_in};
use crate::fixes::Refusal;
use crate::fixes::site::{Draft, Site};

/// Removes what the finding points at from its comment, and the comment where nothing is left of it.
pub fn removed(site: &Site<'_>) -> Result<Draft, Refusal> {
    let place = site.span();
    let holds = |span: &&Span| span.start <= place.start && place.end <= span.end;
    let mut comment = *site.code().comments.iter().find(holds).ok_or("the comment is not known")?;
    comment.end -= u32::from(site.slice(comment).ends_with('\r'));
    let found = suppressions_in(site.file(), site.source(), &[comment], &[]);
    let about = found.iter().find(|one| holds(&&one.place.span)).ok_or("the comment is not known")?;
    let names = match &about.rules {
        Rules::Named(names) => names.as_slice(),
        _ => &[],
    };
    let at = names.iter().position(|name| name.span == place);
    let gone = match at {
        Some(at) if names.len() > 1 => match names.get(at + 1) {
            Some(next) => Span { start: place.start, end: next.span.start },
            None => Span { start: names[at - 1].span.end, end: place.end },
        },
        _ => whole(site, comment, about.place.span),
    };
    let left = site.slice(Span { start: comment.start, end: gone.start }).to_owned()
        + site.slice(Span { start: gone.end, end: comment.end });
    let edit = match left.trim().is_empty() {
        true => site.edit(with_blanks(site, comment), ""),
        false => site.edit(comment, left.trim_end()),
    };
    // What a comment without names was meant for, nobody knows.
    let safety = matches!(about.rules, Rules::All).then_some(Safety::Unsafe);
    Ok(Draft { safety, ..Draft::from(vec![edit]) })
}

/// A part of a comment with the sign that begins it, and the blanks before that.
fn whole(site: &Site<'_>, comment: Span, part: Span) -> Span {
    let before = site.slice(Span { start: comment.start, end: part.start });
    let sign = before.trim_end();
    let sign = sign.strip_suffix("rem").or_else(|| sign.strip_suffix("REM")).unwrap_or(sign);
    let sign = sign.trim_end_matches(['#', '/', ':']);
    let start = comment.start + sign.trim_end().len() as u32;
    Span { start, end: part.end }
}

/// A comment with the blanks before it, and its whole line where it stands alone.
fn with_blanks(site: &Site<'_>, comment: Span) -> Span {
    let before = &site.text()[..comment.start as usize];
    let line = before.rfind('\n').map_or(0, |end| end + 1);
    let blanks = before.len() - before.trim_end_matches([' ', '\t']).len();
    let behind = site.line_behind(comment.end);
    let rest = site.slice(Span { start: comment.end, end: behind });
    let alone = before[line..].trim_matches(['\u{feff}', ' ', '\t']).is_empty() && rest.trim().is_empty();
    let is_last_of_cell = site.source().cells.is_some() && !rest.ends_with('\n');
    match alone && !is_last_of_cell {
        true => {
            let mark = if before[line..].starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
            Span { start: (line + mark) as u32, end: behind }
        }
        false => Span { start: comment.start - blanks as u32, end: comment.end },
    }
}
