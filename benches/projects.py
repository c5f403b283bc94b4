#!/usr/bin/env python3
"""How long `gpulint check` takes on published repositories, beside ruff with two rules, and on code that is made to be slow.

    benches/projects.py FOLDER [--from DIR] [--rounds 5] [--only NAME,…] [--hook N] [--json FILE] [--limit 600]

FOLDER receives pinned commits of the repositories below on the first run, one monorepo of five packages of PyPI side by side, and
the generated shapes. `--from` takes the repositories from a folder of git directories instead, found by their paths below DIR:
NAME, NAME.git, OWNER/NAME, OWNER+NAME/repo and the like. What is there already is left alone. Files of more than 2 MB and
symbolic links are left out. What cannot be had is named, and the others are measured.

GPULINT names the binary and defaults to the build with the profile of releases, RUFF names ruff and defaults to the one on PATH;
RAYON_NUM_THREADS is passed on. What is printed is Markdown.

For each project gpulint and ruff run in turn; which begins alternates, so that a busy moment of the machine hits both. The first
round warms the disk cache and is not counted. Figures are medians. Ratios are gpulint / ruff, and those "of .py" are for a copy
of the project (hard links) that has only its `.py` files: gpulint also reads launchers, notebooks and settings. The memory is the
most that the process had by itself. `cut` counts the programs that were not followed to their end. `bodies` is how often the body
of a function was executed for each that is distinct, and `modules` the same of modules; both need a gpulint that writes its
counts to the file that GPULINT_WORK names, and so do `steps`.

`--hook N` asks what a commit costs: N files of each project, drawn with a fixed seed. A copy of the project becomes a git
repository with one commit, and a check of all files fills a cache of its own. Then one file is changed and staged, the hook's command
checks it, and the file is put back: a comment at its end, a statement in the body of a function, a statement at its end.

The shapes at the end have no project behind them. Each doubles twice, and `x` is the growth since the size before: 2.0 is linear.
A card is reached at the end of each without an order of the cards, which is a finding: where there is none, the shape was not
followed to its end.
A run that takes longer than `--limit` seconds is ended, and larger sizes of the shape are left out.
`--only` takes names of projects and of shapes; `--list` prints them.
"""

import argparse
import ast
import datetime
import json
import os
import pathlib
import platform
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import zipfile

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent

