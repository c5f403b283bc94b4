//! Fixes on generated programs, with comments, blanks and line ends in odd places: nothing but what a fix is about changes.
//!
//! The programs come from numbers that are always the same, so a failure names the program that fails.

use gpulint::check;
use gpulint::facts::FileId;
use gpulint::findings::Severity;
use gpulint::fix_loop::{FixSelection, FixedProject, apply_until_stable};
use gpulint::policy::Policy;
use gpulint::rules::RuleSet;
use gpulint::settings::Settings;
use gpulint::sources::{Language, Source, Sources};
use std::fmt::Write;

/// The rule whose fix only puts something in.
const NOT_CALLED: &str = "availability-check-not-called";

/// Numbers that look as if by chance (xorshift64*).
struct Chance(u64);

impl Chance {
    fn of(seed: u64) -> Chance {
        Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % end
    }

    fn one_of<'t>(&mut self, all: &[&'t str]) -> &'t str {
        all[self.below(all.len())]
    }

    /// True once in so many times.
    fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

/// A program that grows.
struct Program {
    chance: Chance,
    text: String,
    indent: &'static str,
    newline: &'static str,
    comments: usize,
}

impl Program {
    fn of(seed: u64, heads: &[&str]) -> Program {
        let mut chance = Chance::of(seed);
        let indent = chance.one_of(&["    ", "\t", "  ", "   "]);
        let newline = chance.one_of(&["\n", "\n", "\r\n"]);
        let mut program = Program { chance, text: String::new(), indent, newline, comments: 0 };
        if program.chance.once_in(6) {
            program.text.push('\u{feff}');
        }
        if program.chance.once_in(4) {
            program.line(0, "#!/usr/bin/env python3");
        }
        if program.chance.once_in(3) {
            program.line(0, "\"\"\"What it is for. if torch.cuda.is_available: # no comment");
            program.line(2, "Indented, with ``` and a tab\there.");
            program.line(0, "\"\"\"");
        }
        let head = heads[program.chance.below(heads.len())];
        for line in head.lines() {
            program.line(0, line);
        }
        program.suite(0, 3);
        if program.chance.once_in(4) {
            let end = program.text.trim_end().len();
            program.text.truncate(end);
        }
        program
    }

    /// A comment of which there is no other.
    fn comment(&mut self) -> String {
        self.comments += 1;
        let words = self.chance.one_of(&[
            "why",
            "é🚀",
            "is_available:",
            "type: ignore",
            "\"'''",
            "a  b",
            "noqa: E501",
        ]);
        format!("# {} {words}", self.comments)
    }

    /// A line, with a comment behind it now and then.
    fn line(&mut self, depth: usize, text: &str) {
        let blanks = self.indent.repeat(depth);
        let is_open = text.ends_with('\\') || text.contains("\"\"\"") || text.starts_with("Indented");
        let comment = if !is_open && self.chance.once_in(3) {
            let gap = self.chance.one_of(&["  ", " ", "", "\t"]);
            format!("{gap}{}", self.comment())
        } else {
            String::new()
        };
        let _ = write!(self.text, "{blanks}{text}{comment}{}", self.newline);
        if !is_open && self.chance.once_in(6) {
            let depth = self.chance.below(4);
            let (blanks, comment) = (self.indent.repeat(depth), self.comment());
            let _ = write!(self.text, "{blanks}{comment}{0}{0}", self.newline);
        }
    }

    fn suite(&mut self, depth: usize, most_below: usize) {
        for _ in 0..=self.chance.below(4) {
            self.statement(depth, most_below);
        }
        // Whatever was left out above, a suite is never empty.
        let end = self.chance.one_of(&["pass", "...", "x = 1", "\"text\""]);
        self.line(depth, end);
    }

    /// A question about a GPU, in the wrong way or the right one.
    fn check(&mut self) -> String {
        let name = self.chance.one_of(&[
            "torch.cuda.is_available",
            "torch.cuda . is_available",
            "torch.backends.mps.is_available",
            "torch.distributed.is_initialized",
            "(torch.cuda.is_available)",
        ]);
        let call = if self.chance.once_in(3) { "()" } else { "" };
        format!("{name}{call}")
    }

