import os


class GpuEnvironment:
    def __init__(self, index="0"):
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
        os.environ["CUDA_VISIBLE_DEVICES"] = index


environment = GpuEnvironment()

import torch

torch.ones(2).cuda()
