//! What is said once for several programs: they share the statement that shows the fault, and none of them has one of its
//! own.

use crate::facts::{FileId, Place, Span};
use crate::findings::{Audience, Finding, Related, RelativeTime};
use crate::program::Program;

/// So many of the programs are shown beside the finding.
const SHOWN: usize = 3;

/// Says of each finding in a shared file how many programs show it, and which are the first.
pub fn speak_for_programs(findings: &mut [Finding], program: &Program<'_>) {
    for finding in findings {
        let is_shared = finding.programs.len() > 1 && !finding.programs.contains(&finding.place.file);
        // One that speaks for the project has the number of all its programs already.
        if !is_shared || speaks_for_other_places(finding) {
            continue;
        }
        let mut names: Vec<(&str, FileId)> =
            finding.programs.iter().map(|&file| (program.name_of(file), file)).collect();
        names.sort_unstable();
        let joint = if finding.message.ends_with('?') { "" } else { ";" };
        finding.message.push_str(&format!("{joint} {} programs lead here", names.len()));
        let shown = names.into_iter().take(SHOWN).map(|(_, file)| Related {
            place: Place { file, span: Span::default() },
            message: "this program leads there".to_owned(),
            moment: RelativeTime::Unordered,
        });
        finding.related.extend(shown);
    }
}

fn speaks_for_other_places(finding: &Finding) -> bool {
    finding.speaks == Audience::ForProject
        && finding.related.iter().any(|related| finding.programs.contains(&related.place.file))
}
