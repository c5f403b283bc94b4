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
fn notebooks_are_started_by_what_runs_them() {
    for line in [
        "jupyter nbconvert --to notebook --execute a/fit.ipynb",
        "jupyter nbconvert --execute --output out.ipynb a/fit.ipynb",
        "jupyter execute a/fit.ipynb",
        "papermill a/fit.ipynb out.ipynb -p x 1",
        "python -m jupyter nbconvert --execute a/fit.ipynb",
        "python -m papermill a/fit.ipynb out.ipynb",
    ] {
        assert_eq!(of(line).started, file("a/fit.ipynb"), "{line}");
    }
    assert_eq!(of("jupyter nbconvert --to html a/fit.ipynb").started, Started::Program("jupyter".to_owned()));
    assert_eq!(of("jupyter lab").started, Started::Program("jupyter".to_owned()));
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
    let first = |line: &str| of(line).mask;
    assert_eq!(first("deepspeed --num_gpus 2 train.py"), Some(Mask::First { count: 2, word: 2 }));
    assert_eq!(first("deepspeed --num_gpus=8 train.py"), Some(Mask::First { count: 8, word: 1 }));
    for counted in ["--num_gpus -1", "--num_gpus 0", "--num_gpus=many", "--num_nodes 2"] {
        assert_eq!(first(&format!("deepspeed {counted} train.py")), Some(Mask::Counted), "{counted}");
    }
    assert_eq!(of("python -m cProfile -s time train.py").started, file("train.py"));
}

#[test]
fn options_of_mpi_are_seen_through() {
    let line = "mpirun -np 8 --bind-to none -map-by slot -x LD_LIBRARY_PATH -mca pml ob1 -mca btl ^openib \
                -x CUDA_VISIBLE_DEVICES=0,1 python3 train.py";
    let started = of(line);
    assert_eq!(started.started, file("train.py"));
    assert_eq!(started.settings.len(), 1);
    assert_eq!(of("mpiexec -n 2 -genv OMP_NUM_THREADS 4 python train.py").started, file("train.py"));
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
    assert_eq!(of("bash -lc x").started, Started::ShellCode(Dialect::Bourne, 2));
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

#[test]
fn containers_are_entered() {
    let started = of(
        "docker run --rm -it --gpus all -v /a:/b -e A=1 --env=B=2 -e C -w /app image:1 python train.py -e X=1",
    );
    assert_eq!(started.started, file("train.py"));
    assert_eq!(started.folder.as_deref(), Some("app"));
    let words: Vec<usize> = started.settings.iter().map(|setting| setting.word).collect();
    assert_eq!(words, [9, 10]);
    let handed = SeparateEnvironment::Container {
        handed: vec!["C".to_owned()],
        env_files: Vec::new(),
        gpus: Gpus::All,
    };
    assert_eq!(started.elsewhere, Some(handed));
    let gpus = |line: &str| match of(line).elsewhere {
        Some(SeparateEnvironment::Container { gpus, .. }) => gpus,
        other => panic!("{other:?}"),
    };
    assert_eq!(gpus("docker run image"), Gpus::None);
    assert_eq!(gpus("docker run --gpus \"device=1\" image"), Gpus::Some);
    assert_eq!(gpus("podman run --device nvidia.com/gpu=all image"), Gpus::All);
    assert_eq!(gpus("docker run --gpus=all -e NVIDIA_VISIBLE_DEVICES=1 image"), Gpus::Some);
    assert_eq!(of("docker run --entrypoint python image train.py").started, file("train.py"));
    assert_eq!(of("docker exec -it box python train.py").elsewhere, Some(SeparateEnvironment::Running));
    assert_eq!(of("docker build -t image .").started, Started::Program("docker".to_owned()));
    assert_eq!(of("docker run ? python train.py").started, Started::Program("docker".to_owned()));
    assert_eq!(of("singularity exec --nv -B /a image.sif python train.py").started, file("train.py"));
}

#[test]
fn sessions_and_machines_are_entered() {
    let started = |words: &[&str]| {
        let words: Vec<Option<&str>> = words.iter().copied().map(Some).collect();
        invocation(&words).started
    };
    assert_eq!(started(&["ssh", "-p", "22", "box", "cd x && ls"]), Started::ShellCode(Dialect::Bourne, 4));
    assert_eq!(of("ssh -T box").started, Started::ShellInput(Dialect::Bourne));
    assert_eq!(of("ssh box python train.py").started, file("train.py"));
    assert_eq!(of("screen -dmS name python train.py").started, file("train.py"));
    assert_eq!(started(&["tmux", "new", "-d", "-s", "a", "ls -l"]), Started::ShellCode(Dialect::Bourne, 5));
    assert_eq!(of("tmux send-keys -t a ls Enter").started, Started::ShellCode(Dialect::Bourne, 4));
    assert_eq!(of("tmux attach -t a").started, Started::Program("tmux".to_owned()));
    assert_eq!(of("srun --gres=gpu:1 python train.py").elsewhere, Some(SeparateEnvironment::Job));
}

#[test]
fn shells_of_windows_start_code() {
    let started = |words: &[&str]| {
        let words: Vec<Option<&str>> = words.iter().copied().map(Some).collect();
        invocation(&words).started
    };
    let code = Started::ShellCode(Dialect::PowerShell, 4);
    assert_eq!(started(&["powershell.exe", "-NoProfile", "-ex", "Bypass", "$x = 1"]), code);
    assert_eq!(started(&["pwsh", "-nop", "-noni", "-c", "a; b"]), code);
    assert_eq!(of("pwsh -File run.ps1").started, file("run.ps1"));
    assert_eq!(of("powershell .\\run.ps1 -Gpu 1").started, file(".\\run.ps1"));
    assert_eq!(of("pwsh -Command python train.py").started, file("train.py"));
    assert_eq!(started(&["cmd.exe", "/d", "/c", "a & b"]), Started::ShellCode(Dialect::Batch, 3));
    assert_eq!(of("CMD /C python train.py").started, file("train.py"));
}

#[test]
fn sizes_of_an_engine_are_multiplied() {
    let told = |text: &str| {
        let words: Vec<Option<&str>> = text.split(' ').map(|word| (word != "?").then_some(word)).collect();
        ranks(&words).map(|ranks| (ranks.count, ranks.option))
    };
    assert_eq!(told("vllm serve small -tp 2 -pp=3"), Some((6, "-tp 2 -pp=3".to_owned())));
    assert_eq!(told("vllm serve small -tp ? -pp 3"), Some((3, "-pp 3".to_owned())));
    let most = usize::MAX;
    let (count, _) = told(&format!("vllm serve small -tp {most} -pp {most}")).unwrap();
    assert_eq!(count, most);
}
