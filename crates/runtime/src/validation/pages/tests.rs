//! Every form of a sample in each state, against the text in `tests/snapshots/validation`, and against what its readers ask of it.
//! `UPDATE_SNAPSHOTS=1 cargo test --lib validation` writes the snapshots anew; read the diff.

use super::super::document::{Kind, Reason, State, Validation, Verdict};
use super::samples::{hostile, leaking, samples, validation};
use super::*;
use crate::runtime::metrics::tests::faults;
use crate::runtime::watch::Stray;
use clap::ValueEnum;
use quick_xml::events::Event;
use std::path::Path;

fn rendered(validation: &Validation, format: Format) -> String {
    render(validation, format).unwrap()
}

#[test]
fn every_form_of_every_state_is_as_it_was() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/snapshots/validation");
    for (name, validation) in samples() {
        let forms = [
            ("txt", Format::Text),
            ("md", Format::Markdown),
            ("xml", Format::Junit),
            ("prom", Format::Prometheus),
        ];
        // Of the long ones, the two that have everything.
        let html = [("html", Format::Html)]
            .into_iter()
            .filter(|_| matches!(name, "rejected" | "both" | "environment"));
        let texts = forms
            .into_iter()
            .chain(html)
            .map(|(end, format)| (end.to_owned(), rendered(&validation, format)));
        let plots = if matches!(name, "rejected" | "both") { plots(&validation) } else { Vec::new() };
        for (end, actual) in texts.chain(plots) {
            let path = folder.join(format!("{name}.{end}"));
            if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
                std::fs::create_dir_all(&folder).unwrap();
                std::fs::write(&path, &actual).unwrap();
            }
            let expected = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
            assert!(expected == actual, "{} differs. Now:\n{actual}", path.display());
        }
    }
}

#[test]
fn the_verdict_comes_first_and_simulated_behind_it() {
    for (name, validation) in samples() {
        for format in [Format::Text, Format::Markdown] {
            let page = rendered(&validation, format);
            let mut lines = page.lines().filter(|line| !line.is_empty());
            assert!(lines.next().unwrap().ends_with(&words::title(&validation)), "{name}");
            assert!(lines.next().unwrap().contains("simulated"), "{name}");
        }
        for format in Format::value_variants() {
            let page = rendered(&validation, *format);
            assert!(page.contains("simulated") && page.ends_with('\n'), "{name}: {format:?}");
            let real = rendered(&Validation { simulated: false, ..validation.clone() }, *format);
            assert!(*format == Format::Json || !real.contains("simulated"), "{name}: {format:?}");
        }
    }
}

#[test]
fn documents_keep_to_the_schema_and_can_be_read_again() {
    let schema = serde_json::from_str(&Validation::schema_text()).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    for (name, validation) in samples().into_iter().chain([("hostile", hostile())]) {
        let text = rendered(&validation, Format::Json);
        let faults: Vec<String> = schema
            .iter_errors(&serde_json::from_str(&text).unwrap())
            .map(|fault| fault.to_string())
            .collect();
        assert!(faults.is_empty(), "{name}: {faults:?}");
        let again: Validation = serde_json::from_str(&text).unwrap();
        assert_eq!(again, validation, "{name}");
    }
}

#[test]
fn the_committed_schema_is_fresh() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../gpulint-validation.schema.json");
    if std::env::var_os("GPULINT_UPDATE").is_some() {
        std::fs::write(&file, Validation::schema_text()).unwrap();
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default().replace("\r\n", "\n");
    assert!(
        committed == Validation::schema_text(),
        "gpulint-validation.schema.json is not what the types say; run `GPULINT_UPDATE=1 cargo test --lib validation` and commit it"
    );
}

#[test]
fn reasons_that_differ_in_their_check_only_are_told_once() {
    let (_, mut all) = samples().into_iter().find(|(name, _)| *name == "rejected").unwrap();
    let first = all.reasons[0].clone();
    all.reasons.extend(["b", "c"].map(|check| Reason { check: Some(check.into()), ..first.clone() }));
    let page = rendered(&all, Format::Html);
    assert_eq!(page.matches(&first.message).count(), 1, "{page}");
    assert!(page.contains("2 more checks say the same"));
}