    fn condition(&mut self) -> String {
        let check = self.check();
        match self.chance.below(8) {
            0 => format!("not {check}"),
            1 => format!("{check} and (y := {})", self.chance.below(9)),
            2 => format!("(z := 1) or {check}"),
            3 => format!("({check}{} and x)", self.newline),
            4 => format!("[{check} for _ in ()] or {check}"),
            _ => check,
        }
    }

    fn statement(&mut self, depth: usize, most_below: usize) {
        let condition = self.condition();
        let number = self.chance.below(10);
        let kinds = if most_below == 0 { 9 } else { 18 };
        match self.chance.below(kinds) {
            0 => self.line(depth, &format!("x = 1; y = 2 if {condition} else 3; z = x")),
            1 => self.line(depth, &format!("if {condition}: x = {number}; pass")),
            2 => self.line(depth, &format!("assert {condition}, f\"{{x}} {{ {number} }}\"")),
            3 => self.line(depth, &format!("x = [a for a in range({number}) if {condition}]")),
            4 => {
                let newline = self.newline;
                let comment = self.comment();
                self.line(
                    depth,
                    &format!("x = ({comment}{newline}{newline}  1 if {condition}{newline} else 2{newline})"),
                );
            }
            5 => self.line(depth, &format!("x = lambda: 1 if {condition} else 2")),
            6 => {
                self.line(depth, "x = \\");
                self.line(depth + 2, &format!("1 if {condition} else 2"));
            }
            7 => self.line(depth, &format!("while {condition}: break")),
            8 => self.line(depth, &format!("x = \"torch.cuda.is_available\" + 'a#{number}' + r'\\d'")),
            9 => self.block(depth, most_below, &format!("if {condition}:")),
            10 => {
                self.block(depth, most_below, &format!("if x == {number}:"));
                self.block(depth, most_below, &format!("elif {condition}:"));
                self.block(depth, most_below, "else:");
            }
            11 => {
                self.line(depth, "@staticmethod");
                self.block(depth, most_below, &format!("def f{number}(a, *, b={number}) -> int:"));
            }
            12 => self.block(depth, most_below, &format!("class C{number}(object):")),
            13 => {
                self.line(depth, &format!("match x, {number}:"));
                self.block(depth + 1, most_below, &format!("case (1, _) if {condition}:"));
                self.block(depth + 1, most_below, "case _:");
            }
            14 => {
                self.block(depth, most_below, "try:");
                self.block(depth, most_below, "except (OSError, ValueError) as error:");
                self.block(depth, most_below, "finally:");
            }
            15 => self.block(depth, most_below, "with open('f') as f, open('g'):"),
            16 => self.block(depth, most_below, &format!("for a in range({number}):")),
            _ => self.block(depth, most_below, &format!("while {condition} and x:")),
        }
    }

    fn block(&mut self, depth: usize, most_below: usize, head: &str) {
        self.line(depth, head);
        self.suite(depth + 1, most_below.saturating_sub(1));
    }
}

/// The program of a seed as the only file of a project.
fn sources(text: &str) -> Sources {
    let source = Source::new(None, "program.py".to_owned(), Language::Python, text.to_owned());
    Sources { files: vec![source], ..Sources::default() }
}

fn settled(sources: &Sources, settings: &Settings, risky: bool) -> FixedProject {
    let rules = RuleSet::embedded();
    let outcome = check(sources, settings, rules).expect("known rules");
    assert!(outcome.skipped.is_empty(), "{:?}\n{}", outcome.skipped, sources.files[0].text);
    let wanted = FixSelection { risky, least: Severity::Note, fixable: None };
    let content_of = |source: &Source| Some(source.text.clone());
    apply_until_stable(sources, &outcome, wanted, (settings, rules), &content_of).expect("known rules")
}

/// Each comment once: they are numbered.
fn comments(text: &str) -> Vec<&str> {
    let starts = text
        .match_indices("# ")
        .filter(|(at, mark)| text[at + mark.len()..].starts_with(|c: char| c.is_ascii_digit()));
    starts.map(|(at, _)| text[at..].lines().next().unwrap_or_default().trim_end_matches('\r')).collect()
}

