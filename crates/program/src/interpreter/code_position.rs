//! Where the program stands: the function or module that is being run, and how it may be left.

use super::jumps::Landing;
use super::loops::Loop;
use super::presence::TestedParts;
use crate::facts::{FileId, Span};
use crate::program::heap::values::{ClassValue, ScopeId, Value};
use crate::program::trace::FrameId;
use std::rc::Rc;

/// The function or module that is being run.
pub(super) struct CodePosition<'p> {
    pub(super) file: FileId,
    pub(super) scope: ScopeId,
    pub(super) frame: FrameId,
    pub(super) statement: Span,
    /// Names declared `global` or `nonlocal`.
    pub(super) shared: Vec<&'p str>,
    /// What it may return.
    pub(super) returns: Vec<Value<'p>>,
    /// How many loops around the running statement, in this function, have passes that are not followed.
    pub(super) repeats: usize,
    /// The scope around the comprehensions that are being evaluated: `:=` in them binds there.
    pub(super) around_comprehension: Option<ScopeId>,
    /// How many branches in it nobody could decide.
    pub(super) undecided: usize,
    /// The loops in it that are being followed, innermost last.
    pub(super) loops: Vec<Loop>,
    /// Where `return` leads in an arm of a branch, as soon as one did.
    pub(super) end: Option<Landing>,
    /// `self` or `cls`, and the class in whose body the function stands, for `super()`.
    pub(super) bound: Option<Value<'p>>,
    pub(super) class: Option<Rc<ClassValue<'p>>>,
    /// What the parts of the test that is being evaluated came to.
    pub(super) tested: Option<TestedParts<'p>>,
}

/// Whether an arm of an earlier branch led past what runs now.
#[derive(Clone, Copy, Default, PartialEq)]
pub(super) struct EarlyExits {
    /// By `return`, out of the running function.
    pub(super) of_function: bool,
    /// By `break` or `continue`, out of the running loop or to its next pass.
    pub(super) of_loop: bool,
    /// By `sys.exit()` and its like, out of the program.
    pub(super) of_program: bool,
    /// By an exception, to a handler of the `try` whose `else` runs.
    pub(super) of_try: bool,
}

/// What the last step did to the order of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Next,
    Return,
    Break,
    Continue,
    /// An exception, or the end of the process.
    Raise,
    /// Every arm of a branch left; each way out was noted where it leads.
    Unreachable,
}

impl EarlyExits {
    /// Whether one of two led past it.
    pub(super) fn with(self, other: EarlyExits) -> EarlyExits {
        EarlyExits {
            of_function: self.of_function || other.of_function,
            of_loop: self.of_loop || other.of_loop,
            of_program: self.of_program || other.of_program,
            of_try: self.of_try || other.of_try,
        }
    }
}

impl CodePosition<'_> {
    /// The beginning of a module.
    pub(super) fn in_module(file: FileId, scope: ScopeId, frame: FrameId) -> Self {
        CodePosition {
            file,
            scope,
            frame,
            statement: Span::default(),
            shared: Vec::new(),
            returns: Vec::new(),
            repeats: 0,
            around_comprehension: None,
            undecided: 0,
            loops: Vec::new(),
            end: None,
            bound: None,
            class: None,
            tested: None,
        }
    }
}
