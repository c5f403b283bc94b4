//! What a module asks or makes when it is imported becomes a function that keeps its answer.

use super::imports::{ModuleUsers, cache, joined, looks_names_up};
use crate::facts::Span;
use crate::findings::Edit;
use crate::fixes::Refusal;
use crate::fixes::site::{Draft, Site, blanks_before, line_behind};
use crate::languages::{MentionSort, NodeId, Scopes, Tree, TreeKind, When};

/// `NAME = …` → a function that is asked once, and every use of the name a call.
pub fn kept_answer(site: &Site<'_>) -> Result<Draft, Refusal> {
    let tree = site.tree()?;
    let scopes = site.scopes()?;
    let assignment = Assignment::at(site, tree)?;
    let name = site.slice(assignment.name);
    let takers = ModuleUsers::of(site);
    let uses = uses_of(site, scopes, &takers, &assignment)?;
    check_value(site, scopes, &assignment)?;
    let function = function_name(scopes, name)?;
    let (cache, import) = cache(site, assignment.statement)?;
    // Last, because the texts of all files are searched.
    if let Some(reason) = takers.taker(name) {
        return Err(reason);
    }
    let mut edits: Vec<Edit> = import.into_iter().collect();
    edits.extend(assignment.as_function(site, tree, &function, &cache));
    edits.extend(uses.into_iter().map(|place| site.edit(place, format!("{function}()"))));
    Ok(Draft::from(joined(edits)))
}

/// `name = value` of the top level.
struct Assignment {
    statement: NodeId,
    span: Span,
    name: Span,
    annotation: Option<Span>,
    value: Span,
}

impl Assignment {
    fn at(site: &Site<'_>, tree: &Tree) -> Result<Assignment, Refusal> {
        let statement = tree.statement_at(site.span()).ok_or("there is no statement")?;
        let node = tree.node(statement);
        match node.parent.map(|parent| tree.node(parent).kind) {
            Some(TreeKind::Module) => {}
            Some(TreeKind::Class) => return Err("it is part of a class".to_owned()),
            _ => return Err("it stands under a condition, or in another statement".to_owned()),
        }
        if node.kind != TreeKind::Assign {
            return Err("its answer has no name".to_owned());
        }
        let parts: Vec<NodeId> = tree.children(statement).map(|(id, _)| id).collect();
        let span = |id: NodeId| tree.node(id).span;
        let (Some(&first), Some(&last)) = (parts.first(), parts.last()) else {
            return Err("its answer has no name".to_owned());
        };
        let text = site.text();
        let behind_name = text[span(first).end as usize..].trim_start();
        let annotation = match parts[..] {
            [_, _] => None,
            [_, annotation, _] if behind_name.starts_with(':') => Some(span(annotation)),
            _ => return Err("it is more than one name for one value".to_owned()),
        };
        let target = annotation.unwrap_or(span(first)).end;
        let between = &text[target as usize..span(last).start as usize];
        // In `a += ask()` something else stands there.
        if !between.trim_start().starts_with('=') {
            return Err("it is more than one name for one value".to_owned());
        }
        if tree.node(first).kind != TreeKind::Name {
            return Err("it is more than one name for one value".to_owned());
        }
        let behind = text[node.span.end as usize..].lines().next().unwrap_or_default().trim();
        let is_alone = blanks_before(text, node.span.start) == Some("");
        if !is_alone || !(behind.is_empty() || behind.starts_with('#')) {
            return Err("it shares its line with other statements".to_owned());
        }
        // Brackets around the value belong to it.
        let equals = target + between.find('=').map_or(0, |at| at as u32 + 1);
        let blanks =
            text[equals as usize..].len() - text[equals as usize..].trim_start_matches([' ', '\t']).len();
        let value = Span { start: equals + blanks as u32, end: node.span.end };
        if text[value.start as usize..].starts_with('\\') {
            return Err("its value begins on another line".to_owned());
        }
        Ok(Assignment { statement, span: node.span, name: span(first), annotation, value })
    }