# Name, repository on GitHub, commit, and what kind of project it is.
PROJECTS = [
    ("accelerate", "huggingface/accelerate", "16cb6eb80dd9aa8b4df1a63ef57863e455d53b83", "library"),
    ("bark", "suno-ai/bark", "f4f32d4cd480dfec1c245d258174bc9bde3c2148", "application"),
    ("DeepLearningExamples", "NVIDIA/DeepLearningExamples", "729963dd47e7c8bd462ad10bfac7a7b0b604e6dd", "launchers"),
    ("deep-person-reid", "KaiyangZhou/deep-person-reid", "f8cd150fdf77e8d9e1ed143b7f308c2c609ded50", "research"),
    ("DeepSpeed", "microsoft/DeepSpeed", "38327e07f6cd39b63418f60cedd1651b0be3e7c3", "training framework"),
    ("DeepSpeedExamples", "microsoft/DeepSpeedExamples", "83757d9c937daabd1089a08051061706cb73900d", "launchers"),
    ("detectron2", "facebookresearch/detectron2", "02b5c4e295e990042a714712c21dc79b731e8833", "training framework"),
    ("diffusers", "huggingface/diffusers", "58eb52c0803ea9af3abec60841c2a093bdf1f951", "library"),
    ("fairseq", "facebookresearch/fairseq", "3d262bb25690e4eb2e7d3c1309b1e9c406ca4b99", "training framework"),
    ("FastChat", "lm-sys/FastChat", "0e6d3e4beaab66f4d3f93db72541a4abab8af28d", "server"),
    ("GroundingDINO", "IDEA-Research/GroundingDINO", "856dde20aee659246248e20734ef9ba5214f5e44", "research"),
    ("guided-diffusion", "openai/guided-diffusion", "22e0df8183507e13a7813f8d38d51b072ca1e67c", "research"),
    ("ignite", "pytorch/ignite", "de08e799cfb55a6cf4aa778575d6bad725385453", "training framework"),
    ("litgpt", "Lightning-AI/litgpt", "26857050fe3ff627cd714fe92f5838f51a3d5efa", "training"),
    ("LLaMA-Factory", "hiyouga/LLaMA-Factory", "ff6d4d12eeb035d6ce06805a5733dd7b29f2ac30", "training"),
    ("LLaVA", "haotian-liu/LLaVA", "c121f0432da27facab705978f83c4ada465e46fd", "research"),
    ("LLMs-from-scratch", "rasbt/LLMs-from-scratch", "28c65cdfbc3338e2e040016eea4b7fdf556e4d57", "notebooks"),
    ("mamba", "state-spaces/mamba", "e9594ce1c732d97440f0332fdc43170a2294dbfa", "kernels"),
    ("Megatron-LM", "NVIDIA/Megatron-LM", "d98e8a64ddf34856e74b24714e3bedb2f5a39553", "training framework"),
    ("mmengine", "open-mmlab/mmengine", "254342938d9bde1775c39ea7d5181c5d294026c4", "training framework"),
    ("nanoGPT", "karpathy/nanoGPT", "3adf61e154c3fe3fca428ad6bc3818b27a3b8291", "training"),
    ("nerfstudio", "nerfstudio-project/nerfstudio", "50e0e3c70c775e89333256213363badbf074f29d", "application"),
    ("peft", "huggingface/peft", "5d602fdbff04c33c1c4de55cda9d4ae1d7cb7e40", "library"),
    ("pytorch-examples", "pytorch/examples", "77f55b912142e11fcfdf5b530231fb9c52f181e8", "examples"),
    ("pytorch-image-models", "rwightman/pytorch-image-models", "899aa9420c60223cdd30ad345badec40c9021b0f", "library"),
    ("pytorch-lightning", "Lightning-AI/pytorch-lightning", "7f0c3436cd3f6ad3753125672024fc415cbcb414", "training framework"),
    (
        "RVC-WebUI",
        "RVC-Project/Retrieval-based-Voice-Conversion-WebUI",
        "4338f12c3c28c80b3ac015e2d0df66c41592746d",
        "application",
    ),
    ("sd-scripts", "kohya-ss/sd-scripts", "48d368fa557731ad0488c07304dfeba8c07910eb", "training"),
    ("text-generation-webui", "oobabooga/text-generation-webui", "1dcde41d03d13fc768316f4d2256a8a6dd044268", "application"),
    ("Time-Series-Library", "thuml/Time-Series-Library", "4e938a1767106324dd753b2a44832bf870a0252e", "launchers"),
    ("trl", "huggingface/trl", "f2cd57710ae345ea6428ae95363267fcf38a3dc8", "training framework"),
    ("TTS", "coqui-ai/TTS", "dbf1a08a0d4e47fdad6172e433eeb34bc6b13b4e", "training"),
    ("whisper", "openai/whisper", "c0d2f624c09dc18e709e37c2ad90c039a4eb72a2", "application"),
    ("whisperX", "m-bain/whisperX", "2cfd7b7c5c7bba144954364db747319b50e8232b", "application"),
    ("yolov5", "ultralytics/yolov5", "5081342f04fb287fc2e5f2b5a4e06752b7937b1c", "training"),
]

# A monorepo of packages side by side. Wheels of compiled code are for a platform; their Python files are the same in all of them.
MONOREPO = "five-packages"
MONOREPO_PACKAGES = [
    ("transformers", "5.23.0", []),
    ("TTS", "0.22.0", ["manylinux1_x86_64"]),
    ("lightning", "2.6.6", []),
    ("vllm", "0.20.2", ["manylinux_2_31_x86_64", "manylinux_2_35_x86_64"]),
    ("diffusers", "0.42.1", []),
]
MOST_BYTES = 2_000_000
RUFF_OPTIONS = ["check", "--no-cache", "--isolated", "--select", "F401,TID253", "-q"]
GPULINT_OPTIONS = ["check", "--isolated", "--no-cache", "--format", "json"]

# What a run counts beside seconds and bytes.
COUNTS = ["cut", "skipped", "findings", "work"]

# What a project may take, where ruff takes less than SMALL seconds.
SMALL, FACTOR, PLUS = 0.1, 1.5, 0.03

