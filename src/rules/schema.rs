//! What a rule file says.

use super::example::{Example, Examples, Files};
use super::matching::Matching;
use crate::code::Observation;
use crate::findings::{Confidence, FixOffer, Severity};
use crate::program::knowledge::parsed;
use crate::sources::Language;
use anyhow::{Result, bail};
use serde::Deserialize;
use std::collections::BTreeMap;

/// One rule.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Rule {
    pub id: String,
    /// The folder that the file lies in.
    #[serde(skip)]
    pub family: String,
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
    pub at: At,
    /// Not reported where one of these rules is, in the same program.
    #[serde(default)]
    pub yields_to: Vec<String>,
    /// At most one finding for each program.
    #[serde(default)]
    pub once: bool,
    pub message: String,
    /// Other places to show, in this order.
    #[serde(default)]
    pub related: Vec<RelatedPlace>,
    pub advice: Option<String>,
    pub fix: Option<FixOffer>,
    pub examples: Vec<Example>,
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
}

/// What a rule looks for: one of `event`, `uses` and `analysis`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Find {
    /// Something that happens in a program.
    pub event: Option<EventKind>,
    /// Names that a file uses, whoever runs it.
    pub uses: Option<Uses>,
    /// What only code can find, by its name in `rules/analyses.rs`.
    pub analysis: Option<String>,
    /// For `observed`: what it is.
    pub observed: Option<Observation>,
    /// For `write`: these variables; any when the list is empty.
    #[serde(default)]
    pub variables: Vec<String>,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EventKind {
    /// The first GPU use on some path of a program: the first effect that reaches `cuInit`; under a
    /// policy the first import of a GPU library too.
    GpuUse,
    /// What is in force here decides which GPU it is: the first use, and where that is an import, the first
    /// effect that reaches `cuInit` as well.
    GpuChoice,
    /// A variable is set, in a program.
    Write,
    /// A GPU is chosen by index, anywhere.
    SelectDevice,
    /// A module that the policy forbids is imported by the CPU part.
    ForbiddenImport,
    /// The CPU part imports GPU code of the project, or a package that imports a forbidden module.
    ReachedImport,
    /// A program puts memory on the GPU.
    GpuLoad,
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

/// Words of a condition; all that are given must hold.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Condition {
    /// The variable that is written is one of these kinds.
    pub variable: Option<VariableKind>,
    /// The program runs on a runner of the project's own.
    pub own_runner: Option<bool>,
    /// The program speaks of GPUs, sets a variable of theirs, or starts a program that uses one.
    pub uses_gpu: Option<bool>,
    /// The event stands in a file of one of these languages.
    pub language: Vec<String>,
    /// For `uses`: an argument of the call, or the value that is assigned.
    pub argument: Option<Argument>,
    /// For `uses`: behind a test of what this version has (`hasattr`, a version, a handler of AttributeError).
    pub guarded: Option<bool>,
    /// For `uses`: in the body of a loop.
    pub in_loop: Option<bool>,
    /// For `uses`: the file also uses one of these names, or names below one of these.
    pub also_uses: Vec<String>,
    /// The program did not set this variable on some path to the event.
    pub unset: Option<String>,
    /// The program set this variable and removed it again.
    pub removed: Option<String>,
    /// The value that is written.
    pub value: Option<Written>,
    /// Nothing after the event sets this variable.
    pub never_later: Option<String>,
    /// A value that the program set is in force at the event.
    pub in_force: Option<InForce>,
    /// This happened before the event.
    pub after: Option<Earlier>,
    /// The write changes what was in force when this happened.
    pub new_value_since: Option<Earlier>,
    /// The chosen index is not the one that the policy allows (0 without a policy).
    pub device_differs: Option<bool>,
    /// The chosen index is beyond the GPUs that the mask leaves.
    pub outside_mask: Option<bool>,
    /// The mask leaves several GPUs and the chosen index is one of them.
    pub inside_mask: Option<bool>,
    /// The number of devices was checked on the way.
    pub counted: Option<bool>,
    /// The environment is handed to something that is not followed, and may use no GPU.
    pub handed_on: Option<bool>,
    /// A process is started before this one uses a GPU again: the write is for the child.
    pub for_child: Option<bool>,
    /// The process that is started is a copy of one that had initialised CUDA, and uses CUDA.
    pub forked_use: Option<bool>,
    /// The program calls a validator of the policy, or asks the device itself and stops when it is wrong.
    pub validated: Option<bool>,
    /// The memory is given back whatever is raised in the test.
    pub released: Option<bool>,
    /// The CPU part is being imported.
    pub cpu_part: Option<bool>,
    /// The policy has this section or key.
    pub policy: Option<PolicyKey>,
    pub not: Option<Box<Condition>>,
    /// One of these must hold; the first that does decides what the finding speaks of.
    pub any: Vec<Condition>,
    /// All of these must hold.
    pub all: Vec<Condition>,
}

