#!/usr/bin/env python3
"""Holds what gpulint finds in generated programs with summaries against what it finds without them.

    tests/against_python/alike.py --gpulint BINARY [--seed S] [--count N] [--jobs N] [--families]

Each generated program is started by several files that import the same modules, in several environments, so that what one
of them does is known when the next is followed. Prints the seeds whose findings differ. Exit code: 0 when there are none, 1
when there are some, 2 when gpulint fails.
"""

import json
import multiprocessing
import os
import pathlib
import random
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import families
import generate

LAUNCHER = """#!/usr/bin/env bash
python main.py
CUDA_VISIBLE_DEVICES=1 python main.py
TORCH_HOME=/cache python main.py
CUDA_VISIBLE_DEVICES= python main.py
CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=0,1 python main.py
CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=1 python again.py
MODE=1 python later.py
"""


def main():
    parser = families.options(__doc__, 500)
    parser.add_argument("--families", action="store_true", help="programs that share modules with classes of each other's instead")
    arguments = parser.parse_args()
    gpulint = str(arguments.gpulint.resolve())
    write = write_family if arguments.families else write_started
    tasks = [(gpulint, arguments.seed + number, write) for number in range(arguments.count)]
    with multiprocessing.Pool(arguments.jobs) as pool:
        answers = pool.map(judge, tasks, chunksize=8)
    bad = [(seed, what) for (_, seed, _), what in zip(tasks, answers) if what]
    for seed, what in bad:
        print(f"seed {seed}: {what}")
    print(f"{len(bad)} of {arguments.count} programs are judged differently without summaries")
    return 1 if bad else 0


def judge(task):
    gpulint, seed, write = task
    folder = pathlib.Path(tempfile.mkdtemp(prefix="gpulint-alike-"))
    try:
        write(folder, seed)
        found, without = (findings(gpulint, folder, off) for off in (False, True))
        more, fewer = ([one for one in these if one not in others] for these, others in ((found, without), (without, found)))
        return f"only with {more[:2]}, only without {fewer[:2]}" if more or fewer else None
    finally:
        shutil.rmtree(folder)


def write_started(folder, seed):
    for name, text in generate.program(seed).items():
        (folder / name).write_text(with_children(text, seed))
    started = (folder / "main.py").read_text()
    (folder / "again.py").write_text(started)
    (folder / "later.py").write_text('import os\nos.environ["STAGE"] = "7"\n' + started)
    (folder / "start.sh").write_text(LAUNCHER)


def write_family(folder, seed):
    for name, text in families.program(seed).items():
        (folder / name).write_text(text)


def with_children(text, seed):
    """Half of what initialises CUDA starts a child instead: what a variable is set for depends on which of them comes next."""
    chosen = random.Random(seed)
    first, *rest = text.split("torch.cuda.init()")
    return first + "".join(chosen.choice(["torch.cuda.init()", '__import__("subprocess").run(["env"])']) + part for part in rest)


def findings(gpulint, folder, off):
    environment = {name: value for name, value in os.environ.items() if name != "GPULINT_NO_SUMMARIES"}
    # One worker, so that each program finds what all before it left.
    environment |= {"RAYON_NUM_THREADS": "1"} | ({"GPULINT_NO_SUMMARIES": "1"} if off else {})
    found = families.findings_in(folder, gpulint, "--min-severity", "note", environment=environment)
    for finding in found:
        # Where several ways lead there, either may be shown.
        del finding["related"]
    return [json.dumps(finding, sort_keys=True) for finding in found]


if __name__ == "__main__":
    sys.exit(main())
