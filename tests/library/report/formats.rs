//! The formats for other programs, against the schemas that are published for them, and what schemas do not say.

use super::*;
use clap::ValueEnum;
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};

/// Reports of every kind: with findings and without, with places and names that are hard to write.
fn runs() -> Vec<(Sources, Vec<Finding>)> {
    let (sources, findings) = example();
    let mut baselined = findings.clone();
    baselined[0].status = Status::Baselined;
    vec![(sources, baselined), (self::sources(&[]), vec![]), hostile(), notebook()]
}

/// A file and a message that are full of marks.
fn hostile() -> (Sources, Vec<Finding>) {
    let name = "a b/\x1b<&\"'>|%:#?[\u{ffff}é].py";
    let sources = sources(&[(name, "x = '日本🙂'; import torch\n")]);
    let mut finding = finding(&sources, "a-rule", name, "import torch");
    finding.message = "</script><img src=x> ]]> \u{1b}[0m \u{fffe} ]; %0A `a|b` d[\"x\"](1)".to_owned();
    finding.advice = Some("write\n`]]>` & \"more\"".to_owned());
    finding.related = vec![beside(finding.place, "[here](0)")];
    (sources, vec![finding])
}

fn notebook() -> (Sources, Vec<Finding>) {
    let cells = "{\"cells\": [\n  {\"cell_type\": \"code\", \"source\": [\n    \"x = 1\\n\",\n    \"import torch\"\n  ]}\n]}\n";
    let source = Source::new(None, "n.ipynb".to_owned(), Language::Notebook, cells.to_owned());
    let sources = Sources { files: vec![source], ..Sources::default() };
    let finding = finding(&sources, "a-rule", "n.ipynb", "import torch");
    (sources, vec![finding])
}

fn in_app<'a>(sources: &'a Sources, findings: &'a [Finding], skipped: &'a [Skipped]) -> Report<'a> {
    let report = report(sources, findings, skipped);
    Report { below_repository: "my app/", min_severity: Severity::Note, ..report }
}

fn parsed(report: &Report, format: Format) -> Value {
    serde_json::from_str(&rendered(report, format)).expect("JSON")
}

fn sarif(report: &Report) -> Value {
    parsed(report, Format::Sarif)["runs"][0].take()
}

#[test]
fn json_formats_follow_their_schemas() {
    let skipped = skipped();
    for (format, schema) in [
        (Format::Sarif, include_str!("../../schemas/sarif-2.1.0.json")),
        (Format::Rdjson, include_str!("../../schemas/rdjson.json")),
        (Format::Gitlab, include_str!("../../schemas/gitlab-code-quality.json")),
    ] {
        // As published it is no regular expression to strict readers; nothing here names a language.
        let schema = schema.replace("^[a-zA-Z]{2}|^[a-zA-Z]{2}-[a-zA-Z]{2}]?$", "^[a-zA-Z]{2}");
        let schema = serde_json::from_str(&schema).expect("JSON");
        let validator = jsonschema::options().should_validate_formats(true).build(&schema).expect("a schema");
        for (sources, findings) in runs() {
            for report in [report(&sources, &findings, &[]), in_app(&sources, &findings, &skipped)] {
                let document = parsed(&report, format);
                let faults: Vec<_> =
                    validator.iter_errors(&document).map(|fault| fault.to_string()).collect();
                assert!(faults.is_empty(), "{format:?}: {faults:#?}\n{document:#}");
            }
        }
        assert!(!validator.is_valid(&json!({"runs": 1, "diagnostics": 1})), "{format:?} takes anything");
    }
}

