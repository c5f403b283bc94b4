//! Mends what was found: each rule names who makes its edits, and every edit is proven to change nothing else.

mod bound_modules;
mod conflicts;
pub mod edits;
mod environ;
mod fixers;
mod imports;
mod joined;
mod lines;
mod literals;
pub mod notebook;
pub mod originals;
mod proof;
mod site;
mod standard_modules;
mod surroundings;
mod texts;
mod writes;

pub use joined::rule_about_devices;

// A module goes by one path in all packages: `crate::sources`, `crate::fixes::edits`.
extern crate self as fixes;
use gpulint_base::{code, facts, findings, masks, policy, sources};
use gpulint_languages as languages;
use gpulint_program as program;
use gpulint_rules as rules;

use crate::findings::{Edit, Finding, Fix, Safety, Severity, Status};
use crate::program::Program;
use crate::rules::{PolicyRulings, RuleFix, RuleSet, Ruling};
use crate::sources::{Language, Source, Sources};
use edits::Edits;
use originals::{Legibility, Original, Originals};
use rayon::prelude::*;
use site::{Draft, Site};

/// Why there is no fix, in one clause.
pub type Refusal = String;

/// Gives each finding from `least` on its fix, or says why there is none. `unasked` are the devices that programs name where
/// the rule about them does not run.
pub fn offer(
    (findings, unasked): (&mut [Finding], &[Finding]),
    program: &Program<'_>,
    governed: &PolicyRulings<'_>,
    rules: &RuleSet,
    least: Option<Severity>,
) {
    let originals = Originals::new(program.sources.files.len());
    let all: &[Finding] = findings;
    let mut offers: Vec<Option<Result<Fix, Refusal>>> = all
        .par_iter()
        .map(|finding| {
            let rule = rules.find(&finding.rule)?;
            let fix = rule.fix.as_ref()?;
            if finding.status == Status::Suppressed || least.is_some_and(|least| !finding.counts_from(least))
            {
                return None;
            }
            let Ruling { policy, cpu, .. } = governed.about(finding);
            let behind_mask = match joined::mask_for_one(policy) {
                Some(mask) if joined::needs_mask(finding) => joined::behind(finding, mask, all),
                _ => None,
            };
            let finding = behind_mask.as_ref().unwrap_or(finding);
            let cpu = cpu.as_ref();
            let of_fix = fix_of(
                &Site { program, policy, cpu, governed, finding, findings: all, originals: &originals },
                fix,
            );
            Some(of_fix.map(|fix| among_policies(fix, finding, governed)))
        })
        .collect();
    let is_meant = |finding: &Finding| joined::mask_for_one(governed.about(finding).policy).is_some();
    if governed.each().iter().any(|one| joined::mask_for_one(one.policy).is_some()) {
        joined::join((all, unasked), &is_meant, &mut offers, program.sources);
    }
    for (finding, offer) in findings.iter_mut().zip(offers) {
        match offer {
            None => {}
            Some(Ok(fix)) => finding.fix = Some(fix),
            Some(Err(reason)) => finding.unfixed = Some(reason),
        }
    }
}

/// A fix is safe by what one policy says; where it changes what programs under another do, that may say something else.
fn among_policies(fix: Fix, finding: &Finding, governed: &PolicyRulings<'_>) -> Fix {
    let files = fix.edits.iter().map(|edit| edit.place.file).chain(finding.programs.iter().copied());
    match governed.is_one(files) {
        true => fix,
        false => Fix { safety: Safety::Unsafe, ..fix },
    }
}

/// A fix that was proven to change nothing else.
fn fix_of(site: &Site<'_>, rule: &RuleFix) -> Result<Fix, Refusal> {
    let Draft { mut edits, safety, title } = fixers::make(&rule.by, site)?;
    edits.sort();
    edits.dedup();
    let mut edits = joined(edits);
    edits.retain(|edit| edit.text != site.program.text(edit.place));
    if edits.is_empty() {
        return Err("there is nothing to change".to_owned());
    }
    for edits in edits.chunk_by(|one, other| one.place.file == other.place.file) {
        let file = edits[0].place.file;
        let pairs = edits.iter().map(|edit| (edit.place.span, edit.text.clone())).collect();
        let edits = Edits::new(pairs).ok_or("its changes overlap")?;
        let source = site.program.sources.file(file);
        if let Some(reason) = conflicts::reason_against(source, site.program.sources) {
            return Err(reason);
        }
        prove(source, &edits, site.originals.of(file))?;
    }
    let is_decided = rule.policy.is_none_or(|section| section.is_in(site.policy, site.cpu.is_some()))
        && (!CHOOSING.contains(&rule.by.as_str()) || takes_card_of_policy(site));
    let safety = if is_decided { safety.unwrap_or(rule.safety) } else { Safety::Unsafe };
    Ok(Fix { title: title.unwrap_or_else(|| rule.title.clone()), safety, edits })
}

