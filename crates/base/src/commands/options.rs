//! The options of a program that starts another one: which of them take a value, and which say something about GPUs.

use super::launchers::picked;
use super::wrappers::{self, Wrapper, flags_of, values_of};
use super::{
    Invocation, SeparateEnvironment, Setting, Started, has_blank, is_assignment, reads_code, skip_assignments,
};

/// Skips the options of a wrapper, and notes those that matter.
pub(super) fn skip_options(
    words: &[Option<&str>],
    mut at: usize,
    wrapper: &Wrapper,
    invocation: &mut Invocation,
) -> usize {
    let flags = flags_of(wrapper);
    loop {
        // `parallel 'X={} python train.py' ::: 0 1` is code, although it begins like an assignment.
        if reads_code(wrapper) && words.get(at).copied().flatten().is_some_and(has_blank) {
            return at;
        }
        if !wrappers::takes_programs_only(wrapper) {
            at = skip_assignments(words, at, invocation);
        }
        let Some(Some(word)) = words.get(at) else { return at };
        if *word == "--" {
            return at + 1;
        }
        if !word.starts_with('-') || word.len() == 1 || starts_module(word, wrapper) {
            return at;
        }
        let value = words.get(at + 1).copied().flatten();
        note_settings(words, at, wrapper.name, invocation);
        invocation.mask = picked(words, at, wrapper.name).or(invocation.mask);
        match (wrapper.name, *word) {
            ("env", "-i" | "--ignore-environment") => invocation.clean = true,
            ("env", "-u" | "--unset") => {
                invocation.removed.extend(value.map(str::to_owned));
                at += 1;
            }
            (_, "-C" | "--chdir" | "--cwd" | "--directory" | "--working-directory") => {
                invocation.folder = value.map(str::to_owned);
            }
            ("uv", "--env-file") => invocation.settings_files.extend(value.map(str::to_owned)),
            _ => {}
        }
        if let Some(name) = word.strip_prefix("--unset=").filter(|_| wrapper.name == "env") {
            invocation.removed.push(name.to_owned());
        }
        if let Some(file) = word.strip_prefix("--env-file=").filter(|_| wrapper.name == "uv") {
            invocation.settings_files.push(file.to_owned());
        }
        let long_with_value =
            flags.is_some_and(|flags| word.starts_with("--") && !word.contains('=') && !flags.contains(word));
        at += 1 + values_of(wrapper, word).max(usize::from(long_with_value));
    }
}

/// Options that set variables, and those that ask a scheduler for GPUs.
pub(super) fn note_settings(words: &[Option<&str>], at: usize, wrapper: &str, invocation: &mut Invocation) {
    let Some(Some(word)) = words.get(at) else { return };
    let next = |range: usize| words.get(at + 1).copied().flatten().map(|value| (at + 1, range, value));
    let list = match wrapper {
        "srun" | "sbatch" | "salloc" => {
            // A container of a step has the GPUs that its job has, whichever they are.
            if ["--gres=gpu", "--gpus", "-G", "--container-image"]
                .iter()
                .any(|option| word.starts_with(option))
                || (*word == "--gres" && next(0).is_some_and(|(.., value)| value.starts_with("gpu")))
            {
                invocation.elsewhere = Some(SeparateEnvironment::Job);
            }
            match word.strip_prefix("--export=") {
                Some(list) => Some((at, word.len() - list.len(), list)),
                None if *word == "--export" => next(0),
                None => None,
            }
        }
        "mpirun" | "mpiexec" if *word == "-x" => next(0),
        "singularity" | "apptainer" => match word.strip_prefix("--env=") {
            Some(list) => Some((at, word.len() - list.len(), list)),
            None if *word == "--env" => next(0),
            None => None,
        },
        _ => None,
    };
    let Some((word, mut start, list)) = list else { return };
    for item in list.split(',') {
        if is_assignment(item) {
            invocation.settings.push(Setting { word, range: (start, start + item.len()) });
        }
        start += item.len() + 1;
    }
}

/// `-m` and `-c` of a wrapper that starts Python mean what they mean to the interpreter.
fn starts_module(word: &str, wrapper: &Wrapper) -> bool {
    wrapper.python && matches!(word, "-m" | "-c" | "--module")
}

pub(super) fn options_that_start(words: &[Option<&str>], at: usize, wrapper: &Wrapper) -> Option<Started> {
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

/// The attribute under which `argparse` and its relatives keep an option: `device_ids` of `--device-ids`.
pub fn attribute_of_option(flag: &str) -> String {
    flag.trim_start_matches('-').replace('-', "_")
}