/// By Python's lxml, where there is one: with GPULINT_REQUIRE_TOOLS its absence is a failure.
#[test]
fn junit_follows_its_schema() {
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/schemas/junit-10.xsd");
    let program = "import sys; from lxml import etree; \
                   etree.XMLSchema(etree.parse(sys.argv[1])).assertValid(etree.parse(sys.stdin.buffer))";
    let has_lxml =
        Command::new("python3").args(["-c", "from lxml import etree"]).stderr(Stdio::null()).status();
    if !has_lxml.is_ok_and(|status| status.success()) {
        assert!(std::env::var_os("GPULINT_REQUIRE_TOOLS").is_none(), "python3 has no lxml: pip install lxml");
        eprintln!("skipped: python3 has no lxml, which reads the schema of JUnit");
        return;
    }
    let skipped = skipped();
    for (sources, findings) in runs() {
        let xml = rendered(&in_app(&sources, &findings, &skipped), Format::Junit);
        let mut python = Command::new("python3");
        let python = python.args(["-c", program, schema]).stdin(Stdio::piped()).stderr(Stdio::piped());
        let mut python = python.spawn().expect("python3 starts");
        python.stdin.take().expect("it is piped").write_all(xml.as_bytes()).expect("it reads");
        let output = python.wait_with_output().expect("python3 ends");
        assert!(output.status.success(), "{}\n{xml}", String::from_utf8_lossy(&output.stderr));
    }
}

/// The attributes and texts of an XML document, as a reader gets them.
fn xml_texts(xml: &str) -> Vec<String> {
    use quick_xml::events::Event;
    let mut reader = quick_xml::Reader::from_str(xml);
    let (mut texts, mut text) = (vec![], String::new());
    loop {
        match reader.read_event().expect("XML") {
            Event::Start(element) | Event::Empty(element) => {
                for attribute in element.attributes() {
                    let attribute = attribute.expect("an attribute");
                    let value = quick_xml::escape::unescape(&attribute.value);
                    texts.push(value.expect("known entities").into_owned());
                }
            }
            Event::Text(part) => text.push_str(&part),
            Event::GeneralRef(name) => {
                let entity = format!("&{};", &*name);
                text.push_str(&quick_xml::escape::unescape(&entity).expect("a known entity"));
            }
            Event::End(_) => texts.push(std::mem::take(&mut text).trim_start().to_owned()),
            Event::Eof => return texts,
            _ => {}
        }
    }
}

#[test]
fn xml_says_what_was_meant() {
    let (sources, findings) = hostile();
    let message = "</script><img src=x> ]]> ␛[0m \u{fffd} ]; %0A `a|b` d[\"x\"](1)";
    let path = "a b/␛<&\"'>|%:#?[\u{fffd}é].py";
    let junit = xml_texts(&rendered(&report(&sources, &findings, &[]), Format::Junit));
    assert!(junit.contains(&message.to_owned()) && junit.contains(&path.to_owned()), "{junit:#?}");
    let text = format!("{path}:1: {message}\nhelp: write\n`]]>` & \"more\"");
    assert!(junit.contains(&text), "{junit:#?}");
    let checkstyle = xml_texts(&rendered(&report(&sources, &findings, &[]), Format::Checkstyle));
    let line = format!("{message} help: write `]]>` & \"more\"");
    assert!(checkstyle.contains(&line) && checkstyle.contains(&path.to_owned()), "{checkstyle:#?}");
}

#[test]
fn findings_that_do_not_fail_the_run_are_no_failures_of_junit() {
    let (sources, findings) = example();
    let all = Report { min_severity: Severity::Note, ..report(&sources, &findings, &[]) };
    let strict = Report { fail_on: Severity::Note, ..report(&sources, &findings, &[]) };
    let strict = Report { min_severity: Severity::Note, ..strict };
    assert!(rendered(&all, Format::Junit).contains("tests=\"5\" failures=\"2\" errors=\"0\">"));
    assert!(rendered(&strict, Format::Junit).contains("tests=\"5\" failures=\"4\" errors=\"0\">"));
    let none = report(&sources, &[], &[]);
    assert!(rendered(&none, Format::Junit).contains("name=\"Checked 12 files\""));
}

