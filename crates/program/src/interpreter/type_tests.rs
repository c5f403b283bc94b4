//! `isinstance(value, class)`, and what a test says in its arms about a name that holds one of several values.

mod library_objects;

use super::Interpreter;
use super::calls::Args;
use super::operators::is_none;
use super::statements::equal;
use crate::code::{Comparison, Expr, ExprKind, StatementKind};
use crate::facts::Span;
use crate::program::heap::CONTENTS;
use crate::program::heap::values::{ClassValue, Closure, Text, Value, agreed};
use crate::sources::Language;
use library_objects::abstract_class;
use std::rc::Rc;

/// Types of Python that have no others among their instances than those that build on them.
const BUILTIN: [&str; 12] = [
    "bool",
    "bytes",
    "bytearray",
    "complex",
    "dict",
    "float",
    "frozenset",
    "int",
    "list",
    "set",
    "str",
    "tuple",
];

/// Classes of libraries of which no constant, collection or function is an instance, and, parameters aside,
/// no object of another of them.
const OF_LIBRARIES: [&str; 9] = [
    "numpy.ndarray",
    "torch.Tensor",
    "torch.device",
    "torch.dtype",
    "torch.nn.Module",
    "torch.nn.Parameter",
    "torch.optim.Optimizer",
    "torch.utils.data.DataLoader",
    "torch.utils.data.Dataset",
];

