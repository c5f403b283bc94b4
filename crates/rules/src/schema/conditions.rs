//! What conditions of a rule file say.

use crate::code::Observation;
use crate::findings::Severity;
use crate::rules::matching::Matching;
use crate::versions::Range;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Words of a condition; all that are given must hold.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Condition {
    /// The variable that is written is one of these kinds.
    pub variable: Option<VariableKind>,
    /// The variable that is written has one of these names.
    pub named: Vec<String>,
    /// The program runs on a runner of the project's own.
    pub own_runner: Option<bool>,
    /// GPUs are counted anew here: in a container, in a job of a scheduler.
    pub counts_anew: Option<bool>,
    /// The mask names the first eight GPUs of the machine, or more of them: all that most machines have.
    pub whole_machine: Option<bool>,
    /// The program runs in containers only, and none of them is given a GPU.
    pub without_gpu: Option<bool>,
    /// The call asks for CUDA in so many words, and the program chooses the CPU where there is no GPU.
    pub despite_cpu_choice: Option<bool>,
    /// The GPU that is used has the number of this process among those of its machine, which a launcher counts.
    pub by_rank: Option<bool>,
    /// The program speaks of GPUs, sets a variable of theirs, or starts a program that uses one.
    pub uses_gpu: Option<bool>,
    /// The event is that something of this kind stands in a file.
    pub observed: Option<Observation>,
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
    /// For `uses`: it is one of these names that is used.
    pub one_of_names: Vec<String>,
    /// For `uses`: what the call returns is put into a model or an optimizer, by `load_state_dict`.
    pub into_model: Option<bool>,
    /// For `uses`: what the call returns is the state of a scheduler of learning rates, which holds no tensors.
    pub into_scheduler: Option<bool>,
    /// For `uses`: an earlier statement saves what the call loads, by `torch.save`: in the same function, or under a
    /// path that is put together in the same way.
    pub saved_before: Option<bool>,
    /// For `uses`: behind a test that lets one process of several through, `rank == 0`.
    pub for_one_rank: Option<bool>,
    /// For `uses`: only where `torch.cuda.is_available()` is true.
    pub gpu_is_there: Option<bool>,
    /// For `uses`: the file asks somewhere whether a GPU is there, or is meant (`if args.cuda`, `if device == "cuda"`); or it moves
    /// something to a device that a file which it is tied to by imports chooses, with the CPU among the choices. And nothing in
    /// the function around needs one.
    pub asks_for_gpu: Option<bool>,
    /// For `uses`: the file, or one that it is tied to by imports, joins a group of processes of torch.
    pub joins_group: Option<bool>,
    /// For `uses`: outside of tests, a file of the project says `map_location` somewhere: what it loads has come from another device.
    pub maps_elsewhere: Option<bool>,
    /// The function around it moves something to the GPU on every way through it.
    pub needs_gpu: Option<bool>,
    /// The program did not set this variable on some path to the event.
    pub unset: Option<String>,
    /// The program set this variable and removed it again.
    pub removed: Option<String>,
    /// The value that is written.
    pub value: Option<ValueCondition>,
    /// Nothing after the event sets this variable.
    pub never_later: Option<String>,
    /// A value that the program set is in force at the event.
    pub in_force: Option<InForce>,
    /// This happened before the event.
    pub after: Option<EarlierEvent>,
    /// The variable that is written, or this much of its value, was read already, and was something else then.
    pub too_late: Option<EarlyRead>,
    /// The program uses torch, and sets nothing that says what the policy wants of its allocator before torch reads it.
    pub allocator_missing: Option<bool>,
    /// The write puts an index of its own in the place of what a launcher, a scheduler or a pool has given.
    pub overrides_launcher: Option<bool>,
    /// The write takes the place of the mask that the command gives: one of a launcher, or of a document.
    pub ignores_given_mask: Option<bool>,
    /// Another name of the same setting holds another value.
    pub rival_differs: Option<bool>,
    /// The event happens on every path, as far as the conditions are understood.
    pub certain: Option<bool>,
    /// Another name of the same setting is set too.
    pub rival_set: Option<bool>,
    /// A GPU library is imported later.
    pub imported_later: Option<bool>,
    /// Where this holds, the finding is at most so severe.
    pub at_most: Option<Severity>,
    /// The write changes what was in force when this happened.
    pub new_value_since: Option<EarlierEvent>,
    /// The chosen index is not the one that the policy allows (0 without a policy).
    pub device_differs: Option<bool>,
    /// A call takes the chosen index: it is more than the value of a parameter, a key or a `torch.device`, and where the
    /// call fails, no handler goes on with another device.
    pub device_taken: Option<bool>,
    /// The call that takes the chosen index writes it into CUDA_VISIBLE_DEVICES.
    pub writes_mask: Option<bool>,
    /// The chosen index is beyond the GPUs that the mask leaves.
    pub outside_mask: Option<bool>,
    /// The mask leaves several GPUs and the chosen index is one of them.
    pub inside_mask: Option<bool>,
    /// Where there is no such device TensorFlow takes another one, and says nothing.
    pub placed_softly: Option<bool>,
    /// The path of the file says that it is for several GPUs: `6_MultiGPU/basics.py`.
    pub named_for_several: Option<bool>,
    /// The number of devices was checked on the way.
    pub counted: Option<bool>,
    /// The environment is handed to something that is not followed, and may use no GPU.
    pub handed_on: Option<bool>,
    /// A process is started before this one uses a GPU again: the write is for the child.
    pub for_child: Option<bool>,
    /// A test sets it for itself, or hands the value to the code that sets it, and no GPU is used after: it may be about the value.
    pub for_test: Option<bool>,
    /// A test leads to it, in code that is no test: what it says is for the programs that start there.
    pub led_by_test: Option<bool>,
    /// The same file sets it by a call of the library as well: `jax.config.update("jax_platforms", "cpu")`.
    pub told_by_call: Option<bool>,
    /// The function that sets it also takes functions away from the process, for code that it does not trust, or has processes start anew, which
    /// take what it sets.
    pub disarming: Option<bool>,
    /// One test writes this value and the earlier one: it is about which of them wins.
    pub in_one_test: Option<bool>,
    /// The process that is started is a copy of one that had initialised CUDA, and uses CUDA.
    pub forked_use: Option<bool>,
    /// The program calls a validator of the policy, or asks the device itself and stops when it is wrong.
    pub validated: Option<bool>,
    /// The program stops on a GPU with another name or less memory than it wants.
    pub asserts_gpu: Option<bool>,
    /// The memory is given back whatever is raised in the test.
    pub released: Option<bool>,
    /// The call reaches the driver on its way, and takes no GPU.
    pub passing: Option<bool>,
    /// The memory is kept for more than the test.
    pub outlives_test: Option<bool>,
    /// The CPU part is being imported.
    pub cpu_part: Option<bool>,
    /// Somewhere in the program each of several processes takes the GPU with its own number.
    pub ranks_choose: Option<bool>,
    /// The images of the project are for boards that have one GPU.
    pub for_board: Option<bool>,
    /// The program is a notebook that Colab wrote.
    pub for_colab: Option<bool>,
    /// The program is a notebook that Colab wrote, and that asks it for no accelerator.
    pub for_cpu_of_colab: Option<bool>,
    /// The module lies among tests, and nothing but tests imports it.
    pub among_tests: Option<bool>,
    /// The policy has this section or key.
    pub policy: Option<PolicyKey>,
    /// The project's versions of these packages are known, and all among those given: `{torch: ">=2.4"}`. `python` is
    /// the interpreter.
    pub requires: BTreeMap<String, Range>,
    /// The oldest versions of these packages that the project asks for are among those given: `{torch: "<2.3"}`.
    pub supports: BTreeMap<String, Range>,
    /// Nothing says that the project's versions of these packages are others than those given.
    pub may_be: BTreeMap<String, Range>,
    pub not: Option<Box<Condition>>,
    /// One of these must hold; the first that does decides what the finding speaks of.
    pub any: Vec<Condition>,
    /// All of these must hold.
    pub all: Vec<Condition>,
}

