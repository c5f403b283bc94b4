//! Test modules: `conftest.py` files and the module are imported, then each test runs from that state,
//! with its fixtures. What one test does is not there in the next.

use super::calls::Args;
use super::{Flow, Run};
use crate::code::{ParameterKind, StepKind};
use crate::facts::{FileId, Span};
use crate::program::value::{Closure, Instance, Value};
use std::rc::Rc;

impl<'p> Run<'p> {
    pub(super) fn run_tests(&mut self) {
        if let Some((file, unit)) = self.program.before_tests(self.entry) {
            self.load_settings(file, unit, true, Span::default());
        }
        let conftests = self.program.conftests(self.entry);
        for &conftest in &conftests {
            self.enter_module(conftest, Span::default());
        }
        for parent in self.program.modules.parents(self.entry) {
            self.enter_module(parent, Span::default());
        }
        self.run_entry_module();
        let named = &self.code_of(self.entry).tests;
        if !named.is_empty() {
            let tests: Vec<_> =
                named.iter().filter_map(|&test| self.find_closure(self.entry, test)).collect();
            return tests.iter().for_each(|test| self.run_test(test, &[], |_| {}));
        }
        let marked = self.modules.get(&self.entry).and_then(|&scope| self.in_scope(scope, "pytestmark"));
        self.state.counted |= match marked {
            Some(Value::Sequence(marks)) => marks.iter().any(|mark| self.counts_devices(mark)),
            Some(mark) => self.counts_devices(mark),
            None => false,
        };
        let Some(&scope) = self.modules.get(&self.entry) else { return };
        let mut tests: Vec<(usize, Value<'p>)> = self.scopes[scope as usize]
            .values
            .iter()
            .filter(|(name, _)| {
                name.starts_with("test")
                    || name.starts_with("Test")
                    || name.ends_with("Test")
                    || name.ends_with("Tests")
            })
            .filter_map(|(_, value)| match value {
                Value::Function(closure) if closure.file == self.entry => {
                    Some((self.function_of(closure).span.start as usize, value.clone()))
                }
                Value::Class(class) if class.file == self.entry => {
                    Some((self.code_of(class.file).classes[class.class].span.start as usize, value.clone()))
                }
                _ => None,
            })
            .collect();
        tests.sort_by_key(|(start, _)| *start);
        let places: Vec<FileId> = conftests.into_iter().chain([self.entry]).collect();
        for (_, test) in tests {
            match test {
                Value::Function(closure) => self.run_test(&closure, &places, |_| {}),
                Value::Class(class) => self.run_test_class(&class, &places),
                _ => {}
            }
        }
    }

    fn counts_devices(&self, mark: &Value<'p>) -> bool {
        matches!(mark, Value::Outside(path) if self.paths.text(*path).ends_with("device_count()"))
    }

    fn run_test_class(&mut self, class: &Rc<crate::program::value::ClassValue<'p>>, places: &[FileId]) {
        let mut methods: Vec<_> = self.scopes[class.scope as usize]
            .values
            .iter()
            .filter(|(name, _)| name.starts_with("test"))
            .filter_map(|(_, value)| match value {
                Value::Function(closure) => Some(closure.clone()),
                _ => None,
            })
            .collect();
        methods.sort_by_key(|closure| self.function_of(closure).span.start);
        for method in methods {
            let scope = self.new_scope(None, false);
            let object = Value::Instance(Rc::new(Instance { class: class.clone(), scope }));
            let counts = method.counts_devices || class.counts_devices;
            let bound = Rc::new(Closure {
                bound: Some(object.clone()),
                counts_devices: counts,
                ..Closure::clone(&method)
            });
            let span = self.function_of(&method).name_span;
            self.run_test(&bound, places, |run| {
                for name in ["setUpClass", "setup_class", "setUp", "setup_method"] {
                    if let Value::Function(_) = run.class_attribute(class, name) {
                        let before = run.attribute(&object, name, span);
                        run.call(before, Args::default(), span);
                    }
                }
            });
        }
    }

    /// Runs one test, and takes back what it did.
    fn run_test(&mut self, test: &Rc<Closure<'p>>, places: &[FileId], set_up: impl FnOnce(&mut Self)) {
        if test.marks.skipped {
            return;
        }
        let before = self.state.clone();
        let mark = self.undo.len();
        // Tests are arms of one branch: no path leads through two of them.
        self.path.push((0, self.function_of(test).span.start));
        self.forks.push(self.scopes.len());
        self.here.statement = self.function_of(test).name_span;
        for &file in places {
            for fixture in self.autouse_fixtures(file) {
                self.run_fixture(&fixture, places, 0);
            }
        }
        for name in &test.marks.fixtures {
            if let Some(fixture) = self.fixture_named(name, places) {
                self.run_fixture(&fixture, places, 0);
            }
        }
        set_up(self);
        let args = self.fixtures_for(test, places, 0);
        let span = self.function_of(test).name_span;
        let result = self.run_function(test, args, span);
        self.run_paused(&result, span);
        self.flow = Flow::Next;
        let base = self.forks.pop().unwrap_or_default();
        self.path.pop();
        self.roll_back(mark, base);
        self.state = before;
    }

    /// The arguments that pytest passes: the values of the fixtures that the parameters name.
    fn fixtures_for(&mut self, function: &Rc<Closure<'p>>, places: &[FileId], depth: usize) -> Args<'p> {
        let mut args = Args::default();
        let skip = usize::from(function.bound.is_some());
        let definition = self.function_of(function);
        for parameter in definition.parameters.iter().skip(skip) {
            if !matches!(parameter.kind, ParameterKind::Plain | ParameterKind::KeywordOnly) || depth > 8 {
                continue;
            }
            if let Some(fixture) = self.fixture_named(parameter.name, places) {
                let value = self.run_fixture(&fixture, places, depth + 1);
                args.items.push(super::calls::Arg {
                    name: Some(parameter.name.into()),
                    value,
                    span: parameter.span,
                });
            }
        }
        args
    }

    /// The nearest fixture of this name: in the test module, else in a `conftest.py`.
    fn fixture_named(&self, name: &str, places: &[FileId]) -> Option<Rc<Closure<'p>>> {
        places.iter().rev().find_map(|file| {
            let scope = *self.modules.get(file)?;
            match self.in_scope(scope, name)? {
                Value::Function(closure) => Some(closure.clone()),
                _ => None,
            }
        })
    }

    fn run_fixture(&mut self, fixture: &Rc<Closure<'p>>, places: &[FileId], depth: usize) -> Value<'p> {
        let args = self.fixtures_for(fixture, places, depth);
        let span = self.function_of(fixture).name_span;
        let value = self.run_function(fixture, args, span);
        if !matches!(value, Value::Paused(_)) {
            return value;
        }
        self.yielded = None;
        let result = self.run_paused(&value, span);
        self.yielded.take().unwrap_or(result)
    }

    fn autouse_fixtures(&self, file: FileId) -> Vec<Rc<Closure<'p>>> {
        let Some(&scope) = self.modules.get(&file) else { return Vec::new() };
        let code = self.code_of(file);
        let names = code.body.iter().filter_map(|step| match &step.kind {
            StepKind::Define { function, decorators } => {
                let autouse = decorators.iter().any(|decorator| {
                    let text = self.program.text(crate::facts::Place { file, span: decorator.span });
                    text.contains("fixture") && text.contains("autouse=True")
                });
                autouse.then_some(code.functions[*function].name)
            }
            _ => None,
        });
        names
            .filter_map(|name| match self.in_scope(scope, name) {
                Some(Value::Function(closure)) => Some(closure.clone()),
                _ => None,
            })
            .collect()
    }
}
