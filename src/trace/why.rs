//! `gpulint why`: what is reported at a line, or why nothing is, over all programs and launchers that come to it.

use super::{describe, started};
use crate::facts::{FileId, Place};
use crate::findings::{Finding, Status};
use crate::program::trace::{Event, EventKind, Trace};
use crate::program::{Definition, MASK, ORDER, Program, ProgramFinding, Reaching, Start};
use crate::report::{concealed, printable};
use crate::rules::decided::why_silent;
use crate::rules::wording::in_force;
use crate::rules::{PolicyRulings, RuleSet, Scope, ScopeKind};
use crate::settings::Settings;
use crate::sources::Sources;
use rustc_hash::FxHashSet;
use std::io::{self, Write};

/// So many ways to the line are told whole; of the others it is only said how many there are.
const TOLD: usize = 5;
/// So many of the things are named to which a line only leads.
const LEADS: usize = 3;

/// What a check of the project found, with the rules that it looked for.
pub struct Checked<'a> {
    pub findings: &'a [Finding],
    pub ran: &'a [String],
}

/// A line of a file of the project.
#[derive(Clone, Copy)]
pub struct Line {
    pub file: FileId,
    /// Of a notebook, 1-based.
    pub cell: Option<u32>,
    /// 1-based; in the cell of a notebook.
    pub number: u32,
}

impl Line {
    fn holds(self, sources: &Sources, place: Place) -> bool {
        let position = sources.position(place);
        place.file == self.file
            && (self.cell.is_none() || position.cell == self.cell)
            && (position.line..=position.end_line.max(position.line)).contains(&self.number)
    }

    /// What stands there, as reports show it; `place` is one that covers it.
    fn text(self, sources: &Sources, place: Place) -> String {
        let source = sources.file(place.file);
        // In a notebook lines are counted from the top of a cell.
        let above = sources.position(place).line;
        let number = source.line_column(place.span.start).0 + self.number.saturating_sub(above);
        printable(concealed(source, source.line_text(number)).trim()).into_owned()
    }

    fn name(self, sources: &Sources) -> String {
        format!("{}:{}", printable(&sources.file(self.file).name_with_cell(self.cell)), self.number)
    }
}

/// One program that comes to the line, as it is started once.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct ProgramWay {
    /// "train.py, started by run.sh:3"
    program: String,
    /// The imports and calls that lead to the line.
    chain: Vec<String>,
    /// What happens there.
    happens: Vec<String>,
    environment: Vec<String>,
    /// Rules that look for what happens there, with what keeps each from speaking.
    silent: Vec<(String, String)>,
}

impl ProgramFinding for ProgramWay {
    fn places(&self) -> Vec<Place> {
        Vec::new()
    }

    fn shown_by(&mut self, _: FileId) {}
}

/// Tells why `checked` is what it is at the line.
///
/// # Errors
/// Only those of `out`.
pub fn tell(
    sources: &Sources,
    settings: &Settings,
    rules: &RuleSet,
    line: Line,
    checked: &Checked<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Ok(governed) = PolicyRulings::of(settings, rules, sources) else { return Ok(()) };
    let options = governed.options(sources);
    let (mut program, _) = crate::program_of(sources, settings, options, rules, None);
    let here = |finding: &&Finding| line.holds(sources, finding.place);
    let reported: Vec<&Finding> = checked.findings.iter().filter(here).collect();
    let spoken: FxHashSet<&str> = reported.iter().map(|finding| finding.rule.as_str()).collect();
    let judge = |program: &Program<'_>, trace: &Trace, start: Start| {
        let ruling = governed.at(trace.entry.unwrap_or(FileId(0)));
        let scope = Scope::new(program, (ruling.policy, ruling.cpu.as_ref()), trace, ScopeKind::of(start));
        let teller = WhyReport { sources, rules, line, checked, spoken: &spoken };
        teller.way(program, &scope, start).into_iter().collect::<Vec<ProgramWay>>()
    };
    let distinct = |ways: &mut Vec<ProgramWay>| {
        ways.sort();
        ways.dedup();
    };
    let ways = program.follow(judge, distinct, None).judged;
    let name = line.name(sources);
    let mut happens: Vec<&String> = Vec::new();
    for what in ways.iter().flat_map(|way| &way.happens) {
        if !happens.contains(&what) {
            happens.push(what);
        }
    }
    happens.iter().try_for_each(|what| writeln!(out, "{name}: {what}"))?;
    if happens.is_empty() && reported.is_empty() {
        writeln!(out, "{name}: nothing that concerns a GPU happens here in any program that was followed")?;
        uncalled(sources, &program, line, out)?;
    }
    // Where nothing happens that a rule could look for, the line itself stands above what is reported.
    if let (true, Some(finding)) = (happens.is_empty(), reported.first()) {
        writeln!(out, "{name}: {}", line.text(sources, finding.place))?;
    }
    reported.iter().try_for_each(|finding| tell_finding(sources, finding, out))?;
    elsewhere(sources, line, checked, out)?;
    if !ways.is_empty() {
        let (noun, lead) = if ways.len() == 1 { ("way", "leads") } else { ("ways", "lead") };
        writeln!(out, "\n{} {noun} {lead} here:", ways.len())?;
    }
    for way in ways.iter().take(TOLD) {
        writeln!(out, "  {}", way.program)?;
        way.chain.iter().try_for_each(|hop| writeln!(out, "    {hop}"))?;
        way.environment.iter().try_for_each(|holds| writeln!(out, "    {holds}"))?;
        way.silent.iter().try_for_each(|(rule, why)| writeln!(out, "    {rule} is silent: {why}"))?;
    }
    match ways.len().saturating_sub(TOLD) {
        0 => Ok(()),
        1 => writeln!(out, "  and 1 more"),
        more => writeln!(out, "  and {more} more"),
    }
}

