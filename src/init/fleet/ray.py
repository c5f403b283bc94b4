"""Validates each GPU of a Ray cluster, one in each task, and merges the reports into one verdict.

    python gpulint_fleet.py

Run it in the folder of the project, which Ray takes to all nodes, where the cluster is known (RAY_ADDRESS, or on one of its
nodes). All nodes need gpulint on PATH. It ends with the exit code of `gpulint report merge`.

Ray chooses the cards. Each task holds its card until it ends; where not all cards are free at once a task may get one that
was validated already, and then the merge says that others are missing.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import ray


@ray.remote(num_gpus=1, max_retries=0)
def validate():
    """The report on the card that Ray gave this worker, and what gpulint said beside it."""
    # Ray numbers the cards of a node, and with this a number is the same card for every program there.
    environment = {**os.environ, "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}
    command = ["gpulint", "validate", "--format", "json"]
    run = subprocess.run(command, env=environment, capture_output=True, text=True)
    return run.stdout, run.stderr


def main():
    ray.init(address="auto", runtime_env={"working_dir": "."})
    cards = int(ray.cluster_resources().get("GPU", 0))
    if cards == 0:
        sys.exit("this Ray cluster has no GPU")
    reports = pathlib.Path(tempfile.mkdtemp(prefix="gpulint-reports-"))
    for number, task in enumerate([validate.remote() for _ in range(cards)]):
        try:
            report, said = ray.get(task)
        except ray.exceptions.RayError as error:
            # The merge counts it as missing.
            print(f"task {number} has no report: {error}", file=sys.stderr)
            continue
        print(said, end="", file=sys.stderr)
        (reports / f"{number}.json").write_text(report, encoding="utf-8")
    print(f"reports: {reports}", file=sys.stderr)
    merge = ["gpulint", "report", "merge", str(reports), "--expect", str(cards)]
    return subprocess.run(merge).returncode


if __name__ == "__main__":
    sys.exit(main())
