//! What is known about libraries outside the project: `rules/effects/` (what calling a name does) and
//! `rules/packages/` (what importing a package does). Data, read once at start.

mod packages;
mod reach;
mod runs;
pub mod tables;
mod variables;

use crate::program::imports::Words;
use crate::versions::Range;
use anyhow::{Context, Result};
use packages::PackageFile;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::sync::OnceLock;
use tables::Tables;
use variables::VariablesFile;

pub use packages::{ContactIn, DriverContact, PackageModule};
pub use reach::DriverReach;
pub use variables::{Milestone, Variables};

/// Everything known, ready to be looked up by name.
#[derive(Debug, Default)]
pub struct Knowledge {
    /// The libraries that effects are known of.
    libraries: FxHashSet<String>,
    calls: FxHashMap<String, Vec<Effect>>,
    /// `torch.nn` for the row `torch.nn.*`.
    families: FxHashMap<String, Vec<Effect>>,
    /// Modules whose names are also found in another: `torch.cuda.memory` in `torch.cuda`.
    aliases: FxHashMap<String, String>,
    methods: FxHashMap<String, Vec<Effect>>,
    enters: FxHashMap<String, Vec<Effect>>,
    iterates: FxHashMap<String, Vec<Effect>>,
    subscripts: FxHashMap<String, Vec<Effect>>,
    reads: FxHashMap<String, Vec<Effect>>,
    assigns: FxHashMap<String, Vec<Effect>>,
    /// `xgboost.XGBClassifier()`: objects whose calls depend on how they were made.
    made: FxHashSet<String>,
    packages: FxHashMap<String, PackageModule>,
    /// Packages on which it depends what the import of another does.
    telling: FxHashSet<String>,
    commands: Vec<CommandRow>,
    /// Environment variables.
    pub variables: Variables,
    /// Products, wheels and what belongs together.
    pub tables: Tables,
    /// Finds what of all this a text names. It takes longer to make than most checks take.
    pub(super) words: OnceLock<Words>,
}

/// What a known call does.
#[derive(Clone, Debug)]
pub struct Effect {
    /// The dotted name of the library whose call this is.
    pub library: String,
    pub row: std::sync::Arc<EffectRow>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct EffectsFile {
    library: String,
    /// The version that was looked at, and how.
    #[allow(dead_code)]
    verified: String,
    #[allow(dead_code)]
    sources: Vec<String>,
    /// Modules whose names are also found in another.
    #[serde(default)]
    aliases: BTreeMap<String, String>,
    effects: Vec<EffectRow>,
}

/// One row of an effects file.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct EffectRow {
    /// Why, in one clause.
    pub note: Option<String>,
    /// The effects.
    pub does: Vec<Does>,
    #[serde(default)]
    calls: Vec<String>,
    #[serde(default)]
    methods: Vec<String>,
    #[serde(default)]
    enters: Vec<String>,
    #[serde(default)]
    iterates: Vec<String>,
    #[serde(default)]
    subscripts: Vec<String>,
    #[serde(default)]
    reads: Vec<String>,
    #[serde(default)]
    assigns: Vec<String>,
    /// The arguments that count are those of the call that made the object.
    #[serde(default)]
    pub as_made: bool,
    /// The arguments that choose the device.
    #[serde(default)]
    pub devices: Vec<DeviceArgument>,
    /// The effects happen only when a device argument is a GPU.
    #[serde(default)]
    pub only_on_gpu: bool,
    /// Without a device argument the call uses the GPU.
    #[serde(default)]
    pub absent_is_gpu: bool,
    /// It takes several GPUs, if there are several.
    #[serde(default)]
    pub takes_several: bool,
    /// It takes the GPU with the number of this process, as a launcher counts them: `LOCAL_RANK`.
    #[serde(default)]
    pub takes_own_number: bool,
    /// A negative index does nothing.
    #[serde(default)]
    pub ignore_negative: bool,
    /// Listed so that nobody adds it: looks like an effect, is none.
    #[serde(default)]
    pub harmless: bool,
    /// The effect does not happen when an environment variable has this value (`*`: any value).
    #[serde(default)]
    pub unless_env: BTreeMap<String, String>,
    /// The effect does not happen when a keyword has this literal value.
    #[serde(default)]
    pub unless: BTreeMap<String, Literal>,
    /// The effect happens only when a keyword has this literal value.
    #[serde(default, rename = "if")]
    pub only_if: BTreeMap<String, Literal>,
    /// The effect happens only when a positional argument is of this kind.
    #[serde(default)]
    pub if_position: BTreeMap<usize, String>,
    /// The effect happens only with these versions of packages: where the project's are known, and all among them.
    #[serde(default)]
    pub requires: BTreeMap<String, Range>,
    /// The effect does not happen where the project's versions of packages are known to be others than these.
    #[serde(default)]
    pub may_be: BTreeMap<String, Range>,
}

impl EffectRow {
    /// Whether a call that names no device takes a GPU.
    pub fn is_on_gpu_unless_told(&self) -> bool {
        self.absent_is_gpu || !self.only_on_gpu
    }
}

