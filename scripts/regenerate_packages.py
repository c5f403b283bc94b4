#!/usr/bin/env python3
"""Imports packages under a stand-in for the driver that logs, without a GPU, and writes what it saw into rules/packages.

    scripts/regenerate_packages.py [--write] [--python 3.10] [NAME=VALUE ]PACKAGE[==VERSION][,PIN…][+BESIDE…][:MODULE,MODULE…] …
    scripts/regenerate_packages.py --write numba==0.68.1:numba,numba.cuda spacy==3.8.18+torch kornia==0.6.8,torch==1.13.1 \
        "KERAS_BACKEND=torch keras==3.15.1+torch"
    scripts/regenerate_packages.py --old

PACKAGE is what pip installs. PINs say which versions of its own requirements it gets, and BESIDE are packages that it does not
require and that are installed all the same, where it depends on them what the import does. MODULEs are what is imported, where
that is not the package's own name. NAME=VALUE, in the same argument, is a variable that decides what the import does. Each PACKAGE
gets a fresh virtual environment (made by uv where there is one, else by venv and pip), and each module a fresh process: one that
compiles, and one that is watched.

A run says: which GPU libraries are in sys.modules afterwards; what reached the driver (`contact`: none, nvml or cuda-init; for JAX
and TensorFlow also that they looked for their devices, since their builds for the CPU have no driver); which variables of
rules/environment.yaml were asked for (`reads`; by Python code only while they were not set), and which variables the import set; the threads that are
left when it is done, the programs that it started, and whether it forked; the seconds that it took. Without --write it only says
where rules/packages differs from what it saw.

Where a GPU library was imported, the same process initialises CUDA on purpose afterwards, and a run whose log does not show that is
thrown away: its contact of `none` would say nothing.

It needs Linux, cc, and an index of packages; no test runs it, and only reading and writing the table is tested (--self-test). What
it cannot show: what a real driver answers, and what a package does only where a device is found. OPENBLAS_NUM_THREADS is 1, so
that the threads of numpy's library, which depend on the machine, are not counted.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
SCRIPTS = REPOSITORY / "scripts"
TABLE = REPOSITORY / "rules/packages"
GPU_LIBRARIES = [
    "ctranslate2", "cudf", "cupy", "jax", "numba.cuda", "onnxruntime", "paddle", "pycuda", "pynvml", "tensorflow", "torch",
    "torchaudio", "torchvision", "triton",
]  # fmt: skip
# What pip calls them, where that is not the same.
DISTRIBUTIONS = {"numba.cuda": "numba", "paddle": "paddlepaddle", "pynvml": "nvidia-ml-py"}
# How a file says that it was checked.
BY_RUNS = "by the runs below, each repeated by its command"
# How the environment of the watched process differs from an empty one; what it sets itself is no finding.
PLAIN = {"OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "", "LANG": "C.UTF-8"}


class Wanted:
    """What one argument asks for."""

    def __init__(self, text):
        *variables, text = text.split(" ")
        self.env = dict(variable.split("=", 1) for variable in variables)
        text, _, modules = text.partition(":")
        text, *self.beside = text.split("+")
        self.package, *self.pins = text.split(",")
        self.name = re.split(r"[\[<>=!~ ]", self.package)[0]
        self.modules = [module for module in modules.split(",") if module] or [self.name.replace("-", "_")]

    def command(self, version, module, python):
        """The command line that repeats a run."""
        extras = re.match(r"[^\[]*(\[[^\]]*\])?", self.package)[1] or ""
        text = ",".join([f"{self.name}{extras}=={version}", *self.pins])
        text = "+".join([text, *self.beside])
        if module != self.name.replace("-", "_"):
            text += f":{module}"
        text = " ".join([*(f"{name}={value}" for name, value in self.env.items()), text])
        return shlex.join(["scripts/regenerate_packages.py", "--python", python, text])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("packages", nargs="*", metavar="PACKAGE", help="[NAME=VALUE ]PACKAGE[==VERSION][,PIN…][+BESIDE…][:MODULE,MODULE…]")
    parser.add_argument("--write", action="store_true", help="write the runs into rules/packages")
    parser.add_argument("--python", default=f"{sys.version_info[0]}.{sys.version_info[1]}", help="the version of Python, as 3.11")
    parser.add_argument("--folder", type=pathlib.Path, help="where the environments are made, and thrown away")
    parser.add_argument("--old", nargs="?", const=365, type=int, metavar="DAYS", help="name the runs older than that (365)")
    parser.add_argument("--self-test", action="store_true", help="only tests how logs and tables are read and written")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    if arguments.old is not None:
        return say_what_is_old(datetime.date.today(), arguments.old)
    differ = False
    for text in arguments.packages:
        wanted = Wanted(text)
        with tempfile.TemporaryDirectory(dir=arguments.folder) as scratch:
            for module, run in observe(pathlib.Path(scratch).resolve(), wanted, arguments.python):
                print(json.dumps({"module": module, **run}), flush=True)
                differ |= not taken(wanted.name, module, run, arguments.write)
    return 1 if differ else 0


def taken(package, module, run, write):
    """Writes a run into the table, or says where the table differs; whether all is well."""
    if run.get("fault"):
        print(f"  `import {module}`: {run['fault']}; nothing is written")
        return False
    path = file_of(package, module)
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    if write:
        path.write_text(with_run(text, package, module, run), encoding="utf-8")
        return True
    known = run_of(text, module, run)
    said = differences(run, known)
    for sentence in said:
        print(f"  {sentence}")
    return not said


def file_of(package, module):
    """The file that has a row for the module, whose package may have several builds; else the package's own."""
    for path in sorted(TABLE.glob("*.yaml")):
        if module in [name for name, _ in rows_of(path.read_text(encoding="utf-8"))[1]]:
            return path
    return TABLE / f"{package}.yaml"


