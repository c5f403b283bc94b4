//! What people and programs see: every format against the text in `tests/snapshots/`, and source
//! text that is hostile or odd.
//!
//! `UPDATE_SNAPSHOTS=1 cargo test --test library report` writes the snapshots anew; read the diff.

mod corrections;
mod formats;
mod limits;

use clap::ValueEnum;
use gpulint::facts::{FileId, Place, Span};
use gpulint::findings::{Edit, Finding, Fix, Related, RelativeTime, Safety, Severity, Status};
use gpulint::report::{Format, Report, ShownOn, render, summary_line};
use gpulint::rules::RuleSet;
use gpulint::sources::{Language, Skipped, Source, Sources};

const TRAIN: &str = "\
import os
os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"


import torch
from app import model

device = \"cuda:1\"  # gpulint: ignore[device-not-allowed] second card
torch.zeros(1, device=device)
";

const MODEL: &str = "\
import torch


def load():
    return torch.load(
        \"weights.pt\",
    )
";

#[test]
fn every_format() {
    let (sources, findings) = example();
    let skipped = skipped();
    for format in Format::value_variants() {
        let text = rendered(&report(&sources, &findings, &skipped), *format);
        assert_eq!(text, rendered(&report(&sources, &findings, &skipped), *format), "{format:?}");
        check(&format!("{format:?}").to_lowercase(), &text);
    }
    let coloured = Report { colour: true, ..report(&sources, &findings, &skipped) };
    // The palette on Windows is another one.
    if cfg!(not(windows)) {
        check("text-coloured", &rendered(&coloured, Format::Text));
        check("concise-coloured", &rendered(&coloured, Format::Concise));
    }
}

#[test]
fn min_severity_decides_what_is_shown() {
    let (sources, findings) = example();
    let all = Report { min_severity: Severity::Note, ..report(&sources, &findings, &[]) };
    // Four findings and the summary; the suppressed one is for programs only.
    assert_eq!(rendered(&all, Format::Concise).lines().count(), 5);
    assert_eq!(rendered(&all, Format::Json).matches("\"fingerprint\"").count(), 5);
    let errors = Report { min_severity: Severity::Error, ..report(&sources, &findings, &[]) };
    assert_eq!(rendered(&errors, Format::Github).lines().count(), 1);
}

#[test]
fn annotations_name_files_from_the_top_of_the_repository() {
    for (below_repository, name, expected) in [
        ("", "b.py", "b.py"),
        ("", "../b.py", "../b.py"),
        ("app/", "b.py", "app/b.py"),
        ("deep/app/", "a/b.py", "deep/app/a/b.py"),
        ("deep/app/", "../b.py", "deep/b.py"),
        ("deep/app/", "../../b.py", "b.py"),
        ("app/", "../../b.py", "../b.py"),
    ] {
        let sources = sources(&[(name, "import torch\n")]);
        let findings = [finding(&sources, "missing-visible-devices", name, "import torch")];
        let report = Report { below_repository, ..report(&sources, &findings, &[]) };
        let text = rendered(&report, Format::Github);
        assert!(text.contains(&format!(",file={expected},line=1,")), "{text}");
        assert!(rendered(&report, Format::Concise).starts_with(&format!("{name}:1:")));
    }
}

#[test]
fn a_long_chain_becomes_a_list() {
    let sources = sources(&[("a.py", "import b\n"), ("b.py", &"import c\n".repeat(99))]);
    let related = |line: u32| Related {
        place: Place { file: FileId(1), span: Span::new(line as usize * 9, line as usize * 9 + 8) },
        message: format!("step {line}"),
        moment: RelativeTime::After,
    };
    let mut finding = finding(&sources, "gpu-import-reached", "a.py", "import b");
    finding.related = (0..6).map(related).collect();
    check("chain", &text_of(&sources, vec![finding.clone()]));
    finding.related = (0..60).map(related).collect();
    check("chain-long", &text_of(&sources, vec![finding]));
}

