//! `pyproject.toml`: the arrays of PEP 621 and PEP 735, the tables of uv, PDM and hatch, and Poetry's own; and Pipfile.

use super::super::data::{Data, DataKind, Entry};
use super::statement;
use crate::code::{Code, Grammar, Index, Part, Requirement};
use crate::facts::Span;
use std::sync::Arc;

/// Notes what a `pyproject.toml` asks for.
pub fn note<'s>(root: &Data<'s>, code: &mut Code<'s>) {
    let mut project = Project { root, found: Vec::new() };
    project.array(root.below(&["project", "dependencies"]), &Part::Main);
    project.groups(root.below(&["project", "optional-dependencies"]));
    project.groups(root.get("dependency-groups"));
    project.array(root.below(&["build-system", "requires"]), &Part::Build);
    project.array(root.below(&["tool", "uv", "dev-dependencies"]), &Part::Group("dev".to_owned()));
    project.array(root.below(&["tool", "uv", "constraint-dependencies"]), &Part::Constraint);
    project.groups(root.below(&["tool", "pdm", "dev-dependencies"]));
    for environment in root.below(&["tool", "hatch", "envs"]).map(Data::entries).unwrap_or_default() {
        let part = Part::Group(environment.key.to_string());
        project.array(environment.value.get("dependencies"), &part);
        project.array(environment.value.get("extra-dependencies"), &part);
    }
    if let Some(python) = root.below(&["project", "requires-python"]) {
        let clauses = python.text().and_then(statement::clauses);
        project.add(python.span, "python", clauses, Grammar::Pep508, Part::Main);
    }
    if let Some(poetry) = root.below(&["tool", "poetry"]) {
        project.poetry(poetry.get("dependencies"), &Part::Main);
        project.poetry(poetry.get("dev-dependencies"), &Part::Group("dev".to_owned()));
        for group in poetry.get("group").map(Data::entries).unwrap_or_default() {
            project.poetry(group.value.get("dependencies"), &Part::Group(group.key.to_string()));
        }
    }
    project.note_indexes();
    project.name_sources();
    project.name_sources_of_pdm();
    if let Some(pixi) = root.below(&["tool", "pixi"]) {
        project.pixi(pixi);
    }
    code.requirements.extend(project.found);
}

/// Notes what a `pixi.toml` asks for: packages of conda, and those of PyPI.
pub fn note_pixi<'s>(root: &Data<'s>, code: &mut Code<'s>) {
    let mut project = Project { root, found: Vec::new() };
    project.pixi(root);
    code.requirements.extend(project.found);
}

/// Notes what a Pipfile asks for, which writes versions as PEP 440 does.
pub fn note_pipfile<'s>(root: &Data<'s>, code: &mut Code<'s>) {
    let mut project = Project { root, found: Vec::new() };
    project.poetry(root.get("packages"), &Part::Main);
    project.poetry(root.get("dev-packages"), &Part::Group("dev".to_owned()));
    if let Some(python) = root.below(&["requires", "python_version"]) {
        let clauses = python.text().and_then(|version| statement::clauses(&format!("=={version}.*")));
        project.add(python.span, "python", clauses, Grammar::Poetry, Part::Main);
    }
    code.requirements.extend(project.found);
}

struct Project<'d, 's> {
    root: &'d Data<'s>,
    found: Vec<Requirement>,
}

impl Project<'_, '_> {
    fn add(
        &mut self,
        span: Span,
        name: &str,
        clauses: Option<Vec<crate::code::Clause>>,
        grammar: Grammar,
        part: Part,
    ) {
        let name = statement::normalised(name);
        let index = Arc::default();
        self.found.push(Requirement { span, name, clauses, grammar, marker: String::new(), part, index });
    }

    fn array(&mut self, array: Option<&Data<'_>>, part: &Part) {
        for item in array.map(Data::items).unwrap_or_default() {
            let requirement = item.text().and_then(|text| statement::read(text, 0, part.clone()));
            self.found.extend(requirement.map(|requirement| Requirement { span: item.span, ..requirement }));
        }
    }

    fn groups(&mut self, table: Option<&Data<'_>>) {
        for group in table.map(Data::entries).unwrap_or_default() {
            self.array(Some(&group.value), &Part::Group(group.key.to_string()));
        }
    }

    /// `torch = "^2.0"`, `torch = {version = "^2.0", source = "pytorch"}`, and a list of such tables.
    fn poetry(&mut self, table: Option<&Data<'_>>, part: &Part) {
        for entry in table.map(Data::entries).unwrap_or_default() {
            let several = entry.value.items();
            let values = if several.is_empty() { std::slice::from_ref(&entry.value) } else { several };
            for value in values {
                let version = value.text().or_else(|| value.get("version")?.text());
                let clauses = version.and_then(statement::poetry);
                let is_optional = value.get("optional").is_some_and(Data::is_true);
                let part = if is_optional { self.extra_with(&entry.key) } else { part.clone() };
                self.add(entry.span(), &entry.key, clauses, Grammar::Poetry, part);
                let Some(last) = self.found.last_mut() else { continue };
                let marker = ["markers", "platform", "python"].iter().find_map(|key| value.get(key)?.text());
                last.marker = marker.unwrap_or_default().to_owned();
                let source = value.get("source").or_else(|| value.get("index")).and_then(Data::text);
                if let Some(url) = source.and_then(|name| address(self.root, name)) {
                    last.index = Arc::new(Index { only: Some(url), ..Index::default() });
                }
            }
        }
    }

