#!/usr/bin/env bash
# How long gpulint takes on five published packages, beside ruff with two rules on the same files.
#
#   benches/compare_with_ruff.sh FOLDER [ROUNDS]
#
# FOLDER receives the packages on the first run (scripts/fetch_packages.sh). GPULINT names the binary and
# defaults to the build with the profile of releases. One round runs both programs once; which one begins alternates, so that a busy
# moment of the machine hits both. That is also why no benchmark runner is used: it would run all rounds of one
# program and then all of the other. The first round warms the disk cache and is not counted.
set -euo pipefail

if [ $# -lt 1 ] || [ $# -gt 2 ]; then
  echo "usage: benches/compare_with_ruff.sh FOLDER [ROUNDS]" >&2
  exit 2
fi

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
gpulint=${GPULINT:-${CARGO_TARGET_DIR:-$repository/target}/dist/gpulint}
if [ ! -x "$gpulint" ]; then
  echo "$gpulint is not there: cargo build --profile dist --locked, or set GPULINT" >&2
  exit 2
fi
gpulint=$(cd "$(dirname "$gpulint")" && pwd)/$(basename "$gpulint")

"$repository/scripts/fetch_packages.sh" "$1" >&2
cd "$1"

exec python3 - "$gpulint" "$PWD/ruff-0.17.5/bin/ruff" "${2:-9}" <<'PYTHON'
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import time

gpulint, ruff, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
packages = ["whisperx-3.8.6", "faster-whisper-1.2.1", "TTS-0.22.0", "lightning-2.6.6", "transformers-5.23.0"]
commands = {
    "gpulint": [gpulint, "check", "--isolated", "--no-cache", *packages],
    "ruff": [ruff, "check", "--no-cache", "--isolated", "--select", "F401,TID253", *packages],
}

files = [file for package in packages for file in pathlib.Path(package).rglob("*.py")]
size = sum(file.stat().st_size for file in files)
print(f"{len(files)} Python files, {size / 1e6:.1f} MB, {os.cpu_count()} cores, {rounds} rounds")


def seconds(command):
    """Wall and processor time of one run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    run = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    # 0 and 1 mean clean and findings for both. Anything else is not a run to be timed.
    if run.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)}: exit code {run.returncode}\n{run.stderr.decode(errors='replace')}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


times = {name: [] for name in commands}
for round_number in range(rounds + 1):
    for name in sorted(commands, reverse=round_number % 2 == 1):
        measured = seconds(commands[name])
        if round_number:
            times[name].append(measured)

medians = {}
for name, measured in times.items():
    wall, processor = (statistics.median(column) for column in zip(*measured))
    fastest, slowest = min(wall for wall, _ in measured), max(wall for wall, _ in measured)
    medians[name] = wall, processor
    print(f"{name:8} median {wall:.3f} s ({fastest:.3f} to {slowest:.3f}), processor {processor:.3f} s")
wall, processor = (own / other for own, other in zip(medians["gpulint"], medians["ruff"]))
print(f"gpulint / ruff: {wall:.2f} wall, {processor:.2f} processor")
PYTHON