fn tell_finding(sources: &Sources, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    let aside = match finding.status {
        Status::Suppressed => " (suppressed by a comment)",
        Status::Baselined => " (in the baseline)",
        _ => "",
    };
    let severity = crate::report::word(finding.severity);
    writeln!(
        out,
        "\nreported: {severity}[{}]{aside}: {}",
        printable(&finding.rule),
        printable(&finding.message)
    )?;
    for related in &finding.related {
        writeln!(out, "  {}: {}", printable(&sources.shown(related.place)), printable(&related.message))?;
    }
    if let Some(advice) = &finding.advice {
        writeln!(out, "  what to do: {}", printable(advice))?;
    }
    Ok(())
}

/// Findings that stand elsewhere and name this line as what explains them.
fn elsewhere(sources: &Sources, line: Line, checked: &Checked<'_>, out: &mut dyn Write) -> io::Result<()> {
    for finding in checked.findings.iter().filter(|finding| !line.holds(sources, finding.place)) {
        let related = finding.related.iter().find(|related| line.holds(sources, related.place));
        let Some(related) = related else { continue };
        writeln!(
            out,
            "\n{}[{}] is reported at {} and names this line: {}",
            crate::report::word(finding.severity),
            printable(&finding.rule),
            printable(&sources.shown(finding.place)),
            printable(&related.message)
        )?;
    }
    Ok(())
}

/// Says of a line in a function that no program was seen to call it.
fn uncalled(sources: &Sources, program: &Program<'_>, line: Line, out: &mut dyn Write) -> io::Result<()> {
    let code = program.code(line.file);
    let holds = |span| line.holds(sources, Place { file: line.file, span });
    let around = code.functions.iter().rev().find(|function| holds(function.span));
    match around {
        Some(function) => {
            writeln!(
                out,
                "  the line lies in `{}`, which no program was seen to call",
                printable(function.name)
            )
        }
        None => Ok(()),
    }
}

struct WhyReport<'a> {
    sources: &'a Sources,
    rules: &'a RuleSet,
    line: Line,
    checked: &'a Checked<'a>,
    /// The rules that speak at the line.
    spoken: &'a FxHashSet<&'a str>,
}

