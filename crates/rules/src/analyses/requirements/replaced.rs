//! A build for CUDA that one command of an image installs, and that a later command replaces.

use super::builds::has_one_environment;
use super::{is_from_pypi, lists_in};
use crate::code::{Clause, Part, Requirement};
use crate::facts::{FileId, Place, Span};
use crate::findings::Severity;
use crate::program::RunCommand;
use crate::rules::files::{FileScope, RawFinding};
use crate::sources::Language;
use crate::versions::Range;

/// What is published for several versions of CUDA under one name.
const PACKAGES: &[&str] = &["torch", "paddlepaddle-gpu"];

/// `pip install torch==2.1.0 --index-url …/cu118`, and below it `pip install torch==2.3.0`, or a list that says so.
pub fn replaced_builds(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found: Vec<RawFinding> = of_image(scope).into_iter().chain(compiled(scope)).collect();
    let earlier = scope.code.requirements.iter().filter(|asked| matches!(asked.part, Part::Command(_)));
    for chosen in earlier.filter(|asked| PACKAGES.contains(&asked.name.as_str())) {
        let Some((wanted, from)) = pinned(chosen).zip(index_for_cuda(chosen)) else { continue };
        let later = asked_below(scope, chosen);
        // What is installed from that index once more is the last word.
        let is_back = later.iter().any(|(_, asked)| index_for_cuda(asked).is_some());
        let other = later.iter().find(|(_, asked)| {
            is_from_pypi(&asked.index) && pinned(asked).is_some_and(|version| !is_same(version, wanted))
        });
        if let Some((place, asked)) = other.filter(|_| !is_back && has_one_environment(scope)) {
            let version = pinned(asked).unwrap_or_default();
            let raw_finding =
                RawFinding::at(scope.place(chosen.span)).word("name", format!("{}=={version}", asked.name));
            found.push(raw_finding.word("index", from).beside(*place, "it is replaced here"));
        }
    }
    found
}

/// `CMAKE_ARGS="-DGGML_CUDA=on" pip install llama-cpp-python==0.2.77`, and below it a list with another version, which is compiled
/// without these options.
fn compiled(scope: &FileScope<'_>) -> Option<RawFinding> {
    const OPTIONS: &str = "CMAKE_ARGS";
    const FOR_CUDA: &[&str] = &["GGML_CUDA", "LLAMA_CUBLAS", "LLAMA_CUDA"];
    let text = scope.whole_text();
    // Options that stand by themselves hold for all commands behind them.
    let mut lines = text.lines().filter(|line| line.contains(OPTIONS));
    let line = lines.next().filter(|_| lines.next().is_none())?;
    let before = line.split(OPTIONS).next().unwrap_or_default();
    let is_alone = ["ENV", "ARG", "export"].iter().any(|word| before.contains(word));
    if is_alone || !FOR_CUDA.iter().any(|word| line.contains(word)) || !has_one_environment(scope) {
        return None;
    }
    let is_it = |asked: &&Requirement| {
        asked.name == "llama-cpp-python"
            && matches!(asked.part, Part::Command(_))
            && line.contains(scope.text(asked.span))
    };
    let chosen = scope.code.requirements.iter().find(is_it)?;
    let wanted = pinned(chosen)?;
    let later = asked_below(scope, chosen);
    let (place, asked) = later.iter().find(|(_, asked)| {
        is_from_pypi(&asked.index) && pinned(asked).is_some_and(|version| !is_same(version, wanted))
    })?;
    let name = format!("{}=={}", asked.name, pinned(asked).unwrap_or_default());
    let seen = RawFinding::at(scope.place(chosen.span)).word("name", name);
    Some(seen.word("index", format!("the options of `{OPTIONS}`")).beside(*place, "it is replaced here"))
}

/// `FROM pytorch/pytorch:2.1.0-cuda11.8-cudnn8-runtime`, and below it a command that asks PyPI for another torch.
fn of_image(scope: &FileScope<'_>) -> Option<RawFinding> {
    /// Another Python than that of the image, or another tool, has its own packages.
    const OTHERS: &[&str] =
        &["apt-get install -y python", "deadsnakes", "poetry", "pyenv", "python3.", "uv "];
    let text = scope.whole_text();
    let is_one = scope.language() == Language::Dockerfile && has_one_environment(scope);
    if !is_one || OTHERS.iter().any(|word| text.contains(word)) {
        return None;
    }
    let start = text.lines().find_map(|line| line.strip_prefix("FROM "))?;
    let at = text.find(start)?;
    let image = filled(start.split_whitespace().next()?, &text[..at]);
    let (version, rest) = image.strip_prefix("pytorch/pytorch:")?.split_once("-cuda")?;
    let cuda = rest.split('-').next().filter(|_| version.starts_with(|one: char| one.is_ascii_digit()))?;
    let begun = Span { start: at as u32, end: (at + start.trim_end().len()) as u32 };
    let is_it = |asked: &&Requirement| asked.name == "torch" && asked.marker.is_empty();
    let here =
        scope.code.requirements.iter().filter(is_it).filter(|one| matches!(one.part, Part::Command(_)));
    let mut later: Vec<(Place, &Requirement)> = here.map(|asked| (scope.place(asked.span), asked)).collect();
    for (_, file) in lists_of(scope, |_| true) {
        let asked = listed_in(scope, file).filter(is_it);
        later.extend(asked.map(|asked| (Place { file, span: asked.span }, asked)));
    }
    // Who names an index has chosen.
    let chosen = |asked: &Requirement| !is_from_pypi(&asked.index);
    if later.iter().any(|(_, asked)| chosen(asked)) {
        return None;
    }
    let (place, other) = later.iter().find_map(|(place, asked)| {
        Some((place, pinned(asked)?)).filter(|(_, other)| !is_same(other, version))
    })?;
    let brought = on_pypi(scope, other);
    if other.contains('+') || brought.as_deref() == Some(cuda) {
        return None;
    }
    let raw_finding = RawFinding::at(scope.place(begun)).word("name", format!("torch=={other}"));
    let raw_finding =
        raw_finding.word("index", format!("the image `{image}`")).beside(*place, "it is replaced here");
    Some(if brought.is_some() { raw_finding } else { raw_finding.at_most(Severity::Note) })
}

