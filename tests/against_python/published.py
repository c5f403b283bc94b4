#!/usr/bin/env python3
"""Makes programs for compare.py of published Python files that need nothing but the standard library.

    tests/against_python/published.py FOLDER OUT

Each docstring with examples becomes a program: the module, and behind it the examples, each of whose results is written into
CUDA_VISIBLE_DEVICES. What the module prints, and whether a result is the one that the docstring promises, goes into CUDA_DEVICE_ORDER.
The block under `if __name__ == "__main__"` becomes a program of its own. `compare.py --made OUT` looks at all of them.
"""

import argparse
import ast
import doctest
import pathlib
import sys

VALUE, SAID = "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"
# What starts processes or threads, waits for somebody or looks at the machine.
LEFT_OUT = {
    "argparse", "asyncio", "concurrent", "ctypes", "datetime", "http", "logging", "multiprocessing", "pickle", "signal", "socket",
    "sqlite3", "ssl", "subprocess", "threading", "time", "timeit", "tkinter", "turtle", "unittest", "urllib", "webbrowser",
}
ASKS_OUTSIDE = ("input(", "open(", "environ", "stdin")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    arguments = parser.parse_args()
    made = 0
    for path in sorted(arguments.folder.rglob("*.py")):
        name = str(path.relative_to(arguments.folder).with_suffix("")).replace("/", "__")
        for number, program in enumerate(programs_of(path)):
            folder = arguments.out / f"{name}.{number}"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "main.py").write_text(program)
            made += 1
    print(f"{made} programs")


def programs_of(path):
    """The programs that a file gives: none where it needs more than the standard library."""
    try:
        text = path.read_text()
        tree = ast.parse(text)
    except (SyntaxError, UnicodeDecodeError, ValueError):
        return
    modules = set(imported(tree)) - {"__future__"}
    if any(word in text for word in ASKS_OUTSIDE) or not modules <= sys.stdlib_module_names - LEFT_OUT:
        return
    documented = list(examples_of(tree))
    future, block, body = [], None, []
    for step in tree.body:
        if isinstance(step, ast.If) and "__name__" in ast.unparse(step.test):
            block = step.body
        elif isinstance(step, ast.ImportFrom) and step.module == "__future__":
            future.append(ast.unparse(step))
        else:
            body.append(step)
    module = "\n".join([*future, "import os", "import torch", written(body)])
    endings = ["\n".join(line for example in examples for line in lines_of(example)) for examples in documented]
    if block is not None:
        endings.append(written(block))
    for ending in endings:
        program = f"{module}\n{ending}\ntorch.cuda.init()\n"
        try:
            compile(program, "main.py", "exec")
        except SyntaxError:
            continue
        yield program


def imported(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." if node.level else node.module.split(".")[0]


def examples_of(tree):
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            try:
                examples = doctest.DocTestParser().get_examples(ast.get_docstring(node) or "")
            except ValueError:
                continue
            if examples:
                yield examples


class Printed(ast.NodeTransformer):
    """What is printed is written into the environment; doctest is not run."""

    def visit_Expr(self, node):
        self.generic_visit(node)
        if not isinstance(node.value, ast.Call):
            return node
        called = ast.unparse(node.value.func)
        if called.endswith("testmod"):
            return ast.Pass()
        if called != "print":
            return node
        told = [one for one in node.value.args if not isinstance(one, (ast.Constant, ast.Starred))]
        return [ast.parse(f"os.environ[{SAID!r}] = str({ast.unparse(one)})").body[0] for one in told] or ast.Pass()


def written(body):
    return ast.unparse(ast.fix_missing_locations(Printed().visit(ast.Module(body, []))))


def lines_of(example):
    source = example.source.strip()
    if example.exc_msg is not None:
        return [
            "try:", *(f"    {line}" for line in source.splitlines()), f"    os.environ[{VALUE!r}] = 'passed'",
            "except Exception:", f"    os.environ[{VALUE!r}] = 'raised'",
        ]
    if "print(" in source:
        return [written(ast.parse(source).body)] if is_code(source, "exec") else []
    if not example.want.strip() or not is_code(source, "eval"):
        return [source]
    asked = " ".join(source.split("\n"))
    lines = [f"os.environ[{VALUE!r}] = str({asked})"]
    promised = example.want.strip()
    if is_literal(promised):
        lines.append(f"os.environ[{SAID!r}] = 'equal' if ({asked}) == ({promised}) else 'other'")
    return lines


def is_code(text, mode):
    try:
        ast.parse(text, mode=mode)
    except SyntaxError:
        return False
    return True


def is_literal(text):
    try:
        ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return False
    return "\n" not in text


if __name__ == "__main__":
    main()
