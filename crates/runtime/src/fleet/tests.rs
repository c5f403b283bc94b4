//! Merging as a pure function: what holds for reports of every kind, in any order, doubled, cut off and damaged.
//! `UPDATE_SNAPSHOTS=1 cargo test --lib fleet` writes the snapshots of the pages anew, `GPULINT_UPDATE=1` the schema.

use super::document::Fleet;
use super::merge::{Merge, Refusal};
use super::pages::render;
use crate::runtime::document::Document;
use crate::runtime::metrics::tests::faults;
use crate::runtime::validation::document::{Validation, Verdict, Weight};
use crate::runtime::validation::pages::Format;
use crate::runtime::validation::pages::samples::{hostile, samples};
use clap::ValueEnum;
use std::path::Path;

/// Numbers that look like chance and are the same in each run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }
}

/// The sample of this name, on another machine.
fn report(name: &str, number: u64) -> Validation {
    let (_, mut validation) = samples().into_iter().find(|(sample, _)| *sample == name).unwrap();
    validation.host = Some(format!("node-{number:03}.example.org"));
    if let Some(card) = &mut validation.card {
        card.uuid = format!("GPU-30903090-0000-4000-8000-{number:012x}");
    }
    validation
}

/// An approval whose card multiplies so fast.
fn of_speed(number: u64, teraflops: f64) -> Validation {
    let mut validation = report("approved", number);
    for burn in validation.checks.iter_mut().filter_map(|check| check.burn.as_mut()) {
        burn.teraflops.as_mut().unwrap().median = teraflops;
    }
    validation
}

fn text_of(validation: &Validation) -> Vec<u8> {
    validation.to_json().unwrap().into_bytes()
}

type Named = (String, Vec<u8>);

fn named(validations: &[Validation]) -> Vec<Named> {
    let text = |(at, validation)| (format!("reports/{at:03}.json"), text_of(validation));
    validations.iter().enumerate().map(text).collect()
}

fn merged(files: &[Named], expected: Option<u64>) -> Result<Fleet, Refusal> {
    let mut merge = Merge::default();
    files.iter().for_each(|(file, text)| merge.add(file, text));
    merge.end(expected)
}

fn fleet(validations: &[Validation]) -> Fleet {
    merged(&named(validations), None).unwrap()
}

fn codes(fleet: &Fleet) -> Vec<&str> {
    let weighty = fleet.reasons.iter().filter(|reason| reason.weight < Weight::Note);
    weighty.map(|reason| reason.code.as_str()).collect()
}

/// Reports of every state, with different speeds.
fn many(chance: &mut Chance, count: usize) -> Vec<Validation> {
    let names = [
        "approved",
        "approved",
        "approved",
        "corrections",
        "rejected",
        "environment",
        "infrastructure",
        "running",
    ];
    let one = |number| {
        let mut validation = report(names[chance.below(names.len())], number as u64);
        validation.driver = Some(["580.95.05", "580.95.05", "570.86.15"][chance.below(3)].to_owned());
        for burn in validation.checks.iter_mut().filter_map(|check| check.burn.as_mut()) {
            burn.teraflops.as_mut().unwrap().median = 3.0 + chance.below(300) as f64 / 100.0;
        }
        validation
    };
    (0..count).map(one).collect()
}

#[test]
fn the_order_of_the_reports_changes_nothing() {
    let mut chance = Chance(1);
    for _ in 0..20 {
        let count = 1 + chance.below(12);
        let mut files = named(&many(&mut chance, count));
        if chance.below(2) == 0 {
            files.push(("reports/cut.json".to_owned(), files[0].1[..files[0].1.len() / 2].to_vec()));
        }
        let first = merged(&files, Some(8)).unwrap();
        for _ in 0..5 {
            chance.shuffle(&mut files);
            assert_eq!(merged(&files, Some(8)).unwrap(), first);
        }
    }
}

