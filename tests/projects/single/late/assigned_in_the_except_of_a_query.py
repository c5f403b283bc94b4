import os

try:
    import torch

    torch.cuda.init()
except RuntimeError:
    os.environ["CUDA_VISIBLE_DEVICES"] = ""  # ~ pin-after-cuda-init error