    /// The edits that make a function of it.
    fn as_function(&self, site: &Site<'_>, tree: &Tree, function: &str, cache: &str) -> Vec<Edit> {
        let (text, newline, indent) = (site.text(), site.newline(), site.indent());
        let above = &text[..self.span.start as usize];
        let blank = above.lines().rev().take_while(|line| line.trim().is_empty()).count();
        let is_first = above.trim_matches('\u{feff}').trim().is_empty();
        let gap = newline.repeat(if is_first { 0 } else { 2usize.saturating_sub(blank) });
        let answer = self.annotation.map_or(String::new(), |span| format!(" -> {}", site.slice(span)));
        let head = format!("{gap}@{cache}{newline}def {function}(){answer}:{newline}{indent}return ");
        let mut edits = vec![site.edit(Span { start: self.span.start, end: self.value.start }, head)];
        let lines = memchr::memchr_iter(b'\n', site.slice(self.value).as_bytes());
        let lines = lines.map(|at| self.value.start + at as u32 + 1);
        edits.extend(lines.filter(|&at| !tree.is_inside_token(at)).map(|at| site.insertion(at, indent)));
        let behind = line_behind(text, self.span.end);
        let rest = &text[behind as usize..];
        let blank = rest.lines().take_while(|line| line.trim().is_empty()).count();
        if !rest.trim().is_empty() && blank < 2 {
            edits.push(site.insertion(behind, newline.repeat(2 - blank)));
        }
        edits
    }
}

/// The places that use the name; all are in functions of this file.
fn uses_of(
    site: &Site<'_>,
    scopes: &Scopes,
    takers: &ModuleUsers<'_>,
    assignment: &Assignment,
) -> Result<Vec<Span>, Refusal> {
    let name = site.slice(assignment.name);
    let mut uses = Vec::new();
    for mention in scopes.of_module(name) {
        let line = site.line(mention.span.start);
        let refuse = |what: &str| Err(format!("`{name}` is {what}, on line {line}"));
        match (mention.what, scopes.when(mention)) {
            (MentionSort::Bound, _) if mention.span == assignment.name => {}
            (MentionSort::Bound | MentionSort::Deleted | MentionSort::Shared, _) => {
                return refuse("bound again");
            }
            (MentionSort::Annotation | MentionSort::Unevaluated, _) => {
                return refuse("used in an annotation");
            }
            (MentionSort::Read, When::AtImport) => return refuse("used when the module is imported"),
            (MentionSort::Read, _) => uses.push(mention.span),
        }
        // `f"{NAME=}"` writes the name too.
        let behind = site.text()[mention.span.end as usize..].trim_start();
        let before = site.text()[..mention.span.start as usize].trim_end();
        let is_told = behind.starts_with('=') && !behind.starts_with("==") && before.ends_with('{');
        if is_told && mention.what == MentionSort::Read {
            return refuse("written out with its name");
        }
    }
    if scopes.exported.iter().any(|exported| exported == name) {
        return Err(format!("`{name}` is in `__all__`"));
    }
    if let Some(asks) = looks_names_up(site) {
        return Err(format!("`{asks}()` may look for `{name}`"));
    }
    match takers.of_all().filter(|_| !name.starts_with('_')) {
        Some(file) => Err(format!("`{}` takes all names of this module", site.program.name_of(file))),
        None => Ok(uses),
    }
}

/// Refuses a value that would be another one when it is asked for later.
fn check_value(site: &Site<'_>, scopes: &Scopes, assignment: &Assignment) -> Result<(), Refusal> {
    let is_inside = |span: Span| assignment.value.start <= span.start && span.end <= assignment.value.end;
    for mention in scopes.mentions().filter(|mention| is_inside(mention.span) && mention.home == 0) {
        if mention.what != MentionSort::Read {
            return Err(format!("its value binds `{}`", mention.name));
        }
        let bindings = scopes.of_module(&mention.name).filter(|one| one.what != MentionSort::Read);
        let mut again =
            bindings.filter(|one| !matches!(one.what, MentionSort::Annotation | MentionSort::Unevaluated));
        if let Some(again) = again.nth(1) {
            let line = site.line(again.span.start);
            return Err(format!("its value needs `{}`, which is bound again on line {line}", mention.name));
        }
    }
    let tree = site.tree()?;
    let waits = tree
        .below(assignment.statement)
        .any(|(_, node)| matches!(node.kind, TreeKind::Await | TreeKind::Yield));
    if waits { Err("its value waits for something".to_owned()) } else { Ok(()) }
}

/// What the function is called: as the name in small letters, where nothing else is called so.
fn function_name(scopes: &Scopes, name: &str) -> Result<String, Refusal> {
    let small = name.to_lowercase();
    if small == name {
        return Ok(small);
    }
    let bare = small.trim_start_matches('_');
    let candidates = [small.clone(), format!("{}get_{bare}", &small[..small.len() - bare.len()])];
    let mut free = candidates.into_iter().filter(|candidate| !scopes.knows(candidate));
    free.next().ok_or_else(|| format!("`{small}` and `get_{bare}` mean something else here"))
}