# Starts one program and says what it took. A process of its own, since what the kernel calls the most memory of a program is at
# least that of the process which started it, and this script reads long reports.
MEASURE = """
import os, signal, sys, time
out, err, limit, *command = sys.argv[1:]
new = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
actions = [(os.POSIX_SPAWN_OPEN, 1, out, new, 0o600), (os.POSIX_SPAWN_OPEN, 2, err, new, 0o600)]
late = []
started = time.perf_counter()
pid = os.posix_spawn(command[0], command, os.environ, file_actions=actions)
signal.signal(signal.SIGALRM, lambda *_: (late.append(1), os.kill(pid, signal.SIGKILL)))
signal.alarm(int(limit))
_, status, usage = os.wait4(pid, 0)
wall = time.perf_counter() - started
signal.alarm(0)
print(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, os.waitstatus_to_exitcode(status), len(late))
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--from", dest="origin", type=pathlib.Path, metavar="DIR", help="a folder of git directories")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", help="names of projects and shapes, with commas between")
    parser.add_argument("--hook", type=int, default=0, metavar="N", help="also measure N changed files of each project")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="also write all figures to FILE")
    parser.add_argument("--limit", type=int, default=600, metavar="SECONDS", help="a run that takes longer is ended")
    parser.add_argument("--list", action="store_true", help="print the names of projects and shapes")
    parser.add_argument("--fetch-only", action="store_true")
    arguments = parser.parse_args()
    names = [name for name, *_ in PROJECTS] + [MONOREPO]
    if arguments.list:
        print("\n".join([*names, *SHAPES]))
        return
    wanted = arguments.only.split(",") if arguments.only else [*names, *SHAPES]
    unknown = [name for name in wanted if name not in names and name not in SHAPES]
    if unknown:
        sys.exit(f"not known: {', '.join(unknown)}; see --list")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    folder = arguments.folder.resolve()
    folders, missing = fetched(folder, arguments.origin, wanted)
    if arguments.fetch_only:
        sys.exit(f"not there: {', '.join(missing)}" if missing else 0)
    bench = Bench(arguments.limit)
    document = {
        "date": datetime.date.today().isoformat(),
        "machine": {"cores": os.cpu_count(), "threads": bench.threads, "platform": platform.platform()},
        "gpulint": bench.gpulint_version,
        "ruff": bench.ruff_version,
        "rounds": arguments.rounds,
    }
    print(
        f"{os.cpu_count()} cores, {bench.threads} threads, {platform.platform()}, {document['date']}, "
        f"{bench.gpulint_version}, {bench.ruff_version}, {arguments.rounds} rounds, medians."
    )
    if missing:
        print(f"\nNot there, so not measured: {', '.join(missing)}.")
    if folders:
        document["projects"] = projects_part(bench, folder, folders, arguments.rounds)
    if folders and arguments.hook:
        document["hook"] = hook_part(bench, folders, arguments.hook)
    shapes = [name for name in SHAPES if name in wanted]
    if shapes:
        document["shapes"] = shapes_part(bench, folder / "shapes", shapes, arguments.rounds)
    bench.close()
    if arguments.json:
        arguments.json.write_text(json.dumps(document, indent=2) + "\n")


# The projects -----------------------------------------------------------------------------------------------------------


def fetched(folder, origin, wanted):
    """The folders of the wanted projects by name, and the names of those that cannot be had."""
    known = git_directories(origin) if origin else []
    folders, missing = {}, []
    for name, repository, commit, _ in PROJECTS:
        if name in wanted:
            # Another pin is another folder.
            target = folder / f"{name}-{commit[:8]}"
            try:
                if not target.exists():
                    fetch(target, repository, commit, known if origin else None)
                folders[name] = target
            except (LookupError, OSError, subprocess.CalledProcessError) as error:
                say(f"{name}: {reason_of(error)}")
                missing.append(name)
    if MONOREPO in wanted:
        try:
            folders[MONOREPO] = monorepo(folder)
        except (OSError, subprocess.CalledProcessError) as error:
            say(f"{MONOREPO}: {reason_of(error)}")
            missing.append(MONOREPO)
    return folders, missing


def reason_of(error):
    # What the command said is above.
    return f"{error.cmd[0]} failed" if isinstance(error, subprocess.CalledProcessError) else error


def partial_of(target):
    """Where a folder is made that is to appear whole or not at all. What an earlier try left there is removed."""
    partial = target.with_name(target.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    return partial


def fetch(target, repository, commit, known):
    """Writes the files of one commit. `known` are git directories to take it from; `None` is GitHub."""
    stored = None if known is None else directory_of(repository, commit, known)
    say(f"fetching {repository} {commit[:8]}")
    partial = partial_of(target)
    subprocess.run(["git", "init", "-q", partial], check=True)
    if stored is None:
        git_directory = partial / ".git"
        url = f"https://github.com/{repository}"
        subprocess.run(["git", "-C", partial, "fetch", "-q", "--depth", "1", url, commit], check=True)
    else:
        git_directory = stored
    write_files(git_directory, commit, partial)
    partial.rename(target)


def git_directories(origin, depth=3):
    """The git directories below a folder, with the words of their paths: owner and name are the last two, or the name alone."""
    found = []

    def look(folder, words, left):
        names = {entry.name for entry in folder.iterdir()}
        if {"HEAD", "objects", "refs"} <= names:
            found.append((folder, words))
        elif ".git" in names and (folder / ".git").is_dir():
            found.append((folder / ".git", words))
        elif left:
            for name in sorted(names):
                child = folder / name
                if child.is_dir() and not child.is_symlink():
                    plain = name.lower().removesuffix(".git")
                    more = [] if plain in ("repo", "") else re.split(r"\+|__", plain)
                    look(child, words + more, left - 1)

    look(origin.resolve(), [], depth)
    return found


def directory_of(repository, commit, known):
    """The git directory of a repository that has the commit."""
    owner, name = repository.lower().split("/")
    ends = [path for path, words in known if words[-2:] == [owner, name]]
    ends += [path for path, words in known if words[-1:] == [name] and path not in ends]
    for path in ends:
        if git(path, "cat-file", "-e", f"{commit}^{{tree}}", check=False).returncode == 0:
            return path
    raise LookupError(f"{commit[:8]} is in none of {len(ends)} git directories of that name")


def git(directory, *command, check=True, **options):
    # Snapshots may lack large blobs: none is to be asked for.
    environment = {**os.environ, "GIT_NO_LAZY_FETCH": "1"}
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, **options}
    return subprocess.run(["git", "--git-dir", directory, *command], check=check, env=environment, **options)


def write_files(git_directory, commit, folder):
    """Writes the blobs of a commit that are there and not large. `git archive` would fail where one is absent."""
    entries = []
    for line in git(git_directory, "ls-tree", "-r", "-z", "-l", commit).stdout.split(b"\0"):
        if line:
            about, path = line.split(b"\t", 1)
            mode, kind, oid, size = about.split()
            if kind == b"blob" and mode != b"120000" and size.isdigit() and int(size) <= MOST_BYTES:
                entries.append((oid, path))
    with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as answers:
        asked.write(b"".join(oid + b"\n" for oid, _ in entries))
        asked.seek(0)
        git(git_directory, "cat-file", "--batch", stdin=asked, stdout=answers)
        answers.seek(0)
        for _, path in entries:
            about = answers.readline().split()
            if about[1] == b"missing":
                continue
            text = answers.read(int(about[2]))
            answers.read(1)
            path = folder / os.fsdecode(path)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text)


def monorepo(folder):
    target = folder / "-".join([MONOREPO, *(version for _, version, _ in MONOREPO_PACKAGES)])
    if target.exists():
        return target
    partial = partial_of(target)
    for name, version, platforms in MONOREPO_PACKAGES:
        say(f"fetching {name} {version}")
        with tempfile.TemporaryDirectory(dir=folder) as wheels:
            options = [word for tag in platforms for word in ("--platform", tag)]
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
            # Python 3.11 is the newest for which every one of these exists as a wheel.
            command += ["--only-binary", ":all:", "--python-version", "3.11", *options]
            subprocess.run([*command, "--dest", wheels, f"{name}=={version}"], check=True)
            (wheel,) = pathlib.Path(wheels).glob("*.whl")
            with zipfile.ZipFile(wheel) as archive:
                small = [info for info in archive.infolist() if info.file_size <= MOST_BYTES]
                archive.extractall(partial / f"{name}-{version}", small)
    subprocess.run(["git", "init", "-q", partial], check=True)
    partial.rename(target)
    return target


def python_files(folder):
    paths = (path for path in folder.rglob("*.py") if path.is_file())
    return sorted(path for path in paths if path.relative_to(folder).parts[0] != ".git")


def python_alone(folder, target):
    """A copy of the project with only its `.py` files, as links."""
    if target.exists():
        return target
    partial = partial_of(target)
    for path in python_files(folder):
        link = partial / path.relative_to(folder)
        link.parent.mkdir(parents=True, exist_ok=True)
        os.link(path, link)
    subprocess.run(["git", "init", "-q", partial], check=True)
    partial.rename(target)
    return target


# Measuring --------------------------------------------------------------------------------------------------------------


class Bench:
    """The two programs, and one run of either."""

    def __init__(self, limit):
        target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target"))
        gpulint = pathlib.Path(os.environ.get("GPULINT") or target / "dist/gpulint").resolve()
        if not gpulint.exists():
            sys.exit(f"{gpulint} is not there: cargo build --profile dist --locked, or set GPULINT")
        ruff = shutil.which(os.environ.get("RUFF", "ruff"))
        if not ruff:
            sys.exit("ruff is not on PATH: install it, or set RUFF")
        self.gpulint, self.ruff, self.limit = str(gpulint), str(pathlib.Path(ruff).resolve()), limit
        self.gpulint_version, self.ruff_version = version_of(self.gpulint), version_of(self.ruff)
        self.threads = os.environ.get("RAYON_NUM_THREADS", os.cpu_count())
        self.scratch = tempfile.TemporaryDirectory(prefix="gpulint-projects-")

    def close(self):
        self.scratch.cleanup()

    def run(self, command, folder, **variables):
        """Seconds and bytes of one run, what it counted, and its report where that is JSON."""
        scratch = pathlib.Path(self.scratch.name)
        out, err, work = scratch / "out", scratch / "err", scratch / "work"
        work.unlink(missing_ok=True)
        measure = [sys.executable, "-I", "-S", "-c", MEASURE, out, err, str(self.limit), *command]
        environment = {**os.environ, "GPULINT_WORK": str(work), **variables}
        said = subprocess.run(measure, cwd=folder, env=environment, check=True, stdout=subprocess.PIPE).stdout.split()
        wall, processor, memory, code, late = (float(word) for word in said)
        unit = 1 if sys.platform == "darwin" else 1024
        run = {"wall": wall, "processor": processor, "memory": int(memory) * unit}
        run |= dict.fromkeys(["failed", *COUNTS])
        if late:
            run["failed"] = f"over {self.limit} s"
        elif code not in (0, 1):
            run["failed"] = f"exit code {code:.0f}"
            end = err.read_text(errors="replace").strip().splitlines()[-1:]
            say(f"{folder.name}: {' '.join(map(str, command))}: {run['failed']}: {' '.join(end)}")
        elif "json" in command:
            report = json.loads(out.read_bytes())
            files = report.get("files", {})
            run["cut"], run["skipped"] = len(files.get("unfinished", [])), len(files.get("skipped", []))
            run["findings"] = len(report["findings"])
        if work.exists():
            run["work"] = json.loads(work.read_text().splitlines()[-1])
        return run

    def check(self, folder):
        return self.run([self.gpulint, *GPULINT_OPTIONS, "."], folder)

    def check_with_ruff(self, folder):
        return self.run([self.ruff, *RUFF_OPTIONS, "."], folder)


def version_of(program):
    return subprocess.run([program, "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def median_of(runs):
    """Medians of the seconds and bytes of runs that ended, and what the last one counted."""
    failed = next((run["failed"] for run in runs if run["failed"]), None)
    medians = {key: statistics.median(run[key] for run in runs) for key in ("wall", "processor", "memory")}
    return {**medians, "failed": failed, **{key: runs[-1][key] for key in COUNTS}}


def projects_part(bench, folder, folders, rounds):
    (folder / "python-alone").mkdir(exist_ok=True)
    kinds = {name: kind for name, _, _, kind in PROJECTS}
    rows = []
    head = ["project", "kind", ".py files", "processor", "ruff", "ratio", "wall", "ruff", "ratio"]
    head += ["processor of .py", "wall of .py", "memory", "ruff", "cut", "steps", "bodies", "modules"]
    print_head("Published projects", head)
    for name, project in folders.items():
        say(f"measuring {name}")
        alone = python_alone(project, folder / "python-alone" / project.name)
        measured = in_turn(bench, project, alone, rounds)
        row = {"name": name, "kind": kinds.get(name, "monorepo"), "files": len(python_files(project)), **measured}
        row["ratios"] = {
            measure + of: ratio(row["gpulint" + of], row["ruff" + of], measure)
            for measure in ("processor", "wall")
            for of in ("", " of .py")
        }
        rows.append(row)
        print_row(project_cells(row))
    print()
    for line in summary(rows):
        print(line)
    return rows


def in_turn(bench, project, alone, rounds):
    """The medians of both programs on both trees. A program that fails is not run again."""
    commands = {
        "gpulint": lambda: bench.check(project),
        "ruff": lambda: bench.check_with_ruff(project),
        "gpulint of .py": lambda: bench.check(alone),
        "ruff of .py": lambda: bench.check_with_ruff(alone),
    }
    runs = {name: [] for name in commands}
    for round_number in range(rounds + 1):
        order = ["gpulint", "ruff"] if round_number % 2 else ["ruff", "gpulint"]
        for name in [*order, *(name + " of .py" for name in order)]:
            if not any(run["failed"] for run in runs[name]):
                runs[name].append(commands[name]())
    # The first warms the caches of the disk.
    return {name: median_of(measured[1:] or measured) for name, measured in runs.items()}


def ratio(own, other, measure):
    return None if own["failed"] or other["failed"] else own[measure] / other[measure]


def project_cells(row):
    own, other, ratios = row["gpulint"], row["ruff"], row["ratios"]
    cells = [row["name"], row["kind"], f"{row['files']:,}"]
    for measure in ("processor", "wall"):
        cells += [seconds(own, measure), seconds(other, measure), times(ratios[measure])]
    cells += [times(ratios["processor of .py"]), times(ratios["wall of .py"])]
    cells += [f"{own['memory'] / 1e6:.0f} MB", f"{other['memory'] / 1e6:.0f} MB"]
    work = own["work"]
    cells += [count(own["cut"]), count(work and work["steps"])]
    return cells + [each(work, "bodies"), each(work, "modules")]


def summary(rows):
    for measure, of in [(measure, of) for measure in ("processor", "wall") for of in ("", " of .py")]:
        key, name = measure + of, f"{measure} time" + (f", {of.strip()}" if of else "")
        name = name.replace("of .py", "`.py` files alone")
        known = [row for row in rows if row["ratios"][key] is not None]
        large = [row for row in known if row["ruff" + of][measure] >= SMALL]
        small = [row for row in known if row["ruff" + of][measure] < SMALL]
        if large:
            worst = max(large, key=lambda row: row["ratios"][key])
            median = statistics.median(row["ratios"][key] for row in large)
            print_last = f"median {times(median)}, worst {times(worst['ratios'][key])} ({worst['name']})"
            yield f"- {name}: {len(large)} projects where ruff takes at least {SMALL} s: {print_last}"
        if small:
            within = [r for r in small if r["gpulint" + of][measure] <= FACTOR * r["ruff" + of][measure] + PLUS]
            others = [row["name"] for row in small if row not in within]
            beyond = f"; not {', '.join(others)}" if others else ""
            yield (
                f"- {name}: {len(within)} of {len(small)} smaller ones within {FACTOR} × ruff and {PLUS * 1000:.0f} ms{beyond}"
            )
    failed = [f"{row['name']} ({row['gpulint']['failed']})" for row in rows if row["gpulint"]["failed"]]
    if failed:
        yield f"- not ended, or failed: {', '.join(failed)}"
    cut = {row["name"]: row["gpulint"]["cut"] for row in rows if row["gpulint"]["cut"]}
    yield f"- programs cut off: {sum(cut.values())}" + (f" in {len(cut)} projects" if cut else "")
    most = max(rows, key=lambda row: row["gpulint"]["memory"])
    yield f"- most memory: {most['gpulint']['memory'] / 1e6:.0f} MB ({most['name']})"


def seconds(run, measure="wall"):
    return run["failed"] or f"{run[measure]:.3f} s"


def times(number):
    return "-" if number is None else f"{number:.2f}"


def count(number):
    return "-" if number is None else f"{number:,}"


def each(work, what):
    """How often one was executed."""
    if not work or not work.get(f"distinct_{what}"):
        return "-"
    return f"{work[what] / work[f'distinct_{what}']:.1f}"


def print_head(title, columns):
    print(f"\n## {title}\n")
    print_row(columns)
    print("|" + "---|" * len(columns), flush=True)


def print_row(cells):
    print(f"| {' | '.join(cells)} |", flush=True)


def say(line):
    print(line, file=sys.stderr, flush=True)


# Few changed files ------------------------------------------------------------------------------------------------------


def hook_part(bench, folders, number):
    rows = []
    kinds = [f"{kind}, {what}" for kind in CHANGES for what in ("median", "worst")]
    print_head(
        f"One changed file under the commit hook, {number} of each project, processor time",
        ["project", "whole check", "nothing changed", *kinds, "worst file"],
    )
    for name, project in folders.items():
        say(f"hook: {name}")
        with tempfile.TemporaryDirectory(prefix="gpulint-hook-") as folder:
            copy = pathlib.Path(folder) / "project"
            shutil.copytree(project, copy, symlinks=True)
            in_work_tree(copy, "init", "--quiet")
            in_work_tree(copy, "add", "--all", "--force")
            in_work_tree(copy, "commit", "--quiet", "--message", "all")
            files = python_files(copy)
            files = random.Random(f"hook {name}").sample(files, min(number, len(files)))
            row = {"name": name, **hook_of(bench, copy, files, str(pathlib.Path(folder) / "cache"))}
        rows.append(row)
        whole, same = row["whole"], row["same"]
        if whole["failed"]:
            print_row([name, seconds(whole), *["-"] * (len(kinds) + 2)])
            continue
        all_runs = {(kind, file): run["processor"] for kind in CHANGES for file, run in row[kind].items()}
        worst = max(all_runs, key=all_runs.get, default=("", ""))[1]
        cells = [cell for kind in CHANGES for cell in middle_and_worst(row[kind])]
        print_row([name, f"{whole['processor']:.2f} s", f"{same['processor']:.3f} s", *cells, f"`{worst}`"])
    for kind in CHANGES:
        runs = {f"{row['name']}/{file}": run for row in rows for file, run in row[kind].items()}
        if runs:
            median, worst = middle_and_worst(runs)
            print(f"{chr(10) if kind == next(iter(CHANGES)) else ''}- {kind}, all files: median {median}, worst {worst}")
    return rows


def in_work_tree(folder, *words):
    who = ["-c", "user.name=bench", "-c", "user.email=bench@example.com", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def with_comment(text):
    return text + ("" if text.endswith("\n") else "\n") + "# changed\n"


def with_statement(text):
    return text + ("" if text.endswith("\n") else "\n") + "CHANGED = 1\n"


def with_another_body(text):
    """A statement more in the middle one of its functions; `None` where there is none."""
    try:
        functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    except SyntaxError:
        return None
    if not functions:
        return None
    last = functions[len(functions) // 2].body[-1]
    all_lines = text.split("\n")
    all_lines.insert(last.lineno - 1, " " * last.col_offset + "changed = 1")
    return "\n".join(all_lines)


CHANGES = {"comment": with_comment, "body": with_another_body, "statement": with_statement}


def hook_of(bench, project, files, cache):
    """The whole check that fills the cache, the hook with nothing changed, and its runs by kind of change and path."""
    def check(*words):
        return bench.run([bench.gpulint, "check", *words], project, XDG_CACHE_HOME=cache)

    row = {"whole": check("."), **{kind: {} for kind in CHANGES}}
    row["same"] = check("--staged", "--force-exclude")
    if row["whole"]["failed"]:
        return row
    for kind, change in CHANGES.items():
        for path in files:
            name = str(path.relative_to(project))
            text = path.read_bytes()
            changed = change(text.decode(errors="surrogateescape"))
            if changed is None:
                continue
            path.write_bytes(changed.encode(errors="surrogateescape"))
            in_work_tree(project, "add", "--force", "--", name)
            row[kind][name] = check("--staged", "--force-exclude", name)
            path.write_bytes(text)
            in_work_tree(project, "add", "--force", "--", name)
    return row


def middle_and_worst(runs):
    if not runs:
        return ["-", "-"]
    times = [run["processor"] for run in runs.values()]
    failed = next((run["failed"] for run in runs.values() if run["failed"]), None)
    return [f"{statistics.median(times):.3f} s", failed or f"{max(times):.3f} s"]


# Shapes -----------------------------------------------------------------------------------------------------------------


def lines(*parts):
    return "\n".join([*parts, ""])


USE = ["import torch", 'print(torch.zeros(1, device="cuda:0"))']
# Without an order, so that there is one thing to find where the card is reached.
PIN = ["import os", 'os.environ["CUDA_VISIBLE_DEVICES"] = "1"']


def branches(n):
    """Conditions that are not known, each with another mask."""
    text = [*PIN]
    for k in range(n):
        text += [f'if os.environ.get("FLAG_{k}"):', f'    os.environ["CUDA_VISIBLE_DEVICES"] = "{k}"']
    return {"main.py": lines(*text, *USE)}


def clique(n):
    """Modules that all import each other."""
    files = {"main.py": lines(*PIN, "import m_0", "print(m_0.run(3))")}
    for k in range(n):
        imports = [f"import m_{other}" for other in range(n) if other != k]
        run = ["import torch", "def run(depth):", "    if depth > 0:", f"        return m_{(k + 1) % n}.run(depth - 1)"]
        files[f"m_{k}.py"] = lines(*imports, *run, '    return torch.zeros(1, device="cuda:0")')
    return files


def calls(n):
    """A function that calls one that calls one …"""
    text = [*PIN, "import torch"]
    for k in range(n - 1):
        text += [f"def step_{k}(rows):", f"    return step_{k + 1}(rows)"]
    text += [f"def step_{n - 1}(rows):", '    return torch.tensor(rows, device="cuda:0")', "print(step_0([1]))"]
    return {"main.py": lines(*text)}


def imports(n):
    """A module that imports one that imports one …"""
    files = {"main.py": lines(*PIN, "import m_0", "print(m_0.run())")}
    for k in range(n - 1):
        files[f"m_{k}.py"] = lines(f"import m_{k + 1}", "def run():", f"    return m_{k + 1}.run()")
    files[f"m_{n - 1}.py"] = lines(*USE, "def run():", '    return torch.device("cuda:0")')
    return files


def long_file(n):
    """One file of so many lines: functions, calls of them, and a table."""
    text = [*PIN, "import torch", "TABLE = {}"]
    for k in range((n - len(text) - 1) // 10):
        text += [
            f"def part_{k}(rows, scale={k}):",
            "    total = 0",
            "    for row in rows:",
            "        if row > scale:",
            "            total += row * scale",
            "    return total",
            f'TABLE["part_{k}"] = part_{k}',
            f"TOTAL_{k} = part_{k}([1, 2, {k}])",
            f"if TOTAL_{k} > {k}:",
            f'    TABLE["large_{k}"] = [TOTAL_{k}, {{"name": "part_{k}"}}]',
        ]
    return {"main.py": lines(*text, 'print(torch.zeros(1, device="cuda:0"))')}


def launchers(n):
    """Shell scripts that start the same script."""
    script = lines("import torch", 'if __name__ == "__main__":', '    torch.zeros(1, device="cuda:0")')
    files = {"train.py": script}
    for k in range(n):
        start = f"CUDA_VISIBLE_DEVICES={k % 8} python train.py --seed {k}"
        files[f"run_{k}.sh"] = lines("#!/bin/bash", start)
    return files


def appends(n):
    """Functions that each append to one list in a loop."""
    text = [*PIN, "import torch", "ROWS = []"]
    for k in range(n):
        text += [f"def add_{k}(names):", "    for name in names:", f'        ROWS.append((name, "{k}"))']
    text += ["for folder in os.listdir():", *(f"    add_{k}(os.listdir(folder))" for k in range(n))]
    return {"main.py": lines(*text, 'print(torch.zeros(len(ROWS), device="cuda:0"))')}


def nested_blocks(n):
    """An `if` in an `if` … Python itself allows 99 of them."""
    text = [*PIN]
    for k in range(n):
        text.append(f'{" " * k}if os.environ.get("FLAG_{k}"):')
    text.append(" " * n + 'os.environ["CUDA_VISIBLE_DEVICES"] = "0"')
    return {"main.py": lines(*text, *USE)}


def nested_loops(n):
    """A loop in a loop …, with a write in each."""
    text = [*PIN, "total = 0"]
    for k in range(n):
        text += [f"{' ' * k}for index_{k} in range(4):", f'{" " * (k + 1)}os.environ["CUDA_VISIBLE_DEVICES"] = str(index_{k})']
    text.append(" " * n + "total += 1")
    return {"main.py": lines(*text, *USE)}


def nested_expressions(n):
    """A call in a call …"""
    text = [*PIN, "import torch", "def same(value):", "    return value"]
    return {"main.py": lines(*text, "same(" * n + 'torch.zeros(1, device="cuda:0")' + ")" * n)}


def doubled_calls(n):
    """A function that calls the one before it twice: 2^n calls."""
    text = [*PIN, "import torch", "def step_0(rows):", "    return rows"]
    for k in range(1, n):
        text += [f"def step_{k}(rows):", f'    return step_{k - 1}(rows + ["a{k}"]) or step_{k - 1}(rows + ["b{k}"])']
    return {"main.py": lines(*text, f"step_{n - 1}([])", 'torch.zeros(1, device="cuda:0")')}


def doubled_texts(n):
    """A text that is put behind itself again and again: 2^n characters."""
    text = [*PIN, 'name = "run"', *["name = name + name"] * n, 'os.environ["RUN_NAME"] = name']
    return {"main.py": lines(*text, *USE)}


SHAPES = {
    "branches": (branches, 1_000),
    "clique": (clique, 100),
    "calls": (calls, 1_000),
    "imports": (imports, 1_000),
    "long-file": (long_file, 50_000),
    "launchers": (launchers, 2_500),
    "appends": (appends, 250),
    "nested-blocks": (nested_blocks, 250),
    "nested-loops": (nested_loops, 5),
    "nested-expressions": (nested_expressions, 250),
    "doubled-calls": (doubled_calls, 10),
    "doubled-texts": (doubled_texts, 10),
}


def shapes_part(bench, folder, names, rounds):
    folder.mkdir(exist_ok=True)
    rows = []
    head = ["shape", "size", "wall", "x", "processor", "x", "ruff, wall", "memory", "cut", "findings", "steps"]
    print_head("Shapes", head)
    for name in names:
        shape, first = SHAPES[name]
        before = None
        for size in (first, 2 * first, 4 * first):
            say(f"shape: {name} {size}")
            project = folder / f"{name}-{size}"
            if not project.exists():
                write_tree(project, shape(size))
            row = {"name": name, "size": size, **measured_shape(bench, project, rounds)}
            rows.append(row)
            own = row["gpulint"]
            growth = {
                measure: f"{own[measure] / before[measure]:.1f}" if before and not own["failed"] else ""
                for measure in ("wall", "processor")
            }
            cells = [name, f"{size:,}", seconds(own), growth["wall"], seconds(own, "processor"), growth["processor"]]
            cells += [seconds(row["ruff"]), f"{own['memory'] / 1e6:.0f} MB", count(own["cut"])]
            cells.append("a file skipped" if own["skipped"] else count(own["findings"]))
            print_row([*cells, count(own["work"] and own["work"]["steps"])])
            if own["failed"]:
                break
            before = own
    print()
    for name in names:
        print(f"- {name}: {SHAPES[name][0].__doc__}")
    return rows


def measured_shape(bench, project, rounds):
    runs = {"gpulint": [], "ruff": []}
    for _ in range(rounds):
        runs["gpulint"].append(bench.check(project))
        runs["ruff"].append(bench.check_with_ruff(project))
        # What takes so long is not measured for its milliseconds.
        if runs["gpulint"][-1]["failed"] or runs["gpulint"][-1]["wall"] > 20:
            break
    return {name: median_of(measured) for name, measured in runs.items()}


def write_tree(folder, files):
    partial = partial_of(folder)
    for name, text in files.items():
        path = partial / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    subprocess.run(["git", "init", "-q", partial], check=True)
    partial.rename(folder)


if __name__ == "__main__":
    main()
