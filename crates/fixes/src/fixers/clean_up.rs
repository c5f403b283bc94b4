//! Clean-up that runs in any case: a `finally` around `yield`, exceptions that are let through, and a cache that is
//! emptied last.

use crate::facts::Span;
use crate::findings::Edit;
use crate::fixes::Refusal;
use crate::fixes::lines::{has_comment, has_comment_above, indented, own_lines, removal};
use crate::fixes::site::{Draft, Site, blanks_before};
use crate::languages::{NodeId, Tree, TreeKind as Kind};

/// Puts a `yield` into a `try`, and the clean-up behind it into its `finally`.
pub fn in_finally(site: &Site<'_>) -> Result<Draft, Refusal> {
    let tree = site.tree()?;
    let release = site.finding.related.first().ok_or("the clean-up is not known")?.place;
    if release.file != site.file() {
        return Err("the clean-up stands in another file".to_owned());
    }
    let (first, clean_up) = in_one_suite(tree, site.span(), release.span)
        .ok_or("the `yield` and the clean-up stand in different blocks")?;
    let suite: Vec<NodeId> = tree.suite_of(first).into_iter().skip_while(|id| *id < first).collect();
    let (tried, cleaning): (Vec<NodeId>, Vec<NodeId>) = suite.iter().partition(|id| **id < clean_up);
    for statement in &suite {
        own_lines(site, tree, *statement)?;
    }
    if let Some(reason) = unfit_for_finally(site, tree, &tried, &cleaning) {
        return Err(reason);
    }
    let lines = own_lines(site, tree, first)?;
    let tried_end = tried.last().map_or(lines.end, |last| site.line_behind(tree.node(*last).span.end));
    let head = behind_blank_lines(site, tried_end);
    let last = cleaning.last().map_or(clean_up, |last| *last);
    let end = site.line_behind(tree.node(last).span.end);
    let (blanks, newline) = (indentation(site, tree, first), site.newline());
    // No empty line stays above `finally`.
    let tried = Span { start: lines.start, end: tried_end };
    let mut edits = indented(site, tree, tried, &format!("{blanks}try:{newline}"))?;
    edits.push(site.edit(Span { start: tried_end, end: head }, ""));
    edits.extend(indented(site, tree, Span { start: head, end }, &format!("{blanks}finally:{newline}"))?);
    Ok(edits.into())
}

/// Lets through what a context manager catches: `finally` in the place of an empty handler, else `raise` at its end.
pub fn let_through(site: &Site<'_>) -> Result<Draft, Refusal> {
    let tree = site.tree()?;
    if let Some(statement) = tree.exactly(site.span(), |kind| kind == Kind::Return) {
        return match tree.children(statement).next() {
            Some((_, value)) => {
                let title = Some("return False".to_owned());
                Ok(Draft { title, ..vec![site.edit(value.span, "False")].into() })
            }
            None => {
                let title = Some("leave `finally` at its end".to_owned());
                Ok(Draft { title, ..vec![removal(site, tree, statement)?].into() })
            }
        };
    }
    let handler =
        tree.numbered().find(|(_, node)| node.kind == Kind::Handler && node.span.start == site.span().start);
    let (handler, _) = handler.ok_or("what drops it is no `except`")?;
    let body: Vec<NodeId> =
        tree.children(handler).filter(|(_, node)| node.kind.is_statement()).map(|(id, _)| id).collect();
    let last = *body.last().ok_or("the handler is empty")?;
    let span = tree.node(last).span;
    let is_empty = body.len() == 1 && (tree.node(last).kind == Kind::Pass || site.slice(span) == "...");
    if is_empty {
        if let Some(edits) = finally_instead(site, tree, handler) {
            return Ok(edits.into());
        }
        let title = Some("raise it again".to_owned());
        return Ok(Draft { title, ..vec![site.edit(span, "raise")].into() });
    }
    if tree.node(last).kind == Kind::Return {
        return Err("the handler ends with a `return`".to_owned());
    }
    let raise = match blanks_before(site.text(), tree.node(body[0]).span.start) {
        Some(blanks) => below(site, span.end, &[format!("{blanks}raise")]),
        None => site.insertion(span.end, "; raise"),
    };
    Ok(Draft { title: Some("raise it again".to_owned()), ..vec![raise].into() })
}

/// Empties the cache behind what sets memory free.
pub fn emptied_last(site: &Site<'_>) -> Result<Draft, Refusal> {
    let tree = site.tree()?;
    let statement = tree
        .exactly(site.span(), |kind| kind == Kind::Evaluate)
        .ok_or("it is a part of another statement")?;
    let later = site.finding.related.first().ok_or("what comes later is not known")?.place;
    let other_block = || "it stands in a block of its own".to_owned();
    if later.file != site.file() {
        return Err(other_block());
    }
    let suite = tree.suite_of(statement);
    let holds = |id: &NodeId| {
        let span = tree.node(*id).span;
        span.start <= later.span.start && later.span.end <= span.end
    };
    let at = suite.iter().position(holds).filter(|at| suite[*at] > statement).ok_or_else(other_block)?;
    // What else is let go directly behind it.
    let frees = |id: &&NodeId| {
        let text = site.slice(tree.node(**id).span);
        text.starts_with("del ") || text.ends_with("collect()")
    };
    let last = suite[at + 1..].iter().take_while(frees).last().unwrap_or(&suite[at]);
    let lines = own_lines(site, tree, statement)?;
    own_lines(site, tree, *last)?;
    if has_comment(site, tree, statement) {
        return Err("a comment stands behind it".to_owned());
    }
    if has_comment_above(site, lines.start) {
        return Err("a comment stands above it".to_owned());
    }
    let blanks = indentation(site, tree, statement);
    let text = format!("{blanks}{}", site.slice(site.span()));
    Ok(vec![site.edit(lines, ""), below(site, tree.node(*last).span.end, &[text])].into())
}

