import os

def pin(*gpus):
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(gpus)


pin("1")

import torch

torch.ones(1).cuda()
