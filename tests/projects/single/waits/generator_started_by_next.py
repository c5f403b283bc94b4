import os

import torch


def batches():
    torch.cuda.init()
    yield 1


next(batches())
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-cuda-init error
