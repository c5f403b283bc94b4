import os
import sys

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
match sys.argv[1:]:
    case [index]:
        os.environ["CUDA_VISIBLE_DEVICES"] = index
    case _:
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch

torch.ones(2).cuda()
