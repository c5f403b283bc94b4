//! Where a job runs: on a runner that GitHub hosts, on one of the project's own, or in a container there.

use super::super::containers::Gpus;
use super::super::reader::Node;

/// The machine that a job runs on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Runner {
    /// GitHub's own, without a GPU.
    pub is_hosted: bool,
    pub is_windows: bool,
}

/// What a job asks for by `runs-on`.
pub fn of(job: &Node<'_>, matrix: Option<&Node<'_>>) -> Runner {
    let Some(runs_on) = job.get("runs-on") else { return Runner::default() };
    let labels = runs_on.get("labels").unwrap_or(runs_on);
    let mut runner = Runner { is_hosted: true, is_windows: true };
    let mut any = false;
    for label in labels.one_or_more() {
        let Some(label) = label.text() else { return Runner::default() };
        let values = match label.strip_prefix("${{").and_then(|rest| rest.strip_suffix("}}")) {
            Some(expression) => values_of(expression.trim(), matrix),
            None => vec![label],
        };
        any |= !values.is_empty();
        runner.is_hosted &= !values.is_empty() && values.iter().all(|value| is_hosted(value));
        runner.is_windows &= values.iter().all(|value| is_windows(value));
    }
    // Labels of an own runner say its system beside other things.
    let says_windows = |label: &str| label.eq_ignore_ascii_case("windows");
    let own_windows = labels.one_or_more().iter().filter_map(|label| label.text()).any(says_windows);
    Runner { is_hosted: any && runner.is_hosted, is_windows: any && (runner.is_windows || own_windows) }
}

/// The values of `matrix.os`.
fn values_of<'s>(expression: &str, matrix: Option<&Node<'s>>) -> Vec<&'s str> {
    let (Some(key), Some(matrix)) = (expression.strip_prefix("matrix."), matrix) else { return Vec::new() };
    let mut values: Vec<&str> = Vec::new();
    values.extend(matrix.get(key).iter().flat_map(|list| list.items()).filter_map(|item| item.text()));
    let included = matrix.get("include");
    let included = included.iter().flat_map(|list| list.items()).filter_map(|item| item.get(key)?.text());
    values.extend(included);
    values
}

fn is_hosted(label: &str) -> bool {
    let label = label.to_ascii_lowercase();
    ["ubuntu-", "windows-", "macos-"].iter().any(|system| label.starts_with(system)) && !label.contains("gpu")
}

fn is_windows(label: &str) -> bool {
    label.to_ascii_lowercase().starts_with("windows")
}

/// The GPUs that the options of a container ask for: `--gpus all`.
pub fn given(container: &Node<'_>) -> Gpus {
    let options = container.get("options").and_then(|options| options.text()).unwrap_or_default();
    let mut words = options.split_whitespace();
    let Some(word) = words.find(|word| word.starts_with("--gpus") || *word == "--runtime=nvidia") else {
        return Gpus::default();
    };
    let value = word.strip_prefix("--gpus=").or_else(|| words.next()).unwrap_or_default();
    let certain = value.contains("device=");
    let single = certain && !value.contains(',');
    Gpus { any: true, certain, single, span: container.get("options").map(|options| options.span) }
}
