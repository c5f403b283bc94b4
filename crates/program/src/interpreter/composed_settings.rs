//! What Hydra hands to the function below `@hydra.main`: a file of settings, with the files that its `defaults` name, and what the
//! command line says of them.

use super::Interpreter;
use super::calls::Args;
use super::search_paths::{folder_of, joined, normal};
use crate::code::{Expr, ExprKind};
use crate::facts::{FileId, Place};
use crate::program::heap::values::Value;
use crate::program::launcher_arguments::LauncherArgument;
use crate::sources::Language;

/// Files that are composed, one below the other.
const DEEPEST: usize = 8;

/// Settings while they are composed.
#[derive(Clone, Debug)]
enum Node<'p> {
    Map(Vec<(String, Node<'p>)>),
    Leaf(Value<'p>),
}

/// What the command line says: `model=large`, `trainer.devices=[1]`.
#[derive(Clone, Debug)]
struct Override {
    key: String,
    value: String,
    place: Place,
}

/// What is composed, and from where.
struct Composer {
    /// The folder in which the groups lie.
    root: String,
    told: Vec<Override>,
}

impl<'p> Interpreter<'p> {
    /// `@hydra.main(config_path="conf", config_name="config")`: what the function below it is given.
    pub(super) fn composed_settings(&mut self, args: &Args<'p>) -> Option<Value<'p>> {
        let text = |name: &str, at: usize| {
            let given = args.get(Some(at), Some(name)).map(|argument| &argument.value);
            given.and_then(Value::as_text).map(|text| text.into_owned())
        };
        let (folder, mut name) = (text("config_path", 0)?, text("config_name", 1)?);
        if args.open || folder.starts_with('/') || folder.contains("://") {
            return None;
        }
        let told = self.overrides()?;
        if let Some(named) = told.iter().find(|one| one.key == "--config-name") {
            name.clone_from(&named.value);
        }
        let root = normal(&joined(&folder_of(self.program.name_of(self.here.file)), &folder));
        let composer = Composer { root, told };
        let mut settings = Node::Map(Vec::new());
        self.compose(&composer, &mut settings, ("", &name), &[], 0)?;
        for one in composer.told.iter().filter(|one| !one.key.starts_with('-')) {
            let path: Vec<&str> = one.key.split('.').collect();
            let is_group = !one.key.contains('.')
                && self.settings_file(&composer.root, &format!("{}/{}", one.key, one.value)).is_some();
            if !is_group {
                merge_at(&mut settings, &path, Node::Leaf(self.value_told(one)));
            }
        }
        let root = settings.clone();
        Some(self.made_of(settings, &root))
    }

    /// What the command line says of settings; `None` where a word is not known.
    fn overrides(&mut self) -> Option<Vec<Override>> {
        let mut told: Vec<Override> = Vec::new();
        let words = self.words_told().unwrap_or_default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let LauncherArgument::Word(text, place) = word else {
                if matches!(word, LauncherArgument::Unknown) {
                    return None;
                }
                continue;
            };
            let of = |key: &str, value: &str| Override {
                key: key.trim_start_matches('+').to_owned(),
                value: value.trim_matches(['"', '\'']).to_owned(),
                place: *place,
            };
            match text.split_once('=') {
                Some((key, value)) => told.push(of(key, value)),
                None if matches!(&**text, "--config-name" | "-cn") => {
                    told.push(of("--config-name", words.next()?.text()?));
                }
                // Files of another folder.
                None if matches!(&**text, "--config-path" | "-cp" | "--config-dir" | "-cd") => return None,
                None => {}
            }
        }
        let elsewhere = ["--config-path", "--config-dir"];
        (!told.iter().any(|one| elsewhere.contains(&one.key.as_str()))).then_some(told)
    }

    /// Adds a file of a group to settings: first what its `defaults` name, and then what it says itself.
    fn compose(
        &mut self,
        composer: &Composer,
        settings: &mut Node<'p>,
        (group, name): (&str, &str),
        package: &[&str],
        depth: usize,
    ) -> Option<()> {
        let folder = joined(&composer.root, group);
        let Some(file) = self.settings_file(&folder, name).filter(|_| depth < DEEPEST) else {
            // Settings that are registered by code, or nothing at all.
            return (depth > 0).then_some(());
        };
        let contents: &'p Expr<'p> = self.program.code_in_pieces(file).contents.as_ref()?;
        let ExprKind::Mapping(pairs) = &contents.kind else { return Some(()) };
        let written = package_in(self.program.text_of(file));
        let package: Vec<&str> = match written {
            Some("_global_") => Vec::new(),
            Some(named) if named != "_group_" => named.split('.').collect(),
            _ => package.to_vec(),
        };
        let own = |pair: &&(Option<Expr<'p>>, Expr<'p>)| !matches!(pair.0.as_ref().map(|key| &key.kind), Some(ExprKind::Text(key)) if key == "defaults");
        let defaults = pairs.iter().find(|pair| !own(pair)).map(|(_, value)| &value.kind);
        let own = pairs.iter().filter(own);
        let body = own.filter_map(|(key, value)| Some((name_in(key)?, self.node_of(value, file))));
        let mut body = Some(Node::Map(body.collect()));
        if let Some(ExprKind::Sequence(items)) = defaults {
            for item in items {
                self.add_default(composer, settings, (item, group), &package, (&mut body, depth))?;
            }
        }
        if let Some(body) = body {
            merge_at(settings, &package, body);
        }
        Some(())
    }

    /// `- model: small`, `- _self_`, `- base`
    fn add_default(
        &mut self,
        composer: &Composer,
        settings: &mut Node<'p>,
        (item, group): (&'p Expr<'p>, &str),
        package: &[&str],
        (body, depth): (&mut Option<Node<'p>>, usize),
    ) -> Option<()> {
        let (key, names): (&str, Vec<&str>) = match &item.kind {
            ExprKind::Text(name) if name == "_self_" => {
                if let Some(body) = body.take() {
                    merge_at(settings, package, body);
                }
                return Some(());
            }
            ExprKind::Text(name) => ("", vec![name]),
            ExprKind::Mapping(pairs) => {
                let [(Some(Expr { kind: ExprKind::Text(key), .. }), value)] = pairs.as_slice() else {
                    return Some(());
                };
                let names = match &value.kind {
                    ExprKind::Text(name) => vec![&**name],
                    ExprKind::Sequence(items) => items.iter().filter_map(text_of).collect(),
                    _ => Vec::new(),
                };
                (key, names)
            }
            _ => return Some(()),
        };
        let key = key.strip_prefix("optional ").unwrap_or(key).trim();
        if key.starts_with("hydra/") || key.starts_with("override hydra/") || key.starts_with("/hydra/") {
            return Some(());
        }
        // It changes what another file chose.
        if key.starts_with("override ") {
            return None;
        }
        let (key, at) = key.split_once('@').map_or((key, None), |(key, at)| (key, Some(at)));
        let inner = match key.strip_prefix('/') {
            Some(key) => key.to_owned(),
            None => normal(&joined(group, key)),
        };
        let chosen = composer.told.iter().find(|one| !key.is_empty() && one.key == inner);
        let chosen = chosen.map(|one| one.value.clone());
        let names: Vec<String> = match chosen {
            Some(name) => vec![name],
            None => names.into_iter().map(str::to_owned).collect(),
        };
        for name in names {
            let (folder, name) = match name.strip_prefix('/') {
                Some(name) => (String::new(), name.to_owned()),
                None => (inner.clone(), name),
            };
            let (folder, name) = match name.rsplit_once('/') {
                Some((below, name)) => (normal(&joined(&folder, below)), name.to_owned()),
                None => (folder, name),
            };
            let mut own: Vec<&str> = match at {
                Some("_global_") => Vec::new(),
                Some(at) => at.split('.').filter(|part| *part != "_here_").collect(),
                // A package is named after the groups below the root.
                None => folder.split('/').filter(|part| !part.is_empty()).collect(),
            };
            if at.is_some_and(|at| at != "_global_") {
                own.splice(0..0, package.iter().copied());
            }
            self.compose(composer, settings, (&folder, &name), &own, depth + 1)?;
        }
        Some(())
    }

    fn settings_file(&self, folder: &str, name: &str) -> Option<FileId> {
        let name = name.strip_suffix(".yaml").unwrap_or(name);
        let named = |ending: &str| self.program.file_named(&normal(&format!("{folder}/{name}{ending}")));
        let file = named(".yaml").or_else(|| named(".yml"))?;
        (self.program.language_of(file) == Language::Yaml).then_some(file)
    }

    fn node_of(&mut self, held: &'p Expr<'p>, file: FileId) -> Node<'p> {
        match &held.kind {
            ExprKind::Mapping(pairs) => {
                let pairs = pairs.iter();
                let known = pairs.filter_map(|(key, value)| Some((name_in(key)?, self.node_of(value, file))));
                Node::Map(known.collect())
            }
            // `${trainer.devices}`, which nothing else reads.
            ExprKind::Unknown(_) => {
                let text = self.program.sources.text(Place { file, span: held.span });
                let is_named = text.starts_with("${") && text.ends_with('}');
                let place = Place { file, span: held.span };
                Node::Leaf(if is_named { Value::text(text.to_owned(), place) } else { Value::Unknown })
            }
            _ => Node::Leaf(self.held_by(held, file)),
        }
    }

    /// What a word of the command line sets: a number, a list of them, or a text.
    fn value_told(&mut self, told: &Override) -> Value<'p> {
        let one = |text: &str| match text.trim().parse() {
            Ok(number) => Value::Int(number, told.place),
            Err(_) => Value::text(text.trim().to_owned(), told.place),
        };
        let text = told.value.as_str();
        if let Some(list) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            let items = list.split(',').filter(|item| !item.trim().is_empty()).map(one).collect();
            return self.collection(Value::sequence(items));
        }
        match text {
            "null" | "true" | "false" => Value::Unknown,
            // One run for each.
            text if text.contains(',') || text.contains("${") || text.contains('(') => Value::Unknown,
            text => one(text),
        }
    }

    fn made_of(&mut self, node: Node<'p>, root: &Node<'p>) -> Value<'p> {
        match node {
            Node::Map(pairs) => {
                let place = Place { file: self.here.file, span: self.here.statement };
                let pairs = pairs.into_iter();
                let items = pairs.map(|(key, value)| (Value::text(key, place), self.made_of(value, root)));
                let items = items.collect();
                self.open_dictionary(items)
            }
            Node::Leaf(Value::Text(text)) if text.text.contains("${") => {
                // `${trainer.devices}`
                let named = text.text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
                let path =
                    named.filter(|path| !path.contains(['$', ':', '{', '[']) && !path.starts_with('.'));
                match path.and_then(|path| at(root, path)) {
                    Some(Node::Leaf(Value::Text(other))) if other.text.contains("${") => Value::Unknown,
                    Some(Node::Leaf(value)) => value.clone(),
                    _ => Value::Unknown,
                }
            }
            Node::Leaf(value) => value,
        }
    }
}

