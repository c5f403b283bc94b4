//! Images that the project builds, by the names that they are given, and whether its containers get GPUs.

use super::reach::is_compose;
use super::{Program, readings};
use crate::facts::FileId;
use crate::sources::{Language, Source, Sources};

/// Words with which a container is given GPUs, or told which.
const GIVEN: &[&str] = &[
    "--gpus",
    "driver: nvidia",
    "nvidia.com/gpu",
    "NVIDIA_VISIBLE_DEVICES",
    "runtime: nvidia",
    "--runtime nvidia",
    "--runtime=nvidia",
    " --nv ",
];

/// Programs that run an image without a file that describes it.
const ENGINES: &[&str] = &["singularity", "apptainer"];

/// What launchers, compose files and documents say of images and containers.
#[derive(Default, Hash)]
pub(super) struct Images {
    /// The commands that build images, with the files in which they stand.
    builds: Vec<(FileId, String)>,
    gives_gpus: bool,
}

impl Images {
    fn of(sources: &Sources) -> Images {
        let mut images = Images::default();
        let runs_image =
            |file: &Source| is_launcher(file) && ENGINES.iter().any(|name| file.text.contains(name));
        let has_containers =
            |file: &Source| file.language == Language::Dockerfile || is_compose(file) || runs_image(file);
        if !sources.files.iter().any(has_containers) {
            return images;
        }
        for (number, source) in sources.files.iter().enumerate() {
            images.gives_gpus |= gives_gpus(source);
            if is_launcher(source) && source.text.contains(" build ") {
                let text = source.text.replace("\\\n", " ");
                let builds = text.lines().filter(|line| line.contains(" build "));
                images.builds.extend(builds.map(|line| (FileId(number as u32), line.to_owned())));
            }
        }
        images
    }
}

impl Program<'_> {
    /// What the project says of its images. Programs rest on it as a whole.
    pub(super) fn images(&self) -> &Images {
        self.images.get_or_init(|| Images::of(self.sources))
    }

    /// The Dockerfile of an image: `docker build -t NAME .` stands somewhere in the project.
    pub(super) fn image_called(&self, image: &str) -> Option<FileId> {
        let mut builds = self.images().builds.iter();
        builds.find_map(|(file, line)| self.launched_file(*file, None, &dockerfile_of(line, image)?))
    }

    /// Whether a Dockerfile has an entry point.
    pub(super) fn has_entrypoint(&self, file: FileId) -> bool {
        readings::note_whole(file);
        let is_entrypoint = |line: &str| {
            line.split_whitespace().next().is_some_and(|word| word.eq_ignore_ascii_case("ENTRYPOINT"))
        };
        self.sources.file(file).text.lines().any(is_entrypoint)
    }

    /// Whether some file of the project gives GPUs to a container. A document that says how counts too.
    pub(super) fn gives_gpus_to_containers(&self) -> bool {
        self.images().gives_gpus
    }
}

fn is_launcher(file: &Source) -> bool {
    matches!(
        file.language,
        Language::Shell | Language::Makefile | Language::PowerShell | Language::Batch | Language::Launcher
    )
}

fn gives_gpus(file: &Source) -> bool {
    let is_about_containers = is_launcher(file)
        || matches!(file.language, Language::Markdown | Language::Dockerfile | Language::Yaml);
    let says = |word: &str| file.text.contains(word);
    is_about_containers && GIVEN.iter().copied().any(says) || is_compose(file) && says("gpus:")
}

/// The path of the Dockerfile in a command that builds an image of this name.
fn dockerfile_of(line: &str, image: &str) -> Option<String> {
    /// Options whose value is a word of its own.
    const WITH_VALUE: &[&str] = &[
        "--build-arg",
        "--cache-from",
        "--cache-to",
        "--label",
        "--network",
        "--output",
        "-o",
        "--platform",
        "--progress",
        "--secret",
        "--ssh",
        "--target",
    ];
    let (_, options) = line.split_once(" build ").filter(|(engine, _)| {
        ["docker", "podman", "nerdctl", "buildx"].iter().any(|name| engine.trim_end().ends_with(name))
    })?;
    let is_end = |word: &&str| word.starts_with('#') || matches!(*word, "&&" | "||" | "|" | ";" | ">" | "&");
    let words = options.split_whitespace().take_while(|word| !is_end(word));
    let words = words.flat_map(|word| match word.split_once('=') {
        Some((option, value)) if option.starts_with("--") => vec![option, value],
        _ => vec![word],
    });
    let mut words = words.map(|word| word.trim_matches(['"', '\'', ';']));
    let (mut is_named, mut file, mut context) = (false, None, None);
    while let Some(word) = words.next() {
        match word {
            "-t" | "--tag" => is_named |= words.next() == Some(image),
            "-f" | "--file" => file = words.next(),
            word if WITH_VALUE.contains(&word) => _ = words.next(),
            word if word.starts_with('-') => {}
            word => context = Some(word),
        }
    }
    let file = file.map(str::to_owned);
    let beside = || Some(format!("{}/Dockerfile", context?.trim_end_matches('/')));
    file.or_else(beside).filter(|_| is_named)
}

#[cfg(test)]
mod tests {
    use super::dockerfile_of;

    #[test]
    fn a_build_names_its_dockerfile() {
        let file = |line: &str| dockerfile_of(line, "probe");
        assert_eq!(file("docker build -t probe .").as_deref(), Some("./Dockerfile"));
        assert_eq!(file("docker buildx build --tag probe -f docker/a ."), Some("docker/a".to_owned()));
        for line in [
            "docker build . -t probe",
            "docker build --tag=probe .",
            "docker build -t probe . && ls",
            "docker build -t probe . # x",
        ] {
            assert_eq!(file(line).as_deref(), Some("./Dockerfile"), "{line}");
        }
        assert_eq!(
            file("docker build --build-arg A=1 --target=b -t probe sub/").as_deref(),
            Some("sub/Dockerfile")
        );
        assert_eq!(file("docker build -t other ."), None);
        assert_eq!(file("docker build -t probe"), None);
        assert_eq!(file("make build -t probe ."), None);
    }
}
