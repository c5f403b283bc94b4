#!/usr/bin/env python3
"""Programs that share modules whose classes, functions and objects are made of each other's, each with settings of its own.

    tests/against_python/families.py --gpulint BINARY [--seed S] [--count N] [--jobs N]

What one program made is known when the next is followed, and only a part of it is still the same. Each program leaves one GPU
visible, so that every other one that it takes is a finding. Run as a script, this holds the GPUs that gpulint finds so against
those that CPython takes, with each condition true and false. Prints the seeds that differ. Exit code: 0 when gpulint says
nothing that does not happen, 1 when it does, 2 when it fails.
"""

import argparse
import json
import multiprocessing
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

SETTINGS = 'PLACE = "cpu"\nKIND = "a"\n'
MASKED = 'import os\n\nos.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"\nos.environ["CUDA_VISIBLE_DEVICES"] = "0"\n\n'


def program(seed):
    """The files of one project, by name."""
    return Family(random.Random(seed)).files()


class Family:
    def __init__(self, chance):
        self.chance = chance
        # What each module offers: its name, and whether it is a class, an object, or a function.
        self.offered = []
        self.number = 0

    def files(self):
        modules = {}
        for number in range(self.chance.randint(2, 5)):
            modules[f"m{number}.py"] = self.module(f"m{number}")
        modules["settings.py"] = SETTINGS
        for number in range(self.chance.randint(2, 4)):
            modules[f"run{number}.py"] = self.run()
        return modules

    def name(self, prefix):
        self.number += 1
        return f"{prefix}{self.number}"

    def module(self, module):
        lines, imports, own = [], set(), []
        for _ in range(self.chance.randint(1, 4)):
            makers = [self.a_class, self.a_class, self.a_function, self.an_object, self.a_change, self.a_registry]
            made = self.chance.choice(makers)(module, imports, own)
            lines += [*made, ""]
        self.offered += own
        before, behind = [], ["import torch"]
        for line, share in (("import settings", 0.8), ("from settings import PLACE", 0.5)):
            (behind if self.chance.random() < share else before).append(line)
        return "\n".join([*before, *behind, *sorted(imports), "", *lines]) + "\n"

    def place(self):
        return self.chance.choice(["settings.PLACE", "settings.PLACE", "PLACE", '"cuda:0"', '"cpu"'])

    def taken(self, kind, imports, own):
        """Something of this kind that is there, or nothing."""
        here = [name for name, what, _ in own if what == kind]
        there = [(name, module) for name, what, module in self.offered if what == kind]
        if here and (not there or self.chance.random() < 0.4):
            return self.chance.choice(here)
        if there:
            name, module = self.chance.choice(there)
            imports.add(f"from {module} import {name}")
            return name
        return None

    def a_class(self, module, imports, own):
        name = self.name("C")
        bases = {self.taken("class", imports, own) for _ in range(self.chance.choice([0, 1, 1, 1]))} - {None}
        lines = [f"class {name}({', '.join(sorted(bases))}):" if bases else f"class {name}:"]
        if not bases or self.chance.random() < 0.3:
            lines.append(f"    place = {self.place()}")
        if self.chance.random() < 0.3:
            lines += ["    def __init__(self):", f"        self.own = {self.place()}", ""]
        if not bases or self.chance.random() < 0.25:
            body = self.chance.choice(["self.place", 'getattr(self, "own", "cpu")', "type(self).place"])
            lines += ["    def load(self):", f"        return torch.zeros(1, device={body})", ""]
        if self.chance.random() < 0.3:
            lines += ["    @classmethod", "    def make(cls):", "        return cls().load()", ""]
        if len(lines) == 1:
            lines.append(f"    kind = {self.number}")
        if self.chance.random() < 0.4:
            lines += ["", f"{name}.mark = {self.chance.choice([str(self.number), name, 'settings.KIND'])}"]
        own.append((name, "class", module))
        return lines

    def a_function(self, module, imports, own):
        name = self.name("f")
        other = self.taken(self.chance.choice(["class", "function", "object"]), imports, own)
        inner = f"{other}().load()" if other and other[0] == "C" else f"{other}()" if other and other[0] == "f" else None
        inner = f"{other}.load()" if other and other[0] == "o" else inner
        inner = inner or f"torch.zeros(1, device={self.place()})"
        default = self.place()
        lines = [f"def {name}(where={default}):"]
        if self.chance.random() < 0.4:
            lines.append("    torch.ones(1, device=where)")
        own.append((name, "function", module))
        return [*lines, f"    return {inner}"]

    def an_object(self, module, imports, own):
        taken = self.taken("class", imports, own)
        if taken is None:
            return self.a_class(module, imports, own)
        name = self.name("o")
        lines = [f"{name} = {taken}()"]
        if self.chance.random() < 0.3:
            lines.append(f"{name}.place = {self.place()}")
        own.append((name, "object", module))
        return lines

    def a_change(self, module, imports, own):
        """An attribute of a class of another module that is set from here."""
        taken = self.taken("class", imports, own)
        if taken is None:
            return self.a_class(module, imports, own)
        return [f"{taken}.place = {self.place()}"]

    def a_registry(self, module, imports, own):
        taken = [self.taken("class", imports, own) for _ in range(2)]
        taken = sorted({one for one in taken if one})
        if not taken:
            return self.a_class(module, imports, own)
        name = self.name("f")
        kinds = self.chance.choice(["list", "dict"])
        held = ", ".join(taken) if kinds == "list" else ", ".join(f'"{one}": {one}' for one in taken)
        table = f"TABLE{self.number} = {'[' if kinds == 'list' else '{'}{held}{']' if kinds == 'list' else '}'}"
        each = f"TABLE{self.number}" if kinds == "list" else f"TABLE{self.number}.values()"
        own.append((name, "function", module))
        return [table, "", f"def {name}():", f"    for one in {each}:", "        one().load()"]

    def run(self):
        lines = ["import settings", ""]
        device = self.chance.choice(["cuda:0", "cuda:1", "cuda:2", "cpu"])
        lines.append(f'settings.PLACE = "{device}"' if self.chance.random() < 0.8 else f'settings.KIND = "{device}"')
        ways = []
        for _ in range(self.chance.randint(1, 4)):
            name, what, module = self.chance.choice(self.offered)
            use = {"class": f"{name}().load()", "object": f"{name}.load()", "function": f"{name}()"}[what]
            ways.append([f"from {module} import {name}", "", use])
        for way in ways:
            if self.chance.random() < 0.25:
                lines += ['if os.environ.get("STAGE"):', *(f"    {line}" for line in way if line)]
            elif self.chance.random() < 0.2:
                lines += [self.later(), *way]
            else:
                lines += way
        return MASKED + "\n".join(lines) + "\n"

    def later(self):
        # Two literals with one text are one value, and either may be shown.
        self.number += 1
        return f'settings.PLACE = "cuda:{10 + self.number}"'