/// Lines put in below the line that holds a byte.
pub fn below(site: &Site<'_>, at: u32, lines: &[String]) -> Edit {
    let behind = site.line_behind(at);
    let newline = site.newline();
    let is_ended = site.slice(Span { start: at, end: behind }).ends_with('\n');
    let text: String = match is_ended {
        true => lines.iter().map(|line| format!("{line}{newline}")).collect(),
        false => lines.iter().map(|line| format!("{newline}{line}")).collect(),
    };
    site.insertion(behind, text)
}

pub fn indentation<'a>(site: &Site<'a>, tree: &Tree, statement: NodeId) -> &'a str {
    blanks_before(site.text(), tree.node(statement).span.start).unwrap_or_default()
}

/// The statements of one suite that hold two places.
fn in_one_suite(tree: &Tree, one: Span, other: Span) -> Option<(NodeId, NodeId)> {
    let statement = tree.statement_at(one)?;
    let mut around = tree.outwards(statement).filter(|(_, node)| node.kind.is_statement());
    around.find_map(|(id, _)| {
        let suite = tree.suite_of(id);
        let holding = suite.into_iter().find(|sibling| {
            let span = tree.node(*sibling).span;
            span.start <= other.start && other.end <= span.end
        });
        holding.filter(|sibling| *sibling > id).map(|sibling| (id, sibling))
    })
}

/// Why statements cannot become a `finally` behind others.
fn unfit_for_finally(site: &Site<'_>, tree: &Tree, tried: &[NodeId], cleaning: &[NodeId]) -> Option<Refusal> {
    let within = |statements: &[NodeId]| -> Vec<NodeId> {
        let inner = statements.iter().flat_map(|id| tree.below(*id).map(|(id, _)| id));
        statements.iter().copied().chain(inner).collect()
    };
    let cleaning = within(cleaning);
    if cleaning.iter().any(|id| matches!(tree.node(*id).kind, Kind::Return | Kind::Yield)) {
        return Some("behind the clean-up stands a `return` or another `yield`".to_owned());
    }
    let bound = within(tried).into_iter().filter(|id| tree.node(*id).kind == Kind::Assign);
    let bound: Vec<&str> = bound
        .filter_map(|id| tree.children(id).next())
        .filter(|(_, target)| target.kind == Kind::Name)
        .map(|(_, target)| site.slice(target.span))
        .collect();
    let mut names = cleaning.iter().map(|id| tree.node(*id)).filter(|node| node.kind == Kind::Name);
    let unbound = names.find(|node| bound.contains(&site.slice(node.span)))?;
    Some(format!("`{}` would not be bound in the `finally`", site.slice(unbound.span)))
}

/// A `finally` in the place of an empty handler, around the statements behind the `try`; `None` where there are none, or
/// the `try` has other parts.
fn finally_instead(site: &Site<'_>, tree: &Tree, handler: NodeId) -> Option<Vec<Edit>> {
    let around = tree.node(handler).parent?;
    let (caught, whole) = (tree.node(handler).span, tree.node(around).span);
    let mut handlers = tree.children(around).filter(|(_, node)| node.kind == Kind::Handler);
    let cleaning: Vec<NodeId> = tree.suite_of(around).into_iter().filter(|id| *id > around).collect();
    let last = *cleaning.last()?;
    let is_plain = handlers.next().is_some() && handlers.next().is_none() && whole.end == caught.end;
    if !is_plain || has_comment(site, tree, around) || site.slice(caught).contains('#') {
        return None;
    }
    for statement in cleaning.iter().chain([&around]) {
        own_lines(site, tree, *statement).ok()?;
    }
    if unfit_for_finally(site, tree, &[around], &cleaning).is_some() {
        return None;
    }
    let start = behind_blank_lines(site, site.line_behind(caught.end));
    let end = site.line_behind(tree.node(last).span.end);
    let kept = site.slice(Span { start: whole.start, end: caught.start });
    let text = format!("{kept}finally:{}", site.newline());
    let mut edits = vec![site.edit(Span { start: whole.start, end: start }, text)];
    edits.extend(indented(site, tree, Span { start, end }, "").ok()?);
    Some(edits)
}

/// The start of the first line from here on that is not empty.
fn behind_blank_lines(site: &Site<'_>, from: u32) -> u32 {
    let mut at = from;
    loop {
        let end = site.line_behind(at);
        if end == at || !site.slice(Span { start: at, end }).trim().is_empty() {
            return at;
        }
        at = end;
    }
}
