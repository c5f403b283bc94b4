//! Versions that images say: by the tag of one that is built on or started (`FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime`),
//! or by what a Dockerfile installs, or a document says to install (`pip install torch==2.5.1`), also by the file of an environment
//! that it names (`conda env create -f scripts/environment.yml`).

use super::Range;
use crate::code::Clause;
use crate::languages::requirements;
use crate::sources::{Language, Source, Sources, folder_of, normalised};
use std::sync::OnceLock;

/// Images that are made of one package, and have its version as tag.
const IMAGES: &[(&str, &str)] = &[("pytorch/pytorch", "torch"), ("tensorflow/tensorflow", "tensorflow")];

/// NVIDIA's images of torch, whose tag is the month: `nvcr.io/nvidia/pytorch:21.11-py3`, and those that a computing centre makes of
/// them: `nersc/pytorch:ngc-23.07-v0`.
const BY_MONTH: &[(&str, &str)] = &[("nvidia/pytorch", ""), ("nersc/pytorch", "ngc-")];

/// By year what torch is below in these images: they hold what becomes the next version, such as 1.10 in 21.10, and none that came
/// out half a year later.
const BELOW: &[(u32, &str)] = &[(21, "<1.13"), (22, "<2.1"), (23, "<2.4")];

/// Where images come from; the same ones are named without it.
const REGISTRIES: &[&str] = &["docker://", "docker:", "docker.io/", "nvcr.io/", "nvcr.io#"];

/// Folders that hold the Dockerfiles of the one around them, also one below the other: `tools/docker`.
const OF_THE_FOLDER: &[&str] = &[
    "docker",
    "dockerfiles",
    "dockerfile",
    "container",
    "containers",
    "images",
    ".devcontainer",
    "tools",
    "build",
];

/// What the files of a project say of packages in images: the folder that it holds for, the package, and its versions, which
/// are `None` where the tag says none.
#[derive(Default)]
pub struct Images(OnceLock<Vec<Said>>);

#[derive(Debug)]
pub struct Said {
    folder: String,
    package: &'static str,
    versions: Option<Range>,
}

/// Whether there are images for a package.
pub fn may_say(package: &str) -> bool {
    IMAGES.iter().any(|(_, known)| *known == package)
}

impl Images {
    /// The versions of a package in the images of a folder; `None` when one of these has a tag that says no version.
    pub fn range(&self, folder: &str, package: &str, sources: &Sources) -> Option<Range> {
        let here = self.said(sources).iter().filter(|said| said.folder == folder && said.package == package);
        let all: Option<Vec<Range>> = here.map(|said| said.versions.clone()).collect();
        all?.into_iter().reduce(|all, one| all.or(&one))
    }

    /// All that is said.
    pub fn said(&self, sources: &Sources) -> &[Said] {
        self.0.get_or_init(|| {
            let of_file = |file| said_by(file).into_iter().chain(made_by(file, sources));
            sources.files.iter().flat_map(of_file).collect()
        })
    }
}

/// What a file says of each package, for the folders that it speaks for.
fn said_by(file: &Source) -> Vec<Said> {
    let is_dockerfile = file.language == Language::Dockerfile;
    if !is_dockerfile && !matches!(file.language, Language::Shell | Language::Markdown) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (_, package) in IMAGES {
        // `torch` is part of `pytorch` too.
        if !file.text.contains(package) {
            continue;
        }
        let text = file.text.replace("\\\n", " ");
        let said = text.lines().filter_map(|line| match file.language {
            Language::Dockerfile => installed(line, package).or_else(|| built_on(line, package)),
            Language::Markdown => installed(line, package),
            _ => started(line, package),
        });
        // What is installed later replaces what was there.
        let said: Vec<Option<Range>> =
            if is_dockerfile { said.last().into_iter().collect() } else { said.collect() };
        for versions in said {
            let folders = folders_of(&file.name).into_iter();
            found.extend(folders.map(|folder| Said { folder, package, versions: versions.clone() }));
        }
    }
    found
}

