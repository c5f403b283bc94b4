//! Files in which each line sets something: settings, Dockerfiles, Makefiles, the configuration of test runners.

use super::layout::{self, is_blank};
use super::{assignment, respelt, shells};
use crate::findings::Edit;
use crate::fixes::Refusal;
use crate::fixes::site::Site;
use crate::fixes::writes::Write;

/// The same line once more, above: `export X=1`.
pub fn dotenv(site: &Site<'_>, write: &Write) -> Edit {
    let line = respelt(site, write, "");
    site.insertion(site.span().start, format!("{line}{}{}", site.newline(), layout::before(site)))
}

/// `ENV A=1 X=1`, and the old `ENV X 1`.
pub fn dockerfile(site: &Site<'_>, write: &Write) -> Edit {
    let (before, newline) = (layout::before(site), site.newline());
    let has_sign = site.text()[write.name.end as usize..].starts_with('=');
    let text = match (has_sign, is_blank(before)) {
        (false, _) => format!("{}{newline}{before}", respelt(site, write, "")),
        (true, true) => {
            let above = layout::line_above(site.text(), site.span().start);
            let sign = above.chars().next_back().filter(|sign| *sign == '`').unwrap_or('\\');
            format!("{} {sign}{newline}{before}", respelt(site, write, ""))
        }
        (true, false) => format!("{} ", respelt(site, write, "")),
    };
    site.insertion(site.span().start, text)
}

/// Whether the finding stands in an `ENV` of a Dockerfile.
pub fn is_env_instruction(site: &Site<'_>) -> bool {
    let text = site.text();
    let mut line = layout::before(site);
    let mut at = site.span().start - line.len() as u32;
    while at > 0 {
        let above = layout::line_above(text, at);
        let goes_on = above.ends_with(['\\', '`']) || above.trim_start().starts_with('#') || is_blank(above);
        if !goes_on || is_keyword(line, "ENV") {
            break;
        }
        line = above;
        at = text[..at as usize - 1].rfind('\n').map_or(0, |end| end as u32 + 1);
    }
    is_keyword(line, "ENV")
}

/// Whether an instruction begins with this word.
pub fn is_keyword(line: &str, keyword: &str) -> bool {
    let line = line.trim_start();
    let is_word = line.get(keyword.len()..).is_some_and(|rest| rest.starts_with([' ', '\t', '\\', '`']));
    is_word && line.get(..keyword.len()).is_some_and(|word| word.eq_ignore_ascii_case(keyword))
}

/// Whether the finding stands where make sets a variable; a recipe, and a command that is the value of another variable
/// (`RUN = X=1 python`), are of the shell.
pub fn is_setting_of_make(site: &Site<'_>) -> bool {
    let before = layout::before(site);
    !before.starts_with('\t') && !before.contains('=')
}

/// `export X = 1`, `target: export X = 1`
pub fn makefile(site: &Site<'_>, write: &Write) -> Edit {
    let before = layout::before(site);
    let word = if before.split_whitespace().any(|word| word == "export") { "" } else { "export " };
    let start = site.span().start;
    let line = format!("{word}{}{}{before}", respelt(site, write, ""), site.newline());
    site.insertion(start, line)
}

/// `X=1` of pytest and tox, and the commands of tox.
pub fn ini(site: &Site<'_>, write: &Write) -> Result<Edit, Refusal> {
    let (before, behind) = (layout::before(site), layout::behind(site));
    let flags = before.trim_start();
    let is_setting = flags.is_empty() || flags.ends_with(':') || flags.trim_end().ends_with('=');
    if !is_setting || !(is_blank(behind) || behind.trim_start().starts_with(['#', ';'])) {
        return shells::shell(site);
    }
    // What stands behind the key goes on below it.
    let below = if flags.trim_end().ends_with('=') { "    " } else { before };
    let line = match write.value {
        Some(_) => respelt(site, write, ""),
        None => assignment(site),
    };
    Ok(site.insertion(site.span().start, format!("{line}{}{below}", site.newline())))
}
