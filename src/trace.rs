//! `gpulint trace`: what one program does to the environment and the GPU, in the order in which it
//! happens, for people and for programs.

mod ways;
pub mod why;

use crate::facts::{FileId, Place};
use crate::findings::Severity;
use crate::program::trace::{Event, EventKind, Recipient, Trace};
use crate::program::{Definition, MASK, ORDER, Program, Reaching, Start};
use crate::report::printable;
use crate::rules::RuleSet;
use crate::rules::explain::reasons;
use crate::rules::wording::{as_code, in_force};
use crate::rules::{PolicyRulings, Rule, Scope, ScopeKind, findings_of};
use crate::settings::Settings;
use crate::sources::{Language, Sources};
use serde_json::{Value, json};
use std::io::{self, Write};

/// Follows the program that `file` starts and writes its effects; with `why` it says instead, for that
/// line of the file, what each rule makes of what happens there.
///
/// # Errors
/// Only those of `out`.
pub fn print(
    sources: &Sources,
    settings: &Settings,
    file: FileId,
    json: bool,
    why: Option<u32>,
    rules: &RuleSet,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Ok(governed) = PolicyRulings::of(settings, rules, sources) else { return Ok(()) };
    let mut options = governed.options(sources);
    options.asked.iter_mut().for_each(|asked| asked.imports_matter = true);
    let (mut program, _) = crate::program_of(sources, settings, options, rules, None);
    let traces = ways::of(&mut program, sources, file);
    let program = program;
    if let Some(line) = why {
        let at_line = |event: &Event| place_lines(sources, event.place, file).contains(&line);
        let here: Vec<_> = traces.iter().filter(|(trace, _)| trace.events.iter().any(at_line)).collect();
        let told = if here.is_empty() { traces.iter().take(1).collect() } else { here };
        // Of one program it is clear which is meant.
        let is_one = traces.len() == 1;
        for (number, (trace, started)) in told.into_iter().enumerate() {
            if !is_one {
                let gap = if number > 0 { "\n" } else { "" };
                writeln!(out, "{gap}{}, {}:", printable(&sources.file(file).name), printable(started))?;
            }
            print_why(sources, settings, rules, &program, trace, (file, line), out)?;
        }
        return Ok(());
    }
    let whole = ProgramFamily { sources, program: &program };
    if json {
        let mut told = traces.iter().map(|(trace, started)| whole.json(trace, started, &mut vec![file]));
        let mut first = told.next().unwrap_or_default();
        let others: Vec<Value> = told.collect();
        if let (false, Value::Object(first)) = (others.is_empty(), &mut first) {
            first.insert("others".to_owned(), Value::Array(others));
        }
        serde_json::to_writer_pretty(&mut *out, &first)?;
        return writeln!(out);
    }
    for (number, (trace, started)) in traces.iter().enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        whole.print(trace, started, &mut vec![file], out)?;
    }
    Ok(())
}

/// A program with those that it starts.
struct ProgramFamily<'a> {
    sources: &'a Sources,
    program: &'a Program<'a>,
}

impl ProgramFamily<'_> {
    /// `above` are the files whose programs are being told, so that one that starts itself is told once.
    fn print(
        &self,
        trace: &Trace,
        started: &str,
        above: &mut Vec<FileId>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        print_text(self.sources, trace, started, out)?;
        for (trace, started) in self.started_by(trace, above) {
            writeln!(out)?;
            above.extend(trace.entry);
            self.print(&trace, &started, above, out)?;
            above.pop();
        }
        Ok(())
    }

    fn json(&self, trace: &Trace, started: &str, above: &mut Vec<FileId>) -> Value {
        let mut whole = json_of(self.sources, trace, started);
        let mut starts = Vec::new();
        for (trace, started) in self.started_by(trace, above) {
            above.extend(trace.entry);
            starts.push(self.json(&trace, &started, above));
            above.pop();
        }
        if let (false, Value::Object(whole)) = (starts.is_empty(), &mut whole) {
            whole.insert("starts".to_owned(), Value::Array(starts));
        }
        whole
    }

    /// The programs of the project that a program starts, each with the environment that it gives them.
    fn started_by(&self, trace: &Trace, above: &[FileId]) -> Vec<(Trace, String)> {
        let launches = trace.launches.iter().filter(|launch| !above.contains(&launch.file));
        let followed = launches.map(|launch| {
            (self.program.trace_launched(launch), format!("started by {}", self.sources.shown(launch.site)))
        });
        followed.collect()
    }
}

