//! What a command line starts, judged by its words: `env X=1 uv run torchrun --nproc-per-node 2 train.py`
//! sets X and starts `train.py`.
//!
//! A word is `None` where it is not known before the command runs. This module knows names of programs and
//! which of their options take a value, and nothing of files.

mod containers;
mod launchers;
mod make;
mod options;
mod pytest;
mod ranks;
mod sessions;
mod shells;
mod slurm;
mod wrappers;

pub use containers::{SOME_IMAGE, is_engine};
pub use launchers::Mask;
pub use ranks::{
    Machines, Ranks, cards_of_accelerate, cards_of_ray, machines, nodes, option_values, ranks,
    ranks_of_settings, settings_of_accelerate,
};
pub use slurm::directives;

use make::make_started;
pub use options::attribute_of_option;
use options::{note_settings, options_that_start, skip_options};
use pytest::test_paths;
use shells::{cmd_started, powershell_started, shell_started};
use std::ops::Range;
use wrappers::{SLURM, WRAPPERS, Wrapper};

/// What a command line does.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Invocation {
    /// Words of the form `X=1` that set a variable for the program, by position.
    pub assignments: Vec<usize>,
    /// A word of the form `X=1` that a wrapper takes for the name of a program: `nohup X=1 python train.py`.
    pub misplaced: Option<usize>,
    /// Variables that `env -u X` takes away.
    pub removed: Vec<String>,
    /// Variables that options of a wrapper set: `-e X=1`, `--export=ALL,X=1`.
    pub settings: Vec<Setting>,
    /// The mask that a launcher of processes gives to what it starts.
    pub mask: Option<Mask>,
    /// `env -i`: the program gets none of the variables of its parent.
    pub clean: bool,
    /// Files of settings that are loaded for the program: `uv run --env-file .env`.
    pub settings_files: Vec<String>,
    /// The folder in which the program runs, as written.
    pub folder: Option<String>,
    /// Where it runs, when that is not here.
    pub elsewhere: Option<SeparateEnvironment>,
    /// It is started for each of several inputs, which `{}` stands for.
    pub repeated: bool,
    /// One process for each GPU is started, which then chooses its own.
    pub is_distributed: bool,
    /// The programs that start the next one, outermost first.
    pub wrappers: Vec<WrapperCommand>,
    /// The image whose own command runs in a container.
    pub image: Option<String>,
    pub started: Started,
}

/// A program that starts the next one: `srun`, `nohup`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrapperCommand {
    pub name: &'static str,
    /// The positions of its options.
    pub options: Range<usize>,
}

/// `X=1` inside a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The position of the word.
    pub word: usize,
    /// Its first byte in the word, and the one behind its last.
    pub range: (usize, usize),
}

/// A place that does not share the environment of its caller, or not only that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeparateEnvironment {
    /// A container, with the variables that are handed to it.
    Container { handed: Vec<String>, env_files: Vec<String>, gpus: Gpus },
    /// An image of Singularity: the environment is the caller's, and the GPUs are not.
    ImageWithoutGpu,
    /// A container that exists already, or a shell that does: what is set there is not known.
    Running,
    /// `ssh`: another machine.
    Machine,
    /// A job that a scheduler gives GPUs to.
    Job,
}

/// Which GPUs a container is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gpus {
    None,
    /// None that is spoken of; devices of another kind, or settings from elsewhere, may bring some.
    Unknown,
    All,
    Some,
}

/// Which language of shells a text is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// sh, bash, zsh …
    Bourne,
    PowerShell,
    /// `cmd` of Windows
    Batch,
}

/// The program that a command line starts in the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Started {
    /// Not known.
    #[default]
    Unknown,
    /// A file, by a name that may be relative to the folder: Python for Python's interpreter, any script for a
    /// shell.
    File(String),
    /// `python -m package.module`
    Module(String),
    /// `python -c …`: the position of the code.
    PythonCode(usize),
    /// `sh -c …`: the position of the code.
    ShellCode(Dialect, usize),
    /// `python` or `python -`: what it runs comes on its standard input.
    PythonInput,
    /// `bash` or `bash -s`.
    ShellInput(Dialect),
    /// `pytest tests/a.py`: files and folders, none for all that are found.
    Tests(Vec<String>),
    /// Targets of a Makefile, the first one for none; `variables` are positions of words such as `GPU=1`.
    Make { folder: Option<String>, file: Option<String>, targets: Vec<String>, variables: Vec<usize> },
    /// Any other program, by its name without folders.
    Program(String),
}

