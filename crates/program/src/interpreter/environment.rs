//! The process environment: `os.environ` in all its forms.

use super::Interpreter;
use super::calls::Args;
use super::iterables::{ITEMS_OF_ENVIRONMENT, NAMES_IN_ENVIRONMENT};
use super::presence::VariablePresence;
use crate::facts::{Place, Span};
use crate::program::heap::values::Value;
use crate::program::launcher_arguments::is_no_variable;
use crate::program::state::{ALLOCATOR, Definition, MASK, ORDER, Reaching, State, held};
use crate::program::summaries::Dependency;
use crate::program::trace::{EventId, EventKind, NOT_NOTED, Recipient};
use smallvec::smallvec;
use std::sync::Arc;

/// Beginnings of the names of variables that have to do with GPUs. The values of all others never
/// appear anywhere.
const GPU_PREFIXES: &[&str] = &[
    "CUDA_", "NVIDIA_", "PYTORCH_", "TORCH_", "HIP_", "ROCR_", "GPU_", "XLA_", "JAX_", "TF_", "NUMBA_",
    "CUPY_", "KERAS_", "ZE_", "ONEAPI_", "ASCEND_", "VLLM_",
];

impl<'p> Interpreter<'p> {
    pub(super) fn is_environ(&self, value: &Value<'p>) -> bool {
        match value {
            Value::Outside(path) => matches!(&**self.paths.text(*path), "os.environ" | "os.environb"),
            _ => false,
        }
    }

    pub(super) fn is_environ_copy(&self, value: &Value<'p>) -> bool {
        match value {
            Value::Outside(path) => &**self.paths.text(*path) == "os.environ.copy()",
            _ => false,
        }
    }

