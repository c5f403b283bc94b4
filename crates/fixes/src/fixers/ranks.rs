//! The card of each of several processes, made current before they join a group.

use crate::code::walk::{CodeNode, walk};
use crate::code::{ExprKind, Target};
use crate::fixes::Refusal;
use crate::fixes::imports::import_beside;
use crate::fixes::site::{Draft, Site};
use crate::fixes::surroundings::{Surroundings, function_in};

/// Names that hold the number of the process on its machine.
const NAMES: &[&str] = &["local_rank", "LOCAL_RANK"];

/// `torch.cuda.set_device(local_rank)` above `init_process_group`.
pub fn device_made_current(site: &Site<'_>) -> Result<Draft, Refusal> {
    let tree = site.tree()?;
    let place = site.span();
    let statement = tree.statement_at(place).ok_or("the call is not understood")?;
    let around = Surroundings::of(site.code(), place);
    let (rank, needs_os) = match (name_at_hand(site, around.function), given_rank(&around)) {
        (Some(name), _) => (name, false),
        // On one machine the number among all is the number on it.
        (None, Some(rank)) if ["localhost", "127.0.0.1"].iter().any(|host| site.text().contains(host)) => {
            (rank, false)
        }
        (None, Some(rank)) => return Err(format!("`{rank}` may count the processes of several machines")),
        (None, None) => ("int(os.environ[\"LOCAL_RANK\"])".to_owned(), true),
    };
    let line = format!("torch.cuda.set_device({rank})");
    let mut edits = vec![site.statements_above(tree, statement, &[line])];
    edits.extend(import_beside(site, tree, "torch", "torch")?);
    if needs_os {
        // `os` is nobody's to order: it may stand beside whatever the file imports.
        edits.extend(import_beside(site, tree, "os", "torch")?);
    }
    if edits.len() == 3 && edits[1].place == edits[2].place {
        let torch = edits.remove(1);
        edits[1].text.push_str(&torch.text);
    }
    Ok(edits.into())
}

/// A variable with the number of the process on its machine, that is set before the finding.
fn name_at_hand(site: &Site<'_>, function: Option<usize>) -> Option<String> {
    let place = site.span();
    let code = site.code();
    let of_parameters = code.functions.iter().filter(|one| one.span.holds(place));
    let parameter = of_parameters.flat_map(|one| &one.parameters).find(|one| NAMES.contains(&one.name));
    if let Some(parameter) = parameter {
        return Some(parameter.name.to_owned());
    }
    let mut found = None;
    walk(code, &mut |part, around| {
        let here = function_in(around);
        let is_seen = here == function || here.is_none();
        match part {
            CodeNode::Target(Target::Name(name, span))
                if is_seen && span.end <= place.start && NAMES.contains(name) =>
            {
                found = Some((*name).to_owned());
            }
            // `args.local_rank`, as it is used before.
            CodeNode::Expr(expr) if here == function && expr.span.end <= place.start && found.is_none() => {
                if let ExprKind::Attribute(object, "local_rank") = &expr.kind
                    && matches!(object.kind, ExprKind::Name(_))
                {
                    found = Some(site.slice(expr.span).to_owned());
                }
            }
            _ => {}
        }
    });
    found
}

/// The `rank=` that the group is joined with.
fn given_rank(around: &Surroundings<'_, '_>) -> Option<String> {
    let ExprKind::Call(call) = &around.exprs.first()?.kind else { return None };
    let rank = call.arguments.iter().find(|one| one.name == Some("rank"))?;
    match &rank.value.kind {
        ExprKind::Name(name) => Some((*name).to_owned()),
        _ => Some("rank".to_owned()),
    }
}