impl Invocation {
    /// The position of the first word that is for the program itself: behind its file or module.
    pub fn own_words(&self, words: &[Option<&str>]) -> usize {
        let behind = self.wrappers.iter().map(|wrapped| wrapped.options.end).max().unwrap_or_default();
        let name = match &self.started {
            Started::File(name) | Started::Module(name) => name,
            _ => return words.len(),
        };
        let at = words.iter().skip(behind).position(|word| *word == Some(name));
        at.map_or(words.len(), |at| behind + at + 1)
    }
}

/// Variables that hold the interpreter, by habit.
const INTERPRETER_WORDS: &[&str] =
    &["python", "python2", "python3", "py", "pypy3", "pythonw", "python.exe", "python3.exe"];

/// What the words start.
pub fn invocation(words: &[Option<&str>]) -> Invocation {
    let mut invocation = Invocation::default();
    invocation_from(words, 0, &mut invocation);
    invocation
}

/// What the words from `at` on start: each turn takes one wrapper off, and words are never gone back to.
fn invocation_from(words: &[Option<&str>], mut at: usize, invocation: &mut Invocation) {
    let mut python = false;
    let mut wrapped: Option<&Wrapper> = None;
    loop {
        if wrapped.is_some_and(wrappers::takes_programs_only)
            && words.get(at).copied().flatten().is_some_and(is_assignment)
        {
            invocation.misplaced = Some(at);
            return;
        }
        at = skip_assignments(words, at, invocation);
        let Some(Some(word)) = words.get(at) else {
            // `torchrun $ARGS train.py`: the words that are not known are its options.
            let file = words.iter().skip(at).flatten().find(|word| has_ending(word, ".py"));
            invocation.started = match file {
                Some(file) if python => Started::File((*file).to_owned()),
                _ => Started::Unknown,
            };
            return;
        };
        let lower = program_name(word).to_ascii_lowercase();
        let name = lower.as_str();
        if containers::start(words, at, name, invocation) || sessions::start(words, at, name, invocation) {
            return;
        }
        let Some(wrapper) = wrapper_named(name, words.get(at + 1).copied().flatten()) else {
            invocation.started = started(words, at, name, python, invocation);
            return;
        };
        invocation.is_distributed |=
            matches!(name, "torchrun" | "deepspeed" | "horovodrun" | "mpirun" | "mpiexec" | "srun");
        if name == "dotenv" {
            invocation.settings_files.push(".env".to_owned());
        }
        if name == "deepspeed" {
            invocation.mask = Some(Mask::Counted);
        }
        invocation.repeated |= matches!(name, "xargs" | "parallel");
        python |= wrapper.python;
        wrapped = Some(wrapper);
        at += 1 + usize::from(!wrapper.verb.is_empty());
        let first_option = at;
        at = skip_options(words, at, wrapper, invocation);
        invocation.wrappers.push(WrapperCommand { name: wrapper.name, options: first_option..at });
        if matches!(name, "singularity" | "apptainer") && leaves_gpus_outside(words, first_option..at) {
            invocation.elsewhere = Some(SeparateEnvironment::ImageWithoutGpu);
        }
        if let Some(started) = options_that_start(words, at, wrapper) {
            invocation.started = started;
            return;
        }
        at += wrapper.operands;
        if reads_code(wrapper) && words.get(at).copied().flatten().is_some_and(has_blank) {
            invocation.started = Started::ShellCode(Dialect::Bourne, at);
            return;
        }
    }
}

/// Whether the options of `singularity exec` or `run` are known and give it no GPU.
fn leaves_gpus_outside(words: &[Option<&str>], options: Range<usize>) -> bool {
    let image = words.get(options.end).copied().flatten();
    let gives = |word: &Option<&str>| matches!(word, None | Some("--nv" | "--nvccli" | "--rocm"));
    image.is_some() && !words[options].iter().any(gives)
}

/// The name of a program without folders and without the ending of Windows.
pub fn program_name(word: &str) -> &str {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    name.strip_suffix(".exe").or_else(|| name.strip_suffix(".EXE")).unwrap_or(name)
}

/// Whether a word with blanks is code for a shell.
fn reads_code(wrapper: &Wrapper) -> bool {
    matches!(wrapper.name, "parallel" | "watch" | "flock")
}

