//! What `gpulint:` comments cover, and what is said about the comments themselves.

use gpulint::facts::{FileId, Place, Span};
use gpulint::findings::suppressions::{Rules, apply, suppressions_in};
use gpulint::findings::{Finding, Severity, Status};
use gpulint::sources::{Language, Source, Sources};

const RULES: [&str; 4] =
    ["device-not-allowed", "missing-device-order", "unused-suppression", "unknown-suppression"];

#[test]
fn a_trailing_comment_covers_its_line() {
    assert_eq!(judged("d = BAD  # gpulint: ignore[device-not-allowed] second card"), ["1 suppressed"]);
    assert_eq!(
        judged("d = BAD  #gpulint:ignore[ missing-device-order , device-not-allowed ]")[0],
        "1 suppressed"
    );
    assert_eq!(
        judged("a = BAD\nb = BAD  # gpulint: ignore[device-not-allowed]\nc = BAD\n"),
        ["1 active", "2 suppressed", "3 active"]
    );
    assert_eq!(judged("d = BAD  // gpulint: ignore[device-not-allowed]"), ["1 suppressed"]);
    assert_eq!(
        judged("d = BAD  # noqa: E501  # gpulint: ignore[device-not-allowed]  # pragma: no cover"),
        ["1 suppressed"]
    );
    assert_eq!(judged("d = BAD  # gpulint: ignore\n"), ["1 suppressed"]);
    assert_eq!(judged("d = BAD  # gpulint: ignore  # noqa\r\n"), ["1 suppressed"]);
}

#[test]
fn a_place_over_several_lines_is_touched_by_each() {
    assert_eq!(
        judged("f(BAD\nBAD\n)  # gpulint: ignore[device-not-allowed]"),
        [
            "1 active",
            "2 active",
            "3 unused-suppression: unused suppression: `device-not-allowed` finds nothing here"
        ]
    );
    assert_eq!(judged_with("<BAD\nx)  # gpulint: ignore[device-not-allowed]\n", &[]), ["1 suppressed"]);
}

#[test]
fn on_the_first_or_last_line_a_statement_is_covered_and_in_between_a_line() {
    let call = |first: &str, middle: &str, last: &str| {
        let text = format!("f({first}\n  BAD,\n  BAD,{middle}\n){last}\nBAD\n");
        let end = text.rfind("\nBAD").unwrap_or_default();
        judged_with(&text, &[Span::new(0, end)])
    };
    let comment = "  # gpulint: ignore[device-not-allowed]";
    assert_eq!(call(comment, "", ""), ["2 suppressed", "3 suppressed", "5 active"]);
    assert_eq!(call("", "", comment), ["2 suppressed", "3 suppressed", "5 active"]);
    assert_eq!(call("", comment, ""), ["2 active", "3 suppressed", "5 active"]);
    assert_eq!(call(&format!("\n{comment}"), "", ""), ["3 suppressed", "4 active", "6 active"]);
}

#[test]
fn a_comment_of_its_own_covers_the_next_statement() {
    let own = "# gpulint: ignore[device-not-allowed] why\n";
    assert_eq!(judged(&format!("{own}BAD\nBAD\n")), ["2 suppressed", "3 active"]);
    assert_eq!(judged(&format!("\u{feff}{own}\n# a remark\n\n  BAD\n")), ["5 suppressed"]);
    assert_eq!(
        judged(&format!("# gpulint: ignore[missing-device-order]\n{own}BAD ORDER\n")),
        ["3 suppressed", "3 suppressed"]
    );
    assert_eq!(
        judged(&format!("{own}@mark\n@other\ndef f(d=BAD):\n    BAD\n")),
        ["4 suppressed", "5 active"]
    );
    let text = format!("{own}f(\n  BAD,\n)\nBAD\n");
    let statement = Span::new(own.len(), text.len() - 5);
    assert_eq!(judged_with(&text, &[statement]), ["3 suppressed", "5 active"]);
    assert_eq!(judged(&format!("BAD\n{own}")).len(), 2);
}

