//! How many GPUs of one machine a launcher is told to use: `torchrun --nproc-per-node 4`, `vllm serve -tp 2`.

use super::program_name;

/// What an option says about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranks {
    pub count: usize,
    /// The option as it is written, with its value.
    pub option: String,
}

/// A launcher, by the words that name it, and its options.
struct Launcher {
    /// The first word, or the module behind `-m`.
    names: &'static [&'static str],
    /// Words that must stand behind the name; any when there is none.
    verbs: &'static [&'static str],
    options: &'static [&'static str],
    /// Options whose number is multiplied with that one.
    times: &'static [&'static str],
    /// With one of these the number is about several machines, or about none of the GPUs.
    elsewhere: &'static [&'static str],
}

const LAUNCHERS: &[Launcher] = &[
    Launcher {
        names: &["torchrun", "torch.distributed.run", "torch.distributed.launch"],
        verbs: &[],
        options: &["--nproc_per_node", "--nproc-per-node"],
        times: &[],
        elsewhere: &["--no-python", "--no_python"],
    },
    Launcher {
        names: &["horovodrun"],
        verbs: &[],
        options: &["-np", "--num-proc"],
        times: &[],
        elsewhere: &["-H", "--hosts", "-hostfile", "--hostfile", "--host-discovery-script"],
    },
    Launcher {
        names: &["accelerate", "accelerate.commands.launch"],
        verbs: &["launch"],
        options: &["--num_processes", "--num-processes"],
        times: &[],
        elsewhere: &[
            "--cpu",
            "--gpu_ids",
            "--gpu-ids",
            "--num_machines",
            "--num-machines",
            "--config_file",
            "--config-file",
        ],
    },
    Launcher {
        names: &["vllm", "vllm.entrypoints.openai.api_server", "vllm.entrypoints.api_server"],
        verbs: &["serve"],
        options: &["--tensor-parallel-size", "--tensor_parallel_size", "-tp"],
        times: &["--pipeline-parallel-size", "--pipeline_parallel_size", "-pp"],
        elsewhere: &["--distributed-executor-backend", "--nnodes", "--device"],
    },
    Launcher {
        names: &["sglang.launch_server", "sglang"],
        verbs: &["serve"],
        options: &["--tp-size", "--tensor-parallel-size", "--tp"],
        times: &["--pp-size", "--pipeline-parallel-size"],
        elsewhere: &["--nnodes", "--device", "--use-ray"],
    },
    // Each replica has at least one GPU.
    Launcher {
        names: &["vllm", "trl"],
        verbs: &["serve", "vllm-serve"],
        options: &["--data-parallel-size", "--data_parallel_size", "-dp"],
        times: &[],
        elsewhere: &[
            "--distributed-executor-backend",
            "--data-parallel-size-local",
            "-dpl",
            "--nnodes",
            "--device",
        ],
    },
];

/// The GPUs that the words of a command ask for. Words of which one is not known say nothing: it may be an option.
pub fn ranks(words: &[Option<&str>]) -> Option<Ranks> {
    let fits = |at: usize, launcher: &Launcher| {
        let is_named = words[at].is_some_and(|word| launcher.names.contains(&program_name(word)));
        let behind = words.get(at + 1).copied().flatten();
        let is_module = at > 0 && words[at - 1] == Some("-m");
        let is_told = is_module
            || launcher.verbs.is_empty()
            || behind.is_some_and(|word| launcher.verbs.contains(&word));
        is_named && is_told
    };
    let at = (0..words.len()).find(|at| LAUNCHERS.iter().any(|launcher| fits(*at, launcher)))?;
    let asked = LAUNCHERS.iter().filter(|launcher| fits(at, launcher)).filter_map(|one| one.asked(words, at));
    asked.max_by_key(|ranks| ranks.count)
}

impl Launcher {
    /// What its options ask for, where it stands at a position.
    fn asked(&self, words: &[Option<&str>], at: usize) -> Option<Ranks> {
        // What stands behind the program is for the program.
        let is_program = |word: &Option<&str>| word.is_some_and(|word| word.ends_with(".py"));
        let end = words.iter().position(is_program).filter(|end| *end > at).unwrap_or(words.len());
        let options = &words[at + 1..end];
        let name_of = |word: &str| word.split_once('=').map_or(word.to_owned(), |(name, _)| name.to_owned());
        if options.iter().flatten().any(|word| self.elsewhere.contains(&name_of(word).as_str())) {
            return None;
        }
        let said = |names: &[&str]| number_told(options, names);
        match (said(self.options), said(self.times)) {
            (Some(each), Some(times)) if times.count > 1 => Some(Ranks {
                count: each.count.saturating_mul(times.count),
                option: format!("{} {}", each.option, times.option),
            }),
            (Some(each), _) => Some(each),
            (None, times) => times,
        }
    }
}

