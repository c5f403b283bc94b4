//! Recipes of `just`: each line is a shell of its own, unless the recipe begins with `#!`.

use super::super::command_lines::Literal;
use super::super::embedded::{Extract, Origin};
use super::super::interpreters::{self, Interpreter};
use super::{
    Block, Code, Expr, ExprKind, Source, Span, Statement, StatementKind, add, commands, lines, variable,
};

/// A recipe, as far as it was read.
struct Recipe<'s> {
    name: &'s str,
    at: usize,
    /// The lines of its body, with where each begins.
    lines: Vec<(&'s str, usize)>,
}

pub fn lower<'s>(source: &'s Source, code: &mut Code<'s>) {
    let mut exported: Vec<(&str, usize, &str, usize)> = Vec::new();
    let mut loads_dotenv = None;
    let mut recipes: Vec<Recipe<'s>> = Vec::new();
    for (line, at) in lines(&source.text) {
        if line.starts_with([' ', '\t']) {
            if let Some(recipe) = recipes.last_mut().filter(|_| !line.trim().is_empty()) {
                recipe.lines.push((line, at));
            }
            continue;
        }
        let Some(first) = line.split_whitespace().next() else { continue };
        if let Some((left, value)) = line.split_once(":=") {
            if let Some(name) = left.trim().strip_prefix("export ") {
                exported.push((
                    name.trim(),
                    at + left.find(name.trim()).unwrap_or(0),
                    value,
                    at + left.len() + 2,
                ));
            } else if left.trim() == "set dotenv-load" && value.trim() == "true" {
                loads_dotenv = Some(Span::new(at, at + line.len()));
            }
        } else if line.trim() == "set dotenv-load" {
            loads_dotenv = Some(Span::new(at, at + line.len()));
        } else if !line.starts_with(['#', '[']) && line.contains(':') && first != "set" && first != "alias" {
            let name = first.trim_start_matches('@').split(':').next().unwrap_or(first);
            recipes.push(Recipe { name, at, lines: Vec::new() });
        }
    }
    for recipe in recipes {
        let mut body: Block<'s> = Vec::new();
        if let Some(span) = loads_dotenv {
            let file = Expr { span, kind: ExprKind::Text(".env".into()) };
            body.push(Statement { span, kind: StatementKind::ExportAll(true) });
            body.push(Statement { span, kind: StatementKind::Source(file) });
            body.push(Statement { span, kind: StatementKind::ExportAll(false) });
        }
        body.extend(
            exported.iter().filter_map(|&(name, at, value, value_at)| variable(name, at, value, value_at)),
        );
        let started = started(&recipe, source, code);
        if !started.is_empty() {
            body.extend(started);
            let span = Span::new(recipe.at, recipe.at + recipe.name.len());
            add(span, format!("recipe `{}`", recipe.name), body, code);
        }
    }
}

fn started<'s>(recipe: &Recipe<'s>, source: &'s Source, code: &mut Code<'s>) -> Block<'s> {
    let mut body = Vec::new();
    let mut extract = Extract::default();
    if let Some((first, _)) = recipe.lines.first()
        && let Some(interpreter) = first.trim().strip_prefix("#!")
    {
        let indent = first.len() - first.trim_start().len();
        for (line, at) in &recipe.lines[1..] {
            let cut = indent.min(line.len() - line.trim_start().len());
            filled(&line[cut..], at + cut, &mut extract);
            extract.push("\n", at + line.len());
        }
        let named =
            interpreter.trim().trim_start_matches("/usr/bin/env").trim().trim_start_matches("-S").trim();
        let script = finished(extract, source);
        return interpreters::lower(Interpreter::named(named), &script, source, code).steps;
    }
    for (line, at) in &recipe.lines {
        let is_first = extract.len() == 0;
        let text = if is_first { line.trim_start().trim_start_matches(['@', '-']) } else { line };
        let at = at + line.len() - text.len();
        let goes_on = text.ends_with('\\');
        filled(text.strip_suffix('\\').unwrap_or(text), at, &mut extract);
        if !goes_on {
            let line = finished(std::mem::take(&mut extract), source);
            let span = line.origin.span(0, line.text.len());
            let steps = commands(&line, source, code);
            if !steps.is_empty() {
                body.push(Statement { span, kind: StatementKind::Apart(steps) });
            }
        }
    }
    body
}

fn finished<'s>(extract: Extract, source: &'s Source) -> Literal<'s> {
    let (text, origin): (String, Origin) = extract.finish();
    Literal { text: source.keep(text), origin }
}

/// Adds a line; what just puts in for `{{…}}` is not known.
fn filled(text: &str, at: usize, extract: &mut Extract) {
    let mut plain = 0;
    while let Some(open) = text[plain..].find("{{").map(|found| plain + found) {
        let Some(length) = text[open..].find("}}") else { break };
        extract.push(&text[plain..open], at + plain);
        extract.push("$_", at + open);
        plain = open + length + 2;
    }
    extract.push(&text[plain..], at + plain);
}
