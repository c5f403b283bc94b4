#!/usr/bin/env python3
"""Fixes a copy of a project and holds the result against CPython's own parser and tokenizer.

    check_fixes.py PROJECT --gpulint BINARY [--config FILE] [--keep FOLDER]

Every changed file of Python has to parse, has to have all its comments in their order, and every statement of the old file that
the new one lacks is listed, to be looked at. A second run must change nothing. Nothing is written to PROJECT.
"""

import argparse
import ast
import difflib
import io
import pathlib
import shutil
import subprocess
import sys
import tempfile
import tokenize


def comments(text):
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [token.string for token in tokens if token.type == tokenize.COMMENT]


def statements(text):
    """One line for each statement, without what is inside of it."""
    lines = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.stmt):
            parts = {
                name: value
                for name, value in ast.iter_fields(node)
                if not (isinstance(value, list) and value and isinstance(value[0], (ast.stmt, ast.excepthandler)))
            }
            dumped = [
                f"{name}={[ast.dump(item) if isinstance(item, ast.AST) else item for item in value]}"
                if isinstance(value, list)
                else f"{name}={ast.dump(value) if isinstance(value, ast.AST) else value}"
                for name, value in parts.items()
            ]
            lines.append((node.lineno, f"{type(node).__name__}({', '.join(dumped)})"))
    return [line for _, line in sorted(lines)]


def is_part(part, whole):
    whole = iter(whole)
    return all(any(item == other for other in whole) for item in part)


def compare(path, old, new):
    faults, lost = [], []
    try:
        before, after = statements(old), statements(new)
    except (SyntaxError, ValueError, RecursionError) as error:
        try:
            ast.parse(old)
        except (SyntaxError, ValueError, RecursionError):
            return [], []
        return [f"{path}: does not parse any more: {error}"], []
    try:
        if not is_part(comments(old), comments(new)):
            faults.append(f"{path}: a comment is lost")
    except (tokenize.TokenError, IndentationError) as error:
        faults.append(f"{path}: {error}")
    matcher = difflib.SequenceMatcher(a=before, b=after, autojunk=False)
    for tag, start, end, _, _ in matcher.get_opcodes():
        if tag in ("replace", "delete"):
            lost.extend(f"{path}: {line[:160]}" for line in before[start:end])
    return faults, lost


def run(arguments, folder):
    command = [arguments.gpulint, "check", ".", "--fix", "--unsafe-fixes", "--format", "concise"]
    if arguments.config:
        command += ["--config", str(pathlib.Path(arguments.config).resolve())]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("project", type=pathlib.Path)
    parser.add_argument("--gpulint", required=True, type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--config")
    parser.add_argument("--keep", type=pathlib.Path, help="leave the fixed copy here")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        copy = arguments.keep or pathlib.Path(scratch) / "copy"
        shutil.copytree(arguments.project, copy, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        first = run(arguments, copy)
        sys.stdout.write(first.stderr[-2000:])
        faults, lost, changed = [], [], []
        if first.returncode not in (0, 1):
            faults.append(f"exit code {first.returncode}")
        for path in sorted(arguments.project.rglob("*")):
            relative = path.relative_to(arguments.project)
            if not path.is_file() or ".git" in relative.parts:
                continue
            old, new = path.read_bytes(), (copy / relative).read_bytes()
            if old == new:
                continue
            changed.append(relative)
            if path.suffix == ".py":
                more, gone = compare(relative, old.decode("utf-8-sig"), new.decode("utf-8-sig"))
                faults += more
                lost += gone
        state = {path: path.read_bytes() for path in copy.rglob("*") if path.is_file()}
        run(arguments, copy)
        faults += [f"{path}: a second run changes it" for path, text in state.items() if path.read_bytes() != text]
        print(*lost, sep="\n")
        print(f"{len(changed)} files changed, {len(lost)} statements replaced (above), {len(faults)} faults")
        print(*faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
