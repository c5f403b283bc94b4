//! Modules that a program finds and does not name: `pkgutil.iter_modules`, and imports of names of which the beginning alone is
//! known.

use super::Interpreter;
use super::branches::ArmRun;
use super::calls::Args;
use super::imports::Imported;
use super::search_paths::{folder_of, normal};
use crate::facts::{FileId, Span};
use crate::program::heap::values::{PathId, Value};
use crate::program::modules::ImportTarget;
use crate::program::text_questions::TextQuestion;
use std::cell::RefCell;

/// What stands before a text in the name of a value that begins with it and goes on nobody knows how.
const BEGINS: &str = "builtins.str(begins with ";

/// The first part of what `pkgutil.iter_modules` gives for a module.
const FINDER: &str = "pkgutil.FileFinder()";

/// Of more modules nobody knows that all are meant.
const MOST: usize = 64;

/// Packages in packages are looked through so far.
const DEEPEST: usize = 8;

impl<'p> Interpreter<'p> {
    /// The text of a module's name of which only the beginning is known: `"models." + name`, `f".{name}"`. Of other texts nothing
    /// is said.
    pub(super) fn some_module(&mut self, start: &str) -> Option<Value<'p>> {
        let is_part = |part: &str| part.chars().all(|one| one.is_alphanumeric() || one == '_');
        let (first, _) = start.split_once('.')?;
        if !start.split('.').all(is_part) || !self.is_python_here() {
            return None;
        }
        let is_of_project = match first {
            "" => self.program.holds_text(self.here.file, "import_module"),
            first => self.program.modules.named(first).next().is_some(),
        };
        is_of_project.then(|| Value::Outside(self.paths.id(&format!("{BEGINS}{start})"))))
    }

    /// The beginning of such a text.
    fn beginning_of(&self, path: PathId) -> Option<String> {
        Some(self.paths.text(path).strip_prefix(BEGINS)?.strip_suffix(')')?.to_owned())
    }

    /// `import_module(name)`, where only the beginning of the name is known: one of the modules that fit. `None` where nothing is
    /// known of the name.
    pub(super) fn import_one_that_fits(&mut self, name: &Value<'p>, span: Span) -> Option<Value<'p>> {
        let Value::Outside(path) = name else { return None };
        let start = self.beginning_of(*path)?;
        let (package, rest) = start.rsplit_once('.')?;
        let below = package.trim_start_matches('.');
        let level = start.len() - start.trim_start_matches('.').len();
        let package = match (level, below) {
            (0, package) => self.import_path(0, package, None, span),
            // The package is taken to be that of the file.
            (level, below) => self.import_path(level as u32, below, None, span),
        };
        let Imported::Project(_, Some(package)) = package else { return Some(Value::Unknown) };
        let mut fitting = self.modules_below(package);
        fitting.retain(|(name, _)| name.starts_with(rest));
        if fitting.len() > MOST {
            return Some(Value::Unknown);
        }
        // In a loop all of them come by, one after the other.
        if self.is_repeated() {
            self.on_some_ways(|run| {
                for (_, module) in fitting {
                    run.found_value(Some(module), span);
                }
            });
            return Some(Value::Unknown);
        }
        let found = RefCell::new(Vec::new());
        let each = fitting.into_iter().map(|(_, module)| -> ArmRun<'_, 'p> {
            let found = &found;
            Box::new(move |run| {
                let value = run.found_value(Some(module), span);
                found.borrow_mut().push(value);
            })
        });
        let none: ArmRun<'_, 'p> = Box::new(|_| {});
        self.exec_branches(each.chain([none]).collect());
        Some(Value::one_of(found.into_inner()))
    }

    /// The modules and packages that a package or folder holds, in the order of their names.
    fn modules_below(&mut self, package: ImportTarget) -> Vec<(&'p str, ImportTarget)> {
        self.program.note_question(|| TextQuestion::Anything);
        let below = self.program.modules.children_of(package).iter().map(|(name, module)| (&**name, *module));
        below.filter(|(name, _)| *name != "__init__").collect()
    }

    /// `pkgutil.iter_modules(path, prefix)` and `pkgutil.walk_packages(path, prefix)`: a finder, the name of the module and whether
    /// it is a package.
    pub(super) fn found_modules(&mut self, walks: bool, args: &Args<'p>, span: Span) -> Option<Value<'p>> {
        let path = args.get(Some(0), Some("path"))?.value.clone();
        let prefix = match args.get(Some(1), Some("prefix")).map(|prefix| &prefix.value) {
            None => String::new(),
            Some(Value::Text(prefix)) => prefix.text.to_string(),
            Some(_) => return None,
        };
        let mut found = Vec::new();
        for folder in self.elements(&path)? {
            let Value::Text(folder) = folder else { return None };
            let folder = &folder.text;
            let id = self.program.modules.folder_for(self.here.file, folder, &normal(folder))?;
            self.add_found(ImportTarget::Folder(id), &prefix, walks.then_some(0), &mut found, span);
        }
        Some(Value::sequence(found))
    }

    fn add_found(
        &mut self,
        package: ImportTarget,
        prefix: &str,
        depth: Option<usize>,
        found: &mut Vec<Value<'p>>,
        span: Span,
    ) {
        let place = self.place(span);
        let finder = Value::Outside(self.paths.id(FINDER));
        for (name, module) in self.modules_below(package) {
            // A folder without `__init__.py` is none of them.
            let ImportTarget::File(file) = module else { continue };
            let is_package = self.program.name_of(file).ends_with("/__init__.py");
            let name = format!("{prefix}{name}");
            let parts = vec![finder.clone(), Value::text(name.clone(), place), Value::Bool(is_package)];
            found.push(Value::sequence(parts));
            if let Some(depth) = depth.filter(|depth| is_package && *depth < DEEPEST) {
                // It is imported, to be asked for its path.
                self.import_by_name(&name, false, span);
                self.add_found(module, &format!("{name}."), Some(depth + 1), found, span);
            }
        }
    }

    /// `info.name` of what `pkgutil` found.
    pub(super) fn attribute_of_found(&self, parts: &[Value<'p>], name: &str) -> Option<Value<'p>> {
        let [Value::Outside(finder), module, is_package] = parts else { return None };
        match name {
            "name" | "ispkg" if &**self.paths.text(*finder) != FINDER => None,
            "name" => Some(module.clone()),
            "ispkg" => Some(is_package.clone()),
            _ => None,
        }
    }

    /// What Python binds in each module by itself: `__path__`, `__package__`, `__name__`, `__file__`.
    pub(super) fn set_by_import(&mut self, file: FileId, name: &str, span: Span) -> Option<Value<'p>> {
        let (path, place) = (self.program.name_of(file), self.place(span));
        let is_package = path.ends_with("__init__.py");
        Some(match name {
            "__path__" if is_package => {
                self.collection(Value::sequence(vec![Value::text(folder_of(path), place)]))
            }
            "__package__" if is_package => Value::text(self.program.dotted(file), place),
            "__package__" => {
                let dotted = self.program.dotted(file);
                Value::text(dotted.rsplit_once('.').map_or("", |(package, _)| package).to_owned(), place)
            }
            "__name__" => Value::text(self.program.dotted(file), place),
            "__file__" => Value::text(path, place),
            _ => return None,
        })
    }
}
