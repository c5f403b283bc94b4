#!/usr/bin/env python3
"""How the cost of `gpulint check` grows with the project: generated projects of 1,000, 10,000 and 100,000 files.

    benches/growth.py FOLDER [--files 1000,10000,100000] [--hot 0.03] [--shape divisions,web] [--rounds 3] [--named 5]

FOLDER receives one project for each size, shape and share of hot modules, on the first run; the same arguments and seed
always make the same files. GPULINT names the binary and defaults to the release build; RAYON_NUM_THREADS is passed on.

100 files make an area: 80 modules in four layers of 20, which import three to six modules each, from the same area and from
others; the packages' `__init__` files; 5 scripts with a main guard, 4 of which import the helper that chooses the GPU; 9 test
modules with a conftest. One module in 50 imports a higher layer at its top, so there are cycles; one in 100 is large (1,500
lines). `--hot` is the share of all files that touch CUDA themselves. They lie in the lowest layer, so that what is above them
is reached only through many imports. The words that gpulint takes for interesting stand in no other module.

The shape decides how far one entry point reaches, which is what the cost depends on beside the number of files:

    divisions   an area imports from the 10 areas of its division: an entry point reaches at most 1,000 files at any size
    web         an area imports from all areas: an entry point may reach the whole project

`--named` checks so many files of each project, spread over it, as a hook does with those of a commit; without it all are checked.

Each round runs every project once without a policy and once with one, the sizes in turn, so that a busy moment of the machine
hits all. The figures are medians; `x` is the growth since the size before, 10.0 is linear for ten times the files. The most
memory is that of the process alone.
"""

import argparse
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import time

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
AREA_FILES, LAYERS, PER_LAYER, DIVISION = 100, 4, 20, 10
LAYER_NAMES = ["store", "model", "service", "interface"]
POLICY = 'gpu:\n  visible-devices: "1"\n  device-order: PCI_BUS_ID\ncpu:\n  entry-points: ["area_00000.**"]\n'

# What fills a module up: code that has nothing to do with a GPU.
FILLER = '''

class Table{n}:
    """Rows by key."""

    limit = {n}

    def __init__(self, rows=None):
        self.rows = dict(rows or {{}})
        self.order = []

    def add(self, key, row):
        if key in self.rows:
            raise KeyError(f"{{key}} is there")
        self.rows[key] = row
        self.order.append(key)
        return self

    def total(self, column, start=0):
        total = start
        for key in self.order:
            try:
                total += int(self.rows[key][column])
            except (KeyError, ValueError):
                continue
        return total


def parse_{n}(line, separator=","):
    parts = [part.strip() for part in line.split(separator)]
    if len(parts) > {n} % 7 + 2:
        return {{"name": parts[0], "rest": parts[1:]}}
    return None
'''

HOT = '''import torch

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def on_card(rows):
    return torch.tensor(rows, device="cuda:0") * 2
'''

PIN = '''"""Chooses the GPU of every script."""

import os


def pin():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"


pin()
'''

CONFTEST = '''import pytest

from {area}.interface import interface_00


@pytest.fixture
def rows():
    yield [{{"name": str(number)}} for number in range(4)]


@pytest.fixture(autouse=True)
def table(rows):
    return interface_00.run(rows)
'''


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--files", default="1000,10000,100000", help="sizes of the projects, ascending")
    parser.add_argument("--hot", default="0.03", help="shares of the files that touch CUDA themselves")
    parser.add_argument("--shape", default="divisions", help="divisions, web, or both with a comma between")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--named", type=int, help="check so many files of each project instead of all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--generate-only", action="store_true")
    arguments = parser.parse_args()
    sizes = [int(size) for size in arguments.files.split(",")]
    series = [(shape, float(hot)) for shape in arguments.shape.split(",") for hot in arguments.hot.split(",")]
    projects = {}
    for shape, hot in series:
        for size in sizes:
            name = f"{shape}-{hot:g}-{size}-{arguments.seed}"
            projects[shape, hot, size] = arguments.folder / name
            project(arguments.folder / name, size, shape, hot, arguments.seed)
    if not arguments.generate_only:
        measure(projects, arguments.rounds, arguments.named)


