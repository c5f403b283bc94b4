import os
import subprocess

import torch

subprocess.run(["python", "-c", "pass"], env=dict(os.environ, CUDA_VISIBLE_DEVICES="1"), check=True)
torch.cuda.init()  # ~ missing-visible-devices warning
