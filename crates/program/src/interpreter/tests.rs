//! Test modules: `conftest.py` files and the module are imported, then each test runs from that state, with
//! what is set up before it and torn down after it. What one test does is not there in the next.

use super::calls::{Arg, Args};
use super::effects::counts_gpus;
use super::fixtures::Fixture;
use super::{Flow, Interpreter};
use crate::code::walk::{CodeNode, walk};
use crate::code::{Expr, ExprKind};
use crate::facts::{FileId, Span};
use crate::program::heap::values::{ClassValue, Closure, DecoratorMarks, Instance, Value};
use crate::program::trace::EventId;
use std::rc::Rc;

/// One test, ready to run.
pub(super) struct Session<'p> {
    /// What is called: the function, or what decorators made of it.
    test: Value<'p>,
    /// The function that stands in the file, by file and number.
    pub definition: (FileId, usize),
    object: Option<Rc<Instance<'p>>>,
    /// The `conftest.py` files, plugins of the project and the test module.
    places: Rc<[FileId]>,
    pub fixtures: Vec<Fixture<'p>>,
    mock_arguments: usize,
    /// What its parameters are given from outside.
    parameters: Vec<(String, Value<'p>)>,
    /// The decorator or fixture that releases GPU memory at the end, by the policy.
    cleanup: Option<String>,
    /// How much was left for the end before the test.
    finalizers: usize,
    /// The first event of the test.
    pub since: EventId,
}

/// What pytest calls of a `conftest.py` or a plugin before it collects tests.
const HOOKS: [&str; 2] = ["pytest_configure", "pytest_sessionstart"];
/// What runs before each test, beside fixtures.
const BEFORE_IN_MODULE: [&str; 3] = ["setUpModule", "setup_module", "setup_function"];
const BEFORE_IN_CLASS: [&str; 5] = ["setUpClass", "setup_class", "setUp", "asyncSetUp", "setup_method"];
const AFTER_IN_CLASS: [&str; 5] =
    ["tearDown", "asyncTearDown", "teardown_method", "tearDownClass", "teardown_class"];
const AFTER_IN_MODULE: [&str; 4] =
    ["teardown_function", "tearDownModule", "teardown_module", "pytest_runtest_teardown"];

impl<'p> Interpreter<'p> {
    pub(super) fn run_tests(&mut self) {
        if let Some((file, unit)) = self.program.before_tests(self.entry) {
            self.load_settings(file, unit, true, Span::default());
        }
        let conftests = self.program.conftests(self.entry);
        let mut places = Vec::new();
        for &conftest in &conftests {
            self.enter_module(conftest, Span::default());
            let plugins = self.plugins_of(conftest);
            places.extend(plugins.iter().copied().chain([conftest]));
            plugins.iter().chain([&conftest]).for_each(|file| self.run_hooks(*file));
        }
        for parent in self.program.modules.parents(self.entry) {
            self.enter_module(parent, Span::default());
        }
        self.run_entry_module();
        let named = &self.code_of(self.entry).tests;
        if !named.is_empty() {
            for &test in named {
                if let Some(closure) = self.find_closure(self.entry, test) {
                    self.run_test(
                        Value::Function(closure),
                        test,
                        None,
                        &Rc::default(),
                        &DecoratorMarks::default(),
                    );
                }
            }
            return;
        }
        let Some(&scope) = self.modules.get(&self.entry) else { return };
        let mut marks = DecoratorMarks::default();
        self.state.counted |= self.read_pytestmark(scope, &mut marks);
        if marks.skipped {
            return;
        }
        let tests = self.named_as_tests(scope, None, |name| {
            name.starts_with("test")
                || name.starts_with("Test")
                || name.ends_with("Test")
                || name.ends_with("Tests")
        });
        places.extend(self.plugins_of(self.entry));
        places.push(self.entry);
        let places: Rc<[FileId]> = places.into();
        for (_, test, definition) in tests {
            match (test, definition) {
                (Value::Class(class), _) => self.run_test_class(&class, &places, &marks),
                (test, Some(definition)) if !self.is_stage(definition, &test, &places) => {
                    self.run_test(test, definition, None, &places, &marks);
                }
                _ => {}
            }
        }
    }