#[test]
fn odd_source_text_points_right() {
    let cases = [
        ("tabs", "if x:\n\t\tos.environ[\t'A'] = 1\n", "'A'"),
        ("crlf", "import os\r\nimport torch\r\n", "import torch\r\n"),
        ("bom", "\u{feff}import torch\n", "import torch"),
        ("bom-inside-place", "\u{feff}import torch\n", "\u{feff}import torch"),
        ("wide", "a = '日本🙂'; torch.cuda.init()\n", "torch.cuda.init()"),
        ("form-feed", "\x0cimport os; import torch\n", "import torch"),
        ("escape", "x = '\x1b[2J\u{202e}'; import torch\n", "import torch"),
        ("several-lines", "f(\n    1,\n    2,\n)\n", "f(\n    1,\n    2,\n)"),
        ("many-lines", "f(\n1,\n2,\n3,\n4,\n5,\n6,\n7,\n)\n", "f(\n1,\n2,\n3,\n4,\n5,\n6,\n7,\n)"),
        ("deep", &format!("{}import torch\n", " ".repeat(60)), "import torch"),
        (
            "wider-than-the-screen",
            &format!("x = [{}, torch.f(), {}]\n", "1, ".repeat(60), "2, ".repeat(60)),
            "torch.f()",
        ),
    ];
    let mut text = String::new();
    for (name, source, needle) in cases {
        let sources = sources(&[("a.py", source)]);
        let finding = finding(&sources, "a-rule", "a.py", needle);
        text.push_str(&format!("## {name}\n{}\n", text_of(&sources, vec![finding])));
    }
    check("odd", &text);
}

#[test]
fn places_at_the_ends_of_files() {
    let mut text = String::new();
    for (source, at) in
        [("", 0), ("x\n", 2), ("x", 1), ("x\n\n\n", 4), ("é", 2), ("x\r\n", 2), ("\u{feff}", 0)]
    {
        let sources = sources(&[("a.py", source)]);
        let mut finding = finding(&sources, "a-rule", "a.py", "");
        finding.place.span = Span::new(at, at);
        text.push_str(&format!("## {source:?} at {at}\n{}\n", text_of(&sources, vec![finding])));
    }
    check("ends", &text);
}

#[test]
fn a_minified_line_does_not_flood() {
    let line = format!("{};import torch;{}\n", "x=1;".repeat(100_000), "y=2;".repeat(100_000));
    let sources = sources(&[("min.py", &line), ("a.py", "import min\n")]);
    let minified = finding(&sources, "a-rule", "min.py", "import torch");
    let mut leads_there = finding(&sources, "a-rule", "a.py", "import min");
    leads_there.related = vec![beside(minified.place, "imported here")];
    check("minified", &text_of(&sources, vec![minified, leads_there]));
}

#[test]
fn lines_that_no_place_touches_are_not_shown() {
    let sources = sources(&[(".env", "CUDA_VISIBLE_DEVICES=1\nTOKEN=secret\nCUDA_VISIBLE_DEVICES=0\n")]);
    let mut finding = finding(&sources, "conflicting-pins", ".env", "CUDA_VISIBLE_DEVICES=0");
    let first = Place { file: FileId(0), span: Span::new(0, 22) };
    finding.related = vec![beside(first, "set first here")];
    let text = text_of(&sources, vec![finding]);
    assert!(text.contains("set first here") && !text.contains("secret"), "{text}");
}

