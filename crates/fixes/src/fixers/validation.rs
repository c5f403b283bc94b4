//! The project's own check of the GPU, called before a model is loaded.

use crate::code::walk::{CodeNode, walk_top};
use crate::code::{ExprKind, Function, ImportNames, ParameterKind, StatementKind};
use crate::facts::FileId;
use crate::fixes::Refusal;
use crate::fixes::site::{Draft, Site};
use crate::languages::{NodeId, Tree, TreeKind};
use crate::sources::Language;

/// Calls the function of the project that the policy names, and imports it.
pub fn called(site: &Site<'_>) -> Result<Draft, Refusal> {
    if let Some(template) = template_with_validator(site) {
        return Err(format!("the policy's template {template} brings a check"));
    }
    let validator = the_only_one(site)?;
    let tree = site.tree()?;
    let statement = tree.statement_at(site.span()).ok_or("the place is not understood")?;
    let statement = outermost(tree, statement, site);
    let start = tree.node(statement).span.start;
    let call = format!("{}()", validator.name);
    if validator.file == site.file() {
        return match validator.end <= start || tree.function_around(statement).is_some() {
            true => Ok(vec![site.statements_above(tree, statement, &[call])].into()),
            false => Err(format!("`{}` is defined behind this", validator.name)),
        };
    }
    if binds(site, validator.name) {
        return Ok(vec![site.statements_above(tree, statement, &[call])].into());
    }
    let module = module_of(site, validator.file)?;
    let import = format!("from {module} import {}", validator.name);
    let imports = match site.source().language {
        Language::Python => last_import_before(site, tree, start),
        _ => None,
    };
    let edits = match imports {
        Some(last) => {
            let end = tree.node(last).span.end;
            let line = format!("{}{import}", site.newline());
            vec![site.insertion(end, line), site.statements_above(tree, statement, &[call])]
        }
        None => vec![site.statements_above(tree, statement, &[import, call])],
    };
    Ok(edits.into())
}

/// A function that the policy names as a check of the GPU.
struct Validator<'a> {
    file: FileId,
    name: &'a str,
    /// The end of its definition.
    end: u32,
}

/// The only function of the project that can be called.
fn the_only_one<'a>(site: &Site<'a>) -> Result<Validator<'a>, Refusal> {
    let mut found: Vec<Validator<'a>> = Vec::new();
    let mut others = None;
    for file in (0..site.program.sources.files.len() as u32).map(FileId) {
        let code = site.program.code(file);
        let language = site.program.sources.file(file).language;
        if language != Language::Python && file != site.file() {
            continue;
        }
        for step in &code.body {
            let StatementKind::Define { function, .. } = &step.kind else { continue };
            let function = &code.functions[*function];
            if !site.policy.scripts.is_validator(function.name) {
                continue;
            }
            match reason_against(function) {
                Some(reason) => others = Some(format!("`{}` {reason}", function.name)),
                None => found.push(Validator { file, name: function.name, end: function.span.end }),
            }
        }
    }
    let names: Vec<String> = found.iter().map(|one| format!("`{}`", one.name)).collect();
    match (found.pop(), found.is_empty()) {
        (Some(one), true) => Ok(one),
        (Some(_), false) => Err(format!("several functions are validators: {}", names.join(", "))),
        (None, _) => Err(others.unwrap_or_else(|| "no function of the project is a validator".to_owned())),
    }
}

/// Why a function cannot be called as it is.
fn reason_against(function: &Function<'_>) -> Option<&'static str> {
    let needs = function.parameters.iter().any(|one| {
        one.default.is_none() && matches!(one.kind, ParameterKind::Plain | ParameterKind::KeywordOnly)
    });
    let mut steps = function.body.iter().filter(|step| !is_remark(&step.kind));
    let only_raises = matches!(steps.next().map(|step| &step.kind), Some(StatementKind::Raise { .. }));
    match (needs, function.is_async || function.is_generator) {
        (true, _) => Some("needs arguments"),
        (_, true) => Some("does nothing when it is called"),
        _ if only_raises => Some("only raises"),
        _ => None,
    }
}

/// Whether a statement is a text for people.
fn is_remark(kind: &StatementKind<'_>) -> bool {
    matches!(kind, StatementKind::Evaluate(expr) if matches!(expr.kind, ExprKind::Text(_)))
}

/// The statement of the function or of the file that a statement is in; what stands below `if __name__ == "__main__":` counts
/// as the file's.
fn outermost(tree: &Tree, statement: NodeId, site: &Site<'_>) -> NodeId {
    let mut found = statement;
    for (id, node) in tree.outwards(statement).skip(1) {
        let guards = node.kind == TreeKind::If
            && tree.children(id).next().is_some_and(|(_, test)| site.slice(test.span).contains("__name__"));
        if guards || matches!(node.kind, TreeKind::Function | TreeKind::Module) {
            break;
        }
        if node.kind.is_statement() && node.kind != TreeKind::Class {
            found = id;
        }
    }
    found
}

/// The last import of the top level before a place, when the environment is set before it and not behind it.
fn last_import_before(site: &Site<'_>, tree: &Tree, place: u32) -> Option<NodeId> {
    let is_import = |kind| matches!(kind, TreeKind::Import | TreeKind::ImportFrom);
    let mut before = tree.top().filter(|(_, node)| is_import(node.kind) && node.span.end <= place);
    let (last, node) = before.next_back()?;
    let between = &site.text()[node.span.end as usize..place as usize];
    // What is imported may load a library, which reads the environment.
    let is_alone = || {
        let rest = site.text()[node.span.end as usize..].lines().next().unwrap_or_default();
        rest.trim().is_empty()
    };
    (!between.contains("environ") && is_alone()).then_some(last)
}

/// Whether the file has the name by an import.
fn binds(site: &Site<'_>, name: &str) -> bool {
    let mut found = false;
    walk_top(site.code(), &mut |part, _| {
        if let CodeNode::Statement(step) = part
            && let StatementKind::Import(import) = &step.kind
            && let ImportNames::Names(names) = &import.names
        {
            found |= names.iter().any(|one| one.name == name && one.bound == name);
        }
    });
    found
}

/// The name under which a file of the project can be imported here.
fn module_of(site: &Site<'_>, file: FileId) -> Result<String, Refusal> {
    let dotted = site.program.dotted(file);
    let modules = &site.program.modules;
    let mut parts = dotted.split('.');
    let first = parts.next().unwrap_or_default();
    let mut found = modules.absolute(Some(site.file()), &[], site.file(), first);
    for part in parts {
        found = found.and_then(|found| modules.child(found, part));
    }
    match found {
        Some(crate::program::ImportTarget::File(found)) if found == file => Ok(dotted),
        _ => Err(format!("`{dotted}` cannot be imported from here")),
    }
}

/// The policy's template, when it calls or defines a check itself.
fn template_with_validator(site: &Site<'_>) -> Option<String> {
    let template = site.policy.scripts.template.as_ref()?;
    let name = template.to_string_lossy().replace('\\', "/");
    let text = site.program.sources.text_named(&format!("{}{name}", site.policy_folder()))?;
    let mut words = text.split(|one: char| !one.is_alphanumeric() && one != '_');
    words.any(|word| site.policy.scripts.is_validator(word)).then_some(name)
}
