#!/usr/bin/env python3
"""Counted work of `gpulint check` over fixed projects, held against the committed figures in benches/steps.json.

    benches/steps.py [--write] [--keep FOLDER]

Seconds differ from machine to machine; the steps in which programs are followed do not, nor do the looks: how often a rule looked at
a part of the code, at a call or at an expression. A project that takes more than 5 % more steps or looks than its figures say fails. Where there is a reason, change the figure in benches/steps.json and say the reason in the commit.
One that takes more than 5 % fewer is named, since its figure should be lowered; that is no failure. `--write` writes the figures
of all projects.

GPULINT names the binary and defaults to the debug build: the profile changes no count. It must write what it counted to the file
that GPULINT_WORK names, as one line of JSON.

Each project is copied or generated into a folder of its own, so that what lies beside it in this repository counts for nothing.
`--keep` leaves them in FOLDER.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
FIGURES = REPOSITORY / "benches/steps.json"
TOLERANCE = 0.05
KINDS = ("steps", "looks")

# Of this repository.
COPIED = [
    "examples/clean",
    "examples/two-cards",
    "tests/projects/deep-program",
    "tests/projects/one-helper-two-programs",
    "tests/projects/registry-of-plugins",
    "tests/projects/single",
    "tests/projects/tests-with-conftest",
    "tests/projects/voice-assistant",
    "tests/projects/whole-service",
    "tests/projects/whole-trainer",
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the figures")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="leave the projects in FOLDER")
    arguments = parser.parse_args()
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target"))
    gpulint = pathlib.Path(os.environ.get("GPULINT") or target / "debug/gpulint").resolve()
    if not gpulint.exists():
        sys.exit(f"{gpulint} is not there: cargo build --locked, or set GPULINT")
    with tempfile.TemporaryDirectory(prefix="gpulint-steps-") as scratch:
        folder = arguments.keep or pathlib.Path(scratch)
        counted = {}
        for name, project in projects(folder).items():
            counted[name] = work_of(gpulint, project, pathlib.Path(scratch) / "work")
    if arguments.write:
        FIGURES.write_text(json.dumps(counted, indent=2) + "\n")
        sums = ", ".join(f"{sum(counts[kind] for counts in counted.values()):,} {kind}" for kind in KINDS)
        print(f"{FIGURES.relative_to(REPOSITORY)}: {len(counted)} projects, {sums}")
        return
    if not FIGURES.exists():
        sys.exit(f"{FIGURES.relative_to(REPOSITORY)} is not there: benches/steps.py --write")
    sys.exit(compared(counted, json.loads(FIGURES.read_text())))


def compared(counted, figures):
    """Prints each project with its figures; 1 where one grew, or has none."""
    faults = []
    for name in sorted(counted.keys() | figures.keys()):
        for kind in KINDS:
            count, figure = counted.get(name, {}).get(kind), figures.get(name, {}).get(kind)
            if count is None or figure is None:
                verdict = "have no figure" if figure is None else "are of no project"
                faults.append(f"{name}: its {kind} {verdict}: benches/steps.py --write")
            elif count > figure * (1 + TOLERANCE):
                verdict = f"grew by {growth(count, figure)}"
                faults.append(
                    f"{name}: its {kind} {verdict}: find out why, or change the figure in benches/steps.json with a reason in "
                    "the commit"
                )
            elif count < figure * (1 - TOLERANCE):
                verdict = f"shrank by {growth(figure, count, figure)}: the figure should be lowered (benches/steps.py --write)"
            else:
                verdict = ""
            print(f"{name:42} {kind} {number(count)} {number(figure)}  {verdict}".rstrip())
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


def growth(more, less, whole=None):
    return f"{(more - less) / (whole or less):.1%}" if less or whole else "more than nothing"


def number(count):
    return f"{'-' if count is None else format(count, ','):>12}"


def work_of(gpulint, project, work):
    work.unlink(missing_ok=True)
    # What one program did need not be followed again in the next, so how many workers share them changes the count.
    environment = {**os.environ, "GPULINT_WORK": str(work), "RAYON_NUM_THREADS": "1"}
    command = [gpulint, "check", "--no-cache", "--format", "json", "."]
    run = subprocess.run(command, check=False, cwd=project, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if run.returncode not in (0, 1):
        sys.exit(f"{project}: exit code {run.returncode}\n{run.stderr.decode(errors='replace')}")
    if not work.exists():
        sys.exit(f"{gpulint} wrote no counts to the file that GPULINT_WORK names: it is too old, or built without them")
    counts = json.loads(work.read_text().splitlines()[-1])
    return {kind: counts[kind] for kind in KINDS}


def projects(folder):
    """The folders of all projects by name, each with a root of its own."""
    folders = {}
    for name in COPIED:
        folders[name] = folder / name.replace("/", "-")
        shutil.copytree(REPOSITORY / name, folders[name], dirs_exist_ok=True)
    for name, generated in GENERATED.items():
        folders[f"generated/{name}"] = folder / name
        for path, text in generated().items():
            path = folder / name / path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    for project in folders.values():
        # What git ignores is not checked, and above this folder nothing is looked for.
        shutil.rmtree(project / "__pycache__", ignore_errors=True)
        (project / ".git").mkdir(exist_ok=True)
    return folders


# A training framework ---------------------------------------------------------------------------------------------------

REGISTRY = '''from .logger import get_logger


class Registry:
    """Classes by name."""

    def __init__(self, name, parent=None):
        self.name = name
        self.parent = parent
        self.classes = {}

    def register(self, name=None):
        def decorate(cls):
            key = name or cls.__name__
            if key in self.classes:
                raise KeyError(f"{key} is in {self.name}")
            self.classes[key] = cls
            get_logger(self.name).debug("registered %s", key)
            return cls

        return decorate

    def get(self, key):
        if key in self.classes:
            return self.classes[key]
        if self.parent is not None:
            return self.parent.get(key)
        raise KeyError(f"{key} is not in {self.name}")

    def build(self, config, **defaults):
        settings = {**defaults, **config}
        kind = settings.pop("type")
        return self.get(kind)(**settings)


MODELS = Registry("models")
BACKBONES = Registry("backbones", parent=MODELS)
DATASETS = Registry("datasets")
HOOKS = Registry("hooks")
OPTIMIZERS = Registry("optimizers")
'''

LOGGER = """import logging
import os