fn has_blank(word: &str) -> bool {
    word.trim().contains(char::is_whitespace)
}

/// What a variable most likely holds that is named after the interpreter: `$PYTHON`, `$PYTHON_BIN`, `$python`.
pub fn interpreter_named_by(variable: &str) -> Option<&'static str> {
    let name = variable.trim_start_matches('$').to_ascii_lowercase();
    let name = name.trim_end_matches("_bin").trim_end_matches("_exe").trim_end_matches("_cmd");
    let name = name.trim_start_matches("venv_").trim_start_matches("venv");
    matches!(name, "python" | "python3" | "py" | "pythonexe" | "pythonbin" | "pythonpath_exe")
        .then_some("python")
}

/// Whether a word is `X=1`.
pub fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| is_variable_name(name))
}

/// Whether a text can be the name of a variable.
pub fn is_variable_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn skip_assignments(words: &[Option<&str>], mut at: usize, invocation: &mut Invocation) -> usize {
    while let Some(Some(word)) = words.get(at)
        && is_assignment(word)
    {
        // What is set inside of a container is no variable of the command itself.
        match invocation.elsewhere {
            None => invocation.assignments.push(at),
            Some(_) => invocation.settings.push(Setting { word: at, range: (0, word.len()) }),
        }
        at += 1;
    }
    at
}

fn wrapper_named(name: &str, next: Option<&str>) -> Option<&'static Wrapper> {
    WRAPPERS
        .iter()
        .find(|wrapper| wrapper.name == name && (wrapper.verb.is_empty() || next == Some(wrapper.verb)))
}

fn started(
    words: &[Option<&str>],
    at: usize,
    name: &str,
    python: bool,
    invocation: &mut Invocation,
) -> Started {
    if is_interpreter(name) {
        return python_started(words, at + 1, invocation);
    }
    match name {
        "pytest" | "py.test" => Started::Tests(test_paths(words, at + 1)),
        "bash" | "sh" | "zsh" | "dash" | "ksh" | "ash" => shell_started(words, at + 1),
        "pwsh" | "powershell" => powershell_started(words, at + 1, invocation),
        "cmd" => cmd_started(words, at + 1, invocation),
        "make" | "gmake" => make_started(words, at + 1),
        "jupyter" | "jupyter-execute" | "jupyter-nbconvert" | "jupyter-run" | "papermill" => {
            notebook_started(words, at, name).unwrap_or_else(|| Started::Program(name.to_owned()))
        }
        "su" | "runuser" => {
            match words[at..].iter().position(|word| matches!(word, Some("-c" | "--command"))) {
                Some(option) => Started::ShellCode(Dialect::Bourne, at + option + 1),
                None => Started::Program(name.to_owned()),
            }
        }
        "sbatch" | "qsub" => {
            for option in at + 1..words.len() {
                note_settings(words, option, "sbatch", invocation);
            }
            invocation.elsewhere = None;
            if let Some(Some(wrapped)) =
                words.iter().find(|word| word.is_some_and(|word| word.starts_with("--wrap")))
            {
                let position = words.iter().position(|word| *word == Some(*wrapped)).unwrap_or_default();
                invocation.elsewhere = Some(SeparateEnvironment::Job);
                return match wrapped.strip_prefix("--wrap=") {
                    Some(_) => Started::ShellCode(Dialect::Bourne, position),
                    None => Started::ShellCode(Dialect::Bourne, position + 1),
                };
            }
            let started = file_behind_options(words, at + 1, SLURM);
            let is_script = |word: &Option<&str>| matches!((&started, word), (Started::File(file), Some(word)) if file == word);
            let end = words.iter().position(is_script).unwrap_or(words.len());
            invocation.wrappers.push(WrapperCommand { name: "sbatch", options: at + 1..end.max(at + 1) });
            started
        }
        _ if python && has_ending(name, ".py") => Started::File(words[at].unwrap_or_default().to_owned()),
        _ if words[at].is_some_and(|word| word.contains(['/', '\\'])) => {
            Started::File(words[at].unwrap_or_default().to_owned())
        }
        _ if [".py", ".sh", ".ps1", ".bat", ".cmd"].iter().any(|ending| has_ending(name, ending)) => {
            Started::File(words[at].unwrap_or_default().to_owned())
        }
        _ => Started::Program(name.to_owned()),
    }
}

