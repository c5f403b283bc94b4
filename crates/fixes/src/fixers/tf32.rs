//! The switches of TF32 by the names of today, all at once: old and new ones must not be mixed.

use crate::code::{ExprKind, StatementKind, Target};
use crate::facts::Place;
use crate::findings::{Edit, Finding, Status};
use crate::fixes::Refusal;
use crate::fixes::site::{Draft, Site};
use crate::fixes::surroundings::Surroundings;
use crate::languages::{Tree, TreeKind};
use crate::program::Names;

/// The release of torch with the switches of today.
const RELEASE: &str = "2.9";

/// `allow_tf32 = True` → `fp32_precision = "tf32"`, wherever the project sets it.
pub fn today(site: &Site<'_>) -> Result<Draft, Refusal> {
    if site.program.versions().at_least(&site.source().name, "torch", RELEASE) == Some(false) {
        return Err(format!("the project runs with torch below {RELEASE}, which has the old switches only"));
    }
    if !site.program.files_with("get_float32_matmul_precision").is_empty() {
        return Err("the project calls `get_float32_matmul_precision`, which reads the old switch".to_owned());
    }
    let is_old = |one: &&Finding| one.rule == site.finding.rule && one.status != Status::Suppressed;
    let mut edits = Vec::new();
    for finding in site.findings.iter().filter(is_old) {
        let source = site.program.sources.file(finding.place.file);
        edits.extend(edits_of(site, finding, site.originals.of(finding.place.file).tree(source)?)?);
    }
    Ok(edits.into())
}

/// The edits of one assignment.
fn edits_of(site: &Site<'_>, finding: &Finding, tree: &Tree) -> Result<[Edit; 2], Refusal> {
    let Place { file, span } = finding.place;
    let names = Names::of(site.program, file);
    let around = Surroundings::of(site.program.code(file), span);
    let statement = tree.statement_at(span).filter(|id| tree.node(*id).kind == TreeKind::Assign);
    let is_set = statement.is_some_and(|id| {
        tree.children(id).count() == 2
            && tree.children(id).next().is_some_and(|(_, first)| first.span == span)
    });
    let (Some(step), true) = (around.step, is_set) else {
        return Err("the old switch is not only set".to_owned());
    };
    let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else {
        return Err("the old switch is not only set".to_owned());
    };
    let [Target::Attribute(object, _)] = &targets[..] else {
        return Err("the old switch is not only set".to_owned());
    };
    let text = |span| site.program.text(Place { file, span });
    let switch = match names.path(object) {
        Some("torch.backends.cudnn") => "conv.fp32_precision",
        _ => "fp32_precision",
    };
    let precision = match &value.kind {
        ExprKind::Bool(true) => "\"tf32\"".to_owned(),
        ExprKind::Bool(false) => "\"ieee\"".to_owned(),
        ExprKind::Name(_) | ExprKind::Attribute(..) | ExprKind::Call(_) => {
            format!("\"tf32\" if {} else \"ieee\"", text(value.span))
        }
        _ => return Err("what the switch is set to is not plain".to_owned()),
    };
    let edit = |span, text| Edit { place: Place { file, span }, text };
    Ok([edit(span, format!("{}.{switch}", text(object.span))), edit(value.span, precision)])
}