fn name_in(key: &Option<Expr<'_>>) -> Option<String> {
    text_of(key.as_ref()?).map(str::to_owned)
}

fn text_of<'e>(item: &'e Expr<'_>) -> Option<&'e str> {
    match &item.kind {
        ExprKind::Text(text) => Some(text),
        _ => None,
    }
}

/// `# @package _global_` at the head of a file.
fn package_in(text: &str) -> Option<&str> {
    let remarks =
        text.lines().take_while(|line| line.trim_start().starts_with('#') || line.trim().is_empty());
    remarks.filter_map(|line| line.split_once("@package")).map(|(_, named)| named.trim()).next()
}

fn at<'n, 'p>(node: &'n Node<'p>, path: &str) -> Option<&'n Node<'p>> {
    path.split('.').try_fold(node, |node, part| match node {
        Node::Map(pairs) => pairs.iter().find(|(key, _)| key == part).map(|(_, value)| value),
        Node::Leaf(_) => None,
    })
}

/// Puts settings into others: later ones win, and dictionaries become one.
fn merge<'p>(into: &mut Node<'p>, more: Node<'p>) {
    match (into, more) {
        (Node::Map(pairs), Node::Map(more)) => {
            for (key, value) in more {
                match pairs.iter_mut().find(|(known, _)| *known == key) {
                    Some((_, known)) => merge(known, value),
                    None => pairs.push((key, value)),
                }
            }
        }
        (into, more) => *into = more,
    }
}

fn merge_at<'p>(settings: &mut Node<'p>, package: &[&str], more: Node<'p>) {
    merge(settings, below(package, more));
}

/// Settings with the names of dictionaries around them.
fn below<'p>(path: &[&str], node: Node<'p>) -> Node<'p> {
    path.iter().rev().fold(node, |node, part| Node::Map(vec![((*part).to_owned(), node)]))
}
