import os
import subprocess


def start(command):
    env = os.environ.copy()
    env["CUDA_VISIBLE_DEVICES"] = "1"  # ~ environ-copy-unused warning
    env.setdefault("CUDA_DEVICE_ORDER", "PCI_BUS_ID")  # ~ environ-copy-unused warning
    return subprocess.run(command)
