//! Images that the project builds, by the names that they are given, and whether its containers get GPUs.

use super::Program;
use crate::facts::FileId;
use crate::sources::{Language, Source};

/// Words with which a container is given GPUs, or told which: in launchers, compose files and documents.
const GIVEN: &[&str] = &[
    "--gpus",
    "gpus:",
    "driver: nvidia",
    "nvidia.com/gpu",
    "NVIDIA_VISIBLE_DEVICES",
    "runtime: nvidia",
    "--runtime",
];

impl Program<'_> {
    /// The Dockerfile of an image: `docker build -t NAME .` stands somewhere in the project.
    pub(super) fn image_called(&self, image: &str) -> Option<FileId> {
        let files = self.all_files().filter(|&file| is_launcher(self.sources.file(file)));
        files.into_iter().find_map(|file| {
            let text = self.sources.file(file).text.replace("\\\n", " ");
            text.lines().find_map(|line| self.launched_file(file, None, &dockerfile_of(line, image)?))
        })
    }

    /// Whether some file of the project gives GPUs to a container. A document that says how counts too.
    pub(super) fn gives_gpus_to_containers(&self) -> bool {
        self.sources.files.iter().any(|file| GIVEN.iter().any(|word| file.text.contains(word)))
    }
}

fn is_launcher(file: &Source) -> bool {
    matches!(file.language, Language::Shell | Language::Makefile | Language::PowerShell | Language::Batch)
}

/// The path of the Dockerfile in a command that builds an image of this name.
fn dockerfile_of(line: &str, image: &str) -> Option<String> {
    let (_, options) = line.split_once(" build ").filter(|(engine, _)| {
        ["docker", "podman", "nerdctl", "buildx"].iter().any(|name| engine.trim_end().ends_with(name))
    })?;
    let words: Vec<&str> = options.split_whitespace().map(|word| word.trim_matches(['"', '\''])).collect();
    let value = |names: [&str; 2]| {
        let at = words.iter().position(|word| names.contains(word))?;
        words.get(at + 1).copied()
    };
    value(["-t", "--tag"]).filter(|tag| *tag == image)?;
    if let Some(file) = value(["-f", "--file"]) {
        return Some(file.to_owned());
    }
    // The context comes last; other words may belong to options.
    let context = words.last().filter(|word| **word != image && !word.starts_with('-'))?;
    Some(format!("{}/Dockerfile", context.trim_end_matches('/')))
}

#[cfg(test)]
mod tests {
    use super::dockerfile_of;

    #[test]
    fn a_build_names_its_dockerfile() {
        let file = |line: &str| dockerfile_of(line, "probe");
        assert_eq!(file("docker build -t probe .").as_deref(), Some("./Dockerfile"));
        assert_eq!(file("docker buildx build --tag probe -f docker/a ."), Some("docker/a".to_owned()));
        assert_eq!(file("docker build -t other ."), None);
        assert_eq!(file("docker build -t probe"), None);
        assert_eq!(file("make build -t probe ."), None);
    }
}