def build_watchers(folder):
    """The folder with the stand-in under the names that libraries load, and the library that is loaded first."""
    driver = folder / "driver"
    driver.mkdir(exist_ok=True)
    compile_shared = ["cc", "-shared", "-fPIC", "-O1"]
    for name in ["libcuda.so.1", "libnvidia-ml.so.1"]:
        source = SCRIPTS / "standin_driver.c"
        subprocess.run([*compile_shared, f"-Wl,-soname,{name}", "-o", driver / name, source], check=True)
        link = driver / name.removesuffix(".1")
        link.unlink(missing_ok=True)
        link.symlink_to(name)
    first = folder / "watched_libc.so"
    subprocess.run([*compile_shared, "-o", first, SCRIPTS / "watched_libc.c", "-ldl"], check=True)
    return driver, first


def install(folder, wanted, version):
    """A fresh environment with the packages; its Python."""
    environment = folder / "environment"
    python = environment / "bin/python"
    packages = [wanted.package, *wanted.pins, *wanted.beside]
    uv = shutil.which("uv")
    if uv:
        subprocess.run([uv, "venv", "--quiet", "--python", version, environment], check=True)
        subprocess.run([uv, "pip", "install", "--quiet", "--python", python, *packages], check=True)
    else:
        subprocess.run([f"python{version}", "-m", "venv", environment], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages], check=True)
    return python


def observe(folder, wanted, version):
    """Installs a package, imports each module, and says what happened: pairs of a module and a run."""
    driver, first = build_watchers(folder)
    try:
        python = install(folder, wanted, version)
    except subprocess.CalledProcessError:
        yield wanted.modules[0], {"fault": "it could not be installed"}
        return
    home = folder / "home"
    home.mkdir()
    for number, module in enumerate(wanted.modules):
        log = folder / f"{number}.log"
        watched = {**PLAIN, "PATH": f"{python.parent}:/usr/bin:/bin", "HOME": str(home), "LD_LIBRARY_PATH": str(driver)}
        watched |= {**wanted.env, "STANDIN_LOG": str(log), "LD_PRELOAD": str(first)}
        # The first time compiles what has no bytecode yet, and lets the package make the files that it makes once.
        libraries, variables = json.dumps(GPU_LIBRARIES), json.dumps(variables_that_matter())
        command = [python, SCRIPTS / "watched_import.py", module, wanted.name, libraries, variables]
        compiled = {**watched, "STANDIN_LOG": str(folder / "compiled.log")}
        subprocess.run(command, env=compiled, cwd=home, capture_output=True)
        said = subprocess.run(command, env=watched, cwd=home, capture_output=True, text=True)
        rows = [line for line in said.stdout.splitlines() if line.startswith("ROW ")]
        if rows:
            row = json.loads(rows[-1].removeprefix("ROW "))
            calls = log.read_text(errors="replace").splitlines()
            run = run_from(row, calls, wanted, version, folder, versions_in(python))
        else:
            run = {"fault": f"its process ended with {said.returncode}: {said.stderr[-300:]}"}
        yield module, run


