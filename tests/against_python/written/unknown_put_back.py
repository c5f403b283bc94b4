import os

import torch

os.environ["CUDA_VISIBLE_DEVICES"] = os.environ.get("STAGE", "2")
old = os.environ.get("CUDA_VISIBLE_DEVICES")
os.environ.pop("CUDA_VISIBLE_DEVICES", None)
if old is None:
    pass
else:
    os.environ["CUDA_VISIBLE_DEVICES"] = old
torch.zeros(1).cuda()
