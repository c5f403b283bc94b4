//! Executable text, reduced to what decides which GPU is used: steps in the order in which they run, and the expressions that
//! values can be followed through. A front-end lowers its language to [`Code`]; the interpreter of programs runs it. Names and
//! strings borrow from the source text, so lowering copies nothing.

mod launchers;
pub mod looks;
mod operators;
mod parts;
mod patterns;
mod requirements;
mod targets;
pub mod walk;

use crate::facts::Span;
use std::borrow::Cow;

pub use launchers::{
    Command, Export, Extended, Host, Image, MakeTarget, Observation, Observed, SetVariable, Setting,
    ShellText, Snippet, Unit, names_image,
};
pub use operators::{Comparison, Operator};
pub use parts::{FileParts, VisitCall, VisitStatement};
pub use patterns::Pattern;
pub use requirements::{Clause, Grammar, Included, Index, Part, Requirement};
pub use targets::Target;

/// The code of one file.
#[derive(Debug, Default)]
pub struct Code<'s> {
    /// What runs when the file is run or imported.
    pub body: Block<'s>,
    pub functions: Vec<Function<'s>>,
    pub classes: Vec<Class<'s>>,
    /// What the file starts or describes beside `body`: each is a program of its own.
    pub units: Vec<Unit<'s>>,
    /// The targets of a Makefile, in its order.
    pub targets: Vec<MakeTarget<'s>>,
    /// The unit, by its number, that pytest applies to itself before it collects tests.
    pub before_tests: Option<usize>,
    /// Python that commands of the units hand to an interpreter.
    pub snippets: Vec<Snippet<'s>>,
    /// Command lines that its Python may start, ascending.
    pub shell_texts: Vec<ShellText<'s>>,
    /// What a program gets that reads the file as settings.
    pub contents: Option<Expr<'s>>,
    /// Packages that the file asks for.
    pub requirements: Vec<Requirement>,
    /// Other files of requirements that it names.
    pub included: Vec<Included>,
    /// Comments that speak to gpulint.
    pub comments: Vec<Span>,
    /// Logical lines, for the comments to speak about; empty when there are no such comments.
    pub lines: Vec<Span>,
    /// In a file of Python: its comments, and the texts that are statements. People read them, and nothing runs them.
    pub remarks: Remarks,
    /// Something in the file may choose a GPU.
    pub mentions_gpu: bool,
    /// Functions that a test runner calls, each as a program of its own.
    pub tests: Vec<usize>,
    /// Its body starts programs that may be files of the project.
    pub starts_programs: bool,
    /// Parts that could not be read, each with the reason in one clause.
    pub unread: Vec<String>,
    /// How many places of it the grammar of its shell does not know; 0 in files of other languages.
    pub faults: usize,
    /// The file has an `if __name__ == "__main__"` block.
    pub main_guard: bool,
}

/// Where a file of Python speaks to people, and where it says nothing.
#[derive(Debug, Default)]
pub struct Remarks {
    pub comments: Vec<Span>,
    /// Each with its end. A line with nothing but a comment is none, nor is one inside a text.
    pub blank_lines: Vec<Span>,
    pub texts: Vec<Span>,
}

/// Statements that run one after the other.
pub type Block<'s> = Vec<Statement<'s>>;

/// One statement.
#[derive(Debug)]
pub struct Statement<'s> {
    pub span: Span,
    pub kind: StatementKind<'s>,
}

