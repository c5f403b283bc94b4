//! YAML: workflows of GitHub, composite actions, compose files, GitLab pipelines and Kubernetes manifests start
//! programs, with variables that the file sets. In any other file a key may choose a device, and a map may be an
//! environment.

mod command_words;
mod compose;
mod containers;
mod environments;
mod expressions;
mod gitlab;
mod kubernetes;
mod layers;
pub(super) mod reader;
pub(super) mod scalars;
mod tasks;
mod values;
mod workflows;

use super::Refusal;
use super::command_lines::step_of;
use super::contents;
use crate::code::{Block, Code, Host, SetVariable, Statement, Unit};
use crate::facts::Span;
use crate::sources::Source;
use memchr::memmem;
use reader::{Documents, Node};
use std::borrow::Cow;
use std::rc::Rc;

/// The variables that say which GPUs there are, and in which order they count.
const MASK: &str = "CUDA_VISIBLE_DEVICES";
const ORDER: &str = "CUDA_DEVICE_ORDER";

/// Work that may be spent on a file beyond its own size: texts that aliases repeat are lowered again and again.
const BUDGET: usize = 1 << 20;

/// Lowers a file.
pub fn lower(source: &Source) -> Result<Code<'_>, Refusal> {
    let documents = match reader::read(source) {
        Ok(documents) => documents,
        // A template becomes YAML when it is filled in.
        Err(_) if is_template(&source.text) => return Ok(Code::default()),
        Err(reason) => return Err(reason),
    };
    let mut lowering = Lowering { source, code: Code::default(), budget: BUDGET + 8 * source.text.len() };
    for root in &documents.roots {
        lowering.document(root);
    }
    let mut code = lowering.code;
    if let [root] = documents.roots.as_slice() {
        code.contents = contents::of_yaml(root, &source.text);
    }
    if memmem::find(source.text.as_bytes(), b"gpulint:").is_some() {
        note_comments(source, &documents, &mut code);
    }
    Ok(code)
}

fn is_template(text: &str) -> bool {
    ["{{", "{%", "<%"].iter().any(|open| text.contains(open))
}

/// A file that is being lowered.
struct Lowering<'s> {
    source: &'s Source,
    code: Code<'s>,
    budget: usize,
}

impl<'s> Lowering<'s> {
    fn document(&mut self, root: &Rc<Node<'s>>) {
        let name = self.source.name.as_str();
        let file = name.rsplit('/').next().unwrap_or(name);
        if root.get("apiVersion").is_some() && root.get("kind").is_some() {
            kubernetes::lower(root, self);
        } else if workflows::is_workflow(root, name) {
            workflows::lower(root, self);
        } else if file.ends_with(".gitlab-ci.yml") || file.ends_with(".gitlab-ci.yaml") {
            gitlab::lower(root, self);
        } else if workflows::is_action(root, file) {
            workflows::lower_action(root, self);
        } else if compose::is_compose(root, file) {
            compose::lower(root, self);
        } else if let Some(runner) = tasks::Runner::of(root, name) {
            let before = self.code.units.len();
            tasks::lower(root, runner, self);
            if self.code.units.len() == before {
                environments::lower(root, self);
            }
        } else {
            environments::lower(root, self);
            super::requirements::note_conda(root, self.source, &mut self.code);
        }
    }

    /// Whether there is work left for a piece of this size. Names that are spent are gone.
    fn spend(&mut self, size: usize) -> bool {
        let enough = self.budget > size;
        self.budget = self.budget.saturating_sub(size + 1);
        enough
    }

    fn add_unit(&mut self, span: Span, name: impl Into<Cow<'s, str>>, host: Host, body: Block<'s>) {
        self.code.units.push(Unit { span, name: name.into(), host, body });
    }
}

/// Steps that set variables.
fn set_all(variables: Vec<SetVariable<'_>>) -> impl Iterator<Item = Statement<'_>> {
    variables.into_iter().map(step_of)
}

/// Comments that speak to gpulint, outside of scalars: those of scripts in them were seen when they were lowered.
fn note_comments(source: &Source, documents: &Documents<'_>, code: &mut Code<'_>) {
    let text = source.text.as_str();
    for at in memmem::find_iter(text.as_bytes(), b"gpulint:") {
        let line_start = text[..at].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[at..].find(['\n', '\r']).map_or(text.len(), |end| at + end);
        let is_comment = |start: &usize| {
            let before = text[..*start].chars().next_back();
            let inside = documents.scalars.partition_point(|scalar| scalar.end as usize <= *start);
            before.is_none_or(|before| before.is_whitespace() || before == '\u{feff}')
                && documents.scalars.get(inside).is_none_or(|scalar| scalar.start as usize > *start)
        };
        let mut leaders = text[line_start..at].match_indices('#').map(|(found, _)| line_start + found);
        if let Some(start) = leaders.find(is_comment) {
            let span = Span::new(start, line_end);
            if !code.comments.contains(&span) {
                code.comments.push(span);
            }
        }
    }
    // A text over several lines is one line of the file, unless it is a script with lines of its own.
    let has_lines =
        |span: &Span| code.lines.iter().any(|line| line.start >= span.start && line.end <= span.end);
    let folded: Vec<Span> = documents.folded.iter().filter(|span| !has_lines(span)).copied().collect();
    code.lines.extend(folded);
    code.lines.sort_by_key(|line| (line.start, std::cmp::Reverse(line.end)));
    let mut end = 0;
    code.lines.retain(|line| {
        let apart = line.start >= end;
        end = end.max(line.end);
        apart
    });
    code.comments.sort();
    code.comments.dedup();
}

#[cfg(test)]
mod tests;
