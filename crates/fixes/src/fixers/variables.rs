//! Variables under a name that is read, with a value that is read, and early enough.

use crate::facts::Span;
use crate::findings::Edit;
use crate::fixes::Refusal;
use crate::fixes::bound_modules::{comments_above, import_edit, name_of};
use crate::fixes::environ::EnvironWrite;
use crate::fixes::lines::{has_comment, is_at_top, own_lines, removal};
use crate::fixes::site::{Draft, Site, blanks_before};
use crate::fixes::texts::{plain_text, quoted};
use crate::languages::{NodeId, Tree, TreeKind as Kind};
use crate::sources::Language;

/// The name that is read in the place of one that is not.
pub fn renamed(site: &Site<'_>) -> Result<Draft, Refusal> {
    let name = named(site);
    let row = site.program.knowledge.variables.get(name).ok_or("nothing is known of the variable")?;
    if !row.is_dead() {
        return moved(site, None);
    }
    let instead = row.instead.as_deref().ok_or("no variable does what its name says")?;
    let last = instead.rsplit(' ').next().unwrap_or(instead);
    let is_variable = |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_';
    if !last.chars().all(is_variable) {
        return Err(format!("use {instead}"));
    }
    if words(site.text()).any(|word| word == last) {
        return Err(format!("{last} stands in this file too"));
    }
    let Some(place) = name_place(site, name) else {
        return Err("its name is not written here".to_owned());
    };
    let title = Some(format!("set {last}"));
    let text = match site.slice(place).starts_with(['"', '\'']) {
        true => quoted(site, site.tree()?, last, place),
        false => last.to_owned(),
    };
    Ok(Draft { title, ..vec![site.edit(place, text)].into() })
}

/// PYTORCH_ENABLE_MPS_FALLBACK as a number, before torch is imported.
pub fn fallback(site: &Site<'_>) -> Result<Draft, Refusal> {
    if site.finding.value("late").is_some() {
        return moved(site, Some(&|value: &str| number(value).unwrap_or(value).to_owned()));
    }
    let title = Some("write it as a number".to_owned());
    let (place, text) = match site.is_python_file() {
        true => {
            let tree = site.tree()?;
            let write = EnvironWrite::at(site, tree, site.span()).ok_or("its value does not stand here")?;
            let place = tree.node(write.value).span;
            let said = plain_text(site.slice(place)).and_then(number);
            (place, said.map(|said| quoted(site, tree, said, place)))
        }
        false => {
            let name = named(site);
            let (place, word) = value_behind(site, name).ok_or("its value does not stand here")?;
            // Texts of data files stay texts.
            let is_data = matches!(site.source().language, Language::Yaml | Language::Toml);
            let is_quoted = site.text()[..place.start as usize].ends_with(['"', '\'']);
            let text =
                number(word).map(|said| match is_data && !is_quoted && !is_after_equals(site, place) {
                    true => format!("\"{said}\""),
                    false => said.to_owned(),
                });
            (place, text)
        }
    };
    let text = text.ok_or("the value is no word for on or off")?;
    Ok(Draft { title, ..vec![site.edit(place, text)].into() })
}

/// The number for a word that says on or off.
fn number(word: &str) -> Option<&'static str> {
    match word.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "y" | "t" | "enable" | "enabled" => Some("1"),
        "false" | "no" | "off" | "n" | "f" | "disable" | "disabled" => Some("0"),
        _ => None,
    }
}

/// The variable that the finding is about.
fn named<'a>(site: &'a Site<'_>) -> &'a str {
    site.finding.value("variable").unwrap_or_default()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_other = |letter: char| !letter.is_ascii_alphanumeric() && letter != '_';
    text.split(is_other).filter(|word| !word.is_empty())
}

/// Where the name of the variable stands that is written at the place of the finding: a text in Python, a word elsewhere.
fn name_place(site: &Site<'_>, name: &str) -> Option<Span> {
    let span = site.span();
    if site.is_python_file() {
        let tree = site.tree().ok()?;
        let write = EnvironWrite::at(site, tree, span)?;
        if let Some(key) = write.key {
            let place = tree.node(key).span;
            // The quotes stay as they are.
            let inner = Span { start: place.start + 1, end: place.end - 1 };
            return (site.slice(inner) == name).then_some(place);
        }
        let keyword = tree.node(write.value).parent.filter(|id| tree.node(*id).kind == Kind::Keyword)?;
        let (_, word) = tree.children(keyword).next()?;
        return (site.slice(word.span) == name).then_some(word.span);
    }
    let text = site.slice(span);
    let at = text.find(name)?;
    let rest = &text[at + name.len()..];
    let ends = !rest.starts_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '_');
    let start = span.start + at as u32;
    (ends && at <= 1).then_some(Span { start, end: start + name.len() as u32 })
}

/// The plain word behind the name of a variable, without its quotes.
fn value_behind<'a>(site: &'a Site<'_>, name: &str) -> Option<(Span, &'a str)> {
    let place = name_place(site, name)?;
    let rest = site.slice(Span { start: place.end, end: site.span().end });
    let word = rest.trim_start_matches(['"', '\'', '=', ':', ' ']);
    let start = place.end + (rest.len() - word.len()) as u32;
    let word = word.trim_end_matches(['"', '\'', ' ']);
    let is_word = !word.is_empty() && word.chars().all(|letter| letter.is_ascii_alphanumeric());
    is_word.then_some((Span { start, end: start + word.len() as u32 }, word))
}

