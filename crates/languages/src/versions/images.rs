//! Versions that the tag of an image says: `FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime`.

use super::Range;
use crate::sources::{Language, Sources, folder_of};

/// Images that are made of one package, and have its version as tag.
const IMAGES: &[(&str, &str)] = &[("pytorch/pytorch", "torch"), ("tensorflow/tensorflow", "tensorflow")];

/// Whether there are images for a package.
pub fn may_say(package: &str) -> bool {
    IMAGES.iter().any(|(_, known)| *known == package)
}

/// The versions of a package in the images that the Dockerfiles of a folder build on; `None` when one of these has a tag that
/// says no version.
pub fn range(folder: &str, package: &str, sources: &Sources) -> Option<Range> {
    let files = sources
        .files
        .iter()
        .filter(|file| file.language == Language::Dockerfile && folder_of(&file.name) == folder);
    let lines = files.flat_map(|file| file.text.lines());
    let versions = lines.filter_map(|line| version_in(line, package));
    let all: Option<Vec<Range>> = versions.map(|version| Range::exactly(version?)).collect();
    all?.into_iter().reduce(|all, one| all.or(&one))
}

/// The version that a line takes a package from, if it takes it from an image at all.
fn version_in<'l>(line: &'l str, package: &str) -> Option<Option<&'l str>> {
    let mut words = line.split_whitespace();
    words.next().filter(|word| word.eq_ignore_ascii_case("from"))?;
    let image = words.find(|word| !word.starts_with("--"))?;
    let (name, tag) = image.rsplit_once(':').unwrap_or((image, ""));
    let name = name.strip_prefix("docker.io/").unwrap_or(name);
    IMAGES.iter().find(|(known, of)| *known == name && *of == package)?;
    let version = tag.split('-').next().unwrap_or_default();
    Some(
        (version.contains('.') && version.starts_with(|sign: char| sign.is_ascii_digit())).then_some(version),
    )
}
