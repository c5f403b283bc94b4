"""Starts each program on a card of its own."""
import os
import subprocess
import sys

subprocess.run(
    [sys.executable, "first.py"],
    env={**os.environ, "CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": "0"},
    check=True,
)
environment = os.environ.copy()
environment["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
environment["CUDA_VISIBLE_DEVICES"] = "1"
subprocess.Popen([sys.executable, "second.py"], env=environment).wait()
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"
subprocess.check_call(["python", "-m", "third"])