#[test]
fn copies_are_counted_and_change_nothing_else() {
    let mut chance = Chance(2);
    for _ in 0..20 {
        let count = 1 + chance.below(8);
        let mut files = named(&many(&mut chance, count));
        let once = merged(&files, Some(8)).unwrap();
        let copies = 1 + chance.below(10);
        for number in 0..copies {
            let copied = chance.below(count);
            let text = files[copied].1.clone();
            files.push((format!("reports/z-copy-{number}.json"), text));
        }
        chance.shuffle(&mut files);
        let again = merged(&files, Some(8)).unwrap();
        assert_eq!(again.copies, copies as u64);
        assert_eq!(Fleet { copies: 0, ..again }, once);
    }
}

#[test]
fn the_verdict_is_the_heaviest_of_all() {
    let mut chance = Chance(3);
    let weight = |verdict: Verdict| match verdict {
        Verdict::Rejected => 4,
        Verdict::EnvironmentInvalid => 3,
        Verdict::Infrastructure | Verdict::Running | Verdict::Interrupted => 2,
        Verdict::ApprovedWithMinorCorrections => 1,
        Verdict::Approved => 0,
    };
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..60 {
        let count = 1 + chance.below(5);
        let mut reports = many(&mut chance, count);
        // The differences between cards are judged elsewhere.
        reports.iter_mut().flat_map(|report| &mut report.checks).for_each(|check| check.burn = None);
        let worst = reports.iter().map(|report| weight(report.verdict)).max().unwrap();
        let fleet = fleet(&reports);
        assert_eq!(weight(fleet.verdict), worst, "{:?}", fleet.reasons);
        assert_eq!(fleet.exit_code, fleet.verdict.exit_code());
        assert_eq!(fleet.reports, count as u64);
        seen.insert(worst);
    }
    assert_eq!(seen.len(), 5);
}

#[test]
fn a_report_that_is_cut_off_or_damaged_approves_nothing() {
    let whole = text_of(&report("approved", 1));
    let other = text_of(&report("approved", 2));
    let two = |text: &[u8]| {
        merged(&[("a.json".to_owned(), text.to_vec()), ("b.json".to_owned(), other.clone())], None)
    };
    assert_eq!(two(&whole).unwrap().verdict, Verdict::Approved);
    let mut chance = Chance(4);
    // The last byte is the line feed.
    for _ in 0..300 {
        let end = chance.below(whole.len() - 1);
        let fleet = two(&whole[..end]).unwrap();
        assert_eq!((fleet.verdict, fleet.exit_code), (Verdict::Infrastructure, 6), "{end}");
        assert_eq!((codes(&fleet), fleet.unreadable.len()), (vec!["unreadable"], 1), "{end}");
    }
    for _ in 0..300 {
        let mut text = whole.clone();
        let at = chance.below(text.len());
        text[at] = chance.below(256) as u8;
        // Other text may be a report all the same; what is none approves nothing.
        if let Ok(fleet) = two(&text) {
            assert!(fleet.unreadable.is_empty() || fleet.verdict == Verdict::Infrastructure);
        }
    }
    for text in [
        "",
        " \n",
        "[]",
        "null",
        "{}",
        "{\"schema\": 1, \"tool\": \"gpulint\", \"version\": \"0.1.0\"}",
        "\u{0}",
    ] {
        assert_eq!(two(text.as_bytes()).unwrap().verdict, Verdict::Infrastructure, "{text}");
    }
    let alone = merged(&[("a.json".to_owned(), Vec::new())], None);
    let said = "there is no report to merge: a.json: it is empty";
    assert_eq!(alone.unwrap_err().to_string(), said);
}

#[test]
fn an_earlier_state_of_a_validation_is_left_out_and_another_validation_is_not() {
    let ended = report("approved", 1);
    let mut begun = report("running", 1);
    let both = fleet(&[ended.clone(), begun.clone()]);
    assert_eq!((both.verdict, both.reports, both.copies), (Verdict::Approved, 1, 1));
    begun.started = "2026-01-31T13:00:00Z".to_owned();
    let both = fleet(&[ended, begun]);
    assert_eq!((both.verdict, both.reports, both.copies), (Verdict::Infrastructure, 2, 0));
    assert_eq!(codes(&both), ["not-ended"]);
}

