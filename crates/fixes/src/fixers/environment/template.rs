//! The project's own block, which the policy names under `scripts.template`.

use super::placing::InsertionPoint;
use super::{Setting, order_of};
use crate::fixes::Refusal;
use crate::fixes::site::Site;
use std::path::Path;

/// The lines of the template, filled in. `import os` is left out where it is there already.
pub(super) fn lines(site: &Site<'_>, template: &Path, spot: &InsertionPoint) -> Result<Vec<String>, Refusal> {
    let sources = site.program.sources;
    let text = sources.beside.text(&sources.root.join(site.policy_folder()).join(template));
    let text =
        text.map_err(|error| format!("the template {} cannot be read: {error}", template.display()))?;
    let filled = values(site)
        .into_iter()
        .fold(text.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), &value));
    let has_os = spot.environ.as_deref() == Some("os.environ");
    let lines = filled.lines().filter(|line| !(has_os && line.trim() == "import os"));
    let mut lines: Vec<String> = lines.map(str::to_owned).collect();
    let is_blank = |line: &String| line.trim().is_empty();
    while lines.first().is_some_and(is_blank) {
        lines.remove(0);
    }
    while lines.last().is_some_and(is_blank) {
        lines.pop();
    }
    match lines.is_empty() {
        true => Err(format!("the template {} is empty", template.display())),
        false => Ok(lines),
    }
}

/// What `{…}` in a template stands for.
fn values(site: &Site<'_>) -> Vec<Setting> {
    let Some(gpu) = &site.policy.gpu else { return Vec::new() };
    let mask = gpu.accepted_masks().first().cloned().unwrap_or_default();
    vec![
        ("visible-devices".to_owned(), mask),
        ("device-order".to_owned(), order_of(site).to_owned()),
        ("device".to_owned(), gpu.first_device().to_owned()),
        ("alloc-conf".to_owned(), gpu.alloc_conf.clone().unwrap_or_default()),
    ]
}
