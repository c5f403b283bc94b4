//! Files with variables of the GPU that a script sources, and that export none of them.

use super::subshells::{READ_BY_LIBRARIES, blocks_of_shells, started_in};
use crate::code::{StatementKind, walk::CodeNode, walk::walk};
use crate::facts::{FileId, Place, Span, lines_in};
use crate::program::is_gpu_variable;
use crate::rules::files::{FileScope, RawFinding};
use crate::sources::{Language, Source, file_name_of};

/// `source env.sh` above `python train.py`, where env.sh says `CUDA_VISIBLE_DEVICES=1`.
pub(super) fn that_export_nothing(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    let mut exports_all = text.contains("set -a") || text.contains("allexport");
    walk(scope.code, &mut |part, _| {
        if let CodeNode::Statement(step) = part {
            exports_all |= matches!(step.kind, StatementKind::ExportAll(_));
        }
    });
    if exports_all || scope.language() != Language::Shell {
        return Vec::new();
    }
    let mut found = Vec::new();
    for block in blocks_of_shells(scope.code) {
        for (at, step) in block.iter().enumerate() {
            let StatementKind::Source(path) = &step.kind else { continue };
            let Some(started) = started_in(scope, &block[at + 1..]) else { continue };
            let written = scope.text(path.span).trim_matches(['"', '\'']);
            let Some((file, source)) = sourced(scope, file_name_of(written)) else { continue };
            for (span, name) in unexported(source) {
                // The script exports it itself, sets it once more, or hands it on as an argument.
                if !text.contains(name) {
                    let (set, sourced) = (Place { file, span }, scope.place(step.span));
                    // Other programs may read a file of variables in their own ways.
                    let (place, beside, note) = match source.language {
                        Language::Shell => (set, sourced, "it is sourced here"),
                        _ => (sourced, set, "it is set here"),
                    };
                    let raw_finding = RawFinding::at(place).word("variable", name).beside(beside, note);
                    found.push(raw_finding.beside(scope.place(started), "this program does not get it"));
                }
            }
        }
    }
    found
}

/// The only file of the project with this name.
fn sourced<'a>(scope: &FileScope<'a>, name: &str) -> Option<(FileId, &'a Source)> {
    let is_it = |(_, source): &(FileId, &Source)| {
        file_name_of(&source.name) == name && matches!(source.language, Language::Shell | Language::Dotenv)
    };
    let mut named = scope.program.every_file().filter(is_it);
    named.next().filter(|_| named.next().is_none())
}

/// The variables of the GPU that a file sets for its own shell alone.
fn unexported(source: &Source) -> Vec<(Span, &str)> {
    let text = &source.text;
    if ["export ", "set -a", "allexport", "declare -x", "typeset -x"].iter().any(|word| text.contains(word)) {
        return Vec::new();
    }
    let of_line = |(span, line): (Span, &'_ str)| {
        let begin = line.len() - line.trim_start().len();
        let start = span.start as usize + begin;
        let own = line.trim();
        let (name, value) = own.split_once('=')?;
        let is_plain = !value.trim().is_empty() && !value.contains([' ', ';', '&']);
        let name_span = start..start + name.len();
        let is_read = READ_BY_LIBRARIES.iter().any(|end| name.ends_with(end));
        (is_plain && is_read && is_gpu_variable(name))
            .then(|| (Span::new(start, start + own.len()), &text[name_span]))
    };
    lines_in(text).filter_map(of_line).collect()
}
