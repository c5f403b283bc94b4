//! Makefiles: each target is a program of its own. Each line of its recipe runs in a shell of its own, with the
//! variables that the file exports.

mod lines;
mod recipes;
mod targets;

use super::command_lines::step_of;
use super::dotenv::first_line;
use super::embedded::settle_lines;
use super::{Refusal, shell};
use crate::code::{
    Block, Code, Export, Expr, ExprKind, Host, MakeTarget, SetVariable, Statement, StatementKind, Unit,
};
use crate::facts::Span;
use crate::sources::Source;
use lines::{Assignment, Line, Makefile, Operator, Recipe};
use recipes::MakeVariable;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use targets::{
    AutomaticVariables, Run, Target, Variables, gather_targets, gather_variables, names_in, words_of,
};

/// More steps than this, over all targets, are not followed.
const MOST_STEPS: usize = 20_000;

/// Lowers a Makefile.
pub fn lower(source: &Source) -> Result<Code<'_>, Refusal> {
    let mut code = Code::default();
    let mut makefile = lines::read(source);
    let lines = std::mem::take(&mut makefile.lines);
    let mut targets = BTreeMap::new();
    gather_targets(&lines, &mut targets);
    let mut variables = BTreeMap::new();
    gather_variables(&lines, true, &mut variables);
    let values = variables.values().copied().flatten().map(|assignment| assignment.value);
    let in_values = values.filter(|value| value.contains('$')).flat_map(names_in).collect();
    let mut file = File {
        source,
        code: &mut code,
        makefile: &makefile,
        lines: &lines,
        variables,
        in_values,
        left: MOST_STEPS,
    };
    // Special targets such as `.PHONY` are settings of make.
    let ordinary = targets.iter().filter(|(name, _)| !name.starts_with('.'));
    let (names, mut units): (Vec<&str>, Vec<Unit<'_>>) =
        ordinary.filter_map(|(name, target)| Some((*name, file.unit(name, target, &targets)?))).unzip();
    if units.is_empty() {
        // Variables for other Makefiles.
        let body = file.assignments(&lines, &|_| true);
        let span = first_line(&source.text);
        units.push(Unit { span, name: "".into(), host: Host::Machine, body });
    }
    code.targets = in_order(&targets, &names);
    code.units = units;
    if memchr::memmem::find(source.text.as_bytes(), b"gpulint:").is_some() {
        code.comments.extend(makefile.comments.iter().copied());
        code.lines.extend(makefile.statements.iter().copied());
        settle_lines(&mut code);
    }
    Ok(code)
}

/// The targets as they stand in the file, each with the units that it runs; `units` names their targets.
fn in_order<'s>(targets: &BTreeMap<&'s str, Target<'_, 's>>, units: &[&str]) -> Vec<MakeTarget<'s>> {
    let mut ordered: Vec<(&'s str, &Target<'_, 's>)> = targets
        .iter()
        .filter(|(name, target)| target.span.is_some() && !name.starts_with('.'))
        .map(|(name, target)| (*name, target))
        .collect();
    ordered.sort_by_key(|(_, target)| target.span);
    let made = ordered.into_iter().map(|(name, _)| {
        let mut own = Vec::new();
        run_by(name, targets, units, &mut FxHashSet::default(), &mut own);
        MakeTarget { name, units: own }
    });
    made.collect()
}

fn run_by<'s>(
    name: &'s str,
    targets: &BTreeMap<&'s str, Target<'_, 's>>,
    units: &[&str],
    seen: &mut FxHashSet<&'s str>,
    run: &mut Vec<usize>,
) {
    /// Targets beyond these are not followed from one.
    const MOST: usize = 100;
    let Some(target) = targets.get(name).filter(|_| seen.len() < MOST && seen.insert(name)) else { return };
    for needed in &target.prerequisites {
        run_by(needed, targets, units, seen, run);
    }
    run.extend(units.iter().position(|unit| *unit == name));
}

struct File<'s, 'c, 'l> {
    source: &'s Source,
    code: &'c mut Code<'s>,
    makefile: &'l Makefile<'s>,
    lines: &'l [Line<'s>],
    variables: Variables<'l, 's>,
    /// Words in the values of variables that may be names of others.
    in_values: FxHashSet<&'s str>,
    left: usize,
}

