#!/usr/bin/env python3
"""How long `gpulint report merge` takes for many reports, and how much memory.

    benches/merge.py FOLDER [--reports 5000] [--points 600] [--rounds 3] [--most-seconds 10] [--most-megabytes 200]

FOLDER receives one report for each machine on the first run: 8 cards for each host, of two kinds, each with a leak test and a
burn test whose memory was read `--points` times. The same arguments always make the same files. GPULINT names the binary and
defaults to the build with the profile of releases.

Each round merges all of them into all six forms, and the last also in the opposite order, which must come to the same page. The
memory is the most that the process had by itself. The exit code is 1 when a limit is broken.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
GIB = 1 << 30
KINDS = [("NVIDIA H100 80GB HBM3", 80, 48.0), ("NVIDIA L40S", 48, 60.0)]


def summary(value):
    return {"samples": 3, "first": value, "last": value, "min": value, "mean": float(value), "max": value}


def record(card, points):
    memory = [4 * GIB + (number * 7919) % GIB for number in range(points)]
    series = [{"seconds": number / 10, "memory": used, "command_memory": used // 2} for number, used in enumerate(memory)]
    return {
        "schema": 1, "tool": "gpulint", "version": "0.1.0", "simulated": False, "host": None, "command": ["gpulint"],
        "started": "2026-01-31T12:00:00Z", "wall_seconds": points / 10, "card": card, "driver": "580.95.05",
        "slot": {"waited_seconds": 0.0, "place": 0}, "end": {"kind": "exited", "code": 0}, "exit_code": 0,
        "baseline": {"memory": GIB, "users": []},
        "readings": {
            "seconds": points / 10, "samples": points, "failed": 0, "memory": summary(max(memory)),
            "temperature": summary(60), "power_milliwatts": summary(300000), "slowed": [], "slowed_of": points, "xids": [],
            "foreign_processes": [], "series": {"samples_per_point": 1, "points": series},
        },
        "not_checked": [{"what": "memory of the host", "why": "nobody asked for it"}],
    }


def report(number, points):
    host, slot = divmod(number, 8)
    name, memory, speed = KINDS[host % 2]
    # One card in a thousand is slow.
    speed *= 0.8 if number % 1000 == 999 else 1 + (number * 31 % 41 - 20) / 1000
    card = {
        "uuid": f"GPU-{number:08x}-0000-4000-8000-000000000000", "name": name, "memory": memory * GIB,
        "pci": f"00000000:{slot + 1:02x}:00.0", "capability": [9, 0],
    }
    speeds = lambda median: {"median": median, "slowest": median * 0.99, "fastest": median * 1.01, "peak": None, "earlier": None}
    point = {"held": 12000000, "used": GIB, "pool_used": 0, "seconds": 0.01}
    leak = {"context": GIB, "warm_up": [point] * 2, "measured": [point] * 10, "growth": None, "pool_growth": None, "wrong": 0}
    burn = {
        "side": 8192, "bytes": 21 * GIB, "free": 23 * GIB, "multiplier": {"kind": "own"}, "rounds": 31, "seconds": 60.0,
        "teraflops": speeds(speed), "gigabytes": speeds(speed * 40), "wrong": 0, "differing": 0,
    }
    check = lambda name, **more: {"name": name, "kind": name, "state": "holds", "attempts": 1, "wall_seconds": 60.0, "reasons": [], **more}
    return {
        "schema": 1, "tool": "gpulint", "version": "0.1.0", "simulated": False, "host": f"node-{host:04}",
        "started": "2026-01-31T12:00:00Z", "wall_seconds": 120.0, "plan": "lint; leak; burn", "policy": "0" * 32,
        "verdict": "approved", "reasons": [], "exit_code": 0, "card": card, "driver": "580.95.05", "jobs": 2,
        "checks": [check("lint"), check("leak", record=record(card, points), leak=leak), check("burn", record=record(card, points), burn=burn)],
        "not_checked": [{"what": "targets", "why": "the policy has none"}],
    }


def merged(program, files, outputs):
    started = time.monotonic()
    words = [word for output in outputs for word in ("--output", output)]
    process = subprocess.Popen([program, "report", "merge", *files, *words, "--format", "json"], stdout=subprocess.PIPE)
    page = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - started
    code = os.waitstatus_to_exitcode(status)
    # In KiB on Linux.
    return page, code, seconds, usage.ru_maxrss * 1024 / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--reports", type=int, default=5000)
    parser.add_argument("--points", type=int, default=600)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--most-seconds", type=float, default=10)
    parser.add_argument("--most-megabytes", type=float, default=200)
    arguments = parser.parse_args()
    program = os.environ.get("GPULINT", str(REPOSITORY / "target/release/gpulint"))
    folder = arguments.folder / f"reports-{arguments.reports}-{arguments.points}"
    complete = folder / "complete"
    if not complete.exists():
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(arguments.reports):
            text = json.dumps(report(number, arguments.points), indent=2)
            (folder / f"{number:05}.json").write_text(text)
        complete.touch()
    files = sorted(str(file) for file in folder.glob("*.json"))
    size = sum(os.path.getsize(file) for file in files) / 1e6
    outputs = [f"{form}={arguments.folder / form}" for form in ("text", "markdown", "html", "junit", "prometheus")]
    rounds = [merged(program, files, outputs) for _ in range(arguments.rounds)]
    page, code, _, _ = rounds[0]
    document = json.loads(page)
    slow = sum("slower-than-kind" == reason["code"] for reason in document["reasons"])
    assert code == 1 and document["reports"] == arguments.reports, (code, document["reports"])
    assert slow == 2 * (arguments.reports // 1000), slow
    reversed_page = merged(program, files[::-1], [])[0]
    assert reversed_page == page, "the order of the files changed the page"
    seconds = statistics.median(seconds for _, _, seconds, _ in rounds)
    memory = max(memory for _, _, _, memory in rounds)
    print("| reports | together | seconds | most memory |\n|---|---|---|---|")
    print(f"| {arguments.reports:,} | {size:,.0f} MB | {seconds:.2f} | {memory:.0f} MB |")
    return int(seconds > arguments.most_seconds or memory > arguments.most_megabytes)


if __name__ == "__main__":
    sys.exit(main())
