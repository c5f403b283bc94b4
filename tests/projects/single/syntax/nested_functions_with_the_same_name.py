import os

import torch


def setup():
    def pin():
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"

    return 1


def pin():
    print("nothing")


setup()
pin()
torch.ones(1).cuda()  # ~ missing-visible-devices warning
