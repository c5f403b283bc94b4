//! What starts programs: shells, workflows, containers, and configuration that names a device. They share the
//! steps of Python, and have a few of their own.

use super::{Block, Expr, ExprKind};
use crate::facts::Span;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Something that runs, or is described, by itself: a shell script, a job of a workflow, a service of a compose
/// file, a target of a Makefile, a file of settings.
#[derive(Debug)]
pub struct Unit<'s> {
    /// What names it; a finding about the whole points here.
    pub span: Span,
    /// What it is, for people: "job `train`". Empty for a file that is one unit.
    pub name: Cow<'s, str>,
    pub host: Host,
    pub body: Block<'s>,
}

/// An image of the project that runs in a container: what its Dockerfile sets, and what it starts.
#[derive(Debug)]
pub struct Image<'s> {
    /// The Dockerfile, relative to the file.
    pub file: Cow<'s, str>,
    /// The stage that is built, where one is named.
    pub stage: Option<&'s str>,
    /// A command of the container takes the place of that of the image.
    pub replaced: bool,
    /// How many GPUs the container is given by number or name, where that is known and it has no mask of its own.
    pub given: Option<usize>,
}

/// A unit of another file that one builds on, or that adds to it.
#[derive(Debug)]
pub struct Extended<'s> {
    /// Relative to the file.
    pub file: Cow<'s, str>,
    /// The name of the unit, for people.
    pub unit: String,
    /// It need not be there.
    pub optional: bool,
}

/// What `make NAME` runs.
#[derive(Debug)]
pub struct MakeTarget<'s> {
    pub name: &'s str,
    /// The units of what it needs first, and its own.
    pub units: Vec<usize>,
}

/// Where a unit runs, as far as that decides which GPUs its programs see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Host {
    /// The machine itself, or one that nothing is known about.
    #[default]
    Machine,
    /// A runner of the project's own, which jobs of a workflow share.
    Runner,
    /// A container: ordinals count the GPUs that it was given.
    Container,
    /// A job of a scheduler that hands out GPUs.
    Scheduler,
    /// A machine without a GPU: a runner that GitHub hosts.
    NoGpu,
    /// A container that is given no GPU, on a machine that may have one.
    BareContainer,
}

impl Host {
    /// Whether its programs may find a GPU, as far as that is known.
    pub fn may_have_gpu(self) -> bool {
        !matches!(self, Host::NoGpu | Host::BareContainer)
    }
}

/// Python inside another file: `python -c '…'`, a heredoc, a workflow step with `shell: python`, a block of Markdown.
#[derive(Debug)]
pub struct Snippet<'s> {
    pub span: Span,
    pub body: Block<'s>,
    /// A program by itself, which no command of the file starts.
    pub stands_alone: bool,
}

/// `X=1`, `export X=1`, `$env:X = "1"`, `ENV X=1`, `env: {X: 1}`
#[derive(Debug)]
pub struct SetVariable<'s> {
    pub name: Cow<'s, str>,
    /// Name and value, as far as a finding should show them.
    pub span: Span,
    /// Absent where only `export` is said of a variable that has its value already.
    pub value: Option<Expr<'s>>,
    pub export: Export,
    /// A variable that is already set keeps its value.
    pub only_if_unset: bool,
}

/// Whether programs that are started later get a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Export {
    Yes,
    /// `X=1` of a shell: only when X was exported before.
    IfExported,
    /// A variable of the language itself, such as `$gpu` of PowerShell.
    No,
}

/// A program and its arguments, as the shell hands them over.
#[derive(Debug)]
pub struct Command<'s> {
    /// `X=1 command`
    pub environment: Vec<SetVariable<'s>>,
    pub words: Vec<Expr<'s>>,
    /// The Python among its arguments or on its standard input, by its number in [`super::Code::snippets`].
    pub snippet: Option<usize>,
    /// What a shell is given to run, among its arguments or on its standard input.
    pub script: Block<'s>,
}

/// A command line that stands in a program: the text for a shell, or the list of its words.
#[derive(Debug)]
pub struct ShellText<'s> {
    /// The expression that holds it, and the names that are given to who starts it.
    pub spans: Vec<Span>,
    /// Names of the program whose values are put into it.
    pub names: Vec<&'s str>,
    pub steps: Block<'s>,
}

/// A key of a configuration file and its value.
#[derive(Debug)]
pub struct Setting<'s> {
    /// The keys from the outermost to this one.
    pub path: Vec<Cow<'s, str>>,
    pub key_span: Span,
    pub value: Expr<'s>,
}

/// Something that a file says beside what it runs, of which rules speak.
#[derive(Debug)]
pub struct Observed<'s> {
    pub what: Observation,
    /// What stands around it speaks of GPUs.
    pub about_gpu: bool,
    /// As it is written.
    pub text: Cow<'s, str>,
}

