//! SARIF 2.1.0, which GitHub code scanning and many editors read.
//!
//! Form: <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>; what GitHub takes of it:
//! <https://docs.github.com/code-security/reference/code-scanning/sarif-files/sarif-support-for-code-scanning>.

mod log;
mod rules;

use super::place::{InRepository, in_repository};
use super::repairs::edits_of;
use super::{Report, home};
use crate::facts::Place;
use crate::findings::{Confidence, Edit, Finding, Related, RelativeTime, Safety, Severity, Status};
use log::*;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::collections::BTreeMap;
use std::io::Write;

/// GitHub refuses a run with more.
const MOST_RESULTS: usize = 25_000;
const MOST_LOCATIONS: usize = 1_000;
const MOST_STEPS: usize = 10_000;
/// So many related places the message of a result links to, since GitHub shows no others.
const MOST_LINKS: usize = 10;

/// What paths count from: the top of the repository, wherever it was checked out.
const TOP: &str = "SRCROOT";

/// Returns what was left out.
pub fn render(report: &Report, out: &mut dyn Write) -> std::io::Result<Option<String>> {
    let mut recorded = report.recorded();
    recorded.retain(|(finding, _)| finding.status == Status::Active || !report.on_github);
    recorded.sort_by_key(|(finding, _)| super::badness(finding));
    let all = recorded.len();
    recorded.truncate(MOST_RESULTS);
    let shortened =
        recorded.iter().filter(|(finding, _)| finding.related.len() > most_related(finding)).count();
    let left_out = left_out(all, shortened);

    let rules = rules::of(recorded.iter().map(|(finding, _)| *finding), report.rules);
    let results = recorded.into_iter().map(|(finding, print)| {
        let index = rules.binary_search_by(|rule| rule.id.cmp(&finding.rule)).unwrap_or_default();
        result_of(finding, print, index, report)
    });
    let document = Log {
        schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        version: "2.1.0",
        runs: [Run {
            results: results.collect(),
            tool: Tool {
                driver: Driver {
                    name: "gpulint",
                    semantic_version: env!("CARGO_PKG_VERSION"),
                    information_uri: home(),
                    rules,
                    notifications: NOTICES.map(|(id, text, help)| Notice {
                        id,
                        short_description: Message::of(text),
                        full_description: Message::of(text),
                        help: Message::of(help),
                    }),
                },
            },
            // Two projects of one repository are two analyses: neither takes the place of the other.
            // The uploads of GitHub give a run the category that the workflow names, unless it has one already.
            automation_details: (!report.on_github)
                .then(|| Automation { id: format!("gpulint/{}", report.below_repository) }),
            original_uri_base_ids: BTreeMap::from([(
                TOP,
                Base { description: Message::of("The top of the repository.") },
            )]),
            invocations: [Invocation {
                execution_successful: true,
                tool_execution_notifications: notifications(report, left_out.as_deref()),
            }],
            column_kind: "unicodeCodePoints",
        }],
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)?;
    Ok(left_out)
}

fn most_related(finding: &Finding) -> usize {
    if is_chain(finding) { MOST_STEPS - 1 } else { MOST_LOCATIONS }
}

fn left_out(all: usize, shortened: usize) -> Option<String> {
    let mut parts = vec![];
    if all > MOST_RESULTS {
        let more = all - MOST_RESULTS;
        parts.push(format!(
            "{more} of {all} findings are left out, none worse than those that are listed: GitHub takes {MOST_RESULTS}"
        ));
    }
    if shortened > 0 {
        parts.push(format!("the longest chains of places are cut (in {shortened} findings), as GitHub asks"));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn result_of<'a>(
    finding: &'a Finding,
    fingerprint: String,
    index: usize,
    report: &Report<'a>,
) -> ResultEntry<'a> {
    let chain = is_chain(finding);
    let related = &finding.related[..finding.related.len().min(most_related(finding))];
    ResultEntry {
        rule_id: &finding.rule,
        rule_index: index,
        level: level(finding.severity),
        rank: rank(finding),
        message: Message::of(text_of(finding, if chain { &[] } else { related }, report)),
        locations: [Location { id: None, physical_location: physical(finding.place, report), message: None }],
        related_locations: if chain { vec![] } else { numbered(related, report) },
        code_flows: if chain { vec![flow(finding, related, report)] } else { vec![] },
        partial_fingerprints: BTreeMap::from([("gpulint/v1", fingerprint)]),
        fixes: repair(finding, report).into_iter().collect(),
        suppressions: match finding.status {
            // Those on unchanged lines are not told at all.
            Status::Active | Status::Unchanged | Status::Old => vec![],
            Status::Suppressed => vec![Suppression { kind: "inSource", status: "accepted" }],
            Status::Baselined => vec![Suppression { kind: "external", status: "accepted" }],
        },
        properties: Properties { confidence: finding.confidence, policies: &finding.policies },
    }
}

/// Whether the places that explain a finding happen one after the other, the finding among them.
fn is_chain(finding: &Finding) -> bool {
    finding.related.iter().any(|related| related.moment != RelativeTime::Unordered)
}

