#!/usr/bin/env python3
"""What `gpulint exec` adds to a command, on a simulated host.

    benches/exec_overhead.py [--rounds 41] [--seconds 5] [--sleeps 3]

Each round runs `true` by itself and as `gpulint exec -- true`, in turn, so that a busy moment of the machine hits both: with the
policy that a project with two cards has, and with a record. The figures are the median and the quartiles of the wall time, and of
the processor time of gpulint with all that it starts.

Then `gpulint exec -- sleep SECONDS`, which reads the card ten times a second: the processor time beyond that of
`gpulint exec -- true`, as a share of the wall time, is what watching costs.

GPULINT names the binary and defaults to the release build. SIMULATED_GPU_LIBRARIES names the folder of libsimulated_cuda.so and
libsimulated_nvml.so, which are otherwise beside it:

    cargo build --release --locked && cargo build --release --locked -p simulated-cuda -p simulated-nvml

The cards do not exist. A driver needs time of its own to start and to answer, which these stand-ins do not: the figures are what
gpulint itself costs, and what the stand-ins take for reading their description and the files that they share.
"""

import argparse
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
POLICY = "gpu: {name: RTX 3090, min-memory: 20GiB, device-order: PCI_BUS_ID, forbidden: [RTX 5060 Ti]}\n"
LIBRARIES = {
    "libsimulated_cuda.so": ["libcuda.so", "libcuda.so.1"],
    "libsimulated_nvml.so": ["libnvidia-ml.so.1"],
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=41)
    parser.add_argument("--seconds", type=float, default=5, help="how long the command sleeps that is watched")
    parser.add_argument("--sleeps", type=int, default=3, help="how often; 0: not at all")
    arguments = parser.parse_args()
    gpulint, libraries = built()
    with tempfile.TemporaryDirectory(prefix="gpulint-overhead-") as folder:
        folder = pathlib.Path(folder)
        environment = host(folder, libraries)
        commands = {
            "true": ["true"],
            "exec -- true": [gpulint, "exec", "--allow-simulated", "--", "true"],
            "exec --record run.json -- true": [gpulint, "exec", "--allow-simulated", "--record", "run.json", "--", "true"],
            "--version": [gpulint, "--version"],
            "one answer of NVML in a child": [gpulint, "look-at-machine", "nvml"],
            "one answer of CUDA in a child": [gpulint, "look-at-machine", "cuda"],
        }
        times = {name: [] for name in commands}
        for _ in range(arguments.rounds + 1):
            for name, command in commands.items():
                times[name].append(run(command, folder, environment))
        print("simulated host")
        # The first of each warms the caches of the disk.
        times = {name: rounds[1:] for name, rounds in times.items()}
        report(times)
        if arguments.sleeps:
            watching(gpulint, arguments, folder, environment, times["exec -- true"])


def built():
    """The program, and the folder of the stand-ins."""
    release = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target")) / "release"
    gpulint = pathlib.Path(os.environ.get("GPULINT", release / "gpulint")).resolve()
    libraries = pathlib.Path(os.environ.get("SIMULATED_GPU_LIBRARIES", release)).resolve()
    missing = [path for path in [gpulint, *(libraries / name for name in LIBRARIES)] if not path.exists()]
    if missing:
        sys.exit(f"not built: {', '.join(map(str, missing))}; see --help")
    return str(gpulint), libraries


def host(folder, libraries):
    """The variables that make programs see a host with two cards, described in this folder."""
    (folder / "lib").mkdir()
    for library, names in LIBRARIES.items():
        for name in names:
            shutil.copy(libraries / library, folder / "lib" / name)
    (folder / "host.yaml").write_text("{}\n")
    (folder / "state").mkdir()
    (folder / "gpulint.yaml").write_text(POLICY)
    chosen = ["CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "SIMULATED_GPU_FAULTS", "SIMULATED_GPU_CALLS"]
    environment = {name: value for name, value in os.environ.items() if name not in chosen}
    return environment | {
        "LD_LIBRARY_PATH": str(folder / "lib"),
        "SIMULATED_GPU_HOST": str(folder / "host.yaml"),
        "SIMULATED_GPU_STATE": str(folder / "state"),
        "GPULINT_SLOT_DIR": str(folder / "slots"),
    }


def run(command, folder, environment):
    """Wall time and processor time in seconds, that of children included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    ended = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if ended.returncode:
        sys.exit(f"{command}: exit code {ended.returncode}: {ended.stderr.decode(errors='replace')}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def report(times):
    print("| | wall, median | quartiles | processor time, median |\n|---|---|---|---|")
    for name, rounds in times.items():
        walls, processor = ([figure * 1000 for figure in column] for column in zip(*rounds))
        first, middle, third = statistics.quantiles(walls, n=4, method="inclusive")
        print(f"| `{name}` | {middle:.1f} ms | {first:.1f} to {third:.1f} ms | {statistics.median(processor):.1f} ms |")
    bare, watched = ([wall for wall, _ in times[name]] for name in ["true", "exec -- true"])
    added = [(after - before) * 1000 for before, after in zip(bare, watched)]
    first, middle, third = statistics.quantiles(added, n=4, method="inclusive")
    print(f"\nadded to `true`: {middle:.1f} ms ({first:.1f} to {third:.1f} ms), {len(added)} rounds")


def watching(gpulint, arguments, folder, environment, short):
    command = [gpulint, "exec", "--allow-simulated", "--", "sleep", str(arguments.seconds)]
    once = statistics.median(processor for _, processor in short)
    shares, late = [], []
    for _ in range(arguments.sleeps):
        wall, processor = run(command, folder, environment)
        shares.append((processor - once) / arguments.seconds)
        late.append((wall - arguments.seconds) * 1000)
    print(
        f"watched for {arguments.seconds:g} s: {statistics.median(shares):.2%} of one processor, and "
        f"{statistics.median(late):.1f} ms longer than the command; {arguments.sleeps} runs"
    )


if __name__ == "__main__":
    main()