/// The GPUs that `ray start` is told to have. Ray refuses more than the mask leaves, and takes its word where there is no mask.
pub fn cards_of_ray(words: &[Option<&str>]) -> Option<Ranks> {
    let at = words.windows(2).position(|pair| {
        pair[0].is_some_and(|word| program_name(word) == "ray") && pair[1] == Some("start")
    })?;
    number_told(&words[at + 2..], &["--num-gpus"])
}

/// The number that the first of these options is told which is told one.
fn number_told(words: &[Option<&str>], names: &[&str]) -> Option<Ranks> {
    option_values(words, names).find_map(|(word, value)| {
        let (value, is_one_word) = (value?, word.contains('='));
        let option = if is_one_word { word.to_owned() } else { format!("{word} {value}") };
        Some(Ranks { count: value.parse().ok()?, option })
    })
}

/// The words that are options of these names, each with its value where that is known: `--nnodes=2`, `--nnodes 2`.
pub fn option_values<'a, 'w>(
    words: &'a [Option<&'w str>],
    names: &'a [&str],
) -> impl Iterator<Item = (&'w str, Option<&'w str>)> {
    words.iter().enumerate().filter_map(|(at, word)| {
        let word = (*word)?;
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, words.get(at + 1).copied().flatten()),
        };
        names.contains(&name).then_some((word, value))
    })
}

/// The file of settings that `accelerate launch` is given, where its words say nothing of the processes themselves.
pub fn settings_of_accelerate<'w>(words: &[Option<&'w str>]) -> Option<&'w str> {
    settings_without(words, &["--num_processes", "--num-processes", "--cpu"])
}

/// The file of settings that picks the cards for `accelerate launch`, where its words do not.
pub fn cards_of_accelerate<'w>(words: &[Option<&'w str>]) -> Option<&'w str> {
    settings_without(words, &["--gpu_ids", "--gpu-ids", "--cpu"])
}

fn settings_without<'w>(words: &[Option<&'w str>], overruling: &[&str]) -> Option<&'w str> {
    let told = option_values(words, &["--config_file", "--config-file"]).find_map(|(_, value)| value)?;
    let says = |option: &&str| words.iter().flatten().any(|word| word.starts_with(*option));
    (words.contains(&Some("accelerate")) && !overruling.iter().any(says)).then_some(told)
}

/// The GPUs that a file of settings of accelerate asks for, on one machine.
pub fn ranks_of_settings(text: &str) -> Option<Ranks> {
    let value = |key: &str| {
        let of = |line: &str| line.strip_prefix(key)?.strip_prefix(':').map(|value| value.trim().to_owned());
        text.lines().find_map(of)
    };
    let on_cpu = value("use_cpu").is_some_and(|used| used == "true");
    let on_one = value("num_machines").is_none_or(|count| count == "1");
    let count = value("num_processes")?.parse().ok().filter(|_| on_one && !on_cpu)?;
    Some(Ranks { count, option: format!("num_processes: {count}") })
}

/// On how many machines a launcher starts its processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machines {
    Known(usize),
    /// An option says so, with a value that is not known.
    Unknown,
}

/// The option that says on how many machines, of each launcher.
const MACHINES: &[(&str, &[&str])] = &[
    ("torchrun", &["--nnodes"]),
    ("torch.distributed.run", &["--nnodes"]),
    ("torch.distributed.launch", &["--nnodes"]),
    ("accelerate", &["--num_machines", "--num-machines"]),
    ("deepspeed", &["--num_nodes"]),
    ("horovodrun", &["-H", "--hosts"]),
    ("mpirun", &["-H", "-host", "--host", "-hosts"]),
];

/// On how many machines the words of a command start a program; `None` where nothing says so.
pub fn machines(words: &[Option<&str>]) -> Option<Machines> {
    let launcher = |word: &Option<&str>| {
        let name = program_name((*word)?);
        MACHINES.iter().find(|(known, _)| *known == name)
    };
    let (at, (_, options)) = words.iter().enumerate().find_map(|(at, word)| Some((at, launcher(word)?)))?;
    let is_program = |word: &Option<&str>| word.is_some_and(|word| word.ends_with(".py"));
    let end = words.iter().position(is_program).filter(|end| *end > at).unwrap_or(words.len());
    let told = &words[at + 1..end];
    // A word that is not known may be the option.
    let is_open = || told.contains(&None).then_some(Machines::Unknown);
    said(told, options).or_else(is_open)
}

/// How many machines a job of Slurm asks for.
pub fn nodes(words: &[Option<&str>]) -> Option<Machines> {
    said(words, &["--nodes", "-N"])
}

fn said(words: &[Option<&str>], options: &[&str]) -> Option<Machines> {
    let (_, value) = option_values(words, options).next()?;
    Some(value.and_then(count_of).map_or(Machines::Unknown, Machines::Known))
}

/// `2`, `1:4`, `2-4`, `one:4,two:4`
fn count_of(value: &str) -> Option<usize> {
    if value.contains(',') || value.starts_with(|first: char| first.is_alphabetic()) {
        return Some(value.split(',').count());
    }
    value.rsplit([':', '-']).next()?.parse().ok()
}
