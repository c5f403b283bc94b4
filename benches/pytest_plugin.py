#!/usr/bin/env python3
"""What `pytest --gpulint` adds to a test that leaves nothing on the GPU.

    benches/pytest_plugin.py [--rounds 11] [--tests 400]

Each round runs the same empty tests with and without `--gpulint`, in turn, so that a busy moment of the machine hits both: once with no
framework, and once after a stand-in for torch has initialised CUDA on a simulated host with two cards. The figures are the median and
the quartiles of the difference, for one test.

The Python that runs this needs pytest 8 or later. The simulated host is that of `cargo build --example simulated-host`; SIMULATED_HOST names
another. Its driver and its NVML read and write files for each question, which real ones do not; and torch's own statistics come from C++.
So the figures are those of the plugin, with what the stand-ins take.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
LIMIT_MS = 2.0
TESTS = """
import pytest
{beginning}

@pytest.mark.parametrize("number", range({count}))
def test_nothing(number):
    pass
"""
TORCH = "import torch\nTENSOR = torch.zeros(1000, 1000, device='cuda:0')"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--tests", type=int, default=400)
    arguments = parser.parse_args()
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target"))
    host = os.environ.get("SIMULATED_HOST", str(target / "debug/examples/simulated-host"))
    worst = 0
    for name, beginning, start in (("no framework", "", []), ("torch's stand-in, CUDA initialised", TORCH, [host])):
        differences = []
        for _ in range(arguments.rounds + 1):
            with tempfile.TemporaryDirectory(prefix="gpulint-bench-") as folder:
                (pathlib.Path(folder) / "test_nothing.py").write_text(TESTS.format(beginning=beginning, count=arguments.tests))
                without, with_it = (took(folder, start, more) for more in ([], ["--gpulint"]))
            differences.append(1000 * (with_it - without) / arguments.tests)
        # The first round fills the caches of the system.
        quartiles = statistics.quantiles(differences[1:], n=4)
        worst = max(worst, quartiles[1])
        print("%s: %.3f ms for each test (%.3f to %.3f)" % (name, quartiles[1], quartiles[0], quartiles[2]))
    if worst >= LIMIT_MS:
        sys.exit("that is not below %.0f ms" % LIMIT_MS)


def took(folder, start, more):
    """Seconds."""
    paths = [REPOSITORY / "packaging/python", REPOSITORY / "tests/pytest/standins"]
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(map(str, paths)), PYTHONDONTWRITEBYTECODE="1", PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "gpulint.pytest_plugin", *more]
    begun = time.perf_counter()
    said = subprocess.run([*start, *command], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    ended = time.perf_counter()
    if said.returncode != 0:
        sys.exit(said.stdout.decode(errors="replace"))
    return ended - begun


if __name__ == "__main__":
    main()
