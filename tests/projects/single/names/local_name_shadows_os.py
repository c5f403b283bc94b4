import os

import torch


class Fake:
    environ = {}


def pin(os):
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"


pin(Fake())
torch.cuda.init()  # ~ missing-visible-devices warning
