//! `gpulint trace`: what one program does to the environment and the GPU, in the order in which it
//! happens, for people and for programs.

use crate::facts::FileId;
use crate::program::trace::{Event, Trace, What};
use crate::program::{Definition, Program, Reaching, Start};
use crate::report::printable;
use crate::rules::RuleSet;
use crate::rules::wording::as_code;
use crate::settings::Settings;
use crate::sources::Sources;
use serde_json::{Value, json};
use std::io::{self, Write};

/// Follows the program that `file` starts and writes its effects.
///
/// # Errors
/// Only those of `out`.
pub fn print(
    sources: &Sources,
    settings: &Settings,
    file: FileId,
    json: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (codes, _) = crate::lower_all(sources);
    let mut options = settings.options(settings.cpu_section().as_ref());
    options.imports_matter = true;
    let program = Program::new(sources, codes, &RuleSet::embedded().knowledge, options);
    let start = program.start_of(file).unwrap_or(Start::Script);
    let trace = program.trace(file, start);
    if json { print_json(sources, &trace, start, out) } else { print_text(sources, &trace, start, out) }
}

fn print_text(sources: &Sources, trace: &Trace, start: Start, out: &mut dyn Write) -> io::Result<()> {
    let name = trace.entry.map_or("", |entry| &sources.file(entry).name);
    writeln!(out, "{}, {}:", printable(name), started(start))?;
    let places: Vec<String> = trace.events.iter().map(|event| place(sources, event)).collect();
    let width = places.iter().map(String::len).max().unwrap_or(0);
    for (event, place) in trace.events.iter().zip(&places) {
        let depth = trace.outwards(event.frame).count() - 1;
        let maybe = if event.certain { "" } else { "  (on some paths)" };
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
                printable(&place(sources, event))
            )?;
            writeln!(out, "  CUDA_VISIBLE_DEVICES {}", in_force(&event.before.mask))?;
            writeln!(out, "  CUDA_DEVICE_ORDER    {}", in_force(&event.before.order))?;
        }
        None => writeln!(out, "No call that initialises CUDA was seen.")?,
    }
    if trace.cut {
        writeln!(out, "The program is too large: it was not followed to its end.")?;
    }
    Ok(())
}

fn print_json(sources: &Sources, trace: &Trace, start: Start, out: &mut dyn Write) -> io::Result<()> {
    let events: Vec<Value> = trace.events.iter().map(|event| event_json(sources, trace, event)).collect();
    let first = trace.events.iter().position(|event| event.what.initialises_cuda());
    let whole = json!({
        "schema": 1,
        "entry": trace.entry.map(|entry| &sources.file(entry).name),
        "start": started(start),
        "events": events,
        "first_gpu_use": first,
        "complete": !trace.cut,
    });
    serde_json::to_writer_pretty(&mut *out, &whole)?;
    writeln!(out)
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
        "line": position.line,
        "column": position.column,
        "certain": event.certain,
        "in_child": event.in_child,
        "chain": chain,
    });
    let details = match &event.what {
        What::Import { module, gpu_library, touches_cuda, note, .. } => {
            json!({"kind": "import", "module": module, "gpu_library": gpu_library, "initialises_cuda": touches_cuda, "note": note})
        }
        What::Call { callee, note, .. } => {
            json!({"kind": "call", "callee": callee, "initialises_cuda": event.what.initialises_cuda(), "note": note})
        }
        What::Write { variable, value, only_if_unset } => {
            json!({"kind": "write", "variable": variable, "value": value, "only_if_unset": only_if_unset})
        }
        What::Remove { variable } => json!({"kind": "remove", "variable": variable}),
        What::Spawn { callee } => json!({"kind": "spawn", "callee": callee}),
        What::Select { index, text, by } => {
            json!({"kind": "select", "index": index, "device": text, "by": by})
        }
    };
    if let (Value::Object(object), Value::Object(details)) = (&mut object, details) {
        object.extend(details);
    }
    object
}

fn describe(what: &What) -> String {
    let because = |note: &Option<String>| note.as_ref().map_or(String::new(), |note| format!(": {note}"));
    match what {
        What::Import { note, touches_cuda: true, .. } => {
            format!("{} initialises CUDA{}", as_code(what), because(note))
        }
        What::Import { gpu_library: true, .. } => format!("{} (GPU library)", as_code(what)),
        What::Call { note, .. } if what.initialises_cuda() => {
            format!("{} initialises CUDA{}", as_code(what), because(note))
        }
        What::Import { .. } | What::Call { .. } => as_code(what),
        What::Write { variable, value, only_if_unset } => {
            let value = value
                .as_ref()
                .map_or("a value that is not known".to_owned(), |value| format!("{:?}", printable(value)));
            format!("{variable} = {value}{}", if *only_if_unset { ", unless it is set" } else { "" })
        }
        What::Remove { variable } => format!("{variable} is removed"),
        What::Spawn { .. } => format!("{} starts a process", as_code(what)),
        What::Select { text, by, .. } => format!("{by} takes {}", printable(text)),
    }
}

fn place(sources: &Sources, event: &Event) -> String {
    format!("{}:{}", sources.file(event.place.file).name, sources.position(event.place).line)
}

fn started(start: Start) -> &'static str {
    match start {
        Start::Script => "started as a script",
        Start::Module => "started as a module",
        Start::Console => "started by a console script",
        Start::Tests => "run by pytest",
        Start::Imported | Start::Library | Start::CpuPart => "imported",
    }
}

fn in_force(reaching: &Reaching) -> String {
    let each: Vec<String> = reaching
        .iter()
        .map(|definition| match definition {
            Definition::Unset => "was never set".to_owned(),
            Definition::Elsewhere => "is set by the caller or by something that is not followed".to_owned(),
            Definition::Set(_, Some(value)) => format!("is {:?}", printable(value)),
            Definition::Set(_, None) => "has a value that is not known".to_owned(),
            Definition::Removed(_) => "was removed".to_owned(),
        })
        .collect();
    each.join(", or ")
}
