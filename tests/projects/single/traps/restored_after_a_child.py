import os
import subprocess

old = os.environ.get("CUDA_VISIBLE_DEVICES", "")
os.environ["CUDA_VISIBLE_DEVICES"] = "1"
try:
    subprocess.run(["python", "train.py"], check=True)
finally:
    os.environ["CUDA_VISIBLE_DEVICES"] = old
