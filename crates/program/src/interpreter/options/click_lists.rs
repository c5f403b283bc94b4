//! Commands of click that are called with the words of a command line: `main(["--device", "cpu"], standalone_mode=False)`.

use super::OptionForm;
use crate::program::heap::values::{Closure, Value};
use crate::program::interpreter::Interpreter;

impl<'p> Interpreter<'p> {
    /// Fills the parameters of such a command by what the words say of its options, and by the defaults of those that they do not
    /// name.
    pub(super) fn given_by_list(&mut self, closure: &Closure<'p>, arguments: &mut [Value<'p>]) {
        let Some(words) = arguments.first().cloned().and_then(|list| self.words_listed(&list)) else {
            return;
        };
        arguments[0] = Value::Unknown;
        let made = closure.marks.options.iter().filter_map(|option| self.made_with(*option).cloned());
        let forms: Vec<OptionForm<'p>> = made.filter_map(|args| self.form_of(&args)).collect();
        let function = self.function_of(closure);
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            let form = forms.iter().find(|form| form.name == parameter.name && form.has_flag());
            if let Some(value) = form.and_then(|form| form.told(&forms, &words)) {
                *argument = value;
            }
        }
    }
}
