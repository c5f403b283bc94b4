//! Default arguments that ask CUDA when a function is defined: the function asks when it is called.

use crate::facts::Span;
use crate::fixes::Refusal;
use crate::fixes::site::{Draft, Site, blanks_before, start_with_comments};
use crate::languages::{MentionSort, NodeId, ScopeSort, Scopes, Tree, TreeKind};

/// `def f(d=ask())` → `def f(d=None)` and, first in its body, `if d is None: d = ask()`.
pub fn asked_inside(site: &Site<'_>) -> Result<Draft, Refusal> {
    let tree = site.tree()?;
    let scopes = site.scopes()?;
    let place = site.span();
    let node = tree.innermost(place, |_| true).ok_or("there is nothing to change")?;
    let (parameters, function) = tree
        .outwards(node)
        .find(|(_, node)| node.kind == TreeKind::Parameters)
        .and_then(|(id, node)| Some((id, node.parent?)))
        .ok_or_else(|| elsewhere(tree, node))?;
    if tree.node(function).kind != TreeKind::Function {
        return Err("a lambda has no room for a question".to_owned());
    }
    let parameter = Parameter::at(site, tree, parameters, place).ok_or("it is no default argument")?;
    let name = site.slice(parameter.name);
    let default = site.slice(parameter.default);
    if default.contains('\n') {
        return Err("its default spans several lines".to_owned());
    }
    check_names(site, scopes, tree, function, &parameter)?;
    let mut edits = vec![site.edit(parameter.default, "None")];
    if let Some((annotation, text)) = parameter.optional(site) {
        edits.push(site.edit(annotation, text));
    }
    let body: Vec<NodeId> =
        tree.children(function).filter(|(_, child)| child.kind.is_statement()).map(|(id, _)| id).collect();
    let describes = |id: NodeId| {
        let first = tree.children(id).next();
        tree.node(id).kind == TreeKind::Evaluate
            && first.is_some_and(|(_, child)| child.kind == TreeKind::Text)
    };
    let first = body.iter().find(|&&id| !describes(id)).ok_or("the function does nothing")?;
    let start = tree.node(*first).span.start;
    edits.push(match blanks_before(site.text(), start) {
        Some(blanks) => {
            let (newline, indent) = (site.newline(), site.indent());
            let least = tree.node(parameters).span.end;
            let at = start_with_comments(site.text(), start - blanks.len() as u32, least);
            let test = format!("{blanks}if {name} is None:{newline}");
            site.insertion(at, format!("{test}{blanks}{indent}{name} = {default}{newline}"))
        }
        None => site.insertion(start, format!("{name} = {default} if {name} is None else {name}; ")),
    });
    Ok(edits.into())
}

/// A parameter whose default is meant.
struct Parameter {
    name: Span,
    annotation: Option<Span>,
    default: Span,
}

impl Parameter {
    fn at(site: &Site<'_>, tree: &Tree, parameters: NodeId, place: Span) -> Option<Parameter> {
        let holds = |span: Span| span.start <= place.start && place.end <= span.end;
        let (with_default, _) = tree.children(parameters).find(|(_, node)| holds(node.span))?;
        let mut parts = tree.children(with_default);
        let (parameter, found) = parts.next()?;
        let default = parts.next()?.1.span;
        if found.kind != TreeKind::Parameter || !holds(default) {
            return None;
        }
        let mut parts = tree.children(parameter);
        let name = parts.next()?.1.span;
        let annotation = parts.next().map(|(_, node)| node.span);
        // Brackets around the default belong to it.
        let end = tree.node(with_default).span.end;
        let between = &site.text()[found.span.end as usize..default.start as usize];
        let bracket = between.find('(').map(|at| found.span.end + at as u32);
        let default = Span { start: bracket.unwrap_or(default.start), end };
        Some(Parameter { name, annotation, default })
    }

    /// The annotation with `None` in it, where the file can write that.
    fn optional(&self, site: &Site<'_>) -> Option<(Span, String)> {
        let annotation = self.annotation?;
        let text = site.slice(annotation);
        let scopes = site.scopes().ok()?;
        if ["None", "Optional", "Any", "\"", "'", "\n"].iter().any(|part| text.contains(part)) {
            return None;
        }
        let versions = site.program.versions();
        let knows_unions =
            versions.at_least(site.program.name_of(site.file()), "python", "3.10") == Some(true);
        if knows_unions || scopes.later_annotations {
            return Some((annotation, format!("{text} | None")));
        }
        let is_bound = scopes.of_module("Optional").any(|mention| mention.what == MentionSort::Bound);
        is_bound.then(|| (annotation, format!("Optional[{text}]")))
    }
}

/// Where it stands when it is no default argument.
fn elsewhere(tree: &Tree, node: NodeId) -> Refusal {
    let mut around = tree.outwards(node).map(|(_, node)| node.kind);
    let place = around.find(|kind| matches!(kind, TreeKind::Decorator | TreeKind::Class));
    match place {
        Some(TreeKind::Decorator) => "it is part of a decorator".to_owned(),
        Some(_) => "it is part of a class".to_owned(),
        None => "it is no default argument".to_owned(),
    }
}

/// Refuses a default whose names mean something else in the function, or a parameter that may be `None` already.
fn check_names(
    site: &Site<'_>,
    scopes: &Scopes,
    tree: &Tree,
    function: NodeId,
    parameter: &Parameter,
) -> Result<(), Refusal> {
    let inner = scopes.defined_at(tree.node(function).span).ok_or("the function is not found again")?;
    let is_inside = |span: Span| parameter.default.start <= span.start && span.end <= parameter.default.end;
    for mention in scopes.mentions().filter(|mention| is_inside(mention.span)) {
        let name = &mention.name;
        if mention.what != MentionSort::Read {
            return Err(format!("its default binds `{name}`"));
        }
        if scopes.binds(inner, name) {
            return Err(format!("`{name}` means something else in the function"));
        }
        let home = scopes.scope(mention.home);
        if home.sort == ScopeSort::Class {
            return Err(format!("`{name}` is a name of the class, which its methods do not see"));
        }
    }
    let name = site.slice(parameter.name);
    let body = site.slice(tree.node(function).span);
    let asks = [format!("{name} is None"), format!("{name} is not None"), format!("{name} == None")];
    if asks.iter().any(|ask| body.contains(ask.as_str())) {
        return Err(format!("`None` has a meaning of its own for `{name}`"));
    }
    Ok(())
}