/// Makers of fixes after which the mask that is there decides which card is taken.
const CHOOSING: [&str; 2] = ["order-beside-mask", "device-inside-mask"];

/// Whether the program takes the card that the policy names after such a fix: its mask is the policy's, or is set to that by
/// the fix of what is found at the same place.
fn takes_card_of_policy(site: &Site<'_>) -> bool {
    let named = site.policy.gpu.as_ref().map(|gpu| gpu.visible_devices.as_slice()).unwrap_or_default();
    match &site.finding.mask {
        Some(mask) => named.contains(mask),
        None => site
            .findings
            .iter()
            .any(|other| other.place == site.finding.place && other.rule == "missing-visible-devices"),
    }
}

/// Joins what is put in at a byte with what is replaced from there on.
fn joined(edits: Vec<Edit>) -> Vec<Edit> {
    let mut joined: Vec<Edit> = Vec::new();
    for edit in edits {
        match joined.last_mut() {
            Some(last)
                if last.place.span.end == last.place.span.start
                    && last.place.file == edit.place.file
                    && last.place.span.start == edit.place.span.start
                    && edit.place.span.end > edit.place.span.start =>
            {
                last.place = edit.place;
                last.text.push_str(&edit.text);
            }
            _ => joined.push(edit),
        }
    }
    joined
}

/// The edits of as many fixes of one file as hold together: none touches another, and together they change nothing else
/// either. Each by itself was offered.
pub fn together(source: &Source, fixes: &[&Fix]) -> Vec<Edit> {
    let original = Original::default();
    let holds = |edits: &[Edit]| {
        let pairs = edits.iter().map(|edit| (edit.place.span, edit.text.clone())).collect();
        Edits::new(pairs).is_some_and(|edits| prove(source, &edits, &original).is_ok())
    };
    let with = |edits: &[Edit], fix: &Fix| {
        let mut edits = [edits, &fix.edits].concat();
        edits.sort();
        edits.dedup();
        edits
    };
    let all = fixes.iter().fold(Vec::new(), |edits, fix| with(&edits, fix));
    if holds(&all) {
        return all;
    }
    fixes.iter().fold(Vec::new(), |edits, fix| {
        let more = with(&edits, fix);
        if holds(&more) { more } else { edits }
    })
}

/// Whether edits, also of several files, change together nothing but what they replace.
fn edits_hold(edits: &[Edit], sources: &Sources) -> bool {
    edits.chunk_by(|one, other| one.place.file == other.place.file).all(|edits| {
        let source = sources.file(edits[0].place.file);
        let pairs = edits.iter().map(|edit| (edit.place.span, edit.text.clone())).collect();
        Edits::new(pairs).is_some_and(|edits| prove(source, &edits, &Original::default()).is_ok())
    })
}

/// Refuses edits of one file that change more than what they replace.
pub fn prove(source: &Source, edits: &Edits, original: &Original) -> Result<(), Refusal> {
    match source.language {
        Language::Python | Language::Notebook => {
            proof::fault_of(source, original.tree(source)?, edits).map_or(Ok(()), Err)
        }
        _ => still_read(source, edits, original),
    }
}

/// Refuses edits behind which a file cannot be read as well as before.
fn still_read(source: &Source, edits: &Edits, original: &Original) -> Result<(), Refusal> {
    let edited = Source::new(None, source.name.clone(), source.language, edits.applied_to(&source.text));
    let after =
        Legibility::of(&edited).map_err(|reason| format!("the result could not be read: {reason}"))?;
    match original.legibility(source) {
        Ok(before) if after.unread <= before.unread && after.faults <= before.faults => Ok(()),
        _ => Err("the result could not be read as a whole".to_owned()),
    }
}
