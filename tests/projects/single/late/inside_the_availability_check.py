import os

import torch

if not torch.cuda.is_available():
    raise SystemExit("no GPU")
os.environ.update({"CUDA_VISIBLE_DEVICES": "0"})  # ~ pin-after-cuda-init error
model = torch.nn.Linear(2, 2).cuda()
