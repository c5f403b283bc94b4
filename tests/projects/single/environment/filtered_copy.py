import os
import subprocess

import torch

clean = {key: value for key, value in os.environ.items() if not key.startswith("CUDA")}
subprocess.run(["python", "worker.py"], env=clean, check=True)
torch.cuda.init()  # ~ missing-visible-devices warning
