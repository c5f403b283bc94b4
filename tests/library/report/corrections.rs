//! What was corrected, as a page, as JSON, and as what services can do themselves.

use super::*;
use gpulint::corrections::{Correction, Corrections, FixedFinding, RemainingFinding};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use serde_json::{Value, json};

/// One file that was mended in two places, one of them because of another file, and a fix that was not made.
fn corrections(name: &str, patch: &str) -> Corrections {
    let mended = |path: &str, line: u32, safety: Safety| FixedFinding {
        rule: "availability-check-not-called".to_owned(),
        severity: Severity::Error,
        message: "`torch.cuda.is_available` is not called here | ```".to_owned(),
        title: "call it".to_owned(),
        safety,
        path: path.to_owned(),
        cell: None,
        line,
        column: 4,
    };
    Corrections {
        files: vec![Correction {
            file: FileId(0),
            name: name.to_owned(),
            mended: vec![mended(name, 5, Safety::Safe), mended("train.py", 7, Safety::Unsafe)],
            patch: patch.to_owned(),
            cells: None,
        }],
        dropped: vec![RemainingFinding {
            rule: "bare-cuda".to_owned(),
            path: "train.py".to_owned(),
            cell: None,
            line: 9,
            reason: "`a-rule` would be found then".to_owned(),
        }],
        mended: 2,
        is_final: true,
        ..Corrections::default()
    }
}

const PATCH: &str =
    "--- a/app/model.py\n+++ b/app/model.py\n@@ -1,2 +1,2 @@\n import torch\n-x = \"`````\"\n+x = \"````\"\n";

#[test]
fn the_page_and_the_json() {
    let (sources, mut findings) = example();
    findings[1].unfixed = Some("it stands in a loop | `twice`".to_owned());
    let corrections = corrections("app/model.py", PATCH);
    let report = report(&sources, &findings, &[]);
    let fixed = Report { corrections: Some(&corrections), ..report };
    check("correction-fixed", &rendered(&fixed, Format::Correction));
    check("correction-json", &rendered(&fixed, Format::CorrectionJson));
    let done = self::corrections("app/model.py", PATCH);
    let corrections = Corrections { is_dry: true, is_partial: true, is_final: false, ..done };
    let page = rendered(&Report { corrections: Some(&corrections), ..fixed }, Format::Correction);
    for remark in ["**Nothing was written: ", "**Not every file could be written;", "run gpulint again.**"] {
        assert!(page.contains(remark), "{page}");
    }
    assert!(!page.contains("change nothing more"), "{page}");
}

#[test]
fn the_json_follows_its_schema() {
    let schema = serde_json::from_str(include_str!("../../schemas/corrections.json")).expect("JSON");
    let validator = jsonschema::options().build(&schema).expect("a schema");
    let (sources, findings) = example();
    let corrections = corrections("app/model.py", PATCH);
    for corrections in [None, Some(&corrections), Some(&Corrections::default())] {
        let report = Report { corrections, ..report(&sources, &findings, &[]) };
        let document: Value = serde_json::from_str(&rendered(&report, Format::CorrectionJson)).expect("JSON");
        let faults: Vec<_> = validator.iter_errors(&document).map(|fault| fault.to_string()).collect();
        assert!(faults.is_empty(), "{faults:#?}\n{document:#}");
    }
    assert!(!validator.is_valid(&json!({"schema": 1})));
}

/// Whatever stands in names, messages and code, the page has the same headings, tables and blocks.
#[test]
fn any_text_is_only_text() {
    let names = ["a.py", "a|b`c``.py", "<b>*x*_y_[z](q)\n# t.py", "\\|.py", "&lt;@you.py", "\x1b[31m.py"];
    for name in names {
        let sources = sources(&[(name, "torch\n")]);
        let mut finding = finding(&sources, "a-rule", name, "torch");
        finding.message = "</td> | ``` \n# heading\n| a | b |".to_owned();
        finding.unfixed = Some("<script> | ~~~ `a".to_owned());
        let lines = ["````` |", "~~~", "</pre>", "# x", "`````` ```````", "\x1b[0m\u{202e}"];
        let patch: String = lines.iter().map(|line| format!("-{line}\n+{line}!\n")).collect();
        let corrections = corrections(name, &patch);
        let report = report(&sources, std::slice::from_ref(&finding), &[]);
        let page = rendered(&Report { corrections: Some(&corrections), ..report }, Format::Correction);
        let (mut headings, mut tables, mut rows, mut blocks, mut block) = (0, 0, 0, 0, String::new());
        let mut in_block = false;
        for event in Parser::new_ext(&page, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::Heading { .. }) => headings += 1,
                Event::Start(Tag::Table(_)) => tables += 1,
                Event::Start(Tag::TableRow) => rows += 1,
                Event::Start(Tag::CodeBlock(kind)) => {
                    assert_eq!(kind, CodeBlockKind::Fenced("diff".into()));
                    (blocks, in_block) = (blocks + 1, true);
                }
                Event::End(TagEnd::CodeBlock) => in_block = false,
                Event::Text(text) if in_block => block.push_str(&text),
                Event::InlineHtml(tag) => assert!(matches!(&*tag, "<code>" | "</code>"), "{tag} in {page}"),
                Event::Html(html) => panic!("{html} in {page}"),
                _ => {}
            }
        }
        assert_eq!((headings, tables, rows, blocks), (3, 4, 3 + 1 + 2 + 1, 1), "{page}");
        let shown = patch.replace('\x1b', "␛").replace('\u{202e}', "\u{fffd}");
        assert_eq!(block, shown, "{page}");
    }
}

