//! What a Makefile says about each target and each variable, wherever in the file it does.

use super::lines::{Assignment, Line, Operator, Recipe};
use crate::facts::Span;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// What the file says about one target, wherever it does.
#[derive(Default)]
pub struct Target<'l, 's> {
    pub span: Option<Span>,
    pub prerequisites: Vec<&'s str>,
    pub own: Vec<&'l Assignment<'s>>,
    pub recipe: Vec<Run<'l, 's>>,
}

/// A part of a recipe.
pub enum Run<'l, 's> {
    Line(&'l Recipe<'s>),
    /// The ways of a conditional.
    Either(Vec<Run<'l, 's>>, Vec<Run<'l, 's>>),
}

/// Finds the targets, those in conditionals too.
pub fn gather_targets<'l, 's>(lines: &'l [Line<'s>], targets: &mut BTreeMap<&'s str, Target<'l, 's>>) {
    let mut current: Vec<&'s str> = Vec::new();
    for line in lines {
        match line {
            Line::Target { names, prerequisites, span } => {
                current.clone_from(names);
                for name in names {
                    let target = targets.entry(name).or_default();
                    target.span.get_or_insert(*span);
                    target.prerequisites.extend(prerequisites);
                }
            }
            Line::TargetAssignment { targets: names, assignment } => {
                for name in names {
                    targets.entry(name).or_default().own.push(assignment);
                }
            }
            Line::Recipe(_) | Line::Either(..) => {
                if let Line::Either(then, otherwise) = line {
                    gather_targets(then, targets);
                    gather_targets(otherwise, targets);
                }
                for name in &current {
                    let runs = runs_of(std::slice::from_ref(line));
                    targets.entry(name).or_default().recipe.extend(runs);
                }
            }
            Line::Assignment(_) | Line::Export { .. } | Line::Include(_) => {}
        }
    }
}

/// The recipe lines that belong to a target above.
fn runs_of<'l, 's>(lines: &'l [Line<'s>]) -> Vec<Run<'l, 's>> {
    let mut runs = Vec::new();
    for line in lines {
        match line {
            Line::Recipe(recipe) => runs.push(Run::Line(recipe)),
            Line::Either(then, otherwise) => {
                let (then, otherwise) = (runs_of(then), runs_of(otherwise));
                if !then.is_empty() || !otherwise.is_empty() {
                    runs.push(Run::Either(then, otherwise));
                }
            }
            Line::Target { .. } => return runs,
            _ => {}
        }
    }
    runs
}

/// What `$@` and `$<` are in a recipe.
#[derive(Clone, Copy)]
pub struct AutomaticVariables<'s> {
    pub target: &'s str,
    pub first: Option<&'s str>,
}

impl<'s> AutomaticVariables<'s> {
    pub fn of(target: &'s str, about: &Target<'_, 's>) -> Self {
        AutomaticVariables { target, first: about.prerequisites.first().copied() }
    }
}

/// What each variable holds; `None` where it depends on a condition or is put together.
pub type Variables<'l, 's> = BTreeMap<&'s str, Option<&'l Assignment<'s>>>;

/// Finds what the variables of the file hold.
pub fn gather_variables<'l, 's>(lines: &'l [Line<'s>], surely: bool, variables: &mut Variables<'l, 's>) {
    for line in lines {
        match line {
            Line::Assignment(assignment) => {
                let known = surely && matches!(assignment.operator, Operator::Set | Operator::SetIfUnset);
                let first = !variables.contains_key(assignment.name);
                if assignment.operator != Operator::SetIfUnset || first {
                    variables.insert(assignment.name, known.then_some(assignment));
                }
            }
            Line::Either(then, otherwise) => {
                gather_variables(then, false, variables);
                gather_variables(otherwise, false, variables);
            }
            _ => {}
        }
    }
}

/// Words in recipes that may be names of variables.
pub fn words_of<'s>(runs: &[Run<'_, 's>]) -> FxHashSet<&'s str> {
    let mut words = FxHashSet::default();
    for run in runs {
        match run {
            Run::Line(recipe) if recipe.text.contains('$') => {
                words.extend(names_in(recipe.text));
            }
            Run::Line(_) => {}
            Run::Either(then, otherwise) => {
                words.extend(words_of(then));
                words.extend(words_of(otherwise));
            }
        }
    }
    words
}

/// Words that may be names of variables.
pub fn names_in(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
}
