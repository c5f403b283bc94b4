import os

import torch


def refuse(function):
    raise ValueError("no")


kept = "2"
try:

    @refuse
    @refuse
    def kept():
        pass
except ValueError:
    pass

pair = "1"
try:
    pair, other = [1, 2, 3]
except ValueError:
    pass


class Box:
    value = "0"


box = Box()
try:
    box.value = refuse(None)
except ValueError:
    pass

os.environ["CUDA_VISIBLE_DEVICES"] = kept
os.environ["CUDA_DEVICE_ORDER"] = pair
os.environ["NCCL_DEBUG"] = box.value
torch.cuda.init()
