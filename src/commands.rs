//! What a command line starts, judged by its words: `env X=1 uv run torchrun --nproc-per-node 2 train.py`
//! sets X and starts `train.py`.
//!
//! A word is `None` where it is not known before the command runs. This module knows names of programs and
//! which of their options take a value, and nothing of files.

mod wrappers;

use wrappers::{SLURM, WRAPPERS, Wrapper, flags_of};

/// What a command line does.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Invocation {
    /// Words of the form `X=1` that set a variable for the program, by position.
    pub assignments: Vec<usize>,
    /// Variables that `env -u X` takes away.
    pub removed: Vec<String>,
    /// `env -i`: the program gets none of the variables of its parent.
    pub clean: bool,
    /// The folder in which the program runs, as written.
    pub folder: Option<String>,
    /// It runs in a container: variables of the caller do not reach it.
    pub in_container: bool,
    /// One process for each GPU is started, which then chooses its own.
    pub is_distributed: bool,
    pub started: Started,
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
    ShellCode(usize),
    /// `python` or `python -`: what it runs comes on its standard input.
    PythonInput,
    /// `bash` or `bash -s`.
    ShellInput,
    /// `pytest tests/a.py`: files and folders, none for all that are found.
    Tests(Vec<String>),
    /// Any other program, by its name without folders.
    Program(String),
}

/// Variables that hold the interpreter, by habit.
const INTERPRETER_WORDS: &[&str] =
    &["python", "python2", "python3", "py", "pypy3", "pythonw", "python.exe", "python3.exe"];

/// What the words start.
pub fn invocation(words: &[Option<&str>]) -> Invocation {
    let mut invocation = Invocation::default();
    let mut at = 0;
    let mut python = false;
    // Each turn takes one wrapper off; words are never gone back to.
    loop {
        at = skip_assignments(words, at, &mut invocation);
        let Some(Some(word)) = words.get(at) else {
            invocation.started = Started::Unknown;
            return invocation;
        };
        let name = program_name(word);
        let Some(wrapper) = wrapper_named(name, words.get(at + 1).copied().flatten()) else {
            invocation.started = started(words, at, name, python, &mut invocation);
            return invocation;
        };
        invocation.is_distributed |=
            matches!(name, "torchrun" | "deepspeed" | "horovodrun" | "mpirun" | "mpiexec" | "srun");
        python |= wrapper.python;
        at += 1 + usize::from(!wrapper.verb.is_empty());
        at = skip_options(words, at, wrapper, &mut invocation);
        if let Some(started) = options_that_start(words, at, wrapper) {
            invocation.started = started;
            return invocation;
        }
        at += wrapper.operands;
    }
}

/// The name of a program without folders and without the ending of Windows.
pub fn program_name(word: &str) -> &str {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    name.strip_suffix(".exe").unwrap_or(name)
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
        invocation.assignments.push(at);
        at += 1;
    }
    at
}

fn wrapper_named(name: &str, next: Option<&str>) -> Option<&'static Wrapper> {
    WRAPPERS
        .iter()
        .find(|wrapper| wrapper.name == name && (wrapper.verb.is_empty() || next == Some(wrapper.verb)))
}

/// Skips the options of a wrapper, and notes those that matter.
fn skip_options(
    words: &[Option<&str>],
    mut at: usize,
    wrapper: &Wrapper,
    invocation: &mut Invocation,
) -> usize {
    let flags = flags_of(wrapper);
    loop {
        at = skip_assignments(words, at, invocation);
        let Some(Some(word)) = words.get(at) else { return at };
        if *word == "--" {
            return at + 1;
        }
        if !word.starts_with('-') || word.len() == 1 || starts_module(word, wrapper) {
            return at;
        }
        let value = words.get(at + 1).copied().flatten();
        match (wrapper.name, *word) {
            ("env", "-i" | "--ignore-environment") => invocation.clean = true,
            ("env", "-u" | "--unset") => {
                invocation.removed.extend(value.map(str::to_owned));
                at += 1;
            }
            (_, "-C" | "--chdir" | "--cwd" | "--directory" | "--working-directory") => {
                invocation.folder = value.map(str::to_owned);
            }
            ("sudo", _) => {}
            _ => {}
        }
        if let Some(name) = word.strip_prefix("--unset=").filter(|_| wrapper.name == "env") {
            invocation.removed.push(name.to_owned());
        }
        let long_with_value =
            flags.is_some_and(|flags| word.starts_with("--") && !word.contains('=') && !flags.contains(word));
        at += 1 + usize::from(wrapper.with_value.contains(word) || long_with_value);
    }
}

