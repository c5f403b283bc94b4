#!/usr/bin/env python3
"""Runs `gpulint prove --cpu` on programs that use a published project, and says where the outcome is not the one that was read by hand:

    tests/published/prove.py [--simulated] NAME=PYTHON...

NAME is that of a group below, and PYTHON one that has its packages. With `--simulated` it is started on a simulated host.
"""

import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
# torch computes on the CPU there, so it may be imported.
TORCH_IS_USED = ["--forbid", "cupy", "--forbid", "numba.cuda"]
# By group: program, options, and the reasons on a machine without a GPU and on a simulated host; None where that is too little for it.
PROGRAMS = {
    "torch": [
        ("with_einops.py", [], [], []),
        # Its build for CUDA asks the driver when a gradient is computed on the CPU; each of the processes is a reason.
        ("with_skorch.py", TORCH_IS_USED, [], ["device-opened"]),
    ],
    "numba": [
        ("with_awkward.py", [], [], []),
        ("with_stumpy.py", [], ["forbidden-import"], None),
        ("with_datashader.py", [], ["forbidden-import"], ["forbidden-import"]),
    ],
    "jax": [("with_numpyro.py", [], [], [])],
}


def main():
    words = sys.argv[1:]
    simulated = "--simulated" in words
    wrong = 0
    for word in words:
        group, is_group, python = word.partition("=")
        for program, options, without, with_gpu in PROGRAMS[group] if is_group else []:
            expected = with_gpu if simulated else without
            if expected is None:
                continue
            more = ["--allow-simulated"] if simulated else []
            command = ["gpulint", "prove", "--cpu", "--format", "json", *more, *options, "--", python, HERE / program]
            ended = subprocess.run(command, stdout=subprocess.PIPE, text=True)
            # What the program prints comes first.
            text = "\n" + ended.stdout
            proof = json.loads(text[text.index('\n{\n  "schema"') :])
            heavy = [reason for reason in proof["reasons"] if reason["weight"] != "note"]
            codes = sorted({reason["code"] for reason in heavy})
            right = codes == expected and ended.returncode == (4 if expected else 0)
            wrong += not right
            print(f"{'as read' if right else 'WRONG'}: {program}: exit {ended.returncode}, {proof['record']['wall_seconds']:.1f} s", flush=True)
            for reason in heavy:
                print(f"    {reason['code']}: {reason['message']}", flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
