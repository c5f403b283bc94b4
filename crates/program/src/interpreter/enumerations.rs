//! Members of enumerations. One is followed as what it holds, a text or a number, and finds the methods of its class by where it
//! stands; one with a constructor, or whose value Python makes, is an object.

use super::Interpreter;
use super::calls::Args;
use super::statements::equal;
use crate::code::{StatementKind, Target};
use crate::facts::Span;
use crate::program::heap::values::{ClassValue, Role, Value};
use std::rc::Rc;

impl<'p> Interpreter<'p> {
    /// Whether a class is an enumeration.
    pub(super) fn is_enumeration(&self, class: &ClassValue<'p>) -> bool {
        class.bases.iter().any(|base| match base {
            Value::Outside(path) => self.paths.text(*path).starts_with("enum."),
            Value::Class(base) => self.is_enumeration(base),
            _ => false,
        })
    }

    /// The members of an enumeration that its own body names, in their order, with what they are followed as.
    fn members(&mut self, class: &Rc<ClassValue<'p>>) -> Vec<(&'p str, Value<'p>)> {
        self.wake(class);
        let mut found: Vec<(&'p str, Value<'p>)> = Vec::new();
        for step in &self.class_code(class).body {
            let StatementKind::Assign { targets, value: Some(_), .. } = &step.kind else { continue };
            let [Target::Name(name, _)] = &targets[..] else { continue };
            let value = self.in_scope(class.scope, name).cloned();
            let is_member = |value: &Value<'p>| !matches!(value, Value::Function(_) | Value::Class(_));
            if !name.starts_with('_')
                && let Some(value) = value.filter(is_member)
            {
                found.push((name, value));
            }
        }
        found
    }

    /// Makes the members objects that have a constructor, or whose values Python makes.
    pub(super) fn make_members(&mut self, class: &Rc<ClassValue<'p>>, span: Span) {
        if !self.is_enumeration(class) || self.heap.waits(class.scope) {
            return;
        }
        let makes = |run: &mut Self, name| matches!(run.class_attribute(class, name), Value::Function(_));
        let has_constructor = makes(self, "__init__") || makes(self, "__new__");
        let members = self.members(class);
        let mut last = 0;
        for (name, held) in members {
            let is_made = matches!(&held, Value::Outside(path) if &**self.paths.text(*path) == "enum.auto()");
            last = if let Value::Int(number, _) = held { number } else { last + 1 };
            if !is_made && !has_constructor || self.flow != super::Flow::Next {
                continue;
            }
            let value = if is_made { Value::Int(last, self.place(span)) } else { held.clone() };
            let given = match &self.contents(&value) {
                Value::Sequence(parts) => parts.to_vec(),
                _ => vec![value.clone()],
            };
            let args = Args::positional(given, span);
            let mut member = self.new_instance(class).0;
            if let Value::Function(maker) = self.class_attribute(class, "__new__") {
                let made =
                    self.run_function(&maker.bound_to(Value::Class(class.clone())), args.clone(), span);
                if let Value::Instance(_) = made {
                    member = made;
                }
            }
            let Value::Instance(instance) = &member else { continue };
            let scope = instance.scope;
            if self.in_scope(scope, "_value_").is_none() {
                self.bind_in(scope, "_value_", value);
            }
            let value = self.in_scope(scope, "_value_").cloned().unwrap_or(Value::Unknown);
            self.bind_in(scope, "value", value);
            self.bind_in(scope, "name", Value::text(name, self.place(span)));
            if let Value::Function(constructor) = self.class_attribute(class, "__init__") {
                self.run_function(&constructor.bound_to(member.clone()), args, span);
            }
            self.bind_in(class.scope, name, member);
        }
    }

    /// `Card("1")`: the member that holds this. `None` where the class is no enumeration, or has its members made elsewhere.
    pub(super) fn member_holding(
        &mut self,
        class: &Rc<ClassValue<'p>>,
        args: &Args<'p>,
        span: Span,
    ) -> Option<Value<'p>> {
        if !self.is_enumeration(class) {
            return None;
        }
        let [argument] = &args.items[..] else { return None };
        let wanted = self.force(argument.value.clone());
        let members = self.members(class);
        let mut is_none = !members.is_empty();
        for (_, member) in &members {
            let held = match member {
                Value::Instance(instance) => self.in_scope(instance.scope, "value").cloned(),
                other => Some(other.clone()),
            };
            match equal(&held.unwrap_or(Value::Unknown), &wanted) {
                Some(true) => return Some(member.clone()),
                Some(false) => {}
                None if member.same(&wanted) => return Some(wanted),
                None => is_none = false,
            }
        }
        let asks = |run: &mut Self| match run.class_attribute(class, "_missing_") {
            Value::Function(missing) => {
                let missing = missing.bound_to(Value::Class(class.clone()));
                run.run_function(&missing, Args::positional(vec![wanted.clone()], span), span)
            }
            _ => Value::None,
        };
        if is_none {
            let found = asks(self);
            return Some(match self.force(found) {
                Value::None => self.raises(),
                found => found,
            });
        }
        let mut found = Value::Unknown;
        self.on_some_ways(|run| found = asks(run));
        self.may_raise();
        Some(Value::Unknown)
    }

    /// What a loop over an enumeration goes over.
    pub(super) fn members_in_order(&mut self, class: &Rc<ClassValue<'p>>) -> Option<Value<'p>> {
        if !self.is_enumeration(class) {
            return None;
        }
        let members = self.members(class);
        Some(Value::sequence(members.into_iter().map(|(_, member)| member).collect()))
    }

    /// `Card["FIRST"]`
    pub(super) fn member_named(&mut self, class: &Rc<ClassValue<'p>>, key: &Value<'p>) -> Option<Value<'p>> {
        let Value::Text(name) = key else { return None };
        if !self.is_enumeration(class) {
            return None;
        }
        self.members(class).into_iter().find(|(known, _)| *known == name.text).map(|(_, member)| member)
    }

    /// The class of a constant that stands as a member in the body of an enumeration, and its name there.
    fn class_around(&mut self, member: &Value<'p>) -> Option<(Rc<ClassValue<'p>>, &'p str)> {
        let place = member.place()?;
        let code = self.code_of(place.file);
        let (class, name) = code.classes.iter().find_map(|class| {
            let named = class.body.iter().find_map(|step| match &step.kind {
                StatementKind::Assign { targets, .. }
                    if step.span.start <= place.span.start && place.span.end <= step.span.end =>
                {
                    if let [Target::Name(name, _)] = &targets[..] { Some(*name) } else { None }
                }
                _ => None,
            })?;
            (!class.bases.is_empty()).then_some((class.name, named))
        })?;
        let scope = self.entered(place.file)?;
        match self.in_scope(scope, class).cloned()? {
            Value::Class(class) if self.is_enumeration(&class) => Some((class, name)),
            _ => None,
        }
    }

    /// `Card.FIRST.describe()`, `Card.FIRST.name`, where the member is followed as a constant.
    pub(super) fn attribute_of_member(
        &mut self,
        member: &Value<'p>,
        name: &'p str,
        span: Span,
    ) -> Option<Value<'p>> {
        let (class, own) = self.class_around(member)?;
        if name == "name" {
            return Some(Value::text(own, self.place(span)));
        }
        match self.class_attribute(&class, name) {
            Value::Unknown => None,
            Value::Function(closure) if closure.role == Role::Plain => {
                Some(Value::Function(closure.bound_to(member.clone())))
            }
            found => Some(self.bind_method(found, member, Some(&Value::Class(class)), span)),
        }
    }
}
