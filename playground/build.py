#!/usr/bin/env python3
"""Builds the playground: a page, and the checker as WebAssembly, which that page runs in the browser.

    playground/build.py target/playground
    python3 -m http.server --bind 127.0.0.1 --directory target/playground

Needs clang, for the grammars of the shells, which are written in C, and the Rust target wasm32-unknown-unknown. What a browser
loads needs a server: it runs no WebAssembly from files. Ends with 2 where a tool is missing.
"""

import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TARGET = "wasm32-unknown-unknown"


def main():
    if len(sys.argv) != 2:
        raise SystemExit("usage: playground/build.py FOLDER")
    if not shutil.which("clang"):
        print("playground/build.py needs clang", file=sys.stderr)
        return 2
    out = pathlib.Path(sys.argv[1])
    asked = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", TARGET]
    known = json.loads(subprocess.run(asked, cwd=HERE, check=True, capture_output=True, text=True).stdout)
    grammars = next(package for package in known["packages"] if package["name"] == "tree-sitter-language")
    headers = pathlib.Path(grammars["manifest_path"]).parent / "wasm/include"
    built = pathlib.Path(known["target_directory"])
    # The grammar of PowerShell asks for a C library of its own, which older versions of tree-sitter lacked. The present one has it.
    library = built / "playground-without-libc"
    library.mkdir(parents=True, exist_ok=True)
    for name in ("stdio.c", "stdlib.c", "string.c"):
        (library / name).touch()
    said = f"target.{TARGET}.tree-sitter-language"
    command = ["cargo", "build", "--locked", "--package", "gpulint-playground", "--profile", "playground", "--target", TARGET]
    command += ["--config", f"{said}.wasm-headers={json.dumps(str(headers))}", "--config", f"{said}.wasm-src={json.dumps(str(library))}"]
    # The grammar of bash does not look for the headers itself.
    subprocess.run(command, cwd=HERE, check=True, env={**os.environ, f"CFLAGS_{TARGET.replace('-', '_')}": f"-I{headers}"})
    out.mkdir(parents=True, exist_ok=True)
    for page in (HERE / "page").iterdir():
        shutil.copyfile(page, out / page.name)
    module = (built / TARGET / "playground/gpulint_playground.wasm").read_bytes()
    (out / "gpulint.wasm").write_bytes(module)
    print(f"{out}: gpulint.wasm has {len(module):,} bytes, {len(gzip.compress(module)):,} behind gzip")
    return 0


if __name__ == "__main__":
    sys.exit(main())
