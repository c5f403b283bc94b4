//! Variables of shells: a shell has its own, and those that it exports are in the environment of what it starts.

use super::Interpreter;
use crate::code::{Export, Expr, SetVariable};
use crate::facts::Span;
use crate::program::heap::values::{ScopeId, Value};
use crate::program::state::Definition;

impl<'p> Interpreter<'p> {
    /// The namespace of shell variables: a shell has one for all its functions.
    pub(super) fn shell_scope(&self) -> ScopeId {
        let mut scope = self.here.scope;
        while let Some(parent) = self.heap.parent(scope) {
            scope = parent;
        }
        scope
    }

    pub(super) fn set_variable(&mut self, set: &'p SetVariable<'p>) {
        let scope = self.shell_scope();
        let value = match &set.value {
            Some(value) => self.shell_value(value),
            None => match self.in_scope(scope, &set.name) {
                Some(value) => value.clone(),
                None => return self.will_export(&set.name),
            },
        };
        let exported = match set.export {
            Export::Yes => true,
            Export::No => false,
            Export::IfExported => {
                self.exports_all() || self.is_exported(&set.name) || self.is_to_be_exported(&set.name)
            }
        };
        if exported {
            let key = Value::text(&*set.name, self.place(set.span));
            let text = self.as_environment_text(&value, set.span);
            self.write_variable(&key, &text, set.span, set.only_if_unset);
        }
        let keeps = set.only_if_unset && (exported || self.in_scope(scope, &set.name).is_some());
        if keeps {
            // What it holds now is known from the environment, if at all.
            return self.unbind_in(scope, &set.name);
        }
        self.bind_in(scope, &set.name, value);
    }

    /// The value of an expression; a path whose end alone is known keeps that end.
    pub(super) fn shell_value(&mut self, value: &'p Expr<'p>) -> Value<'p> {
        let evaluated = self.eval(value);
        match (&evaluated, self.ending_of(value)) {
            (Value::Unknown, Some(end)) => Value::Outside(self.paths.id(&format!("…/{end}"))),
            _ => evaluated,
        }
    }

    /// What `for x in $GPUS` goes over: the words of a text. PowerShell takes it as one.
    pub(super) fn words_of(&self, name: &str, value: Value<'p>) -> Value<'p> {
        let Value::Text(text) = &value else { return value };
        let place = text.place;
        let words: Vec<Value<'p>> = match name.starts_with('$') {
            true => vec![value],
            false => text.text.split_whitespace().map(|word| Value::text(word.to_owned(), place)).collect(),
        };
        Value::sequence(words)
    }

    /// The end of a path that [`Interpreter::shell_value`] kept.
    pub(super) fn kept_ending(&self, value: &Value<'p>) -> Option<String> {
        let Value::Outside(path) = value else { return None };
        self.paths.text(*path).strip_prefix("…/").map(str::to_owned)
    }

    /// A shell has no numbers: what is exported is text. PowerShell joins the elements of a list by blanks.
    pub(super) fn as_environment_text(&self, value: &Value<'p>, span: Span) -> Value<'p> {
        match value {
            Value::Int(number, _) => Value::text(number.to_string(), self.place(span)),
            Value::Sequence(elements) => {
                let texts: Option<Vec<_>> = elements.iter().map(Value::as_text).collect();
                texts.map_or(Value::Unknown, |texts| Value::text(texts.join(" "), self.place(span)))
            }
            Value::OneOf(values) => {
                Value::one_of(values.iter().map(|value| self.as_environment_text(value, span)))
            }
            value => value.clone(),
        }
    }

    pub(super) fn is_exported(&mut self, name: &str) -> bool {
        let reaching = self.reaching(name);
        reaching.iter().any(|definition| matches!(definition, Definition::Set(..) | Definition::Elsewhere))
    }

    pub(super) fn unset_variable(&mut self, name: &'p str, span: Span) {
        let scope = self.shell_scope();
        self.unbind_in(scope, name);
        let key = Value::text(name, self.place(span));
        self.remove_variable(&key, span);
    }

    /// What `$X` gives.
    pub(super) fn shell_variable(
        &mut self,
        name: &'p str,
        default: Option<Value<'p>>,
        span: Span,
    ) -> Value<'p> {
        let scope = self.shell_scope();
        let known = self.in_scope(scope, name).cloned();
        match (known, default) {
            (Some(value), None) => value,
            (Some(value), Some(default)) => match value.truth() {
                Some(true) => value,
                Some(false) => default,
                None => Value::one_of([value, default]),
            },
            (None, default) => {
                let key = Value::text(name, self.place(span));
                self.read_variable(&key, default, span)
            }
        }
    }
}
