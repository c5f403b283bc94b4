//! What the fixes about imports write, run by a real Python: the module can be imported where the GPU library cannot, and
//! what it hands on is reached all the same. Without `python3` these tests are skipped and say so.

use super::project::Project;
use std::process::Command;

/// Makes `torch` impossible to import until `allow` is called; from then on there is a stand-in that counts questions.
const STAND_IN: &str = r#"
import sys
import types


class Refusing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "torch":
            raise ImportError(f"{name} must not be imported")


refusing = Refusing()
sys.meta_path.insert(0, refusing)
asked = []


def allow():
    sys.meta_path.remove(refusing)
    torch = types.ModuleType("torch")
    torch.Module = object
    torch.mean = lambda values: sum(values) / len(values)
    torch.cuda = types.ModuleType("torch.cuda")
    torch.cuda.is_available = lambda: asked.append("is_available") or True
    torch.cuda.current_device = lambda: asked.append("current_device") or 3
    sys.modules["torch"] = torch
    sys.modules["torch.cuda"] = torch.cuda
"#;

const POLICY: &str =
    "cpu: {entry-points: [app, tools], forbidden-imports: [torch], gpu-modules: [app.gpu]}\n";

/// Fixes the project, and runs lines of Python in it.
fn fixed_and_run(project: &Project, lines: &str) {
    let words = "check . --fix --unsafe-fixes --min-severity note";
    let (first, second) = (project.run(words), project.run(words));
    assert!(first.stderr.contains("note: fixed "), "{first:?}");
    assert!(second.stderr.contains("there was nothing to fix"), "{second:?}");
    let mut python = Command::new("python3");
    python.current_dir(project.root()).args(["-B", "-c", &format!("{STAND_IN}\n{lines}")]);
    let Ok(output) = python.output() else {
        assert!(std::env::var_os("GPULINT_REQUIRE_TOOLS").is_none(), "there is no python3");
        eprintln!("skipped: there is no python3");
        return;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{}", first.stdout);
}

#[test]
fn a_package_hands_names_on_when_they_are_asked_for() {
    let init = "\
from . import gpu, texts
from .gpu import Engine, fast as quick
from .gpu import (
    slow,  # as it is
    another_rather_long_name_of_a_function_that_is_handed_on,
    yet_another_rather_long_name_of_a_function_that_is_handed_on,
)
from .texts import split

__all__ = [\"Engine\", \"quick\", \"slow\", \"split\"]
";
    let gpu = "\
import torch


class Engine(torch.Module):
    pass


def fast():
    return 'fast'


def slow():
    return 'slow'


def another_rather_long_name_of_a_function_that_is_handed_on():
    return 1


def yet_another_rather_long_name_of_a_function_that_is_handed_on():
    return 2
";
    for newline in ["\n", "\r\n"] {
        let project = Project::new()
            .file("gpulint.yaml", POLICY)
            .file("app/__init__.py", init.replace('\n', newline))
            .file("app/gpu.py", gpu)
            .file("app/texts.py", "def split(text):\n    return text.split()\n");
        let lines = r#"
import app

assert app.split("a b") == ["a", "b"]
assert "app.gpu" not in sys.modules
try:
    app.missing
except AttributeError as error:
    assert str(error) == "module 'app' has no attribute 'missing'", error
else:
    raise AssertionError("there is no such name")
allow()
from app import Engine, gpu, quick

assert Engine is app.Engine is gpu.Engine and quick() == "fast" and "Engine" in vars(app)
assert app.gpu is gpu is sys.modules["app.gpu"] and app.slow() == "slow"
assert app.yet_another_rather_long_name_of_a_function_that_is_handed_on() == 2
names = {}
exec("from app import *", names)
assert names["slow"] is app.slow
"#;
        fixed_and_run(&project, lines);
        let text = project.read("app/__init__.py");
        assert_eq!(text.matches('\n').count(), text.matches(newline).count(), "{text}");
        assert!(text.lines().all(|line| line.trim_end().len() <= 88), "{text}");
    }
}

#[test]
fn functions_import_what_they_use() {
    let tools = "\
\"\"\"Tools.\"\"\"
from __future__ import annotations
import torch  # type: ignore
import torch.cuda


def mean(values: torch.Tensor) -> float:
\t\"\"\"The mean.\"\"\"
\t# of all
\treturn torch.mean(values)


def later(values):
\tdef inner():
\t\treturn [torch.mean(values) for _ in range(2)]
\treturn inner


class Table:
\tdef here(self): return torch.cuda.current_device()


if __name__ == \"__main__\":
\tprint(torch.mean([1]))";
    for newline in ["\n", "\r\n"] {
        for start in ["", "\u{feff}"] {
            let project = Project::new()
                .file("gpulint.yaml", POLICY)
                .file("tools.py", format!("{start}{}", tools.replace('\n', newline)));
            let lines = r#"
import tools

inner = tools.later([2, 4])
assert "torch" not in sys.modules and not hasattr(tools, "torch")
allow()
assert tools.mean([1, 3]) == 2 and inner() == [3, 3] and tools.Table().here() == 3
import runpy

runpy.run_path("tools.py", run_name="__main__")
"#;
            fixed_and_run(&project, lines);
            let text = project.read("tools.py");
            assert!(text.starts_with(&format!("{start}\"\"\"Tools.\"\"\"")), "{text}");
            assert_eq!(text.matches('\n').count(), text.matches(newline).count(), "{text}");
        }
    }
}

#[test]
fn answers_are_asked_for_once_and_when_they_are_needed() {
    let config = "\
import torch

HAS_GPU = torch.cuda.is_available()


def name(index=torch.cuda.current_device(), *, other: int = 1):
    return f\"cuda:{index}\" if HAS_GPU else \"cpu\"


def both():
    return [name(), name(5)]
";
    let project = Project::new()
        .file("gpulint.yaml", "scripts: {}\n")
        .file("app/__init__.py", "")
        .file("app/config.py", config);
    let lines = r#"
allow()
import app.config

assert asked == [], asked
assert app.config.both() == ["cuda:3", "cuda:5"]
assert asked == ["current_device", "is_available"], asked
"#;
    fixed_and_run(&project, lines);
}