def versions_in(python):
    code = "import importlib.metadata as m, json; print(json.dumps({d.metadata['Name']: d.version for d in m.distributions()}))"
    old = "import pkg_resources as p, json; print(json.dumps({d.project_name: d.version for d in p.working_set}))"
    for each in [code, old]:
        said = subprocess.run([python, "-c", each], capture_output=True, text=True)
        if said.returncode == 0:
            return {spelled(name): version for name, version in json.loads(said.stdout).items()}
    return {}


def spelled(name):
    """A package's name as indexes spell it."""
    return re.sub(r"[-_.]+", "-", str(name)).lower()


def variables_that_matter():
    text = (REPOSITORY / "rules/environment.yaml").read_text(encoding="utf-8")
    return re.findall(r"^  - name: (\S+)$", text, flags=re.MULTILINE)


def run_from(row, log, wanted, python, folder, versions, today=None):
    """What a run says, of what the watched process and the log say."""
    if row["error"]:
        return {"fault": f"the import failed: {row['error']}"}
    during, afterwards = calls_of(log, row["process"])
    contact = "cuda-init" if row["made"] else contact_of(during)
    shown = contact == "cuda-init" or "cuInit" in afterwards or row["asked"] in [None, *row["made-on-purpose"]]
    if not shown:
        return {"fault": f"{row['asked']} initialised CUDA on purpose, and the log does not show it"}
    asked = {call.split()[1] for call in during if call.startswith("getenv ")}
    native_programs = [call.split()[1] for call in during if call.startswith("program ")]
    native_forks = sum(call == "fork" for call in during)
    starts = {}
    if row["threads"]:
        starts["threads"] = row["threads"]
    programs = sorted({*row["programs"], *native_programs})
    if programs:
        starts["programs"] = programs
    # Python starts a program by a fork too, where it has no vfork.
    if row["forks"] or native_forks > row["popens"]:
        starts["forks"] = True
    version = row["version"].split("+")[0]
    beside = sorted(spelled(re.split(r"[\[<>=!~ ]", one)[0]) for one in wanted.beside)
    names = {*(spelled(DISTRIBUTIONS.get(name, name)) for name in row["imports"]), *beside} - {spelled(wanted.name)}
    return {
        "version": version,
        "date": str(today or datetime.date.today()),
        "command": wanted.command(version, row["module"], python),
        "beside": beside,
        "env": wanted.env,
        "with": {name: versions[name].split("+")[0] for name in sorted(names) if name in versions},
        "imports": row["imports"],
        "contact": contact,
        "reads": sorted({*row["reads"], *asked.intersection(variables_that_matter())}),
        "sets": sets_of(row["environment"], folder),
        "starts": starts,
        "seconds": round(row["seconds"], 2),
    }


def calls_of(log, process):
    """The lines of the importing process, without its number: those during the import, and those after it."""
    own = [line.partition(" ")[2] for line in log if line.partition(" ")[0] == str(process)]
    begin, end = own.index("mark begin"), own.index("mark end")
    return own[begin + 1 : end], own[end + 1 :]


def contact_of(called):
    """What reached the driver, in the words of rules/packages."""
    if "cuInit" in called:
        return "cuda-init"
    return "nvml" if any(name.startswith("nvmlInit") for name in called) else "none"


def sets_of(changed, folder):
    """The variables that were set to what they would have elsewhere too: no paths, no numbers of processes."""
    of_this_run = re.compile(rf"{re.escape(str(folder))}|^/|_pid|\b{os.getpid()}\b")
    return {
        name: value
        for name, value in sorted(changed.items())
        if value is not None and name not in PLAIN and not of_this_run.search(value) and not name.endswith(("_PID", "PATH"))
        and not re.fullmatch(r"__KMP_REGISTERED_LIB.*", name)
    }  # fmt: skip


# The table. It is edited as text, so that what people wrote there stays as they wrote it.


def rows_of(text):
    """The head of a file, and each module with its block of lines."""
    head, *blocks = re.split(r"^(?=  - module: )", text, flags=re.MULTILINE)
    return head, [(scalar(block.split("\n", 1)[0].partition(": ")[2]), block) for block in blocks]


def runs_of(block):
    """The runs in a block, oldest version first as they stand there."""
    _, _, after = block.partition("    runs:\n")
    runs = []
    for line in after.splitlines():
        found = re.match(r"      (- |  )([a-z]+): (.*)$", line)
        if not found:
            continue
        if found[1] == "- ":
            runs.append({})
        runs[-1][found[2]] = flow(found[3])
    return runs


