import os

class Setup:
    def __call__(self):
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"


Setup()()

import torch

torch.ones(1).cuda()
