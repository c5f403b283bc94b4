//! `setup.cfg`, the `settings.ini` of nbdev, and the literal lists of a `setup.py`.

use super::super::ini::reader::{Ini, Key};
use super::statement;
use crate::code::{
    Argument, Code, Expr, ExprKind, Grammar, Part, Requirement, Statement, StatementKind, Target,
};
use crate::facts::Span;
use crate::sources::Source;

/// Notes what a `setup.cfg` asks for.
pub fn note_cfg<'s>(ini: &Ini<'s>, code: &mut Code<'s>) {
    let add = |key: &Key<'s>, part: Part, code: &mut Code<'s>| {
        let lines = key.lines.iter().filter(|(text, _)| !text.starts_with('#'));
        code.requirements.extend(lines.filter_map(|(text, at)| statement::read(text, *at, part.clone())));
    };
    let Some(options) = ini.section("options") else { return };
    for key in &options.keys {
        match key.name {
            "install_requires" | "install-requires" => add(key, Part::Main, code),
            "setup_requires" => add(key, Part::Build, code),
            "tests_require" => add(key, Part::Group("tests".to_owned()), code),
            "python_requires" | "python-requires" => {
                let text = key.lines.first().map_or("", |(text, _)| text);
                code.requirements.push(python(statement::clauses(text), key.span));
            }
            _ => {}
        }
    }
    for key in
        ini.section("options.extras_require").map(|section| section.keys.as_slice()).unwrap_or_default()
    {
        add(key, Part::Group(key.name.to_owned()), code);
    }
}

/// Notes what a `settings.ini` asks for, from which the `setup.py` of nbdev takes its lists: words on one line or several.
pub fn note_nbdev<'s>(ini: &Ini<'s>, code: &mut Code<'s>) {
    let Some(settings) = ini.section("DEFAULT").filter(|section| section.key(&["lib_name"]).is_some()) else {
        return;
    };
    for key in &settings.keys {
        let part = match key.name {
            "requirements" | "pip_requirements" => Part::Main,
            "dev_requirements" => Part::Group("dev".to_owned()),
            "min_python" => {
                let least = key.lines.first().map_or("", |(text, _)| text);
                code.requirements.push(python(statement::clauses(&format!(">={least}")), key.span));
                continue;
            }
            _ => continue,
        };
        for (text, at) in &key.lines {
            let mut end = 0;
            for word in text.split_whitespace() {
                let begin = end + text[end..].find(word).unwrap_or_default();
                end = begin + word.len();
                code.requirements.extend(statement::read(word, at + begin, part.clone()));
            }
        }
    }
}

fn python(clauses: Option<Vec<crate::code::Clause>>, span: Span) -> Requirement {
    let name = "python".to_owned();
    let (grammar, part) = (Grammar::Pep508, Part::Main);
    Requirement { span, name, clauses, grammar, marker: String::new(), part, index: Default::default() }
}

/// The code of a Python file, with what it asks for when it is a `setup.py`.
pub fn of_setup<'s>(source: &'s Source, mut code: Code<'s>) -> Code<'s> {
    if source.name == "setup.py" || source.name.ends_with("/setup.py") {
        let found: Vec<Requirement> =
            calls(&code.body).flat_map(|arguments| stated(arguments, &code)).collect();
        code.requirements.extend(found);
    }
    code
}

/// The arguments of `setup(…)`, at the top of the file or behind its guard.
fn calls<'c, 's>(body: &'c [Statement<'s>]) -> impl Iterator<Item = &'c [Argument<'s>]> {
    let guarded = body.iter().flat_map(|step| match &step.kind {
        StatementKind::Branch { then, .. } => then.as_slice(),
        _ => &[],
    });
    body.iter().chain(guarded).filter_map(|step| match &step.kind {
        StatementKind::Evaluate(Expr { kind: ExprKind::Call(call), .. }) => match &call.callee.kind {
            ExprKind::Name("setup") | ExprKind::Attribute(_, "setup") => Some(call.arguments.as_slice()),
            _ => None,
        },
        _ => None,
    })
}

fn stated(arguments: &[Argument<'_>], code: &Code<'_>) -> Vec<Requirement> {
    let mut found = Vec::new();
    for argument in arguments {
        let value = resolved(&argument.value, code);
        match argument.name {
            Some("install_requires") => list(value, code, &Part::Main, &mut found),
            Some("setup_requires") => list(value, code, &Part::Build, &mut found),
            Some("tests_require") => list(value, code, &Part::Group("tests".to_owned()), &mut found),
            Some("extras_require") => {
                let ExprKind::Mapping(items) = &value.kind else { continue };
                for (key, value) in items {
                    let name = key.as_ref().and_then(text_of).unwrap_or_default();
                    list(resolved(value, code), code, &Part::Group(name.to_owned()), &mut found);
                }
            }
            Some("python_requires") => {
                found.push(python(text_of(value).and_then(statement::clauses), value.span));
            }
            _ => {}
        }
    }
    found
}

fn list(value: &Expr<'_>, code: &Code<'_>, part: &Part, found: &mut Vec<Requirement>) {
    let ExprKind::Sequence(items) = &value.kind else { return };
    for item in items {
        let requirement =
            text_of(resolved(item, code)).and_then(|text| statement::read(text, 0, part.clone()));
        found.extend(requirement.map(|requirement| Requirement { span: item.span, ..requirement }));
    }
}

fn text_of<'e>(value: &'e Expr<'_>) -> Option<&'e str> {
    match &value.kind {
        ExprKind::Text(text) => Some(text),
        _ => None,
    }
}

/// What a name stands for that the file binds once at its top; any other value is itself.
fn resolved<'e, 's>(value: &'e Expr<'s>, code: &'e Code<'s>) -> &'e Expr<'s> {
    let ExprKind::Name(name) = &value.kind else { return value };
    let mut bound = code.body.iter().filter_map(|step| match &step.kind {
        StatementKind::Assign { targets, value: Some(value), .. } => {
            let named =
                targets.iter().any(|target| matches!(target, Target::Name(known, ..) if known == name));
            named.then_some(value)
        }
        _ => None,
    });
    match (bound.next(), bound.next()) {
        (Some(only), None) => only,
        _ => value,
    }
}