def scalar(text):
    return json.loads(text) if text.startswith('"') else text.strip()


def flow(text):
    """What `written` wrote: a list of words, a map in JSON, or a scalar."""
    if text.startswith("["):
        return [word for word in text.strip("[]").split(", ") if word]
    return json.loads(text) if text.startswith("{") else scalar(text)


def run_of(text, module, run):
    """The run of the table that this one repeats; None without one."""
    for name, block in rows_of(text)[1]:
        if name == module:
            for known in runs_of(block):
                if key_of(known) == key_of(run):
                    return known
    return None


def differences(run, known):
    if known is None:
        return [f"rules/packages has no such run of version {run['version']}"]
    empty = {"imports": [], "reads": [], "sets": {}, "with": {}}
    return [
        f"rules/packages says {key} {known.get(key, empty.get(key))}, seen: {run[key]}"
        for key in ["imports", "contact", "reads", "sets"]
        if known.get(key, empty.get(key)) != run[key]
    ]


def with_run(text, package, module, run):
    """The text of a file with a run in it, in the place of one that it repeats."""
    if not text:
        text = f"package: {package}\nverified: {BY_RUNS}\nsources:\n  - https://pypi.org/project/{package}/\nmodules:\n"
    head, rows = rows_of(text)
    if module not in [name for name, _ in rows]:
        gpu = "true" if run["imports"] or module in GPU_LIBRARIES else "false"
        # A blank line stands between modules.
        rows = [(name, block.rstrip("\n") + "\n\n") for name, block in rows]
        rows.append((module, f"  - module: {module}\n    gpu-library: {gpu}\n"))
    blocks = []
    for name, block in rows:
        if name == module:
            own, _, _ = block.partition("    runs:\n")
            runs = sorted([*(one for one in runs_of(block) if key_of(one) != key_of(run)), run], key=key_of)
            # The runs say it.
            own = re.sub(r"^    (?:imports|contact|sets|version|if-env): .*\n", "", own.rstrip("\n") + "\n", flags=re.MULTILINE)
            tail = "\n" if block.endswith("\n\n") else ""
            block = own + "    runs:\n" + "".join(map(block_of, runs)) + tail
        blocks.append(block)
    if all("    runs:\n" in block for block in blocks):
        # What was tried on a card stays.
        head = re.sub(r'^verified: "(?![^\n]*NVIDIA)[^\n]*"$', f"verified: {BY_RUNS}", head, flags=re.MULTILINE)
    return head + "".join(blocks)


def key_of(run):
    """Another run with the same takes its place."""
    numbers = [int(number) for number in re.findall(r"\d+", run["version"])]
    return numbers, run.get("beside", []), sorted(run.get("env", {}).items())


def block_of(run):
    """A run as lines of the table; what is empty is left out."""
    lines = [
        f'version: "{run["version"]}"',
        f"date: {run['date']}",
        f"command: {run['command']}",
    ]
    for key in ["beside", "env", "with", "imports", "contact", "reads", "sets", "starts", "seconds"]:
        value = run.get(key)
        if value or key == "seconds":
            lines.append(f"{key}: {written(value)}")
    return "".join(f"      {'- ' if at == 0 else '  '}{line}\n" for at, line in enumerate(lines))


def written(value):
    if isinstance(value, list):
        return "[" + ", ".join(value) + "]"
    return json.dumps(value) if isinstance(value, dict) else str(value)


def say_what_is_old(today, days):
    """Names the runs that are older than some days; 1 if there are any."""
    old = []
    for path in sorted(TABLE.glob("*.yaml")):
        for module, block in rows_of(path.read_text(encoding="utf-8"))[1]:
            old += [(run["date"], module, run) for run in runs_of(block) if is_old(run["date"], today, days)]
    for date, module, run in sorted(old, key=lambda one: one[:2]):
        print(f"{date} {module} {run['version']}: {run['command']}")
    print(f"{len(old)} runs are older than {days} days")
    return 1 if old else 0


def is_old(date, today, days):
    return today - datetime.date.fromisoformat(date) > datetime.timedelta(days=days)


