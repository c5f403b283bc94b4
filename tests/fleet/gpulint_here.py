"""What the tests of fleets share: the gpulint that knows that the cards are simulated, and what reports say."""

import json
import pathlib
import shutil
import sys

POLICY = "gpu: {name: RTX 3090, min-memory: 20GiB}\nruntime: {iterations: 4}\n"


def gpulint_on_path(folder):
    """Puts a gpulint first on PATH that is told that simulated cards are meant; the ready files cannot say it."""
    import os

    folder.mkdir()
    real = shutil.which("gpulint")
    wrapper = folder / "gpulint"
    options = "--allow-simulated --profile leak --side 32"
    wrapper.write_text(
        f'#!/bin/sh\ncase "$1" in\nvalidate) shift; exec {real} validate {options} "$@" ;;\nesac\nexec {real} "$@"\n'
    )
    wrapper.chmod(0o755)
    os.environ["PATH"] = f"{folder}{os.pathsep}{os.environ['PATH']}"
    # Validations must not find what others of the same user left.
    os.environ["XDG_STATE_HOME"] = str(folder / "state")


def cards_of(reports):
    """The verdict on each card, by the beginning of its UUID."""
    told = [json.loads(report.read_text()) for report in sorted(pathlib.Path(reports).glob("*.json"))]
    return {(report["card"] or {}).get("uuid", "none")[:5]: report["verdict"] for report in told}


def check(what, is_so, should_be, beside=""):
    if is_so != should_be:
        print(beside, file=sys.stderr)
        raise SystemExit(f"{what}: {is_so!r}, and it should be {should_be!r}")
    print(f"- {what}: {is_so!r}")
