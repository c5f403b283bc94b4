import os

import torch

os.environ.pop("CARDS", None)
if os.environ.get("CARDS") is None:
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
os.environ.setdefault("CARDS", "2")
os.environ["GPUS"] = os.environ["CARDS"]
torch.cuda.init()