/// What is asked of an argument. A value that is not known fits `known: false` only.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Argument {
    /// 0-based.
    pub position: Option<usize>,
    /// As keyword.
    pub name: Option<String>,
    /// It is not given.
    pub absent: Option<bool>,
    /// It is a literal, a constant of the file, or a name outside the project.
    pub known: Option<bool>,
    /// It is one of these: texts and numbers as they are, names outside the project dotted, `None`, `True`, `False`.
    pub one_of: Vec<String>,
    /// It is known, and none of these.
    pub none_of: Vec<String>,
    /// It is known, and this pattern is found in it.
    pub matches: Option<Matching>,
}

/// What is asked of a value that is written; a value that is not known never fits.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Written {
    /// It is none of these.
    pub none_of: Vec<String>,
    /// This pattern is found in it.
    pub matches: Option<Matching>,
    /// It begins and ends with a quote.
    pub quoted: bool,
    /// It is a mask that selects by index.
    pub by_index: bool,
    /// It is a mask with this fault.
    pub mask: Option<MaskFault>,
    /// It is an order, and not the policy's.
    pub differs_from_policy: bool,
    /// It is one of these.
    #[serde(default)]
    pub one_of: Vec<String>,
    /// It is a mask, and another was in force before it.
    pub differs_from_earlier: bool,
}

/// What is asked of the name of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VariableKind {
    /// Nearly the name of a known one, and nothing in the project reads it.
    Misspelt,
    /// Nothing reads it, or another has taken its place.
    Dead,
}

/// What is wrong with a mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MaskFault {
    /// It leaves no GPU although it looks as if it named one.
    HidesAll,
    /// It ends before the GPUs that it names.
    CutShort,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct InForce {
    pub variable: String,
    pub selects: Option<Selects>,
    /// The value is none of those that the policy accepts.
    #[serde(default)]
    pub differs_from_policy: bool,
    /// No value of this variable came along on the same path.
    pub without: Option<String>,
}

/// What a mask selects GPUs by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Selects {
    /// `0`, `1,2`
    Integer,
    /// A UUID, or nothing at all: `GPU-…`, `MIG-…`, the empty text, `-1`.
    NoInteger,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Earlier {
    CudaInit,
    GpuImport,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum PolicyKey {
    #[serde(rename = "gpu")]
    Gpu,
    /// `gpu.device-order`, beside a `gpu.visible-devices` that is an integer.
    #[serde(rename = "gpu.device-order")]
    DeviceOrder,
    #[serde(rename = "gpu.visible-devices")]
    VisibleDevices,
    #[serde(rename = "scripts.validators")]
    Validators,
}

/// Where a finding points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum At {
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
    /// What gives memory back in the same test, unless something is raised before.
    Release,
    /// The calls and imports that lead to the event, outermost first.
    Chain,
}

fn high() -> Confidence {
    Confidence::High
}

fn called_or_read() -> Vec<UsedBy> {
    vec![UsedBy::Call, UsedBy::Read]
}

impl Rule {
    /// Reads a rule of the program itself, which lies in the folder of its family.
    pub(super) fn read(family: &str, text: &str) -> Result<Rule> {
        let mut rule: Rule = parsed(text)?;
        match rule.settle(family) {
            Ok(()) => Ok(rule),
            Err(fault) => bail!("{}: {}", rule.id, fault.message),
        }
    }

    /// Whether the rule is about files of this language.
    pub fn reads(&self, language: Language) -> bool {
        self.languages.iter().any(|name| name == language.name())
    }

    pub fn example_texts(&self) -> Examples {
        let texts = |pick: fn(&Example) -> Option<&Files>| {
            self.examples.iter().filter_map(pick).map(Files::as_text).collect()
        };
        Examples {
            bad: texts(|example| example.bad.as_ref()),
            good: texts(|example| example.good.as_ref()),
            fixed: texts(|example| example.fixed.as_ref()),
        }
    }
}