/// Places anywhere in texts of awkward pieces: nothing panics and nothing reaches the terminal raw.
#[test]
fn any_place_in_any_text() {
    let long = "x ".repeat(90);
    let pieces = [
        "a", " ", "\t", "\n", "\n", "\r\n", "\r", "日", "🙂", "\u{200d}", "e\u{301}", "\u{feff}", "\x0c",
        "\x1b[0m", "\u{9b}", "\u{202e}", "(", "#", "\u{2028}", "\u{85}", &long,
    ];
    let mut seed = 7_u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    for round in 0..3000 {
        let text: String = (0..random(40)).map(|_| pieces[random(pieces.len())]).collect();
        let sources = sources(&[("a.py", &text)]);
        let mut place = || {
            let (a, b) = (random(text.len() + 1), random(text.len() + 1));
            let span = Span::new(text.floor_char_boundary(a.min(b)), text.floor_char_boundary(a.max(b)));
            Place { file: FileId(0), span }
        };
        let mut finding = finding(&sources, "a-rule", "a.py", "");
        finding.place = place();
        finding.related = (0..3).map(|_| beside(place(), "here")).collect();
        let every_format = if round % 10 == 0 { Format::value_variants() } else { &[Format::Text] };
        for format in every_format {
            let text = rendered(&report(&sources, std::slice::from_ref(&finding), &[]), *format);
            // In the page a tab is one.
            let may_be = |c| c == '\n' || (c == '\t' && *format == Format::Html);
            assert!(text.chars().all(|c| may_be(c) || !c.is_control()), "{format:?}: {text:?}");
        }
    }
}

#[test]
fn file_names_and_messages_cannot_steer_the_terminal() {
    let sources = sources(&[("a\x1b[31m,\r\n:%.py", "import torch\n")]);
    let mut finding = finding(&sources, "a-rule", "a\x1b[31m,\r\n:%.py", "import torch");
    finding.message = "100 % of\n\x1b]0;title\x07this".to_owned();
    let mut text = String::new();
    for format in [Format::Text, Format::Concise, Format::Github] {
        let one = std::slice::from_ref(&finding);
        text.push_str(&rendered(&report(&sources, one, &[]), format));
    }
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
    check("hostile-names", &text);
}

#[test]
fn summaries() {
    let (sources, mut findings) = example();
    let summary = |report: &Report| summary_line(report);
    let none = Report { has_policy: true, checked: 1, ..report(&sources, &[], &[]) };
    assert_eq!(summary(&none), "Checked 1 file: no findings.");
    let none = Report { has_policy: true, checked: 12, ..report(&sources, &[], &[]) };
    assert_eq!(summary(&none), "Checked 12 files: no findings.");

    let hiding = Report { min_severity: Severity::Error, ..report(&sources, &findings, &[]) };
    assert_eq!(
        summary(&hiding),
        "Checked 12 files: 1 error (1 warning and 2 notes hidden, which fail the run, see them with \
         --min-severity note; 1 suppressed). 1 can be fixed with `--fix`. No policy says which GPU is \
         right: `gpulint init` writes one."
    );
    findings.retain(|finding| finding.severity == Severity::Note);
    findings.truncate(1);
    let notes = Report { has_policy: true, ..report(&sources, &findings, &[]) };
    assert_eq!(
        summary(&notes),
        "Checked 12 files: no errors or warnings (1 note hidden, see it with --min-severity note)."
    );
}

#[test]
fn a_fingerprint_survives_moved_lines_and_tells_equal_ones_apart() {
    let prints = |text: &str| {
        let sources = sources(&[("a.py", text)]);
        let findings: Vec<Finding> = text
            .match_indices("import torch")
            .map(|(at, found)| {
                let mut finding = finding(&sources, "a-rule", "a.py", found);
                finding.place.span = Span::new(at, at + found.len());
                finding
            })
            .collect();
        gpulint::findings::fingerprint::fingerprints(&findings, &sources)
    };
    let before = prints("import torch\nif x:\n    import torch\n");
    let after = prints("\u{feff}# a comment\r\nimport torch\r\nif x:\r\n\timport torch\r\n");
    assert_eq!(before, after);
    assert_ne!(before[0], before[1]);
    // Stored baselines hold these: a change here breaks them.
    assert_eq!(before, ["facd1d183c3ff71a", "9ac7c9209275b3ab"]);
}