#[test]
fn sarif_tells_the_order_in_which_things_happen() {
    let sources = sources(&[("a.py", "init\ncall\nset\nuse\nelse\n")]);
    let at =
        |text: &str, moment| Related { moment, ..beside(finding(&sources, "", "a.py", text).place, text) };
    let mut found = finding(&sources, "a-rule", "a.py", "set");
    found.related = vec![
        at("init", RelativeTime::Before),
        at("call", RelativeTime::First),
        at("use", RelativeTime::After),
    ];
    let lines = |run: &Value| -> Vec<u64> {
        let steps = run["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"].as_array();
        let line = |step: &Value| step["location"]["physicalLocation"]["region"]["startLine"].as_u64();
        steps.into_iter().flatten().filter_map(line).collect()
    };
    let run = sarif(&report(&sources, std::slice::from_ref(&found), &[]));
    assert_eq!(lines(&run), [2, 1, 3, 4]);
    assert_eq!(run["results"][0]["relatedLocations"], Value::Null);

    found.related = vec![at("else", RelativeTime::Unordered)];
    let run = sarif(&report(&sources, &[found], &[]));
    assert!(lines(&run).is_empty());
    assert_eq!(run["results"][0]["relatedLocations"][0]["id"], 0);
    // GitHub shows what the message links to.
    assert_eq!(run["results"][0]["message"]["text"], "what a-rule says\nsee [else](0)");
}