    fn pixi(&mut self, root: &Data<'_>) {
        let features = root.get("feature").map(Data::entries).unwrap_or_default();
        let features = features.iter().map(|feature| (&feature.value, Part::Group(feature.key.to_string())));
        for (table, part) in std::iter::once((root, Part::Main)).chain(features) {
            for entry in table.get("dependencies").map(Data::entries).unwrap_or_default() {
                let said = |key: &str| entry.value.get(key).and_then(Data::text);
                let version = entry.value.text().or_else(|| said("version")).unwrap_or("*");
                let text = match said("build") {
                    Some(build) => {
                        format!("{}={}={build}", entry.key, version.trim_start_matches(['=', ' ']))
                    }
                    None => format!("{} {version}", entry.key),
                };
                let requirement = statement::conda(&text, 0);
                let of_part = |it| Requirement { span: entry.span(), part: part.clone(), ..it };
                self.found.extend(requirement.map(of_part));
            }
            for entry in table.get("pypi-dependencies").map(Data::entries).unwrap_or_default() {
                let said = |key: &str| entry.value.get(key).and_then(Data::text);
                let version = entry.value.text().or_else(|| said("version")).unwrap_or("*");
                let clauses = if version == "*" { Some(Vec::new()) } else { statement::clauses(version) };
                self.add(entry.span(), &entry.key, clauses, Grammar::Pep508, part.clone());
                let given = said("url").or_else(|| said("git")).or_else(|| said("path"));
                if let (Some(last), Some(only)) = (self.found.last_mut(), said("index").or(given)) {
                    last.index = Arc::new(Index { only: Some(only.to_owned()), ..Index::default() });
                }
            }
        }
    }

    /// `include_packages` of an index of PDM: these come from it alone.
    fn name_sources_of_pdm(&mut self) {
        for table in self.root.below(&["tool", "pdm", "source"]).map(Data::items).unwrap_or_default() {
            let Some(url) = table.get("url").and_then(Data::text) else { continue };
            for name in table.get("include_packages").map(Data::items).unwrap_or_default() {
                if let Some(name) = name.text() {
                    self.set_index(name, Index { only: Some(url.to_owned()), ..Index::default() });
                }
            }
        }
    }

    /// The first of Poetry's extras that installs an optional package, or one of its own.
    fn extra_with(&self, package: &str) -> Part {
        let extras = self.root.below(&["tool", "poetry", "extras"]).map(Data::entries).unwrap_or_default();
        let has = |extra: &&Entry<'_>| extra.value.items().iter().any(|item| item.text() == Some(package));
        let name = extras.iter().find(has).map_or(package, |extra| &extra.key);
        Part::Group(name.to_owned())
    }

    /// Indexes that all packages may come from.
    fn note_indexes(&mut self) {
        let mut index = Index::default();
        let uv = self.root.below(&["tool", "uv"]);
        let tables = [uv.and_then(|uv| uv.get("index")), self.root.below(&["tool", "pdm", "source"])];
        let all = tables.into_iter().flatten().flat_map(Data::items);
        let said = |table: &Data<'_>, key: &str| table.get(key).is_some_and(Data::is_true);
        for table in all.filter(|table| !said(table, "explicit")) {
            let Some(url) = table.get("url").and_then(Data::text) else { continue };
            match said(table, "default") {
                true => index.only = Some(url.to_owned()),
                false => index.extra.push(url.to_owned()),
            }
        }
        if let Some(uv) = uv {
            index.only = uv.get("index-url").and_then(Data::text).map(str::to_owned).or(index.only);
            let extra = uv.get("extra-index-url").map(Data::items).unwrap_or_default();
            index.extra.extend(extra.iter().filter_map(Data::text).map(str::to_owned));
            index.links = uv.get("find-links").is_some();
        }
        let index = Arc::new(index);
        let pep508 = self.found.iter_mut().filter(|it| it.grammar == Grammar::Pep508);
        pep508.for_each(|requirement| requirement.index = Arc::clone(&index));
    }

    /// `[tool.uv.sources]`: the index of a package. One that holds on some platforms only says nothing.
    fn name_sources(&mut self) {
        for entry in self.root.below(&["tool", "uv", "sources"]).map(Data::entries).unwrap_or_default() {
            // `torch = [{index = "cpu"}]`
            let several = entry.value.items();
            let values = if several.is_empty() { std::slice::from_ref(&entry.value) } else { several };
            let url = |value: &Data<'_>| {
                let DataKind::Map(_) = value.kind else { return None };
                let conditional = value.get("marker").is_some() || value.get("extra").is_some();
                let name = value.get("index").and_then(Data::text).filter(|_| !conditional)?;
                address(self.root, name)
            };
            match values {
                [only] if let Some(url) = url(only) => {
                    self.set_index(&entry.key, Index { only: Some(url), ..Index::default() });
                }
                _ => self.forget(&entry.key),
            }
        }
    }

    /// It cannot be said where the wheels of a package come from.
    fn forget(&mut self, name: &str) {
        self.set_index(name, Index { links: true, ..Index::default() });
    }

    fn set_index(&mut self, name: &str, index: Index) {
        let (name, index) = (statement::normalised(name), Arc::new(index));
        let pep508 = self.found.iter_mut().filter(|it| it.name == name && it.grammar == Grammar::Pep508);
        pep508.for_each(|requirement| requirement.index = Arc::clone(&index));
    }
}

/// The address of an index that the file gives a name.
fn address(root: &Data<'_>, name: &str) -> Option<String> {
    let tables = [&["tool", "uv", "index"][..], &["tool", "poetry", "source"], &["source"]];
    let mut all = tables.iter().filter_map(|path| root.below(path)).flat_map(Data::items);
    let table = all.find(|table| table.get("name").and_then(Data::text) == Some(name))?;
    Some(table.get("url")?.text()?.to_owned())
}