#[test]
fn diffs_in_reports_keep_secrets() {
    let text = "API_TOKEN=sesame\nCUDA_VISIBLE_DEVICES=1\n";
    let source = Source::new(None, ".env".to_owned(), Language::Dotenv, text.to_owned());
    let sources = Sources { files: vec![source], ..Sources::default() };
    let patch = "--- a/.env\n+++ b/.env\n@@ -1,2 +1,2 @@\n API_TOKEN=sesame\n-CUDA_VISIBLE_DEVICES=1\n+CUDA_VISIBLE_DEVICES=0\n";
    let corrections = corrections(".env", patch);
    let report = Report { corrections: Some(&corrections), ..report(&sources, &[], &[]) };
    for format in [Format::Correction, Format::CorrectionJson, Format::Json] {
        let text = rendered(&report, format);
        assert!(text.contains("CUDA_VISIBLE_DEVICES=0") && !text.contains("sesame"), "{format:?}: {text}");
    }
    let page = rendered(&report, Format::Correction);
    assert!(page.contains("- Not proven, since it is a list of variables and not Python"), "{page}");
    assert!(!page.contains("syntax tree"), "{page}");
}

fn parsed(report: &Report, format: Format) -> Value {
    serde_json::from_str(&rendered(report, format)).expect("JSON")
}

/// A finding in `a.py` with these edits, each by the file and the text that it replaces.
fn mendable(sources: &Sources, edits: &[(&str, &str, &str)]) -> Finding {
    let edit = |&(file, old, new): &(&str, &str, &str)| Edit {
        place: finding(sources, "", file, old).place,
        text: new.to_owned(),
    };
    let mut found = finding(sources, "a-rule", "a.py", "first");
    let edits = edits.iter().map(edit).collect();
    found.fix = Some(Fix { title: "mend it".to_owned(), safety: Safety::Unsafe, edits });
    found
}

#[test]
fn services_can_make_the_fixes() {
    let sources = sources(&[("a.py", "\u{feff}first = 'é🚀', here\nlast\n"), ("b.py", "other\n")]);
    let one = mendable(&sources, &[("a.py", "here", "there"), ("a.py", "last\n", "")]);
    let two = mendable(&sources, &[("a.py", "here", "there"), ("b.py", "other", "new")]);
    let results = |found: &Finding| {
        let report = report(&sources, std::slice::from_ref(found), &[]);
        let sarif = parsed(&report, Format::Sarif)["runs"][0]["results"][0]["fixes"].take();
        (sarif, parsed(&report, Format::Rdjson)["diagnostics"][0]["suggestions"].take())
    };
    let region = |start: (u32, u32), end: (u32, u32)| json!({"startLine": start.0, "startColumn": start.1, "endLine": end.0, "endColumn": end.1});
    let here = json!({"deletedRegion": region((1, 15), (1, 19)), "insertedContent": {"text": "there"}});
    let artifact = |name: &str| json!({"uri": name, "uriBaseId": "SRCROOT"});
    let (sarif, rdjson) = results(&one);
    let gone = json!({"deletedRegion": region((2, 1), (3, 1))});
    assert_eq!(
        sarif,
        json!([{
            "description": {"text": "mend it (may change what the program does)"},
            "artifactChanges": [{"artifactLocation": artifact("a.py"), "replacements": [here, gone]}],
        }])
    );
    // One text for the whole, in bytes.
    let range = json!({"start": {"line": 1, "column": 19}, "end": {"line": 3, "column": 1}});
    assert_eq!(rdjson, json!([{"range": range, "text": "there\n"}]));

    let (sarif, rdjson) = results(&two);
    assert_eq!(sarif[0]["artifactChanges"][1]["artifactLocation"], artifact("b.py"));
    assert_eq!(rdjson, Value::Null, "it needs another file");

    let mut hidden = one.clone();
    hidden.status = Status::Suppressed;
    let report = report(&sources, std::slice::from_ref(&hidden), &[]);
    assert_eq!(parsed(&report, Format::Sarif)["runs"][0]["results"][0]["fixes"], Value::Null);
}

#[test]
fn what_cannot_be_said_in_lines_of_the_file_is_left_out() {
    let cells = "{\"cells\": [{\"cell_type\": \"code\", \"source\": \"first\\nhere\"}]}";
    let notebook = Source::new(None, "a.py".to_owned(), Language::Notebook, cells.to_owned());
    let text = "PASSWORD=sesame first\nhere\n";
    let dotenv = Source::new(None, "a.py".to_owned(), Language::Dotenv, text.to_owned());
    for (source, new) in [(notebook, "there"), (dotenv, "PASSWORD=sesame")] {
        let sources = Sources { files: vec![source], ..Sources::default() };
        let found = mendable(&sources, &[("a.py", "here", new)]);
        let report = report(&sources, std::slice::from_ref(&found), &[]);
        assert!(!rendered(&report, Format::Sarif).contains("\"fixes\""));
        assert!(!rendered(&report, Format::Rdjson).contains("\"suggestions\""));
    }
}

#[test]
fn the_page_in_html_says_why_there_is_no_fix() {
    let sources = sources(&[("a.py", "first\n")]);
    let mut found = finding(&sources, "a-rule", "a.py", "first");
    found.unfixed = Some("it stands in a <loop>".to_owned());
    let page = rendered(&report(&sources, &[found], &[]), Format::Html);
    assert!(page.contains("<p class=\"unfixed\">no fix: it stands in a &lt;loop&gt;</p>"), "{page}");
}
