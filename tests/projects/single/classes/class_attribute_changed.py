import os


class Gpu:
    mask = "1"


Gpu.mask = "0"
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = Gpu().mask

import torch

torch.cuda.set_device(1)  # ~ device-outside-mask error