/// What a statement does.
#[derive(Debug)]
pub enum StatementKind<'s> {
    Import(Import<'s>),
    /// `mod gpu;` of Rust, and the modules that paths begin with: a file of the crate is bound to a name.
    Module {
        bound: &'s str,
        path: CratePath<'s>,
    },
    Evaluate(Expr<'s>),
    /// `value` is absent for a bare declaration such as `device: str` in a class body.
    Assign {
        targets: Vec<Target<'s>>,
        value: Option<Expr<'s>>,
        annotated: bool,
    },
    Update {
        target: Target<'s>,
        operator: Operator,
        value: Expr<'s>,
    },
    Delete(Vec<Target<'s>>),
    /// A function definition: decorators and defaults are evaluated, the body is not.
    Define {
        function: usize,
        decorators: Vec<Expr<'s>>,
    },
    DefineClass {
        class: usize,
        decorators: Vec<Expr<'s>>,
    },
    Branch {
        test: Expr<'s>,
        then: Block<'s>,
        otherwise: Block<'s>,
    },
    Match {
        subject: Expr<'s>,
        arms: Vec<Arm<'s>>,
    },
    For {
        target: Target<'s>,
        iterable: Expr<'s>,
        body: Block<'s>,
        otherwise: Block<'s>,
    },
    While {
        test: Expr<'s>,
        body: Block<'s>,
        otherwise: Block<'s>,
    },
    Try {
        body: Block<'s>,
        handlers: Vec<Handler<'s>>,
        otherwise: Block<'s>,
        finally: Block<'s>,
    },
    With {
        items: Vec<(Expr<'s>, Option<Target<'s>>)>,
        body: Block<'s>,
    },
    Return(Option<Expr<'s>>),
    /// `raise exception from cause`
    Raise {
        exception: Option<Expr<'s>>,
        cause: Option<Expr<'s>>,
    },
    /// The message is evaluated when the test fails.
    Assert {
        test: Expr<'s>,
        message: Option<Expr<'s>>,
    },
    /// `global` or `nonlocal`.
    Share(Vec<&'s str>),
    Break,
    Continue,
    /// A variable of a shell or of the environment gets a value.
    SetVariable(Box<SetVariable<'s>>),
    /// `unset X`
    UnsetVariable(Cow<'s, str>),
    /// A program is started.
    Command(Box<Command<'s>>),
    /// What these steps do to variables ends with them: a subshell, a step of a workflow.
    Apart(Block<'s>),
    /// Runs where there is no GPU: while an image is built.
    WithoutGpu(Block<'s>),
    /// A shell runs these, with variables of its own and the environment as it is now.
    Child(Block<'s>),
    /// The commands of another file run here, in the same shell or process: `source env.sh`, `%run train.py`.
    Source(Expr<'s>),
    /// What a unit of another file sets is there too: `extends: {file: base.yml, service: gpu}`.
    Extend(Box<Extended<'s>>),
    /// An image of the project runs here, in the container that has been described so far.
    Image(Box<Image<'s>>),
    /// From here on every variable that is set is exported, or no longer: `set -a`, `set +a`.
    ExportAll(bool),
    /// Something is written down that a rule may speak of.
    Observe(Box<Observed<'s>>),
    /// A key of a configuration file has a value.
    Setting(Box<Setting<'s>>),
}

impl<'s> StatementKind<'s> {
    /// The blocks that a compound statement holds.
    pub fn blocks(&self) -> Vec<&Block<'s>> {
        match self {
            Self::Branch { then, otherwise, .. } => vec![then, otherwise],
            Self::Match { arms, .. } => arms.iter().map(|arm| &arm.body).collect(),
            Self::For { body, otherwise, .. } | Self::While { body, otherwise, .. } => {
                vec![body, otherwise]
            }
            Self::Try { body, handlers, otherwise, finally } => {
                let mut blocks = vec![body, otherwise, finally];
                blocks.extend(handlers.iter().map(|handler| &handler.body));
                blocks
            }
            Self::With { body, .. } => vec![body],
            _ => Vec::new(),
        }
    }
}

/// A module of the crate, as seen from a file of it.
#[derive(Debug)]
pub enum CratePath<'s> {
    /// `mod name;`
    Child(&'s str),
    /// `super`
    Parent,
    /// `crate`
    Root,
    /// The library of the package, by its name.
    Library,
}

/// `import a.b as c`, or `from ..a import b as c, d`.
#[derive(Debug)]
pub struct Import<'s> {
    /// Leading dots of a relative import.
    pub level: u32,
    /// `a.b`; empty for `from . import x`.
    pub module: &'s str,
    pub names: ImportNames<'s>,
    /// `lazy import` of Python 3.15.
    pub lazy: bool,
}

/// What an import binds.
#[derive(Debug)]
pub enum ImportNames<'s> {
    /// `import a.b` binds `a`; with a name it binds the submodule to that name.
    Module(Option<&'s str>),
    /// `from m import name as bound`
    Names(Vec<ImportedName<'s>>),
    Star,
}

/// `name as bound`; both are the same without `as`.
#[derive(Debug)]
pub struct ImportedName<'s> {
    pub name: &'s str,
    pub bound: &'s str,
}

/// One `case` of a `match`.
#[derive(Debug)]
pub struct Arm<'s> {
    /// The literals that the pattern accepts; empty when it is not a choice of literals.
    pub literals: Vec<Expr<'s>>,
    /// The pattern accepts everything.
    pub always: bool,
    /// Names that the pattern binds.
    pub binds: Vec<&'s str>,
    /// The whole pattern, of Python.
    pub pattern: Option<Pattern<'s>>,
    pub guard: Option<Expr<'s>>,
    pub body: Block<'s>,
}

/// One `except` of a `try`.
#[derive(Debug)]
pub struct Handler<'s> {
    /// From `except` to the last of its types.
    pub head: Span,
    pub name: Option<&'s str>,
    /// What it catches, one expression for each type; empty for `except:`, which catches everything.
    pub types: Vec<Expr<'s>>,
    /// It catches nothing but imports that fail.
    pub import_errors: bool,
    pub body: Block<'s>,
}

/// A `def` or a `lambda`.
#[derive(Debug)]
pub struct Function<'s> {
    pub name: &'s str,
    /// From `def` or `lambda` to the end of the body.
    pub span: Span,
    pub name_span: Span,
    pub parameters: Vec<Parameter<'s>>,
    pub body: Block<'s>,
    pub is_async: bool,
    /// The body contains `yield`.
    pub is_generator: bool,
    /// Something in the body may name a device or a GPU variable, so it is worth running alone.
    pub mentions_gpu: bool,
}

/// A parameter of a function.
#[derive(Debug)]
pub struct Parameter<'s> {
    pub name: &'s str,
    pub span: Span,
    pub kind: ParameterKind,
    pub default: Option<Expr<'s>>,
}

impl Parameter<'_> {
    /// Whether it is a plain one without a default.
    pub fn is_needed(&self) -> bool {
        self.default.is_none() && self.kind == ParameterKind::Plain
    }
}

/// How a parameter takes arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    Plain,
    KeywordOnly,
    /// `*args`
    Rest,
    /// `**kwargs`
    Keywords,
}

/// A class definition.
#[derive(Debug)]
pub struct Class<'s> {
    pub name: &'s str,
    pub span: Span,
    pub bases: Vec<Expr<'s>>,
    pub keywords: Vec<Argument<'s>>,
    pub body: Block<'s>,
}

/// An expression.
#[derive(Debug)]
pub struct Expr<'s> {
    pub span: Span,
    pub kind: ExprKind<'s>,
}

/// What an expression is.
#[derive(Debug)]
pub enum ExprKind<'s> {
    /// The parts are evaluated in order; the value is not followed.
    Unknown(Vec<Expr<'s>>),
    None,
    Bool(bool),
    Int(i64),
    Text(Cow<'s, str>),
    Name(&'s str),
    /// Something outside the project by its whole name: `os.environ`.
    Outside(Cow<'s, str>),
    Attribute(Box<Expr<'s>>, &'s str),
    Call(Box<Call<'s>>),
    Item(Box<(Expr<'s>, Expr<'s>)>),
    /// A list, tuple or set.
    Sequence(Vec<Expr<'s>>),
    /// `None` as key is `**other`.
    Mapping(Vec<(Option<Expr<'s>>, Expr<'s>)>),
    /// An f-string: texts and interpolated expressions.
    Join(Vec<Expr<'s>>),
    Binary(Operator, Box<(Expr<'s>, Expr<'s>)>),
    Compare(Comparison, Box<(Expr<'s>, Expr<'s>)>),
    Not(Box<Expr<'s>>),
    Negate(Box<Expr<'s>>),
    /// `and`
    All(Vec<Expr<'s>>),
    /// `or`
    Any(Vec<Expr<'s>>),
    /// `then if test else otherwise`, in the order test, then, otherwise.
    Choice(Box<(Expr<'s>, Expr<'s>, Expr<'s>)>),
    Lambda(usize),
    Await(Box<Expr<'s>>),
    Yield(Option<Box<Expr<'s>>>),
    YieldFrom(Box<Expr<'s>>),
    Starred(Box<Expr<'s>>),
    Comprehension(Box<Comprehension<'s>>),
    /// `name := value`
    Bind(&'s str, Box<Expr<'s>>),
    /// `$X` of a shell: its own variable, or that of the environment.
    Variable(Cow<'s, str>),
    /// `${X:-value}`
    VariableOr(Cow<'s, str>, Box<Expr<'s>>),
}

/// `callee(arguments)`
#[derive(Debug)]
pub struct Call<'s> {
    pub callee: Expr<'s>,
    pub arguments: Vec<Argument<'s>>,
}

/// One argument of a call.
#[derive(Debug)]
pub struct Argument<'s> {
    /// The keyword, if any.
    pub name: Option<&'s str>,
    /// `*args` or `**kwargs`.
    pub unpacked: bool,
    pub value: Expr<'s>,
}

/// A list, set or dictionary made by loops, or a generator expression.
#[derive(Debug)]
pub struct Comprehension<'s> {
    pub elements: Vec<Expr<'s>>,
    pub generators: Vec<Generator<'s>>,
    /// A generator expression runs nothing but its first iterable until it is iterated.
    pub lazy: bool,
}

/// `for target in iterable if conditions`, inside a comprehension.
#[derive(Debug)]
pub struct Generator<'s> {
    pub target: Target<'s>,
    pub iterable: Expr<'s>,
    pub conditions: Vec<Expr<'s>>,
}

/// The argument at a position or with a keyword.
pub fn argument<'a>(
    arguments: &'a [Argument<'a>],
    position: Option<usize>,
    name: Option<&str>,
) -> Option<&'a Expr<'a>> {
    let by_name = || arguments.iter().find(|argument| name.is_some() && argument.name == name);
    let before_unpacked = arguments.iter().take_while(|argument| !argument.unpacked);
    let by_position =
        || position.and_then(|at| before_unpacked.filter(|argument| argument.name.is_none()).nth(at));
    by_name().or_else(by_position).map(|argument| &argument.value)
}