/// The name of an image with what `ARG` says above it: `pytorch/pytorch:${TORCH}-cuda11.3-cudnn8-devel`.
fn filled(image: &str, above: &str) -> String {
    let mut filled = image.trim_matches('"').to_owned();
    for line in above.lines() {
        let Some((name, value)) = line.strip_prefix("ARG ").and_then(|line| line.trim().split_once('='))
        else {
            continue;
        };
        let value = value.trim_matches(['"', '\'']);
        filled = filled.replace(&format!("${{{name}}}"), value).replace(&format!("${name}"), value);
    }
    filled
}

/// The CUDA of the wheels of torch on PyPI, as far as it is known.
fn on_pypi(scope: &FileScope<'_>, version: &str) -> Option<String> {
    let clause = Clause { operator: "==".into(), version: version.into() };
    let range = Range::of(&[clause])?;
    let rows = &scope.program.knowledge.tables.wheels.pypi;
    let row = rows.iter().find(|row| range.lies_in(&row.torch) == Some(true))?;
    Some(row.cuda.to_string())
}

/// The same package in commands below, and in the lists that they read.
fn asked_below<'a>(scope: &FileScope<'a>, chosen: &Requirement) -> Vec<(Place, &'a Requirement)> {
    let is_it = |asked: &&Requirement| asked.name == chosen.name && asked.marker.is_empty();
    let here = scope.code.requirements.iter().filter(is_it);
    let below = here.filter(|asked| asked.span.start > chosen.span.end && asked.part != chosen.part);
    let mut found: Vec<_> = below.map(|asked| (scope.place(asked.span), asked)).collect();
    for (_, file) in lists_of(scope, |one| one.site.span.start > chosen.span.end) {
        let asked = listed_in(scope, file).filter(is_it);
        found.extend(asked.map(|asked| (Place { file, span: asked.span }, asked)));
    }
    found
}

/// `requirements.txt` of `pip install -r requirements.txt`, with the command that reads it.
pub fn lists_of(scope: &FileScope<'_>, is_one: impl Fn(&RunCommand) -> bool) -> Vec<(Place, FileId)> {
    let mut found = Vec::new();
    for command in scope.own_commands().filter(|command| is_one(command)) {
        let Some(told) = command.told_pip_install() else { continue };
        // An index of its own, or no packages beside these, make it another question.
        let is_plain = !told.iter().any(|word| word.contains("index") || *word == "-i" || *word == "-f");
        if !is_plain || told.contains(&"--no-deps") {
            continue;
        }
        let files = lists_in(&told).filter_map(|list| scope.program.file_beside(command, None, list));
        found.extend(files.map(|file| (command.site, file)));
        // `pip install .` brings what the project asks for itself.
        if told.iter().any(|word| matches!(*word, "." | "./") || word.starts_with(".[")) {
            const OWN: &[&str] = &["pyproject.toml", "setup.cfg", "setup.py"];
            let files = OWN.iter().filter_map(|own| scope.program.file_beside(command, None, own));
            found.extend(files.map(|file| (command.site, file)));
        }
    }
    found
}

/// What a list asks for, and what a project asks for without its extras.
pub fn listed_in<'a>(scope: &FileScope<'a>, file: FileId) -> impl Iterator<Item = &'a Requirement> {
    scope.program.code(file).requirements.iter().filter(|asked| asked.part == Part::Main)
}

/// The one version that is asked for.
fn pinned(asked: &Requirement) -> Option<&str> {
    match asked.clauses.as_deref()? {
        [only] if only.operator == "==" && !only.version.contains('*') => Some(&only.version),
        _ => None,
    }
}

/// `2.1.0+cu118` is one of `2.1.0`, and `2.1` is the same.
fn is_same(one: &str, other: &str) -> bool {
    let release = |version: &str| {
        let version = version.split_once('+').map_or(version, |(release, _)| release);
        version.trim_end_matches(".0").to_owned()
    };
    release(one) == release(other)
}

/// The address of an index that has builds for one version of CUDA.
fn index_for_cuda(asked: &Requirement) -> Option<&str> {
    let address = asked.index.only.as_deref()?;
    let mut parts = address.split('/');
    let is_cuda = |part: &str| {
        let digits = part.strip_prefix("cu").unwrap_or_default();
        digits.len() >= 3 && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    parts.any(is_cuda).then_some(address)
}
