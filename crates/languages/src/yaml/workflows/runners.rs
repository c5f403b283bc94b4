//! Where a job runs: on a runner that GitHub hosts, on one of the project's own, or in a container there.

use super::super::containers::Gpus;
use super::super::reader::Node;

/// The machine that a job runs on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Runner {
    /// GitHub's own, without a GPU.
    pub is_hosted: bool,
    pub is_windows: bool,
    /// One of the project's own, by its label.
    pub is_own: bool,
    /// That label is all that is asked for.
    pub is_bare: bool,
}

/// What a job asks for by `runs-on`.
pub fn of(job: &Node<'_>, matrix: Option<&Node<'_>>, text: &str) -> Runner {
    let Some(runs_on) = job.get("runs-on") else { return Runner::default() };
    let labels = runs_on.get("labels").unwrap_or(runs_on);
    let is_own = labels.one_or_more().iter().any(|label| label.text() == Some("self-hosted"));
    let is_bare = is_own && labels.one_or_more().len() == 1 && runs_on.get("group").is_none();
    let mut runner = Runner { is_hosted: true, is_windows: true, is_own, is_bare };
    let mut any = false;
    for label in labels.one_or_more() {
        let Some(label) = label.text() else { return Runner::default() };
        let mut values = match label.strip_prefix("${{").and_then(|rest| rest.strip_suffix("}}")) {
            Some(expression) => values_of(expression.trim(), matrix),
            None => vec![label],
        };
        if values.is_empty() && !says_gpu(text) && !text.contains("self-hosted") {
            // Of a runner that only the run knows, nobody says that it has a GPU.
            values.push("ubuntu-latest");
        }
        any |= !values.is_empty();
        runner.is_hosted &= !values.is_empty() && values.iter().all(|value| is_hosted(value));
        runner.is_windows &= values.iter().all(|value| is_windows(value));
    }
    // Labels of an own runner say its system beside other things.
    let says_windows = |label: &str| label.eq_ignore_ascii_case("windows");
    let own_windows = labels.one_or_more().iter().filter_map(|label| label.text()).any(says_windows);
    let is_windows = any && (runner.is_windows || own_windows);
    Runner { is_hosted: any && runner.is_hosted, is_windows, ..runner }
}

/// Whether a job speaks of GPUs.
pub fn says_gpu(job: &str) -> bool {
    let job = job.to_ascii_lowercase();
    ["gpu", "cuda", "nvidia"].iter().any(|word| job.contains(word))
}

/// The values of `matrix.os`, or of `matrix.config.os`.
fn values_of<'s>(expression: &str, matrix: Option<&Node<'s>>) -> Vec<&'s str> {
    let (Some(path), Some(matrix)) = (expression.strip_prefix("matrix."), matrix) else { return Vec::new() };
    let (key, inner) = path.split_once('.').map_or((path, None), |(key, inner)| (key, Some(inner)));
    let listed = matrix.get(key).map_or(&[][..], |list| list.items()).iter();
    let included = matrix.get("include").map_or(&[][..], |list| list.items()).iter();
    let items = listed.chain(included.filter_map(|item| item.get(key)));
    items.filter_map(|item| inner.map_or(Some(item), |inner| item.get(inner))?.text()).collect()
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
    Gpus {
        any: true,
        certain,
        single,
        count: None,
        span: container.get("options").map(|options| options.span),
    }
}
