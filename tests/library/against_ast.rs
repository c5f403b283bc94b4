//! What the front-end for Python finds in files, held against what CPython's own parser finds there: imports, calls by their dotted
//! names, and writes of the environment, each with its line. All of Python's library, and packages:
//!
//! ```text
//! GPULINT_AGAINST_AST=all cargo test --test library against_ast
//! GPULINT_AGAINST_AST=FOLDER:FOLDER cargo test --test library against_ast -- --nocapture
//! ```

use gpulint::code::walk::{CodeNode, walk_block};
use gpulint::code::{Call, Expr, ExprKind, ImportNames, Statement, StatementKind, Target};
use gpulint::languages::{Choices, lower};
use gpulint::sources::{Language, Source};
use rayon::prelude::*;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What changes the environment when it is called on `os.environ`; see `facts.py`.
const METHODS: [&str; 7] = ["setdefault", "update", "pop", "clear", "popitem", "__setitem__", "__delitem__"];
const FUNCTIONS: [&str; 2] = ["putenv", "unsetenv"];

/// One line of `facts.py`.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Told {
    Facts(Vec<String>),
    Refused(IgnoredAny),
}

#[test]
fn the_facts_are_those_of_cpython() {
    let asked = std::env::var("GPULINT_AGAINST_AST").unwrap_or_default();
    let Some(library) = library() else {
        assert!(std::env::var_os("GPULINT_REQUIRE_TOOLS").is_none(), "there is no python3");
        eprintln!("skipped: there is no python3");
        return;
    };
    let mut files = Vec::new();
    match asked.as_str() {
        "" => add_files(&library, false, &mut files),
        "all" => add_files(&library, true, &mut files),
        folders => std::env::split_paths(folders).for_each(|folder| add_files(&folder, true, &mut files)),
    }
    assert!(files.len() > 20, "{} files", files.len());
    let told = told_by_cpython(&files);
    let outcomes: Vec<Outcome> =
        files.par_iter().zip(&told).map(|(file, told)| Outcome::of(file, told)).collect();
    let count = |select: fn(&Outcome) -> usize| outcomes.iter().map(select).sum::<usize>();
    println!(
        "{} files, of which CPython refuses {}: {} imports, {} calls, {} writes of the environment; {} disagreements",
        files.len(),
        told.iter().filter(|told| matches!(told, Told::Refused(_))).count(),
        count(|outcome| outcome.imports),
        count(|outcome| outcome.calls),
        count(|outcome| outcome.writes),
        count(|outcome| outcome.disagreements.len()),
    );
    let all: Vec<&String> = outcomes.iter().flat_map(|outcome| &outcome.disagreements).collect();
    let shown: Vec<&str> = all.iter().take(60).map(|one| one.as_str()).collect();
    assert!(all.is_empty(), "{} disagreements:\n{}", all.len(), shown.join("\n"));
}

/// What it did not find before it was held against CPython.
#[test]
fn what_is_easily_left_out() {
    let facts = |text: &str| facts_of(text.to_owned()).expect("it is Python");
    assert_eq!(facts("assert ready(), reason()\n"), ["1 call ready", "1 call reason"]);
    assert_eq!(facts("raise Fault() from cause()\n"), ["1 call Fault", "1 call cause"]);
    assert_eq!(facts("f'{value():{width()}}'\n"), ["1 call value", "1 call width"]);
    assert_eq!(facts("t'{value():{width()}}'\n"), ["1 call value", "1 call width"]);
    // Letters in other forms are the same letters in names.
    assert_eq!(
        facts("import ｏｓ\nｏｓ.ｐutenv('A', '')\n"),
        ["1 import os as ", "2 call os.putenv", "2 write putenv A"]
    );
    assert_eq!(facts("import torch . cuda\n"), ["1 import torch.cuda as "]);
}

/// What became of one file.
#[derive(Default)]
struct Outcome {
    imports: usize,
    calls: usize,
    writes: usize,
    disagreements: Vec<String>,
}

impl Outcome {
    fn of(file: &Path, told: &Told) -> Outcome {
        let mut outcome = Outcome::default();
        let Told::Facts(facts) = told else { return outcome };
        let text = std::fs::read_to_string(file).expect("CPython has read it");
        match facts_of(text) {
            Ok(own) => {
                outcome.add_difference(file, "only gpulint", &own, facts);
                outcome.add_difference(file, "only CPython", facts, &own);
            }
            Err(why) => {
                outcome.disagreements.push(format!("{}: only CPython reads it: {why}", file.display()));
            }
        }
        for fact in facts {
            match fact.split(' ').nth(1) {
                Some("import" | "from") => outcome.imports += 1,
                Some("call") => outcome.calls += 1,
                _ => outcome.writes += 1,
            }
        }
        outcome
    }

    /// What the first has more often than the second; both are sorted.
    fn add_difference(&mut self, file: &Path, whose: &str, first: &[String], second: &[String]) {
        let mut rest = second.iter().peekable();
        for fact in first {
            while rest.next_if(|other| *other < fact).is_some() {}
            if rest.next_if(|other| *other == fact).is_none() {
                self.disagreements.push(format!("{}: {whose}: {fact}", file.display()));
            }
        }
    }
}

