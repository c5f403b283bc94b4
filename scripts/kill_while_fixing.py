#!/usr/bin/env python3
"""Kills `gpulint check --fix` at random moments and looks at what is left.

    scripts/kill_while_fixing.py path/to/gpulint [--files 200] [--rounds 50] [--seed 1]

Every file must be the old one or the new one, whole; and what a killed run leaves beside them must not keep the next run
from ending what it began, after which nothing is left. Ends with 1 at the first file that is neither.
"""

import argparse
import pathlib
import random
import subprocess
import sys
import tempfile
import time

OLD = """\
import os
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"
import torch
if torch.cuda.is_available:  # comment of a file
    pass
"""
NEW = OLD.replace("is_available:", "is_available():")
# So that a file is not written at once.
FILLER = "".join(f"x{number} = {number}\n" for number in range(100))


def run(command: list[str], folder: pathlib.Path) -> subprocess.Popen:
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("gpulint", type=pathlib.Path)
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    command = [str(arguments.gpulint.resolve()), "check", "--fix", "--format", "concise"]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "gpulint.yaml").write_text("{}\n")
        files = [folder / f"f{number:04}.py" for number in range(arguments.files)]

        def write_old() -> None:
            for file in files:
                file.write_text(OLD + FILLER)

        def until_writing(process: subprocess.Popen) -> None:
            """Waits for the first file: the greater part of a run only reads."""
            number = files[0].stat().st_ino
            while files[0].stat().st_ino == number and process.poll() is None:
                pass

        write_old()
        started = time.monotonic()
        process = run(command, folder)
        until_writing(process)
        began_writing = time.monotonic()
        if process.wait() != 0:
            print("a run that nobody kills fails")
            return 1
        ended = time.monotonic()
        killed = left = halfway = 0
        for number in range(arguments.rounds):
            write_old()
            process = run(command, folder)
            if number % 4 == 0:
                time.sleep(chance.uniform(0, ended - started))
            else:
                until_writing(process)
                time.sleep(chance.uniform(0, ended - began_writing))
            process.kill()
            killed += process.wait() < 0
            texts = [file.read_text() for file in files]
            for file, text in zip(files, texts):
                if text not in (OLD + FILLER, NEW + FILLER):
                    print(f"round {number}: {file.name} is neither the old nor the new one: {len(text)} characters")
                    return 1
            halfway += OLD + FILLER in texts and NEW + FILLER in texts
            left += len(list(folder.glob(".*.new")))
            if run(command, folder).wait() != 0 or any(file.read_text() != NEW + FILLER for file in files):
                print(f"round {number}: the next run does not end what was begun")
                return 1
            if leftovers := sorted(folder.glob(".*.new")):
                print(f"round {number}: {leftovers[0].name} is still there")
                return 1
        print(f"{arguments.rounds} rounds with {arguments.files} files, {killed} killed, {halfway} of them halfway: every "
              f"file was whole, and {left} left beside them were removed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