impl WhyReport<'_> {
    /// What a program does at the line; `None` where it does not come there.
    fn way(&self, program: &Program<'_>, scope: &Scope<'_>, start: Start) -> Option<ProgramWay> {
        let (sources, line, trace) = (self.sources, self.line, scope.trace);
        let is_own = |event: &Event| line.holds(sources, event.place);
        let leads = |event: &Event| {
            let statement = trace.statement_in(event, line.file);
            !is_own(event) && statement.is_some_and(|statement| line.holds(sources, statement))
        };
        // What a launcher did is told of the launcher.
        let all = || trace.events.iter().enumerate().skip(trace.inherited as usize);
        let mut own: Vec<(usize, &Event)> = all().filter(|(_, event)| is_own(event)).collect();
        // The end of a file is said to be at its first line, where it is beside what happens there and no more.
        let is_end = |event: &Event| matches!(event.what, EventKind::End);
        if own.iter().all(|(_, event)| is_end(event)) {
            own.clear();
        }
        let led: Vec<(usize, &Event)> = all().filter(|(_, event)| leads(event)).collect();
        let &(_, first) = own.first().or(led.first())?;
        let mut happens: Vec<String> =
            own.iter().filter(|(_, event)| !is_end(event)).map(|(_, event)| doing(event)).collect();
        let further = led.iter().take(LEADS);
        happens.extend(
            further.map(|(_, event)| format!("leads to {}: {}", sources.shown(event.place), doing(event))),
        );
        if led.len() > LEADS {
            happens.push(format!("leads to {} more such events", led.len() - LEADS));
        }
        happens.dedup();
        let environment = [(MASK, &first.before.mask), (ORDER, &first.before.order)];
        let changes = |name: &str| match &first.what {
            EventKind::Write { variable, .. } | EventKind::Remove { variable } => variable == name,
            _ => false,
        };
        let environment = environment.into_iter().filter(|(name, _)| !changes(name));
        let environment = environment
            .map(|(name, reaching)| format!("{name} {}{}", in_force(reaching), self.origin(trace, reaching)));
        let seen = own.iter().chain(&led).map(|(id, _)| *id as u32);
        Some(ProgramWay {
            program: self.program(program, trace, start),
            chain: self.chain(trace, first),
            happens,
            environment: environment.collect(),
            silent: self.silent(scope, &seen.collect::<Vec<_>>()),
        })
    }

    /// Where the values of a variable were set.
    fn origin(&self, trace: &Trace, reaching: &Reaching) -> String {
        let places = reaching.iter().filter_map(|definition| match definition {
            Definition::Set(event, _) | Definition::Removed(event) => trace.events.get(*event as usize),
            Definition::Unset | Definition::Elsewhere => None,
        });
        let mut places: Vec<String> =
            places.map(|event| printable(&self.sources.shown(event.place)).into_owned()).collect();
        places.dedup();
        match places.is_empty() {
            true => String::new(),
            false => format!(", see {}", places.join(", ")),
        }
    }

    fn program(&self, program: &Program<'_>, trace: &Trace, start: Start) -> String {
        let Some(entry) = trace.entry else { return started(start, None).to_owned() };
        let source = self.sources.file(entry);
        let unit = match start {
            Start::Unit(number) => program.code(entry).units.get(number).map(|unit| unit.name.to_string()),
            _ => None,
        };
        let how = match (trace.frames.first().and_then(|frame| frame.site), unit) {
            (Some(site), _) => format!("started by {}", self.sources.shown(site)),
            (None, Some(unit)) if !unit.is_empty() => unit,
            _ => started(start, Some(source.language)).to_owned(),
        };
        format!("{}, {}", printable(&source.name), printable(&how))
    }

    /// The calls and imports between the file that is started and the event.
    fn chain(&self, trace: &Trace, event: &Event) -> Vec<String> {
        let hops = trace.outwards(event.frame).filter_map(|frame| {
            let site = frame.site.filter(|site| site.span.end > site.span.start)?;
            frame.parent?;
            let from = self.sources.shown(site);
            let to = match &frame.function {
                Some(function) => format!("calls {function}()"),
                None => format!("imports {}", self.sources.file(frame.file).name),
            };
            Some(printable(&format!("{from} {to}")).into_owned())
        });
        let mut hops: Vec<String> = hops.collect();
        hops.reverse();
        hops
    }

    /// The rules that look for what happens and say nothing at the line.
    fn silent(&self, scope: &Scope<'_>, events: &[u32]) -> Vec<(String, String)> {
        let ran = self.rules.rules().iter().filter(|rule| self.checked.ran.contains(&rule.id));
        let silent = ran.filter(|rule| !self.spoken.contains(rule.id.as_str()));
        let why = silent.filter_map(|rule| {
            let why = events.iter().find_map(|&id| why_silent(rule, scope, id))?;
            Some((rule.id.clone(), printable(&why).into_owned()))
        });
        why.filter(|(_, why)| !why.is_empty()).collect()
    }
}

fn doing(event: &Event) -> String {
    let maybe = if event.surely_happens() { "" } else { " (on some paths)" };
    let child = if event.in_child { " (in a child process)" } else { "" };
    format!("{}{maybe}{child}", describe(&event.what))
}
