//! `with`: what entering a context manager does, and what its end takes back.

use super::calls::Args;
use super::generators::YieldConsumer;
use super::{Flow, Interpreter};
use crate::code::{Block, Expr, ExprKind, StatementKind};
use crate::facts::Span;
use crate::program::heap::values::{Closure, Value};
use crate::program::state::State;
use crate::program::trace::{Choice, EventId, Recipient};
use std::rc::Rc;

/// What entering a `with` left to be done at its end.
pub(super) struct Leave<'p> {
    pub entered: Value<'p>,
    manager: Value<'p>,
    /// The environment to restore.
    restore: Option<State>,
    /// Whether what names no device was made on a GPU before, for a manager that chooses the device.
    default_is_gpu: Option<bool>,
    /// How many names were replaced before.
    mocked: usize,
    /// How much was left for the end before.
    finalizers: usize,
    /// The first event in it.
    since: EventId,
}

impl<'p> Interpreter<'p> {
    /// Enters a `with`.
    pub(super) fn enter_context(&mut self, manager: &Value<'p>, span: Span, is_name: bool) -> Leave<'p> {
        let mut leave = Leave {
            entered: Value::Unknown,
            manager: manager.clone(),
            restore: None,
            default_is_gpu: None,
            mocked: self.state.set_up().mocked.len(),
            finalizers: self.finalizers.len(),
            since: self.next_event(),
        };
        match manager {
            Value::Instance(instance) => {
                if let Value::Function(_) = self.class_attribute(&instance.class, "__enter__") {
                    let method = self.attribute(manager, "__enter__", span);
                    leave.entered = self.call(method, Args::default(), span);
                } else if let Value::Function(_) = self.class_attribute(&instance.class, "__aenter__") {
                    let method = self.attribute(manager, "__aenter__", span);
                    let paused = self.call(method, Args::default(), span);
                    leave.entered = self.run_paused(&paused, span);
                }
            }
            Value::Outside(path) => {
                let path = *path;
                let text = self.paths.text(path).clone();
                let args = self.made_with(path).cloned().unwrap_or_default();
                if text.ends_with("patch.dict()") {
                    if args.at(0).is_some_and(|first| self.patches_environ(&first.value)) {
                        leave.restore = Some(self.state.clone());
                        if let Some(changes) = args.at(1).map(|argument| argument.value.clone()) {
                            let outer = std::mem::replace(&mut self.recipient, Recipient::Test);
                            self.write_mapping(&changes, span, false);
                            self.recipient = outer;
                        }
                        let named = args.items.iter().filter_map(|argument| {
                            let name = argument
                                .name
                                .clone()
                                .filter(|name| !["clear", "values"].contains(&&**name))?;
                            Some((name, argument.value.clone()))
                        });
                        let named: Vec<_> = named.collect();
                        let outer = std::mem::replace(&mut self.recipient, Recipient::Test);
                        for (name, value) in named {
                            let key = Value::text(name, self.place(span));
                            self.write_variable(&key, &value, span, false);
                        }
                        self.recipient = outer;
                    }
                } else if let "contextlib.closing()" | "contextlib.aclosing()" | "contextlib.nullcontext()" =
                    &*text
                {
                    leave.entered = args.at(0).map_or(Value::None, |argument| argument.value.clone());
                    return leave;
                } else if let Some(target) = self.patch_target(&text, &args) {
                    self.state.set_up_mut().mocked.push(target);
                } else {
                    let name = text.strip_suffix("()").unwrap_or(&text).to_owned();
                    let knowledge = self.program.knowledge;
                    knowledge
                        .of_enter(&name)
                        .iter()
                        .for_each(|effect| self.apply(effect, &name, &args, span));
                }
                leave.entered = manager.clone();
            }
            _ => {
                // `with torch.device("cuda:1"):` is the device for what is made inside.
                self.choose_literal("torch.device()", manager, Choice::Taken);
                if let Value::Text(device) = manager {
                    let is_gpu = device.text.starts_with("cuda");
                    leave.default_is_gpu = Some(self.make_on_gpu(is_gpu));
                }
                if is_name || matches!(manager, Value::Collection(_)) {
                    leave.entered = manager.clone();
                }
            }
        }
        leave
    }

    /// From here on what names no device is made on a GPU, or not; whether it was before.
    fn make_on_gpu(&mut self, is_gpu: bool) -> bool {
        let before = self.state.set_up().default_is_gpu;
        if before != is_gpu {
            self.state.set_up_mut().default_is_gpu = is_gpu;
        }
        before
    }

    /// Calls a function inside a context manager that decorates it.
    pub(super) fn run_inside_manager(
        &mut self,
        manager: &Value<'p>,
        function: Rc<Closure<'p>>,
        args: Args<'p>,
        span: Span,
    ) -> Value<'p> {
        if let Value::Paused(paused) = manager {
            let awaits = self.function_of(&paused.closure).is_async;
            let rest = move |run: &mut Interpreter<'p>, _| {
                let result = run.run_function(&function, args, span);
                if awaits { run.run_paused(&result, span) } else { result }
            };
            return self.wait_for(manager, YieldConsumer::Rest(Box::new(rest)), span);
        }
        let leave = self.enter_context(manager, span, false);
        if self.flow != Flow::Next {
            return Value::Unknown;
        }
        let jumps = self.jumps.len();
        let result = self.run_function(&function, args, span);
        self.on_each_way(jumps, |run, raised| run.leave_context(&leave, span, raised));
        result
    }

    /// Whether the program goes on behind the `with` when its body raises.
    pub(super) fn swallows_exceptions(&mut self, manager: &Value<'p>) -> bool {
        const SWALLOWING: &[&str] =
            &["contextlib.suppress()", "pytest.raises()", ".assertRaises()", ".assertRaisesRegex()"];
        if let Value::Instance(instance) = manager {
            return match self.class_attribute(&instance.class, "__exit__") {
                Value::Function(exit) => gives_something(&self.function_of(&exit).body),
                _ => false,
            };
        }
        let Value::Outside(path) = manager else { return false };
        SWALLOWING.iter().any(|end| self.paths.text(*path).ends_with(end))
    }

    /// Whether such a manager lets nothing through: `suppress(Exception)`, and tests that expect something.
    pub(super) fn swallows_all(&mut self, manager: &Value<'p>) -> bool {
        if let Value::Instance(instance) = manager {
            return match self.class_attribute(&instance.class, "__exit__") {
                Value::Function(exit) => gives_true(&self.function_of(&exit).body),
                _ => true,
            };
        }
        let Value::Outside(path) = manager else { return true };
        let is_broad = |value: &Value<'p>| match value {
            Value::Outside(class) => {
                matches!(&**self.paths.text(*class), "builtins.Exception" | "builtins.BaseException")
            }
            _ => false,
        };
        let broad = |args: &Args<'p>| args.items.iter().any(|argument| is_broad(&argument.value));
        !self.paths.text(*path).ends_with("suppress()") || self.made_with(*path).is_some_and(broad)
    }

    /// `with pytest.raises(RuntimeError):`
    pub(super) fn expects_failure(&self, manager: &Value<'p>) -> bool {
        let Value::Outside(path) = manager else { return false };
        let ends = ["pytest.raises()", ".assertRaises()", ".assertRaisesRegex()"];
        self.expects_failure || ends.iter().any(|end| self.paths.text(*path).ends_with(end))
    }

    fn patches_environ(&self, value: &Value<'p>) -> bool {
        self.is_environ(value) || matches!(value, Value::Text(text) if text.text == "os.environ")
    }

    /// Leaves a context manager, perhaps by an exception that was `raised`.
    pub(super) fn leave_context(&mut self, leave: &Leave<'p>, span: Span, raised: bool) {
        if let Some(before) = &leave.restore {
            self.whole_environment().restore_environment(before);
        }
        if let Some(before) = leave.default_is_gpu {
            self.make_on_gpu(before);
        }
        if self.state.set_up().mocked.len() > leave.mocked {
            self.state.set_up_mut().mocked.truncate(leave.mocked);
        }
        let flow = std::mem::replace(&mut self.flow, Flow::Next);
        self.assured(leave.since, None, |run| run.exit(leave, span, raised));
        if self.flow == Flow::Next {
            self.flow = flow;
        }
    }

    /// What the end of a context manager does.
    fn exit(&mut self, leave: &Leave<'p>, span: Span, raised: bool) {
        if let Value::Outside(path) = leave.manager
            && self.paths.text(path).ends_with("TaskGroup()")
        {
            return self.run_tasks(span);
        }
        if let Value::Collection(stack) = leave.manager {
            self.close_stack(stack, span);
            return self.finalize(leave.finalizers);
        }
        if let Value::Outside(path) = leave.manager {
            if self.paths.text(path).ends_with("ExitStack()") {
                return self.finalize(leave.finalizers);
            }
            let closed = match &**self.paths.text(path) {
                "contextlib.closing()" => "close",
                "contextlib.aclosing()" => "aclose",
                _ => return,
            };
            let held = self.made_with(path).and_then(|args| Some(args.at(0)?.value.clone()));
            if let Some(held @ Value::Instance(_)) = held.map(|held| self.force(held)) {
                let result = self.call_method(&held, closed, Args::default(), span);
                self.run_paused(&result, span);
            }
            return;
        }
        let Value::Instance(instance) = &leave.manager else { return };
        // The class of the exception, the exception and where it was raised.
        let exception = vec![if raised { Value::Unknown } else { Value::None }; 3];
        if let Value::Function(_) = self.class_attribute(&instance.class, "__exit__") {
            let method = self.attribute(&leave.manager, "__exit__", span);
            self.call(method, Args::positional(exception, span), span);
        } else if let Value::Function(_) = self.class_attribute(&instance.class, "__aexit__") {
            let method = self.attribute(&leave.manager, "__aexit__", span);
            let paused = self.call(method, Args::positional(exception, span), span);
            self.run_paused(&paused, span);
        }
    }
}

/// Whether a function ends with `return True`, and returns nothing else.
fn gives_true(block: &Block<'_>) -> bool {
    fn nothing_else(block: &Block<'_>) -> bool {
        block.iter().all(|step| match &step.kind {
            StatementKind::Return(value) => {
                matches!(value, Some(Expr { kind: ExprKind::Bool(true), .. }))
            }
            kind => kind.blocks().into_iter().all(nothing_else),
        })
    }
    matches!(block.last().map(|last| &last.kind), Some(StatementKind::Return(_))) && nothing_else(block)
}

/// Whether a function returns something that may be true.
fn gives_something(block: &Block<'_>) -> bool {
    let gives = |value: &Expr<'_>| !matches!(value.kind, ExprKind::None | ExprKind::Bool(false));
    block.iter().any(|step| match &step.kind {
        StatementKind::Return(value) => value.as_ref().is_some_and(gives),
        kind => kind.blocks().into_iter().any(gives_something),
    })
}