/// `python`, `python3.11`, `$PYTHON` written out by habit.
pub fn is_interpreter(name: &str) -> bool {
    let version = name.strip_prefix("python").or_else(|| name.strip_prefix("pypy"));
    INTERPRETER_WORDS.contains(&name)
        || version.is_some_and(|version| version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
}

fn python_started(words: &[Option<&str>], mut at: usize, invocation: &mut Invocation) -> Started {
    while let Some(word) = words.get(at) {
        let Some(word) = word else { return Started::Unknown };
        match *word {
            "-c" => return Started::PythonCode(at + 1),
            "-m" => {
                let Some(Some(module)) = words.get(at + 1) else { return Started::Unknown };
                return module_started(words, at + 1, module, invocation);
            }
            "-" => return Started::PythonInput,
            "-W" | "-X" | "--check-hash-based-pycs" => at += 2,
            // Letters without a value may stand together: `-um module`.
            flags if flags.starts_with('-') && !flags.starts_with("--") && flags.ends_with('m') => {
                let Some(Some(module)) = words.get(at + 1) else { return Started::Unknown };
                return module_started(words, at + 1, module, invocation);
            }
            flags if flags.starts_with('-') && !flags.starts_with("--") && flags.ends_with('c') => {
                return Started::PythonCode(at + 1);
            }
            option if option.starts_with('-') => at += 1,
            file => return Started::File(file.to_owned()),
        }
    }
    Started::PythonInput
}

/// Modules that start something else themselves.
fn module_started(words: &[Option<&str>], at: usize, module: &str, invocation: &mut Invocation) -> Started {
    let wrapper = match module {
        "pytest" => return Started::Tests(test_paths(words, at + 1)),
        "jupyter" | "nbconvert" | "papermill" => {
            let started = notebook_started(words, at, module);
            return started.unwrap_or_else(|| Started::Module(module.to_owned()));
        }
        "torch.distributed.run" | "torch.distributed.launch" => "torchrun",
        "accelerate.commands.launch" => "accelerate",
        "coverage" => "coverage",
        "cProfile" | "profile" | "pdb" | "trace" | "memory_profiler" | "line_profiler" | "ipdb" => "kernprof",
        "debugpy" => "kernprof",
        _ => return Started::Module(module.to_owned()),
    };
    let Some(wrapper) = WRAPPERS.iter().find(|known| known.name == wrapper) else { return Started::Unknown };
    invocation.is_distributed |= wrapper.name == "torchrun";
    let verb = usize::from(wrapper.name == "coverage");
    let first_option = at + 1 + verb;
    let at = skip_options(words, first_option, wrapper, invocation);
    invocation.wrappers.push(WrapperCommand { name: wrapper.name, options: first_option..at });
    if let Some(started) = options_that_start(words, at, wrapper) {
        return started;
    }
    match words.get(at).copied().flatten() {
        Some(word) if has_ending(word, ".py") => Started::File(word.to_owned()),
        _ => Started::Unknown,
    }
}

/// `jupyter nbconvert --execute train.ipynb`, `jupyter execute train.ipynb`, `papermill train.ipynb out.ipynb`
fn notebook_started(words: &[Option<&str>], at: usize, name: &str) -> Option<Started> {
    let told = words.get(at + 1..).unwrap_or_default();
    let says = |word: &str| told.contains(&Some(word));
    let runs = match name {
        "papermill" | "jupyter-execute" | "jupyter-run" => true,
        _ if says("--execute") => true,
        _ => name == "jupyter" && matches!(told.first(), Some(Some("execute" | "run"))),
    };
    let is_written = |at: usize| at > 0 && matches!(told[at - 1], Some("--output" | "-o"));
    let file = told.iter().enumerate().find_map(|(at, word)| {
        word.filter(|word| has_ending(word, ".ipynb") && !word.starts_with('-') && !is_written(at))
    })?;
    runs.then(|| Started::File(file.to_owned()))
}

fn file_behind_options(words: &[Option<&str>], mut at: usize, with_value: &[&str]) -> Started {
    while let Some(Some(word)) = words.get(at) {
        if !word.starts_with('-') {
            return Started::File((*word).to_owned());
        }
        at += 1 + usize::from(with_value.contains(word));
    }
    Started::Unknown
}

fn has_ending(name: &str, ending: &str) -> bool {
    name.len() > ending.len() && name.to_ascii_lowercase().ends_with(ending)
}

#[cfg(test)]
mod tests;
