import os
import subprocess

import torch

subprocess.run(["python", "w.py"], env={**os.environ, "CUDA_VISIBLE_DEVICES": "0"})
torch.ones(2).cuda()  # ~ missing-visible-devices warning