/// What was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Observation {
    /// A job runs on any self-hosted runner.
    BareRunner,
    /// A job runs on a runner of the project's own, for pull requests from anywhere.
    ForkCode,
    /// A value without quotes has a comment behind it, which some readers take for a part of the value.
    InlineComment,
    /// `X=1 command` where that is no assignment.
    ForeignAssignment,
    /// A mask counts on from the GPUs of the machine, in a container that has other ordinals.
    DoubleRemap,
    /// A number of GPUs where an index is meant.
    CountForIndex,
    /// A container is given cards by their numbers on the machine.
    HandedCard,
    /// A program is told to use another card than the first.
    NamedCard,
    /// A launcher starts more processes than the mask leaves GPUs, or the policy where no mask is set.
    RanksBeyondMask,
    /// A unit of systemd has a line with a variable that systemd leaves aside.
    IgnoredAssignment,
    /// `nohup X=1 command`: a word that sets a variable stands where a program must.
    AssignmentForProgram,
    /// A variable is set for a client, and its server reads it.
    MaskForClient,
    /// A launcher is told which cards to take, and leaves the mask aside.
    IgnoredMask,
    /// A container is given GPUs by number and by name.
    CountAndNames,
    /// A container is given a number of GPUs, and a variable that names others is overwritten.
    CountOverNames,
    /// A container is given GPUs by a variable alone, which a runtime of NVIDIA must read.
    ChoiceWithoutRuntime,
    /// A container is given a card by something that is neither a number nor a UUID.
    NamesNoCard,
    /// An option and its value are one argument of `docker run`: `"--gpus all"`.
    OptionInOneWord,
    /// A request for GPUs has no capabilities.
    RequestWithoutCapabilities,
    /// A request for GPUs stands where Compose knows none.
    MisplacedRequest,
    /// A container is given GPUs, and its image is the build for the CPU.
    ImageWithoutCuda,
    /// A container is given GPUs of AMD, and its user is in no group that may open them.
    KfdWithoutGroup,
    /// A container of Kubernetes asks for GPUs under its requests alone.
    RequestWithoutLimit,
    /// A container of Kubernetes asks for a part of a GPU, or for another number than its limit.
    RequestRefused,
    /// A container of Kubernetes asks for no GPU, and its image for all of them.
    ZeroGpusOfOpenImage,
    /// A container of Kubernetes is given GPUs by the scheduler, and names others itself.
    ChoiceBesideScheduler,
    /// A container of Kubernetes is given some GPUs by the scheduler, and sees all of them.
    PrivilegedBesideScheduler,
    /// A service of Compose is given some GPUs, and sees all of them.
    PrivilegedBesideChoice,
    /// A container of Kubernetes says what only its pod can say.
    PodKeyInContainer,
    /// A container of Kubernetes takes GPUs that the scheduler does not know of.
    ChoiceWithoutScheduler,
    /// A variable is read or removed as if it were set, and nothing has set it.
    UnsetVariable,
    /// A number of the machine is used inside of a container.
    MachineIndexInside,
    /// A mask that names GPUs of the machine reaches a container that may count anew.
    HostMaskInContainer,
    /// A device is told with its index to a call that takes the kind alone.
    IndexInDevice,
    /// A mask of CUDA is used where the cards of the machine are counted by their slots.
    MaskForMachine,
}

/// Whether what is written there is the name of an image and no option, also where parts of it are not known: `"$IMAGE"`, `org/$NAME:$TAG`.
pub fn names_image(word: &Expr<'_>) -> bool {
    let of_image = |name: &str| ["image", "img"].iter().any(|word| name.to_ascii_lowercase().contains(word));
    const OF_FILES: &[&str] = &[".bin", ".ipynb", ".json", ".py", ".sh", ".toml", ".txt", ".yaml", ".yml"];
    let is_file = |parts: &[Expr<'_>]| {
        let Some(ExprKind::Text(end)) = parts.last().map(|last| &last.kind) else { return false };
        OF_FILES.iter().any(|known| end.ends_with(known))
    };
    match &word.kind {
        ExprKind::Variable(name) | ExprKind::VariableOr(name, _) => of_image(name),
        ExprKind::Join(parts) if is_file(parts) => false,
        ExprKind::Join(parts) => parts.first().is_some_and(|first| match &first.kind {
            ExprKind::Text(text) => {
                text.contains([':', '/']) && !text.starts_with(['-', '/', '.', '~']) && !text.contains('=')
            }
            ExprKind::Variable(name) => of_image(name),
            _ => false,
        }),
        _ => false,
    }
}
