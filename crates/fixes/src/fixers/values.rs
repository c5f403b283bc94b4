//! Values for variables of the environment: a text in the place of a number, and `os.environ` in the place of a name.

use crate::facts::Span;
use crate::findings::{Confidence, Edit, Safety};
use crate::fixes::Refusal;
use crate::fixes::environ::{EnvironWrite, environ};
use crate::fixes::site::{Draft, Site};
use crate::fixes::texts::{plain_text, quoted};
use crate::languages::{NodeId, Tree, TreeKind as Kind};

/// Makes a text of what a variable is given: `0` → `"0"`, `index` → `str(index)`.
pub fn text(site: &Site<'_>) -> Result<Draft, Refusal> {
    let tree = site.tree()?;
    let write = EnvironWrite::at(site, tree, site.span()).ok_or("the value does not stand here")?;
    let [variable, given] = ["variable", "given"].map(|name| site.finding.value(name).unwrap_or_default());
    let value = write.value;
    let span = tree.node(value).span;
    if let Some(text) = literal(site, tree, value, variable)? {
        return Ok(vec![site.edit(span, text)].into());
    }
    let text = computed(site, tree, value, given, variable)?;
    // On some ways it may be None, which `str` would hide.
    let safety = (site.finding.confidence != Confidence::High).then_some(Safety::Unsafe);
    Ok(Draft { safety, ..vec![site.edit(span, text)].into() })
}

/// Writes to the environment what a name of Python is given: `X = "0"` → `os.environ["X"] = "0"`.
pub fn environ_item(site: &Site<'_>) -> Result<Draft, Refusal> {
    let tree = site.tree()?;
    let statement = tree.exactly(site.span(), |kind| kind == Kind::Assign).ok_or("it is no assignment")?;
    let parts: Vec<NodeId> = tree.children(statement).map(|(id, _)| id).collect();
    let (Some(&target), Some(&value)) = (parts.first(), parts.last()) else {
        return Err("it has no value".to_owned());
    };
    let name = site.slice(tree.node(target).span);
    let (environ, import) = environ(site, tree, site.span())?;
    let key = quoted(site, tree, name, tree.node(value).span);
    // An annotation goes with the name.
    let (start, end) = (site.span().start, tree.node(value).span.start);
    let bracket = site.slice(Span { start, end }).ends_with('(');
    let equals = if bracket { "= (" } else { "= " };
    let mut edits = vec![site.edit(Span { start, end }, format!("{environ}[{key}] {equals}"))];
    edits.extend(import);
    edits.extend(text_edit(site, tree, value, name)?);
    Ok(edits.into())
}

/// What makes a literal a text; `None` where it is one, or is made by a call.
pub fn text_edit(
    site: &Site<'_>,
    tree: &Tree,
    value: NodeId,
    variable: &str,
) -> Result<Option<Edit>, Refusal> {
    let text = literal(site, tree, value, variable)?;
    Ok(text.map(|text| site.edit(tree.node(value).span, text)))
}

/// The text that stands for a number, a truth or a list; `None` for what is no such literal.
fn literal(site: &Site<'_>, tree: &Tree, value: NodeId, variable: &str) -> Result<Option<String>, Refusal> {
    let span = tree.node(value).span;
    let text = site.slice(span);
    let is_mask = variable.ends_with("VISIBLE_DEVICES");
    let said = match text {
        "None" => {
            return Err("`None` is no value: give it a text, or remove the variable".to_owned());
        }
        "True" | "False" if is_mask => return Err(format!("`{text}` names no GPU")),
        "True" => "1".to_owned(),
        "False" => "0".to_owned(),
        _ => match number(text).or_else(|| of_bytes(text)).map(str::to_owned).or_else(|| joined(text)) {
            Some(said) => said,
            None => return Ok(None),
        },
    };
    Ok(Some(quoted(site, tree, &said, span)))
}

/// What makes a text of a value that is computed.
fn computed(
    site: &Site<'_>,
    tree: &Tree,
    value: NodeId,
    given: &str,
    variable: &str,
) -> Result<String, Refusal> {
    let node = tree.node(value);
    let text = site.slice(node.span);
    let bare = !text.starts_with(['(', '[', '{']) && text.contains(',') && node.kind == Kind::OtherExpression;
    if text.contains('\n') || bare || node.kind == Kind::Yield {
        return Err("the value is not plain enough to be put into a call".to_owned());
    }
    let is_sure = site.finding.confidence == Confidence::High;
    match given {
        "an int" | "a float" => Ok(format!("str({text})")),
        "a bool" if is_sure && !variable.ends_with("VISIBLE_DEVICES") => Ok(format!("str(int({text}))")),
        "a collection" if is_sure => {
            let comma = quoted(site, tree, ",", node.span);
            Ok(format!("{comma}.join(map(str, {text}))"))
        }
        "a collection" | "a bool" => Err(format!("it is {given} on some ways only")),
        _ => Err(format!("{given} cannot be written as a text")),
    }
}

/// A decimal number as it is written.
fn number(text: &str) -> Option<&str> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_number = digits.starts_with(|digit: char| digit.is_ascii_digit())
        && digits.ends_with(|digit: char| digit.is_ascii_digit())
        && digits.chars().all(|letter| letter.is_ascii_digit() || letter == '.');
    is_number.then_some(text)
}

fn of_bytes(text: &str) -> Option<&str> {
    plain_text(text.strip_prefix(['b', 'B'])?).filter(|text| text.is_ascii())
}

/// `[0, 1]` → `0,1`
fn joined(text: &str) -> Option<String> {
    let inner = match (text.chars().next()?, text.chars().next_back()?) {
        ('[', ']') | ('(', ')') => &text[1..text.len() - 1],
        _ => return None,
    };
    let parts = inner.trim().trim_end_matches(',').split(',').map(str::trim);
    let parts: Option<Vec<&str>> = parts.map(|part| number(part).or_else(|| plain_text(part))).collect();
    parts.filter(|parts| parts.iter().all(|part| !part.is_empty())).map(|parts| parts.join(","))
}
