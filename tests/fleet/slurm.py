#!/usr/bin/env python3
"""Slurm on this host, with simulated cards: what `gpulint init --fleet slurm` writes is submitted as it is, and merged.

    scripts/simulated_host --host tests/fleet/host.yaml tests/fleet/slurm.py

Needs Debian's packages slurmctld, slurmd, slurm-client and munge, and root. The daemons run in a folder of their own and are ended.
"""

import contextlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from gpulint_here import POLICY, check, cards_of, gpulint_on_path

# In host.yaml the second card leaks.
CARDS = 3


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


def configured(folder):
    """The files of a cluster of one node, whose cards are the simulated ones."""
    host = socket.gethostname().split(".")[0]
    # Slurm takes the number of a card from the name of its file, which must be a device.
    devices = folder / "dev"
    devices.mkdir()
    for number in range(CARDS):
        (devices / f"nvidia{number}").symlink_to("/dev/null")
    (folder / "slurm.conf").write_text(
        f"""ClusterName=simulated
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1
GresTypes=gpu
ReturnToService=2
SlurmdParameters=config_overrides
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 RealMemory=512 Gres=gpu:{CARDS} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:4
"""
    )
    files = "".join(f"Name=gpu File={devices}/nvidia{number}\n" for number in range(CARDS))
    (folder / "gres.conf").write_text(files)
    (folder / "cgroup.conf").write_text("")
    for name in ("state", "spool"):
        (folder / name).mkdir()
    key = folder / "munge.key"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o600)
    return host


@contextlib.contextmanager
def daemons(folder):
    """Munge, the controller and the daemon of the node, until the end."""
    munge = ["/usr/sbin/munged", "--foreground", "--force", f"--key-file={folder}/munge.key"]
    munge += [f"--{name}-file={folder}/munge.{name}" for name in ("pid", "log", "seed")] + [f"--socket={folder}/munge.socket"]
    started = []
    try:
        for command in (munge, ["/usr/sbin/slurmctld", "-D"], ["/usr/sbin/slurmd", "-D"]):
            log = open(folder / f"{pathlib.Path(command[0]).name}.out", "w")
            started.append(subprocess.Popen(command, stdout=log, stderr=log))
            time.sleep(1)
        yield
    except BaseException:
        for log in sorted(folder.glob("*.log")) + sorted(folder.glob("*.out")):
            print(f"== {log.name}", *log.read_text(errors="replace").splitlines()[-15:], sep="\n", file=sys.stderr)
        raise
    finally:
        for daemon in reversed(started):
            daemon.terminate()
        for daemon in started:
            daemon.wait(timeout=60)


def told(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def ready(host):
    for _ in range(60):
        state = subprocess.run(["sinfo", "-h", "-n", host, "-o", "%T"], capture_output=True, text=True).stdout.strip()
        if state.startswith("idle"):
            return
        time.sleep(1)
    raise SystemExit(f"the node is not idle but {state}")


def submitted(*options):
    """Submits the file as its first lines say, and merges."""
    task = subprocess.run(["sbatch", "--parsable", "--wait", *options, "gpulint-fleet.sbatch"], capture_output=True, text=True)
    array = task.stdout.strip()
    reports = pathlib.Path("gpulint-reports", array)
    merge = ["gpulint", "report", "merge", str(reports), "--expect", str(CARDS), "--format", "json"]
    merged = subprocess.run(merge, capture_output=True, text=True)
    logs = "\n".join(log.read_text() for log in sorted(pathlib.Path().glob(f"gpulint-{array}-*.log")))
    return task.returncode, merged.returncode, json.loads(merged.stdout or "{}"), reports, logs


def test():
    with tempfile.TemporaryDirectory(prefix="slurm-") as place:
        folder = pathlib.Path(place)
        host = configured(folder)
        os.environ["SLURM_CONF"] = str(folder / "slurm.conf")
        project = folder / "project"
        project.mkdir()
        os.chdir(project)
        gpulint_on_path(folder / "bin")
        (project / "gpulint.yaml").write_text(POLICY)
        subprocess.run(["gpulint", "init", "--fleet", "slurm", "--cards", str(CARDS)], check=True)
        with daemons(folder):
            ready(host)
            code, merged, page, reports, logs = submitted()
            check("the worst task is that of the rejected card", code, 4, logs)
            check("the merged verdict is the worst", (merged, page.get("verdict")), (4, "rejected"), logs)
            check("each task had a card of its own", cards_of(reports), {"GPU-a": "approved", "GPU-b": "rejected", "GPU-c": "approved"})
            check("nobody asked to drain the node", told("sinfo", "-h", "-n", host, "-o", "%T"), "idle")
            # One that the scheduler gives and the policy does not allow.
            (project / "gpulint.yaml").write_text(POLICY.replace("RTX 3090", "H200"))
            code, merged, page, reports, logs = submitted()
            check("a slice without the allowed card", (code, merged), (5, 5), logs)
            check("with the reason", "is not `H200` (`gpu.name`)" in (reports / "1.json").read_text(), True, logs)
            (project / "gpulint.yaml").write_text(POLICY)
            code, _, _, _, logs = submitted("--export=ALL,GPULINT_DRAIN=yes")
            check("a rejection that is to drain", code, 4, logs)
            check("the node is drained", told("sinfo", "-h", "-n", host, "-o", "%T"), "drained")
            reason = told("scontrol", "show", "node", host)
            check("and says why", "Reason=gpulint rejected a GPU: gpulint-reports/" in reason, True, reason)
    print("slurm: all as it should be")


if __name__ == "__main__":
    if not all(shutil.which(name) or pathlib.Path("/usr/sbin", name).exists() for name in ("sbatch", "slurmctld", "slurmd", "munged")):
        sys.exit("Slurm or munge is not installed")
    test()