/// What the environments hold that a document says to make.
fn made_by(document: &Source, sources: &Sources) -> Vec<Said> {
    let makes = |line: &&str| line.contains("env create") || line.contains("env update");
    if document.language != Language::Markdown || !document.text.contains(" env ") {
        return Vec::new();
    }
    let folder = folder_of(&document.name);
    let mut found = Vec::new();
    for line in document.text.lines().filter(makes) {
        let mut words = line.split([' ', '=']).skip_while(|word| !matches!(*word, "-f" | "--file"));
        let file = words.nth(1).map(|word| word.trim_matches(['"', '\'', '`']));
        let Some(text) =
            file.and_then(|file| normalised(folder, file)).and_then(|path| sources.text_named(&path))
        else {
            continue;
        };
        for line in text.lines() {
            let Some(entry) = line.trim_start().strip_prefix("- ") else { continue };
            let Some(asked) = requirements::conda(entry.trim_matches(['"', '\'']), 0) else { continue };
            let Some([Clause { operator, version }]) = asked.clauses.as_deref() else { continue };
            let package = IMAGES.iter().map(|(_, package)| *package).find(|package| *package == asked.name);
            let version = version.trim_end_matches(".*");
            found.extend(package.filter(|_| operator == "==").and_then(|package| {
                let versions = Some(Range::exactly(version)?);
                Some(Said { folder: folder.to_owned(), package, versions })
            }));
        }
    }
    found
}

/// The folder that a file lies in, and those around it while that only holds such files.
fn folders_of(name: &str) -> Vec<String> {
    let mut folder = folder_of(name);
    let mut found = vec![folder.to_owned()];
    while folder
        .rsplit('/')
        .next()
        .is_some_and(|own| OF_THE_FOLDER.contains(&own.to_ascii_lowercase().as_str()))
    {
        folder = folder_of(folder);
        found.push(folder.to_owned());
    }
    found
}

/// The versions that a line of a Dockerfile takes a package in, if it takes it from an image at all.
fn built_on(line: &str, package: &str) -> Option<Option<Range>> {
    let mut words = line.split_whitespace();
    words.next().filter(|word| word.eq_ignore_ascii_case("from"))?;
    in_image(words.find(|word| !word.starts_with("--"))?, package)
}

/// The version that a line installs with pip or conda, where it names one.
fn installed(line: &str, package: &str) -> Option<Option<Range>> {
    const TOOLS: &[&str] = &["pip", "pip3", "conda", "mamba"];
    let words: Vec<&str> = line.split_whitespace().map(|word| word.trim_matches(['"', '\'', '`'])).collect();
    let at = words.iter().position(|word| *word == "install")?;
    let tool = words.get(at.checked_sub(1)?)?;
    // conda calls it otherwise, and writes one sign.
    let by_conda = if package == "torch" { "pytorch" } else { package };
    let (name, sign) =
        if tool.ends_with("nda") || tool.ends_with("mba") { (by_conda, "=") } else { (package, "==") };
    let is_tool = TOOLS.iter().any(|known| tool.ends_with(known));
    let mut named = words[at + 1..].iter().filter(|_| is_tool).filter_map(|word| word.strip_prefix(name));
    let version = named.find_map(|rest| rest.strip_prefix(sign))?;
    Some(Range::exactly(version.trim_start_matches('=')))
}

/// The versions in an image that a script starts, or that a job of Slurm asks for: `#SBATCH --image=docker:nersc/pytorch:ngc-23.07-v0`.
fn started(line: &str, package: &str) -> Option<Option<Range>> {
    let line = line.trim_start();
    if line.starts_with('#') && !line.starts_with("#SBATCH") {
        return None;
    }
    line.split([' ', '\t', '=', '"', '\'']).find_map(|word| in_image(word, package))
}

/// The versions of a package in an image, if it is made of that package.
fn in_image(image: &str, package: &str) -> Option<Option<Range>> {
    let mut image = image;
    while let Some(rest) = REGISTRIES.iter().find_map(|registry| image.strip_prefix(registry)) {
        image = rest;
    }
    let (name, tag) = image.rsplit_once(':').unwrap_or((image, ""));
    let by_month = BY_MONTH.iter().find(|(known, _)| *known == name && package == "torch");
    if let Some((_, before)) = by_month {
        return Some(
            tag.strip_prefix(before).and_then(|tag| until(tag.split('-').next().unwrap_or_default())),
        );
    }
    IMAGES.iter().find(|(known, of)| *known == name && *of == package)?;
    let version = tag.split('-').next().unwrap_or_default();
    let is_version = version.contains('.') && version.starts_with(|sign: char| sign.is_ascii_digit());
    Some(is_version.then(|| Range::exactly(version)).flatten())
}

/// The versions of torch that images of a month have.
fn until(month: &str) -> Option<Range> {
    let year: u32 = month.split_once('.')?.0.parse().ok()?;
    BELOW.iter().find(|(last, _)| year <= *last).and_then(|(_, below)| Range::read(below))
}
