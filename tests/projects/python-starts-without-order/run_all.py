import os
import subprocess

subprocess.run(["python", "first.py"], env={**os.environ, "CUDA_VISIBLE_DEVICES": "1"})  # ~ missing-device-order warning
subprocess.run(["python", "second.py"], env={**os.environ, "RUN": "2"})
