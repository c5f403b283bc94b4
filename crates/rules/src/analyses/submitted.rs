//! What `sbatch` is told beside a job script, which overrules the script: by commands of the project, and by those that documents
//! and comments show.

use crate::program::RunCommand;
use crate::rules::files::FileScope;
use crate::sources::file_name_of;

/// Whether some command, or one that people are told to type, gives `sbatch` such a word. A word of a command that is not known is
/// empty.
pub(super) fn is_told(scope: &FileScope<'_>, accepts: &dyn Fn(&str) -> bool) -> bool {
    let by_command = |command: &RunCommand| {
        command.options_of("sbatch").is_some_and(|told| told.iter().any(|word| accepts(word)))
    };
    is_shown(scope, accepts) || scope.program.run_commands().flatten().any(by_command)
}

/// Whether a document, or a comment of the script itself, shows how it is submitted, with such a word.
fn is_shown(scope: &FileScope<'_>, accepts: &dyn Fn(&str) -> bool) -> bool {
    let own = file_name_of(scope.program.name_of(scope.file));
    let shows = |line: &str| {
        let Some((before, told)) = line.split_once("sbatch ") else { return false };
        let names = |word: &&str| file_name_of(word.trim_end_matches(['`', '\'', '"', '.', ','])) == own;
        let told: Vec<&str> = told.split_whitespace().take_while(|word| !names(word)).collect();
        !before.ends_with(|letter: char| letter.is_alphanumeric())
            && line.contains(own)
            && told.iter().any(|word| accepts(word))
    };
    let files = scope.program.files_with("sbatch ");
    files.iter().any(|&file| {
        let text = scope.program.text_of(file);
        text.contains(own) && text.replace("\\\n", " ").lines().any(shows)
    })
}
