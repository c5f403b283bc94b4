import os
import subprocess
import sys

for gpu in range(4):
    env = dict(os.environ)
    env["CUDA_VISIBLE_DEVICES"] = str(gpu)
    subprocess.Popen([sys.executable, "worker.py"], env=env)
