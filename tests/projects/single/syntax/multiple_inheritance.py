import os


class Pinned:
    def __init__(self):
        super().__init__()
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"


class Plain:
    def __init__(self):
        self.ready = True


class Both(Pinned, Plain):
    pass


Both()

import torch

torch.ones(1).cuda()
