//! Commands that are noted while the file that holds them is followed, for rules that ask what the project runs.

use super::super::Interpreter;
use crate::code::{Host, ShellText};
use crate::commands::{Invocation, Started};
use crate::facts::Span;
use crate::program::heap::values::Value;
use crate::program::run_commands::RunCommand;
use crate::program::state::{Definition, MASK, ORDER};

impl<'p> Interpreter<'p> {
    /// From here on every command is noted in the trace.
    pub fn noting_commands(mut self) -> Self {
        self.shell.notes_commands = true;
        self
    }

    /// The commands of the shells that a file in Python may start, whoever calls what starts them.
    pub fn commands_of_texts(mut self, texts: &'p [ShellText<'p>]) -> Vec<RunCommand> {
        self.begin_launcher(self.entry, Host::Machine);
        for text in texts {
            let names: Vec<(&'p str, Option<Value<'p>>)> =
                text.names.iter().map(|name| (*name, Some(Value::Unknown))).collect();
            self.run_steps_of_shell(&text.steps, names);
        }
        self.trace.commands
    }

    /// Notes a command that runs now; what it runs lies in it until what is returned is put back.
    pub(in crate::interpreter) fn note_command(
        &mut self,
        invocation: &Invocation,
        words: &[Option<&str>],
        span: Span,
    ) -> Option<usize> {
        let around = self.shell.around;
        if !self.shell.notes_commands {
            return around;
        }
        let folder = self.folder_of(invocation);
        let launcher = self.here.file;
        let starts = match &invocation.started {
            Started::File(path) => self.program.file_started(launcher, folder.as_deref(), path),
            Started::Module(dotted) => self.program.launched_module(launcher, folder.as_deref(), dotted),
            _ => None,
        };
        let is_set = |definition: &Definition| matches!(definition, Definition::Set(..));
        let has_mask_alone =
            self.reaching(MASK).iter().any(is_set) && !self.reaching(ORDER).iter().any(is_set);
        let is_renumbered = self.reaching(MASK).iter().any(|definition| match definition {
            Definition::Set(_, Some(mask)) => !mask.is_empty() && !mask.starts_with(['0', '-']),
            Definition::Set(_, None) => true,
            _ => false,
        });
        self.trace.commands.push(RunCommand {
            site: self.place(span),
            words: words.iter().map(|word| word.map(Into::into)).collect(),
            wrappers: invocation.wrappers.clone(),
            starts,
            folder,
            host: self.shell.host,
            has_mask_alone,
            is_renumbered,
            around,
        });
        self.shell.around = Some(self.trace.commands.len() - 1);
        around
    }
}