#[test]
fn a_process_on_a_forbidden_card_is_marked_on_the_time_line() {
    let (_, mut all) = samples().into_iter().find(|(name, _)| *name == "rejected").unwrap();
    let drawn = plots::timeline(&all).unwrap();
    // Of two checks with three looks each.
    assert!(drawn.contains("RTX 5060 Ti, forbidden: no process of a command in 6 looks"), "{drawn}");
    assert!(!drawn.contains("#d1242f"));
    let readings = all.checks[1].record.as_mut().unwrap().readings.as_mut().unwrap();
    let card = readings.forbidden_cards[0].card.clone();
    readings.strays.push(Stray { pid: 7, card, seconds: 0.1, forbidden: true, ..Stray::default() });
    let drawn = plots::timeline(&all).unwrap();
    assert!(drawn.contains("forbidden: a process was there") && drawn.contains("#d1242f"), "{drawn}");
}

/// Nothing of a card was read: there is no time line.
#[test]
fn without_readings_there_is_no_time_line() {
    for name in ["environment", "infrastructure"] {
        let (_, all) = samples().into_iter().find(|(other, _)| *other == name).unwrap();
        assert_eq!(plots::timeline(&all), None, "{name}");
    }
}

/// The elements of an XML text, in their order; its attributes must be written right as well.
fn elements(xml: &str) -> Vec<String> {
    let mut reader = quick_xml::Reader::from_str(xml);
    let (mut elements, mut open) = (Vec::new(), 0);
    loop {
        match reader.read_event().unwrap() {
            Event::Start(element) => {
                assert!(element.attributes().all(|attribute| attribute.is_ok()));
                elements.push(element.name().as_ref().to_owned());
                open += 1;
            }
            Event::Empty(element) => elements.push(element.name().as_ref().to_owned()),
            Event::End(_) => open -= 1,
            Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(open, 0);
    elements
}

#[test]
fn a_service_sees_what_failed_and_what_could_not_run() {
    let count = |name: &str, of: &str| {
        let (_, validation) = samples().into_iter().find(|(other, _)| *other == name).unwrap();
        elements(&rendered(&validation, Format::Junit)).iter().filter(|element| *element == of).count()
    };
    for (name, failures, errors, skipped) in
        [("approved", 0, 0, 2), ("corrections", 0, 0, 2), ("rejected", 2, 0, 2), ("environment", 0, 1, 2)]
    {
        assert_eq!(count(name, "failure"), failures, "{name}");
        assert_eq!(count(name, "error"), errors, "{name}");
        assert!(count(name, "skipped") >= skipped, "{name}");
    }
    assert_eq!(count("infrastructure", "error"), 2);
    assert_eq!(count("running", "error"), 1);
}

#[test]
fn no_element_has_a_second_class() {
    for validation in samples().into_iter().map(|(_, validation)| validation).chain([hostile()]) {
        let page = rendered(&validation, Format::Html);
        for tag in page.split('<').filter_map(|text| text.split('>').next()) {
            assert!(tag.matches(" class=").count() < 2, "browsers show the first only: {tag}");
        }
        let verdict = page.split("<h1 class=\"kind ").nth(1).and_then(|rest| rest.split('"').next());
        assert!(["approved", "warning", "error"].contains(&verdict.unwrap_or_default()), "{verdict:?}");
    }
}

#[test]
fn titles_of_plots_fit() {
    for validation in samples().into_iter().map(|(_, validation)| validation).chain([hostile()]) {
        for (name, svg) in plots(&validation) {
            let shown = svg.split("fill=\"#808080\">").nth(1).and_then(|rest| rest.split('<').next());
            let shown = shown.unwrap_or_default().replace("&lt;", "<").replace("&gt;", ">");
            assert!(
                shown.chars().count() <= 90 && shown.starts_with("simulated: ") == validation.simulated,
                "{name}: {shown}"
            );
        }
    }
}

#[test]
fn plots_are_whole_and_have_names_of_their_own() {
    for validation in samples().into_iter().map(|(_, validation)| validation).chain([hostile()]) {
        let plots = plots(&validation);
        let mut names: Vec<&str> = plots.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), plots.len());
        assert!(names.iter().all(|name| !name.contains(['/', '\\', ' ', '<'])), "{names:?}");
        for (_, svg) in &plots {
            let elements = elements(svg);
            assert_eq!(elements[..2], ["svg", "title"]);
            assert!(
                elements.contains(&"path".to_owned()) && !svg.contains("NaN") && !svg.contains("inf"),
                "{svg}"
            );
        }
    }
}