/// One effect of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Does {
    /// Reaches `cuInit`: the list of devices is fixed for the process.
    CudaInit,
    /// Initialises torch's own CUDA state: the allocator settings are fixed.
    TorchInit,
    /// Puts memory on the GPU.
    Allocate,
    /// Chooses one of the GPUs.
    SelectDevice,
    /// Makes a value that names a GPU, and chooses none by that.
    NameDevice,
    /// From here on what names no device is made on the one that this names.
    DefaultDevice,
    /// Chooses one of the GPUs by writing CUDA_VISIBLE_DEVICES, and takes the first one that is left.
    WriteMask,
    /// Asks NVML, which initialises nothing.
    Nvml,
    /// Gives memory of the GPU back.
    Release,
    /// Starts the threads of a library on the CPU side.
    Threads,
    /// Asks which GPUs there are, or what they can do.
    Query,
    /// Reaches `cuInit` on its way, and takes no GPU.
    Passing,
}

/// A value that an argument is compared with; the text `nonzero` stands for every other integer.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Literal {
    Bool(bool),
    Int(i64),
    Text(String),
}

/// Which argument chooses the device, and how it is written.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct DeviceArgument {
    /// 0-based, without `self`.
    pub position: Option<usize>,
    /// As keyword.
    pub name: Option<String>,
    /// How it is written.
    #[serde(default)]
    pub form: DeviceForm,
}

/// How a device argument is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DeviceForm {
    /// `"cuda:1"`, an index, or a device object.
    #[default]
    Device,
    Index,
    /// A list of indices, or one.
    Indices,
    /// An integer is a number of devices, a list or `"1,"` are indices.
    Count,
    /// A name such as `cuda`, never an index.
    Name,
    /// `torch.cuda.FloatTensor`, or its name.
    TensorType,
    /// onnxruntime's `[("CUDAExecutionProvider", {"device_id": 1})]`.
    Providers,
    /// `{"": 1}`, a device name or `"auto"`.
    Map,
    /// `gpu:1` or `/GPU:1`.
    GpuName,
    /// tch's `(Kind::Float, Device::Cuda(1))`.
    Pair,
    /// A dictionary of a learner's parameters, of which some choose the device: `{"device": "cuda"}`.
    Parameters,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct CommandsFile {
    #[allow(dead_code)]
    verified: String,
    #[allow(dead_code)]
    sources: Vec<String>,
    commands: Vec<CommandRow>,
}

/// Programs that use a GPU when they are started.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct CommandRow {
    names: Vec<String>,
    /// Only with one of these among their arguments.
    #[serde(default)]
    arguments: Vec<String>,
}

/// Reads a data file in YAML, or in the JSON that the build makes of it.
pub fn parsed<T: DeserializeOwned>(text: &str) -> Result<T> {
    Ok(match text.starts_with('{') {
        true => serde_json::from_str(text)?,
        false => serde_yaml::from_str(text)?,
    })
}

impl Knowledge {
    /// Reads the data files, given as (path, text).
    pub fn read<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Knowledge> {
        let mut knowledge = Knowledge::default();
        for (path, text) in files {
            if path.starts_with("effects/") {
                let file: EffectsFile = parsed(text).with_context(|| path.to_owned())?;
                knowledge.add_effects(file);
            } else if path.starts_with("packages/") {
                let file: PackageFile = parsed(text).with_context(|| path.to_owned())?;
                for row in file.modules {
                    let row = row.with_runs(&file.package).with_context(|| path.to_owned())?;
                    let telling = row.contact_if_installed.keys().chain(row.imports_if_installed.keys());
                    knowledge.telling.extend(telling.cloned());
                    knowledge.packages.insert(row.module.clone(), row);
                }
            } else if path == "environment.yaml" {
                let file: VariablesFile = parsed(text).with_context(|| path.to_owned())?;
                knowledge.variables = Variables::read(file).with_context(|| path.to_owned())?;
            } else if path.starts_with("tables/") {
                knowledge.tables.take(path, text)?;
            } else if path.starts_with("commands/") {
                let file: CommandsFile = parsed(text).with_context(|| path.to_owned())?;
                knowledge.commands.extend(file.commands);
            }
        }
        Ok(knowledge)
    }

    fn add_effects(&mut self, file: EffectsFile) {
        self.aliases.extend(file.aliases);
        self.libraries.insert(file.library.clone());
        for row in file.effects {
            let effect = Effect { library: file.library.clone(), row: row.into() };
            for (names, table) in [
                (&effect.row.calls, &mut self.calls),
                (&effect.row.methods, &mut self.methods),
                (&effect.row.enters, &mut self.enters),
                (&effect.row.iterates, &mut self.iterates),
                (&effect.row.subscripts, &mut self.subscripts),
                (&effect.row.reads, &mut self.reads),
                (&effect.row.assigns, &mut self.assigns),
            ] {
                for name in names {
                    if effect.row.as_made {
                        self.made.extend(name.rsplit_once('.').map(|(object, _)| object.to_owned()));
                    }
                    if let Some(module) = name.strip_suffix(".*") {
                        self.families.entry(module.to_owned()).or_default().push(effect.clone());
                        continue;
                    }
                    table.entry(name.clone()).or_default().push(effect.clone());
                }
            }
        }
    }

