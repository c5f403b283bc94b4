//! `uv run` behind `uv sync --extra cuda`: it brings the environment back to what the project asks for without extras.

use crate::commands::program_name;
use crate::findings::Severity;
use crate::rules::files::{FileScope, RawFinding};
use crate::sources::file_name_of;

/// Options of `uv run` with which the extra stays.
const KEEPING: &[&str] = &["--all-extras", "--extra", "--isolated", "--no-project", "--no-sync", "--script"];

/// An extra of the project that decides for a build of torch with CUDA.
struct CudaExtra<'a> {
    name: &'a str,
    /// The project asks for torch without an extra as well.
    in_base: bool,
}

/// Commands that take the build for CUDA away again.
pub(super) fn that_drop_extras(scope: &FileScope<'_>) -> Vec<RawFinding> {
    if scope.whole_text().contains("UV_NO_SYNC") {
        return Vec::new();
    }
    let extras: Vec<CudaExtra<'_>> = scope
        .program
        .every_file()
        .filter(|(_, file)| file_name_of(&file.name) == "pyproject.toml")
        .flat_map(|(_, file)| cuda_extras(&file.text))
        .collect();
    if extras.is_empty() {
        return Vec::new();
    }
    let mut commands: Vec<_> = scope.own_commands().collect();
    commands.sort_by_key(|command| command.site.span.start);
    let mut synced = None;
    let mut found: Vec<RawFinding> = Vec::new();
    for command in commands {
        let words: Vec<&str> = command.words.iter().map(|word| word.as_deref().unwrap_or_default()).collect();
        let Some(at) = words.iter().position(|word| program_name(word) == "uv") else { continue };
        let told = &words[at + 1..];
        let names = |extra: &&CudaExtra<'_>| {
            let by_word = told.windows(2).any(|pair| pair[0] == "--extra" && pair[1] == extra.name);
            by_word || told.iter().any(|word| word.strip_prefix("--extra=") == Some(extra.name))
        };
        match told.first() {
            Some(&"sync") => synced = extras.iter().find(names).map(|extra| (extra, command.site)),
            Some(&"run") => {
                let Some((extra, site)) = synced else { continue };
                let keeps =
                    told.iter().any(|word| KEEPING.contains(&word.split('=').next().unwrap_or_default()));
                if keeps || found.iter().any(|known| known.place == command.site) {
                    continue;
                }
                let raw_finding = RawFinding::at(command.site).word("extra", extra.name);
                let raw_finding = raw_finding.beside(site, "the build for CUDA is installed here");
                // Without torch in the base it depends on what the other packages ask for.
                found.push(if extra.in_base { raw_finding } else { raw_finding.at_most(Severity::Note) });
            }
            _ => {}
        }
    }
    found
}

/// The extras of `torch = [{index = "pytorch-cu128", extra = "cuda"}]` whose index has builds for CUDA.
fn cuda_extras(text: &str) -> Vec<CudaExtra<'_>> {
    let Some((_, sources)) = text.split_once("[tool.uv.sources]") else { return Vec::new() };
    let sources = sources.split("\n[").next().unwrap_or_default();
    let Some((_, torch)) = sources.split_once("\ntorch = [") else { return Vec::new() };
    let torch = torch.split("\n]").next().unwrap_or_default();
    let base = text.split_once("\ndependencies = [").and_then(|(_, base)| base.split(']').next());
    let in_base = base.is_some_and(|base| {
        base.split(['"', '\'']).any(|name| {
            name.strip_prefix("torch")
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-'))
        })
    });
    let mut extras = Vec::new();
    for entry in torch.split('{').skip(1) {
        let value = |key: &str| {
            let rest = entry.split_once(&format!("{key} = "))?.1;
            rest.trim_start_matches(['"', '\'']).split(['"', '\'']).next()
        };
        let Some((index, name)) = value("index").zip(value("extra")) else { continue };
        let is_cuda = text.split("[[tool.uv.index]]").skip(1).any(|table| {
            let table = table.split("\n[").next().unwrap_or_default();
            table.contains(&format!("name = \"{index}\"")) && table.contains("/whl/cu")
        });
        if is_cuda {
            extras.push(CudaExtra { name, in_base });
        }
    }
    extras
}
