//! A value that is written elsewhere: a constant, or the argument of the function that sets the variable. It is the value
//! of this variable alone when nothing else uses it.

use super::{Literal, python, words};
use crate::facts::{FileId, Span};
use crate::fixes::Refusal;
use crate::fixes::site::Site;
use crate::languages::{NodeId, Tree, TreeKind};

/// The literal that a name of Python stands for.
pub fn of_module(site: &Site<'_>, name: NodeId) -> Result<Literal, Refusal> {
    let tree = site.tree()?;
    let word = site.slice(tree.node(name).span);
    let parameter = parameter_of(site, tree, name, word);
    let value = match parameter {
        Some((function, position)) => argument_of(site, tree, function, position, word)?,
        None => constant(site, tree, word)?,
    };
    let node = tree.node(value);
    match node.kind {
        TreeKind::Text => {
            let inside =
                python::inside(site, node.span).ok_or("the value is put together from several texts")?;
            Ok(Literal { whole: node.span, inside })
        }
        TreeKind::Number => Ok(Literal { whole: node.span, inside: node.span }),
        _ => Err(format!("the value of `{word}` is computed")),
    }
}

/// The value of a name that is bound once and used once.
fn constant(site: &Site<'_>, tree: &Tree, word: &str) -> Result<NodeId, Refusal> {
    is_used_once(site, tree, word)?;
    let assigned = tree.numbered().filter(|(_, node)| node.kind == TreeKind::Assign).find_map(|(id, _)| {
        let mut parts = tree.children(id).filter(|(_, part)| part.kind.is_expression());
        let target = parts.next().filter(|(_, target)| site.slice(target.span) == word)?;
        // An annotation stands between the two.
        parts.next_back().filter(|(value, _)| *value != target.0)
    });
    assigned.map(|(id, _)| id).ok_or_else(|| format!("the value of `{word}` is computed"))
}

/// The function around a name that is a parameter of it, and the number of that parameter.
fn parameter_of(site: &Site<'_>, tree: &Tree, name: NodeId, word: &str) -> Option<(NodeId, usize)> {
    let function = tree.function_around(name)?;
    let parameters = tree.children(function).find(|(_, node)| node.kind == TreeKind::Parameters)?;
    let is_meant = |node: &crate::languages::TreeNode| {
        let text = site.slice(node.span);
        text.split(|one: char| !one.is_alphanumeric() && one != '_').next() == Some(word)
    };
    let all = tree.below(parameters.0).filter(|(_, node)| node.kind == TreeKind::Parameter);
    let position = all.map(|(_, node)| node).position(is_meant)?;
    Some((function, position))
}

/// The argument of the only call of a function.
fn argument_of(
    site: &Site<'_>,
    tree: &Tree,
    function: NodeId,
    position: usize,
    word: &str,
) -> Result<NodeId, Refusal> {
    let unclear = || format!("the value is the argument `{word}` of a function");
    let named = tree.children(function).find(|(_, node)| node.kind == TreeKind::Identifier);
    let name = site.slice(named.ok_or_else(unclear)?.1.span);
    is_used_once(site, tree, name).map_err(|_| unclear())?;
    let call = tree
        .numbered()
        .filter(|(_, node)| node.kind == TreeKind::Call)
        .find(|(id, _)| tree.children(*id).next().is_some_and(|(_, callee)| site.slice(callee.span) == name));
    let arguments =
        call.and_then(|(id, _)| tree.children(id).find(|(_, part)| part.kind == TreeKind::Arguments));
    let (arguments, _) = arguments.ok_or_else(unclear)?;
    for (at, (id, argument)) in tree.children(arguments).enumerate() {
        match argument.kind {
            TreeKind::Keyword => {
                let mut parts = tree.children(id);
                let is_meant = parts.next().is_some_and(|(_, key)| site.slice(key.span) == word);
                if let Some((value, _)) = parts.next().filter(|_| is_meant) {
                    return Ok(value);
                }
            }
            _ if at == position => return Ok(id),
            _ => {}
        }
    }
    Err(unclear())
}

/// Whether a name stands twice in the project: where it gets its value, and where that is used.
fn is_used_once(site: &Site<'_>, tree: &Tree, word: &str) -> Result<(), Refusal> {
    let times = tree.tokens.iter().filter(|token| token.is_name() && site.slice(token.span) == word).count();
    // A file that nobody imports has its names for itself.
    let files = (0..site.program.sources.files.len() as u32).map(FileId);
    let is_shared = site.program.is_imported(site.file());
    let mut others = files.filter(|&file| is_shared && file != site.file());
    match times == 2 && !others.any(|file| site.program.has_word(file, word)) {
        true => Ok(()),
        false => Err(format!("`{word}` is used elsewhere too")),
    }
}

/// The literal that a variable of a shell, a Makefile or another file without Python stands for.
pub fn of_file(site: &Site<'_>, name: &str, used: Span) -> Result<Literal, Refusal> {
    if site.is_python_file() {
        return Err("the value is computed".to_owned());
    }
    let text = site.text();
    let mut places = words(text).filter(|(_, word)| *word == name).map(|(at, _)| at as u32);
    let (first, second, third) = (places.next(), places.next(), places.next());
    let (Some(defined), Some(use_place), None) = (first, second, third) else {
        return Err(format!("`{name}` is used elsewhere too"));
    };
    let computed = || format!("the value of `{name}` is computed");
    if !(used.start..used.end).contains(&use_place) {
        return Err(computed());
    }
    let behind = defined as usize + name.len();
    let line = text[behind..].lines().next().unwrap_or_default();
    let value = line.trim_start().trim_start_matches(['?', ':']);
    let value = value.strip_prefix('=').map(str::trim_start).ok_or_else(computed)?;
    let start = behind + line.len() - value.len();
    let quote = value.chars().next().filter(|first| matches!(first, '"' | '\''));
    let (inside, closed) = match quote {
        Some(quote) => (value[1..].split(quote).next().unwrap_or_default(), 1),
        None => (value.split([' ', '\t', ';', '&', '#']).next().unwrap_or_default(), 0),
    };
    let is_plain = |one: char| {
        one.is_ascii_alphanumeric() || matches!(one, ',' | '-' | '_' | ':' | ';' | ' ' | '[' | ']')
    };
    if inside.is_empty() || !inside.chars().all(is_plain) {
        return Err(computed());
    }
    let inner = Span::new(start + closed, start + closed + inside.len());
    let whole = Span::new(start, start + inside.len() + 2 * closed);
    Ok(Literal { whole, inside: inner })
}
