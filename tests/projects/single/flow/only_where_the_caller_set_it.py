import os

import torch

mask = os.environ.get("CUDA_VISIBLE_DEVICES", "").strip()
if len(mask) > 0 and int(mask) != -1:  # ~ mask-parsed-as-int warning
    torch.cuda.init()
if mask != "" and torch.backends.cuda.is_built():
    torch.ones(1).cuda()
