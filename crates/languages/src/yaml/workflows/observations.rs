//! What a job says about its runner, of which rules speak.

use super::super::reader::{Entry, Node};
use super::runners::{Runner, says_gpu};
use crate::code::{Block, Observation, Observed, Statement, StatementKind};
use crate::sources::Source;

/// Events on which the code of a fork may run.
const OPEN_EVENTS: &[&str] = &["pull_request", "pull_request_target"];

/// Words of a condition by which a job tells its own branches from forks.
const CLOSING: &[&str] = &["head.repo", "fork", "author_association", "github.actor", "labels"];

/// The steps that say what was seen.
pub fn of_job<'s>(root: &Node<'s>, entry: &Entry<'s>, runner: Runner, source: &'s Source) -> Block<'s> {
    let Some(runs_on) = entry.value.get("runs-on").filter(|_| runner.is_own) else { return Vec::new() };
    let about_gpu = speaks_of_gpu(&entry.value, &source.text[entry.span().range()]);
    let mut seen = Vec::new();
    if runner.is_bare {
        seen.push(Observation::BareRunner);
    }
    if is_open(root) && !is_closed(root, &entry.value, 0) {
        seen.push(Observation::ForkCode);
    }
    let step = |what| {
        let text = source.text[runs_on.span.range()].trim().into();
        Statement {
            span: runs_on.span,
            kind: StatementKind::Observe(Box::new(Observed { what, about_gpu, text })),
        }
    };
    seen.into_iter().map(step).collect()
}

/// Whether a job speaks of GPUs. The name of an image that it builds on, or of a repository, is no GPU.
fn speaks_of_gpu(job: &Node<'_>, text: &str) -> bool {
    let is_name = |word: &str| {
        let word = word.to_ascii_lowercase();
        word.contains("nvidia/") && job.get("container").is_none()
    };
    text.split_whitespace().any(|word| !is_name(word) && says_gpu(word))
}

/// Whether a job keeps forks out by its condition, or by that of a job that it needs: it is skipped with that.
fn is_closed(root: &Node<'_>, job: &Node<'_>, depth: usize) -> bool {
    const DEEPEST: usize = 5;
    let condition = job.get("if").and_then(|test| test.text()).unwrap_or_default();
    if keeps_forks_out(condition) {
        return true;
    }
    let (Some(jobs), Some(needs)) = (root.get("jobs"), job.get("needs")) else { return false };
    let runs_anyway = ["always()", "cancelled()", "failure()"].iter().any(|word| condition.contains(word));
    let needed = needs.text().into_iter().chain(needs.items().iter().filter_map(|item| item.text()));
    depth < DEEPEST
        && !runs_anyway
        && needed.filter_map(|name| jobs.get(name)).any(|other| is_closed(root, other, depth + 1))
}

/// Whether a condition asks where the code comes from. `github.event_name == 'pull_request'` lets every fork in.
fn keeps_forks_out(condition: &str) -> bool {
    let asks_for_pull_request = |rest: &str| {
        let value = rest.trim_start().strip_prefix("==").unwrap_or_default().trim_start();
        let value = value.strip_prefix(['\'', '"']).and_then(|value| value.split(['\'', '"']).next());
        value.is_some_and(|value| OPEN_EVENTS.contains(&value))
    };
    let mut events = condition.split("event_name").skip(1);
    CLOSING.iter().any(|word| condition.contains(word)) || events.any(|rest| !asks_for_pull_request(rest))
}

/// Whether pull requests start the workflow.
fn is_open(root: &Node<'_>) -> bool {
    // YAML 1.1 reads the key `on` as a truth value; the file says `on` all the same.
    let Some(events) = root.get("on").or_else(|| root.get("true")) else { return false };
    let named = |node: &Node<'_>| node.text().is_some_and(|event| OPEN_EVENTS.contains(&event));
    named(events)
        || events.items().iter().any(|event| named(event))
        || events.entries().iter().any(|event| OPEN_EVENTS.contains(&event.key()))
}