impl<'p> Interpreter<'p> {
    /// Whether a value is an instance of a class, or of one of several.
    pub(super) fn is_instance(&mut self, value: &Value<'p>, class: &Value<'p>) -> Option<bool> {
        let verdict = |run: &mut Self, class: &Value<'p>| match value {
            Value::OneOf(values) => agreed(values, |value| run.is_instance_of(value, class)),
            value => run.is_instance_of(value, class),
        };
        let Value::Sequence(classes) = class else { return verdict(self, class) };
        let mut is_other = true;
        for class in classes.iter() {
            match self.is_instance(value, class) {
                Some(true) => return Some(true),
                Some(false) => {}
                None => is_other = false,
            }
        }
        is_other.then_some(false)
    }

    fn is_instance_of(&mut self, value: &Value<'p>, class: &Value<'p>) -> Option<bool> {
        let class = self.force(class.clone());
        match &class {
            Value::Class(class) if let Some(said) = self.checked_by_metaclass(class, value) => {
                self.truth(&said)
            }
            Value::Class(class) => self.is_instance_of_project(value, class),
            Value::Outside(path) => {
                let path = self.paths.text(*path).clone();
                match path.strip_prefix("builtins.") {
                    Some("object") => (!matches!(value, Value::Unknown | Value::Absent)).then_some(true),
                    // Nothing else is one.
                    Some("slice") if is_of_python(value) => Some(false),
                    Some(name) if BUILTIN.contains(&name) => self.is_builtin(value, name, &class),
                    _ => {
                        match abstract_class(&path).and_then(|name| self.is_of_abstract_class(value, name)) {
                            None => self.is_of_library(value, &path, &class),
                            said => said,
                        }
                    }
                }
            }
            _ => None,
        }
    }

    /// What `__instancecheck__` of the class of a class says.
    fn checked_by_metaclass(&mut self, class: &Rc<ClassValue<'p>>, value: &Value<'p>) -> Option<Value<'p>> {
        let check = self.method_of_metaclass(class, "__instancecheck__")?;
        // An object of the class itself is not asked about.
        if matches!(value, Value::Instance(instance) if instance.class.scope == class.scope) {
            return Some(Value::Bool(true));
        }
        let span = self.here.statement;
        let said = self.run_function(&check, Args::positional(vec![value.clone()], span), span);
        Some(self.force(said))
    }

    /// A method of the class of a class, bound to that.
    fn method_of_metaclass(
        &mut self,
        class: &Rc<ClassValue<'p>>,
        name: &'static str,
    ) -> Option<Rc<Closure<'p>>> {
        match self.class_attribute(class.metaclass.as_ref()?, name) {
            Value::Function(method) => Some(method.bound_to(Value::Class(class.clone()))),
            _ => None,
        }
    }

    /// `issubclass(class, base)`
    pub(super) fn builds_on(
        &mut self,
        class: &Rc<ClassValue<'p>>,
        base: &Value<'p>,
        span: Span,
    ) -> Option<bool> {
        let base = self.force(base.clone());
        if let Value::Sequence(bases) = &base {
            let verdicts: Vec<_> = bases.iter().map(|base| self.builds_on(class, base, span)).collect();
            return match verdicts.contains(&Some(true)) {
                true => Some(true),
                false => verdicts.iter().all(Option::is_some).then_some(false),
            };
        }
        if let Some(said) = self.asked_subclass(&base, &Value::Class(class.clone()), span) {
            return Some(said);
        }
        let order = self.resolution_order(class);
        if order.iter().any(|known| known.same(&base)) {
            return Some(true);
        }
        match &base {
            Value::Outside(path) if &**self.paths.text(*path) == "builtins.object" => Some(true),
            Value::Class(base) => {
                let is_known = order.iter().all(|known| matches!(known, Value::Class(_) | Value::Outside(_)));
                (is_known && self.has_plain_instances(base)).then_some(false)
            }
            _ => None,
        }
    }

    /// What `__subclasscheck__` of the class of a class says.
    pub(super) fn asked_subclass(&mut self, base: &Value<'p>, class: &Value<'p>, span: Span) -> Option<bool> {
        let Value::Class(base) = base else { return None };
        let check = self.method_of_metaclass(base, "__subclasscheck__")?;
        let said = self.run_function(&check, Args::positional(vec![class.clone()], span), span);
        let said = self.force(said);
        self.truth(&said)
    }

    fn is_instance_of_project(&mut self, value: &Value<'p>, class: &Rc<ClassValue<'p>>) -> Option<bool> {
        let own = match value {
            Value::Instance(instance) => Some(self.resolution_order(&instance.class)),
            _ => None,
        };
        if own.iter().flatten().any(|base| matches!(base, Value::Class(base) if base.scope == class.scope)) {
            return Some(true);
        }
        let is_known = own.iter().flatten().all(|base| matches!(base, Value::Class(_) | Value::Outside(_)));
        let is_other = match value {
            Value::Instance(_) => is_known,
            value => is_of_python(value) || self.is_library_object(value),
        };
        (is_other && self.has_plain_instances(class)).then_some(false)
    }

    /// Whether the instances of a class are objects that it, or one below it, made. A constant may be the member of an
    /// enumeration, a protocol asks for methods, and others may be registered as instances.
    fn has_plain_instances(&mut self, class: &Rc<ClassValue<'p>>) -> bool {
        let bases = self.resolution_order(class);
        let is_plain = |base: &Value<'p>| match base {
            Value::Class(base) => {
                let name = self.class_code(base).name;
                base.metaclass.is_none() && !self.program.registers(base.file, name)
            }
            Value::Outside(path) => {
                let path = self.paths.text(*path);
                !path.starts_with("enum.") && !path.ends_with(".Protocol")
            }
            _ => false,
        };
        bases.iter().all(is_plain)
    }

    fn is_builtin(&mut self, value: &Value<'p>, name: &str, class: &Value<'p>) -> Option<bool> {
        match value {
            Value::None | Value::Function(_) | Value::Class(_) => Some(false),
            Value::Bool(_) => Some(matches!(name, "bool" | "int")),
            // The member of an enumeration is followed as what it holds.
            Value::Int(..) if name == "int" => (!self.may_be_member(value)).then_some(true),
            Value::Int(..) => Some(false),
            Value::Float(_) => Some(name == "float"),
            Value::Text(text) if name == "str" => self.is_written_text(text).then_some(true),
            Value::Text(_) => (name != "bytes").then_some(false),
            Value::Mapping(_) => Some(name == "dict"),
            Value::Sequence(values) if name == "tuple" => (!may_be_range(values)).then_some(true),
            Value::Sequence(_) => Some(false),
            Value::Collection(scope) => match self.in_scope(*scope, CONTENTS).cloned()? {
                Value::Mapping(_) => Some(name == "dict"),
                Value::Sequence(_) if matches!(name, "set" | "frozenset") && self.is_no_list(*scope) => None,
                Value::Sequence(_) => Some(name == "list" && !self.is_no_list(*scope)),
                _ => None,
            },
            Value::Instance(instance) if instance.class.dataclass && self.is_named_tuple(&instance.class) => {
                Some(name == "tuple")
            }
            Value::Instance(instance) => {
                let bases = self.resolution_order(&instance.class);
                if bases.iter().any(|base| base.same(class)) {
                    return Some(true);
                }
                let is_other = |base: &Value<'p>| match base {
                    Value::Class(_) => true,
                    Value::Outside(path) => {
                        let path = self.paths.text(*path);
                        let kind = path.strip_prefix("builtins.").is_some_and(|kind| kind != name);
                        kind || path.starts_with("torch.nn.") || path.starts_with("abc.")
                    }
                    _ => false,
                };
                bases.iter().all(is_other).then_some(false)
            }
            Value::Outside(_) => self.is_made_by_library(value, "builtins."),
            _ => None,
        }
    }

    fn is_of_library(&mut self, value: &Value<'p>, path: &str, class: &Value<'p>) -> Option<bool> {
        match value {
            Value::Instance(instance) => {
                let bases = self.resolution_order(&instance.class);
                if bases.iter().any(|base| base.same(class)) {
                    return Some(true);
                }
                let is_project = bases.iter().all(|base| matches!(base, Value::Class(_)));
                (is_project && OF_LIBRARIES.contains(&path)).then_some(false)
            }
            Value::Outside(_) => self.is_made_by_library(value, path),
            value if is_of_python(value) && OF_LIBRARIES.contains(&path) => Some(false),
            Value::None | Value::Bool(_) => is_plain_class(path).then_some(false),
            Value::Text(text) => (self.is_written_text(text) && is_plain_class(path)).then_some(false),
            _ => None,
        }
    }

    /// Whether a text is surely a `str`: a literal, and neither a path made of one nor the member of an enumeration.
    pub(super) fn is_written_text(&self, text: &Text<'p>) -> bool {
        let place = text.place;
        if self.program.language_at(place) != Language::Python {
            return false;
        }
        let written = self.program.sources.text(place);
        let quoted = written.trim_start_matches(['r', 'R', 'f', 'F', 'u', 'U']);
        if !quoted.starts_with(['"', '\'']) {
            return false;
        }
        let holds = |step: &crate::code::Statement<'p>| {
            matches!(step.kind, StatementKind::Assign { .. })
                && step.span.start <= place.span.start
                && place.span.end <= step.span.end
        };
        let classes = &self.code_of(place.file).classes;
        !classes.iter().any(|class| !class.bases.is_empty() && class.body.iter().any(holds))
    }

    /// In the arm of a test a name holds those of its values of which the test says so.
    pub(super) fn narrow(&mut self, test: &'p Expr<'p>, holds: bool) {
        match &test.kind {
            ExprKind::Not(inner) => self.narrow(inner, !holds),
            ExprKind::All(parts) if holds => parts.iter().for_each(|part| self.narrow(part, true)),
            ExprKind::Any(parts) if !holds => parts.iter().for_each(|part| self.narrow(part, false)),
            ExprKind::Name(name) => self.narrow_name(name, holds, &mut |_, value| value.truth()),
            ExprKind::Compare(comparison, sides) => {
                let (ExprKind::Name(name), Some(other)) = (&sides.0.kind, self.literal(&sides.1)) else {
                    return;
                };
                let holds = match comparison {
                    Comparison::Equal | Comparison::Is => holds,
                    Comparison::NotEqual | Comparison::IsNot => !holds,
                    _ => return,
                };
                let is_asked = matches!(comparison, Comparison::Is | Comparison::IsNot);
                self.narrow_name(name, holds, &mut |_, value| match is_asked {
                    true => is_none(value, &other),
                    false => equal(value, &other),
                });
            }
            ExprKind::Call(call) => {
                let (ExprKind::Name("isinstance"), [object, class]) =
                    (&call.callee.kind, &call.arguments[..])
                else {
                    return;
                };
                let ExprKind::Name(name) = &object.value.kind else { return };
                if !names_classes(&class.value) || !self.holds_several(name) {
                    return;
                }
                let class = self.eval(&class.value);
                self.narrow_name(name, holds, &mut |run, value| run.is_instance(value, &class));
            }
            _ => {}
        }
    }

    fn literal(&self, expr: &Expr<'p>) -> Option<Value<'p>> {
        let place = self.place(expr.span);
        Some(match &expr.kind {
            ExprKind::None => Value::None,
            ExprKind::Bool(value) => Value::Bool(*value),
            ExprKind::Int(value) => Value::Int(*value, place),
            ExprKind::Text(text) => Value::text(text.clone(), place),
            _ => return None,
        })
    }

    /// Whether a name of the namespace itself holds one of several values.
    fn holds_several(&self, name: &'p str) -> bool {
        matches!(self.in_scope(self.here.scope, name), Some(Value::OneOf(_)))
    }

    fn narrow_name(
        &mut self,
        name: &'p str,
        holds: bool,
        verdict: &mut dyn FnMut(&mut Self, &Value<'p>) -> Option<bool>,
    ) {
        let scope = self.here.scope;
        let Some(Value::OneOf(values)) = self.in_scope(scope, name).cloned() else { return };
        let mut kept = values.to_vec();
        kept.retain(|value| verdict(self, value).is_none_or(|verdict| verdict == holds));
        if !kept.is_empty() && kept.len() < values.len() {
            // What is known of tests of the name goes on to hold.
            self.heap.bind(scope, name, Value::one_of(kept));
        }
    }
}

/// Whether a value is a constant, a collection or a function: no instance of a class of the project or a library.
fn is_of_python(value: &Value<'_>) -> bool {
    matches!(
        value,
        Value::None
            | Value::Bool(_)
            | Value::Int(..)
            | Value::Text(_)
            | Value::Function(_)
            | Value::Sequence(_)
            | Value::Mapping(_)
            | Value::Collection(_)
    )
}

/// Whether what holds these values may be a `range` and no tuple: its numbers stand where it was made.
pub(super) fn may_be_range(values: &[Value<'_>]) -> bool {
    let place = |value: &Value<'_>| if let Value::Int(_, place) = value { Some(*place) } else { None };
    let first = values.first().and_then(place);
    values.is_empty() || first.is_some() && values.iter().all(|value| place(value) == first)
}

/// Whether a name of a library is that of a class of its own: no type of Python under another name, and no class that others
/// may be registered with.
fn is_plain_class(path: &str) -> bool {
    const OF_PYTHON: [&str; 9] =
        ["abc", "builtins", "collections", "enum", "numbers", "os", "pathlib", "types", "typing"];
    let Some((modules, name)) = path.rsplit_once('.') else { return false };
    let is_alias = ["Enum", "Like", "Number", "Path", "Protocol", "Scalar", "Type", "Types"];
    name.starts_with(|one: char| one.is_ascii_uppercase())
        && name.contains(|one: char| one.is_ascii_lowercase())
        && !name.contains('(')
        && !is_alias.iter().any(|end| name.ends_with(end))
        && !modules.split('.').any(|module| OF_PYTHON.contains(&module) || module == "typing_extensions")
}

/// Whether an expression does no more than name a class, or several.
fn names_classes(expr: &Expr<'_>) -> bool {
    match &expr.kind {
        ExprKind::Name(_) => true,
        ExprKind::Attribute(object, _) => names_classes(object),
        ExprKind::Sequence(parts) => parts.iter().all(names_classes),
        _ => false,
    }
}
