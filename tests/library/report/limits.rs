//! Very many findings: what GitHub would refuse or not show is left out, the least bad first, and said.

use super::*;
use serde_json::Value;

/// Notes first in the file, so that whoever cuts from the end loses the errors.
fn many(count: usize) -> (Sources, Vec<Finding>) {
    let sources = sources(&[("a.py", &"import torch\n".repeat(count))]);
    let one = finding(&sources, "a-rule", "a.py", "import torch");
    let at = |line: usize| {
        let span = Span::new(line * 13, line * 13 + 12);
        let severity = match line * 4 / count {
            3 => Severity::Error,
            2 => Severity::Warning,
            _ => Severity::Note,
        };
        Finding { place: Place { span, ..one.place }, severity, ..one.clone() }
    };
    let findings = (0..count).map(at).collect();
    (sources, findings)
}

fn with_notes<'a>(sources: &'a Sources, findings: &'a [Finding]) -> Report<'a> {
    Report { min_severity: Severity::Note, ..report(sources, findings, &[]) }
}

/// The report, and what it says that it left out.
fn cut(report: &Report, format: Format) -> (String, String) {
    let mut out = vec![];
    let left_out = render(report, format, &mut out).expect("writing to memory works");
    (String::from_utf8(out).expect("UTF-8"), left_out.expect("something is left out"))
}

#[test]
fn sarif_holds_no_more_than_github_takes() {
    let (sources, findings) = many(100_000);
    let (text, left_out) = cut(&with_notes(&sources, &findings), Format::Sarif);
    let run = &serde_json::from_str::<Value>(&text).expect("JSON")["runs"][0];
    let results = run["results"].as_array().expect("results");
    assert_eq!(results.len(), 25_000);
    assert!(results.iter().all(|result| result["level"] == "error"));
    assert_eq!(results[0]["locations"][0]["physicalLocation"]["region"]["startLine"], 75_001);
    assert!(left_out.starts_with("75000 of 100000 findings are left out, none worse"), "{left_out}");
    assert_eq!(run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"], left_out);
}

#[test]
fn places_of_a_sarif_result_are_no_more_than_github_takes() {
    let sources = sources(&[("a.py", &"import torch\n".repeat(20_000))]);
    let mut chain = finding(&sources, "a-rule", "a.py", "import torch");
    let related = |moment| {
        let place = |line: usize| Place { file: FileId(0), span: Span::new(line * 13, line * 13 + 12) };
        (1..20_000).map(|line| Related { moment, ..beside(place(line), "here") }).collect()
    };
    chain.related = related(RelativeTime::Before);
    let mut cloud = chain.clone();
    cloud.related = related(RelativeTime::Unordered);
    let (text, left_out) = cut(&report(&sources, &[chain, cloud], &[]), Format::Sarif);
    let run = &serde_json::from_str::<Value>(&text).expect("JSON")["runs"][0];
    let steps = &run["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"];
    assert_eq!(steps.as_array().map(Vec::len), Some(10_000));
    assert_eq!(run["results"][1]["relatedLocations"].as_array().map(Vec::len), Some(1_000));
    assert!(left_out.contains("in 2 findings"), "{left_out}");
}

#[test]
fn markdown_stays_below_the_size_that_github_shows() {
    let (sources, mut findings) = many(100_000);
    let (text, left_out) = cut(&with_notes(&sources, &findings), Format::Markdown);
    assert!(text.len() < 1024 << 10, "{}", text.len());
    assert!(text.len() > 900 << 10, "{}", text.len());
    assert!(text.contains("| error | <code>a.py:75001</code> |") && !text.contains("| note |"));
    assert!(text.contains(&left_out), "{left_out}");
    assert!(
        text.trim_end().ends_with("<code>gpulint init</code> writes one."),
        "the summary is the last line"
    );

    // One monstrous finding, and very many files that could not be read.
    findings.truncate(1);
    findings[0].message = "x|".repeat(1 << 20);
    let skipped: Vec<_> = (0..100_000).map(|_| super::skipped().remove(0)).collect();
    let text = rendered(&Report { skipped: &skipped, ..with_notes(&sources, &findings) }, Format::Markdown);
    assert!(text.contains("| note |") && text.len() < 20_000, "{}", text.len());
    assert!(text.contains("- and 99980 more"), "{text}");
}

#[test]
fn annotations_beyond_those_that_are_shown_are_counted() {
    let (sources, findings) = many(100_000);
    let text = rendered(&with_notes(&sources, &findings), Format::Github);
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 100_001);
    assert!(lines[..25_000].iter().all(|line| line.starts_with("::error ")));
    assert!(lines[25_000..50_000].iter().all(|line| line.starts_with("::warning ")));
    let notice =
        "::notice title=gpulint::Not shown: 24990 more errors, 24990 more warnings, 49991 more notes, since ";
    assert!(lines[50_000].starts_with(notice), "{}", lines[50_000]);

    let ten = |count: usize| {
        let notes = findings.iter().filter(|finding| finding.severity == Severity::Note).take(count);
        rendered(&with_notes(&sources, &notes.cloned().collect::<Vec<_>>()), Format::Github)
    };
    assert!(!ten(10).contains("::notice title=gpulint::"));
    assert!(ten(11).starts_with("::notice title=gpulint::Not shown: 2 more notes, since "));
}

#[test]
fn a_page_stays_readable() {
    let (sources, findings) = many(10_001);
    let (page, left_out) = cut(&with_notes(&sources, &findings), Format::Html);
    assert_eq!(page.matches("<article").count(), 10_000);
    assert!(left_out.starts_with("1 of 10001 findings"), "{left_out}");
    assert!(page.contains(&left_out));
}

/// What has no limit holds everything.
#[test]
fn other_formats_hold_all() {
    let (sources, findings) = many(30_000);
    for (format, mark) in [
        (Format::Jsonl, "\"rule\":"),
        (Format::Gitlab, "\"check_name\""),
        (Format::Junit, "<testcase "),
        (Format::Rdjson, "\"code\""),
        (Format::Checkstyle, "<error "),
        (Format::Azure, "##vso["),
    ] {
        let text = rendered(&with_notes(&sources, &findings), format);
        let expected = 30_000 + usize::from(format == Format::Junit);
        assert_eq!(text.matches(mark).count(), expected, "{format:?}");
    }
}
