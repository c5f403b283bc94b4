//! Fixtures of pytest: which ones a test has, and running them around it, as far as their `yield` before the
//! test and from there on after it.

use super::calls::{Arg, Args};
use super::generators::YieldConsumer;
use super::tests::Session;
use super::{Flow, Interpreter};
use crate::code::ParameterKind;
use crate::facts::{FileId, Place, Span};
use crate::program::heap::values::{ClassValue, Closure, Instance, Value};
use crate::program::trace::Assurance;
use std::rc::Rc;

/// A fixture of a test, by the name under which tests ask for it.
pub(super) type Fixture<'p> = (&'p str, Rc<Closure<'p>>);

/// Fixtures that ask for each other deeper than this are not followed.
const DEEPEST: usize = 8;

impl<'p> Interpreter<'p> {
    /// The fixtures of a test, each behind those that it needs itself.
    pub(super) fn fixtures_of(
        &self,
        definition: (FileId, usize),
        named: &[String],
        places: &[FileId],
        object: Option<&Rc<Instance<'p>>>,
    ) -> Vec<Fixture<'p>> {
        let mut fixtures = Vec::new();
        let class = object.map(|object| &object.class);
        for (name, _) in places.iter().flat_map(|file| self.autouse_fixtures(*file)) {
            self.add_fixture(name, places, object, 0, &mut fixtures);
        }
        for (name, _) in class.into_iter().flat_map(|class| self.autouse_in(class.scope)) {
            self.add_fixture(name, places, object, 0, &mut fixtures);
        }
        for name in named {
            self.add_fixture(name, places, object, 0, &mut fixtures);
        }
        for name in self.asked_for(definition) {
            self.add_fixture(name, places, object, 0, &mut fixtures);
        }
        // pytest sets up first what lasts longer.
        fixtures.sort_by_key(|(_, fixture)| !fixture.marks.lasting);
        fixtures
    }

    /// The names of the parameters that pytest fills in.
    pub(super) fn asked_for(
        &self,
        (file, function): (FileId, usize),
    ) -> impl Iterator<Item = &'p str> + use<'p> {
        let parameters = &self.code_of(file).functions[function].parameters;
        let asks = |kind| matches!(kind, ParameterKind::Plain | ParameterKind::KeywordOnly);
        parameters.iter().filter(move |parameter| asks(parameter.kind)).map(|parameter| parameter.name)
    }

    fn add_fixture(
        &self,
        name: &str,
        places: &[FileId],
        object: Option<&Rc<Instance<'p>>>,
        depth: usize,
        fixtures: &mut Vec<Fixture<'p>>,
    ) {
        if depth > DEEPEST || fixtures.iter().any(|(known, _)| *known == name) {
            return;
        }
        let Some((name, fixture)) = self.fixture_named(name, places, object) else { return };
        for needed in self.asked_for((fixture.file, fixture.function)).filter(|needed| *needed != name) {
            self.add_fixture(needed, places, object, depth + 1, fixtures);
        }
        fixtures.push((name, fixture));
    }

    /// The nearest fixture of this name: in the test class, in the test module, else in a `conftest.py`.
    pub(super) fn fixture_named(
        &self,
        name: &str,
        places: &[FileId],
        object: Option<&Rc<Instance<'p>>>,
    ) -> Option<Fixture<'p>> {
        let in_class = object.and_then(|object| {
            let (name, fixture) = self.function_in(object.class.scope, name)?;
            Some((name, fixture.bound_to(Value::Instance(object.clone()))))
        });
        in_class
            .or_else(|| places.iter().rev().find_map(|file| self.function_in(*self.modules.get(file)?, name)))
    }

    fn function_in(&self, scope: u32, name: &str) -> Option<Fixture<'p>> {
        match self.heap.peek_named(scope, name)? {
            (name, Value::Function(closure)) => Some((name, closure.clone())),
            _ => None,
        }
    }

    /// The fixtures of a module that every test has, in the order in which they are defined.
    fn autouse_fixtures(&self, file: FileId) -> Vec<Fixture<'p>> {
        self.modules.get(&file).map_or(Vec::new(), |&scope| self.autouse_in(scope))
    }

    fn autouse_in(&self, scope: u32) -> Vec<Fixture<'p>> {
        let values = self.heap.names(scope);
        let mut fixtures: Vec<_> = values
            .into_iter()
            .filter_map(|(name, value)| match value {
                Value::Function(closure) if closure.marks.autouse => Some((name, closure)),
                _ => None,
            })
            .collect();
        fixtures.sort_by_key(|(_, closure)| (closure.file, self.function_of(closure).span.start));
        fixtures
    }

    /// Runs the fixtures from the given one on, then the test, then what the fixtures do behind their `yield`.
    pub(super) fn run_with_fixtures(
        &mut self,
        session: Rc<Session<'p>>,
        number: usize,
        mut values: Vec<(&'p str, Value<'p>)>,
    ) {
        let Some((name, fixture)) = session.fixtures.get(number).cloned() else {
            return self.run_between(&session, &values);
        };
        let mut args = self.known_arguments((fixture.file, fixture.function), &values);
        let span = self.function_of(&fixture).name_span;
        if let Some((_, value)) = fixture.marks.parameters.iter().find(|(name, _)| name == "request") {
            args.items.push(self.request_with(value.clone(), span));
        }
        self.here.statement = self.code_of(session.definition.0).functions[session.definition.1].name_span;
        let value = match fixture.marks.lasting {
            true => self.run_function(&fixture, args, span),
            false => self.in_test_frame(session.definition, |run| run.run_function(&fixture, args, span)),
        };
        let is_generator = self.function_of(&fixture).is_generator;
        if !matches!(value, Value::Paused(_)) || !is_generator {
            let value = match value {
                Value::Paused(_) => self.run_paused(&value, span),
                value => value,
            };
            self.flow = Flow::Next;
            values.push((name, value));
            return self.run_with_fixtures(session, number + 1, values);
        }
        let (since, definition) = (session.since, session.definition);
        let rest = move |run: &mut Interpreter<'p>, value: Value<'p>| {
            let catches = std::mem::take(&mut run.catches);
            values.push((name, value));
            run.run_with_fixtures(session, number + 1, values);
            run.catches = catches;
            // pytest goes on behind the `yield` however the test ended.
            run.flow = Flow::Next;
            run.assured = run.assured.or(Some(Assurance { since, frame: None }));
            Value::Unknown
        };
        let assured = self.assured;
        let body = YieldConsumer::Rest(Box::new(rest));
        match fixture.marks.lasting {
            true => self.wait_for(&value, body, span),
            false => self.in_test_frame(definition, |run| run.wait_for(&value, body, span)),
        };
        self.assured = assured;
        self.flow = Flow::Next;
    }

    /// The `request` of a fixture that runs once for each of several values.
    fn request_with(&mut self, value: Value<'p>, span: Span) -> Arg<'p> {
        let made = self.paths.id("pytest.FixtureRequest()");
        let request = self.paths.object(made);
        self.keep_arguments(request, Args::positional(vec![value], span));
        Arg { name: Some("request".into()), value: Value::Outside(request), span }
    }

    /// The arguments that are known by the names of the parameters.
    pub(super) fn known_arguments(
        &self,
        definition: (FileId, usize),
        values: &[(&'p str, Value<'p>)],
    ) -> Args<'p> {
        let parameters = &self.code_of(definition.0).functions[definition.1].parameters;
        let mut args = Args::default();
        for parameter in parameters {
            let known = values.iter().rev().find(|(name, _)| *name == parameter.name);
            if let Some((_, value)) = known {
                let name = Some(parameter.name.into());
                args.items.push(Arg { name, value: value.clone(), span: parameter.span });
            }
        }
        args
    }

    /// Whether a class is one of `unittest`, whatever it is called.
    pub(super) fn is_test_case(&mut self, class: &Rc<ClassValue<'p>>, depth: usize) -> bool {
        let bases = class.bases.clone();
        bases.into_iter().any(|base| match self.force(base) {
            Value::Outside(path) => self.paths.text(path).ends_with("TestCase"),
            Value::Class(base) => depth < DEEPEST && self.is_test_case(&base, depth + 1),
            _ => false,
        })
    }

    /// The file and span of the name of a function, for what happens in its name.
    pub(super) fn name_place(&self, (file, function): (FileId, usize)) -> Place {
        Place { file, span: self.code_of(file).functions[function].name_span }
    }
}
