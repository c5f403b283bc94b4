//! What tests replace: `unittest.mock.patch`, `monkeypatch.setattr`. A replaced name does nothing.

use super::Interpreter;
use super::calls::Args;
use crate::program::heap::values::{ClassValue, DecoratorMarks, PathId, Value};
use std::borrow::Cow;

impl<'p> Interpreter<'p> {
    /// Whether a test replaced this name, or something that it is reached through.
    pub(super) fn is_mocked(&self, path: &str) -> bool {
        self.state.set_up().mocked.iter().any(|mocked| {
            path.strip_prefix(mocked.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '(']))
        })
    }

    /// Whether a test replaced what asks for the cards.
    pub(super) fn cards_are_replaced(&self) -> bool {
        const ASKING: &[&str] = &["torch.cuda.", "torch.accelerator.", "cupy.cuda.", "pynvml."];
        let mut mocked = self.state.set_up().mocked.iter();
        mocked.any(|name| ASKING.iter().any(|library| name.starts_with(library)))
    }

    /// Whether `object.name` is a mock, or was replaced.
    pub(super) fn is_replaced(&self, object: &Value<'p>, name: &str) -> bool {
        let path = match object {
            Value::Outside(path) if self.paths.text(*path).starts_with("unittest.mock.") => return true,
            _ if self.state.set_up().mocked.is_empty() => return false,
            Value::Outside(path) => self.paths.text(*path).to_string(),
            Value::Module(file) => self.program.dotted(*file),
            _ => return false,
        };
        self.is_mocked(&format!("{path}.{name}"))
    }

    /// Whether a test replaced this method in the class of an object or in one of its bases; of an object that is not
    /// known, in any class.
    pub(super) fn is_method_replaced(&mut self, object: &Value<'p>, name: &'p str) -> bool {
        if self.state.set_up().mocked.is_empty() {
            return false;
        }
        let class = match object {
            Value::Instance(instance) => &instance.class,
            Value::Class(class) => class,
            Value::Unknown => return self.is_replaced_in_a_class(name),
            Value::Outside(path) if self.paths.text(*path).ends_with(')') => {
                return self.is_replaced_in_a_class(name);
            }
            _ => return false,
        };
        for class in self.resolution_order(class) {
            let path = match &class {
                Value::Class(class) => self.class_path(class),
                Value::Outside(path) => self.paths.text(*path).to_string(),
                _ => continue,
            };
            if self.is_mocked(&format!("{path}.{name}")) {
                return true;
            }
            if matches!(&class, Value::Class(class) if self.own_attribute(class, name).is_some()) {
                return false;
            }
        }
        false
    }

    /// `patch("torch.Tensor.to")`
    fn is_replaced_in_a_class(&self, method: &str) -> bool {
        self.state.set_up().mocked.iter().any(|mocked| {
            let mut parts = mocked.rsplit('.');
            let is_it = parts.next() == Some(method);
            is_it && parts.next().is_some_and(|class| class.starts_with(|c: char| c.is_uppercase()))
        })
    }

    /// The dotted name of a class of the project.
    pub(super) fn class_path(&self, class: &ClassValue<'p>) -> String {
        let name = self.class_code(class).name;
        format!("{}.{name}", self.program.dotted(class.file))
    }

    /// Reads what a decorator says about the test that it stands on.
    pub(super) fn read_marks(&mut self, decorator: &Value<'p>, marks: &mut DecoratorMarks<'p>) {
        let Value::Outside(path) = decorator else { return };
        let text = self.paths.text(*path).clone();
        marks.skipped |=
            ["mark.skip", "mark.skip()", "unittest.skip()"].iter().any(|end| text.ends_with(end));
        if text.starts_with("click.option(") || text.starts_with("click.argument(") {
            marks.is_command = true;
            marks.options.push(*path);
        }
        if &*text == "hydra.main()" {
            let args = self.made_with(*path).cloned();
            marks.settings = args.and_then(|args| self.composed_settings(&args));
            return;
        }
        let Some(args) = self.made_with(*path) else { return };
        if text.ends_with("usefixtures()") {
            let names = args.items.iter().filter_map(|argument| argument.value.as_text());
            marks.fixtures.extend(names.map(Cow::into_owned));
        }
        if text.ends_with("fixture()") {
            let autouse = args.keyword("autouse").map(|argument| &argument.value);
            marks.autouse |= matches!(autouse, Some(Value::Bool(true)));
            let params = args.keyword("params").map(|argument| self.contents(&argument.value));
            if let Some(Value::Sequence(values)) = params {
                let each = values.iter().map(|value| self.parameter(value));
                marks.parameters.push(("request".to_owned(), Value::one_of(each)));
            }
            let scope = args.keyword("scope").map(|argument| &argument.value);
            marks.lasting |= scope.is_some_and(|scope| scope.as_text().as_deref() != Some("function"));
        }
        if text.ends_with("mark.parametrize()") {
            marks.parameters.extend(self.given_by(args));
        }
        let replacement = match &*text {
            text if text.ends_with("patch()") => 1,
            text if text.ends_with("patch.object()") => 2,
            _ => return,
        };
        // Without a replacement a mock is made, and passed to the function.
        if args.get(Some(replacement), Some("new")).is_none() {
            marks.mock_arguments += 1;
        }
        marks.mocked.extend(self.patch_target(&text, args));
    }

    /// `parametrize("device", ["cpu", "cuda"])`: the parameter is one of these.
    fn given_by(&self, args: &Args<'p>) -> Option<(String, Value<'p>)> {
        let name = args.at(0)?.value.as_text()?.trim().to_owned();
        let Value::Sequence(values) = self.contents(&args.at(1)?.value) else { return None };
        let each = values.iter().map(|value| self.parameter(value));
        (!name.contains(',')).then(|| (name, Value::one_of(each)))
    }

    /// One of the values of a parameter, also in `pytest.param(…)`.
    fn parameter(&self, value: &Value<'p>) -> Value<'p> {
        match value {
            Value::Outside(path) if self.paths.text(*path).ends_with("pytest.param()") => self
                .made_with(*path)
                .and_then(|args| args.at(0))
                .map_or(Value::Unknown, |first| first.value.clone()),
            value => value.clone(),
        }
    }

    /// What `request.param` is in a fixture with `params=`.
    pub(super) fn requested(&self, path: PathId) -> Option<Value<'p>> {
        self.paths.text(path).ends_with("FixtureRequest().param").then_some(())?;
        Some(self.made_with(path)?.at(0)?.value.clone())
    }

    /// The name that `patch("a.b")` or `patch.object(a, "b")` replaces, by the path of the call's result.
    pub(super) fn patch_target(&self, result: &str, args: &Args<'p>) -> Option<String> {
        let first = &args.at(0)?.value;
        if result.ends_with("patch()") {
            return match first {
                Value::Text(target) => Some(self.through_modules(&target.text)),
                _ => None,
            };
        }
        if result.ends_with("patch.object()") {
            self.attribute_target(first, &args.at(1)?.value)
        } else {
            None
        }
    }

    /// `patch("package.cache.torch.cuda.empty_cache")` replaces what `torch` means in that module of the project.
    fn through_modules(&self, target: &str) -> String {
        let (top, mut rest) = target.split_once('.').unwrap_or((target, ""));
        let mut module = self.resolve_with(&[], self.here.file, top);
        while let Some(inner) = module {
            let Some((name, behind)) = rest.split_once('.') else { break };
            let scope = inner.file().and_then(|file| self.modules.get(&file));
            if let Some(Value::Outside(path)) = scope.and_then(|&scope| self.heap.peek(scope, name)) {
                return format!("{}.{behind}", self.paths.text(*path));
            }
            (module, rest) = (self.program.modules.child(inner, name), behind);
        }
        target.to_owned()
    }

    /// `setattr(a, "b", …)` and its relatives.
    pub(super) fn attribute_target(&self, object: &Value<'p>, name: &Value<'p>) -> Option<String> {
        match (object, name) {
            (Value::Outside(path), Value::Text(name)) => {
                Some(format!("{}.{}", self.paths.text(*path), name.text))
            }
            (Value::Module(file), Value::Text(name)) => {
                Some(format!("{}.{}", self.program.dotted(*file), name.text))
            }
            (Value::Class(class), Value::Text(name)) => {
                Some(format!("{}.{}", self.class_path(class), name.text))
            }
            (Value::Text(target), _) => Some(target.text.to_string()),
            _ => None,
        }
    }

    /// Whether the arguments of such a call are needed later.
    pub(super) fn is_mark(path: &str) -> bool {
        ["patch", "patch.object", "patch.dict", "usefixtures", ".fixture", "mark.parametrize", "pytest.param"]
            .iter()
            .any(|end| path.ends_with(end))
    }

    /// Whether a method of something unknown makes a mock: `mocker.MagicMock()`.
    pub(super) fn makes_mock(name: &str) -> bool {
        ["Mock", "MagicMock", "AsyncMock", "NonCallableMock", "create_autospec"].contains(&name)
    }
}
