//! Images that the project builds, by the names that they are given, and whether its containers get GPUs.

use super::relevance::is_compose;
use super::{Program, dependency_log};
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
            if says_how_to_build(source) && source.text.contains(" build ") {
                let text = source.text.replace("\\\n", " ");
                let builds = text.lines().filter(|line| line.contains(" build "));
                let builds = builds.map(|line| (FileId(number as u32), with_values(line, &text)));
                images.builds.extend(builds);
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
        dependency_log::note_whole(file);
        let is_entrypoint = |line: &str| {
            line.split_whitespace().next().is_some_and(|word| word.eq_ignore_ascii_case("ENTRYPOINT"))
        };
        self.sources.file(file).text.lines().any(is_entrypoint)
    }

    /// Whether some file of the project gives GPUs to a container. A document that says how counts too.
    pub fn gives_gpus_to_containers(&self) -> bool {
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

/// Whether people look there for how an image is built: the comments of a Dockerfile and documents count too.
fn says_how_to_build(file: &Source) -> bool {
    is_launcher(file) || matches!(file.language, Language::Dockerfile | Language::Markdown | Language::Yaml)
}

/// A line with the values of variables that the file gives once: `IMAGE=probe`, `IMAGE := probe` of a Makefile.
fn with_values(line: &str, text: &str) -> String {
    let mut line = line.to_owned();
    if !line.contains('$') {
        return line;
    }
    for (name, value) in text.lines().filter_map(assignment) {
        for used in [format!("${{{name}}}"), format!("$({name})")] {
            line = line.replace(&used, value);
        }
        // Not the beginning of a longer name.
        let used = format!("${name}");
        let ends = |rest: &str| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_');
        while let Some(at) =
            line.match_indices(&used).map(|(at, _)| at).find(|at| ends(&line[at + used.len()..]))
        {
            line.replace_range(at..at + used.len(), value);
        }
    }
    line
}

/// The variable that a line sets to a text without blanks and other variables.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.trim().trim_start_matches("export ").split_once('=')?;
    let name = name.trim_end_matches([':', '?', ' ']);
    let value = value.trim().trim_matches(['"', '\'']);
    let is_name = |one: char| one.is_ascii_alphanumeric() || one == '_';
    let is_plain = !value.is_empty() && !value.contains(['$', '`', ' ', ';', '&']);
    (is_plain && !name.is_empty() && name.chars().all(is_name)).then_some((name, value))
}

/// Whether two names mean one image: without a tag it is the newest.
fn is_same_image(one: &str, other: &str) -> bool {
    let plain = |name: &str| name.strip_suffix(":latest").unwrap_or(name).to_owned();
    plain(one) == plain(other)
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
            "-t" | "--tag" => is_named |= words.next().is_some_and(|name| is_same_image(name, image)),
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
    use super::{dockerfile_of, with_values};

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
        assert_eq!(file("# docker build -t probe:latest .").as_deref(), Some("./Dockerfile"));
        assert_eq!(file("docker build -t probe:1 ."), None);
        assert_eq!(file("docker build -t other ."), None);
        assert_eq!(file("docker build -t probe"), None);
        assert_eq!(file("make build -t probe ."), None);
    }

    #[test]
    fn a_build_may_name_its_image_by_a_variable() {
        let line = |text: &str| with_values("docker build -t $IMAGE -t ${IMAGE}:2 $IMAGES", text);
        for text in ["IMAGE=probe\n", "  export IMAGE=\"probe\"\n", "IMAGE := probe\n", "IMAGE ?= probe\n"] {
            assert_eq!(line(text), "docker build -t probe -t probe:2 $IMAGES", "{text}");
        }
        for text in ["IMAGE=$1\n", "IMAGE=$(cat name)\n", "docker run --env=IMAGE=probe x\n", "IMAGE=\n"] {
            assert_eq!(line(text), "docker build -t $IMAGE -t ${IMAGE}:2 $IMAGES", "{text}");
        }
    }
}