#[test]
fn what_others_wrote_stays_text() {
    let hostile = hostile();
    let page = rendered(&hostile, Format::Html);
    assert!(!page.contains("<script") && !page.contains("<b>&") && !page.contains('\u{1b}'));
    for format in Format::value_variants() {
        let page = rendered(&hostile, *format);
        assert!(
            *format == Format::Json
                || !page.contains(['\u{1b}', '\u{202e}'])
                || *format == Format::Prometheus,
            "{format:?}"
        );
    }
    let page = rendered(&hostile, Format::Markdown);
    let parsed = pulldown_cmark::Parser::new_ext(&page, pulldown_cmark::Options::ENABLE_TABLES);
    for event in parsed {
        use pulldown_cmark::{Event, Tag, TagEnd};
        match event {
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) | Event::Code(_) => panic!("{event:?}"),
            Event::InlineHtml(tag) | Event::Html(tag) => {
                assert!(!tag.contains("<script") && !tag.contains("<b>"), "{tag}");
            }
            Event::End(TagEnd::Heading(level)) => assert_eq!(level as usize, 2),
            _ => {}
        }
    }
    elements(&rendered(&hostile, Format::Junit));
    assert_eq!(faults(&rendered(&hostile, Format::Prometheus)), [""; 0]);
}

#[test]
fn metrics_keep_to_their_format() {
    for (name, validation) in samples() {
        assert_eq!(faults(&rendered(&validation, Format::Prometheus)), [""; 0], "{name}");
    }
}

#[test]
fn a_summary_fits_whatever_there_is_to_say() {
    const MOST: usize = 1024 << 10;
    let checks = (0..3000).map(|number| {
        let mut check = leaking(0);
        check.name = format!("check number {number} {}", "<&|`*_".repeat(2000));
        check
    });
    let mut long = validation(Verdict::Approved, checks.collect(), Vec::new());
    let page = rendered(&long, Format::Markdown);
    assert!(page.len() < MOST, "{}", page.len());
    let last = page.lines().last().unwrap();
    assert!(last.contains("rows are left out") && last.contains("1024 KiB"), "{last}");
    assert_eq!(page.matches("<details").count(), page.matches("</details>").count());
    long.checks.truncate(2);
    assert!(!rendered(&long, Format::Markdown).contains("left out"));
}

#[test]
fn numbers_that_cannot_be_are_shown_all_the_same() {
    let mut odd = validation(Verdict::Running, vec![leaking(0)], Vec::new());
    for number in [f64::INFINITY, f64::NAN, -1.0, 1e300] {
        odd.wall_seconds = Some(number);
        if let Some(readings) = odd.checks[0].record.as_mut().and_then(|record| record.readings.as_mut()) {
            readings.series.points[0].seconds = number;
        }
        for format in Format::value_variants() {
            rendered(&odd, *format);
        }
    }
    odd.checks[0].kind = Kind::CpuTarget;
    odd.checks[0].state = State::NotRun;
    assert_eq!(odd.checks[0].leak.as_ref().map(|leak| leak.measured.len()), Some(10));
    plots(&odd);
}
