#!/usr/bin/env python3
"""Searches inputs that end in a crash or break a promise, with libFuzzer and the address sanitizer.

    fuzz/run.py                       each input for a minute, as many at once as there are cores
    fuzz/run.py shell --seconds 600   this one for ten minutes

It needs a nightly compiler of Rust, for the sanitizer. It begins with the good inputs that `seeds.json` names, and goes on with what
earlier runs kept in `corpus/`. An input that fails is kept in `artifacts/`; made as small as it can be, it belongs into
`tests/hard_inputs`, where each test run reads it.
"""

import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys

FUZZ = pathlib.Path(__file__).resolve().parent
ROOT = FUZZ.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", FUZZ / "target"))
SEEDS = json.loads((FUZZ / "seeds.json").read_text())
PLATFORM = "x86_64-unknown-linux-gnu"

# What libFuzzer asks of the compiler (https://llvm.org/docs/LibFuzzer.html): counters of edges, a table of them, and the values compared.
FLAGS = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Zsanitizer=address",
    "-Cdebug-assertions",
]

# Seeds and inputs are no longer than this. Longer ones are slower, and find nothing else.
BYTES = 4_000


@dataclasses.dataclass
class Search:
    """What one search did."""

    name: str
    inputs: int
    processor_seconds: float
    edges: int
    kept: int
    crashes: list


def build():
    command = ["cargo", "+nightly", "build", "--release", "--locked", "--target", PLATFORM]
    variables = {"CARGO_TARGET_DIR": str(TARGET), "RUSTFLAGS": " ".join(FLAGS), "CARGO_INCREMENTAL": "0"}
    subprocess.run(command, cwd=FUZZ, check=True, env={**os.environ, **variables})
    return TARGET / PLATFORM / "release/input"


def write_seeds(name, folder):
    where, ending = SEEDS[name]
    folder.mkdir(parents=True, exist_ok=True)
    for path in (ROOT / where).rglob(f"*{ending}"):
        if path.is_file() and path.stat().st_size < BYTES:
            (folder / str(path.relative_to(ROOT)).replace("/", "-")).write_bytes(path.read_bytes())


def search(binary, name, seconds):
    corpus, seeds, artifacts = (FUZZ / folder / name for folder in ("corpus", "corpus-seeds", "artifacts"))
    write_seeds(name, seeds)
    for folder in (corpus, artifacts):
        folder.mkdir(parents=True, exist_ok=True)
    options = {
        "max_total_time": seconds,
        "max_len": BYTES,
        "dict": FUZZ / "pieces.dict",
        "artifact_prefix": f"{artifacts}/",
        # An input takes milliseconds; a busy machine may take a thousand times as long.
        "timeout": 60,
        "rss_limit_mb": 4096,
        # What a static keeps is no leak, and safe code may leak.
        "detect_leaks": 0,
        "print_final_stats": 1,
        # Names of functions take a program of their own, again and again.
        "print_funcs": 0,
    }
    before = set(artifacts.iterdir())
    command = [binary, *(f"-{key}={value}" for key, value in options.items()), corpus, seeds]
    variables = {"GPULINT_INPUT": name, "RAYON_NUM_THREADS": "1"}
    with (artifacts.parent / f"{name}.log").open("w+") as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env={**os.environ, **variables})
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        log.seek(0)
        text = log.read()
    crashes = sorted(set(artifacts.iterdir()) - before)
    if process.returncode and not crashes:
        crashes = [pathlib.Path(log.name)]
    inputs = re.findall(r"number_of_executed_units: (\d+)", text) or re.findall(r"^#(\d+)", text, re.MULTILINE) or ["0"]
    edges = re.findall(r"cov: (\d+)", text) or ["0"]
    kept = sum(1 for _ in corpus.iterdir())
    return Search(name, int(inputs[-1]), used.ru_utime + used.ru_stime, int(edges[-1]), kept, crashes)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("inputs", nargs="*", metavar="INPUT", help="each of them by default: " + " ".join(SEEDS))
    parser.add_argument("--seconds", type=int, default=60, help="for each input")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many at once")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.inputs if name not in SEEDS]
    if unknown:
        parser.error(f"there is no input `{unknown[0]}`; there are {' '.join(SEEDS)}")
    binary = build()
    total, crashes = 0.0, []
    print("| input | inputs tried | processor-seconds | edges reached | kept |\n|---|---|---|---|---|", flush=True)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        running = [pool.submit(search, binary, name, arguments.seconds) for name in arguments.inputs or SEEDS]
        for done in concurrent.futures.as_completed(running):
            it = done.result()
            print(f"| {it.name} | {it.inputs:,} | {it.processor_seconds:.0f} | {it.edges:,} | {it.kept:,} |", flush=True)
            total += it.processor_seconds
            crashes += it.crashes
    print(f"{total / 60:.1f} processor-minutes, {len(crashes)} failures")
    for crash in crashes:
        print(f"  {crash}")
    return 1 if crashes else 0


if __name__ == "__main__":
    sys.exit(main())
