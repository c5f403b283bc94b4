#!/usr/bin/env python3
"""What CPython's own parser finds in files of Python: imports, calls, and writes of the environment.

    tests/against_python/facts.py < LIST

LIST names a file on each line. For each there is one line of JSON: its facts as sorted texts, or why CPython does not read it.
`tests/library/against_ast.rs` holds gpulint's against them. Left out is what may never be evaluated since Python 3.14: annotations, and what
belongs to types (`type X = …`, `def f[T: …]`).
"""

import ast
import json
import sys
import warnings

# What changes the environment when it is called on `os.environ`.
METHODS = {"setdefault", "update", "pop", "clear", "popitem", "__setitem__", "__delitem__"}
# What does so as a function of `os`.
FUNCTIONS = {"putenv", "unsetenv"}
LEFT_OUT = {"annotation", "returns", "type_params"}


def main():
    sys.setrecursionlimit(20_000)
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        with open(line.rstrip("\n"), "rb") as file:
            data = file.read()
        try:
            data.decode("utf-8")
            tree = ast.parse(data)
        except (SyntaxError, UnicodeDecodeError, ValueError, RecursionError, MemoryError) as error:
            print(json.dumps({"refused": f"{type(error).__name__}: {error}"}))
            continue
        name_privately(tree)
        print(json.dumps({"facts": sorted(facts_of(tree))}))


def name_privately(tree):
    """Within `class Card` the name `__index` is `_Card__index`, as CPython's compiler takes it."""
    open_nodes = [(tree, "")]
    while open_nodes:
        node, around = open_nodes.pop()
        for field in ("attr", "id"):
            name = getattr(node, field, None)
            if around and isinstance(name, str) and name.startswith("__") and not name.endswith("__"):
                setattr(node, field, f"_{around}{name}")
        for field, value in ast.iter_fields(node):
            inside = node.name.lstrip("_") if isinstance(node, ast.ClassDef) and field == "body" else around
            parts = value if isinstance(value, list) else [value]
            open_nodes += [(part, inside) for part in parts if isinstance(part, ast.AST)]


def facts_of(tree):
    open_nodes = [tree]
    while open_nodes:
        node = open_nodes.pop()
        yield from facts_at(node)
        for field, value in ast.iter_fields(node):
            if field in LEFT_OUT:
                continue
            parts = value if isinstance(value, list) else [value]
            open_nodes += [part for part in parts if isinstance(part, ast.AST)]


def facts_at(node):
    match node:
        case ast.Import(names=names):
            for alias in names:
                yield f"{alias.lineno} import {alias.name} as {alias.asname or ''}"
        case ast.ImportFrom(names=names):
            bound = " ".join(f"{alias.name}={alias.asname or alias.name}" for alias in names)
            yield f"{node.lineno} from {'.' * node.level}{node.module or ''} import {bound}"
        case ast.Call(func=function):
            yield f"{node.lineno} call {dotted(function)}"
            match function:
                case ast.Attribute(value=owner, attr=name) if is_environment(owner) and name in METHODS:
                    yield f"{node.lineno} write {name} {key(node.args[0]) if node.args else ''}"
                case ast.Attribute(value=ast.Name(id="os"), attr=name) if name in FUNCTIONS:
                    yield f"{node.lineno} write {name} {key(node.args[0]) if node.args else ''}"
        case ast.Subscript(value=owner, slice=index, ctx=ast.Store() | ast.Del()) if is_environment(owner):
            yield f"{node.lineno} write item {key(index)}"


def is_environment(node):
    return dotted(node) in ("os.environ", "environ")


def key(node):
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else "?"


def dotted(node):
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    names.append(node.id if isinstance(node, ast.Name) else "?")
    return ".".join(reversed(names))


if __name__ == "__main__":
    main()
