import os

import torch


def pinner(mask):
    def pin():
        os.environ["CUDA_VISIBLE_DEVICES"] = mask

    return pin


pin = pinner("0")
torch.cuda.init()  # ~ missing-visible-devices warning