#[test]
fn each_report_of_a_card_counts() {
    let mut again = report("approved", 1);
    again.started = "2026-02-01T12:00:00Z".to_owned();
    let fleet = fleet(&[report("rejected", 1), again]);
    assert_eq!(fleet.verdict, Verdict::Rejected);
    let said = fleet.reasons.iter().find(|reason| reason.code == "validated-again").unwrap();
    assert_eq!(
        said.message,
        "1 card has more than one report, such as node-001.example.org, NVIDIA GeForce RTX 3090 (GPU-30903090…) with 2; \
         each of them counts"
    );
}

#[test]
fn versions_policies_and_plans_are_not_mixed() {
    let refusal = |change: fn(&mut Validation)| {
        let mut reports = vec![report("approved", 1), report("approved", 2), report("approved", 3)];
        change(&mut reports[1]);
        let mut files = named(&reports);
        let refused = merged(&files, None).unwrap_err();
        files.reverse();
        assert_eq!(merged(&files, None).unwrap_err(), refused);
        refused.to_string()
    };
    assert_eq!(
        refusal(|report| report.version = "0.2.0".to_owned()),
        "the reports are of several versions of gpulint: `0.1.0` (2 reports, such as reports/000.json), `0.2.0` (1 report, such \
         as reports/001.json); validate with one version, or merge only those of one"
    );
    assert!(refusal(|report| report.policy = Some("f00".to_owned())).contains("several policies: `676e"));
    assert!(refusal(|report| report.policy = None).contains("`unknown` (1 report"));
    assert!(refusal(|report| report.plan = "lint".to_owned()).contains("different checks: `lint` (1 report"));
    // Also of a version whose reports this one cannot read.
    let mut files = named(&[report("approved", 1)]);
    files.push(("new.json".to_owned(), br#"{"schema": 2, "tool": "gpulint", "version": "3.0.0"}"#.to_vec()));
    assert!(matches!(merged(&files, None), Err(Refusal::Versions(_))));
}

#[test]
fn there_must_be_as_many_cards_as_are_expected() {
    let mut again = report("approved", 2);
    again.started = "2026-02-01T12:00:00Z".to_owned();
    let files = named(&[report("approved", 1), report("approved", 2), again]);
    assert_eq!(merged(&files, Some(2)).unwrap().verdict, Verdict::Approved);
    let fleet = merged(&files, Some(3)).unwrap();
    assert_eq!((codes(&fleet), fleet.exit_code), (vec!["missing-reports"], 6));
    // Machines without a card are told apart by their reports.
    let files = named(&[report("environment", 1), report("environment", 2)]);
    assert_eq!(codes(&merged(&files, Some(2)).unwrap()), ["no-card"]);
}

#[test]
fn the_slow_card_is_named_and_of_two_none() {
    let speeds = [4.5, 4.4, 4.6, 4.5, 3.9];
    let reports: Vec<_> = (0..).zip(speeds).map(|(number, speed)| of_speed(number, speed)).collect();
    let fleet = fleet(&reports);
    assert_eq!(fleet.verdict, Verdict::ApprovedWithMinorCorrections);
    assert_eq!(codes(&fleet), ["slower-than-kind"]);
    assert_eq!(
        fleet.reasons[0].message,
        "node-004.example.org, NVIDIA GeForce RTX 3090 (GPU-30903090…): multiplying is 13 % slower than on the 5 cards of its \
         kind: 3.9 TFLOP/s against 4.5; look at its clocks, cooling, power and slot"
    );
    let [kind] = fleet.kinds.as_slice() else { panic!("{:?}", fleet.kinds) };
    assert_eq!((kind.cards, kind.speeds[0].median, kind.speeds[0].slowest), (5, 4.5, 3.9));
    let two = self::fleet(&[of_speed(1, 4.5), of_speed(2, 3.0)]);
    assert_eq!(two.verdict, Verdict::Approved);
    assert_eq!(two.machines[1].speeds[0].of_kind, Some(3.0 / 3.75));
    let alone = self::fleet(&[of_speed(1, 4.5)]);
    assert_eq!(alone.machines[0].speeds[0].of_kind, None);
}

#[test]
fn speeds_of_other_kinds_and_loads_are_not_compared() {
    let mut reports: Vec<_> = (0..3).map(|number| of_speed(number, 4.5)).collect();
    let mut other_kind = of_speed(3, 1.0);
    other_kind.card.as_mut().unwrap().name = "NVIDIA GeForce RTX 3060".to_owned();
    let mut other_load = of_speed(4, 1.0);
    other_load.checks.iter_mut().filter_map(|check| check.burn.as_mut()).for_each(|burn| burn.side = 4096);
    reports.extend([other_kind, other_load]);
    let fleet = fleet(&reports);
    assert_eq!(fleet.verdict, Verdict::Approved);
    let names: Vec<_> = fleet.kinds.iter().map(|kind| (kind.name.as_str(), kind.cards)).collect();
    assert_eq!(names, [("NVIDIA GeForce RTX 3060", 1), ("NVIDIA GeForce RTX 3090", 4)]);
    // Slices of a card are of one kind when they have one size.
    let slices = [(1u64, 10u64), (2, 10), (3, 20)].map(|(number, gib)| {
        let mut slice = report("approved", number);
        let card = slice.card.as_mut().unwrap();
        (card.uuid, card.memory) = (format!("MIG-0000000{number}"), gib << 30);
        slice
    });
    assert_eq!(self::fleet(&slices).kinds.len(), 2);
}

#[test]
fn other_drivers_and_less_memory_are_named() {
    let mut reports: Vec<_> = (0..4).map(|number| report("approved", number)).collect();
    reports[3].card.as_mut().unwrap().memory = 12 << 30;
    reports[2].driver = Some("570.86.15".to_owned());
    let fleet = fleet(&reports);
    assert_eq!(codes(&fleet), ["memory-differs"]);
    let differences = |at: usize| {
        fleet.machines[at].differences.iter().map(|reason| reason.code.as_str()).collect::<Vec<_>>()
    };
    assert_eq!((differences(2), differences(3)), (vec!["driver-differs"], vec!["memory-differs"]));
    assert_eq!(fleet.kinds[0].drivers.len(), 2);
}

#[test]
fn a_report_that_contradicts_itself_approves_nothing() {
    let mut forged = report("rejected", 1);
    forged.verdict = Verdict::Approved;
    assert_eq!(codes(&fleet(std::slice::from_ref(&forged))), ["leak", "contradiction"]);
    forged.reasons.clear();
    assert_eq!(codes(&fleet(std::slice::from_ref(&forged))), ["contradiction"]);
    forged.checks.clear();
    assert_eq!(fleet(&[forged]).verdict, Verdict::Infrastructure);
    let mut silent = report("rejected", 1);
    silent.reasons.clear();
    let fleet = fleet(&[silent]);
    assert_eq!((codes(&fleet), fleet.verdict), (vec!["no-reason"], Verdict::Rejected));
}

#[test]
fn of_a_long_report_little_is_kept() {
    let mut long = report("rejected", 1);
    let reason = long.reasons[0].clone();
    long.reasons = (0..5000)
        .map(|number| {
            let message = format!("{number:05} {}", "x".repeat(10_000));
            crate::runtime::validation::document::Reason {
                message,
                code: format!("code-{number}"),
                ..reason.clone()
            }
        })
        .collect();
    long.host = Some("h".repeat(1 << 20));
    let fleet = fleet(&[long]);
    assert_eq!(fleet.machines[0].more_reasons, 4980);
    let text = render(&fleet, Format::Json).unwrap();
    assert!(text.len() < 100_000, "{}", text.len());
}

/// With everything in it that a page can show.
fn sample() -> Fleet {
    let mut reports: Vec<_> =
        (0..).zip([4.5, 4.4, 3.0, 4.6]).map(|(number, speed)| of_speed(number, speed)).collect();
    reports[1].driver = Some("570.86.15".to_owned());
    reports.extend([report("rejected", 10), report("environment", 11), report("running", 12)]);
    let mut files = named(&reports);
    files.push(("reports/copy.json".to_owned(), files[0].1.clone()));
    files.push(("reports/cut.json".to_owned(), files[0].1[..100].to_vec()));
    merged(&files, Some(9)).unwrap()
}

#[test]
fn every_form_is_as_it_was() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/snapshots/fleet");
    let forms = [
        ("txt", Format::Text),
        ("md", Format::Markdown),
        ("html", Format::Html),
        ("xml", Format::Junit),
        ("prom", Format::Prometheus),
        ("json", Format::Json),
    ];
    for (end, format) in forms {
        let actual = render(&sample(), format).unwrap();
        let path = folder.join(format!("merged.{end}"));
        if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, &actual).unwrap();
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
        assert!(expected == actual, "{} differs. Now:\n{actual}", path.display());
    }
}