/// What happens, in order.
fn flow(finding: &Finding, related: &[Related], report: &Report) -> Flow {
    let step = |place: Place, text: &str| Step {
        location: Location {
            physical_location: physical(place, report),
            message: Some(Message::of(text)),
            id: None,
        },
    };
    let at = |moment: fn(RelativeTime) -> bool| {
        related
            .iter()
            .filter(move |related| moment(related.moment))
            .map(|related| step(related.place, &related.message))
    };
    let first = at(|moment| moment == RelativeTime::First);
    let before = at(|moment| matches!(moment, RelativeTime::Before | RelativeTime::Unordered));
    let after = at(|moment| moment == RelativeTime::After);
    let own = step(finding.place, finding.message.trim_end());
    Flow { thread_flows: [Thread { locations: first.chain(before).chain([own]).chain(after).collect() }] }
}

fn numbered(related: &[Related], report: &Report) -> Vec<Location> {
    let location = |(id, related): (usize, &Related)| Location {
        id: Some(id),
        physical_location: physical(related.place, report),
        message: Some(Message::of(related.message.as_str())),
    };
    related.iter().enumerate().map(location).collect()
}

/// GitHub shows the first sentence as the title, and related places only where the message links to them.
fn text_of(finding: &Finding, related: &[Related], report: &Report) -> String {
    let mut text = report.message_with_help(finding).replace("](", "] (");
    for (id, related) in related.iter().enumerate().take(MOST_LINKS) {
        let label = related.message.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]");
        text.push_str(&format!("\nsee [{label}]({id})"));
    }
    text
}

/// The fix of a finding, as far as it can be said.
fn repair(finding: &Finding, report: &Report) -> Option<Repair> {
    let (fix, edits) = (finding.fix.as_ref()?, edits_of(finding, report));
    let risk = if fix.safety == Safety::Unsafe { " (may change what the program does)" } else { "" };
    let replacement = |edit: &Edit| Replacement {
        deleted_region: region(&report.locate(edit.place)),
        inserted_content: (!edit.text.is_empty()).then(|| Message::of(edit.text.as_str())),
    };
    let change = |edits: &[Edit]| Change {
        artifact_location: artifact(&report.locate(edits[0].place).path),
        replacements: edits.iter().map(replacement).collect(),
    };
    let of_files = edits.chunk_by(|one, other| one.place.file == other.place.file);
    let artifact_changes: Vec<Change> = of_files.map(change).collect();
    let description = Message::of(format!("{}{risk}", fix.title));
    (!artifact_changes.is_empty()).then_some(Repair { description, artifact_changes })
}

fn physical(place: Place, report: &Report) -> Physical {
    let found = report.locate(place);
    Physical { artifact_location: artifact(&found.path), region: Some(region(&found)) }
}

fn region(found: &InRepository) -> Region {
    Region {
        start_line: found.line,
        start_column: found.columns.map(|(column, _)| column),
        end_line: found.end_line,
        end_column: found.columns.map(|(_, end_column)| end_column),
    }
}

fn whole_file(path: &str) -> Location {
    let physical_location = Physical { artifact_location: artifact(path), region: None };
    Location { id: None, physical_location, message: None }
}

/// A path as a part of an address.
fn artifact(path: &str) -> Artifact {
    const ESCAPED: &AsciiSet =
        &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');
    // On another drive there is no way from the repository to the file.
    let drive = path.get(1..3) == Some(":/") && path.starts_with(|c: char| c.is_ascii_alphabetic());
    if drive {
        let rest = utf8_percent_encode(&path[2..], ESCAPED);
        return Artifact { uri: format!("file:///{}{rest}", &path[..2]), uri_base_id: None };
    }
    Artifact { uri: utf8_percent_encode(path, ESCAPED).to_string(), uri_base_id: Some(TOP) }
}

/// What the tool may say about a run: its id, what it means and what to do.
const NOTICES: [(&str, &str, &str); 3] = [
    (
        "file-skipped",
        "A file, or a part of one, could not be checked.",
        "The message says why. What is not meant to be checked can be left out of the paths.",
    ),
    (
        "program-unfinished",
        "A program was too large to be followed to its end.",
        "Check the file by itself, and see with `gpulint trace FILE` how far it is followed.",
    ),
    (
        "report-shortened",
        "Not everything that was found is in this file.",
        "The least bad findings are missing: `gpulint check --format json` has all.",
    ),
];

fn notifications(report: &Report, left_out: Option<&str>) -> Vec<Notification> {
    let notification = |(id, ..): (&'static str, &str, &str), text: &str, path: Option<&str>| Notification {
        descriptor: Reference { id },
        level: "warning",
        message: Message::of(text),
        locations: path.into_iter().map(whole_file).collect(),
    };
    let [skipped, unfinished, shortened] = NOTICES;
    let skipped = report.skipped.iter().map(|file| {
        notification(skipped, &file.reason, Some(&in_repository(report.below_repository, &file.path)))
    });
    let unfinished = report.unfinished.iter().map(|name| {
        let path = in_repository(report.below_repository, name);
        notification(unfinished, "not followed to the end, so findings may be missing", Some(&path))
    });
    let shortened = left_out.map(|text| notification(shortened, text, None));
    skipped.chain(unfinished).chain(shortened).collect()
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// Viewers sort by it, the highest first: by severity, and then by how sure the finding is.
fn rank(finding: &Finding) -> f32 {
    let severity = match finding.severity {
        Severity::Error => 80.0,
        Severity::Warning => 50.0,
        Severity::Note => 20.0,
    };
    match finding.confidence {
        Confidence::High => severity + 10.0,
        Confidence::Medium => severity,
        Confidence::Low => severity - 10.0,
    }
}