TORCH = """
import atexit
used = set()
def zeros(*shape, device="cpu"):
    used.add(device)
ones = zeros
atexit.register(lambda: print(*sorted(used)))
"""


def options(description, count):
    """The options of a script that looks at generated projects, `count` of them unless it is told otherwise."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--gpulint", type=pathlib.Path, required=True)
    parser.add_argument("--seed", type=int, default=1, help="the first of the seeds")
    parser.add_argument("--count", type=int, default=count, help="how many projects")
    parser.add_argument("--jobs", type=int, default=2)
    return parser


def findings_in(folder, gpulint, *more, environment=None):
    """What gpulint finds in a folder, as it says it in JSON."""
    command = [gpulint, "check", "--isolated", "--no-cache", "--format", "json", *more, "."]
    run = subprocess.run(command, cwd=folder, env=environment, capture_output=True)
    if run.returncode not in (0, 1):
        sys.exit(f"gpulint fails: {run.stderr.decode(errors='replace')}")
    return json.loads(run.stdout)["findings"]


def main():
    arguments = options(__doc__, 100).parse_args()
    gpulint = str(arguments.gpulint.resolve())
    tasks = [(gpulint, arguments.seed + number) for number in range(arguments.count)]
    with multiprocessing.Pool(arguments.jobs) as pool:
        answers = pool.map(judge, tasks, chunksize=4)
    false, missed = ([(seed, one[which]) for (_, seed), one in zip(tasks, answers) if one[which]] for which in (0, 1))
    for what, seeds in (("said, and not taken", false), ("taken, and not said", missed)):
        for seed, devices in seeds:
            print(f"seed {seed}: {what}: {devices}")
    print(f"of {arguments.count} projects {len(false)} have a finding that is false, {len(missed)} miss one")
    return 1 if false else 0


def judge(task):
    gpulint, seed = task
    with tempfile.TemporaryDirectory(prefix="gpulint-families-") as name:
        folder = pathlib.Path(name)
        files = program(seed)
        for path, text in files.items():
            (folder / path).write_text(text)
        found = [one for one in findings_in(folder, gpulint) if one["rule"] == "device-outside-mask"]
        said = {(one["path"], re.search(r"uses `(.+?)`", one["message"]).group(1)) for one in found}
        (folder / "torch.py").write_text(TORCH)
        started = sorted(path for path in files if path.startswith("run"))
        taken = {(path, device) for path in started for stage in ("", "1") for device in taken_by(folder, path, stage)}
    taken = {(path, device) for path, device in taken if device not in ("cpu", "cuda:0")}
    return sorted(said - taken), sorted(taken - said)


def taken_by(folder, path, stage):
    environment = dict(os.environ, STAGE=stage, PYTHONDONTWRITEBYTECODE="1")
    run = subprocess.run([sys.executable, path], cwd=folder, env=environment, capture_output=True, text=True)
    return run.stdout.split()


if __name__ == "__main__":
    sys.exit(main())
