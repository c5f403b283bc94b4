//! Programs that start the program named by the words behind their own: `nohup`, `env`, `torchrun`.

/// A program that starts the program named by the words behind its own.
pub(super) struct Wrapper {
    pub name: &'static str,
    /// The word that must come first: `run` of `uv run`. Empty: none.
    pub verb: &'static str,
    /// Options whose value is the next word.
    pub with_value: &'static [&'static str],
    /// Words before the program that are no options: the time limit of `timeout`.
    pub operands: usize,
    /// What it starts is Python even without the interpreter's name.
    pub python: bool,
}

const fn wrapper(
    name: &'static str,
    verb: &'static str,
    with_value: &'static [&'static str],
    operands: usize,
    python: bool,
) -> Wrapper {
    Wrapper { name, verb, with_value, operands, python }
}

pub(super) const WRAPPERS: &[Wrapper] = &[
    wrapper("env", "", &["-C", "--chdir", "-S"], 0, false),
    wrapper("nohup", "", &[], 0, false),
    wrapper("time", "", &["-f", "-o"], 0, false),
    wrapper("exec", "", &["-a"], 0, false),
    wrapper("command", "", &[], 0, false),
    wrapper("builtin", "", &[], 0, false),
    wrapper("stdbuf", "", &["-i", "-o", "-e"], 0, false),
    wrapper("unbuffer", "", &[], 0, false),
    wrapper("setsid", "", &[], 0, false),
    wrapper("ionice", "", &["-c", "-n", "-p"], 0, false),
    wrapper("nice", "", &["-n"], 0, false),
    wrapper("chrt", "", &[], 1, false),
    wrapper("taskset", "", &[], 1, false),
    wrapper("numactl", "", &["-C", "-m", "-N", "-i", "-p"], 0, false),
    wrapper("timeout", "", &["-s", "-k"], 1, false),
    wrapper("flock", "", &["-w", "-E"], 1, false),
    wrapper("xargs", "", &["-n", "-P", "-I", "-d", "-L", "-s", "-a", "-E"], 0, false),
    wrapper("parallel", "", &["-j", "-P", "-N", "-n", "-a", "-S", "-C", "-I"], 0, false),
    wrapper("watch", "", &["-n"], 0, false),
    wrapper("wsl", "", &["-d", "-u", "--cd"], 0, false),
    wrapper("run-one", "", &[], 0, false),
    wrapper("systemd-run", "", &["-p", "-E", "-u"], 0, false),
    wrapper("singularity", "exec", SINGULARITY, 1, false),
    wrapper("apptainer", "exec", SINGULARITY, 1, false),
    wrapper("singularity", "run", SINGULARITY, 1, false),
    wrapper("apptainer", "run", SINGULARITY, 1, false),
    wrapper("sudo", "", &["-u", "-g", "-C", "-h", "-p", "-U", "-r", "-t"], 0, false),
    wrapper("doas", "", &["-u"], 0, false),
    wrapper("catchsegv", "", &[], 0, false),
    wrapper("xvfb-run", "", &["-n", "-s", "-e", "-f", "-p"], 0, false),
    wrapper("start", "", &[], 0, false),
    wrapper("tini", "", &["-e"], 0, false),
    wrapper("dumb-init", "", &[], 0, false),
    wrapper("gosu", "", &[], 1, false),
    wrapper("uv", "run", UV, 0, true),
    wrapper("dotenv", "run", &[], 0, false),
    wrapper("poetry", "run", &["-C", "-P"], 0, false),
    wrapper("pdm", "run", &["-p"], 0, false),
    wrapper("pipenv", "run", &[], 0, false),
    wrapper("rye", "run", &[], 0, false),
    wrapper("hatch", "run", &["-e"], 0, false),
    wrapper("pixi", "run", &["-e", "--environment", "--manifest-path"], 0, false),
    wrapper("conda", "run", &["-n", "--name", "-p", "--prefix", "--cwd"], 0, false),
    wrapper("mamba", "run", &["-n", "--name", "-p", "--prefix", "--cwd"], 0, false),
    wrapper("micromamba", "run", &["-n", "--name", "-p", "--prefix", "--cwd"], 0, false),
    wrapper("coverage", "run", &["--source", "--rcfile", "--data-file", "--omit", "--include"], 0, true),
    wrapper("srun", "", SLURM, 0, false),
    wrapper("mpirun", "", MPI, 0, false),
    wrapper("mpiexec", "", MPI, 0, false),
    wrapper("horovodrun", "", &["-np", "-H", "-p"], 0, false),
    wrapper("torchrun", "", TORCHRUN, 0, true),
    wrapper("deepspeed", "", DEEPSPEED, 0, true),
    wrapper("accelerate", "launch", ACCELERATE, 0, true),
    wrapper(
        "fabric",
        "run",
        &["--accelerator", "--devices", "--strategy", "--precision", "--num-nodes"],
        0,
        true,
    ),
    wrapper("ipython", "", &["--profile"], 0, true),
    wrapper("compute-sanitizer", "", &["--tool"], 0, false),
    wrapper("nsys", "profile", &["-o", "-t", "-c", "-w", "--trace", "--output"], 0, false),
    wrapper("ncu", "", &["-o", "-k", "-c", "-s", "--set", "--section", "--kernel-name"], 0, false),
    wrapper("py-spy", "record", &["-o", "-r", "-f", "-d"], 0, false),
    wrapper("scalene", "", &[], 0, true),
    wrapper("kernprof", "", &["-o", "-s", "-u"], 0, true),
];

