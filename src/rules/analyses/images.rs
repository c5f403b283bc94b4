//! Programs that need a GPU and are started in a container that is given none.

use super::cuda_calls;
use crate::code::walk::{Part, walk};
use crate::facts::{FileId, Place, Span};
use crate::rules::files::{FileScope, Sighting};
use crate::sources::{Language, Source};

/// The first call that needs a GPU, in a program that every `docker run` of the project starts without one.
pub(super) fn without_gpu(scope: &FileScope<'_>) -> Vec<Sighting> {
    if scope.whole_text().contains("is_available") || scope.is_library() {
        return Vec::new();
    }
    let mut needs: Option<(Span, String)> = None;
    walk(scope.code, &mut |part, _| {
        let Part::Expr(expr) = part else { return };
        if needs.is_none() {
            needs = cuda_calls::fails_without_driver(expr, scope).map(|name| (expr.span, name));
        }
    });
    let Some((span, name)) = needs else { return Vec::new() };
    let Some(started) = started_in_container(scope) else { return Vec::new() };
    let sighting = Sighting::at(scope.place(span)).word("name", name.trim_start_matches('.'));
    vec![sighting.beside(started, "the container is started here, and gets no GPU")]
}

/// Where the program is started in a container, when no command for it speaks of a GPU.
fn started_in_container(scope: &FileScope<'_>) -> Option<Place> {
    let name = scope.program.name_of(scope.file);
    let own = name.rsplit('/').next().unwrap_or(name);
    let files = &scope.program.sources.files;
    let tags = tags_of_images(files, own);
    let mut started = None;
    for (number, file) in files.iter().enumerate().filter(|(_, file)| is_launcher(file)) {
        for (span, line) in commands(&file.text) {
            let names =
                |word: &str| word.rsplit('/').next() == Some(own) || tags.iter().any(|tag| tag == word);
            if !line.contains("docker run") || !line.split([' ', '"', '\'']).any(names) {
                continue;
            }
            let gives = ["--gpus", "--runtime", "--device", "nvidia", "NVIDIA", "--env-file", "$"];
            if gives.iter().any(|word| line.contains(word)) {
                return None;
            }
            started = started.or(Some(Place { file: FileId(number as u32), span }));
        }
    }
    started
}

/// What images are called that hold the program: `docker build -t NAME .` beside a Dockerfile that names the file.
fn tags_of_images(files: &[Source], own: &str) -> Vec<String> {
    let holds = |file: &Source| file.language == Language::Dockerfile && file.text.contains(own);
    if !files.iter().any(holds)
        || files.iter().filter(|file| file.language == Language::Dockerfile).count() > 1
    {
        return Vec::new();
    }
    let lines = files.iter().filter(|file| is_launcher(file)).flat_map(|file| file.text.lines());
    let tag = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let at = words.iter().position(|word| matches!(*word, "-t" | "--tag"))?;
        words.get(at + 1).map(|tag| tag.trim_matches(['"', '\'']).to_owned())
    };
    lines.filter(|line| line.contains("docker build")).filter_map(tag).collect()
}

fn is_launcher(file: &Source) -> bool {
    matches!(file.language, Language::Shell | Language::Makefile | Language::PowerShell | Language::Batch)
}

/// The lines of a script, with those that go on behind a backslash; comments left out.
fn commands(text: &str) -> Vec<(Span, String)> {
    let mut found: Vec<(Span, String)> = Vec::new();
    let (mut at, mut goes_on) = (0, false);
    for line in text.split_inclusive('\n') {
        let span = Span::new(at, at + line.trim_end().len());
        at += line.len();
        let written = line.trim();
        match found.last_mut() {
            Some((whole, all)) if goes_on => {
                whole.end = span.end;
                all.push(' ');
                all.push_str(written.trim_end_matches('\\'));
            }
            _ if written.starts_with('#') => continue,
            _ => found.push((span, written.trim_end_matches('\\').to_owned())),
        }
        goes_on = written.ends_with('\\');
    }
    found
}
