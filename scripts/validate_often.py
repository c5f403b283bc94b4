#!/usr/bin/env python3
"""Runs `gpulint validate` often on simulated hosts on which nothing leaks, and counts the verdicts.

    scripts/validate_often.py path/to/gpulint [--runs 200] [--plain 50] [--side 64] [--seed 1] [--libraries FOLDER]

The first so many runs are of one host that is as simple as it can be. In the others a context grows with the first launch and
with modules, there are memory pools or none, processes are known by other numbers or their memory is not, and commands of the
project take memory and give it back. Each must be approved. The libraries that stand in for a driver are those that `cargo test`
leaves beside the program. Ends with 1 when one run is not approved. Nothing here says anything about hardware.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

POLICY = """\
gpu: {name: RTX 3090, visible-devices: '1', device-order: PCI_BUS_ID, forbidden: [RTX 5060 Ti]}
"""
TARGETS = """\
runtime: {iterations: 2, targets: [{name: one, command: ['true'], mode: gpu}, {name: two, command: ['true'], mode: gpu}]}
"""
OTHER = {
    "name": "NVIDIA GeForce RTX 5060 Ti",
    "uuid": "GPU-50605060-0000-4000-8000-000000000001",
    "pci": "0000:01:00.0",
    "capability": [12, 0],
}


def described(chance: random.Random) -> dict:
    """A host on which much happens in the first iterations, and nothing leaks."""
    card = {
        "context-mib": chance.choice([64, 256, 301, 512]),
        "module-mib": chance.choice([0, 2, 3, 40]),
        "first-launch-mib": chance.choice([0, 1, 2, 8, 33, 64, 128]),
        "memory-pools": chance.random() < 0.7,
        # At launches of the first iterations, and together less than the policy lets memory grow.
        "workspaces": [[chance.randint(2, 14), chance.choice([1, 2, 8, 14])] for _ in range(chance.randint(0, 3))],
        "throttle-reasons": chance.choice([0, 0, 1, 4]),
    }
    faults = []
    if chance.random() < 0.3:
        faults.append({"fault": "no-process-memory"})
    if chance.random() < 0.3:
        faults.append({"fault": "pid-opaque"})
    return {"cards": [OTHER, card], "faults": faults}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("gpulint", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--plain", type=int, default=50)
    parser.add_argument("--side", type=int, default=64)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--libraries", type=pathlib.Path)
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    program = arguments.gpulint.resolve()
    libraries = arguments.libraries or program.parent / "deps"
    verdicts: dict[str, collections.Counter] = {}
    seconds = []
    for number in range(arguments.plain + arguments.runs):
        is_plain = number < arguments.plain
        host = {"cards": [OTHER, {}]} if is_plain else described(chance)
        has_targets = not is_plain and chance.random() < 0.25
        jobs = chance.choice([1, 2, 4])
        iterations = chance.choice([5, 10, 10, 10, 30])
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            lib, project = folder / "lib", folder / "project"
            for made in (lib, project, folder / "host"):
                made.mkdir()
            for of, called in (("cuda", "libcuda.so"), ("cuda", "libcuda.so.1"), ("nvml", "libnvidia-ml.so.1")):
                shutil.copy(libraries / f"libsimulated_{of}.so", lib / called)
            # JSON is YAML as well.
            (folder / "host.yaml").write_text(json.dumps(host))
            (project / "gpulint.yaml").write_text(POLICY + (TARGETS if has_targets else ""))
            environment = {key: value for key, value in os.environ.items() if not key.startswith("CUDA_")}
            environment |= {
                "LD_LIBRARY_PATH": str(lib),
                "SIMULATED_GPU_HOST": str(folder / "host.yaml"),
                "SIMULATED_GPU_STATE": str(folder / "host"),
                "GPULINT_SLOT_DIR": str(folder / "slots"),
            }
            command = [str(program), "validate", "--allow-simulated", "--format", "json", "--side", str(arguments.side)]
            command += ["--state", str(folder / "validation")]
            if not is_plain:
                command += ["--jobs", str(jobs), "--iterations", str(iterations)]
            began = time.monotonic()
            run = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)
            seconds.append(time.monotonic() - began)
            try:
                document = json.loads(run.stdout)
                verdict = document["verdict"]
            except json.JSONDecodeError:
                document, verdict = {"reasons": run.stderr}, f"no document, exit code {run.returncode}"
            verdicts.setdefault("plain" if is_plain else "varied", collections.Counter())[verdict] += 1
            if verdict != "approved" or document["fallback"]:
                print(f"run {number}: {verdict}; host {json.dumps(host)}; {' '.join(command[6:])}")
                print(json.dumps([document["reasons"], document.get("fallback")], indent=1))
    for kind, counts in verdicts.items():
        told = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
        print(f"{kind}: {told}")
    seconds.sort()
    print(f"{len(seconds)} runs, {sum(seconds):.0f} s, {seconds[len(seconds) // 2]:.2f} s the one in the middle")
    return int(any(set(counts) != {"approved"} for counts in verdicts.values()))


if __name__ == "__main__":
    sys.exit(main())