    /// Whether a function is a stage of a program, beside `train`, and no test: it needs arguments that no fixture gives, so
    /// pytest cannot run it, and it is called `test`, or the file calls it or hands it on, as to what makes a method of a `TestCase` of it.
    fn is_stage(&self, definition: usize, test: &Value<'p>, places: &[FileId]) -> bool {
        let function = &self.code_of(self.entry).functions[definition];
        let is_plain = matches!(test, Value::Function(closure) if closure.marks.parameters.is_empty());
        let mut needed = function.parameters.iter().filter(|one| one.is_needed());
        is_plain
            && needed.any(|one| self.fixture_named(one.name, places, None).is_none())
            && (function.name == "test" || self.uses_itself(function.name))
    }

    /// Whether the file that is started calls one of its functions by its name, or hands it to a call.
    fn uses_itself(&self, name: &str) -> bool {
        let mut uses = false;
        walk(self.code_of(self.entry), &mut |part, _| {
            if let CodeNode::Expr(expr) = part
                && let ExprKind::Call(call) = &expr.kind
            {
                let is_it = |expr: &Expr<'_>| matches!(expr.kind, ExprKind::Name(used) if used == name);
                uses |= is_it(&call.callee) || call.arguments.iter().any(|one| is_it(&one.value));
            }
        });
        uses
    }

    /// The modules of the project that `pytest_plugins` names in a file: their fixtures are there too.
    fn plugins_of(&mut self, file: FileId) -> Vec<FileId> {
        let named = self.modules.get(&file).and_then(|&scope| self.in_scope(scope, "pytest_plugins"));
        let names = match named.map(|named| self.contents(named)) {
            Some(Value::Sequence(names)) => names.to_vec(),
            Some(name @ Value::Text(_)) => vec![name],
            _ => Vec::new(),
        };
        let mut modules = Vec::new();
        for name in names {
            if let Value::Text(name) = name
                && let Value::Module(file) = self.import_by_name(&name.text, false, Span::default())
            {
                modules.push(file);
            }
        }
        modules
    }

    /// `unittest.main()`: the test classes of the script run.
    pub(super) fn run_unittest(&mut self) {
        let Some(&scope) = self.modules.get(&self.entry) else { return };
        let places: Rc<[FileId]> = [self.entry].into();
        for (_, class, _) in self.named_as_tests(scope, None, |_| false) {
            if let Value::Class(class) = class {
                self.run_test_class(&class, &places, &DecoratorMarks::default());
            }
        }
    }

    /// What a namespace holds that may be a test, in the order in which it stands in the file, with the
    /// function that stands there.
    fn named_as_tests(
        &mut self,
        scope: u32,
        within: Option<Span>,
        is_test: impl Fn(&str) -> bool,
    ) -> Vec<(u32, Value<'p>, Option<usize>)> {
        let values: Vec<(&'p str, Value<'p>)> = self.heap.names(scope);
        let functions = &self.code_of(self.entry).functions;
        let mut tests = Vec::new();
        for (name, value) in values {
            if let Value::Class(class) = &value {
                if class.file == self.entry && (is_test(name) || self.is_test_case(class, 0)) {
                    let start = self.class_code(class).span.start;
                    tests.push((start, value.clone(), None));
                }
                continue;
            }
            if !is_test(name) || !matches!(value, Value::Function(_) | Value::Instance(_)) {
                continue;
            }
            let own = match &value {
                Value::Function(closure) if closure.file == self.entry => {
                    Some(closure.function).filter(|&function| functions[function].name == name)
                }
                _ => None,
            };
            // A decorator of the project put another function, perhaps of another file, in its place.
            let inside =
                |span: Span| within.is_none_or(|outer| outer.start <= span.start && span.end <= outer.end);
            let here =
                || functions.iter().position(|function| function.name == name && inside(function.span));
            if let Some(definition) = own.or_else(here) {
                tests.push((functions[definition].span.start, value, Some(definition)));
            }
        }
        tests.sort_by_key(|(start, ..)| *start);
        tests
    }

