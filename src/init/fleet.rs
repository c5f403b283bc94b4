//! The files that validate many machines on the engines that teams have already, and merge the reports into one verdict.

use super::runner::Runner;
use clap::ValueEnum;

/// What starts jobs on machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    Github,
    Slurm,
    Kubernetes,
    Ray,
}

/// What a file is about.
#[derive(Clone, Debug)]
pub enum Fleet<'a> {
    /// A job on each of these runners; at least one.
    Github(&'a [Runner]),
    /// A task for each of so many cards.
    Slurm(u32),
    /// A pod for each of so many cards, with this image.
    Kubernetes(u32, &'a str),
    /// A task for each card of the cluster, which Ray counts.
    Ray,
}

impl Fleet<'_> {
    /// Where the file belongs in a project.
    pub fn file(&self) -> &'static str {
        match self {
            Fleet::Github(_) => ".github/workflows/gpulint-fleet.yml",
            Fleet::Slurm(_) => "gpulint-fleet.sbatch",
            Fleet::Kubernetes(..) => "gpulint-fleet.yaml",
            Fleet::Ray => "gpulint_fleet.py",
        }
    }

    /// What it says. A mark such as `@CARDS@` is in no label of a runner, and an image is put in last.
    pub fn text(&self) -> String {
        let counted = |text: &str, cards: &dyn ToString| text.replace("@CARDS@", &cards.to_string());
        match self {
            Fleet::Github(runners) => {
                let first = runners.first().map(Runner::in_yaml).unwrap_or_default();
                let all: Vec<String> =
                    runners.iter().map(|runner| format!("          - {}", runner.in_yaml())).collect();
                counted(include_str!("fleet/github.yml"), &runners.len())
                    .replace("@RUNNERS@", &all.join("\n"))
                    .replace("@FIRST@", &first)
            }
            Fleet::Slurm(cards) => counted(include_str!("fleet/slurm.sbatch"), cards),
            Fleet::Kubernetes(cards, image) => {
                counted(include_str!("fleet/kubernetes.yaml"), cards).replace("@IMAGE@", image)
            }
            Fleet::Ray => include_str!("fleet/ray.py").to_owned(),
        }
    }
}

/// An image of a container: `registry.example/team/project:1.2`, with a digest or without.
///
/// # Errors
/// When a text is none.
pub fn image(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | ':' | '@');
    let is_image = text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text.ends_with(|last: char| last.is_ascii_alphanumeric())
        && text.chars().all(is_plain);
    match is_image {
        true => Ok(text.to_owned()),
        false => {
            Err("it is an image with gpulint and the project, such as registry.example/team/project:1.2"
                .to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_mark_is_left_in_a_file() {
        let runners = ["gpu,rtx3090".parse().unwrap(), "gpu,3090".parse().unwrap()];
        for fleet in [Fleet::Github(&runners), Fleet::Slurm(12), Fleet::Kubernetes(12, "a/b:1"), Fleet::Ray] {
            let text = fleet.text();
            for mark in ["@CARDS", "@RUNNERS", "@FIRST", "@IMAGE", "CARDS@", "https://"] {
                assert!(!text.contains(mark), "{mark}: {text}");
            }
        }
        let odd = ["FIRST-RUNNERS,CARDS".parse().unwrap()];
        assert!(Fleet::Github(&odd).text().contains("runs-on: [FIRST-RUNNERS, CARDS]\n"));
        let workflow = Fleet::Github(&runners).text();
        assert!(workflow.contains("          - [gpu, rtx3090]\n          - [gpu, \"3090\"]\n"), "{workflow}");
        assert!(
            workflow.contains("    runs-on: [gpu, rtx3090]\n") && workflow.contains("--expect 2 "),
            "{workflow}"
        );
    }

    #[test]
    fn an_image_is_a_plain_word() {
        assert!(image("registry.example:5000/team/project@sha256:0123").is_ok());
        for text in ["", "a b", "-x", "a:", "a\nb", "{{ x }}", "a\"b", "a#b"] {
            assert!(image(text).is_err(), "{text}");
        }
    }
}
