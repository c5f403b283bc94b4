import os
import subprocess

env = os.environ.copy()
env["CUDA_VISIBLE_DEVICES"] = "1"
subprocess.run(["python", "train.py"], env=env)