/// `-m` and `-c` of a wrapper that starts Python mean what they mean to the interpreter.
fn starts_module(word: &str, wrapper: &Wrapper) -> bool {
    wrapper.python && matches!(word, "-m" | "-c" | "--module")
}

fn options_that_start(words: &[Option<&str>], at: usize, wrapper: &Wrapper) -> Option<Started> {
    let Some(Some(word)) = words.get(at) else { return None };
    if !starts_module(word, wrapper) {
        return None;
    }
    Some(match (*word, words.get(at + 1).copied().flatten()) {
        ("-c", _) => Started::PythonCode(at + 1),
        (_, Some(module)) => Started::Module(module.to_owned()),
        (_, None) => Started::Unknown,
    })
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
        "bash" | "sh" | "zsh" | "dash" | "ksh" | "pwsh" | "powershell" => shell_started(words, at + 1),
        "sbatch" | "qsub" => file_behind_options(words, at + 1, SLURM),
        "docker" | "podman" | "nerdctl" | "singularity" | "apptainer" => {
            invocation.in_container = true;
            Started::Program(name.to_owned())
        }
        _ if python && has_ending(name, ".py") => Started::File(words[at].unwrap_or_default().to_owned()),
        _ if words[at].is_some_and(|word| word.contains(['/', '\\'])) => {
            Started::File(words[at].unwrap_or_default().to_owned())
        }
        _ if has_ending(name, ".py")
            || has_ending(name, ".sh")
            || has_ending(name, ".ps1")
            || has_ending(name, ".bat") =>
        {
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
    let at = skip_options(words, at + 1 + verb, wrapper, invocation);
    if let Some(started) = options_that_start(words, at, wrapper) {
        return started;
    }
    match words.get(at).copied().flatten() {
        Some(word) if has_ending(word, ".py") => Started::File(word.to_owned()),
        _ => Started::Unknown,
    }
}

fn shell_started(words: &[Option<&str>], mut at: usize) -> Started {
    while let Some(word) = words.get(at) {
        let Some(word) = word else { return Started::Unknown };
        match *word {
            "-s" => return Started::ShellInput,
            "-o" | "+o" | "--rcfile" | "--init-file" | "-ExecutionPolicy" => at += 2,
            "-File" | "-file" | "-f" => at += 1,
            option if option.eq_ignore_ascii_case("-command") => return Started::ShellCode(at + 1),
            flags
                if flags.starts_with('-')
                    && !flags.starts_with("--")
                    && flags.ends_with('c')
                    && flags.len() < 6 =>
            {
                return Started::ShellCode(at + 1);
            }
            option if option.starts_with(['-', '+']) => at += 1,
            file => return Started::File(file.to_owned()),
        }
    }
    Started::ShellInput
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

/// Arguments of pytest that are files or folders.
fn test_paths(words: &[Option<&str>], mut at: usize) -> Vec<String> {
    const WITH_VALUE: &[&str] = &[
        "-k",
        "-m",
        "-n",
        "-p",
        "-c",
        "-o",
        "-W",
        "-r",
        "--maxfail",
        "--durations",
        "--timeout",
        "--junitxml",
        "--junit-xml",
        "--cov",
        "--cov-report",
        "--rootdir",
        "--ignore",
        "--deselect",
        "--tb",
        "--dist",
        "--log-cli-level",
        "--basetemp",
        "--html",
        "--reruns",
        "--num-processes",
        "--splits",
        "--group",
    ];
    let mut paths = Vec::new();
    while let Some(word) = words.get(at) {
        match word {
            Some(option) if option.starts_with('-') => {
                at += usize::from(WITH_VALUE.contains(option));
            }
            Some(path) => paths.push(path.split("::").next().unwrap_or(path).to_owned()),
            None => {}
        }
        at += 1;
    }
    paths
}

fn has_ending(name: &str, ending: &str) -> bool {
    name.len() > ending.len() && name.to_ascii_lowercase().ends_with(ending)
}

#[cfg(test)]
mod tests;
