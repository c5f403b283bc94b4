import os

import env
import torch


def check():
    if os.environ["CUDA_VISIBLE_DEVICES"] != "0":
        raise SystemExit("wrong card")


check()
torch.zeros(1).cuda()  # ~ missing-gpu-validation warning
