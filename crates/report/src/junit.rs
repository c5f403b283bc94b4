//! The XML of JUnit, for services that show tests: each finding is a test case, those that fail the run are failures.
//!
//! Form: `junit-10.xsd` of <https://github.com/jenkinsci/xunit-plugin>.

use super::printable::{in_xml, sentence};
use super::{Report, summary};
use crate::findings::Finding;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use std::io::{self, Write};

pub fn render(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let files: Vec<_> = report.by_file().iter().map(|findings| suite_of(findings, report)).collect();
    let skipped = report.skipped.iter().map(|skipped| Case {
        name: skipped.path.clone(),
        group: "gpulint".to_owned(),
        seconds: None,
        outcome: CaseOutcome::Skipped(skipped.reason.clone()),
    });
    let skipped = Suite { name: "files that could not be checked".to_owned(), cases: skipped.collect() };
    // Without any case a service would say that nothing was tested.
    let passed = Case {
        name: summary::checked(report),
        group: "gpulint".to_owned(),
        seconds: None,
        outcome: CaseOutcome::Passed(summary::summary_line(report)),
    };
    let passed = Suite { name: "gpulint".to_owned(), cases: vec![passed] };
    let suites = files.into_iter().chain([skipped, passed]).filter(|suite| !suite.cases.is_empty());
    write(&suites.collect::<Vec<_>>(), out)
}

/// Cases that belong together.
pub struct Suite {
    pub name: String,
    pub cases: Vec<Case>,
}

pub struct Case {
    pub name: String,
    /// What services call the class.
    pub group: String,
    pub seconds: Option<f64>,
    pub outcome: CaseOutcome,
}

pub enum CaseOutcome {
    /// With what there is to say all the same.
    Passed(String),
    Failed {
        kind: &'static str,
        message: String,
        text: String,
    },
    /// It could not be found out.
    Errored {
        kind: &'static str,
        message: String,
        text: String,
    },
    Skipped(String),
}

fn suite_of(findings: &[&Finding], report: &Report) -> Suite {
    let name = report.locate(findings[0].place).path.into_owned();
    let cases = findings.iter().map(|finding| case_of(finding, report)).collect();
    Suite { name, cases }
}

fn case_of(finding: &Finding, report: &Report) -> Case {
    let place = report.locate(finding.place);
    let position = place.position;
    let text = format!("{}: {}", place.label(), report.message_with_help(finding));
    let cell = position.cell.map(|cell| format!("cell {cell}, ")).unwrap_or_default();
    let outcome = match finding.severity >= report.fail_on {
        true => {
            let kind = super::word(finding.severity);
            CaseOutcome::Failed { kind, message: finding.message.clone(), text }
        }
        false => CaseOutcome::Passed(text),
    };
    Case {
        name: format!("{} at {cell}line {}, column {}", finding.rule, position.line, position.column),
        group: place.path.into_owned(),
        seconds: None,
        outcome,
    }
}

/// Suites as one document.
pub fn text(suites: &[Suite]) -> io::Result<String> {
    let mut xml = Vec::new();
    write(suites, &mut xml)?;
    Ok(String::from_utf8_lossy(&xml).into_owned())
}

/// Writes suites as one document.
fn write(suites: &[Suite], out: &mut dyn Write) -> io::Result<()> {
    let count = |is: fn(&CaseOutcome) -> bool, suites: &[Suite]| {
        suites.iter().flat_map(|suite| &suite.cases).filter(|case| is(&case.outcome)).count().to_string()
    };
    let counts = |suites: &[Suite]| {
        [
            ("tests", count(|_| true, suites)),
            ("failures", count(|outcome| matches!(outcome, CaseOutcome::Failed { .. }), suites)),
            ("errors", count(|outcome| matches!(outcome, CaseOutcome::Errored { .. }), suites)),
        ]
    };
    let mut xml = Writer::new_with_indent(&mut *out, b' ', 2);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let all = counts(suites);
    let root = xml.create_element("testsuites").with_attribute(("name", "gpulint"));
    let root = root.with_attributes(all.iter().map(|(name, count)| (*name, count.as_str())));
    root.write_inner_content(|xml| {
        for suite in suites {
            let name = in_xml(&sentence(&suite.name));
            let own = counts(std::slice::from_ref(suite));
            let skipped =
                count(|outcome| matches!(outcome, CaseOutcome::Skipped(_)), std::slice::from_ref(suite));
            let element = xml.create_element("testsuite").with_attribute(("name", name.as_str()));
            let element = element.with_attributes(own.iter().map(|(name, count)| (*name, count.as_str())));
            let element = element.with_attribute(("skipped", skipped.as_str()));
            element
                .write_inner_content(|xml| suite.cases.iter().try_for_each(|case| write_case(case, xml)))?;
        }
        Ok(())
    })?;
    writeln!(out)
}

fn write_case<W: Write>(case: &Case, xml: &mut Writer<W>) -> io::Result<()> {
    let (name, group) = (in_xml(&sentence(&case.name)), in_xml(&sentence(&case.group)));
    let element = xml.create_element("testcase");
    let element = element.with_attributes([("name", name.as_str()), ("classname", group.as_str())]);
    let seconds = case.seconds.map(|seconds| format!("{seconds:.3}"));
    let element = element.with_attributes(seconds.iter().map(|seconds| ("time", seconds.as_str())));
    element.write_inner_content(|xml| {
        match &case.outcome {
            CaseOutcome::Passed(text) => {
                xml.create_element("system-out").write_text_content(BytesText::new(&in_xml(text)))?;
            }
            CaseOutcome::Failed { kind, message, text } => write_fault("failure", kind, message, text, xml)?,
            CaseOutcome::Errored { kind, message, text } => write_fault("error", kind, message, text, xml)?,
            CaseOutcome::Skipped(reason) => {
                let reason = in_xml(&sentence(reason));
                xml.create_element("skipped").with_attribute(("message", reason.as_str())).write_empty()?;
            }
        }
        Ok(())
    })?;
    Ok(())
}

fn write_fault<W: Write>(
    name: &str,
    kind: &str,
    message: &str,
    text: &str,
    xml: &mut Writer<W>,
) -> io::Result<()> {
    let message = in_xml(&sentence(message));
    let element = xml.create_element(name).with_attributes([("type", kind), ("message", message.as_str())]);
    element.write_text_content(BytesText::new(&in_xml(text)))?;
    Ok(())
}