/// What holds of all fixes: the result is Python, has all comments in their order, and is not fixed again.
fn holds(seed: u64, text: &str, settings: &Settings, risky: bool) -> FixedProject {
    let project = sources(text);
    let once = settled(&project, settings, risky);
    let fixed = once.sources.files[0].text.as_str();
    let shown = || format!("seed {seed}\n-- before\n{text}\n-- after\n{fixed}");
    assert_eq!(once.files.get(&FileId(0)).map_or(text, String::as_str), fixed, "{}", shown());
    assert!(once.outcome.skipped.is_empty(), "it is no longer Python: {}", shown());
    assert_eq!(comments(text), comments(fixed), "{}", shown());
    assert!(once.is_final, "{}", shown());
    assert_eq!(text.contains("\r\n"), fixed.contains("\r\n"), "{}", shown());
    assert_eq!(
        fixed.matches('\n').count() == fixed.matches("\r\n").count(),
        text.contains("\r\n"),
        "{}",
        shown()
    );
    let again = settled(&once.sources, settings, risky);
    assert!(again.files.is_empty(), "a second run changes\n{}{}", again.files[&FileId(0)], shown());
    once
}

#[test]
fn calls_are_put_in_and_nothing_else_changes() {
    let settings = Settings { select: vec![NOT_CALLED.to_owned()], ..Settings::default() };
    let mut mended = 0;
    for seed in 1..=60 {
        let program = Program::of(seed, &["import torch"]);
        let once = holds(seed, &program.text, &settings, true);
        let fixed = &once.sources.files[0].text;
        // What stands in the result and not in the program is one pair of parentheses for each fix.
        let mut old = program.text.chars().peekable();
        let put_in: String = fixed.chars().filter(|c| old.next_if_eq(c).is_none()).collect();
        assert_eq!(old.next(), None, "seed {seed}\n{}\n{fixed}", program.text);
        assert_eq!(put_in, "()".repeat(once.applied.len()), "seed {seed}\n{}\n{fixed}", program.text);
        mended += once.applied.len();
    }
    assert!(mended > 200, "the programs have {mended} faults that can be mended");
}

#[test]
fn all_fixes_together_leave_programs_whole() {
    let heads = [
        "import os\nos.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"\nimport torch\ntorch.zeros(1, device=\"cuda:1\")",
        "import os, sys\nos.environ['CUDA_VISIBLE_DEVICES'] = 1\nimport torch; torch.cuda.init()",
        "from __future__ import annotations\nimport torch\nmodel = torch.nn.Linear(2, 2).cuda()",
        "import torch\nimport os; os.environ['CUDA_VISIBLE_DEVICES'] = '0'; torch.cuda.empty_cache()",
        "import gc\nimport torch\ntorch.cuda.empty_cache()\ngc.collect()\ntorch.cuda.memory_cached()",
    ];
    let policy = "gpu: {visible-devices: \"1\", device-order: PCI_BUS_ID, device: \"cuda:0\"}\n";
    let policy: Policy = serde_yaml::from_str(policy).expect("a policy");
    let with_policy = Settings { policy_file: Some("gpulint.yaml".into()), policy, ..Settings::default() };
    for seed in 1_000..1_024 {
        let program = Program::of(seed, &heads);
        let settings = if seed % 2 == 0 { &with_policy } else { &Settings::default() };
        holds(seed, &program.text, settings, seed % 3 != 0);
    }
}

#[test]
fn a_file_that_changed_meanwhile_is_left_alone() {
    let text = "import torch\nassert torch.cuda.is_available\n";
    let (project, rules) = (sources(text), RuleSet::embedded());
    let settings = Settings { select: vec![NOT_CALLED.to_owned()], ..Settings::default() };
    let outcome = check(&project, &settings, rules).expect("known rules");
    let wanted = FixSelection { risky: true, least: Severity::Note, fixable: None };
    for content in [None, Some("import torch\n".to_owned())] {
        let content_of = |_: &Source| content.clone();
        let settled = apply_until_stable(&project, &outcome, wanted, (&settings, rules), &content_of)
            .expect("known rules");
        assert!(settled.files.is_empty() && settled.applied.is_empty());
        let reason = "the file is gone, changed since it was checked, or is not written in UTF-8";
        assert_eq!(settled.dropped[0].reason, reason);
        assert_eq!(settled.outcome.findings[0].unfixed.as_deref(), Some(reason));
        assert_eq!(settled.outcome.findings[0].fix, None);
    }
}
