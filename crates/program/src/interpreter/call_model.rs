//! What calling something outside the project does, as far as its dotted name says. The same few names are called again and
//! again, and reading one takes many comparisons: each is read once in a program.

use super::Interpreter;
use super::callbacks::{hands_on, starts_child, waits_for_start};
use super::data_files::opens;
use super::forks::is_strategy;
use super::library_calls::is_argument_parser;
use super::releases::{enters_for_later, leaves_for_the_end};
use super::standard_library::is_getter;
use crate::program::heap::values::PathId;
use crate::program::knowledge::Effect;

/// What the name of a call says.
#[derive(Clone, Copy)]
pub(super) struct CallModel<'p> {
    /// The policy names it as a function that checks the GPU.
    pub validates: bool,
    /// A parser that makes objects of classes which it was given.
    pub parses: bool,
    /// What it is given may be entered now and left at the end.
    pub enters_for_later: bool,
    /// What it is given may be called at the end.
    pub leaves_for_the_end: bool,
    pub starts_child: bool,
    pub given: CallbackUse,
    /// The arguments that count are those that its object was made with.
    pub as_made: bool,
    pub effects: Effects<'p>,
    /// What it returns.
    pub result: PathId,
    /// What it returns is told apart from others, with the arguments that it was made with.
    pub keeps_arguments: bool,
    /// It leaves tests out.
    pub skips: bool,
    /// It may change the lists and dictionaries that it is given.
    pub may_change: bool,
}

/// What becomes of functions that a call is given.
#[derive(Clone, Copy)]
pub(super) enum CallbackUse {
    /// What the call makes calls them when it is started.
    Later,
    /// Something that was made earlier is started.
    Started,
    /// The call runs them, perhaps in another process, or it keeps them.
    Now { runs: bool, in_child: bool },
}

/// The effects of a call.
#[derive(Clone, Copy)]
pub(super) enum Effects<'p> {
    None,
    Known(&'p [Effect]),
    /// Those of a method: surely when its library, or one that this builds on, has it.
    OfMethod {
        sure: bool,
    },
}

impl<'p> Interpreter<'p> {
    pub(super) fn call_model(&mut self, path: PathId) -> CallModel<'p> {
        let index = path as usize;
        if let Some(Some(known)) = self.call_models.get(index) {
            return *known;
        }
        let read = self.read_conduct(path);
        if self.call_models.len() <= index {
            self.call_models.resize(index + 1, None);
        }
        self.call_models[index] = Some(read);
        read
    }

    fn read_conduct(&mut self, path: PathId) -> CallModel<'p> {
        let text = self.paths.text(path).clone();
        let result = self.paths.result(path);
        let knowledge = self.program.knowledge;
        let made = self.paths.text(result);
        let keeps_arguments = !knowledge.of_enter(&text).is_empty()
            || !knowledge.of_subscript(made).is_empty()
            || !knowledge.of_iteration(made).is_empty()
            || knowledge.depends_on_making(made)
            || is_argument_parser(made)
            || is_strategy(made)
            || Self::is_mark(&text)
            || waits_for_start(&text)
            || opens(&text)
            || is_getter(&text)
            || matches!(&*text, "click.argument" | "click.option" | "hydra.main")
            || matches!(&*text, "contextlib.closing" | "contextlib.aclosing" | "contextlib.nullcontext")
            || text.ends_with(".ProcessPoolExecutor");
        CallModel {
            validates: self.asked.scripts.is_validator(text.rsplit('.').next().unwrap_or(&text)),
            parses: text
                .rsplit_once('.')
                .is_some_and(|(parser, method)| method.starts_with("parse_") && is_argument_parser(parser)),
            enters_for_later: enters_for_later(&text),
            leaves_for_the_end: leaves_for_the_end(&text),
            starts_child: starts_child(&text),
            given: hands_on(&text),
            as_made: knowledge.is_as_made(&text),
            effects: self.effects_of(&text),
            result,
            keeps_arguments,
            may_change: may_change(&text)
                && knowledge.package(text.split('.').next().unwrap_or_default()).is_none(),
            skips: ["skipif", "skipIf", "skipUnless"].iter().any(|end| text.ends_with(end)),
        }
    }
}

/// Whether a call may change the lists and dictionaries that it is given: nobody knows what it is, or it is known to.
fn may_change(path: &str) -> bool {
    /// Modules that leave what they are given as it is.
    const LOOKING: &[&str] = &[
        "argparse",
        "ast",
        "asyncio",
        "builtins",
        "collections",
        "concurrent",
        "contextlib",
        "copy",
        "csv",
        "dataclasses",
        "datetime",
        "enum",
        "fnmatch",
        "functools",
        "glob",
        "importlib",
        "inspect",
        "io",
        "itertools",
        "json",
        "logging",
        "math",
        "multiprocessing",
        "numpy",
        "os",
        "pandas",
        "pathlib",
        "pickle",
        "platform",
        "pprint",
        "pytest",
        "re",
        "runpy",
        "shlex",
        "shutil",
        "signal",
        "socket",
        "statistics",
        "string",
        "subprocess",
        "sys",
        "tempfile",
        "textwrap",
        "threading",
        "time",
        "traceback",
        "types",
        "typing",
        "unittest",
        "urllib",
        "uuid",
        "warnings",
        "yaml",
    ];
    const CHANGING: &[&str] =
        &["shuffle", "heapify", "heappush", "heappop", "insort", "insort_left", "insort_right"];
    let (root, last) = (path.split(['.', '(']).next(), path.rsplit('.').next());
    let is_known = root.is_some_and(|root| LOOKING.contains(&root));
    !is_known || last.is_some_and(|last| CHANGING.contains(&last))
}
