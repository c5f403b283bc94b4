//! What a rule file says.

mod conditions;

pub use conditions::*;

use super::example::{Example, ExampleTexts, Examples, Files};
use crate::code::Observation;
use crate::findings::{Confidence, Safety, Severity};
use crate::program::Convention;
use crate::program::knowledge::parsed;
use crate::sources::Language;
use anyhow::{Result, bail};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// One rule.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Rule {
    pub id: String,
    /// The folder that the file lies in.
    #[serde(skip)]
    pub family: String,
    /// Of a rule of the project: the folder under `rules.paths` that it was found in.
    #[serde(skip)]
    pub own_of: Option<PathBuf>,
    /// One line: what is wrong.
    pub summary: String,
    /// Without a policy; absent: off until the policy has the section or somebody selects the rule.
    pub severity: Option<Severity>,
    /// What the rule is when the policy has a section that it belongs to.
    pub policy: Option<PolicySeverity>,
    /// In a module that is not an entry point, without a policy.
    pub library_severity: Option<Severity>,
    /// At most this, in a container or a job of a scheduler: ordinals restart at 0 there.
    pub container_severity: Option<Severity>,
    /// At most this, anywhere but in a container.
    pub machine_severity: Option<Severity>,
    #[serde(default = "high")]
    pub confidence: Confidence,
    /// Languages of the files that findings point at; `[all]` is every one.
    pub languages: Vec<String>,
    /// For somebody who has never met the fault.
    pub why: String,
    /// Where the truth of the rule can be looked up. A project's own rule may do without.
    #[serde(default)]
    pub sources: Vec<String>,
    pub find: Find,
    /// All must hold.
    #[serde(default)]
    pub when: Vec<Condition>,
    #[serde(default)]
    pub at: FindingPlace,
    /// Not reported where one of these rules is, in the same program.
    #[serde(default)]
    pub yields_to: Vec<String>,
    /// At most one finding for each program.
    #[serde(default)]
    pub once: bool,
    pub message: String,
    /// What is said where the policy has no section that the rule belongs to, in the place of `message` and `advice`.
    pub without_policy: Option<FindingMessage>,
    /// Without a policy one finding speaks for the whole project, and the others are notes.
    pub for_project: Option<ForProject>,
    /// Without a policy the first of many findings about one `{name}` speaks for them, and the others are notes.
    #[serde(default)]
    pub alike: bool,
    /// So many of these each speak for themselves; five where nothing is said.
    pub few_alike: Option<usize>,
    /// They are about one of this word of the message, in the place of `{name}`.
    pub alike_by: Option<String>,
    /// Without a policy the first of several findings in one module speaks for them, and the others are notes.
    pub once_for_module: Option<OnceForModule>,
    /// Other places to show, in this order.
    #[serde(default)]
    pub related: Vec<RelatedPlace>,
    pub advice: Option<String>,
    pub fix: Option<RuleFix>,
    pub examples: Examples,
}

/// Which findings of a module are told by the first of them.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct OnceForModule {
    /// So many of them speak for themselves.
    pub few: usize,
    /// Only those that say the same here: a word of the message, of which the number counts where it has one.
    pub by: Option<String>,
    /// Only in these languages; in all, if there is none.
    #[serde(default)]
    pub languages: Vec<String>,
}

/// How a rule speaks for a project that has no policy to say which of its programs are wrong.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ForProject {
    /// What the first says of all; without it all are notes.
    pub together: Option<FindingGroup>,
    /// Where most programs of the project keep to it, those that do not speak for themselves.
    pub convention: Convention,
    /// A program for which this holds speaks for itself.
    pub unless: Option<Condition>,
    /// Where this holds, it is a note at most.
    pub note_where: Option<Condition>,
}

/// What a finding says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FindingMessage {
    pub message: String,
    pub advice: String,
}

/// What one finding says of several.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FindingGroup {
    /// `{programs}` and `{places}` are their numbers.
    pub message: String,
    pub advice: String,
    /// What is said at the next places.
    pub related: String,
}

/// How findings of a rule are mended.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct RuleFix {
    /// What the fix does, as an order.
    pub title: String,
    /// What it is where nothing speaks for more or less.
    pub safety: Safety,
    /// It is safe only where the policy has this section: which card is right is said there and nowhere else.
    #[serde(default)]
    pub policy: Option<Section>,
    /// The fixer that writes the edits, by its name in `crates/fixes/src/fixers.rs`.
    pub by: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicySeverity {
    pub section: Section,
    pub severity: Severity,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Section {
    Gpu,
    Cpu,
    /// `tests:` with names under `cleanup`.
    Tests,
    /// `backends:` with more than CUDA.
    Backends,
}

/// What a rule looks for: one of `event`, `uses` and `analysis`; an analysis may find what an event shows as well, in files that no
/// program is seen to run.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Find {
    /// Something that happens in a program.
    pub event: Option<EventSelector>,
    /// Names that a file uses, whoever runs it.
    pub uses: Option<Uses>,
    /// What only code can find, by its name in `analyses.rs`.
    pub analysis: Option<String>,
    /// For `observed`: what it is.
    pub observed: Option<Observation>,
    /// Beside the event: one of these stands in a file.
    #[serde(default)]
    pub or_observed: Vec<Observation>,
    /// For `write`: these variables; any when the list is empty.
    #[serde(default)]
    pub variables: Vec<String>,
    /// For `write` and `refused-write`: in functions too that nobody was seen to call.
    #[serde(default)]
    pub also_uncalled: bool,
    /// For `gpu-use`: in a launcher also every program that it starts and that does not set this variable itself,
    /// and its end.
    pub launches_without: Option<String>,
}