def project(folder, size, shape, hot, seed):
    """Writes one project, unless it is there; it appears whole or not at all."""
    if folder.exists():
        return
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    areas = max(1, size // AREA_FILES)
    hot_per_area = hot * AREA_FILES
    chance = random.Random(f"{seed} {shape} {hot} {size}")
    for area in range(areas):
        # 0.3 hot modules in an area are three in ten areas.
        hot_here = int((area + 1) * hot_per_area) - int(area * hot_per_area)
        for name, text in files_of(area, areas, shape, hot_here, chance).items():
            path = partial / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    (partial / "choose_card.py").write_text(PIN)
    (partial / "gpulint.yaml").write_text(POLICY)
    # Without it, and without the policy, named files are checked by themselves.
    subprocess.run(["git", "init", "-q", str(partial)], check=True)
    partial.rename(folder)


def files_of(area, areas, shape, hot, chance):
    """The files of one area, by path."""
    top = f"area_{area:05}"
    files = {f"{top}/__init__.py": ""}
    for layer, layer_name in enumerate(LAYER_NAMES):
        first = f"from . import {layer_name}_00\n" if layer else ""
        files[f"{top}/{layer_name}/__init__.py"] = first
        for number in range(PER_LAYER):
            is_hot = layer == 0 and number < hot
            text = module_text(area, areas, shape, layer, number, is_hot, chance)
            files[f"{top}/{layer_name}/{layer_name}_{number:02}.py"] = text
    for number in range(5):
        files[f"scripts/{top}/run_{number}.py"] = script_text(top, number, chance)
    files[f"tests/{top}/conftest.py"] = CONFTEST.format(area=top)
    for number in range(9):
        files[f"tests/{top}/test_{area}_{number}.py"] = test_text(top, number, chance)
    return files


def module_text(area, areas, shape, layer, number, is_hot, chance):
    imports, calls = [], []
    for index in range(chance.randint(3, 6)):
        other, below = area, layer - 1 if layer else 0
        if chance.random() < 0.2:
            other = another_area(area, areas, shape, chance)
            below = chance.randrange(layer) if layer else 0
        elif layer > 1 and chance.random() < 0.3:
            below = chance.randrange(layer)
        # In the lowest layer modules import those before them.
        among = PER_LAYER if layer else number
        if among:
            name = f"{LAYER_NAMES[below]}_{chance.randrange(among):02}"
            imports.append(f"from area_{other:05}.{LAYER_NAMES[below]} import {name} as part_{index}")
            calls.append(f"    rows = part_{index}.run(rows)")
    if layer < LAYERS - 1 and chance.random() < 0.02:
        above = f"{LAYER_NAMES[layer + 1]}_{chance.randrange(PER_LAYER):02}"
        imports.append(f"import area_{area:05}.{LAYER_NAMES[layer + 1]}.{above}")
    large = chance.random() < 0.01
    fillers = range(45 if large else chance.randint(1, 2))
    lines = ["import json", "import logging", *imports]
    lines += ["", "LOGGER = logging.getLogger(__name__)"]
    lines += [HOT] if is_hot else []
    lines += [FILLER.format(n=filler).rstrip() for filler in fillers]
    lines += ["", "", "def run(rows):", "    if not rows:", "        LOGGER.info(json.dumps(rows))", "        return []"]
    lines += calls
    lines += ["    return on_card(rows)" if is_hot else "    return rows", ""]
    return "\n".join(lines)


def another_area(area, areas, shape, chance):
    if shape == "web":
        return chance.randrange(areas)
    first = area - area % DIVISION
    return first + chance.randrange(min(DIVISION, areas - first))


def script_text(top, number, chance):
    used = chance.sample(range(PER_LAYER), 3)
    # The script's folder is on the path, so the project is put there as well, as such scripts do.
    lines = ["import sys", "", 'sys.path.insert(0, "../..")', ""]
    lines += ["import choose_card  # noqa: F401", ""] if number else []
    lines += [f"from {top}.interface import interface_{module:02}" for module in used]
    lines += ["", "", "def main():", f"    rows = [[{number}, 2], [3, 4]]"]
    lines += [f"    rows = interface_{module:02}.run(rows)" for module in used]
    lines += ["    return rows", "", "", 'if __name__ == "__main__":', "    main()", ""]
    return "\n".join(lines)


def test_text(top, number, chance):
    layer = LAYER_NAMES[number % LAYERS]
    module = f"{layer}_{chance.randrange(PER_LAYER):02}"
    lines = [f"from {top}.{layer} import {module}", "", "", "def test_none():", f"    assert {module}.run([]) == []"]
    lines += ["", "", "def test_rows(rows):", f"    assert {module}.run(rows)", ""]
    return "\n".join(lines)


def measure(projects, rounds, named):
    gpulint = os.environ.get("GPULINT")
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target"))
    gpulint = pathlib.Path(gpulint or target / "dist/gpulint").resolve()
    if not gpulint.exists():
        sys.exit(f"{gpulint} is not there: cargo build --profile dist --locked, or set GPULINT")
    policies = {"no policy": ["--isolated"], "policy": ["--config", "gpulint.yaml"]}
    measured = {}
    for _ in range(rounds):
        for key, folder in projects.items():
            for policy, options in policies.items():
                command = [gpulint, "check", *options, "--no-cache", "--format", "concise", *paths(folder, named)]
                measured.setdefault((*key, policy), []).append(run(command, folder))
    threads = os.environ.get("RAYON_NUM_THREADS", os.cpu_count())
    print(f"{threads} threads, {rounds} rounds, medians\n")
    print("| shape | hot | policy | files | wall | x | processor | x | most memory | x |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    before = {}
    for (shape, hot, size, policy), figures in sorted(measured.items(), key=lambda item: order(item[0])):
        medians = [statistics.median(column) for column in zip(*(each[:3] for each in figures))]
        known = before.get((shape, hot, policy))
        growth = [f"{now / then:.1f}" if known else "" for now, then in zip(medians, known or medians)]
        before[shape, hot, policy] = medians
        wall, processor, memory = medians
        cells = [f"{wall:.2f} s", growth[0], f"{processor:.2f} s", growth[1], f"{memory / 1e6:.0f} MB", growth[2]]
        print(f"| {shape} | {hot:.1%} | {policy} | {size:,} | {' | '.join(cells)} |")
    print()
    for (shape, hot, size, policy), figures in sorted(measured.items(), key=lambda item: order(item[0])):
        print(f"{shape} {hot:.1%} {size:,} {policy}: {figures[-1][3]}")


def paths(folder, named):
    """What is checked: the whole project, or so many of its files."""
    if named is None:
        return ["."]
    files = sorted(path.relative_to(folder) for path in folder.rglob("*.py"))
    return files[len(files) // (2 * named) :: max(1, len(files) // named)][:named]


def order(key):
    shape, hot, size, policy = key
    return shape, hot, policy, size


def run(command, folder):
    """Wall and processor time in seconds, most memory in bytes, and the summary of one run."""
    started = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    # Reports are long: only the end is kept.
    last = b""
    for line in process.stdout:
        last = line.strip() or last
    # Of this one process, which `getrusage` would not tell from those before it.
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        sys.exit(f"{folder}: exit code {process.returncode}\n{last.decode(errors='replace')}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, last.decode(errors="replace")


if __name__ == "__main__":
    main()
