import os

def pin(*, gpu, order="PCI_BUS_ID"):
    os.environ["CUDA_DEVICE_ORDER"] = order
    os.environ["CUDA_VISIBLE_DEVICES"] = gpu


pin(gpu="1")

import torch

torch.ones(1).cuda()
