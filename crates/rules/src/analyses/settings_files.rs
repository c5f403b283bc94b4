//! A file of variables that a program reads into an object of settings, and not into its environment.

use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::code::{Expr, ExprKind, StatementKind, Target};
use crate::facts::{FileId, Place, Span, lines_in};
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;
use crate::sources::{file_name_of, folder_of};

/// What puts such a file into an environment.
const LOADING: &[&str] = &[
    "load_dotenv",
    "env_file:",
    "--env-file",
    "set -a",
    "set -o allexport",
    "dotenv run",
    "source ",
    "EnvironmentFile",
];

/// How the names of variables begin that libraries of CUDA read from the environment. A project has settings with other names.
const READ: &[&str] =
    &["CUDA_", "NVIDIA_", "PYTORCH_CUDA_", "PYTORCH_ALLOC_", "XLA_", "TF_FORCE_", "HIP_", "ROCR_"];

/// `SettingsConfigDict(env_file="local.env")`, where the file sets a variable that only a library of CUDA reads.
pub(super) fn that_set_nothing(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut named: Vec<(Span, &str)> = Vec::new();
    walk(scope.code, &mut |part, around| match part {
        CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) => {
            let given = match scope.names.path(&call.callee).unwrap_or_default() {
                "pydantic_settings.SettingsConfigDict" => argument(&call.arguments, None, Some("env_file")),
                "dotenv.dotenv_values" => argument(&call.arguments, Some(0), Some("dotenv_path")),
                _ => None,
            };
            if let Some(Expr { kind: ExprKind::Text(text), span }) = given {
                named.push((*span, text));
            }
        }
        // `class Config: env_file = ".env"`
        CodeNode::Statement(step) => {
            if let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind
                && let ([Target::Name("env_file", _)], ExprKind::Text(text)) =
                    (targets.as_slice(), &value.kind)
                && matches!(around.last(), Some(Ancestor::Class(_)))
            {
                named.push((value.span, text));
            }
        }
        _ => {}
    });
    if named.is_empty() || is_loaded_otherwise(scope) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (span, name) in named {
        let Some((file, set, variable)) = set_in(scope, name) else { continue };
        let raw_finding = RawFinding::at(scope.place(span)).word("variable", variable).word("file", name);
        found.push(raw_finding.beside(Place { file, span: set }, "it is set here"));
    }
    found
}

/// Whether something else brings variables of a file, or a value of the settings, into the environment.
fn is_loaded_otherwise(scope: &FileScope<'_>) -> bool {
    if scope.program.has_any(LOADING) {
        return true;
    }
    let is_pipenv = |name: &str| matches!(file_name_of(name), "Pipfile" | ".envrc" | "Procfile");
    scope.program.every_file().any(|(_, file)| {
        is_pipenv(&file.name) || file.text.contains("environ") && file.text.contains("CUDA_VISIBLE_DEVICES")
    })
}

/// The variable about GPUs that a file of variables sets, beside this file or at the top of the project.
fn set_in(scope: &FileScope<'_>, name: &str) -> Option<(FileId, Span, String)> {
    let own = folder_of(scope.program.name_of(scope.file));
    let name = name.trim_start_matches("./");
    let beside = if own.is_empty() { name.to_owned() } else { format!("{own}/{name}") };
    let mut of_name = scope.program.every_file().filter(|(_, file)| file.name == name || file.name == beside);
    let (number, file) = of_name.next()?;
    for (span, line) in lines_in(&file.text) {
        let set =
            line.trim().trim_start_matches("export ").split_once('=').map(|(variable, _)| variable.trim());
        if let Some(variable) = set.filter(|variable| READ.iter().any(|start| variable.starts_with(start))) {
            return Some((number, span, variable.to_owned()));
        }
    }
    None
}
