//! Fixes that need each other are one fix: a mask that is set leaves one GPU, so a program that names the second one has to
//! name that of the policy at the same time.

use super::{Refusal, edits_hold};
use crate::facts::FileId;
use crate::findings::{Edit, Finding, Fix, Safety, Status};
use crate::masks;
use crate::policy::Policy;
use crate::rules::{Rule, RuleSet};
use crate::sources::Sources;

const ABOUT_DEVICES: &str = "device-not-allowed";

/// What was offered for each finding.
pub(super) type Offers = [Option<Result<Fix, Refusal>>];

/// The mask that the fixes of a project set, where it leaves one GPU.
pub(super) fn mask_for_one(policy: &Policy) -> Option<&str> {
    let mask = policy.gpu.as_ref()?.accepted_masks().first()?;
    (masks::read(mask).left == 1).then_some(mask.as_str())
}

/// Whether a device that is named here is one that such a mask does not leave.
pub(super) fn needs_mask(finding: &Finding) -> bool {
    finding.rule == ABOUT_DEVICES && finding.mask.is_none()
}

/// The same finding as it is once the programs that come there have the mask; `None` where nobody would set it.
pub(super) fn behind(finding: &Finding, mask: &str, all: &[Finding]) -> Option<Finding> {
    let is_masked = all.iter().any(|other| sets_mask(other) && shares_program(other, finding));
    is_masked.then(|| Finding { mask: Some(mask.to_owned()), ..finding.clone() })
}

fn sets_mask(finding: &Finding) -> bool {
    finding.rule == "missing-visible-devices"
}

/// The rule that finds such devices, where the fixes of a project need to know all of them.
pub fn rule_about_devices<'r>(policy: &Policy, rules: &'r RuleSet) -> Option<&'r Rule> {
    mask_for_one(policy).and_then(|_| rules.find(ABOUT_DEVICES))
}

/// Makes one fix of those that set the mask of programs and those of the devices that these programs name; all findings that
/// it mends have it. `is_meant` are those whose policy says so. Devices of `unasked`, which nobody asked about, stay as they are.
pub(super) fn join(
    (findings, unasked): (&[Finding], &[Finding]),
    is_meant: &dyn Fn(&Finding) -> bool,
    offers: &mut Offers,
    sources: &Sources,
) {
    let needs_mask = |device: &Finding| needs_mask(device) && is_meant(device);
    for device in unasked.iter().filter(|device| needs_mask(device)) {
        let is_meant = |at: &usize| sets_mask(&findings[*at]) && shares_program(&findings[*at], device);
        let masks: Vec<usize> = (0..findings.len()).filter(is_meant).collect();
        refuse(offers, &blocks_of(offers, &masks), device, sources);
    }
    let devices: Vec<usize> = (0..findings.len()).filter(|&at| needs_mask(&findings[at])).collect();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for &device in &devices {
        let masks = (0..findings.len()).filter(|&at| sets_mask(&findings[at]) && is_offered(&offers[at]));
        let mut group: Vec<usize> =
            masks.filter(|&at| shares_program(&findings[at], &findings[device])).collect();
        if group.is_empty() {
            alone(&mut offers[device]);
            continue;
        }
        group.push(device);
        // Whoever has a finding in common with it belongs to it.
        let (touching, apart) =
            groups.into_iter().partition(|other: &Vec<usize>| other.iter().any(|at| group.contains(at)));
        groups = apart;
        group.extend(touching.concat());
        group.sort_unstable();
        group.dedup();
        groups.push(group);
    }
    for group in groups {
        joined(findings, offers, &group, sources);
    }
}