def self_test():
    wanted = Wanted("detector==1.2.0,numpy<2+torch==2.1.0+cupy:detector.core")
    assert (wanted.name, wanted.pins, wanted.beside) == ("detector", ["numpy<2"], ["torch==2.1.0", "cupy"])
    command = "scripts/regenerate_packages.py --python 3.11 'detector==1.2.0,numpy<2+torch==2.1.0+cupy:detector.core'"
    assert wanted.command("1.2.0", "detector.core", "3.11") == command
    assert Wanted("py-detector").modules == ["py_detector"]
    switched = Wanted("BACKEND=torch detector+torch")
    assert (switched.env, switched.package, switched.beside) == ({"BACKEND": "torch"}, "detector", ["torch"])
    assert switched.command("1.0", "detector", "3.11").endswith(" 'BACKEND=torch detector==1.0+torch'")

    assert contact_of([]) == "none"
    assert contact_of(["nvmlInit_v2", "nvmlShutdown"]) == "nvml"
    assert contact_of(["nvmlInit_v2", "cuInit"]) == "cuda-init"

    row = {
        "module": "detector.core", "version": "1.2.0+cpu", "imports": ["torch"], "made": [], "reads": ["CUDA_DEVICE_ORDER"],
        "environment": {"CUDA_VISIBLE_DEVICES": "0", "OMP_NUM_THREADS": None, "DETECTOR_HOME": "/scratch/home"},
        "programs": ["lscpu"], "popens": 1, "forks": 0, "threads": 2, "seconds": 1.234, "error": None, "process": 7,
        "asked": "torch", "made-on-purpose": [],
    }  # fmt: skip
    log = ["7 cuInit", "7 mark begin", "8 cuInit", "7 getenv CUDA_VISIBLE_DEVICES", "7 getenv EDITOR", "7 fork", "7 mark end"]
    day = datetime.date(2026, 3, 1)
    folder = pathlib.Path("/scratch")
    assert "does not show it" in run_from(row, log, wanted, "3.11", folder, {})["fault"]
    assert "no such" in run_from({**row, "error": "ImportError: no such"}, log, wanted, "3.11", folder, {})["fault"]
    log.append("7 cuInit")
    run = run_from(row, log, wanted, "3.11", folder, {"torch": "2.1.0+cu121", "detector": "1.2.0"}, today=day)
    assert run == {
        "version": "1.2.0", "date": "2026-03-01", "command": command, "beside": ["cupy", "torch"], "env": {}, "with": {"torch": "2.1.0"},
        "imports": ["torch"], "contact": "none", "reads": ["CUDA_DEVICE_ORDER", "CUDA_VISIBLE_DEVICES"],
        "sets": {"CUDA_VISIBLE_DEVICES": "0"}, "starts": {"threads": 2, "programs": ["lscpu"]}, "seconds": 1.23,
    }, run  # fmt: skip
    assert run_from({**row, "made": ["jax"]}, log, wanted, "3.11", folder, {})["contact"] == "cuda-init"

    # What is written is read again, and takes the place of what people wrote before there were runs, and of the same run.
    text = (
        "package: detector\nsources: []\nmodules:\n  - module: detector.core\n    gpu-library: true\n    imports: [torch, einops]\n"
        '    contact: none\n    version: "1.2.0"\n    note: it asks\n\n  - module: detector\n    contact: none\n'
    )
    once = with_run(text, "detector", "detector.core", run)
    assert run_of(once, "detector.core", run) == {
        **{key: value for key, value in run.items() if value},
        "seconds": "1.23",
    }, run_of(once, "detector.core", run)
    assert differences(run, run_of(once, "detector.core", run)) == []
    assert len(differences({**run, "contact": "nvml", "sets": {}}, run_of(once, "detector.core", run))) == 2
    assert len(differences(run, None)) == 1
    assert "einops" not in once and "note: it asks" in once and once.count("contact: none") == 2, once
    assert with_run(once, "detector", "detector.core", run) == once
    assert with_run(once, "detector", "detector.core", {**run, "env": {"BACKEND": "jax"}}).count("    - version") == 2
    newer = {**run, "version": "1.10.0"}
    both = with_run(with_run(text, "detector", "detector.core", newer), "detector", "detector.core", run)
    assert both.index('"1.2.0"') < both.index('"1.10.0"')
    assert rows_of(both)[1][1] == ("detector", "  - module: detector\n    contact: none\n")
    assert run_of(with_run("", "detector", "detector", run), "detector", run)["contact"] == "none"
    assert not is_old("2026-03-01", datetime.date(2027, 3, 1), 365) and is_old("2026-03-01", datetime.date(2027, 3, 2), 365)
    print("reads and writes its tables")
    return 0


if __name__ == "__main__":
    sys.exit(main())
