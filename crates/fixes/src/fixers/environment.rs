//! The variables of the environment that a program needs before it uses a GPU: one block of assignments for all that are
//! missing, and the order of the GPUs beside a mask.

mod beside;
mod late;
mod placing;
mod template;

use super::launchers;
use crate::findings::{Edit, Finding, Status};
use crate::fixes::Refusal;
use crate::fixes::site::{Draft, Site};
use crate::languages::{Tree, TreeKind};
use crate::program::{ALLOCATOR, MASK, ORDER};
use placing::InsertionPoint;

pub use late::moved_up;

/// A variable and the value that it gets.
type Setting = (String, String);

/// One block that sets the variables of the card that are missing in the file, for the allocator its own beside them.
pub fn block(site: &Site<'_>) -> Result<Draft, Refusal> {
    if !site.is_python_file() {
        return launchers::block(site);
    }
    let tree = site.tree()?;
    let settings = missing(site)?;
    let rules = ["missing-visible-devices", "missing-device-order", "missing-alloc-conf"];
    let places = rules.iter().flat_map(|rule| found(site, rule)).filter(|finding| is_use(site, finding));
    let first = places.map(|finding| finding.place.span).chain([site.span()]).min().unwrap_or(site.span());
    let spot = InsertionPoint::before(site, tree, first)?;
    Ok(vec![written(site, tree, &spot, &settings)?].into())
}

/// The order of the GPUs, in the same way and just before the mask; in the block where nothing sets a mask.
pub fn order(site: &Site<'_>) -> Result<Draft, Refusal> {
    if launchers::is_launcher(site) {
        return launchers::order(site);
    }
    let wants_order = site.policy.gpu.as_ref().is_some_and(|gpu| gpu.device_order.is_some());
    match is_use(site, site.finding) || (wants_order && is_on_some_paths(site)?) {
        true => block(site),
        false => beside::order(site),
    }
}

/// Whether the mask is set on some paths only, so that the order beside it would be set on no other.
fn is_on_some_paths(site: &Site<'_>) -> Result<bool, Refusal> {
    let tree = site.tree()?;
    let Some(statement) = tree.statement_at(site.span()) else { return Ok(false) };
    let mut around = tree.outwards(statement).skip(1).map(|(_, node)| node.kind);
    Ok(around
        .any(|kind| matches!(kind, TreeKind::If | TreeKind::Otherwise | TreeKind::Match | TreeKind::For)))
}

/// The edit that writes a block at a spot: the project's template, or assignments.
fn written(
    site: &Site<'_>,
    tree: &Tree,
    spot: &InsertionPoint,
    settings: &[Setting],
) -> Result<Edit, Refusal> {
    let lines = match &site.policy.scripts.template {
        Some(template) if settings.iter().any(|(name, _)| name == MASK) => {
            template::lines(site, template, spot)?
        }
        _ => {
            let quote = quote_of(site, tree);
            let mut lines: Vec<String> = match &spot.environ {
                Some(_) => Vec::new(),
                None => vec!["import os".to_owned(), String::new()],
            };
            let environ = spot.environ.as_deref().unwrap_or("os.environ");
            let line =
                |(name, value): &Setting| format!("{environ}[{quote}{name}{quote}] = {quote}{value}{quote}");
            lines.extend(settings.iter().map(line));
            lines
        }
    };
    Ok(spot.insertion(site, &lines))
}

/// What the rules about missing variables found in this file, with the values that the policy wants.
fn missing(site: &Site<'_>) -> Result<Vec<Setting>, Refusal> {
    const NO_POLICY: &str = "no policy says which GPU is right; `gpulint init` writes one";
    let gpu = site.policy.gpu.as_ref().ok_or(NO_POLICY)?;
    let is_found = |rule: &str| found(site, rule).next().is_some();
    let mut settings = Vec::new();
    let order_is_missing = site.finding.rule == "missing-device-order"
        || found(site, "missing-device-order").any(|finding| is_use(site, finding));
    let mask_is_missing =
        is_found("missing-visible-devices") || site.finding.rule == "device-map-auto-unpinned";
    if order_is_missing || (mask_is_missing && site.finding.rule == "device-map-auto-unpinned") {
        settings.push((ORDER.to_owned(), order_of(site).to_owned()));
    }
    if mask_is_missing {
        let mask = gpu.accepted_masks().first();
        let mask = mask.ok_or("the policy does not say what CUDA_VISIBLE_DEVICES has to be")?;
        settings.push((MASK.to_owned(), mask.clone()));
    }
    // What the allocator does is no card: it is set where that is asked for.
    if site.finding.rule == "missing-alloc-conf"
        && let Some(conf) = &gpu.alloc_conf
    {
        settings.push((ALLOCATOR[0].to_owned(), conf.clone()));
    }
    match settings.is_empty() {
        true => Err("nothing says what is to be set".to_owned()),
        false => Ok(settings),
    }
}

/// The findings of a rule in the file of the finding.
fn found<'a>(site: &'a Site<'_>, rule: &str) -> impl Iterator<Item = &'a Finding> {
    let is_meant = move |finding: &&Finding| {
        finding.rule == rule && finding.place.file == site.file() && finding.status != Status::Suppressed
    };
    site.findings.iter().filter(is_meant)
}

/// Whether a finding points at what needs the variables, and not at a mask beside which one is missing.
fn is_use(site: &Site<'_>, finding: &Finding) -> bool {
    !site.program.text(finding.place).contains(MASK)
}

/// The order that the policy wants.
fn order_of(site: &Site<'_>) -> &'static str {
    let order = site.policy.gpu.as_ref().and_then(|gpu| gpu.device_order);
    order.map_or("PCI_BUS_ID", |order| order.as_str())
}

/// The quote that the texts of the file begin with most often.
fn quote_of(site: &Site<'_>, tree: &Tree) -> char {
    let texts = tree.nodes.iter().filter(|node| node.kind == TreeKind::Text);
    let starts = texts.map(|node| site.slice(node.span).trim_start_matches(char::is_alphabetic));
    let (mut single, mut double) = (0, 0);
    for text in starts.filter(|text| !text.starts_with("\"\"\"") && !text.starts_with("'''")) {
        if text.starts_with('\'') { single += 1 } else { double += 1 }
    }
    if single > double { '\'' } else { '"' }
}
