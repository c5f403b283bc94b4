//! Variables that are set too late, moved up into a block before everything that reads them.

use super::placing::InsertionPoint;
use super::{Setting, found, missing, quote_of, written};
use crate::facts::Span;
use crate::findings::{Edit, Finding};
use crate::fixes::Refusal;
use crate::fixes::lines::{has_comment, has_comment_above, own_lines};
use crate::fixes::site::{Draft, Site};
use crate::fixes::texts::plain_text;
use crate::languages::{NodeId, Tree, TreeKind};
use crate::program::{MASK, ORDER};

const RULES: [&str; 2] = ["pin-after-cuda-init", "pin-after-gpu-import"];

/// A write that comes too late.
struct LateWriteFix {
    setting: Setting,
    /// The statement that does nothing else.
    statement: NodeId,
    /// The text that is the value.
    value: Span,
}

/// All late writes of the file in one block, with what else is missing.
pub fn moved_up(site: &Site<'_>) -> Result<Draft, Refusal> {
    if !site.is_python_file() {
        return Err("the variables belong into the file that starts this program".to_owned());
    }
    let tree = site.tree()?;
    late(site, tree, site.finding).map_err(|unclear| match site.finding.related.last() {
        Some(written) if written.place.file != site.file() => {
            "it is set in another file, which this statement leads to; move this statement up".to_owned()
        }
        _ => unclear,
    })?;
    let all = || RULES.iter().flat_map(|rule| found(site, rule));
    let lates = lates_of(site, tree);
    let readers = all().filter_map(|finding| reader_in(site, finding));
    let missing_too = ["missing-visible-devices", "missing-device-order", "missing-alloc-conf"];
    let missing_at = missing_too.iter().flat_map(|rule| found(site, rule)).map(|finding| finding.place.span);
    let first = readers.chain(missing_at).min();
    let first = first.ok_or("what reads it first is in another file, which starts this one; set it there")?;
    let (chosen, lates): (Vec<LateWriteFix>, Vec<LateWriteFix>) =
        lates.into_iter().partition(|late| is_chosen(site, tree, late.statement, first));
    if chosen.iter().any(|late| tree.node(late.statement).span == site.finding.place.span) {
        return Err("it is set under a condition; set it before the first use where that holds".to_owned());
    }
    let mut settings: Vec<Setting> = Vec::new();
    for (name, value) in
        missing(site).unwrap_or_default().into_iter().chain(lates.iter().map(|late| late.setting.clone()))
    {
        // The last one counted until now.
        match settings.iter_mut().find(|(known, _)| *known == name) {
            Some(known) => known.1 = value,
            None => settings.push((name, value)),
        }
    }
    settings.sort_by_key(|(name, _)| (name != ORDER, name != MASK));
    let missing: Vec<Setting> =
        settings.iter().filter(|(name, _)| !is_set_before(site, name)).cloned().collect();
    let mut edits = Vec::new();
    if !missing.is_empty() {
        let spot = InsertionPoint::before(site, tree, first)?;
        edits.push(written(site, tree, &spot, &missing)?);
    }
    for late in &lates {
        edits.extend(without(site, tree, late, &settings, &lates));
    }
    Ok(edits.into())
}

/// Whether a late write of the file only gives another value to what was set in time.
fn is_set_before(site: &Site<'_>, variable: &str) -> bool {
    let mut late = RULES.iter().flat_map(|rule| found(site, rule));
    let conflicts: Vec<_> = found(site, "conflicting-pins").map(|finding| finding.place).collect();
    late.any(|finding| {
        site.program.text(finding.place).contains(variable) && conflicts.contains(&finding.place)
    })
}

/// Whether a statement runs under a condition, or in a loop or a handler, that another place does not share. What stands below
/// `if __name__ == "__main__":` counts as the file's.
fn is_chosen(site: &Site<'_>, tree: &Tree, statement: NodeId, place: Span) -> bool {
    let mut around = tree.outwards(statement).skip(1);
    around.any(|(id, node)| {
        let head = tree.children(id).next().map(|(_, head)| head.span).unwrap_or_default();
        // What is asked or iterated over comes before. Where there is no card, a mask for it does no harm.
        let shares = head == place || head.end <= place.start && place.end <= node.span.end;
        match node.kind {
            TreeKind::If => !shares && !site.slice(head).contains("__name__"),
            TreeKind::Otherwise | TreeKind::Case | TreeKind::Handler | TreeKind::For | TreeKind::While => {
                !shares
            }
            // Its `else` is the other arm of its handlers.
            TreeKind::Try => {
                let mut handlers = tree.children(id).filter(|(_, child)| child.kind == TreeKind::Handler);
                let at = tree.node(statement).span.start;
                handlers.any(|(_, handler)| handler.span.end <= at) && !shares
            }
            _ => false,
        }
    })
}

