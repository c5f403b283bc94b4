//! Versions that the tag of an image says: `FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime`.

use super::Range;
use crate::sources::{Language, Sources, folder_of};

/// Images that are made of one package, and have its version as tag.
const IMAGES: &[(&str, &str)] = &[("pytorch/pytorch", "torch"), ("tensorflow/tensorflow", "tensorflow")];

/// NVIDIA's images of torch, whose tag is the month: `nvcr.io/nvidia/pytorch:21.11-py3`.
const BY_MONTH: &str = "nvcr.io/nvidia/pytorch";

/// By year what torch is below in these images: they hold what becomes the next version, such as 1.10 in 21.10, and none that came
/// out half a year later.
const BELOW: &[(u32, &str)] = &[(21, "<1.13"), (22, "<2.1"), (23, "<2.4")];

/// A folder that holds the Dockerfiles of the one around it.
const OF_THE_FOLDER: &str = "docker";

/// Whether there are images for a package.
pub fn may_say(package: &str) -> bool {
    IMAGES.iter().any(|(_, known)| *known == package)
}

/// The versions of a package in the images that the Dockerfiles of a folder build on; `None` when one of these has a tag that
/// says no version.
pub fn range(folder: &str, package: &str, sources: &Sources) -> Option<Range> {
    let is_beside = |name: &str| {
        let of = folder_of(name);
        of == folder || of.rsplit('/').next() == Some(OF_THE_FOLDER) && folder_of(of) == folder
    };
    let files =
        sources.files.iter().filter(|file| file.language == Language::Dockerfile && is_beside(&file.name));
    let lines = files.flat_map(|file| file.text.lines());
    let versions = lines.filter_map(|line| versions_in(line, package));
    let all: Option<Vec<Range>> = versions.collect();
    all?.into_iter().reduce(|all, one| all.or(&one))
}

/// The versions that a line takes a package in, if it takes it from an image at all.
fn versions_in(line: &str, package: &str) -> Option<Option<Range>> {
    let mut words = line.split_whitespace();
    words.next().filter(|word| word.eq_ignore_ascii_case("from"))?;
    let image = words.find(|word| !word.starts_with("--"))?;
    let (name, tag) = image.rsplit_once(':').unwrap_or((image, ""));
    let name = name.strip_prefix("docker.io/").unwrap_or(name);
    let version = tag.split('-').next().unwrap_or_default();
    if name == BY_MONTH && package == "torch" {
        return Some(until(version));
    }
    IMAGES.iter().find(|(known, of)| *known == name && *of == package)?;
    let is_version = version.contains('.') && version.starts_with(|sign: char| sign.is_ascii_digit());
    Some(is_version.then(|| Range::exactly(version)).flatten())
}

/// The versions of torch that images of a month have.
fn until(month: &str) -> Option<Range> {
    let year: u32 = month.split_once('.')?.0.parse().ok()?;
    BELOW.iter().find(|(last, _)| year <= *last).and_then(|(_, below)| Range::read(below))
}
