//! What a shell of its own exports, written to the environment of the process: `os.system("export X=1")` →
//! `os.environ["X"] = "1"`, `!export X=1` → `%env X=1`.

use crate::facts::Span;
use crate::findings::Finding;
use crate::fixes::Refusal;
use crate::fixes::environ::environ;
use crate::fixes::site::{Draft, Site, blanks_before};
use crate::fixes::texts::{plain_text, quoted};
use crate::languages::{NodeId, Tree, TreeKind as Kind};
use crate::sources::Language;

/// Writes to the environment what the shell would have.
pub fn environ_instead(site: &Site<'_>) -> Result<Draft, Refusal> {
    let tree = site.tree()?;
    let is_late = |other: &Finding| {
        let (here, there) = (site.finding.place, other.place);
        other.rule == "pin-after-cuda-init" && (there.file == here.file && there.span.start < here.span.start)
    };
    if site.findings.iter().any(is_late) {
        return Err("CUDA is initialised before, so what is set here would be read no more".to_owned());
    }
    let statement = tree.statement_at(site.span()).ok_or("the whole cell is one for a shell")?;
    let span = tree.node(statement).span;
    if site.source().language == Language::Notebook && site.slice(span).starts_with(['!', '%']) {
        return magic(site, span);
    }
    if tree.node(statement).kind != Kind::Evaluate || span != site.span() {
        return Err("what the call returns is used".to_owned());
    }
    let line = command_line(site, tree, statement).ok_or("the line of the shell does not stand here")?;
    let (environ, import) = environ(site, tree, span)?;
    let set = |name: &str, value: &str| format!("{environ}[{}] = {value}", quoted(site, tree, name, span));
    let statements: Vec<String> = match tree.node(line).kind {
        Kind::Text => {
            let text = plain_text(site.slice(tree.node(line).span)).ok_or(NOT_PLAIN)?;
            let exported = exported(text)?;
            exported.iter().map(|(name, value)| set(name, &quoted(site, tree, value, span))).collect()
        }
        _ => {
            let (name, value) = put_in(site, tree, line)?;
            vec![set(&name, &value)]
        }
    };
    let between = match blanks_before(site.text(), span.start) {
        Some(blanks) => format!("{}{blanks}", site.newline()),
        None => "; ".to_owned(),
    };
    let mut edits = vec![site.edit(span, statements.join(&between))];
    edits.extend(import);
    Ok(edits.into())
}

const NOT_PLAIN: &str = "the line of the shell is no plain text";
const MORE: &str = "the shell does more than set variables";

/// `!export X=1` → `%env X=1`
fn magic(site: &Site<'_>, span: Span) -> Result<Draft, Refusal> {
    let line = site.slice(span);
    let Some(command) = line.strip_prefix('!').filter(|line| !line.starts_with('!')) else {
        return Err("the whole cell is one for a shell".to_owned());
    };
    let blanks = blanks_before(site.text(), span.start).ok_or(NOT_PLAIN)?;
    let exported = exported(command)?;
    let lines: Vec<String> = exported.iter().map(|(name, value)| format!("%env {name}={value}")).collect();
    let text = lines.join(&format!("{}{blanks}", site.newline()));
    Ok(Draft { title: Some("use %env".to_owned()), ..vec![site.edit(span, text)].into() })
}

/// The expression that holds what the shell is to run.
fn command_line(site: &Site<'_>, tree: &Tree, statement: NodeId) -> Option<NodeId> {
    let call = tree.children(statement).next().filter(|(_, node)| node.kind == Kind::Call)?.0;
    let arguments = tree.children(call).find(|(_, node)| node.kind == Kind::Arguments)?.0;
    let (first, node) = tree.children(arguments).next()?;
    if !site.slice(node.span).starts_with(['[', '(']) {
        return node.kind.is_expression().then_some(first);
    }
    // `["bash", "-c", "export X=1"]`
    let words: Vec<NodeId> = tree.children(first).map(|(id, _)| id).collect();
    match words[..] {
        [_, _, line] if tree.node(line).kind == Kind::Text => Some(line),
        _ => None,
    }
}

/// The variables of a line that does nothing but set some.
fn exported(line: &str) -> Result<Vec<(&str, &str)>, Refusal> {
    let mut found = Vec::new();
    let line = line.split(['\n', ';']).flat_map(|part| part.split("&&"));
    for statement in line.map(str::trim).filter(|statement| !statement.is_empty()) {
        let words: Vec<&str> = statement.split_whitespace().collect();
        let words = match words[..] {
            ["export" | "set", ..] => &words[1..],
            ["declare" | "typeset", "-x", ..] => &words[2..],
            _ => &words[..],
        };
        if words.is_empty() {
            return Err(MORE.to_owned());
        }
        for word in words {
            let (name, value) = word.split_once('=').filter(|(name, _)| is_name(name)).ok_or(MORE)?;
            found.push((name, value_of(value)?));
        }
    }
    if found.is_empty() { Err(MORE.to_owned()) } else { Ok(found) }
}

/// A value as the shell understands it, where it is plain.
fn value_of(value: &str) -> Result<&str, Refusal> {
    let inner = plain_text(value).unwrap_or(value);
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || ",.:_-+/=@%".contains(letter);
    match inner.chars().all(is_plain) {
        true => Ok(inner),
        false => Err("the shell makes the value".to_owned()),
    }
}

/// A value that Python puts into the line, and the variable that gets it.
fn put_in(site: &Site<'_>, tree: &Tree, line: NodeId) -> Result<(String, String), Refusal> {
    let whole = tree.node(line).span;
    let text = site.slice(whole);
    // The part with the name: the literal itself, or the first of the operation or the call.
    let head = match text.starts_with(['f', 'F']) {
        true => whole,
        false => tree
            .below(line)
            .find(|(_, node)| node.kind == Kind::Text)
            .map(|(_, node)| node.span)
            .filter(|span| span.start == whole.start)
            .ok_or(NOT_PLAIN)?,
    };
    let literal = site.slice(head);
    let (prefix, quoted) = match literal.strip_prefix(['f', 'F']) {
        Some(quoted) => ("f", quoted),
        None => ("", literal),
    };
    let quote = quoted.chars().next().unwrap_or('"');
    let inner = quoted.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)).ok_or(NOT_PLAIN)?;
    let set = inner.strip_prefix("export ").unwrap_or(inner).trim_start();
    let (name, value) = set.split_once('=').filter(|(name, _)| is_name(name)).ok_or(MORE)?;
    if !is_plain_pattern(value) || inner.contains(['\\', '\n']) {
        return Err(MORE.to_owned());
    }
    let behind = site.slice(Span { start: head.end, end: whole.end });
    let added = behind.trim_start().strip_prefix('+').filter(|_| value.is_empty());
    let value = match added {
        // A sum goes on with what was added first.
        Some(added) => added.trim_start().to_owned(),
        None if prefix == "f" && value.matches('{').count() == 1 && is_whole_field(value) => {
            format!("str({})", &value[1..value.len() - 1])
        }
        None => format!("{prefix}{quote}{value}{quote}{behind}"),
    };
    Ok((name.to_owned(), value))
}

/// Whether a text is one `{name}`, without a format.
fn is_whole_field(value: &str) -> bool {
    let inner = value.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or_default();
    !inner.is_empty()
        && inner.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '[' | ']'))
}

/// Whether nothing in a text with gaps means something to a shell.
fn is_plain_pattern(value: &str) -> bool {
    let mut depth = 0;
    value.chars().all(|letter| {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => return depth > 0 || letter.is_ascii_alphanumeric() || ",.:_-%".contains(letter),
        }
        true
    })
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}
