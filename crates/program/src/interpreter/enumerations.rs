//! Members of enumerations: objects. One that is a text or a number as well is followed as what it holds, and finds the methods of
//! its class by where it stands.

use super::Interpreter;
use super::calls::Args;
use super::statements::equal;
use crate::code::{StatementKind, Target};
use crate::facts::{Place, Span};
use crate::program::heap::values::{ClassValue, Role, Text, TextMember, Value};
use std::rc::Rc;

impl<'p> Interpreter<'p> {
    /// Whether a class is an enumeration.
    pub(super) fn is_enumeration(&self, class: &ClassValue<'p>) -> bool {
        self.builds_on_enumeration(&class.bases)
    }

    pub(super) fn builds_on_enumeration(&self, bases: &[Value<'p>]) -> bool {
        bases.iter().any(|base| match base {
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
            // Another name of the same member.
            let is_known = matches!(&value, Some(Value::Instance(member)) if found.iter().any(|(_, known)| {
                matches!(known, Value::Instance(known) if known.scope == member.scope)
            }));
            if is_known {
                continue;
            }
            let is_member = |value: &Value<'p>| !matches!(value, Value::Function(_) | Value::Class(_));
            if !name.starts_with('_')
                && let Some(value) = value.filter(is_member)
            {
                found.push((name, value));
            }
        }
        found
    }

    /// Whether the members of an enumeration are objects of their own, and nothing that is a text or a number as well.
    pub(super) fn has_plain_members(&mut self, class: &Rc<ClassValue<'p>>) -> bool {
        self.resolution_order(class).iter().all(|base| match base {
            Value::Class(_) => true,
            Value::Outside(path) => {
                let path = &**self.paths.text(*path);
                path == "enum.Enum" || super::classes::brings_nothing(path)
            }
            _ => false,
        })
    }

    /// What `auto()` gives, by what the members before it are.
    fn made_by_auto(&self, class: &ClassValue<'p>, name: &str, before: &[i64], place: Place) -> Value<'p> {
        let is_kind = |kinds: &[&str]| self.is_enumeration_of(class, kinds);
        if is_kind(&["enum.StrEnum"]) {
            return Value::text(name.to_lowercase(), place);
        }
        let highest = before.iter().copied().max().unwrap_or(0).max(0);
        match is_kind(&["enum.Flag", "enum.IntFlag"]) {
            true if highest == 0 => Value::Int(1, place),
            true => Value::Int(1 << (64 - highest.leading_zeros()).min(62), place),
            false => Value::Int(highest.saturating_add(1), place),
        }
    }

    /// Whether an enumeration builds on one of these.
    fn is_enumeration_of(&self, class: &ClassValue<'p>, kinds: &[&str]) -> bool {
        class.bases.iter().any(|base| match base {
            Value::Outside(path) => kinds.contains(&&**self.paths.text(*path)),
            Value::Class(base) => self.is_enumeration_of(base, kinds),
            _ => false,
        })
    }

    /// Makes the members what they are: objects, or what Python makes of `auto()`. Those that are texts or numbers as well stay
    /// what they hold.
    pub(super) fn make_members(&mut self, class: &Rc<ClassValue<'p>>, span: Span) {
        if !self.is_enumeration(class) || self.heap.waits(class.scope) {
            return;
        }
        let makes = |run: &mut Self, name| matches!(run.class_attribute(class, name), Value::Function(_));
        let has_constructor = makes(self, "__init__") || makes(self, "__new__");
        let are_objects = has_constructor || self.has_plain_members(class);
        let has_own_auto = makes(self, "_generate_next_value_");
        // `str(Card.FIRST)` is `Card.FIRST` where a class is a `str` beside an `Enum`, and what a format makes of it depends on
        // the version of Python.
        let shows_value = self.is_enumeration_of(class, &["enum.StrEnum"])
            || makes(self, "__str__")
            || makes(self, "__format__");
        let member = if shows_value { TextMember::ShowsValue } else { TextMember::ShowsName };
        let members = self.members(class);
        let mut numbers = Vec::new();
        let mut made: Vec<(Value<'p>, Value<'p>)> = Vec::new();
        for (name, held) in members {
            if self.flow != super::Flow::Next {
                return;
            }
            let is_auto = matches!(&held, Value::Outside(path) if &**self.paths.text(*path) == "enum.auto()");
            let place = self.place_of_member(class, name).unwrap_or(self.place(span));
            let value = match is_auto {
                true if has_own_auto => Value::Unknown,
                true => self.made_by_auto(class, name, &numbers, place),
                false => held,
            };
            numbers.extend(if let Value::Int(number, _) = value { Some(number) } else { None });
            if !are_objects {
                let value = match value {
                    Value::Text(text) => {
                        Value::Text(Rc::new(Text { text: text.text.clone(), place: text.place, member }))
                    }
                    other => other,
                };
                if is_auto || matches!(value, Value::Text(_)) {
                    self.bind_in(class.scope, name, value);
                }
                continue;
            }
            // Another name of the same value is the same member.
            let is_it = |(known, _): &&(Value<'p>, Value<'p>)| equal(known, &value) == Some(true);
            if !has_constructor && let Some((_, member)) = made.iter().find(is_it) {
                let member = member.clone();
                self.bind_in(class.scope, name, member);
                continue;
            }
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
                self.bind_in(scope, "_value_", value.clone());
            }
            let own = self.in_scope(scope, "_value_").cloned().unwrap_or(Value::Unknown);
            self.bind_in(scope, "value", own);
            self.bind_in(scope, "name", Value::text(name, self.place(span)));
            if let Value::Function(constructor) = self.class_attribute(class, "__init__") {
                self.run_function(&constructor.bound_to(member.clone()), args, span);
            }
            self.bind_in(class.scope, name, member.clone());
            made.push((value, member));
        }
    }

    /// Where the value of a member stands.
    fn place_of_member(&self, class: &ClassValue<'p>, name: &str) -> Option<Place> {
        self.class_code(class).body.iter().rev().find_map(|step| match &step.kind {
            StatementKind::Assign { targets, value: Some(value), .. } => match &targets[..] {
                [Target::Name(known, _)] if *known == name => {
                    Some(Place { file: class.file, span: value.span })
                }
                _ => None,
            },
            _ => None,
        })
    }

    /// What `str(member)` and `repr(member)` give, where the class says nothing else.
    pub(super) fn text_of_member(&mut self, object: &Value<'p>, by: &str, span: Span) -> Option<Value<'p>> {
        let Value::Instance(instance) = object else { return None };
        if !self.is_enumeration(&instance.class) || !self.has_plain_members(&instance.class) {
            return None;
        }
        let Value::Text(class) = self.name_of_class(&instance.class, span) else { return None };
        let Value::Text(name) = self.in_scope(instance.scope, "name").cloned()? else { return None };
        let whole = format!("{}.{}", class.text, name.text);
        let text = match by {
            "repr" => {
                let value = self.in_scope(instance.scope, "_value_").cloned()?;
                format!("<{whole}: {}>", self.written(&value, 0)?)
            }
            _ => whole,
        };
        Some(Value::text(text, self.place(span)))
    }

    /// Whether a member is equal to something that is no object: only those are that are a text or a number as well.
    pub(super) fn is_equal_to_member(&mut self, one: &Value<'p>, other: &Value<'p>) -> Option<bool> {
        let ((Value::Instance(instance), other) | (other, Value::Instance(instance))) = (one, other) else {
            return None;
        };
        let is_constant = matches!(
            other,
            Value::Text(_) | Value::Int(..) | Value::Bool(_) | Value::None | Value::Sequence(_)
        );
        let is_member = is_constant && self.is_enumeration(&instance.class);
        (is_member && self.has_plain_members(&instance.class)).then_some(false)
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

    /// Whether a constant may be the member of an enumeration.
    pub(super) fn may_be_member(&mut self, value: &Value<'p>) -> bool {
        self.class_around(value).is_some()
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

impl Value<'_> {
    /// Whether it is a text that is the member of an enumeration, and is written as such.
    pub(super) fn shows_name(&self) -> bool {
        self.alternatives()
            .iter()
            .any(|one| matches!(one, Value::Text(text) if text.member == TextMember::ShowsName))
    }
}
