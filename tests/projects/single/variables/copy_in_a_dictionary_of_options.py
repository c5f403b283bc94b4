import os
import subprocess


def start(command):
    env = os.environ.copy()
    env["CUDA_VISIBLE_DEVICES"] = "1"
    options = {"env": env, "check": True}
    return subprocess.run(command, **options)