impl<'s, 'l> File<'s, '_, 'l> {
    fn unit(
        &mut self,
        name: &'s str,
        target: &Target<'l, 's>,
        targets: &BTreeMap<&'s str, Target<'l, 's>>,
    ) -> Option<Unit<'s>> {
        let mut recipe = Vec::new();
        // What a target sets is there for what it needs first, too.
        if target.own.iter().any(|own| self.exports(own)) {
            self.needed(target, targets, &mut FxHashSet::from_iter([name]), &mut recipe);
        }
        recipe.extend(self.runs(&target.recipe, AutomaticVariables::of(name, target)));
        if recipe.is_empty() && !target.own.iter().any(|own| self.exports(own)) {
            return None;
        }
        let mut body = Vec::new();
        if self.makefile.exports_all {
            body.push(Statement { span: Span::default(), kind: StatementKind::ExportAll(true) });
        }
        let lines = self.lines;
        let words = words_of(&target.recipe);
        let variables = std::mem::take(&mut self.in_values);
        body.extend(self.assignments(lines, &|name| words.contains(name) || variables.contains(name)));
        self.in_values = variables;
        for own in &target.own {
            let set = self.assigned(own, self.exports(own));
            body.push(set);
        }
        body.extend(recipe);
        let span = target.span.or(target.own.first().map(|own| own.span))?;
        Some(Unit { span, name: format!("target `{name}`").into(), host: Host::Machine, body })
    }

    fn needed(
        &mut self,
        target: &Target<'l, 's>,
        targets: &BTreeMap<&'s str, Target<'l, 's>>,
        seen: &mut FxHashSet<&'s str>,
        recipe: &mut Block<'s>,
    ) {
        for name in &target.prerequisites {
            if let Some(needed) = targets.get(name)
                && seen.len() < 100
                && seen.insert(name)
            {
                self.needed(needed, targets, seen, recipe);
                let runs = self.runs(&needed.recipe, AutomaticVariables::of(name, needed));
                recipe.extend(runs);
            }
        }
    }

    fn runs(&mut self, runs: &[Run<'l, 's>], special: AutomaticVariables<'s>) -> Block<'s> {
        let mut block = Vec::new();
        for run in runs {
            match run {
                Run::Line(recipe) => {
                    let Some(left) = self.left.checked_sub(1) else { return block };
                    self.left = left;
                    let steps = self.recipe(recipe, special);
                    if steps.is_empty() {
                        continue;
                    }
                    if self.makefile.one_shell {
                        block.extend(steps);
                    } else {
                        block.push(Statement { span: recipe.span, kind: StatementKind::Apart(steps) });
                    }
                }
                Run::Either(then, otherwise) => {
                    let (then, otherwise) = (self.runs(then, special), self.runs(otherwise, special));
                    block.push(either(then, otherwise));
                }
            }
        }
        if self.makefile.one_shell && !block.is_empty() {
            let span = block[0].span;
            block = vec![Statement { span, kind: StatementKind::Apart(block) }];
        }
        block
    }

    fn recipe(&mut self, recipe: &Recipe<'s>, special: AutomaticVariables<'s>) -> Block<'s> {
        let variables = &self.variables;
        let look_up = |name: &str| -> Option<MakeVariable<'_, 's>> {
            let here = |value| MakeVariable { value, origin: &recipe.origin, is_default: false };
            match name {
                "@" => return Some(here(special.target)),
                "<" => return special.first.map(here),
                _ => {}
            }
            let assignment: &'l Assignment<'s> = variables.get(name).copied().flatten()?;
            let is_default = assignment.operator == Operator::SetIfUnset;
            Some(MakeVariable { value: assignment.value, origin: &assignment.origin, is_default })
        };
        let (text, origin) = recipes::shell_text(recipe, &look_up, self.source);
        let mut steps = shell::lower_part(text, &origin, self.source, self.code).steps;
        stay_in(recipe.span, &mut steps);
        steps
    }

    /// The assignments for the whole file: those that are exported, and those that somebody reads.
    fn assignments(&mut self, lines: &[Line<'s>], is_read: &dyn Fn(&str) -> bool) -> Block<'s> {
        let mut block = Vec::new();
        for line in lines {
            match line {
                Line::Assignment(assignment) => {
                    let wanted =
                        self.exports(assignment) || is_read(assignment.name) || names_gpu(assignment.name);
                    if wanted && self.left > 0 {
                        self.left -= 1;
                        let step = self.assigned(assignment, self.exports(assignment));
                        block.push(step);
                    }
                }
                Line::Export { names, exports: false, span } => {
                    let unset = |name: &&'s str| StatementKind::UnsetVariable((*name).into());
                    block.extend(names.iter().map(|name| Statement { span: *span, kind: unset(name) }));
                }
                Line::Export { .. } => {}
                Line::Include(files) => {
                    for (file, span) in files {
                        let kind = match file.contains(['$', '*']) {
                            true => ExprKind::Unknown(Vec::new()),
                            false => ExprKind::Text((*file).into()),
                        };
                        if !file.contains(['$', '*']) && !file.starts_with('/') {
                            block.push(Statement {
                                span: *span,
                                kind: StatementKind::Source(Expr { span: *span, kind }),
                            });
                        }
                    }
                }
                Line::Either(then, otherwise) => {
                    let (then, otherwise) =
                        (self.assignments(then, is_read), self.assignments(otherwise, is_read));
                    if !then.is_empty() || !otherwise.is_empty() {
                        block.push(either(then, otherwise));
                    }
                }
                Line::Target { .. } | Line::TargetAssignment { .. } | Line::Recipe(_) => {}
            }
        }
        block
    }

    fn exports(&self, assignment: &Assignment<'s>) -> bool {
        assignment.exports || self.makefile.exported.contains(assignment.name)
    }

    fn assigned(&self, assignment: &Assignment<'s>, exports: bool) -> Statement<'s> {
        let span = assignment.span;
        let value_span = assignment.origin.span(0, assignment.value.len());
        let unknown = || Expr { span: value_span, kind: ExprKind::Unknown(Vec::new()) };
        let value = match assignment.operator {
            Operator::Set | Operator::SetIfUnset => value_of(assignment),
            Operator::Append | Operator::Output => unknown(),
        };
        let value = match assignment.operator {
            // The caller's value counts first.
            Operator::SetIfUnset => {
                Expr { span: value_span, kind: ExprKind::VariableOr(assignment.name.into(), Box::new(value)) }
            }
            _ => value,
        };
        let export = if exports { Export::Yes } else { Export::IfExported };
        step_of(SetVariable {
            name: assignment.name.into(),
            span,
            value: Some(value),
            export,
            only_if_unset: false,
        })
    }
}

/// The value of a variable: text and other variables.
fn value_of<'s>(assignment: &Assignment<'s>) -> Expr<'s> {
    let (text, origin) = (assignment.value, &assignment.origin);
    let span = origin.span(0, text.len());
    let part = |start: usize, end: usize, kind: ExprKind<'s>| Expr { span: origin.span(start, end), kind };
    let mut parts = Vec::new();
    let mut plain = 0;
    while let Some(dollar) = text[plain..].find('$').map(|at| plain + at) {
        if dollar > plain {
            parts.push(part(plain, dollar, ExprKind::Text(text[plain..dollar].into())));
        }
        let rest = &text[dollar + 1..];
        let close = match rest.chars().next() {
            Some('(') => rest.find(')'),
            Some('{') => rest.find('}'),
            _ => None,
        };
        let (kind, end) = match close {
            Some(close) if crate::commands::is_variable_name(&rest[1..close]) => {
                (ExprKind::Variable(rest[1..close].into()), dollar + close + 2)
            }
            // A function, or something that is rarely written: the whole is not known.
            _ => (ExprKind::Unknown(Vec::new()), text.len()),
        };
        parts.push(part(dollar, end, kind));
        plain = end;
    }
    if plain < text.len() {
        parts.push(part(plain, text.len(), ExprKind::Text(text[plain..].into())));
    }
    let kind = match parts.len() {
        0 => ExprKind::Text("".into()),
        1 => parts.swap_remove(0).kind,
        _ => ExprKind::Join(parts),
    };
    Expr { span, kind }
}

fn either<'s>(then: Block<'s>, otherwise: Block<'s>) -> Statement<'s> {
    let span = then.first().or(otherwise.first()).map_or(Span::default(), |step| step.span);
    let test = Expr { span, kind: ExprKind::Unknown(Vec::new()) };
    Statement { span, kind: StatementKind::Branch { test, then, otherwise } }
}

/// A command whose words come from elsewhere is started where the recipe says so.
fn stay_in(line: Span, steps: &mut Block<'_>) {
    for step in steps {
        let inside =
            step.span.start >= line.start && step.span.end <= line.end && step.span.start < step.span.end;
        match &mut step.kind {
            StatementKind::Command(_) if !inside => step.span = line,
            StatementKind::Apart(steps) => stay_in(line, steps),
            StatementKind::Branch { then, otherwise, .. } => {
                stay_in(line, then);
                stay_in(line, otherwise);
            }
            _ => {}
        }
    }
}

fn names_gpu(name: &str) -> bool {
    name.contains("CUDA") || name.contains("GPU")
}