/// What is asked of an argument. A value that is not known fits `known: false` only.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Argument {
    /// 0-based.
    pub position: Option<usize>,
    /// As keyword.
    pub name: Option<String>,
    /// It is not given, or given as `None`.
    pub absent: Option<bool>,
    /// It is `None` where there is a GPU, and the CPU otherwise.
    pub none_on_gpu: Option<bool>,
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
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct ValueCondition {
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
    /// It configures the allocator of torch, and another value of the same variable said the opposite just before.
    pub contradicts_earlier: bool,
    /// It configures the allocator of torch with this fault.
    pub allocator: Option<AllocatorFault>,
    /// Whether somebody else fills it in.
    pub template: Option<bool>,
    /// Whether it begins like an integer.
    pub integer: Option<bool>,
}

/// How much of a variable was read too early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EarlyRead {
    Whole,
    /// One setting in its value.
    Part,
}

/// What is wrong with the configuration of torch's allocator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AllocatorFault {
    /// torch refuses it.
    Invalid,
    /// It has a key that is like none of those that are known.
    UnknownKey,
    /// The backend that it chooses has no use for some of its keys.
    IgnoredByBackend,
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

#[derive(Clone, Debug, Deserialize)]
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
pub enum EarlierEvent {
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
    #[serde(rename = "gpu.alloc-conf")]
    AllocConf,
    #[serde(rename = "scripts.validators")]
    Validators,
}