    /// What `pytestmark` says about a module or class; `true` when it asks for the number of devices.
    fn read_pytestmark(&mut self, scope: u32, marks: &mut DecoratorMarks<'p>) -> bool {
        let Some(marked) = self.in_scope(scope, "pytestmark").cloned() else { return false };
        let each = match &self.contents(&marked) {
            Value::Sequence(each) => each.to_vec(),
            mark => vec![mark.clone()],
        };
        each.iter().for_each(|mark| self.read_marks(mark, marks));
        each.iter().any(|mark| self.counts_devices(mark))
    }

    /// Whether a value is the number of devices, or a mark that asks for it.
    pub(super) fn counts_devices(&self, value: &Value<'p>) -> bool {
        matches!(value, Value::Outside(path) if self.paths.text(*path).strip_suffix("()").is_some_and(counts_gpus))
    }

    fn run_test_class(
        &mut self,
        class: &Rc<ClassValue<'p>>,
        places: &Rc<[FileId]>,
        module: &DecoratorMarks<'p>,
    ) {
        let mut marks =
            DecoratorMarks { fixtures: module.fixtures.clone(), ..DecoratorMarks::clone(&class.marks) };
        marks.fixtures.extend(class.marks.fixtures.iter().cloned());
        let counts = self.read_pytestmark(class.scope, &mut marks) || class.counts_devices;
        if marks.skipped {
            return;
        }
        let span = self.class_code(class).span;
        for (_, method, definition) in
            self.named_as_tests(class.scope, Some(span), |name| name.starts_with("test"))
        {
            let (Value::Function(closure), Some(definition)) = (method, definition) else { continue };
            let Value::Instance(object) = self.new_instance(class).0 else { continue };
            let bound = Value::Function(Rc::new(Closure {
                bound: Some(Value::Instance(object.clone())),
                counts_devices: closure.counts_devices || counts,
                ..Closure::clone(&closure)
            }));
            self.run_test(bound, definition, Some(object), places, &marks);
        }
    }

    /// Runs one test, and takes back what it did. `around` are the marks of its class and module.
    fn run_test(
        &mut self,
        test: Value<'p>,
        definition: usize,
        object: Option<Rc<Instance<'p>>>,
        places: &Rc<[FileId]>,
        around: &DecoratorMarks<'p>,
    ) {
        let marks = match &test {
            Value::Function(closure) => closure.marks.clone(),
            _ => Rc::default(),
        };
        if marks.skipped {
            return;
        }
        let before = self.state.clone();
        let finalizers = self.finalizers.len();
        let definition = (self.entry, definition);
        let name = self.name_place(definition).span;
        // Tests are arms of one branch: no path leads through two of them.
        self.path.push((0, self.code_of(self.entry).functions[definition.1].span.start));
        let mark = self.begin_arm();
        self.here.statement = name;
        let named = [around.fixtures.clone(), marks.fixtures.clone()].concat();
        let fixtures = self.fixtures_of(definition, &named, places, object.as_ref());
        let asked = self.asked_for(definition).chain(fixtures.iter().map(|(name, _)| *name));
        let mut used = named.into_iter().chain(asked.map(str::to_owned));
        let by_fixture = used.find(|name| self.asked.tests.is_cleanup(name));
        let cleanup = around.cleanup.or(marks.cleanup).map(str::to_owned).or(by_fixture);
        let session = Session {
            test,
            definition,
            object,
            places: places.clone(),
            fixtures,
            mock_arguments: marks.mock_arguments,
            parameters: [around.parameters.clone(), marks.parameters.clone()].concat(),
            cleanup,
            finalizers,
            since: self.next_event(),
        };
        self.test = Some(definition);
        self.run_with_fixtures(Rc::new(session), 0, Vec::new());
        self.test = None;
        self.path.pop();
        self.end_arm(mark);
        self.finalizers.truncate(finalizers);
        self.state = before;
    }