    /// Methods of `os.environ` and functions of `os`; `None` when the call is none of them.
    pub(super) fn call_environment(&mut self, path: &str, args: &Args<'p>, span: Span) -> Option<Value<'p>> {
        let value = |position: usize, name: &str| {
            args.get(Some(position), Some(name)).map(|argument| argument.value.clone())
        };
        if let Some(read) = path.strip_prefix("os.environ[")
            && let Some((variable, "strip" | "lstrip" | "rstrip" | "lower" | "upper")) = read.split_once("].")
        {
            return Some(Value::Outside(self.paths.id(&format!("os.environ[{variable}]"))));
        }
        match path {
            "os.environ.get" | "os.getenv" | "os.environ.__getitem__" | "std.env.var" | "std.env.var_os" => {
                let key = value(0, "key")?;
                let default = value(1, "default").unwrap_or(Value::None);
                self.chosen_by_key(&key, &default);
                Some(self.read_variable(&key, Some(default), span))
            }
            "os.environ.setdefault" => {
                let (key, new) = (value(0, "key")?, value(1, "default")?);
                self.write_variable(&key, &new, span, true);
                Some(self.read_variable(&key, None, span))
            }
            "os.putenv" => {
                let (key, new) = (value(0, "key")?, value(1, "value")?);
                self.change_process_alone(&key, Some(&new), span);
                Some(Value::None)
            }
            "os.unsetenv" => {
                self.change_process_alone(&value(0, "key")?, None, span);
                Some(Value::None)
            }
            "os.environ.__setitem__" | "std.env.set_var" => {
                let (key, new) = (value(0, "key")?, value(1, "value")?);
                self.write_variable(&key, &new, span, false);
                Some(Value::None)
            }
            "os.environ.pop" | "os.environ.__delitem__" | "std.env.remove_var" => {
                let key = value(0, "key")?;
                let default = value(1, "default");
                let raises = default.is_none() && matches!(path, "os.environ.pop" | "os.environ.__delitem__");
                let old = self.read_variable(&key, default, span);
                match raises {
                    true => self.remove_present_variable(&key, span),
                    false => self.remove_variable(&key, span),
                }
                Some(old)
            }
            "os.environ.keys" => Some(Value::Outside(self.paths.id(NAMES_IN_ENVIRONMENT))),
            "os.environ.items" => Some(Value::Outside(self.paths.id(ITEMS_OF_ENVIRONMENT))),
            "os.environ.update" => {
                if let Some(mapping) = args.at(0) {
                    let mapping = mapping.value.clone();
                    self.write_mapping(&mapping, span, false);
                }
                let named: Vec<_> = args
                    .items
                    .iter()
                    .filter_map(|argument| {
                        argument.name.clone().map(|name| (name, argument.value.clone(), argument.span))
                    })
                    .collect();
                for (name, value, at) in named {
                    let key = Value::text(name, self.place(at));
                    self.write_variable(&key, &value, at, false);
                }
                if args.open {
                    self.whole_environment().havoc();
                }
                Some(Value::None)
            }
            "os.environ.clear" => {
                let mut others = self.variables_with(|definition| !definition.is_absent());
                others.retain(|name| ![MASK, ORDER].contains(&&**name));
                for variable in [MASK.to_owned(), ORDER.to_owned()].into_iter().chain(others) {
                    let is_set = |definition: &Definition| matches!(definition, Definition::Set(..));
                    let may_be_unset = usize::from(!self.reaching(&variable).iter().all(is_set));
                    let key = Value::text(variable, self.place(span));
                    self.uncertain += may_be_unset;
                    self.remove_variable(&key, span);
                    self.uncertain -= may_be_unset;
                }
                Some(Value::None)
            }
            _ => None,
        }
    }

    /// A variable in the environment of a program that is started, and what it holds there.
    pub(super) fn handed_over(
        &mut self,
        key: &Value<'p>,
        value: &Value<'p>,
        span: Span,
    ) -> Option<(String, Reaching)> {
        let event = self.hand_over(key, value, span);
        let variable = self.variable_name(key)?;
        let definition = match event {
            // Somebody chooses, and what is known when it runs.
            NOT_NOTED if variable == MASK => Definition::Elsewhere,
            NOT_NOTED => return None,
            event => Definition::Set(event, value.as_text().map(|text| text.as_ref().into())),
        };
        Some((variable, smallvec![definition]))
    }

    /// Notes the write of such a variable: this process keeps what it has.
    fn hand_over(&mut self, key: &Value<'p>, value: &Value<'p>, span: Span) -> EventId {
        let (Some(variable), Value::Text(text)) = (self.variable_name(key), self.force(value.clone())) else {
            return NOT_NOTED;
        };
        // The other process has not touched the GPU yet.
        let milestones = std::mem::take(&mut self.state.milestones);
        let touched = (self.state.cuda.take(), self.state.library.take());
        let outer = std::mem::replace(&mut self.recipient, Recipient::Program);
        let value = Some(text.text.to_string());
        let event = self.note_variable(&variable, span, |variable| EventKind::Write {
            variable,
            value,
            only_if_unset: false,
            by_index: false,
        });
        self.recipient = outer;
        (self.state.cuda, self.state.library) = touched;
        self.state.milestones = milestones;
        event
    }

    /// Writes every item of a mapping.
    pub(super) fn write_mapping(&mut self, mapping: &Value<'p>, span: Span, only_if_unset: bool) {
        let mapping = match self.force(mapping.clone()) {
            pairs @ Value::Stream(_) => self.iterate(pairs, span),
            mapping => mapping,
        };
        match self.whole_contents(&mapping) {
            Value::Mapping(items) => {
                for (key, value) in items.iter() {
                    if matches!(key, Value::None) {
                        let names = self.elements(value).unwrap_or_default();
                        let names = names.iter().filter_map(Value::as_text).map(|name| name.into_owned());
                        let names: Vec<String> = names.collect();
                        let is_known = matches!(value, Value::Sequence(_));
                        self.restore_copy(is_known.then_some(&names), span);
                    }
                    // Written here, or held by a name that stands here.
                    let is_here = |place: Place| {
                        let here = self.here.statement;
                        place.file == self.here.file
                            && here.start <= place.span.start
                            && place.span.end <= here.end
                    };
                    let at = match (key.place().filter(|place| is_here(*place)), value.place()) {
                        (Some(key), Some(value)) if is_here(value) => {
                            Span { start: key.span.start, end: value.span.end.max(key.span.end) }
                        }
                        (Some(key), None) => key.span,
                        _ => span,
                    };
                    self.write_variable(key, value, at, only_if_unset);
                }
            }
            Value::Sequence(pairs) => {
                for pair in pairs.iter() {
                    if let Value::Sequence(pair) = pair
                        && let [key, value] = &pair[..]
                    {
                        self.write_variable(key, value, span, only_if_unset);
                    }
                }
            }
            copy if self.is_environ_copy(&copy) => self.restore_copy(None, span),
            copy if self.is_environ(&copy) => {}
            // Anything may be in it.
            _ => self.whole_environment().havoc(),
        }
    }

    /// `os.environ.update(copy)`, where the copy was made of the environment. `held` are the variables that the program had
    /// set then, where that is known.
    fn restore_copy(&mut self, held: Option<&[String]>, span: Span) {
        // What an earlier copy may have put back may have been another then.
        let mut names = self.variables_with(|definition| !matches!(definition, Definition::Unset));
        for name in held.unwrap_or_default() {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        self.uncertain += 1;
        for name in names {
            self.note_variable(&name, span, |variable| EventKind::Restore { variable });
        }
        self.uncertain -= 1;
        self.whole_environment().restore_copy(held);
    }

    pub(super) fn write_variable(
        &mut self,
        key: &Value<'p>,
        value: &Value<'p>,
        span: Span,
        only_if_unset: bool,
    ) {
        let Some(variable) = self.variable_name(key) else {
            if !matches!(key, Value::None) {
                self.whole_environment().havoc();
            }
            return;
        };
        let value = self.force(value.clone());
        // Writing back what was read keeps what the caller had set; a default fills the gap.
        let writes_back = self.variable_read(&value).is_some_and(|read| read == variable);
        if writes_back && !matches!(value, Value::OneOf(_)) {
            // Whatever was set in between, it is again what the caller gave.
            self.note_variable(&variable, span, |variable| EventKind::Restore { variable });
            return self.set_in_environ(&variable, smallvec![Definition::Elsewhere], false, false);
        }
        let only_if_unset = only_if_unset || writes_back;
        let texts: Vec<Option<Arc<str>>> = value
            .alternatives()
            .iter()
            .filter(|value| !(writes_back && matches!(value, Value::Outside(_))))
            .map(|value| match value {
                // Anything but text raises a TypeError: the old value stays.
                Value::Text(text) => Some(Arc::from(&*text.text)),
                _ => None,
            })
            .collect();
        let by_index = variable == MASK && self.names_indices(&value);
        let late = self.lateness(&variable, &texts, only_if_unset);
        let rival = self.rival(&variable);
        self.note_refusal(&variable, &value, span, only_if_unset);
        let event = self.note_variable(&variable, span, |variable| EventKind::Write {
            variable,
            value: match &texts[..] {
                [Some(text)] => Some(text.to_string()),
                _ => None,
            },
            only_if_unset,
            by_index,
        });
        if event != NOT_NOTED {
            let before = &mut self.trace.events[event as usize].before;
            (before.late, before.rival) = (late, rival);
        }
        let new: Reaching = texts.into_iter().map(|text| Definition::Set(event, text)).collect();
        // What is written back may have been read before what the variable holds now was set.
        self.set_in_environ(&variable, new, only_if_unset, writes_back);
    }

    pub(super) fn remove_variable(&mut self, key: &Value<'p>, span: Span) {
        if let Value::OneOf(keys) = key {
            return keys.iter().for_each(|key| self.on_some_ways(|run| run.remove_variable(key, span)));
        }
        let Some(variable) = self.variable_name(key) else { return };
        // What was removed before may be in a copy that was made before.
        let was_set = self.reaching(&variable).iter().any(|definition| *definition != Definition::Unset);
        let event = self.note_variable(&variable, span, |variable| EventKind::Remove { variable });
        let after = Definition::Removed(if was_set { event } else { NOT_NOTED });
        self.unset_in_environ(&variable, after);
    }

    fn note_variable(
        &mut self,
        variable: &str,
        span: Span,
        what: impl FnOnce(String) -> EventKind,
    ) -> EventId {
        let known = &self.program.knowledge.variables;
        let counts =
            is_gpu_variable(variable) || known.get(variable).is_some() || known.near(variable).is_some();
        self.summaries.note(Dependency::Written(variable.into()));
        if counts { self.note(what(variable.to_owned()), span) } else { NOT_NOTED }
    }

    /// What reading a variable gives.
    pub(super) fn read_variable(
        &mut self,
        key: &Value<'p>,
        default: Option<Value<'p>>,
        span: Span,
    ) -> Value<'p> {
        let Some(variable) = self.variable_name(key) else { return Value::Unknown };
        let reaching = self.shown_of(&variable);
        let known: Option<Vec<_>> = reaching
            .iter()
            .map(|definition| match definition {
                Definition::Set(_, Some(text)) => Some(Value::text(text.to_string(), self.place(span))),
                Definition::Removed(_) => default.clone(),
                _ => None,
            })
            .collect();
        let Some(values) = known else {
            // The program set it, to something that is not known: not what the caller gave.
            if reaching.iter().all(|definition| matches!(definition, Definition::Set(..))) {
                return Value::Unknown;
            }
            // Remembered as the reading of this variable, so that conditions on it are understood.
            let read = Value::Outside(self.paths.id(&format!("os.environ[{variable}]")));
            let texts = reaching.iter().filter_map(|definition| match definition {
                Definition::Set(_, Some(text)) => Some(Value::text(text.to_string(), self.place(span))),
                _ => None,
            });
            return match default {
                Some(default @ Value::Text(_)) => Value::one_of([read, default].into_iter().chain(texts)),
                _ => read,
            };
        };
        Value::one_of(values)
    }

    /// `os.environ["X"]` raises unless the variable is set, so behind it the variable is set.
    pub(super) fn read_present_variable(&mut self, key: &Value<'p>, span: Span) -> Value<'p> {
        let value = self.read_variable(key, None, span);
        if let Some(variable) = self.variable_name(key).filter(|_| self.quiet == 0)
            && self.shown_of(&variable).iter().any(Definition::is_absent)
        {
            self.note_absent_read(&variable, span);
            self.may_raise();
            let set = VariablePresence {
                variable: self.state.as_shown(&variable),
                when_true: true,
                says_when: None,
                earlier: false,
            };
            self.assume(&set, true);
        }
        value
    }

    /// `del os.environ["X"]`, and `pop` without a default: they raise where it is not set.
    pub(super) fn remove_present_variable(&mut self, key: &Value<'p>, span: Span) {
        let is_there = |definition: &Definition| matches!(definition, Definition::Set(..));
        if let Some(variable) = self.variable_name(key)
            && !self.shown_of(&variable).iter().all(is_there)
        {
            self.note_absent(&variable, span);
            self.may_raise();
        }
        self.remove_variable(key, span);
    }

    /// The variable whose value this is, or may be, when it was read and is not known.
    pub(super) fn variable_read(&self, value: &Value<'p>) -> Option<String> {
        value.alternatives().iter().find_map(|value| {
            let Value::Outside(path) = value else { return None };
            Some(self.paths.text(*path).strip_prefix("os.environ[")?.strip_suffix(']')?.to_owned())
        })
    }

    pub(super) fn variable_name(&mut self, key: &Value<'p>) -> Option<String> {
        match self.force(key.clone()) {
            Value::Text(text) => Some(text.text.to_string()),
            _ => None,
        }
    }

    /// What a variable may hold here.
    pub(super) fn reaching(&mut self, variable: &str) -> Reaching {
        let reaching = self.state.reaching(variable);
        self.summaries.note(Dependency::Variable(variable.into(), reaching.clone()));
        self.watch_variable(variable, &reaching);
        reaching
    }

    /// What another name of the same setting as `variable` holds.
    fn rival(&mut self, variable: &str) -> Option<(EventId, Arc<str>)> {
        if !ALLOCATOR.contains(&variable) {
            return None;
        }
        let others = ALLOCATOR.iter().filter(|other| **other != variable);
        let mut definitions = others.flat_map(|other| self.reaching(other));
        definitions.find_map(|definition| match definition {
            Definition::Set(write, Some(value)) if write != NOT_NOTED => Some((write, value)),
            _ => None,
        })
    }

    /// Gives a variable other definitions.
    pub(super) fn set_reaching(&mut self, variable: &str, reaching: Reaching) {
        self.summaries.note(Dependency::Written(variable.into()));
        self.state.set(variable, reaching);
    }

    /// For what is done to all variables at once, also to those that nobody names.
    pub(super) fn whole_environment(&mut self) -> &mut State {
        self.summaries.note(Dependency::WholeEnvironment);
        &mut self.state
    }

    /// The variables of which something is known that came to what they hold in such a way, on some path.
    pub(super) fn variables_with(&mut self, wanted: impl Fn(&Definition) -> bool) -> Vec<String> {
        let state = self.whole_environment();
        let is_wanted = |name: &str| state.reaching(&state.as_shown(name)).iter().any(&wanted);
        let names = state.variables().map(|(name, _)| name);
        names
            .filter(|name| held(name).is_none() && !is_no_variable(name) && is_wanted(name))
            .map(str::to_owned)
            .collect()
    }

    /// Whether a variable surely has this value at this point (`*`: any value).
    pub(super) fn variable_is(&mut self, variable: &str, wanted: &str) -> bool {
        self.reaching(variable).iter().all(|definition| match definition {
            Definition::Set(_, Some(text)) => wanted == "*" || &**text == wanted,
            Definition::Set(_, None) => wanted == "*",
            _ => false,
        })
    }
}

/// Whether the variable has to do with GPUs.
pub fn is_gpu_variable(name: &str) -> bool {
    GPU_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}
