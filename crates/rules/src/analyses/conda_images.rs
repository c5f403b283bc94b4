//! Images in which conda chooses a build of pytorch, and finds no driver that would make it one for CUDA.

use crate::code::Host;
use crate::commands::program_name;
use crate::facts::{FileId, Place, Span, lines_in};
use crate::findings::Severity;
use crate::program::RunCommand;
use crate::rules::files::{FileScope, RawFinding};
use crate::sources::Language;

const CONDA: &[&str] = &["conda", "mamba", "micromamba"];

/// Words by which an environment asks for CUDA, or leaves it out on purpose.
const DECIDES: &[&str] = &["cuda", "cudnn", "gpu", "cpuonly", "cpu_", "=cpu", "pytorch-cpu", "pytorch::"];

/// `RUN conda env create -f environment.yml` with a pytorch of conda-forge, whose build depends on the driver.
pub(super) fn without_driver(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    let is_open = scope.language() == Language::Dockerfile
        && !["CUDA_OVERRIDE", "OVERRIDE_CUDA", "--device"].iter().any(|word| text.contains(word))
        && scope.program.has_any(&[".cuda(", "\"cuda", "'cuda"]);
    if !is_open {
        return Vec::new();
    }
    let is_for_gpu = text.lines().any(|line| line.trim().starts_with("FROM ") && line.contains("cuda"));
    let mut found: Vec<RawFinding> = Vec::new();
    let commands: Vec<&RunCommand> =
        scope.own_commands().filter(|command| command.host == Host::NoGpu).collect();
    for (at, command) in commands.iter().enumerate() {
        if commands[at + 1..].iter().any(|later| installs_torch(later)) {
            continue;
        }
        let Some(file) = environment_of(scope, command) else { continue };
        let Some(channel) = first_channel(scope, file) else { continue };
        let raw_finding = RawFinding::at(command.site);
        let raw_finding =
            raw_finding.beside(channel, "pytorch comes from this channel, which is asked first");
        if !found.iter().any(|known| known.place == raw_finding.place) {
            found.push(if is_for_gpu { raw_finding } else { raw_finding.at_most(Severity::Note) });
        }
    }
    found
}

/// `pip install torch==2.5.1`, which may bring another build.
fn installs_torch(command: &RunCommand) -> bool {
    command.told_pip_install().is_some_and(|told| told.iter().any(|word| is_of(word, "torch")))
}

/// Whether a requirement is of this package: `torch`, `torch==2.5.1`, `torch @ https://…`
fn is_of(item: &str, package: &str) -> bool {
    let rest = item.strip_prefix(package);
    rest.is_some_and(|rest| {
        rest.is_empty() || rest.starts_with(['=', '>', '<', '~', '!', ' ', '[', '@', '+'])
    })
}

/// The file of `-f environment.yml`, also where an earlier `COPY` gave it another name.
fn environment_of(scope: &FileScope<'_>, command: &RunCommand) -> Option<FileId> {
    let told = CONDA.iter().find_map(|program| command.told(program))?;
    if !told.iter().any(|word| matches!(*word, "create" | "update" | "install")) {
        return None;
    }
    let at = told.iter().position(|word| matches!(*word, "-f" | "--file"));
    let by_next = at.and_then(|at| told.get(at + 1).copied());
    let path = by_next.or_else(|| told.iter().find_map(|word| word.strip_prefix("--file=")))?;
    let copied = scope.whole_text().lines().find_map(|line| {
        let words: Vec<&str> = line.trim().strip_prefix("COPY ")?.split_whitespace().collect();
        let (to, from) = words.split_last()?;
        let from = from.last().filter(|_| from.len() == 1)?;
        let is_it = *to == path || to.ends_with('/') && path.strip_prefix(to) == Some(program_name(from));
        is_it.then_some(*from)
    });
    copied.into_iter().chain([path]).find_map(|path| scope.program.file_beside(command, Some(""), path))
}

/// Where an environment names conda-forge as its first channel, if its pytorch may be any build.
fn first_channel(scope: &FileScope<'_>, file: FileId) -> Option<Place> {
    let text = scope.program.text_of(file);
    let lower = text.to_ascii_lowercase();
    if DECIDES.iter().any(|word| lower.contains(word)) {
        return None;
    }
    let item = |line: &str| {
        line.trim().strip_prefix("- ").map(|item| item.trim_matches(['"', '\'', ' ']).to_owned())
    };
    let has = |package: &str| text.lines().filter_map(item).any(|item| is_of(&item, package));
    // What pip brings mostly has CUDA.
    let has_torch = has("pytorch") && !has("torch");
    let mut lines = lines_in(text).skip_while(|(_, line)| !line.starts_with("channels:"));
    let (key, inline) = lines.next()?;
    let listed = inline.strip_prefix("channels:")?.trim();
    let (span, first): (Span, String) = match listed.strip_prefix('[') {
        Some(list) => (key, list.split([',', ']']).next()?.trim().to_owned()),
        None => lines.next().and_then(|(span, line)| Some((span, item(line)?)))?,
    };
    (has_torch && first == "conda-forge").then_some(Place { file, span })
}
