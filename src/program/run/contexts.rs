//! `with`: what entering a context manager does, and what its end takes back.

use super::calls::Args;
use super::{Flow, Run};
use crate::code::{Expr, ExprKind};
use crate::facts::Span;
use crate::program::state::State;
use crate::program::trace::EventId;
use crate::program::value::Value;

/// What entering a `with` left to be done at its end.
pub(super) struct Leave<'p> {
    pub entered: Value<'p>,
    manager: Value<'p>,
    /// The environment to restore.
    restore: Option<State>,
    /// How many names were replaced before.
    mocked: usize,
    /// How much was left for the end before.
    finalizers: usize,
    /// The first event in it.
    since: EventId,
}

impl<'p> Run<'p> {
    /// Enters a `with`.
    pub(super) fn enter_context(
        &mut self,
        manager: &Value<'p>,
        context: Option<&'p Expr<'p>>,
        span: Span,
    ) -> Leave<'p> {
        let mut leave = Leave {
            entered: Value::Unknown,
            manager: manager.clone(),
            restore: None,
            mocked: self.mocked.len(),
            finalizers: self.finalizers.len(),
            since: self.next_event(),
        };
        match manager {
            Value::Instance(instance) => {
                if let Value::Function(_) = self.class_attribute(&instance.class, "__enter__", 0) {
                    let method = self.attribute(manager, "__enter__", span);
                    leave.entered = self.call(method, Args::default(), span);
                } else if let Value::Function(_) = self.class_attribute(&instance.class, "__aenter__", 0) {
                    let method = self.attribute(manager, "__aenter__", span);
                    let paused = self.call(method, Args::default(), span);
                    leave.entered = self.run_paused(&paused, span);
                }
            }
            Value::Outside(path) => {
                let path = *path;
                let text = self.paths.text(path).clone();
                let args = self.made_with.get(&path).cloned().unwrap_or_default();
                if text.ends_with("patch.dict()") {
                    if args.at(0).is_some_and(|first| self.patches_environ(&first.value)) {
                        leave.restore = Some(self.state.clone());
                        if let Some(changes) = args.at(1).map(|argument| argument.value.clone()) {
                            self.write_mapping(&changes, span, false);
                        }
                    }
                } else if let Some(target) = self.patch_target(&text, &args) {
                    self.mocked.push(target);
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
                if context.is_some_and(is_named) {
                    leave.entered = manager.clone();
                }
            }
        }
        leave
    }

    /// Whether the program goes on behind the `with` when its body raises.
    pub(super) fn swallows_exceptions(&self, manager: &Value<'p>) -> bool {
        const SWALLOWING: &[&str] =
            &["contextlib.suppress()", "pytest.raises()", ".assertRaises()", ".assertRaisesRegex()"];
        let Value::Outside(path) = manager else { return false };
        SWALLOWING.iter().any(|end| self.paths.text(*path).ends_with(end))
    }

    fn patches_environ(&self, value: &Value<'p>) -> bool {
        self.is_environ(value) || matches!(value, Value::Text(text) if text.text == "os.environ")
    }

    pub(super) fn leave_context(&mut self, leave: Leave<'p>, span: Span) {
        if let Some(before) = &leave.restore {
            self.state.restore_environment(before);
        }
        self.mocked.truncate(leave.mocked);
        let flow = std::mem::replace(&mut self.flow, Flow::Next);
        self.assured(leave.since, None, |run| run.exit(&leave, span));
        if self.flow == Flow::Next {
            self.flow = flow;
        }
    }

    /// What the end of a context manager does.
    fn exit(&mut self, leave: &Leave<'p>, span: Span) {
        if let Value::Outside(path) = leave.manager
            && self.paths.text(path).ends_with("ExitStack()")
        {
            return self.finalize(leave.finalizers);
        }
        let Value::Instance(instance) = &leave.manager else { return };
        if let Value::Function(_) = self.class_attribute(&instance.class, "__exit__", 0) {
            let method = self.attribute(&leave.manager, "__exit__", span);
            self.call(method, Args::positional(vec![Value::None; 3], span), span);
        } else if let Value::Function(_) = self.class_attribute(&instance.class, "__aexit__", 0) {
            let method = self.attribute(&leave.manager, "__aexit__", span);
            let paused = self.call(method, Args::positional(vec![Value::None; 3], span), span);
            self.run_paused(&paused, span);
        }
    }
}

/// Whether a manager is an object that was there before, such as a lock: entering it gives itself.
fn is_named(context: &Expr<'_>) -> bool {
    matches!(context.kind, ExprKind::Name(_) | ExprKind::Attribute(..))
}