/// Two files with one finding of each severity, one of them with a fix, and one that is suppressed.
fn example() -> (Sources, Vec<Finding>) {
    let sources = sources(&[("app/model.py", MODEL), ("train.py", TRAIN)]);
    let place_of = |file: &str, text: &str| finding(&sources, "", file, text).place;
    let mut order =
        finding(&sources, "missing-device-order", "train.py", "os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"");
    order.severity = Severity::Error;
    order.message = "CUDA_VISIBLE_DEVICES is an index and nothing fixes the order of the GPUs".to_owned();
    order.advice = Some("Set CUDA_DEVICE_ORDER to PCI_BUS_ID first.".to_owned());
    order.related = vec![
        Related {
            moment: RelativeTime::After,
            ..beside(place_of("train.py", "import torch"), "a GPU library is imported here")
        },
        Related {
            moment: RelativeTime::After,
            ..beside(place_of("app/model.py", "torch.load"), "CUDA is initialised here")
        },
    ];
    let before = Place { span: Span { end: order.place.span.start, ..order.place.span }, ..order.place };
    let line = "os.environ[\"CUDA_DEVICE_ORDER\"] = \"PCI_BUS_ID\"\n".to_owned();
    order.fix = Some(Fix {
        title: "Set CUDA_DEVICE_ORDER before".to_owned(),
        safety: Safety::Safe,
        edits: vec![Edit { place: before, text: line }],
    });
    let mut suppressed = finding(&sources, "device-not-allowed", "train.py", "\"cuda:1\"");
    suppressed.status = Status::Suppressed;
    let load = finding(
        &sources,
        "load-without-map-location",
        "app/model.py",
        "torch.load(\n        \"weights.pt\",\n    )",
    );
    let mut late = finding(&sources, "cuda-query-at-import", "app/model.py", "import torch");
    late.severity = Severity::Note;
    let mut another = finding(&sources, "bare-cuda", "train.py", "torch.zeros");
    another.severity = Severity::Note;
    (sources, vec![late, load, order, suppressed, another])
}

fn skipped() -> Vec<Skipped> {
    vec![Skipped { path: "old/latin1.py".to_owned(), reason: "not valid UTF-8".to_owned() }]
}

fn sources(files: &[(&str, &str)]) -> Sources {
    let source = |(name, text): &(&str, &str)| {
        Source::new(None, (*name).to_owned(), Language::Python, (*text).to_owned())
    };
    Sources { files: files.iter().map(source).collect(), ..Sources::default() }
}

/// A warning at the first place where `file` says `text`.
fn finding(sources: &Sources, rule: &str, file: &str, text: &str) -> Finding {
    let at = sources.files.iter().position(|source| source.name == file).expect("the file is there");
    let start = sources.files[at].text.find(text).expect("the text is there");
    let place = Place { file: FileId(at as u32), span: Span::new(start, start + text.len()) };
    Finding::new((rule, "pinning"), Severity::Warning, place, format!("what {rule} says"))
}

fn beside(place: Place, message: &str) -> Related {
    Related { place, message: message.to_owned(), moment: RelativeTime::Unordered }
}

fn report<'a>(sources: &'a Sources, findings: &'a [Finding], skipped: &'a [Skipped]) -> Report<'a> {
    Report {
        sources,
        rules: RuleSet::embedded(),
        findings,
        checked: 12,
        skipped,
        unfinished: &[],
        min_severity: Severity::Warning,
        has_policy: false,
        fail_on: Severity::Warning,
        colour: false,
        shown_on: ShownOn::Paper,
        is_quiet: false,
        below_repository: "",
        on_github: false,
        corrections: None,
        fixed: None,
    }
}

fn rendered(report: &Report, format: Format) -> String {
    let mut out = vec![];
    render(report, format, &mut out).expect("writing to memory works");
    String::from_utf8(out).expect("a report is UTF-8")
}

/// The findings as text, without the summary.
fn text_of(sources: &Sources, findings: Vec<Finding>) -> String {
    let text = rendered(&report(sources, &findings, &[]), Format::Text);
    text.split("Checked 12").next().unwrap_or_default().trim_end().to_owned() + "\n"
}

fn check(name: &str, actual: &str) {
    let path =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(format!("{name}.txt"));
    let actual = actual.replace(&format!("\"{}\"", env!("CARGO_PKG_VERSION")), "\"VERSION\"");
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&path, &actual).expect("the snapshot can be written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == actual, "{} differs. Now:\n{actual}", path.display());
}
