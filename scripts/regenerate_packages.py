#!/usr/bin/env python3
"""Imports packages under a stand-in for the driver that logs, without a GPU, and says where rules/packages differs.

    scripts/regenerate_packages.py [--keep FOLDER] PACKAGE[=MODULE] ...
    scripts/regenerate_packages.py numba nvidia-ml-py=pynvml

PACKAGE is what pip installs, MODULE what is imported where that has another name. Each package gets a fresh virtual
environment, and its import a fresh process. For each a row is printed: the version, the GPU libraries that are in
sys.modules afterwards, what reached the driver (none, nvml-init or cuda-init), and the environment variables that the import
changed. It needs Linux, cc, and an index of packages; no test runs it, and only comparing is tested (--self-test).

What it cannot show: what a real driver answers, and what a package does only where a device is found. A difference is
read by a person before the table is changed. A package with an older version here than in the table differs for that.

Run for nvidia-ml-py 13.615.71, numba 0.68.1 (numba and numba.cuda), ctranslate2 4.8.5 and cupy-cuda12x 14.2.0 with
Python 3.11 on Linux x86-64: no difference from the table. The other rows were made by earlier runs of the same method.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
GPU_LIBRARIES = ["cupy", "jax", "numba.cuda", "pycuda", "pynvml", "tensorflow", "torch", "torchaudio", "torchvision", "triton"]

PROBE = """
import importlib, importlib.metadata, json, os, sys
module, package, libraries = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
before = dict(os.environ)
try:
    importlib.import_module(module)
    error = None
except Exception as fault:
    error = f"{type(fault).__name__}: {fault}"
names = sorted({*before, *os.environ})
print("\\nROW " + json.dumps({
    "module": module,
    "version": importlib.metadata.version(package),
    "imports": [name for name in libraries if name in sys.modules and name != module],
    "environment": [name for name in names if before.get(name) != os.environ.get(name)],
    "error": error,
}))
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("packages", nargs="*", metavar="PACKAGE[=MODULE]")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the environments, which are thrown away otherwise")
    parser.add_argument("--self-test", action="store_true", help="only tests how logs and tables are read")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    with tempfile.TemporaryDirectory() as scratch:
        folder = (arguments.keep or pathlib.Path(scratch)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        driver = build_driver(folder)
        differ = False
        for wanted in arguments.packages:
            package, _, module = wanted.partition("=")
            row = observe(folder, driver, package, module or package.replace("-", "_"))
            print(json.dumps(row))
            for sentence in differences(row, table_row(row["module"])):
                differ = True
                print(f"  {sentence}")
    return 1 if differ else 0


def build_driver(folder):
    """The folder with the stand-in under the names that libraries load."""
    driver = folder / "driver"
    driver.mkdir(exist_ok=True)
    for name in ["libcuda.so.1", "libnvidia-ml.so.1"]:
        source = REPOSITORY / "scripts/standin_driver.c"
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", f"-Wl,-soname,{name}", "-o", driver / name, source], check=True)
        link = driver / name.removesuffix(".1")
        link.unlink(missing_ok=True)
        link.symlink_to(name)
    return driver


def observe(folder, driver, package, module):
    """Installs a package, imports it, and says what happened."""
    environment = folder / re.sub(r"\W", "-", package)
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    python = environment / "bin/python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package], check=True)
    log = folder / f"{environment.name}.log"
    log.unlink(missing_ok=True)
    variables = {"PATH": os.environ["PATH"], "HOME": str(folder), "LD_LIBRARY_PATH": str(driver), "STANDIN_LOG": str(log)}
    name = re.split(r"[\[<>=!~ ]", package)[0]
    command = [python, "-c", PROBE, module, name, json.dumps(GPU_LIBRARIES)]
    said = subprocess.run(command, env=variables, cwd=folder, capture_output=True, text=True)
    rows = [line for line in said.stdout.splitlines() if line.startswith("ROW ")]
    if not rows:
        sys.exit(f"{package}: the process that imports {module} ended with {said.returncode}: {said.stderr[-300:]}")
    row = json.loads(rows[-1].removeprefix("ROW "))
    row["contact"] = contact_of(log.read_text().split() if log.exists() else [])
    return row


def contact_of(called):
    """What reached the driver, in the words of rules/packages."""
    if "cuInit" in called:
        return "cuda-init"
    return "nvml" if any(name.startswith("nvmlInit") for name in called) else "none"


def table_row(module, folder=REPOSITORY / "rules/packages"):
    """What rules/packages says of a module: the few keys that are compared, each on a line of its own; None without a row."""
    for file in sorted(folder.glob("*.yaml")):
        for block in re.split(r"^  - module: ", file.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
            if block.split("\n", 1)[0].strip().strip("\"'") == module:
                return row_of(block)
    return None


def row_of(block):
    def value(key):
        found = re.search(rf"^    {key}: (.*?)(?: +#.*)?$", block, flags=re.MULTILINE)
        return found and found[1].strip().strip("\"'")

    imports = value("imports")
    listed = None if imports is None else [name.strip() for name in imports.strip("[]").split(",") if name.strip()]
    return {"imports": listed, "contact": value("contact"), "version": value("version")}


def differences(row, known):
    """What the table says otherwise, as sentences."""
    if row["error"]:
        return [f"`import {row['module']}` failed, and its row says nothing: {row['error']}"]
    if known is None:
        return [f"rules/packages has no row for {row['module']}"]
    said = [
        f"rules/packages says {key} {known[key]}, seen: {row[key]}"
        for key in ["version", "contact"]
        if known[key] is not None and known[key] != row[key]
    ]
    if known["imports"] is not None:
        # Only what is looked for can be compared.
        expected = {name for name in known["imports"] if name in GPU_LIBRARIES}
        if expected != set(row["imports"]):
            said.append(f"rules/packages says imports {sorted(expected)}, seen: {row['imports']}")
    return said


def self_test():
    block = 'detector\n    gpu-library: true\n    imports: [torch, einops]\n    contact: none\n    version: "1.2.0"\n'
    known = row_of(block)
    assert known == {"imports": ["torch", "einops"], "contact": "none", "version": "1.2.0"}, known
    row = {"module": "detector", "version": "1.2.0", "imports": ["torch"], "contact": "none", "error": None}
    assert differences(row, known) == []
    assert len(differences({**row, "contact": "cuda-init", "imports": []}, known)) == 2
    assert len(differences({**row, "error": "ImportError: no"}, known)) == 1
    assert len(differences(row, None)) == 1
    assert contact_of([]) == "none"
    assert contact_of(["nvmlInit_v2", "nvmlShutdown"]) == "nvml"
    assert contact_of(["nvmlInit_v2", "cuInit"]) == "cuda-init"
    assert table_row("numba")["contact"] == "none"
    print("reads its tables")
    return 0


if __name__ == "__main__":
    sys.exit(main())