/// The lines of a file that a place covers.
fn place_lines(sources: &Sources, place: Place, file: FileId) -> std::ops::RangeInclusive<u32> {
    let position = sources.position(place);
    let end = if place.file == file { position.end_line } else { 0 };
    position.line..=end
}

fn print_text(sources: &Sources, trace: &Trace, started: &str, out: &mut dyn Write) -> io::Result<()> {
    let name = trace.entry.map_or("", |entry| &sources.file(entry).name);
    writeln!(out, "{}, {}:", printable(name), printable(started))?;
    // Nothing happens at the end of a file.
    let told: Vec<&Event> =
        trace.events.iter().filter(|event| !matches!(event.what, EventKind::End)).collect();
    let places: Vec<String> = told.iter().map(|event| sources.shown(event.place)).collect();
    let width = places.iter().map(String::len).max().unwrap_or(0);
    for (event, place) in told.into_iter().zip(&places) {
        let depth = trace.outwards(event.frame).count() - 1;
        let maybe = if event.surely_happens() { "" } else { "  (on some paths)" };
        let child = if event.in_child { "  (in a child process)" } else { "" };
        let indent = "  ".repeat(depth.min(8));
        writeln!(out, "  {:<width$}  {indent}{}{maybe}{child}", printable(place), describe(&event.what))?;
    }
    let first = trace.events.iter().find(|event| event.what.initialises_cuda());
    match first {
        Some(event) => {
            writeln!(
                out,
                "First GPU use: {} at {}",
                as_code(&event.what),
                printable(&sources.shown(event.place))
            )?;
            writeln!(out, "  CUDA_VISIBLE_DEVICES {}", in_force(&event.before.mask))?;
            writeln!(out, "  CUDA_DEVICE_ORDER    {}", in_force(&event.before.order))?;
        }
        None if !trace.launches.is_empty() => {
            writeln!(out, "Nothing here initialises CUDA; what it starts:")?;
        }
        None => writeln!(out, "No call that initialises CUDA was seen.")?,
    }
    if trace.cut {
        writeln!(out, "The program is too large: it was not followed to its end.")?;
    }
    Ok(())
}

fn print_why(
    sources: &Sources,
    settings: &Settings,
    rules: &RuleSet,
    program: &Program<'_>,
    trace: &Trace,
    (file, line): (FileId, u32),
    out: &mut dyn Write,
) -> io::Result<()> {
    let policy = settings.governing_of(sources.file(trace.entry.unwrap_or(file))).policy;
    let scope = Scope::new(program, (policy, None), trace, ScopeKind::Program);
    let at_line = |event: &Event| {
        let places = [Some(event.place), trace.statement_in(event, file)];
        places.into_iter().flatten().any(|place| {
            let position = sources.position(place);
            place.file == file && (position.line..=position.end_line).contains(&line)
        })
    };
    let name = printable(&sources.file(file).name);
    let mut seen = false;
    for (id, event) in trace.events.iter().enumerate().filter(|(_, event)| at_line(event)) {
        seen = true;
        writeln!(out, "{name}:{line}: {}", describe(&event.what))?;
        if event.doubts > 0 {
            writeln!(
                out,
                "  on some paths only: it rests on {} not understood",
                counted(event.doubts, "condition")
            )?;
        }
        for rule in rules.rules() {
            explain(rule, &scope, id as u32, out)?;
        }
    }
    // A finding may point here for what happens elsewhere: at a pin, for the use that it comes to.
    for rule in rules.rules() {
        for finding in findings_of(rule, Severity::Note, &scope) {
            let position = sources.position(finding.place);
            let cause = finding.related.last().map(|related| related.place);
            if finding.place.file == file && position.line == line && !seen_at(&scope, finding.place) {
                let cause = cause.map_or(String::new(), |cause| {
                    let at = sources.position(cause).line;
                    format!(", for what happens at {}:{at}", printable(&sources.file(cause.file).name))
                });
                writeln!(out, "{name}:{line}: {} points here{cause}: {}", rule.id, finding.message)?;
                seen = true;
            }
        }
    }
    if seen {
        return Ok(());
    }
    writeln!(out, "{name}:{line}: nothing that concerns a GPU happens here in this program")?;
    let code = program.code(file);
    let holds_line = |span: crate::facts::Span| {
        let position = sources.file(file).position(span);
        (position.line..=position.end_line).contains(&line)
    };
    let around = code.functions.iter().enumerate().rev().find(|(_, function)| holds_line(function.span));
    if let Some((index, function)) = around
        && !trace.ran.contains(&(file, index))
    {
        writeln!(out, "  the line lies in `{}`, which this program was not seen to call", function.name)?;
    }
    Ok(())
}