LOGGERS = {}


class RankFilter(logging.Filter):
    def filter(self, record):
        return int(os.environ.get("RANK", 0)) == 0


def get_logger(name, level=logging.INFO):
    if name in LOGGERS:
        return LOGGERS[name]
    for known in LOGGERS:
        if name.startswith(known):
            return LOGGERS[known]
    logger = logging.getLogger(name)
    handlers = [logging.StreamHandler()]
    if os.environ.get("LOG_FILE"):
        handlers.append(logging.FileHandler(os.environ["LOG_FILE"]))
    for handler in handlers:
        handler.addFilter(RankFilter())
        handler.setLevel(level)
        logger.addHandler(handler)
    LOGGERS[name] = logger
    return logger
"""

CONFIG = """import copy
import importlib

from .logger import get_logger


def merged(base, changes):
    result = copy.deepcopy(base)
    for key, value in changes.items():
        if isinstance(value, dict) and isinstance(result.get(key), dict):
            result[key] = merged(result[key], value)
        else:
            result[key] = value
    return result


class Config(dict):
    def __getattr__(self, name):
        try:
            value = self[name]
        except KeyError:
            raise AttributeError(name) from None
        return Config(value) if isinstance(value, dict) else value

    @classmethod
    def of(cls, name, options=()):
        config = cls(importlib.import_module(f"configs.{name}").CONFIG)
        for option in options:
            key, value = option.split("=", 1)
            parts = key.split(".")
            inner = config
            for part in parts[:-1]:
                inner = inner.setdefault(part, {})
            inner[parts[-1]] = value
        get_logger("config").info("%s: %s", name, config)
        return config
"""

DEVICE = """import os

import torch

from .logger import get_logger


