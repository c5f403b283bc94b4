import os

os.environ.update(CUDA_DEVICE_ORDER="PCI_BUS_ID", CUDA_VISIBLE_DEVICES=str(0))

import torch

torch.cuda.set_device(1)  # ~ device-outside-mask error