fn is_after_equals(site: &Site<'_>, place: Span) -> bool {
    site.text()[..place.start as usize].ends_with('=')
}

/// The statement before the one that reads the variable.
fn moved(site: &Site<'_>, value: Option<&dyn Fn(&str) -> String>) -> Result<Draft, Refusal> {
    let tree = site.tree()?;
    let statement = tree.statement_at(site.span()).ok_or("it is no statement")?;
    if tree.node(statement).span != site.span() {
        return Err("it is set together with others".to_owned());
    }
    if !is_at_top(tree, statement) {
        return Err("it is not set at the top of the file, where the import stands".to_owned());
    }
    let write = EnvironWrite::at(site, tree, site.span()).ok_or("its value does not stand here")?;
    let (Some(_), Kind::Text) = (write.key, tree.node(write.value).kind) else {
        return Err("its value is not known before".to_owned());
    };
    let reader = reader(site, tree, statement)?;
    let before = tree.node(reader).span;
    let _ = own_lines(site, tree, reader)?;
    let mut edits: Vec<Edit> = Vec::new();
    let object = name_of(site, tree, ("os", "environ"), site.span());
    let early = name_of(site, tree, ("os", "environ"), before);
    if object.is_none() || early != object {
        edits.push(match site.slice(site.span()).starts_with("os.") {
            true => import_edit(site, tree, "os", before)?,
            false => return Err("what it is written with is imported later".to_owned()),
        });
        edits.extend(import_no_longer_needed(site, tree, before));
    }
    let place = tree.node(write.value).span;
    let mut text = site.slice(site.span()).to_owned();
    let mut early_value = None;
    if let (Some(value), Some(said)) = (value, plain_text(site.slice(place))) {
        let literal = quoted(site, tree, &value(said), place);
        early_value = Some(literal.clone());
        let (start, end) =
            ((place.start - site.span().start) as usize, (place.end - site.span().start) as usize);
        text.replace_range(start..end, &literal);
    }
    let blanks = blanks_before(site.text(), before.start).unwrap_or_default();
    let newline = site.newline();
    let is_import = matches!(tree.node(reader).kind, Kind::Import | Kind::ImportFrom);
    let gap = if is_import { format!("{newline}{newline}") } else { newline.to_owned() };
    let lead = match is_import && stands_below_import(site, tree, reader) {
        true => newline,
        false => "",
    };
    let text = match blanks.is_empty() {
        true => format!("{lead}{text}{gap}"),
        false => format!("{text}{gap}{blanks}"),
    };
    let at = if blanks.is_empty() { comments_above(site.text(), before.start) } else { before.start };
    match edits.first_mut().filter(|import| import.place.span.end == at) {
        Some(import) => import.text.push_str(text.trim_start()),
        None => edits.push(site.insertion(at, text)),
    }
    match removal(site, tree, statement) {
        Ok(removal) => edits.push(removal),
        // It stays too, with its comment.
        Err(_) if has_comment(site, tree, statement) => {
            edits.extend(early_value.map(|value| site.edit(place, value)));
        }
        Err(reason) => return Err(reason),
    }
    Ok(Draft { title: Some("set it before it is read".to_owned()), ..edits.into() })
}

/// A plain `import os` of the top level behind a place, which one before it makes needless.
fn import_no_longer_needed(site: &Site<'_>, tree: &Tree, before: Span) -> Option<Edit> {
    let mut later =
        tree.top().filter(|(_, node)| node.kind == Kind::Import && node.span.start > before.start);
    let (import, _) = later.find(|(_, node)| site.slice(node.span) == "import os")?;
    removal(site, tree, import).ok()
}

/// The statement of the top level that reads the variable before it is set.
fn reader(site: &Site<'_>, tree: &Tree, statement: NodeId) -> Result<NodeId, Refusal> {
    let start = tree.node(statement).span.start;
    let places = site.finding.related.iter().map(|related| related.place);
    let here = places.filter(|place| place.file == site.file() && place.span.end <= start);
    let tops = here.filter_map(|place| tree.top_statement_at(place.span));
    let is_before = |id: &NodeId| tree.node(*id).span.end <= start;
    let reader = tops.filter(is_before).min();
    let reader = reader.ok_or("what reads it stands in another file")?;
    // Whatever is imported before the first import that could read it stays before it.
    let is_apart = tree.node(reader).parent != tree.node(statement).parent;
    if is_apart { Err("what reads it stands in another cell".to_owned()) } else { Ok(reader) }
}

/// Whether an import stands on the line directly above a statement.
fn stands_below_import(site: &Site<'_>, tree: &Tree, statement: NodeId) -> bool {
    let before = tree.suite_of(statement).into_iter().take_while(|id| *id < statement).last();
    before.is_some_and(|id| {
        let node = tree.node(id);
        let between = Span { start: node.span.end, end: tree.node(statement).span.start };
        matches!(node.kind, Kind::Import | Kind::ImportFrom) && site.slice(between).matches('\n').count() == 1
    })
}
