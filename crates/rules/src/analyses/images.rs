//! The images that a project builds, and what is installed by commands, in them and by its scripts.

use super::bare_images::lists_of;
use crate::code::{Grammar, Part, Requirement};
use crate::facts::{FileId, Place};
use crate::rules::files::FileScope;
use crate::sources::{Language, folder_of};

/// The Dockerfiles of the project, with what they say.
pub(super) fn images<'a>(scope: &FileScope<'a>) -> impl Iterator<Item = (FileId, &'a str)> {
    let images = scope.program.every_file().filter(|(_, file)| file.language == Language::Dockerfile);
    images.map(|(id, file)| (id, &*file.text))
}

/// What commands of the project ask of a package: `RUN pip install llama-cpp-python` of an image, and `pip install` of a script, a
/// Makefile, or of the notebook that is looked at. What is there for tests says nothing of where the program runs.
pub(super) fn asked_by_commands<'a>(scope: &FileScope<'a>, package: &str) -> Vec<(Place, &'a Requirement)> {
    let mut asked = asked_of_any(scope, package);
    // conda has builds of both kinds under one name.
    asked.retain(|(_, asked)| asked.grammar != Grammar::Conda);
    asked
}

/// The same of pip and of conda.
pub(super) fn asked_of_any<'a>(scope: &FileScope<'a>, package: &str) -> Vec<(Place, &'a Requirement)> {
    let installs = |file: FileId, language: Language| match language {
        Language::Dockerfile => true,
        Language::Shell | Language::Makefile | Language::PowerShell | Language::Batch => {
            !is_for_tests(scope.program.name_of(file))
        }
        Language::Notebook => file == scope.file,
        _ => false,
    };
    let of_package = |file: FileId| {
        let asked = scope.program.code(file).requirements.iter();
        let asked = asked.filter(|asked| asked.name == package && matches!(asked.part, Part::Command(_)));
        asked.map(move |asked| (Place { file, span: asked.span }, asked))
    };
    let files = scope.program.every_file().filter(|(id, file)| installs(*id, file.language));
    let mut asked: Vec<_> = files.flat_map(|(file, _)| of_package(file)).collect();
    if asked.is_empty() {
        asked.extend(listed_for_image(scope, package));
    }
    asked
}

/// What a list asks of a package that an image installs, where the image is built in a folder around the program.
fn listed_for_image<'a>(scope: &FileScope<'a>, package: &str) -> Vec<(Place, &'a Requirement)> {
    let program = scope.program.name_of(scope.file);
    let is_around = |image: FileId| {
        let folder = folder_of(scope.program.name_of(image));
        folder.is_empty() || program.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
    };
    let mut asked = Vec::new();
    for (image, _) in images(scope).filter(|(image, _)| is_around(*image)) {
        let commands = scope.program.run_commands().flatten();
        for command in commands.filter(|command| command.site.file == image) {
            let Some(told) = command.told_pip_install() else { continue };
            for list in lists_of(scope, command, &told) {
                if is_for_tests(scope.program.name_of(list)) {
                    continue;
                }
                let listed = scope.program.code(list).requirements.iter();
                let listed = listed.filter(|one| one.name == package && one.part == Part::Main);
                asked.extend(listed.map(|one| (Place { file: list, span: one.span }, one)));
            }
        }
    }
    asked
}

/// `ci/install.sh`, `tests/setup.sh`, `install_cpu.sh`
fn is_for_tests(name: &str) -> bool {
    const WORDS: &[&str] = &["bench", "ci", "cpu", "doc", "docs", "github", "test", "tests", "travis"];
    let mut words = name.split(|letter: char| !letter.is_ascii_alphanumeric());
    words.any(|word| WORDS.contains(&&*word.to_ascii_lowercase()))
}
