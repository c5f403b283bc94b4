import os
import torch

os.environ["CUDA_VISIBLE_DEVICES"] = "1"
try:
    if os.environ.get("MODE"):
        raise KeyError
    os.environ["CUDA_VISIBLE_DEVICES"] = "2"
except KeyError:
    if os.environ.get("MODE") == "slow":
        os.environ["CUDA_VISIBLE_DEVICES"] = "3"
        raise
finally:
    torch.cuda.init()
