//! Functions that nobody was seen to call: each runs alone, with nothing known about its arguments.

use super::{Flow, Interpreter};
use crate::facts::{FileId, Span};
use crate::program::heap::values::{Closure, Role, Value};
use std::rc::Rc;

impl<'p> Interpreter<'p> {
    /// Runs the module alone, and then each function in it that nobody was seen to call.
    pub(super) fn run_library(&mut self) {
        let file = self.entry;
        let quiet = self.program.ran_elsewhere(file);
        self.quiet += usize::from(quiet);
        self.enter_module(file, Span::default());
        self.quiet -= usize::from(quiet);
        self.flow = Flow::Next;
        self.only_if_called = true;
        self.run_functions_alone();
    }

    /// Runs every function of the file that may say something about a device and did not run yet, with
    /// nothing known about its arguments.
    fn run_functions_alone(&mut self) {
        let file = self.entry;
        let Some(&scope) = self.modules.get(&file) else { return };
        for (index, function) in self.code_of(file).functions.iter().enumerate() {
            let ran = self.trace.ran.contains(&(file, index)) || self.program.function_ran(file, index);
            if ran || !function.mentions_gpu || function.name == "<lambda>" {
                continue;
            }
            let closure = self.find_closure(file, index).unwrap_or_else(|| {
                Rc::new(Closure {
                    file,
                    function: index,
                    scope,
                    defaults: vec![None; function.parameters.len()],
                    bound: None,
                    held: Vec::new(),
                    class: None,
                    role: Role::Plain,
                    setter: None,
                    deleter: None,
                    results: None,
                    dispatch: None,
                    inside: Vec::new(),
                    counts_devices: false,
                    marks: Rc::default(),
                })
            });
            let inner = self.new_scope(Some(closure.scope), false);
            for parameter in &function.parameters {
                self.bind_in(inner, parameter.name, Value::Unknown);
            }
            self.run_body(&closure, inner, function.name_span);
            self.flow = Flow::Next;
        }
    }

    /// The value of a function or method that the module bound to its own name.
    pub(super) fn find_closure(&self, file: FileId, function: usize) -> Option<Rc<Closure<'p>>> {
        self.heap.all_values().flat_map(|value| value.alternatives()).find_map(|value| match value {
            Value::Function(closure) if closure.file == file && closure.function == function => {
                Some(closure.clone())
            }
            _ => None,
        })
    }
}