def setup(config):
    os.environ.setdefault("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
    if config.get("card") is not None:
        os.environ["CUDA_VISIBLE_DEVICES"] = str(config["card"])
    get_logger("device").info("cards: %s", os.environ.get("CUDA_VISIBLE_DEVICES"))


def device_of(config):
    if config.get("device", "cuda") == "cpu" or not torch.cuda.is_available():
        return torch.device("cpu")
    rank = int(os.environ.get("LOCAL_RANK", 0))
    torch.cuda.set_device(rank)
    return torch.device("cuda", rank)
"""

RUNNER = """import os

import torch

from .config import Config, merged
from .device import device_of, setup
from .logger import get_logger
from .registry import DATASETS, HOOKS, MODELS, OPTIMIZERS
from . import datasets, hooks, models, optimizers  # noqa: F401

DEFAULTS = {"device": "cuda", "card": None, "hooks": [{"type": "Hook0"}], "epochs": 1}


class Runner:
    def __init__(self, config):
        self.config = merged(DEFAULTS, config)
        setup(self.config)
        self.logger = get_logger("runner")
        self.device = device_of(self.config)
        self.model = MODELS.build(self.config["model"]).to(self.device)
        self.dataset = DATASETS.build(self.config["data"], device=self.device)
        self.optimizer = OPTIMIZERS.build(self.config["optimizer"], parameters=self.model.parameters())
        self.hooks = [HOOKS.build(hook, runner=self) for hook in self.config["hooks"]]
        self.step = 0

    @classmethod
    def of(cls, name, options=()):
        return cls(Config.of(name, options))

    def call(self, point, *arguments):
        for hook in self.hooks:
            getattr(hook, point)(*arguments)

    def train(self):
        self.call("before_run")
        for epoch in range(self.config["epochs"]):
            self.call("before_epoch", epoch)
            for batch in self.dataset:
                loss = self.model.loss(batch)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                self.step += 1
                self.call("after_step", loss)
            self.call("after_epoch", epoch)
        self.save()

    def save(self):
        folder = self.config.get("folder", "runs")
        if os.environ.get("RANK", "0") == "0":
            os.makedirs(folder, exist_ok=True)
            torch.save(self.model.state_dict(), f"{folder}/last.pt")
        self.logger.info("saved after %s steps", self.step)
"""

BACKBONE = """import torch
from torch import nn

from ...logger import get_logger
from ...registry import BACKBONES


@BACKBONES.register()
class Backbone{k}(nn.Module):
    def __init__(self, width={width}, depth=3, frozen=False):
        super().__init__()
        layers = []
        for index in range(depth):
            layers += [nn.Linear(width, width), nn.ReLU()]
        self.layers = nn.Sequential(*layers)
        self.logger = get_logger("backbones.{k}")
        if frozen:
            for parameter in self.parameters():
                parameter.requires_grad = False
            self.logger.info("frozen")

    def forward(self, rows):
        return self.layers(rows)


def example(device="cpu"):
    return torch.zeros(2, {width}, device=device)
"""

MODEL = """import torch
from torch import nn

from ..logger import get_logger
from ..registry import BACKBONES, MODELS
from .backbones.backbone_{backbone} import example


@MODELS.register("Model{k}")
class Model{k}(nn.Module):
    def __init__(self, backbone=None, classes={classes}):
        super().__init__()
        self.backbone = BACKBONES.build(backbone or {{"type": "Backbone{backbone}"}})
        self.head = nn.LazyLinear(classes)
        self.logger = get_logger("models")
        self.logger.info("%s classes", classes)

    def forward(self, rows):
        return self.head(self.backbone(rows))

    def loss(self, batch):
        rows, labels = batch
        return nn.functional.cross_entropy(self(rows), labels)


def smoke(device):
    model = Model{k}().to(device)
    with torch.no_grad():
        return model(example(device))
"""

DATASET = """import random

import torch

from ..logger import get_logger
from ..registry import DATASETS


@DATASETS.register()
class Dataset{k}:
    def __init__(self, length=100, width=16, device="cpu", shuffle={shuffle}):
        self.rows = [[random.random() for _ in range(width)] for _ in range(length)]
        self.device = device
        if shuffle:
            random.shuffle(self.rows)
        get_logger("datasets").info("%s rows", len(self.rows))

    def __len__(self):
        return len(self.rows)

    def __iter__(self):
        for start in range(0, len(self.rows), 8):
            batch = torch.tensor(self.rows[start : start + 8])
            yield batch.to(self.device), torch.zeros(len(batch), dtype=torch.long, device=self.device)
"""

HOOK = """import time

from ..logger import get_logger
from ..registry import HOOKS


@HOOKS.register()
class Hook{k}:
    def __init__(self, runner, every={every}):
        self.runner = runner
        self.every = every
        self.times = []
        self.logger = get_logger("hooks.{k}")

    def before_run(self):
        self.times.append(("run", time.time()))

    def before_epoch(self, epoch):
        self.times.append((epoch, time.time()))

    def after_step(self, loss):
        if self.runner.step % self.every == 0:
            self.logger.info("step %s: %s", self.runner.step, loss.item())

    def after_epoch(self, epoch):
        self.logger.info("epoch %s took %s", epoch, time.time() - self.times[-1][1])
"""

OPTIMIZER = """import torch

from ..registry import OPTIMIZERS


@OPTIMIZERS.register("Optimizer{k}")
def optimizer(parameters, rate={rate}, **options):
    groups = [{{"params": list(parameters), "lr": rate}}]
    for key, value in options.items():
        for group in groups:
            group[key] = value
    return torch.optim.{kind}(groups)
"""

TRAIN = """import argparse

from framework.{part} import {name}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("config", default="config_0")
    parser.add_argument("--options", nargs="*", default=[])
    arguments = parser.parse_args()
    {call}


if __name__ == "__main__":
    main()
"""

FRAMEWORK_CONFTEST = """import os

import pytest

os.environ["CUDA_VISIBLE_DEVICES"] = "0"

from framework.config import Config
from framework.logger import LOGGERS


@pytest.fixture
def config():
    return Config.of("config_0")


@pytest.fixture(autouse=True)
def no_loggers():
    yield
    LOGGERS.clear()


@pytest.fixture(scope="session")
def device():
    from framework.device import device_of

    return device_of({})
"""

FRAMEWORK_TEST = """import pytest

from framework.models.model_{k} import Model{k}, smoke
from framework.registry import MODELS
from framework.runner import Runner


def test_registered():
    assert MODELS.get("Model{k}") is Model{k}


def test_smoke(device):
    assert smoke(device).shape[0] == 2


@pytest.mark.parametrize("epochs", [0, 1, 2])
def test_run(config, epochs, tmp_path):
    config["model"] = {{"type": "Model{k}"}}
    config["epochs"] = epochs
    config["folder"] = str(tmp_path)
    Runner(config).train()
"""


def framework():
    """Configurations in dictionaries, registries, loggers that are kept in a dictionary, and tests with a conftest."""
    files = {
        "framework/__init__.py": "from .runner import Runner\n",
        "framework/registry.py": REGISTRY,
        "framework/logger.py": LOGGER,
        "framework/config.py": CONFIG,
        "framework/device.py": DEVICE,
        "framework/runner.py": RUNNER,
        "configs/__init__.py": "",
        "tools/train.py": TRAIN.format(
            part="runner", name="Runner", call="Runner.of(arguments.config, arguments.options).train()"
        ),
        "tools/show.py": TRAIN.format(part="config", name="Config", call="print(Config.of(arguments.config, arguments.options))"),
        "tests/conftest.py": FRAMEWORK_CONFTEST,
    }
    parts = {"models": (8, "model"), "datasets": (6, "dataset"), "hooks": (6, "hook"), "optimizers": (4, "optimizer")}
    parts["models/backbones"] = (8, "backbone")
    for folder, (number_of_parts, name) in parts.items():
        imports = [f"from . import {name}_{k}" for k in range(number_of_parts)]
        first = ["from . import backbones"] if folder == "models" else []
        files[f"framework/{folder}/__init__.py"] = "\n".join([*first, *imports, ""])
    for k in range(8):
        files[f"framework/models/backbones/backbone_{k}.py"] = BACKBONE.format(k=k, width=16 * (k + 1))
        files[f"framework/models/model_{k}.py"] = MODEL.format(k=k, backbone=(k + 3) % 8, classes=k + 2)
        files[f"tests/test_model_{k}.py"] = FRAMEWORK_TEST.format(k=k)
    for k in range(6):
        files[f"framework/datasets/dataset_{k}.py"] = DATASET.format(k=k, shuffle=k % 2 == 0)
        files[f"framework/hooks/hook_{k}.py"] = HOOK.format(k=k, every=10 * (k + 1))
        config = {
            "model": {"type": f"Model{k}", "backbone": {"type": f"Backbone{k}", "depth": k + 1}},
            "data": {"type": f"Dataset{k}", "length": 64},
            "optimizer": {"type": f"Optimizer{k % 4}", "rate": 0.001 * (k + 1)},
            "hooks": [{"type": f"Hook{hook}"} for hook in range(k + 1)],
        }
        inherited = f"from .config_{k - 1} import CONFIG as BASE\n" if k else "BASE = {}\n"
        files[f"configs/config_{k}.py"] = f"{inherited}\nCONFIG = {{**BASE, **{config!r}}}\n"
    for k, kind in enumerate(["SGD", "Adam", "AdamW", "RMSprop"]):
        files[f"framework/optimizers/optimizer_{k}.py"] = OPTIMIZER.format(k=k, rate=0.01 / (k + 1), kind=kind)
    return files


# Many tests of one package ----------------------------------------------------------------------------------------------

PART = """import torch

from . import base

CACHE = {{}}


class Part{k}(base.Base):
    name = "part_{k}"
    children = ({children})

    def __init__(self, rows=(), device=None):
        super().__init__(device)
        self.rows = list(rows)
        for index, row in enumerate(self.rows):
            CACHE[index] = row

    def run(self):
        rows = self.load(self.rows)
        for child in self.children:
            rows = child(rows, self.device).run()
        return rows


base.register(Part{k})


def make_{k}(rows):
    if rows not in CACHE:
        CACHE[rows] = Part{k}(rows)
    return CACHE[rows]
"""

BASE = """import os

import torch

PARTS = {}
DEVICE = "cuda:0" if os.environ.get("USE_GPU") else "cpu"


def register(part):
    PARTS[part.name] = part
    return part


class Base:
    def __init__(self, device=None):
        self.device = torch.device(device or DEVICE)

    def load(self, rows):
        if not rows:
            return torch.zeros(0)
        return torch.tensor(rows).to(self.device)
"""


def tests_of_one_package():
    """40 test files that import the same package."""
    files = {"package/base.py": BASE, "package/__init__.py": "".join(f"from .part_{k} import Part{k}\n" for k in range(12))}
    for k in range(12):
        imports = "".join(f"from .part_{child} import Part{child}\n" for child in range(max(0, k - 2), k))
        children = "".join(f"Part{child}, " for child in range(max(0, k - 2), k))
        files[f"package/part_{k}.py"] = imports + PART.format(k=k, children=children)
    fixture = ["import os", "import pytest", "", "", "@pytest.fixture", "def rows():", "    return [[1.0, 2.0], [3.0, 4.0]]", ""]
    files["tests/conftest.py"] = "\n".join(fixture)
    for k in range(40):
        test = ["import package", "from package import base", f"from package.part_{k % 12} import make_{k % 12}", "", ""]
        test += ["def test_run(rows):", f"    assert package.Part{k % 12}(rows).run() is not None", "", ""]
        test += ["def test_made(rows):", f"    assert make_{k % 12}(tuple(rows)).device == base.DEVICE", "", ""]
        test += ["def test_all():", "    assert len(base.PARTS) == 12", ""]
        files[f"tests/test_{k}.py"] = "\n".join(test)
    return files


# Helpers with branches --------------------------------------------------------------------------------------------------

HELPER = """import os

import helpers.helper_{next} as following


def prepare(config, depth=0):
    if config.get("flag_{k}"):
        os.environ["CUDA_VISIBLE_DEVICES"] = "{card}"
    elif os.environ.get("FLAG_{k}"):
        config["device"] = "cuda:{card}"
    else:
        config.setdefault("device", "cpu")
    for name in config.get("names", []):
        if name.startswith("{k}"):
            config[name] = depth
    try:
        return following.prepare(config, depth + 1)
    except KeyError:
        return None
"""

LAST_HELPER = """import torch


def prepare(config, depth=0):
    if depth > config.get("depth", 10):
        raise KeyError("depth")
    return torch.zeros(depth, device=config["device"])
"""


def helpers_with_branches(length=24):
    """Helpers that each choose between three and call the next."""
    files = {"helpers/__init__.py": "", f"helpers/helper_{length}.py": LAST_HELPER}
    for k in range(length):
        files[f"helpers/helper_{k}.py"] = HELPER.format(k=k, next=k + 1, card=k % 2)
    for k in range(4):
        start = ["import sys", "import json", f"from helpers import helper_{4 * k}", "", 'if __name__ == "__main__":']
        start += [
            f"    helper_{4 * k}.prepare(json.load(open(sys.argv[1])))",
            f'    helper_{4 * k}.prepare({{"flag_{k}": True}})',
            "",
        ]
        files[f"start_{k}.py"] = "\n".join(start)
    return files


def loops_in_each_other():
    """Eighteen scales, three deep: 5,832 passes if each were followed."""
    scales = ", ".join(f"0.{number:02}" for number in range(18))
    return {
        "search.py": f"""import torch

SCALES = [{scales}]

best = None
for one in SCALES:
    for other in SCALES:
        for third in SCALES:
            total = one + other + third
            name = f"{{one}}-{{other}}-{{third}}"
            best = (name, total)

torch.zeros(1, device="cuda")
"""
    }


GENERATED = {
    "framework": framework,
    "helpers-with-branches": helpers_with_branches,
    "loops-in-each-other": loops_in_each_other,
    "tests-of-one-package": tests_of_one_package,
}


if __name__ == "__main__":
    main()
