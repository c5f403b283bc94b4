//! The images that a project builds, and what is installed in them.

use crate::code::{Part, Requirement};
use crate::facts::{FileId, Place};
use crate::rules::files::FileScope;
use crate::sources::Language;

/// The Dockerfiles of the project, with what they say.
pub(super) fn images<'a>(scope: &FileScope<'a>) -> impl Iterator<Item = (FileId, &'a str)> {
    let images = scope.program.every_file().filter(|(_, file)| file.language == Language::Dockerfile);
    images.map(|(id, file)| (id, &*file.text))
}

/// What commands of images ask of a package: `RUN pip install llama-cpp-python`.
pub(super) fn asked_by_images<'a>(scope: &FileScope<'a>, package: &str) -> Vec<(Place, &'a Requirement)> {
    let of_package = |file: FileId| {
        let asked = scope.program.code(file).requirements.iter();
        let asked = asked.filter(|asked| asked.name == package && matches!(asked.part, Part::Command(_)));
        asked.map(move |asked| (Place { file, span: asked.span }, asked))
    };
    images(scope).flat_map(|(file, _)| of_package(file)).collect()
}
