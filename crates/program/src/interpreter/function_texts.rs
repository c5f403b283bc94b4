//! What functions may do, by their text: before they are followed, and without following what they call.

use super::Interpreter;
use super::builtin_names::is_builtin;
use super::known_effects::root_of;
use crate::code::walk::{CodeNode, walk_block};
use crate::code::{Expr, ExprKind, StatementKind, Target};
use crate::program::heap::values::{Closure, ScopeId, Value};
use crate::program::summaries::FunctionId;

/// Modules of Python of which handlers and formatters of logging make use to make texts.
const MAKING_TEXTS: [&str; 10] =
    ["copy", "datetime", "json", "logging", "re", "string", "textwrap", "threading", "time", "traceback"];
/// Modules of Python that reach the environment or other processes.
const ASKING: [&str; 4] = ["multiprocessing", "os", "subprocess", "sys"];

impl<'p> Interpreter<'p> {
    /// Whether a function may do something beside making texts of what it was given.
    pub(super) fn may_matter(&self, closure: &Closure<'p>) -> bool {
        let function = self.function_of(closure);
        let itself = function.parameters.first().map(|parameter| parameter.name);
        let is_given = |name: &str| function.parameters.iter().any(|parameter| parameter.name == name);
        let makes_texts = |path| MAKING_TEXTS.contains(&root_of(self.paths.text(path)));
        let is_elsewhere = |name: &'p str| match self.look_up(closure.scope, name) {
            Some(Value::Outside(path)) => !makes_texts(*path),
            Some(_) => !is_given(name),
            None => !is_given(name) && !is_builtin(name),
        };
        let has_own_bases = closure
            .class
            .iter()
            .flat_map(|class| &class.bases)
            .any(|base| !matches!(base, Value::Outside(_)));
        self.any_part((closure.file, closure.function), |node| match node {
            CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) => match &call.callee.kind {
                ExprKind::Name("super") => has_own_bases,
                ExprKind::Name(name) => is_elsewhere(name),
                ExprKind::Attribute(object, _) => match object.kind {
                    ExprKind::Name(name) if Some(name) == itself => true,
                    _ => first_name(object).is_some_and(is_elsewhere),
                },
                _ => false,
            },
            CodeNode::Statement(step) => matches!(step.kind, StatementKind::Share(_)),
            CodeNode::Target(Target::Attribute(object, _)) => matches!(object.kind, ExprKind::Name(_)),
            CodeNode::Target(Target::Item(of)) => first_name(&of.0).is_some_and(is_elsewhere),
            _ => false,
        })
    }

    /// Whether a function that was defined in a scope asks a GPU library, the environment or other processes.
    pub(super) fn asks_outside(&self, function: FunctionId, scope: ScopeId) -> bool {
        let knowledge = self.program.knowledge;
        let path_of = |name: &'p str| match self.look_up(scope, name) {
            Some(Value::Outside(path)) => Some(self.paths.text(*path).to_string()),
            _ => None,
        };
        let asks = |path: &str| ASKING.contains(&root_of(path));
        // What is called inside of a library, such as `torch.stack`, asks nothing where no effect of it is known.
        let calls_outside = |callee: &Expr<'p>| {
            let Some(mut path) = first_name(callee).and_then(path_of) else { return false };
            let is_gpu_library = knowledge.has_effects(root_of(&path));
            let called = names_behind(callee);
            for name in &called {
                path.push('.');
                path.push_str(name);
            }
            let has_method = called.last().is_some_and(|name| !knowledge.of_method(name).is_empty());
            asks(&path) || is_gpu_library && (has_method || !knowledge.of_call(&path).is_empty())
        };
        self.any_part(function, |node| match node {
            CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) => calls_outside(&call.callee),
            CodeNode::Target(Target::Item(of)) => {
                let path = first_name(&of.0).and_then(path_of);
                path.is_some_and(|path| asks(&path) || knowledge.has_effects(root_of(&path)))
            }
            _ => false,
        })
    }

    /// Whether a function mentions GPUs, or this holds for a part of its body.
    fn any_part(&self, (file, number): FunctionId, holds: impl Fn(CodeNode<'p, 'p>) -> bool) -> bool {
        let code = self.program.code(file);
        let function = &code.functions[number];
        let mut found = function.mentions_gpu;
        walk_block(code, &function.body, &mut |node, _| found = found || holds(node));
        found
    }
}

/// The name that a chain of attributes begins with.
fn first_name<'p>(mut expr: &Expr<'p>) -> Option<&'p str> {
    loop {
        match &expr.kind {
            ExprKind::Name(name) => return Some(name),
            ExprKind::Attribute(object, _) => expr = object,
            _ => return None,
        }
    }
}

/// The names of a chain of attributes behind the first, in order.
fn names_behind<'p>(mut expr: &Expr<'p>) -> Vec<&'p str> {
    let mut names = Vec::new();
    while let ExprKind::Attribute(object, name) = &expr.kind {
        names.push(*name);
        expr = object;
    }
    names.reverse();
    names
}