    /// What runs behind the setup of the fixtures and before their teardown.
    pub(super) fn run_between(&mut self, session: &Session<'p>, values: &[(&'p str, Value<'p>)]) {
        let span = self.name_place(session.definition).span;
        self.here.statement = span;
        let skip = usize::from(session.object.is_some());
        let mut values = values.to_vec();
        let mock = self.paths.id("unittest.mock.MagicMock()");
        let injected = self.asked_for(session.definition).skip(skip).take(session.mock_arguments);
        values.extend(injected.map(|name| (name, Value::Outside(mock))).collect::<Vec<_>>());
        let given = self.asked_for(session.definition).filter_map(|name| {
            let mut all = session.parameters.iter();
            all.find(|(known, _)| known == name).map(|(_, value)| (name, value.clone()))
        });
        values.extend(given.collect::<Vec<_>>());
        self.in_test_frame(session.definition, |run| {
            run.run_in_modules(session, &BEFORE_IN_MODULE);
            run.run_in_class(session, &BEFORE_IN_CLASS);
        });
        let mut args = self.known_arguments(session.definition, &values);
        if skip == 1 {
            // `self` is bound already.
            let first = self.asked_for(session.definition).next();
            args.items.retain(|argument: &Arg<'p>| argument.name.as_deref() != first);
        }
        // Who fills a parameter of which nothing is known is pytest.
        let result = match &session.test {
            Value::Function(test) => self.run_function(test, args, span),
            test => self.call(test.clone(), args, span),
        };
        self.run_paused(&result, span);
        self.flow = Flow::Next;
        self.assured(session.since, None, |run| {
            run.run_in_class(session, &AFTER_IN_CLASS);
            run.finalize(session.finalizers);
            run.run_in_modules(session, &AFTER_IN_MODULE);
            if let Some(by) = &session.cleanup {
                run.note_release(by, span);
            }
        });
    }

    /// Runs what is set up for a test as a part of it.
    pub(super) fn in_test_frame<T>(
        &mut self,
        (file, function): (FileId, usize),
        set_up: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let (outer, events) = (self.here.frame, self.trace.events.len());
        let site = self.name_place((file, function)).span;
        let frame = self.push_frame(file, Some(function), site);
        self.here.frame = frame;
        let result = set_up(self);
        self.pop_frames(frame, events);
        self.here.frame = outer;
        result
    }

    fn run_in_class(&mut self, session: &Session<'p>, names: &[&'static str]) {
        let Some(object) = &session.object else { return };
        let span = self.name_place(session.definition).span;
        for name in names {
            if let Value::Function(_) = self.class_attribute(&object.class, name) {
                let method = self.attribute(&Value::Instance(object.clone()), name, span);
                self.run_by_pytest(method, span);
            }
        }
    }

    fn run_in_modules(&mut self, session: &Session<'p>, names: &[&'static str]) {
        let span = self.name_place(session.definition).span;
        for name in names {
            for file in session.places.iter() {
                let found = self.modules.get(file).and_then(|&scope| self.in_scope(scope, name)).cloned();
                if let Some(function @ Value::Function(_)) = found {
                    self.run_by_pytest(function, span);
                }
            }
        }
    }

    /// Runs what a file has pytest call before the tests.
    fn run_hooks(&mut self, file: FileId) {
        for name in HOOKS {
            let found = self.modules.get(&file).and_then(|&scope| self.in_scope(scope, name)).cloned();
            if let Some(Value::Function(hook)) = found {
                let span = self.program.code(hook.file).functions[hook.function].name_span;
                self.run_by_pytest(Value::Function(hook), span);
            }
        }
    }

    fn run_by_pytest(&mut self, function: Value<'p>, span: Span) {
        let result = self.call(function, Args { items: Vec::new(), open: true }, span);
        self.run_paused(&result, span);
        self.flow = Flow::Next;
    }
}
