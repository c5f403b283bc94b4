//! NVIDIA_VISIBLE_DEVICES that a script sets for programs of its own machine: only what creates a container reads it.

use crate::code::walk::{CodeNode, walk};
use crate::code::{Export, ExprKind, Statement, StatementKind};
use crate::commands::program_name;
use crate::facts::{FileId, Place};
use crate::program::MASK;
use crate::rules::files::{FileScope, RawFinding};

const CHOICE: &str = "NVIDIA_VISIBLE_DEVICES";

/// What creates containers, or hands the environment on to something that does.
const CREATORS: &[&str] = &[
    "apptainer",
    "bsub",
    "ch-run",
    "compose",
    "container",
    "crictl",
    "ctr run",
    "distrobox",
    "docker",
    "enroot",
    "helm",
    "kubectl",
    "kubernetes",
    "lxc",
    "nerdctl",
    "podman",
    "pyxis",
    "qsub",
    "sarus",
    "sbatch",
    "shifter",
    "singularity",
    "slurm",
    "srun",
    "udocker",
];

/// `export NVIDIA_VISIBLE_DEVICES=1` in a script that starts programs itself, and no container.
pub(super) fn that_nobody_reads(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let starts_program = || {
        scope.own_commands().any(|command| {
            let mut words = command.words.iter().flatten();
            command.starts.is_some() || words.any(|word| program_name(word).starts_with("python"))
        })
    };
    if stands_again(scope.whole_text())
        || scope.is_named_elsewhere(CHOICE)
        || !starts_program()
        || may_create(scope)
    {
        return Vec::new();
    }
    let (mut found, mut masks) = (Vec::new(), Vec::new());
    scope.each_statement(&mut |step, _| {
        let StatementKind::SetVariable(set) = &step.kind else { return };
        let Some(value) = &set.value else { return };
        let written = scope.text(value.span).trim_matches(['"', '\'']);
        // Who lets all of them be seen chooses none.
        let is_choice =
            !matches!(&value.kind, ExprKind::Text(text) if matches!(&**text, "" | "all" | "none" | "void"));
        if set.name == MASK {
            masks.push(written);
        } else if set.name == CHOICE && set.export == Export::Yes && is_choice {
            found.push((written, set.span));
        }
    });
    let open = found.into_iter().filter(|(written, _)| !masks.contains(written));
    open.map(|(_, span)| RawFinding::at(scope.place(span))).collect()
}

/// Whether a script names the variable anywhere but where it sets it: for a command, or for another variable.
fn stands_again(text: &str) -> bool {
    const BEFORE: &[&str] = &["export", "do", "then", "else", ";", "&&", "{"];
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    let mut places = lines.flat_map(|line| line.match_indices(CHOICE).map(move |(at, _)| (line, at)));
    places.any(|(line, at)| {
        let before = line[..at].trim();
        let sets = before.is_empty() || BEFORE.iter().any(|word| before.ends_with(word));
        !(sets && line[at + CHOICE.len()..].starts_with('='))
    })
}

/// Whether a script, or a file of the project that it sources or starts, may create a container.
fn may_create(scope: &FileScope<'_>) -> bool {
    let names_creator = |file: FileId| {
        let text = scope.program.sources.file(file).text.to_ascii_lowercase();
        CREATORS.iter().any(|creator| text.contains(creator))
    };
    let mut files = vec![scope.file];
    let mut next = 0;
    while let Some(&file) = files.get(next) {
        if names_creator(file) || sources_another(scope, file) {
            return true;
        }
        let commands = scope.program.run_commands().flatten();
        let started =
            commands.filter(|command| command.site.file == file).filter_map(|command| command.starts);
        for file in started {
            if !files.contains(&file) {
                files.push(file);
            }
        }
        next += 1;
    }
    false
}

/// Whether a script takes functions of another one, which may start a container: what they do is not followed.
fn sources_another(scope: &FileScope<'_>, file: FileId) -> bool {
    /// Files of a shell and of an environment, which have no such functions.
    const USUAL: &[&str] = &["activate", "bashrc", "profile", "conda.sh"];
    let mut sources = false;
    walk(scope.program.code(file), &mut |part, _| {
        let CodeNode::Statement(Statement { kind: StatementKind::Source(path), .. }) = part else { return };
        let text = scope.program.text(Place { file, span: path.span });
        let path = text.trim_matches(['"', '\'']);
        sources |= !USUAL.iter().any(|usual| path.ends_with(usual));
    });
    sources
}