/// Whether the rule that points to this place looks for what happens there.
fn seen_at(scope: &Scope<'_>, place: crate::facts::Place) -> bool {
    let here = |event: &Event| event.place == place && event.what.initialises_cuda();
    scope.trace.events.iter().any(here)
}

fn explain(rule: &Rule, scope: &Scope<'_>, id: u32, out: &mut dyn Write) -> io::Result<()> {
    let Some(reasons) = reasons(rule, scope, id) else { return Ok(()) };
    let verdict = if reasons.iter().all(|reason| reason.holds) { "is reported" } else { "is not reported" };
    writeln!(out, "  {} {verdict}:", rule.id)?;
    for reason in reasons {
        writeln!(out, "    {} {}", if reason.holds { "yes" } else { "no " }, reason.words)?;
    }
    Ok(())
}

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { " that is" } else { "s that are" })
}

fn json_of(sources: &Sources, trace: &Trace, started: &str) -> Value {
    let events: Vec<Value> = trace.events.iter().map(|event| event_json(sources, trace, event)).collect();
    let first = trace.events.iter().position(|event| event.what.initialises_cuda());
    json!({
        "schema": 1,
        "entry": trace.entry.map(|entry| &sources.file(entry).name),
        "start": started,
        "events": events,
        "first_gpu_use": first,
        "first_use": first.map(|first| first_use(sources, &trace.events[first])),
        "complete": !trace.cut,
    })
}

/// Where the GPU is used first, and what the variables that choose a GPU may hold there.
fn first_use(sources: &Sources, event: &Event) -> Value {
    json!({
        "path": sources.file(event.place.file).name,
        "line": sources.position(event.place).line,
        "environment": {MASK: holdings(&event.before.mask), ORDER: holdings(&event.before.order)},
    })
}

/// Each value once, `null` where the variable is not set; `known` is false when there may be others.
fn holdings(reaching: &Reaching) -> Value {
    let mut values: Vec<Option<&str>> = Vec::new();
    let mut known = true;
    for definition in reaching {
        let value = match definition {
            Definition::Unset | Definition::Removed(_) => None,
            Definition::Set(_, Some(value)) => Some(&**value),
            Definition::Set(_, None) | Definition::Elsewhere => {
                known = false;
                continue;
            }
        };
        if !values.contains(&value) {
            values.push(value);
        }
    }
    json!({"values": values, "known": known})
}

fn event_json(sources: &Sources, trace: &Trace, event: &Event) -> Value {
    let position = sources.position(event.place);
    let mut chain: Vec<Value> = Vec::new();
    for frame in trace.outwards(event.frame) {
        if let Some(site) = frame.site.filter(|site| site.span.end > site.span.start) {
            let at = sources.position(site);
            chain.push(json!({"path": sources.file(site.file).name, "line": at.line, "column": at.column,
                "calls": frame.function, "enters": sources.file(frame.file).name}));
        }
    }
    chain.reverse();
    let mut object = json!({
        "path": sources.file(event.place.file).name,
        "cell": position.cell,
        "line": position.line,
        "column": position.column,
        // What is only for a started program never happens in this process.
        "certain": event.surely_happens() && event.recipient != Recipient::Program,
        "in_child": event.in_child,
        "chain": chain,
    });
    let details = match &event.what {
        EventKind::Import { module, gpu_library, touches_cuda, note, .. } => {
            json!({"kind": "import", "module": module, "gpu_library": gpu_library, "initialises_cuda": touches_cuda, "note": note})
        }
        EventKind::Call { callee, note, .. } => {
            json!({"kind": "call", "callee": callee, "initialises_cuda": event.what.initialises_cuda(), "note": note})
        }
        EventKind::Write { variable, value, only_if_unset, .. } => {
            json!({"kind": "write", "variable": variable, "value": value, "only_if_unset": only_if_unset})
        }
        EventKind::Restore { variable } => {
            json!({"kind": "write", "variable": variable, "value": null, "only_if_unset": false})
        }
        EventKind::Remove { variable } => json!({"kind": "remove", "variable": variable}),
        EventKind::Refuse { variable, given } => {
            json!({"kind": "refuse", "variable": variable, "given": given})
        }
        EventKind::Validate { by } => json!({"kind": "validate", "by": by}),
        EventKind::Release { by } => json!({"kind": "release", "by": by}),
        EventKind::Spawn { callee, .. } => json!({"kind": "spawn", "callee": callee}),
        EventKind::Launch { callee, .. } => json!({"kind": "launch", "callee": callee}),
        EventKind::Observed { text, .. } => json!({"kind": "observed", "text": text}),
        EventKind::End => json!({"kind": "end"}),
        EventKind::Select { index, text, by, .. } => {
            json!({"kind": "select", "index": index, "device": text, "by": by})
        }
    };
    if let (Value::Object(object), Value::Object(details)) = (&mut object, details) {
        object.extend(details);
    }
    object
}