const UV: &[&str] = &[
    "-p",
    "--python",
    "--with",
    "--extra",
    "--group",
    "--env-file",
    "--project",
    "--directory",
    "--package",
    "--with-requirements",
    "--only-group",
    "--index",
    "--index-url",
    "--extra-index-url",
];
pub(super) const SLURM: &[&str] = &[
    "-n", "-N", "-c", "-p", "-t", "-J", "-o", "-e", "-w", "-x", "-A", "-q", "-G", "-D", "-d", "-C", "-L",
    "-m",
];
const MPI: &[&str] = &[
    "-n",
    "-np",
    "--np",
    "-N",
    "-c",
    "-x",
    "-H",
    "-host",
    "--host",
    "-hosts",
    "-hostfile",
    "--hostfile",
    "-machinefile",
    "--machinefile",
    "-bind-to",
    "--bind-to",
    "-map-by",
    "--map-by",
    "-rank-by",
    "--rank-by",
    "-ppn",
    "-wdir",
    "--wdir",
];
/// Options of MPI that take a name and its value.
const PAIRS: &[&str] = &["-mca", "--mca", "-gmca", "--gmca", "-genv", "-env"];
const SINGULARITY: &[&str] = &[
    "-B",
    "--bind",
    "--env",
    "--env-file",
    "-H",
    "--home",
    "-W",
    "--workdir",
    "--pwd",
    "-S",
    "--scratch",
    "--overlay",
    "--nvccli-args",
    "--mount",
    "-o",
];
const TORCHRUN: &[&str] = &["-r", "-t"];
const DEEPSPEED: &[&str] = &["-H", "-i", "-e"];
const ACCELERATE: &[&str] = &[];

/// Programs whose long options take their value as the next word unless `=` is in the option; those listed
/// take none.
const FLAGS: &[(&str, &[&str])] = &[
    (
        "torchrun",
        &[
            "--standalone",
            "--no-python",
            "--no_python",
            "--run-path",
            "--run_path",
            "--module",
            "--signals-to-handle",
        ],
    ),
    (
        "deepspeed",
        &[
            "--no_python",
            "--module",
            "--no_local_rank",
            "--no_ssh",
            "--enable_each_rank_log",
            "--force_multi",
        ],
    ),
    (
        "accelerate",
        &[
            "--cpu",
            "--multi_gpu",
            "--multi-gpu",
            "--tpu",
            "--ipex",
            "--use_deepspeed",
            "--use_fsdp",
            "--use_megatron_lm",
            "--use_xpu",
            "--same_network",
            "--no_python",
            "--module",
            "--debug",
            "--quiet",
            "--main_training_function",
            "--downcast_bf16",
            "--rdzv_conf",
        ],
    ),
    (
        "srun",
        &[
            "--pty",
            "--exclusive",
            "--unbuffered",
            "--label",
            "--overlap",
            "--exact",
            "--overcommit",
            "--contiguous",
        ],
    ),
    (
        "parallel",
        &[
            "--bar",
            "--progress",
            "--eta",
            "--ungroup",
            "--linebuffer",
            "--lb",
            "--line-buffer",
            "--keep-order",
            "--dry-run",
            "--verbose",
            "--tag",
            "--xapply",
            "--link",
        ],
    ),
    ("fabric", &[]),
];

/// Wrappers that start the very next word, and no shell: `nohup X=1 python train.py` looks for a program called `X=1`.
const PROGRAMS_ONLY: &[&str] = &[
    "catchsegv",
    "exec",
    "ionice",
    "nice",
    "nohup",
    "numactl",
    "setsid",
    "stdbuf",
    "taskset",
    "timeout",
    "torchrun",
];

/// Whether a variable cannot be set behind a wrapper.
pub(super) fn takes_programs_only(wrapper: &Wrapper) -> bool {
    PROGRAMS_ONLY.contains(&wrapper.name)
}

/// How many words behind an option of a wrapper belong to it.
pub(super) fn values_of(wrapper: &Wrapper, option: &str) -> usize {
    let has_pairs = matches!(wrapper.name, "mpirun" | "mpiexec");
    match has_pairs && PAIRS.contains(&option) {
        true => 2,
        false => usize::from(wrapper.with_value.contains(&option)),
    }
}

/// Options of a wrapper that take no value, when all its other long options do.
pub(super) fn flags_of(wrapper: &Wrapper) -> Option<&'static [&'static str]> {
    FLAGS.iter().find(|(name, _)| *name == wrapper.name).map(|(_, flags)| *flags)
}