    /// Effects of calling a name: its own row, that of the name it stands for, or `module.*`.
    pub fn of_call(&self, path: &str) -> &[Effect] {
        if let Some(found) = self.calls.get(path) {
            return found;
        }
        let Some((module, name)) = path.rsplit_once('.') else { return &[] };
        if let Some(real) = self.aliases.get(module) {
            return self.calls.get(&format!("{real}.{name}")).map_or(&[], Vec::as_slice);
        }
        self.families.get(module).map_or(&[], Vec::as_slice)
    }

    /// Effects of calling a method of this name on a value whose type is not known.
    pub fn of_method(&self, name: &str) -> &[Effect] {
        self.methods.get(name).map_or(&[], Vec::as_slice)
    }

    /// Effects of entering what a call of this name returns, in a `with`.
    pub fn of_enter(&self, path: &str) -> &[Effect] {
        self.enters.get(path).map_or(&[], Vec::as_slice)
    }

    /// Effects of a loop over something of this name.
    pub fn of_iteration(&self, path: &str) -> &[Effect] {
        self.iterates.get(path).map_or(&[], Vec::as_slice)
    }

    /// Effects of taking an item of something of this name.
    pub fn of_subscript(&self, path: &str) -> &[Effect] {
        self.subscripts.get(path).map_or(&[], Vec::as_slice)
    }

    /// Effects of looking an attribute up.
    pub fn of_read(&self, path: &str) -> &[Effect] {
        self.reads.get(path).map_or(&[], Vec::as_slice)
    }

    /// Effects of setting an attribute: the value is the first argument.
    pub fn of_assignment(&self, path: &str) -> &[Effect] {
        self.assigns.get(path).map_or(&[], Vec::as_slice)
    }

    /// Whether a call goes by the arguments that its object was made with.
    pub fn is_as_made(&self, path: &str) -> bool {
        self.of_call(path).iter().any(|effect| effect.row.as_made)
    }

    /// Whether calls of what this is depend on the arguments that it was made with.
    pub fn depends_on_making(&self, path: &str) -> bool {
        self.made.contains(path)
    }

    /// The names of a library without which nothing of it reaches the driver by itself: `Adam`, `backward`.
    pub fn words_of<'a>(&'a self, library: &'a str) -> impl Iterator<Item = &'a str> {
        let tables =
            [&self.calls, &self.methods, &self.enters, &self.iterates, &self.subscripts, &self.reads];
        let reaches = move |effect: &Effect| {
            effect.library == library && !effect.row.only_on_gpu && effect.row.does.contains(&Does::CudaInit)
        };
        let named = tables.into_iter().flatten().filter(move |(_, effects)| effects.iter().any(reaches));
        named.map(|(name, _)| {
            let object = name.split("()").next().unwrap_or(name);
            object.rsplit('.').next().unwrap_or(object)
        })
    }

    /// Whether it depends on this package being installed what the import of another does.
    pub fn is_telling(&self, package: &str) -> bool {
        self.telling.contains(package)
    }

    /// Whether a program uses a GPU when it is started with these arguments.
    pub fn command_uses_gpu(&self, name: &str, arguments: &[Option<&str>]) -> bool {
        let given = |wanted: &String| {
            let is = |argument: &str| {
                argument == wanted || argument.split_once('=').is_some_and(|(key, _)| key == wanted)
            };
            arguments.iter().flatten().any(|argument| is(argument))
        };
        let mut rows = self.commands.iter().filter(|row| row.names.iter().any(|known| known == name));
        rows.any(|row| row.arguments.is_empty() || row.arguments.iter().any(given))
    }

    /// Whether a module belongs to a library of which some call does this.
    pub fn does(&self, module: &str, wanted: Does) -> bool {
        let is_of = |library: &str| {
            module.strip_prefix(library).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let does = |effect: &Effect| is_of(&effect.library) && effect.row.does.contains(&wanted);
        self.has_effects(module) && self.calls.values().flatten().any(does)
    }

    /// Whether a module belongs to a library that effects are known of.
    pub fn has_effects(&self, module: &str) -> bool {
        let ends = module.match_indices('.').map(|(at, _)| at).chain([module.len()]);
        ends.into_iter().any(|end| self.libraries.contains(&module[..end]))
    }

    /// The modules of Python that are GPU libraries.
    pub fn gpu_libraries(&self) -> Vec<&str> {
        let rows = self.packages.iter().filter(|(_, row)| row.gpu_library);
        rows.map(|(module, _)| module.as_str()).collect()
    }

    /// What is known about importing `module`: the row with the longest dotted prefix.
    pub fn package(&self, module: &str) -> Option<&PackageModule> {
        let mut prefix = module;
        loop {
            if let Some(found) = self.packages.get(prefix) {
                return Some(found);
            }
            prefix = prefix.rsplit_once('.')?.0;
        }
    }
}
