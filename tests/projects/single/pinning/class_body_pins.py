import os


class Config:
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    batch_size = 8


import torch

torch.ones(Config.batch_size).cuda()
