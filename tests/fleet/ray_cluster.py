#!/usr/bin/env python3
"""A Ray cluster of two workers on this host, with simulated cards: what `gpulint init --fleet ray` writes is run as it is.

    scripts/simulated_host --host tests/fleet/host.yaml PYTHON tests/fleet/ray_cluster.py

PYTHON has Ray. Its processes are those of this test, and are ended with it.
"""

import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from gpulint_here import POLICY, check, cards_of, gpulint_on_path
from ray.cluster_utils import Cluster

# One worker has two cards and the other one, each by UUID: on one host both would count their cards from 0.
GIVEN = {
    "first": "GPU-c0000000-0000-4000-8000-000000000003,GPU-a0000000-0000-4000-8000-000000000001",
    "second": "GPU-b0000000-0000-4000-8000-000000000002",
}


@contextlib.contextmanager
def cluster(given):
    """A head without cards, and a worker for each name in `given`, as Ray's own tests start several on one host."""
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    of_ray = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "num_gpus": 0, "include_dashboard": False})
    try:
        for cards in given.values():
            # Both where the count is checked and where the worker takes it from.
            os.environ["CUDA_VISIBLE_DEVICES"] = cards
            count = len(cards.split(","))
            of_ray.add_node(num_cpus=2, num_gpus=count, env_vars={"CUDA_VISIBLE_DEVICES": cards})
        of_ray.wait_for_nodes()
        os.environ["CUDA_VISIBLE_DEVICES"] = ""
        yield of_ray.address
    finally:
        of_ray.shutdown()


def test():
    with tempfile.TemporaryDirectory(prefix="ray-") as place:
        folder = pathlib.Path(place)
        project = folder / "project"
        project.mkdir()
        os.chdir(project)
        gpulint_on_path(folder / "bin")
        (project / "gpulint.yaml").write_text(POLICY)
        subprocess.run(["gpulint", "init", "--fleet", "ray"], check=True)
        with cluster(GIVEN) as address:
            os.environ["RAY_ADDRESS"] = address
            run = subprocess.run([sys.executable, "gpulint_fleet.py"], capture_output=True, text=True)
            check("the merged verdict is the worst", run.returncode, 4, run.stderr + run.stdout)
            check("the page names it", "rejected" in run.stdout, True, run.stdout)
            reports = run.stderr.split("reports: ")[1].splitlines()[0]
            check("each task had a card of its own", cards_of(reports), {"GPU-a": "approved", "GPU-b": "rejected", "GPU-c": "approved"})
            shutil.rmtree(reports)
            (project / "gpulint.yaml").write_text(POLICY.replace("RTX 3090", "H200"))
            run = subprocess.run([sys.executable, "gpulint_fleet.py"], capture_output=True, text=True)
            check("a slice without the allowed card", run.returncode, 5, run.stderr + run.stdout)
            check("with the reason", "is not `H200` (`gpu.name`)" in run.stdout, True, run.stdout)
            shutil.rmtree(run.stderr.split("reports: ")[1].splitlines()[0])
    print("ray: all as it should be")


if __name__ == "__main__":
    test()
