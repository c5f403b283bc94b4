//! Where a variable of the environment gets its value, as the file spells it: the name, the value beside it, and the
//! literal that the value comes from. The same is looked for in every language, since all write a name and a value
//! behind it.

mod constants;
mod plain;
mod python;

use super::Refusal;
use super::site::Site;
use crate::facts::Span;
use crate::sources::Language;

/// A variable with the value that it gets.
#[derive(Clone, Copy, Debug)]
pub struct Write {
    /// Without quotes.
    pub name: Span,
    /// With its quotes; absent where no value stands behind the name.
    pub value: Option<Span>,
}

/// A text or a number that a value comes from.
#[derive(Clone, Copy, Debug)]
pub struct Literal {
    /// With its quotes.
    pub whole: Span,
    /// Without them.
    pub inside: Span,
}

impl Write {
    /// The write of the variable at the place of a finding.
    pub fn of(site: &Site<'_>, variable: &str) -> Result<Write, Refusal> {
        let found = Write::find(site, |name| (name == variable).then_some(()));
        found.map(|(write, ())| write).ok_or_else(|| format!("{variable} is not spelt out here"))
    }

    /// The first name at the place of a finding that is meant, with what is known of it.
    pub fn find<T>(site: &Site<'_>, is_meant: impl Fn(&str) -> Option<T>) -> Option<(Write, T)> {
        let ignores_case = matches!(site.language(), Language::Batch | Language::PowerShell);
        let meant = |name: &str| {
            is_meant(name).or_else(|| is_meant(&name.to_ascii_uppercase()).filter(|_| ignores_case))
        };
        match is_of_python(site) {
            true => python::write(site, &meant),
            false => plain::write(site, &meant),
        }
    }

    /// The literal that the value is, or comes from.
    pub fn literal(&self, site: &Site<'_>) -> Result<Literal, Refusal> {
        let value = self.value.ok_or("no value stands beside the name")?;
        match is_of_python(site) {
            true => python::literal(site, value),
            false => plain::literal(site, value),
        }
    }
}

impl Literal {
    pub fn is_quoted(&self) -> bool {
        self.whole != self.inside
    }
}

/// Whether the place of the finding is code of a file of Python, and not a part of a text in it.
pub fn is_of_python(site: &Site<'_>) -> bool {
    site.is_python_file() && !is_in_text(site)
}

/// Whether the finding stands in a text of a file of Python, which a shell reads: `os.system("X=1 python train.py")`.
pub fn is_in_text(site: &Site<'_>) -> bool {
    if !site.is_python_file() {
        return false;
    }
    let Ok(tree) = site.tree() else { return false };
    let place = site.span();
    let is_cut = |at: u32| tree.is_inside_token(at);
    let in_middle = tree
        .tokens
        .iter()
        .any(|token| token.is_middle() && token.span.start <= place.start && place.start < token.span.end);
    // A word of a command: `["env", "X=1", "python"]`.
    let text = site.slice(place).trim_start_matches(['"', '\'']);
    let length = text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    let is_word = text.len() < site.slice(place).len() && length > 0 && text[length..].starts_with('=');
    is_cut(place.start) || is_cut(place.end) || in_middle || is_word
}

/// Where the words of a text stand that are names of variables.
pub(super) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |one: char| one.is_ascii_alphanumeric() || one == '_';
    let mut at = 0;
    text.split(move |one: char| !is_part(one)).filter_map(move |word| {
        let start = at;
        at += word.len();
        // What parts two words is one character, which may have several bytes.
        at += text[at..].chars().next().map_or(0, char::len_utf8);
        let is_name = word.starts_with(|first: char| !first.is_ascii_digit());
        (!word.is_empty() && is_name).then_some((start, word))
    })
}