/// What happens, for people.
pub(crate) fn describe(what: &EventKind) -> String {
    let because = |note: &Option<String>| note.as_ref().map_or(String::new(), |note| format!(": {note}"));
    match what {
        EventKind::Import { note, touches_cuda: true, .. } => {
            format!("{} initialises CUDA{}", as_code(what), because(note))
        }
        EventKind::Import { gpu_library: true, .. } => format!("{} (GPU library)", as_code(what)),
        EventKind::Call { note, .. } if what.initialises_cuda() => {
            format!("{} initialises CUDA{}", as_code(what), because(note))
        }
        EventKind::Import { .. } | EventKind::Call { .. } => as_code(what),
        EventKind::Write { variable, value, only_if_unset, by_index } => {
            let value = match value {
                Some(value) => format!("{:?}", printable(value)),
                None if *by_index => "an index that is not known".to_owned(),
                None => "a value that is not known".to_owned(),
            };
            format!("{variable} = {value}{}", if *only_if_unset { ", unless it is set" } else { "" })
        }
        EventKind::Remove { variable } => format!("{variable} is removed"),
        EventKind::Restore { variable } => format!("{variable} is set to the value that was read before"),
        EventKind::Refuse { variable, given } => format!("{variable} = {given}, which raises a TypeError"),
        EventKind::Validate { .. } => format!("{} checks the GPU", as_code(what)),
        EventKind::Release { .. } => format!("{} gives GPU memory back", as_code(what)),
        EventKind::Spawn { .. } => format!("{} starts a process", as_code(what)),
        EventKind::Launch { callee, .. } => format!("{callee} is started"),
        EventKind::Observed { text, .. } => format!("`{text}`"),
        EventKind::End => "the end".to_owned(),
        EventKind::Select { text, by, .. } => format!("{by} takes {}", printable(text)),
    }
}

/// How a file is started, when it is a program or a launcher.
pub(crate) fn started_file(program: &Program<'_>, file: FileId) -> Option<String> {
    let start = program.start_of(file)?;
    Some(started(start, Some(program.sources.file(file).language)).to_owned())
}

/// How the program of a trace is started: by which job or service of a file, or in which way.
pub(crate) fn started_by(program: &Program<'_>, trace: &Trace, start: Start) -> String {
    let unit = match (start, trace.entry) {
        (Start::Unit(number), Some(entry)) => {
            program.code(entry).units.get(number).map(|unit| unit.name.to_string())
        }
        _ => None,
    };
    let language = trace.entry.map(|entry| program.sources.file(entry).language);
    unit.filter(|name| !name.is_empty()).unwrap_or_else(|| started(start, language).to_owned())
}

fn started(start: Start, language: Option<Language>) -> &'static str {
    match start {
        Start::Tests if language == Some(Language::Rust) => "run by cargo test",
        Start::Script => "started as a script",
        Start::Module => "started as a module",
        Start::Console => "started by a console script",
        Start::Tests => "run by pytest",
        Start::Unit(_) => "a launcher",
        Start::Snippet(_) => "started as code on a command line",
        Start::Imported | Start::Library | Start::CpuPart | Start::Modules => "imported",
    }
}