/// Names outside the project, and how they are used.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Uses {
    /// Dotted names; `torch.device().index` is an attribute of what calling `torch.device` returns. Each with what to
    /// write in its place, `{replacement}` in messages, where there is something.
    pub names: BTreeMap<String, Option<String>>,
    /// The ways that count.
    #[serde(default = "called_or_read")]
    pub by: Vec<UsedBy>,
    /// Where this does not hold, it is a note at most.
    #[serde(default)]
    pub note_unless: Option<Box<Condition>>,
}

/// How a name is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UsedBy {
    /// It is called.
    Call,
    /// It is looked up: passed on, compared, used as a decorator.
    Read,
    /// It is given a value, as in `torch.backends.cuda.matmul.allow_tf32 = True`.
    Assign,
    /// It is imported from its module by name.
    Import,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EventSelector {
    /// The first GPU use on some path of a program: the first effect that reaches `cuInit`; under a
    /// policy the first import of a GPU library too.
    GpuUse,
    /// What is in force here decides which GPU it is: the first use, and where that is an import, the first
    /// effect that reaches `cuInit` as well.
    GpuChoice,
    /// A variable is set, in a program.
    Write,
    /// A variable is given something that is not a string.
    RefusedWrite,
    /// A GPU is chosen by index, anywhere.
    SelectDevice,
    /// A model is spread over the GPUs that are visible.
    SpreadOverDevices,
    /// A module that the policy forbids is imported by the CPU part.
    ForbiddenImport,
    /// The CPU part imports GPU code of the project, or a package that imports a forbidden module.
    ReachedImport,
    /// A program puts memory on the GPU.
    GpuLoad,
    /// One of several processes puts memory on GPU 0, before it selects the GPU with its own number.
    LoadBeforeOwnGpu,
    /// A test, or a function that reads like one, puts memory on the GPU.
    TestLoad,
    /// An import outside the project initialises CUDA.
    InitialisingImport,
    /// A module asks for the GPUs when it is imported.
    QueryAtImport,
    /// A module makes something on the GPU when it is imported.
    ObjectAtImport,
    /// A default argument, a decorator or the body of a class calls CUDA when it is evaluated.
    CallAtDefinition,
    /// A process is started.
    Spawn,
    /// Something stands in a file that starts programs or sets variables.
    Observed,
    /// Reported by the suppressions themselves.
    Suppression,
}

/// Where a finding points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingPlace {
    /// The expression of the event.
    #[default]
    Event,
    /// The statement of the entry file that leads to the event.
    Entry,
    /// The write whose value is in force, else like `entry`.
    Definition,
    /// The name of the test that the event lies in.
    Test,
    /// The code of the module that is being imported that leads to the event.
    Module,
    /// The event; where its value comes from a file of settings, the call or command that loads the file.
    Writer,
    /// The write, or the statement that leads to it in the file whose order of statements makes it come too late.
    WrongOrder,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RelatedPlace {
    /// The event itself.
    Event,
    /// What initialised CUDA.
    CudaInit,
    /// What imported a GPU library.
    GpuImport,
    /// The write whose value was in force.
    Definition,
    /// What read the variable before it was written.
    Late,
    /// What gives memory back in the same test, unless something is raised before.
    Release,
    /// The calls and imports that lead to the event, outermost first.
    Chain,
    /// The masks that are in force, and where a launcher starts the program with them.
    Mask,
}

fn high() -> Confidence {
    Confidence::High
}

fn called_or_read() -> Vec<UsedBy> {
    vec![UsedBy::Call, UsedBy::Read]
}

impl Rule {
    /// Whether a policy has the section that the rule belongs to.
    pub(super) fn is_decided_by(&self, policy: &crate::policy::Policy, has_cpu_part: bool) -> bool {
        self.policy.as_ref().is_some_and(|given| given.section.is_in(policy, has_cpu_part))
    }

    /// Reads a rule of the program itself, which lies in the folder of its family.
    pub(super) fn read(family: &str, text: &str) -> Result<Rule> {
        let mut rule: Rule = parsed(text)?;
        match rule.settle(family) {
            Ok(()) => Ok(rule),
            Err(fault) => bail!("{}: {}", rule.id, fault.message),
        }
    }

    /// Whether the rule is off until somebody selects it, or the profile `strict`, whatever the policy has.
    pub fn is_strict(&self) -> bool {
        self.severity.is_none() && self.policy.is_none()
    }

    /// Whether the rule is about files of this language.
    pub fn reads(&self, language: Language) -> bool {
        self.languages.iter().any(|name| name == language.name())
    }

    pub fn example_texts(&self) -> ExampleTexts {
        let texts = |pick: fn(&Example) -> Option<&Files>| {
            self.examples.iter().filter_map(pick).map(Files::as_text).collect()
        };
        ExampleTexts {
            bad: texts(|example| example.bad.as_ref()),
            good: texts(|example| example.good.as_ref()),
            fixed: texts(|example| example.fixed.as_ref()),
        }
    }
}