#[test]
fn sarif_names_places_as_the_standard_asks() {
    let (sources, findings) = hostile();
    let run = sarif(&in_app(&sources, &findings, &[]));
    let place = &run["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(
        place["artifactLocation"],
        json!({
            "uri": "my%20app/a%20b/%1B%3C%26%22%27%3E%7C%25%3A%23%3F%5B%EF%BF%BF%C3%A9%5D.py",
            "uriBaseId": "SRCROOT"
        })
    );
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    assert_eq!(place["region"], json!({"startLine": 1, "startColumn": 12, "endLine": 1, "endColumn": 24}));
    assert_eq!(run["automationDetails"]["id"], "gpulint/my app/");
    let text = run["results"][0]["message"]["text"].as_str().expect("a text");
    assert!(text.contains("d[\"x\"] (1)") && text.ends_with("see [\\[here\\](0)](0)"), "{text}");

    // In a notebook it is the line of the file; columns there are others.
    let (sources, findings) = notebook();
    let run = sarif(&report(&sources, &findings, &[]));
    let place = &run["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["region"], json!({"startLine": 4, "endLine": 4}));
    assert_eq!(run["results"][0]["message"]["text"], "cell 1, line 2: what a-rule says");
}

#[test]
fn sarif_explains_the_rules_that_were_found() {
    let (sources, findings) = example();
    let run = sarif(&report(&sources, &findings, &skipped()));
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    let ids: Vec<_> = rules.iter().map(|rule| rule["id"].as_str().expect("an id")).collect();
    assert_eq!(ids, ["device-not-allowed", "load-without-map-location", "missing-device-order"]);
    for result in run["results"].as_array().expect("results") {
        let index = result["ruleIndex"].as_u64().expect("a number");
        assert_eq!(result["ruleId"], rules[index as usize]["id"]);
    }
    for rule in rules {
        // Its page has no address while nobody knows where gpulint is at home.
        let is_known = !env!("CARGO_PKG_REPOSITORY").contains("OWNER");
        assert_eq!(rule.get("helpUri").is_some(), is_known, "{rule:#}");
        for text in ["/shortDescription/text", "/fullDescription/text", "/help/text", "/help/markdown"] {
            assert!(
                rule.pointer(text).is_some_and(|text| !text.as_str().unwrap_or_default().is_empty()),
                "{rule:#}"
            );
        }
    }
    assert_eq!(rules[1]["defaultConfiguration"]["level"], "warning", "of a rule that is off");
    let notifications = &run["invocations"][0]["toolExecutionNotifications"];
    assert_eq!(notifications[0]["message"]["text"], "not valid UTF-8");

    // A rule of nobody, as one would be that has gone since: named, and nothing invented.
    let (sources, findings) = hostile();
    let run = sarif(&report(&sources, &findings, &[]));
    assert_eq!(run["tool"]["driver"]["rules"], json!([{"id": "a-rule"}]));
}

#[test]
fn sarif_marks_what_does_not_count_and_leaves_it_out_where_it_would_be_shown() {
    let (sources, mut findings) = example();
    findings[1].status = Status::Baselined;
    let report = report(&sources, &findings, &[]);
    let kinds = |run: &Value| -> Vec<String> {
        let results = run["results"].as_array().expect("results");
        results
            .iter()
            .map(|result| result["suppressions"][0]["kind"].as_str().unwrap_or("none").to_owned())
            .collect()
    };
    assert_eq!(kinds(&sarif(&report)), ["none", "external", "inSource"]);
    let on_github = Report { on_github: true, ..report };
    assert_eq!(kinds(&sarif(&on_github)), ["none"]);
    // What the upload names the analysis takes the place of nothing else.
    assert_eq!(sarif(&on_github)["automationDetails"], Value::Null);
}

#[test]
fn columns_of_rdjson_are_bytes() {
    let (sources, findings) = hostile();
    let document = parsed(&report(&sources, &findings, &[]), Format::Rdjson);
    let range = &document["diagnostics"][0]["location"]["range"];
    assert_eq!(*range, json!({"start": {"line": 1, "column": 19}, "end": {"line": 1, "column": 31}}));
    let (sources, findings) = notebook();
    let document = parsed(&report(&sources, &findings, &[]), Format::Rdjson);
    assert_eq!(
        document["diagnostics"][0]["location"]["range"],
        json!({"start": {"line": 4}, "end": {"line": 4}})
    );
}

#[test]
fn every_format_is_explained() {
    let page = include_str!("../../../docs/output.md");
    for format in Format::value_variants() {
        let name = format!("{format:?}").to_lowercase();
        assert!(page.contains(&format!("\n| `{name}` | ")), "docs/output.md does not explain {name}");
    }
}

#[test]
fn lines_of_jsonl_are_the_findings_of_json() {
    let (sources, findings) = example();
    let report = report(&sources, &findings, &[]);
    let lines = rendered(&report, Format::Jsonl);
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(Value::Array(lines), parsed(&report, Format::Json)["findings"]);
}

#[test]
fn commands_of_azure_survive_any_text() {
    let (sources, findings) = hostile();
    assert_eq!(
        rendered(&report(&sources, &findings, &[]), Format::Azure),
        "##vso[task.logissue type=warning;sourcepath=a b/␛<&\"'>|%AZP25:#?[\u{ffff}é%5D.py;linenumber=1;\
         columnnumber=12;code=a-rule;]</script><img src=x> %5D%5D> ␛[0m \u{fffe} %5D%3B %AZP250A `a|b` d[\"x\"%5D(1)\
         %0Ahelp: write%0A`%5D%5D>` & \"more\"\n"
    );
}

#[test]
fn the_page_is_whole_and_safe() {
    let (sources, findings) = hostile();
    let page = rendered(&in_app(&sources, &findings, &skipped()), Format::Html);
    assert!(page.contains("&lt;/script&gt;&lt;img src=x&gt;"), "{page}");
    assert_eq!(page.matches("</script>").count(), 1);
    assert!(!page.contains('\x1b'));
    for loading in ["<img", "<link", "<iframe", " src=", "@import", "url(", "fetch("] {
        assert!(!page.replace("&lt;img src=x&gt;", "").contains(loading), "{loading}");
    }
    assert!(page.contains("<mark>import torch</mark>"), "{page}");

    let (sources, findings) = example();
    let page = rendered(&report(&sources, &findings, &[]), Format::Html);
    assert!(page.contains("<article class=\"suppressed\" data-kind=\"suppressed\""), "{page}");
    assert_eq!(page.matches("<article").count(), 3);
}

#[test]
fn no_format_shows_what_other_variables_hold() {
    let text = "API_TOKEN=sesame CUDA_VISIBLE_DEVICES=1\nTOKEN=open-sesame\nCUDA_VISIBLE_DEVICES=0\n";
    let source = Source::new(None, ".env".to_owned(), Language::Dotenv, text.to_owned());
    let sources = Sources { files: vec![source], ..Sources::default() };
    let mut found = finding(&sources, "conflicting-pins", ".env", "CUDA_VISIBLE_DEVICES=0");
    found.related = vec![beside(finding(&sources, "", ".env", "API_TOKEN").place, "set first here")];
    let first = finding(&sources, "missing-device-order", ".env", "CUDA_VISIBLE_DEVICES=1");
    for format in Format::value_variants() {
        let text = rendered(&report(&sources, &[first.clone(), found.clone()], &[]), *format);
        assert!(text.contains("conflicting-pins") && !text.contains("sesame"), "{format:?}: {text}");
    }
}