fn joined(findings: &[Finding], offers: &mut Offers, group: &[usize], sources: &Sources) {
    let (masks, devices): (Vec<usize>, Vec<usize>) = group.iter().partition(|&&at| sets_mask(&findings[at]));
    let with_mask: Vec<FileId> = masks.iter().flat_map(|&at| programs_of(&findings[at])).collect();
    let blocks = blocks_of(offers, &masks);
    let stays = devices.iter().find(|&&at| findings[at].status != Status::Active || !is_offered(&offers[at]));
    let fixes: Vec<&Fix> = group.iter().filter_map(|&at| offers[at].as_ref()?.as_ref().ok()).collect();
    let mut edits: Vec<Edit> = fixes.iter().flat_map(|fix| fix.edits.iter().cloned()).collect();
    edits.sort();
    edits.dedup();
    // Where they cannot be made together, neither is made for the sake of the other.
    let apart = devices.first().filter(|_| !edits_hold(&edits, sources));
    if let Some(&stays) = stays.or(apart) {
        refuse(offers, &blocks, &findings[stays], sources);
        devices.iter().for_each(|&at| alone(&mut offers[at]));
        return;
    }
    // Where another program comes to the device, its card would change.
    let is_whole =
        devices.iter().flat_map(|&at| programs_of(&findings[at])).all(|program| with_mask.contains(&program));
    let is_safe = is_whole && fixes.iter().all(|fix| fix.safety == Safety::Safe);
    let safety = if is_safe { Safety::Safe } else { Safety::Unsafe };
    for (at, offer) in offers.iter_mut().enumerate() {
        let Some(Ok(fix)) = offer else { continue };
        if group.contains(&at) || blocks.contains(&fix.edits) {
            (fix.safety, fix.edits) = (safety, edits.clone());
        }
    }
}

/// The edits of those that set the mask. What the same block mends, the order for example, is mended by the same fix.
fn blocks_of(offers: &Offers, masks: &[usize]) -> Vec<Vec<Edit>> {
    let edits_of = |at: &usize| Some(offers[*at].as_ref()?.as_ref().ok()?.edits.clone());
    masks.iter().filter_map(edits_of).collect()
}

/// No mask is set before a device that stays as it is.
fn refuse(offers: &mut Offers, blocks: &[Vec<Edit>], device: &Finding, sources: &Sources) {
    let reason = format!("the device at {} would lie outside of the mask", sources.shown(device.place));
    for offer in offers.iter_mut() {
        if matches!(offer, Some(Ok(fix)) if blocks.contains(&fix.edits)) {
            *offer = Some(Err(reason.clone()));
        }
    }
}

/// Without the mask the device is another card's.
fn alone(offer: &mut Option<Result<Fix, Refusal>>) {
    if let Some(Ok(fix)) = offer {
        fix.safety = Safety::Unsafe;
    }
}

fn is_offered(offer: &Option<Result<Fix, Refusal>>) -> bool {
    matches!(offer, Some(Ok(_)))
}

fn shares_program(one: &Finding, other: &Finding) -> bool {
    programs_of(one).iter().any(|program| programs_of(other).contains(program))
}

/// The files that the programs start with which show a finding.
fn programs_of(finding: &Finding) -> Vec<FileId> {
    match finding.programs.is_empty() {
        true => vec![finding.place.file],
        false => finding.programs.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{Place, Span};
    use crate::findings::Severity;
    use crate::sources::{Language, Source};

    fn finding(rule: &str, start: u32) -> Finding {
        let place = Place { file: FileId(0), span: Span { start, end: start + 1 } };
        Finding::new((rule, "devices"), Severity::Error, place, "")
    }

    #[test]
    fn what_cannot_be_done_together_is_not_done_by_halves() {
        let text = "first = 1\nsecond = 2\n".to_owned();
        let source = Source::new(None, "a.py".to_owned(), Language::Python, text);
        let sources = Sources { files: vec![source], ..Sources::default() };
        let findings = [finding("missing-visible-devices", 0), finding(ABOUT_DEVICES, 19)];
        let offer = |(start, end): (u32, u32), text: &str| {
            let place = Place { file: FileId(0), span: Span { start, end } };
            let edits = vec![Edit { place, text: text.to_owned() }];
            Some(Ok(Fix { title: String::new(), safety: Safety::Safe, edits }))
        };
        // One takes out a part of what the other puts in order.
        let mut offers = [offer((0, 19), "mask = 1\nsecond ="), offer((10, 20), "second = 0")];
        join((&findings, &[]), &|_| true, &mut offers, &sources);
        let told = "the device at a.py:2 would lie outside of the mask";
        assert_eq!(offers[0], Some(Err(told.to_owned())));
        assert!(matches!(&offers[1], Some(Ok(fix)) if fix.safety == Safety::Unsafe));
    }
}
