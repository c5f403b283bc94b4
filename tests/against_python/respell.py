"""Writes programs in other ways that mean the same, as other people would write them.

Reads a JSON list of programs from standard input and writes a list of objects: for each program, its text in each
spelling that can be made of it. CPython's own `ast` reads and writes them, so comments and blanks are gone in all.
"""

import ast
import builtins
import json
import sys


def plain(tree):
    return tree


def whole_paths(tree):
    """`import a as b`, `from a import c`  ->  `import a`, and `a.c` wherever it is used"""
    paths = {}
    for step in tree.body:
        if isinstance(step, ast.ImportFrom):
            if step.level or step.module == "__future__" or any(one.name == "*" for one in step.names):
                return None
            paths.update({one.asname or one.name: f"{step.module}.{one.name}" for one in step.names})
        elif isinstance(step, ast.Import):
            paths.update({one.asname: one.name for one in step.names if one.asname})
    imports = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
    if not paths or binds_again(tree, paths) or not all(step in tree.body for step in imports):
        return None

    class Writer(ast.NodeTransformer):
        def visit_Name(self, node):
            return ast.parse(paths[node.id], mode="eval").body if node.id in paths else node

        def visit_ImportFrom(self, node):
            return ast.Import(names=[ast.alias(name=node.module)])

        def visit_Import(self, node):
            return ast.Import(names=[ast.alias(name=one.name) for one in node.names])

    return Writer().visit(tree)


def imported_names(tree):
    """`import torch`, `torch.zeros(2)`  ->  `from torch import zeros`, `zeros(2)`"""
    modules = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules.update({one.asname or one.name: one.name for one in node.names if "." not in one.name})
    used, taken = {}, set()

    class Writer(ast.NodeTransformer):
        def visit_Attribute(self, node):
            self.generic_visit(node)
            is_module = isinstance(node.value, ast.Name) and node.value.id in modules
            if not is_module or not isinstance(node.ctx, ast.Load) or hasattr(builtins, node.attr):
                return node
            used.setdefault(modules[node.value.id], set()).add(node.attr)
            return ast.Name(id=node.attr, ctx=ast.Load())

        def visit_Try(self, node):
            # What an import of a name raises is another error than that of an attribute.
            taken.add("try")
            return self.generic_visit(node)

    tree = Writer().visit(tree)
    names = [name for one in used.values() for name in one]
    others = {one.asname or one.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for one in node.names}
    left = any(isinstance(node, ast.Name) and node.id in modules for node in ast.walk(tree))
    if taken or left or len(names) != len(set(names)) or others & set(names) or binds_again(tree, set(names)):
        return None

    class Importer(ast.NodeTransformer):
        def visit_Import(self, node):
            steps = []
            for one in node.names:
                given = [ast.alias(name=name) for name in sorted(used.get(one.name, ()))]
                steps.append(ast.ImportFrom(module=one.name, names=given, level=0) if given else ast.Import(names=[one]))
            return steps

    return Importer().visit(tree)


def other_aliases(tree):
    """`import torch`, `from torch import nn`  ->  `import torch as torch_x`, `from torch import nn as nn_x`"""
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            if any(one.asname is None and "." in one.name for one in node.names):
                return None
        elif not isinstance(node, ast.ImportFrom) or node.module == "__future__":
            continue
        elif any(one.name == "*" for one in node.names):
            return None
        for one in node.names:
            bound = one.asname or one.name
            # Classes and functions keep their names: hardly anybody gives them others.
            if isinstance(node, ast.ImportFrom) and bound not in ("nn", "cuda", "optim", "mp", "F"):
                continue
            one.asname = names[bound] = bound + "_x"
    if not names or binds_again(tree, names):
        return None

    class Writer(ast.NodeTransformer):
        def visit_Name(self, node):
            node.id = names.get(node.id, node.id)
            return node

    return Writer().visit(tree)


def with_types(tree):
    """`x = …`  ->  `x: object = …`"""
    if any(isinstance(node, (ast.Global, ast.Nonlocal)) for node in ast.walk(tree)):
        return None

    class Writer(ast.NodeTransformer):
        def visit_Assign(self, node):
            if len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                kind = ast.Name(id="object", ctx=ast.Load())
                return ast.AnnAssign(target=node.targets[0], annotation=kind, value=node.value, simple=1)
            return node

    return Writer().visit(tree)


def binds_again(tree, names):
    """Whether something else has one of the names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            bound = () if isinstance(node.ctx, ast.Load) else (node.id,)
        elif isinstance(node, ast.arg):
            bound = (node.arg,)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            bound = node.names
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler)):
            bound = (node.name,)
        else:
            continue
        if any(name in names for name in bound):
            return True
    return False


SPELLINGS = [plain, whole_paths, imported_names, other_aliases, with_types]


def spellings_of(text):
    found = {}
    for spelling in SPELLINGS:
        try:
            tree = ast.parse(text)
        except SyntaxError:
            return {}
        tree = spelling(tree)
        if tree is not None:
            found[spelling.__name__] = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    return found


if __name__ == "__main__":
    json.dump([spellings_of(text) for text in json.load(sys.stdin)], sys.stdout)