#[test]
fn what_others_wrote_is_only_text() {
    let hostile = hostile();
    let files = [("a<b>|`c`.json".to_owned(), text_of(&hostile)), ("<script>.json".to_owned(), Vec::new())];
    let fleet = merged(&files, None).unwrap();
    for format in Format::value_variants() {
        let page = render(&fleet, *format).unwrap();
        assert!(page.ends_with('\n'), "{format:?}");
        let for_programs = matches!(format, Format::Json | Format::Prometheus);
        assert!(for_programs || !page.contains('\u{1b}'), "{format:?}");
        if matches!(format, Format::Html | Format::Markdown | Format::Junit) {
            assert!(!page.contains("<script"), "{format:?}: {page}");
            assert!(*format != Format::Markdown || !page.contains("![x]"), "{page}");
        }
    }
    for fleet in [fleet, sample()] {
        let faults = faults(&render(&fleet, Format::Prometheus).unwrap());
        assert!(faults.is_empty(), "{faults:?}");
        let xml = render(&fleet, Format::Junit).unwrap();
        let mut reader = quick_xml::Reader::from_str(&xml);
        while reader.read_event().unwrap() != quick_xml::events::Event::Eof {}
    }
}

#[test]
fn a_page_fits_into_the_summary_of_a_job() {
    let reports: Vec<_> = (0..6000).map(|number| report("corrections", number)).collect();
    let page = render(&fleet(&reports), Format::Markdown).unwrap();
    assert!(page.len() <= 1000 << 10, "{}", page.len());
    assert!(page.contains("rows are left out"), "{}", &page[page.len() - 300..]);
}

#[test]
fn the_schema_is_fresh_and_kept_to() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../gpulint-fleet.schema.json");
    if std::env::var_os("GPULINT_UPDATE").is_some() {
        std::fs::write(&file, Fleet::schema_text()).unwrap();
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default().replace("\r\n", "\n");
    assert!(
        committed == Fleet::schema_text(),
        "gpulint-fleet.schema.json is not what the types say; run `GPULINT_UPDATE=1 cargo test --lib fleet` and commit it"
    );
    let schema = serde_json::from_str(&Fleet::schema_text()).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let text = render(&sample(), Format::Json).unwrap();
    let faults: Vec<String> =
        schema.iter_errors(&serde_json::from_str(&text).unwrap()).map(|fault| fault.to_string()).collect();
    assert!(faults.is_empty(), "{faults:?}");
    assert_eq!(serde_json::from_str::<Fleet>(&text).unwrap(), sample());
}
