import os


def pin():
    try:
        return os.cpu_count()
    finally:
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"


pin()

import torch

torch.ones(1).cuda()
