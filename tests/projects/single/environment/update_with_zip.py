import os

names = ["CUDA_DEVICE_ORDER", "CUDA_VISIBLE_DEVICES"]
os.environ.update(zip(names, ["PCI_BUS_ID", "1"]))

import torch

torch.cuda.set_device(1)  # ~ device-outside-mask error
