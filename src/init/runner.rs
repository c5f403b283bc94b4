//! The workflow that validates on a machine with a GPU, which is a runner of the project's own.

use std::str::FromStr;

/// GitHub gives these to every runner of one's own, so they name none.
const OF_EVERY_RUNNER: &[&str] = &["self-hosted", "linux", "windows", "macos", "x64", "arm", "arm64"];

/// The runner that has all of these labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runner {
    labels: Vec<String>,
}

impl FromStr for Runner {
    type Err = String;

    fn from_str(text: &str) -> Result<Runner, String> {
        let labels: Vec<String> = text.split(',').map(|label| label.trim().to_owned()).collect();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let is_label = |label: &str| !label.is_empty() && label.chars().all(is_plain);
        if let Some(label) = labels.iter().find(|label| !is_label(label)) {
            return Err(format!(
                "`{label}` is no label; labels have letters, digits, `-`, `_` and `.`, with commas between"
            ));
        }
        if labels.iter().all(|label| is_of_every_runner(label)) {
            return Err(format!(
                "`{}` is any runner, with this GPU, another or none; add a label that names the machine or its card, such as \
                 self-hosted,gpu,rtx3090",
                labels.join(",")
            ));
        }
        Ok(Runner { labels })
    }
}

impl Runner {
    /// The content of `.github/workflows/gpulint-gpu.yml`.
    pub fn workflow(&self, repository: Option<&str>) -> String {
        let step = match repository.or(super::of_home()) {
            Some(repository) => ACTION.replace("REPOSITORY", repository),
            None => "      - run: gpulint validate   # the gpulint on PATH of the runner\n".to_owned(),
        };
        let workflow = WORKFLOW.replace("LABELS", &self.in_yaml()).replace("GROUP", &self.group());
        format!("{workflow}{step}")
    }

    /// As a list in YAML: `[self-hosted, gpu, rtx3090]`.
    pub(super) fn in_yaml(&self) -> String {
        let labels: Vec<String> = self.labels.iter().map(|label| in_yaml(label)).collect();
        format!("[{}]", labels.join(", "))
    }

    /// One for each machine: `gpu-rtx3090`.
    fn group(&self) -> String {
        let says_nothing = |label: &str| is_of_every_runner(label) || label.eq_ignore_ascii_case("gpu");
        let naming = self.labels.iter().filter(|label| !says_nothing(label)).map(String::as_str);
        std::iter::once("gpu").chain(naming).collect::<Vec<_>>().join("-")
    }
}

fn is_of_every_runner(label: &str) -> bool {
    OF_EVERY_RUNNER.iter().any(|known| label.eq_ignore_ascii_case(known))
}

/// A label that YAML would read as a number or a truth value stands in quotes.
fn in_yaml(label: &str) -> String {
    let is_text = serde_yaml::from_str::<serde_yaml::Value>(label).is_ok_and(|value| value.is_string());
    let is_word = label.starts_with(|first: char| first.is_ascii_alphabetic());
    // Truth values of YAML 1.1, which not every reader has left behind.
    let is_old_truth =
        ["y", "n", "yes", "no", "on", "off"].iter().any(|word| label.eq_ignore_ascii_case(word));
    match is_text && is_word && !is_old_truth {
        true => label.to_owned(),
        false => format!("\"{label}\""),
    }
}

const WORKFLOW: &str = "\
# Proves the GPU and the programs of this project on a machine of one's own: each night, by hand, and for a pull request
# when somebody gives it the label `gpu`. Who may give labels may run code there.
#
# A pull request from a fork does not run here: the machine is kept, with its network and all that lies on it. But a fork
# may change this file as well. In a public repository, require an approval for all runs of outside contributors, or
# have no such runner: GitHub recommends them for private repositories only.
name: gpulint on the GPU
on:
  schedule:
    - cron: \"17 3 * * *\"
  workflow_dispatch:
  pull_request:
    types: [labeled]
permissions: {}
jobs:
  validate:
    name: Validate
    if: >-
      github.event_name != 'pull_request' ||
      (github.event.label.name == 'gpu' && github.event.pull_request.head.repo.full_name == github.repository)
    runs-on: LABELS
    timeout-minutes: 120
    # One at a time, and one that waits: a third one cancels the waiting one. Jobs of other repositories are held off by
    # gpulint itself, which takes the card for as long as it needs it.
    concurrency:
      group: GROUP
      cancel-in-progress: false
    permissions:
      contents: read
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          persist-credentials: false
";

const ACTION: &str = "      - uses: REPOSITORY@main    # better: the full hash of a commit
        with:
          stage: runtime
          # binary: /usr/local/bin/gpulint   # where the runner has no Rust to build it with
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_runner_is_named() {
        let group = |labels: &str| labels.parse::<Runner>().unwrap().group();
        assert_eq!(group("self-hosted,linux,x64,gpu,rtx3090"), "gpu-rtx3090");
        assert_eq!(group("Self-Hosted, GPU"), "gpu");
        assert_eq!(group("rtx3090,box-7"), "gpu-rtx3090-box-7");
        for labels in ["self-hosted", "Self-Hosted", "self-hosted,Linux,X64", "linux"] {
            let told = labels.parse::<Runner>().unwrap_err();
            assert!(told.starts_with(&format!(
                "`{labels}` is any runner, with this GPU, another or none; add a label"
            )));
        }
        for labels in ["", "self-hosted,,gpu", "gpu,", "a b", "${{ x }}", "a]", "gpu\nx: y"] {
            assert!(labels.parse::<Runner>().unwrap_err().contains("is no label"), "{labels}");
        }
    }

    #[test]
    fn labels_stay_texts() {
        for label in [
            "gpu", "rtx3090", "3090", "1e3", "0x1", "1.0", "-", "--", ".", "on", "Yes", "true", "null", "N",
            "_",
        ] {
            let read: serde_yaml::Value = serde_yaml::from_str(&format!("[{}]", in_yaml(label))).unwrap();
            assert_eq!(read[0].as_str(), Some(label));
        }
        assert_eq!([in_yaml("rtx3090"), in_yaml("3090")], ["rtx3090", "\"3090\""]);
    }
}
