//! The XML of Checkstyle, which many services for reviews and builds read.

use super::Report;
use super::printable::{in_xml, sentence};
use crate::findings::Severity;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, Event};
use std::io::Write;

/// The files that have findings, each with its own.
pub fn render(report: &Report, out: &mut dyn Write) -> std::io::Result<()> {
    let mut xml = Writer::new_with_indent(&mut *out, b' ', 2);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    // Readers look at the version of the program whose form this is.
    let root = xml.create_element("checkstyle").with_attribute(("version", "4.3"));
    root.write_inner_content(|xml| {
        for findings in report.by_file() {
            let name = in_xml(&report.locate(findings[0].place).path);
            xml.create_element("file").with_attribute(("name", name.as_str())).write_inner_content(
                |xml| {
                    for finding in findings {
                        let place = report.locate(finding.place);
                        let line = place.line.to_string();
                        let column = place.columns.map(|(column, _)| column.to_string());
                        let severity = match finding.severity {
                            Severity::Error => "error",
                            Severity::Warning => "warning",
                            Severity::Note => "info",
                        };
                        // An attribute is one line.
                        let message = in_xml(&sentence(&report.message_with_help(finding)));
                        let source = in_xml(&format!("gpulint.{}", finding.rule));
                        let mut error = xml.create_element("error").with_attribute(("line", line.as_str()));
                        if let Some(column) = &column {
                            error = error.with_attribute(("column", column.as_str()));
                        }
                        error = error.with_attribute(("severity", severity));
                        let texts = [("message", message.as_str()), ("source", source.as_str())];
                        error.with_attributes(texts).write_empty()?;
                    }
                    Ok(())
                },
            )?;
        }
        Ok(())
    })?;
    writeln!(out)
}