#[test]
fn a_file_wide_comment_covers_the_file() {
    assert_eq!(
        judged("BAD\nx  # gpulint: ignore-file[device-not-allowed] old\nBAD ORDER\n"),
        ["1 suppressed", "3 suppressed", "3 active"]
    );
    assert_eq!(judged("BAD ORDER\n# gpulint: ignore-file\n"), ["1 suppressed", "1 suppressed"]);
}

#[test]
fn what_is_not_needed_is_reported() {
    assert_eq!(
        judged("BAD  # gpulint: ignore[device-not-allowed, missing-device-order]"),
        [
            "1 suppressed",
            "1 unused-suppression: unused suppression: `missing-device-order` finds nothing here"
        ]
    );
    assert_eq!(
        judged("x  # gpulint: ignore"),
        ["1 unused-suppression: unused suppression: no rule finds anything here"]
    );
    assert_eq!(judged("x  # gpulint: ignore-file[device-not-allowed]").len(), 1);
}

#[test]
fn a_rule_that_did_not_run_is_not_unused() {
    let sources = sources("x  # gpulint: ignore[device-not-allowed, nonsense]");
    let suppressions = suppressions_in(FileId(0), &sources.files[0], &comments(&sources), &[]);
    let mut findings = vec![];
    apply(&mut findings, &suppressions, &sources, &RULES, &|_, rule| rule != "device-not-allowed");
    assert_eq!(findings.len(), 1);
    findings.clear();
    apply(&mut findings, &suppressions, &sources, &RULES, &|_, rule| rule == "device-not-allowed");
    assert_eq!(findings, []);
}

#[test]
fn what_is_not_known_or_not_understood_is_reported() {
    let complaint = |comment: &str| {
        let sources = sources(comment);
        let findings = findings_after(&sources, &[]);
        let one = findings.into_iter().next().expect("something is reported");
        assert_eq!(one.rule, "unknown-suppression");
        assert_eq!((one.family.as_str(), one.severity), ("suppressions", Severity::Warning));
        (sources.text(one.place).to_owned(), one.advice.unwrap_or_default())
    };
    let told = |text: &str, advice: &str| (text.to_owned(), advice.to_owned());
    assert_eq!(
        complaint("# gpulint: ignore[device-not-alowed]"),
        told("device-not-alowed", "Did you mean `device-not-allowed`?")
    );
    assert_eq!(complaint("# gpulint: ignore[E501]"), told("E501", "`gpulint rules` lists the rules."));
    let device = "Write `gpulint: ignore[device-not-allowed] reason`.";
    assert_eq!(
        complaint("# gpulint: ignore device-not-allowed "),
        told("gpulint: ignore device-not-allowed", device)
    );
    assert_eq!(complaint("# gpulint: ignore[device-not-allowed").1, device);
    assert_eq!(complaint("# gpulint: ignore: device-not-allowed").1, device);
    assert_eq!(complaint("# gpulint: disable=device-not-allowed").1, device);
    assert_eq!(complaint("# gpulint: ignore[]").1, "Write `gpulint: ignore[rule-id] reason`.");
    assert_eq!(complaint("# gpulint: file-ignore[x]").1, "Write `gpulint: ignore-file[rule-id] reason`.");
    assert_eq!(complaint("# gpulint:").1, "Write `gpulint: ignore[rule-id] reason`.");
}

#[test]
fn text_about_the_tool_is_no_suppression() {
    assert_eq!(judged("x  # see `# gpulint: ignore[x]` in the gpulint docs"), [""; 0]);
    assert_eq!(judged("x  # gpulint finds nothing"), [""; 0]);
}