/// What read the variable, where that is in the same file.
fn reader_in(site: &Site<'_>, finding: &Finding) -> Option<Span> {
    let related = finding.related.iter().map(|related| related.place);
    let earlier = related.filter(|place| place.file == site.file()).map(|place| place.span);
    earlier.chain([finding.place.span]).min().filter(|first| first.start < finding.place.span.start)
}

/// The late writes of the file, and those of other GPU variables right beside them: people write them together.
fn lates_of(site: &Site<'_>, tree: &Tree) -> Vec<LateWriteFix> {
    let all = RULES.iter().flat_map(|rule| found(site, rule));
    let mut lates: Vec<LateWriteFix> = all.filter_map(|finding| late(site, tree, finding).ok()).collect();
    let mut at = 0;
    while let Some(late) = lates.get(at) {
        let suite = tree.suite_of(late.statement);
        let position = suite.iter().position(|&statement| statement == late.statement);
        let near = |shift: isize| suite.get(position?.checked_add_signed(shift)?).copied();
        for beside in [near(-1), near(1)].into_iter().flatten() {
            let is_known = lates.iter().any(|late| late.statement == beside);
            let is_order = |late: &LateWriteFix| late.setting.0 == ORDER;
            if let Some(late) = write_of(site, tree, beside).ok().filter(is_order).filter(|_| !is_known) {
                lates.push(late);
            }
        }
        at += 1;
    }
    lates.sort_by_key(|late| late.statement);
    lates
}

/// A write of a literal by a statement of its own.
fn late(site: &Site<'_>, tree: &Tree, finding: &Finding) -> Result<LateWriteFix, Refusal> {
    let place = finding.place.span;
    let statement = tree.statement_at(place).filter(|&statement| tree.node(statement).span == place);
    write_of(site, tree, statement.ok_or("how the variable is set here is not understood")?)
}

fn write_of(site: &Site<'_>, tree: &Tree, statement: NodeId) -> Result<LateWriteFix, Refusal> {
    let unclear = || "how the variable is set here is not understood".to_owned();
    if !matches!(tree.node(statement).kind, TreeKind::Assign | TreeKind::Evaluate) {
        return Err(unclear());
    }
    let mut texts = tree.below(statement).filter(|(_, node)| node.kind == TreeKind::Text);
    let (Some((_, name)), Some((value, node)), None) = (texts.next(), texts.next(), texts.next()) else {
        return Err("the value is not a plain text, and may depend on what comes before".to_owned());
    };
    let is_value = tree
        .node(value)
        .parent
        .is_some_and(|parent| parent == statement || tree.node(parent).kind == TreeKind::Arguments);
    let plain = |span: Span| plain_text(site.slice(span)).map(str::to_owned);
    let (Some(variable), Some(literal), true) = (plain(name.span), plain(node.span), is_value) else {
        return Err(unclear());
    };
    let accepted = site.policy.gpu.as_ref().map(|gpu| gpu.accepted_masks()).unwrap_or_default();
    let wanted = match (variable == MASK, accepted.first()) {
        (true, Some(first)) if !accepted.contains(&literal) => first.clone(),
        _ => literal,
    };
    Ok(LateWriteFix { setting: (variable, wanted), statement, value: node.span })
}

/// Takes a late write away where it and those beside it stand alone on their lines; elsewhere it stays, with the value
/// that is set earlier.
fn without(
    site: &Site<'_>,
    tree: &Tree,
    late: &LateWriteFix,
    settings: &[Setting],
    all: &[LateWriteFix],
) -> Vec<Edit> {
    let suite = tree.suite_of(late.statement);
    let of_suite: Vec<NodeId> =
        all.iter().map(|late| late.statement).filter(|statement| suite.contains(statement)).collect();
    let lines: Option<Vec<Span>> =
        of_suite.iter().map(|&statement| own_line(site, tree, statement)).collect();
    if let Some(lines) = lines.filter(|lines| lines.len() < suite.len()) {
        let own = of_suite.iter().position(|&statement| statement == late.statement);
        return own.map(|at| site.edit(lines[at], "")).into_iter().collect();
    }
    let (name, _) = &late.setting;
    let quote = quote_of(site, tree);
    let value = settings.iter().find(|(known, _)| known == name).map(|(_, value)| value);
    let old = site.slice(late.value);
    let keeps = value.is_some_and(|value| old.get(1..old.len() - 1) == Some(value));
    match value {
        Some(value) if !keeps => vec![site.edit(late.value, format!("{quote}{value}{quote}"))],
        _ => Vec::new(),
    }
}

/// The line of a statement that stands alone on it, with no comment behind it or just above.
fn own_line(site: &Site<'_>, tree: &Tree, statement: NodeId) -> Option<Span> {
    let lines = own_lines(site, tree, statement).ok()?;
    (!has_comment(site, tree, statement) && !has_comment_above(site, lines.start)).then_some(lines)
}