/// Where python3 has its library; `None` without one.
fn library() -> Option<PathBuf> {
    let ask = "import sysconfig; print(sysconfig.get_path('stdlib'))";
    let output = Command::new("python3").args(["-c", ask]).output().ok()?;
    Some(PathBuf::from(String::from_utf8(output.stdout).ok()?.trim()))
}

fn add_files(folder: &Path, deep: bool, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be read").path()).collect();
    paths.sort();
    for path in paths {
        let is_package_of_others = path.file_name().is_some_and(|name| name == "site-packages");
        if path.is_dir() && !path.is_symlink() {
            if deep && !is_package_of_others {
                add_files(&path, deep, files);
            }
        } else if path.extension().is_some_and(|extension| extension == "py") {
            files.push(path);
        }
    }
}

fn told_by_cpython(files: &[PathBuf]) -> Vec<Told> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/against_python/facts.py");
    let mut python = Command::new("python3");
    let mut child = python
        .args(["-B".as_ref(), script.as_os_str()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it has started before");
    let list: Vec<String> = files.iter().map(|file| format!("{}\n", file.display())).collect();
    let mut input = child.stdin.take().expect("it is a pipe");
    let writer = std::thread::spawn(move || input.write_all(list.concat().as_bytes()));
    let output = child.wait_with_output().expect("it ends");
    let _ = writer.join();
    let text = String::from_utf8(output.stdout).expect("it is UTF-8");
    let told: Vec<Told> = text.lines().map(|line| serde_json::from_str(line).expect("a line")).collect();
    assert_eq!(told.len(), files.len(), "one line for each file");
    told
}

/// Sorted, as `facts.py` writes them.
fn facts_of(text: String) -> Result<Vec<String>, String> {
    let source = Source::new(None, "read.py".to_owned(), Language::Python, text);
    let code = lower(&source, Choices::default())?;
    let lines = Lines::of(&source.text);
    let mut facts = Vec::new();
    walk_block(&code, &code.body, &mut |part, _| match part {
        CodeNode::Statement(step) => facts.extend(imported(step, &lines)),
        CodeNode::Expr(Expr { span, kind: ExprKind::Call(call) }) => {
            let line = lines.of_byte(span.start);
            facts.push(format!("{line} call {}", dotted(&call.callee)));
            facts.extend(written_by(call).map(|write| format!("{line} write {write}")));
        }
        CodeNode::Target(Target::Item(item)) if is_environment(&item.0) => {
            let line = lines.of_byte(item.0.span.start);
            facts.push(format!("{line} write item {}", key(&item.1)));
        }
        _ => {}
    });
    facts.sort();
    Ok(facts)
}

fn imported(step: &Statement<'_>, lines: &Lines) -> Option<String> {
    let StatementKind::Import(import) = &step.kind else { return None };
    let line = lines.of_byte(step.span.start);
    let bound = match &import.names {
        ImportNames::Module(name) => {
            return Some(format!("{line} import {} as {}", import.module, name.unwrap_or_default()));
        }
        ImportNames::Star => "*=*".to_owned(),
        ImportNames::Names(names) => {
            let names = names.iter().map(|name| format!("{}={}", name.name, name.bound));
            names.collect::<Vec<_>>().join(" ")
        }
    };
    let dots = ".".repeat(import.level as usize);
    Some(format!("{line} from {dots}{} import {bound}", import.module))
}

fn written_by(call: &Call<'_>) -> Option<String> {
    let ExprKind::Attribute(owner, name) = &call.callee.kind else { return None };
    let of_os = matches!(owner.kind, ExprKind::Name("os"));
    let writes = (is_environment(owner) && METHODS.contains(name)) || (of_os && FUNCTIONS.contains(name));
    let first = call.arguments.iter().find(|argument| argument.name.is_none());
    // `*names` is one whose value is not known.
    let key = |argument: &gpulint::code::Argument<'_>| match argument.unpacked {
        true => "?".to_owned(),
        false => key(&argument.value),
    };
    writes.then(|| format!("{name} {}", first.map(key).unwrap_or_default()))
}

fn is_environment(expr: &Expr<'_>) -> bool {
    matches!(dotted(expr).as_str(), "os.environ" | "environ")
}

fn key(expr: &Expr<'_>) -> String {
    match &expr.kind {
        ExprKind::Text(text) => text.clone().into_owned(),
        _ => "?".to_owned(),
    }
}

fn dotted(expr: &Expr<'_>) -> String {
    match &expr.kind {
        ExprKind::Name(name) => (*name).to_owned(),
        ExprKind::Attribute(owner, name) => format!("{}.{name}", dotted(owner)),
        _ => "?".to_owned(),
    }
}

/// Where the lines of a text begin, as Python counts them.
struct Lines(Vec<u32>);

impl Lines {
    fn of(text: &str) -> Lines {
        let bytes = text.as_bytes();
        let ends = |at: &usize| match bytes[*at] {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        };
        Lines((0..bytes.len()).filter(ends).map(|at| at as u32 + 1).collect())
    }

    fn of_byte(&self, byte: u32) -> usize {
        self.0.partition_point(|&start| start <= byte) + 1
    }
}
