//! Suppressions: comments by which an author says "I know, and it is meant".
//!
//! | comment | covers |
//! |---|---|
//! | `code  # gpulint: ignore[rule-id] reason` | its line; on the first or last line of a statement, the statement |
//! | `# gpulint: ignore[rule-id] reason` on a line of its own | the next statement, decorators included; several stack |
//! | `# gpulint: ignore-file[rule-id] reason` | the whole file, wherever it stands |
//!
//! `[a, b]` names several rules or families of them, and no brackets at all means every rule. A suppression that is not
//! needed or not understood is reported itself, so that a typing error never hides anything silently.

mod comments;
mod complaints;

pub use comments::suppressions_in;

use super::{Finding, Status};
use crate::facts::{FileId, Place, Span};
use crate::sources::Sources;
use std::collections::BTreeMap;

/// Id of the rule about suppressions under which nothing was found.
pub const UNUSED: &str = "unused-suppression";
/// Id of the rule about suppressions that name no rule there is, or cannot be read.
pub const UNKNOWN: &str = "unknown-suppression";

/// What stands for all rules where it is asked whether they ran.
pub const EVERY_RULE: &str = "all";

/// The family of both.
const FAMILY: &str = "suppressions";

/// One `gpulint:` comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppression {
    /// The comment from `gpulint:` to its end.
    pub place: Place,
    pub covers: Covers,
    pub rules: Rules,
    /// Why, in the words of the author.
    pub reason: Option<String>,
}

/// The part of a file that a suppression speaks about. It covers the findings whose place touches it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covers {
    File,
    /// First and last line, 1-based.
    Lines(u32, u32),
}

/// The rules that a suppression speaks about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rules {
    /// No brackets: every rule, except those about suppressions.
    All,
    Named(Vec<RuleName>),
    /// Not understood; suppresses nothing.
    Unreadable,
}

/// The id of a rule, or a family, as written in a comment, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleName {
    pub id: String,
    pub span: Span,
}

/// Marks the findings that `suppressions` cover, and adds findings about the suppressions themselves.
///
/// `known` holds the id of every rule there is, and every family. `ran` tells whether a rule, a whole family or, by the
/// name [`EVERY_RULE`], all of them were looked for in a file: only then can its suppression be unused, and only then are [`UNUSED`] and [`UNKNOWN`] reported.
/// In files that are not reported suppressions work and nothing is said about them. Leaves the
/// findings sorted by file, place and rule.
pub fn apply(
    findings: &mut Vec<Finding>,
    suppressions: &[Suppression],
    sources: &Sources,
    known: &[&str],
    ran: &dyn Fn(FileId, &str) -> bool,
) {
    let mut claims: BTreeMap<FileId, Vec<SuppressedRule>> = BTreeMap::new();
    for suppression in suppressions {
        claims.entry(suppression.place.file).or_default().extend(claims_of(suppression));
    }
    mark(findings, &mut claims, sources);

    // A finding about a suppression can be suppressed by name like any other. One about such a name
    // cannot, or a comment could vouch for itself.
    let unused = |claims: &BTreeMap<FileId, Vec<SuppressedRule>>, about_itself: bool| -> Vec<Finding> {
        let unused = claims.values().flatten().filter(|claim| !claim.used);
        let unused = unused.filter(|claim| claim.is_about_suppressions() == about_itself);
        unused.filter_map(|claim| complaints::of_unused(claim.suppression, claim.name, known, ran)).collect()
    };
    let mut complaints = unused(&claims, false);
    let unreadable = suppressions.iter().filter(|suppression| suppression.rules == Rules::Unreadable);
    complaints.extend(unreadable.map(|suppression| complaints::of_unreadable(suppression, sources, known)));
    mark(&mut complaints, &mut claims, sources);
    complaints.extend(unused(&claims, true));

    complaints.retain(|complaint| {
        ran(complaint.place.file, &complaint.rule) && sources.file(complaint.place.file).reported
    });
    findings.append(&mut complaints);
    findings.sort_by(|a, b| (a.place, &a.rule).cmp(&(b.place, &b.rule)));
}

/// A suppression speaking about one rule, or about all (`name` is `None`).
struct SuppressedRule<'a> {
    suppression: &'a Suppression,
    name: Option<&'a RuleName>,
    used: bool,
}

impl SuppressedRule<'_> {
    fn is_about_suppressions(&self) -> bool {
        self.name.is_some_and(|name| is_about_suppressions(&name.id) || name.id == FAMILY)
    }

    fn covers(&self, finding: &Finding, first: u32, last: u32) -> bool {
        let Finding { rule, family, .. } = finding;
        let rule_is_meant =
            self.name.map_or(!is_about_suppressions(rule), |name| name.id == *rule || name.id == *family);
        let place_is_meant = match self.suppression.covers {
            Covers::File => true,
            Covers::Lines(from, to) => first <= to && from <= last,
        };
        rule_is_meant && place_is_meant
    }
}

pub fn is_about_suppressions(rule: &str) -> bool {
    rule == UNUSED || rule == UNKNOWN
}

fn claims_of(suppression: &Suppression) -> Vec<SuppressedRule<'_>> {
    let claim = |name| SuppressedRule { suppression, name, used: false };
    match &suppression.rules {
        Rules::All => vec![claim(None)],
        Rules::Named(names) => names.iter().map(|name| claim(Some(name))).collect(),
        Rules::Unreadable => vec![],
    }
}

fn mark(findings: &mut [Finding], claims: &mut BTreeMap<FileId, Vec<SuppressedRule>>, sources: &Sources) {
    for finding in findings {
        let mut is_covered = false;
        let Some(claims) = claims.get_mut(&finding.place.file) else { continue };
        let (source, span) = (sources.file(finding.place.file), finding.place.span);
        let (first, _) = source.line_column(span.start);
        let (end_line, end_column) = source.line_column(span.end);
        // A place that ends where a line starts does not touch that line.
        let last = end_line - u32::from(end_line > first && end_column == 1);
        for claim in claims.iter_mut().filter(|claim| claim.covers(finding, first, last)) {
            claim.used = true;
            is_covered = true;
        }
        if is_covered {
            finding.status = Status::Suppressed;
        }
    }
}