#[test]
fn complaints_can_be_suppressed_by_name_and_never_by_themselves() {
    assert_eq!(judged("x  # gpulint: ignore[device-not-allowed, unused-suppression]"), ["1 suppressed"]);
    assert_eq!(
        judged("# gpulint: ignore[unused-suppression]\n# gpulint: ignore[device-not-allowed]\nx\n"),
        ["2 suppressed"]
    );
    assert_eq!(
        judged("x  # gpulint: ignore[nonsense]\n# gpulint: ignore-file[unknown-suppression]\n"),
        ["1 suppressed"]
    );
    assert_eq!(
        judged("x  # gpulint: ignore[unused-suppression]"),
        ["1 unused-suppression: unused suppression: `unused-suppression` finds nothing here"]
    );
    // All rules are meant, but not this one: the comment would hide that it is not needed.
    assert_eq!(judged("x  # gpulint: ignore[device-not-allowed]  # gpulint: ignore").len(), 2);
}

#[test]
fn the_reason_is_kept() {
    let reason = |comment: &str| {
        let sources = sources(comment);
        let suppressions = suppressions_in(FileId(0), &sources.files[0], &comments(&sources), &[]);
        assert!(suppressions.iter().all(|one| one.rules != Rules::Unreadable));
        suppressions.into_iter().next().and_then(|one| one.reason)
    };
    assert_eq!(reason("# gpulint: ignore[a] see #12").as_deref(), Some("see #12"));
    assert_eq!(reason("# gpulint: ignore[a] old  # noqa").as_deref(), Some("old"));
    assert_eq!(reason("# gpulint: ignore[a]"), None);
}

#[test]
fn files_that_are_only_imported_stay_silent() {
    let mut sources = sources("BAD  # gpulint: ignore[missing-device-order]\n");
    sources.files[0].reported = false;
    assert_eq!(findings_after(&sources, &[]).len(), 1);
}

/// For each finding its line and what became of it.
fn judged(text: &str) -> Vec<String> {
    judged_with(text, &[])
}

fn judged_with(text: &str, statements: &[Span]) -> Vec<String> {
    let sources = sources(text);
    let judge = |finding: &Finding| {
        let line = sources.position(finding.place).line;
        match (finding.status, RULES[2..].contains(&finding.rule.as_str())) {
            (Status::Active, true) => format!("{line} {}: {}", finding.rule, finding.message),
            (Status::Active, false) => format!("{line} active"),
            _ => format!("{line} suppressed"),
        }
    };
    findings_after(&sources, statements).iter().map(judge).collect()
}

/// `BAD` breaks one rule, `ORDER` another; `<` makes a place that goes on to the next line.
fn findings_after(sources: &Sources, statements: &[Span]) -> Vec<Finding> {
    let text = &sources.files[0].text;
    let mut findings = vec![];
    for (word, rule) in [("BAD", RULES[0]), ("ORDER", RULES[1])] {
        for (at, _) in text.match_indices(word) {
            let is_tall = text[..at].ends_with('<');
            let end = if is_tall { text.find(')').unwrap_or(at) } else { at + word.len() };
            findings.push(finding(rule, Span::new(at, end)));
        }
    }
    findings.sort_by_key(|finding| finding.place);
    let suppressions = suppressions_in(FileId(0), &sources.files[0], &comments(sources), statements);
    apply(&mut findings, &suppressions, sources, &RULES, &|_, _| true);
    findings
}

fn finding(rule: &str, span: Span) -> Finding {
    Finding::new((rule, "devices"), Severity::Error, Place { file: FileId(0), span }, "")
}

fn sources(text: &str) -> Sources {
    let source = Source::new(None, "a.py".to_owned(), Language::Python, text.to_owned());
    Sources { files: vec![source], ..Sources::default() }
}

/// No test has a leader inside a string, so the first one on a line starts the comment.
fn comments(sources: &Sources) -> Vec<Span> {
    let mut comments = vec![];
    let mut start = 0;
    for line in sources.files[0].text.split_inclusive('\n') {
        let text = line.trim_end_matches(['\r', '\n']);
        if let Some(at) = text.find('#').into_iter().chain(text.find("//")).min() {
            comments.push(Span::new(start + at, start + text.len()));
        }
        start += line.len();
    }
    comments
}
