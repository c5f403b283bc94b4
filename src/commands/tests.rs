//! Command lines and what they start.

use super::*;

fn of(line: &str) -> Invocation {
    // `?` stands for a word that is not known.
    let words: Vec<Option<&str>> =
        line.split_whitespace().map(|word| (word != "?").then_some(word)).collect();
    invocation(&words)
}

fn file(path: &str) -> Started {
    Started::File(path.to_owned())
}

fn module(name: &str) -> Started {
    Started::Module(name.to_owned())
}

#[test]
fn interpreters_start_files_modules_and_code() {
    assert_eq!(of("python train.py --gpu 1").started, file("train.py"));
    assert_eq!(of("/usr/bin/python3.11 -u -X dev -W ignore app/train.py").started, file("app/train.py"));
    assert_eq!(of("python -m app.train --x").started, module("app.train"));
    assert_eq!(of("python -um app.train").started, module("app.train"));
    assert_eq!(of("python -c print(1)").started, Started::PythonCode(2));
    assert_eq!(of("python - a").started, Started::PythonInput);
    assert_eq!(of("python").started, Started::PythonInput);
    assert_eq!(of("python ? train.py").started, Started::Unknown);
    assert_eq!(of("py -3 train.py").started, file("train.py"));
}

#[test]
fn wrappers_are_seen_through() {
    assert_eq!(of("nohup nice -n 5 python train.py").started, file("train.py"));
    assert_eq!(of("timeout -k 5 60 python train.py").started, file("train.py"));
    assert_eq!(of("uv run --with torch python train.py").started, file("train.py"));
    assert_eq!(of("uv run train.py").started, file("train.py"));
    assert_eq!(of("uv run -m app.train").started, module("app.train"));
    assert_eq!(of("poetry run pytest -q tests").started, Started::Tests(vec!["tests".to_owned()]));
    assert_eq!(of("conda run -n gpu python train.py").started, file("train.py"));
    assert_eq!(of("srun -n 1 --gres=gpu:1 python train.py").started, file("train.py"));
    assert_eq!(of("uv pip install torch").started, Started::Program("uv".to_owned()));
}

#[test]
fn launchers_of_many_processes_are_seen_through() {
    let started = of("torchrun --standalone --nproc_per_node 2 --nnodes=1 train.py --epochs 3");
    assert_eq!(started.started, file("train.py"));
    assert!(started.is_distributed);
    assert_eq!(of("torchrun --nproc-per-node=2 -m app.train").started, module("app.train"));
    assert_eq!(of("python -m torch.distributed.run --nproc_per_node 2 train.py").started, file("train.py"));
    assert_eq!(of("accelerate launch --multi_gpu --num_processes 2 train.py").started, file("train.py"));
    assert_eq!(of("accelerate config").started, Started::Program("accelerate".to_owned()));
    assert_eq!(of("deepspeed --include localhost:1 train.py").started, file("train.py"));
    assert_eq!(of("python -m cProfile -s time train.py").started, file("train.py"));
}

#[test]
fn env_sets_and_removes() {
    let started = of("env -u CUDA_DEVICE_ORDER CUDA_VISIBLE_DEVICES=1 python train.py");
    assert_eq!(started.started, file("train.py"));
    assert_eq!(started.removed, ["CUDA_DEVICE_ORDER"]);
    assert_eq!(started.assignments, [3]);
    assert!(of("env -i PATH=/bin python train.py").clean);
    assert_eq!(of("env -C app python train.py").folder.as_deref(), Some("app"));
}

#[test]
fn shells_start_scripts_and_code() {
    assert_eq!(of("bash -e scripts/run.sh 1").started, file("scripts/run.sh"));
    assert_eq!(of("bash -lc x").started, Started::ShellCode(Shell::Bourne, 2));
    assert_eq!(of("./run.sh").started, file("./run.sh"));
    assert_eq!(of("sbatch --gres=gpu:1 -p long job.sh").started, file("job.sh"));
    assert_eq!(of("ollama serve").started, Started::Program("ollama".to_owned()));
}

#[test]
fn tests_are_found_behind_options() {
    let tests = |line: &str| match of(line).started {
        Started::Tests(paths) => paths,
        other => panic!("{other:?}"),
    };
    assert_eq!(tests("pytest -n 4 -k gpu tests/test_a.py::test_x"), ["tests/test_a.py"]);
    assert!(tests("python -m pytest -q").is_empty());
}
